"""How large a time step a scene allows, known before anything is compiled."""

from typing import NamedTuple

from clast.dynamics.engine import family_of
from clast.scene.scene import Scene
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
    safe, unstable = (rule(layout.model, layout.tags, layout.moving) for rule in (family.safe_step, family.unstable_step))
    return Limits(safe, unstable, layout.moving)
