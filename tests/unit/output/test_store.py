"""The run store: what goes in comes out bit for bit, and what must not go in is refused by name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import h5py
import numpy as np
import pytest

from clast.errors import StoreError
from clast.output.store import atomic
from clast.output.store import pack as pack_module
from clast.output.store import writer as store
from clast.output.store.files import FORMAT_VERSION, part_path
from clast.output.store.pack import pack
from clast.output.store.reader import Run, open_run
from clast.output.store.writer import RunWriter

SCENE = {
    "vertices": np.array([[0.0, -0.0], [0.1, 1e-310], [np.inf, 3.0]]),
    "offsets": np.array([0, 3], dtype=np.int32),
    "big": np.array([True, False]),
    "empty": np.empty((0, 2)),
    "gravity": -9.81,
    "grains": 7,
    "family": "spheropolygon",
    "tags": ["top", "bottom"],
}
GRAINS = 5


def start(folder: Path, **options: bool) -> RunWriter:
    return RunWriter.create(folder, provenance={"seed": 3, "versions": {"clast": "0"}}, scene=SCENE, **options)


def frame(step: int) -> dict[str, np.ndarray]:
    x = np.random.default_rng(step).normal(size=(GRAINS, 2))
    x[0, 0] = -0.0
    return {"positions": x, "angles": x[:, 1].copy(), "alive": x[:, 0] > 0, "cell": np.arange(GRAINS, dtype=np.int32)}


def contacts(step: int) -> dict[str, np.ndarray]:
    m = (step * 7) % 4  # also none at all
    rng = np.random.default_rng(100 + step)
    return {"pair": rng.integers(0, GRAINS, (m, 2)), "force": rng.normal(size=(m, 2)), "depth": rng.random(m)}


def state(step: int) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    return {"x": frame(step)["positions"], "none": np.empty((0, 3))}, {
        "alpha": 0.1,
        "rng": 2**127 + step,
        "law": "linear",
    }


def record(writer: RunWriter, begin: int, end: int, every: int = 3) -> None:
    """Steps begin < s <= end with a sample each, a frame every second, contacts every third, a checkpoint `every`."""
    for step in range(begin + 1, end + 1):
        writer.add_sample(step, step * 0.1, {"kinetic": 1.0 / step, "potential": -0.0})
        if step % 2 == 0:
            writer.add_frame(step, step * 0.1, frame(step))
        if step % 3 == 0:
            writer.add_contacts(step, step * 0.1, contacts(step))
        if step % every == 0 or step == end:
            writer.checkpoint(step, step * 0.1, *state(step))


def content(run: Run) -> dict[str, object]:
    """Everything a run gives back, as comparable bytes."""

    def bits(array: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
        return array.dtype.str, array.shape, array.tobytes()

    tables = {
        kind: [(f.step, f.time, {n: bits(f[n]) for n in f.names}) for f in frames]
        for kind, frames in (("frames", run.frames), ("contacts", run.contacts))
    }
    scene = {name: bits(v) if isinstance(v, np.ndarray) else v for name, v in run.scene.items()}
    series = {name: bits(run.series[name]) for name in run.series}
    return {**tables, "scene": scene, "series": series, "result": run.result, "provenance": run.provenance}


def test_arrays_come_back_bit_for_bit(tmp_path: Path) -> None:
    with start(tmp_path / "a") as writer:
        record(writer, 0, 10)
        writer.finish({"experiment": "fake", "steps": np.int64(10), "quantities": [{"measured": np.float64(0.1)}]})
    run = open_run(tmp_path / "a")
    assert run.finished
    assert run.result == {"experiment": "fake", "steps": 10, "quantities": [{"measured": 0.1}]}
    assert json.loads((tmp_path / "a" / "result.json").read_text()) == run.result
    assert run.provenance["seed"] == 3
    for name, value in SCENE.items():
        if isinstance(value, np.ndarray):
            assert run.scene[name].dtype == value.dtype
            assert run.scene[name].tobytes() == value.tobytes()
        else:
            assert run.scene[name] == value
    assert [f.step for f in run.frames] == [2, 4, 6, 8, 10]
    for stored in run.frames:
        for name, value in frame(stored.step).items():
            assert stored[name].dtype == value.dtype
            assert stored[name].tobytes() == value.tobytes()
    assert np.signbit(run.frames[0].positions[0, 0])
    assert [t.step for t in run.contacts] == [3, 6, 9]
    for table in run.contacts:
        for name, value in contacts(table.step).items():
            assert table[name].shape == value.shape
            assert table[name].tobytes() == value.tobytes()
    for steps, times in (
        (run.series["step"], run.series["time"]),
        (run.frames.steps, run.frames.times),
        (run.contacts.steps, run.contacts.times),
    ):
        assert [float(each) for each in times] == [int(step) * 0.1 for step in steps]
    assert run.series.names == ("kinetic", "potential")
    np.testing.assert_array_equal(run.series["step"], np.arange(1, 11))
    np.testing.assert_array_equal(run.series["kinetic"], 1.0 / np.arange(1, 11))
    assert np.signbit(run.series["potential"]).all()
    saved = run.checkpoint
    assert saved is not None
    assert (saved.step, saved.time, saved.scalars) == (10, 1.0, state(10)[1])
    assert saved.arrays["x"].tobytes() == state(10)[0]["x"].tobytes()
    assert saved.arrays["none"].shape == (0, 3)


def test_frames_read_like_a_sequence(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 30, every=2)  # more parts than stay open
    run = open_run(tmp_path)
    assert len(run.frames) == 15
    assert run.frames[-1].step == 30
    assert run.frames[-1].time == pytest.approx(3.0)
    assert [f.step for f in run.frames[::5]] == [2, 12, 22]
    assert "positions" in dir(run.frames[0])
    with pytest.raises(AttributeError, match=r"no array 'velocities'.*positions"):
        _ = run.frames[0].velocities
    with pytest.raises(IndexError, match="the run has 15"):
        _ = run.frames[15]
    with pytest.raises(KeyError, match=r"no series 'heat'.*kinetic"):
        _ = run.series["heat"]
    text = repr(run)
    for word in ("not finished", "step 30", "15, t = 0.2 to 3", "kinetic, potential", "clast 0"):
        assert word in text


def test_where_checkpoints_fall_changes_nothing(tmp_path: Path) -> None:
    for name, every in (("often", 1), ("seldom", 100)):
        with start(tmp_path / name) as writer:
            record(writer, 0, 20, every=every)
    assert content(open_run(tmp_path / "often")) == content(open_run(tmp_path / "seldom"))


def test_the_writer_copies_what_it_is_given(tmp_path: Path) -> None:
    x = np.zeros((3, 2))
    with start(tmp_path) as writer:
        writer.add_frame(0, 0.0, {"positions": x})
        assert writer.pending_bytes >= x.nbytes
        x += 1.0
        writer.add_frame(1, 0.1, {"positions": x})
        writer.checkpoint(1, 0.1, {}, {})
        assert writer.pending_bytes == 0
    run = open_run(tmp_path)
    assert run.frames[0].positions.max() == 0.0
    assert run.frames[1].positions.min() == 1.0


def test_an_existing_run_is_refused_and_overwritten_on_request(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 10)
        writer.finish({"old": True})
    (tmp_path / "figure.png").write_bytes(b"mine")
    before = content(open_run(tmp_path))
    with pytest.raises(StoreError, match=r"already a run in .*--resume.*--overwrite"):
        start(tmp_path)
    assert content(open_run(tmp_path)) == before
    with start(tmp_path, overwrite=True) as writer:
        run = open_run(tmp_path)
        assert (len(run.frames), run.finished, run.checkpoint) == (0, False, None)
        assert "nothing saved yet" in repr(run)
        record(writer, 0, 4)
    assert not (tmp_path / "result.json").exists()
    assert len(open_run(tmp_path).frames) == 2
    assert (tmp_path / "figure.png").read_bytes() == b"mine"


def test_resume_drops_what_is_later_than_the_checkpoint(tmp_path: Path) -> None:
    with start(tmp_path / "whole") as writer:
        record(writer, 0, 12)
    broken = tmp_path / "broken"
    with start(broken) as writer:
        record(writer, 0, 6)
        old = (broken / "checkpoint.h5").read_bytes()
        record(writer, 6, 9)
        writer.add_sample(10, 1.0, {"kinetic": 9.0, "potential": 9.0})  # never saved
    (broken / "checkpoint.h5").write_bytes(old)  # as if killed between the part and the checkpoint that names it
    (broken / "parts" / ".0003.h5.writing").write_bytes(b"half")
    (broken / ".checkpoint.h5.writing").write_bytes(b"half")
    assert open_run(broken).series["step"][-1] == 6
    writer, saved = RunWriter.resume(broken)
    with writer:
        assert saved.step == 6
        assert saved.parts == 2
        assert [p.name for p in sorted((broken / "parts").iterdir())] == ["0000.h5", "0001.h5"]
        assert not list(broken.glob(".*.writing"))
        assert [writer.last_step(table) for table in ("series", "frames", "contacts")] == [6, 6, 6]
        with pytest.raises(StoreError, match="steps must increase"):
            writer.add_sample(6, 0.6, {"kinetic": 1.0, "potential": 1.0})
        with pytest.raises(StoreError, match=r"'positions' changed from float64 \(5, 2\) to float64 \(1, 2\)"):
            writer.add_frame(7, 0.7, {**frame(7), "positions": np.zeros((1, 2))})
        record(writer, 6, 12)
    assert content(open_run(broken)) == content(open_run(tmp_path / "whole"))


def test_resume_says_why_it_cannot(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no run to continue in .*without --resume"):
        RunWriter.resume(tmp_path / "nowhere")
    start(tmp_path / "a").close()
    with pytest.raises(StoreError, match=r"nothing was saved yet.*--overwrite"):
        RunWriter.resume(tmp_path / "a")
    for name in ("b", "c"):
        with start(tmp_path / name) as writer:
            record(writer, 0, 6)
    part_path(tmp_path / "b", 0).unlink()
    with pytest.raises(StoreError, match=r"0000.h5 is missing"):
        RunWriter.resume(tmp_path / "b")
    with pytest.raises(StoreError, match=r"0000.h5 is missing"):
        open_run(tmp_path / "b")
    (tmp_path / "c" / "checkpoint.h5").write_bytes((tmp_path / "b" / "checkpoint.h5").read_bytes())
    with pytest.raises(StoreError, match="belongs to another run"):
        RunWriter.resume(tmp_path / "c")


def test_arrays_of_a_checkpoint_keep_the_names_that_files_have_had(tmp_path: Path) -> None:
    """Older versions of clast go on from it, and it goes on from theirs."""
    before = np.arange(6.0).reshape(2, 3)
    with start(tmp_path) as writer:
        writer.checkpoint(1, 0.1, {"mid_step": before, "body": before}, {})
    with h5py.File(tmp_path / "checkpoint.h5") as file:
        assert set(file["arrays"]) == {"late", "body"}
    saved = open_run(tmp_path).checkpoint
    assert saved is not None and set(saved.arrays) == {"mid_step", "body"}
    assert np.array_equal(saved.arrays["mid_step"], before)


def test_a_damaged_checkpoint_is_noticed_and_the_frames_still_read(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 6)
    with h5py.File(tmp_path / "checkpoint.h5", "r+") as file:
        file["arrays/x"][0, 0] = 0.5
    with pytest.raises(StoreError, match="damaged"):
        RunWriter.resume(tmp_path)
    run = open_run(tmp_path)
    assert len(run.frames) == 3
    with pytest.raises(StoreError, match="damaged"):
        _ = run.checkpoint


def test_two_writers_are_refused(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 3)
        for attempt in (RunWriter.resume, pack, lambda f: start(f, overwrite=True)):
            with pytest.raises(StoreError, match=f"being written by process {os.getpid()}"):
                attempt(tmp_path)
    RunWriter.resume(tmp_path)[0].close()


@pytest.mark.parametrize("name", ["run.h5", "checkpoint.h5", "parts/0000.h5"])
def test_newer_files_are_refused_and_foreign_ones_too(tmp_path: Path, name: str) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 3)
    with h5py.File(tmp_path / name, "r+") as file:
        file.attrs["format_version"] = FORMAT_VERSION + 1
    for attempt in (open_run, RunWriter.resume):
        with pytest.raises(
            StoreError,
            match=rf"newer clast \(format version {FORMAT_VERSION + 1}, this one reads up to {FORMAT_VERSION}\): update",
        ):
            attempt(tmp_path)
    with h5py.File(tmp_path / name, "r+") as file:
        del file.attrs["format"]
    with pytest.raises(StoreError, match="not a clast run file"):
        open_run(tmp_path)
    (tmp_path / name).write_bytes(b"no HDF5 at all")
    with pytest.raises(StoreError, match="cannot be read as HDF5"):
        open_run(tmp_path)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_by_name(tmp_path: Path, bad: float) -> None:
    spoiled = frame(1)
    spoiled["angles"][2] = bad
    with start(tmp_path) as writer:
        with pytest.raises(StoreError, match=r"frames at step 1: 'angles' is not finite \(1 of 5.*index \(2,\)"):
            writer.add_frame(1, 0.1, spoiled)
        with pytest.raises(StoreError, match="series at step 1: 'potential' is not finite"):
            writer.add_sample(1, 0.1, {"kinetic": 1.0, "potential": bad})
        with pytest.raises(StoreError, match="'force' is not finite"):
            writer.add_contacts(1, 0.1, {"force": np.array([[bad, 0.0]])})
        with pytest.raises(StoreError, match="'time' is not finite"):
            writer.add_sample(1, bad, {"kinetic": 1.0})
        with pytest.raises(StoreError, match="checkpoint at step 1: 'x' is not finite"):
            writer.checkpoint(1, 0.1, {"x": np.array([bad])}, {})
        with pytest.raises(StoreError, match="alpha is not finite"):
            writer.checkpoint(1, 0.1, {}, {"alpha": bad})
        record(writer, 0, 3)  # nothing of the refused stayed behind
        with pytest.raises(StoreError, match=r"result.quantities\[0\].measured is not finite"):
            writer.finish({"quantities": [{"measured": bad}]})
    assert len(open_run(tmp_path).series["step"]) == 3
    with pytest.raises(StoreError, match="'vertices' is not finite"):
        RunWriter.create(tmp_path / "b", provenance={}, scene={"vertices": np.array([np.nan])})
    assert not (tmp_path / "b").exists()


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    writer = start(tmp_path)
    with pytest.raises(StoreError, match="needs a checkpoint"):
        writer.finish({})
    record(writer, 0, 3)
    with pytest.raises(StoreError, match=r"names changed, from \['kinetic', 'potential'\] to \['kinetic'\]"):
        writer.add_sample(4, 0.4, {"kinetic": 1.0})
    with pytest.raises(StoreError, match="no number"):
        writer.add_sample(4, 0.4, {"kinetic": 1.0, "potential": "high"})
    for name in ("time", "a/b", "_x", "two words"):
        with pytest.raises(StoreError, match=name):
            RunWriter.create(tmp_path / "n", provenance={}, scene={}, overwrite=True).add_frame(0, 0.0, {name: np.ones(2)})
    with pytest.raises(StoreError, match="one length"):
        writer.add_contacts(4, 0.4, {**contacts(4), "depth": np.ones(9)})
    with pytest.raises(StoreError, match="type object"):
        writer.checkpoint(4, 0.4, {"x": np.array([None])}, {})
    writer.add_sample(5, 0.5, {"kinetic": 1.0, "potential": 1.0})
    with pytest.raises(StoreError, match="checkpoint at step 4: step 5 is already stored"):
        writer.checkpoint(4, 0.4, {}, {})
    with pytest.raises(StoreError, match="needs a checkpoint"):
        writer.finish({})
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.add_sample(6, 0.6, {})
    with pytest.raises(StoreError, match="no run in"):
        open_run(tmp_path / "nothing")


def test_packing_changes_nothing_but_the_files(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 12)
        writer.finish({"done": 1})
    loose = content(open_run(tmp_path))
    pack(tmp_path)
    assert not (tmp_path / "parts").exists()
    assert content(open_run(tmp_path)) == loose
    pack(tmp_path)
    assert content(open_run(tmp_path)) == loose
    # One file: run.h5 alone is enough to read.
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (tmp_path / "run.h5").rename(moved / "run.h5")
    run = open_run(moved / "run.h5")
    assert run.finished
    assert content(run) == loose


def test_a_packed_run_goes_on_and_packs_again(tmp_path: Path) -> None:
    with start(tmp_path / "whole") as writer:
        record(writer, 0, 20)
        writer.finish({"steps": 20})
    run = tmp_path / "packed"
    with start(run) as writer:
        record(writer, 0, 7)
        writer.finish({"steps": 7})
    pack(run)
    for end in (13, 20):
        writer, saved = RunWriter.resume(run)
        with writer:
            assert open_run(run).finished == (saved.step == 7)
            record(writer, saved.step, end)
            assert not open_run(run).finished
            assert not (run / "result.json").exists()
        if end == 13:
            pack(run)
        else:
            with RunWriter.resume(run)[0] as writer:
                writer.finish({"steps": 20})
            assert content(open_run(run)) == content(open_run(tmp_path / "whole"))
            pack(run)
    assert content(open_run(run)) == content(open_run(tmp_path / "whole"))


def test_a_run_without_grains_or_contacts_packs(tmp_path: Path) -> None:
    with start(tmp_path) as writer:
        for step in range(4):
            writer.add_frame(step, 0.0, {"positions": np.empty((0, 2))})
            writer.add_contacts(step, 0.0, {"pair": np.empty((0, 2), dtype=np.int64)})
            writer.checkpoint(step, 0.0, {}, {})
    loose = content(open_run(tmp_path))
    pack(tmp_path)
    assert content(open_run(tmp_path)) == loose
    assert open_run(tmp_path).frames[-1].positions.shape == (0, 2)


def test_run_file_links_the_parts_for_other_tools(tmp_path: Path) -> None:
    with start(tmp_path / "a") as writer:
        record(writer, 0, 6)
        writer.finish({})
    (tmp_path / "a").rename(tmp_path / "b")
    with h5py.File(tmp_path / "b" / "run.h5") as file:
        assert sorted(file["parts"]) == ["0000", "0001"]
        assert file["parts/0001/frames/positions"].shape == (2, GRAINS, 2)


def test_a_part_is_durable_before_the_checkpoint_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    sync, replace = atomic._sync, Path.replace
    monkeypatch.setattr(atomic, "_sync", lambda path: (calls.append(f"sync {path.name}"), sync(path))[1])
    monkeypatch.setattr(Path, "replace", lambda path, to: (calls.append(f"rename to {to.name}"), replace(path, to))[1])
    with start(tmp_path / "a") as writer:
        calls.clear()
        record(writer, 0, 2)
    assert calls == [
        *("sync .0000.h5.writing", "rename to 0000.h5", "sync parts"),
        *("sync .checkpoint.h5.writing", "rename to checkpoint.h5", "sync a"),
    ]


def test_a_full_disk_leaves_the_run_whole_and_the_rows_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start(tmp_path / "a") as writer:
        record(writer, 0, 9)
    with start(tmp_path / "b") as writer:
        record(writer, 0, 3)
        sync = atomic._sync
        for victim in ("0001.h5", "checkpoint.h5"):

            def full(path: Path, victim: str = victim) -> None:
                if victim in path.name:
                    raise OSError(28, "No space left on device")
                sync(path)

            monkeypatch.setattr(atomic, "_sync", full)
            with pytest.raises(StoreError, match=rf"{victim} cannot be written .*No space left.*--resume"):
                record(writer, writer.last_step("series") or 0, (writer.last_step("series") or 0) + 1, every=1)
            monkeypatch.setattr(atomic, "_sync", sync)
            assert open_run(tmp_path / "b").series["step"][-1] == 3
            assert not list((tmp_path / "b").rglob("*.writing"))
        record(writer, 5, 9)
    assert content(open_run(tmp_path / "a")) == content(open_run(tmp_path / "b"))


def test_an_interrupt_after_the_commit_does_not_store_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start(tmp_path) as writer:
        sync = atomic.sync_folder

        def interrupted(folder: Path) -> None:
            sync(folder)
            if folder == tmp_path:
                raise KeyboardInterrupt

        monkeypatch.setattr(atomic, "sync_folder", interrupted)
        with pytest.raises(KeyboardInterrupt):
            record(writer, 0, 3)
        monkeypatch.setattr(atomic, "sync_folder", sync)
        assert writer.pending_bytes == 0
        record(writer, 3, 6)
    np.testing.assert_array_equal(open_run(tmp_path).series["step"], np.arange(1, 7))


def test_a_stop_inside_finish_leaves_an_unfinished_run_without_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with start(tmp_path) as writer:
        record(writer, 0, 3)
        monkeypatch.setattr(store, "rewrite_run_file", stopped)
        with pytest.raises(KeyboardInterrupt):
            writer.finish({"steps": 3})
    monkeypatch.undo()
    assert (tmp_path / "result.json").exists()
    assert not open_run(tmp_path).finished
    with RunWriter.resume(tmp_path)[0] as writer:
        assert not (tmp_path / "result.json").exists()  # a machine must not take the run for finished
        writer.finish({"steps": 3})
    assert open_run(tmp_path).result == {"steps": 3}


def test_packing_that_fails_half_way_leaves_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start(tmp_path) as writer:
        record(writer, 0, 9)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    append = pack_module.append_part

    def failing(part: h5py.File, into: h5py.Group) -> None:
        append(part, into)
        if part.filename.endswith("0001.h5"):
            raise OSError("disk trouble")

    monkeypatch.setattr(pack_module, "append_part", failing)
    with pytest.raises(StoreError, match=r"run.h5 cannot be written \(disk trouble\)"):
        pack(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
