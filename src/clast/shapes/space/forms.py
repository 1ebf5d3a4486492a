"""Solids of a given form: prisms and non-convex grains (cross, mug), and walls made of plates (open box, hopper, drum).

All lengths are those of the skeleton: the ball of the sphero-radius comes on top, so a grain is larger by it on every side, and
the room between walls smaller.
"""

from __future__ import annotations

import itertools
import math
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.keys import Key, Radius, in_files, positive_length
from clast.shapes.plane.inside import Bools, Floats
from clast.shapes.plane.validity import (
    body_size,
    checked_points,
    refuse_flat,
    refuse_self_contact,
    refuse_short_edges,
    without_collinear,
)
from clast.shapes.space.make import mesh, shell
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import Loop
from clast.shapes.space.validity import checked_rounding
from clast.shapes.vertices import checked_choice, checked_count, checked_length, checked_number


@in_files("prism", "a polygon in x and y drawn out along z", listed=10)
def prism(
    outline: Annotated[ArrayLike, Key("[x, y] of each corner, convex or not, either way round", "length", form="outline")],
    height: Annotated[float, positive_length("along z, half of it on either side of z = 0")],
    radius: Annotated[float, Key("sphero-radius; 0: sharp, of a convex outline", "length", ge=0.0)],
    *,
    name: str = "prism",
) -> Solid:
    """An outline drawn out: L, T, nut, gear. A polygon `outline` (n, 2) in x and y, convex or not, either way round, drawn out to
    `height` along z, half of it on either side of z = 0, and swept by a ball; a convex one with radius 0 is sharp. All are
    lengths; ShapeError names a corner that is repeated, or where the outline crosses itself."""
    r = checked_rounding(radius)
    half = 0.5 * checked_length(height, f"The height of a {name}")
    given = checked_points(outline, 3, name)
    size = body_size(given, r)
    refuse_short_edges(given, size, name, closed=True)
    refuse_flat(given, size)
    number = without_collinear(given, size, closed=True)
    ring = given[number]
    refuse_self_contact(ring, number, size, name, closed=True)
    nxt = np.roll(ring, -1, axis=0)
    if float((ring[:, 0] * nxt[:, 1] - ring[:, 1] * nxt[:, 0]).sum()) < 0.0:
        ring = ring[::-1]
    n = len(ring)
    vertices = np.concatenate([np.column_stack([ring, np.full(n, z)]) for z in (-half, half)])
    ends = [tuple(range(n))[::-1], tuple(range(n, 2 * n))]
    around = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    return mesh(vertices, [*ends, *around], r, name=name)


@in_files("cross", "a cross in space", listed=11)
def cross(
    arms: Annotated[
        ArrayLike,
        Key("how far they stick out: one for all, [x, y, z], or six for −x, +x, −y, +y, −z, +z", "length", form="arms"),
    ],
    width: Annotated[float, positive_length("of the arms")],
    radius: Radius,
    *,
    name: str = "cross",
) -> Solid:
    """Six arms that stick out of a cube. They are square, of the given width, along ±x, ±y and ±z, swept by a ball.

    `arms`: how far each arm sticks out, one number for all, three for x, y and z, or six for −x, +x, −y, +y, −z, +z; 0 for none.
    """
    try:
        given = np.asarray(arms, dtype=np.float64)
        six = np.repeat(given, 2) if given.shape == (3,) else np.broadcast_to(given, (6,))
    except (TypeError, ValueError):
        raise ShapeError(f"The arms of a {name} are one, three or six lengths, not {arms!r}.") from None
    if not (np.isfinite(six).all() and (six >= 0.0).all()):
        raise ShapeError(f"The arms of a {name} are lengths, 0 for none, not {arms!r}.")
    half = 0.5 * checked_length(width, f"The width of the arms of a {name}")
    planes = []
    filled = np.zeros((3, 3, 3), dtype=np.bool_)
    filled[1, 1, 1] = True
    for axis in range(3):
        low, high = six[2 * axis], six[2 * axis + 1]
        planes.append(np.array([-half - (low or 1.0), -half, half, half + (high or 1.0)]))  # no cell is empty, filled or not
        where = [1, 1, 1]
        for at, arm in ((0, low), (2, high)):
            where[axis] = at
            filled[tuple(where)] = arm > 0.0
    return mesh(*_surface_of_cells(planes, filled), radius, name=name)


def _surface_of_cells(planes: list[Floats], filled: Bools) -> tuple[Floats, list[Loop]]:
    """Vertices and outward faces of the filled (i, j, k) ones of the cells between planes across x, y and z."""
    corner: dict[tuple[int, int, int], int] = {}
    faces: list[Loop] = []
    for cell in itertools.product(*(range(n) for n in filled.shape)):
        if not filled[cell]:
            continue
        for axis, up in itertools.product(range(3), (0, 1)):
            neighbour = list(cell)
            neighbour[axis] += 2 * up - 1
            if 0 <= neighbour[axis] < filled.shape[axis] and filled[tuple(neighbour)]:
                continue
            loop = []
            for j, k in ((0, 0), (1, 0), (1, 1), (0, 1)):  # counter-clockwise about +axis
                at = list(cell)
                at[axis] += up
                at[(axis + 1) % 3] += j
                at[(axis + 2) % 3] += k
                loop.append(corner.setdefault((at[0], at[1], at[2]), len(corner)))
            faces.append(tuple(loop) if up else tuple(reversed(loop)))
    vertices = np.array([[planes[axis][at[axis]] for axis in range(3)] for at in corner])
    return vertices, faces


@in_files("mug", "a mug that stands on z = 0, its handle towards +x", listed=12)
def mug(
    height: Annotated[float, positive_length("of the outside")],
    diameter: Annotated[float, positive_length("of the outside, across corners")],
    wall: Annotated[float, positive_length("how thick sides, floor and handle are")],
    radius: Radius,
    *,
    sides: Annotated[int, Key("round the mug", ge=4)] = 12,
    bends: Annotated[int, Key("along the handle", ge=2)] = 6,
    name: str = "mug",
) -> Solid:
    """A mug with a handle. The handle is on its +x side; it stands on z = 0 about the z axis, open at the top, swept by a ball.

    `height` and `diameter` are those of the outside, `wall` how thick sides, floor and handle are, all of the skeleton; `sides`
    go round the mug and `bends` along the handle. The diameter is taken across corners.
    """
    tall, across = checked_length(height, f"The height of a {name}"), checked_length(diameter, f"The diameter of a {name}")
    thick = checked_length(wall, f"The wall of a {name}")
    n = checked_count(sides, 4, f"sides of a {name}")
    m = checked_count(bends, 2, f"bends of the handle of a {name}")
    flat = 0.5 * across * math.cos(math.pi / n)  # distance of a side from the axis
    width = across * math.sin(math.pi / n)  # of a side
    bow = 0.3 * tall  # radius of the handle, in the middle of it
    if thick >= 0.5 * flat or thick >= 0.5 * tall or 0.5 * thick >= min(0.8 * bow, 0.45 * tall - bow):
        raise ShapeError(
            f"The wall of this {name}, {thick:.3g}, is too thick for its height {tall:.3g} or diameter {across:.3g}."
        )
    inner = 1.0 - thick / flat
    around = math.pi / n + 2.0 * math.pi / n * np.arange(n)  # side n − 1 looks along +x
    ring = 0.5 * across * np.stack([np.cos(around), np.sin(around)], axis=1)
    levels = ((ring, 0.0), (ring, tall), (inner * ring, tall), (inner * ring, thick))
    points = [np.column_stack([corners, np.full(n, z)]) for corners, z in levels]
    faces: list[Loop] = [tuple(reversed(range(n))), tuple(range(3 * n, 4 * n))]
    for k in range(n):
        j = (k + 1) % n
        for low in (0, n, 2 * n):
            if low or k < n - 1:  # the handle goes where the outer side n − 1 would be
                faces.append((low + k, low + j, low + n + j, low + n + k))
    grip, first = 0.5 * min(thick, 0.8 * width), 4 * n
    for k in range(m + 1):
        angle = math.pi * (k / m - 0.5)
        for out, y in ((1.0, -grip), (1.0, grip), (-1.0, grip), (-1.0, -grip)):
            reach = bow + 0.5 * out * thick
            points.append(np.array([[flat + reach * math.cos(angle), y, 0.5 * tall + reach * math.sin(angle)]]))
            if k == 0 or k == m:
                points[-1][0, 0] = flat  # exactly in the plane of the side
    for k in range(m):
        low, high = first + 4 * k, first + 4 * k + 4
        faces += [(low + i, low + (i + 1) % 4, high + (i + 1) % 4, high + i) for i in range(4)]
    a, b, c, d = n - 1, 0, n, 2 * n - 1  # corners of the side the handle stands on, seen from outside: below, then above
    e, f = first, first + 4 * m  # lower and upper foot: vertices 0 and 1 at its outer end, 2 and 3 at its inner
    faces += [
        (a, b, e + 1, e), (e + 3, e + 2, f + 2, f + 3), (f, f + 1, c, d),
        (b, c, f + 1, f + 2, e + 2, e + 1), (d, a, e, e + 3, f + 3, f),
    ]  # fmt: skip
    return mesh(np.concatenate(points), faces, radius, name=name)


@in_files("open-box", "a box without a lid about the z axis, its floor at z = 0", listed=13)
def open_box(
    sides: Annotated[ArrayLike, Key("width along x, along y, and height", "length", form="triple")],
    radius: Radius,
    *,
    name: str = "open box",
) -> Solid:
    """A floor and four walls, for grains to fall into. The floor is at z = 0, the walls go up to z = sides[2], about the z axis:
    plates swept by a ball.

    `sides` (3,): width along x, along y, and height, lengths; ShapeError unless they are positive.
    """
    try:
        x, y, z = (checked_length(side, f"Each side of an {name}") for side in np.asarray(sides, dtype=np.float64).tolist())
    except (TypeError, ValueError):
        raise ShapeError(f"The sides of an {name} are three numbers, not {sides!r}.") from None
    ring = 0.5 * np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    vertices = np.concatenate([np.column_stack([ring, np.full(4, level)]) for level in (0.0, z)])
    walls = [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    return shell(vertices, [(3, 2, 1, 0), *walls], radius, name=name)


def checked_bin(height: float, name: str) -> float:
    """The height of upright walls above a hopper, 0 for none; or ShapeError."""
    tall = checked_number(height, f"The bin of a {name}")
    if not (math.isfinite(tall) and tall >= 0.0):
        raise ShapeError(f"The bin of a {name} is a height, 0 for none, not {tall!r}.")
    return tall


@in_files("hopper", "a funnel of plates about the z axis, its opening at z = 0", listed=14)
def hopper(
    opening: Annotated[float, positive_length("width of the opening, across flats")],
    top: Annotated[float, positive_length("width at the top, across flats")],
    height: Annotated[float, positive_length("of the funnel")],
    radius: Radius,
    *,
    sides: Annotated[int, Key("number of plates: 4 a pyramid, many a cone", ge=3)] = 4,
    bin_height: Annotated[float, Key("of upright walls above the top", "length", ge=0.0)] = 0.0,
    name: str = "hopper",
) -> Solid:
    """A funnel. Plates about the z axis, with the opening at z = 0 and the top at z = height: a wall for a scene.

    `opening` and `top` are the widths across flats there, `sides` the number of plates (4: a pyramid, many: a cone), of which one
    looks along +x; with `bin_height` upright walls go on above the top.
    """
    n = checked_count(sides, 3, f"sides of a {name}")
    low, wide = checked_length(opening, f"The opening of a {name}"), checked_length(top, f"The top of a {name}")
    levels = [(low, 0.0), (wide, checked_length(height, f"The height of a {name}"))]
    if (tall := checked_bin(bin_height, name)) > 0.0:
        levels.append((wide, levels[1][1] + tall))
    around = math.pi / n + 2.0 * math.pi / n * np.arange(n)
    ring = 0.5 / math.cos(math.pi / n) * np.stack([np.cos(around), np.sin(around)], axis=1)
    vertices = np.concatenate([np.column_stack([width * ring, np.full(n, z)]) for width, z in levels])
    faces = [
        (n * level + k, n * level + (k + 1) % n, n * (level + 1) + (k + 1) % n, n * (level + 1) + k)
        for level in range(len(levels) - 1)
        for k in range(n)
    ]
    return shell(vertices, faces, radius, name=name)


@in_files("drum", "a drum about the y axis, its middle at the origin", listed=15)
def drum(
    inner_radius: Annotated[float, positive_length("distance of the plates from the axis")],
    length: Annotated[float, positive_length("along y")],
    radius: Radius,
    *,
    sides: Annotated[int, Key("number of plates", ge=3)] = 24,
    ends: Annotated[bool, Key("closed by two plates; false makes it a pipe")] = True,
    name: str = "drum",
) -> Solid:
    """A hollow drum. About the y axis, from y = −length/2 to length/2, of `sides` plates and two ends: a wall for a scene.

    `inner_radius` is the distance of the plates from the axis, `radius` the sphero-radius as everywhere. Without `ends` it is a
    pipe. Turned about y it tumbles what is in it.
    """
    n = checked_count(sides, 3, f"sides of a {name}")
    far = checked_length(inner_radius, f"The inner radius of a {name}") / math.cos(math.pi / n)
    half = 0.5 * checked_length(length, f"The length of a {name}")
    around = math.pi / n + 2.0 * math.pi / n * np.arange(n)
    z, x = far * np.cos(around), far * np.sin(around)  # about +y z goes to x
    vertices = np.concatenate([np.column_stack([x, np.full(n, y), z]) for y in (-half, half)])
    faces: list[Loop] = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    if checked_choice(ends, f"The argument ends of a {name}"):
        faces += [tuple(reversed(range(n))), tuple(range(n, 2 * n))]
    return shell(vertices, faces, radius, name=name)
