"""The keys of `[run]` in a scene file: those that `clast.run` declares beside its arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from clast.keys import keys_of
from clast.output.recording import run
from clast.scene_files.declared import new_table
from clast.scene_files.tables import FORMS, Keys


def _alpha(given: object) -> object:
    number = given if isinstance(given, int | float) and not isinstance(given, bool) else math.nan
    if given == "auto" or (math.isfinite(number) and number > 0):
        return given
    raise PydanticCustomError("alpha", 'must be a positive length or "auto"')


def _threads(given: object) -> object:
    if given == "auto" or (isinstance(given, int) and not isinstance(given, bool) and given > 0):
        return given
    raise PydanticCustomError("threads", 'must be a positive whole number or "auto"')


PLACE = ("threads", "device")  # where a run is done: not part of what it is, and free to change when it is resumed


FORMS["alpha"] = Annotated[float | Literal["auto"], BeforeValidator(_alpha)]
FORMS["threads"] = Annotated[int | Literal["auto"], BeforeValidator(_threads)]
FORMS["integrator"] = Literal["verlet", "gear4", "gear5"]
FORMS["device"] = Literal["cpu", "cuda", "auto"]
ABOUT = "How the scene is stepped and recorded. On the command line each is an option: `--until 2 --dt 1e-5`."

if TYPE_CHECKING:

    class RunKeys(Keys):
        """Those that code reads by name."""

        until: float
        dt: float | None

else:
    RunKeys = new_table("RunKeys", Keys, ABOUT, keys_of(run))
