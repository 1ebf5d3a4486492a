"""Where a sweep runs: the words for it, a table as a data frame. No cluster is started."""

import signal
import sys
from types import SimpleNamespace

import pytest

import clast
from clast.cli import run_command
from clast.errors import InputError
from clast.sweeps import places
from clast.sweeps.places import check_place_word


def test_words_for_places_are_checked_before_anything_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for word, wanted in (("cloud", "is no place"), ("dask://", "is no place"), ("SLURM", "is no place")):
        for words in (["sweep", "cow-gas", "--vary", "seed=1:2", "--out", "s"], ["reproduce", "gallery", "--out", "r"]):
            assert run_command([*words, "--on", word]) == 2
            shown = capsys.readouterr().err
            assert wanted in shown and shown.count("\n") == 1
    monkeypatch.setattr(places, "find_spec", lambda _: None)
    assert run_command(["sweep", "cow-gas", "--vary", "seed=1:2", "--out", "s", "--on", "dask://127.0.0.1:1"]) == 2
    assert "pip install 'clast[dask]'" in capsys.readouterr().err
    check_place_word("local")
    for wrong in (None, 3, SimpleNamespace(submit=1)):
        with pytest.raises(InputError, match="must be a distributed"):
            check_place_word(wrong)
    with pytest.raises(InputError, match="asynchronous"):
        check_place_word(SimpleNamespace(submit=1, run=1, subscribe_topic=1, asynchronous=True))
    assert not list(tmp_path.iterdir())


def test_nobody_there_is_one_sentence(tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'clast[dask]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("clast.sweeps.dask.clusters.CONNECT_SECONDS", 1.0)
    assert run_command(["sweep", "cow-gas", "--vary", "seed=1:2", "--out", "s", "--on", "dask://127.0.0.1:1"]) == 2
    shown = capsys.readouterr().err
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in shown and shown.count("\n") == 1, shown


def test_ctrl_c_stays_ours():
    """What makes jobs of a batch system exits with 0 at Ctrl-C, from its import on."""
    pytest.importorskip("dask_jobqueue", reason="Dask is not installed: pip install 'clast[dask]'")
    from clast.sweeps.dask.clusters import cluster_class

    for name in [each for each in sys.modules if each.startswith("dask_jobqueue")]:
        del sys.modules[name]
    before = signal.getsignal(signal.SIGINT)
    assert cluster_class("slurm").__name__ == "SLURMCluster" and cluster_class("pbs").__name__ == "PBSCluster"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_table_is_a_data_frame(tmp_path, monkeypatch):
    clast.Sweep("cow-gas", vary={"seed": [3, 4]}).plan(tmp_path / "s")
    table = clast.open_sweep(tmp_path / "s")
    made = {name: SimpleNamespace(DataFrame=lambda columns, name=name: (name, columns)) for name in ("pandas", "polars")}

    def installed(*names):
        def find(name):
            if name not in names:
                raise ImportError(name)
            return made[name]

        monkeypatch.setattr("clast.sweeps.table.import_module", find)

    installed("pandas", "polars")
    name, columns = table.frame()
    assert name == "pandas" and columns["seed"] == [3, 4] and columns["state"] == ["missing"] * 2 and list(columns) == list(table)
    assert table.frame("polars")[0] == "polars"
    installed("polars")
    assert table.frame()[0] == "polars"
    with pytest.raises(InputError, match="needs pandas, which is not installed"):
        table.frame("pandas")
    installed()
    with pytest.raises(InputError, match="needs pandas or polars"):
        table.frame()
    with pytest.raises(InputError, match="no data frame"):
        table.frame("excel")


def test_home_needs_no_gpu_for_rows_that_run_elsewhere(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def check_grid():
        raise InputError("there is no GPU")

    monkeypatch.setattr("clast.dynamics.gpu.devices.check_grid", check_grid)
    words = ["sweep", "cow-gas", "--vary", "seed=1:2", "--device", "cuda", "--out", "s"]
    assert run_command(words) == 2
    assert "there is no GPU" in capsys.readouterr().err and not list(tmp_path.iterdir())
    assert run_command([*words, "--script"]) == 0
    assert "--device cuda" in (tmp_path / "s" / "slurm.sh").read_text()
    assert run_command([*words, "--device", "gpu", "--plan"]) == 2
