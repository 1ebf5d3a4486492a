"""Every loop that Python calls for sharp bodies, with a law of overlaps bound to it by name; see `clast.dynamics.space.kernels`.

A module that works as it stands, and the template from which `clast.backend.bind` makes one module per law.
"""

import numpy as np

from clast.backend.bind import functions_of
from clast.backend.device import kernel, law_function, parallel_kernel, parallel_range, routine, stay_whole
from clast.dynamics.sharp.forces import overlap_forces
from clast.dynamics.sharp.table import overlap_table
from clast.dynamics.space.drift import kick_and_drift
from clast.dynamics.space.gear import correct_and_predict
from clast.dynamics.space.tagged import move_tagged, present_drag, program_row
from clast.neighbours.sharp_lists import carry_overlaps, list_overlaps
from clast.neighbours.space_cells import find_pairs, index_pairs, sort_pairs
from clast.neighbours.sweep import sweep_pairs
from clast.neighbours.sweep_boxes import keep_near_pairs

# --- bound ---
LAW = "clast.laws.overlap_volume"  # where the functions of the law are found
MEET = "meet"  # how contacts are counted: an overlap is one
HISTORY = 1  # whether contacts remember or lose anything
SIZED = 0
EXTRA = 0
ROLLING = 0
COHESIVE = 0
CELL = 0  # whether the periodic cell moves: not in space
GEAR = 0  # order of Gear's method, 0 for velocity Verlet
OWN = 5  # parameters of the law itself


def unpack(table, row):
    """Parameters of the law for one pair of materials."""
    return table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4]


# --- end of bound ---

DONE, STALE, DEEP_OVERLAP = 0, 1, 2  # status of a stretch

law = functions_of(LAW)
elastic = law_function(law.elastic)
force = law_function(law.force)
normal_energy = law_function(law.normal_energy)
spring_energy = law_function(law.spring_energy)
unpack = law_function(unpack)
CONSERVING = int(law.CONSERVING)
BOOKED = HISTORY if CONSERVING else 2  # 2: forces.work is booked as well


@routine
def force_pass(low, high, geometry, model, state, contacts, forces, thread, dt, spring_dt, kick):
    """Forces of a range of pairs; compiled once for all that follows."""
    stay_whole()
    return overlap_forces(
        elastic, force, spring_energy, unpack, CONSERVING, HISTORY, GEAR, low, high,
        geometry, model, state, contacts, forces, thread, dt, spring_dt, kick,
    )  # fmt: skip


@routine
def motion_pass(low, high, model, state, contacts, forces, dt, drift, kick, whole, share, drag, alpha):
    """Move a range of free bodies; whether one has moved too far. Without `drift` only velocities and paths change."""
    stay_whole()
    if GEAR == 0:
        return kick_and_drift(BOOKED, low, high, model, state, contacts, forces, dt, drift, kick, share, drag, alpha)
    return correct_and_predict(
        GEAR, BOOKED, low, high, model, state, contacts, forces, dt, drift != 0.0, kick, whole < 1.0, drag, alpha
    )


@routine
def tagged_pass(free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha):
    """Move the bodies with tags; whether one has moved too far."""
    stay_whole()
    return move_tagged(
        GEAR, BOOKED, free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha
    )


@kernel
def advance(geometry, model, state, contacts, forces, tags, step, end, start, pairs, free, moving, dt, onset, alpha):
    """Step until `end`, until the lists are stale or until an overlap is too deep. Returns (step, status, pair).

    The program of the tags begins at step `start`. Volumes grow smoothly or with a kink, never by a jump: `onset`, the weight
    of a step in which a contact opens or closes, belongs to rounded bodies and is not looked at.
    """
    while step < end:
        past, spring_dt, share = 0.5, dt, 0.5
        if step == 0:  # the velocities given are those of t = 0: half a kick, no time for springs
            past, spring_dt, share = 0.0, 0.0, 1.0
        before = past if GEAR == 0 else 0.5
        deep = force_pass(0, pairs, geometry, model, state, contacts, forces, 0, dt, spring_dt, before + 0.5)
        if deep >= 0:
            return step, DEEP_OVERLAP, deep
        row = program_row(tags, step, start)
        drag = present_drag(tags, row)
        step += 1
        kick = past + 0.5
        stale = motion_pass(0, free, model, state, contacts, forces, dt, dt, kick, kick, share, drag, alpha)
        stale |= tagged_pass(free, moving, model, state, contacts, forces, tags, row, dt, dt, kick, kick, share, alpha)
        if stale:
            return step, STALE, np.int64(-1)
    return step, DONE, np.int64(-1)


@parallel_kernel
def advance_parallel(
    geometry, model, state, contacts, forces, tags, step, end, start, pair_cut, body_cut, moving, dt, onset, alpha, found
):  # fmt: skip
    """`advance` by threads: `pair_cut` and `body_cut` (threads + 1,) divide pairs and free bodies, `found` (threads, 2)."""
    threads = pair_cut.size - 1
    slots = min(threads, contacts.point.shape[0])  # there may be more parts than threads, which have a scratch each
    free = body_cut[threads]
    while step < end:
        past, spring_dt, share = 0.5, dt, 0.5
        if step == 0:
            past, spring_dt, share = 0.0, 0.0, 1.0
        before = past if GEAR == 0 else 0.5
        for slot in parallel_range(slots):
            for t in range(slot, threads, slots):
                found[t, 0] = force_pass(
                    pair_cut[t], pair_cut[t + 1], geometry, model, state, contacts, forces, slot, dt, spring_dt, before + 0.5
                )
        for t in range(threads):
            if found[t, 0] >= 0:
                return step, DEEP_OVERLAP, found[t, 0]
        row = program_row(tags, step, start)
        drag = present_drag(tags, row)
        step += 1
        kick = past + 0.5
        for t in parallel_range(threads):
            found[t, 1] = motion_pass(
                body_cut[t], body_cut[t + 1], model, state, contacts, forces, dt, dt, kick, kick, share, drag, alpha
            )
        stale = False
        for t in range(threads):
            stale |= found[t, 1] != 0
        stale |= tagged_pass(free, moving, model, state, contacts, forces, tags, row, dt, dt, kick, kick, share, alpha)
        if stale:
            return step, STALE, np.int64(-1)
    return step, DONE, np.int64(-1)


@kernel
def forces_now(geometry, model, state, contacts, forces, pairs, dt, spring_dt, past, future, onset):
    """Contact forces at the present positions, springs brought up to date: for an output, on copies."""
    return force_pass(0, pairs, geometry, model, state, contacts, forces, 0, dt, spring_dt, past + future)


@kernel
def table_now(geometry, model, state, contacts, pairs, integers, floats):
    """The table of overlaps (see `clast.dynamics.sharp.table`); returns the number of rows needed."""
    return overlap_table(
        elastic, force, normal_energy, spring_energy, unpack, CONSERVING, HISTORY, pairs,
        geometry, model, state, contacts, integers, floats,
    )  # fmt: skip


@kernel
def kick_now(model, state, contacts, forces, tags, row, free, moving, dt, kick, whole):
    """Do the part `kick` of the `whole` kick of this step on a copied state, without moving it.

    Half a kick brings velocities and path integrals to the time of the positions; with Gear's method it corrects both.
    """
    drag = present_drag(tags, row)
    motion_pass(0, free, model, state, contacts, forces, dt, 0.0, kick, whole, 0.0, drag, np.inf)
    tagged_pass(free, moving, model, state, contacts, forces, tags, row, dt, 0.0, kick, whole, 0.0, np.inf)


@kernel
def search(body, model, geometry, cast, alpha, bodies, work):
    """Near pairs, sorted, in work.sorted; returns their number, which may exceed the capacity (then nothing is sorted).

    By sorted boxes or by cells, as work.by_sweep says: the pairs are the same. What each test has removed is left in
    work.sweep.counts.
    """
    if work.by_sweep[0]:
        total = sweep_pairs(body, model, geometry, cast.grains, cast.big, cast.mobile, alpha, work)
    else:
        total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
        if total <= work.raw.shape[0]:
            total = keep_near_pairs(total, body, model, geometry, cast.grains, cast.big, alpha, work)
    if total <= work.raw.shape[0]:
        sort_pairs(total, bodies, work)
    return total


@kernel
def list_contacts(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed.

    `both_sides` belongs to the plane's second way of counting: there is none here.
    """
    pairs, candidates = list_overlaps(total, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if HISTORY:
            carry_overlaps(old, old_pairs, new, pairs)
        for b in range(bodies):
            for c in range(3):
                new.reference[b, c] = state.body[b, c]
            new.reference[b, 3] = model.reach[b]
            for c in range(4, 8):
                new.reference[b, c] = state.body[b, c]
    return pairs, candidates
