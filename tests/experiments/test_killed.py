"""A run killed at any moment and resumed ends with the same bits as the unbroken one.

Three scenes: `clast run cow-gas`, hexagons that fall and rub, whose springs must survive, and grains that come in from a source
and go out. The work is done by children of a helper process (this file as a script): forked ones, which cost milliseconds, or, in
the validate tier, fresh ones, which are also killed while they import and start.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clast.backend.cuda import why_not

GAS = ["run", "cow-gas", "--grains", "60", "--until", "1.5", "--speed", "10", "--checkpoint", "0.005"]


# --- the two runs ----------------------------------------------------------------------------------------------------


def gas(folder: Path, resume: bool) -> int:
    """`clast run cow-gas`, saving very often."""
    from clast.cli import run_command

    return run_command([*GAS, "--out", str(folder), *(["--resume"] if resume else [])])


def hexagons(folder: Path, resume: bool, device: str = "cpu") -> int:
    """Rough hexagons fall on each other between two walls; `clast.run` with a scene of one's own."""
    import clast
    from clast.shapes import regular, segment

    law = clast.Linear(1e5, 5e4, 0.5, normal_damping=30.0, tangential_damping=10.0)
    scene = clast.Scene(law=law, gravity=(0.0, -40.0))
    grain = regular(6, radius=0.1, circumradius=0.5)
    for k in range(12):
        scene.add(grain, (1.3 * (k % 3) + 0.1 * (k // 3 % 2), 0.75 + 1.3 * (k // 3)), angle=0.3 * k, velocity=(0.5, -1.0))
    for ends in (((-3.0, 0.0), (6.0, 0.0)), ((-0.9, 0.0), (-0.9, 9.0)), ((3.6, 0.0), (3.6, 9.0))):
        scene.add_wall(segment(*ends, radius=0.1))
    clast.run(
        scene, until=2.0, dt=2e-5, out=folder, samples=200, frames=60, resume=resume, checkpoint_seconds=0.005, device=device
    )  # fmt: skip
    return 0


def flow(folder: Path, resume: bool, count: int = 40) -> int:
    """Grains come in, fall through a shaft and go out."""
    import clast

    sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
    from flowing_scenes import shaft

    given: dict[str, Any] = {"samples": 200, "frames": 60, "resume": resume, "checkpoint_seconds": 0.005}
    clast.run(shaft(count), until=0.8 + 1e-3 * count, dt=6e-5, out=folder, **given)
    return 0


ON_GPU = "hexagons on a GPU"
WORK: dict[str, Callable[[Path, bool], int]] = {
    "gas": gas, "hexagons": hexagons, "flow": flow, "thousand": partial(flow, count=1000),
    ON_GPU: partial(hexagons, device="cuda"),
}  # fmt: skip


# --- comparing -------------------------------------------------------------------------------------------------------


def content(folder: Path) -> dict[str, Any]:
    """Everything a run stores, but for what the clock decides."""
    import clast

    run = clast.open(folder)
    saved = run.checkpoint
    series = {f"series {name}": [row.tobytes() for row in run.series[name]] for name in run.series}
    frames = {
        f"frames {name}": [frame[name].tobytes() for frame in run.frames]
        for name in (run.frames[0].names if len(run.frames) else ())
    }
    rows = {**series, **frames, "frames step": run.frames.steps.tolist(), "frames time": run.frames.times.tolist()}
    arrays: dict[str, Any] = dict(saved.arrays) if saved else {}
    springs = np.lexsort(arrays["spring_key"].T) if len(arrays.get("spring_key", ())) else slice(None)
    for name in ("spring_key", "spring"):  # by key: where the lists were renewed last decides their order
        if name in arrays:
            arrays[name] = arrays[name][springs]
    return {
        "rows": rows,
        "state": {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()},
        "step": saved.step if saved else None,
        "result": {key: (run.result or {}).get(key) for key in ("grains", "steps", "energy_error", "quantities")},
        "finished": run.finished,
    }  # fmt: skip


def require_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Bit for bit; names what differs."""
    for key in one:
        if isinstance(one[key], dict):
            assert one[key].keys() == other[key].keys(), key
            different = [name for name in one[key] if one[key][name] != other[key][name]]
            assert not different, (key, different)
        else:
            assert one[key] == other[key], key


def require_beginning(part: dict[str, Any], whole: dict[str, Any]) -> None:
    """What a killed run can be read as: the first rows of the whole one."""
    for name, rows in part["rows"].items():
        assert rows == whole["rows"][name][: len(rows)], name


# --- killing ---------------------------------------------------------------------------------------------------------


class Forked:
    """A child that has everything imported already."""

    def __init__(self, job: str, folder: Path, resume: bool) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            code = 70
            try:
                sink = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(sink, 1)
                os.dup2(sink, 2)
                code = WORK[job](folder, resume)
            finally:
                if code == 70:
                    sys.excepthook(*sys.exc_info())
                os._exit(code)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Fresh(subprocess.Popen):  # type: ignore[type-arg]
    """A child that starts as a user's process does."""

    def __init__(self, job: str, folder: Path, resume: bool) -> None:
        sink = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        again = ["--resume"] if resume else []
        words = ["-m", "clast.cli", *GAS, "--out", folder, *again] if job == "gas" else [__file__, "child", job, folder, *again]
        super().__init__([sys.executable, *words], stdout=sink, stderr=sink)
        os.close(sink)


def kill_at_random(job: str, base: Path, kills: int, fresh: bool) -> dict[str, Any]:
    """Kill and resume until `kills` are done and the last run is finished; half of them aim at a half-written file."""
    kind: Any = Fresh if fresh else Forked
    # compiles where needed, so that the next is timed without; what uses a GPU cannot be forked
    assert (Fresh(job, base / "whole", False).wait() if job == ON_GPU else WORK[job](base / "whole", False)) == 0
    whole = content(base / "whole")
    began = time.time()
    assert kind(job, base / "again", False).wait() == 0
    duration = (base / "again" / "checkpoint.h5").stat().st_mtime - began  # of the steps, without the figures
    require_same(content(base / "again"), whole)
    rotational = np.frombuffer(b"".join(whole["rows"]["series rotational"]))
    seen: dict[str, Any] = {"kills": 0, "finished": 0, "half_written": 0, "unsaved": 0, "resumes": 0, "late": 0}
    seen["rotational"] = float(rotational.max())  # starts at nothing: the grains have met
    seen["duration"] = duration
    seen["springs"] = whole["state"]["spring_key"][1][0]
    chance = random.Random(2)
    number = 0
    while seen["kills"] < kills or seen["finished"] == 0:
        folder = base / f"run{number}"
        resume = (folder / "run.h5").exists()
        seen["resumes"] += resume
        child = kind(job, folder, resume)
        if seen["kills"] < kills:
            time.sleep(chance.uniform(0.0, duration if fresh else 0.6 * duration))  # of a fresh process the start is included
            if chance.random() < 0.5:
                give_up = time.perf_counter() + 0.5
                while not list(folder.rglob(".*.writing")) and time.perf_counter() < give_up:
                    pass
            child.kill()
            seen["kills"] += 1
        code = child.wait()
        log = folder.with_suffix(".log")
        assert code in (0, -signal.SIGKILL), (code, log.read_text() if log.exists() else "")
        if (folder / "run.h5").exists():
            found = content(folder)
            require_beginning(found, whole)
            seen["half_written"] += bool(list(folder.rglob(".*.writing")))
            seen["unsaved"] += found["step"] is None
            seen["late"] += found["finished"] and code != 0  # killed while drawing
            if found["finished"]:
                require_same(found, whole)
                number += code == 0 or chance.random() < 0.7  # else it is killed again while drawing
        if code == 0:
            assert found["finished"]
            assert not list(folder.rglob(".*.writing"))
            seen["finished"] += 1
    return seen


def in_helper(job: str, folder: Path, kills: int, fresh: bool = False) -> dict[str, Any]:
    words = [sys.executable, __file__, "fresh" if fresh else "forked", job, folder, str(kills)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=2400)
    assert done.returncode == 0, done.stdout + done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(job, seen)
    assert seen["kills"] == kills and seen["rotational"] > 0.0 and seen["resumes"] >= 1
    if job in ("hexagons", ON_GPU):
        assert seen["springs"] > 10
    return seen


@pytest.mark.parametrize("job", [pytest.param("gas", marks=pytest.mark.validate), "hexagons", "flow"])
def test_a_killed_run_ends_as_the_unbroken_one(job, tmp_path):
    in_helper(job, tmp_path, 4)


@pytest.mark.validate
@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("job", ["gas", "hexagons", "thousand"])
def test_a_run_killed_thirty_times_ends_as_the_unbroken_one(job, fresh, tmp_path):
    seen = in_helper(job, tmp_path, 30, fresh)
    assert seen["half_written"] >= 3


@pytest.mark.gpu
@pytest.mark.validate
def test_a_run_on_a_gpu_killed_a_hundred_times_ends_as_the_unbroken_one(tmp_path):
    if reason := why_not():
        pytest.skip(reason)
    seen = in_helper(ON_GPU, tmp_path, 100, fresh=True)
    assert seen["half_written"] >= 10


# --- stopping politely -----------------------------------------------------------------------------------------------


def test_ctrl_c_and_sigterm_save_and_go_on_with_the_same_bits(tmp_path):
    from clast.output.store.checkpoint import read_mark
    from clast.output.store.reader import open_run

    words = ["run", "cow-gas", "--grains", "100", "--until", "10"]
    folder = tmp_path / "run"
    reached = 0
    for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (None, 0)):
        again = ["--resume"] if (folder / "run.h5").exists() else []
        # saving only when told: what is on disk afterwards was saved by the signal
        child = subprocess.Popen(
            [sys.executable, "-m", "clast.cli", *words, *again, "--out", folder, "--checkpoint", "1e6", "-v"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if number is not None:
            assert child.stderr is not None
            for line in child.stderr:
                if line.startswith("saved at"):  # the first checkpoint, after which the steps begin
                    break
            time.sleep(0.1)
            child.send_signal(number)
        out, err = child.communicate(timeout=120)
        assert child.returncode == status, err
        if number is not None:
            assert "stopped at t = " in err and "saved." in err
            assert f"Go on with: clast run cow-gas --checkpoint 1000000.0 --resume --out {folder}" in err
            assert "Traceback" not in err and out == ""
            mark = read_mark(folder, open_run(folder).run_id)
            assert mark is not None and mark.step > reached
            reached = mark.step
            assert not open_run(folder).finished
    whole = tmp_path / "whole"
    subprocess.run([sys.executable, "-m", "clast.cli", *words, "--out", whole, "-q"], check=True, capture_output=True)
    require_same(content(folder), content(whole))


if __name__ == "__main__":
    how, what, where = sys.argv[1:4]
    if how == "child":
        sys.exit(WORK[what](Path(where), "--resume" in sys.argv))
    print(json.dumps(kill_at_random(what, Path(where), int(sys.argv[4]), how == "fresh")))
