"""The lists of a run in the plane, made anew at the present positions."""

from clast.backend.device import device
from clast.neighbours.cells import find_pairs
from clast.neighbours.lists import carry_springs, index_pairs, list_candidates, sort_pairs


@device
def find_near(body, model, geometry, cast, alpha, bodies, work):
    """Near pairs, sorted, in work.sorted; returns their number."""
    total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
    if total <= work.raw.shape[0]:
        sort_pairs(total, bodies, work)
    return total


@device
def list_near(total, both_sides, state, model, geometry, alpha, work, bodies, old, old_pairs, new, history):
    """Pairs and candidates into `new`, with the springs of `old`; returns (pairs, candidates) needed."""
    pairs, candidates = list_candidates(total, both_sides, state.body, model, geometry, alpha, work, new)
    if pairs < new.pair.shape[0] and candidates <= new.candidate.shape[0]:
        index_pairs(pairs, bodies, new)
        if history:
            carry_springs(old, old_pairs, new, pairs)
        for b in range(bodies):
            new.reference[b, 0] = state.body[b, 0]
            new.reference[b, 1] = state.body[b, 1]
            new.reference[b, 2] = state.angle[b]
            new.reference[b, 3] = model.reach[b]
    return pairs, candidates
