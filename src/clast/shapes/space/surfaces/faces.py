"""Faces of a solid: coplanar pieces become one polygon, vertices that carry nothing go, and polygons are cut for integrals.

A face is a loop of vertex numbers, counter-clockwise seen from outside. Every order here is fixed by the order of the vertices
and faces given, so the same mesh always makes the same solid.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.surfaces.ears import roundest_ears
from clast.shapes.space.vectors import cross, length

Loop = tuple[int, ...]


def corners_of(loops: Sequence[Sequence[int] | Ints]) -> tuple[Ints, Ints, Ints, Ints]:
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
        at, normal = vertices[loops[seed][0]], areas[seed] / size[seed]

        def in_plane(k: int, at: Floats = at, normal: Floats = normal) -> bool:
            off = float(np.abs((vertices[list(loops[k])] - at) @ normal).max())
            return off <= tolerance and bool(areas[k] @ normal > 0.0)

        grown.append(_grown(seed, loops, owner, free, in_plane))
    return in_order(_without_collinear(vertices, grown, tolerance))


def _grown(
    seed: int, loops: Sequence[Loop], owner: dict[tuple[int, int], int], free: set[int], in_plane: Callable[[int], bool]
) -> Loop:
    """A face joined with its neighbours and theirs that are `free` and in its plane; they are free no longer.

    The walk goes round the face, on from where the last neighbour was joined, until there is none on a whole round. A neighbour
    that cannot be joined may be when others have been.
    """
    after = dict(sides(loops[seed]))  # the vertex behind each one
    far: set[int] = set()  # faces in another plane
    here, left = loops[seed][-1], len(after)
    while left:
        k = owner.get((after[here], here))
        if k is not None and k in free and k not in far:
            if not in_plane(k):
                far.add(k)
            elif (new := _way_round(loops[k], after)) is not None:
                free.discard(k)
                gone = new[0]
                while gone != new[-1]:
                    gone = after.pop(gone)
                after.update(itertools.pairwise(new))
                here, left = new[-2], len(after)
                continue
        here, left = after[here], left - 1
    loop = [here]
    while after[loop[-1]] != here:
        loop.append(after[loop[-1]])
    return tuple(loop)


def _way_round(other: Loop, after: dict[int, int]) -> list[int] | None:
    """Where a loop, given by the vertex `after` each one, goes when it is joined with another: the vertices that replace the
    stretch they share. None if that would not be a polygon without holes."""
    shared = [after.get(b) == a for a, b in sides(other)]  # side k goes from other[k-1] to other[k]
    start = [k for k in range(len(other)) if not shared[k] and shared[(k + 1) % len(other)]]
    if len(start) != 1:
        return None  # they share two stretches, so there is a hole between, or everything
    count = sum(shared)
    new = [other[(start[0] + count + step) % len(other)] for step in range(len(other) - count + 1)]
    if any(v in after for v in new[1:-1]):
        return None  # they touch at a vertex more
    return new


def _without_collinear(vertices: Floats, loops: list[Loop], tolerance: float) -> list[Loop]:
    """The loops without vertices (of `vertices`, (n, 3)) at which only two edges meet, in a straight line."""
    meets: dict[int, set[int]] = {}
    around: dict[int, list[int]] = {}  # loops at a vertex
    for k, loop in enumerate(loops):
        for a, b in sides(loop):
            meets.setdefault(a, set()).add(b)
            meets.setdefault(b, set()).add(a)
            around.setdefault(a, []).append(k)
    count = [len(loop) for loop in loops]
    left_out: set[int] = set()
    while True:
        gone: dict[int, tuple[int, int]] = {}
        for v in sorted(v for v, others in meets.items() if len(others) == 2):
            a, b = sorted(meets[v])
            if a in gone or b in gone or min(count[k] for k in around[v]) <= 3:
                continue
            along, rel = vertices[b] - vertices[a], vertices[v] - vertices[a]
            length2 = float(along @ along)
            off = cross(along, rel)
            if 0.0 < along @ rel < length2 and float(off @ off) <= tolerance * tolerance * length2:
                gone[v] = a, b
        if not gone:
            return [tuple(v for v in loop if v not in left_out) for loop in loops]
        left_out.update(gone)
        for v, (a, b) in gone.items():
            del meets[v]
            meets[a] = meets[a] - {v} | {b}
            meets[b] = meets[b] - {v} | {a}
            for k in around[v]:
                count[k] -= 1


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
    """Triangles of one plane polygon, cut off ear by ear."""
    normal = area_vector(vertices[loop])
    axis = int(np.abs(normal).argmax())  # drawn on the coordinate plane it is least oblique to
    flat = vertices[loop][:, [(axis + 1) % 3, (axis + 2) % 3]] * (1.0, np.sign(normal[axis]))
    return [(loop[i], loop[j], loop[k]) for i, j, k in roundest_ears(flat)]
