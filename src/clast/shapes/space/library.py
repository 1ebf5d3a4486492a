"""Ready-made solids, by the names the command line knows them by.

Grains are drawn in units of their sphero-radius, or of their width, and then scaled to a volume of 1; walls are one unit wide.
Those called sharp, the grain on an ellipsoid and the floor with a rim are not rounded.
"""

from __future__ import annotations

from collections.abc import Callable

from clast.errors import ShapeError
from clast.shapes.space.forms import cross, drum, hopper, mug, open_box, prism
from clast.shapes.space.forms_sharp import ellipsoid_grain, floor_with_rim, sharp_drum, sharp_hopper
from clast.shapes.space.make import capsule, cuboid, hull, plate, sphere, tetrahedron
from clast.shapes.space.solid import Solid

CAPSULE_LENGTH = 2.0  # segment, in sphero-radii
EDGE = 8.0  # of tetrahedron, cube, plate and octahedron, in sphero-radii
L_OUTLINE = ((0.0, 0.0), (10.0, 0.0), (10.0, 5.0), (5.0, 5.0), (5.0, 10.0), (0.0, 10.0))  # in sphero-radii
WALL = 0.02  # sphero-radius of walls, in their width
THICK = 0.1  # of sharp walls, in the width of the room


def _plate() -> Solid:
    return plate([(0.0, 0.0, 0.0), (EDGE, 0.0, 0.0), (0.5 * EDGE, 0.75**0.5 * EDGE, 0.0)], 1.0, name="triangle plate")


def _octahedron(radius: float, name: str) -> Solid:
    half = 0.5**0.5 * EDGE
    return hull([(s * half * (k == 0), s * half * (k == 1), s * half * (k == 2)) for k in range(3) for s in (-1.0, 1.0)], radius,
                name=name)  # fmt: skip


_GRAINS: dict[str, Callable[[], Solid]] = {
    "sphere": lambda: sphere(1.0),
    "capsule": lambda: capsule(CAPSULE_LENGTH, 1.0),
    "triangle-plate": _plate,
    "tetrahedron": lambda: tetrahedron(EDGE, 1.0),
    "cube": lambda: cuboid(EDGE, 1.0, name="cube"),
    "octahedron": lambda: _octahedron(1.0, "octahedron"),
    "brick": lambda: cuboid((2.0 * EDGE, EDGE, 0.5 * EDGE), 1.0, name="brick"),
    "l-block": lambda: prism(L_OUTLINE, 5.0, 1.0, name="l-block"),
    "cross": lambda: cross(5.0, 5.0, 1.0),
    "mug": lambda: mug(25.0, 22.0, 2.5, 1.0),
    "sharp-tetrahedron": lambda: tetrahedron(EDGE, 0.0, name="sharp tetrahedron"),
    "sharp-cube": lambda: cuboid(EDGE, 0.0, name="sharp cube"),
    "sharp-octahedron": lambda: _octahedron(0.0, "sharp octahedron"),
    "sharp-brick": lambda: cuboid((2.0 * EDGE, EDGE, 0.5 * EDGE), 0.0, name="sharp brick"),
    "ellipsoid-grain": lambda: ellipsoid_grain(),
}
_WALLS: dict[str, Callable[[], Solid]] = {
    "open-box": lambda: open_box((1.0, 1.0, 1.0), WALL),
    "hopper-walls": lambda: hopper(0.2, 1.0, 0.8, WALL, bin_height=0.5),
    "drum": lambda: drum(0.5, 0.5, WALL),
    "floor-with-rim": lambda: floor_with_rim((1.0, 1.0), 0.2, THICK),
    "sharp-hopper": lambda: sharp_hopper(0.2, 1.0, 0.8, THICK, bin_height=0.5),
    "sharp-drum": lambda: sharp_drum(0.5, 0.5, 24, THICK),
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
