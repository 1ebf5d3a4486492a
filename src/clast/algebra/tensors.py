"""Vectors and symmetric tensors of two axes or three, many at a time: lengths, principal values, major axis; turns in space."""

from __future__ import annotations

import numpy as np

from clast.algebra.quaternions import product

Array = np.ndarray


def lengths(rows: Array) -> Array:
    """Lengths (m,) of vectors (m, 2 or 3)."""
    return np.asarray(np.hypot(*rows.T) if rows.shape[1] == 2 else np.linalg.norm(rows, axis=1))


def symmetric(tensors: Array) -> Array:
    """Symmetric parts of tensors (…, d, d)."""
    return np.asarray(0.5 * (tensors + np.swapaxes(tensors, -1, -2)))


def mean_value(tensors: Array) -> Array:
    """Mean of the principal values (…) of symmetric tensors (…, d, d)."""
    trace = np.trace(tensors, axis1=-2, axis2=-1)
    return np.asarray(0.5 * trace if tensors.shape[-1] == 2 else trace / 3.0)


def principal_values(tensors: Array) -> Array:
    """Principal values (…, d) of symmetric tensors (…, d, d), the largest first; in the plane by Mohr's circle."""
    if tensors.shape[-1] == 3:
        return np.asarray(np.linalg.eigvalsh(tensors)[..., ::-1])
    middle, radius = mean_value(tensors), mohr_radius(tensors)
    return np.stack([middle + radius, middle - radius], axis=-1)


def mohr_radius(tensors: Array) -> Array:
    """Half the difference (…) of the largest and the smallest principal value of symmetric tensors (…, d, d)."""
    if tensors.shape[-1] == 3:
        values = np.linalg.eigvalsh(tensors)
        return np.asarray(0.5 * (values[..., 2] - values[..., 0]))
    return np.asarray(np.hypot(0.5 * (tensors[..., 0, 0] - tensors[..., 1, 1]), tensors[..., 0, 1]))


def major_angle(tensors: Array) -> Array:
    """Angle (…) from the x axis to the axis of the largest principal value [radians, −π/2 … π/2], in the plane."""
    return np.asarray(0.5 * np.arctan2(2.0 * tensors[..., 0, 1], tensors[..., 0, 0] - tensors[..., 1, 1]))


def major_axis(tensors: Array) -> Array:
    """Unit vectors (…, d) along the axis of the largest principal value of symmetric tensors (…, d, d).

    Of the two that there are: in the plane the one with x ≥ 0, in space the one whose largest component is positive.
    """
    if tensors.shape[-1] == 2:
        angle = major_angle(tensors)
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    axes = np.linalg.eigh(tensors)[1][..., 2]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=-1, keepdims=True), axis=-1)
    return np.asarray(axes * np.sign(largest))


def turn_between(first: Array, last: Array) -> Array:
    """The shortest turns from orientations to others (…, 4), as vectors (…, 3) in the world: axis × angle [radians, 0 … π]."""
    net = product(last, first * np.array([1.0, -1.0, -1.0, -1.0]))
    net = np.where(net[..., :1] < 0.0, -net, net)  # q and −q are the same turn
    sine = np.linalg.norm(net[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, net[..., :1])
    return np.asarray(net[..., 1:] * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0))
