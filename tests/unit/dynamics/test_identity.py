"""The identity of a run: another setting of the scene is another run, whose checkpoints are refused; the same scene is the same
run in every process."""

import os
import subprocess
import sys
from inspect import Parameter, signature

import numpy as np
import pytest

import clast
from clast.dynamics.bodies.arrival import hold_back
from clast.errors import StoreError
from clast.output.recording import Frames
from clast.scene.springs import Springs
from clast.shapes import disk, sphere

LAW = clast.Linear(1e4)
SEEN: dict[str, str] = {}  # identities met, with the settings they belong to
WITHOUT = {"self", "law"}  # laws are in the tables, which the identity covers, one for each pair of materials


class Heated(clast.Scene):
    """A scene with one argument more."""

    def __init__(self, *, heat: object = 0.0, **others: object) -> None:
        super().__init__(**others)
        self.heat = heat


def flat(kind: type[clast.Scene] = clast.Scene, **settings: object) -> clast.Scene:
    scene = kind(law=LAW, **settings)
    scene.add(disk(radius=0.5), (0.0, 0.0))
    scene.add(disk(radius=0.5), (1.5, 0.0))
    return scene


def solid(**settings: object) -> clast.Scene3D:
    scene = clast.Scene3D(law=LAW, **settings)
    scene.add(sphere(0.5), (0.0, 0.0, 0.0))
    return scene


def identity(scene: clast.Scene | clast.Scene3D) -> str:
    return clast.Engine(scene, dt=1e-3).identity


@pytest.mark.parametrize("build", [flat, solid])
def test_every_argument_is_a_setting(build):
    scene = build()
    kinds = [kind for kind in type(scene).__mro__ if "__init__" in vars(kind) and kind is not object]
    arguments = {
        name
        for kind in kinds
        for name, each in signature(kind.__init__).parameters.items()
        if each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    }
    assert set(scene.settings()) == arguments - WITHOUT > {"drag", "onset", "remove_below", "box"}


def twice(time: float) -> float:
    return 0.0 if time < 1.0 else 2.0


def thrice(time: float) -> float:
    return 0.0 if time < 1.0 else 3.0


@pytest.mark.parametrize(
    "settings",
    [
        {"heat": 1.0},
        {"heat": "much"},
        {"heat": True},
        {"heat": [1.0, 2.0]},
        {"heat": np.array([1.0, 2.0])},
        {"heat": clast.Ramp(0.0, 1.0, finish=9.0)},
        {"heat": clast.Ramp(0.0, 1.0, finish=8.0)},
        {"heat": {"start": twice}},
        {"heat": {"start": thrice}},
        {"drag": 0.5},
        {"drag": clast.Table([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])},  # begins after the first rows of the program
        {"drag": clast.Table([0.0, 1.0, 2.0], [0.0, 0.0, 2.0])},
        {"drag": twice},
        {"drag": thrice},
        {"onset": False},
        {"remove_below": -3.0},
        {"gravity": (0.0, -1.0)},
        {"counting": "all-pairs"},
        {"box": clast.Box(period_x=9.0)},
        {"springs": Springs(np.zeros((1, 6), np.int64), np.ones((1, 3)), "clast.laws.linear")},
    ],
)
def test_another_setting_is_another_run(settings):
    found = identity(flat(Heated, **settings))
    assert found != identity(flat(Heated))
    assert SEEN.setdefault(found, repr(settings)) == repr(settings)


def test_numbers_count_by_their_values():
    assert identity(flat(remove_below=-3, box=clast.Box(np.float64(9.0)))) == identity(flat(remove_below=-3.0, box=clast.Box(9)))


SCRIPT = """
import clast
from clast.shapes import disk
rate = 2.0
scene = clast.Scene(law=clast.Linear(1e4), drag=lambda t: rate * t, box=clast.Box(period_x=9.0, tags=(clast.Velocity(x=1.0),)))
scene.add(disk(radius=0.5), (0.0, 0.0))
print(clast.Engine(scene).identity)
"""


def test_the_same_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_a_checkpoint_of_another_setting_is_refused(tmp_path):
    clast.run(flat(Heated), until=0.01, dt=1e-4, out=tmp_path / "run", progress=clast.quiet())
    with pytest.raises(StoreError, match="made with another scene"):
        clast.run(flat(Heated, heat=1.0), until=0.02, dt=1e-4, out=tmp_path / "run", resume=True, progress=clast.quiet())
    longer = clast.run(flat(Heated), until=0.02, dt=1e-4, out=tmp_path / "run", resume=True, progress=clast.quiet())
    assert longer.series["time"][-1] == pytest.approx(0.02)


class Written(list):
    """Takes frames instead of a folder."""

    def add_frame(self, step, time, arrays):
        self.append(arrays)

    def add_contacts(self, step, time, arrays):
        pass


def test_frames_say_who_is_there_wherever_somebody_is_not():
    engine, written = clast.Engine(flat(gravity=(0.0, -1.0))), Written()
    frames = Frames(written, 1, 1)
    frames.take(engine, engine.snapshot())
    hold_back(engine, np.array([1]))
    frames.take(engine, engine.snapshot())
    assert "present" not in written[0] and written[1]["present"].tolist() == [1, 0]
