"""Orientations as unit quaternions (w, x, y, z): q turns the body frame into the world, v_world = q v q*. Host side."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def matrix(quaternion: ArrayLike) -> Floats:
    """Rotation matrix (…, 3, 3) of unit quaternions (…, 4): world = matrix @ body."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def from_matrix(rotation: ArrayLike) -> Floats:
    """Unit quaternion (4,) of a rotation matrix (3, 3), w ≥ 0."""
    r = np.asarray(rotation, float)
    four = np.array([
        1.0 + r[0, 0] + r[1, 1] + r[2, 2], 1.0 + r[0, 0] - r[1, 1] - r[2, 2],
        1.0 - r[0, 0] + r[1, 1] - r[2, 2], 1.0 - r[0, 0] - r[1, 1] + r[2, 2],
    ])  # fmt: skip
    k = int(four.argmax())  # the largest component is found without cancellation, the others from it
    products = np.array([
        [four[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], four[1], r[1, 0] + r[0, 1], r[0, 2] + r[2, 0]],
        [r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], four[2], r[2, 1] + r[1, 2]],
        [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2], four[3]],
    ])  # fmt: skip
    q = products[k] / np.linalg.norm(products[k])
    return q if q[0] >= 0.0 else -q


def product(first: ArrayLike, second: ArrayLike) -> Floats:
    """The turn by `second`, then by `first`: quaternions (…, 4)."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    w = a[..., 0] * b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(axis=-1)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w[..., None], vector], axis=-1)


def about(axis: ArrayLike, angle: float) -> Floats:
    """The turn by `angle` radians about an axis (3,)."""
    direction = np.asarray(axis, float)
    direction = direction / np.linalg.norm(direction)
    return np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * direction])


def random_turns(rng: np.random.Generator, count: int) -> Floats:
    """Uniformly distributed orientations (count, 4)."""
    four = rng.normal(size=(count, 4))
    return four / np.linalg.norm(four, axis=1, keepdims=True)
