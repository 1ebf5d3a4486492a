"""What a simulation shows of its run, by name: arrays in the order of ids, of this instant."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.named_bonds import BondsNow
from clast.dynamics.named_contacts import ContactTable
from clast.measures.book import ELASTIC, HEATS, KINETIC, OF_BONDS, sum_of
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import body_forces
from clast.measures.snapshots.flows import flows


class Seen:
    """Names of what can be looked at; nothing of it is changed by looking."""

    engine: Engine
    scene: Any
    _seen: tuple[Any, Snapshot] | None
    _start: float

    def _follow(self) -> None:
        raise NotImplementedError

    def _instant(self) -> tuple[Any, ...]:
        """Numbers that differ between two instants, and before and after a change."""
        return self.engine.step, self.engine.known.revision, self.engine.work_changes

    def look(self) -> Snapshot:
        """All there is to see at this instant, a `clast.Snapshot`; made once for each."""
        self._follow()
        if self._seen is None or self._seen[0] != self._instant():
            self._seen = self._instant(), self.engine.snapshot()
        return self._seen[1]

    @property
    def steps(self) -> int:
        """Steps done so far."""
        return self.engine.step

    @property
    def time(self) -> float:
        """t = steps × dt [s]."""
        return self.engine.time

    @property
    def dt(self) -> float:
        """The time step [s]."""
        return self.engine.dt

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 2 or 3) [m], never wrapped into a periodic box."""
        self._follow()
        return self.engine.positions

    @property
    def angles(self) -> np.ndarray:
        """Angles (n,) [rad], counter-clockwise and never wrapped; in the plane only."""
        self._follow()
        return self.engine.angles

    @property
    def orientations(self) -> np.ndarray:
        """Quaternions w x y z (n, 4) that turn the principal frame of a body into the world; in space only."""
        self._follow()
        return self.engine.orientations

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the centres of mass (n, 2 or 3) [m/s], of this instant."""
        return self.look().velocities

    @property
    def spins(self) -> np.ndarray:
        """Angular velocities [rad/s]: (n,) in the plane, in space (n, 3) about the axes of the world."""
        return self.look().spins

    @property
    def forces(self) -> np.ndarray:
        """Sum of the forces of contacts and bonds on every body (n, 2 or 3) [N], springs and dashpots of contacts."""
        return body_forces(self.look())

    @property
    def contacts(self) -> ContactTable:
        """What touches, one row per counted contact."""
        return self.look().contacts

    @property
    def bonds(self) -> BondsNow | None:
        """Bonds by name, row k that with id k; None where the scene has none."""
        return self.look().bonds

    @property
    def present(self) -> np.ndarray:
        """Bodies (n,) bool that take part: neither taken out nor waiting to come in."""
        self._follow()
        return self.engine.present

    @property
    def book(self) -> dict[str, np.ndarray]:
        """The energy accounts of every body by name (n,) [J], see `Snapshot.book`."""
        return self.look().book

    @property
    def accounts(self) -> dict[str, float]:
        """Every account of the whole run [J]: energies, heats since the start, `work_tags`, `work_changes` …"""
        return accounts(self.engine, self.look())

    @property
    def flows(self) -> dict[str, float]:
        """Numbers and masses of the grains that have come in, gone out and are there; {} without sources or sinks."""
        self._follow()
        return flows(self.engine)

    @property
    def residual(self) -> float:
        """What the accounts fail to add up to since the start [J], see `clast.measures.book`; 0 in a perfect book."""
        return sum_of(self.accounts) - self._start

    @property
    def energy_error(self) -> float:
        """|residual| / (kinetic + elastic energy + heat), at this instant."""
        now = self.accounts
        scale = sum(now.get(name, 0.0) for name in (*KINETIC, *ELASTIC, *HEATS, *OF_BONDS))
        return abs(self.residual) / scale if scale > 0.0 else 0.0

    def __repr__(self) -> str:
        return f"<simulation at step {self.steps}, t = {self.time:g}: {self.scene!r}>"
