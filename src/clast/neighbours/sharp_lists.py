"""From near pairs of sharp bodies to the lists a step looks at: which planes and edges may take part (model §4, GM09 §2.4).

A row of the pairs is a piece of i and a piece of j. Its candidates, in three sections:

    0   the two pieces: the contact itself, which the spring belongs to
    1   planes of j, with a mark on those which may be the first to cut: the one that leaves least of the depth of i
    2   edges of i that may reach behind a plane with a mark

A plane is left out where the part of i behind any marked plane is surely inside it. All of "may" and "surely" hold until a
body has moved by α, so the bits of a step do not depend on α (see `clast.contact.overlap`).
"""

import math

import numpy as np

from clast.backend.device import device, routine
from clast.contact.overlap import EDGE, PLANE, lowest, plane_in_frame
from clast.contact.vectors import between, dot, minus, plus, rotation_of, times, transposed, triple, turn_back
from clast.neighbours.space_cells import comes_after
from clast.neighbours.space_lists import TURN, note

NEVER = -1e300
COLUMNS = 6  # of the scratch for planes


@device
def slack(alpha, branch, reach_i, reach_j):
    """How far a point of i may move in the frame of j, which turns, before the lists are stale."""
    far = math.sqrt(dot(branch, branch)) + reach_i
    return alpha * (1.0 + max(1.0, far / reach_j))


@device
def surely_apart(centre, reach, first, last, plane):
    """Whether a ball, its centre in the frame of the planes, lies outside one of them."""
    apart = False
    for g in range(first, last):
        apart |= dot(triple(plane, PLANE * g), centre) - plane[PLANE * g + 3] > reach
    return apart


@device
def parted(one_i, one_j, relative, shift, gap, geometry, vertex, plane):
    """Whether a plane of a piece of j has all of a piece of i further than `gap` outside."""
    first, last = geometry.piece_vertex[one_i], geometry.piece_vertex[one_i + 1]
    apart = False
    for g in range(geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]):
        normal, level = plane_in_frame(plane, PLANE * g, relative, shift)
        apart |= lowest(normal, level, vertex, first, last) > gap
    return apart


@device
def bring_planes(one_i, one_j, relative, shift, alpha, reach_j, geometry, vertex, plane, table):
    """Planes of a piece of j in i's frame, into `table`, rows of six: n, d, the least distance of i that it may come to, and
    that it may come to at most. Returns the largest of the former: positive where a plane parts the two for good."""
    first, last = geometry.piece_vertex[one_i], geometry.piece_vertex[one_i + 1]
    best = -np.inf
    for g in range(geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]):
        normal, level = plane_in_frame(plane, PLANE * g, relative, shift)
        least = most = np.inf
        for v in range(first, last):
            x = triple(vertex, 3 * v)
            away = minus(x, shift)
            # j may turn by α over its reach: a point beyond that moves further in its frame
            way = alpha * (1.0 + max(1.0, math.sqrt(dot(away, away)) / reach_j))
            height = dot(normal, x) - level
            least, most = min(least, height - way), min(most, height + way)
        at = COLUMNS * (g - geometry.piece_plane[one_j])
        table[at], table[at + 1], table[at + 2] = normal
        table[at + 3], table[at + 4], table[at + 5] = level, least, most
        best = max(best, least)
    return best


@device
def highest_behind(cut, level, normal, height, one_i, reach, geometry, vertex, edge):
    """Largest n·x − d of what a piece of i has behind another plane, moved outwards by `reach`; NEVER where that is nothing."""
    high = NEVER
    first = geometry.piece_vertex[one_i]
    for e in range(geometry.piece_edge[one_i], geometry.piece_edge[one_i + 1]):
        a, b = triple(vertex, 3 * (first + edge[EDGE * e])), triple(vertex, 3 * (first + edge[EDGE * e + 1]))
        in_a, in_b = dot(cut, a) - level - reach, dot(cut, b) - level - reach
        if in_a > 0.0 and in_b > 0.0:
            continue
        out_a, out_b = dot(normal, a) - height, dot(normal, b) - height
        if in_a <= 0.0:
            high = max(high, out_a)
        if in_b <= 0.0:
            high = max(high, out_b)
        if (in_a > 0.0) != (in_b > 0.0):
            high = max(high, out_a + (out_b - out_a) * (in_a / (in_a - in_b)))
    return high


@routine
def list_planes(one_i, one_j, best, gap, geometry, vertex, edge, table, candidate, count):
    """Planes of j that may cut, marked where they may be the first; returns the number of candidates so far."""
    begin, end = geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]
    for g in range(begin, end):
        at = COLUMNS * (g - begin)
        if table[at + 5] >= best:
            count = note(np.uint32(g), np.uint32(1), candidate, count)
            continue
        for p in range(begin, end):
            other = COLUMNS * (p - begin)
            if table[other + 5] < best:
                continue
            high = highest_behind(
                triple(table, other), table[other + 3], triple(table, at), table[at + 3], one_i, gap, geometry, vertex, edge
            )
            if high >= -gap:
                count = note(np.uint32(g), np.uint32(0), candidate, count)
                break
    return count


@routine
def list_edges(one_i, one_j, best, gap, geometry, vertex, edge, table, candidate, count):
    """Edges of i that may reach behind a marked plane; returns the number of candidates so far."""
    begin, end = geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]
    first = geometry.piece_vertex[one_i]
    for e in range(geometry.piece_edge[one_i], geometry.piece_edge[one_i + 1]):
        a, b = triple(vertex, 3 * (first + edge[EDGE * e])), triple(vertex, 3 * (first + edge[EDGE * e + 1]))
        for p in range(begin, end):
            at = COLUMNS * (p - begin)
            if table[at + 5] >= best and min(dot(triple(table, at), a), dot(triple(table, at), b)) - table[at + 3] <= gap:
                count = note(np.uint32(e), np.uint32(0), candidate, count)
                break
    return count


@routine
def list_overlaps(total, body, model, geometry, alpha, work, contacts):
    """Fill pairs and candidates of `contacts` from work.sorted; pieces that a plane of either surely parts are left out.

    Returns (pairs, candidates) needed, which may exceed the capacity.
    """
    pair, constant, candidate = contacts.pair, contacts.pair_constant, contacts.candidate
    vertex, edge, plane = geometry.vertex.reshape(-1), geometry.edge.reshape(-1), geometry.plane.reshape(-1)
    table = work.planes
    materials = np.int64(np.sqrt(float(model.law.shape[0])) + 0.5)
    pairs = 0
    count = 0
    capacity = pair.shape[0] - 1
    for p in range(total):
        i, j = work.sorted[p, 0], work.sorted[p, 1]
        shape_i, shape_j = model.shape[i], model.shape[j]
        image = (
            work.sorted[p, 2] * model.period[0], work.sorted[p, 3] * model.period[1], work.sorted[p, 4] * model.period[2]
        )  # fmt: skip
        branch = plus((body[j, 0] - body[i, 0], body[j, 1] - body[i, 1], body[j, 2] - body[i, 2]), image)
        rotation_i = rotation_of(body[i, TURN], body[i, TURN + 1], body[i, TURN + 2], body[i, TURN + 3])
        rotation_j = rotation_of(body[j, TURN], body[j, TURN + 1], body[j, TURN + 2], body[j, TURN + 3])
        relative = between(rotation_i, rotation_j)  # j's frame into i's
        shift, back = turn_back(rotation_i, branch), times(-1.0, turn_back(rotation_j, branch))
        gap, gap_back = slack(alpha, branch, model.reach[i], model.reach[j]), slack(alpha, branch, model.reach[j], model.reach[i])
        for one_j in range(geometry.first_feature[shape_j], geometry.first_feature[shape_j + 1]):
            begin, end = geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]
            if surely_apart(back, model.reach[i] + gap, begin, end, plane):
                continue
            for one_i in range(geometry.first_feature[shape_i], geometry.first_feature[shape_i + 1]):
                if parted(one_j, one_i, transposed(relative), back, gap_back, geometry, vertex, plane):
                    continue
                best = bring_planes(one_i, one_j, relative, shift, alpha, model.reach[j], geometry, vertex, plane, table)
                if best > 0.0:
                    continue
                first = count
                count = note(np.uint32(one_i), np.uint32(one_j), candidate, count)
                second = count
                count = list_planes(one_i, one_j, best, gap, geometry, vertex, edge, table, candidate, count)
                third = count
                count = list_edges(one_i, one_j, best, gap, geometry, vertex, edge, table, candidate, count)
                if pairs < capacity:
                    pair[pairs, 0], pair[pairs, 1] = i, j
                    pair[pairs, 2], pair[pairs, 3], pair[pairs, 4] = first, second, third
                    # a body that does not give way is as long and as wide as the other; if neither does, a wall is
                    still_i, still_j = model.contact_inverse_mass[i] == 0.0, model.contact_inverse_mass[j] == 0.0
                    if still_i and still_j:
                        still_i, still_j = model.inverse_radius[i] == 0.0, model.inverse_radius[j] == 0.0
                    one, other = still_i and not still_j, still_j and not still_i
                    pair[pairs, 5] = 1 * one + 2 * other
                    round_i = model.inverse_radius[j] if one else model.inverse_radius[i]
                    round_j = model.inverse_radius[i] if other else model.inverse_radius[j]
                    wide_i, wide_j = geometry.section[shape_i], geometry.section[shape_j]
                    inverse = model.contact_inverse_mass[i] + model.contact_inverse_mass[j]
                    for c in range(3):
                        constant[pairs, c] = image[c]
                        contacts.image[pairs, c] = work.sorted[p, 2 + c]
                    constant[pairs, 3] = 1.0 / inverse if inverse > 0.0 else 0.0
                    constant[pairs, 4] = (model.material[i] * materials + model.material[j]) * model.law.shape[1]
                    constant[pairs, 5] = 4.0 / (round_i + round_j)
                    constant[pairs, 6] = min(wide_j if one else wide_i, wide_i if other else wide_j)
                pairs += 1
    pair[min(pairs, capacity), 2] = min(count, candidate.shape[0])
    return pairs, count


@device
def precedes(old, q, new, p):
    """Whether row q of the old pairs comes before row p of the new ones: by bodies, image, pieces."""
    if old.pair[q, 0] != new.pair[p, 0]:
        return old.pair[q, 0] < new.pair[p, 0]
    nx, ny, nz = new.image[p, 0], new.image[p, 1], new.image[p, 2]
    mx, my, mz = old.image[q, 0], old.image[q, 1], old.image[q, 2]
    if old.pair[q, 1] != new.pair[p, 1] or mx != nx or my != ny or mz != nz:
        return comes_after(new.pair[p, 1], nx, ny, nz, old.pair[q, 1], mx, my, mz)
    a, b = old.pair[q, 2], new.pair[p, 2]
    if old.candidate[a, 1] != new.candidate[b, 1]:
        return old.candidate[a, 1] < new.candidate[b, 1]
    return old.candidate[a, 0] < new.candidate[b, 0]


@routine
def carry_overlaps(old, old_pairs, new, new_pairs):
    """Take springs over from the old lists: both are sorted, one walk will do."""
    q = 0
    for p in range(new_pairs):
        k = np.int64(new.pair[p, 2])
        for c in range(new.spring.shape[1]):
            new.spring[k, c] = 0.0
        new.weight[k] = 0.0
        while q < old_pairs and precedes(old, q, new, p):
            q += 1
        if q == old_pairs or (old.pair[q, 0] != new.pair[p, 0]) or old.pair[q, 1] != new.pair[p, 1]:
            continue
        m = np.int64(old.pair[q, 2])
        same = old.candidate[m, 0] == new.candidate[k, 0] and old.candidate[m, 1] == new.candidate[k, 1]
        for c in range(3):
            same = same and old.image[q, c] == new.image[p, c]
        if same:
            for c in range(new.spring.shape[1]):
                new.spring[k, c] = old.spring[m, c]
            new.weight[k] = old.weight[m]
