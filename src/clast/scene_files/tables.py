"""What every table of a scene file is, and the forms that its entries have beside numbers and texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError


class Keys(BaseModel):
    """A table of a scene file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


SAME, CODE = "", None  # where a key goes: to the argument of its name; or code reads it, and it is nobody's argument


class Way(NamedTuple):
    """How an entry becomes an argument of what its table is for; see `key`."""

    to: str | None = SAME
    made: Callable[[Any], Any] | None = None
    taker: str = ""


def key(
    default: Any,
    description: str,
    unit: str = "",
    *,
    to: str | None = SAME,
    made: Callable[[Any], Any] | None = None,
    taker: str = "",
    **limits: Any,
) -> Any:
    """A key with its meaning and unit; `...` as default where it must be given. Further limits are those of pydantic.

    It reaches the scene as an argument of what takes its table (`clast.scene_files.declared.arguments`): that of a box of
    `Box`, that of a grain of `Scene.add`.

    to      the name of the argument: `SAME` as the key, or `CODE` if it is none, because code reads the entry
    made    what is made of the entry first
    taker   where a table has two: which of them takes this key
    """
    about: Any = {"unit": unit, "way": Way(to, made, taker)}
    return Field(default, description=description, json_schema_extra=about, **limits)


def way_of(field: FieldInfo) -> Way:
    """How the entry of a key becomes an argument."""
    about: Any = field.json_schema_extra or {}
    return about.get("way", Way())


Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Outline = Annotated[list[Pair], Field(min_length=1)]
Name = Annotated[str, Field(min_length=1)]
Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Places = Annotated[list[Triple], Field(min_length=1)]
Loop = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3)]
Loops = Annotated[list[Loop], Field(min_length=1)]
Quaternion = Annotated[list[float], Field(min_length=4, max_length=4)]
Ends3D = Annotated[list[Triple], Field(min_length=2, max_length=2)]


def _arms(given: object) -> object:
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
    "name": Name,
}
