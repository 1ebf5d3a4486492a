"""A scene that begins where a stored run stands: its shapes, where its bodies are and how they move, what contacts remember."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from clast.errors import InputError, SceneError
from clast.scene.bonds import BondTable, bonds_in
from clast.scene.tags import Fixed, Tag
from clast.shapes.plane.skeleton import Shape
from clast.shapes.space.solid import Solid

PLANE_ARRAYS = ("area", "inertia", "reach", "origin")  # of a shape, beside what its picture needs


class Frames(Protocol):
    """Stored configurations in order of time."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Any: ...


class StoredRun(Protocol):
    """What a scene needs of a stored run, a `clast.Run`, to go on where it stands."""

    @property
    def folder(self) -> object:
        """Where it is."""
        ...

    @property
    def scene(self) -> Mapping[str, Any]:
        """Arrays of its bodies and shapes."""
        ...

    @property
    def frames(self) -> Frames:
        """Its configurations."""
        ...

    @property
    def checkpoint(self) -> Any:
        """Its last checkpoint, or None."""
        ...


def plane_arrays(unique: Sequence[Shape]) -> dict[str, Any]:
    """What a shape of the plane has besides vertices, edges and radius."""
    found: dict[str, Any] = {f"shape_{name}": np.array([getattr(shape, name) for shape in unique]) for name in PLANE_ARRAYS}
    return found | {"shape_name": [shape.name for shape in unique]}


def shapes_of(scene: Mapping[str, Any]) -> list[Shape]:
    """The shapes of a stored scene in the plane, as they were; SceneError for one stored before they were kept whole."""
    if "shape_reach" not in scene:
        raise SceneError("the run was stored by an older version, which did not keep whole shapes: run it again")
    return [
        Shape(
            name=scene["shape_name"][k],
            vertices=scene["shape_vertices"][slice(*scene["shape_first_vertex"][k : k + 2])],
            edges=scene["shape_edges"][slice(*scene["shape_first_edge"][k : k + 2])],
            radius=float(scene["shape_radius"][k]),
            area=float(scene["shape_area"][k]),
            inertia=float(scene["shape_inertia"][k]),
            reach=float(scene["shape_reach"][k]),
            origin=scene["shape_origin"][k],
        )
        for k in range(len(scene["shape_radius"]))
    ]


def solids_of(scene: Mapping[str, Any]) -> list[Solid]:
    """The solids of a stored scene in space, as they were."""
    found = []
    for k in range(len(scene["shape_radius"])):
        first, last = scene["shape_first_face"][k : k + 2]
        begins = scene["shape_first_corner"][first : last + 1]
        piece = scene["shape_piece"][first:last] if "shape_piece" in scene else np.zeros(0, np.int64)
        found.append(
            Solid(
                name=scene["shape_name"][k],
                vertices=scene["shape_vertices"][slice(*scene["shape_first_vertex"][k : k + 2])],
                edges=scene["shape_edges"][slice(*scene["shape_first_edge"][k : k + 2])],
                faces=tuple(scene["shape_corners"][a:b] for a, b in itertools.pairwise(begins)),
                radius=float(scene["shape_radius"][k]),
                volume=float(scene["shape_volume"][k]),
                inertia=scene["shape_inertia"][k],
                reach=float(scene["shape_reach"][k]),
                centre=scene["shape_centre"][k],
                orientation=scene["shape_orientation"][k],
                hollow=bool(scene["shape_hollow"][k]),
                mass_error=float(scene["shape_mass_error"][k]),
                piece=piece if piece.any() else np.zeros(0, np.int64),
            )
        )
    return found


def require_axes(run: StoredRun, axes: int) -> None:
    """InputError unless `run` is a stored run; SceneError unless it is one of so many dimensions."""
    if not hasattr(run, "frames") or not hasattr(run, "scene"):
        raise InputError(f"from_run: {run!r} is no stored run: open one with clast.open(folder)")
    if (found := len(run.scene["period"])) != axes:
        kind = "a Scene" if found == 2 else "a Scene3D"
        raise SceneError(f"the run in {run.folder} is one of {found} dimensions: it goes on in {kind}")


def put_in(scene: Any, run: StoredRun, frame: int, tags: Mapping[int | str, Iterable[Tag]]) -> None:
    """Add the bodies of a frame of a stored `run` to an empty scene, with the memory of their contacts where there is one.

    tags   by id or name: in place of `Fixed` of a wall, or of none of a grain
    """
    stored, seen = run.scene, frame_of(run, frame)
    present = np.asarray(seen["present"], bool) if "present" in seen.names else np.ones(len(seen["positions"]), bool)
    ids = np.flatnonzero(present)
    shapes, turn = (shapes_of(stored), "angles") if scene.axes == 2 else (solids_of(stored), "orientations")
    names, materials = stored["body_name"], stored.get("body_material", ["grain"] * len(present))
    scene.add_many(
        shapes, seen["positions"][ids], which=stored["body_shape"][ids], velocities=seen["velocities"][ids],
        spins=seen["spins"][ids], mass=stored["body_mass"][ids], big=stored["body_big"][ids],
        material=[materials[k] for k in ids], name=[names[k] for k in ids], **{turn: seen[turn][ids]},
    )  # fmt: skip
    for number in np.flatnonzero(stored["body_big"][ids]).tolist():
        scene.bodies[number].tags = (Fixed(),)
    for who, given in tags.items():
        for number in scene.ids(who):
            scene.bodies[number].tags = scene._checked(number, given)
    scene.springs = springs_of(scene, run, seen.step, ids)
    if "bond_steps" in seen.names:
        scene.bonds = bonds_at(stored, seen, ids)


def bonds_at(stored: Mapping[str, Any], seen: Any, ids: np.ndarray) -> BondTable:
    """The bonds that hold at a frame between bodies `ids` (k,), which are numbered anew."""
    bonds, number = bonds_in(stored), np.full(len(seen["positions"]), -1)
    number[ids] = np.arange(len(ids))
    held = bonds.some((seen["bond_steps"] < 0) & (number[bonds.bodies] >= 0).all(axis=1))
    return held._replace(bodies=number[held.bodies])


def move_to(scene: Any, run: StoredRun, frame: int) -> None:
    """Put the bodies of a scene where those of a stored run are at a frame, with their velocities and what contacts remember.

    SceneError unless the run has the same bodies with the same shapes, and all of them take part at that frame.
    """
    seen, stored, turn = frame_of(run, frame), run.scene, "angle" if scene.axes == 2 else "orientation"
    if f"{turn}s" not in seen.names or len(seen["positions"]) != len(scene):
        there = f"{len(seen['positions'])} bodies in {'the plane' if 'angles' in seen.names else 'space'}"
        raise SceneError(f"the run in {run.folder} has {there}, and the scene is {scene!r}: give a run of the same bodies")
    shapes, which = scene.bodies.distinct("shape")
    first, where = stored["shape_first_vertex"], f"the run in {run.folder}"
    for number, (mine, its) in enumerate(zip(which.tolist(), stored["body_shape"].tolist(), strict=True)):
        corners = stored["shape_vertices"][first[its] : first[its + 1]]
        if not np.array_equal(corners, shapes[mine].vertices) or stored["shape_radius"][its] != shapes[mine].radius:
            raise SceneError(
                f"body {number} of {where} has another shape than in the scene ({shapes[mine].name}): give a run of the same "
                "bodies"
            )
    if scene.sources:
        raise SceneError("a scene with sources begins with none of their grains: begin one with Scene.from_run, and add sources")
    if "present" in seen.names and not np.asarray(seen["present"], bool).all():
        raise SceneError(f"bodies had left {where} at this frame: begin a scene with Scene.from_run")
    if (periods := periods_at(run, frame)) != [*scene.box.periods]:
        raise SceneError(f"the box of {where} is {periods}, and that of the scene {[*scene.box.periods]}: give the same")
    if (offset := offset_at(run, frame)) != scene.box.offset:
        raise SceneError(f"the box of {where} has the offset {offset}, and that of the scene {scene.box.offset}: give the same")
    for name, values in (("position", "positions"), (turn, f"{turn}s"), ("velocity", "velocities"), ("spin", "spins")):
        scene.bodies.put(name, seen[values])
    scene.springs = springs_of(scene, run, seen.step, np.arange(len(scene)))


def frame_of(run: StoredRun, frame: int) -> Any:
    """A frame of a run; InputError where there is none."""
    count = len(run.frames)
    if not -count <= frame < count:
        raise InputError(f"there is no frame {frame}: the run in {run.folder} has {count or 'none'}; store some with frames=…")
    return run.frames[frame]


def springs_of(scene: Any, run: StoredRun, step: int, ids: np.ndarray) -> Any:
    """What contacts remember at a step, for the bodies `ids` under their new numbers; None where the run does not keep it."""
    checkpoint = run.checkpoint
    if checkpoint is None or checkpoint.step != step or "spring_key" not in checkpoint.arrays:
        return None
    part = "_now" if "spring_now" in checkpoint.arrays else ""  # older runs have those of the step before only
    key, memory = checkpoint.arrays[f"spring{part}_key"].copy(), checkpoint.arrays[f"spring{part}"]
    number = np.full(len(run.scene["body_mass"]) + 1, -1)  # a moving cell has an id as well
    number[ids] = np.arange(ids.size)
    key[:, :2] = number[key[:, :2]]
    keep = (key[:, :2] >= 0).all(axis=1)
    return scene.remembered(key[keep], memory[keep], str(checkpoint.scalars.get("law", "")))


def periods_at(run: StoredRun, frame: int) -> list[float]:
    """Lengths of the box at a frame, 0 where a side is open."""
    seen = frame_of(run, frame)
    found: list[float] = np.asarray(seen["period"] if "period" in seen.names else run.scene["period"], float).tolist()
    return found


def offset_at(run: StoredRun, frame: int) -> float:
    """By how much images one period up lie further along x at a frame [length]; 0 where the box does not lean."""
    return float(frame_of(run, frame).offset)
