"""Every key of a scene file reaches what takes its table, under the name and in the form it declares."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from pydantic import ValidationError
from scene_texts import MINIMAL
from scene_texts_3d import MINIMAL_3D

from clast.output.recording import run
from clast.packing.plane.voronoi import voronoi_packing
from clast.packing.space.voronoi import voronoi_packing3d
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene_files import schema, schema_flow
from clast.scene_files.declared import MAKERS, handed_on
from clast.scene_files.reading import scene_of
from clast.scene_files.schema_run import RunKeys
from clast.scene_files.space import schema as schema_space
from clast.scene_files.tables import SAME, Keys, way_of

TAKERS: list[tuple[type[Keys], str, Callable[..., Any]]] = [
    (schema.SceneKeys, "", Scene),
    (schema.GrainKeys, "", Scene.add),
    (schema.WallKeys, "", Scene.add),
    (schema.WallKeys, "", Scene.add_wall),
    (schema.FillKeys, "", Scene.add_many),
    (schema.VoronoiFillKeys, "", Scene.add_packing),
    (schema.VoronoiFillKeys, "packing", voronoi_packing),
    (schema_space.SpaceSceneKeys, "", Scene3D),
    (schema_space.SpaceGrainKeys, "", Scene3D.add),
    (schema_space.SpaceWallKeys, "", Scene3D.add_drawn),
    (schema_space.LatticeFillKeys, "", Scene3D.add_many),
    (schema_space.RandomFillKeys, "", Scene3D.add_many),
    (schema_space.SpaceVoronoiFillKeys, "", Scene3D.add_packing),
    (schema_space.SpaceVoronoiFillKeys, "packing", voronoi_packing3d),
    (schema_flow.SourceKeys, "", Scene.source),
    (schema_flow.SinkKeys, "", Scene.sink),
    (schema_flow.SpaceSourceKeys, "", Scene3D.source),
    (schema_flow.SpaceSinkKeys, "", Scene3D.sink),
    (RunKeys, "", run),
    *((table, "", maker) for table, maker in MAKERS.items() if ".schema" in table.__module__),  # those that are written down
]


def parameters(taker: Callable[..., Any]) -> set[str]:
    """Names of the arguments of a function or a class, with those that its parent takes."""
    classes = taker.__mro__ if isinstance(taker, type) else ()
    inherited = {name for each in classes for name in inspect.signature(each.__init__).parameters}
    return inherited | set(inspect.signature(taker).parameters)


def arguments_of(table: type[Keys], taker: str = "") -> dict[str, str]:
    """The names of the arguments that the keys of a table are."""
    return {name: name if way.to == SAME else str(way.to) for name, way in handed_on(table, taker).items()}


@pytest.mark.parametrize("table, taker, function", TAKERS)
def test_every_key_is_an_argument_of_what_takes_it(table, taker, function):
    unknown = set(arguments_of(table, taker).values()) - parameters(function)
    assert not unknown, (
        f"{sorted(unknown)} of {table.__name__}: no argument of {function.__qualname__}. Add it there (one of all scenes: "
        "to Settings and Problem in scene/problem.py), or declare another way, see key() in scene_files/tables.py"
    )


@pytest.mark.parametrize("table", dict.fromkeys(table for table, _, _ in TAKERS))
def test_every_key_is_taken_by_somebody(table):
    known = {taker for each, taker, _ in TAKERS if each is table}
    unknown = {name: way_of(field).taker for name, field in table.model_fields.items() if way_of(field).taker not in known}
    assert not unknown, f"nobody is known that takes these keys of {table.__name__}: {unknown}; add it to TAKERS above"


WHOLE = [
    pytest.param(table, text, name, argument, id=f"{table.__name__}-{name}")
    for table, text in ((schema.SceneKeys, MINIMAL), (schema_space.SpaceSceneKeys, MINIMAL_3D))
    for name, argument in arguments_of(table).items()
]


def another_value(table: type[Keys], tables: dict[str, Any], name: str) -> Any:
    """A value that a key may have and does not have by default; None for tables."""
    field = table.model_fields[name]
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    for value in (*choices, True, False, 0.25, 3, [0.25, -0.5], [0.25, -0.5, 0.75], "word"):
        try:
            keys = table.model_validate({**tables, name: value})
        except ValidationError:
            continue
        if getattr(keys, name) != field.default:
            return value
    return None


@pytest.mark.parametrize("table, text, name, argument", WHOLE)
def test_a_key_of_the_whole_file_arrives_in_the_scene(table, text, name, argument):
    tables = tomllib.loads(text)
    value = another_value(table, tables, name)
    if name in ("law", "box"):
        assert value is None
        return
    assert value is not None, "no value to try: add one above"
    scene, _, _ = scene_of(table.model_validate({**tables, name: value}), Path(), [])
    assert hasattr(scene, argument), f"{type(scene).__name__} does not keep {argument} under its name"
    arrived = getattr(scene, argument)
    assert np.array_equal(arrived, value), f"{name} = {value} in the file is {argument} = {arrived} in the scene"
