"""Hertz's law with a dashpot by restitution: √5 ζ√(k_h m_e) δ^{1/4} beside G_n m_e: apart, for its roots cost time."""

import math

from clast.laws.hertz import elastic, force_with, normal_energy, spring_energy
from clast.laws.hertz_mindlin import begun

__all__ = ["begun", "elastic", "force", "normal_energy", "spring_energy"]


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring and the heat of sliding."""
    grown = parameters[5] * math.sqrt(contact.reduced_mass * math.sqrt(contact.depth))
    return force_with(parameters[3] * contact.reduced_mass + grown, parameters, contact, memory, dt)
