"""elastic-gas, with few grains and for a short time."""

import numpy as np
import pytest

from clast.errors import InputError
from clast.experiments import find
from clast.experiments.elastic_gas import SHAPES, ElasticGas, build
from clast.experiments.shared.running import run_experiment

SHORT = {"grains": 49, "until": 600.0}


@pytest.fixture(scope="module", params=list(SHAPES))
def gas(request, tmp_path_factory):
    return run_experiment(
        find("elastic-gas"), given={**SHORT, "shape": request.param}, out=tmp_path_factory.mktemp("gas") / "run"
    ).run


def test_grains_meet_and_energy_stays(gas):
    velocities = np.array([frame.velocities for frame in gas.frames])
    assert (np.abs(velocities[-1] - velocities[0]).max(axis=1) > 1e-3).mean() > 0.5  # most have collided
    assert 0.0 < gas.result["energy_error"] < 1e-5


def test_the_step_of_the_paper_costs_more(gas, tmp_path):
    shape = gas.provenance["parameters"]["shape"]
    coarse = run_experiment(find("elastic-gas"), given={**SHORT, "shape": shape, "dt": 0.05}, out=tmp_path / "run").run
    assert 1.2 * gas.result["energy_error"] < coarse.result["energy_error"] < 3e-5


def test_only_grains_with_corners_start_to_spin(gas):
    share = gas.series["rotational"][-1] / gas.book.energy[0]
    assert share < 1e-20 if gas.provenance["parameters"]["shape"] == "disk" else 0.1 < share < 0.6


def test_momentum_stays(gas):
    mass = gas.scene["body_mass"]
    momentum = np.array([mass @ frame.velocities for frame in gas.frames])
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(mass[:, None] * gas.frames[0].velocities).sum()


@pytest.mark.parametrize("shape", list(SHAPES))
def test_areas_and_fill_are_the_papers(shape):
    scene = build(ElasticGas(shape=shape))
    areas = np.array([body.shape.area for body in scene.bodies])
    assert areas.mean() == pytest.approx(1.0, rel=1e-12)
    assert areas.min() < 0.91 and areas.max() > 1.09 and np.ptp(areas) < 0.21
    assert areas.sum() / (scene.box.period_x * scene.box.period_y) == pytest.approx(0.186, abs=5e-4)
    assert [body.mass for body in scene.bodies] == list(areas)


def test_a_shape_it_does_not_know_is_refused():
    with pytest.raises(InputError, match="--shape cow"):
        find("elastic-gas").choose("quick", {"shape": "cow"})


def test_the_integrator_asked_for_steps_the_gas(monkeypatch, tmp_path):
    import clast.experiments.shared.running as conducting

    class AskedError(Exception):
        pass

    def run(scene, *, integrator, **others):
        raise AskedError(integrator)

    monkeypatch.setattr(conducting, "run_scene", run)
    with pytest.raises(AskedError, match="gear4"):
        run_experiment(find("elastic-gas"), given={"integrator": "gear4", "grains": 4}, out=tmp_path / "run")
