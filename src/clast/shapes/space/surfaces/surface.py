"""Whether faces make a surface a grain can have: which edges and vertices they share, which way they look, where they cross.

Every refusal is one sentence that names the face, edge or vertex as the user counted it, and where it lies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clast.errors import ShapeError
from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.validity import TOLERANCE
from clast.shapes.space.surfaces.box_tree import BoxTree, segments
from clast.shapes.space.surfaces.faces import Loop, area_vectors, edges_of, sides, triangulated
from clast.shapes.space.surfaces.inside import in_surface, over_triangles
from clast.shapes.space.validity import refuse_bad_loop
from clast.shapes.space.vectors import cross, dot, length
from clast.shapes.vertices import at


def refuse_bad_surface(vertices: Floats, loops: Sequence[Loop], size: float, kind: str, *, closed: bool) -> None:
    """ShapeError unless the faces make one surface, or several, that neither branch nor cross; if `closed`, without a border,
    and with every face looking outwards. `size` is that of the body, vertices (n, 3)."""
    refuse_bad_faces(vertices, loops, size, kind)
    refuse_bad_edges(vertices, loops, kind, closed=closed)
    _refuse_pinches(vertices, loops, kind)
    triangles, owner = triangulated(vertices, loops)
    _refuse_crossings(vertices, loops, triangles, owner, size, kind)
    if closed:
        wrong = inside_out(vertices, loops, triangles, owner)
        if wrong:
            raise ShapeError(
                f"This {kind} is inside out: face {wrong[0][0]} and the {len(wrong[0]) - 1} joined to it look inwards; turn "
                "round the order of their vertices, or let mend=True do it."
            )


def refuse_bad_faces(vertices: Floats, loops: Sequence[Loop], size: float, kind: str) -> None:
    """ShapeError unless every face is a plane polygon with an area that does not cross itself."""
    twice = 2.0 * length(area_vectors(vertices, loops))
    for k, loop in enumerate(loops):
        if len(loop) > 3 or twice[k] <= 4.0 * TOLERANCE * size * size:  # most are triangles, and plainly sound
            refuse_bad_loop(vertices, loop, size, f"Face {k} of this {kind}")


def users_of(loops: Sequence[Loop]) -> dict[tuple[int, int], list[tuple[int, bool]]]:
    """For every edge (a, b), a < b, the faces that have it and whether they go from a to b."""
    users: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for k, loop in enumerate(loops):
        for a, b in sides(loop):
            users.setdefault((min(a, b), max(a, b)), []).append((k, a < b))
    return users


def refuse_bad_edges(vertices: Floats, loops: Sequence[Loop], kind: str, *, closed: bool) -> None:
    """ShapeError where more than two faces meet at an edge, two go the same way along it or, if `closed`, there is but one."""
    users = users_of(loops)

    def edge(a: int, b: int) -> str:
        return f"edge {a}-{b} (from {at(vertices[a])} to {at(vertices[b])})"

    for (a, b), faces in users.items():
        if len(faces) > 2:
            which = ", ".join(str(k) for k, _ in faces)
            raise ShapeError(f"In this {kind} faces {which} meet at {edge(a, b)}: at most two may.")
    for (a, b), faces in users.items():
        if len(faces) == 2 and faces[0][1] == faces[1][1]:
            raise ShapeError(
                f"In this {kind} faces {faces[0][0]} and {faces[1][0]} go the same way along {edge(a, b)}: one of them is inside "
                "out; turn round the order of its vertices, or let mend=True do it."
            )
    single = [pair for pair, faces in users.items() if len(faces) == 1]
    if closed and single:
        raise ShapeError(
            f"The surface of this {kind} is open: {edge(*single[0])} has one face only, as have {len(single) - 1} more edges; "
            "close it, or let mend=True fill small holes, or make a wall of it with shell."
        )


def _refuse_pinches(vertices: Floats, loops: Sequence[Loop], kind: str) -> None:
    """ShapeError where two parts of the surface have but a vertex in common."""
    around: dict[int, list[int]] = {}
    for k, loop in enumerate(loops):
        for v in loop:
            around.setdefault(v, []).append(k)
    for v, faces in around.items():
        meets: dict[int, list[int]] = {}  # faces at v by the other end of the edges they have there
        for k in faces:
            i = loops[k].index(v)
            for other in (loops[k][i - 1], loops[k][(i + 1) % len(loops[k])]):
                meets.setdefault(other, []).append(k)
        next_to: dict[int, set[int]] = {k: set() for k in faces}
        for both in meets.values():
            for k in both:
                next_to[k].update(both)
        reached, edge = {faces[0]}, [faces[0]]
        while edge:
            new = next_to[edge.pop()] - reached
            reached |= new
            edge += new
        if len(reached) < len(faces):
            apart = min(set(faces) - reached)
            raise ShapeError(
                f"In this {kind} the surface touches itself: faces {faces[0]} and {apart} have only vertex {v} at "
                f"{at(vertices[v])} in common; move them apart or join them."
            )


def pieces(loops: Sequence[Loop]) -> list[list[int]]:
    """The faces in groups that hang together by edges, each sorted."""
    next_to: list[set[int]] = [set() for _ in loops]
    for faces in users_of(loops).values():
        for k, _ in faces:
            next_to[k] |= {j for j, _ in faces}
    free = set(range(len(loops)))
    groups = []
    for seed in range(len(loops)):
        if seed not in free:
            continue
        group, edge = {seed}, [seed]
        while edge:
            new = next_to[edge.pop()] - group
            group |= new
            edge += new
        free -= group
        groups.append(sorted(group))
    return groups


def inside_out(vertices: Floats, loops: Sequence[Loop], triangles: Ints, owner: Ints) -> list[list[int]]:
    """The groups of faces of a closed surface that look the wrong way: outwards from a cavity, or inwards from the grain.

    triangles (t, 3) are the faces cut up, owner (t,) the face each is of.
    """
    wrong = []
    groups = pieces(loops)
    centre = vertices.mean(axis=0)
    for group in groups:
        part = np.isin(owner, group)
        a, b, c = (vertices[triangles[part, k]] - centre for k in range(3))
        volume = float(dot(a, cross(b, c)).sum()) / 6.0
        inner = False
        if len(groups) > 1:
            start = vertices[loops[group[0]][0]]
            inner = bool(in_surface(start[None], vertices, triangles[~part])[0])
        if (volume < 0.0) != inner:
            wrong.append(group)
    return wrong


def _refuse_crossings(vertices: Floats, loops: Sequence[Loop], triangles: Ints, owner: Ints, size: float, kind: str) -> None:
    """ShapeError where an edge cuts or touches a face it has no vertex in common with; named is one of the smallest faces."""
    edges = edges_of(loops)
    slack = TOLERANCE * size
    corners = vertices[triangles]
    a, b = vertices[edges[:, 0]], vertices[edges[:, 1]]
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))  # near the origin boxes lose no digits
    tree = BoxTree(corners.min(axis=1) - middle - 2.0 * slack, corners.max(axis=1) - middle + 2.0 * slack)
    order = np.frexp(length(corners - corners.mean(axis=1)[:, None]).max(axis=1) + slack)[1]  # classes of sizes
    of_face = {k: set(loop) for k, loop in enumerate(loops)}
    found: list[tuple[int, int, int]] = []
    for e, t in tree.meeting(segments(a - middle, b - middle)):
        apart = ~(triangles[t][:, :, None] == edges[e][:, None, :]).any(axis=(1, 2))
        e, t = e[apart], t[apart]
        hit = _meet(a[e], b[e], corners[t], slack)
        for k, n in zip(e[hit].tolist(), t[hit].tolist(), strict=True):
            if not set(edges[k].tolist()) <= of_face[int(owner[n])]:  # else of one plane polygon, which has been found simple
                found.append((int(order[n]), k, n))
    if found:
        _, k, n = min(found)
        p, q = edges[k].tolist()
        face = int(owner[n])
        raise ShapeError(
            f"This {kind} crosses or touches itself: edge {p}-{q} (from {at(vertices[p])} to {at(vertices[q])}) meets face "
            f"{face} near {at(_middle(vertices, loops[face]))}."
        )


def _middle(vertices: Floats, loop: Loop) -> Floats:
    return np.asarray(vertices[list(loop)].mean(axis=0))


def _meet(a: Floats, b: Floats, corners: Floats, slack: float) -> Bools:
    """Whether segments a→b, (k, 3) each, come nearer than `slack` to triangles (k, 3, 3), pair by pair."""
    p, q, r = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = cross(q - p, r - p)
    unit = normal / length(normal)[:, None]
    high, low = dot(a - p, unit), dot(b - p, unit)
    drop = np.where(high == low, 1.0, high - low)
    t = np.where((high > 0.0) != (low > 0.0), high / drop, -1.0)
    through = a + t[:, None] * (b - a)
    hit = (t >= 0.0) & over_triangles(through, p, q, r, normal)
    hit |= (np.abs(high) <= slack) & over_triangles(a, p, q, r, normal)
    hit |= (np.abs(low) <= slack) & over_triangles(b, p, q, r, normal)
    for start, end in ((p, q), (q, r), (r, p)):
        hit |= segments_apart(a, b, start, end) <= slack
    return hit


def segments_apart(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Smallest distance (k,) between segments a→b and c→d, (k, 3) each and longer than nothing, pair by pair."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    square = uu * vv - uv * uv
    slanted = square > 1e-14 * uu * vv  # of parallel ones any point of the first will do, and the start is taken
    s = np.where(slanted, np.clip((uv * vw - vv * uw) / np.where(slanted, square, 1.0), 0.0, 1.0), 0.0)
    t = np.clip((uv * s + vw) / vv, 0.0, 1.0)
    s = np.clip((uv * t - uw) / uu, 0.0, 1.0)  # once more, should the second have ended before it was reached
    gap = w + s[:, None] * u - t[:, None] * v
    return np.asarray(np.sqrt(dot(gap, gap)))
