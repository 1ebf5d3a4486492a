"""The geometry of one feature contact in space: which point of a meets which of b, and the contact record (model §3)."""

import math

import numpy as np

from clast.backend.device import device, routine
from clast.contact.spheropolyhedron import (
    EDGE,
    FACE,
    KIND,
    ROW,
    edge_count,
    edge_way,
    edges_meet,
    face_count,
    face_distance,
    fade,
    vertex_count,
    vertex_on_edge,
    vertex_on_vertex,
)
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple, turn, turn_back

GRAPH = 1 << 31  # mark on the first number of a candidate: this vertex meets an edge as an end of its own edges
NUMBER = GRAPH - 1
# how the normal turns when the probe slides over b: not at all, about an edge, about a vertex, with two crossing edges
FLAT, STRAIGHT, ROUND, CROSSING = 0, 1, 2, 3
NONE = (0.0, 0.0, 0.0)


@device
def touch(section, first, second, near_squared, rotation_a, rotation_b, relative, shift, feature, side, fan, corner):
    """What the candidate (first, second) of a section counts: features of a against features of b.

    `relative` turns a's frame into b's, `shift` is a's centre there; all further away than `near_squared` counts 0.
    Returns the square of the distance (NOWHERE where the closest points lie on other features), count, way q from the point X
    of a to that of b, arm from a's centre to X (both in the world), how the normal turns, the direction of b's edge and of a's
    where there is one, and the torque of the fade on a per energy.
    """
    mark = np.int64(first)
    row, other = ROW * (mark & NUMBER), ROW * np.int64(second)
    bend = FLAT
    count = 0.0
    axis = own_axis = twist = NONE
    own = triple(feature, row)
    if section == 2 and feature[row + KIND] == EDGE:
        way = minus(triple(feature, row + 3), own)
        turned = turn(relative, way)
        part, q, square = edges_meet(plus(turn(relative, own), shift), turned, other, feature)
        if square >= near_squared:
            return square, 0.0, q, NONE, bend, axis, own_axis, twist
        own_axis = times(feature[row + 14], turned)
        axis = times(feature[other + 14], minus(triple(feature, other + 3), triple(feature, other)))
        count, slope = fade(dot(own_axis, axis))
        if slope != 0.0:
            twist = turn(rotation_b, times(-slope, cross(own_axis, axis)))
        own_axis, axis = turn(rotation_b, own_axis), turn(rotation_b, axis)
        own = along(own, part, way)
        return square, count, turn(rotation_b, q), turn(rotation_a, own), CROSSING, axis, own_axis, twist
    x = plus(turn(relative, own), shift)
    kind = feature[other + KIND]
    if kind == FACE:
        q, square = face_distance(x, other, feature)
        if square < near_squared:
            count = face_count(x, other, feature, side)
    elif kind == EDGE:
        q, square = edge_way(x, other, feature)
        if square < near_squared:
            axis = times(math.sqrt(feature[other + 6]), minus(triple(feature, other + 3), triple(feature, other)))
            bend = STRAIGHT
            if mark >= GRAPH:
                count, twist = vertex_on_edge(turn_back(relative, q), turn_back(relative, axis), row, feature, fan)
                twist = turn(rotation_a, twist)
            else:
                count = edge_count(x, other, feature)
            axis = turn(rotation_b, axis)
    else:
        q = minus(triple(feature, other), x)
        square = dot(q, q)
        if square < near_squared:
            bend = ROUND
            if section == 2:
                count, twist = vertex_on_vertex(q, row, other, feature, fan, relative)
                twist = turn(rotation_b, twist)
            else:
                count = vertex_count(times(-1.0, q), other, feature, fan, corner)
    if count == 0.0:
        return square, 0.0, q, NONE, bend, axis, own_axis, twist
    return square, count, turn(rotation_b, q), turn(rotation_a, own), bend, axis, own_axis, twist


@routine
def touch_apart(section, first, second, near_squared, rotation_a, rotation_b, relative, shift, feature, side, fan, corner):
    """`touch`, compiled once for what is seldom asked."""
    return touch(section, first, second, near_squared, rotation_a, rotation_b, relative, shift, feature, side, fan, corner)


@routine
def place_of(section, first, second, relative, shift, feature):
    """Where a candidate touches, in b's frame, ends included: also where it counts nothing. To tell which of them adjoin.

    Of a vertex on features the point of the feature, since the vertex is the same for all of them; where edges of both bodies
    meet, with their ends, the point of body i in all three sections.
    """
    mark = np.int64(first)
    row, other = ROW * (mark & NUMBER), ROW * np.int64(second)
    x = plus(turn(relative, triple(feature, row)), shift)
    kind = feature[other + KIND]
    if section == 2 or (section == 0 and mark >= GRAPH):
        if feature[row + KIND] != EDGE:
            return x
        begin, end = x, plus(x, turn(relative, minus(triple(feature, row + 3), triple(feature, row))))
        for _ in range(4):  # by turns: the nearest point of one to that of the other
            y = nearest_on(x, triple(feature, other), triple(feature, other + 3))
            x = nearest_on(y, begin, end)
        return x
    if kind == EDGE:
        return nearest_on(x, triple(feature, other), triple(feature, other + 3))
    if kind == FACE:
        return plus(x, face_distance(x, other, feature)[0])
    return triple(feature, other)


@device
def nearest_on(x, start, end):
    """The point of a segment nearest to x."""
    way = minus(end, start)
    part = dot(minus(x, start), way) / dot(way, way)
    return along(start, min(max(part, 0.0), 1.0), way)


@device
def contact_record(q, square, reach, radius, arm, branch, velocity_a, spin_a, velocity_b, spin_b):
    """What a law may know of a contact: depth, normal N from a to b, the distance from X to the contact point R = X + offset N,
    one over the distance of the skeletons, closing speed v·N, and v = v_a − v_b at X.
    """
    speed = minus(plus(velocity_a, cross(spin_a, arm)), plus(velocity_b, cross(spin_b, minus(arm, branch))))
    distance = math.sqrt(square)
    inverse = distance * (1.0 / square)
    normal = times(inverse, q)
    depth = reach - distance
    return depth, normal, radius - 0.5 * depth, inverse, dot(speed, normal), speed


@device
def in_plane(v, normal):
    """The part of v across the normal."""
    return along(v, -dot(v, normal), normal)


@device
def normal_rate(bend, axis, own_axis, normal, inverse, speed, spin_a, spin_b):
    """dN/dt: with b where the probe faces a face of it, about its edge, about its vertex, or with two edges."""
    rate = cross(spin_b, normal)
    if bend == ROUND:
        return along(rate, -inverse, in_plane(speed, normal))
    if bend == STRAIGHT:
        sideways = in_plane(speed, normal)
        return along(rate, -inverse, along(sideways, -dot(sideways, axis), axis))
    if bend == CROSSING:
        sideways = cross(normal, axis)
        lean = dot(sideways, own_axis)
        return along(rate, -dot(normal, cross(minus(spin_a, spin_b), own_axis)) / lean, sideways)
    return rate


@device
def sliding_velocity(
    speed, closing, inverse, offset, bend, axis, own_axis, normal, arm, branch, spin_a, spin_b, dt
):  # fmt: skip
    """v at the contact point, in the tangent plane, for velocities of t_n − ½Δt: with arms and plane of half a step ago.

    See `clast.dynamics.forces.sliding_speed`: since then the arms have turned with their bodies, the plane has turned, and X
    has moved along its edge where two edges cross. With dt = 0 it is v across N at the positions given.
    """
    relative = minus(spin_a, spin_b)
    now = in_plane(along(speed, offset, cross(relative, normal)), normal)
    if dt == 0.0:
        return now
    turning = normal_rate(bend, axis, own_axis, normal, inverse, speed, spin_a, spin_b)
    rate = minus(cross(spin_a, cross(spin_a, arm)), cross(spin_b, cross(spin_b, minus(arm, branch))))
    rate = minus(rate, cross(spin_b, speed))
    rate = along(rate, -0.5 * closing, cross(relative, normal))
    rate = along(rate, offset, cross(relative, turning))
    if bend == CROSSING:
        cosine = dot(axis, own_axis)
        lift = dot(normal, cross(relative, own_axis)) / inverse
        slip = (lift - dot(speed, own_axis) + cosine * dot(speed, axis)) / (1.0 - cosine * cosine)
        rate = along(rate, slip, cross(relative, own_axis))
    rate = along(in_plane(rate, normal), -closing, turning)
    return along(now, -0.5 * dt, in_plane(rate, normal))


@device
def carried(spring, normal, twist):
    """A vector of the old tangent plane in the new one, with its length: laid flat, then turned about N by a small angle."""
    whole = dot(spring, spring)
    if whole == 0.0:
        return NONE
    inverse = 1.0 / whole  # known before the normal is
    flat = in_plane(spring, normal)
    flat = along(flat, twist, cross(normal, flat))
    size = dot(flat, flat)
    lost = 1.0 - size * inverse
    if math.fabs(lost) < 1e-4:  # the series is exact to rounding
        return times(1.0 + lost * (0.5 + lost * (0.375 + lost * 0.3125)), flat)
    if size == 0.0:
        return NONE
    return times(math.sqrt(whole / size), flat)


@device
def tangents(normal):
    """Two unit vectors across N and each other; any will do, a law does not know directions."""
    sign = math.copysign(1.0, normal[2])
    a = -1.0 / (sign + normal[2])
    b = normal[0] * normal[1] * a
    return (
        (1.0 + sign * normal[0] * normal[0] * a, sign * b, -sign * normal[0]),
        (b, sign + normal[1] * normal[1] * a, -normal[1]),
    )
