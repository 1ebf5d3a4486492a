"""Hertz-Mindlin contacts as other programs may keep them, to find out which of them published impacts were made with.

Programs agree on k_n and k_t = 8G*√(R*δ) and differ in what model §3 fixes for `HertzMindlin`. Each habit is one switch:

    kept      0: F_t stays as k_t grows and falls with it (ours); 1: the displacement s always stays, F_t = k_t s;
              2: F_t always stays, dF_t = k_t dx
    softer    by which k_t is divided
    pulls     the dashpot may pull, until the overlap is gone; its e is then the parameter given to `HertzMindlin`
    elastic   friction is capped by μ times the elastic force alone, not by μ(elastic + viscous)
    sticking  the tangential dashpot acts in full, above the cap, while the spring sticks, and not at all while it slides
    together  the cap holds for spring and tangential dashpot in full together: where their sum is above it, the sum is cut to
              it, and the spring alone bears that and keeps it

All off is `HertzMindlin`. With kept 1 or 2 a spring can give back more than it took, so no heat is counted and no book kept.
`VARIANTS` are the combinations with which the published figures of Chung & Ooi come out.
"""

import math
from typing import NamedTuple

from clast.experiments.impacts.thrown import Ball, effective, hertz_mindlin
from clast.laws.friction import hold_back, length, no_pull
from clast.laws.hertz_mindlin import DAMPING, HertzMindlin, begun, elastic, normal_energy, spring_energy
from clast.laws.law import Response
from clast.laws.own import OwnLaw
from clast.laws.restitution import pulling_ratio


class Habit(NamedTuple):
    """The switches above."""

    kept: int = 0
    softer: float = 1.0
    pulls: bool = False
    elastic: bool = False
    sticking: bool = False
    together: bool = False


STIFF = 0.895  # k_t 12 % above 8G*√(R*δ): fitted to tests 6 and 8; as of ν = 0.19 in place of 0.33
VARIANTS = {
    "grip": Habit(kept=1, pulls=True, elastic=True, sticking=True),
    "grip-stiff": Habit(kept=1, softer=STIFF, pulls=True, elastic=True, sticking=True),
    "sum-stiff": Habit(kept=1, softer=STIFF, pulls=True, elastic=True, together=True),
    "half": Habit(kept=2, softer=2.0),
}


def other_force(parameters, contact, memory, dt):  # type: ignore[no-untyped-def]
    """As `HertzMindlin`, with the switches after its four parameters; switches are numbers in compiled code."""
    young, shear, mu, beta, kept, pulls, by_elastic, sticking, together = parameters
    width = math.sqrt(contact.radius * contact.depth)
    push = 4.0 / 3.0 * young * width * contact.depth
    viscous = DAMPING * beta * math.sqrt(2.0 * young * width * contact.reduced_mass) * contact.closing_speed
    if pulls < 0.5:
        viscous = no_pull(push, viscous)
    cap = mu * push if by_elastic > 0.5 else mu * max(push + viscous, 0.0)
    k_t = 8.0 * shear * width
    k_old = memory.extra
    force_stays = kept > 1.5 or (kept < 0.5 and k_t > k_old)
    keep = k_old / k_t if force_stays and k_old > 0.0 else 1.0
    trial_u = keep * memory.spring_u + contact.sliding_u * dt
    trial_w = keep * memory.spring_w + contact.sliding_w * dt
    drag = -DAMPING * beta * math.sqrt(k_t * contact.reduced_mass)
    # in units of displacement, as the spring: with it what the cap holds, where that is both together
    brake = drag / k_t if together > 0.5 else 0.0
    sum_u = trial_u - brake * contact.sliding_now_u
    sum_w = trial_w - brake * contact.sliding_now_w
    pull = k_t * length(sum_u, sum_w)
    slides = pull > cap
    spring_u = sum_u * cap / pull if slides else trial_u
    spring_w = sum_w * cap / pull if slides else trial_w
    shear_u = -k_t * spring_u
    shear_w = -k_t * spring_w
    drag_u = drag * contact.sliding_now_u
    drag_w = drag * contact.sliding_now_w
    if sticking < 0.5 and together < 0.5:
        drag_u, drag_w = hold_back(shear_u, shear_w, drag_u, drag_w, cap)
    elif slides:
        drag_u, drag_w = 0.0, 0.0
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, k_t, 0.0)


def numbers(ball: Ball, partner: Ball | None, friction: float, restitution: float, habit: Habit) -> dict[str, float]:
    """The parameters of `other_force`, for a ball on a partner or a rigid plane, with the `restitution` that comes out."""
    young, shear, mu, beta = hertz_mindlin(ball, partner, friction, restitution).row
    if habit.pulls:
        beta = pulling_ratio(restitution)
    return {
        "young": young, "shear": shear / habit.softer, "friction": mu, "beta": beta, "kept": float(habit.kept),
        "pulls": float(habit.pulls), "elastic": float(habit.elastic), "sticking": float(habit.sticking),
        "together": float(habit.together),
    }  # fmt: skip


def other_law(ball: Ball, partner: Ball | None, friction: float, restitution: float, habit: Habit) -> OwnLaw:
    """The law of such a contact."""
    stiffness = HertzMindlin(*effective(ball, partner)).stiffness
    return OwnLaw(
        numbers(ball, partner, friction, restitution, habit), elastic, normal_energy, stiffness, other_force, spring_energy,
        needs_extra=True, begun=begun,
    )  # fmt: skip
