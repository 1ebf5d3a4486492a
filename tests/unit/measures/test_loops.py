"""Loops on curves whose areas, tips and drifts are known in closed form, and on a made-up run."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_runs import hexagonal_cell, square_packing

from clast.errors import InputError
from clast.measures import Loops
from clast.measures.loops import CycleWarning, loop_area

matplotlib.use("agg")
PERIOD, SWING, REACH, LAG = 8.0, 3.0, 0.02, 0.4  # time, stress, strain, radians


def ellipses(cycles=3, samples=40, *, drift=0.0, begin=0.0, period=PERIOD):
    """Stress p + Δσ(1 − cos)/2 and a strain that lags behind it, with a drift per cycle; from time 0."""
    time = np.linspace(0.0, begin + cycles * period, round(samples * (cycles + begin / period)) + 1)
    turn = 2.0 * np.pi * (time - begin) / period
    stress = 7.0 + 0.5 * SWING * (1.0 - np.cos(turn))
    strain = 0.5 * REACH * (np.cos(LAG) - np.cos(turn - LAG)) + drift * (time - begin) / period
    return time, strain, stress


def test_area_of_an_ellipse():
    loops = Loops(PERIOD).read(*ellipses())
    polygon = np.sin(2.0 * np.pi / 40) / (2.0 * np.pi / 40)  # of 40 corners, over the ellipse
    assert loops.area == pytest.approx(0.25 * np.pi * SWING * REACH * np.sin(LAG) * polygon, rel=1e-12)
    assert Loops(PERIOD).read(*ellipses(samples=2000)).area == pytest.approx(0.25 * np.pi * SWING * REACH * np.sin(LAG), rel=1e-5)
    time, strain, stress = ellipses()
    assert Loops(PERIOD).read(time, -strain, stress).area == pytest.approx(-loops.area)  # the other way round
    assert loops.accumulated == pytest.approx(0.0, abs=1e-15)


def test_tip_and_damping():
    loops = Loops(PERIOD).read(*ellipses(samples=2000))
    strain = 0.5 * REACH * (np.cos(LAG) + 1.0)
    stress = 0.5 * SWING * (1.0 + np.cos(LAG))  # where strain is largest: later than where stress is
    assert loops.tip_strain == pytest.approx(strain, rel=1e-5) and loops.tip_stress == pytest.approx(stress, rel=1e-3)
    assert loops.damping == pytest.approx(0.25 * np.pi * SWING * REACH * np.sin(LAG) / (0.5 * strain * stress), rel=1e-3)


def test_a_rectangle_is_the_most_a_loop_can_have():
    time = np.linspace(0.0, 1.0, 31)
    stress = np.interp(time, [0.0, 0.3, 0.6, 0.9, 1.0], [5.0, 9.0, 9.0, 5.0, 5.0])
    strain = np.interp(time, [0.0, 0.3, 0.6, 0.9, 1.0], [0.0, 0.0, 0.1, 0.1, 0.1])
    loops = Loops(1.0).read(time, strain, stress)  # the chord closes it along the bottom
    assert loops.area == pytest.approx(0.4)
    assert loop_area(strain, stress + 100.0) == pytest.approx(0.4)  # σ₀ drops out
    assert (
        loops.tip_strain == pytest.approx(0.1) and loops.tip_stress == pytest.approx(4.0) and loops.damping == pytest.approx(2.0)
    )


def test_a_loop_that_does_not_come_back_is_closed_by_a_chord():
    assert loop_area(np.array([0.0, 2.0, 2.0]), np.array([5.0, 9.0, 6.0])) == pytest.approx(3.0)  # a triangle: base 3, height 2


def test_samples_that_miss_the_ends_of_cycles_add_no_strain():
    """A straight line between samples would lie above the lowest strain by up to 6e-6, differently in each cycle."""
    time, strain, stress = ellipses(cycles=5, samples=400, drift=1e-9)
    some = np.arange(0, len(time), 7)  # 400/7 per cycle
    loops = Loops(PERIOD).read(time[some], strain[some], stress[some])
    assert len(loops.area) == 4 and loops.per_cycle == pytest.approx(1e-9, abs=3e-8)


@pytest.mark.parametrize("wrong", [{"period": 0.7 * PERIOD}, {"period": PERIOD, "begin": 0.5 * PERIOD}])
def test_a_wrong_period_or_phase_is_warned_of(wrong):
    with pytest.warns(CycleWarning, match="begins .* of its swing above its lowest stress"):
        Loops(**wrong).read(*ellipses())


def test_a_sample_at_rest_is_no_wrong_phase(recwarn):
    time, strain, _ = ellipses()
    Loops(PERIOD).read(time, strain, 7.0 + 1e-6 * np.cos(3.0 * time))
    assert not recwarn.list


def test_strain_that_stays():
    loops = Loops(PERIOD).read(*ellipses(cycles=5, drift=1e-3))
    assert loops.accumulated == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3, 5e-3])
    assert loops.per_cycle == pytest.approx(1e-3) and loops.rate() == pytest.approx(1e-3)
    time, strain, stress = ellipses(cycles=6)
    late = Loops(PERIOD).read(time, strain + 1e-3 * np.minimum(time / PERIOD, 4.0), stress)  # stops after four cycles
    assert late.rate() == pytest.approx(1e-3 / 3.0) and late.rate(1.0 / 3.0) == pytest.approx(0.0, abs=1e-15)
    assert late.rate(0.01) == late.per_cycle[-1]


def test_cycles_need_not_begin_at_samples():
    straight = Loops(PERIOD, begin=3.1).read(*ellipses(samples=1000, begin=3.1, drift=1e-3))
    assert len(straight.area) == 3
    assert straight.accumulated == pytest.approx([1e-3, 2e-3, 3e-3], rel=1e-4)
    assert straight.area == pytest.approx(Loops(PERIOD).read(*ellipses(samples=1000, drift=1e-3)).area, rel=1e-4)
    strain, stress = straight.loop(-1)
    assert stress[0] == pytest.approx(7.0, abs=1e-3) and strain[-1] - strain[0] == pytest.approx(1e-3, rel=1e-3)


def made(axis="y"):
    """The square packing with its walls led along ellipses: bottom and top, or left and right."""
    run = square_packing(4, 3)
    time, strain, stress = ellipses()
    run.series = {name: np.full(len(time), values[0]) for name, values in run.series.items()} | {"time": time}
    (low, high), length, across = (("bottom", "top"), 3.0, 4.0) if axis == "y" else (("left", "right"), 4.0, 3.0)
    run.series[f"{high}.{axis}"] = run.series[f"{high}.{axis}"] - length * strain
    for name, side in ((low, -1.0), (high, 1.0)):
        run.series[f"{name}.force_{axis}"] = side * stress * across
    area = 12.0 * (1.0 - strain)
    run.series[f"virial_{axis}{axis}"] = stress * area
    return run


@pytest.mark.parametrize("axis", ["y", "x"])
@pytest.mark.parametrize("source", ["walls", "contacts"])
def test_loops_of_a_run(axis, source):
    loops = Loops(PERIOD, axis=axis, source=source).compute(made(axis))
    assert loops.area == pytest.approx(Loops(PERIOD).read(*ellipses()).area, rel=1e-9)
    figure = loops.plot()
    assert len(figure.axes[0].lines) == 3 and "strain" in figure.axes[0].get_xlabel() and "stress" in figure.axes[0].get_ylabel()
    _, axes = plt.subplots()
    assert loops.plot(axes) is axes.figure
    plt.close("all")


def test_a_periodic_sample_is_read_by_its_contacts():
    run, (time, strain, stress) = hexagonal_cell(), ellipses()
    width, height = run.scene["period"]
    run.series = {"time": time, "cell.x": np.full(len(time), width), "cell.y": height * (1.0 - strain)}
    run.series |= {name: np.zeros(len(time)) for name in ("virial_xx", "virial_xy", "virial_yx")}
    run.series["virial_yy"] = stress * width * run.series["cell.y"]
    assert Loops(PERIOD).compute(run).area == pytest.approx(Loops(PERIOD).read(*ellipses()).area, rel=1e-9)


def test_refusals():
    for period in (0.0, -1.0, float("nan"), "ten"):
        with pytest.raises(InputError, match=r"Loops: period = .* must be a positive time"):
            Loops(period)
    with pytest.raises(InputError, match="before the first cycle of 30 is over"):
        Loops(30.0).read(*ellipses())
    with pytest.raises(InputError, match="samples lie too far apart"):
        Loops(PERIOD).read(*ellipses(samples=7))
    loops = Loops(PERIOD).read(*ellipses())
    for number in (3, -4):
        with pytest.raises(InputError, match=f"there is no cycle {number}: the run has 3"):
            loops.loop(number)
    still = Loops(PERIOD).read(*(each if k == 0 else np.full_like(each, 7.0) for k, each in enumerate(ellipses())))
    assert np.isnan(still.damping).all() and not still.area.any()
