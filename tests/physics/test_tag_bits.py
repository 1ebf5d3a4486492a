"""The same bits under all that changes with time, whatever blocks, outputs, stops and threads; and whoever leaves."""

import math

import numpy as np
import pytest
from books import booked
from same_bits import assert_same_bits, hand_over, result, with_outputs
from tagged_engines import BALL, BAR, LAW, TIMED, by_id, engine_of

from clast.dynamics import program
from clast.dynamics.engine import Engine
from clast.scene.plane import Scene
from clast.scene.tags import Dashpot, Force, Pressure, Velocity
from clast.scene.timed import Harmonic, Ramp, Table, evaluate
from clast.shapes import segment

# --- bits -------------------------------------------------------------------------------------------------------------

STEPS = 600
BITS_DT = 4e-4


def busy() -> Scene:
    """Everything that changes with time at once: moving sides, harmonic pressure, ramped drag, driven and loaded grains."""
    scene = Scene(law=LAW, gravity=(0.0, -5.0), drag=Ramp(2.0, 0.0, finish=0.15))
    rng = np.random.default_rng(3)
    for k in range(11):
        tags = {3: [Force(x=lambda t: 20 * math.sin(40 * t))], 5: [Dashpot(2.0)], 8: [Velocity(spin=Harmonic(3.0, 0.1))]}.get(
            k, []
        )
        scene.add(
            BALL, (k % 4 + 0.02 * (k % 3), 0.6 + k // 4), velocity=rng.normal(0, 1.0, 2), spin=rng.normal(0, 3.0), tags=tags
        )
    scene.add_wall(segment((-4.0, 0.0), (8.0, 0.0), 0.1))
    for x, name, sign in ((-0.62, "left", 1), (3.66, "right", -1)):
        squeeze = Velocity(x=lambda t, sign=sign: sign * 0.5 * math.sin(9 * t), y=0.0, spin=0.0)
        scene.add_wall(segment((x, -1.0), (x, 9.0), 0.1), name=name, tags=[squeeze])
    load = Pressure(Table([0.0, 0.1, 0.2], [10.0, 60.0, 20.0]), "-y", between=("left", "right"))
    scene.add(segment((-2.0, 0.0), (2.0, 0.0), 0.1), (1.5, 3.3), big=True, tags=[Velocity(x=0.0, spin=0.0), load])
    return scene


def resumed(scene: Scene, engine: Engine, **given) -> Engine:
    again = Engine(scene, dt=engine.dt, **{"alpha": 0.03, "integrator": engine.integrator, **given})
    hand_over(engine, again)
    return again


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    engine = engine_of(busy(), BITS_DT)
    engine.advance(STEPS)
    kept = result(engine)
    assert engine.rebuilds > 5
    assert len(kept["spring"]) > 10
    assert np.abs(kept["book"]).sum(axis=0)[[0, 1, 3, 4]].min() > 1e-3  # viscous, sliding, work of tags, drag
    return kept


@pytest.mark.parametrize("rows", [1, 7])
def test_bits_do_not_depend_on_the_borders_of_blocks(expected, monkeypatch, rows):
    monkeypatch.setattr(program, "FEWEST", rows)
    monkeypatch.setattr(program, "MOST", rows)
    engine = engine_of(busy(), BITS_DT)
    assert engine._program.rows == rows
    engine.advance(STEPS)
    assert_same_bits(result(engine), expected)


@pytest.mark.parametrize("name", TIMED)
def test_a_value_does_not_depend_on_its_neighbours_in_a_block(name):
    times = (np.arange(1000) + 0.5) * 1.37e-3
    whole = evaluate(TIMED[name], times, "it")
    assert np.array_equal(whole, np.concatenate([evaluate(TIMED[name], part, "it") for part in np.split(times, 200)]))
    assert np.array_equal(whole, [evaluate(TIMED[name], times[k : k + 1], "it")[0] for k in range(1000)])


def test_bits_do_not_depend_on_outputs_nor_on_alpha(expected):
    assert_same_bits(with_outputs(Engine(busy(), dt=BITS_DT, alpha=0.004), STEPS, 3), expected)


@pytest.mark.parametrize("stop", [1, 333])
def test_bits_do_not_depend_on_a_stop_in_the_middle_of_a_ramp(expected, stop):
    first = engine_of(busy(), BITS_DT)
    first.advance(stop)
    again = resumed(busy(), first)
    again.advance(STEPS)
    assert_same_bits(result(again), expected)


def test_bits_do_not_depend_on_threads(expected):
    first = engine_of(busy(), BITS_DT)
    first.advance(STEPS - 60)
    together = resumed(busy(), first, threads=2)
    together.advance(STEPS)
    assert_same_bits(result(together), expected)


def test_a_function_of_time_is_asked_about_once_per_step():
    asked = 0

    def push(t: float) -> float:
        nonlocal asked
        asked += 1
        return 0.0

    scene = Scene(law=LAW)
    scene.add(BALL, (0.0, 0.0), velocity=(10.0, 0.0))
    scene.add(BALL, (0.0, 9.0), tags=[Force(x=push)])
    engine = engine_of(scene, 1e-3)
    asked = 0
    engine.advance(1000)
    assert engine.rebuilds > 100
    assert asked <= 2100


# --- grains that leave ------------------------------------------------------------------------------------------------

STAY = [1, 3, 4, 6, 7, 8, 9]  # of `draining`; the others fall out of sight


def draining(remove_below: float | None = -3.0, drag: float = 0.0) -> Scene:
    """Two grains rub under a loaded lid between moving sides; 0 and 5 push each other off and leave at the first look,
    2 at the second; 4 falls as well, from high up."""
    scene = Scene(law=LAW, gravity=(0.0, -10.0), drag=drag, remove_below=remove_below)
    scene.add(BALL, (6.0, -2.7), spin=1.0)
    scene.add(BALL, (0.0, 0.59), velocity=(0.3, 0.0), spin=2.0)
    scene.add(BALL, (9.0, -1.0), velocity=(0.2, 0.0))
    scene.add(BALL, (0.999, 0.59), spin=-3.0)
    scene.add(BALL, (12.0, 50.0))
    scene.add(BALL, (6.99, -2.72))
    scene.add_wall(segment((-2.0, 0.0), (3.0, 0.0), 0.1))
    for x, name, sign in ((-1.5, "left", 1), (2.5, "right", -1)):
        squeeze = Velocity(x=lambda t, sign=sign: sign * 0.2 * math.sin(9 * t), y=0.0, spin=0.0)
        scene.add_wall(segment((x, 50.0), (x, 51.0), 0.1), name=name, tags=[squeeze])
    load = Pressure(Harmonic(5.0, 0.3, mean=20.0), "-y", between=("left", "right"))
    scene.add(BAR, (0.5, 1.19), big=True, tags=[Velocity(x=0.0, spin=0.0), load])
    return scene


LEAVE_DT, LEAVE_END = 4e-4, 2500


@pytest.fixture(scope="module")
def drained() -> Engine:
    engine = engine_of(draining(), LEAVE_DT)
    engine.advance(LEAVE_END)
    return engine


def test_those_who_stay_do_not_notice_who_left(drained):
    whole = engine_of(draining(None), LEAVE_DT)
    whole.advance(LEAVE_END)
    assert (drained.gone, drained.free, drained.moving, whole.gone) == (3, 3, 6, 0)
    assert np.array_equal(by_id(drained)[STAY], by_id(whole)[STAY])
    rows = [np.argsort(engine.order)[STAY] for engine in (drained, whole)]
    assert np.array_equal(drained.state.book[rows[0]], whole.state.book[rows[1]])
    assert np.array_equal(drained.springs().memory, whole.springs().memory)
    gone = by_id(drained)[[0, 2, 5]]
    assert (gone[:, 1] < -3.0).all()  # where they were last seen, at rest
    assert (by_id(whole)[[0, 2, 5], 1] < gone[:, 1] - 1.0).all()
    assert (gone[:, 3:] == 0.0).all()


def test_the_book_closes_over_grains_that_leave():
    with_removal, without = (booked(engine_of(draining(limit), LEAVE_DT), LEAVE_END, 40) for limit in (-3.0, None))
    assert abs(with_removal["carried_off"][-1]) > 1.0
    assert without["carried_off"][-1] == 0.0
    assert with_removal.residual == pytest.approx(without.residual, abs=1e-11)


def test_the_book_closes_over_grains_that_leave_with_drag():
    with_removal, without = (booked(engine_of(draining(limit, drag=2.0), LEAVE_DT), LEAVE_END, 40) for limit in (-3.0, None))
    assert abs(with_removal["carried_off"][-1]) > 1.0
    assert with_removal.residual == pytest.approx(without.residual, abs=1e-5)


@pytest.mark.parametrize("stop, threads, end", [(1500, 1, LEAVE_END), (1000, 2, 1060)])
def test_going_on_after_grains_have_left(drained, stop, threads, end):
    first = engine_of(draining(), LEAVE_DT)
    first.advance(stop)
    again = resumed(draining(), first, threads=threads)
    again.advance(end)
    first.advance(end)
    assert first.gone > 0
    assert_same_bits(result(again), result(first))
    if end == LEAVE_END:
        assert_same_bits(result(again), result(drained))


def test_an_engine_can_go_back_to_before_grains_left():
    engine, fresh = engine_of(draining(), LEAVE_DT), engine_of(draining(), LEAVE_DT)
    arrays, scalars = engine.checkpoint()
    engine.advance(1100)
    assert engine.gone == 2
    engine.restore(arrays, scalars)
    engine.advance(200)
    fresh.advance(200)
    assert_same_bits(result(engine), result(fresh))


def test_a_wall_is_not_a_grain_that_leaves():
    places = []
    for limit in (-3.0, None):
        scene = Scene(law=LAW, gravity=(0.0, -10.0), remove_below=limit)
        scene.add(BALL, (0.0, 8.0))
        scene.add(BAR, (0.0, -4.0), big=True)
        engine = engine_of(scene, 1e-3)
        engine.advance(1500)
        places.append(by_id(engine))
    assert np.array_equal(*places)
