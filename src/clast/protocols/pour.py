"""Pour grains onto a heap, batch by batch from just above its apex, until all lie still (CSM10 §5).

Every grain is in the scene from the start, and waits outside the run until its batch is due (`clast.dynamics.bodies.arrival`):
so one run with one energy book holds the whole pour. A batch starts at rest, at random in a square patch about the z axis, each
grain as low as it fits above the apex that the heap has by then. After every batch the state is kept in the cache folder, and a
pour that was stopped goes on from there, bit for bit.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clast.algebra.quaternions import matrix, random_turns
from clast.backend.bind import cache_folder
from clast.dynamics.bodies.arrival import hold_back, let_in
from clast.dynamics.engine import Engine, Snapshot
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts
from clast.scene.space import Scene3D

FORMAT = 1  # of the kept states: raised when they change
TRIES = 100  # places in the patch that a grain is offered; it takes the lowest
SLOW = 0.5  # of the speed after falling the gap
SERIES, SCALAR = "series_", "scalar_"  # before names in a kept file


@dataclass(frozen=True)
class Stream:
    """How grains are poured. Times, lengths and energies in the units of the scene.

    batches    ids of the grains that come together
    interval   between batches
    patch      side of the square about the z axis in which they start
    gap        between the apex and the lowest of them
    after      how long the run goes on after the last batch at least
    looks      time between samples of the book
    still      kinetic energy at which the heap lies still, over what the grains brought in as height above z = 0; spinning on
               the spot does not count
    slowest    kinetic energy per grain below which it must be as well
    longest    how long it may take to come to rest, after `after`
    seed       of the random places
    """

    batches: Sequence[np.ndarray]
    interval: float
    patch: float
    gap: float
    after: float
    looks: float
    still: float
    slowest: float
    longest: float
    seed: int

    def key(self) -> str:
        """A name for all of this."""
        digest = hashlib.sha256(f"{FORMAT} {[value for name, value in vars(self).items() if name != 'batches']!r}".encode())
        for batch in self.batches:
            digest.update(np.asarray(batch, np.int64).tobytes() + b" ")
        return digest.hexdigest()[:8]


@dataclass(frozen=True)
class Poured:
    """A heap: the run at its end, series over time, and whether it came to rest.

    The series are those of the book and `brought`, the energy that grains brought in by their height; `spinning`, the part of
    the kinetic energy that nothing can take out (see `energy_of_spinning`); `apex`, `grains`, `contacts`, `overlap_share`.
    """

    engine: Engine
    series: dict[str, np.ndarray]
    at_rest: bool

    @property
    def book(self) -> Book:
        """The energy book of the whole pour."""
        return Book(self.series["time"], self.series)


def pour(scene: Scene3D, stream: Stream, *, dt: float, integrator: str, threads: int | str = 1, device: str = "cpu") -> Poured:
    """Pour all batches and wait until the heap lies still, or `longest` is over; what was done before is taken from the cache."""
    engine = Engine(scene, dt=dt, integrator=integrator, threads=threads, device=device)
    path = cache_folder() / f"pour-{engine.identity[:20]}-{stream.key()}.npz"
    series: dict[str, list[float]] = {}
    number, brought = take(path, engine, series)
    if number == 0:
        hold_back(engine, np.concatenate([np.asarray(batch) for batch in stream.batches]))
    each, look = round(stream.interval / dt), max(1, round(stream.looks / dt))
    last = (len(stream.batches) - 1) * each + round(stream.after / dt)
    end = last + round(stream.longest / dt)
    slow = slow_speed(engine, stream)
    while True:
        if number < len(stream.batches) and engine.step == number * each:
            if number > 0:
                keep(path, engine, series, number, brought)
            ids = np.asarray(stream.batches[number])
            places, turns = places_above(engine, stream, number)
            let_in(engine, ids, places, turns)
            brought -= float(places @ engine.gravity @ scene.bodies.column("mass")[ids])
            number += 1
        sampled = bool(series) and series["time"][-1] == engine.time  # before it was stopped
        if (engine.step % look == 0 or engine.step == end) and not sampled:
            kinetic = sample(engine, series, brought, slow)
            still = kinetic < min(stream.still * brought, stream.slowest * engine.free)
            if engine.step >= end or (engine.step >= last and still):
                return Poured(engine, {name: np.array(values) for name, values in series.items()}, still)
        due = [end, (engine.step // look + 1) * look]
        if number < len(stream.batches):
            due.append(number * each)
        elif engine.step % each == 0:
            keep(path, engine, series, number, brought)
        engine.advance(min(due))


def sample(engine: Engine, series: dict[str, list[float]], brought: float, slow: float) -> float:
    """Add a row to the series; returns the kinetic energy without that of spinning on the spot."""
    snapshot = engine.snapshot()
    contacts = snapshot.contacts
    book = accounts(engine, snapshot)
    values = {
        "time": engine.time, **book, "brought": brought, "spinning": energy_of_spinning(snapshot),
        "apex": apex(engine, slow), "grains": float(engine.free), "contacts": float(len(contacts)),
        "overlap_share": float((2.0 * contacts.depths / contacts.reaches).max(initial=0.0)),
    }  # fmt: skip
    for name, value in values.items():
        series.setdefault(name, []).append(value)
    return book["translational"] + book["rotational"] - values["spinning"]


def energy_of_spinning(snapshot: Snapshot) -> float:
    """Energy of grains with a single contact in their turning about its normal: a contact is a point, its friction has no moment
    about the normal, and so a grain that lies alone on a smooth floor turns on the spot for ever (model §4)."""
    contacts = snapshot.contacts
    alone = np.bincount(contacts.bodies.ravel(), minlength=snapshot.present.size) == 1
    single = np.intersect1d(np.flatnonzero(alone), snapshot.free_ids)
    total = 0.0
    for bodies in (contacts.first, contacts.second):
        rows = np.flatnonzero(np.isin(bodies, single))
        chosen, normals = bodies[rows], contacts.normals[rows]
        spins = (snapshot.spins[chosen] * normals).sum(axis=1)
        along = np.einsum("kba,kb->ka", matrix(snapshot.orientations[chosen]), normals)  # about principal axes
        total += float(0.5 * (spins**2 * (along**2 / snapshot.inverse_inertias[chosen]).sum(axis=1)).sum())
    return total


# --- where a batch starts --------------------------------------------------------------------------------------------


def slow_speed(engine: Engine, stream: Stream) -> float:
    """What is slower belongs to the heap: a part of the speed after falling the gap."""
    return SLOW * float(np.sqrt(2.0 * stream.gap * np.linalg.norm(engine.gravity)))


def apex(engine: Engine, fastest: float) -> float:
    """Height of the highest point of all grains that are slower than `fastest`, glued ones too; 0 where there are none."""
    slow = np.flatnonzero(engine.present & ~engine.big & (np.linalg.norm(engine.velocities, axis=1) < fastest))
    up = matrix(engine.orientations[slow])[:, 2]  # the world's z in the frame of each
    shapes = engine.scene.bodies.objects("shape", slow)
    tops = [
        z + float((shape.vertices @ way).max()) + shape.radius
        for z, way, shape in zip(engine.positions[slow, 2], up, shapes, strict=True)
    ]
    return max(tops, default=0.0)


def places_above(engine: Engine, stream: Stream, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (k, 3) and orientations (k, 4) of a batch: balls around the grains keep clear of all others, falling ones too."""
    rng = np.random.default_rng([stream.seed, number])
    ids = np.asarray(stream.batches[number])
    turns = random_turns(rng, ids.size)
    floor = apex(engine, slow_speed(engine, stream)) + stream.gap
    there = engine.present & ~engine.big
    centres, reaches = engine.positions[there], engine.reaches[there]
    near = centres[:, 2] + reaches > floor
    centres, reaches = centres[near], reaches[near]
    places = np.zeros((ids.size, 3))
    for k, reach in enumerate(solid.reach for solid in engine.scene.bodies.objects("shape", ids)):
        offered = stream.patch * rng.uniform(-0.5, 0.5, (TRIES, 2))
        heights = [lowest_place(x, y, reach, floor + reach, centres, reaches) for x, y in offered]
        best = int(np.argmin(heights))
        places[k] = *offered[best], heights[best]
        centres, reaches = np.vstack([centres, places[k]]), np.append(reaches, reach)
    return places, turns


def lowest_place(x: float, y: float, reach: float, least: float, centres: np.ndarray, reaches: np.ndarray) -> float:
    """Least height from `least` on at which a ball about (x, y) keeps clear of others, with `centres` (n, 3), `reaches` (n,)."""
    room = (reaches + reach) ** 2 - (centres[:, 0] - x) ** 2 - (centres[:, 1] - y) ** 2
    under = room > 0.0
    half = np.sqrt(room[under])
    z = least
    for low, high in sorted(zip((centres[under, 2] - half).tolist(), (centres[under, 2] + half).tolist(), strict=True)):
        if low < z < high:
            z = high
    return z


# --- what is kept ----------------------------------------------------------------------------------------------------


def keep(path: Path, engine: Engine, series: dict[str, list[float]], number: int, brought: float) -> None:
    """Keep the state before batch `number` comes; whole under another name first, so that a kill leaves the last one."""
    arrays, scalars = engine.checkpoint()
    scalars |= {"number": number, "brought": brought}
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        np.savez(
            file, allow_pickle=False, **arrays,
            **{f"{SCALAR}{key}": np.asarray(value) for key, value in scalars.items()},
            **{f"{SERIES}{key}": np.array(values) for key, values in series.items()},
        )  # fmt: skip
    Path(name).replace(path)


def take(path: Path, engine: Engine, series: dict[str, list[float]]) -> tuple[int, float]:
    """Put the engine and the series where a stopped pour was; returns the batch that is next and the energy brought in."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return 0, 0.0
    scalars = {key.removeprefix(SCALAR): arrays.pop(key).item() for key in list(arrays) if key.startswith(SCALAR)}
    for key in [key for key in arrays if key.startswith(SERIES)]:
        series[key.removeprefix(SERIES)] = arrays.pop(key).tolist()
    engine.restore(arrays, scalars)
    return int(scalars["number"]), float(scalars["brought"])
