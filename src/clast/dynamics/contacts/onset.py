"""Steps in which a contact opens or closes: how much of their kick counts (model §6).

The elastic force has a kink at δ = 0. A kick at t_n is one half for the step before and one half for the step after; where
the contact closed during the step before, or will open during the step after, only a part w of that half is given. With
linear springs Verlet conserves energy exactly between such steps, so w can be chosen to close the balance: the work of the
weighted kick on the mean of the velocities before and after it must be the energy U stored at t_n,

    closing   w = 2 (e + c₊)/(c₋ + c₊) − 1        opening   w = 2 (e − c₋)/(−c₋ − c₊) − 1        e = 2U/(F Δt)

c₋, c₊ being the closing speeds before and after the kick. To lowest order that is w = δ/(|c|Δt), the part of the step
spent in contact: with it the forces of all pairs are found first. c₊ depends on all contacts of the pair, so it is then
found by a few turns of iteration, for the pairs that need it, with the other pairs of the two bodies as they were found
first: in a dense sample these push as hard as the pair itself, and leaving them out would eat energy in every step.
"""

import math
from typing import Any

from clast.backend.device import device

BELOW = 2.0  # ways of one step: a contact deeper than this neither closed in the last step nor opens in the next
TURNS = 4  # of the iteration; each gains a factor (ωΔt)²


@device
def parts_in_contact(depth, closing_speed, dt, onset):
    """Parts of the step before and of the step after that a touching contact spends in contact, to lowest order.

    The tangential spring has had only that part of the step before to grow. `onset` = 0 switches this off.
    """
    travel = math.fabs(closing_speed) * dt
    if depth >= travel:
        return 1.0, 1.0
    part = 1.0 - onset * (1.0 - depth / travel)
    if closing_speed > 0.0:
        return part, 1.0
    return 1.0, part


def kicks_of_dashpots(begun: Any) -> Any:
    """`kicks(past_part, future_part, pulls, past, future)`: how much of a kick counts for dashpots, of its two halves as wanted.

    Dashpots have no energy to balance. A half that the contact lasts only in part is weighted by `begun(part)` where the contact
    closes: dashpots act from the first touch on, springs grow. Where it opens they fade with the springs, for they may not make
    it pull; `pulls` where the law lets them.
    """

    @device
    def kicks(past_part, future_part, pulls, past, future):
        whole = begun(min(past_part, future_part))  # of the one that is not 1
        before = whole if past_part < 1.0 else 1.0
        after = whole if pulls and future_part < 1.0 else future_part
        return past * before + future * after

    return kicks


@device
def last_part(depth, closing_speed, dt, onset):
    """Part of the step just past that a contact lasted which now has opened: depth ≤ 0, the gap; closing_speed < 0."""
    travel = math.fabs(closing_speed) * dt
    return 1.0 + onset * max(depth / travel, -1.0) if travel > 0.0 else 1.0


@device
def balanced_parts(depth, stored, before, after, dt):
    """The same parts so that energy balances: `stored` = 2U/(FΔt), closing speeds `before` and `after` the kick."""
    closes = before > 0.0 and depth < before * dt
    opens = after < 0.0 and depth < -after * dt
    if closes == opens or before + after == 0.0:
        return 1.0, 1.0, closes and opens
    part = 2.0 * (stored + (after if closes else -before)) / math.fabs(before + after) - 1.0
    part = min(max(part, 0.0), 1.0)
    return (part, 1.0, False) if closes else (1.0, part, False)
