"""Drives of a biaxial cell: walls under pressure, at a speed, under a swinging stress, and pressures no radius can carry."""

import dataclasses
import math
import warnings

import numpy as np
import pytest

from clast.element_tests.biaxial import BiaxialCell
from clast.element_tests.recorded import record
from clast.errors import SceneError
from clast.experiments.packing import SHAPES, scattered
from clast.laws import Linear
from clast.measures import Region, Stress
from clast.protocols.press import Stop, prepare, start_from
from clast.protocols.walls import ENDS, SIDES, WALLS, PressureWarning, check_pressure, drive, press
from clast.scene.timed import Harmonic, Ramp

P, DT, GRAINS = 1e-3, 0.02, 36
LAW = Linear(1.0, 0.1, 0.5, normal_damping=0.6, tangential_damping=0.15)


@pytest.fixture(scope="module")
def cell():
    return BiaxialCell(scattered("pebble", GRAINS, 1), LAW, wall_radius=SHAPES["pebble"](1.0).radius)


@pytest.fixture(scope="module")
def dense(cell):
    """Pressed without friction, then at rest with it."""
    smooth = dataclasses.replace(LAW, friction=0.0)
    scene = cell.compressed(P, ramp=Ramp(0.0, P, finish=200.0), law=smooth, drag=0.02)
    found = prepare(scene, Stop(earliest=200.0, longest=20_000.0), dt=DT)
    return prepare(cell.held(P, prepared=found, drag=0.02), Stop(kinetic=1e-9, unbalanced=1e-4, longest=20_000.0), dt=DT)


def on_walls(test):
    """Stress on each wall over time."""
    stress = Stress("walls").compute(test)
    return {name: stress.on_wall[name][:, 0] for name in WALLS}


def test_constant_pressure(cell, dense):
    """Nothing happens: every wall carries its pressure from the first instant on, and the sample keeps its size."""
    test = record(cell.held(P, prepared=dense), until=400.0, dt=DT, samples=400, frames=1)
    for name, stress in on_walls(test).items():
        assert stress[0] == pytest.approx(P, rel=0.01), name
        assert np.abs(stress / P - 1.0).max() < 0.002, name
    area = Region().compute(test).area
    assert np.abs(area / area[0] - 1.0).max() < 1e-6
    assert test.series["dashpot_share"].max() < 0.02


def test_a_step_of_pressure_is_followed_without_ringing(cell, dense):
    """From p to 1.2 p over a few passages of a wave: within 1 % afterwards, and never 1 % above the larger."""
    scene = cell.scene()
    press(scene, WALLS, Ramp(P, 1.2 * P, finish=200.0, smooth=True))
    test = record(start_from(scene, dense), until=600.0, dt=DT, samples=600, frames=1)
    late = test.series["time"] > 250.0
    for name, stress in on_walls(test).items():
        assert np.abs(stress[late] / (1.2 * P) - 1.0).max() < 0.01, name
        assert stress.max() < 1.01 * 1.2 * P, name
        assert stress.min() > 0.99 * P, name
    assert test.series["dashpot_share"].max() < 0.02


def test_walls_at_a_speed(cell, dense):
    """ε = rate (t − onset/2), bottom and top alike; the sides keep their pressure."""
    rate, onset = 3e-5, 120.0
    scene = cell.sheared(P, rate, prepared=dense, onset=onset)
    test = record(scene, until=400.0, dt=DT, samples=400, frames=1)
    region, series = Region().compute(test), test.series
    strain = 1.0 - region.height / region.height[0]
    late = series["time"] >= onset
    assert strain[late] == pytest.approx(rate * (series["time"][late] - 0.5 * onset), rel=1e-4)
    assert series["top.y"][-1] - series["top.y"][0] == pytest.approx(series["bottom.y"][0] - series["bottom.y"][-1], rel=1e-9)
    for name in SIDES:
        assert np.abs(on_walls(test)[name] / P - 1.0).max() < 0.01, name
    assert on_walls(test)["top"][-1] > 1.5 * P
    assert series["dashpot_share"].max() < 0.02


def shaking(cell, dense, onset: float) -> float:
    """Largest departure of σ_yy from itself smoothed over 20 units of time, over p, while bottom and top start."""
    scene = cell.scene()
    press(scene, SIDES, P)
    drive(scene, ENDS, 0.5 * 3e-5 * dense.extent(scene).height, onset=onset)
    test = record(start_from(scene, dense), until=150.0, dt=DT, samples=300, frames=1)
    stress = Stress("walls").compute(test).yy
    smooth = np.convolve(np.pad(stress, 20, mode="edge"), np.ones(41) / 41.0, mode="valid")
    return float(np.abs(stress - smooth)[:250].max() / P)


def test_the_onset_keeps_waves_away(cell, dense):
    """A wall that starts at once strikes the sample by ρ c v: a tenth of the pressure. With an onset nothing is heard of it."""
    assert shaking(cell, dense, onset=DT) > 0.02
    assert shaking(cell, dense, onset=100.0) < 0.005


def test_harmonic_stress(cell, dense):
    """σ_a = p + Δσ (1 − cos 2πt/T)/2 on bottom and top, p on the sides: both within 1 % all the time."""
    swing, period = 0.4 * P, 300.0
    scene = cell.scene()
    press(scene, SIDES, P)
    press(scene, ENDS, Harmonic(-0.5 * swing, period, mean=P + 0.5 * swing))
    test = record(start_from(scene, dense), until=2.0 * period, dt=DT, samples=600, frames=1)
    time = test.series["time"]
    target = P + 0.5 * swing * (1.0 - np.cos(2.0 * math.pi * time / period))
    found = on_walls(test)
    for name in ENDS:
        assert np.abs(found[name] / target - 1.0).max() < 0.01, name
        assert np.ptp(found[name]) == pytest.approx(swing, rel=0.02), name
    for name in SIDES:
        assert np.abs(found[name] / P - 1.0).max() < 0.01, name
    # no ringing: what is not at the frequency of the load or slower is small
    high = np.abs(np.fft.rfft(found["top"][: len(time) // 2 * 2] - target[: len(time) // 2 * 2]))[12:] / len(time)
    assert high.max() < 0.002 * P
    assert test.series["dashpot_share"].max() < 0.02


def test_loose_samples_shrink_as_a_whole(cell):
    """No wall is faster than its closing speed, and the grains come along: they stay where they are within the sample."""
    width, height = cell.packing.width, cell.packing.height
    rate, until = 2e-3, 60.0
    scene = cell.compressed(P, closing_speed=0.5 * rate * max(width, height))
    test = record(scene, until=until, dt=DT, samples=60, frames=1)
    speed = np.abs(np.diff(test.series["left.x"]) / np.diff(test.series["time"]))
    assert 0.4 * rate * width < speed.max() < 0.5001 * rate * width
    middle = 0.5 * np.array([width, height])
    start, end = (test.frames[k].positions[:GRAINS] - middle for k in (0, -1))
    assert end == pytest.approx((1.0 - rate * until) * start, abs=0.05 * width)
    assert np.polyfit(start.ravel(), end.ravel(), 1)[0] == pytest.approx(1.0 - rate * until, abs=0.02)


def test_pressures_no_radius_can_carry():
    assert check_pressure(30.0, 1e4, 0.76, 0.1) == pytest.approx(0.0228)
    with pytest.raises(
        SceneError, match=r"pressure 2560 presses .* by 0\.195.* sphero-radius is 0\.1.* below 1\.32e\+03 .* above 1\.95e\+04"
    ):
        check_pressure(2560.0, 1e4, 0.76, 0.1)
    with pytest.warns(PressureWarning, match=r"by 0\.038, 38% of their sphero-radius.* below 263 it stays under 20%"):
        check_pressure(500.0, 1e4, 0.76, 0.1)


def test_builders_check_the_pressure(cell):
    radius = min(shape.radius for shape in cell.packing.shapes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell.compressed(0.19 * radius / 1.128)
    with pytest.warns(PressureWarning):
        cell.compressed(0.25 * radius / 1.128)
    with pytest.raises(SceneError, match="skeletons would meet"):
        cell.compressed(1.1 * radius / 1.128)
