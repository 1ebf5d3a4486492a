"""Sources and sinks of a scene file, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene_files.complaint import at
from clast.scene_files.declared import arguments
from clast.scene_files.schema_flow import ShareKeys, SinkKeys, SourceKeys, SpaceSinkKeys, SpaceSourceKeys
from clast.scene_files.space.build import build_turn
from clast.scene_files.space.schema_solids import TurnKeys


def mixture_of(given: Sequence[ShareKeys], shelf: Any) -> tuple[list[Any], list[float]]:
    """The shapes of a mixture with their shares; all grains of a photograph share that of its name."""
    kinds: list[Any] = []
    shares: list[float] = []
    for k, each in enumerate(given):
        with at(f"shapes[{k}].shape"):
            family = shelf.family(each.shape)
        kinds += family
        shares += [each.share / len(family)] * len(family)
    return kinds, shares


def add_source(scene: Scene | Scene3D, keys: SourceKeys | SpaceSourceKeys, shelf: Any) -> int:
    """Add one of `sources`; returns the number of its grains."""
    kinds, shares = mixture_of(keys.shapes, shelf)
    given = arguments(keys)
    if isinstance(keys, SpaceSourceKeys) and keys.model_fields_set & set(TurnKeys.model_fields):
        given["turn"] = build_turn(keys)
    return len(scene.source(kinds, shares=shares, **given))


def add_sink(scene: Scene | Scene3D, keys: SinkKeys | SpaceSinkKeys) -> None:
    """Add one of `sinks`."""
    scene.sink(**arguments(keys))
