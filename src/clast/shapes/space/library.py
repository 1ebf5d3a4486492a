"""Ready-made solids, by the names the command line knows them by.

Grains are drawn in units of their sphero-radius, or of their width, and then scaled to a volume of 1; walls are one unit wide.
"""

from __future__ import annotations

from collections.abc import Callable

from clast.errors import ShapeError
from clast.shapes.space.forms import cross, drum, hopper, mug, open_box, prism
from clast.shapes.space.make import capsule, cuboid, hull, plate, sphere, tetrahedron
from clast.shapes.space.solid import Solid

CAPSULE_LENGTH = 2.0  # segment, in sphero-radii
EDGE = 8.0  # of tetrahedron, cube, plate and octahedron, in sphero-radii
L_OUTLINE = ((0.0, 0.0), (10.0, 0.0), (10.0, 5.0), (5.0, 5.0), (5.0, 10.0), (0.0, 10.0))  # in sphero-radii
WALL = 0.02  # sphero-radius of walls, in their width


def _plate() -> Solid:
    return plate([(0.0, 0.0, 0.0), (EDGE, 0.0, 0.0), (0.5 * EDGE, 0.75**0.5 * EDGE, 0.0)], 1.0, name="triangle plate")


def _octahedron() -> Solid:
    half = 0.5**0.5 * EDGE
    return hull([(s * half * (k == 0), s * half * (k == 1), s * half * (k == 2)) for k in range(3) for s in (-1.0, 1.0)], 1.0,
                name="octahedron")  # fmt: skip


_GRAINS: dict[str, Callable[[], Solid]] = {
    "sphere": lambda: sphere(1.0),
    "capsule": lambda: capsule(CAPSULE_LENGTH, 1.0),
    "triangle-plate": _plate,
    "tetrahedron": lambda: tetrahedron(EDGE, 1.0),
    "cube": lambda: cuboid(EDGE, 1.0, name="cube"),
    "octahedron": _octahedron,
    "brick": lambda: cuboid((2.0 * EDGE, EDGE, 0.5 * EDGE), 1.0, name="brick"),
    "l-block": lambda: prism(L_OUTLINE, 5.0, 1.0, name="l-block"),
    "cross": lambda: cross(5.0, 5.0, 1.0),
    "mug": lambda: mug(25.0, 22.0, 2.5, 1.0),
}
_WALLS: dict[str, Callable[[], Solid]] = {
    "open-box": lambda: open_box((1.0, 1.0, 1.0), WALL),
    "hopper-walls": lambda: hopper(0.2, 1.0, 0.8, WALL, bin_height=0.5),
    "drum": lambda: drum(0.5, 0.5, WALL),
}


def library_solids() -> dict[str, Callable[[], Solid]]:
    """Every ready-made solid by its name; call the value to make it. Grains have the volume 1, walls a width of 1."""

    def of_volume_one(make: Callable[[], Solid]) -> Callable[[], Solid]:
        return lambda: make().with_volume(1.0)

    return {name: of_volume_one(make) for name, make in _GRAINS.items()} | _WALLS


def library_solid(name: str) -> Solid:
    """The ready-made solid called `name`, or ShapeError with the names there are."""
    solids = library_solids()
    if name not in solids:
        raise ShapeError(f'There is no ready-made solid "{name}": choose among {", ".join(solids)}.')
    return solids[name]()
