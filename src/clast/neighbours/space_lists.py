"""From near pairs in space to the lists a step looks at: pairs, their candidates, and springs that survive (GM09 §2.4).

Twin of `clast.neighbours.lists`. A candidate is two features that may come to count before the lists are built anew: nearer
than the spheres and 2α, and not surely outside the region in which they count. The order of candidates and the rule that one
which does not count adds nothing make the bits independent of α.
"""

import numpy as np

from clast.backend.device import device, routine
from clast.contact.spheropolyhedron import CORNER, EDGE, FACE, FAN, KIND, ROW, SIDE
from clast.contact.vectors import along, between, cross, dot, minus, plus, rotation_of, times, transposed, triple, turn, turn_back
from clast.neighbours.space_cells import comes_after

TURN = 4  # column of State.body where the quaternion begins
GRAPH = np.uint32(1 << 31)  # mark of a vertex that meets an edge as an end of its own edges (clast.dynamics.space.visit)
SLACK = 4.0  # times α: how far a probe may move in the frame of the one it meets, which turns as well
STEEP = 0.2  # sin² of an angle at which the crossing point of two edges is well known


@device
def squared_distance(x, row, feature, side, gap):
    """Of a point to a feature: to its segment or vertex; to a face 0 or far, as it may come to lie over it or not."""
    kind = feature[row + KIND]
    start = triple(feature, row)
    u = minus(x, start)
    if kind == FACE:
        height = dot(u, triple(feature, row + 3))
        first = int(feature[row + 6])
        for k in range(first, first + int(feature[row + 7])):
            inward = dot(minus(x, triple(side, SIDE * k)), triple(side, SIDE * k + 3))
            if inward < -gap * side[SIDE * k + 7]:
                return 1e300
        return height * height
    if kind == EDGE:
        way = minus(triple(feature, row + 3), start)
        part = min(max(dot(u, way) * feature[row + 6], 0.0), 1.0)
        u = along(u, -part, way)
    return dot(u, u)


@device
def surely(value, length, slack):
    """−1 or 1 where a number over a length is beyond the slack, 0 where its sign is not sure."""
    if value > slack * length:
        return 1
    if value < -slack * length:
        return -1
    return 0


@device
def never_counts(x, row, feature, fan, corner, slack):
    """Whether a probe surely counts nothing on an edge or vertex, wherever it goes within the slack."""
    u = minus(x, triple(feature, row))
    if feature[row + KIND] == EDGE:
        length = 1.0 / np.sqrt(feature[row + 6])
        one, two = triple(feature, row + 8), triple(feature, row + 11)
        a, b = surely(dot(u, one), length, slack), surely(dot(u, two), length, slack)
        return a * b == -1  # the normals are as long as the edge
    first, number = int(feature[row + 4]), int(feature[row + 5])
    count = feature[row + 3]
    mask = 0
    for k in range(number):
        state = surely(dot(u, triple(fan, FAN * (first + k))), fan[FAN * (first + k) + 5], slack)
        if state == 0:
            return False
        if state < 0:
            mask |= 1 << k
            count += fan[FAN * (first + k) + 3]
    first = int(feature[row + 6])
    for k in range(first, first + int(feature[row + 7])):
        one, other = (mask >> int(corner[CORNER * k])) & 1, (mask >> int(corner[CORNER * k + 1])) & 1
        count += one * other if corner[CORNER * k + 2] > 0.0 else -(1 - one) * (1 - other)
    return count == 0.0


@device
def note(first, second, candidate, count):
    """Write a candidate; beyond the capacity only count."""
    if count < candidate.shape[0]:
        candidate[count, 0] = first
        candidate[count, 1] = second
    return count + 1


@routine
def near_features(shape, centre, span, feature, side, geometry, near):
    """Features of a shape within `span` of a point in its frame, ascending, into `near`; returns how many."""
    found = 0
    for f in range(geometry.first_feature[shape], geometry.first_feature[shape + 1]):
        if squared_distance(centre, ROW * f, feature, side, span) < span * span:
            near[found] = f
            found += 1
    return found


@routine
def list_probes(
    near_a, count_a, near_b, count_b, graph, relative, shift, gap, alpha, feature, side, fan, corner, box, candidate, count
):  # fmt: skip
    """Vertices of a on features of b, and with `graph` on b's edges as ends of their own; `shift` is a's centre in b's frame."""
    for marked in range(2):
        if marked and not graph:
            break
        for m in range(count_a):
            row = ROW * near_a[m]
            if feature[row + KIND] <= EDGE or feature[row + 9] != 0.0 or (marked and feature[row + 5] == 0.0):
                continue
            x = plus(turn(relative, triple(feature, row)), shift)
            if (
                x[0] < box[0] - gap or x[1] < box[1] - gap or x[2] < box[2] - gap
                or x[0] > box[3] + gap or x[1] > box[4] + gap or x[2] > box[5] + gap
            ):  # fmt: skip
                continue
            for n in range(count_b):
                other = ROW * near_b[n]
                kind = feature[other + KIND]
                if (marked and (kind != EDGE or feature[other + 14] == 0.0)) or (kind == EDGE and feature[other + 7] != 0.0):
                    continue
                if squared_distance(x, other, feature, side, SLACK * alpha) >= gap * gap:
                    continue
                if marked:
                    count = note(np.uint32(near_a[m]) | GRAPH, np.uint32(near_b[n]), candidate, count)
                elif kind == FACE or not never_counts(x, other, feature, fan, corner, SLACK * alpha):
                    count = note(np.uint32(near_a[m]), np.uint32(near_b[n]), candidate, count)
    return count


@device
def edges_may_cross(start, way, row, feature, gap, slack):
    """Whether two edges may come to meet inside both: their distance, and where well known the place of their crossing."""
    other_start = triple(feature, row)
    other = minus(triple(feature, row + 3), other_start)
    apart = minus(other_start, start)
    aa, ab, bb = dot(way, way), dot(way, other), dot(other, other)
    da, db = dot(way, apart), dot(other, apart)
    whole = aa * bb - ab * ab
    if whole > STEEP * aa * bb:
        s, t = (bb * da - ab * db) / whole, (ab * da - aa * db) / whole
        a, b = 2.0 * slack / np.sqrt(aa), 2.0 * slack / np.sqrt(bb)
        if s < -a or s > 1.0 + a or t < -b or t > 1.0 + b:
            return False
        normal = cross(way, other)
        height = dot(apart, normal)
        return height * height < gap * gap * whole
    # nearly parallel: the least distance of the segments is inside both, or at one of the four ends
    s = min(max((bb * da - ab * db) / max(whole, 1e-12 * aa * bb), 0.0), 1.0)
    nearest = apart_at(s, min(max((ab * s - db) / bb, 0.0), 1.0), way, other, apart)
    for k in range(2):
        end = 1.0 * k
        nearest = min(nearest, apart_at(end, min(max((ab * end - db) / bb, 0.0), 1.0), way, other, apart))
        nearest = min(nearest, apart_at(min(max((da + ab * end) / aa, 0.0), 1.0), end, way, other, apart))
    reach = gap + slack
    return nearest < reach * reach


@device
def apart_at(s, t, way, other, apart):
    """Square of the distance between the points at parts s and t of two edges, `apart` from start to start."""
    q = along(along(apart, t, other), -s, way)
    return dot(q, q)


@routine
def list_graphs(near_a, count_a, near_b, count_b, relative, shift, gap, alpha, feature, candidate, count):
    """Edges of a against edges of b, then vertices against vertices as ends of edges."""
    for m in range(count_a):
        row = ROW * near_a[m]
        kind = feature[row + KIND]
        if kind == FACE or (kind == EDGE and feature[row + 14] == 0.0) or (kind > EDGE and feature[row + 5] == 0.0):
            continue
        x = plus(turn(relative, triple(feature, row)), shift)
        way = turn(relative, minus(triple(feature, row + 3), triple(feature, row))) if kind == EDGE else x
        for n in range(count_b):
            other = ROW * near_b[n]
            if feature[other + KIND] != kind:
                continue
            if kind == EDGE:
                if feature[other + 14] != 0.0 and edges_may_cross(x, way, other, feature, gap, SLACK * alpha):
                    count = note(np.uint32(near_a[m]), np.uint32(near_b[n]), candidate, count)
            elif feature[other + 5] != 0.0:
                u = minus(x, triple(feature, other))
                if dot(u, u) < gap * gap:
                    count = note(np.uint32(near_a[m]), np.uint32(near_b[n]), candidate, count)
    return count


@routine
def list_candidates(total, body, model, geometry, alpha, work, contacts):
    """Fill pairs and candidates of `contacts` from work.sorted; pairs without a candidate are left out.

    An edgeless body (sphere, clump) probes the other and is not probed by it: one contact, one spring. Returns (pairs,
    candidates) needed, which may exceed the capacity.
    """
    pair, constant, candidate = contacts.pair, contacts.pair_constant, contacts.candidate
    feature, side, fan, corner = (
        geometry.feature.reshape(-1),
        geometry.side.reshape(-1),
        geometry.fan.reshape(-1),
        geometry.corner.reshape(-1),
    )
    near_i, near_j = work.near_feature, work.near_other
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
        relative = between(rotation_j, rotation_i)
        in_j, in_i = times(-1.0, turn_back(rotation_j, branch)), turn_back(rotation_i, branch)
        gap = body[i, 3] + body[j, 3] + 2.0 * alpha
        count_j = near_features(shape_j, in_j, model.reach[i] + body[j, 3] + 2.0 * alpha, feature, side, geometry, near_j)
        count_i = near_features(shape_i, in_i, model.reach[j] + body[i, 3] + 2.0 * alpha, feature, side, geometry, near_i)
        edged_i, edged_j = geometry.edged[shape_i] != 0, geometry.edged[shape_j] != 0
        graph = edged_i and edged_j
        first = second = third = count
        if not edged_i or edged_j:
            count = list_probes(
                near_i, count_i, near_j, count_j, graph, relative, in_j, gap, alpha, feature, side, fan, corner,
                geometry.box[shape_j], candidate, count,
            )  # fmt: skip
        second = third = count
        if edged_i:
            count = list_probes(
                near_j, count_j, near_i, count_i, graph, transposed(relative), in_i, gap, alpha, feature, side, fan, corner,
                geometry.box[shape_i], candidate, count,
            )  # fmt: skip
        third = count
        if graph:
            count = list_graphs(near_i, count_i, near_j, count_j, relative, in_j, gap, alpha, feature, candidate, count)
        if count == first:
            continue
        if pairs < capacity:
            pair[pairs, 0], pair[pairs, 1] = i, j
            pair[pairs, 2], pair[pairs, 3], pair[pairs, 4] = first, second, third
            pair[pairs, 5] = geometry.round[shape_i] & geometry.round[shape_j]
            inverse = model.contact_inverse_mass[i] + model.contact_inverse_mass[j]
            curvature = model.inverse_radius[i] + model.inverse_radius[j]
            for c in range(3):
                constant[pairs, c] = image[c]
                contacts.image[pairs, c] = work.sorted[p, 2 + c]
            constant[pairs, 3] = 1.0 / inverse if inverse > 0.0 else 0.0
            constant[pairs, 4] = (model.material[i] * materials + model.material[j]) * model.law.shape[1]
            constant[pairs, 5] = 1.0 / curvature if curvature > 0.0 else 0.0
        pairs += 1
    pair[min(pairs, capacity), 2] = min(count, candidate.shape[0])
    return pairs, count


@routine
def carry_springs(old, old_pairs, new, new_pairs):
    """Take springs over from the old lists by (pair, image, section, features): both are sorted, one walk will do."""
    for k in range(new.pair[new_pairs, 2]):
        for c in range(new.spring.shape[1]):
            new.spring[k, c] = 0.0
        new.weight[k] = 0.0
    q = 0
    for p in range(new_pairs):
        i, j = new.pair[p, 0], new.pair[p, 1]
        nx, ny, nz = new.image[p, 0], new.image[p, 1], new.image[p, 2]
        while q < old_pairs and (
            old.pair[q, 0] < i
            or (
                old.pair[q, 0] == i
                and comes_after(j, nx, ny, nz, old.pair[q, 1], old.image[q, 0], old.image[q, 1], old.image[q, 2])
            )
        ):
            q += 1
        if q == old_pairs:
            return
        same = old.image[q, 0] == nx and old.image[q, 1] == ny and old.image[q, 2] == nz
        if same and old.pair[q, 0] == i and old.pair[q, 1] == j:
            walk_candidates(old, old.pair[q, 2], old.pair[q, 3], new, new.pair[p, 2], new.pair[p, 3])
            walk_candidates(old, old.pair[q, 3], old.pair[q, 4], new, new.pair[p, 3], new.pair[p, 4])
            walk_candidates(old, old.pair[q, 4], old.pair[q + 1, 2], new, new.pair[p, 4], new.pair[p + 1, 2])


@device
def walk_candidates(old, old_first, old_last, new, new_first, new_last):
    """The same for the candidates of one section of one pair."""
    q = np.int64(old_first)
    for k in range(new_first, new_last):
        v, f = new.candidate[k, 0], new.candidate[k, 1]
        while q < old_last and (old.candidate[q, 0] < v or (old.candidate[q, 0] == v and old.candidate[q, 1] < f)):
            q += 1
        if q < old_last and old.candidate[q, 0] == v and old.candidate[q, 1] == f:
            for c in range(new.spring.shape[1]):
                new.spring[k, c] = old.spring[q, c]
            new.weight[k] = old.weight[q]
