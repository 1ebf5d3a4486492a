"""A potential of the overlap's volume (Feng 2021; model §4): the energy-conserving law beside CSM10's.

    U = Y V² / (2 L A₀),    a pressure dU/dV on the surfaces inside the overlap

so the force is (dU/dV) A with its own couple: a force at the centroid alone would not conserve energy.
"""

from dataclasses import dataclass

from clast.backend.device import law_function
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.overlap import OverlapLaw, damped_with_friction
from clast.laws.overlap import spring_energy as spring_energy  # ½ k_t s²
from clast.laws.parameters import require_number

CONSERVING = True  # whether the push is a pressure on the surfaces, with a potential
ROCKS = 0.0  # rocking about the middle of a flat leaves the volume as it is


@law_function
def softness(parameters, overlap):
    """L A₀: of the shapes, or as the law was given them."""
    length = parameters[5] if parameters[5] > 0.0 else overlap.size
    section = parameters[6] if parameters[6] > 0.0 else overlap.section
    return length * section


@law_function
def elastic(parameters, overlap):
    """(dU/dV) |A|."""
    return parameters[0] * overlap.volume * overlap.area / softness(parameters, overlap)


@law_function
def normal_energy(parameters, overlap):
    """Y V² / (2 L A₀)."""
    return 0.5 * parameters[0] * overlap.volume * overlap.volume / softness(parameters, overlap)


@law_function
def slope(parameters, overlap):
    """The slope of the push, d²U/dV² |A|²."""
    return parameters[0] * overlap.area * overlap.area / softness(parameters, overlap)


@law_function
def force(parameters, overlap, memory, dt):
    """Forces of one overlap, its new spring and the heat of sliding."""
    return damped_with_friction(parameters, elastic(parameters, overlap), slope(parameters, overlap), overlap, memory, dt)


@dataclass(frozen=True)
class OverlapEnergy(OverlapLaw):
    """Force from an energy of the volume of the overlap, which is conserved. For the other parameters see `OverlapLaw`.

    length    L; None takes 4R_aR_b/(R_a + R_b) of balls of the bodies' volumes, 2R_a against a wall
    section   A₀; None takes the smaller of the mean shadows of both bodies
    """

    length: float | None = None
    section: float | None = None

    kind = "overlap-energy"
    known_as = "U = Y V²/(2 L A₀)"
    listed = 5
    module = __name__

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("length", "section"):
            if getattr(self, name) is not None:
                require_number(name, getattr(self, name), Key("", "length", ge=0.0))
                if getattr(self, name) == 0.0:
                    raise SceneError(f"law parameter {name} = 0 must be positive, or left out")

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them; 0 where the shapes decide."""
        return (*super().row, self.length or 0.0, self.section or 0.0)
