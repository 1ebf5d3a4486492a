"""Whether two features of spheropolyhedra may come to count before the lists are built anew (GM09 §2.4).

"May" and "surely" hold until points of the two have moved by `slack` in the frame of the one that is met, which turns as well.
A candidate that does not count adds nothing, so lists may be longer than needed, and the bits of a run do not depend on them.
Rows of features: `clast.contact.space.features`.
"""

import math

from clast.algebra.space import along, cross, dot, minus, triple
from clast.backend.device import device
from clast.contact.space.spheropolyhedron import CORNER, EDGE, FACE, FAN, KIND, SIDE, of_two_edges

STEEP = 0.2  # sin² of an angle at which the crossing point of two edges is well known
FAR = 1e300


@device
def squared_distance(x, row, geometry, slack):
    """Of a point to a feature: to its segment or vertex; to the plane of a face where it may come to lie over it, else FAR."""
    feature, side = geometry.feature, geometry.side
    kind = feature[row + KIND]
    start = triple(feature, row)
    u = minus(x, start)
    if kind == FACE:
        height = dot(u, triple(feature, row + 3))
        first = int(feature[row + 6])
        for k in range(first, first + int(feature[row + 7])):
            inward = dot(minus(x, triple(side, SIDE * k)), triple(side, SIDE * k + 3))
            if inward < -slack * side[SIDE * k + 7]:
                return FAR
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
def never_counts(x, row, geometry, slack):
    """Whether a probe surely counts nothing on an edge or vertex."""
    feature, fan, corner = geometry.feature, geometry.fan, geometry.corner
    u = minus(x, triple(feature, row))
    if feature[row + KIND] == EDGE:
        length = 1.0 / math.sqrt(feature[row + 6])
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
def edges_may_cross(start, way, row, feature, gap, slack):
    """Whether two edges may come to meet inside both: their distance, and where well known the place of their crossing."""
    other, apart, aa, ab, bb, da, db, whole = of_two_edges(start, way, row, feature)
    if whole > STEEP * aa * bb:
        s, t = (bb * da - ab * db) / whole, (ab * da - aa * db) / whole
        a, b = 2.0 * slack / math.sqrt(aa), 2.0 * slack / math.sqrt(bb)
        if s < -a or s > 1.0 + a or t < -b or t > 1.0 + b:
            return False
        height = dot(apart, cross(way, other))
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
