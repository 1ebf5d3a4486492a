"""Restitution of a straight impact, and the damping ratio that gives it.

A linear contact with a dashpot of damping ratio ζ that may not pull (model §3) gives back the part

    e = exp{−ζ/√(1−ζ²) · [π − atan2(2ζ√(1−ζ²), 1−2ζ²)]}           ζ < 1, from 1 down to e⁻² = 0.135
    e = exp{−ζ/√(ζ²−1) · ln[(ζ + √(ζ²−1))/(ζ − √(ζ²−1))]}          ζ > 1, from there to 0

of the closing speed. A dashpot 2ζ√(k m_e) goes with a force k δ, and √5 ζ√(k m_e) δ^{1/4} (Tsuji's) with k δ^{3/2}: there
x = δ^{5/4} is a damped linear oscillator of ratio ζ in a time of its own, so e is the same, and does not depend on speed either.
"""

import math

from clast.errors import SceneError

LEAST = 0.01  # ζ = 5 gives this; beyond, contacts creep apart for long


def restitution_of(ratio: float) -> float:
    """e of a straight impact whose dashpot has the damping ratio ζ ≥ 0 and may not pull."""
    if ratio == 1.0:
        return math.exp(-2.0)
    root = math.sqrt(abs(1.0 - ratio * ratio))
    if ratio < 1.0:
        return math.exp(-ratio / root * (math.pi - math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)))
    return math.exp(-2.0 * ratio / root * math.log(ratio + root))


def damping_ratio(restitution: float) -> float:
    """ζ for the part e of the closing speed that comes back, from 0.01 to 1; SceneError for others."""
    if not LEAST <= restitution <= 1.0:
        raise SceneError(f"restitution = {restitution} cannot be had: give a number from {LEAST} to 1 (1 loses nothing)")
    if restitution == 1.0:
        return 0.0
    low, high = 0.0, 10.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if restitution_of(middle) > restitution else (low, middle)
    return 0.5 * (low + high)


def pulling_ratio(restitution: float) -> float:
    """The damping ratio β = −ln e/√(ln² e + π²) that gives the part e where the dashpot may pull, as in other programs."""
    log = math.log(restitution)
    return -log / math.hypot(log, math.pi)
