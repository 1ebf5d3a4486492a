"""Runs that are begun on one device and gone on with on another, in numba's simulator of a GPU.

python tests/tools/devices_changed.py FOLDER     prints a line of JSON: how far each is apart from a run that stayed on the CPU
"""

import json
import sys
from pathlib import Path
from typing import Any

import grid_scenes
import numpy as np
from grid_scenes import DT, cubes, pentagons

import clast
from clast.cli import run_command
from clast.dynamics.engine import Engine
from clast.dynamics.gpu import devices
from clast.sweeps.task import Task, carry_out

FIRST, LAST = 30 * DT, 60 * DT
HOW: dict[str, Any] = {"dt": DT, "alpha": 0.01, "samples": 4, "frames": 2, "progress": clast.quiet()}
SCENES = {"pentagons": pentagons, "cubes": cubes}
FILE = """
gravity = [0.0, -10.0]
[law]
kind = "linear"
normal_stiffness = 1e4
tangential_stiffness = 5e3
friction = 0.5
[shapes.pentagon]
kind = "regular"
sides = 5
radius = 0.1
side = 0.6
[[grains]]
shape = "pentagon"
position = [0.0, 0.6]
velocity = [1.0, -1.0]
[[walls]]
vertices = [[-5.0, 0.0], [5.0, 0.0]]
radius = 0.1
[run]
until = 6e-3
dt = 2e-4
alpha = 0.01
samples = 4
frames = 2
device = "cuda"
"""


def outcome(run: Any) -> dict[str, np.ndarray]:
    """The last frame and the last row of the book of a stored run."""
    frame, series = run.frames[-1], run.series
    found = {name: frame[name] for name in ("positions", "velocities", "spins")}
    found["book"] = np.array([float(series[name][-1]) for name in series.names if name not in ("time", "step")])
    return found


def changed(name: str, out: Path, first: str, second: str) -> dict[str, Any]:
    """A run of a scene, its first half on one device and its second half on another."""
    how = {**HOW, "out": out / f"{name}-{first}-{second}"}
    half = clast.run(SCENES[name](), until=FIRST, device=first, **how)
    touching = len(half.contacts[-1]["forces"])
    whole = clast.run(SCENES[name](), until=LAST, device=second, resume=True, **how)
    return {"run": outcome(whole), "half": half.result["device"], "whole": whole.result["device"], "touching": touching}


def from_file(out: Path) -> list[str]:
    """A scene file begun on the device it names and gone on with on the CPU, by commands: the devices of both parts."""
    path, folder, found = out / "scene.toml", out / "from-file", []
    path.write_text(FILE)
    for more in ([], ["--resume", "--until", "8e-3", "--device", "cpu"]):
        assert run_command(["run", str(path), "--out", str(folder), "-q", *more]) == 0
        found.append(clast.open(folder).result["device"])
    return found


def of_sweeps(out: Path) -> list[str]:
    """Rows of sweeps that name a device: of an experiment, of a scene file that names another one, and of one left as it is."""
    path = out / "row.toml"
    path.write_text(FILE)
    rows = [
        ("experiment", "cow-bounce", {"until": 3e-4}, "cuda"),
        ("file", str(path), {}, "cpu"),
        ("as-it-is", str(path), {}, None),
    ]
    for name, what, given, device in rows:
        carry_out(Task(name, what, None, given), out, device=device)
    return [clast.open(out / name).result["device"] for name, *_ in rows]


def main() -> None:
    out, result = Path(sys.argv[1]), {}
    for name in SCENES:
        straight = outcome(clast.run(SCENES[name](), until=LAST, out=out / name, **HOW))
        for first, second in (("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")):
            found = changed(name, out, first, second)
            found["apart"] = grid_scenes.apart(straight, found.pop("run"))
            result[f"{name}, {first} to {second}"] = found
    many = Engine(pentagons(), device="cuda", threads="auto")
    result["threads compared"] = many._thread_search is not None
    devices.FEWEST[2] = 4
    auto = Engine(pentagons(), device="auto")
    result["auto"] = [auto.device, auto._grid is not None, auto.device_reason]
    result["file"], result["sweeps"] = from_file(out), of_sweeps(out)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
