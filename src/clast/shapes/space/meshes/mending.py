"""Mending of meshes: what can be put right without guessing at the shape, and a list of what was done.

Vertices that coincide are welded, faces without area dropped, crooked polygons cut into triangles, faces turned so that all look
outwards, and small holes filled. What still is no surface then is refused like any other mesh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from clast.shapes.plane.inside import Floats
from clast.shapes.plane.validity import TOLERANCE
from clast.shapes.space.surfaces.faces import Loop, area_vector, sides, triangulated
from clast.shapes.space.surfaces.surface import inside_out, users_of
from clast.shapes.space.validity import repeated

SMALL_HOLE = 0.1  # of the area of the surface: larger holes are not filled, since nobody knows what was there


class MendedMeshWarning(UserWarning):
    """A mesh was changed to make a grain of it: the message lists the changes."""


def mended(vertices: Floats, loops: Sequence[Loop], size: float) -> tuple[list[Loop], list[str]]:
    """The faces put right, with the numbers of the vertices (n, 3) as they were, and what was done, for a reader."""
    done: list[str] = []
    faces = _without_flat(vertices, _welded(vertices, loops, size, done), size, done)
    faces = _turned(faces, done)
    faces = _filled(vertices, faces, done)
    triangles, owner = triangulated(vertices, faces)
    if all(len(users) == 2 for users in users_of(faces).values()):
        wrong = inside_out(vertices, faces, triangles, owner)
        for group in wrong:
            for k in group:
                faces[k] = faces[k][::-1]
        if wrong:
            done.append(f"{_count(sum(len(group) for group in wrong), 'face')} that looked inwards turned round")
    return faces, done


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _welded(vertices: Floats, loops: Sequence[Loop], size: float, done: list[str]) -> list[Loop]:
    """The faces with one number for all vertices in one place; faces met twice only once."""
    stands_for = list(range(len(vertices)))
    for i, j in repeated(vertices, size):  # sorted by j: what stands for i is settled
        stands_for[j] = min(stands_for[j], stands_for[i])
    welded = sum(k != v for v, k in enumerate(stands_for))
    if welded:
        done.append(f"{_count(welded, 'corner')} welded to others in the same place")
    faces: list[Loop] = []
    for loop in loops:
        numbers = [stands_for[v] for v in loop]
        faces.append(tuple(v for k, v in enumerate(numbers) if v != numbers[k - 1]))
    once: dict[tuple[int, ...], Loop] = {}
    for loop in faces:
        once.setdefault(tuple(sorted(loop)), loop)
    if len(once) < len(faces):
        done.append(f"{_count(len(faces) - len(once), 'face')} met a second time left out")
    return list(once.values())


def _without_flat(vertices: Floats, loops: list[Loop], size: float, done: list[str]) -> list[Loop]:
    """The faces that have an area, crooked ones cut up. A vertex on the long side of one left out goes to the face beyond."""
    remaining: list[Loop] = []
    lent: dict[tuple[int, int], int] = {}
    flat = crooked = 0
    for loop in loops:
        if len(loop) < 3 or len(set(loop)) < len(loop):
            flat += 1
            continue
        points = vertices[list(loop)]
        area = area_vector(points)
        twice = 2.0 * math.sqrt(float(area @ area))
        rel = points - np.roll(points, 1, axis=0)
        length = np.sqrt((rel * rel).sum(axis=1))  # of the side that ends in each vertex
        k = int(length.argmax())
        if twice <= TOLERANCE * size * length[k]:
            flat += 1
            if len(loop) == 3:
                lent[loop[k], loop[k - 1]] = loop[(k + 1) % 3]  # seen from the face beyond
            continue
        height = np.abs((points - points.mean(axis=0)) @ area) * (2.0 / twice)
        if len(loop) > 3 and height.max() > TOLERANCE * size:
            crooked += 1
            remaining += [(i, j, k) for i, j, k in triangulated(vertices, [loop])[0].tolist()]
        else:
            remaining.append(loop)
    if flat:
        done.append(f"{_count(flat, 'face')} without area dropped")
    if crooked:
        done.append(f"{_count(crooked, 'face')} not plane cut into triangles")
    return [_borrowing(loop, lent) for loop in remaining]


def _borrowing(loop: Loop, lent: dict[tuple[int, int], int]) -> Loop:
    """The loop with the vertices that lie on its sides."""
    for k in range(len(loop)):
        middle = lent.get((loop[k - 1], loop[k]))
        if middle is not None and middle not in loop:
            return _borrowing((*loop[:k], middle, *loop[k:]), lent)
    return loop


def _turned(loops: list[Loop], done: list[str]) -> list[Loop]:
    """The faces, each group turned so that neighbours go opposite ways along their common edge, as most of them did."""
    users = users_of(loops)
    turn: dict[int, bool] = {}
    total = 0
    for seed in range(len(loops)):
        if seed in turn:
            continue
        turn[seed] = False
        group = [seed]
        for k in group:  # grows as it goes
            for a, b in sides(loops[k]):
                pair = users[min(a, b), max(a, b)]
                for j, forward in pair:
                    if len(pair) == 2 and j != k and j not in turn:
                        turn[j] = turn[k] != (forward == (a < b))
                        group.append(j)
        wrong = [k for k in group if turn[k]]
        if 2 * len(wrong) > len(group):
            wrong = [k for k in group if not turn[k]]
        total += len(wrong)
        for k in wrong:
            loops[k] = loops[k][::-1]
    if total:
        done.append(f"{_count(total, 'face')} turned round to agree with the others")
    return loops


def _filled(vertices: Floats, loops: list[Loop], done: list[str]) -> list[Loop]:
    """The faces and, for every border that encloses a small area, new ones."""
    after: dict[int, list[int]] = {}
    for (a, b), faces in users_of(loops).items():
        if len(faces) == 1:
            start, end = (b, a) if faces[0][1] else (a, b)  # the hole goes round the other way
            after.setdefault(start, []).append(end)
    surface = sum(_area(vertices, loop) for loop in loops)
    new: list[Loop] = []
    while after:
        start = min(after)
        hole = [start]
        while len(after.get(hole[-1], [])) == 1:
            hole.append(after.pop(hole[-1])[0])
            if hole[-1] == start:
                break
        if hole[-1] != start or len(hole) < 4 or len(set(hole)) < len(hole) - 1:
            after.pop(hole[-1], None)
            after.pop(start, None)
            continue  # borders that meet at a vertex: no telling which hole is which
        border = tuple(hole[:-1])
        if _area(vertices, border) <= SMALL_HOLE * surface:
            new += [(i, j, k) for i, j, k in triangulated(vertices, [border])[0].tolist()]
            done.append(f"a hole of {len(border)} sides filled")
    return loops + new


def _area(vertices: Floats, loop: Loop) -> float:
    area = area_vector(vertices[list(loop)])
    return math.sqrt(float(area @ area))
