"""Bodies with tags (GM09 §2.5, model §6): prescribed velocities stay, prescribed forces act, and their work is booked.

A prescribed velocity needs whatever force brings the body from the old to the new velocity against contacts and gravity:
its work is what the agent does. A pressure is a force in proportion to the gap between two walls. One thread, id order.

A periodic cell that moves is the last of these bodies: its place is the lengths of the cell, and where j's image n meets i
the force on that image acts on the lengths n times. With the grains' own velocities that follows from one Lagrangian,
½Σmv² + ½W|L̇|² − U, so everything here and in the book holds for the cell as for a wall.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.dynamics.gear import C0_VELOCITY, corrected, predicted
from clast.dynamics.motion import LOSS, gather, gather_heat, moved_too_far, turned


@device
def program_row(tags, step, start):
    """Row of the program for a step: the block begins at step `start`; a program of one row holds for ever."""
    return step - start if tags.program.shape[0] > 1 else 0


@device
def present_drag(tags, row):
    """Drag rate γ of the grains: the last column."""
    return tags.program[row, tags.program.shape[1] - 1]


@device
def gather_pushes(tags, row, state):
    """Forces, torques and pressures of this step into tags.push."""
    push, program = tags.push, tags.program
    for r in range(push.shape[0]):
        for c in range(3):
            push[r, c] = program[row, 6 * r + 3 + c]
    first = 6 * push.shape[0]
    for k in range(tags.load.shape[0]):
        r, c, a, b, axis = tags.load[k, 0], tags.load[k, 1], tags.load[k, 2], tags.load[k, 3], tags.load[k, 4]
        gap = tags.load_number[k, 1]  # of a period that stays: nobody bounds it
        if b >= 0:
            gap += state.body[b, axis]
        if a >= 0:
            gap -= state.body[a, axis]
        push[r, c] += tags.load_number[k, 0] * program[row, first + k] * max(gap, 0.0)


@device
def gather_across(image, pairs, table, width):
    """Force on the lengths of the cell: of every pair the force on j's image, as many times as it lies cells away."""
    fx = fy = 0.0
    for p in range(pairs):
        fx -= image[p, 0] * table[width * p]
        fy -= image[p, 1] * table[width * p + 1]
    return fx, fy, 0.0


@device
def move_tagged(
    order, history, cell, free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha, resync
):  # fmt: skip
    """Move the bodies free ≤ b < moving; see `kick_and_drift` for `drift`, `kick`, `share`. `whole` is the kick of the
    running step, of which an output (drift = 0) does the part `kick`. `order` 0 is Verlet, 4 and 5 are Gear's.
    """
    body, angle, book, gear = state.body, state.angle, state.book, state.gear
    first_pair, first_other, other, reference = contacts.first_pair, contacts.first_other, contacts.other, contacts.reference
    pair_force, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    gather_pushes(tags, row, state)
    drag_rate = present_drag(tags, row)
    part = kick / whole  # of the change of velocity in this kick
    stale = False
    for b in range(free, moving):
        r = b - free
        sums = gather(b, first_pair, first_other, other, pair_force, 4)
        lossy = (0.0, 0.0, 0.0)
        if history:
            lossy = gather(b, first_pair, first_other, other, loss, LOSS)
        is_cell = cell and b == moving - 1
        if is_cell:
            pairs = np.int64(first_pair[first_pair.size - 1])
            sums = gather_across(contacts.image, pairs, pair_force, 4)
            if history:
                lossy = gather_across(contacts.image, pairs, loss, LOSS)
        if history:
            heat, rolled, lost = gather_heat(b, first_pair, loss)
            book[b, 1] += heat
            book[b, 2] += lost
            book[b, 5] += rolled
        mass, inertia = 1.0 / model.inverse_mass[b], 1.0 / model.inverse_inertia[b]
        gamma = drag_rate if tags.dragged[r] else 0.0
        for c in range(3):
            weight = mass if c < 2 else inertia
            gravity = weight * model.gravity[c] if c < 2 else 0.0
            slow = tags.dashpot[r, c] if c < 2 else 0.0  # dashpot of a wall
            old = body[b, 4 + c]
            place = body[b, c] if c < 2 else angle[b]
            if tags.imposed[r, c] and order != 0:  # `old` is the velocity of t_n, the program that of t_n + Δt
                aim = tags.program[row, 6 * r + c] if drift > 0.0 else old
                book[b, 3] += 0.5 * weight * (aim * aim - old * old) - kick * (sums[c] + gravity) * old * dt
                if history:
                    book[b, 0] -= kick * lossy[c] * old * dt
                place += 0.5 * (old + aim) * drift
                new = aim
                for k in range(gear.shape[2]):
                    gear[b, c, k] = 0.0
                # half a step ago the velocity was this much smaller: the springs of its contacts ask (see pair_forces)
                gear[b, c, 0] = 0.5 * (aim - old) * dt
            elif tags.imposed[r, c]:
                aim = tags.program[row, 6 * r + c]
                new = old + part * (aim - old)
                mean = old + share * (new - old)
                book[b, 3] += (weight * (new - old) - (sums[c] + kick * gravity) * dt) * mean
                if history:
                    book[b, 0] -= dt * mean * lossy[c]
                place += aim * drift
            elif order == 0:
                push = kick * tags.push[r, c]
                braking = 0.5 * kick * dt * (slow / weight + gamma)
                new = ((1.0 - braking) * old + (sums[c] + push + kick * gravity) * (dt / weight)) / (1.0 + braking)
                mean = old + share * (new - old)
                book[b, 3] += push * mean * dt
                book[b, 0] += 0.5 * kick * dt * slow * (old + new) * mean
                book[b, 4] += 0.5 * kick * dt * gamma * weight * (old + new) * mean
                if history:
                    book[b, 0] -= dt * mean * lossy[c]
                place += new * drift
            else:
                pace = (sums[c] + tags.push[r, c] + gravity - (slow + gamma * weight) * old) * (0.5 * dt * dt / weight)
                place, way = corrected(order, C0_VELOCITY[order - 4], place, old * dt, gear, b, c, pace, whole < 1.0)
                book[b, 3] += kick * tags.push[r, c] * way
                book[b, 0] += kick * slow * way * way / dt
                book[b, 4] += kick * gamma * weight * way * way / dt
                if history:
                    book[b, 0] -= kick * lossy[c] * way
                if drift > 0.0:
                    place, way = predicted(order, place, way, gear, b, c)
                new = way / dt
            body[b, 4 + c] = new
            if c < 2:
                body[b, c] = place
            else:
                angle[b] = place
                if resync or order != 0:
                    body[b, 2], body[b, 3] = math.cos(place), math.sin(place)
                else:
                    body[b, 2], body[b, 3] = turned(body[b, 2], body[b, 3], new * drift)
        span = reference[b, 3] if is_cell else 1.0  # the farthest image in use moves that many times as much
        if moved_too_far(
            span * (body[b, 0] - reference[b, 0]), span * (body[b, 1] - reference[b, 1]),
            angle[b] - reference[b, 2], reference[b, 3], alpha,
        ):  # fmt: skip
            stale = True
    return stale
