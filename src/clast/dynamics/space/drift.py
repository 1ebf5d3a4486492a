"""Kick and drift of free bodies in space, the second pass of a step by velocity Verlet; see `clast.dynamics.step`.

The rotation is kicked in its momentum and turned freely in between, so that the twin of the plane's identity holds: with
the kinetic energy ½ v₋·m v₊ + ½ L₋·I⁻¹ L₊ at t_n (before and after the kick, L in the body frame at t_n), its change over a
step is the work of two half kicks, each with the velocity and the spin I⁻¹L next to it, and what `free_turn` errs in the energy:
nothing where two moments are equal.
"""

from clast.backend.device import routine
from clast.contact.vectors import along, minus, plus, rotation_of, times, triple, turn_back
from clast.dynamics.arrays import WORK
from clast.backend.device import unsigned
from clast.dynamics.space.arrays import PULL, ROW
from clast.dynamics.space.motion import free_turn, gather, gather_all, moved_too_far, spin_of

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@routine
def kick_and_drift(history, low, high, model, state, contacts, forces, dt, drift, kick, share, drag, alpha):
    """Move the free bodies low ≤ b < high. `kick` is the part of Δt that gravity acts: 1, or ½ in the first step.
    `drift` is Δt, or 0 to finish a kick without moving. Work is booked with the velocity of the half step each half of
    the kick belongs to: `share` of it with the new one, ½ in general, 1 in the first step, 0 when finishing a kick.
    `drag` is the rate γ of a drag −γmv, −γL, taken at the mean of the old and the new velocity. `history` 2 also books the
    work of what has no potential.

    The spin left in a row is the mean over the drift, or without a drift that of the momentum, in the world.
    Returns whether a body has moved further than alpha since the lists were built.
    """
    body, momentum, book = state.body.reshape(-1), state.momentum.reshape(-1), state.book.reshape(-1)
    first_pair, first_other, other = contacts.first_pair, contacts.first_other, contacts.other
    reference = contacts.reference.reshape(-1)
    inverse_mass, inverse_inertia = model.inverse_mass, model.inverse_inertia.reshape(-1)
    pair_force, loss, done = forces.pair.reshape(-1), forces.loss.reshape(-1), forces.work.reshape(-1)
    gravity_x = model.gravity[0] * (kick * dt)
    gravity_y = model.gravity[1] * (kick * dt)
    gravity_z = model.gravity[2] * (kick * dt)
    braking = 0.5 * drag * kick * dt
    gain = 1.0 / (1.0 + braking)
    keep = (1.0 - braking) * gain
    stale = False
    for q in range(low, high):
        b = unsigned(q)
        row, at, entry = ROW * b, 4 * b, 8 * b
        lossy, warmth = NOTHING, (0.0, 0.0, 0.0)
        if history:
            pull, lossy, warmth = gather_all(b, first_pair, first_other, other, pair_force, loss)
        else:
            pull = gather(b, first_pair, first_other, other, pair_force, PULL)
        fx, fy, fz, tx, ty, tz = pull
        rate = inverse_mass[b] * dt
        inverse = triple(inverse_inertia, 3 * b)
        turn = (body[row + 4], body[row + 5], body[row + 6], body[row + 7])
        rotation = rotation_of(turn[0], turn[1], turn[2], turn[3])
        old_vx, old_vy, old_vz = body[row + 8], body[row + 9], body[row + 10]
        vx = keep * old_vx + gain * (fx * rate + gravity_x)
        vy = keep * old_vy + gain * (fy * rate + gravity_y)
        vz = keep * old_vz + gain * (fz * rate + gravity_z)
        old = triple(momentum, at)
        new = plus(times(keep, old), times(gain * dt, turn_back(rotation, (tx, ty, tz))))
        work_vx = old_vx + share * (vx - old_vx)
        work_vy = old_vy + share * (vy - old_vy)
        work_vz = old_vz + share * (vz - old_vz)
        work = along(old, share, minus(new, old))  # momentum the work is done at
        if history:
            lx, ly, lz, mx, my, mz = lossy
            heat, rolled, lost = warmth
            wx, wy, wz = spin_of(rotation, work, inverse)
            book[entry] -= dt * (lx * work_vx + ly * work_vy + lz * work_vz + mx * wx + my * wy + mz * wz)
            book[entry + 1] += heat
            book[entry + 2] += lost
            book[entry + 5] += rolled
            if history > 1:
                px, py, pz, sx, sy, sz = gather(b, first_pair, first_other, other, done, PULL)
                book[entry + WORK] -= dt * (px * work_vx + py * work_vy + pz * work_vz + sx * wx + sy * wy + sz * wz)
        if drag > 0.0:
            book[entry + 4] += braking * (
                ((old_vx + vx) * work_vx + (old_vy + vy) * work_vy + (old_vz + vz) * work_vz) / inverse_mass[b]
                + (old[0] + new[0]) * work[0] * inverse[0]
                + (old[1] + new[1]) * work[1] * inverse[1]
                + (old[2] + new[2]) * work[2] * inverse[2]
            )
        x = body[row] + vx * drift
        y = body[row + 1] + vy * drift
        z = body[row + 2] + vz * drift
        if drift > 0.0:
            turn, new, spin = free_turn(turn, new, inverse, drift)
        else:
            spin = spin_of(rotation, new, inverse)
        body[row] = x
        body[row + 1] = y
        body[row + 2] = z
        body[row + 4], body[row + 5], body[row + 6], body[row + 7] = turn
        body[row + 8] = vx
        body[row + 9] = vy
        body[row + 10] = vz
        body[row + 12], body[row + 13], body[row + 14] = spin
        momentum[at], momentum[at + 1], momentum[at + 2] = new
        then = (reference[entry + 4], reference[entry + 5], reference[entry + 6], reference[entry + 7])
        if moved_too_far(
            x - reference[entry], y - reference[entry + 1], z - reference[entry + 2], turn, then, reference[entry + 3], alpha
        ):
            stale = True
    return stale
