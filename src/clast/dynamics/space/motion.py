"""What every integrator does with a body in space: turn it, ask whether it has moved too far.

Quaternions (w, x, y, z) turn the body frame, whose axes are the principal axes, into the world; vectors are tuples.
"""

import math

from clast.algebra.space import dot, plus, rotation_of, times, turn
from clast.backend.device import device

SMALL_SQUARE = 0.0025  # half turns below its root, 0.05 radians: the series are exact to rounding


@device
def product(a, b):
    """The turn b, then the turn a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    )


@device
def half_turn(square):
    """cos h and sin(h)/h of a half turn h, from h²; a short series, because root and libm cost more than the turn itself.

    One term more than in the plane: nothing here is ever recomputed from an angle, so errors would add up for ever.
    """
    if square < SMALL_SQUARE:
        cosine = 1.0 + square * (-0.5 + square * (1.0 / 24.0 + square * (-1.0 / 720.0 + square * (1.0 / 40320.0))))
        quotient = 1.0 + square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0)))
    else:
        angle = math.sqrt(square)
        cosine = math.cos(angle)
        quotient = math.sin(angle) / angle
    return cosine, quotient


@device
def turn_about(half):
    """Unit quaternion of the turn by 2|h| about a vector h, half the vector of rotation [rad]."""
    cosine, quotient = half_turn(dot(half, half))
    return cosine, quotient * half[0], quotient * half[1], quotient * half[2]


@device
def normalised(quaternion):
    """A quaternion that has lost its length by rounding only: one Newton step for one over the root, exact to rounding."""
    w, x, y, z = quaternion
    scale = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@device
def turned_by_spin(quaternion, spin, time):
    """Orientation after `time` at a constant spin (in the world): the exact turn about its axis."""
    return normalised(product(turn_about(times(0.5 * time, spin)), quaternion))


@device
def turned_about_first(quaternion, momentum, half):
    """Turn a body by 2·half about its first axis: its orientation, and its momentum as seen from the body.

    The momentum is given its change, sin θ and 1 − cos θ times what it is: a cosine rounded near 1 is the same in every step of
    an even rotation and would make the momentum grow or fade.
    """
    w, x, y, z = quaternion
    first, second, third = momentum
    cosine, quotient = half_turn(half * half)
    sine = half * quotient
    across, back = 2.0 * (sine * cosine), 2.0 * (sine * sine)
    turned = (cosine * w - sine * x, cosine * x + sine * w, cosine * y + sine * z, cosine * z - sine * y)
    return turned, (first, second + (across * third - back * second), third - (across * second + back * third))


@device
def middle_of(u, v, w):
    """Which of three numbers is the middle one; one of two equal ones, if any are."""
    if (u - v) * (u - w) <= 0.0:
        return 0
    if (v - u) * (v - w) <= 0.0:
        return 1
    return 2


@device
def shifted(vector, by):
    """(x, y, z) beginning with component `by`, in cyclic order: the same vector in renamed axes."""
    x, y, z = vector
    if by == 0:
        return x, y, z
    if by == 1:
        return y, z, x
    return z, x, y


@device
def spin_of(rotation, momentum, inverse_inertia):
    """Spin in the world from the angular momentum in the body frame."""
    u, v, w = inverse_inertia
    return turn(rotation, (u * momentum[0], v * momentum[1], w * momentum[2]))


@device
def free_turn(quaternion, momentum, inverse_inertia, time):
    """Turn a body that no torque acts on: orientation, momentum in the body frame, and its mean spin in the world.

    The energy ½ Σ L_k²/I_k is ½ |L|²/I_a + ½ (1/I_b − 1/I_a) L_b² + ½ (1/I_c − 1/I_a) L_c², a the axis of the middle moment.
    The first part is a turn about L, which commutes with the others and leaves L as the body sees it; each of the others is
    a turn about its axis. Half of b, all of c, half of b: every part is exact, so the whole is symplectic and reversible,
    keeps L in the world to rounding, and errs by O(Δt²) in the energy, without drift, in proportion to both differences.
    Where two moments are equal (capsule, prism) nothing is split and it is exact; where all three are (sphere, cube) one
    turn will do. The mean spin is the mean of those before and after.
    """
    by = middle_of(inverse_inertia[0], inverse_inertia[1], inverse_inertia[2])
    u_a, u_b, u_c = shifted(inverse_inertia, by)
    before = spin_of(rotation_of(quaternion[0], quaternion[1], quaternion[2], quaternion[3]), momentum, inverse_inertia)
    turned = product(quaternion, turn_about(times(0.5 * time * u_a, momentum)))
    if u_b == u_a and u_c == u_a:
        return normalised(turned), momentum, before
    # axes in the cyclic order b, c, a: b is the first of them, c after one shift more
    x, y, z = shifted((turned[1], turned[2], turned[3]), (by + 1) % 3)
    q, seen = (turned[0], x, y, z), shifted(momentum, (by + 1) % 3)
    quarter = 0.25 * time * (u_b - u_a)
    q, seen = turned_about_first(q, seen, quarter * seen[0])
    q, seen = turned_about_first((q[0], q[2], q[3], q[1]), (seen[1], seen[2], seen[0]), 0.5 * time * (u_c - u_a) * seen[1])
    q, seen = (q[0], q[3], q[1], q[2]), (seen[2], seen[0], seen[1])
    q, seen = turned_about_first(q, seen, quarter * seen[0])
    x, y, z = shifted((q[1], q[2], q[3]), (2 - by) % 3)
    turned, left = normalised((q[0], x, y, z)), shifted(seen, (2 - by) % 3)
    after = spin_of(rotation_of(turned[0], turned[1], turned[2], turned[3]), left, inverse_inertia)
    return turned, left, times(0.5, plus(before, after))


@device
def moved_too_far(dx, dy, dz, quaternion, reference, reach, alpha):
    """Whether a body may have moved any of its points by more than alpha since the lists were built; true for NaN.

    A point at distance R moves by at most the chord 2R sin(θ/2) of the turn between the two orientations; the sine is the
    length of the vector part of reference* · quaternion, so no angle is needed.
    """
    a, q = reference, quaternion
    x = a[0] * q[1] - a[1] * q[0] - a[2] * q[3] + a[3] * q[2]
    y = a[0] * q[2] - a[2] * q[0] - a[3] * q[1] + a[1] * q[3]
    z = a[0] * q[3] - a[3] * q[0] - a[1] * q[2] + a[2] * q[1]
    slack = alpha - 2.0 * reach * math.sqrt(x * x + y * y + z * z)
    return not (slack >= 0.0 and dx * dx + dy * dy + dz * dz <= slack * slack)
