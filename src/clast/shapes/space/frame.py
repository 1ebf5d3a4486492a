"""The principal frame of a solid: always the same one, and the user's own axes wherever the body leaves the choice."""

from __future__ import annotations

import itertools

import numpy as np

from clast.algebra.quaternions import from_matrix
from clast.shapes.plane.inside import Floats

SAME = 1e-10  # of the largest moment: what tells two principal moments apart, or a product of inertia from nothing


def principal_frame(inertia: Floats, error: float = 0.0) -> tuple[Floats, Floats]:
    """Principal moments (3,) of an inertia tensor (3, 3), and the quaternion (4,) that turns the principal axes into the user's.

    Moments that differ by less than their relative `error` are taken as equal, and products of inertia below it as nothing.
    Where moments are equal any axes will do, and those nearest to the user's are taken; so a cube or a cross keeps the axes
    it was drawn in. Each axis of the body is the user's axis it is nearest to, as far as three of them can be.
    """
    tensor = 0.5 * (inertia + inertia.T)
    same = max(SAME, 4.0 * error) * float(np.diag(tensor).max())
    off = np.abs(tensor - np.diag(np.diag(tensor))).max()
    if off <= same:
        values, axes = np.diag(tensor).copy(), np.eye(3)
    else:
        values, axes = np.linalg.eigh(tensor)
    for group in _equal(values, same):
        values[group] = values[group].mean()
        axes[:, group] = _nearest_basis(axes[:, group])
    rotation, order = _nearest_order(axes)
    return values[order], from_matrix(rotation)


def _equal(values: Floats, same: float) -> list[list[int]]:
    """The numbers 0, 1, 2 in groups of values that are the same."""
    groups: list[list[int]] = []
    for k in np.argsort(values, kind="stable").tolist():
        if groups and values[k] - values[groups[-1][-1]] <= same:
            groups[-1].append(k)
        else:
            groups.append([k])
    return groups


def _nearest_basis(axes: Floats) -> Floats:
    """Of the space spanned by the columns (3, k) the orthonormal basis (3, k) made of the user's axes nearest to it."""
    if axes.shape[1] == 1:
        return axes
    if axes.shape[1] == 3:
        return np.eye(3)
    normal = np.cross(axes[:, 0], axes[:, 1])
    skipped = int(np.abs(normal).argmax())  # the user's axis that sticks out of this plane most
    first, second = (np.eye(3)[k] for k in range(3) if k != skipped)
    first = first - (first @ normal) * normal
    first = first / np.sqrt((first * first).sum())
    second = second - (second @ normal) * normal - (second @ first) * first
    return np.stack([first, second / np.sqrt((second * second).sum())], axis=1)


def _nearest_order(axes: Floats) -> tuple[Floats, list[int]]:
    """The columns of `axes` (3, 3) put in the order, and pointing the way, that brings them nearest to x, y, z, right-handed."""
    best, score, chosen = axes, -np.inf, [0, 1, 2]
    for order in itertools.permutations(range(3)):
        turned = axes[:, order]
        for signs in itertools.product((1.0, -1.0), repeat=3):
            trial = turned * np.array(signs)
            if np.linalg.det(trial) < 0.0:
                continue
            trace = float(np.trace(trial))
            if trace > score + 1e-9:  # of equals the first
                best, score, chosen = trial, trace, list(order)
    return best + 0.0, chosen
