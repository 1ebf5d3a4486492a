"""What is imposed on bodies (GM09 §2.5, model §6) against closed forms, and what may be said of it."""

import math

import numpy as np
import pytest
from books import booked
from scipy.integrate import quad
from tagged_engines import BALL, BAR, LAW, TIMED, K, by_id, engine_of

from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.scene.timed import Harmonic, Ramp, Table
from clast.shapes import segment


def falls_by_four(coarse: float, fine: float) -> None:
    """Second order: half the step, a quarter of the error."""
    assert 3.5 < coarse / fine < 4.5


# --- velocities and forces --------------------------------------------------------------------------------------------


def test_a_prescribed_velocity_is_followed():
    """x = x₀ + Δt Σ f(t_n + ½Δt), which is the integral to second order; every work is the change of kinetic energy."""
    end, off = 1.0, {}
    for steps in (200, 400):
        scene = Scene(law=LAW, gravity=(0.0, -3.0))
        for k, value in enumerate(TIMED.values()):
            scene.add(BALL, (0.0, 9.0 * k), tags=[Velocity(x=value, y=lambda t: math.cos(t), spin=value)])
        engine = engine_of(scene, end / steps)
        book = booked(engine, steps, 40)
        assert np.abs(book.residual).max() < 1e-11
        assert book.kinetic[0] == pytest.approx(
            sum(0.5 * BALL.area * (1 + float(f(0.0)) ** 2) + 0.5 * BALL.inertia * float(f(0.0)) ** 2 for f in TIMED.values()),
            1e-3,
        )
        found = by_id(engine)
        middle = (np.arange(steps) + 0.5) * engine.dt
        for k, (name, value) in enumerate(TIMED.items()):
            expected = engine.dt * sum(float(value(t)) for t in middle)
            assert found[k, 0] == pytest.approx(expected, abs=1e-12)
            assert found[k, 2] == pytest.approx(expected, abs=1e-12)
            exact = quad(value, 0.0, end, points=[0.1, 0.3, 0.77, 0.8], epsabs=1e-13)[0]
            off.setdefault(name, []).append(abs(found[k, 0] - exact))
    for name in ("function", "harmonic", "smooth ramp"):
        falls_by_four(*off[name])
    assert all(errors[1] < 4e-3 for errors in off.values())


@pytest.mark.parametrize("component", [0, 2])
def test_a_prescribed_force(component):
    weight = (BALL.area, None, BALL.inertia)[component]
    rate, size, off = 5.0, 0.3, []

    def push(t: float) -> float:
        return size * math.sin(rate * t)

    for steps in (100, 200):
        scene = Scene(law=LAW)
        scene.add(BALL, (0.0, 0.0), tags=[Force(x=push) if component == 0 else Force(torque=push), Force(y=1.0)])
        engine = engine_of(scene, 1.0 / steps)
        book = booked(engine, steps, 40)
        found = by_id(engine)[0]
        speed = size / (weight * rate) * (1 - math.cos(rate))
        way = size / (weight * rate) * (1.0 - math.sin(rate) / rate)
        off.append((abs(found[3 + component] - speed), abs(found[component] - way)))
        assert found[1] == pytest.approx(0.5 / BALL.area, rel=1e-12)
        assert np.abs(book.residual).max() < 1e-13
        assert book.work[-1] == pytest.approx(0.5 / BALL.area + 0.5 * weight * speed**2, abs=1e-4)
    falls_by_four(off[0][0], off[1][0])
    falls_by_four(off[0][1], off[1][1])


# --- pressure ---------------------------------------------------------------------------------------------------------


def press(load: Pressure | None = None, *, balls: int = 3, left=None, right=None, box=None, **lid) -> Scene:
    """A column of disks on a floor under a lid; side walls at x = ±1, high above, only bound the loaded face (1.8 wide)."""
    scene = Scene(law=LAW, drag=lid.pop("drag", 0.0), box=box)
    for k in range(balls):
        scene.add(BALL, (0.0, 0.6 + k))
    scene.add_wall(segment((-2.0, 0.0), (2.0, 0.0), 0.1))
    for x, name, velocity in ((-1.0, "left", left), (1.0, "right", right)):
        tag = Fixed() if velocity is None else Velocity(x=velocity, y=0.0, spin=0.0)
        scene.add_wall(segment((x, 50.0), (x, 52.0), 0.1), name=name, tags=[tag])
    tags = [Velocity(x=0.0, spin=0.0), load or Pressure(50.0, "-y", between=("left", "right")), *lid.pop("tags", ())]
    scene.add(BAR, (0.0, 0.2 + balls), big=True, name="lid", tags=tags, **lid)
    return scene


def lid_of(engine: Engine) -> np.ndarray:
    return by_id(engine)[-1]


@pytest.mark.parametrize("way", ["still", "side walls move", "pressure changes", "period"])
def test_a_lid_finds_its_place(way):
    """All contacts of the column carry p L, so the lid comes to rest lower by 4 p L/k_n."""
    pressure, given, width, final = 50.0, {}, 1.8, 50.0
    if way == "side walls move":  # by 0.4 and 0.6, and stop
        given = {part: (lambda t, s=s: s * (1 - math.cos(2 * math.pi * t)) if t < 1 else 0.0) for part, s in
                 (("left", -0.4), ("right", 0.6))}  # fmt: skip
        width = 2.8
    if way == "pressure changes":
        final = 80.0
        pressure = Ramp(50.0, final, finish=1.0)
    if way == "period":
        width, given = 4.5, {"box": Box(period_x=4.5)}
    load = Pressure(pressure, "-y", between=None if way == "period" else ("left", "right"))
    engine = engine_of(press(load, drag=8.0, **given), 5e-4)
    engine.advance(8000)
    x, y, _, _, speed, _ = lid_of(engine)
    assert abs(speed) < 1e-8
    assert (x, y) == pytest.approx((0.0, 3.2 - 4 * final * width / K), abs=1e-8)
    assert engine.snapshot().contacts.depths == pytest.approx([final * width / K] * 4, rel=1e-6)


def test_a_pressure_is_a_force_on_the_present_gap():
    """Nothing but the load: M ÿ = −p (L + v t) while the right wall leaves with v; two loads add up."""
    off, push, speed, mass = [], 3.0, 0.7, 2.0
    for steps in (100, 200):
        scene = press(Pressure(push, "-y", between=("left", "right")), balls=1, right=speed, mass=mass, tags=[Dashpot(0.0)])
        scene.tag("lid", Pressure(lambda t: 0.5, "+y", between=("left", "right")))
        scene.bodies[-1].position = (0.0, 9.0)
        engine = engine_of(scene, 1.0 / steps)
        book = booked(engine, steps, 40)
        off.append(abs(lid_of(engine)[1] - 9.0 + (push - 0.5) / mass * (1.8 / 2 + speed / 6)))
        assert np.abs(book.residual).max() < 1e-12
    falls_by_four(*off)


def test_the_work_of_a_pressure_closes_the_book():
    """A lid that swings on a column with a harmonic load and moving side walls, always in touch: residual of order two."""
    errors = []
    for dt in (4e-4, 2e-4):
        load = Pressure(Harmonic(10.0, period=0.5, mean=60.0), "-y", between=("left", "right"))
        scene = press(load, right=lambda t: math.sin(2 * t), drag=0.5)
        for k in range(3):
            scene.bodies[k].position = (0.0, 0.6 + k - 0.0108 * (k + 1))
        scene.bodies[-1].position = (0.0, 3.2 - 4 * 0.0108)
        book = booked(engine_of(scene, dt), round(1.0 / dt), samples=50)
        assert abs(book.work[-1]) > 0.1
        assert min(book["heat_viscous"][-1], book["heat_drag"][-1]) > 1e-3
        errors.append(book.energy_error)
    falls_by_four(*errors)
    assert errors[1] < 1e-5


# --- dashpots, masses of walls, drag ----------------------------------------------------------------------------------


def test_dashpot():
    """v = v₀ exp(−ct/M) on both components, spin untouched, heat = kinetic energy lost."""
    off = []
    for steps in (120, 240):
        scene = Scene(law=LAW)
        scene.add(BALL, (0.0, 0.0), mass=2.0, velocity=(3.0, -1.0), spin=4.0, tags=[Dashpot(5.0)])
        engine = engine_of(scene, 1.0 / steps)
        book = booked(engine, steps, 40)
        found, left = by_id(engine)[0], math.exp(-5.0 / 2.0)
        off.append(math.hypot(found[3] - 3 * left, found[4] + left))
        assert found[5] == 4.0
        assert book["heat_viscous"][-1] == pytest.approx(0.5 * 2.0 * 10.0 * (1 - left**2), rel=1e-3)
    falls_by_four(*off)


def lonely_wall(**given) -> Scene:
    """Four grains of different weight far away, and a wall that drifts."""
    scene = Scene(law=LAW, drag=given.pop("drag", 0.0))
    for k, mass in enumerate((1.0, 2.0, 3.0, 6.0)):
        scene.add(BALL, (5.0 * k, -30.0), mass=mass)
    scene.add(BAR, (0.0, 0.0), big=True, velocity=(1.0, 0.5), **given)
    return scene


@pytest.mark.parametrize("tags, expected", [([Velocity(spin=0.0)], 0.2), ([Velocity(spin=0.0), Dashpot(0.0)], 0.0)])
def test_a_free_wall_has_a_mass_and_a_dashpot(tags, expected):
    """M = √N mean grains, c = 0.2 M √(0.5 k_n/M); the drag of grains does not act on walls."""
    engine = engine_of(lonely_wall(tags=tags, drag=3.0), 1e-3)
    engine.advance(500)
    mass = math.sqrt(4) * 3.0
    assert lid_of(engine)[3:5] == pytest.approx(
        np.array([1.0, 0.5]) * math.exp(-expected * math.sqrt(0.5 * K / mass) * 0.5), rel=1e-4
    )
    assert engine.snapshot().totals["heat_viscous"] == pytest.approx(
        0.5 * mass * 1.25 * (1 - math.exp(-expected * math.sqrt(0.5 * K / mass))), rel=1e-3
    )


@pytest.mark.parametrize("drag", [0.0, 3.0])
def test_a_free_wall_without_tags_is_a_wall_all_the_same(drag):
    engine = engine_of(lonely_wall(drag=drag), 1e-3)
    engine.advance(500)
    assert lid_of(engine)[3] == pytest.approx(math.exp(-0.2 * math.sqrt(0.5 * K / 6.0) * 0.5), rel=1e-4)


@pytest.mark.parametrize("tagged", [False, True])
def test_drag(tagged):
    """v = v₀ exp(−∫γ dt) for velocity and spin, also where γ ramps; heat = kinetic energy lost, both to second order."""
    drag, off, open_book = Ramp(0.0, 4.0, finish=0.7), [], []
    for steps in (120, 240):
        scene = Scene(law=LAW, drag=drag)
        scene.add(BALL, (0.0, 0.0), velocity=(3.0, -1.0), spin=4.0, tags=[Force(torque=lambda t: 0.0)] if tagged else [])
        engine = engine_of(scene, 1.0 / steps)
        assert engine.free == 1 - tagged
        book = booked(engine, steps, samples=20)
        left = math.exp(-(0.7 * 2.0 + 0.3 * 4.0))
        found = by_id(engine)[0]
        off.append(np.abs(found[3:] - np.array([3.0, -1.0, 4.0]) * left).max())
        open_book.append(book.energy_error)
        assert book["heat_drag"][-1] == pytest.approx(book.kinetic[0] - book.kinetic[-1], rel=1e-3)
    falls_by_four(*off)
    falls_by_four(*open_book)


# --- what may be said -------------------------------------------------------------------------------------------------


def test_groups():
    scene = Scene(law=LAW)
    for k in range(5):
        scene.add(BALL, (3.0 * k, 0.0), name="odd" if k % 2 else "even")
    scene.tag("odd", Velocity(y=1.0))
    scene.tag([0, "odd"], Force(x=2.0))
    scene.tag((np.int64(4),), Velocity(y=-1.0))
    engine = engine_of(scene, 1e-2)
    engine.advance(100)
    found = by_id(engine)
    assert found[:, 1] == pytest.approx([0.0, 1.0, 0.0, 1.0, -1.0])
    assert found[:, 3] == pytest.approx([2 / BALL.area, 2 / BALL.area, 0.0, 2 / BALL.area, 0.0])


def contradiction(*tags, box=None) -> Scene:
    scene = Scene(law=LAW, box=box)
    scene.add(BALL, (0.0, 3.0), tags=tags, name="it")
    for x, name in ((-2.0, "a"), (2.0, "b"), (2.0, "b")):
        scene.add_wall(segment((x, 0.0), (x, 1.0), 0.1), name=name, tags=[Velocity(x=0.0, y=0.0)] if x < 0 else [Fixed()])
    return scene


@pytest.mark.parametrize(
    "tags, said",
    [
        ([Fixed(), Velocity(x=1.0)], "body 0: two tags prescribe different velocities for its x"),
        ([Velocity(spin=1.0), Velocity(spin=lambda t: 1.0)], "different velocities for its spin"),
        ([Dashpot(1.0), Dashpot(2.0)], "body 0: two Dashpot tags"),
        ([Velocity(y=0.0), Pressure(1.0, "-y", between=(1, 2))], r"body 0: a Pressure along -y .* leave that component free"),
        ([Pressure(1.0, "+x")], "the box is open along y, so say between which walls"),
        ([Pressure(1.0, "-y", between=("c", "a"))], 'no body named "c"; there are: a, b, it'),
        ([Pressure(1.0, "-y", between=("b", "a"))], '2 bodies named "b"'),
        ([Pressure(1.0, "-y", between=(1, 2))], "wall 1 can turn"),
        ([Pressure(1.0, "-y", between=(2, 3))], "leave no gap along x"),
        ([Pressure(1.0, "-y", between=(2, 99))], "no body 99"),
    ],
)
def test_contradictions_are_named(tags, said):
    with pytest.raises(SceneError, match=said):
        engine_of(contradiction(*tags), 1e-3)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Velocity(x="1"), "Velocity tag: x"),
        (lambda: Force(torque=math.nan), "Force tag: torque"),
        (lambda: Force(x=True), "Force tag: x"),
        (lambda: Pressure(math.inf, "-y"), "Pressure tag: value"),
        (lambda: Pressure(1.0, "down"), "direction"),
        (lambda: Pressure(1.0, "-y", between=("a", "a")), "two different walls"),
        (lambda: Dashpot(-1.0), "coefficient"),
        (lambda: Ramp(0.0, 1.0, finish=0.0), "finish"),
        (lambda: Harmonic(1.0, period=0.0), "period"),
        (lambda: Table([0.0, 1.0, 1.0], [0.0, 1.0, 2.0]), "times must increase"),
        (lambda: Table([], []), "at least one"),
        (lambda: Table([0.0, 1.0], [0.0, math.nan]), r"values\[1\]"),
        (lambda: Scene(law=LAW, drag=-1.0), "drag"),
        (lambda: Scene(law=LAW, drag="much"), "drag"),
        (lambda: Scene(law=LAW, remove_below=math.nan), "remove_below"),
    ],
)
def test_bad_numbers_are_named(make, said):
    with pytest.raises(SceneError, match=said):
        make()


@pytest.mark.parametrize(
    "function, said",
    [
        (lambda t: None, "Force tag of body 0, x: its function of time"),
        (lambda t: "fast", "Force tag of body 0, x: its function of time"),
        (lambda t: math.sqrt(-1.0 - t), "Force tag of body 0, x"),
        (lambda t: math.nan if t > 0.55 else 1.0, r"Force tag of body 0, x: its function of time gives nan at t = 0\.56"),
        (lambda t: 1.0 / t, "Force tag of body 0, x: its function of time fails at t = 0"),
        (lambda t: [1.0][int(t + 1)], "Force tag of body 0, x: its function of time fails"),
        (lambda t: "1.5", "Force tag of body 0, x: its function of time gives '1.5'"),
    ],
)
def test_a_function_of_time_that_fails_is_named(function, said):
    scene = Scene(law=LAW)
    scene.add(BALL, (0.0, 0.0), tags=[Force(x=function)])
    with pytest.raises(SceneError, match=said):
        engine_of(scene, 1e-2).advance(100)


def test_a_drag_that_becomes_negative_is_refused():
    with pytest.raises(SceneError, match="drag falls to"):
        Scene(law=LAW, drag=Ramp(1.0, -1.0, finish=0.5))
    scene = Scene(law=LAW, drag=lambda t: 1.0 - 4.0 * t)
    scene.add(BALL, (0.0, 0.0), velocity=(1.0, 0.0))
    with pytest.raises(SceneError, match=r"drag = -0\.04 at t = 0\.26"):
        engine_of(scene, 1e-2).advance(100)
