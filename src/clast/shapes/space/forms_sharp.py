"""Sharp solids of a given form: grains with random corners (CSM10), and walls of convex pieces (floor with rim, hopper, drum).

A wall has the room inside it as its sizes: pieces stand around the room, `wall` thick. Where they adjoin, the inner face of each
goes on by `wall` behind the other, so that a grain in a corner, which may press into both a little, meets each of them as if it
had no end there.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.keys import Key, in_files, positive_length
from clast.shapes.plane.inside import Floats
from clast.shapes.space.forms import checked_bin
from clast.shapes.space.make import hull
from clast.shapes.space.pieces import pieces
from clast.shapes.space.solid import Solid
from clast.shapes.space.vectors import cross, length
from clast.shapes.vertices import checked_choice, checked_count, checked_length

# Both on the unit sphere, before it is stretched: of random corners about one draw in six is redrawn.
NEEDLE = 0.6  # over the number of corners: smallest height that a face may have
OFF = 0.3  # how far the centre of mass may lie from the middle
MOST_DRAWS = 1000


@in_files("ellipsoid-grain", "the hull of random points on an ellipsoid", listed=16)
def ellipsoid_grain(
    half_axes: Annotated[ArrayLike, Key("of the ellipsoid along x, y and z", "length", form="triple")] = (8e-3, 7e-3, 6e-3),
    corners: Annotated[int, Key("their number; 12 give 20 triangular faces", ge=4)] = 12,
    seed: Annotated[int | np.random.Generator, Key("seed of the random corners", ge=0, form="whole")] = 1,
    *,
    name: str = "ellipsoid grain",
) -> Solid:
    """A sharp grain with random corners on an ellipsoid, as CSM10 pour them; take as many of them as there are to be forms. It is
    the hull of the corners, about the origin (CSM10: 12, which give 20 triangular faces).

    half_axes (3,) along x, y and z; corners: their number; seed: of the random numbers, or where they are drawn from, for many
    grains. The corners are uniform on a sphere, which is then stretched. They are drawn anew where, on the unit sphere, a face
    has a height below 0.6/corners (a needle: two corners nearly in one place, or three in a line), or the centre of mass lies
    more than 0.3 off the middle (all corners on one side).
    """
    try:
        x, y, z = (checked_length(half, f"Each half axis of an {name}") for half in np.asarray(half_axes, float).tolist())
    except (TypeError, ValueError):
        raise ShapeError(f"The half axes of an {name} are three numbers, not {half_axes!r}.") from None
    count = checked_count(corners, 4, f"corners of an {name}")
    if isinstance(seed, bool) or not (
        isinstance(seed, np.random.Generator) or (isinstance(seed, int | np.integer) and seed >= 0)
    ):
        raise ShapeError(f"The seed of an {name} is a whole number from 0 on, or a numpy random generator, not {seed!r}.")
    rng = np.random.default_rng(seed)
    for _ in range(MOST_DRAWS):
        points = rng.normal(size=(count, 3))
        points /= length(points)[:, None]
        ball = hull(points)
        if len(ball.vertices) == count and _smallest_height(ball) >= NEEDLE / count and length(ball.centre) <= OFF:
            return hull(points * (x, y, z), name=name)
    raise ShapeError(f"Of {MOST_DRAWS} draws of {count} corners none gave a good {name}: take some more or less of them.")


def _smallest_height(solid: Solid) -> float:
    """Smallest height of the triangles that the faces are cut into."""
    corners = solid.vertices[solid.triangles]
    twice = length(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    sides = length(corners - np.roll(corners, 1, axis=1))
    return float((twice / sides.max(axis=1)).min())


@in_files("floor-with-rim", "a floor with its top at z = 0 and rims about it, five pieces", listed=17)
def floor_with_rim(
    sides: Annotated[ArrayLike, Key("width between the rims along x and along y", "length", form="pair")],
    height: Annotated[float, positive_length("of the rims")],
    wall: Annotated[float, positive_length("how thick floor and rims are")],
    *,
    name: str = "floor with rim",
) -> Solid:
    """A sharp floor with four rims, for grains to be poured on. The floor has its top at z = 0, the rims go up to z = height,
    about the z axis: five pieces.

    `sides` (2,) are the widths between the rims along x and y, `wall` how thick floor and rims are.
    """
    try:
        x, y = (checked_length(side, f"Each side of a {name}") for side in np.asarray(sides, float).tolist())
    except (TypeError, ValueError):
        raise ShapeError(f"The sides of a {name} are two numbers, not {sides!r}.") from None
    top, thick = checked_length(height, f"The height of a {name}"), checked_length(wall, f"The wall of a {name}")
    far_x, far_y = 0.5 * x + thick, 0.5 * y + thick
    return pieces(
        [
            _block((-far_x, -far_y, -thick), (far_x, far_y, 0.0)),
            _block((-far_x, -far_y, -thick), (-0.5 * x, far_y, top)),
            _block((0.5 * x, -far_y, -thick), (far_x, far_y, top)),
            _block((-far_x, -far_y, -thick), (far_x, -0.5 * y, top)),
            _block((-far_x, 0.5 * y, -thick), (far_x, far_y, top)),
        ],
        name=name,
    )


def _block(low: ArrayLike, high: ArrayLike) -> Solid:
    """The sharp box between two corners (3,)."""
    ends = np.array([low, high], dtype=np.float64)
    return hull([(ends[i, 0], ends[j, 1], ends[k, 2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])


@in_files("sharp-drum", "a drum of staves and two end plates about the y axis, its middle at the origin", listed=18)
def sharp_drum(
    inner_radius: Annotated[float, positive_length("distance of the staves from the axis")],
    length: Annotated[float, positive_length("of the room, along y")],
    sides: Annotated[int, Key("number of staves", ge=3)],
    wall: Annotated[float, positive_length("how thick staves and end plates are")],
    *,
    ends: Annotated[bool, Key("closed by two plates; false makes it a pipe")] = True,
    name: str = "sharp drum",
) -> Solid:
    """A sharp drum. About the y axis, its room from y = −length/2 to length/2, of `sides` staves and two end plates.

    `inner_radius` is the distance of the staves from the axis, `wall` how thick staves and ends are. Without `ends` it is a pipe.
    Turned about y it tumbles what is in it.
    """
    n = checked_count(sides, 3, f"sides of a {name}")
    inner, half = (
        checked_length(inner_radius, f"The inner radius of a {name}"),
        0.5 * checked_length(length, f"The length of a {name}"),
    )
    thick = checked_length(wall, f"The wall of a {name}")
    outer, slope = inner + thick, math.tan(math.pi / n)
    closed = checked_choice(ends, f"The argument ends of a {name}")
    beyond = half + thick if closed else half
    # the one that looks along +z, as in `drum`; the others are turned about y
    stave = [(sign * across, y, z) for across, z in ((inner * slope + thick, inner), (outer * slope, outer))
             for sign in (-1.0, 1.0) for y in (-beyond, beyond)]  # fmt: skip
    parts = [hull(_about_y(stave, 2.0 * math.pi * k / n)) for k in range(n)]
    if closed:
        around = math.pi / n + 2.0 * math.pi / n * np.arange(n)
        ring = outer / math.cos(math.pi / n) * np.stack([np.sin(around), np.cos(around)], axis=1)
        for levels in ((-beyond, -half), (half, beyond)):
            parts.append(hull([(x, y, z) for x, z in ring.tolist() for y in levels]))
    return pieces(parts, name=name)


def _about_y(points: ArrayLike, angle: float) -> Floats:
    """Points (k, 3) turned about the y axis."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points, dtype=np.float64) @ np.array([[cosine, 0.0, -sine], [0.0, 1.0, 0.0], [sine, 0.0, cosine]])


@in_files("sharp-hopper", "a funnel of thick plates about the z axis, its opening at z = 0", listed=19)
def sharp_hopper(
    opening: Annotated[float, positive_length("width of the opening, across flats")],
    top: Annotated[float, positive_length("width at the top, across flats; more than the opening")],
    height: Annotated[float, positive_length("of the funnel")],
    wall: Annotated[float, positive_length("how thick the plates are")],
    *,
    sides: Annotated[int, Key("number of plates: 4 a pyramid, many a cone", ge=3)] = 4,
    bin_height: Annotated[float, Key("of upright walls above the top", "length", ge=0.0)] = 0.0,
    name: str = "sharp hopper",
) -> Solid:
    """A sharp funnel. About the z axis, with its opening at z = 0 and its top at z = height, of `sides` plates.

    `opening` and `top` are the widths between the plates there, across flats, `wall` how thick the plates are, of which one looks
    along +x; with `bin_height` upright walls go on above the top. At the opening the plates end square to their inner face, so
    their outer side goes on below z = 0, by less than `wall`.
    """
    n = checked_count(sides, 3, f"sides of a {name}")
    low, wide = (0.5 * checked_length(width, f"The {word} of a {name}") for width, word in ((opening, "opening"), (top, "top")))
    up, thick = checked_length(height, f"The height of a {name}"), checked_length(wall, f"The wall of a {name}")
    bin_height = checked_bin(bin_height, name)
    if low >= wide:
        raise ShapeError(f"The top of a {name}, {2.0 * wide:.3g}, must be wider than its opening, {2.0 * low:.3g}.")
    steep = math.hypot(up, wide - low)
    rise, run = up / steep, (wide - low) / steep  # up the slope: one goes outwards by `run` and up by `rise`
    below = (low + rise * thick, -run * thick, 0.0)  # outer end at the opening
    # sections: (x, z) of corners, and how far a plate goes on there behind its neighbours to the left and right
    if bin_height == 0.0:
        sections = [[(low, 0.0, thick), (wide, up, thick), (wide + thick / rise, up, 0.0), below]]
    else:
        far = wide + thick  # where the outer faces of funnel and bin meet
        join = up - thick * (1.0 - rise) / run
        into = min(0.5 * thick, bin_height * run / rise)  # the funnel goes on into the bin's walls
        under = min(0.5 * thick / run, up)  # and these into the funnel
        sections = [
            [(low, 0.0, thick), (wide, up, thick), (wide + into, up + into * rise / run, thick - into), (far, join, 0.0),
             below],
            [(wide, up - under, 0.5 * thick), (wide, up, thick), (wide, up + bin_height, thick), (far, up + bin_height, 0.0),
             (far, join, 0.0)],
        ]  # fmt: skip
    parts = []
    for section in sections:
        across = [(x, z, x * math.tan(math.pi / n) + more) for x, z, more in section]
        plate = [(x, sign * y, z) for x, z, y in across for sign in (-1.0, 1.0)]
        parts += [hull(_about_z(plate, 2.0 * math.pi * k / n)) for k in range(n)]
    return pieces(parts, name=name)


def _about_z(points: ArrayLike, angle: float) -> Floats:
    """Points (k, 3) turned about the z axis."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points, dtype=np.float64) @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
