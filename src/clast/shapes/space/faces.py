"""Faces of a solid: coplanar pieces become one polygon, vertices that carry nothing go, and polygons are cut for integrals.

A face is a loop of vertex numbers, counter-clockwise seen from outside. Every order here is fixed by the order of the vertices
and faces given, so the same mesh always makes the same solid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.vectors import cross, length

Loop = tuple[int, ...]


def corners_of(loops: Sequence[Sequence[int]]) -> tuple[Ints, Ints, Ints, Ints]:
    """All corners of all faces in a row, (c,) each: the vertex, the next one of its loop, the one before, and the face."""
    counts = [len(loop) for loop in loops]
    here = np.concatenate([np.asarray(loop, dtype=np.int64) for loop in loops])
    last = np.cumsum(counts) - 1
    first = last + 1 - np.array(counts)
    next_one, before = np.arange(1, len(here) + 1), np.arange(-1, len(here) - 1)
    next_one[last], before[first] = first, last
    return here, here[next_one], here[before], np.repeat(np.arange(len(loops)), counts)


def area_vectors(vertices: Floats, loops: Sequence[Sequence[int]]) -> Floats:
    """Normal times area (f, 3) of the plane polygons of faces."""
    here, ahead, _, face = corners_of(loops)
    start = vertices[[loop[0] for loop in loops]][face]
    first = np.flatnonzero(np.diff(face, prepend=-1))
    return np.asarray(0.5 * np.add.reduceat(cross(vertices[here] - start, vertices[ahead] - start), first))


def area_vector(points: Floats) -> Floats:
    """Half the sum of the cross products round a loop (k, 3): normal times area, (3,). Exact for any plane polygon."""
    rel = points - points[0]
    return np.asarray(0.5 * cross(rel[:-1], rel[1:]).sum(axis=0))


def plane_of(vertices: Floats, loop: Sequence[int]) -> tuple[Floats, Floats]:
    """A point (3,) and the unit normal (3,) of the plane of a loop of `vertices` (n, 3)."""
    points = vertices[list(loop)]
    area = area_vector(points)
    return points.mean(axis=0), area / np.sqrt((area * area).sum())


def sides(loop: Sequence[int]) -> list[tuple[int, int]]:
    """The directed sides (a, b) of a loop, in its order."""
    return [(loop[k - 1], loop[k]) for k in range(len(loop))]


def edges_of(loops: Iterable[Sequence[int]]) -> Ints:
    """The edges (m, 2) of some faces: each once, the smaller vertex first, sorted."""
    found = {(min(a, b), max(a, b)) for loop in loops for a, b in sides(loop)}
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def merged(vertices: Floats, loops: Sequence[Loop], tolerance: float) -> list[Loop]:
    """Neighbouring faces in one plane (`tolerance`: length) joined into polygons, vertices (n, 3) that carry nothing left out.

    Faces grow from the largest, one neighbour at a time, and only while they stay polygons without holes: a plane ring stays
    cut somewhere, and the edges of that cut stay edges.
    """
    areas = area_vectors(vertices, loops)
    size = length(areas).tolist()
    owner = {side: k for k, loop in enumerate(loops) for side in sides(loop)}
    free = set(range(len(loops)))
    grown: list[Loop] = []
    for seed in sorted(free, key=lambda k: (-size[k], k)):
        if seed not in free:
            continue
        free.discard(seed)
        loop = loops[seed]
        at, normal = vertices[loop[0]], areas[seed] / size[seed]
        far: set[int] = set()  # faces in another plane
        changed = True
        while changed:
            changed = False
            for a, b in sides(loop):
                k = owner.get((b, a))
                if k is None or k not in free or k in far:
                    continue
                if np.abs((vertices[list(loops[k])] - at) @ normal).max() > tolerance or areas[k] @ normal <= 0.0:
                    far.add(k)
                    continue
                joined = _joined(loop, loops[k])
                if joined is not None:
                    free.discard(k)
                    loop, changed = joined, True
                    break
        grown.append(loop)
    return in_order(_without_collinear(vertices, grown, tolerance))


def _joined(one: Loop, other: Loop) -> Loop | None:
    """Two loops joined along the sides they share, or None if that would not be a polygon without holes."""
    theirs = set(sides(other))
    shared = [(b, a) in theirs for a, b in sides(one)]  # side k goes from one[k-1] to one[k]
    count = sum(shared)
    start = [k for k in range(len(one)) if not shared[k] and shared[(k + 1) % len(one)]]
    if count == len(one) or len(start) != 1:
        return None  # they share two stretches, so there is a hole between, or everything
    first = start[0]  # the shared stretch leaves one[first] and ends `count` sides later
    last = (first + count) % len(one)
    at = other.index(one[first])
    new = [other[(at + step) % len(other)] for step in range(len(other) - count + 1)]  # other goes its own way from first to last
    rest = [one[(last + step) % len(one)] for step in range(len(one) - count + 1)]  # one goes from last to first
    inner = set(new[1:-1])
    if inner & set(rest):
        return None  # they touch at a vertex more
    return tuple(rest + new[1:-1])


def _without_collinear(vertices: Floats, loops: list[Loop], tolerance: float) -> list[Loop]:
    """The loops without vertices (of `vertices`, (n, 3)) at which only two edges meet, in a straight line."""
    while True:
        meets: dict[int, set[int]] = {}
        for loop in loops:
            for a, b in sides(loop):
                meets.setdefault(a, set()).add(b)
                meets.setdefault(b, set()).add(a)
        gone: set[int] = set()
        for v in sorted(meets):
            if len(meets[v]) != 2:
                continue
            a, b = sorted(meets[v])
            if a in gone or b in gone or min(len(loop) for loop in loops if v in loop) <= 3:
                continue
            along, rel = vertices[b] - vertices[a], vertices[v] - vertices[a]
            length2 = float(along @ along)
            off = cross(along, rel)
            if 0.0 < along @ rel < length2 and float(off @ off) <= tolerance * tolerance * length2:
                gone.add(v)
        if not gone:
            return loops
        loops = [tuple(v for v in loop if v not in gone) for loop in loops]


def in_order(loops: Iterable[Sequence[int]]) -> list[Loop]:
    """The loops, each beginning with its smallest vertex, sorted."""
    turned = []
    for loop in loops:
        k = min(range(len(loop)), key=lambda k: loop[k])
        turned.append((*loop[k:], *loop[:k]))
    return sorted(turned)


def compressed(vertices: Floats, edges: Ints, loops: Sequence[Loop]) -> tuple[Floats, Ints, list[Loop]]:
    """The vertices (n, 3) that edges and faces use, in their order, and both with the new numbers."""
    used = np.unique(np.concatenate([edges.ravel(), *[np.array(loop) for loop in loops]]).astype(np.int64))
    number = np.full(len(vertices), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    return vertices[used], number[edges], [tuple(number[list(loop)].tolist()) for loop in loops]


def triangulated(vertices: Floats, loops: Sequence[Iterable[int]]) -> tuple[Ints, Ints]:
    """The faces cut into triangles (t, 3) of vertex numbers, and the face (t,) each belongs to; no vertex is added."""
    triangles: list[Loop] = []
    face: list[int] = []
    for number, loop in enumerate(loops):
        numbers = [int(v) for v in loop]
        cut = [tuple(numbers)] if len(numbers) == 3 else _ears(vertices, numbers)
        triangles += cut
        face += [number] * len(cut)
    return np.array(triangles, dtype=np.int64).reshape(-1, 3), np.array(face, dtype=np.int64)


def _ears(vertices: Floats, loop: list[int]) -> list[Loop]:
    """Triangles of one plane polygon: of the corners that hold no other vertex the roundest is cut off, again and again."""
    normal = area_vector(vertices[loop])
    axis = int(np.abs(normal).argmax())  # drawn on the coordinate plane it is least oblique to
    p = vertices[:, [(axis + 1) % 3, (axis + 2) % 3]] * (1.0, np.sign(normal[axis]))
    left = list(loop)
    nothing = 1e-12 * float(np.ptp(p[left], axis=0).max()) ** 2  # an area: a vertex on the cut counts as held
    cut: list[Loop] = []
    while len(left) > 3:
        best, score = 0, 0.0
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            sharp = _turn(p[a], p[b], p[c])
            if sharp <= nothing:
                continue
            others = p[[v for v in left if v not in (a, b, c)]]
            inner = [_turn(p[i], p[j], others) >= -nothing for i, j in ((a, b), (b, c), (c, a))]
            if np.logical_and.reduce(inner).any():
                continue
            longest = max(float(((p[i] - p[j]) ** 2).sum()) for i, j in ((a, b), (b, c), (c, a)))
            if float(sharp) / longest > score * (1.0 + 1e-9):  # of equals the first
                best, score = k, float(sharp) / longest
        cut.append((left[best - 1], left[best], left[(best + 1) % len(left)]))
        del left[best]
    return [*cut, (left[0], left[1], left[2])]


def _turn(a: Floats, b: Floats, c: Floats) -> Floats:
    """Twice the signed area of the triangle a, b, c in the plane; c may be (k, 2)."""
    return np.asarray((b[0] - a[0]) * (c[..., 1] - a[1]) - (b[1] - a[1]) * (c[..., 0] - a[0]))
