"""Every loop that Python calls for grains in space, with a law bound to it by name.

Twin of `clast.dynamics.kernels`: a module that works as it stands, and the template from which `clast.backend.bind` makes
one module per law by replacing the marked lines and nothing else.
"""

import numpy as np

from clast.backend.bind import functions_of
from clast.backend.device import kernel, law_function, parallel_kernel, parallel_range, routine, stay_whole
from clast.dynamics.space.drift import kick_and_drift
from clast.dynamics.space.gear import correct_and_predict
from clast.dynamics.space.step import OPEN_OR_CLOSE, add_onsets, contact_forces, refine_onsets
from clast.dynamics.space.table import contact_table
from clast.dynamics.space.tagged import move_tagged, present_drag, program_row
from clast.neighbours.space_cells import find_pairs, index_pairs, sort_pairs
from clast.neighbours.space_lists import carry_springs, list_candidates

# --- bound ---
LAW = "clast.laws.linear"  # where the functions of the law are found
MEET = "meet"  # how feature pairs are counted: in space there is one way
HISTORY = 1  # whether contacts remember or lose anything
SIZED = 0  # whether laws read the reduced sphero-radius
EXTRA = 0  # whether contacts remember one more number
ROLLING = 0
COHESIVE = 0
CELL = 0  # whether the periodic cell moves: not in space
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


@routine
def force_pass(low, high, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset):
    """Forces of a range of pairs; compiled once for all that follows."""
    stay_whole()
    return contact_forces(
        elastic, force, normal_energy, spring_energy, unpack, HISTORY, EXTRA, ROLLING, COHESIVE, GEAR, OWN,
        low, high, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset,
    )  # fmt: skip


@routine
def onset_pass(low, high, geometry, model, state, contacts, forces, dt, spring_dt, past, future):
    """Corrections of a range of pairs of which a contact opens or closes."""
    stay_whole()
    refine_onsets(
        elastic, force, normal_energy, unpack, HISTORY, EXTRA, ROLLING, low, high,
        geometry, model, state, contacts, forces, dt, spring_dt, past, future,
    )  # fmt: skip


@routine
def motion_pass(low, high, model, state, contacts, forces, dt, drift, kick, whole, share, drag, alpha):
    """Move a range of free bodies; whether one has moved too far. Without `drift` only velocities and paths change."""
    stay_whole()
    if GEAR == 0:
        return kick_and_drift(HISTORY, low, high, model, state, contacts, forces, dt, drift, kick, share, drag, alpha)
    return correct_and_predict(
        GEAR, HISTORY, low, high, model, state, contacts, forces, dt, drift != 0.0, kick, whole < 1.0, drag, alpha
    )


@routine
def tagged_pass(free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha):
    """Move the bodies with tags; whether one has moved too far."""
    stay_whole()
    return move_tagged(
        GEAR, HISTORY, free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha
    )


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
        deep = force_pass(0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5, onset)
        if deep >= 0:
            return step, DEEP_OVERLAP, deep
        if onset != 0.0 and deep == OPEN_OR_CLOSE:
            onset_pass(0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5)
            add_onsets(0, pairs, forces)
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
    free = body_cut[threads]
    while step < end:
        past, spring_dt, share = 0.5, dt, 0.5
        if step == 0:
            past, spring_dt, share = 0.0, 0.0, 1.0
        before = past if GEAR == 0 else 0.5
        for t in parallel_range(threads):
            found[t, 0] = force_pass(
                pair_cut[t], pair_cut[t + 1], geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5, onset
            )
        refine = False
        for t in range(threads):
            if found[t, 0] >= 0:
                return step, DEEP_OVERLAP, found[t, 0]
            refine |= found[t, 0] == OPEN_OR_CLOSE
        if onset != 0.0 and refine:
            for t in parallel_range(threads):
                onset_pass(pair_cut[t], pair_cut[t + 1], geometry, model, state, contacts, forces, dt, spring_dt, before, 0.5)
            for t in parallel_range(threads):
                add_onsets(pair_cut[t], pair_cut[t + 1], forces)
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
    deep = force_pass(0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset)
    if onset != 0.0 and deep == OPEN_OR_CLOSE:
        onset_pass(0, pairs, geometry, model, state, contacts, forces, dt, spring_dt, past, future)
        add_onsets(0, pairs, forces)
    return deep


@kernel
def table_now(geometry, model, state, contacts, pairs, integers, floats):
    """The table of touching contacts (see `clast.dynamics.space.table`); returns the number of rows needed."""
    return contact_table(
        elastic, force, normal_energy, spring_energy, unpack, HISTORY, EXTRA, ROLLING, COHESIVE, OWN, pairs,
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
    """Near pairs, sorted, in work.sorted; returns their number, which may exceed the capacity (then nothing is sorted)."""
    total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
    if total <= work.raw.shape[0]:
        sort_pairs(total, bodies, work)
    return total


@kernel
def list_contacts(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed.

    `both_sides` belongs to the plane's second way of counting: there is none in space.
    """
    pairs, candidates = list_candidates(total, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if HISTORY:
            carry_springs(old, old_pairs, new, pairs)
        for b in range(bodies):
            for c in range(3):
                new.reference[b, c] = state.body[b, c]
            new.reference[b, 3] = model.reach[b]
            for c in range(4, 8):
                new.reference[b, c] = state.body[b, c]
    return pairs, candidates
