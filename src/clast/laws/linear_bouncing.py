"""The linear law with a dashpot by restitution: 2ζ√(k_n m_e) beside G_n m_e: apart, for its root costs time."""

import math

from clast.laws.linear import elastic, force_with, normal_energy, spring_energy

__all__ = ["elastic", "force", "normal_energy", "spring_energy"]


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring and the heat of sliding."""
    mass = contact.reduced_mass
    return force_with(parameters[3] * mass + parameters[6] * math.sqrt(mass), parameters, contact, memory, dt)
