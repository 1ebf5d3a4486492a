"""What a law receives and what it returns, and what every law has in common.

A law is a module (or an object, see `clast.laws.own`) with four plain functions of scalars, compiled into the contact loop:

    elastic(parameters, depth, radius)                     normal elastic force of one counted contact
    normal_energy(parameters, depth, radius)               its energy: elastic = d(normal_energy)/d(depth)
    force(parameters, contact, memory, dt) → Response      everything, with friction and damping
    spring_energy(parameters, spring_u, spring_w, extra)   energy of the tangential spring

`parameters` is the tuple `row` of the law; `contact` a `Contact`, `memory` a `Memory`. Tangential quantities are pairs
(u, w) in the tangent plane; in two dimensions u is along T = ẑ × N and w is always 0. Contacts that do not remember
anything and do not lose anything use `elastic` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from clast.errors import SceneError
from clast.keys import Key
from clast.laws.cohesion import Cohesion
from clast.laws.parameters import require_declared
from clast.laws.rolling import Rolling


class Contact(NamedTuple):
    """The contact record: what a law may know of one counted contact between a and b (model §3)."""

    depth: float  # δ, how far the grains overlap; positive
    closing_speed: float  # v·N at t_n, v = v_a − v_b at the contact point, N from a to b: positive when approaching
    sliding_u: float  # v in the tangent plane half a step ago: springs follow it
    sliding_w: float
    reduced_mass: float  # m_a m_b/(m_a + m_b); of a fixed or big body the other's mass
    radius: float  # reduced sphero-radius r_a r_b/(r_a + r_b), likewise
    sliding_now_u: float = 0.0  # v in the tangent plane at t_n: dashpots see it
    sliding_now_w: float = 0.0


class Memory(NamedTuple):
    """What a contact remembers from the step before; zeros when it is new."""

    spring_u: float  # tangential spring: the displacement it has kept
    spring_w: float
    extra: float  # one number more, for laws that say they need it


class Response(NamedTuple):
    """What a law answers. Forces on a: −(elastic + viscous) N + (shear + drag) in the tangent plane; b gets the opposite."""

    elastic: float
    viscous: float
    shear_u: float  # tangential force of the spring
    shear_w: float
    drag_u: float  # and of the dashpot
    drag_w: float
    spring_u: float  # new memory
    spring_w: float
    extra: float
    heat: float  # what sliding turned into heat during this step, dashpots not included


@dataclass(frozen=True)
class Law(ABC):
    """What every law has: rolling resistance and cohesion can be added to any of them.

    sliding_by   what springs grow by: the "path" of the contact point, or between two vertices an "angle" (docs/laws.md)

    A subclass with a `kind` is found by itself, in scene files too: its parameters with a `Key` are the keys there, and are
    checked here. SceneError names the first that breaks the limits of its key.
    """

    sliding_by: Annotated[
        Literal["path", "angle"], Key("what springs grow by: path of the contact point; angle between vertices (McNamara)")
    ] = field(default="path", kw_only=True)
    rolling: Annotated[Rolling | None, Key("rolling resistance, a table")] = field(default=None, kw_only=True)
    cohesion: Annotated[Cohesion | None, Key("cohesion, a table")] = field(default=None, kw_only=True)

    # not annotated, so that they are no fields of the dataclass
    kind = ""  # its name in scene files; a law without one is for Python only
    known_as = ""  # what that name stands for, in a few words, for the reference of scene files
    listed = 100  # lists of laws go by this number, then by the kind
    module = ""  # where kernels find the functions,
    bouncing = ""  # and those with a dashpot by restitution, where a law has both: of scenes in which one law `bounces`
    needs_extra = False  # whether contacts remember a second number
    needs_volume = False  # whether it acts by the volume of the overlap: between sharp solids, and between no others

    def __post_init__(self) -> None:
        for name, wanted in (("rolling", Rolling), ("cohesion", Cohesion)):
            given = getattr(self, name)
            if given is not None and not isinstance(given, wanted):
                raise SceneError(f"law: {name} = {given!r} must be a {wanted.__name__}(…) or None")
        require_declared(self)

    @classmethod
    def from_keys(cls, **given: Any) -> Law:
        """The law that a scene file describes. A law whose keys are not its parameters has its own, and declares them there."""
        return cls(**given)

    @property
    @abstractmethod
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""

    @property
    @abstractmethod
    def damps_or_slides(self) -> bool:
        """Whether a contact remembers anything or loses energy."""

    @property
    def damps(self) -> bool:
        """Whether there may be dashpots: these see velocities of t_n, which are found only where somebody needs them."""
        return self.damps_or_slides

    @property
    def bounces(self) -> bool:
        """Whether the functions of `bouncing` are needed."""
        return False

    @property
    def history(self) -> bool:
        """Whether contacts remember anything or lose energy."""
        return self.damps_or_slides or self.rolling is not None

    @property
    def turning_row(self) -> tuple[float, ...]:
        """Parameters of what resists turning on top of the law: none, where nothing does."""
        return self.rolling.row if self.rolling is not None else ()

    @abstractmethod
    def stiffness(self, depth: float, radius: float) -> float:
        """∂F_n/∂δ at an overlap, for the time step [force/length]."""

    @property
    def range(self) -> float:
        """How far beyond touching the law acts [length]."""
        return self.cohesion.range if self.cohesion is not None else 0.0

    @property
    def compiled_as(self) -> tuple[object, ...]:
        """Laws for which this is the same are compiled together: they differ in numbers only."""
        return self.module, bool(self.turning_row), self.cohesion is not None, self.sliding_by
