"""What files of shapes in the plane and of solids share: how one is written, and sentences for what is wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clast.errors import ShapeError

Positive = Annotated[float, Field(gt=0.0)]
STRICT = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

Keys = TypeVar("Keys", bound=BaseModel)
Made = TypeVar("Made")

_WANTED = {
    "float_type": "a number", "string_type": "a text", "bool_type": "true or false", "int_type": "a whole number",
    "greater_than_equal": "0 or more",
}  # fmt: skip


def read_as(model: type[Keys], keys: Any, file: Path, sentence: Callable[[Any], str], make: Callable[[Keys], Made]) -> Made:
    """What a file draws, made from its keys as the model has them; ShapeError names the file and what is wrong in it.

    sentence   puts one of pydantic's records into words
    """
    try:
        drawn = model.model_validate(keys)
    except ValidationError as error:
        raise ShapeError(f"In {file} {sentence(error.errors()[0])}.") from None
    try:
        return make(drawn)
    except ShapeError as error:
        raise ShapeError(f"{file}: {error}") from None


def write_new(file: Path, text: str, what: str, *, overwrite: bool) -> Path:
    """Write a text file and return its path; ShapeError where there is one already, or it cannot be written.

    what    the file, as the sentence calls it: "The shape file"
    """
    try:
        with file.open("w" if overwrite else "x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise ShapeError(f"There is a file {file} already: choose another name, or overwrite=True.") from None
    except OSError as error:
        raise ShapeError(f"{what} {file} cannot be written: {last_words(error)}.") from None
    return file


def bad_value(what: str, error: Mapping[str, Any]) -> str:
    """'the key "radius" must be greater than 0, not -1': `what`, and what pydantic found wrong with its value."""
    kind, given = error["type"], error["input"]
    if kind == "greater_than":
        return f"{what} must be greater than {error['ctx']['gt']:g}, not {given!r}"
    if kind == "literal_error":
        return f"{what} must be {error['ctx']['expected']}, not {given!r}"
    if kind == "finite_number":
        return f"{what} must be finite, not {given!r}"
    return f"{what} must be {_WANTED.get(kind, 'something else')}, not {given!r}"


def last_words(error: Exception) -> str:
    """The message of an error, as the end of a sentence."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words.rstrip(".").replace("\n", " ")
