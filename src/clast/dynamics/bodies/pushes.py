"""What tags push with at an instant, for the host: prescribed forces and torques, and pressures over the present gaps."""

import numpy as np

from clast.dynamics.arrays import Tags


def pushes_of(tags: Tags, row: int, body: np.ndarray) -> np.ndarray:
    """Forces and torques (m, d) on the tagged rows by row `row` of the program, with bodies where they are in `body` (n, …)."""
    tagged, components = tags.imposed.shape
    numbers = tags.program[row]
    push = numbers[: 2 * components * tagged].reshape(tagged, 2, components)[:, 1].copy()
    for load, number, pressure in zip(tags.load, tags.load_number, numbers[2 * components * tagged :], strict=False):
        size = 1.0  # of the loaded face: a gap in the plane, the product of two in space
        for (a, b, axis), offset in zip(load[2:].reshape(-1, 3), number[1:], strict=True):
            gap = offset + (body[b, axis] if b >= 0 else 0.0) - (body[a, axis] if a >= 0 else 0.0)
            size *= max(gap, 0.0)
        push[load[0], load[1]] += number[0] * pressure * size
    return push
