"""Every loop that Python calls, with a law bound to it by name.

This file is two things: a module that works as it stands, with the law of the marked lines, and the template from which
`clast.backend.bind` makes one module per law by replacing those lines and nothing else. A kernel must find its law
under a global name of its own module, or numba cannot keep the compiled code on disk.
"""

import numpy as np

from clast.backend.bind import functions_of
from clast.backend.device import kernel, law_function, parallel_kernel, parallel_range
from clast.contact import spheropolygon
from clast.dynamics.gear import correct_and_predict
from clast.dynamics.motion import RESYNC
from clast.dynamics.step import add_onsets, contact_forces, kick_and_drift, refine_onsets
from clast.dynamics.table import contact_table
from clast.dynamics.tagged import move_tagged, present_drag, program_row
from clast.neighbours.cells import find_pairs
from clast.neighbours.lists import carry_springs, index_pairs, list_candidates, sort_pairs

# --- bound ---
LAW = "clast.laws.linear"  # where the functions of the law are found
MEET = "meet"  # how feature pairs are counted
HISTORY = 1  # whether contacts remember or lose anything
SIZED = 0  # whether laws read the reduced sphero-radius
EXTRA = 0  # whether contacts remember a second number
ROLLING = 0
COHESIVE = 0
CELL = 0  # whether the periodic cell moves
GEAR = 0  # order of Gear's method, 0 for velocity Verlet
OWN = 6  # parameters of the law itself


def unpack(table, row):
    """Parameters of the law for one pair of materials."""
    return table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5]


# --- end of bound ---

DONE, STALE, DEEP_OVERLAP = 0, 1, 2  # status of a stretch

law = functions_of(LAW)
elastic = law_function(law.elastic)
force = law_function(law.force)
normal_energy = law_function(law.normal_energy)
spring_energy = law_function(law.spring_energy)
unpack = law_function(unpack)
meet = getattr(spheropolygon, MEET)


@kernel
def advance(geometry, model, state, contacts, forces, tags, step, end, start, pairs, free, moving, dt, onset, alpha):
    """Step until `end`, until the lists are stale or until skeletons nearly touch. Returns (step, status, pair).

    The program of the tags begins at step `start`.
    """
    while step < end:
        past, spring_dt, share = 0.5, dt, 0.5
        if step == 0:  # the velocities given are those of t = 0: half a kick, no time for springs
            past, spring_dt, share = 0.0, 0.0, 1.0
        before = past if GEAR == 0 else 0.5
        deep = contact_forces(
            meet, elastic, force, normal_energy, spring_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, COHESIVE, CELL, GEAR, OWN,
            0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5, onset,
        )  # fmt: skip
        if deep >= 0:
            return step, DEEP_OVERLAP, deep
        if onset != 0.0:
            refine_onsets(
                meet, elastic, force, normal_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, CELL, 0, pairs,
                geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5,
            )  # fmt: skip
            add_onsets(0, pairs, forces)
        row = program_row(tags, step, start)
        drag = present_drag(tags, row)
        step += 1
        kick = past + 0.5
        resync = step % RESYNC == 0
        if GEAR == 0:
            stale = kick_and_drift(HISTORY, 0, free, model, state, contacts, forces, dt, dt, kick, share, drag, alpha, resync)
        else:
            stale = correct_and_predict(
                GEAR, HISTORY, 0, free, model, state, contacts, forces, dt, True, kick, step == 1, drag, alpha
            )
        stale |= move_tagged(
            GEAR, HISTORY, CELL, free, moving, model, state, contacts, forces, tags, row, dt, dt, kick, kick, share, alpha, resync
        )
        if stale:
            return step, STALE, np.int64(-1)
    return step, DONE, np.int64(-1)


@parallel_kernel
def advance_parallel(
    geometry, model, state, contacts, forces, tags, step, end, start, pair_cut, body_cut, moving, dt, onset, alpha, found
):  # fmt: skip
    """`advance` by threads: `pair_cut` and `body_cut` (threads + 1,) divide pairs and free bodies, `found` (threads, 2)."""
    threads = pair_cut.size - 1
    free = body_cut[threads]
    while step < end:
        past, spring_dt, share = 0.5, dt, 0.5
        if step == 0:
            past, spring_dt, share = 0.0, 0.0, 1.0
        before = past if GEAR == 0 else 0.5
        for t in parallel_range(threads):
            found[t, 0] = contact_forces(
                meet, elastic, force, normal_energy, spring_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, COHESIVE, CELL,
                GEAR, OWN, pair_cut[t], pair_cut[t + 1],
                geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5, onset,
            )  # fmt: skip
        for t in range(threads):
            if found[t, 0] >= 0:
                return step, DEEP_OVERLAP, found[t, 0]
        if onset != 0.0:
            for t in parallel_range(threads):
                refine_onsets(
                    meet, elastic, force, normal_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, CELL,
                    pair_cut[t], pair_cut[t + 1], geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5,
                )  # fmt: skip
            for t in parallel_range(threads):
                add_onsets(pair_cut[t], pair_cut[t + 1], forces)
        row = program_row(tags, step, start)
        drag = present_drag(tags, row)
        step += 1
        kick = past + 0.5
        resync = step % RESYNC == 0
        for t in parallel_range(threads):
            if GEAR == 0:
                found[t, 1] = kick_and_drift(
                    HISTORY, body_cut[t], body_cut[t + 1], model, state, contacts, forces,
                    dt, dt, kick, share, drag, alpha, resync,
                )  # fmt: skip
            else:
                found[t, 1] = correct_and_predict(
                    GEAR, HISTORY, body_cut[t], body_cut[t + 1], model, state, contacts, forces,
                    dt, True, kick, step == 1, drag, alpha,
                )  # fmt: skip
        stale = False
        for t in range(threads):
            stale |= found[t, 1] != 0
        stale |= move_tagged(
            GEAR, HISTORY, CELL, free, moving, model, state, contacts, forces, tags, row, dt, dt, kick, kick, share, alpha, resync
        )
        if stale:
            return step, STALE, np.int64(-1)
    return step, DONE, np.int64(-1)


@kernel
def forces_now(geometry, model, state, contacts, forces, pairs, dt, spring_dt, past, future, onset):
    """Contact forces at the present positions, springs brought up to date: for an output, on copies."""
    deep = contact_forces(
        meet, elastic, force, normal_energy, spring_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, COHESIVE, CELL, GEAR, OWN,
        0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset,
    )  # fmt: skip
    if onset != 0.0:
        refine_onsets(
            meet, elastic, force, normal_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, CELL, 0, pairs,
            geometry, model, state, contacts, forces, dt, spring_dt, past, future,
        )  # fmt: skip
        add_onsets(0, pairs, forces)
    return deep


@kernel
def table_now(geometry, model, state, contacts, pairs, integers, floats):
    """The table of touching contacts (see `clast.dynamics.table`); returns the number of rows needed."""
    return contact_table(
        meet, elastic, force, normal_energy, spring_energy, unpack, HISTORY, SIZED, EXTRA, ROLLING, COHESIVE, CELL, OWN, pairs,
        geometry, model, state, contacts, integers, floats,
    )  # fmt: skip


@kernel
def kick_now(model, state, contacts, forces, tags, row, free, moving, dt, kick, whole):
    """Do the part `kick` of the `whole` kick of this step on a copied state, without moving it.

    Half a kick brings velocities and path integrals to the time of the positions; with Gear's method it corrects both.
    """
    drag = present_drag(tags, row)
    if GEAR == 0:
        kick_and_drift(HISTORY, 0, free, model, state, contacts, forces, dt, 0.0, kick, 0.0, drag, np.inf, False)
    else:
        correct_and_predict(GEAR, HISTORY, 0, free, model, state, contacts, forces, dt, False, kick, whole < 1.0, drag, np.inf)
    move_tagged(
        GEAR, HISTORY, CELL, free, moving, model, state, contacts, forces, tags, row, dt, 0.0, kick, whole, 0.0, np.inf, False
    )


@kernel
def search(body, model, geometry, cast, alpha, bodies, work):
    """Near pairs, sorted, in work.sorted; returns their number, which may exceed the capacity (then nothing is sorted)."""
    total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
    if total <= work.raw.shape[0]:
        sort_pairs(total, bodies, work)
    return total


@kernel
def list_contacts(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed."""
    pairs, candidates = list_candidates(total, both_sides, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if HISTORY:
            carry_springs(old, old_pairs, new, pairs)
        for b in range(bodies):
            new.reference[b, 0] = state.body[b, 0]
            new.reference[b, 1] = state.body[b, 1]
            new.reference[b, 2] = state.angle[b]
            new.reference[b, 3] = model.reach[b]
    return pairs, candidates
