"""A user's own grain in a small file, read and written.

TOML; everything but `vertices` is optional, with the exceptions below:

    name = "arrowhead"
    kind = "polygon"              # polygon, polyline, segment or points (a clump of disks)
    radius = 0.1                  # sphero-radius
    vertices = [[0, 0], [2, 1], [0, 2], [0.6, 1]]
    opening = 0.2                 # or erosion, or dilation: see clast.shapes.plane.minkowski
    area = 1.0                    # last of all, scale to this area; or scale = 0.001, times this factor

A polygon without `radius` is an outline with sharp corners, and needs `opening`, or `erosion` and `dilation` together
(PRE10 eq 5). A table `mass` with `area`, `centroid` and `inertia` gives points the mass of another body, as the shell of a
clump needs. CSV or TXT: a vertex per line, x and y apart by comma, semicolon or blank; the other keys stand in comment
lines, as `# radius = 0.1`.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from clast.errors import ShapeError
from clast.shapes.drawn_files import STRICT, Positive, bad_value, last_words, read_as, write_new
from clast.shapes.plane.make import clump, polygon, polyline, segment
from clast.shapes.plane.mass import mass_properties
from clast.shapes.plane.minkowski import dilation, erosion, opening, rounded
from clast.shapes.plane.skeleton import Shape

Pair = Annotated[list[float], Field(min_length=2, max_length=2)]

_SAME_MASS = 1e-9  # relative: mass properties nearer than this to those of the union need not be written


class _Mass(BaseModel):
    """Mass properties that are not those of the union of disks; lengths in the unit of the vertices."""

    model_config = STRICT
    area: Positive
    centroid: Pair
    inertia: Positive


class _Grain(BaseModel):
    """The keys of a shape file."""

    model_config = STRICT
    vertices: list[Pair]
    name: str = ""
    kind: Literal["polygon", "polyline", "segment", "points"] = "polygon"
    radius: Positive | None = None
    opening: Positive | None = None
    erosion: Positive | None = None
    dilation: Positive | None = None
    largest: bool = False  # keep the largest piece of what erosion leaves
    area: Positive | None = None
    scale: Positive | None = None
    mass: _Mass | None = None


def load_shape(path: str | Path) -> Shape:
    """The shape drawn in a TOML, CSV or TXT file. Raises ShapeError naming the file, the key and the vertex."""
    file = Path(path)
    if file.suffix.lower() not in (".toml", ".csv", ".txt"):
        raise ShapeError(f"{file} is not a shape file: its name must end in .toml, .csv or .txt.")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ShapeError(f"There is no shape file {file}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ShapeError(f"The shape file {file} cannot be read: {last_words(error)}.") from None
    if file.suffix.lower() == ".toml":
        try:
            keys = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ShapeError(f"{file} is not TOML: {last_words(error)}.") from None
    else:
        keys = _table(file, text)
    return read_as(_Grain, keys, file, _sentence, lambda grain: _made(grain, grain.name or file.stem))


def save_shape(shape: Shape, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the shape, in the coordinates it was drawn in, as a TOML file that `load_shape` reads; returns its path."""
    file = Path(path)
    if file.suffix.lower() != ".toml":
        raise ShapeError(f"A shape is written as TOML: call the file {file.with_suffix('.toml')}.")
    kind = "polygon" if shape.is_closed else ("points", "segment", "polyline")[min(len(shape.edges), 2)]
    name = json.dumps(shape.name, ensure_ascii=False).replace("\x7f", "\\u007f")
    lines = [f"name = {name}", f'kind = "{kind}"', f"radius = {shape.radius!r}", "vertices = ["]
    lines += [f"  [{x!r}, {y!r}]," for x, y in (shape.vertices - shape.origin).tolist()]
    lines.append("]")
    union = mass_properties(shape.vertices, shape.edges, shape.radius, closed=shape.is_closed)
    is_union = (
        math.isclose(union.area, shape.area, rel_tol=_SAME_MASS)
        and math.isclose(union.inertia, shape.inertia, rel_tol=_SAME_MASS)
        and math.hypot(*union.centroid) <= _SAME_MASS * shape.reach
    )
    if not is_union:
        x, y = (-shape.origin).tolist()
        lines += ["", "[mass]", f"area = {shape.area!r}", f"centroid = [{x!r}, {y!r}]", f"inertia = {shape.inertia!r}"]
    return write_new(file, "\n".join(lines) + "\n", "The shape file", overwrite=overwrite)


def _made(grain: _Grain, name: str) -> Shape:
    """The shape a file describes; its ShapeErrors are completed with the file's name."""
    if grain.area is not None and grain.scale is not None:
        raise ShapeError('Give "area" or "scale", not both.')
    if grain.mass is not None and grain.kind != "points":
        raise ShapeError(f'The table "mass" is for points only: a {grain.kind} has the mass of its own area.')
    if grain.largest and grain.opening is None and grain.erosion is None:
        raise ShapeError('"largest" chooses among the pieces of an opening or erosion, and there is none.')
    if grain.radius is None:
        shape = _from_sharp_outline(grain, name)
    else:
        shape = _changed(grain, _from_skeleton(grain, grain.radius, name))
    if grain.area is not None:
        return shape.with_area(grain.area)
    return shape if grain.scale is None else shape.scaled(grain.scale)


def _from_sharp_outline(grain: _Grain, name: str) -> Shape:
    if grain.kind != "polygon":
        raise ShapeError(f'The key "radius" is missing: a {grain.kind} needs a sphero-radius.')
    if grain.opening is not None and grain.erosion is None and grain.dilation is None:
        return rounded(grain.vertices, grain.opening, name=name, largest=grain.largest)
    if grain.opening is None and grain.erosion is not None and grain.dilation is not None:
        return rounded(grain.vertices, grain.erosion, grain.dilation, name=name, largest=grain.largest)
    raise ShapeError('The key "radius" is missing: give it, or "opening" alone, or "erosion" and "dilation" for a sharp outline.')


def _from_skeleton(grain: _Grain, radius: float, name: str) -> Shape:
    if grain.kind == "points":
        mass = {} if grain.mass is None else grain.mass.model_dump()
        return clump(grain.vertices, radius, name=name, **mass)
    if grain.kind == "segment":
        if len(grain.vertices) != 2:
            raise ShapeError(f'A segment has 2 vertices, not {len(grain.vertices)}: for more use kind = "polyline".')
        return segment(grain.vertices[0], grain.vertices[1], radius, name=name)
    return (polygon if grain.kind == "polygon" else polyline)(grain.vertices, radius, name=name)


def _changed(grain: _Grain, shape: Shape) -> Shape:
    changes = [key for key in ("opening", "erosion", "dilation") if getattr(grain, key) is not None]
    if len(changes) > 1:
        raise ShapeError(f'Besides "radius" only one of {" and ".join(changes)} can be done: remove the others, or "radius".')
    if changes and grain.mass is not None:
        raise ShapeError(f'The table "mass" belongs to the shape as drawn: remove it, or "{changes[0]}".')
    if grain.opening is not None:
        return opening(shape, grain.opening, largest=grain.largest)
    if grain.erosion is not None:
        if grain.erosion >= shape.radius:
            raise ShapeError(
                f'"erosion" {grain.erosion:.6g} must be less than "radius" {shape.radius:.6g}: otherwise corners become sharp.'
            )
        return erosion(shape, grain.erosion, largest=grain.largest)
    return shape if grain.dilation is None else dilation(shape, grain.dilation)


def _table(file: Path, text: str) -> dict[str, Any]:
    """Keys of a CSV or TXT file: its vertices, and what its comments set."""
    keys: dict[str, Any] = {}
    vertices: list[list[float]] = []
    header = True  # one line of words, as spreadsheets write, may come before the numbers
    for number, line in enumerate(text.splitlines(), start=1):
        setting = re.match(r"\s*#\s*(\w+)\s*=\s*(.+)$", line)
        if setting and setting[1] in _Grain.model_fields and setting[1] != "vertices":
            try:
                keys.update(tomllib.loads(f"{setting[1]} = {setting[2]}"))
            except tomllib.TOMLDecodeError:
                raise ShapeError(f'In {file}, line {number}, the value of "{setting[1]}" is not a TOML value.') from None
            continue
        words = [word for word in re.split(r"[,;\s]+", line.partition("#")[0].strip()) if word]
        if not words:
            continue
        try:
            pair = [float(word) for word in words]
        except ValueError:
            if header and not vertices and not any(c.isdigit() for c in "".join(words)):
                header = False
                continue
            pair = []
        if len(pair) != 2 or not all(map(math.isfinite, pair)):
            raise ShapeError(
                f"In {file}, line {number}, vertex {len(vertices)} must be two finite numbers, not {line.strip()!r}."
            )
        vertices.append(pair)
    return {"vertices": vertices, **keys}


def _sentence(error: Any) -> str:
    """'the key "radius" must be greater than 0, not -1', from one of pydantic's records."""
    where, kind, given = list(error["loc"]), error["type"], error["input"]
    key = ".".join(str(part) for part in where if isinstance(part, str))
    if kind == "extra_forbidden":
        known = _Mass.model_fields if len(where) > 1 else _Grain.model_fields
        near = difflib.get_close_matches(str(where[-1]), known, 1)
        return f'there is an unknown key "{key}"' + (f' (for "{near[0]}"?)' if near else f"; known are {', '.join(known)}")
    if kind == "missing":
        return f'the key "{key}" is missing'
    what = f'the key "{key}"'
    if where[0] == "vertices" and len(where) > 1:
        what += f", vertex {where[1]}"
        if len(where) > 2:
            what += f", {'xy'[where[2]]}"
    if kind in ("too_short", "too_long", "list_type"):
        pair = len(where) > 1
        return f"{what} must be {'two numbers (x, y)' if pair else 'a list of pairs (x, y)'}, not {given!r}"
    return bad_value(what, error)
