"""What every table of a scene file is, and the forms that its entries have beside numbers and texts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError


class Keys(BaseModel):
    """A table of a scene file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def key(default: Any, description: str, unit: str = "", **limits: Any) -> Any:
    """A key with its meaning and unit; `...` as default where it must be given."""
    return Field(default, description=description, json_schema_extra={"unit": unit}, **limits)


Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Outline = Annotated[list[Pair], Field(min_length=1)]
Name = Annotated[str, Field(min_length=1)]
Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Places = Annotated[list[Triple], Field(min_length=1)]
Loop = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3)]
Loops = Annotated[list[Loop], Field(min_length=1)]
Quaternion = Annotated[list[float], Field(min_length=4, max_length=4)]
Ends3D = Annotated[list[Triple], Field(min_length=2, max_length=2)]


def _arms(given: Any) -> Any:
    each = given if isinstance(given, list) else [given]
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) and 0.0 <= one < float("inf") for one in each)
    if numbers and len(each) in (1, 3, 6):
        return given
    raise PydanticCustomError("arms", "must be a length, or a list of three or six, 0 for no arm")


Arms = Annotated[float | list[float], BeforeValidator(_arms)]

# as the keys of shapes name them (`clast.keys.Key.form`)
FORMS: dict[str, Any] = {
    "pair": Pair,
    "outline": Outline,
    "triple": Triple,
    "places": Places,
    "ends": Ends3D,
    "loops": Loops,
    "arms": Arms,
    "whole": int,
}
