"""The keys of a number that changes with time; see `clast.scene_files.schema`."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from clast.scene.timed import Harmonic, Ramp, Table
from clast.scene_files.declared import makes
from clast.scene_files.tables import FORMS, Keys, key


@makes(Ramp)
class RampKeys(Keys):
    """From one value to another, constant before and after."""

    kind: Literal["ramp"] = key(..., "a ramp")
    start: float = key(..., "value until `begin`", "of the number")
    end: float = key(..., "value from `finish` on", "of the number")
    finish: float = key(..., "when it ends", "time")
    begin: float = key(0.0, "when it begins", "time")
    smooth: bool = key(False, "without corners: 3s² − 2s³ instead of a straight line")


@makes(Harmonic)
class HarmonicKeys(Keys):
    """mean + amplitude · cos(2π(t − begin)/period + phase); before `begin` it holds its first value."""

    kind: Literal["harmonic"] = key(..., "a cosine")
    amplitude: float = key(..., "amplitude", "of the number")
    period: float = key(..., "period", "time", gt=0.0)
    mean: float = key(0.0, "mean value", "of the number")
    phase_degrees: float = key(0.0, "phase at `begin`; −90 makes it a sine", "degrees", to="phase", made=math.radians)
    begin: float = key(0.0, "when it starts to swing", "time", ge=0.0)


@makes(Table)
class TableKeys(Keys):
    """Straight lines between points; the first and last value hold before and after."""

    kind: Literal["table"] = key(..., "a table of values")
    times: list[float] = key(..., "times, increasing", "time", min_length=1)
    values: list[float] = key(..., "as many values", "of the number", min_length=1)
    steps: bool = key(False, "each value holds until the next time instead")


def _number_or_kind(given: object) -> str:
    if isinstance(given, dict):
        return str(given.get("kind", ""))
    return "number" if not isinstance(given, Keys) else str(getattr(given, "kind", ""))


TimedKeys = Annotated[
    Annotated[float, Tag("number")]
    | Annotated[RampKeys, Tag("ramp")]
    | Annotated[HarmonicKeys, Tag("harmonic")]
    | Annotated[TableKeys, Tag("table")],
    Discriminator(_number_or_kind),
]

FORMS["timed"] = TimedKeys
