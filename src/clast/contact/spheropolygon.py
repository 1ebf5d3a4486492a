"""Which features of two spheropolygons meet, and how deep (EPL08 eq 1, GM09; weights after PRE10 eq 13-18).

A *probe* is a vertex of one body, carried into the body frame of the other. A *feature* is an edge a→b together with
its start vertex a. With m the edge that ends at a (zero where there is none), the probe V counts

    +1 at the edge       where its foot is inside:      (V−a)·l > 0 and (V−b)·l < 0
    +1 at the vertex a   where V lies in a's cap:       (V−a)·l ≤ 0 and (V−a)·m ≥ 0
    −1 at the vertex a   where V lies in a's notch:     (V−a)·l > 0 and (V−a)·m < 0   (a feature row of its own)

which is the sum over edges plus (1 − deg) times the sum over vertices, summed up locally. An open end is a feature of
length zero (a = b) with its m; an isolated point has neither. So one row and one function serve disk, segment,
polyline, polygon and clump, and the tests at both ends of an edge are the same expression as those of its neighbours.
"""

from clast.backend.device import device

# kinds of feature rows; the row is ax ay bx by mx my 1/l² kind
NOTCH, EDGE = -1.0, 1.0


@device
def meet(x, y, ax, ay, bx, by, mx, my, inverse_length_squared, kind):
    """Count of a probe at (x, y) on one feature, the vector from the probe to the closest point of the feature, and
    whether that point is a vertex (1) or inside an edge (0).
    """
    ux = x - ax
    uy = y - ay
    lx = bx - ax
    ly = by - ay
    along = ux * lx + uy * ly
    before = ux * mx + uy * my
    if kind == NOTCH:
        if along > 0.0 and before < 0.0:
            return -1.0, -ux, -uy, 1.0
        return 0.0, 0.0, 0.0, 0.0
    if along > 0.0:
        beyond = (x - bx) * lx + (y - by) * ly
        if beyond < 0.0:
            t = along * inverse_length_squared
            return 1.0, t * lx - ux, t * ly - uy, 0.0
        return 0.0, 0.0, 0.0, 0.0
    if before >= 0.0:
        return 1.0, -ux, -uy, 1.0
    return 0.0, 0.0, 0.0, 0.0


@device
def meet_any(x, y, ax, ay, bx, by, mx, my, inverse_length_squared, kind):
    """The papers' literal count (all-pairs): every edge once, at its closest point, ends included."""
    ux = x - ax
    uy = y - ay
    lx = bx - ax
    ly = by - ay
    t = min(max((ux * lx + uy * ly) * inverse_length_squared, 0.0), 1.0)
    at_vertex = 0.0 if 0.0 < t < 1.0 else 1.0
    return 1.0, t * lx - ux, t * ly - uy, at_vertex
