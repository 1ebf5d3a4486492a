"""The tangent plane of a contact in space."""

import math

from clast.algebra.space import along, cross, dot, times
from clast.backend.device import device

NONE = (0.0, 0.0, 0.0)


@device
def in_plane(v, normal):
    """The part of v across the normal."""
    return along(v, -dot(v, normal), normal)


@device
def tangents(normal):
    """Two unit vectors across N and each other; any will do, a law does not know directions. N × one = two."""
    sign = math.copysign(1.0, normal[2])
    a = -1.0 / (sign + normal[2])
    b = normal[0] * normal[1] * a
    return (
        (1.0 + sign * normal[0] * normal[0] * a, sign * b, -sign * normal[0]),
        (b, sign + normal[1] * normal[1] * a, -normal[1]),
    )


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
