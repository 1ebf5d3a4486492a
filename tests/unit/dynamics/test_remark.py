"""A law whose contacts cannot be computed side by side is remarked on, fresh or read from disk, and only for who asks."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import clast
from clast.backend.instructions import Instructions, instructions_of
from clast.dynamics.engine import Engine
from clast.laws import Cohesion, HertzMindlin, Law, Linear, OverlapVolume, OwnLaw, Rolling
from clast.output.progress import Progress
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import disk
from clast.shapes.space.make import cuboid, sphere

# functions of several numbers at once, where Intel's library of them is installed
SEVERAL = numba.config.USING_SVML


def line(parameters, depth, radius):
    return parameters[0] * depth


def line_energy(parameters, depth, radius):
    return 0.5 * parameters[0] * depth * depth


def halved(parameters, depth, radius):
    """A line, with a loop of which nobody knows how often it goes round."""
    part, times = depth, 1.0
    while part > 1e-6:
        part *= 0.5
        times *= 2.0
    return parameters[0] * part * times


def powers(parameters, depth, radius):
    total = 0.0
    for k in range(3):
        total += parameters[0] * depth ** (1.1 + 0.1 * k)
    return total


def powers_energy(parameters, depth, radius):
    total = 0.0
    for k in range(3):
        total += parameters[0] * depth ** (2.1 + 0.1 * k) / (2.1 + 0.1 * k)
    return total


def bent(parameters, depth, radius):
    """Products, quotients, roots, the smaller and larger of two, a choice, a loop of a known number of turns."""
    total = 0.0
    for _ in range(2):
        total += 0.5 * parameters[0] * depth * math.sqrt(depth)
    return total if depth < radius else min(total, max(total, depth / radius))


def bent_energy(parameters, depth, radius):
    return 0.4 * parameters[0] * depth * depth * math.sqrt(depth)


def own(elastic, energy) -> OwnLaw:
    return OwnLaw({"k": 1e4}, elastic, energy, 1e5)


LOOP, POWERS, BENT = own(halved, line_energy), own(powers, powers_energy), own(bent, bent_energy)
LINEAR = Linear(1e4, 5e3, friction=0.5)
ONE_BY_ONE = (
    "The law OwnLaw is computed for one contact after the other (its compiled block has no packed roots or products): it works, "
    "but more slowly; see docs/your-own-law.md."
)
CALLS_POW = (
    "The law OwnLaw calls pow for one contact after the other, not for several at once: it works, but more slowly; see "
    "docs/your-own-law.md."
)


def disks(law: Law) -> Scene:
    scene = Scene(law=law)
    scene.add(disk(radius=0.5), (0.0, 0.0))
    scene.add(disk(radius=0.5), (0.99, 0.0))
    return scene


def balls(law: Law) -> Scene3D:
    scene = Scene3D(law=law)
    scene.add(sphere(0.5), (0.0, 0.0, 0.0))
    scene.add(sphere(0.5), (0.99, 0.0, 0.0))
    return scene


def dice(law: Law) -> Scene3D:
    scene = Scene3D(law=law)
    scene.add(cuboid((1.0, 1.0, 1.0), 0.0), (0.0, 0.0, 0.0))
    scene.add(cuboid((1.0, 1.0, 1.0), 0.0), (0.99, 0.0, 0.0))
    return scene


def engine_of(scene: Scene | Scene3D, **more) -> Engine:
    return Engine(scene, dt=1e-5, alpha=0.01, **more)


def test_a_loop_of_unknown_length_goes_one_contact_after_the_other(fresh_and_loaded):
    assert fresh_and_loaded[0]["remark"] == ONE_BY_ONE


@pytest.mark.skipif(SEVERAL, reason="powers are computed side by side here")
def test_a_power_is_called_for_one_contact_after_the_other():
    assert engine_of(disks(POWERS)).remark_on_law() == CALLS_POW


FINE = {
    "linear": disks(LINEAR),
    "hertz-mindlin": disks(
        HertzMindlin(2e5, 1e5, friction=0.4, restitution=0.7, rolling=Rolling(1.0, 0.1), cohesion=Cohesion(1.0, 0.01))
    ),
    "own": disks(BENT),
    "in space": balls(LINEAR),
    "sharp": dice(OverlapVolume(1e5)),
}


@pytest.mark.parametrize("which", FINE)
def test_nothing_to_remark(which):
    assert engine_of(FINE[which]).remark_on_law() == ""


def test_with_gears_method_nothing_could_go_side_by_side(monkeypatch):
    found = []

    def look(kernel, maker):
        found.append(instructions_of(kernel, maker))
        return found[-1]

    monkeypatch.setattr("clast.dynamics.contacts.remark.instructions_of", look)
    for integrator in ("verlet", "gear4"):
        assert engine_of(disks(LINEAR), integrator=integrator).remark_on_law() == ""
    assert [len(each) > 0 for each in found] == [True, False]  # with Gear's method there is no block to remark on


def test_one_block_of_several_is_enough_and_what_it_calls_is_named(monkeypatch):
    found = [Instructions(50, 2, ()), Instructions(0, 50, ("hypot", "tanh"))]
    monkeypatch.setattr("clast.dynamics.contacts.remark.instructions_of", lambda kernel, maker: found)
    said = ONE_BY_ONE.replace("OwnLaw", "Linear").replace("products", "products, and calls hypot and tanh")
    assert engine_of(disks(LINEAR)).remark_on_law() == said


@pytest.mark.parametrize("verbose", [False, True])
def test_it_is_printed_for_who_asks_for_details_and_looked_for_only_then(tmp_path, capsys, monkeypatch, verbose):
    looked = []
    look = Engine.remark_on_law
    monkeypatch.setattr(Engine, "remark_on_law", lambda engine: looked.append(engine) or look(engine))
    single = [Instructions(0, 50, ())]
    monkeypatch.setattr("clast.dynamics.contacts.remark.instructions_of", lambda kernel, maker: single)
    clast.run(disks(LINEAR), until=0.01, out=tmp_path / "run", progress=Progress(verbose=verbose))
    said = ONE_BY_ONE.replace("OwnLaw", "Linear")
    assert capsys.readouterr().err.splitlines().count(said) == len(looked) == int(verbose)


PROGRAM = """
import json
import sys

import clast
import test_remark

engine = test_remark.engine_of(test_remark.disks(test_remark.LOOP))
kernels = [each for each in vars(engine.kernels).values() if getattr(getattr(each, "stats", None), "cache_path", None)]
print(json.dumps({
    "remark": engine.remark_on_law(), "package": clast.__file__,
    "compiled": sum(sum(each.stats.cache_misses.values()) for each in kernels),
}))
"""


@pytest.fixture(scope="module")
def fresh_and_loaded(tmp_path_factory) -> list[dict]:
    """What two processes find of the law with a loop: one compiles it, the other reads it from disk."""
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=600,
            env={**os.environ, "CLAST_CACHE_DIR": str(folder)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def test_code_read_from_disk_gives_the_same_remark(fresh_and_loaded):
    fresh, loaded = fresh_and_loaded
    assert fresh["compiled"] > 0
    assert loaded["compiled"] == 0
    assert loaded["remark"] == fresh["remark"] == ONE_BY_ONE
    assert {each["package"] for each in fresh_and_loaded} == {clast.__file__}
