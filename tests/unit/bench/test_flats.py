"""benchmarks/flats.py: an elastic foundation along edges conserves energy, has no jumps, and carries flats evenly."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

from clast.shapes import polygon

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
STEP = 1e-6


@pytest.fixture(scope="module")
def flats():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return importlib.import_module("flats")


def shapes(flats):
    """Convex, with a reflex corner, and with tips sharper than 90°."""
    bay = polygon([(-0.8, -0.5), (0.8, -0.5), (0.8, 0.5), (0.2, 0.5), (0.0, -0.1), (-0.2, 0.5), (-0.8, 0.5)], radius=0.1)
    return {"hexagon": flats.HEXAGON, "dart": flats.DART, "bay": bay}


def touching(flats, one, other, rng):
    """Two shapes that overlap a little, as they come from some side."""
    angles, way = rng.uniform(0.0, 6.0, 2), rng.normal(size=2)
    way /= np.hypot(*way)
    far = one.reach + other.reach
    while True:
        pair = flats.placed(one, 0.0, 0.0, angles[0]), flats.placed(other, *(far * way), angles[1])
        if flats.foundation(*pair).energy > 0.1:
            return pair
        far -= 0.01


def slope(flats, i, j):
    """Force on i, its torque and that of j, from differences of the energy."""

    def energy(x=0.0, y=0.0, turn=0.0, back=0.0):
        moved = i._replace(position=i.position + np.array([x, y]), angle=i.angle + turn)
        return flats.foundation(moved, j._replace(angle=j.angle + back)).energy

    names = ("x", "y", "turn", "back")
    return np.array([(energy(**{name: -STEP}) - energy(**{name: STEP})) / (2.0 * STEP) for name in names])


@pytest.mark.parametrize("name", ["hexagon", "dart", "bay"])
def test_forces_are_the_slope_of_the_energy(flats, name):
    rng, known = np.random.default_rng(5), shapes(flats)
    for other in known.values():
        for _ in range(3):
            pair = touching(flats, known[name], other, rng)
            push = flats.foundation(*pair)
            given = np.array([*push.force, push.torque, push.back])
            assert np.abs(given).max() > 1.0
            assert given == pytest.approx(slope(flats, *pair), abs=1e-6 * np.abs(given).max())


@pytest.mark.parametrize("name", ["hexagon", "dart", "bay"])
def test_no_force_jumps_on_the_way_round_a_corner(flats, name):
    """Steps a tenth as long change forces by a tenth."""
    shape = shapes(flats)[name]
    most = []
    for steps in (400, 4000):
        forces = []
        for t in np.linspace(0.0, 1.0, steps):
            height = shape.vertices[:, 1].max() + flats.SMALL.reach + flats.RADIUS - 0.15
            probe = flats.placed(flats.SMALL, -1.2 + 2.4 * t, height, 0.7 + t)
            forces.append(flats.bedded(probe, flats.placed(shape, 0.0, 0.0)))
        most.append(np.abs(np.diff(forces, axis=0)).max())
        assert np.abs(forces).max() > 1.0
    assert most[1] == pytest.approx(0.1 * most[0], rel=0.2)


def test_load_grows_with_the_length_in_contact(flats):
    """By κδ per length; the sideways push, κδ²/2, is what the energy loses by it."""
    loads = {offset: flats.bedded(*flats.on_hexagon(offset)) for offset in (0.1, 0.3, 0.6, 0.9)}
    for offset, (across, load) in loads.items():
        assert load == pytest.approx(loads[0.1][1] - 20.0 * (offset - 0.1), rel=1e-9)
        assert across == pytest.approx(0.5 * flats.STIFFNESS * flats.DEPTH**2, rel=1e-9)
    assert flats.bedded(*flats.on_hexagon(0.0))[1] == pytest.approx(20.0, rel=0.025)


def test_a_flat_on_a_long_flat_is_carried_evenly(flats):
    """To 5 %, the bar; and vertices in a flat change nothing."""
    for floor in (flats.FLOOR, flats.BENT):
        loads = [flats.bedded(*flats.on_floor(x, floor))[1] for x in np.linspace(-1.8, 1.8, 25)]
        assert np.ptp(loads) < 1e-4 * max(loads)
        assert max(loads) == pytest.approx(21.356, abs=2e-3)


def test_what_eulers_counts_carry(flats):
    """The figures of docs/laws.md."""
    for offset, load, most in ((0.0, 80.0, 1e-9), (0.04, 70.47, 7.0), (0.2, 40.0, 1e-9)):
        across, found = flats.counted(*flats.on_hexagon(offset))
        assert found == pytest.approx(load, abs=0.01)
        assert abs(across) <= most
    assert flats.counted(*flats.on_floor(0.0, flats.BENT))[1] == pytest.approx(60.0, abs=0.01)


def test_what_cubes_carry(flats):
    """The figures of docs/laws.md."""
    for x, y, angle, load in ((0.0, 0.0, 0.0, 12.0), (0.2, 0.0, 0.0, 8.0), (0.2, 0.2, 0.0, 4.0), (0.0, 0.0, 0.25 * math.pi, 8.0)):
        assert flats.counted_cubes(x, y, angle) == pytest.approx([0.0, 0.0, load], abs=1e-6)


def test_corners_are_soft_on_a_foundation(flats):
    """Why it is no option: at the load a flat carries at a tenth of the sum of radii, a corner sinks five times as deep."""
    flat = flats.bedded(*flats.on_floor(0.0))[1]
    assert flats.sinking(flat, 0.0) == pytest.approx(flats.DEPTH, rel=1e-9)
    assert flats.sinking(flat, math.radians(30.0)) == pytest.approx(0.0999, abs=1e-4)


@pytest.mark.validate
def test_energy_of_a_few_bodies_closes_at_second_order(flats):
    errors = [flats.energy_error(dt, flats.LASTING) for dt in (1e-3, 5e-4)]
    assert errors[0][0] < 5e-4
    assert math.log2(errors[0][0] / errors[1][0]) > 1.8
    assert abs(errors[1][1]) < 0.1 * errors[1][0]
