"""How thin a closed skeleton is: the overlap up to which its contact weights mean what they say.

A probe pressed deeper into a grain than the skeleton is thick there feels the far side as well, and the Euler weights
of the closed curve cancel (spec, "Which pairs count"). The thickness is therefore measured through the interior,
between parts that do not adjoin: a blunted corner made of short edges is not thin, a needle or a neck is.
"""

from __future__ import annotations

import numpy as np

from clast.shapes.inside import Floats

THIN = 0.1  # a skeleton thinner than this many sphero-radii is warned about


class ThinShapeWarning(UserWarning):
    """The skeleton is thinner than overlaps may become: forces there may be miscounted."""


def _first_hit(start: Floats, direction: Floats, a: Floats, b: Floats) -> float:
    """Length of the ray from `start` (2,) along unit `direction` (2,) to the first of segments a→b, (m, 2) each."""
    d = b - a
    rel = a - start
    cross = direction[0] * d[:, 1] - direction[1] * d[:, 0]
    safe = np.where(cross == 0.0, 1.0, cross)
    along = (rel[:, 0] * d[:, 1] - rel[:, 1] * d[:, 0]) / safe
    where = (rel[:, 0] * direction[1] - rel[:, 1] * direction[0]) / safe
    hits = along[(cross != 0.0) & (along > 0.0) & (where >= 0.0) & (where <= 1.0)]
    return float(hits.min()) if len(hits) else float("inf")


def _narrowest_neck(ring: Floats, unit: Floats, inward: Floats) -> float:
    """Smallest distance through the interior between two reflex vertices whose edges recede from each other."""
    before, into = np.roll(inward, 1, axis=0), np.roll(unit, 1, axis=0)
    reflex = np.flatnonzero(into[:, 0] * unit[:, 1] - into[:, 1] * unit[:, 0] < 0.0)
    p, ahead, back = ring[reflex], unit[reflex], -into[reflex]
    least = float("inf")
    for k, v in enumerate(reflex):
        across = p - p[k]
        recede = (
            ((across * ahead).sum(axis=1) >= 0.0)
            & ((across * back).sum(axis=1) >= 0.0)
            & (across @ ahead[k] <= 0.0)
            & (across @ back[k] <= 0.0)
        )
        # through the interior as seen from v: on the inner side of one of its edges at least
        inner = (across @ inward[v] > 0.0) | (across @ before[v] > 0.0)
        found = across[recede & inner]
        if len(found):
            least = min(least, float(np.sqrt((found * found).sum(axis=1)).min()))
    return least


def polygon_thickness(ring: Floats) -> float:
    """Thickness of a simple counter-clockwise polygon `ring` (n, 2), in its unit of length.

    The smallest of: the way across the interior from the middle of every edge, square to it; the distance through the
    interior from every vertex to the edges it does not belong to and on which it has a perpendicular foot; and the
    necks between two reflex vertices.
    """
    n = len(ring)
    a, b = ring, np.roll(ring, -1, axis=0)
    d = b - a
    unit = d / np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])[:, None]
    inward = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    middle = 0.5 * (a + b)
    least = _narrowest_neck(ring, unit, inward)
    index = np.arange(n)
    length2 = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1]
    for i in range(n):
        others = index != i
        least = min(least, _first_hit(middle[i], inward[i], a[others], b[others]))
        # An edge looks at vertex i through the interior when the vertex lies on its inner side above the edge itself,
        # and the edge lies inside the vertex's corner: between its two edges, or outside that wedge for a reflex
        # corner.
        rel = ring[i] - a
        t = (rel[:, 0] * d[:, 0] + rel[:, 1] * d[:, 1]) / length2
        height = rel[:, 0] * inward[:, 0] + rel[:, 1] * inward[:, 1]
        facing = (t > 0.0) & (t < 1.0) & (height > 0.0) & others & (index != (i - 1) % n)
        if not facing.any():
            continue
        down = -inward[facing]
        before, after = inward[i - 1], inward[i]
        inner_before = down @ before > 0.0
        inner_after = down @ after > 0.0
        turn = unit[i - 1, 0] * unit[i, 1] - unit[i - 1, 1] * unit[i, 0]
        within = (inner_before & inner_after) if turn > 0.0 else (inner_before | inner_after)
        if within.any():
            least = min(least, float(height[facing][within].min()))
    return least
