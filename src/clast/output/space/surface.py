"""The surface of a solid as triangles, to draw it or hand it to other programs.

Every point of it is vertex + radius × direction, where the direction is the normal there. A face gives its own normal to all
its corners; an edge a strip of directions between those of its two faces; a vertex what is left between its edges. So a convex
solid gets a closed mesh without seams whose normals are exact. Where a solid is not convex, faces, strips and whole balls
reach into one another: what lies inside is not seen. A sharp solid is its faces, cut into triangles, each with corners of its
own, so that it is shaded flat.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import plane_of, sides

QUALITY = 6  # chords per right angle
AXES = np.concatenate([np.eye(3), -np.eye(3)])
OCTANTS = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]  # of AXES, seen from outside
BENT = math.cos(math.radians(20.0))
FLAT = 1e-12  # sine of an angle that is taken for none


class Surface(NamedTuple):
    """Triangles in the body frame of a solid."""

    points: Floats  # (p, 3)
    triangles: Ints  # (t, 3) numbers of points, counter-clockwise seen from outside
    normals: Floats  # (p, 3) outward unit vectors


@lru_cache(maxsize=4096)
def surface(solid: Solid, quality: int = QUALITY) -> Surface:
    """The surface of a solid, its rounding with `quality` chords per right angle; watertight where it is convex."""
    return facets(solid) if solid.sharp else Rounding(solid).mesh(quality)


def facets(solid: Solid) -> Surface:
    """The faces of a sharp solid; points of different faces are not shared, since each face has its own normal."""
    points, triangles, normals, count = [], [], [], 0
    for loop in solid.faces:
        corners = solid.vertices[loop]
        normal = plane_of(solid.vertices, loop.tolist())[1]
        points.append(corners)
        triangles.append(triangulate(flattened(corners, normal)) + count)
        normals.append(np.tile(normal, (len(loop), 1)))
        count += len(loop)
    return Surface(np.concatenate(points), np.concatenate(triangles), np.concatenate(normals))


@lru_cache(maxsize=4096)
def ridges(solid: Solid) -> Floats:
    """The edges (m, 2, 3) of the skeleton at which it ends or bends by more than a little: what a line drawing shows."""
    normals = [plane_of(solid.vertices, loop)[1] for loop in map(list, solid.faces)]
    meets: dict[tuple[int, int], list[int]] = {(a, b): [] for a, b in solid.edges.tolist()}
    for number, loop in enumerate(solid.faces):
        for a, b in sides(loop.tolist()):
            meets[min(a, b), max(a, b)].append(number)
    shown = [edge for edge, faces in meets.items() if len(faces) < 2 or normals[faces[0]] @ normals[faces[1]] < BENT]
    return solid.vertices[np.array(shown, dtype=np.int64).reshape(-1, 2)]


class Rounding:
    """Directions between which the surface of a solid is spanned, and the pieces: flat triangles, strips along edges, caps."""

    def __init__(self, solid: Solid) -> None:
        self.solid = solid
        self.directions: list[Floats] = []
        self.flats: list[tuple[int, int, int, int]] = []  # three vertices, one direction
        self.strips: list[tuple[int, int, int, int]] = []  # along an edge v0 → v1, from one direction to the one right of it
        self.caps: list[tuple[int, int, int, int]] = []  # at a vertex, three directions
        normals = [plane_of(solid.vertices, loop)[1] for loop in map(list, solid.faces)]
        owner = {side: number for number, loop in enumerate(solid.faces) for side in sides(loop.tolist())}
        bare = [(a, b) for a, b in solid.edges.tolist() if (a, b) not in owner and (b, a) not in owner]
        if solid.is_closed:
            self._closed(normals, owner)
        elif solid.faces:
            self._open(normals, owner)
        if len(solid.vertices) == 2 and len(bare) == 1:
            self._capsule(*bare[0])
        else:
            for first, second in bare:
                self._tube(first, second)
            alone = set(range(len(solid.vertices))) - {int(v) for loop in solid.faces for v in loop}
            for vertex in sorted(alone):
                self._ball(vertex)

    def _add(self, *directions: Floats) -> int:
        """New directions; the number of the first."""
        self.directions.extend(directions)
        return len(self.directions) - len(directions)

    def _flat(self, loop: Ints, direction: int, normal: Floats) -> None:
        """A face, moved outward along its normal."""
        for corner in triangulate(flattened(self.solid.vertices[loop], normal)):
            a, b, c = loop[corner]
            self.flats.append((int(a), int(b), int(c), direction))

    def _convex(self, first: int, second: int, left: Floats, right: Floats) -> bool:
        """Whether the edge first → second between faces with these normals bends outward (or not at all)."""
        along = self.solid.vertices[second] - self.solid.vertices[first]
        return bool(np.cross(left, right) @ along >= -FLAT * np.linalg.norm(along))

    def _closed(self, normals: list[Floats], owner: dict[tuple[int, int], int]) -> None:
        self._add(*normals)
        for number, (loop, normal) in enumerate(zip(self.solid.faces, normals, strict=True)):
            self._flat(loop, number, normal)
        bent_in: set[int] = set()
        for (a, b), left in owner.items():
            right = owner[b, a]
            if not self._convex(a, b, normals[left], normals[right]):
                bent_in |= {a, b}
            elif a < b:
                self.strips.append((a, b, left, right))
        for vertex, around in faces_around(self.solid.faces).items():
            if vertex in bent_in or around is None:
                self._ball(vertex)
            else:
                self.caps += [(vertex, around[0], second, third) for second, third in itertools.pairwise(around[1:])]

    def _open(self, normals: list[Floats], owner: dict[tuple[int, int], int]) -> None:
        """Plates: every face has two sides and, where it ends, a round border."""
        front = self._add(*(each for normal in normals for each in (normal, -normal)))
        for number, (loop, normal) in enumerate(zip(self.solid.faces, normals, strict=True)):
            self._flat(loop, front + 2 * number, normal)
            self._flat(loop[::-1], front + 2 * number + 1, -normal)
        border: dict[tuple[int, int], int] = {}
        for (a, b), left in owner.items():
            top = front + 2 * left
            if (b, a) not in owner:
                along = self.solid.vertices[b] - self.solid.vertices[a]
                border[a, b] = self._add(np.cross(along / np.linalg.norm(along), normals[left]))
                self.strips += [(a, b, top, border[a, b]), (a, b, border[a, b], top + 1)]
            elif a < b:
                other = front + 2 * owner[b, a]
                if self._convex(a, b, normals[left], normals[owner[b, a]]):
                    self.strips.append((a, b, top, other))
                else:
                    self.strips.append((b, a, top + 1, other + 1))
        if len(self.solid.faces) > 1:
            for vertex in sorted({int(v) for loop in self.solid.faces for v in loop}):
                self._ball(vertex)
            return
        loop = self.solid.faces[0]
        for before, here, after in zip(np.roll(loop, 1), loop, np.roll(loop, -1), strict=True):
            first, second = border[int(before), int(here)], border[int(here), int(after)]
            if np.cross(self.directions[first], self.directions[second]) @ normals[0] > FLAT:
                self.caps += [(int(here), front, first, second), (int(here), front + 1, second, first)]

    def _tube(self, first: int, second: int) -> tuple[int, Floats]:
        """The round side of an edge without faces: its four directions begin at the number returned; and where it points."""
        along = self.solid.vertices[second] - self.solid.vertices[first]
        along = along / np.linalg.norm(along)
        across = np.cross(along, np.eye(3)[np.abs(along).argmin()])
        across /= np.linalg.norm(across)
        third = np.cross(along, across)
        start = self._add(across, third, -across, -third)
        self.strips += [(first, second, start + k, start + (k + 1) % 4) for k in range(4)]
        return start, along

    def _capsule(self, first: int, second: int) -> None:
        start, along = self._tube(first, second)
        top = self._add(along, -along)
        for k in range(4):
            left, right = start + k, start + (k + 1) % 4
            self.caps += [(second, top, left, right), (first, top + 1, right, left)]

    def _ball(self, vertex: int) -> None:
        start = self._add(*AXES)
        self.caps += [(vertex, start + a, start + b, start + c) for a, b, c in OCTANTS]

    def mesh(self, quality: int) -> Surface:
        """All pieces as one mesh; points of the same vertex and direction are one."""
        directions = np.array(self.directions)
        caps = np.array(self.caps, dtype=np.int64).reshape(-1, 4)
        strips = np.array(self.strips, dtype=np.int64).reshape(-1, 4)
        arcs = np.concatenate([strips[:, 2:4], caps[:, 1:3], caps[:, 2:4], caps[:, [1, 3]]])
        ends, which = np.unique(np.sort(arcs, axis=1), axis=0, return_inverse=True)
        widest = np.arccos(np.clip((directions[ends[:, 0]] * directions[ends[:, 1]]).sum(axis=1), -1.0, 1.0)).max(initial=0.0)
        chords = max(1, math.ceil(quality * widest / (0.5 * math.pi) - 1e-9))
        inner = between(directions[ends[:, 0]], directions[ends[:, 1]], chords)
        numbers = len(directions) + np.arange(len(ends) * (chords - 1)).reshape(len(ends), chords - 1)
        columns = np.concatenate([ends[:, :1], numbers, ends[:, 1:]], axis=1)[which.ravel()]  # directions along every arc
        columns = np.where((arcs[:, 0] > arcs[:, 1])[:, None], columns[:, ::-1], columns)
        first, second, third = np.split(columns[len(strips) :], 3)
        table = np.concatenate([directions, inner.reshape(-1, 3)])
        grid, filled = cap_grid(first, second, third, table, chords)
        table = np.concatenate([table, filled])
        corners = [  # (triangles, 3, 2): vertex and direction of every corner
            np.array([[(a, d), (b, d), (c, d)] for a, b, c, d in self.flats], dtype=np.int64).reshape(-1, 3, 2),
            strip_triangles(strips, columns[: len(strips)]),
            np.stack([np.broadcast_to(caps[:, :1, None], (len(caps), chords**2, 3)).reshape(-1, 3),
                      grid[:, cap_triangles(chords)].reshape(-1, 3)], axis=2),
        ]  # fmt: skip
        used, triangles = np.unique(np.concatenate(corners) @ np.array([len(table), 1]), return_inverse=True)
        vertex, direction = np.divmod(used, len(table))
        normals = table[direction]
        points = self.solid.vertices[vertex] + self.solid.radius * normals
        return Surface(points, triangles.reshape(-1, 3).astype(np.int64), normals)


def between(starts: Floats, ends: Floats, chords: int) -> Floats:
    """Unit vectors (m, chords − 1, 3) at equal angles along great circles from `starts` to `ends` (m, 3)."""
    angle = np.arccos(np.clip((starts * ends).sum(axis=1), -1.0, 1.0))[:, None]
    share = np.arange(1, chords) / chords
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = np.sin((1.0 - share) * angle) / np.sin(angle), np.sin(share * angle) / np.sin(angle)
    straight = np.broadcast_to(angle < 1e-6, first.shape)
    first, second = np.where(straight, 1.0 - share, first), np.where(straight, share, second)
    mixed = first[:, :, None] * starts[:, None] + second[:, :, None] * ends[:, None]
    return mixed / np.linalg.norm(mixed, axis=2, keepdims=True)


def cap_grid(first: Ints, second: Ints, third: Ints, table: Floats, chords: int) -> tuple[Ints, Floats]:
    """Directions of spherical triangles in rows, (m, (k + 1)(k + 2)/2) numbers, and the new directions inside.

    The triangles are given by the directions along their sides a → b, b → c and a → c (m, k + 1); row i goes from the i-th of
    the first side to the i-th of the third.
    """
    rows, filled, count = [], [np.zeros((0, 3))], len(table)
    for i in range(chords):
        inside = between(table[first[:, i]], table[third[:, i]], i).reshape(-1, 3) if i > 1 else np.zeros((0, 3))
        numbers = (count + np.arange(len(inside))).reshape(len(first), -1)
        rows.append(np.concatenate([first[:, i : i + 1], numbers, third[:, i : i + 1]], axis=1) if i else first[:, :1])
        filled.append(inside)
        count += len(inside)
    return np.concatenate([*rows, second], axis=1), np.concatenate(filled)


@lru_cache(maxsize=64)
def cap_triangles(chords: int) -> Ints:
    """Triangles (k², 3) of a triangular grid of rows of 1, 2 … k + 1 points, counter-clockwise where row i + 1 lies below."""
    made = []
    for i in range(chords):
        here, below = i * (i + 1) // 2, (i + 1) * (i + 2) // 2
        made += [(here + j, below + j, below + j + 1) for j in range(i + 1)]
        made += [(here + j, below + j + 1, here + j + 1) for j in range(i)]
    return np.array(made)


def strip_triangles(strips: Ints, columns: Ints) -> Ints:
    """Triangles (t, 3, 2) of strips along edges, from the directions (m, k + 1) across them."""
    left, right = columns[:, :-1], columns[:, 1:]
    start, end = (np.broadcast_to(strips[:, k : k + 1], left.shape) for k in (0, 1))
    corner = {key: np.stack(pair, axis=-1) for key, pair in
              {"p": (start, left), "q": (start, right), "r": (end, right), "s": (end, left)}.items()}  # fmt: skip
    halves = [np.stack([corner[each] for each in three], axis=2) for three in ("pqr", "prs")]
    return np.concatenate([half.reshape(-1, 3, 2) for half in halves])


def faces_around(faces: tuple[Ints, ...]) -> dict[int, list[int] | None]:
    """The faces at every vertex of a closed surface, counter-clockwise seen from outside; None where they are no single fan."""
    begins: dict[int, dict[int, tuple[int, int]]] = {}  # vertex → the next corner of a face there → the one before, the face
    for number, loop in enumerate(faces):
        for before, here, after in zip(np.roll(loop, 1), loop, np.roll(loop, -1), strict=True):
            begins.setdefault(int(here), {})[int(after)] = (int(before), number)
    found: dict[int, list[int] | None] = {}
    for vertex, fan in begins.items():
        start = here = next(iter(fan))
        around = []
        while True:
            here, face = fan[here]
            around.append(face)
            if here == start or here not in fan:
                break
        found[vertex] = around if len(around) == len(fan) and here == start else None
    return found


def flattened(corners: Floats, normal: Floats) -> Floats:
    """A plane polygon (k, 3) in coordinates of its plane (k, 2), counter-clockwise seen from where the normal points to."""
    across = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    across /= np.linalg.norm(across)
    return corners @ np.stack([across, np.cross(normal, across)], axis=1)


def triangulate(ring: Floats) -> Ints:
    """Triangles (k − 2, 3) of a simple polygon (k, 2), counter-clockwise, convex or not.

    A convex one is a fan, which is most of them; from others corners are cut off, the first that holds no other vertex.
    """
    left = list(range(len(ring)))
    made = []
    while len(left) > 3:
        corners = ring[left]
        before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
        turn = cross(corners - before, after - corners)
        if (turn >= 0.0).all():
            break
        cut = int(np.argmax(turn))  # if rounding leaves no ear: the best of bad ones
        for k in np.argsort(-turn):
            a, b, c = before[k], corners[k], after[k]
            others = np.delete(corners, [(k - 1) % len(left), k, (k + 1) % len(left)], axis=0)
            inside = (cross(b - a, others - a) >= 0.0) & (cross(c - b, others - b) >= 0.0) & (cross(a - c, others - c) >= 0.0)
            if turn[k] > 0.0 and not inside.any():
                cut = int(k)
                break
        made.append((left[cut - 1], left[cut], left[(cut + 1) % len(left)]))
        del left[cut]
    made += [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]
    return np.array(made, dtype=np.int64).reshape(-1, 3)


def cross(first: Floats, second: Floats) -> Floats:
    """z of the cross product of vectors of the plane (…, 2)."""
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
