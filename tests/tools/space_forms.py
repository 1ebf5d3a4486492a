"""Forms for tests of packings in space: convex ones all round, a cross that is not; and the sides of a box."""

import itertools

import numpy as np

CLOSED, PERIODIC = (False, False, False), (True, True, True)


def ball_like(seed, count=20):
    """Points all round, on an ellipsoid."""
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [1.0, 0.7, 1.4]


def cross_faces():
    """Seven cubes, one at the middle of the other six: not convex. Vertices and faces."""
    units = [tuple(s * np.eye(3, dtype=int)[k]) for k in range(3) for s in (-1, 1)]
    cells, number, faces = {(0, 0, 0), *units}, {}, []
    for cell, side in itertools.product(sorted(cells), units):
        if tuple(np.add(cell, side)) not in cells:
            k = int(np.flatnonzero(side)[0])
            ring = [np.zeros(3), np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 1) % 3] + np.eye(3)[(k + 2) % 3], np.eye(3)[(k + 2) % 3]]
            corner = np.array(cell) + np.eye(3)[k] * (side[k] > 0)
            loop = [number.setdefault(tuple(corner + p), len(number)) for p in ring]
            faces.append(loop if side[k] > 0 else loop[::-1])
    return np.array(list(number)) - 0.5, faces
