"""A team of threads by itself: whatever the number of threads, of parts and of phases, the same sums; nobody waits for ever."""

import os
import threading
import time

import numpy as np
import pytest

from clast.backend.atomics import fetch_add, fetch_min, load, store
from clast.backend.device import device, from_python
from clast.backend.team import (
    DONE,
    FREE,
    LINE,
    OVER,
    PHASE,
    even_cuts,
    member_of,
    new_team,
    run_team,
    still,
    turns_per_microsecond,
)

LOWEST, SEEN = FREE, FREE + LINE  # words of the work
STAGES = 2


def work(phase, part, me, words, job):
    """Stage 0 of a round adds the neighbours of each number, stage 1 takes the sums over; a mark below zero is noted."""
    cut, old, new, failing, _ = job
    for k in range(cut[part], cut[part + 1]):
        if phase % STAGES == 0:
            new[k] = 0.5 * old[k] + 0.25 * (old[(k + 1) % old.size] + old[k - 1])
        else:
            old[k] = new[k]
            if phase // STAGES == failing[0] and k >= failing[1]:
                fetch_min(words, LOWEST, k)
    fetch_add(words, SEEN, 1)


def following(phase, words, job):
    if load(words, LOWEST) < 1 << 62:
        return OVER
    return phase + 1 if phase + 1 < job[4] else OVER


work, following = device(work), device(following)
member = member_of(work, following)


run_member = from_python(member)


def still_in_first_phase(words, turns):
    return still(words, 0, turns)


still_going = from_python(device(still_in_first_phase))


def smoothed(threads: int, parts: int, rounds: int, numbers: int = 97, failing: tuple[int, int] = (-1, 0)):
    old = np.random.default_rng(3).normal(size=numbers)
    cut = even_cuts(numbers, parts)
    team = new_team(threads, parts, 0, turns_per_microsecond(still_going))
    team.words[LOWEST] = 1 << 62
    run_team(run_member, team, (cut, old, np.zeros(numbers), np.array(failing), STAGES * rounds))
    return old, int(team.words[LOWEST]), int(team.words[SEEN])


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory):
    smoothed(1, 1, 1)


def test_the_sums_do_not_depend_on_threads_and_parts():
    rng = np.random.default_rng(1)
    expected, _, _ = smoothed(1, 1, 40)
    for _ in range(60):
        threads, each = int(rng.integers(1, 9)), int(rng.integers(1, 13))
        found, lowest, parts = smoothed(threads, threads * each, 40)
        assert np.array_equal(found, expected)
        assert lowest == 1 << 62
        assert parts == threads * each * 40 * STAGES  # each part of each phase once


@pytest.mark.parametrize("parts", [1, 3, 200])
def test_fewer_and_more_parts_than_threads_and_numbers(parts):
    expected, _, _ = smoothed(1, 1, 10, numbers=5)
    found, _, _ = smoothed(4, parts, 10, numbers=5)
    assert np.array_equal(found, expected)


def test_many_more_threads_than_cores():
    expected, _, _ = smoothed(1, 1, 15)
    found, _, _ = smoothed(8 * (os.cpu_count() or 1), 97, 15)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_ends_all_in_the_same_phase_with_the_lowest_number(threads):
    expected, lowest, _ = smoothed(1, 1, 30, failing=(7, 41))
    assert lowest == 41
    found, lowest, parts = smoothed(threads, 6 * threads, 30, failing=(7, 41))
    assert lowest == 41
    assert np.array_equal(found, expected)
    assert parts == 6 * threads * 8 * STAGES


def test_several_teams_at_once():
    expected, _, _ = smoothed(1, 1, 200)
    found: list[np.ndarray] = []
    runs = [threading.Thread(target=lambda: found.append(smoothed(3, 24, 200)[0])) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60.0)
    assert len(found) == 4
    assert all(np.array_equal(each, expected) for each in found)


def test_late_members_touch_nothing():
    """A member that comes when all is over returns at once and changes no word but its own."""
    team = new_team(2, 4, 0, 10.0)
    team.words[PHASE] = OVER
    before = team.words.copy()
    old = np.ones(8)
    run_member(1, team, (even_cuts(8, 4), old, np.zeros(8), np.array([-1, 0]), 10))
    assert np.array_equal(team.words, before)
    assert (old == 1.0).all()


def test_a_member_that_never_comes_is_not_missed():
    """Only one of three members: the work is finished all the same."""
    expected, _, _ = smoothed(1, 1, 20)
    old = np.random.default_rng(3).normal(size=97)
    team = new_team(3, 24, 0, turns_per_microsecond(still_going))
    team.words[LOWEST] = 1 << 62
    run_member(2, team, (even_cuts(97, 24), old, np.zeros(97), np.array([-1, 0]), STAGES * 20))
    assert np.array_equal(old, expected)
    assert team.words[DONE] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_hires_its_own_threads():
    expected, _, _ = smoothed(3, 24, 20)
    child = os.fork()
    if child == 0:
        same = np.array_equal(smoothed(3, 24, 20)[0], expected)
        os._exit(0 if same else 1)
    began = time.monotonic()
    while time.monotonic() - began < 60.0:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_words_of_the_work_are_apart():
    team = new_team(2, 4, 6, 10.0)
    assert team.words.ctypes.data % (8 * LINE) == 0
    assert int(team.words[PHASE]) == 6


def test_store_and_load():
    @from_python
    @device
    def change(words):
        store(words, 1, 7)
        return fetch_add(words, 1, 2), load(words, 1), fetch_min(words, 1, 4), load(words, 1)

    assert change(np.zeros(3, np.int64)) == (7, 9, 9, 4)
