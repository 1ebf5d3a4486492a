"""The pages docs/scene-file.md and docs/scene-file-space.md, written from the models so that they cannot fall behind them:

python -m clast.scene_files.reference > docs/scene-file.md
python -m clast.scene_files.reference space > docs/scene-file-space.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from clast.scene_files import schema, schema_flow, schema_laws, schema_run, schema_shapes, schema_timed, tables
from clast.scene_files.complaint import models_in
from clast.scene_files.space import schema as schema_space
from clast.scene_files.space import schema_solids

EXAMPLE = """\
gravity = [0.0, -10.0]

[law]
kind = "linear"
normal_stiffness = 1e5
tangential_stiffness = 5e4
friction = 0.5
normal_damping = 50.0

[[walls]]
vertices = [[-2.0, 1.0], [-2.0, 0.0], [2.0, 0.0], [2.0, 1.0]]
radius = 0.1

[[grains]]
shape = "peanut"
position = [0.0, 2.0]
angle_degrees = 30.0

[run]
until = 2.0
"""

INTRODUCTION = f"""\
# Scene files

A scene of your own, without a line of Python: `clast run FILE.toml`. The file is [TOML](https://toml.io); nothing in it can
run code. A small one, whole:

```toml
{EXAMPLE}```

Longer ones: [examples/box.toml](../examples/box.toml) presses a mixture of grains under a loaded lid,
[examples/rotating-drum.toml](../examples/rotating-drum.toml) turns a drum.

A file with `dimension = 3` is a scene in space: solids, three numbers for a place. Its keys are those of
[scene-file-space.md](scene-file-space.md); everything on this page is about the plane, which a file without `dimension` is in.

- Any consistent units. Numbers are written as numbers: `1`, `1.0`, `1e5`; not `"1"`, not `true`.
- A mistake is answered with the file, the entry and what is wrong, before anything is computed or written:
  `box.toml: walls[2].radius: -0.1 must be positive`. Entries of lists are numbered from 0.
- Bodies are numbered from 0: first `grains`, then `walls`, `fill` and `sources`, each in the order of the file.
- Settings of `[run]` can be given on the command line, where they win: `clast run box.toml --until 2 --dt 1e-5`.
- The run keeps the text of the scene file and of the shape files it names. `--resume` needs the same scene again.
- In Python: `file = clast.read_scene("box.toml")` gives `file.scene` and the settings `file.run`.

Below, **bold** keys must be given. "timed" is a number, or a table of one of the kinds under *Numbers that change with time*.
"""

EXAMPLE_3D = """\
dimension = 3
gravity = [0.0, 0.0, -10.0]

[law]
kind = "linear"
normal_stiffness = 1e5
tangential_stiffness = 5e4
friction = 0.5
normal_damping = 50.0

[shapes.tray]
kind = "open-box"
sides = [4.0, 4.0, 2.0]
radius = 0.05

[[walls]]
shape = "tray"

[[grains]]
shape = "mug"
position = [0.0, 0.0, 2.0]
axis = [0.0, 1.0, 0.0]
angle_degrees = 60.0

[run]
until = 2.0
"""

INTRODUCTION_3D = f"""\
# Scene files in space

A [scene file](scene-file.md) with `dimension = 3`. That one key decides: without it a scene is in the plane, whatever else it
holds. A small one, whole:

```toml
{EXAMPLE_3D}```

Longer ones: [examples/stones-in-a-box.toml](../examples/stones-in-a-box.toml) lets a mixture of solids fall,
[examples/drum-in-space.toml](../examples/drum-in-space.toml) turns a drum. A guide: [space.md](space.md).

Title, units, drag, laws, `[run]`, the command line and numbers that change with time are as [in the plane](scene-file.md), and so
are the answers to a mistake: `box.toml: walls[2].radius: -0.1 must be positive`. Below is what differs.

- Places, velocities and spins are three numbers, [x, y, z], about the axes of the world. Which way is up is decided by
  `gravity` alone; `remove_below` is a height along z.
- A grain is put with its **centre of mass** at `position`. A wall is put with the **origin of its drawing** there, so that a
  hopper has its opening at `position`, and a `shape` without a position stands where it was drawn.
- Both are turned from how they were drawn: by `axis` and `angle_degrees`, or by a quaternion `orientation`.
- In tags `spin` and `torque` are about z, as in the plane; `spin_x`, `spin_y`, `torque_x`, `torque_y` about x and y.
- Density is mass per volume, pressure force per area.
- A closed convex solid with `radius = 0` is *sharp*. A scene has rounded solids or sharp ones, never both: with a law of
  [sharp solids](#laws-of-sharp-solids) every body is sharp, with any other every body rounded. Of several pieces are walls only.

**Bold** keys must be given. "timed" is a number, or a table as under
[numbers that change with time](scene-file.md#numbers-that-change-with-time).
"""

CHAPTERS: list[tuple[str, str, Sequence[type[BaseModel]]]] = [
    ("The whole file", "", [schema.SceneKeys, schema.ArgumentKeys]),
    ("How it is run", "[run]", [schema_run.RunKeys]),
    ("Laws", "[law]", schema_laws.with_shared(schema_laws.ROUNDED)),
    ("On top of a law", "[law.rolling], [law.cohesion]", schema_laws.ON_TOP),
    ("Laws between materials", "[[pair_law]]", [schema.PairLawKeys]),
    ("Box", "[box]", [schema.BoxKeys]),
    ("Shapes", "[shapes.NAME]", [*models_in(schema_shapes.ShapeKeys), schema_shapes.AnyShape]),
    ("Mass of a clump", "[shapes.NAME.mass]", [schema_shapes.MassKeys]),
    ("Minkowski operations", "operations = [{ kind = …, by = … }, …]", models_in(schema_shapes.OperationKeys)),
    ("Grains", "[[grains]]", [schema.GrainKeys]),
    ("Walls", "[[walls]]", [schema.WallKeys]),
    ("Many grains", "[[fill]]", [schema.FillKeys, schema.VoronoiFillKeys]),
    ("Mixtures", "shapes = [{ shape = …, share = … }, …]", [schema.ShareKeys]),
    ("Grains that come in", "[[sources]]", [schema_flow.SourceKeys, schema_flow.ComingKeys]),
    ("Grains that go out", "[[sinks]]", [schema_flow.SinkKeys]),
    ("Tags", "[[tags]]", models_in(schema.TagKeys)),
    (
        "Numbers that change with time",
        "x = { kind = …, … }",
        [schema_timed.RampKeys, schema_timed.HarmonicKeys, schema_timed.TableKeys],
    ),
]
CHAPTERS_3D: list[tuple[str, str, Sequence[type[BaseModel]]]] = [
    ("The whole file", "", [schema_space.SpaceSceneKeys, schema_space.SpaceArgumentKeys]),
    ("Laws of sharp solids", "[law]", schema_laws.with_shared(schema_laws.SHARP)),
    ("On top of a law of sharp solids", "[law.turning]", schema_laws.ON_SHARP),
    ("Laws between materials", "[[pair_law]]", [schema_space.SpacePairLawKeys]),
    ("Box", "[box]", [schema_space.SpaceBoxKeys]),
    ("Solids", "[shapes.NAME]", [*models_in(schema_solids.SolidKeys), schema_solids.AnySolid]),
    ("Pieces", "of = [{ shape = …, position = … }, …]", [schema_solids.PieceKeys]),
    ("Grains", "[[grains]]", [schema_space.SpaceGrainKeys]),
    ("Walls", "[[walls]]", [schema_space.SpaceWallKeys]),
    ("Turns", "in [[grains]], [[walls]], [[sources]] and pieces", [schema_solids.TurnKeys]),
    (
        "Many grains",
        "[[fill]]",
        [
            schema_space.LatticeFillKeys,
            schema_space.RandomFillKeys,
            schema_space.SpaceFillKeys,
            schema_space.SpaceVoronoiFillKeys,
        ],
    ),
    ("Mixtures", "shapes = [{ shape = …, share = … }, …]", [schema.ShareKeys]),
    ("Grains that come in", "[[sources]]", [schema_flow.SpaceSourceKeys, schema_flow.ComingKeys]),
    ("Grains that go out", "[[sinks]]", [schema_flow.SpaceSinkKeys]),
    ("Tags", "[[tags]]", models_in(schema_space.SpaceTagKeys)),
]
LIMITS = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
WORDS = {float: "number", int: "whole number", str: "text", bool: "true or false"}
NAMED: list[tuple[Any, str]] = [
    (schema_timed.TimedKeys, "timed"),
    (tables.Pair, "[number, number]"),
    (tables.Outline, "list of [number, number]"),
    (schema.Whom, "name, number or list"),
    (schema.Ends, "[name or number, name or number]"),
    (schema.Materials, "[text, text]"),
    (tables.Triple, "[number, number, number]"),
    (tables.Places, "list of [number, number, number]"),
    (tables.Ends3D, "two of [number, number, number]"),
    (tables.Loops, "list of lists of whole numbers"),
    (tables.Arms, "number, or list of 3 or 6"),
    (tables.Quaternion, "[number, number, number, number]"),
    (schema_space.Pairs, "[[wall, wall], [wall, wall]]"),
]


MODULES = (schema, schema_flow, schema_space, schema_timed, tables)


def reference_page(dimension: int = 2) -> str:
    """The whole page about scenes in the plane, or in space."""
    introduction, chapters = (INTRODUCTION_3D, CHAPTERS_3D) if dimension == 3 else (INTRODUCTION, CHAPTERS)
    return "\n".join([introduction, *(line for chapter in chapters for line in chapter_lines(*chapter))]).rstrip() + "\n"


def chapter_lines(title: str, header: str, models: Sequence[type[BaseModel]]) -> Iterator[str]:
    """One chapter: a table of keys for each model."""
    yield f"## {title}\n"
    if header:
        yield f"`{header}`\n"
    for model in models:
        yield f"{(model.__doc__ or '').strip()}\n"
        yield "| key | value | unit | if not given | meaning |\n|---|---|---|---|---|"
        for name in model.__annotations__:  # its own, not what it shares with others
            each = model.model_fields[name]
            extra = each.json_schema_extra if isinstance(each.json_schema_extra, dict) else {}
            shown = f"**{name}**" if each.is_required() else name
            yield f"| {shown} | {value_of(model, name)} | {extra.get('unit', '')} | {default_of(each)} | {each.description} |"
        yield ""


def value_of(model: type[BaseModel], name: str) -> str:
    """What may be written, with its limits."""
    each = model.model_fields[name]
    annotation = model.__annotations__.get(name, "")
    named = [word for alias, word in NAMED if is_alias(annotation, alias)]
    text = named[0] if named else words(each.annotation)
    bounds = [f"{sign} {limit:g}" for part in each.metadata for key, sign in LIMITS.items()
              if isinstance(limit := getattr(part, key, None), int | float)]  # fmt: skip
    return ", ".join([text, *bounds])


def is_alias(annotation: object, alias: object) -> bool:
    """Whether an entry is of a type that has a name in the schema, or nothing."""
    if isinstance(annotation, str):  # of a class that is written down
        return annotation.split(" | ")[0] in [
            name for module in MODULES for name, value in vars(module).items() if value is alias
        ]
    return any(each is alias for each in (annotation, *get_args(annotation)))


def words(annotation: Any) -> str:
    """A type in words."""
    kind, inside = get_origin(annotation), get_args(annotation)
    if annotation in WORDS:
        return WORDS[annotation]
    if kind is Literal:
        return " or ".join(f'`"{choice}"`' if isinstance(choice, str) else f"`{choice}`" for choice in inside)
    if kind is Annotated:
        return words(inside[0])
    if models_in(annotation):
        return "tables by name" if kind is dict else "list of tables" if kind is list else "table"
    if kind is list:
        return f"list of {words(inside[0])}s"
    return " or ".join(words(each) for each in inside if each is not type(None))


def default_of(each: FieldInfo) -> str:
    """What holds where the key is left out."""
    value = each.default
    if each.is_required() or value is None or value == "" or isinstance(value, BaseModel) or value in ([], {}):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'`"{value}"`'
    return f"{value:g}" if isinstance(value, int | float) else str(value)


if __name__ == "__main__":
    print(reference_page(3 if sys.argv[1:] == ["space"] else 2), end="")
