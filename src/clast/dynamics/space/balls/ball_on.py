"""A sphere on a body with features, a wall or a solid: the contact record without a frame of the sphere, for the same consumers
as `clast.dynamics.space.visit`.

The sphere a probes with its centre X; b is met at a face, an edge or a vertex. With V = v_a − v_b, the branch B from a to b,
and R = X + ρ N the contact point,

    velocity of a over b at X   v = V + ω_b × B
    dN/dt                       ω_b × N − c (v across N and across the edge)/d,   c = 0 over a face, 1 elsewhere
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.backend.device import device, unsigned
from clast.contact.space.spheropolyhedron import EDGE, FACE, KIND, ROW, edge_count, edge_way, vertex_count
from clast.dynamics.space.balls.balls import Ball, image_of, read_ball_of
from clast.dynamics.space.columns import BODY, CANDIDATE, FACED, NONE
from clast.dynamics.space.counting import FLAT, on_face
from clast.dynamics.space.tangents import in_plane, tangents
from clast.dynamics.space.visit import across, read_body, read_predicted, read_rotation, section_of, sliding_of


class Side(NamedTuple):
    """The sphere a and the body b."""

    a: Ball
    b: Ball  # how it moves
    branch: Any  # from a to b, or the image of it that is met
    rotation: Any  # b's frame → world
    seen: Any  # the centre of a, seen from b
    reach: float  # sum of the sphero-radii
    near: float  # square of the distance from which on a candidate counts for nobody
    sign: float  # 1 where a is the pair's i, −1 where it is j
    section: int


class Met(NamedTuple):
    """Candidate k; vectors in the world."""

    k: int
    counts: float  # how much it counts, 0 where the closest point lies on another feature
    way: Any  # from the centre of a to the feature of b
    square: float  # of the way
    curved: float  # 1 where the normal turns as a slides over b, 0 over a face
    axis: Any  # direction of b's edge, where it is one
    touching: bool


class Touch(NamedTuple):
    """The contact record."""

    depth: float
    normal: Any
    offset: float  # ρ
    inverse: float  # one over the distance of the skeletons
    closing: float  # v·N
    speed: Any  # v
    lever: Any  # from a's centre to R
    one: Any  # two tangents
    two: Any
    curved: float
    axis: Any


@device
def meet(k, side, world):
    """What candidate k counts; nothing further away than side.near does."""
    geometry, x = world.geometry, side.seen
    feature, other = geometry.feature, ROW * np.int64(world.lists.candidate[CANDIDATE * k + FACED])
    kind, curved, axis, count = feature[other + KIND], 1.0, NONE, 0.0
    if kind == FACE:
        curved = 0.0
        square, count, q = on_face(x, other, side, geometry)
    elif kind == EDGE:
        q, square = edge_way(x, other, feature)
        if square < side.near:
            count = edge_count(x, other, feature)
            if count != 0.0:
                along_edge = minus(triple(feature, other + 3), triple(feature, other))
                axis = turn(side.rotation, times(math.sqrt(feature[other + 6]), along_edge))
    else:
        q = minus(triple(feature, other), x)
        square = dot(q, q)
        if square < side.near:
            count = vertex_count(times(-1.0, q), other, feature, geometry.fan, geometry.corner)
    if count == 0.0:  # most candidates on a terrain
        return Met(k, 0.0, q, square, curved, axis, False)
    return Met(k, count, turn(side.rotation, q), square, curved, axis, square < side.reach * side.reach)


@device
def touch_of(met, side):
    """Fill the contact record."""
    speed = plus(minus(side.a.velocity, side.b.velocity), cross(side.b.spin, side.branch))
    distance = math.sqrt(met.square)
    inverse = distance * (1.0 / met.square)
    normal = times(inverse, met.way)
    depth = side.reach - distance
    offset = side.a.radius - 0.5 * depth
    one, two = tangents(normal)
    return Touch(
        depth, normal, offset, inverse, dot(speed, normal), speed, times(offset, normal), one, two, met.curved, met.axis
    )  # fmt: skip


@device
def gained(touch, side):
    """What closing speed and sliding velocity are expected to gain until t_n."""
    a, b = side.a.gain, side.b.gain
    speed = plus(minus(a.velocity, b.velocity), cross(b.spin, side.branch))
    return dot(speed, touch.normal), sliding_of(touch, speed, minus(a.spin, b.spin))


@device
def sliding_before(touch, side, turned, dt):
    """Sliding velocity of half a step ago, in the tangent plane of now; see `space.visit`, where the arm to X is not 0."""
    normal, spin = touch.normal, side.b.mid_spin
    way = minus(side.a.mid_velocity, side.b.mid_velocity)
    speed, relative = plus(way, cross(spin, side.branch)), minus(side.a.mid_spin, spin)
    closing, sideways = dot(speed, normal), in_plane(speed, normal)
    now = plus(sideways, times(touch.offset, cross(relative, normal)))
    bent = along(sideways, -dot(sideways, touch.axis), touch.axis)
    turning = along(cross(spin, normal), -touch.curved * touch.inverse, bent)
    rate = minus(cross(relative, along(times(touch.offset, turning), -0.5 * closing, normal)), cross(spin, way))
    now = along(now, -0.5 * dt, in_plane(along(rate, -closing, turning), normal))
    return across(along(now, 0.5 * turned, cross(normal, now)), touch)


def visit_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`visit` for a reach of the law, an integrator and a kind of box; the rare `heir` and `left_behind` by those of all."""
    gap_of, heir_of_all, left_behind_of_all = choice.gap_of, choice.heir, choice.left_behind
    read, read_whole = read_ball_of(choice), read_predicted if choice.gear else read_body
    image = image_of(choice)

    @device
    def side_of(a, b, faced, branch, gap, sign, section, world):
        """A sphere moving as a probes body `faced`, moving as b."""
        rotation = read_rotation(world.state.body, BODY * faced)
        reach, near = a.radius + b.radius, a.radius + b.radius + gap
        return Side(a, b, branch, rotation, times(-1.0, turn_back(rotation, branch)), reach, near * near, sign, section)

    @device
    def visit(pair, world, consume, total):
        """Hand every candidate of a pair to `consume(met, side, pair, world, total)`, which returns the new total."""
        body, gap = world.state.body, gap_of(pair, world)
        branch = plus(minus(triple(body, BODY * pair.j), triple(body, BODY * pair.i)), pair.shift)
        i, j = read(world.state, pair.i), image(read(world.state, pair.j), pair, world)
        if pair.first < pair.second:
            side = side_of(i, j, pair.j, branch, gap, 1.0, 0, world)
        else:
            side = side_of(j, i, pair.i, times(-1.0, branch), gap, -1.0, 1, world)
        for k in range(pair.first, pair.last):
            total = consume(meet(unsigned(k), side, world), side, pair, world, total)
        return total

    @device
    def whole_side(side, pair, world):
        """The same side as that of any two bodies."""
        i, j = read_whole(world.state, pair.i), read_whole(world.state, pair.j)
        return section_of(i, j, pair, 0.0, side.section)

    @device
    def heir(met, side, pair, world, opening):
        """Find the other end of a spring that changes hands where features adjoin; −1 where there is none."""
        return heir_of_all(met, whole_side(side, pair, world), pair, world, opening)

    @device
    def left_behind(met, side, pair, world):
        """A candidate that has opened where it is now; its square is 0 where the sphere no longer faces the feature."""
        now = left_behind_of_all(met, whole_side(side, pair, world), pair, world)
        return Met(met.k, now.counts, now.way, now.square, 0.0 if now.bend == FLAT else 1.0, now.axis, False)

    return SimpleNamespace(visit=visit, heir=heir, left_behind=left_behind)
