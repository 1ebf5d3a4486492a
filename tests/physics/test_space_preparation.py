"""`fill` and `prepare` in space: grains come to rest, and the next scene begins there without a jump."""

import numpy as np
import pytest
from changed_scenes import plane, space

import clast
from clast.errors import InputError, PhysicsError
from clast.protocols.fill import fill, lay_in
from clast.protocols.press import Stop, prepare, start_from

STOP = Stop(longest=4.0, kinetic=1e-6, unbalanced=1e-3)
DRAG = 20.0
DAMPED = clast.Linear(1e5, 5e4, friction=0.5, normal_damping=300.0, tangential_damping=300.0)  # or balls swing on their springs
BALLS = slice(1, None, 2)


@pytest.fixture(scope="module", autouse=True)
def kept_apart(tmp_path_factory):
    """Nothing is taken from an earlier run of the tests: states are kept in a folder of their own."""
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("kept")
        patched.setattr("clast.protocols.prepared.bind.cache_folder", lambda: folder)
        yield


def held_still(scene):
    """A scene at rest stays where it is."""
    sim = clast.Simulation(scene)
    start, first = sim.positions, sim.accounts
    assert abs(first["translational"]) < 1e-4 * first["normal_elastic"]
    sim.step(1000)
    assert np.abs(sim.positions - start).max() < 1e-5
    return sim


def test_prepare():
    sample = prepare(space(DAMPED, drag=DRAG), STOP)
    assert sample.report.reached and sample.orientations.shape == (7, 4) and "at rest" in str(sample.report)
    mass = space().bodies.column("mass")
    floor = sample.positions[1:, 2].min() - 0.05
    assert floor == pytest.approx(0.2, abs=0.01) and 0.0 < sample.report.overlap < 0.1
    again = prepare(space(DAMPED, drag=DRAG), STOP)
    assert (again.positions == sample.positions).all() and again.report.steps == sample.report.steps  # from the cache
    # each ball alone on the floor: energy ½ (mg)²/k
    balls = sum((9.81 * m) ** 2 / 2e5 for m in mass[BALLS])
    sim = held_still(start_from(space(DAMPED), sample))
    assert sim.accounts["normal_elastic"] > balls
    assert sim.forces[0, 2] == pytest.approx(-9.81 * mass[1:].sum(), rel=1e-2)


def test_fill():
    bed = fill(space(DAMPED, drag=DRAG), dt=2e-5, rest=1e-9)
    assert bed.orientations.shape == (7, 4) and bed.energy < 1e-9
    assert (fill(space(DAMPED, drag=DRAG), dt=2e-5, rest=1e-9).positions == bed.positions).all()
    scene = lay_in(space(DAMPED), bed)
    assert (scene.bodies.column("orientation")[1:] == bed.orientations[1:]).all() and scene.springs is bed.springs
    held_still(scene)


def test_refusals():
    with pytest.raises(PhysicsError, match="preparation"):
        prepare(space(law=clast.Linear(1e5)), Stop(longest=0.2))
    sample = prepare(space(DAMPED, drag=DRAG), STOP)
    with pytest.raises(InputError, match="in 3 dimensions"):
        start_from(plane(), sample)
    with pytest.raises(AttributeError, match="orientations"):
        _ = sample.angles
