"""The lists of a run in space, made anew at the present positions."""

from clast.backend.device import device
from clast.neighbours.space_cells import find_pairs, index_pairs, sort_pairs
from clast.neighbours.space_lists import carry_springs, list_candidates


@device
def find_near(body, model, geometry, cast, alpha, bodies, work):
    """Near pairs, sorted, in work.sorted; returns their number."""
    total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
    if total <= work.raw.shape[0]:
        sort_pairs(total, bodies, work)
    return total


@device
def note_reference(bodies, state, model, new):
    """Where bodies are as the lists are made."""
    for b in range(bodies):
        for c in range(3):
            new.reference[b, c] = state.body[b, c]
        new.reference[b, 3] = model.reach[b]
        for c in range(4, 8):
            new.reference[b, c] = state.body[b, c]


@device
def list_near(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new, history):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed."""
    pairs, candidates = list_candidates(total, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if history:
            carry_springs(old, old_pairs, new, pairs)
        note_reference(bodies, state, model, new)
    return pairs, candidates
