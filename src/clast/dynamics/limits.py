"""How large a time step a scene allows, known before anything is compiled."""

from typing import NamedTuple

from clast.dynamics.family import family_of
from clast.dynamics.timestep import safe_step, unstable_step
from clast.scene.plane import Scene
from clast.scene.space import Scene3D


class Limits(NamedTuple):
    """Time steps of a scene."""

    safe: float  # what an engine takes by itself
    unstable: float  # above it a single contact diverges
    moving: int  # how many bodies can move, a periodic cell included


def limits_of(scene: Scene | Scene3D) -> Limits:
    """The limits of a scene as it stands."""
    family = family_of(scene)
    layout = family.lay_out(scene)
    known = layout.model, layout.tags, layout.moving
    return Limits(safe_step(*known, family.TOGETHER), unstable_step(*known), layout.moving)
