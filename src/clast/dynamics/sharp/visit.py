"""Visit the overlap of a pair of sharp pieces, and fill its contact record (CSM10; model §4).

One overlap is one contact with one spring. A law without potential pushes at the centroid; a conserving one presses on the
surfaces, whose force is that along the same normal and whose moment is ∫ x × dA: the difference is a couple. Friction then acts
where the resultant of the pressure does.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import along, between, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.backend.bare import bare
from clast.backend.device import device, unsigned
from clast.contact.sharp.overlap import LINKS, POINTS, TOLERANCE, clip, surface_integrals
from clast.dynamics.sharp.columns import AREA, CONSTANT, LENGTH
from clast.dynamics.space.columns import (
    BODY_I,
    BODY_J,
    CANDIDATE,
    FIRST,
    LAW,
    MARK,
    MASS,
    NONE,
    PAIR,
    SECOND,
    THIRD,
)  # fmt: skip
from clast.dynamics.space.images import Images, images_of
from clast.dynamics.space.tangents import carried, in_plane, tangents
from clast.dynamics.space.visit import Body, image_at_rest, image_of_cell, read_body, read_expecting, read_predicted
from clast.laws.overlap import Overlap

DEEP = 0.25  # of the smaller piece's volume: overlaps larger than this end the run, the law is meant for small ones


class Pieces(NamedTuple):
    """What passes see of `clast.contact.sharp.polyhedra.Polyhedra`."""

    vertex: Any
    edge: Any
    plane: Any
    piece_vertex: Any
    piece_plane: Any
    piece_size: Any
    piece_volume: Any
    room: Any


@device
def look_at(g):
    """What passes see of the shapes."""
    return Pieces(
        bare(g.vertex), bare(g.edge), bare(g.plane), bare(g.piece_vertex), bare(g.piece_plane), bare(g.piece_size),
        bare(g.piece_volume), bare(g.room),
    )  # fmt: skip


class Pair(NamedTuple):
    """Two near pieces."""

    p: int
    i: int
    j: int
    first: int  # candidate that names the pieces and has the spring; planes begin after it,
    second: int
    third: int  # edges here,
    last: int  # and end here
    bigness: int  # 1 where only i does not give way, 2 where only j does not
    shift: Any  # from j to its image that i meets
    mass: float  # reduced
    row: int  # where the parameters of its law begin
    size: float  # L of the pair
    section: float  # A₀


class Side(NamedTuple):
    """The two bodies."""

    a: Body
    b: Body
    branch: Any  # from i to j, or the image of it that is met


class Met(NamedTuple):
    """The overlap of a pair; vectors in the world."""

    k: int
    volume: float
    arm: Any  # from i's centre to the centroid
    area: Any  # vector area A of the faces on planes of j
    turning: Any  # ∫ x × dA about i's centre
    touching: bool
    deep: bool  # more than the law is meant for
    edges: int  # of the overlap, in the scratch of the thread,
    begin: int  # where its points begin there,
    faces: int  # and how many faces are those of i: the loop lies between these and the others


class Touch(NamedTuple):
    """The contact record. N from i to j, against A."""

    normal: Any
    width: float  # |A|
    arm: Any  # from i's centre to where the force acts
    speed: Any  # v_i − v_j there
    closing: float
    length: float  # L_c
    one: Any  # two tangents
    two: Any


@device
def read_pair(world, p):
    """Pair p."""
    t, c, at, row = world.lists.pair, world.lists.pair_constant, PAIR * p, CONSTANT * p
    return Pair(
        p, np.int64(t[at + BODY_I]), np.int64(t[at + BODY_J]), np.int64(t[at + FIRST]), np.int64(t[at + SECOND]),
        np.int64(t[at + THIRD]), np.int64(t[at + PAIR + FIRST]), np.int64(t[at + MARK]), triple(c, row), c[row + MASS],
        unsigned(c[row + LAW]), c[row + LENGTH], c[row + AREA],
    )  # fmt: skip


def read_pair_of_cell(images: Images) -> Any:
    """`read_pair(world, p)` where the periodic cell moves: the image lies where the cell is now."""
    shift_of = images.shift

    @device
    def read_pair_now(world, p):
        pair = read_pair(world, p)
        return Pair(
            p, pair.i, pair.j, pair.first, pair.second, pair.third, pair.last, pair.bigness, shift_of(p, world), pair.mass,
            pair.row, pair.size, pair.section,
        )  # fmt: skip

    return read_pair_now


@device
def room_of_thread(world):
    """Points and edges in the scratch of the thread that works, and their capacity."""
    room, thread, scratch = world.geometry.room[0], world.thread, world.scratch
    return (
        scratch.floats[POINTS * room * thread : POINTS * room * (thread + 1)],
        scratch.integers[LINKS * room * thread : LINKS * room * (thread + 1)],
        room,
    )


@device
def overlap_of(pair, side, world):
    """The overlap of a pair, in the scratch of the thread that works."""
    candidate, geometry, k = world.lists.candidate, world.geometry, pair.first
    point, link, room = room_of_thread(world)
    one, other = np.int64(candidate[CANDIDATE * k]), np.int64(candidate[CANDIDATE * k + 1])
    faces = geometry.piece_plane[one + 1] - geometry.piece_plane[one]
    turn_i, turn_j = side.a.rotation, side.b.rotation
    edges, _, begin = clip(
        geometry.piece_plane[other], pair.second, pair.third, candidate, pair.third, pair.last, geometry.vertex,
        geometry.piece_vertex[one], geometry.piece_vertex[one + 1], geometry.edge, geometry.plane, faces, between(turn_i, turn_j),
        turn_back(turn_i, side.branch), TOLERANCE * min(geometry.piece_size[one], geometry.piece_size[other]), room, point, link,
    )  # fmt: skip
    if edges == 0:
        return Met(k, 0.0, NONE, NONE, NONE, False, False, 0, 0, faces)
    volume, centroid, area, turning = surface_integrals(edges, begin, faces, room, point, link)
    area = turn(turn_i, area)
    deep = volume > DEEP * min(geometry.piece_volume[one], geometry.piece_volume[other])
    there = volume > 0.0 and dot(area, area) > 0.0
    return Met(
        k, volume, turn(turn_i, centroid), area, turn(turn_i, turning), there, deep if there else volume > 0.0, edges, begin,
        faces,
    )  # fmt: skip


@device
def contact_length(arm, branch, bigness):
    """L_c = 4|r_i||r_j|/(|r_i| + |r_j|), r from the centres to the centroid; of a big or fixed body |r| is the other's."""
    from_i, from_j = math.sqrt(dot(arm, arm)), math.sqrt(dot(minus(arm, branch), minus(arm, branch)))
    if bigness == 1:
        from_i = from_j
    elif bigness == 2:
        from_j = from_i
    return 4.0 * from_i * from_j / (from_i + from_j)


@device
def middle_of_pressure(arm, normal, width, turning):
    """Where the resultant of a uniform pressure on the surfaces acts: in the plane of the contact, as high as the centroid.

    It has A × (arm × A) = A × ∫ x × dA. Friction has to act there, or a block on a slope is turned by its own weight.
    """
    across = times(-1.0 / width, cross(normal, turning))
    return along(across, dot(arm, normal), normal)


@device
def sliding_before(touch, side, before, normal_before, dt):
    """Sliding velocity over the last step, in the tangent plane of now, from the velocities of half a step ago.

    In between the centroid lay half way from `before`, its place a step ago, and the plane was half way from the old one.
    Without this the book of friction would close to first order only.
    """
    i, j, arm, arm_j = side.a, side.b, touch.arm, minus(touch.arm, side.branch)
    mid = minus(plus(i.mid_velocity, cross(i.mid_spin, arm)), plus(j.mid_velocity, cross(j.mid_spin, arm_j)))
    back = minus(before, i.place)
    lag_i = times(0.5, minus(along(back, dt, i.velocity), arm))
    lag_j = times(0.5, minus(along(minus(back, side.branch), dt, j.velocity), arm_j))
    speed = minus(plus(mid, cross(i.mid_spin, lag_i)), cross(j.mid_spin, lag_j))
    middle = plus(touch.normal, normal_before)
    return carried(along(speed, -dot(speed, middle) / dot(middle, middle), middle), touch.normal, 0.0)


@device
def sliding_now(touch):
    """Sliding velocity for the velocities given."""
    return in_plane(touch.speed, touch.normal)


def record_of_choice(choice: SimpleNamespace) -> Any:
    """`record_of(touch, met, side, pair, sliding)`: what a law may know of an overlap; springs follow `sliding`."""
    expecting = choice.expecting

    @device
    def speed_of(touch, side):
        """v at t_n, as far as it is known."""
        if expecting:
            a, b, arm_j = side.a.gain, side.b.gain, minus(touch.arm, side.branch)
            more = minus(plus(a.velocity, cross(a.spin, touch.arm)), plus(b.velocity, cross(b.spin, arm_j)))
            return plus(touch.speed, more)
        return touch.speed

    @device
    def record_of(touch, met, side, pair, sliding):
        now = speed_of(touch, side)
        return Overlap(
            met.volume, touch.width, touch.length, pair.size, pair.section, dot(now, touch.normal), dot(sliding, touch.one),
            dot(sliding, touch.two), pair.mass, dot(now, touch.one), dot(now, touch.two),
        )  # fmt: skip

    return record_of


def visit_of(choice: SimpleNamespace, conserving: int) -> SimpleNamespace:
    """`read_pair`, `visit` and `touch_of` for an integrator, a kind of box and a law that conserves energy or not."""
    read = read_predicted if choice.gear else read_expecting if choice.expecting else read_body
    read_this, image = read_pair, image_at_rest
    if choice.cell:
        read_this, image = read_pair_of_cell(images_of(choice)), image_of_cell(images_of(choice))

    @device
    def touch_of(met, side, pair):
        """Fill the contact record of an overlap."""
        width = math.sqrt(dot(met.area, met.area))
        normal, arm, i, j = times(-1.0 / width, met.area), met.arm, side.a, side.b
        if conserving:
            arm = middle_of_pressure(arm, normal, width, met.turning)
        speed = minus(plus(i.velocity, cross(i.spin, arm)), plus(j.velocity, cross(j.spin, minus(arm, side.branch))))
        one, two = tangents(normal)
        length = contact_length(arm, side.branch, pair.bigness)
        return Touch(normal, width, arm, speed, dot(speed, normal), length, one, two)

    @device
    def visit(pair, world, consume, total):
        """Hand the overlap of a pair to `consume(met, side, pair, world, total)`, which returns the new total."""
        i, j = read(world.state, pair.i), image(read(world.state, pair.j), pair, world)
        side = Side(i, j, plus(minus(j.place, i.place), pair.shift))
        return consume(overlap_of(pair, side, world), side, pair, world, total)

    return SimpleNamespace(
        read_pair=read_this, visit=visit, touch_of=touch_of, record_of=record_of_choice(choice), expecting=choice.expecting
    )
