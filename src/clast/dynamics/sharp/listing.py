"""The lists of a run of sharp bodies, made anew at the present positions."""

from clast.backend.device import device
from clast.dynamics.space.listing import note_reference
from clast.neighbours.sharp_lists import carry_overlaps, list_overlaps
from clast.neighbours.space_cells import find_pairs, index_pairs, sort_pairs
from clast.neighbours.sweep import sweep_pairs
from clast.neighbours.sweep_boxes import keep_near_pairs


@device
def find_near(body, model, geometry, cast, alpha, bodies, work):
    """Near pairs, sorted, in work.sorted; returns their number.

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


@device
def list_near(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new, history):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed."""
    pairs, candidates = list_overlaps(total, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if history:
            carry_overlaps(old, old_pairs, new, pairs)
        note_reference(bodies, state, model, new)
    return pairs, candidates
