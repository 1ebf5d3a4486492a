"""Products of vectors in space, component by component: a few times faster than numpy's own for the short lists of a solid."""

from __future__ import annotations

import numpy as np

from clast.shapes.plane.inside import Floats


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar products (…) of vectors (…, 3)."""
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2])


def cross(a: Floats, b: Floats) -> Floats:
    """Vector products (…, 3) of vectors (…, 3)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def products(a: Floats, b: Floats) -> Floats:
    """Scalar products (k,) of vectors (k, 3), row by row with the last bits of numpy's `@`."""
    return np.asarray(np.matmul(a[:, None, :], b[:, :, None])[:, 0, 0])


def length(a: Floats) -> Floats:
    """Lengths (…) of vectors (…, 3)."""
    return np.asarray(np.sqrt(dot(a, a)))


def corner_angles(corners: Floats) -> Floats:
    """The angles (t, 3) at the corners of triangles (t, 3, 3)."""
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    return np.asarray(np.arctan2(length(cross(ahead, back)), dot(ahead, back)))


def outer(a: Floats, b: Floats) -> Floats:
    """Tensor products (…, 3, 3) of vectors (…, 3)."""
    return np.asarray(a[..., :, None] * b[..., None, :])
