"""What is said before a run begins: the rule of the step, and a size on disk that comes true."""

import numpy as np
import pytest

import clast
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.output.estimate import announcement, disk_bytes, duration, size, step_rule, stored_rows
from clast.scene.plane import Scene
from clast.shapes import disk, rice


def gas(grains):
    """Rice on a lattice, moving and turning."""
    rng = np.random.default_rng(1)
    scene = Scene(law=Linear(1e4))
    shape = rice(0.5)
    for k in range(grains):
        scene.add(shape, (2.0 * (k % 10), 2.0 * (k // 10)), velocity=rng.normal(size=2), spin=rng.normal())
    return scene


def test_the_rule_of_the_step_is_told():
    safe = Engine(gas(2)).dt
    assert step_rule(Engine(gas(2))) == "safe step, 0.15/ω"
    assert step_rule(Engine(gas(2), dt=0.5 * safe)) == "given; 0.5 × the safe step"


def test_an_announcement_names_grains_steps_and_space():
    engine = Engine(gas(3), dt=1e-3)
    engine.advance(10)
    said = announcement(engine, 1010, 400, 100)
    assert said.startswith("3 grains, 1000 steps of Δt = 0.001 (given; ")
    assert " to t = 1.01, about " in said and said.endswith(" kB on disk")


@pytest.mark.parametrize(("grains", "samples", "frames"), [(100, 50, 200), (4, 1000, 0), (4, 10, 10)])
def test_the_space_on_disk_comes_true_within_a_factor_of_two(tmp_path, grains, samples, frames):
    run = clast.run(gas(grains), until=2.0, dt=1e-3, out=tmp_path / "run", samples=samples, frames=frames)
    found = sum(path.stat().st_size for path in run.folder.rglob("*") if path.is_file())
    told = disk_bytes(grains, 0, 2000, samples, frames)
    print(f"told {told:.0f}, found {found}")
    assert 0.5 < told / found < 2.0


def test_the_space_of_contacts_comes_true_within_a_factor_of_two(tmp_path):
    scene = Scene(law=Linear(1e3, 1e2, 0.5, normal_damping=5.0))
    rng = np.random.default_rng(1)
    for k in range(400):
        place = np.array([k % 20, k // 20]) + rng.uniform(-1e-2, 1e-2, 2)
        scene.add(disk(radius=0.52), place, velocity=0.1 * rng.normal(size=2), spin=rng.normal())
    run = clast.run(scene, until=0.01, dt=1e-4, out=tmp_path / "run", samples=10, frames=100)
    contacts = len(run.contacts[0].depths)
    assert contacts == 760
    found = sum(path.stat().st_size for path in run.folder.rglob("*") if path.is_file())
    told = disk_bytes(400, contacts, 100, 10, 100)
    print(f"told {told:.0f}, found {found}")
    assert 0.5 < told / found < 2.0


@pytest.mark.parametrize(("steps", "wanted"), [(2000, 400), (2003, 400), (7, 400), (1, 1), (999, 1000), (1000, 3)])
def test_stored_rows_are_those_a_schedule_takes(steps, wanted):
    from clast.dynamics.runner import Every

    schedule = Every(steps // wanted, steps)
    assert stored_rows(steps, wanted) == sum(schedule.next_step(step) == step for step in range(steps + 1))


def test_sizes_and_durations_in_words():
    assert [size(each) for each in (640e3, 999.4e3, 999.6e3, 12.3e6, 3.14e9, 31.4e9)] == [
        "640 kB", "999 kB", "1 MB", "12 MB", "3.1 GB", "31 GB",
    ]  # fmt: skip
    assert [duration(each) for each in (0.4, 40.0, 99.6, 300.0, 11520.0, 345600.0)] == [
        "0.4 s", "40 s", "1.7 min", "5 min", "3.2 h", "4 days",
    ]  # fmt: skip
