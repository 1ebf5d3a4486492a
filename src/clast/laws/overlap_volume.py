"""Force from the volume of the overlap (CSM10 eq 3-6; model §4).

    |F_el| = Y V / L_c, along the normal of the loop, at the centroid of the overlap

The push depends on where the bodies are and on nothing else, and yet it has no potential: it acts at the centroid and L_c
follows it, so what an approach costs is not what a departure on another way returns. The book therefore holds its work in an
account of its own, `overlap_work`: what is left in it when bodies part was lost by the law, or gained.
"""

from dataclasses import dataclass

from clast.backend.device import law_function
from clast.laws.overlap import OverlapLaw, damped_with_friction
from clast.laws.overlap import spring_energy as spring_energy  # ½ k_t s²

CONSERVING = False  # whether the push is a pressure on the surfaces, with a potential
ROCKS = 1.0  # of k_n I/A: rocking moves the centroid of the overlap, at which the push acts, by (I/V) θ


@law_function
def elastic(parameters, overlap):
    """Y V / L_c."""
    return parameters[0] * overlap.volume / overlap.length


@law_function
def normal_energy(parameters, overlap):
    """None is defined: the book follows the work instead."""
    return 0.0


@law_function
def slope(parameters, overlap):
    """The slope of the push, Y|A|/L_c."""
    return parameters[0] * overlap.area / overlap.length


@law_function
def force(parameters, overlap, memory, dt):
    """Forces of one overlap, its new spring and the heat of sliding."""
    return damped_with_friction(parameters, elastic(parameters, overlap), slope(parameters, overlap), overlap, memory, dt)


@dataclass(frozen=True)
class OverlapVolume(OverlapLaw):
    """Force from the volume of the overlap, at its centroid, as CSM10 have it. For the parameters see `OverlapLaw`.

    `OverlapVolume(6.5e7)` is frictionless and undamped.

    Of a big or fixed body |r| is taken to be that of the other, so that it does not matter how thick a floor is drawn.
    """

    kind = "overlap-volume"
    known_as = "F = Y V/L_c"
    listed = 4
    module = __name__
    own_rocking = ROCKS
