"""Code that was just compiled and code read back from disk give the same bits; and plain Python gives the same numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib
import json
import sys

import numpy as np

import clast
from clast.dynamics.engine import Engine
from clast.laws import Linear, OverlapVolume
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes import regular, segment
from clast.shapes.space.make import cuboid

kind, steps = sys.argv[1], int(sys.argv[2])
if kind == "plane":
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, normal_damping=20.0), gravity=(0.0, -10.0))
    for k in range(3):
        scene.add(regular(5, 0.1, side=0.6), (0.7 * k, 0.72 + 0.02 * k), velocity=(1.0 - k, -1.0), spin=2.0 - k, angle=0.3 * k)
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1), tags=[Velocity(x=0.3, y=0.0, spin=0.0)])
else:
    law = OverlapVolume(1e5, friction=0.5) if kind == "sharp" else Linear(1e4, 5e3, friction=0.5, normal_damping=20.0)
    size, radius = (1.0, 0.0) if kind == "sharp" else (0.8, 0.1)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -150.0))
    for k in range(2):
        place, velocity = (0.98 * k, 0.1, 0.99 + 0.005 * k), (0.6 - k, 0.2, -0.1)
        scene.add(cuboid((size,) * 3, radius), place, velocity=velocity, spin=(0.3, 1.0, -k))
    scene.add_wall(cuboid((6.0, 6.0, 1.0 - 2.0 * radius), radius))
engine = Engine(scene, dt=2e-4, alpha=0.05)
engine.advance(steps)
seen = engine.snapshot()
arrays, _ = engine.checkpoint()
parts = [*arrays.values(), seen.positions, seen.velocities, seen.spins, seen.contacts.forces, seen.contacts.depths]
hashed = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
kernels = [each for each in vars(engine.kernels).values() if getattr(getattr(each, "stats", None), "cache_path", None)]
numbers = [np.ravel(part).tolist() for part in (seen.positions, seen.velocities, seen.spins, seen.contacts.forces)]
print(json.dumps({
    "hash": hashed, "package": clast.__file__, "numbers": numbers, "contacts": len(seen.contacts),
    "heat": float(seen.totals["heat_sliding"]), "springs": len(arrays["spring"]),
    "compiled": sum(sum(each.stats.cache_misses.values()) for each in kernels),
    "read": sum(sum(each.stats.cache_hits.values()) for each in kernels),
}))
"""
ALL = ["plane", "space", "sharp"]
SLOW = ["plane", *(pytest.param(kind, marks=pytest.mark.validate) for kind in ALL[1:])]  # half a minute of compiling each


def in_a_process(kind: str, steps: int, **environment: str) -> dict:
    """A small scene with friction after some steps."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, kind, str(steps)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def empty_cache(tmp_path) -> str:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return str(folder)


@pytest.mark.parametrize("kind", SLOW)
def test_code_from_disk_gives_the_bits_of_fresh_code(kind, empty_cache):
    """Where a product and a sum become one instruction is the compiler's choice: both must run what it chose once."""
    fresh = in_a_process(kind, 300, CLAST_CACHE_DIR=empty_cache)
    loaded = in_a_process(kind, 300, CLAST_CACHE_DIR=empty_cache)
    assert fresh["compiled"] > 0 and fresh["read"] == 0
    assert loaded["compiled"] == 0 and loaded["read"] == fresh["compiled"]
    assert fresh["heat"] > 0.0 and fresh["springs"] > 0  # they have slid, and remember it
    assert loaded["hash"] == fresh["hash"]
    without = in_a_process(kind, 300, NUMBA_DISABLE_JIT="1")
    assert without["hash"] != fresh["hash"]  # the scene would show it if another instruction had been chosen
    assert Path(fresh["package"]) == Path(loaded["package"])


@pytest.mark.parametrize("kind", ALL)
def test_without_a_compiler_the_numbers_are_the_same(kind):
    """NUMBA_DISABLE_JIT=1 runs the same sources as Python, to look into them: slow, and without fused multiply-add."""
    compiled, plain = in_a_process(kind, 4), in_a_process(kind, 4, NUMBA_DISABLE_JIT="1")
    assert plain["compiled"] == plain["read"] == 0
    assert compiled["contacts"] == plain["contacts"] > 0
    for one, other in zip(plain["numbers"], compiled["numbers"], strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12 * max(map(abs, other)))
