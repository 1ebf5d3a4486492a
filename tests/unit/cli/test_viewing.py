"""`clast view` of a sweep, and beside a run: table and runs of rows are handed out, a viewer ends with what it is for."""

import json

import pytest
from viewed_runs import flat_run

from clast.cli import viewing
from clast.cli.sweep_view import ServedSweep
from clast.cli.viewing import viewed
from clast.errors import InputError, StoreError
from clast.sweeps.sweep import Sweep


@pytest.fixture
def sweep(tmp_path):
    """Three rows planned, of which the second has a run."""
    plan = Sweep("cow-gas", vary={"seed": (1, 2, 3)}, given={"grains": 20}).plan(tmp_path / "sweep")
    flat_run(plan.folder / plan.tasks[1].name, frames=2)
    return ServedSweep(plan.folder)


def test_the_table_of_a_sweep_and_the_runs_of_its_rows(sweep):
    kind, content = sweep.answer("facts", {})
    facts = json.loads(content)["sweep"]
    assert kind == "application/json" and facts["varied"] == ["seed"] and facts["shown"] == [2]
    assert [row["seed"] for row in facts["rows"]] == [1, 2, 3]
    assert len(json.loads(sweep.row(2).answer("facts", {})[1])["times"]) == 2
    assert sweep.row(2) is sweep.row(2)
    with pytest.raises(InputError, match="no row 4"):
        sweep.row(4)
    with pytest.raises(StoreError, match="no run"):
        sweep.row(1)
    with pytest.raises(InputError):
        sweep.answer("bodies", {})


def test_a_viewer_beside_a_run_ends_with_it(tmp_path, monkeypatch):
    begun = []
    popen = viewing.subprocess.Popen

    def begin(words):
        begun.append((words, popen([viewing.sys.executable, "-c", "import time; time.sleep(60)"])))
        return begun[-1][1]

    monkeypatch.setattr(viewing.subprocess, "Popen", begin)
    with viewed(tmp_path, False):
        assert begun == []
    with pytest.raises(KeyboardInterrupt), viewed(tmp_path, True):
        words, process = begun[0]
        assert words[2:] == ["clast.cli", "view", "--wait", str(tmp_path)] and process.poll() is None
        raise KeyboardInterrupt
    assert process.poll() is not None
