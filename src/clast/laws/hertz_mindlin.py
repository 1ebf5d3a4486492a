"""Hertz-Mindlin contact of elastic spheres with Tsuji's damping (model §3): force and energy side by side.

    normal       F_n = 4/3 E* √R* δ^{3/2} + 2√(5/6) β √(S m_e) v·N, not below zero;   S = 2E*√(R*δ)
    tangential   k_t = 8G*√(R*δ), incremental: dF_t = k_t dx while the contact is loaded; on unloading F_t falls with k_t
                 (or a spring stiffened under load would give back more than it took); |F_t| ≤ μ F_n
    energy       8/15 E* √R* δ^{5/2} + ½ k_t s²

R* is the reduced sphero-radius. The spring is kept as the displacement s = F_t/k_t together with its k_t. While k_t grows
under load F_t is kept, so s shrinks; while it falls s is kept, so F_t shrinks. Both cost elastic energy, booked with sliding:
heat = ½(F_old + F_new)·dx − (E_new − E_old).
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from clast.errors import SceneError
from clast.keys import Key
from clast.laws.friction import hold_back, length, no_pull
from clast.laws.law import Law, Response
from clast.laws.parameters import NO_HOLD, Friction, Restitution
from clast.laws.restitution import damping_ratio

DAMPING = 2.0 * math.sqrt(5.0 / 6.0)
YOUNG = Key(
    "effective modulus E*, or where `poisson` is given Young's modulus of the material", "force/length²", gt=0.0, at_zero=NO_HOLD
)
POISSON = Key("Poisson's ratio of the material; then `shear` follows from it", gt=-1.0, le=0.5)
SHEAR = Key("effective shear modulus G*; needed where there is friction", "force/length²", ge=0.0)


def elastic(parameters, depth, radius):
    """4/3 E* √R* δ^{3/2}."""
    return 4.0 / 3.0 * parameters[0] * math.sqrt(radius * depth) * depth


def normal_energy(parameters, depth, radius):
    """8/15 E* √R* δ^{5/2}."""
    return 8.0 / 15.0 * parameters[0] * math.sqrt(radius * depth) * depth * depth


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring with its stiffness, and the heat."""
    young, shear, mu, beta = parameters
    width = math.sqrt(contact.radius * contact.depth)
    push = 4.0 / 3.0 * young * width * contact.depth
    damping = DAMPING * beta * math.sqrt(2.0 * young * width * contact.reduced_mass)
    viscous = no_pull(push, damping * contact.closing_speed)
    cap = mu * (push + viscous)
    k_t = 8.0 * shear * width
    k_old = memory.extra
    # loaded: the force stays; unloaded, or taken over from another law (k_old = 0): the displacement
    keep = k_old / k_t if k_t > k_old > 0.0 else 1.0
    trial_u = keep * memory.spring_u + contact.sliding_u * dt
    trial_w = keep * memory.spring_w + contact.sliding_w * dt
    pull = k_t * length(trial_u, trial_w)
    cut = cap / pull if pull > cap else 1.0
    spring_u = trial_u * cut
    spring_w = trial_w * cut
    work = 0.5 * dt * (
        (k_old * memory.spring_u + k_t * spring_u) * contact.sliding_u
        + (k_old * memory.spring_w + k_t * spring_w) * contact.sliding_w
    )  # fmt: skip
    stored = 0.5 * k_t * (spring_u * spring_u + spring_w * spring_w) - 0.5 * k_old * (
        memory.spring_u * memory.spring_u + memory.spring_w * memory.spring_w
    )
    drag = -DAMPING * beta * math.sqrt(k_t * contact.reduced_mass)
    shear_u = -k_t * spring_u
    shear_w = -k_t * spring_w
    drag_u, drag_w = hold_back(shear_u, shear_w, drag * contact.sliding_now_u, drag * contact.sliding_now_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, k_t, work - stored)


def begun(part):
    """Weight of the half of a kick for a step of which a contact lasts a part p: 1 − 2 ζ(−¼, p) p^−¼.

    These dashpots grow as s^¼ from the first touch on. A sum over steps differs from ∫ s^¼ ds by Hurwitz's ζ(−¼, p) (Euler and
    Maclaurin), which the first of its terms takes off; ζ(−¼, p) = p^¼ + ζ(−¼, 1 + p), and that is smooth.
    """
    zeta = -0.32042874 + part * (-0.86107111 + part * (-0.17808119 + part * (0.05004271 - part * 0.01092998)))  # to 2e-5
    return -1.0 - 2.0 * zeta / math.sqrt(math.sqrt(part))


def spring_energy(parameters, spring_u, spring_w, extra):
    """½ k_t s², with the k_t kept beside the spring."""
    return 0.5 * extra * (spring_u * spring_u + spring_w * spring_w)


@dataclass(frozen=True)
class HertzMindlin(Law):
    """Elastic spheres with Tsuji's damping. Of one material on each other, or of two by their effective moduli.

    young          E* = [(1−ν₁²)/E₁ + (1−ν₂²)/E₂]⁻¹ [force/length²]
    shear          G* = [(2−ν₁)/G₁ + (2−ν₂)/G₂]⁻¹ [force/length²]
    friction       μ; infinity holds every contact by its spring
    restitution    e of a straight impact, from 0.01 to 1, for none lost: β is its damping ratio (`clast.laws.restitution`)

    `HertzMindlin.of_material(young=E, poisson=ν, …)` takes the constants of the material itself.
    `rolling` and `cohesion` are a `Rolling` and a `Cohesion` on top, `sliding_by` is as in `Linear`. SceneError names a
    parameter that cannot be, and friction without a shear modulus.
    """

    young: Annotated[float, YOUNG]
    shear: Annotated[float, SHEAR] = 0.0
    friction: Friction = 0.0
    restitution: Restitution = 1.0

    kind = "hertz-mindlin"
    known_as = "the law of Hertz and Mindlin"
    listed = 3
    module = __name__
    needs_extra = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.friction > 0.0 and self.shear == 0.0:
            raise SceneError(f"friction = {self.friction} needs a shear modulus > 0")

    @classmethod
    def from_keys(  # type: ignore[override]
        cls,
        *,
        young: Annotated[float, YOUNG],
        poisson: Annotated[float | None, POISSON] = None,
        shear: Annotated[float | None, SHEAR] = None,
        friction: Friction = 0.0,
        restitution: Restitution = 1.0,
        **on_top: Any,
    ) -> "HertzMindlin":
        """By effective moduli, or where `poisson` is given by the constants of the material; SceneError for both."""
        if poisson is None:
            return cls(young, shear or 0.0, friction, restitution, **on_top)
        if shear is not None:
            raise SceneError("give poisson (with Young's modulus of the material) or shear (with effective moduli), not both")
        return cls.of_material(young=young, poisson=poisson, friction=friction, restitution=restitution, **on_top)

    @classmethod
    def of_material(
        cls, *, young: float, poisson: float, friction: float = 0.0, restitution: float = 1.0, **more: object
    ) -> "HertzMindlin":
        """Two bodies of one material with Young's modulus E and Poisson's ratio ν: E* = E/2(1−ν²), G* = E/4(1+ν)(2−ν)."""
        for name, value in (("young", young), ("poisson", poisson)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise SceneError(f"law parameter {name} = {value!r} must be a number")
        if not -1.0 < poisson <= 0.5:
            raise SceneError(f"law parameter poisson = {poisson} must lie above −1 and not above 0.5")
        effective = young / (2.0 * (1.0 - poisson**2))
        shear = young / (4.0 * (1.0 + poisson) * (2.0 - poisson))
        return cls(effective, shear, friction, restitution, **more)  # type: ignore[arg-type]

    @property
    def damps_or_slides(self) -> bool:
        """Whether a contact remembers anything or loses energy."""
        return self.friction > 0.0 or self.restitution < 1.0

    @property
    def damps(self) -> bool:
        """Whether there are dashpots."""
        return self.restitution < 1.0

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return self.young, self.shear, min(self.friction, 1e300), damping_ratio(self.restitution)

    def stiffness(self, depth: float, radius: float) -> float:
        """The larger of 2E*√(R*δ) and 8G*√(R*δ)."""
        return max(2.0 * self.young, 8.0 * self.shear) * math.sqrt(radius * depth)
