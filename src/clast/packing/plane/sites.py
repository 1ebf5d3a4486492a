"""Where the sites of a Voronoi diagram are: one in every square of a grid (PRE10 fig 4), anywhere (ARX), or the user's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from clast.errors import InputError
from clast.packing.plane.erosion import Floats, Ints

SAME = 1e-9  # of the mean distance between sites: nearer ones are one

Draw = Callable[[Ints, np.random.Generator], Floats]
"""Draws sites (k, 2) anew, by their numbers (k,)."""


def grid_sites(columns: int, rows: int, square: float) -> Draw:
    """One site at random in every square of a grid, row by row from the lower left."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        corner = np.stack([numbers % columns, numbers // columns], axis=1)
        return (corner + rng.uniform(0.0, 1.0, corner.shape)) * square

    return draw


def random_sites(width: float, height: float) -> Draw:
    """Sites anywhere in the cell."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        return rng.uniform(0.0, 1.0, (numbers.size, 2)) * np.array([width, height])

    return draw


def checked_sites(sites: ArrayLike, width: float, height: float, periodic: tuple[bool, bool]) -> Floats:
    """The user's own sites as an (n, 2) array; InputError, naming the first, for one outside the cell or given twice.

    Along a periodic side 0 is in the cell and the period is not, being the same place.
    """
    try:
        array = np.array(sites, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sites must be pairs of numbers (x, y)") from None
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0:
        raise InputError(f"sites must be an array of shape (n, 2), not {array.shape}")
    extent = np.array([width, height])
    high = np.where(periodic, array < extent, array <= extent)
    outside = np.flatnonzero(~((array >= 0.0) & high).all(axis=1))  # what is not a number is outside too
    if outside.size:
        k = int(outside[0])
        raise InputError(
            f"{outside.size} of {len(array)} sites lie outside the cell, the first is site {k} at {_at(array[k])}: "
            f"x must be in 0 … {width:.6g} and y in 0 … {height:.6g}"
        )
    tree = cKDTree(array, boxsize=np.where(periodic, extent, 0.0) if any(periodic) else None)
    twins = tree.query_pairs(SAME * float(np.sqrt(width * height / len(array))), output_type="ndarray")
    if len(twins):
        i, j = (int(k) for k in twins[np.lexsort((twins[:, 0], twins[:, 1]))[0]])
        raise InputError(f"site {j} at {_at(array[j])} is the same as site {i}: take one of them out")
    return array


def _at(point: Floats) -> str:
    return f"({point[0]:.6g}, {point[1]:.6g})"
