"""The linear law with its damping as a share of critical, in the plane and in space (model §3)."""

import math

from clast.laws.linear import Linear


def damped_law(stiffness: float, tangential: float, friction: float, zeta: float, reduced_mass: float) -> Linear:
    """The linear law with dashpots G = 2ζ√(k/m_e), along the normal with k_n and along the tangent with k_t.

    tangential     k_t over k_n
    zeta           damping of a single contact, of critical
    reduced_mass   m_e: between two equal grains half the mass of one, at a wall the whole
    """
    k_t, rate = tangential * stiffness, 2.0 * zeta / math.sqrt(reduced_mass)
    return Linear(stiffness, k_t, friction, normal_damping=rate * math.sqrt(stiffness), tangential_damping=rate * math.sqrt(k_t))
