"""mu-of-i, with 36 disks and a little strain; and what it reads off curves that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.mu_of_i import (
    INERTIAL_NUMBERS,
    SETTLING,
    MuOfI,
    evaluate,
    fraction_of,
    friction_of,
    grain_of,
    sheared,
    table_name,
)
from clast.experiments.shared.running import run_experiment

TINY = {"grains": 36, "seeds": 1, "shape": "disk", "strain": 0.03, "start": 0.01, "dt": 2e-3}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("mu-of-i"), given=TINY, out=tmp_path_factory.mktemp("mu") / "run")


def test_units_are_those_of_the_inertial_number():
    scene = sheared(MuOfI(shape="hexagon", grains=64), "hexagon", 0.1, 1)
    areas = np.array([body.shape.area for body in scene.bodies])
    assert scene.bodies.column("mass").mean() == pytest.approx(1.0)
    assert (2.0 * np.sqrt(areas / np.pi)).mean() == pytest.approx(1.0)
    assert grain_of("disk", 0.8).area == pytest.approx(grain_of("hexagon", 0.8).area)
    velocities, mass = scene.bodies.column("velocity"), scene.bodies.column("mass")
    assert mass @ velocities == pytest.approx([0.0, 0.0], abs=1e-12)


def test_every_test_is_sheared_at_its_rate_under_its_pressure(tested):
    for number in INERTIAL_NUMBERS:
        table = tested.run.tables[table_name("disk", number, 1)]
        rates = np.gradient(table["offset"], table["time"]) / table["height"]
        assert np.median(rates) == pytest.approx(number, rel=0.01)
        assert table["stress_yy"][table["time"] > 0.8 * SETTLING].mean() == pytest.approx(1.0, abs=0.3)
        assert len(tested.run.tables[table_name("disk", number, 1) + ": bodies"]["x"]) == 36


def test_figures_are_drawn(tested):
    assert [path.name for path in tested.figures] == ["mu-of-i.png", "cells.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 15_000


def made(p, frictions):
    """A run whose tests have these frictions, one for each seed, plus a start that does not count."""
    tables = {}
    for number in INERTIAL_NUMBERS:
        for seed, friction in enumerate(frictions, 1):
            time = np.linspace(0.0, SETTLING + 2.0 * p.start / number, 201)
            counts = time >= SETTLING + p.start / number
            line = (0.25 + 1.1 * number) * friction
            shear = np.where(counts, -line, 7.0)
            columns = {
                "time": time, "stress_xy": shear, "stress_yx": shear, "stress_yy": np.ones(201), "contacts_yy": np.full(201, 0.9),
                "height": np.full(201, 20.0), "overlap_share": np.full(201, 1e-3), "energy_error": np.full(201, 1e-5),
            }  # fmt: skip
            tables[table_name("disk", number, seed)] = columns
    return SimpleNamespace(tables=tables)


@pytest.mark.parametrize(("factor", "agrees"), [(1.0, True), (1.04, True), (1.06, False), (0.94, False)])
def test_the_mean_over_seeds_is_held_against_the_line(factor, agrees):
    p = MuOfI(shape="disk", seeds=2, grains=256)
    run = made(p, (factor - 0.02, factor + 0.02))
    assert friction_of(p, 0.1, run.tables[table_name("disk", 0.1, 1)]) == pytest.approx((factor - 0.02) * 0.36)
    found = {each.name: each for each in evaluate(p, run)}
    for number in INERTIAL_NUMBERS:
        quantity = found[f"disks: μ at I = {number:g}"]
        assert quantity.published == pytest.approx(0.25 + 1.1 * number)
        assert quantity.measured == pytest.approx(factor * quantity.published) and quantity.agrees is agrees
        assert "±" in quantity.note
    share = found["largest share of the motion of grains in the normal stress"]
    assert share.measured == pytest.approx(0.1)


def test_the_solid_fraction_is_area_over_width_and_height():
    p = MuOfI(shape="disk", grains=256)
    scene = sheared(p, "disk", 0.1, 1)
    area = sum(body.shape.area for body in scene.bodies)
    run = made(p, (1.0,))
    assert fraction_of(p, 0.1, run.tables[table_name("disk", 0.1, 1)]) == pytest.approx(area / (scene.box.period_x * 20.0))
