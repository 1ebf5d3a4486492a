"""Where a run is done: what "auto" takes, the sentence why, and what is refused."""

import os
import subprocess
import sys

import pytest
from grid_scenes import pentagons

from clast.backend.cuda import why_not
from clast.dynamics.engine import Engine
from clast.dynamics.gpu import devices
from clast.dynamics.gpu.devices import choose_device
from clast.errors import InputError, SceneError
from clast.output.recording import run

NO_GPU = "no NVIDIA GPU or no driver was found"


@pytest.fixture
def gpu(monkeypatch):
    """As if there were a GPU."""
    monkeypatch.setattr("clast.backend.cuda.why_not", lambda: "")
    monkeypatch.setattr(devices, "why_not", lambda: "")


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr("clast.backend.cuda.why_not", lambda: NO_GPU)
    monkeypatch.setattr(devices, "why_not", lambda: NO_GPU)


@pytest.mark.parametrize(
    "moving, dimension, threads, device",
    [
        (4_999, 2, 1, "cpu"),
        (5_000, 2, 1, "cuda"),
        (999, 3, 1, "cpu"),
        (1_000, 3, 1, "cuda"),
        (47_999, 2, 16, "cpu"),
        (48_000, 2, 16, "cuda"),
    ],
)
def test_auto_takes_a_gpu_for_large_scenes(gpu, moving, dimension, threads, device):
    found, reason = choose_device("auto", moving, dimension, threads)
    assert found == device
    fewest = round(devices.FEWEST[dimension] * max(1.0, 0.6 * threads))
    assert reason == f"{moving} bodies move, and a GPU gains from {fewest} on"


def test_auto_counts_all_cores_where_threads_are_auto(gpu, monkeypatch):
    monkeypatch.setattr(devices, "count_threads", lambda threads: 10 if threads == "auto" else threads)
    assert choose_device("auto", 29_999, 2, "auto")[0] == "cpu"
    assert choose_device("auto", 30_000, 2, "auto")[0] == "cuda"


def test_auto_without_a_gpu_is_the_cpu_and_names_the_reason(no_gpu):
    assert choose_device("auto", 1_000_000, 2, 1) == ("cpu", NO_GPU)


def test_auto_of_a_small_scene_does_not_even_look_for_a_gpu(monkeypatch):
    monkeypatch.setattr(devices, "why_not", lambda: pytest.fail("looked"))
    engine = Engine(pentagons(), device="auto")
    assert engine.device == "cpu" and engine.device_reason == "4 bodies move, and a GPU gains from 5000 on"


def test_what_is_given_is_taken(gpu):
    assert choose_device("cuda", 1, 2, 1) == ("cuda", "device = cuda was given")
    assert Engine(pentagons()).device_reason == "device = cpu was given"


@pytest.mark.parametrize("where", ["engine", "run"])
def test_refusals(where, no_gpu, tmp_path):
    def start(device):
        if where == "engine":
            Engine(pentagons(), device=device)
        else:
            run(pentagons(), until=1.0, out=tmp_path / "run", device=device)

    with pytest.raises(SceneError, match='device = "gpu" must be one of cpu, cuda, auto'):
        start("gpu")
    with pytest.raises(InputError, match=f'device = "cuda": {NO_GPU}'):
        start("cuda")
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(not why_not(), reason="there is a GPU")
def test_who_asks_for_tests_of_a_gpu_alone_hears_that_there_is_none():
    """`make test-gpu` fails then: where all is skipped nothing was seen to work."""
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "--collect-only", "-p", "no:cacheprovider", __file__]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}  # of a run with workers
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip() == f"ERROR: no test of a GPU was run: {why_not()}"
