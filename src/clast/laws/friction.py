"""Cundall-Strack friction: a spring in the tangent plane that slides (EPL08 eq 6-7, PRE10 eq 19-22). Shared by the laws.

    F_t = −(k_t s + c v_t),   s = ∫ v_t dt, cut back to k_t|s| ≤ cap on sliding,   energy ½ k_t s²

Heat of sliding in one step. Over the step from n−1 to n the kicks do the work of the mean force ½ k_t (s_old + s_new)
along the displacement s_trial − s_old, and the spring stores ½ k_t (s_new² − s_old²); what is left,
½ k_t (s_old + s_new)·(s_trial − s_new), is heat. Taking k_t s_new·(s_trial − s_new) instead is of first order only.
"""

import math

from clast.backend.device import law_function


@law_function
def length(u, w):
    """Length of a vector in the tangent plane; in two dimensions w is the constant 0 and this is |u|."""
    if w == 0.0:
        return math.fabs(u)
    return math.sqrt(u * u + w * w)


@law_function
def is_within(u, w, limit):
    """Whether a vector in the tangent plane is no longer than `limit`: by squares, for a root would be waited for."""
    if w == 0.0:
        return math.fabs(u) <= limit
    return limit >= 0.0 and u * u + w * w <= limit * limit


@law_function
def slide(stiffness, cap, spring_u, spring_w, sliding_u, sliding_w, dt):
    """The spring after a step: new spring (u, w) and the heat of sliding."""
    trial_u = spring_u + sliding_u * dt
    trial_w = spring_w + sliding_w * dt
    if not is_within(stiffness * trial_u, stiffness * trial_w, cap):
        ratio = cap / (stiffness * length(trial_u, trial_w))
        new_u = trial_u * ratio
        new_w = trial_w * ratio
        heat = 0.5 * stiffness * ((spring_u + new_u) * (trial_u - new_u) + (spring_w + new_w) * (trial_w - new_w))
        return new_u, new_w, heat
    return trial_u, trial_w, 0.0


@law_function
def hold_back(shear_u, shear_w, drag_u, drag_w, cap):
    """The dashpot gives way first: |spring + dashpot| stays within the cap. Returns what is left of the dashpot."""
    total_u = shear_u + drag_u
    total_w = shear_w + drag_w
    if not is_within(total_u, total_w, cap):
        ratio = cap / length(total_u, total_w)
        return total_u * ratio - shear_u, total_w * ratio - shear_w
    return drag_u, drag_w


@law_function
def no_pull(elastic, viscous):
    """A dashpot may not make a contact pull: the viscous force that is allowed."""
    return max(viscous, -elastic)
