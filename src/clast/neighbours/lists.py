"""From near pairs to the lists a step looks at: sorted pairs, their candidates, and springs that survive (GM09 §2.4).

Order is what makes bits independent of α: pairs by (i, j, image), candidates by (side, probe, feature). A candidate that
does not touch adds nothing, so it does not matter how many of them there are.
"""

import numpy as np

from clast.backend.device import device, routine
from clast.contact.spheropolygon import NOTCH


@routine
def sort_pairs(total, bodies, work):
    """Sort work.raw by (i, j, image) into work.sorted: counting sort by i, then insertion within i."""
    raw, out, start = work.raw, work.sorted, work.pair_start
    for b in range(bodies + 1):
        start[b] = 0
    for p in range(total):
        start[raw[p, 0] + 1] += 1
    for b in range(bodies):
        start[b + 1] += start[b]
    for back in range(total):
        p = total - 1 - back
        i = raw[p, 0]
        start[i + 1] -= 1
        at = start[i + 1]
        for column in range(4):
            out[at, column] = raw[p, column]
    # start[i + 1] is now the first pair of i
    for p in range(1, total):
        i, j, nx, ny = out[p, 0], out[p, 1], out[p, 2], out[p, 3]
        q = p
        while q > 0 and out[q - 1, 0] == i and comes_after(out[q - 1, 1], out[q - 1, 2], out[q - 1, 3], j, nx, ny):
            for column in range(4):
                out[q, column] = out[q - 1, column]
            q -= 1
        out[q, 0], out[q, 1], out[q, 2], out[q, 3] = i, j, nx, ny


@device
def comes_after(j, nx, ny, other_j, other_nx, other_ny):
    """Whether (j, nx, ny) sorts behind the other."""
    if j != other_j:
        return j > other_j
    if nx != other_nx:
        return nx > other_nx
    return ny > other_ny


@device
def squared_distance(x, y, ax, ay, bx, by, inverse_length_squared, kind):
    """Of a point to a feature: to its segment, or to its vertex where only that counts."""
    ux, uy = x - ax, y - ay
    if kind == NOTCH:
        return ux * ux + uy * uy
    lx, ly = bx - ax, by - ay
    t = min(max((ux * lx + uy * ly) * inverse_length_squared, 0.0), 1.0)
    dx, dy = ux - t * lx, uy - t * ly
    return dx * dx + dy * dy


@routine
def list_side(a, b, branch_x, branch_y, body, model, geometry, alpha, near_feature, candidate, count):
    """Candidates of a's probes on b's features; (branch_x, branch_y) leads from a to b's image. Returns the new count."""
    shape_a, shape_b = model.shape[a], model.shape[b]
    a_cos, a_sin, b_cos, b_sin = body[a, 2], body[a, 3], body[b, 2], body[b, 3]
    cosine = a_cos * b_cos + a_sin * b_sin
    sine = a_sin * b_cos - a_cos * b_sin
    shift_x = -(b_cos * branch_x + b_sin * branch_y)
    shift_y = -(b_cos * branch_y - b_sin * branch_x)
    gap = body[a, 7] + body[b, 7] + 2.0 * alpha
    feature, vertex = geometry.feature, geometry.vertex
    # features within reach of a's bounding circle
    span = model.reach[a] + body[b, 7] + 2.0 * alpha
    close = 0
    for f in range(geometry.first_feature[shape_b], geometry.first_feature[shape_b + 1]):
        d = squared_distance(
            shift_x, shift_y, feature[f, 0], feature[f, 1], feature[f, 2], feature[f, 3], feature[f, 6], feature[f, 7]
        )
        if d < span * span:
            near_feature[close] = f
            close += 1
    if close == 0:
        return count
    box = geometry.box
    x_low, y_low = box[shape_b, 0] - gap, box[shape_b, 1] - gap
    x_high, y_high = box[shape_b, 2] + gap, box[shape_b, 3] + gap
    for v in range(geometry.first_vertex[shape_a], geometry.first_vertex[shape_a + 1]):
        x = cosine * vertex[v, 0] - sine * vertex[v, 1] + shift_x
        y = sine * vertex[v, 0] + cosine * vertex[v, 1] + shift_y
        if x < x_low or x > x_high or y < y_low or y > y_high:
            continue
        for k in range(close):
            f = near_feature[k]
            d = squared_distance(x, y, feature[f, 0], feature[f, 1], feature[f, 2], feature[f, 3], feature[f, 6], feature[f, 7])
            if d < gap * gap:
                if count < candidate.shape[0]:
                    candidate[count, 0] = v
                    candidate[count, 1] = f
                count += 1
    return count


@routine
def list_candidates(total, both_sides, body, model, geometry, alpha, work, contacts):
    """Fill pairs and candidates of `contacts` from work.sorted; pairs without a candidate are left out.

    An edgeless body (disk, clump) probes the other and is not probed by it: one contact, one spring. `both_sides`
    switches that off (the papers' literal all-pairs count). Returns (pairs, candidates) needed, which may exceed capacity.
    """
    pair, constant, candidate = contacts.pair, contacts.pair_constant, contacts.candidate
    materials = np.int64(np.sqrt(float(model.law.shape[0])) + 0.5)
    pairs = 0
    count = 0
    capacity = pair.shape[0] - 1
    for p in range(total):
        i, j = work.sorted[p, 0], work.sorted[p, 1]
        shift_x = work.sorted[p, 2] * model.period[0]
        shift_y = work.sorted[p, 3] * model.period[1]
        branch_x = body[j, 0] - body[i, 0] + shift_x
        branch_y = body[j, 1] - body[i, 1] + shift_y
        edged_i, edged_j = geometry.edged[model.shape[i]], geometry.edged[model.shape[j]]
        first = count
        if both_sides or edged_i == 0 or edged_j != 0:
            count = list_side(i, j, branch_x, branch_y, body, model, geometry, alpha, work.near_feature, candidate, count)
        middle = count
        if both_sides or edged_i != 0:
            count = list_side(j, i, -branch_x, -branch_y, body, model, geometry, alpha, work.near_feature, candidate, count)
        if count == first:
            continue
        if pairs < capacity:
            pair[pairs, 0] = i
            pair[pairs, 1] = j
            pair[pairs, 2] = first
            pair[pairs, 3] = middle
            constant[pairs, 0] = shift_x
            constant[pairs, 1] = shift_y
            inverse = model.contact_inverse_mass[i] + model.contact_inverse_mass[j]
            constant[pairs, 2] = 1.0 / inverse if inverse > 0.0 else 0.0
            constant[pairs, 3] = (model.material[i] * materials + model.material[j]) * model.law.shape[1]
            inverse = model.inverse_radius[i] + model.inverse_radius[j]
            constant[pairs, 4] = 1.0 / inverse
            contacts.image[pairs, 0] = work.sorted[p, 2]
            contacts.image[pairs, 1] = work.sorted[p, 3]
        pairs += 1
    pair[min(pairs, capacity), 2] = min(count, candidate.shape[0])
    return pairs, count


@routine
def index_pairs(pairs, bodies, contacts):
    """For each body the pairs in which it comes first (a range) and second (a list, ascending)."""
    pair, first, second, other = contacts.pair, contacts.first_pair, contacts.first_other, contacts.other
    for b in range(bodies + 1):
        first[b] = 0
        second[b] = 0
    for p in range(pairs):
        first[pair[p, 0] + 1] += 1
        second[pair[p, 1] + 1] += 1
    for b in range(bodies):
        first[b + 1] += first[b]
        second[b + 1] += second[b]
    for back in range(pairs):
        p = pairs - 1 - back
        j = pair[p, 1]
        second[j + 1] -= 1
        other[second[j + 1]] = p
    # each count was moved to the start of its list: shift back
    for b in range(bodies):
        second[b] = second[b + 1]
    second[bodies] = pairs


@routine
def carry_springs(old, old_pairs, new, new_pairs):
    """Take springs over from the old lists by (pair, image, side, probe, feature): both are sorted, one walk will do."""
    for k in range(new.pair[new_pairs, 2]):
        for c in range(new.spring.shape[1]):
            new.spring[k, c] = 0.0
        new.weight[k] = 0
    q = 0
    for p in range(new_pairs):
        i, j, nx, ny = new.pair[p, 0], new.pair[p, 1], new.image[p, 0], new.image[p, 1]
        while q < old_pairs and (
            old.pair[q, 0] < i
            or (old.pair[q, 0] == i and comes_after(j, nx, ny, old.pair[q, 1], old.image[q, 0], old.image[q, 1]))
        ):
            q += 1
        if q == old_pairs:
            return
        same = old.pair[q, 0] == i and old.pair[q, 1] == j and old.image[q, 0] == nx and old.image[q, 1] == ny
        if same:
            walk_candidates(old, old.pair[q, 2], old.pair[q, 3], new, new.pair[p, 2], new.pair[p, 3])
            walk_candidates(old, old.pair[q, 3], old.pair[q + 1, 2], new, new.pair[p, 3], new.pair[p + 1, 2])


@device
def walk_candidates(old, old_first, old_last, new, new_first, new_last):
    """The same for the candidates of one side of one pair."""
    q = np.int64(old_first)
    for k in range(new_first, new_last):
        v, f = new.candidate[k, 0], new.candidate[k, 1]
        while q < old_last and (old.candidate[q, 0] < v or (old.candidate[q, 0] == v and old.candidate[q, 1] < f)):
            q += 1
        if q < old_last and old.candidate[q, 0] == v and old.candidate[q, 1] == f:
            for c in range(new.spring.shape[1]):
                new.spring[k, c] = old.spring[q, c]
            new.weight[k] = old.weight[q]
