"""A run killed at any moment reads, resumes, and ends as if nothing had happened.

The work is done by forked children of one helper process (this file as a script): a fork costs milliseconds, a fresh
interpreter with numpy and h5py half a second.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from clast.errors import StoreError
from clast.output.store.pack import pack
from clast.output.store.reader import Run, open_run
from clast.output.store.writer import RunWriter

GRAINS = 50


def advance(x: np.ndarray) -> np.ndarray:
    """Chaos, so that a state resumed with one wrong bit ends elsewhere."""
    return 3.9 * x * (1.0 - x)


def work(folder: Path, steps: int, every: int, anew: bool = False) -> None:
    """Start or continue a fake run and bring it to its end, the way the engine does."""
    try:
        if anew:
            raise StoreError("as --overwrite")
        writer, saved = RunWriter.resume(folder)
        x, step = saved.arrays["x"], saved.step
    except StoreError:
        writer = RunWriter.create(folder, provenance={}, scene={"n": np.arange(GRAINS)}, overwrite=True)
        x, step = np.linspace(0.1, 0.8, GRAINS), 0
        writer.checkpoint(0, 0.0, {"x": x}, {})
    while step < steps:
        x, step = advance(x), step + 1
        writer.add_sample(step, step * 0.1, {"mean": float(x.mean()), "first": float(x[0])})
        if step % 3 == 0:
            writer.add_frame(step, step * 0.1, {"positions": np.stack([x, x * x], axis=1)})
        if step % 4 == 0:
            writer.add_contacts(step, step * 0.1, {"force": x[x > 0.5]})
        if step % every == 0 or step == steps:
            writer.checkpoint(step, step * 0.1, {"x": x}, {"step": step})
    writer.finish({"mean": float(x.mean())})


def rows(run: Run) -> dict[str, list[Any]]:
    """All rows of a run, in order, as bytes."""
    series = np.stack([run.series[name] for name in run.series], axis=1) if len(run.series["step"]) else []
    return {
        "series": [row.tobytes() for row in series],
        "frames": [(f.step, f.positions.tobytes()) for f in run.frames],
        "contacts": [(c.step, c.force.tobytes()) for c in run.contacts],
    }


def require_beginning(run: Run, whole: dict[str, list[Any]]) -> None:
    """`run` must hold exactly what the unbroken run had recorded by the step of its checkpoint."""
    saved = run.checkpoint
    step = saved.step if saved else 0
    for table, part in rows(run).items():
        assert part == whole[table][: len(part)], table
    lengths = [len(run.series["step"]), len(run.frames), len(run.contacts)]
    assert lengths == [step, step // 3, step // 4], (step, lengths)


def in_child(action: Callable[[], None]) -> int:
    """Fork, do `action` there and exit with 0, or with 1 and a traceback."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            if code:
                sys.excepthook(*sys.exc_info())
            os._exit(code)
    return pid


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill_at_random(base: Path, kills: int) -> dict[str, int]:
    """Kill a run `kills` times at random moments, each time reading what is left and going on from it."""
    steps = 24
    began = time.perf_counter()
    work(base / "whole", steps, every=2)
    duration = time.perf_counter() - began
    whole = open_run(base / "whole")
    expected = rows(whole)
    chance = random.Random(1)
    seen = {"killed": 0, "finished": 0, "half_written": 0, "uncounted_part": 0}
    number = 0
    while seen["killed"] < kills or seen["finished"] == 0:
        folder = base / f"run{number}"
        every = chance.choice([1, 2, 3])
        pid = in_child(lambda folder=folder, every=every: work(folder, steps, every))
        if seen["killed"] < kills:
            time.sleep(chance.uniform(0.0, 0.6 * duration))
            os.kill(pid, signal.SIGKILL)
        code = exit_code(pid)
        assert code in (0, -signal.SIGKILL), code
        if (folder / "run.h5").exists():
            run = open_run(folder)
            require_beginning(run, expected)
            saved = run.checkpoint
            count = saved.parts if saved else 0
            seen["half_written"] += bool(list(folder.rglob("*.writing")))
            seen["uncounted_part"] += len(list(folder.glob("parts/*.h5"))) > count
        if code == 0:
            run = open_run(folder)
            assert rows(run) == expected
            assert run.finished
            assert run.result == whole.result
            assert run.checkpoint.arrays["x"].tobytes() == whole.checkpoint.arrays["x"].tobytes()
            seen["finished"] += 1
            number += 1
        else:
            seen["killed"] += 1
    return seen


def burn_at(k: int) -> None:
    """Make this process end, without any cleaning up, instead of the k-th call that matters to the disk from now on."""
    left = k

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        def burning(*given: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)
            return call(*given, **options)

        return burning

    # Before `close` an HDF5 file is half on the disk at most.
    for owner, name in (
        *((os, "fsync"), (h5py.File, "close")),
        *((Path, name) for name in ("replace", "unlink", "mkdir", "rmdir", "write_text")),
    ):
        setattr(owner, name, guarded(getattr(owner, name)))


def stop_everywhere(base: Path) -> dict[str, int]:
    """A process that replaces an old run, runs, finishes and packs, stopped at each of its disk calls in turn."""
    steps, every = 6, 3
    work(base / "whole", steps, every)
    expected = rows(open_run(base / "whole"))
    work(base / "old", 2 * steps, every)  # longer: its rows must not show up in the new run
    old = open_run(base / "old")
    old_rows = rows(old)

    def whole_life(folder: Path, k: int) -> None:
        burn_at(k)
        work(folder, steps, every, anew=True)
        pack(folder)

    seen = {"stopped": 0, "old_run": 0, "no_run": 0, "unfinished": 0, "finished": 0}
    k, code = 0, 9
    while code == 9:
        k += 1
        folder = base / f"stop{k}"
        shutil.copytree(base / "old", folder)
        code = exit_code(in_child(lambda k=k, folder=folder: whole_life(folder, k)))
        assert code in (0, 9), code
        seen["stopped"] += code == 9
        intact = False
        if not (folder / "run.h5").exists():
            seen["no_run"] += 1
        else:
            run = open_run(folder)
            intact = run.run_id == old.run_id
            if intact:
                assert rows(run) == old_rows
            else:
                require_beginning(run, expected)
            seen["old_run" if intact else "finished" if run.finished else "unfinished"] += 1
        work(folder, steps, every, anew=intact)
        run = open_run(folder)
        assert run.finished
        assert rows(run) == expected
        pack(folder)
        assert rows(open_run(folder)) == expected
        assert not list(folder.rglob("*.writing"))
        assert not list(folder.glob("parts/*"))
    return seen


def in_helper_process(job: str, folder: Path) -> dict[str, int]:
    done = subprocess.run([sys.executable, __file__, job, folder], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_a_run_killed_thirty_times_ends_as_the_unbroken_one(tmp_path: Path) -> None:
    seen = in_helper_process("kill", tmp_path)
    assert seen["killed"] == 30
    assert seen["finished"] >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_stop_at_any_disk_call_leaves_a_run_that_reads_and_resumes(tmp_path: Path) -> None:
    seen = in_helper_process("stop", tmp_path)
    assert seen["stopped"] >= 40
    assert min(seen.values()) > 0, seen  # every kind of leftover has been met


if __name__ == "__main__":
    where = Path(sys.argv[2])
    print(json.dumps(kill_at_random(where, 30) if sys.argv[1] == "kill" else stop_everywhere(where)))
