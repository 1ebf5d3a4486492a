"""Frames of a simulation that is stepped by hand, kept in memory: what the page reads as if it were a stored run."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from clast.dynamics.snapshot import Snapshot
from clast.laboratory.simulation import Simulation
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import contact_arrays
from clast.output.recording import frame_arrays, scene_arrays
from clast.output.store.part import CONTACTS, FRAMES
from clast.output.store.reader import ContactFrame, Frame, Frames, Kind, Run, Series

Array = np.ndarray[Any, Any]
MOST_FRAMES, FEWEST_FRAMES = 1000, 20
MOST_KEPT = 2e7  # bodies × frames


def kept_frames(bodies: int) -> int:
    """Frames that are kept of so many bodies, at most."""
    return int(np.clip(MOST_KEPT / max(bodies, 1), FEWEST_FRAMES, MOST_FRAMES))


class Shot:
    """A frame, what touched and the accounts at a step."""

    def __init__(self, step: int, time: float, arrays: dict[str, Array], contacts: dict[str, Array], book: dict[str, float]):
        self.step, self.time, self.arrays, self.contacts, self.book = step, time, arrays, contacts, book

    def grown(self, like: dict[str, Array]) -> Shot:
        """The same with rows for bodies that came later: where they come in, at rest, and not yet present."""
        count, arrays = len(self.arrays["positions"]), {}
        for name, values in self.arrays.items():
            if name in ("period", "offset"):
                arrays[name] = values
            else:
                still = name in ("velocities", "spins", "present")
                arrays[name] = np.concatenate([values, np.zeros_like(like[name][count:]) if still else like[name][count:]])
        return Shot(self.step, self.time, arrays, self.contacts, self.book)


class Film:
    """The shots of a simulation, in order. Taken by who steps it, read by the server: each under the lock.

    issue   another one means that what a page has read before no longer holds: bodies came, or shots were thinned out
    """

    def __init__(self) -> None:
        self.issue = 0
        self._lock = threading.Lock()
        self._shots: list[Shot] = []
        self._scene: dict[str, Any] = {}
        self._last: Snapshot | None = None  # what was taken last
        self._revision: Any = None  # of the scene, when it was described

    def take(self, simulation: Simulation) -> None:
        """Add the present state, if it is not the last one already."""
        snapshot = simulation.look()
        if snapshot is self._last:  # a simulation makes one for an instant
            return
        arrays = {name: np.array(values) for name, values in frame_arrays(snapshot, leaving=True).items()}
        book = accounts(simulation.engine, snapshot)
        shot = Shot(snapshot.step, snapshot.time, arrays, contact_arrays(snapshot), book)
        if self._revision != simulation.scene.revision:
            scene, self._revision = scene_arrays(simulation.scene), simulation.scene.revision
        else:
            scene = self._scene
        with self._lock:
            self._last, self._scene = snapshot, scene
            self._put(shot, snapshot)

    def _put(self, shot: Shot, snapshot: Snapshot) -> None:
        shots = self._shots
        if shots and shots[-1].step == shot.step:  # changed without a step
            shots.pop()
            self.issue += 1
        if shots and len(shots[-1].arrays["positions"]) < len(snapshot.positions):
            shots = [each.grown(shot.arrays) for each in shots]
            self.issue += 1
        shots.append(shot)
        if len(shots) > kept_frames(len(snapshot.positions)):
            shots = [*shots[:-1:2], shot]
            self.issue += 1
        self._shots = shots

    def run(self) -> tuple[int, SteppedRun]:
        """The issue, and what has been taken so far as a run."""
        with self._lock:
            return self.issue, SteppedRun(self._scene, list(self._shots))


class KeptFrame(Frame):
    """A frame in memory."""

    def __init__(self, run: Run, step: int, time: float, arrays: dict[str, Array]) -> None:
        self._run, self._arrays = run, arrays
        self._table, self.step, self.time = FRAMES, step, time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(self._arrays)


class KeptContacts(ContactFrame):
    """A table of contacts in memory."""

    def __init__(self, step: int, time: float, arrays: dict[str, Array]) -> None:
        self._arrays = arrays
        self._table, self.step, self.time = CONTACTS, step, time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(self._arrays)


class FramesInMemory(Frames[Kind]):
    """Frames or tables of contacts in memory."""

    def __init__(self, instants: list[Kind]) -> None:
        self._instants = instants
        self.steps = np.array([each.step for each in instants], np.int64)
        self.times = np.array([each.time for each in instants], np.float64)

    def __len__(self) -> int:
        return len(self._instants)

    def __getitem__(self, index: Any) -> Any:
        return self._instants[index]


class KeptSeries(Series):
    """Series in memory, one sample for each shot."""

    def __init__(self, shots: list[Shot]) -> None:
        self.names = tuple(shots[0].book) if shots else ()
        self._loaded = {name: np.array([each.book[name] for each in shots]) for name in self.names}
        self._loaded["step"] = np.array([each.step for each in shots], np.int64)
        self._loaded["time"] = np.array([each.time for each in shots], np.float64)


class SteppedRun(Run):
    """A simulation as a run to be read: nothing of it is on disk."""

    def __init__(self, scene: dict[str, Any], shots: list[Shot]) -> None:
        self.folder = Path("simulation")
        self.provenance, self.result, self.finished = {}, None, False
        self.scene = scene
        self.series = KeptSeries(shots)
        self.frames = FramesInMemory([KeptFrame(self, each.step, each.time, each.arrays) for each in shots])
        self.contacts = FramesInMemory([KeptContacts(each.step, each.time, each.contacts) for each in shots])
