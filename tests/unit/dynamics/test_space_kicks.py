"""Kicks in space (model §6): sums of pairs, what moves too far, kicks and their work, and bodies with tags."""

import math

import numpy as np
import pytest
from space_tops import (
    ASYMMETRIC,
    MOMENTS,
    Q0,
    Run,
    a_run,
    clock_of,
    energy,
    exert,
    free_pass,
    geared,
    inverse_of,
    kinetic,
    momentum_of,
    tagged_pass,
    tags_of,
    top_at,
    world_of,
)

from clast.algebra import quaternions
from clast.backend.device import from_python
from clast.dynamics.arrays import DRAG, TAG_WORK, VISCOUS, SpaceState, Tags, flat
from clast.dynamics.space import kicks, motion
from clast.dynamics.space.columns import PULL, SPIN, SUMS, TURN, VELOCITY

gather, gather_all, gather_work, moved_too_far = map(
    from_python, (kicks.gather, kicks.gather_all, kicks.gather_work, motion.moved_too_far)
)


# --- sums, and too far ------------------------------------------------------------------------------------------------


def test_sums_of_pairs():
    """Over the pairs in which a body comes first and over those in which it comes second, ascending, one less the other: to the
    last bit."""
    rng = np.random.default_rng(3)
    rows = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4)]
    table, work = rng.normal(size=(len(rows), SUMS)), rng.normal(size=(len(rows), PULL))
    first = np.searchsorted([i for i, _ in rows], range(6)).astype(np.uint32)
    other = np.array(sorted(range(len(rows)), key=lambda p: (rows[p][1], p)), np.uint32)
    second = np.searchsorted([rows[p][1] for p in other], range(6)).astype(np.uint32)
    lists = flat(a_run(inverse_of("isotropic")).lists)._replace(first_pair=first, first_other=second, other=other)

    def summed(of: np.ndarray, b: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        mine, others = np.zeros(PULL), np.zeros(PULL)
        for p, (i, j) in enumerate(rows):
            if i == b:
                mine = mine + of[p, :PULL]
            if j == b:
                others = others + of[p, :PULL]
        return tuple(mine[:3] - others[:3]), tuple(mine[3:6] + others[6:9])

    for b in range(5):
        assert gather(b, lists, table.reshape(-1)) == summed(table, b)
        assert gather_all(b, lists, table.reshape(-1)) == (summed(table, b), summed(table[:, PULL:], b))
        assert gather_work(b, lists, work.reshape(-1)) == summed(work, b)


def test_too_far_is_the_way_of_the_farthest_point():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(20000, 3))
    points *= 1.5 / np.linalg.norm(points, axis=1, keepdims=True)
    for old in quaternions.random_turns(rng, 5):
        axis = rng.normal(size=3)
        new = quaternions.product(quaternions.about(axis, rng.uniform(0.1, 3.0)), old)
        turned, before = points @ quaternions.matrix(new).T, points @ quaternions.matrix(old).T
        for d in (np.zeros(3), rng.normal(size=3)):
            chord = np.linalg.norm(turned - before, axis=1).max()
            far = float(np.linalg.norm(d) + chord)
            assert np.linalg.norm(d + turned - before, axis=1).max() <= far
            for sign in (1.0, -1.0):  # q and −q are one orientation
                given = (*map(float, d), tuple(sign * new), tuple(old), 1.5)
                assert not moved_too_far(*given, 1.001 * far)
                assert moved_too_far(*given, 0.999 * far)
    still = (1.0, 0.0, 0.0, 0.0)
    assert not moved_too_far(0.0, 0.0, 0.0, still, still, 1.0, 0.0)
    assert moved_too_far(math.nan, 0.0, 0.0, still, still, 1.0, 1.0)
    assert moved_too_far(0.0, 0.0, 0.0, (math.nan, 0.0, 0.0, 0.0), still, 1.0, 1.0)


# --- kicks ------------------------------------------------------------------------------------------------------------


def step(run: Run, dt: float, drift: float, kick: float, share: float, drag: float = 0.0, alpha: float = 1e9) -> bool:
    return bool(free_pass(0, 1)(0, world_of(run, clock_of(dt, drift, kick, share, drag=drag, alpha=alpha))))


EVEN = [case for case in MOMENTS if case not in ASYMMETRIC]


@pytest.mark.parametrize("case", ["symmetric about x", "isotropic", "asymmetric, middle x"])
@pytest.mark.parametrize("drag", [0.0, 2.0])
def test_the_work_of_kicks_is_the_change_of_energy(case, drag):
    """Between half steps, with any forces and torques: to rounding, less what a free turn errs in the energy."""
    dt, inverse = 0.02, inverse_of(case)
    gravity = np.array([0.3, -0.4, -9.81])
    run = a_run(inverse, gravity)
    rng = np.random.default_rng(6)
    start, erred, weighed = kinetic(run), 0.0, 0.0
    for _ in range(500):
        exert(run, rng.normal(size=6))
        old = run.state.body[0, VELOCITY : VELOCITY + 3].copy()
        step(run, dt, 0.0, 1.0, 0.5, drag)
        weighed += 0.7 * dt * float(gravity @ (0.5 * (old + run.state.body[0, VELOCITY : VELOCITY + 3])))
        kicked = energy(momentum_of(run), inverse)
        run.forces.pair[:] = 0.0
        run.model.gravity[:] = 0.0
        step(run, dt, dt, 0.0, 0.5)
        run.model.gravity[:] = gravity
        erred += energy(momentum_of(run), inverse) - kicked
    book = run.state.book[0]
    assert (abs(erred) < 1e-12) == (case in EVEN)
    assert (book[DRAG] > 1.0) == (drag > 0.0)
    assert abs(book[VISCOUS]) > 1.0
    assert kinetic(run) - start - weighed - erred + book[VISCOUS] + book[DRAG] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("case", EVEN)
def test_the_energy_at_an_instant_is_that_of_both_half_kicks(case):
    """From the first step (half a kick) to an output (the other half): ½ v₋·m v₊ + ½ L₋·I⁻¹L₊ closes to rounding."""
    dt, inverse, rng = 0.02, inverse_of(case), np.random.default_rng(7)
    run = a_run(inverse, gravity=(0.0, 0.0, -2.0))
    mass, high = 0.7, run.state.body[0, 2]

    def at_instant(before: Run, after: Run) -> float:
        place = slice(VELOCITY, VELOCITY + 3)
        moved = 0.5 * mass * float(before.state.body[0, place] @ after.state.body[0, place])
        spun = 0.5 * float(np.sum(momentum_of(before) * np.array(inverse) * momentum_of(after)))
        return moved + spun + mass * 2.0 * before.state.body[0, 2]

    def copy_of(given: Run) -> Run:
        return given._replace(state=SpaceState(*(array.copy() for array in given.state)))

    wrench = rng.normal(size=6)
    exert(run, wrench, 0.5)
    before, after = copy_of(run), copy_of(run)
    step(after, dt, 0.0, 0.5, 1.0)
    place = slice(VELOCITY, VELOCITY + 3)
    before.state.body[0, place] = 2.0 * run.state.body[0, place] - after.state.body[0, place]
    before.state.momentum[0] = 2.0 * run.state.momentum[0] - after.state.momentum[0]
    spins = slice(SPIN, SPIN + 3)
    before.state.body[0, spins] = 2.0 * run.state.body[0, spins] - after.state.body[0, spins]
    start = at_instant(before, after)
    step(run, dt, dt, 0.5, 1.0)
    for n in range(1, 200):
        wrench = rng.normal(size=6)
        if n % 50 == 0:
            finished, after = copy_of(run), copy_of(run)
            exert(run, wrench, 0.5)
            step(finished, dt, 0.0, 0.5, 0.0)
            exert(run, wrench)
            step(after, dt, 0.0, 1.0, 0.5)
            assert at_instant(run, after) - start == pytest.approx(-finished.state.book[0, VISCOUS], abs=1e-12)
        exert(run, wrench)
        step(run, dt, dt, 1.0, 0.5)
    assert run.state.body[0, 2] != high


def test_a_driven_top_is_of_second_order():
    inverse = inverse_of("asymmetric, middle z")

    def torque(t: float) -> np.ndarray:
        return np.array([math.sin(3 * t), 0.7, math.cos(2 * t)])

    truth_q, truth_momentum = top_at(2.0, inverse, torque=torque)
    errors = []
    for steps in (100, 200, 400):
        run, dt = a_run(inverse), 2.0 / steps
        for n in range(steps):
            exert(run, np.array([0, 0, 0, *torque(n * dt)]), 0.5 if n == 0 else 1.0)
            step(run, dt, dt, 0.5 if n == 0 else 1.0, 0.5)
        exert(run, np.array([0, 0, 0, *torque(2.0)]), 0.5)
        step(run, dt, 0.0, 0.5, 0.0)
        momentum, q = run.state.momentum[0, :3], run.state.body[0, TURN : TURN + 4]
        errors.append(max(np.abs(momentum - truth_momentum).max(), np.abs(q - truth_q).max()))
        spin = quaternions.matrix(q) @ (np.array(inverse) * momentum)  # finished: that of the instant, not the mean
        assert run.state.body[0, SPIN : SPIN + 3] == pytest.approx(spin, abs=1e-14)
    assert np.diff(np.log2(errors)) == pytest.approx([-2.0, -2.0], abs=0.15)


def test_a_kick_moves_and_tells():
    """Place, and when the lists are stale; the row's other numbers stay."""
    run = a_run(inverse_of("isotropic"))
    run.state.body[0, 3] = 0.25
    assert not step(run, 0.1, 0.1, 1.0, 0.5, alpha=0.3)  # 0.119 and a chord of 0.094
    assert run.state.body[0, :3] == pytest.approx([0.2, 0.15, 0.34])
    assert run.state.body[0, 3] == 0.25
    assert step(run, 0.1, 0.1, 1.0, 0.5, alpha=0.3)


# --- tags -------------------------------------------------------------------------------------------------------------


def tagged_step(run: Run, tags: Tags, dt: float, drift: float, kick: float, whole: float, share: float, order: int = 0) -> None:
    drag = float(tags.program[0, -1])
    clock = clock_of(dt, drift, kick, share, whole=whole, drag=drag, first=whole < 1.0)
    tagged_pass(order, 1)(0, world_of(run, clock, tags))


@pytest.mark.validate
@pytest.mark.parametrize("drag", [0.0, 1.5])
@pytest.mark.parametrize("order", [0, 4, 5])
@pytest.mark.parametrize("case", ["asymmetric, middle y", "isotropic"])
def test_a_tagged_body_without_tags_moves_as_a_free_one(case, order, drag):
    rng = np.random.default_rng(8)
    runs = [a_run(inverse_of(case), (0.1, 0.2, -3.0), order=order) for _ in range(2)]
    dt, tags = 0.02, tags_of(drag=drag)
    for n in range(100):
        wrench, first = rng.normal(size=6), n == 0
        kick = 0.5 if first else 1.0
        for run in runs:
            exert(run, wrench, kick if order == 0 else 1.0)
        tagged_step(runs[1], tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
        if order == 0:
            step(runs[0], dt, dt, kick, 1.0 if first else 0.5, drag)
        else:
            geared(runs[0], order, dt, True, first, kick, 1, drag)
    for name, one, other in zip(SpaceState._fields, runs[0].state, runs[1].state, strict=True):
        if name != "momentum":
            assert one[0] == pytest.approx(other[0], abs=1e-11)
    assert momentum_of(runs[0]) == pytest.approx(momentum_of(runs[1]), abs=1e-11)
    assert np.abs(runs[0].state.body[0, :3] - (0.1, 0.2, 0.3)).max() > 1.0


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 5])
def test_a_push_moves_as_a_contact_does_and_its_work_is_booked(order):
    rng = np.random.default_rng(9)
    runs, dt = [a_run(inverse_of("asymmetric, middle y"), order=order) for _ in range(2)], 0.02
    for n in range(100):
        wrench, first = rng.normal(size=6), n == 0
        kick = 0.5 if first else 1.0
        exert(runs[0], wrench, kick if order == 0 else 1.0)
        pushed = tags_of(program=(*np.zeros(6), *wrench))
        for run, tags in zip(runs, (tags_of(), pushed), strict=True):
            tagged_step(run, tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
    assert runs[0].state.body[0] == pytest.approx(runs[1].state.body[0], abs=1e-11)
    assert runs[0].state.book[0, VISCOUS] == pytest.approx(-runs[1].state.book[0, TAG_WORK], abs=1e-11)
    assert abs(runs[1].state.book[0, TAG_WORK]) > 0.1


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 4])
def test_a_led_turn_is_about_its_axis_and_its_work_is_booked(order):
    """A steady spin: the exact turn. One that changes: what it takes is the energy it gains and what contacts take."""
    inverse, dt, spin = inverse_of("asymmetric, middle x"), 0.02, np.array([0.5, -1.2, 0.8])
    run = a_run(inverse, order=order)
    run.state.body[0, SPIN : SPIN + 3] = spin
    seen = spin @ quaternions.matrix(Q0)
    run.state.momentum[0, :3] = seen / np.array(inverse)
    imposed = (0, 0, 0, 1, 1, 1)
    for n in range(200):
        tags = tags_of(imposed, (0, 0, 0, *spin, *np.zeros(6)))
        tagged_step(run, tags, dt, dt, 0.5 if n == 0 else 1.0, 0.5 if n == 0 else 1.0, 1.0 if n == 0 else 0.5, order)
    turned = quaternions.product(quaternions.about(spin, np.linalg.norm(spin) * 200 * dt), Q0)
    assert run.state.body[0, TURN : TURN + 4] == pytest.approx(turned, abs=1e-12)
    assert run.state.momentum[0, :3] == pytest.approx(seen / np.array(inverse), abs=1e-12)
    assert run.state.book[0, TAG_WORK] == pytest.approx(0.0, abs=1e-12)  # a torque ω × L does no work
    rng = np.random.default_rng(10)
    start = energy(run.state.momentum[0, :3], inverse)
    pushed = 0.0
    for _ in range(200):
        aim, wrench = rng.normal(size=3), rng.normal(size=6)
        exert(run, wrench)
        old = run.state.body[0, SPIN : SPIN + 3].copy()
        tagged_step(run, tags_of(imposed, (0, 0, 0, *aim, *np.zeros(6))), dt, dt, 1.0, 1.0, 0.5, order)
        assert run.state.body[0, SPIN : SPIN + 3] == pytest.approx(aim)
        pushed += dt * float(wrench[3:] @ (old if order else 0.5 * (old + aim)))
        if order:  # what springs ask for, and no derivatives of its own
            assert run.state.gear[0, :3, -1] == pytest.approx(0.5 * (aim - old))
            assert (run.state.gear[0, 3:] == 0.0).all()
    book, momentum = run.state.book[0], run.state.momentum[0, :3]
    moved = 0.5 * 0.7 * float(np.sum(run.state.body[0, VELOCITY : VELOCITY + 3] ** 2)) - 0.5 * 0.7 * 1.41
    assert energy(momentum, inverse) - start - pushed == pytest.approx(book[TAG_WORK], abs=1e-11)
    if order == 0:
        assert moved + pushed == pytest.approx(-book[VISCOUS], abs=1e-11)
    assert abs(book[TAG_WORK]) > 0.1


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 4])
def test_a_led_place_and_a_dashpot(order):
    run, dt = a_run(inverse_of("isotropic"), (0.0, 0.0, -1.0), order=order), 0.01
    tags = tags_of((1, 0, 0, 0, 0, 0), (0.25, *np.zeros(11)), dashpot=(0.0, 3.0, 0.0))
    run.state.body[0, VELOCITY] = 0.25
    exert(run, np.array([-2.0, 0, 0, 0, 0, 0]))
    for n in range(100):
        first = n == 0
        exert(run, np.array([-2.0, 0, 0, 0, 0, 0]), 0.5 if first and order == 0 else 1.0)
        kick = 0.5 if first else 1.0
        tagged_step(run, tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
    body, book = run.state.body[0], run.state.book[0]
    assert body[0] == pytest.approx(0.1 + 0.25)
    assert body[VELOCITY + 1] == pytest.approx(-0.5 * math.exp(-3.0 / 0.7), rel=0.05)
    assert book[TAG_WORK] == pytest.approx(2.0 * 0.25, rel=0.01)
    heat = 0.5 * 0.7 * 0.25 * (1.0 - math.exp(-6.0 / 0.7))
    assert book[VISCOUS] == pytest.approx(heat + 2.0 * 0.25, rel=0.01)  # of the dashpot and of the contact
    assert body[VELOCITY + 2] == pytest.approx(0.4 - 1.0, rel=0.02)


@pytest.mark.validate
def test_a_pressure_acts_on_the_product_of_two_gaps():
    """Gaps between body 1 and the edge of body 0 along x and y, and a period; walls that have passed each other: none."""
    for second, expected in (((0, 1, 1), 2.5 * 0.5 * (2.0 + 0.1) * (4.0 - 0.2)), ((-1, -1, 1), 2.5 * 0.5 * (2.0 + 0.1) * 4.0)):
        run = a_run(inverse_of("isotropic"))
        run.state.body[1, :3] = 0.0
        before = run.state.body[0, VELOCITY + 2]
        tags = tags_of(loads=[0, 2, 1, 0, 0, *second], numbers=[-0.5, 2.0, 4.0], pressures=[2.5])
        tagged_step(run, tags, 0.01, 0.0, 1.0, 1.0, 0.5)
        assert (before - run.state.body[0, VELOCITY + 2]) * 0.7 / 0.01 == pytest.approx(expected)
    tags = tags_of(loads=[0, 2, 1, 0, 0, -1, -1, 1], numbers=[-0.5, -2.0, 4.0], pressures=[2.5])
    before = run.state.body[0, VELOCITY + 2]
    tagged_step(run, tags, 0.01, 0.0, 1.0, 1.0, 0.5)
    assert run.state.body[0, VELOCITY + 2] == before
