"""Read a scene file: TOML in, a checked scene and the settings of its run out. Nothing in a file can run code.

A mistake is reported in one sentence with the file and the entry, before anything is compiled or written:

    box.toml: walls[2].radius: -0.1 must be positive

The keys are those of `clast.scene_files.schema`, or with `dimension = 3` those of
`clast.scene_files.space.schema`; bodies are numbered in the order grains, walls, fill.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from clast.dynamics.limits import limits_of
from clast.errors import ClastError, InputError, OverlapError, SceneError, StepError
from clast.output.recording import steps_until
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene_files.build import ShapeShelf
from clast.scene_files.complaint import at, complaint, shown, written
from clast.scene_files.declared import arguments
from clast.scene_files.fill import add_fill
from clast.scene_files.room import crowded
from clast.scene_files.rules import add_all, shape_of, tags_of_wall
from clast.scene_files.schema import GrainKeys, SceneKeys, WallKeys
from clast.scene_files.schema_run import RunKeys
from clast.scene_files.space.build import SolidShelf
from clast.scene_files.space.reading import build_space
from clast.scene_files.space.room import crowded_space
from clast.scene_files.space.schema import SpaceSceneKeys
from clast.shapes import Shape
from clast.shapes.plane.make import clump, polygon, polyline

MOST_STEPS = 1e15  # beyond it t = n Δt loses its last digits, and nobody waits that long


@dataclass(frozen=True)
class SceneFile:
    """A scene file that was read and found good."""

    path: Path
    text: str  # of the file
    shape_texts: Mapping[str, str]  # of the shape files it names, by the names it gives them
    keys: SceneKeys
    scene: Scene | Scene3D
    remarks: tuple[str, ...]  # about shapes: warnings, and what became of meshes

    @property
    def run(self) -> RunKeys:
        """How it is to be run: until, dt, integrator, samples, frames, alpha, threads, device."""
        return self.keys.run

    @property
    def title(self) -> str:
        """Its title, or the file's name."""
        return self.keys.title or self.path.stem


def read_scene(path: Path | str, given: Mapping[str, Any] | None = None) -> SceneFile:
    """The scene in the file `path`.

    given   numbers of [run] that replace those of the file, as the command line gives them

    Raises InputError, SceneError or ShapeError for what is wrong in the file, StepError and OverlapError for a scene that
    could not be stepped.
    """
    file = Path(path)
    text = read_text(file)
    keys = parse(file, text, given or {})
    return built(file, text, keys)


def built(file: Path, text: str, keys: SceneKeys) -> SceneFile:
    """The scene made of the entries, checked to be fit for stepping; errors name the file."""
    origin: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scene, texts, remarks_of_shapes = scene_of(keys, file.parent, origin)
            check_start(scene, keys.run, origin)
    except ClastError as error:
        raise type(error)(f"{file}: {with_entries(str(error), origin)}") from None
    remarks = tuple(dict.fromkeys([*remarks_of_shapes, *(str(each.message) for each in caught)]))
    return SceneFile(file, text, texts, keys, scene, remarks)


def read_text(file: Path) -> str:
    """The text of a scene file, or InputError."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"there is no scene file {file}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"the scene file {file} cannot be read: {error.strerror or error}") from None


def parse(file: Path, text: str, given: Mapping[str, Any]) -> SceneKeys:
    """The tables of a file, each entry checked by itself; InputError names the first bad one."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{file} is not a scene: its tables are nested too deeply") from None
    if given and isinstance(tables.get("run", {}), dict):
        tables["run"] = {**tables.get("run", {}), **given}
    dimension = tables.get("dimension", 2)
    if isinstance(dimension, bool) or dimension not in (2, 3):
        raise InputError(f"{file}: dimension: {shown(dimension)} must be 2, the plane, or 3, space")
    model = SpaceSceneKeys if dimension == 3 else SceneKeys
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        path, what = complaint(error, tables, model)
        if len(path) == 2 and path[0] == "run" and path[1] in given:
            raise InputError(f"--{str(path[1]).replace('_', '-')}{what}") from None
        unsaid = "dimension" not in tables and looks_like_space(tables, error.error_count())
        hint = " (a scene in space begins with dimension = 3)" if unsaid else ""
        raise InputError(f"{file}: {written(path)}{what}{hint}") from None


def looks_like_space(tables: Mapping[str, Any], faults: int) -> bool:
    """Whether a file without `dimension`, with so many faults as a scene in the plane, has fewer as one in space."""
    try:
        SpaceSceneKeys.model_validate({**tables, "dimension": 3})
    except ValidationError as error:
        return error.error_count() < faults
    return True


# --- building --------------------------------------------------------------------------------------------------------


def scene_of(keys: SceneKeys, folder: Path, origin: list[str]) -> tuple[Scene | Scene3D, dict[str, str], list[str]]:
    """The scene, in the plane or in space, the texts of the files its shapes were read from, and remarks about these."""
    if isinstance(keys, SpaceSceneKeys):
        solids = SolidShelf(keys.shapes, folder)
        return build_space(keys, solids, origin), solids.texts, solids.remarks
    shelf = ShapeShelf(keys.shapes, folder)
    return build(keys, shelf, origin), shelf.texts, []


def build(keys: SceneKeys, shelf: ShapeShelf, origin: list[str]) -> Scene:
    """The scene; `origin` is filled with the entry each body comes from."""
    scene = Scene(**arguments(keys))
    add_all(scene, keys, shelf, origin, grain=add_grain, wall=add_wall, fill=add_fill)
    return scene


def add_grain(scene: Scene, keys: GrainKeys, shelf: ShapeShelf) -> None:
    """Add one of `grains`."""
    scene.add(**arguments(keys) | {"shape": shape_of(keys, shelf)})


def add_wall(scene: Scene, keys: WallKeys, shelf: ShapeShelf) -> None:
    """Add one of `walls`; SceneError unless it is drawn in one way."""
    if (keys.vertices is None) == (keys.shape is None):
        raise SceneError("give vertices with a radius, or a shape with a position")
    tags = tags_of_wall(keys)
    if keys.vertices is not None:
        if keys.position is not None or keys.angle_degrees != 0.0:
            raise SceneError("vertices stand where they are drawn: remove position and angle_degrees")
        if keys.radius is None:
            raise SceneError("radius is missing: vertices need a sphero-radius")
        shape = drawn(keys.vertices, keys.radius, keys.closed)
        scene.add_wall(shape, tags=tags, **arguments(keys))
        return
    if keys.position is None:
        raise SceneError("position is missing: say where the shape stands")
    if keys.radius is not None or keys.closed:
        raise SceneError("radius and closed belong to vertices: remove them, or the shape")
    scene.add(shape_of(keys, shelf), keys.position, angle=np.deg2rad(keys.angle_degrees), big=True, tags=tags, **arguments(keys))


def drawn(vertices: list[list[float]], radius: float, closed: bool) -> Shape:
    """A wall from its vertices."""
    if closed:
        return polygon(vertices, radius, name="wall")
    return polyline(vertices, radius, name="wall") if len(vertices) > 1 else clump(vertices, radius, name="wall")


# --- the start -------------------------------------------------------------------------------------------------------


def check_start(scene: Scene | Scene3D, run: RunKeys, origin: list[str]) -> None:
    """Whether the first step can be taken: all that an engine would refuse, without compiling one."""
    scene.refuse_tagged(scene.waiting)
    limits = limits_of(scene)
    if limits.moving == 0:
        raise SceneError("nothing in it can move: add grains, or a wall with fixed = false")
    mass, inertia = scene.masses()
    least, most = (inertia, inertia) if inertia.ndim == 1 else (inertia.min(axis=1), inertia.max(axis=1))
    in_range = [np.isfinite(each) & (each > 0.0) & np.isfinite(1.0 / np.where(each > 0.0, each, 1.0))
                for each in (mass, least, most)]  # fmt: skip
    for number in np.flatnonzero(~np.all(in_range, axis=0)):
        raise SceneError(
            f"body {number} has the mass {mass[number]:.3g} and the moment of inertia {least[number]:.3g}: take other units"
        )
    if run.dt is not None and run.dt > limits.unstable:
        raise StepError(
            f"run.dt: {run.dt:.3g} is too large: a single contact is unstable above {limits.unstable:.3g}; the safe step is "
            f"{limits.safe:.3g}"
        )
    dt = limits.safe if run.dt is None else run.dt
    if not run.until / dt <= MOST_STEPS:
        raise SceneError(f"run.until: {run.until:.3g} would take more than {MOST_STEPS:.0e} steps of {dt:.3g}")
    with at("run"):
        steps_until(run.until, dt)
    crowd = crowded(scene) if isinstance(scene, Scene) else crowded_space(scene)
    if crowd is not None:
        one, other = (f"{origin[number]} (body {number})" for number in (crowd.one, crowd.other))
        raise OverlapError(
            f"{one} and {other} overlap too deeply at the start: their skeletons are {crowd.distance:.3g} apart, less than a "
            f"tenth of the sum of their sphero-radii, {crowd.radii:.3g}; move them apart"
        )


def with_entries(message: str, origin: list[str]) -> str:
    """A message about bodies by number, completed with the entries they come from."""
    named = [int(number) for number in re.findall(r"\bbody (\d+)", message) if f"(body {number})" not in message]
    entries = [f"body {number} is {origin[number]}" for number in dict.fromkeys(named) if number < len(origin)]
    return f"{message} ({', '.join(entries)})" if entries else message
