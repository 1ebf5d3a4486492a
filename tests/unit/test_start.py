"""How quickly clast is there, and what a run says before its first step."""

import subprocess
import sys
import time

import pytest

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.output.progress import Progress
from clast.output.recording import report_overlaps
from clast.scene.plane import Scene
from clast.shapes import disk


class Heard(Progress):
    def __init__(self):
        super().__init__(silent=True)
        self.words = []

    def say(self, text):
        self.words.append(text)


def test_overlapping_starts_are_named_with_their_depth():
    scene = Scene(law=Linear(1e4))
    for x in (0.0, 0.95, 5.0, 5.9):
        scene.add(disk(radius=0.5), (x, 0.0))
    heard = Heard()
    report_overlaps(Engine(scene, dt=1e-5), heard)
    assert len(heard.words) == 1
    assert "2 contacts" in heard.words[0]
    assert heard.words[0].index("2–3 by 0.1") < heard.words[0].index("0–1 by 0.05")


def test_nothing_is_said_of_a_clean_start():
    scene = Scene(law=Linear(1e4))
    for x in (0.0, 1.01):
        scene.add(disk(radius=0.5), (x, 0.0))
    heard = Heard()
    report_overlaps(Engine(scene, dt=1e-5), heard)
    assert heard.words == []


@pytest.mark.parametrize("words", [["-m", "clast.cli", "--help"], ["-c", "import clast"]], ids=["help", "import"])
def test_the_start_is_quick(words):
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([sys.executable, *words], capture_output=True, check=True)
        times.append(time.perf_counter() - began)
    print(f"{' '.join(words)}: {min(times):.2f} s")
    assert min(times) < 1.5, times


@pytest.mark.parametrize("words", [["--help"], ["list"], ["run", "-h"], ["movie", "-h"], ["--version"]])
def test_what_only_tells_loads_nothing_heavy(words):
    heavy = ("numba", "matplotlib", "shapely", "h5py", "scipy", "PIL")
    look = f"import sys, clast.cli as c; c.run_command({words}); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
