"""A solid in a small JSON file, read and written.

    {
      "format": "clast solid", "version": 1,
      "name": "wedge",
      "radius": 0.1,                                        the sphero-radius; 0 for a sharp convex solid
      "vertices": [[0, 0, 0], [2, 0, 0], [0, 1, 0], …],
      "faces": [[0, 2, 1], …],                              counter-clockwise seen from outside; none for a capsule or clump
      "edges": [[0, 1]],                                    only of a capsule: its segment
      "hollow": false,                                      true for walls: a surface, open or closed, without an inside
      "piece": [0, 0, 0, 0, 1, …],                          of a sharp wall: which convex piece each face belongs to
      "scale": 0.001                                        all lengths, the radius too, times this; or "volume": scale to it
    }

Format, radius and vertices must be there. Mass properties are not kept, but found again from the skeleton.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from clast.errors import ShapeError
from clast.shapes.drawn_files import STRICT, Positive, bad_value, last_words, read_as, write_new
from clast.shapes.space.make import capsule, mesh, plate, shell, sphere_clump
from clast.shapes.space.pieces import pieces
from clast.shapes.space.solid import Solid

FORMAT, VERSION = "clast solid", 1

_ONE = {"vertices": "vertex", "faces": "face", "edges": "edge", "piece": "face"}

Rounding = Annotated[float, Field(ge=0.0)]
Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Number = Annotated[int, Field(ge=0)]


class _Drawn(BaseModel):
    """The keys of a solid's file."""

    model_config = STRICT
    format: Literal["clast solid"]
    version: Number
    radius: Rounding
    vertices: list[Triple]
    name: str = ""
    faces: list[list[Number]] = []
    edges: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] = []
    hollow: bool = False
    piece: list[Number] = []
    scale: Positive | None = None
    volume: Positive | None = None


def load_solid(path: str | Path) -> Solid:
    """The solid in a JSON file. Raises ShapeError naming the file, the key and the vertex."""
    file = Path(path)
    try:
        keys = json.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ShapeError(f"There is no solid's file {file}.") from None
    except json.JSONDecodeError as error:
        raise ShapeError(f"{file} is not JSON: {error.msg} at line {error.lineno}.") from None
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise ShapeError(f"The solid's file {file} cannot be read: {last_words(error)}.") from None
    if not isinstance(keys, dict) or keys.get("format") != FORMAT:
        raise ShapeError(f'{file} is no solid\'s file: it must be a table with "format": "{FORMAT}".')
    version = keys.get("version", 0)
    if isinstance(version, int) and version > VERSION:
        raise ShapeError(f"{file} was written by a newer clast (version {version} of the format, this one reads {VERSION}).")
    return read_as(_Drawn, keys, file, _sentence, lambda drawn: _made(drawn, drawn.name or file.stem))


def save_solid(solid: Solid, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the solid, in the coordinates it was drawn in, as a JSON file that `load_solid` reads; returns its path."""
    file = Path(path)
    if file.suffix.lower() != ".json":
        raise ShapeError(f"A solid is written as JSON: call the file {file.with_suffix('.json')}.")
    keys: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": solid.name,
        "radius": solid.radius,
        "hollow": solid.hollow,
    }
    rows: dict[str, list[Any]] = {"vertices": solid.drawn().tolist()}
    if solid.faces:
        rows["faces"] = [loop.tolist() for loop in solid.faces]
        if solid.piece_count > 1:
            keys["piece"] = solid.piece.tolist()
    elif len(solid.edges):
        rows["edges"] = solid.edges.tolist()
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
    for key, values in rows.items():
        lines.append(f'  "{key}": [\n' + ",\n".join(f"    {json.dumps(value)}" for value in values) + "\n  ]")
    return write_new(file, "{\n" + ",\n".join(lines) + "\n}\n", "The solid's file", overwrite=overwrite)


def _made(drawn: _Drawn, name: str) -> Solid:
    """The solid a file describes; its ShapeErrors are completed with the file's name."""
    if drawn.scale is not None and drawn.volume is not None:
        raise ShapeError('Give "scale" or "volume", not both.')
    if drawn.faces and drawn.edges:
        raise ShapeError('"edges" are those of a capsule, which has no "faces": leave them out, faces bring their own.')
    if drawn.hollow and not drawn.faces:
        raise ShapeError('Only "faces" can be "hollow", and there are none.')
    if drawn.piece:
        solid = _of_pieces(drawn, name)
    elif drawn.hollow:
        solid = shell(drawn.vertices, drawn.faces, drawn.radius, name=name)
    elif len(drawn.faces) == 1:
        if sorted(drawn.faces[0]) != list(range(len(drawn.vertices))):
            raise ShapeError("The face of a plate has all vertices, each once.")
        solid = plate([drawn.vertices[v] for v in drawn.faces[0]], drawn.radius, name=name)
    elif drawn.faces:
        solid = mesh(drawn.vertices, drawn.faces, drawn.radius, name=name)
    elif drawn.edges:
        if len(drawn.vertices) != 2 or [sorted(edge) for edge in drawn.edges] != [[0, 1]]:
            raise ShapeError("Without faces there is one edge, [0, 1], between two vertices: a capsule.")
        solid = capsule(ends=drawn.vertices, radius=drawn.radius, name=name)
    else:
        solid = sphere_clump(drawn.vertices, drawn.radius, name=name)
    if drawn.volume is not None:
        return solid.with_volume(drawn.volume)
    return solid if drawn.scale is None else solid.scaled(drawn.scale)


def _of_pieces(drawn: _Drawn, name: str) -> Solid:
    """The sharp wall of convex pieces a file describes."""
    if drawn.hollow:
        raise ShapeError('What is made of "piece"s is not "hollow": each of them has an inside.')
    if len(drawn.piece) != len(drawn.faces):
        raise ShapeError(f'"piece" names a piece for each of the {len(drawn.faces)} "faces", not for {len(drawn.piece)}.')
    if sorted(set(drawn.piece)) != list(range(max(drawn.piece) + 1)):
        raise ShapeError('The numbers in "piece" begin at 0, and none is left out.')
    found = []
    for k in range(max(drawn.piece) + 1):
        faces = [face for face, piece in zip(drawn.faces, drawn.piece, strict=True) if piece == k]
        try:
            found.append(mesh(drawn.vertices, faces, drawn.radius, name=name))
        except ShapeError as error:
            raise ShapeError(f"Piece {k}: {error}") from None
    return pieces(found, name=name)


def _sentence(error: Any) -> str:
    """'the key "radius" must be greater than 0, not -1', from one of pydantic's records."""
    where, kind, given = list(error["loc"]), error["type"], error["input"]
    key = str(where[0])
    if kind == "extra_forbidden":
        return f'there is an unknown key "{key}"; known are {", ".join(_Drawn.model_fields)}'
    if kind == "missing":
        return f'the key "{key}" is missing'
    what = f'the key "{key}"'
    if len(where) > 1:
        what += f", {_ONE[key]} {where[1]}"
    if kind in ("too_short", "too_long", "list_type"):
        wanted = {"vertices": "three numbers (x, y, z)", "faces": "a list of vertex numbers", "edges": "two vertex numbers"}
        return f"{what} must be {wanted[key] if len(where) > 1 else 'a list'}, not {given!r}"
    if kind == "greater_than_equal" and key == "radius":
        return f"{what} must be positive, or 0 for a sharp solid, not {given!r}"
    return bad_value(what, error)
