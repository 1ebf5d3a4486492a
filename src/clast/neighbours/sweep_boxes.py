"""What keeps two bodies in space from being a near pair: their boxes, then their balls, then a projection (CSM10; model §4).

Three tests, each cheaper than the next, each sure: what it removes has surfaces further apart than 2α. They are asked of a
pair, whoever found it, so that a sweep of sorted boxes (`clast.neighbours.sweep`) and linked cells
(`clast.neighbours.space_cells`, then `keep_near_pairs`) list the same pairs.

- boxes: the least boxes along the axes of the world round the turned corners, widened by sphero-radius and α, overlap;
- balls: those about the centres of mass overlap; of a big body it is its box in its own frame that the grain's ball meets,
  as it is in the cells: the ball of a floor would hold everything;
- projection: along the line of centres the shadows of the two bodies come nearer than 2α. The middle of a big body says
  nothing about where it is near, so there the line goes from the nearest point of its box to the centre of the grain.

Rows of `body` are those of `clast.dynamics.space.arrays`: place in columns 0 … 2, sphero-radius in 3 (0 for sharp solids),
quaternion in 4 … 7. Of the geometry only the fields of `Corners` are read.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clast.backend.device import device, routine
from clast.contact.vectors import dot, minus, rotation_of, times, turn, turn_back
from clast.neighbours.space_cells import beyond

ABSENT, GRAIN, BIG = 0, 1, 2  # how a body is searched
BOXES, BALLS, PROJECTION, LISTED = 0, 1, 2, 3  # what became of a pair: columns of the counts


class Corners(NamedTuple):
    """Of the solids of a scene what the three tests read; a larger table with the same three fields serves as well."""

    vertex: np.ndarray  # (nv, 3) vertices of all shapes, each in the frame of its body
    first_vertex: np.ndarray  # (shapes + 1,) int64
    box: np.ndarray  # (shapes, 6) least and largest coordinates of the vertices of a shape


def corners_of(vertices: Sequence[np.ndarray]) -> Corners:
    """The vertices of solids, sharp or rounded, each an array (k, 3), as one table."""
    return Corners(
        np.concatenate(vertices),
        np.cumsum([0, *map(len, vertices)]).astype(np.int64),
        np.array([[*each.min(axis=0), *each.max(axis=0)] for each in vertices]),
    )


@device
def turned(b, body):
    """Rotation of a body: its frame → world."""
    return rotation_of(body[b, 4], body[b, 5], body[b, 6], body[b, 7])


@device
def box_of(b, body, shape, vertex, first_vertex):
    """The least box along the axes of the world that holds a body, not widened: low x, y, z, high x, y, z."""
    rotation = turned(b, body)
    low_x = low_y = low_z = np.inf
    high_x = high_y = high_z = -np.inf
    for k in range(first_vertex[shape], first_vertex[shape + 1]):
        x, y, z = turn(rotation, (vertex[k, 0], vertex[k, 1], vertex[k, 2]))
        low_x, low_y, low_z = min(low_x, x), min(low_y, y), min(low_z, z)
        high_x, high_y, high_z = max(high_x, x), max(high_y, y), max(high_z, z)
    x, y, z, radius = body[b, 0], body[b, 1], body[b, 2], body[b, 3]
    return (
        x + low_x - radius, y + low_y - radius, z + low_z - radius,
        x + high_x + radius, y + high_y + radius, z + high_z + radius,
    )  # fmt: skip


@routine
def make_boxes(body, model, geometry, grains, big, alpha, sweep):
    """Boxes of all bodies that are searched, widened by α, into sweep.box; who is one of them into sweep.kind."""
    box, kind = sweep.box, sweep.kind
    for b in range(kind.size):
        kind[b] = ABSENT
    for q in range(grains.size):
        kind[grains[q]] = GRAIN
    for w in range(big.size):
        kind[big[w]] = BIG
    for b in range(kind.size):
        if kind[b] == ABSENT:
            continue
        side = box_of(b, body, model.shape[b], geometry.vertex, geometry.first_vertex)
        for axis in range(3):
            box[b, axis] = side[axis] - alpha
            box[b, 3 + axis] = side[3 + axis] + alpha


@device
def boxes_meet(i, j, shift, box):
    """Whether the widened boxes of i and of the image of j overlap or touch."""
    return (
        box[i, 0] <= box[j, 3] + shift[0] and box[j, 0] + shift[0] <= box[i, 3]
        and box[i, 1] <= box[j, 4] + shift[1] and box[j, 1] + shift[1] <= box[i, 4]
        and box[i, 2] <= box[j, 5] + shift[2] and box[j, 2] + shift[2] <= box[i, 5]
    )  # fmt: skip


@device
def support(direction, shape, vertex, first_vertex):
    """How far the vertices of a shape reach in a direction of its own frame, times the length of the direction."""
    furthest = -np.inf
    for k in range(first_vertex[shape], first_vertex[shape + 1]):
        furthest = max(furthest, dot(direction, (vertex[k, 0], vertex[k, 1], vertex[k, 2])))
    return furthest


@device
def grains_part(i, j, shift, body, model, geometry, alpha):
    """Of two grains with boxes that meet: BALLS or PROJECTION, whichever removes them, or LISTED."""
    way = (body[j, 0] - body[i, 0] + shift[0], body[j, 1] - body[i, 1] + shift[1], body[j, 2] - body[i, 2] + shift[2])
    squared = dot(way, way)
    near = model.reach[i] + model.reach[j] + 2.0 * alpha
    if squared >= near * near:
        return BALLS
    in_i, in_j = turn_back(turned(i, body), way), turn_back(turned(j, body), times(-1.0, way))
    covered = support(in_i, model.shape[i], geometry.vertex, geometry.first_vertex)
    covered += support(in_j, model.shape[j], geometry.vertex, geometry.first_vertex)
    # all times the distance of the centres: no division, and one that is 0 keeps the pair
    if squared - covered > (body[i, 3] + body[j, 3] + 2.0 * alpha) * np.sqrt(squared):
        return PROJECTION
    return LISTED


@device
def big_parts(i, j, shift, body, model, geometry, alpha):
    """The same of a grain i and a big body j; `shift` is that of the image of j."""
    shape = model.shape[j]
    low_x, low_y, low_z = geometry.box[shape, 0], geometry.box[shape, 1], geometry.box[shape, 2]
    high_x, high_y, high_z = geometry.box[shape, 3], geometry.box[shape, 4], geometry.box[shape, 5]
    rotation = turned(j, body)
    place = (body[i, 0] - body[j, 0] - shift[0], body[i, 1] - body[j, 1] - shift[1], body[i, 2] - body[j, 2] - shift[2])
    seen = turn_back(rotation, place)
    gx, gy, gz = beyond(seen[0], low_x, high_x), beyond(seen[1], low_y, high_y), beyond(seen[2], low_z, high_z)
    squared = gx * gx + gy * gy + gz * gz
    near = model.reach[i] + body[j, 3] + 2.0 * alpha
    if squared >= near * near:
        return BALLS
    nearest = (min(max(seen[0], low_x), high_x), min(max(seen[1], low_y), high_y), min(max(seen[2], low_z), high_z))
    way = minus(seen, nearest)  # 0 where the centre is within the box: then nothing is removed
    back = turn_back(turned(i, body), turn(rotation, times(-1.0, way)))
    covered = support(way, shape, geometry.vertex, geometry.first_vertex)
    covered += support(back, model.shape[i], geometry.vertex, geometry.first_vertex)
    if dot(way, seen) - covered > (body[i, 3] + body[j, 3] + 2.0 * alpha) * np.sqrt(dot(way, way)):
        return PROJECTION
    return LISTED


@routine
def keep_near_pairs(total, body, model, geometry, grains, big, alpha, work):
    """The three tests for the first `total` pairs of work.raw as cells found them, in any box; what is left moves up.

    Returns how many are left. work.sweep.counts says what became of the pairs the cells found.
    """
    raw, sweep = work.raw, work.sweep
    make_boxes(body, model, geometry, grains, big, alpha, sweep)
    counts = sweep.counts
    for c in range(4):
        counts[c] = 0
    left = np.int64(0)
    for p in range(total):
        i, j = np.int64(raw[p, 0]), np.int64(raw[p, 1])
        shift = (raw[p, 2] * model.period[0], raw[p, 3] * model.period[1], raw[p, 4] * model.period[2])
        fate = np.int64(BOXES)
        if boxes_meet(i, j, shift, sweep.box):
            if sweep.kind[i] == BIG:  # the image is then the grain's, seen from the big body
                fate = np.int64(big_parts(j, i, times(-1.0, shift), body, model, geometry, alpha))
            elif sweep.kind[j] == BIG:
                fate = np.int64(big_parts(i, j, shift, body, model, geometry, alpha))
            else:
                fate = np.int64(grains_part(i, j, shift, body, model, geometry, alpha))
        counts[fate] += 1
        if fate == LISTED:
            for column in range(5):
                raw[left, column] = raw[p, column]
            left += 1
    return left
