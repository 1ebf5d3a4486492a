"""The step on a grid is the step of threads: every family in numba's simulator of a GPU, and, where there is one, on it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import grid_scenes
import pytest

from clast.backend.cuda import why_not
from clast.dynamics.engine import Engine
from clast.errors import InputError, SceneError

TOOLS = Path(grid_scenes.__file__).parent
RECORDED = Path(__file__).with_name("figures.json")
STEPS = 60
SIMULATED = [
    "pentagons", "elastic", "sticky_disks", "angles", "angled_spheres", "across_a_seam", "gear", "pressed_cell", "sheared_cell",
    "cubes", "full_layer", "hertz_spheres", "pressed_cubes", "sheared_cubes", "sheared_sharp_cubes", "sharp_cubes",
    "conserving_cubes", "holding_cubes",
]  # fmt: skip
AGREE = 1e-9  # over 500 steps with friction, where every rounding may differ


def in_simulator(program: str, *words: str) -> dict:
    """What a program of the tools prints, in a process of its own: the simulator is chosen when numba is imported."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(TOOLS / program), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def simulated() -> dict:
    """All scenes."""
    return in_simulator("grid_scenes.py", str(STEPS), *SIMULATED)


def test_errors_removal_order_and_changes_are_those_of_threads():
    trials = in_simulator("grid_trials.py")
    for name in ("too_deep", "too_fast", "only_tags", "no_number"):
        assert trials[name]["cuda"] == trials[name]["cpu"]
    for name in ("removed", "reordered", "changed", "poured", "flowing"):  # what pushes a wall is summed in shares
        assert trials[name]["cuda"] == pytest.approx(trials[name]["cpu"], rel=1e-12, abs=1e-12), name
    assert trials["too_deep"]["cpu"][0].startswith("OverlapError: bodies 0 and 1 overlap by")
    assert trials["too_fast"]["cpu"][0].startswith("SpeedError: bodies 0 and 1 move 0.2 against each other in one step")
    assert trials["too_fast"]["cpu"][1:] == ["", 20]
    assert "every component of both is prescribed" in trials["only_tags"]["cpu"][0]
    assert trials["no_number"]["cpu"][0].startswith("NotFiniteError: body 0 left the finite numbers")
    assert trials["removed"]["cpu"][-1] == 2 and trials["poured"]["cpu"][-1] > 0
    assert trials["flowing"]["cpu"][-6:] == [1, 0, 1, 3, 128, 0]  # who has gone, at which step, into which sink


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_grid_gives_the_numbers_of_threads(simulated, name):
    found = simulated[name]
    assert max(found["apart"].values()) < 1e-13
    assert found["contacts"] > 0 and found["moved"] > 0.0
    assert found["springs"] > 0 or name == "elastic"


@pytest.mark.parametrize("name", SIMULATED)
def test_where_a_run_is_looked_at_leaves_no_trace(simulated, name):
    assert max(simulated[name]["pieces"].values()) == 0.0


@pytest.mark.parametrize("name", SIMULATED)
def test_runs_come_to_what_they_always_came_to(simulated, name):
    """Recorded once, as plain Python, so that no compiler has a say: `python tests/tools/grid_scenes.py 60 …` prints them."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    for quantity, numbers in simulated[name]["figures"].items():
        assert numbers == pytest.approx(recorded[quantity], rel=1e-12, abs=1e-12 * recorded[quantity][1] ** 0.5), quantity


def test_scenes_lose_energy_in_every_way(simulated):
    """So that heats left to bodies are seen to reach the book."""
    books = [simulated[name]["book"] for name in SIMULATED]
    for account in ("heat_sliding", "heat_rolling"):
        assert any(book[account] > 0.0 for book in books), account


def test_lists_are_renewed_on_the_way(simulated):
    assert any(simulated[name]["rebuilds"] > 2 for name in SIMULATED)


def test_without_a_gpu_one_sentence():
    if not (reason := why_not()):
        pytest.skip("there is a GPU")
    with pytest.raises(InputError, match=r'device = "cuda": .*; device = "cpu" runs everywhere') as caught:
        Engine(grid_scenes.pentagons(), device="cuda")
    assert reason in str(caught.value)


def test_unknown_device():
    with pytest.raises(SceneError, match='device = "gpu" must be one of cpu, cuda'):
        Engine(grid_scenes.pentagons(), device="gpu")


@pytest.mark.gpu
@pytest.mark.skipif(bool(why_not()), reason="there is no GPU")
@pytest.mark.parametrize("name", grid_scenes.SCENES)
def test_gpu_agrees_with_threads(name):
    by_threads, on_gpu, in_pieces = (
        grid_scenes.after(name, 500, "cpu"), grid_scenes.after(name, 500, "cuda"), grid_scenes.after(name, 500, "cuda", 3)
    )  # fmt: skip
    assert max(grid_scenes.apart(by_threads, on_gpu).values()) < AGREE
    assert max(grid_scenes.apart(on_gpu, in_pieces).values()) == 0.0
