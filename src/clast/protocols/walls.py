"""The four walls of a biaxial test, named left, right, bottom and top, and the rectangle between their inner faces.

Walls are spherosegments long enough to cross at the corners at any time; big bodies do not meet each other.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clast.errors import SceneError
from clast.output.recording import DEEP
from clast.scene.plane import Scene
from clast.scene.tags import Dashpot, Pressure, Velocity
from clast.scene.timed import Ramp, Timed
from clast.shapes import segment

# wall → axis across which it stands, the direction outwards along it, and the walls that bound its loaded length
OPPOSITE = {
    "left": (0, -1.0, ("bottom", "top")),
    "right": (0, 1.0, ("bottom", "top")),
    "bottom": (1, -1.0, ("left", "right")),
    "top": (1, 1.0, ("left", "right")),
}
WALLS = tuple(OPPOSITE)
SIDES, ENDS = WALLS[:2], WALLS[2:]
OVERHANG = 1.0  # by which walls reach beyond the corners, of the larger side: room for strains of 1


class PressureWarning(UserWarning):
    """A pressure under which grains overlap deeply."""


@dataclass(frozen=True)
class Extent:
    """A rectangle: lower left corner and sides."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """Width × height."""
        return self.width * self.height


def add_walls(scene: Scene, extent: Extent, radius: float) -> None:
    """Add the four walls with their inner faces on the sides of `extent`, held against turning and sliding.

    What moves a wall across its face is given by `press` or `drive`.
    """
    x, y, w, h, r = extent.x, extent.y, extent.width, extent.height, radius
    over = OVERHANG * max(w, h)
    ends = {
        "left": ((x - r, y - over), (x - r, y + h + over)),
        "right": ((x + w + r, y - over), (x + w + r, y + h + over)),
        "bottom": ((x - over, y - r), (x + w + over, y - r)),
        "top": ((x - over, y + h + r), (x + w + over, y + h + r)),
    }
    for name, (a, b) in ends.items():
        held = Velocity(y=0.0, spin=0.0) if OPPOSITE[name][0] == 0 else Velocity(x=0.0, spin=0.0)
        scene.add_wall(segment(a, b, radius=r), name=name, tags=[held])


def known(walls: str | Iterable[str]) -> list[str]:
    """Names of walls, one or several; SceneError for one that a cell does not have."""
    names = [walls] if isinstance(walls, str) else list(walls)
    for name in names:
        if name not in OPPOSITE:
            raise SceneError(f'a cell has no wall "{name}"; it has {", ".join(WALLS)}')
    return names


def press(scene: Scene, walls: str | Iterable[str], pressure: Timed, *, dashpot: float | None = None) -> None:
    """Push walls inwards with a pressure [force/length] on their length between the others, constant or a function of time.

    dashpot   coefficient [force × time/length] in place of a free wall's own, see `clast.scene.tags.Dashpot`
    """
    for name in known(walls):
        axis, outward, between = OPPOSITE[name]
        scene.tag(name, Pressure(pressure, f"{'-' if outward > 0.0 else '+'}{'xy'[axis]}", between=between))
        if dashpot is not None:
            scene.tag(name, Dashpot(dashpot))


def drive(scene: Scene, walls: str | Iterable[str], speed: float, *, onset: float) -> None:
    """Move walls inwards at a speed [length/time] that rises from rest over the time `onset`.

    A wall that starts at once sends a wave of stress ρ c v through the sample, a fifth of the confining pressure in the
    papers' tests; so the onset should be several times the passage of a wave.
    """
    for name in known(walls):
        axis, outward, _ = OPPOSITE[name]
        inward = Ramp(0.0, -outward * speed, finish=onset, smooth=True)
        scene.tag(name, Velocity(x=inward) if axis == 0 else Velocity(y=inward))


def extent_of(scene: Scene, positions: np.ndarray) -> Extent | None:
    """The rectangle between the four walls when bodies are at `positions` (n, 2), by id; None where a wall is missing."""
    faces = {}
    for name, (axis, outward, _) in OPPOSITE.items():
        found = [k for k in scene.bodies.with_object("name", name).tolist() if scene.bodies[k].big]
        if len(found) != 1:
            return None
        shape = scene.bodies[found[0]].shape
        inner = shape.vertices[:, axis].max() + shape.radius if outward < 0.0 else shape.vertices[:, axis].min() - shape.radius
        faces[name] = float(positions[found[0], axis] + inner)
    return Extent(faces["left"], faces["bottom"], faces["right"] - faces["left"], faces["top"] - faces["bottom"])


def check_positive(what: str, value: float) -> None:
    """SceneError unless `value` is a positive number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not (math.isfinite(value) and value > 0.0):
        raise SceneError(f"{what} = {value!r} must be a positive number")


def check_shear(rate: float, onset: float) -> None:
    """SceneError unless a strain rate and its onset make sense: both positive, compression is."""
    check_positive("rate", rate)
    check_positive("onset", onset)


def check_pressure(pressure: float, stiffness: float, size: float, radius: float) -> float:
    """Expected overlap p ℓ/k_n of grains of width ℓ over the sphero-radius r: SceneError beyond 1, a warning above 0.2.

    pressure, stiffness   p and k_n [force/length]
    size, radius          ℓ and the smallest r [length]
    """
    check_positive("pressure", pressure)
    share = pressure * size / stiffness / radius
    numbers = f"pressure {pressure:.4g} presses grains of width {size:.4g} into each other by {pressure * size / stiffness:.3g}"
    if share > 1.0:
        raise SceneError(
            f"{numbers}, and their sphero-radius is {radius:.3g}: skeletons would meet; lower the pressure below "
            f"{radius * stiffness / size:.3g} or stiffen the springs above {pressure * size / radius:.3g}"
        )
    if share > DEEP:
        warnings.warn(
            f"{numbers}, {share:.0%} of their sphero-radius: that is another shape than you drew; below "
            f"{DEEP * radius * stiffness / size:.3g} it stays under {DEEP:.0%}",
            PressureWarning,
            stacklevel=4,
        )
    return share
