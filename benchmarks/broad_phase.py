"""Near pairs of sharp grains in space: linked cells beside sort-and-sweep, and what boxes, balls and projections remove.

    python benchmarks/broad_phase.py [equal | sizes]        (both when none is named)

Hulls of 12 points on an ellipsoid, of equal sizes or with diameters 10 : 1 (each octave of sizes has the same volume), dense
between six walls. Between two searches every grain moves and turns by up to α, a tenth of the smallest grain: as far as lists
hold. CPU time per search on one thread, medians; both ways end with the same three tests and the same pairs.
"""

import sys
import time
from typing import NamedTuple

import numpy as np

from clast.backend.device import from_python
from clast.dynamics.named import rows_in_space
from clast.dynamics.rows import interleaved, levels_of
from clast.neighbours import space_cells, sweep
from clast.neighbours.sweep_boxes import Corners, corners_of, keep_near_pairs
from clast.shapes.space.make import cuboid, hull
from clast.shapes.space.quaternions import IDENTITY, random_turns

FRACTION = 0.6  # of the room that is grains
PART = 0.1  # α over the radius of the ball as large as the smallest grain
SEARCHES = 31
SHAPES = 20  # forms of grains


class Work(NamedTuple):
    """Scratch of both searches."""

    cell_start: np.ndarray
    cell_item: np.ndarray
    cell_of: np.ndarray
    raw: np.ndarray
    sorted: np.ndarray
    pair_start: np.ndarray
    sweep: sweep.Sweep


class Model(NamedTuple):
    """Of the constants of a scene what a search reads."""

    shape: np.ndarray
    reach: np.ndarray
    period: np.ndarray


class Cast(NamedTuple):
    """Who is searched how."""

    grains: np.ndarray
    level: np.ndarray
    level_reach: np.ndarray
    big: np.ndarray
    mobile: np.ndarray


class Crowd(NamedTuple):
    """Grains, then six walls."""

    places: np.ndarray  # (n, 3)
    turns: np.ndarray  # (n, 4)
    model: Model
    geometry: Corners
    cast: Cast
    alpha: float


cells = from_python(space_cells.find_pairs)
sifted = from_python(keep_near_pairs)
swept = from_python(sweep.sweep_pairs)
in_order = from_python(space_cells.sort_pairs)


def room_for(bodies: int, pairs: int) -> Work:
    """Scratch for a number of bodies."""
    return Work(
        np.zeros(4 * bodies + 66, np.int64), np.zeros(bodies, np.int64), np.zeros(bodies, np.int64),
        np.zeros((pairs, 5), np.int32), np.zeros((pairs, 5), np.int32), np.zeros(bodies + 1, np.int64),
        sweep.empty_sweep(bodies),
    )  # fmt: skip


def radii_of(count: int, ratio: float, rng: np.random.Generator) -> np.ndarray:
    """Radii from 1 to `ratio` with numbers ∝ r⁻³ per octave."""
    if ratio == 1.0:
        return np.ones(count)
    drawn = rng.uniform(ratio**-3.0, 1.0, count) ** (-1.0 / 3.0)
    drawn[0] = ratio
    return drawn


def pressed(radii: np.ndarray, side: float, rng: np.random.Generator) -> np.ndarray:
    """Places of balls at random in a cube, pushed apart where they overlap until hardly any do: as grains lie in a heap."""
    count = len(radii)
    places, turns = rng.uniform(0.0, side, (count, 3)), np.tile(IDENTITY, (count, 1))
    model, cast = searched_model(radii, np.zeros(count, np.int64), count)
    work = room_for(count, 400 * count)
    for _ in range(150):
        total = cells(rows_in_space(places, turns), model, corners_of([np.zeros((1, 3))]), *cast, 0.0, work)
        i, j = work.raw[:total, 0], work.raw[:total, 1]
        way = places[j] - places[i]
        apart = np.linalg.norm(way, axis=1) + 1e-12
        weight = radii[i] ** 3 / (radii[i] ** 3 + radii[j] ** 3)
        push = (0.5 * (radii[i] + radii[j] - apart) / apart)[:, None] * way
        for axis in range(3):
            places[:, axis] -= np.bincount(i, push[:, axis] * (1.0 - weight), count)
            places[:, axis] += np.bincount(j, push[:, axis] * weight, count)
        places = np.clip(places, radii[:, None], side - radii[:, None])
    return places


def searched_model(reach: np.ndarray, shape: np.ndarray, grains: int) -> tuple[Model, Cast]:
    """Of model and cast what a search reads; the bodies after the grains are big and fixed."""
    n = len(reach)
    level, level_reach = levels_of(reach[:grains])
    cast = Cast(np.arange(grains), level, level_reach, np.arange(grains, n), (np.arange(n) < grains).astype(np.uint8))
    return Model(shape, reach, np.zeros(3)), cast


def crowd(count: int, ratio: float, seed: int = 1) -> Crowd:
    """A dense packing between walls."""
    rng = np.random.default_rng(seed)
    radii = radii_of(count, ratio, rng)
    side = float((4.0 / 3.0 * np.pi * (radii**3).sum() / FRACTION) ** (1.0 / 3.0))
    places = pressed(radii, side, rng)
    near = np.argsort(interleaved((places / (2.0 * np.median(radii))).astype(np.int64)))  # rows as an engine orders them
    radii, places = radii[near], places[near]
    forms = []
    for _ in range(SHAPES):
        points = rng.normal(size=(12, 3))
        form = hull(points / np.linalg.norm(points, axis=1, keepdims=True) * (8.0, 7.0, 6.0), 0.0)
        forms.append(form.vertices * (4.0 / 3.0 * np.pi / form.volume) ** (1.0 / 3.0))
    grains = [forms[k] * radius for k, radius in zip(rng.integers(0, SHAPES, count), radii, strict=True)]
    walls, middles = [], []
    for axis in range(3):
        for end in (-0.5, side + 0.5):
            sides, middle = np.full(3, side + 2.0), np.full(3, 0.5 * side)
            sides[axis], middle[axis] = 1.0, end
            walls.append(cuboid(sides, 0.0))
            middles.append(middle)
    shapes = [*grains, *(wall.vertices for wall in walls)]
    n = len(shapes)
    turns = np.array([*random_turns(rng, count), *(wall.orientation for wall in walls)])
    reach = np.array([np.linalg.norm(each, axis=1).max() for each in shapes])
    model, cast = searched_model(reach, np.arange(n), count)
    return Crowd(np.array([*places, *middles]), turns, model, corners_of(shapes), cast, PART * float(radii.min()))


def moved(some: Crowd, rng: np.random.Generator) -> np.ndarray:
    """A table of the grains moved and turned a little from where they were made, by up to α in all."""
    places, turns, count = some.places.copy(), some.turns.copy(), some.cast.grains.size
    way = rng.normal(size=(count, 3))
    places[:count] += 0.5 * some.alpha * rng.uniform(size=(count, 1)) * way / np.linalg.norm(way, axis=1, keepdims=True)
    spin = rng.normal(size=(count, 4)) * (0.1 * some.alpha / some.model.reach[:count])[:, None]
    turns[:count] += spin
    turns[:count] /= np.linalg.norm(turns[:count], axis=1, keepdims=True)
    return rows_in_space(places, turns)


def compare(name: str, count: int, ratio: float) -> None:
    """Both ways after a number of small motions: a line of times and a line of counts."""
    some = crowd(count, ratio)
    model, geometry, cast, alpha = some.model, some.geometry, some.cast, some.alpha
    rng = np.random.default_rng(2)
    by_cells, by_sweep = room_for(len(some.places), 200 * count), room_for(len(some.places), 200 * count)
    times: dict[str, list[float]] = {"cells": [], "tests": [], "sweep": []}
    for search in range(SEARCHES + 1):
        body = moved(some, rng)
        began = time.process_time()
        found = cells(body, model, geometry, *cast, alpha, by_cells)
        then = time.process_time()
        left = sifted(found, body, model, geometry, cast.grains, cast.big, alpha, by_cells)
        after = time.process_time()
        total = swept(body, model, geometry, cast.grains, cast.big, cast.mobile, alpha, by_sweep)
        end = time.process_time()
        if search:  # the first finds no order
            times["cells"].append(then - began)
            times["tests"].append(after - then)
            times["sweep"].append(end - after)
        in_order(left, len(body), by_cells)
        in_order(total, len(body), by_sweep)
        if left != total or not np.array_equal(by_cells.sorted[:left], by_sweep.sorted[:total]):
            raise SystemExit(f"{name}, {count} grains: cells and sweep do not list the same pairs")
    cell, test, whole = (1e3 * float(np.median(times[each])) for each in ("cells", "tests", "sweep"))
    axis, looked, moves = by_sweep.sweep.told
    removed = by_sweep.sweep.counts
    left_by = [removed[k:].sum() for k in range(4)]
    print(f"{name:>6s} {count:6d} {cell:7.2f} {cell + test:9.2f} {whole:7.2f} {whole / (cell + test):6.2f}    {'xyz'[axis]} "
          f"{looked / count:6.1f} {moves / (3 * count):7.1f} {left_by[0]:10d} {left_by[1]:8d} {left_by[2]:8d} {left_by[3]:8d} "
          f"{found:9d}", flush=True)  # fmt: skip


CASES = {"equal": 1.0, "sizes": 10.0}

if __name__ == "__main__":
    print(
        "ms per search: cells, cells and tests, sweep (tests within); the last two in ratio; axis; per grain: pairs of boxes the"
    )
    print("sweep looks at, moves of the sort; pairs that may meet, left by boxes, by balls, by projection; what cells alone list")
    print(" sizes grains   cells and tests   sweep  ratio axis looked   moves   may meet    boxes    balls   listed     cells")
    for each in sys.argv[1:] or CASES:
        for number in (1000, 8000):
            compare("1 : 1" if each == "equal" else "10 : 1", number, CASES[each])
