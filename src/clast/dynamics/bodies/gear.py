"""Gear's predictor-corrector of order 4 (five values) and 5 (six values) in the place of kick and drift (model §6).

Scaled derivatives r_k = Δt^k r^(k)/k!. Between steps the state is predicted for t_n. The forces found there give the
acceleration a; Δ = ½Δt² a − r₂ corrects every derivative by c_k Δ, and Pascal's triangle predicts t_n + Δt:

    contact forces        x, v predicted for t_n
    correct and predict   state of t_n, then the prediction for t_n + Δt

An output corrects only, on a copy. The first step knows no derivatives above the second. Tangential springs follow the
sliding speed of half a step ago, or their energy would close to first order only. A prescribed velocity sets its
derivatives to 0.
"""

from clast.backend.device import device

# c_k for forces that depend on the velocity as well
COEFFICIENTS = {
    4: (19.0 / 90.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0),
    5: (3.0 / 16.0, 251.0 / 360.0, 1.0, 11.0 / 18.0, 1.0 / 6.0, 1.0 / 60.0),
}
CONSERVATIVE = {4: 19.0 / 120.0, 5: 3.0 / 20.0}  # c₀ for forces of the position alone
C4, C5 = COEFFICIENTS[4], COEFFICIENTS[5]
C0_VELOCITY = (C4[0], C5[0])
C0_PLACE = (CONSERVATIVE[4], CONSERVATIVE[5])


@device
def corrected(order, at, x, step, gear, b, c, kick, first):
    """Correct one component: place x, step = v Δt, derivatives in gear[b, c]; `kick` = ½Δt² a. Returns place and step."""
    if first:
        gear[b, c, 0] = kick
        return x, step
    change = kick - gear[b, c, 0]
    gear[b, c, 0] = kick
    if order == 4:
        gear[b, c, 1] += C4[3] * change
        gear[b, c, 2] += C4[4] * change
        return x + at * change, step + C4[1] * change
    gear[b, c, 1] += C5[3] * change
    gear[b, c, 2] += C5[4] * change
    gear[b, c, 3] += C5[5] * change
    return x + at * change, step + C5[1] * change


@device
def predicted(order, x, step, gear, b, c):
    """Predict one component one step ahead (Pascal's triangle). Returns place and step = v Δt."""
    r2, r3, r4 = gear[b, c, 0], gear[b, c, 1], gear[b, c, 2]
    if order == 4:
        gear[b, c, 0] = r2 + 3.0 * r3 + 6.0 * r4
        gear[b, c, 1] = r3 + 4.0 * r4
        return x + step + r2 + r3 + r4, step + 2.0 * r2 + 3.0 * r3 + 4.0 * r4
    r5 = gear[b, c, 3]
    gear[b, c, 0] = r2 + 3.0 * r3 + 6.0 * r4 + 10.0 * r5
    gear[b, c, 1] = r3 + 4.0 * r4 + 10.0 * r5
    gear[b, c, 2] = r4 + 5.0 * r5
    return x + step + r2 + r3 + r4 + r5, step + 2.0 * r2 + 3.0 * r3 + 4.0 * r4 + 5.0 * r5
