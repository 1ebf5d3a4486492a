"""Pairs of sharp bodies made up for tests of their overlap: forms, where they are put, and the file of degenerate ones.

python tests/tools/sharp_pairs.py 20000 4        searches again for degenerate pairs and writes the file of them
"""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from overlap_reference import BOX_FACES, Form, Pair, corners_of, exact, overlap_of, planes_of, reference, tables_of

from clast.algebra.quaternions import about, matrix, random_turns
from clast.contact.sharp.polyhedra import Polyhedra
from clast.shapes.space.make import hull

KEPT = Path(__file__).parents[1] / "data" / "degenerate_pairs.json"
UNEVEN = np.array([0.1, 0.2, 0.3])


# --- forms ------------------------------------------------------------------------------------------------------------


def box(low, high) -> Form:
    """The box between two corners, where it is drawn."""
    ends = np.array([low, high], float)
    corners = np.array([(ends[i, 0], ends[j, 1], ends[k, 2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    return Form(corners, tuple(np.array(loop) for loop in BOX_FACES), "box")


def prism(sides: int, radius: float, height: float) -> Form:
    ring = np.array([(math.cos(a), math.sin(a)) for a in 2.0 * math.pi * np.arange(sides) / sides]) * radius
    corners = np.array([(x, y, z) for z in (-0.5 * height, 0.5 * height) for x, y in ring])
    walls = [np.array((k, (k + 1) % sides, sides + (k + 1) % sides, sides + k)) for k in range(sides)]
    return Form(corners, (np.arange(sides)[::-1], sides + np.arange(sides), *walls), f"prism {sides}")


def tetrahedron(corners) -> Form:
    c = np.array(corners, float)
    order = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]
    if np.linalg.det(c[1:] - c[0]) > 0.0:
        order = [face[::-1] for face in order]
    return Form(c, tuple(np.array(face) for face in order), "tetrahedron")


def octahedron(r: float) -> Form:
    c = r * np.concatenate([np.eye(3), -np.eye(3)])
    loops = [(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    loops = [loop if np.linalg.det(c[list(loop)]) > 0 else loop[::-1] for loop in loops]
    return Form(c, tuple(np.array(loop) for loop in loops), "octahedron")


def pebble(rng: np.random.Generator) -> Form:
    """Hull of 12 random points on an ellipsoid: 20 faces (CSM10)."""
    points = rng.normal(size=(12, 3))
    solid = hull(points / np.linalg.norm(points, axis=1, keepdims=True) * (8.0, 7.0, 6.0))
    return Form(solid.vertices, solid.faces, "pebble")


def forms(rng: np.random.Generator, each: int = 4) -> list[Form]:
    """Bodies of size about 8: pebbles, boxes, plates, needles, prisms, tetrahedra, slivers."""
    made = [pebble(rng) for _ in range(4 * each)]
    for _ in range(each):
        half = rng.uniform(3.0, 8.0, 3)
        made.append(box(-half, half))
        made.append(box((-8.0, -6.0, -0.02), (8.0, 6.0, 0.02)))
        made.append(box((-8.0, -0.1, -0.1), (8.0, 0.1, 0.1)))
        made.append(prism(int(rng.integers(3, 13)), 7.0, rng.uniform(2.0, 9.0)))
        made.append(tetrahedron(rng.uniform(-8.0, 8.0, (4, 3))))
        made.append(tetrahedron([(-8, -1e-3, 0), (8, -1e-3, 0), (0, 2e-3, 1e-3), (0, 0, rng.uniform(1.0, 8.0))]))
    return [form for form in made if np.ptp(form.vertices, axis=0).max() > 1.0]


def whole_forms(rng: np.random.Generator) -> list[Form]:
    """Bodies whose corners, and whose planes but for a root, are whole numbers: much of them coincides exactly."""
    boxes = [box(-np.array(half), half) for half in ((2, 2, 2), (4, 2, 1), (1, 1, 1), (6, 3, 2))]
    wedges = [tetrahedron(rng.integers(-4, 5, (4, 3))) for _ in range(40)]
    return [*boxes, octahedron(4.0), octahedron(2.0), prism(4, 4.0, 4.0), *[form for form in wedges if flat(form) > 1.0][:4]]


def flat(form: Form) -> float:
    return abs(float(np.linalg.det(form.vertices[1:] - form.vertices[0])))


# --- where they are put -----------------------------------------------------------------------------------------------

Put = tuple[np.ndarray, np.ndarray]  # turn and shift


def scattered(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Anywhere from one inside the other to just apart."""
    turn = matrix(random_turns(rng, 1)[0])
    way = unit(rng)
    apart = (corners_of(tables, a) @ way).max() - (corners_of(tables, b) @ (turn.T @ way)).min()
    return turn, rng.uniform(0.0, 1.02) * apart * way


def touching(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """A corner of b over a point, an edge or a corner of a face of a, a hair above it or below."""
    turn = matrix(random_turns(rng, 1)[0])
    normal, on_face = face_point(rng, tables, a)
    others = corners_of(tables, b) @ turn.T
    return turn, on_face + hair(rng, tables, a, b) * normal - others[(others @ normal).argmin()]


def crossed(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """An edge of b over an edge of a."""
    turn = matrix(random_turns(rng, 1)[0])
    (start, way), (at, along) = edge_point(rng, tables, a), edge_point(rng, tables, b)
    normal = np.cross(way, turn @ along)
    normal /= np.linalg.norm(normal)
    return turn, start + hair(rng, tables, a, b) * normal - turn @ at


def flush(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """A face of b on a face of a, or both looking the same way, tilted by a hair; a hair apart, or deep in it."""
    normal, on_face = face_point(rng, tables, a)
    other, on_other = face_point(rng, tables, b)
    turn = matrix(about(normal, rng.uniform(0.0, 2.0 * math.pi))) @ onto(other, normal * rng.choice([-1.0, -1.0, 1.0]))
    if rng.random() < 0.7:
        turn = matrix(about(unit(rng), 10.0 ** rng.uniform(-15.5, -3.0))) @ turn
    depth = rng.choice([0.0, hair(rng, tables, a, b), -0.1 * min(tables.piece_size[a], tables.piece_size[b])])
    return turn, on_face + depth * normal - turn @ on_other


def whole(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Turned by right angles and shifted by whole numbers, exactly or but for a hair."""
    turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    turn *= np.linalg.det(turn)
    shift = rng.integers(-6, 7, 3) * rng.choice([0.5, 1.0, 2.0])
    if rng.random() < 0.3:
        shift = shift + unit(rng) * abs(hair(rng, tables, a, b))
    if rng.random() < 0.3:
        turn = matrix(about(unit(rng), 10.0 ** rng.uniform(-15.5, -3.0))) @ turn
    return turn, shift


def same(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Not turned and hardly shifted: of two of one form, the one is the other."""
    return np.eye(3), unit(rng) * (0.0 if rng.random() < 0.5 else abs(hair(rng, tables, a, b)))


def unit(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def hair(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> float:
    """0, or 1e-6 to 1e-15 of the smaller body, outwards or inwards."""
    size = min(tables.piece_size[a], tables.piece_size[b])
    return float(rng.choice([-1.0, -1.0, 1.0, 0.0]) * size * 10.0 ** rng.uniform(-15.5, -6.0))


def face_point(rng: np.random.Generator, tables: Polyhedra, piece: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal and a point of a face: within it, on an edge or a corner."""
    face = int(rng.integers(tables.piece_plane[piece + 1] - tables.piece_plane[piece]))
    edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].astype(np.int64)
    ends = np.unique(edges[(edges[:, 2] == face) | (edges[:, 3] == face)][:, :2])
    weight = rng.random(ends.size)
    kind = rng.integers(4)
    if kind == 0:
        weight = (np.arange(ends.size) == rng.integers(ends.size)).astype(float)
    elif kind == 1:  # on a side, if it is one: else within
        start, end = edges[(edges[:, 2] == face) | (edges[:, 3] == face)][0, :2]
        weight = np.where((ends == start) | (ends == end), 0.5, 0.0)
    return planes_of(tables, piece)[face, :3], weight / weight.sum() @ corners_of(tables, piece)[ends]


def edge_point(rng: np.random.Generator, tables: Polyhedra, piece: int) -> tuple[np.ndarray, np.ndarray]:
    """A point of an edge and the way the edge runs."""
    row = tables.edge[rng.integers(tables.piece_edge[piece], tables.piece_edge[piece + 1])].astype(np.int64)
    start, end = corners_of(tables, piece)[row[:2]]
    return start + rng.choice([0.0, 0.5, rng.random()]) * (end - start), end - start


def onto(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A turn that takes one unit vector to another."""
    axis, cosine = np.cross(one, other), float(one @ other)
    if np.linalg.norm(axis) < 1e-9:
        return np.eye(3) if cosine > 0.0 else matrix(about(np.cross(one, np.roll(one, 1) + UNEVEN), math.pi))
    return matrix(about(axis, math.atan2(float(np.linalg.norm(axis)), cosine)))


def random_pairs(rng: np.random.Generator, count: int, kinds: Sequence[str] = ()) -> Iterator[Pair]:
    """Pairs of all kinds in turn; sizes are equal, 10:1 and 1000:1, either way round."""
    made = forms(rng)
    loose = tables_of([form.scaled(factor) for factor in (1.0, 0.1, 0.001) for form in made])
    strict = tables_of(whole_forms(rng))
    ways: dict[str, Callable[..., Put]] = {
        "scattered": scattered, "touching": touching, "crossed": crossed, "flush": flush, "whole": whole, "same": same
    }  # fmt: skip
    names = list(kinds) or list(ways)
    for k in range(count):
        kind = names[k % len(names)]
        tables = strict if kind == "whole" else loose
        if kind == "same":
            a = b = int(rng.integers(len(made)))
        elif kind == "whole":
            a, b = (int(x) for x in rng.integers(len(tables.piece_volume), size=2))
        else:
            sizes = [(0, 0), (0, 0), (0, 1), (1, 0), (0, 2), (2, 0)][rng.integers(6)]
            a, b = (int(rng.integers(len(made))) + len(made) * size for size in sizes)
        yield Pair(tables, a, b, *ways[kind](rng, tables, a, b), kind)


# --- the file of degenerate pairs -------------------------------------------------------------------------------------


def keep_degenerate(count: int, seed: int, of_each: int = 25) -> None:
    """Search `count` pairs for such that Qhull fails at or gets wrong, add some of every degenerate kind, and write them.

    Numbers are written so that they are read back bit by bit; the reference is the exact one.
    """
    pairs: list[tuple[Pair, bool]] = []
    for pair in random_pairs(np.random.default_rng(seed), count):
        hard = reference(pair, overlap_of(pair))[2]
        room = sum(1 for other, was in pairs if (other.kind, was) == (pair.kind, hard)) < of_each
        if room and (hard or pair.kind != "scattered"):
            pairs.append((pair, hard))
    forms: dict[tuple[int, int], int] = {}
    written = []
    for pair, hard in pairs:
        numbers = [forms.setdefault((id(pair.tables), piece), len(forms)) for piece in (pair.one, pair.other)]
        volume, centroid = exact(pair)
        written.append({
            "kind": pair.kind, "qhull": "wrong or failed" if hard else "agrees", "forms": numbers, "turn": pair.turn.tolist(),
            "shift": pair.shift.tolist(), "volume": volume, "centroid": centroid.tolist(),
        })  # fmt: skip
    tables = {id(pair.tables): pair.tables for pair, _ in pairs}
    drawn = [as_written(tables[at], piece) for at, piece in forms]
    KEPT.parent.mkdir(exist_ok=True)
    rows = ",\n  ".join(json.dumps(row) for row in drawn), ",\n  ".join(json.dumps(row) for row in written)
    KEPT.write_text(f'{{"forms": [\n  {rows[0]}\n],\n"pairs": [\n  {rows[1]}\n]}}\n')
    print(f"{len(written)} pairs of {len(drawn)} forms in {KEPT}, {sum(hard for _, hard in pairs)} of them too hard for Qhull")


def as_written(tables: Polyhedra, piece: int) -> dict[str, list]:
    """Corners and face loops of a piece of the tables."""
    edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].tolist()
    following: dict[int, dict[int, int]] = {}
    for a, b, left, right in edges:
        following.setdefault(left, {})[a] = b
        following.setdefault(right, {})[b] = a
    loops = []
    for face in sorted(following):
        loop = [min(following[face])]
        while (after := following[face][loop[-1]]) != loop[0]:
            loop.append(after)
        loops.append(loop)
    return {"vertices": corners_of(tables, piece).tolist(), "faces": loops}


def kept_degenerate() -> list[tuple[Pair, float, np.ndarray]]:
    """The pairs of the file with exact volumes and centroids."""
    told = json.loads(KEPT.read_text())
    tables = tables_of([Form(np.array(row["vertices"]), tuple(np.array(f) for f in row["faces"])) for row in told["forms"]])
    return [
        (Pair(tables, *row["forms"], np.array(row["turn"]), np.array(row["shift"]), row["kind"]), row["volume"],
         np.array(row["centroid"]))
        for row in told["pairs"]
    ]  # fmt: skip


if __name__ == "__main__":
    keep_degenerate(int(sys.argv[1]), int(sys.argv[2]))
