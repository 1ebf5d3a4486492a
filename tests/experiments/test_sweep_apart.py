"""Tables of a study made by processes beside each other: the same bits, in the order of the list, as made by one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from test_study import toy
from test_sweep_killed import GAS, PATIENCE, saved_step

from clast.cli import run_command
from clast.errors import InputError, PhysicsError
from clast.experiments import find
from clast.experiments.shared.running import put_in_order, run_experiment
from clast.experiments.shared.tables_apart import groups_of, make_apart, work
from clast.output.progress import quiet
from clast.output.store.reader import open_run
from clast.output.store.writer import RunWriter
from clast.sweeps.task import state_of

SMALL = {"turns": 1, "steps": 100}


def tables_of(folder):
    """Everything in the tables of a run, as bytes."""
    return [
        (name, [(column, each.dtype.str, each.tobytes()) for column, each in table.items()])
        for name, table in open_run(folder).tables.items()
    ]


def test_tables_made_apart_have_the_same_bits(tmp_path, monkeypatch):
    study = find("friction-loop")
    monkeypatch.setattr("clast.experiments.shared.running.draw", lambda experiment, parameters, run: run)
    run_experiment(study, out=tmp_path / "one", given=SMALL)
    words = ["run", "friction-loop", "--turns", "1", "--steps", "100", "--jobs", "2", "--out", str(tmp_path / "two")]
    monkeypatch.setattr("clast.cli.running.show_outcome", lambda run: None)
    assert run_command(words) == 0
    assert tables_of(tmp_path / "one") == tables_of(tmp_path / "two") and len(tables_of(tmp_path / "two")) == 3
    one, two = (open_run(tmp_path / name).result for name in ("one", "two"))
    assert {**one, "wall_s": 0} == {**two, "wall_s": 0}


def test_tables_of_one_test_stay_together():
    listed = ["dense 1", "dense 1: bodies", "loose 1", "dense 1: contacts", "loose 1: bodies"]
    assert groups_of(listed) == [["dense 1", "dense 1: bodies", "dense 1: contacts"], ["loose 1", "loose 1: bodies"]]


def test_tables_are_read_in_the_order_of_the_list_whichever_came_first(tmp_path):
    with RunWriter.create(tmp_path / "run", provenance={}, scene={}) as writer:
        for k, name in enumerate(("c", "a", "b")):
            writer.put_table(name, {"x": [k], "a": [0.5]}, float(k))
    put_in_order(tmp_path / "run", ["a", "b", "c"])
    tables = open_run(tmp_path / "run").tables
    assert {name: (int(table["x"][0]), table.seconds, list(table)) for name, table in tables.items()} == {
        "a": (1, 1.0, ["x", "a"]), "b": (2, 2.0, ["x", "a"]), "c": (0, 0.0, ["x", "a"]),
    }  # fmt: skip
    assert list(tables) == ["a", "b", "c"]


def test_a_group_says_what_is_wrong_and_others_studies_are_refused(tmp_path):
    about = {"study": "friction-loop", "threads": 1, "device": "cpu", "tables": ["none"], "file": str(tmp_path / "0")}
    answer = work({**about, "parameters": {"seed": 1, **SMALL}}, lambda _: None)
    assert "KeyError" in answer["message"] and answer["kind"] == "other"
    lost = {**about, "tables": ["vertex-vertex"], "file": str(tmp_path / "gone" / "0")}
    assert work({**lost, "parameters": {"seed": 1, **SMALL}}, lambda _: None)["kind"] == "disk"
    with pytest.raises(InputError, match="no other process finds it"):
        run_experiment(toy([]), out=tmp_path / "run", jobs=2)
    with pytest.raises(InputError, match="jobs = 0"):
        run_experiment(toy([]), out=tmp_path / "run", jobs=0)
    assert not (tmp_path / "run").exists()
    kept = []
    say = {"table": "t", "file": str(tmp_path / "t.npz"), "seconds": 1.0}
    np.savez(tmp_path / "t.npz", names=np.array(["a b"]), **{"0": np.arange(3)})

    failing = {"message": "too deep", "end": True}

    def share_out(_module, _pieces, *, hear, **_):
        if not kept:
            hear(0, say)
        hear(0, failing)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clast.experiments.shared.tables_apart.share_out", share_out)
        study = find("friction-loop")
        for kind, error in (("input", InputError), ("physics", PhysicsError), ("disk", OSError)):
            failing["kind"] = kind
            with pytest.raises(error, match="too deep"):
                make_apart(
                    study, study.choose("quick", SMALL), ["t"], jobs=2, threads=1, progress=quiet(),
                    keep=lambda name, columns, seconds: kept.append((name, columns["a b"].tolist(), seconds)),
                )  # fmt: skip
    assert kept == [("t", [0, 1, 2], 1.0)] and not (tmp_path / "t.npz").exists()


@pytest.mark.validate
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_save_the_runs_of_a_sweep(number, status, tmp_path):
    (tmp_path / "gas.toml").write_text(GAS)
    words = ["sweep", "gas.toml", "--vary", "fill.0.seed=1:2", "--run.until", "50000", "--out", "s", "--jobs", "2"]
    words += ["--checkpoint", "1e6"]  # saving only when told
    child = subprocess.Popen(
        [sys.executable, "-m", "clast.cli", *words], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )  # fmt: skip
    limit = time.monotonic() + PATIENCE
    while len(found := list((tmp_path / "s").glob("0*/checkpoint.h5"))) < 2:
        assert time.monotonic() < limit and child.poll() is None
        time.sleep(0.05)
    workers = psutil.Process(child.pid).children()
    time.sleep(0.5)
    os.kill(child.pid, number)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == status, said
    assert said.count("\n") == 1 and "Go on with: clast sweep s" in said
    assert psutil.wait_procs(workers, timeout=5.0)[1] == []
    runs = [Path(path).parent for path in found]
    assert [state_of(run, running=True) for run in runs] == ["begun", "begun"] and min(map(saved_step, runs)) > 0
    assert "begun" in (tmp_path / "s" / "index.csv").read_text()
