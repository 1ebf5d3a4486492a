"""A run that is begun on one device and resumed on another is the run that stayed where it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import devices_changed
import pytest

PROGRAM = Path(devices_changed.__file__)
CHANGES = [("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> dict:
    """All runs in a process of its own: the simulator is chosen when numba is imported."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(PROGRAM), str(tmp_path_factory.mktemp("devices"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("first, second", CHANGES)
@pytest.mark.parametrize("name", devices_changed.SCENES)
def test_a_run_goes_on_where_it_was_not_begun(simulated, name, first, second):
    found = simulated[f"{name}, {first} to {second}"]
    assert max(found["apart"].values()) < 1e-13
    assert (found["half"], found["whole"]) == (first, second)
    assert found["touching"] > 2, "springs are handed over"


def test_a_scene_file_names_its_device_and_the_command_line_wins(simulated):
    assert simulated["file"] == ["cuda", "cpu"]


def test_rows_of_a_sweep_run_where_the_sweep_does(simulated):
    assert simulated["sweeps"] == ["cuda", "cpu", "cuda"]


def test_numbers_of_threads_are_not_compared_on_a_gpu(simulated):
    assert not simulated["threads compared"]


def test_auto_takes_the_gpu(simulated):
    assert simulated["auto"] == ["cuda", True, "4 bodies move, and a GPU gains from 4 on"]
