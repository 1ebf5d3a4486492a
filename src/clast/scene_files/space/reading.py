"""From the tables of a scene file with `dimension = 3` to a `Scene3D`; see `clast.scene_files.reading`."""

from __future__ import annotations

from clast.algebra.quaternions import product
from clast.errors import SceneError
from clast.scene.space import Scene3D
from clast.scene_files.declared import arguments
from clast.scene_files.rules import add_all, shape_of, tags_of_wall
from clast.scene_files.space.build import SolidShelf, build_turn
from clast.scene_files.space.fill import add_space_fill
from clast.scene_files.space.schema import SpaceGrainKeys, SpaceSceneKeys, SpaceWallKeys
from clast.shapes.space.make import plate


def build_space(keys: SpaceSceneKeys, shelf: SolidShelf, origin: list[str]) -> Scene3D:
    """The scene; `origin` is filled with the entry each body comes from."""
    scene = Scene3D(**arguments(keys))
    add_all(scene, keys, shelf, origin, grain=add_grain, wall=add_space_wall, fill=add_space_fill)
    return scene


def add_grain(scene: Scene3D, keys: SpaceGrainKeys, shelf: SolidShelf) -> None:
    """Add one of `grains`: its centre of mass at a place, turned from how it was drawn."""
    solid = shape_of(keys, shelf)
    turned = product(build_turn(keys), solid.orientation)
    scene.add(**arguments(keys) | {"solid": solid, "orientation": turned})


def add_space_wall(scene: Scene3D, keys: SpaceWallKeys, shelf: SolidShelf) -> None:
    """Add one of `walls`; SceneError unless it is drawn in one way."""
    if (keys.corners is None) == (keys.shape is None):
        raise SceneError("give corners with a radius, or a shape")
    tags, turn = tags_of_wall(keys), build_turn(keys)
    if keys.corners is not None:
        if keys.position is not None or keys.orientation is not None or keys.axis is not None:
            raise SceneError("corners stand where they are drawn: remove position, orientation, axis and angle_degrees")
        if scene.sharp:
            raise SceneError(
                "corners make a rounded plate, and the law acts between sharp solids: give a sharp shape, such as a flat cuboid"
            )
        if keys.radius is None:
            raise SceneError("radius is missing: corners need a sphero-radius")
        solid = plate(keys.corners, keys.radius, name="wall")
    else:
        if keys.radius is not None:
            raise SceneError("radius belongs to corners: remove it, or the shape")
        solid = shape_of(keys, shelf)
    scene.add_drawn(
        solid, keys.position or (0.0, 0.0, 0.0), turn=turn, big=True, tags=tags, **arguments(keys)
    )  # fmt: skip
