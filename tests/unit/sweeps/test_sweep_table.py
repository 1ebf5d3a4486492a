"""A sweep for reading: columns, choices, means over seeds with their error, plots, index.csv. The runs are made up."""

import csv
import json
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import clast
from clast.cli.app import app
from clast.errors import InputError
from clast.output.store.writer import RunWriter
from clast.sweeps.display import Display
from clast.sweeps.index import SweepColumns, locked, write_index
from clast.sweeps.plan import read_plan
from clast.sweeps.sweep import Sweep, run_plan
from clast.sweeps.table import SweepTable
from clast.sweeps.task import DRAWN_FILE, keep_error

SPEEDS, SEEDS = (1.0, 2.0, 4.0), (1, 2, 3)


def finish(run: Path, result: dict) -> None:
    """A finished run with a result and nothing else."""
    with RunWriter.create(run, provenance={}, scene={}) as writer:
        writer.checkpoint(0, 0.0, {}, {})
        writer.finish(result)
    (run / DRAWN_FILE).touch()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Heat = speed² + seed; the row of speed 4 and seed 3 failed, that of speed 4 and seed 2 did not measure it."""
    folder = tmp_path_factory.mktemp("sweep") / "s"
    plan = Sweep("cow-gas", vary={"speed": SPEEDS, "seed": SEEDS}, given={"grains": 20}).plan(folder)
    for task in plan.tasks:
        speed, seed = task.parameters["speed"], task.parameters["seed"]
        if (speed, seed) == (4.0, 3):
            keep_error(folder / task.name, task, "fell, apart")
            continue
        heat = None if (speed, seed) == (4.0, 2) else speed**2 + seed
        quantities = [{"name": "heat", "unit": "J", "published": 1.0, "measured": heat, "agrees": None, "note": ""}]
        finish(folder / task.name, {"grains": 19, "steps": 100, "quantities": quantities})
    return folder


def test_a_sweep_warns_as_a_single_run_does(tmp_path, capsys):
    plan = Sweep("cow-gas", vary={"seed": [1, 2, 3, 4]}).plan(tmp_path / "s")
    for task, share in zip(plan.tasks, (0.05, 0.25, 0.41, 0.19), strict=True):
        finish(plan.folder / task.name, {"grains": 19, "steps": 100, "energy_error": 1e-6, "overlap_share": share, "wall_s": 1.0})
    run_plan(plan)
    assert capsys.readouterr().err.splitlines()[-1] == (
        "in 2 rows of 4 grains overlapped by up to 41% of their radius (row 3): that is another shape than you drew; stiffen the "
        "springs"
    )
    run_plan(plan, only=[1, 4])
    assert "overlapped" not in capsys.readouterr().err
    run_plan(plan, progress=Display(silent=True))
    assert capsys.readouterr().err == ""
    assert clast.open_sweep(plan.folder)["overlap_share"].tolist() == [0.05, 0.25, 0.41, 0.19]
    found = CliRunner().invoke(app, ["sweep", str(plan.folder), "--list"])
    lines = [line.split() for line in found.output.splitlines() if line.strip()]
    assert lines[0] == ["row", "state", "seed", "energy_error", "overlap_share", "message"]
    assert [line[-2:] for line in lines if line[0] == "3"] == [["1e-06", "0.41"]]


def test_columns_hold_parameters_and_results(folder):
    table = clast.open_sweep(folder)
    assert list(table.columns) == [
        "row", "name", "state", "message", "grains", "speed", "seed", "grains (result)", "steps", "heat",
    ]  # fmt: skip
    assert {len(values) for values in table.columns.values()} == {9}
    assert table["seed"].dtype == np.int64 and table["speed"].dtype == float
    assert table.parameters == ["grains", "speed", "seed"] and table.varied == ["speed", "seed"]
    assert table.units["heat"] == "J" and table.units["speed"] == "m/s"
    assert table["heat"][:3].tolist() == [2.0, 3.0, 4.0] and np.isnan(table["heat"][7:]).all()
    assert (table["grains"] == 20).all() and table["grains (result)"][0] == 19
    assert table["state"].tolist() == ["finished"] * 8 + ["failed"] and table["message"][8] == "fell, apart"
    assert table.rows[1]["seed"] == 2 and table.rows[1]["heat"] == 3.0
    assert table.run(1).result["steps"] == 100
    assert "9 rows (1 failed, 8 finished)" in repr(table) and "varied    speed, seed" in repr(table)
    with pytest.raises(KeyError, match="there are: row, name"):
        table["cold"]
    with pytest.raises(InputError, match="no row 10"):
        table.run(10)


def test_rows_are_chosen(folder):
    table = clast.open_sweep(folder)
    some = table.select(speed=2)
    assert some["row"].tolist() == [4, 5, 6] and some.varied == ["seed"]
    assert table.select(speed=1.0 + 1e-12, seed=[1, 3])["row"].tolist() == [1, 3]
    assert table.select(state="failed")["row"].tolist() == [9]
    assert some.select(seed=2).run(5).result["quantities"][0]["measured"] == 6.0


def test_means_over_seeds_and_their_error(folder):
    table = clast.open_sweep(folder)
    means = table.over("seed", "heat")
    assert list(means) == ["speed", "mean", "error", "count"]
    assert means["speed"].tolist() == list(SPEEDS) and means["count"].tolist() == [3, 3, 1]
    assert means["mean"].tolist() == [3.0, 6.0, 17.0]
    assert np.allclose(means["error"][:2], 1.0 / math.sqrt(3.0)) and np.isnan(means["error"][2])
    everything = table.over(["seed", "speed"], "heat")
    assert list(everything) == ["mean", "error", "count"] and everything["count"].tolist() == [7]
    with pytest.raises(InputError, match="'hue' is not a parameter"):
        table.over("hue", "heat")
    for name in ("cold", "state"):
        with pytest.raises(InputError, match=f"'{name}' is no column of numbers of this sweep; there are: row, grains"):
            table.over("seed", name)


def test_one_damaged_run_does_not_hide_the_others(tmp_path):
    plan = Sweep("cow-gas", vary={"seed": [1, 2, 3]}).plan(tmp_path)
    good = {"grains": 19, "quantities": [{"name": "heat", "unit": "J", "measured": 1.0}]}
    for name in plan.names:
        finish(tmp_path / name, good)
    (tmp_path / plan.names[0] / "result.json").write_text('{"quantities": [{"name": "heat"}]}')
    for name in ("provenance", "scene"):
        with h5py.File(tmp_path / plan.names[1] / "run.h5", "a") as file:
            del file[name]
    (tmp_path / plan.names[1] / DRAWN_FILE).unlink()
    table = clast.open_sweep(tmp_path)
    assert table["state"].tolist() == ["finished", "failed", "finished"]
    assert np.isnan(table["heat"][:2]).all() and table["heat"][2] == 1.0 and "damaged" in table["message"][1]


def test_seeds_of_any_length_keep_their_digits(tmp_path):
    seeds = [2**127 + 1, 2, 2**63]
    Sweep("cow-gas", vary={"seed": seeds}).plan(tmp_path)
    table = clast.open_sweep(tmp_path)
    assert table["seed"].tolist() == seeds and table.select(seed=2**63)["row"].tolist() == [3]
    assert f",{2**127 + 1}\n" in table.to_csv(tmp_path / "mine.csv").read_text()
    assert table.over("seed", "row")["count"].tolist() == [3]


def test_rows_that_leave_a_parameter_out_are_like_each_other(tmp_path):
    content = SweepColumns(parameters=["law.friction", "seed"], varied=["law.friction", "seed"], results=["heat"])
    content.columns = {
        "row": np.arange(1, 5), "name": np.array(list("abcd")), "state": np.array(["finished"] * 4),
        "law.friction": np.array([math.nan, 0.5, math.nan, 0.5]), "seed": np.array([1, 1, 2, 2]),
        "heat": np.array([1.0, 5.0, 3.0, 7.0]),
    }  # fmt: skip
    table = SweepTable(tmp_path, content)
    means = table.over("seed", "heat")
    assert means["count"].tolist() == [2, 2] and means["mean"].tolist() == [2.0, 6.0]
    assert np.isnan(means["law.friction"][0]) and means["law.friction"][1] == 0.5
    assert table.select(row=[1, 3]).varied == ["seed"]
    lines = table.plot("seed", "heat", by="law.friction").axes[0].containers
    assert [len(line.lines[0].get_xdata()) for line in lines] == [2, 2]


def test_a_number_of_ones_own_is_measured(folder):
    table = clast.open_sweep(folder).measure("twice", lambda run: 2 * run.result["steps"], "count")
    assert table["twice"][0] == 200 and np.isnan(table["twice"][8]) and table.units["twice"] == "count"
    assert table.results[-1] == "twice"
    with pytest.raises(InputError, match="already"):
        table.measure("heat", lambda run: 0.0)


def test_a_plot_shows_means_with_bars_and_says_over_what(folder):
    table = clast.open_sweep(folder)
    axes = table.plot("speed", "heat").axes[0]
    assert axes.get_xlabel() == "speed [m/s]" and axes.get_ylabel() == "heat [J]"
    assert axes.get_title() == "mean and standard error over seed"
    line, _, (bars,) = axes.containers[0].lines
    assert line.get_xydata().tolist() == [[1.0, 3.0], [2.0, 6.0], [4.0, 17.0]]
    spread = [float(np.ptp(segment[:, 1])) for segment in bars.get_segments() if len(segment)]
    assert np.allclose(spread, [2.0 / math.sqrt(3.0), 2.0 / math.sqrt(3.0)]), "none for a single run"
    axes = table.plot("speed", "heat", by="seed").axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["seed = 1", "seed = 2", "seed = 3"]
    assert axes.get_title() == "" and [len(each.lines[0].get_xdata()) for each in axes.containers] == [3, 2, 2]
    with pytest.raises(InputError, match="not a parameter"):
        table.plot("heat", "speed")


@pytest.mark.parametrize("locks", [True, False])
def test_the_index_is_whole_however_many_collect_it(locks, folder, tmp_path, monkeypatch):
    """Also on a disk that knows no locks."""
    plan = read_plan(folder)
    if not locks:
        monkeypatch.setattr("clast.sweeps.index.fcntl.flock", refuse)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: write_index(plan), range(16)))
    with (folder / "index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9 and rows[8]["message"] == "fell, apart" and rows[8]["heat [J]"] == ""
    assert float(rows[4]["heat [J]"]) == 6.0 and rows[4]["speed [m/s]"] == "2.0" and rows[4]["seed"] == "2"
    assert not list(folder.glob(".*.writing"))
    table = clast.open_sweep(folder)
    assert table.to_csv(tmp_path / "t.csv").read_text() == (folder / "index.csv").read_text()
    json.dumps({name: values.tolist() for name, values in table.columns.items()})  # plain data, as pandas takes it


def refuse(*_):
    """What a disk without locks says."""
    raise OSError("no locks available")


def test_who_collects_the_index_waits_for_the_others(folder):
    """Else an older look at the rows could replace a newer one."""
    index = folder / "index.csv"
    index.unlink(missing_ok=True)
    with ThreadPoolExecutor(1) as pool:
        with locked(folder / ".index.lock"):
            waiting = pool.submit(write_index, read_plan(folder))
            time.sleep(0.3)
            assert not waiting.done() and not index.exists()
        waiting.result(10.0)
    assert index.exists()


def test_a_parameter_that_a_row_leaves_out_has_the_experiments_own_value(tmp_path):
    Sweep("cow-gas", table=[{"seed": 1, "speed": 3.0}, {"seed": 2}]).plan(tmp_path / "s")
    table = clast.open_sweep(tmp_path / "s")
    assert table["speed"].tolist() == [3.0, 1.0] and table.varied == ["seed", "speed"]


def test_the_index_holds_rows_that_another_process_has_added(tmp_path):
    old = Sweep("cow-gas", vary={"seed": [1]}).plan(tmp_path / "s")
    Sweep("cow-gas", vary={"seed": [1, 2]}).plan(tmp_path / "s")
    write_index(old)
    assert len((tmp_path / "s" / "index.csv").read_text().splitlines()) == 3
