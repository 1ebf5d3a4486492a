"""Studies: tables kept one by one, judged, drawn, resumed; and what the store makes of bad ones."""

import dataclasses
import json
import math
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clast.errors import InputError, StoreError
from clast.experiments import find, names
from clast.experiments.experiment import Merit, Parameters, Quantity, Study, parameter
from clast.experiments.shared.running import run_experiment
from clast.output.store.reader import open_run
from clast.output.store.writer import RunWriter


class Toy(Parameters):
    """Powers of numbers."""

    count: int = parameter(5, "how many numbers", ge=1)


def toy(made: list[str], fail: str | None = None) -> Study:
    """A study that notes which tables it makes and may fail at one."""

    def tables(p, threads):
        def make(name, power):
            def columns():
                if name == fail:
                    raise KeyboardInterrupt
                made.append(name)
                x = np.arange(p.count)
                return {"x": x, "power": 0.5 * x**power, "threads": np.full(p.count, threads)}

            return columns

        return {"squares": make("squares", 2), "cubes": make("cubes", 3)}

    def evaluate(p, run):
        return [Quantity("sum of squares", float(run.tables["squares"]["power"].sum()), published=15.0, agrees=True)]

    def figures(p, run, folder):
        (folder / "toy.txt").write_text(str(run.tables["cubes"]["power"]))
        return [folder / "toy.txt"]

    return Study(
        name="toy", paper="none", title="toy", parameters=Toy, tables=tables, evaluate=evaluate, figures=figures,
        merit=lambda p, run: Merit(grains=p.count),
        sizes={"quick": {}, "full": {"count": 7}},
    )  # fmt: skip


@pytest.mark.parametrize("device", ["cpu", "cuda", "auto"])
def test_a_study_for_gpus_has_its_tables_made_there(tmp_path, device):
    seen = []

    def tables(p, threads, device):
        seen.append((threads, device))
        return plain.tables(p, threads)

    plain = toy([])
    run_experiment(dataclasses.replace(plain, tables=tables, on_gpu=True), out=tmp_path / "run", threads=2, device=device)
    assert seen == [(2, device)]


def test_another_study_on_a_gpu_is_refused(tmp_path):
    with pytest.raises(InputError, match="toy is a study, whose tests run on the CPU"):
        run_experiment(toy([]), out=tmp_path / "run", device="cuda")


def test_long_studies_are_for_gpus():
    """Each steps a scene on the device it is given: one that cannot be had is refused there."""
    assert {each for each in names() if isinstance(find(each), Study) and find(each).on_gpu} == {
        "heap", "hopper-3d", "hysteresis", "ratcheting",
    }  # fmt: skip


def test_a_study_leaves_tables_a_result_and_figures(tmp_path):
    outcome = run_experiment(toy([]), out=tmp_path / "run", threads=2)
    run = open_run(tmp_path / "run")
    assert run.finished
    assert list(run.tables) == ["squares", "cubes"]
    assert list(run.tables["squares"]) == ["x", "power", "threads"]  # the order given, not the alphabet
    assert np.array_equal(run.tables["squares"]["power"], 0.5 * np.arange(5) ** 2)
    assert run.tables["cubes"]["x"].dtype == np.int64
    assert (run.tables["squares"]["threads"] == 2).all()
    with pytest.raises(KeyError, match="there are: x, power, threads"):
        run.tables["squares"]["y"]
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["wall_s"] == pytest.approx(sum(table.seconds for table in run.tables.values()))
    said = {"experiment": "toy", "paper": "none", "size": "quick", "parameters": {"seed": 1, "count": 5}, "grains": 5}
    assert said.items() <= result.items()
    assert [result[key] for key in ("steps", "cundall", "energy_error")] == [None, None, None]
    assert [quantity.measured for quantity in outcome.quantities] == [15.0]
    assert outcome.figures == [tmp_path / "run" / "toy.txt"] and outcome.figures[0].exists()
    assert "squares, 5 rows: x, power, threads" in repr(run) and "frames" not in repr(run)


def test_a_study_stopped_goes_on_with_the_table_it_was_at(tmp_path):
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_experiment(toy(made, fail="cubes"), out=tmp_path / "run", given={"count": 4})
    run = open_run(tmp_path / "run")
    assert list(run.tables) == ["squares"] and not run.finished and run.result is None
    with pytest.raises(InputError, match="started with --count 4"):
        run_experiment(toy(made), out=tmp_path / "run", resume=True, given={"count": 6})
    outcome = run_experiment(toy(made), out=tmp_path / "run", resume=True)
    assert made == ["squares", "cubes"]
    assert outcome.run.finished and outcome.run.result["parameters"]["count"] == 4
    run_experiment(toy(made), out=tmp_path / "run", resume=True)  # finished: drawn again, not made again
    assert made == ["squares", "cubes"]


def test_a_finished_study_is_judged_by_the_rules_of_today(tmp_path):
    made: list[str] = []
    run_experiment(toy(made), out=tmp_path / "run")
    stricter = dataclasses.replace(
        toy(made),
        evaluate=lambda _p, run: [Quantity("rows", run.tables["squares"].rows, note="another rule")],
        merit=lambda _p, _run: Merit(grains=5, steps=100),
    )
    outcome = run_experiment(stricter, out=tmp_path / "run", resume=True)
    assert made == ["squares", "cubes"]  # nothing was made again
    assert [(each.name, each.measured, each.note) for each in outcome.quantities] == [("rows", 5.0, "another rule")]
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert open_run(tmp_path / "run").result == result and result["steps"] == 100
    assert result["cundall"] == pytest.approx(5 * 100 / result["wall_s"])  # of all that was done
    fewer = dataclasses.replace(stricter, merit=lambda _p, _run: Merit(grains=5, steps=100, grain_steps=320))
    result = run_experiment(fewer, out=tmp_path / "run", resume=True).run.result
    assert result["cundall"] == pytest.approx(320 / result["wall_s"]), "grains that were not there all along"


def test_errors_are_kept_with_their_quantities():
    stored = Quantity("angle", 29.6, "°", 30.0, True, error=1.2, published_error=2.0).as_json()
    assert (stored["error"], stored["published_error"]) == (1.2, 2.0) and Quantity.from_json(stored).error == 1.2
    assert Quantity("angle", 29.6, error=math.nan).as_json()["error"] is None, "one sample has no error"
    older = {name: stored[name] for name in ("name", "measured", "unit", "published", "agrees", "note")}
    assert Quantity.from_json(older).error is None


def test_a_study_killed_before_its_first_table_starts_again(tmp_path):
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_experiment(toy(made, fail="squares"), out=tmp_path / "run")
    (tmp_path / "run" / "checkpoint.h5").unlink()  # as if killed right after run.h5 was written
    assert run_experiment(toy(made), out=tmp_path / "run", resume=True).run.finished
    assert made == ["squares", "cubes"]


def test_a_run_is_not_replaced_unless_asked(tmp_path):
    run_experiment(toy([]), out=tmp_path / "run")
    with pytest.raises(StoreError, match="already a run"):
        run_experiment(toy([]), out=tmp_path / "run")
    again = run_experiment(toy([]), out=tmp_path / "run", size="full", overwrite=True)
    assert again.run.tables["squares"].rows == 7
    with pytest.raises(InputError, match="contradict"):
        run_experiment(toy([]), out=tmp_path / "run", resume=True, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="is a file"):
        run_experiment(toy([]), out=tmp_path / "file")


def test_a_kill_in_the_middle_leaves_a_run_that_reads_and_resumes(tmp_path):
    """SIGKILL while the second table is put into run.h5: the first is there, the second is made again."""
    script = f"""
import os, signal
from pathlib import Path
from test_study import toy
from clast.experiments.shared.running import run_experiment
calls = []
real = Path.replace
def replace(self, target):
    if Path(target).name == "run.h5":
        calls.append(target)
        if len(calls) == 3:  # the run itself, squares, then cubes
            os.kill(os.getpid(), signal.SIGKILL)
    return real(self, target)
Path.replace = replace
run_experiment(toy([]), out=Path({str(tmp_path / "run")!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert list(open_run(tmp_path / "run").tables) == ["squares"]
    made: list[str] = []
    assert run_experiment(toy(made), out=tmp_path / "run", resume=True).run.finished
    assert made == ["cubes"]
    assert not list((tmp_path / "run").glob(".*.writing"))


def test_tables_that_cannot_be_kept_are_refused(tmp_path):
    with RunWriter.create(tmp_path / "run", provenance={}, scene={}) as writer:
        writer.put_table("good", {"x": [1.0, 2.0]}, 0.1)
        for columns, message in (
            ({"x": [1.0], "y": [1.0, 2.0]}, "one length"),
            ({"x": [[1.0]]}, "shape"),
            ({"x": [np.nan]}, "not finite"),
            ({"x": ["a"]}, "does not keep"),
            ({}, "one length"),
        ):
            with pytest.raises(StoreError, match=message):
                writer.put_table("bad", columns, 0.1)
        with pytest.raises(StoreError, match="already in the run"):
            writer.put_table("good", {"x": [3.0]}, 0.1)
        with pytest.raises(StoreError, match="text without '/'"):
            writer.put_table("a/b", {"x": [3.0]}, 0.1)
    assert {name: list(table["x"]) for name, table in open_run(tmp_path / "run").tables.items()} == {"good": [1.0, 2.0]}
    with pytest.raises(StoreError, match="closed"):
        writer.put_table("late", {"x": [1.0]}, 0.1)


def test_runs_without_tables_still_open(tmp_path):
    with RunWriter.create(tmp_path / "run", provenance={}, scene={}) as writer:
        writer.checkpoint(0, 0.0, {}, {})
        writer.finish({})
    run = open_run(tmp_path / "run")
    assert run.finished and run.tables == {}
    assert "frames" in repr(run)


def test_an_experiment_without_its_entry_or_of_another_name_is_refused(monkeypatch):
    monkeypatch.setattr("clast.experiments.cow_bounce.EXPERIMENT", dataclasses.replace(find("cow-bounce"), name="two-drops"))
    with pytest.raises(InputError, match=r"cow_bounce must define EXPERIMENT with name='cow-bounce', .*its name is 'two-drops'"):
        find("cow-bounce")
    monkeypatch.delattr("clast.experiments.cow_bounce.EXPERIMENT")
    with pytest.raises(InputError, match=r"cow_bounce must define EXPERIMENT .*there is none"):
        find("cow-bounce")
