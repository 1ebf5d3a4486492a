"""A team of threads that go through the phases of some work together, each claiming fixed parts of every phase.

A phase is over when all its *parts* are done, not when all threads have come to its end: a thread that was put aside holds up
nobody, and joins at the present phase when it comes back; any number of threads, even one, finishes the work. What a part
computes does not depend on who does it, so neither do the results. One thread is a team of one and runs the same passes.

Parts are divided into *homes*, one per thread. A thread claims from its own home first, whose data its caches know, and a
little later from the homes of others. It waits by spinning, then by giving its core away.

Every stretch of work has its own control words. They only grow: a claim word carries the phase it belongs to, so nothing is
reset and no delayed thread can take an old value for a new one. A thread that arrives after the end touches only these words.
"""

import os
import queue
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from clast.backend.atomics import fetch_add, give_way, load, pause, store, swap_if
from clast.backend.device import device

LINE = 16  # words in two cache lines: so far apart are words that different threads write
PHASE, DONE, FREE, CLAIM = 0, LINE, 2 * LINE, 8 * LINE  # the phase; its parts done; words of the work; a claim word per home
OVER = 1 << 62  # a phase that never comes: the work is finished
PART_BITS = 16  # of a claim word
MOST_PARTS = (1 << PART_BITS) - 1  # of one home
PATIENCE, SPIN = 1.5, 20.0  # microseconds of waiting until the parts of others are looked at, until the core is given away


class Team(NamedTuple):
    """What the members of a team share in one stretch of work."""

    words: np.ndarray  # int64, see PHASE … CLAIM
    home: np.ndarray  # (threads + 1,) int64: parts of home v are home[v] … home[v + 1]
    patience: int  # turns of the waiting loop in PATIENCE microseconds
    spin: int  # and in SPIN microseconds


@device
def claim(words, v, phase, count):
    """Take the next part of home v, which has `count`, in this phase; −1 where none is left."""
    at = CLAIM + LINE * v
    word = load(words, at)
    while True:
        begun = word >> PART_BITS
        part = word & MOST_PARTS if begun == phase else 0
        if begun > phase or part >= count:
            return -1
        before = swap_if(words, at, word, (phase << PART_BITS) + part + 1)
        if before == word:
            return part
        word = before


@device
def still(words, phase, turns):
    """Whether the phase goes on after so many turns of waiting."""
    for _ in range(turns):
        if load(words, PHASE) != phase:
            return False
        pause()
    return load(words, PHASE) == phase


@device
def wait(words, phase, turns):
    """Return when the phase is over: spin for so many turns, then let others have the core."""
    if still(words, phase, turns):
        while load(words, PHASE) == phase:
            give_way()


def member_of(work: Callable[..., Any], following: Callable[..., Any]) -> Any:
    """What each thread of a team runs for a whole stretch: `member(me, team, job)`.

    work(phase, part, me, words, job)   does one part of a phase; `me` is the number of the thread
    following(phase, words, job)        returns the next phase, a larger number, or OVER; one thread calls it when all parts of
                                        a phase are done and nobody works, so it may do what one thread has to do
    """

    @device
    def work_at_home(v, phase, me, team, job):
        """Do what is left in home v; returns whether that was the last of the phase."""
        words, home, mine = team.words, team.home, 0
        part = claim(words, v, phase, home[v + 1] - home[v])
        while part >= 0:
            work(phase, home[v] + part, me, words, job)
            mine += 1
            part = claim(words, v, phase, home[v + 1] - home[v])
        return mine > 0 and fetch_add(words, DONE, mine) + mine == home[home.size - 1]

    @device
    def alone(team, job):
        """All phases by one thread, which need not claim anything. Between atomic changes of words the compiler would make the
        world of a pass anew for every stage, which is most of the time of a step of few bodies."""
        words, phase = team.words, team.words[PHASE]
        while phase != OVER:
            for part in range(team.home[1]):
                work(phase, part, 0, words, job)
            phase = following(phase, words, job)
        words[PHASE] = OVER

    @device
    def member(me, team, job):
        words, homes = team.words, team.home.size - 1
        if homes == 1:
            alone(team, job)
        phase = load(words, PHASE)
        while phase != OVER:
            last = False
            for d in range(homes):
                if last or (d == 1 and not still(words, phase, team.patience)):
                    break
                last = work_at_home((me + d) % homes, phase, me, team, job)
            if last:  # nobody holds a part: this thread is alone until it names the next phase
                store(words, DONE, 0)
                store(words, PHASE, following(phase, words, job))
            else:
                wait(words, phase, team.spin)
            phase = load(words, PHASE)

    return member


# --- the host's side ---------------------------------------------------------------------------------------------------

_CREW: list[queue.SimpleQueue] = []  # of the threads kept for teams, one queue each
_HIRING = threading.Lock()


def _forget_crew() -> None:
    """A forked child has none of its parent's threads."""
    global _HIRING
    _CREW.clear()
    _HIRING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_crew)


def _serve(jobs: queue.SimpleQueue) -> None:
    """The life of a kept thread."""
    while True:
        member, *arguments = jobs.get()
        member(*arguments)
        del member, arguments  # or their arrays would live on until the next stretch


def run_team(member: Callable[..., Any], team: Team, job: Any) -> None:
    """Run one stretch: `member(me, team, job)` in this thread and in as many kept ones as the team has homes besides.

    Returns when the stretch is over; a kept thread that holds no part is not waited for.
    """
    helpers = team.home.size - 2
    with _HIRING:
        while len(_CREW) < helpers:
            _CREW.append(queue.SimpleQueue())
            threading.Thread(target=_serve, args=(_CREW[-1],), daemon=True, name=f"clast-{len(_CREW)}").start()
        crew = _CREW[:helpers]
    try:
        for me, jobs in enumerate(crew, start=1):
            jobs.put((member, me, team, job))
    finally:  # an interrupt leaves nobody at work behind: the stretch is run to its end first
        member(0, team, job)


def new_team(threads: int, parts: int, phase: int, turns: float) -> Team:
    """A team for one stretch that begins with `phase`, every phase cut into `parts`, at most 65535 of them for each thread.

    `turns` is what `turns_per_microsecond` gives.
    """
    size = CLAIM + LINE * threads
    raw = np.zeros(size + LINE, np.int64)
    skip = (-raw.ctypes.data % (8 * LINE)) // 8  # to a boundary of two cache lines
    words = raw[skip : skip + size]
    words[PHASE] = phase
    return Team(words, even_cuts(parts, threads), int(PATIENCE * turns), int(SPIN * turns))


def even_cuts(count: int, parts: int) -> np.ndarray:
    """Cuts (parts + 1,) of `count` things into parts of equal size."""
    return (np.arange(parts + 1, dtype=np.int64) * count) // parts


@cache
def turns_per_microsecond(still_going: Callable[..., Any]) -> float:
    """How many turns of the waiting loop this processor makes: a pause takes 15 ns on one and 45 on another.

    `still_going(words, turns)` is `still` in phase 0, compiled for Python.
    """
    words, turns, best = np.zeros(LINE, np.int64), 2000, float("inf")
    for _ in range(6):  # the first may compile
        begin = time.perf_counter()
        still_going(words, turns)
        best = min(best, time.perf_counter() - begin)
    return turns / (best * 1e6)
