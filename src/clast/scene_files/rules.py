"""What a scene file gives in the same way in the plane and in space: the order of its bodies, laws between materials, tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clast.errors import SceneError
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed
from clast.scene_files.build import build_tag
from clast.scene_files.complaint import at
from clast.scene_files.declared import made_from
from clast.scene_files.flow import add_sink, add_source
from clast.scene_files.schema import FixedTag, PressureTag, SceneKeys, WallKeys
from clast.scene_files.space.schema import SpacePressureTag, SpaceWallKeys

Add = Callable[[Any, Any, Any], None]
"""Adds one entry to a scene: (scene, keys of the entry, shelf of shapes)."""


def add_all(scene: Scene | Scene3D, keys: SceneKeys, shelf: Any, origin: list[str], *, grain: Add, wall: Add, fill: Add) -> None:
    """Add grains, walls and fills, each by its function, sources and sinks, then laws and tags.

    origin   is filled with the entry of each body
    """
    for k, each in enumerate(keys.grains):
        with at(f"grains[{k}]"):
            grain(scene, each, shelf)
        origin.append(f"grains[{k}]")
    for k, one in enumerate(keys.walls):
        with at(f"walls[{k}]"):
            wall(scene, one, shelf)
        origin.append(f"walls[{k}]")
    for k, many in enumerate(keys.fill):
        with at(f"fill[{k}]"):
            fill(scene, many, shelf)
        origin += [f"grain {n} of fill[{k}]" for n in range(many.count)]
    for k, come in enumerate(keys.sources):
        with at(f"sources[{k}]"):
            count = add_source(scene, come, shelf)
        origin += [f"grain {n} of sources[{k}]" for n in range(count)]
    for k, go in enumerate(keys.sinks):
        with at(f"sinks[{k}]"):
            add_sink(scene, go)
    add_pair_laws(scene, keys)
    add_tags(scene, keys, origin)


def shape_of(keys: Any, shelf: Any) -> Any:
    """The shape that a grain or a wall names."""
    with at("shape"):
        return shelf[keys.shape]


def tags_of_wall(keys: WallKeys | SpaceWallKeys) -> tuple[Fixed, ...]:
    """`Fixed` where a wall is; SceneError for a mass that it has no use for."""
    if keys.fixed and keys.mass is not None:
        raise SceneError("a fixed wall has no use for a mass: remove it, or write fixed = false")
    return (Fixed(),) if keys.fixed else ()


def add_pair_laws(scene: Scene | Scene3D, keys: SceneKeys) -> None:
    """Set the laws between two materials; SceneError for a material nobody is made of, or a law given twice."""
    used = sorted(scene.bodies.distinct("material")[0])
    for k, pair in enumerate(keys.pair_law):
        one, other = pair.between
        with at(f"pair_law[{k}].between"):
            for name in pair.between:
                if name not in used:
                    raise SceneError(f'no body is made of "{name}" (there are: {", ".join(used) or "no bodies"})')
            if tuple(sorted((one, other))) in scene.pair_laws:
                raise SceneError(f'a law between "{one}" and "{other}" was given before: remove one of them')
        with at(f"pair_law[{k}].law"):
            scene.set_law(one, other, made_from(pair.law))


def add_tags(scene: Scene | Scene3D, keys: SceneKeys, origin: list[str]) -> None:
    """Put the tags on their bodies; SceneError where a body is fixed as well, and the tag would do nothing."""
    bodies: list[list[int]] = []
    for k, each in enumerate(keys.tags):
        if scene.is_cell(each.on):
            with at(f"tags[{k}]"):
                scene.tag("cell", build_tag(each))
            bodies.append([])
            continue
        with at(f"tags[{k}].on"):
            bodies.append(scene.ids(each.on))
        if isinstance(each, PressureTag | SpacePressureTag) and each.between is not None:
            with at(f"tags[{k}].between"):
                for walls in each.between:
                    scene.ids(walls)
        refuse_fixed(scene, bodies[k], k, each, origin)
        with at(f"tags[{k}]"):
            tag = build_tag(each)
            for number in bodies[k]:
                scene.tag(number, tag)
    for k, each in enumerate(keys.tags):  # a later tag may have fixed a body
        refuse_fixed(scene, bodies[k], k, each, origin)


def refuse_fixed(scene: Scene | Scene3D, bodies: list[int], k: int, each: Any, origin: list[str]) -> None:
    """SceneError where tag k of a file, `each`, would do nothing on one of its bodies, which is fixed."""
    for number in bodies:
        if not isinstance(each, FixedTag) and any(isinstance(tag, Fixed) for tag in scene.bodies[number].tags):
            cure = "write fixed = false there" if origin[number].startswith("walls") else "remove one of its tags"
            raise SceneError(f"tags[{k}]: {origin[number]} is fixed, so this {each.kind} would do nothing: {cure}")
