"""The keys of `[run]` in a scene file; see `clast.scene_files.schema`. The command line shows them without loading laws."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from clast.scene_files.tables import Keys, key


def _alpha(given: Any) -> Any:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if given == "auto" or (number and math.isfinite(given) and given > 0):
        return given
    raise PydanticCustomError("alpha", 'must be a positive length or "auto"')


def _threads(given: Any) -> Any:
    if given == "auto" or (isinstance(given, int) and not isinstance(given, bool) and given > 0):
        return given
    raise PydanticCustomError("threads", 'must be a positive whole number or "auto"')


PLACE = ("threads", "device")  # where a run is done: not part of what it is, and free to change when it is resumed


class RunKeys(Keys):
    """How the scene is stepped and recorded. On the command line each is an option: `--until 2 --dt 1e-5`."""

    until: float = key(..., "end of the run", "time", gt=0.0)
    dt: float | None = key(None, "time step; the safe one if not given", "time", gt=0.0)
    integrator: Literal["verlet", "gear4", "gear5"] = key("verlet", "how positions are stepped")
    samples: int = key(400, "rows of the series, about; at least 200 for an honest energy error", ge=1)
    frames: int = key(100, "stored configurations, about; 0 for none", ge=0)
    alpha: Annotated[float | Literal["auto"], BeforeValidator(_alpha)] = key(
        "auto", "how far lists of neighbours reach", "length"
    )
    threads: Annotated[int | Literal["auto"], BeforeValidator(_threads)] = key(
        1, "number of threads; results do not depend on it"
    )
    device: Literal["cpu", "cuda", "auto"] = key(
        "cpu", "where steps are done: cuda is an NVIDIA GPU, auto takes it if it pays; results agree to rounding"
    )
