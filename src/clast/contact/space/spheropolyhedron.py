"""Which features of two spheropolyhedra meet (GM09 eq 13; weights after model §3).

Two sums make the contact energy of a pair, each over features with Euler weights, each term a δ² of its own:

    vertices of one body on faces (+1), edges (1 − faces at it) and vertices of the other, both ways
    edges (+1) and vertices (1 − edges at it) of one body against those of the other

A term whose closest point lies on the border of its feature is summed up with those it borders on. Then a vertex V of one
body counts on the other

    +1 at a face            over whose inside it lies
    b₁ + b₂ − 1 at an edge  where its foot is inside the edge: b is 1 where V lies beyond the edge as seen from that face
    at a vertex v           w_v + Σ_edges w_e a_e + Σ_corners (a a′, or −(1−a)(1−a′) at a reflex corner of a face),
                            a = 1 where v is the closest point of that edge to V

(a cap 1, beside it 0, in a notch −1), and the second sum counts

    g_ef                               edge on edge, where the closest points are inside both
    G_vf − Σ_e g_ef (1 − a_e)          vertex v on edge f, G_vf = 1 − Π_e (1 − g_ef)
    H − Σ_f (1 − b_f) G_vf − Σ_e (1 − a_e) G_ew + Σ_ef g_ef (1 − a_e)(1 − b_f)   vertex on vertex, H = 1 − Π_ef (1 − g_ef)

With g = 1 these are the weights above: +1 for crossing edges, for a vertex on an edge, for a vertex on a vertex. Two parallel
edges have no unique closest points; there the end vertices carry the load and g fades the edge: g = x(2 − x), x = sin²θ/FADE
below 1. At a vertex a faded edge is as good as not there, so that counts are whole numbers where every g is 0 or 1. The terms
of an edge that ends or goes on past a vertex have its g in common: U stays continuous with its first derivatives. The fade has a
torque of its own, −∂(count)/∂θ per energy.

All in the body frame of the one who is met. Frames, tables and rows: `clast.contact.space.features`.
"""

from clast.algebra.space import along, cross, dot, minus, times, triple
from clast.backend.device import device

FACE, EDGE, VERTEX = 0.0, 1.0, 2.0  # kinds of feature rows
ROW, SIDE, FAN, CORNER = 16, 8, 8, 4  # numbers in a row of the tables
KIND = 15  # column of a feature row
FADE = 0.067  # sin² of the angle between two edges below which they fade: 15°
PARALLEL = 1e-10  # sin² below which nothing is left of them
NOWHERE = 1e300  # square of a distance that touches nothing


@device
def fade(cosine):
    """g of two edges with this cosine between them, and ∂g/∂(cosine)."""
    x = (1.0 - cosine * cosine) * (1.0 / FADE)
    if x >= 1.0:
        return 1.0, 0.0
    return x * (2.0 - x), (2.0 * x - 2.0) * (2.0 / FADE) * cosine


@device
def face_distance(x, row, feature):
    """Way from a probe to the plane of a face, and its square."""
    normal = triple(feature, row + 3)
    height = dot(minus(x, triple(feature, row)), normal)
    return times(-height, normal), height * height


@device
def face_count(x, row, feature, side):
    """1 where the probe lies over the inside of the face."""
    first = int(feature[row + 6])
    for k in range(first, first + int(feature[row + 7])):
        inward = dot(minus(x, triple(side, SIDE * k)), triple(side, SIDE * k + 3))
        if inward < 0.0 or (inward == 0.0 and side[SIDE * k + 6] == 0.0):
            return 0.0
    return 1.0


@device
def edge_way(x, row, feature):
    """Way from a probe to its foot on an edge and its square; NOWHERE when the foot is not inside the edge."""
    start, end = triple(feature, row), triple(feature, row + 3)
    way = minus(end, start)
    u = minus(x, start)
    before = dot(u, way)
    if before > 0.0 and dot(minus(x, end), way) < 0.0:
        q = minus(times(before * feature[row + 6], way), u)
        return q, dot(q, q)
    return (0.0, 0.0, 0.0), NOWHERE


@device
def edge_count(x, row, feature):
    """b₁ + b₂ − 1; where there is no face its normal is zero and counts as beyond."""
    u = minus(x, triple(feature, row))
    count = -1.0
    if dot(u, triple(feature, row + 8)) <= 0.0:
        count += 1.0
    if dot(u, triple(feature, row + 11)) <= 0.0:
        count += 1.0
    return count


@device
def vertex_count(q, row, feature, fan, corner):
    """Count of a probe on a vertex; q leads from the vertex to the probe."""
    count = feature[row + 3]
    first = int(feature[row + 4])
    mask = 0
    for k in range(int(feature[row + 5])):
        if dot(q, triple(fan, FAN * (first + k))) <= 0.0:
            mask |= 1 << k
            count += fan[FAN * (first + k) + 3]
    first = int(feature[row + 6])
    for k in range(first, first + int(feature[row + 7])):
        one = (mask >> int(corner[CORNER * k])) & 1
        other = (mask >> int(corner[CORNER * k + 1])) & 1
        if corner[CORNER * k + 2] > 0.0:
            count += one * other
        else:
            count -= (1 - one) * (1 - other)
    return count


@device
def vertex_on_edge(q, direction, row, feature, fan):
    """G_vf − Σ_e g_ef (1 − a_e) of a vertex on an edge of unit `direction`; q leads from the vertex to its foot there.

    All in the frame of the vertex. Returns the count and the torque of the fade on the vertex' body per energy.
    """
    first = int(feature[row + 4])
    last = first + int(feature[row + 5])
    count, none = 1.0, 1.0  # none: Π (1 − g)
    fading = False
    for k in range(first, last):
        if fan[FAN * k + 4] == 0.0:  # a flat edge
            continue
        leaving = times(fan[FAN * k + 4], triple(fan, FAN * k))
        g, slope = fade(dot(leaving, direction))
        none *= 1.0 - g
        fading |= slope != 0.0
        if dot(q, leaving) > 0.0:
            count -= g
    twist = (0.0, 0.0, 0.0)
    if fading:
        for k in range(first, last):
            if fan[FAN * k + 4] != 0.0:
                leaving = times(fan[FAN * k + 4], triple(fan, FAN * k))
                g, slope = fade(dot(leaving, direction))
                if slope != 0.0:  # then g < 1
                    change = none / (1.0 - g) - (1.0 if dot(q, leaving) > 0.0 else 0.0)
                    twist = along(twist, -slope * change, cross(leaving, direction))
    return count - none, twist


@device
def turned_way(rotation, row, fan):
    """Unit direction of a fan row in the other body's frame; 0 for a flat edge."""
    x, y, z, scale = fan[row], fan[row + 1], fan[row + 2], fan[row + 4]
    return (
        scale * (rotation[0] * x + rotation[1] * y + rotation[2] * z),
        scale * (rotation[3] * x + rotation[4] * y + rotation[5] * z),
        scale * (rotation[6] * x + rotation[7] * y + rotation[8] * z),
    )


@device
def none_of(direction, row, feature, fan):
    """Π (1 − g) of the edges at a vertex with one edge of unit `direction`, in the frame of the vertex."""
    none = 1.0
    first = int(feature[row + 4])
    for k in range(first, first + int(feature[row + 5])):
        if fan[FAN * k + 4] != 0.0:
            none *= 1.0 - fade(fan[FAN * k + 4] * dot(triple(fan, FAN * k), direction))[0]
    return none


@device
def vertex_on_vertex(q, row, other, feature, fan, rotation):
    """Count of a vertex on a vertex; q leads from the first to the second, in the frame of the second body.

    `rotation` (nine numbers) takes the first body's frame into the second's. Returns count and torque of the fade per energy
    on the first body.
    """
    first, other_first = int(feature[row + 4]), int(feature[other + 4])
    last, other_last = first + int(feature[row + 5]), other_first + int(feature[other + 5])
    count, none = 1.0, 1.0
    fading = False
    for k in range(first, last):
        if fan[FAN * k + 4] == 0.0:
            continue
        leaving = turned_way(rotation, FAN * k, fan)
        goes_on = dot(q, leaving) > 0.0
        if goes_on:
            count -= 1.0 - none_of(leaving, other, feature, fan)
        for m in range(other_first, other_last):
            if fan[FAN * m + 4] == 0.0:
                continue
            theirs = times(fan[FAN * m + 4], triple(fan, FAN * m))
            g, slope = fade(dot(leaving, theirs))
            none *= 1.0 - g
            fading |= slope != 0.0
            if goes_on and dot(q, theirs) < 0.0:
                count += g
    back = (
        rotation[0], rotation[3], rotation[6], rotation[1], rotation[4], rotation[7], rotation[2], rotation[5], rotation[8]
    )  # fmt: skip
    for m in range(other_first, other_last):
        if fan[FAN * m + 4] != 0.0 and dot(q, triple(fan, FAN * m)) < 0.0:
            count -= 1.0 - none_of(turned_way(back, FAN * m, fan), row, feature, fan)
    twist = (0.0, 0.0, 0.0)
    if fading:
        for k in range(first, last):
            leaving = turned_way(rotation, FAN * k, fan)
            for m in range(other_first, other_last):
                theirs = times(fan[FAN * m + 4], triple(fan, FAN * m))
                g, slope = fade(dot(leaving, theirs))
                if fan[FAN * k + 4] == 0.0 or fan[FAN * m + 4] == 0.0 or slope == 0.0:
                    continue
                goes_on, theirs_goes_on = dot(q, leaving) > 0.0, dot(q, theirs) < 0.0
                change = none / (1.0 - g)
                if goes_on:
                    change -= none_of(leaving, other, feature, fan) / (1.0 - g)
                if theirs_goes_on:
                    change -= none_of(turned_way(back, FAN * m, fan), row, feature, fan) / (1.0 - g)
                if goes_on and theirs_goes_on:
                    change += 1.0
                twist = along(twist, -slope * change, cross(leaving, theirs))
    return count - none, twist


@device
def of_two_edges(start, way, row, feature):
    """What decides where an edge (start, way) and an edge of the table are closest.

    Returns the other's way, the way from start to start, and with w, o, d for these three the products w·w, w·o, o·o, w·d, o·d
    and (w·w)(o·o) − (w·o)², which is 0 where they are parallel.
    """
    other_start = triple(feature, row)
    other = minus(triple(feature, row + 3), other_start)
    between = minus(other_start, start)
    aa, ab, bb = dot(way, way), dot(way, other), dot(other, other)
    return other, between, aa, ab, bb, dot(way, between), dot(other, between), aa * bb - ab * ab


@device
def edges_meet(start, way, row, feature):
    """Closest points of an edge (start, way) and an edge of the table, where they lie inside both.

    Returns the part of the way along the first, the way q from its point to the other's, and its square.
    """
    other, between, aa, ab, bb, da, db, whole = of_two_edges(start, way, row, feature)
    s, t = bb * da - ab * db, ab * da - aa * db
    if not (s > 0.0 and s < whole and t > 0.0 and t < whole and whole > PARALLEL * aa * bb):
        return 0.0, (0.0, 0.0, 0.0), NOWHERE
    inverse = 1.0 / whole
    s, t = s * inverse, t * inverse
    q = (
        between[0] + t * other[0] - s * way[0],
        between[1] + t * other[1] - s * way[1],
        between[2] + t * other[2] - s * way[2],
    )
    return s, q, dot(q, q)
