"""Rows on a Dask worker, without Dask's processes: files that travel arrive whole or not at all, one compiles first."""

import asyncio
import inspect
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from clast.errors import StoreError
from clast.output.store.checkpoint import read_mark
from clast.output.store.lock import is_written
from clast.output.store.reader import open_run
from clast.output.store.writer import RunWriter
from clast.sweeps.task import DRAWN_FILE, ERROR_FILE, is_complete, state_of

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'clast[dask]'")
from clast.sweeps.dask import files, row
from clast.sweeps.dask.files import Travel, inside
from clast.sweeps.dask.home import DaskRows, Sharing, needs_gpu
from clast.sweeps.dask.row import Ahead, Row

SWEEP, NAME, WORKER = "1f", "0001_seed=1", "tcp://there"


class Client:
    """Calls functions of a worker as a client does; `spoil` changes what `read` returns."""

    def __init__(self):
        self.spoil = lambda data: data

    def run(self, function, *more, workers):
        found = function(*more)
        found = asyncio.run(found) if inspect.iscoroutine(found) else found
        return {workers[0]: self.spoil(found) if function is files.read else found}


def save(folder, step, overwrite=False):
    """A run that is saved at a step, with a sample that says so."""
    if (folder / "run.h5").exists() and not overwrite:
        writer, _ = RunWriter.resume(folder)
    else:
        writer = RunWriter.create(folder, provenance={}, scene={}, overwrite=overwrite)
    with writer:
        writer.add_sample(step, float(step), {"x": float(step)})
        writer.checkpoint(step, float(step), {}, {})
        return writer, open_run(folder).run_id


@pytest.fixture
def there(tmp_path):
    """A row on a worker that does not see home, waiting for its files."""
    piece = {
        "sweep": SWEEP,
        "number": 0,
        "task": {"name": NAME, "what": "gas.toml"},
        "scene": True,
        "folder": str(tmp_path / "home"),
    }
    found = Row(piece, SimpleNamespace(address=WORKER))
    found.scratch = tmp_path / "worker"
    found.scratch.mkdir()
    row._rows[SWEEP, 0] = found
    yield found
    row.forget(SWEEP, 0)
    assert not found.scratch.exists()


def test_files_that_nobody_fetches_are_removed_in_the_end(there, monkeypatch):
    row.forget_left()
    assert there.scratch.exists(), "it is under way"
    there.ended = time.monotonic()
    row.forget_left()
    assert there.scratch.exists(), "home may come"
    monkeypatch.setattr(row, "LEFT_SECONDS", -1.0)
    row.forget_left()
    assert not there.scratch.exists() and not row._rows


def step_of(run):
    return read_mark(run, open_run(run).run_id).step


def test_a_row_goes_there_and_comes_home(tmp_path, there):
    home, away, travel = tmp_path / "home" / NAME, there.scratch / NAME, Travel(Client(), SWEEP)
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "gas.toml").write_text("a scene")
    (tmp_path / "scene" / "empty.csv").touch()
    save(home, 1)
    (home / ERROR_FILE).write_text("{}")
    travel.send(0, WORKER, home, tmp_path / "scene")
    assert there.arrived.is_set() and is_written(home), "nobody else begins what is away"
    assert there.here()["task"]["what"] == str(there.scratch / "scene" / "gas.toml")
    assert (there.scratch / "scene" / "gas.toml").read_text() == "a scene" and (there.scratch / "scene" / "empty.csv").exists()
    assert step_of(away) == 1 and open_run(away).run_id == open_run(home).run_id
    (away / ERROR_FILE).unlink()
    save(away, 2)
    travel.bring(0, WORKER, home)
    assert step_of(home) == 2 and open_run(home).series["x"].tolist() == [1.0, 2.0] and not (home / ERROR_FILE).exists()
    for name in ("result.json", DRAWN_FILE, "energy.png"):
        (away / name).write_text("{}")
    (home / "mine.txt").write_text("a file of the user")
    travel.bring(0, WORKER, home)
    assert is_complete(home) and (home / "mine.txt").exists() and (home / "energy.png").exists()
    assert [path.name for path in home.parent.iterdir()] == [NAME], "nothing is left of the journey"
    travel.release(0)
    assert not is_written(home)


def test_what_does_not_arrive_whole_changes_nothing(tmp_path, there):
    home, away, client = tmp_path / "home" / NAME, there.scratch / NAME, Client()
    travel = Travel(client, SWEEP)
    save(home, 1)
    travel.send(0, WORKER, home, None)
    before = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    save(away, 2)
    for spoil in (lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: b""):
        client.spoil = spoil
        with pytest.raises(StoreError, match="did not arrive whole"):
            travel.bring(0, WORKER, home)
        assert {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    travel.close()
    for name in ("../other/run.h5", "/etc/passwd", "a/../../b", "", ".."):
        with pytest.raises(StoreError, match="does not belong to a run"):
            inside(home, name)


def test_a_run_begun_anew_replaces_the_one_at_home(tmp_path, there):
    home, away, travel = tmp_path / "home" / NAME, there.scratch / NAME, Travel(Client(), SWEEP)
    for step in (5, 6, 7):
        save(home, step)
    travel.send(0, WORKER, home, None)
    _, name = save(away, 1, overwrite=True)
    replace = Path.replace

    def killed(path, target):
        if path.name == "checkpoint.h5" and target.parent == home:
            raise OSError("killed here")
        return replace(path, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(OSError, match="killed here"):
            travel.bring(0, WORKER, home)
    assert state_of(home) == "begun", "a checkpoint of the run before lies beside the new one"
    travel.bring(0, WORKER, home)
    assert open_run(home).run_id == name and step_of(home) == 1 and len(list((home / "parts").iterdir())) == 1
    travel.close()


def test_a_row_that_somebody_else_writes_is_left_to_them(tmp_path, there):
    home, client = tmp_path / "home" / NAME, Client()
    writer = RunWriter.create(home, provenance={}, scene={})
    piece = {**there.piece, "device": None, "threads": 1, "checkpoint_seconds": 1.0}
    sharing = Sharing(DaskRows(client, lambda old: old), [piece], lambda *_: None, lambda _: None)
    sharing.travel._sweep = SWEEP
    sharing.send(0, WORKER)
    assert there.arrived.is_set() and there.refused["state"] == "elsewhere"
    writer.close()


def test_a_run_that_its_killed_worker_still_saves_is_waited_for(there, monkeypatch):
    """Unless somebody had it before the sweep began."""
    there_was, there.scratch = there.scratch, None
    there.piece |= {"threads": 1, "held": False}
    there.worker.status = SimpleNamespace(name="running")
    answers = []
    monkeypatch.setattr(row, "HELD_WAIT", 0.0)
    monkeypatch.setattr(row, "take_process", lambda threads: None)
    monkeypatch.setattr(row, "keep_process", lambda threads, process, ended: None)
    monkeypatch.setattr(row, "converse", lambda *_, **__: {"state": answers.pop(0)})
    for held, wanted in ((False, "finished"), (True, "elsewhere")):
        there.piece["held"], answers[:] = held, ["elsewhere", "elsewhere", "finished"]
        assert there.conversation(None)["state"] == wanted
    there.stop.set()
    assert there.conversation(None)["state"] == "stopped"
    there.scratch = there_was


def test_one_compiles_and_the_others_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(row, "cache_folder", lambda: tmp_path)
    first, order = Ahead("a", lambda: False), []

    def follow(number):
        ahead = Ahead("a", lambda: False)
        order.append(number)
        ahead.release()

    others = [threading.Thread(target=follow, args=(number,)) for number in range(2)]
    for each in others:
        each.start()
    time.sleep(3 * row.LOOK_SECONDS)
    assert order == [], "they wait for kernels"
    first.passed()
    for each in others:
        each.join(20.0)
    assert sorted(order) == [0, 1]
    began = time.monotonic()
    Ahead("a", lambda: False).passed()
    assert time.monotonic() - began < row.LOOK_SECONDS, "its kernels are there"
    held = Ahead("b", lambda: False)
    assert Ahead("b", lambda: True)._descriptor is None, "who is stopped does not wait"
    held.release()
    Ahead("b", lambda: False).release()  # the first one failed before it compiled: the next may go ahead


def test_rows_for_a_gpu(tmp_path):
    scene = tmp_path / "gas.toml"
    scene.write_text("[run]\ndevice = 'cuda'\n")
    for device, what, is_scene, wanted in (
        ("cuda", "cow-gas", False, True), ("cpu", str(scene), True, False), (None, str(scene), True, True),
        (None, "cow-gas", False, False), ("auto", str(scene), True, False),
    ):  # fmt: skip
        assert needs_gpu({"device": device, "task": {"what": what}, "scene": is_scene}) is wanted
