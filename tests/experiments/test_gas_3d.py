"""gas-3d, with few grains and for a short time; and its theory and judgement on made-up numbers."""

from types import SimpleNamespace

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.errors import InputError
from clast.experiments import find
from clast.experiments.gas_3d import STEPS, Gas3D, build, evaluate, expected_share, final_speeds, ways_to_turn
from clast.experiments.shared.space import contact_time, kinetic_parts, picture_of_run
from clast.shapes.space.library import library_solid

SHORT = {"shape": "brick", "grains": 27, "until": 400.0}


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    return conduct_without_pictures("gas-3d", SHORT, tmp_path_factory.mktemp("gas") / "run")


def test_grains_meet_start_to_spin_and_keep_their_energy(gas):
    run = gas.run
    velocities = np.array([frame.velocities for frame in run.frames])
    assert (np.abs(velocities[-1] - velocities[0]).max(axis=1) > 1e-3).mean() > 0.9  # nearly all have collided
    assert run.series["rotational"][0] == 0.0 and run.series["rotational"][-1] > 0.2 * run.book.kinetic[-1]
    assert 0.0 < run.result["energy_error"] < 5e-6
    momentum = np.array([run.scene["body_mass"] @ frame.velocities for frame in run.frames])
    assert np.abs(momentum).max() < 1e-12 * 27 * 0.01


def test_energies_of_grains_add_up_to_the_book(gas):
    run = gas.run
    samples = np.searchsorted(run.series["step"], run.frames.steps)
    for index in (0, len(run.frames) // 2, -1):
        translation, rotation = kinetic_parts(run, index)
        between = run.series["contacts"][samples[index]]  # in a contact the book has the energy half a step before and after
        near = 1e-9 if between == 0 else 1e-3
        assert translation.sum() == pytest.approx(run.series["translational"][samples[index]], rel=near)
        assert rotation.sum() == pytest.approx(run.series["rotational"][samples[index]], rel=near, abs=1e-15)


def test_result_and_figures_are_there(gas):
    assert [path.name for path in gas.figures] == ["energies.png"]
    assert gas.figures[0].read_bytes().startswith(b"\x89PNG") and gas.figures[0].stat().st_size > 20_000
    found = {quantity.name: quantity for quantity in gas.quantities}
    assert found["rotational share, second half"].published == pytest.approx(81 / 159)
    assert found["energy error over the run"].measured == gas.run.result["energy_error"]


def test_with_pyvista_there_is_a_picture(gas, monkeypatch, tmp_path):
    from matplotlib.figure import Figure

    drawn = []
    monkeypatch.setattr("clast.experiments.shared.space.find_spec", lambda name: name == "pyvista")
    monkeypatch.setattr(
        "clast.experiments.shared.space.frames_figure", lambda run, chosen: drawn.append(list(chosen)) or Figure()
    )
    assert picture_of_run(gas.run, [0, 3], tmp_path / "gas.png") == [tmp_path / "gas.png"]
    assert drawn == [[0, 3]] and (tmp_path / "gas.png").exists()


@pytest.mark.parametrize(("shape", "ways"), [("sphere", 0), ("capsule", 2), ("triangle-plate", 3), ("cube", 3)])
def test_what_a_push_can_turn(shape, ways):
    solid = library_solid(shape)
    assert ways_to_turn(solid) == ways
    assert expected_share(solid, 10**6) == pytest.approx(ways / (3 + ways), abs=1e-6)
    assert expected_share(solid, 2) == pytest.approx(2 * ways / (2 * ways + 3))  # two grains without momentum: three ways to go


@pytest.mark.parametrize("shape", ["tetrahedron", "capsule"])
def test_grains_fill_the_box_as_they_should(shape):
    scene = build(Gas3D(shape=shape, grains=27, seed=3))
    assert sum(body.shape.volume for body in scene.bodies) / np.prod(scene.box.periods) == pytest.approx(0.2)
    assert all(body.mass == pytest.approx(1.0) and body.spin == (0.0, 0.0, 0.0) for body in scene.bodies)
    velocities = np.array([body.velocity for body in scene.bodies])
    assert np.abs(velocities.mean(axis=0)).max() < 1e-17 and np.linalg.norm(velocities, axis=1).mean() == pytest.approx(
        0.01, rel=0.1
    )
    another = build(Gas3D(shape=shape, grains=27, seed=4))
    assert another.bodies[0].orientation != scene.bodies[0].orientation


def test_the_contact_time_is_that_of_two_grains():
    plan = find("gas-3d").plan(Gas3D(steps_per_contact=100.0))
    assert contact_time(4.0) == pytest.approx(np.pi * np.sqrt(0.5 / 4.0)) and plan.dt == pytest.approx(contact_time(1.0) / 100.0)


def test_a_shape_it_does_not_know_is_refused():
    with pytest.raises(InputError, match="--shape cow"):
        find("gas-3d").choose("quick", {"shape": "cow"})


class Frames(list):
    """Frames with times."""

    times = np.array([0.0, 1.0, 2.0, 3.0, 4.0])


def made_up(share, thermal, error=0.0):
    """A run of cubes whose velocities and spins are at random in its second half, of one size before; all times alike."""
    rng, grains, inertia = np.random.default_rng(1), 3000, 1.0 / 6.0
    frames = Frames()
    for time in Frames.times:
        velocity, spin = rng.normal(size=(2, grains, 3))
        if time < 2.0 or not thermal:
            velocity, spin = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (velocity, spin))
        orientations = np.tile([1.0, 0.0, 0.0, 0.0], (grains, 1))
        frames.append(SimpleNamespace(velocities=velocity, spins=spin * np.sqrt(share / inertia), orientations=orientations))
    time = np.linspace(0.0, 4.0, 101)
    rotational = np.full(101, share)
    book = {"translational": 1.0 - rotational, "rotational": rotational.copy()}
    book["translational"] = book["translational"] + np.where(time > 3.0, error, 0.0)
    series = {"step": np.round(time / 4.0 * 2 * STEPS).astype(int), "time": time, "overlap_share": np.zeros(101), **book}
    scene = {"body_mass": np.ones(grains), "body_inertia": np.full((grains, 3), inertia)}
    from clast.measures.book import ACCOUNTS, Book

    series = {**{name: np.zeros(101) for name in ACCOUNTS}, **series}
    return SimpleNamespace(frames=frames, series=series, scene=scene, book=Book(time, series))


def test_equipartition_and_maxwell_are_told_from_what_is_neither():
    good = {each.name: each for each in evaluate(Gas3D(), made_up(0.5, thermal=True))}
    bad = {each.name: each for each in evaluate(Gas3D(), made_up(0.45, thermal=False))}
    for name in ("rotational share, second half", "⟨ε²⟩/⟨ε⟩² of translation, second half", "⟨ε²⟩/⟨ε⟩² of rotation, second half"):
        assert good[name].agrees is True and bad[name].agrees is False
    for values in final_speeds(made_up(0.5, thermal=True), "cube"):
        assert values.size == 9000 and np.mean(values**2) == pytest.approx(3.0)


def test_the_energy_error_is_judged_over_its_own_steps():
    found = {each.name: each for each in evaluate(Gas3D(), made_up(0.5, thermal=True, error=1e-4))}
    assert found["energy error over 1e5 steps"].agrees is True  # the error came later
    assert found["energy error over the run"].measured == pytest.approx(1e-4, rel=1e-3)
