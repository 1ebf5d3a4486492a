"""Runs stretches of steps by a team of threads: cuts the work into parts, and reads off where and why a stretch ended."""

from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from clast.backend.team import Team, even_cuts, new_team, run_team, turns_per_microsecond
from clast.dynamics.arrays import Run, flat
from clast.dynamics.step import DEEP, HASTY, MOVED, NOWHERE, STAGES, STEP
from clast.dynamics.worlds import Job

Record = TypeVar("Record", bound=tuple)
DONE, STALE, DEEP_OVERLAP, TOO_FAST = 0, 1, 2, 3  # why a stretch ended; where a body is too fast, its lists are stale as well
PARTS_EACH = 8  # parts of a stage for each thread, at most
PAIRS_EACH = 64  # pairs of a part, at least: blocks of contacts want to be full


class Stretcher:
    """Steps of one run, by as many threads as it was cut for."""

    def __init__(self, kernels: ModuleType) -> None:
        self.kernels = kernels
        self.threads = 1
        self.pair_cut = self.body_cut = np.zeros(2, np.int64)

    def cut(self, first_candidate: np.ndarray, first_pair: np.ndarray, bodies: int, threads: int) -> None:
        """Divide pairs and bodies into parts; `first_candidate` (pairs + 1,) is the running number of candidates, `first_pair`
        that of the pairs of each row. All pairs of a row are of one part, which books their heats."""
        self.threads = threads
        parts = 1 if threads == 1 else min(PARTS_EACH * threads, max(threads, (len(first_candidate) - 1) // PAIRS_EACH))
        self.pair_cut = between_rows(balanced_cuts(first_candidate, parts), first_pair)
        self.body_cut = even_cuts(bodies, parts)

    def team_at(self, step: int) -> Team:
        """A team for a stretch that begins at `step`; its words tell how far it has come, `step_of(words)`, at any moment."""
        team = new_team(self.threads, len(self.pair_cut) - 1, STAGES * step, turns_per_microsecond(self.kernels.still_going))
        team.words[DEEP], team.words[STEP] = NOWHERE, step
        return team

    def run(self, team: Team, end: int, run: Run, world: tuple[Any, ...]) -> tuple[int, int, int]:
        """Steps until `end`, until lists are stale, a body too fast or an overlap too deep: (step reached, why, pair or −1)."""
        run_team(self.kernels.advance, team, self._job(end, run, world))
        reached, deep = step_of(team.words), int(team.words[DEEP])
        if deep != NOWHERE:
            return reached, DEEP_OVERLAP, deep
        return reached, ending(team.words[MOVED], team.words[HASTY]), -1

    def _job(self, end: int, run: Run, world: tuple[Any, ...]) -> Job:
        return Job(end, self.pair_cut, self.body_cut, run, *world)

    def fill_table(self, pairs: int, run: Run, world: tuple[Any, ...]) -> int:
        """Fill the table of contacts that the scratch of `world` holds; returns how many rows it needs."""
        return int(self.kernels.table_now(pairs, self._job(0, run, world)))


def ending(moved: int, hasty: int) -> int:
    """Why a stretch ended in which no overlap was too deep, from the words for who moved too far and who may pass unseen."""
    return TOO_FAST if hasty else STALE if moved else DONE


def step_of(words: np.ndarray) -> int:
    """The step a team has reached."""
    return int(words[STEP])


def between_rows(cuts: np.ndarray, first_pair: np.ndarray) -> np.ndarray:
    """The same cuts of pairs, moved on to where the pairs of a row begin."""
    return first_pair[np.searchsorted(first_pair, cuts)].astype(np.int64)


def balanced_cuts(first_candidate: np.ndarray, parts: int) -> np.ndarray:
    """Cuts (parts + 1,) of pairs into ranges of about equal work, by the running number of candidates (pairs + 1,)."""
    pairs = len(first_candidate) - 1
    work = first_candidate.astype(np.int64) + 2 * np.arange(pairs + 1)  # a pair costs about two candidates by itself
    cuts = np.searchsorted(work, even_cuts(int(work[-1]) if pairs else 0, parts)[1:-1])
    return np.concatenate([[0], cuts, [pairs]]).astype(np.int64)


class Flat:
    """Records flat, made anew only where one is another than at the last call: between short stretches most are the same."""

    def __init__(self) -> None:
        self._kept: dict[type, tuple[tuple, tuple]] = {}

    def __call__(self, record: Record) -> Record:
        """The same arrays, tables as one row of numbers."""
        kept = self._kept.get(type(record))
        if kept is None or kept[0] is not record:
            kept = self._kept[type(record)] = record, flat(record)
        return kept[1]  # type: ignore[return-value]
