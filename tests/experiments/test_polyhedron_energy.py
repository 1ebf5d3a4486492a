"""polyhedron-energy, with few grains and for a short time; and its judgement on made-up bounces."""

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.experiments import find
from clast.experiments.polyhedron_energy import (
    APART,
    CONSERVED,
    HALVINGS,
    LAWS,
    TILT,
    PolyhedronEnergy,
    changes,
    dropped,
    first_changes,
    first_name,
    orbit,
    rms,
    time_steps_share,
)
from clast.experiments.shared.running import run_experiment

FEW = {"grains": 3, "until": 0.25, "height": 0.01}
P = PolyhedronEnergy(**FEW)


@pytest.fixture(scope="module")
def drops(tmp_path_factory):
    return run_experiment(find("polyhedron-energy"), given=FEW, out=tmp_path_factory.mktemp("drops") / "run")


def test_grains_are_the_papers_and_fall_from_one_height():
    scene = dropped("volume", P.young, P)
    *grains, wall = scene.bodies
    assert [len(body.shape.vertices) for body in grains] == [12] * 3 and [len(body.shape.faces) for body in grains] == [20] * 3
    assert len({body.shape.volume for body in grains}) == 3
    for body in grains:
        assert body.position[2] + body.turned_vertices()[:, 2].min() == pytest.approx(P.height)
        assert 2.0 * body.shape.reach < APART
    assert wall.position[2] + wall.turned_vertices()[:, 2].max() == pytest.approx(0.0, abs=1e-17)


def test_one_law_conserves_energy_and_the_other_does_not(drops):
    found = {each.name: each for each in drops.quantities}
    published = found["CSM10's law: rms change of energy in a bounce"]
    assert published.agrees is False and published.measured > 1e-3 and published.published == 0.0
    assert found["conserving law: rms change of energy in a bounce"].agrees is True
    assert found["CSM10's law: closed orbit, not returned"].agrees is False
    assert found["conserving law: closed orbit, not returned"].agrees is True
    assert drops.figures[0].read_bytes().startswith(b"\x89PNG") and drops.figures[0].stat().st_size > 20_000


def test_it_is_the_law_and_not_the_time_step(drops):
    """The book says what the law gave; smaller steps change what the conserving law leaves, and not what CSM10's does."""
    tables = drops.run.tables
    assert np.abs(time_steps_share(tables["volume"])).max() < 1e-6 < CONSERVED < np.abs(changes(tables["volume"])).max()
    assert not tables["energy"]["law"].any()
    coarse, fine = (rms(first_changes(tables[first_name("volume", k)])) for k in (1, HALVINGS))
    assert fine == pytest.approx(coarse, rel=0.02)
    coarse, fine = (rms(first_changes(tables[first_name("energy", k)])) for k in (0, HALVINGS))
    assert fine < 0.06 * coarse, "three halvings, second order or better"


def test_every_highest_point_is_a_row(drops):
    for kind in LAWS:
        table = drops.run.tables[kind]
        for k in range(P.grains):
            chosen = table["grain"] == k
            assert table["bounce"][chosen].tolist() == list(range(chosen.sum())) and chosen.sum() > 2
            assert (np.diff(table["time"][chosen]) > 0.0).all()
        first = table["time"][table["bounce"] == 1.0]
        assert (first > P.fall).all() and (first < 2.2 * P.fall).all()
        assert (table["depth"][table["bounce"] > 0.0] > 0.0).all(), "between two highest points it touched the floor"


def test_a_led_grain_comes_back_to_where_it_was():
    there = orbit("energy", 2e-5, P)
    assert there["height"][0] == pytest.approx(8e-4) and there["height"][-1] == pytest.approx(8e-4, rel=1e-6)
    assert there["turned"].max() == pytest.approx(TILT, rel=1e-3) and there["turned"][-1] < 1e-6
    assert min(there["height"]) == pytest.approx(-4.8e-4, rel=1e-3)
    assert there["spent"][0] == 0.0 and max(there["spent"]) > 1e-5


def test_changes_are_those_within_a_grain():
    table = {"bounce": np.array([0.0, 1.0, 2.0, 0.0, 1.0]), "energy": np.array([0.0, 0.1, 0.3, 0.0, -0.5])}
    assert changes(table) == pytest.approx([0.1, 0.2, -0.5]) and first_changes(table) == pytest.approx([0.1, -0.5])
    assert rms(np.array([3.0, 4.0])) == pytest.approx(np.sqrt(12.5)) and np.isnan(rms(np.zeros(0)))


@pytest.mark.validate
@pytest.mark.parametrize("kind", LAWS)
def test_grains_do_not_meet_each_other(kind):
    engine = Engine(dropped(kind, P.young, PolyhedronEnergy(grains=8)), dt=P.dt)
    for step in range(0, 40_000, 500):
        engine.advance(step)
        assert (engine.snapshot().contacts.bodies == 8).any(axis=1).all(), "one of both is the floor"
