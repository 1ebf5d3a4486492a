"""The velocities that dashpots see under velocity Verlet.

The velocities of a state are those of t_n − ½Δt when the forces at t_n are wanted, and a dashpot must see v(t_n), or its heat is
off by first order in Δt. So where contacts have dashpots each body keeps beside its velocity v₋ what it is expected to gain until
t_n. With g what it gained in the last kick, over Δt, and h in the one before,

    v(t_n) ≈ v₋ + φ [½ g + ⅜ (g − h)],      φ = 1 for g·h ≥ 0, max(0, 1 + 4 g·h/(g² + h²)) else

is of third order; with the first term alone a restitution would be off by some ten times as much. Guessing ahead pushes what
swings from step to step: where dashpots are strong (γΔt > 0.57, γ the rate at which they slow a body down) it would grow. φ gives
such swings up: they are damped then as by a dashpot that sees v₋, up to γΔt = 2.

Of the first step there is no step before, and of a look at an instant nothing is left to be gained.
"""

from typing import Any

from clast.backend.device import device

HALF, BENT = 0.5, 0.375


@device
def trust_in(along, size):
    """φ, from g·h and g² + h²."""
    return 1.0 if along >= 0.0 else max(0.0, 1.0 + 4.0 * along / size)


@device
def expected(trust, now, before):
    """What one component of a velocity will gain until the next forces: from φ, g and h."""
    return trust * (HALF * now + BENT * (now - before))


def readers(body_with: Any, read_gain: Any, no_gain: Any) -> tuple[Any, Any]:
    """Two functions of (state, b) that read what contacts need of body b: where nobody sees what it will gain, and where contacts
    have dashpots.

    body_with   (gain, state, b) → body b with its gain, under velocity Verlet
    read_gain   (state, b) → what body b is expected to gain
    """

    @device
    def read(state, b):
        return body_with(no_gain, state, b)

    @device
    def read_expecting(state, b):
        return body_with(read_gain(state, b), state, b)

    return read, read_expecting
