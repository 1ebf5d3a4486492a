"""Where the sites of a Voronoi diagram are: one per square or cube of a grid (PRE10 fig 4), anywhere (ARX), or the user's own.

Written once for plane and space: the number of axes is that of `counts` or `size`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from clast.errors import InputError
from clast.packing.plane.erosion import Floats, Ints

SAME = 1e-9  # of the mean distance between sites: nearer ones are one
BOX = {2: "cell", 3: "box"}  # what sites lie in, by the number of axes, as messages call it
TUPLES = {2: "pairs of numbers (x, y)", 3: "triples of numbers (x, y, z)"}

Draw = Callable[[Ints, np.random.Generator], Floats]
"""Draws sites (k, axes) anew, by their numbers (k,)."""


class Sites(NamedTuple):
    """Sites as they are at first, and how to draw some of them anew."""

    places: Floats  # (n, axes)
    draw: Draw | None  # None: the user's own, which never move
    rng: np.random.Generator


def checked_counts(**counts: int) -> tuple[int, ...]:
    """Columns, rows … of a grid, by their names; InputError for one that is not a whole number of at least 1."""
    for what, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{what} = {value!r} must be a whole number of at least 1")
    return tuple(counts.values())


def chosen_sites(
    sites: str | ArrayLike,
    counts: Sequence[int],
    side: float,
    periodic: Sequence[bool],
    seed: int | None,
    rng: np.random.Generator | None,
) -> Sites:
    """Sites in a box of `counts` (axes,) squares or cubes of a side (length).

    sites         "grid", "random", or an array (n, axes) of the user's own; InputError for anything else
    seed or rng   one of them, where sites are drawn
    """
    size = np.array(counts) * side
    if not isinstance(sites, str):
        return Sites(checked_sites(sites, size, periodic), None, np.random.default_rng(0))  # which draws nothing
    if sites not in ("grid", "random"):
        raise InputError(f"sites = {sites!r} must be grid, random or an array of places (n, {size.size})")
    draw = grid_sites(counts, side) if sites == "grid" else random_sites(size)
    generator = generator_of(seed, rng)
    return Sites(draw(np.arange(math.prod(counts)), generator), draw, generator)


def generator_of(seed: int | None, rng: np.random.Generator | None) -> np.random.Generator:
    """The generator given, or one from the seed; InputError for both or none."""
    if (seed is None) == (rng is None):
        raise InputError("sites are drawn at random: give either seed=… (a number) or rng=… (a numpy generator)")
    if rng is not None:
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng = {rng!r} must be a numpy generator, np.random.default_rng(1); or give seed=1")
        return rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed = {seed!r} must be a whole number that is not negative")
    return np.random.default_rng(seed)


def grid_sites(counts: Sequence[int], side: float) -> Draw:
    """One site at random in every square or cube of a grid: along x first, then row by row, then layer by layer from below."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        corner = np.stack(np.unravel_index(numbers, tuple(counts), order="F"), axis=1)
        return (corner + rng.uniform(0.0, 1.0, corner.shape)) * side

    return draw


def random_sites(size: Floats) -> Draw:
    """Sites anywhere in a box of the size (axes,)."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        return rng.uniform(0.0, 1.0, (numbers.size, size.size)) * size

    return draw


def checked_sites(sites: ArrayLike, size: Floats, periodic: Sequence[bool]) -> Floats:
    """The user's own sites as an (n, axes) array; InputError, naming the first, for one outside the box or given twice.

    Along a periodic side 0 is in the box and the period is not, being the same place.
    """
    axes = size.size
    try:
        array = np.array(sites, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sites must be {TUPLES[axes]}") from None
    if array.ndim != 2 or array.shape[1] != axes or len(array) == 0:
        raise InputError(f"sites must be an array of shape (n, {axes}), not {array.shape}")
    high = np.where(periodic, array < size, array <= size)
    outside = np.flatnonzero(~((array >= 0.0) & high).all(axis=1))  # what is not a number is outside too
    if outside.size:
        k = int(outside[0])
        *others, last = (f"{axis} in 0 … {length:.6g}" for axis, length in zip("xyz", size, strict=False))
        where = f"{', '.join(others)} and {last}".replace("x in", "x must be in")
        raise InputError(
            f"{outside.size} of {len(array)} sites lie outside the {BOX[axes]}, "
            f"the first is site {k} at {site_at(array[k])}: {where}"
        )
    tree = cKDTree(array, boxsize=np.where(periodic, size, 0.0) if any(periodic) else None)
    mean_distance = float(np.prod(size) / len(array)) ** (1.0 / axes)
    same = tree.query_pairs(SAME * mean_distance, output_type="ndarray")
    if len(same):
        i, j = (int(k) for k in same[np.lexsort((same[:, 0], same[:, 1]))[0]])
        raise InputError(f"site {j} at {site_at(array[j])} is the same as site {i}: take one of them out")
    return array


def site_at(point: Floats) -> str:
    """A place for a message."""
    return f"({', '.join(f'{x:.6g}' for x in point)})"
