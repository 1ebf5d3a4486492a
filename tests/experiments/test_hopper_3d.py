"""hopper-3d, with a few dozen spheres; and its counting and fitting on made-up series."""

import math

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.dynamics.engine import Engine
from clast.errors import InputError, PhysicsError
from clast.experiments.hopper_3d import (
    BELOW,
    Hopper3D,
    beverloo,
    counting_error,
    filled,
    funnel,
    is_jammed,
    opened,
    openings_of,
    state_of,
    table_name,
)
from clast.experiments.shared.funnel import WALL
from clast.experiments.shared.space import DIAMETER, GAP, standing_room

TINY = {"grains": 60, "width": 6.0, "smallest": 4.5, "largest": 4.5, "openings": 1, "until": 4.5, "stiffness": 4e3}


@pytest.fixture(scope="module")
def emptied(tmp_path_factory):
    return conduct_without_pictures("hopper-3d", TINY, tmp_path_factory.mktemp("hopper") / "run")


def test_grains_lie_on_the_gate_and_come_out_one_after_the_other(emptied):
    p, tables = Hopper3D(**TINY), emptied.run.tables
    table, bodies = tables["opening 4.5"], tables["opening 4.5: bodies"]
    through = table["through"]
    assert through[0] == 0 and (np.diff(through) >= 0).all() and 20 < through[-1] <= 60
    start, end = (bodies["z"][k * 60 : (k + 1) * 60] for k in (0, 1))
    assert start.min() > WALL + 0.4 * DIAMETER  # on the gate
    assert start.mean() < np.mean([body.position[2] for body in funnel(p, 4.5, gated=False).bodies[:60]]) - 0.1  # they fell
    there = bodies["present"][60:] == 1.0
    assert through[-1] == 60 - np.count_nonzero(there & (end >= 0.0))
    assert bodies["present"][:60].all() and not there.all() and end[~there].max() < -BELOW  # taken out only below
    assert table["time"][-1] == pytest.approx(p.until, abs=1e-2)
    numbers = tables["opening 4.5: numbers"]
    assert numbers["energy_error"][0] < 1e-3 and 0.0 < numbers["overlap"][0] < 0.2 and numbers["filling"][0] > 1.0
    assert emptied.run.result["steps"] == numbers["steps"][0] and emptied.run.result["energy_error"] == numbers["energy_error"][0]


def test_result_and_figures_are_there(emptied):
    assert [path.name for path in emptied.figures] == ["flow.png"]
    found = {quantity.name: quantity for quantity in emptied.quantities}
    assert found["flow at 4.5 D"].measured > 1.0
    assert found["exponent of the flow"].agrees is None  # one opening is no law


def test_the_picture_shows_the_grains_that_are_left(emptied):
    p, bodies = Hopper3D(**TINY), emptied.run.tables["opening 4.5: bodies"]
    for shot in (0, 1):
        scene = state_of(p, emptied.run, 4.5, shot)
        rows = slice(shot * 60, (shot + 1) * 60)
        assert len(scene) == bodies["present"][rows].sum() + 1 and scene.bodies[-1].name == "funnel"
        heights = [body.position[2] for body in scene.bodies[:-1]]
        assert heights == bodies["z"][rows][bodies["present"][rows] == 1.0].tolist()


def test_the_opened_bin_is_the_filled_one_without_its_gate():
    p = Hopper3D(**TINY)
    closed = filled(p, 4.5, 1)
    scene = opened(p, 4.5, closed)
    engine = Engine(scene, dt=closed.dt)
    for name in ("positions", "orientations"):
        assert np.array_equal(*(getattr(each, name)[:60] for each in (closed, engine)))
    shears = []
    for each in (closed, engine):
        contacts = each.snapshot().contacts
        kept = (contacts.bodies < 61).all(axis=1)  # not those of the gate
        shears.append(np.sort(np.linalg.norm(contacts.shears[kept], axis=1)))
    assert len(shears[0]) > 60 and shears[0].max() > 0.1
    assert np.mean(np.abs(shears[1] - shears[0]) < 0.02) > 0.95  # contacts are loaded as they were; some slide


@pytest.mark.parametrize("shape", ["sphere", "brick"])
def test_grains_start_apart_in_the_bin(shape):
    p = Hopper3D(shape=shape, grains=120, width=7.0)
    closed, opened = (funnel(p, 4.0, gated=gated) for gated in (True, False))
    assert [body.name for body in closed.bodies[120:]] == ["funnel", "gate"]
    assert [body.name for body in opened.bodies[120:]] == ["funnel"]
    grain = closed.bodies[0].shape
    low, high = standing_room(grain)
    where = np.array([body.position for body in closed.bodies[:120]])
    assert not np.array_equal(
        where, [body.position for body in funnel(p.model_copy(update={"seed": 2}), 4.0, gated=True).bodies[:120]]
    )
    slack = 0.9 * GAP  # by which each is off its place
    corners = np.concatenate([where + np.array([x, y, low[2]]) for x in (low[0], high[0]) for y in (low[1], high[1])])
    away = np.hypot(corners[:, 0], corners[:, 1])
    assert (away <= 0.5 * 4.0 * DIAMETER + WALL + corners[:, 2] - math.sqrt(2.0) * WALL + 3.0 * slack).all()
    assert away.max() <= 3.5 * DIAMETER + 2.0 * slack and corners[:, 2].min() >= WALL - slack
    apart = np.abs(where[:, None] - where[None]) - (high - low)
    assert apart.max(axis=2)[~np.eye(120, dtype=bool)].min() > -2.0 * slack
    walls = closed.bodies[120].shape.drawn()
    assert walls[:, 2].min() == pytest.approx(0.0) and walls[:, 2].max() > where[:, 2].max()
    assert walls[walls[:, 2] == walls[:, 2].min(), 0].max() == pytest.approx(2.0 * DIAMETER + WALL)


def test_what_cannot_be_is_refused(monkeypatch):
    with pytest.raises(InputError, match="smaller than --width"):
        openings_of(Hopper3D(largest=12.0))
    monkeypatch.setattr("clast.experiments.hopper_3d.LONGEST", 0.2)
    with pytest.raises(PhysicsError, match="still move"):
        filled(Hopper3D(**TINY), 4.5, 1)


# --- judging ---------------------------------------------------------------------------------------------------------


def test_openings_are_spread_evenly():
    assert openings_of(Hopper3D(smallest=3.0, largest=5.0, openings=3)) == [3.0, 4.0, 5.0]
    assert openings_of(Hopper3D(smallest=3.0, largest=5.0, openings=1)) == [3.0]
    assert len({table_name(each) for each in openings_of(Hopper3D())}) == 5


def test_beverloo_is_found_again():
    openings, jams = np.array([3.0, 4.0, 5.0, 6.0]), np.array([True, False, False, False])
    flows = 0.7 * (openings - 1.4) ** 2.5
    exponent, k, factor = beverloo(openings, flows, jams)
    assert (exponent, k, factor) == pytest.approx((2.5, 1.4, 0.7))
    flows[0] = 1e3  # one that jammed tells nothing
    assert beverloo(openings, flows, jams) == pytest.approx((2.5, 1.4, 0.7))
    assert beverloo(openings, 0.7 * (openings - 1.4) ** 1.5, jams)[0] == pytest.approx(1.5)  # as it would be in the plane
    assert math.isnan(beverloo(openings, flows, np.array([True, True, False, False]))[0])


def test_the_error_of_the_exponent_is_that_of_counting():
    openings, jams = np.array([3.0, 4.0, 5.0, 6.0]), np.array([True, False, False, False])
    mean = 20.0 * (openings - 1.4) ** 2.5
    rng = np.random.default_rng(3)
    found = [beverloo(openings, rng.poisson(mean).astype(float), jams)[0] for _ in range(2000)]
    assert np.std(found) == pytest.approx(counting_error(openings, mean, jams), rel=0.08)


def test_jammed_means_silence_while_grains_remain():
    time = np.linspace(0.0, 10.0, 101)
    flowing = np.floor(5.0 * time)
    assert not is_jammed(time, flowing, 100)
    assert is_jammed(time, np.minimum(flowing, 20.0), 100)  # the last at 4
    assert not is_jammed(time, np.minimum(flowing, 20.0), 20)  # nobody was left
    assert not is_jammed(time, np.minimum(flowing, 35.0), 100)  # the last at 7: not silent long enough
