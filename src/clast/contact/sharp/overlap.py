"""Overlap of two convex polyhedra, by clipping one with planes of the other (CSM10 §3; model §4).

The overlap is kept as a list of edges (start, end, face on the left, face on the right), faces counter-clockwise seen from
outside. A plane cuts edges, never faces: every cut edge leaves one face and enters its other one, and where a face was left it
is joined to where it was entered. Whatever rounding does to the signs, each edge is still run through once in each direction,
so the surface stays closed and volume, centroid and loop are those of a closed surface whose corners lie on the planes to
round-off. There is nothing to fail at coplanar faces, slivers or corners on faces.

The first plane to cut is the one which leaves least of the depth of i; the others follow in their order. Planes that cut nothing
leave no trace in the bits, so lists may be as long as they like.

Scratch of one thread, of capacity C: `point` (7C,) holds two tables of points and the distances to the present plane, `link`
(14C,) the edges and the bookkeeping of a cut.
"""

import numpy as np

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn
from clast.backend.device import device, routine, stay_whole

POINTS, LINKS = 7, 14  # scratch per unit of capacity
TOLERANCE = 1e-12  # of the size of the smaller body: how near to a plane a corner is on it
EDGE, PLANE = 4, 4  # numbers of a row of the tables of edges and planes
NOTHING = (0.0, 0.0, 0.0)


@device
def plane_in_frame(plane, at, relative, shift):
    """A plane (n, d), n·x = d, of j's frame in i's: `relative` turns j's frame into i's, `shift` is j's centre there."""
    normal = turn(relative, triple(plane, at))
    return normal, plane[at + 3] + dot(normal, shift)


@device
def lowest(normal, level, vertex, first, last):
    """Least n·x − d of the vertices first ≤ v < last."""
    low = np.inf
    for v in range(first, last):
        low = min(low, dot(normal, triple(vertex, 3 * v)) - level)
    return low


@device
def measure_points(normal, level, tolerance, table, begin, count, capacity, point):
    """Distances of the points of `table` from `begin` on to a plane, into `point`; returns how many lie outside."""
    outside = 0
    for v in range(count):
        distance = dot(normal, triple(table, begin + 3 * v)) - level
        point[6 * capacity + v] = distance
        outside += distance > tolerance
    return outside


@device
def keep_points(tolerance, table, begin, count, capacity, point, to, link):
    """Points within the plane go to the table at `to`, with new numbers in `link`, −1 for those outside; returns how many."""
    kept = 0
    for v in range(count):
        distance = point[6 * capacity + v]
        inside = distance <= tolerance
        # written in any case, and written over by the next where the point does not stay: a branch would cost more
        point[to + 3 * kept], point[to + 3 * kept + 1], point[to + 3 * kept + 2] = triple(table, begin + 3 * v)
        point[6 * capacity + v] = min(distance, 0.0) if inside else distance
        link[8 * capacity + v] = kept if inside else -1
        kept += inside
    return kept


@device
def cut_edge(a, b, left, right, table, begin, capacity, point, to, link, edges, points):
    """Keep, shorten or drop an edge; returns the numbers of edges and of points so far."""
    new_a, new_b = link[8 * capacity + a], link[8 * capacity + b]
    if new_a < 0 and new_b < 0:
        return edges, points
    if new_a < 0 or new_b < 0:
        inner, outer = (b, a) if new_a < 0 else (a, b)
        near, far = point[6 * capacity + inner], point[6 * capacity + outer]
        start = triple(table, begin + 3 * inner)
        x = along(start, near / (near - far), minus(triple(table, begin + 3 * outer), start))
        at = to + 3 * points
        point[at], point[at + 1], point[at + 2] = x
        if new_b < 0:  # the face on the left is left here, that on the right is entered
            new_b = points
            link[9 * capacity + points], link[10 * capacity + points] = left, right
        else:
            new_a = points
            link[9 * capacity + points], link[10 * capacity + points] = right, left
        points += 1
    row = EDGE * edges
    link[row], link[row + 1], link[row + 2], link[row + 3] = new_a, new_b, left, right
    return edges + 1, points


@device
def close_faces(cap, kept, points, edges, capacity, link):
    """Join where a face was left to where it was entered, with the new face `cap` on the other side; returns the edges."""
    for x in range(kept, points):
        link[11 * capacity + link[10 * capacity + x]] = -1
    for x in range(kept, points):
        entered = link[10 * capacity + x]
        link[12 * capacity + x] = link[11 * capacity + entered]
        link[11 * capacity + entered] = x
    for x in range(kept, points):
        left = link[9 * capacity + x]
        y = link[11 * capacity + left]
        link[11 * capacity + left] = link[12 * capacity + y]
        row = EDGE * edges
        link[row], link[row + 1], link[row + 2], link[row + 3] = x, y, left, cap
        edges += 1
    return edges


@routine
def clip(
    planes, first_plane, last_plane, candidate, first_edge, last_edge, vertex, first_vertex, last_vertex, edge, plane, faces,
    relative, shift, tolerance, capacity, point, link,
):  # fmt: skip
    """Clip a piece of i by listed planes of j. Returns (edges, points, where the points begin); no edges where nothing is left.

    candidate   flat rows of two: (plane, 1 where it may be the first to cut) for first_plane ≤ c < last_plane, (edge, 0) for
                first_edge ≤ c < last_edge: edges of i that may reach into a first plane
    vertex, edge, plane   flat tables of all pieces; edges name vertices and faces as they are numbered in their piece
    faces       number of faces of the piece of i: higher ones are planes of j, numbered from `planes` on
    """
    stay_whole()
    chosen, least = np.int64(-1), -np.inf
    for c in range(first_plane, last_plane):
        if candidate[2 * c + 1] != 0:
            normal, level = plane_in_frame(plane, PLANE * np.int64(candidate[2 * c]), relative, shift)
            low = lowest(normal, level, vertex, first_vertex, last_vertex)
            if low > least:
                chosen, least = np.int64(candidate[2 * c]), low
    if chosen < 0 or least >= -tolerance:
        return 0, 0, 0
    normal, level = plane_in_frame(plane, PLANE * chosen, relative, shift)
    count = last_vertex - first_vertex
    measure_points(normal, level, tolerance, vertex, 3 * first_vertex, count, capacity, point)
    kept = keep_points(tolerance, vertex, 3 * first_vertex, count, capacity, point, 0, link)
    points, edges = kept, 0
    for c in range(first_edge, last_edge):
        row = EDGE * np.int64(candidate[2 * c])
        edges, points = cut_edge(
            np.int64(edge[row]), np.int64(edge[row + 1]), np.int64(edge[row + 2]), np.int64(edge[row + 3]),
            vertex, 3 * first_vertex, capacity, point, 0, link, edges, points,
        )  # fmt: skip
    edges = close_faces(faces + chosen - planes, kept, points, edges, capacity, link)
    begin = 0
    for c in range(first_plane, last_plane):
        number = np.int64(candidate[2 * c])
        if number == chosen:
            continue
        normal, level = plane_in_frame(plane, PLANE * number, relative, shift)
        outside = measure_points(normal, level, tolerance, point, begin, points, capacity, point)
        if outside == 0:
            continue
        if outside == points:
            return 0, 0, 0
        other = 3 * capacity - begin
        kept = keep_points(tolerance, point, begin, points, capacity, point, other, link)
        if points + edges > capacity:  # a closed surface has room; never seen, and must not write beyond the scratch
            return 0, 0, 0
        count, edges_before = kept, edges
        edges = 0
        for e in range(edges_before):
            row = EDGE * e
            edges, count = cut_edge(
                link[row], link[row + 1], link[row + 2], link[row + 3], point, begin, capacity, point, other, link, edges, count
            )
        points = count
        edges = close_faces(faces + number - planes, kept, points, edges, capacity, link)
        begin = other
    return edges, points, begin


@routine
def surface_integrals(edges, begin, faces, capacity, point, link):
    """Volume, centroid, vector area of the faces on planes of j and ∫ x × dA over them about the origin (of i's frame).

    The last two from the loop Γ in which the surfaces meet: A = ½ ∮ x × dx, ∫ x × dA = −½ ∮ |x|² dx (model §4).
    """
    stay_whole()
    for e in range(edges):
        a = link[EDGE * e]
        link[13 * capacity + link[EDGE * e + 2]] = a
        link[13 * capacity + link[EDGE * e + 3]] = a
    origin = triple(point, begin + 3 * link[0])
    volume = 0.0
    moment = area = turning = NOTHING
    for e in range(edges):
        left, right = link[EDGE * e + 2], link[EDGE * e + 3]
        a = minus(triple(point, begin + 3 * link[EDGE * e]), origin)
        b = minus(triple(point, begin + 3 * link[EDGE * e + 1]), origin)
        one = minus(triple(point, begin + 3 * link[13 * capacity + left]), origin)
        two = minus(triple(point, begin + 3 * link[13 * capacity + right]), origin)
        swept = cross(a, b)
        of_left, of_right = dot(one, swept), -dot(two, swept)
        ends = plus(a, b)
        volume += of_left + of_right
        moment = along(along(moment, of_left, plus(one, ends)), of_right, plus(two, ends))
        if (left < faces) != (right < faces):
            sign = 1.0 if left >= faces else -1.0
            area = along(area, sign, swept)
            turning = along(turning, -sign * (dot(a, a) + dot(a, b) + dot(b, b)), minus(b, a))
    if volume <= 0.0:
        return 0.0, NOTHING, NOTHING, NOTHING
    centroid = along(origin, 0.25 / volume, moment)
    area = times(0.5, area)
    return volume / 6.0, centroid, area, along(cross(origin, area), 1.0 / 6.0, turning)
