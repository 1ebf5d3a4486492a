"""The choice of threads and how work is cut among them."""

import warnings

import numba
import numpy as np
import pytest

from clast.backend.threads import SlowThreadsWarning, ThreadTrial, balanced_cuts, count_threads, warn_about_layer
from clast.dynamics.engine import Engine
from clast.errors import InputError
from clast.laws import Linear
from clast.scene.scene import Scene
from clast.shapes import disk


@pytest.mark.parametrize("one, all_of_them, chosen", [(1e-4, 6e-5, 2), (1e-4, 9.5e-5, 1), (1e-4, 1e-1, 1)])
def test_trial_settles_for_the_faster(one, all_of_them, chosen):
    trial = ThreadTrial(2)
    for _ in range(1000):
        if trial.settled:
            break
        trial.record(trial.steps, trial.steps * (one if trial.threads == 1 else all_of_them))
    assert trial.settled
    assert trial.threads == chosen


def test_a_turn_is_many_stretches_when_they_are_short():
    trial = ThreadTrial(2)
    for _ in range(19):
        trial.record(5, 1e-4)
    assert trial.turns == 0
    trial.record(5, 2e-4)
    assert trial.turns == 1
    assert trial.best[1] == pytest.approx(2.1e-3 / 100)


def test_one_core_needs_no_trial():
    assert ThreadTrial(1).settled


def test_auto_settles_while_running():
    scene = Scene(law=Linear(1e4))
    for k in range(20):
        scene.add(disk(radius=0.5), (1.1 * k, 0.0), velocity=(-1.0 if k % 2 else 1.0, 0.0))
    engine = Engine(scene, threads="auto")
    engine.advance(400_000)
    assert engine._trial is not None
    assert engine._trial.settled
    assert engine.threads == engine._trial.threads


def test_cuts_share_the_work():
    rng = np.random.default_rng(1)
    first = np.concatenate([[0], np.cumsum(rng.integers(1, 20, 1000))]).astype(np.uint32)
    for parts in (1, 2, 3, 7):
        cuts = balanced_cuts(first, parts)
        assert cuts[0] == 0
        assert cuts[-1] == 1000
        assert (np.diff(cuts) >= 0).all()
        work = np.diff((first + 2 * np.arange(1001))[cuts])
        assert work.max() - work.min() < 50
    assert balanced_cuts(np.zeros(1, np.uint32), 3).tolist() == [0, 0, 0, 0]


def test_slow_layer_is_said(monkeypatch):
    monkeypatch.setattr(numba, "threading_layer", lambda: "workqueue")
    with pytest.warns(SlowThreadsWarning, match="workqueue"):
        warn_about_layer()
    monkeypatch.setattr(numba, "threading_layer", lambda: "omp")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_layer()


@pytest.mark.parametrize("threads", [0, -1, "many"])
def test_bad_number_of_threads(threads):
    with pytest.raises(InputError, match="threads"):
        count_threads(threads)
