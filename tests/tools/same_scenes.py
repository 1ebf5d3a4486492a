"""Scene files read, and two scenes compared by what the engine makes of them."""

from pathlib import Path
from typing import Any

import numpy as np

from clast.dynamics.plane.layout import lay_out as lay_out_plane
from clast.dynamics.space.layout import lay_out as lay_out_space
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene_files.reading import read_scene

ATTRIBUTES = ("onset", "remove_below", "drag", "gravity", "box", "sources", "sinks")


def read(text: str, **given: Any):
    """The scene file with this text."""
    Path("scene.toml").write_text(text)
    return read_scene("scene.toml", given)


def same(one: Scene | Scene3D, other: Scene | Scene3D) -> None:
    """Fails unless two scenes are laid out as the same arrays and carry the same tags."""
    plane = isinstance(one, Scene)
    a, b = (lay_out_plane(each) if plane else lay_out_space(each) for each in (one, other))
    for part in ("geometry", "model", "state", "roles", "tags"):
        for name, x, y in zip(getattr(a, part)._fields, getattr(a, part), getattr(b, part), strict=True):
            assert np.array_equal(x, y), f"{part}.{name}"
    assert a.columns == b.columns
    for mine, his in zip(one.bodies, other.bodies, strict=True):
        assert (mine.name, mine.material, mine.big, mine.tags, mine.weighed) == (
            his.name, his.material, his.big, his.tags, his.weighed,
        )  # fmt: skip
    for name in (*ATTRIBUTES, *(["counting"] if plane else [])):
        assert getattr(one, name) == getattr(other, name), name
