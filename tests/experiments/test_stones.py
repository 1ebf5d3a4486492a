"""stones, with a few dozen spheres; and its counting on made-up series."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.errors import InputError
from clast.experiments.shared.funnel import WALL
from clast.experiments.shared.space import DIAMETER
from clast.experiments.stones import BELOW, FAR, Stones, build, evenness, flow, rising

TINY = {
    "shape": "sphere", "grains": 60, "opening": 4.5, "width": 6.0, "opens": 10.0, "until": 22.0, "frames": 22,
    "stiffness": 2e3,
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return conduct_without_pictures("stones", TINY, tmp_path_factory.mktemp("stones") / "run").run


def test_nobody_comes_out_before_the_gate_drops_and_all_do_after(run):
    time, through = run.series["time"], run.series["through"]
    assert through[time <= 10.0].max() == 0.0 and through[-1] == 60.0
    first = run.frames[int(np.argmin(np.abs(run.frames.times - 10.0)))]
    assert first.positions[:60, 2].min() > WALL + 0.4 * DIAMETER  # they lie on the gate
    assert np.median(np.linalg.norm(first.velocities[:60], axis=1)) < 0.2


def test_the_gate_falls_by_itself_and_out_of_the_way(run):
    heights = np.array([run.frames[k].positions[-1, 2] for k in range(len(run.frames))])
    assert heights[0] == 0.0 and heights[-1] == pytest.approx(-FAR, rel=1e-3) and -FAR < -BELOW


def test_the_book_closes_and_the_flow_is_judged(run):
    assert run.book.energy_error < 1e-3
    quantities = {each["name"]: each for each in run.result["quantities"]}
    assert quantities["stones that came out"]["measured"] == 60.0
    assert quantities["flow of 40 … 70 % / of 10 … 40 %"]["measured"] > 0.0
    assert 0.2 < quantities["flow / Beverloo's"]["measured"] < 5.0


def made_up(through: np.ndarray, time: np.ndarray) -> SimpleNamespace:
    return SimpleNamespace(series={"time": time, "through": through}, scene={"body_big": np.zeros(100)})


def test_an_even_flow_is_the_same_at_any_time_and_one_that_slows_is_not():
    time = np.linspace(0.0, 10.0, 101)
    even = made_up(np.clip(20.0 * (time - 2.0), 0.0, 100.0), time)
    assert flow(even, 0.1, 0.4) == pytest.approx(20.0) and flow(even, 0.4, 0.7) == pytest.approx(20.0)
    slows = made_up(100.0 * (1.0 - np.exp(-0.3 * time)), time)
    assert flow(slows, 0.4, 0.7) < 0.8 * flow(slows, 0.1, 0.4)
    assert evenness(even).agrees is True and evenness(slows).agrees is False
    assert evenness(made_up(0.3 * even.series["through"], time)).agrees is None
    bursts = made_up(np.interp(time, [0, 1, 2, 4, 5, 6, 7, 8], [0, 10, 38, 40, 45, 68, 70, 100]), time)
    assert evenness(bursts).agrees is None and "too few" in evenness(bursts).note
    assert math.isnan(flow(made_up(0.3 * even.series["through"], time), 0.4, 0.7))  # it jammed


def test_a_stone_thrown_up_again_is_not_counted_twice():
    through, time = rising(np.array([0.0, 1.0, 3.0, 2.0, 3.0, 4.0]), np.arange(6.0))
    assert through.tolist() == [0.0, 1.0, 3.0, 4.0] and time.tolist() == [0.0, 1.0, 2.0, 5.0]


@pytest.mark.parametrize(("bad", "message"), [({"opening": 7.0}, "--width 6.0"), ({"opens": 25.0}, "--until 22.0")])
def test_what_makes_no_sense_is_refused(bad, message):
    with pytest.raises(InputError, match=message):
        build(Stones(**{**TINY, **bad}))
