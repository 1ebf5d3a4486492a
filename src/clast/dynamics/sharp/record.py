"""The geometry of one overlap: its contact record from the places of two bodies (model §4)."""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.overlap import TOLERANCE, clip, surface_integrals
from clast.contact.vectors import along, between, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.dynamics.space.arrays import PAIR, SPIN, VELOCITY
from clast.dynamics.space.forces import body_rotation
from clast.dynamics.space.record import NONE, carried


@device
def overlap_of(p, i, j, branch, pair, candidate, body, geometry, vertex, edge, plane, point, link):
    """Volume, arm from i's centre to the centroid, vector area A on planes of j, ∫ x × dA about i's centre; in the world.

    `i` and `j` are where their rows begin in the flat table `body`.
    """
    first, second, third, last = (
        np.int64(pair[PAIR * p + 2]), np.int64(pair[PAIR * p + 3]), np.int64(pair[PAIR * p + 4]), np.int64(pair[PAIR * p + 8])
    )  # fmt: skip
    one_i, one_j = np.int64(candidate[2 * first]), np.int64(candidate[2 * first + 1])
    rotation_i, rotation_j = body_rotation(body, i), body_rotation(body, j)
    faces = geometry.piece_plane[one_i + 1] - geometry.piece_plane[one_i]
    capacity = geometry.room[0]
    edges, _, begin = clip(
        geometry.piece_plane[one_j], second, third, candidate, third, last, vertex, geometry.piece_vertex[one_i],
        geometry.piece_vertex[one_i + 1], edge, plane, faces, between(rotation_i, rotation_j), turn_back(rotation_i, branch),
        TOLERANCE * min(geometry.piece_size[one_i], geometry.piece_size[one_j]), capacity, point, link,
    )  # fmt: skip
    if edges == 0:
        return 0.0, NONE, NONE, NONE
    volume, centroid, area, turning = surface_integrals(edges, begin, faces, capacity, point, link)
    return volume, turn(rotation_i, centroid), turn(rotation_i, area), turn(rotation_i, turning)


@device
def contact_length(arm, branch, bigness):
    """L_c = 4|r_i||r_j|/(|r_i| + |r_j|), r from the centres to the centroid; of a big or fixed body |r| is the other's."""
    own, other = math.sqrt(dot(arm, arm)), math.sqrt(dot(minus(arm, branch), minus(arm, branch)))
    if bigness == 1:
        own = other
    elif bigness == 2:
        other = own
    return 4.0 * own * other / (own + other)


@device
def velocity_at(arm, branch, body, i, j):
    """v_i − v_j of the points of both bodies at the centroid, and both spins."""
    spin_i, spin_j = triple(body, i + SPIN), triple(body, j + SPIN)
    speed = minus(
        plus(triple(body, i + VELOCITY), cross(spin_i, arm)),
        plus(triple(body, j + VELOCITY), cross(spin_j, minus(arm, branch))),
    )
    return speed, spin_i, spin_j


@device
def sliding_in_step(late, late_i, late_j, arm, branch, normal, body, i, j, before, normal_before, dt):
    """Sliding velocity over the last step, in the tangent plane of now, from `late`, v_i − v_j at the centroid of now half a step
    ago, and both spins then.

    In between the centroid lay half way from `before`, its place a step ago, and the plane was half way from the old one.
    Without this the book of friction would close to first order only.
    """
    back = minus(before, triple(body, i))
    lag_i = times(0.5, minus(along(back, dt, triple(body, i + VELOCITY)), arm))
    lag_j = times(0.5, minus(along(minus(back, branch), dt, triple(body, j + VELOCITY)), minus(arm, branch)))
    speed = minus(plus(late, cross(late_i, lag_i)), cross(late_j, lag_j))
    middle = plus(normal, normal_before)
    return carried(along(speed, -dot(speed, middle) / dot(middle, middle), middle), normal, 0.0)


@device
def normal_of(area):
    """Unit normal from i to j, against the vector area of the faces on planes of j, and the size of that."""
    size = math.sqrt(dot(area, area))
    return (times(-1.0 / size, area) if size > 0.0 else NONE), size


@device
def middle_of_pressure(arm, normal, width, turning):
    """Where the resultant of a uniform pressure on the surfaces acts: in the plane of the contact, as high as the centroid.

    It has A × (arm × A) = A × ∫ x × dA. Friction has to act there, or a block on a slope is turned by its own weight.
    """
    across = times(-1.0 / width, cross(normal, turning))
    return along(across, dot(arm, normal), normal)
