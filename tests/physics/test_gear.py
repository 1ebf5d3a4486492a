"""Gear's predictor-corrector (model §6): orders on smooth problems, energy beside Verlet's, bits, tags, friction."""

import math

import numpy as np
import pytest
from books import booked
from same_bits import assert_same_bits, hand_over, result
from scipy.integrate import solve_ivp

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.scene.tags import Dashpot, Fixed, Force, Velocity
from clast.shapes import disk, polyline, segment

K = 1e3
BALL = disk(radius=0.5)
MASS = BALL.area
PRESSED = 0.05  # overlap of every contact of the chain at rest
END = 0.6  # six periods of the chain's fastest mode


def push(t: float) -> float:
    """Smooth, and with seven derivatives that vanish at t = 0: the first step knows none above the second."""
    return 2.0 * (t / 0.2) ** 8 * math.exp(-8.0 * (t / 0.2 - 1.0))


def chain(damping: float = 0.0, drag: float = 0.0, dashpot: float = 0.0) -> Scene:
    """Three disks pressed between two walls, the middle one driven: contacts never open, so forces are smooth."""
    scene = Scene(law=Linear(K, normal_damping=damping), drag=drag)
    for k in range(3):
        tags = [Force(x=push), *([Dashpot(dashpot)] if dashpot else [])] if k == 1 else []
        scene.add(BALL, ((1.0 - PRESSED) * k, 0.0), tags=tags)
    for x in (PRESSED - 0.6, 2.6 - 3 * PRESSED):
        scene.add_wall(segment((x, -2.0), (x, 2.0), 0.1))
    return scene


def exact(damping: float = 0.0, drag: float = 0.0, dashpot: float = 0.0) -> np.ndarray:
    """Displacements of the three disks at END; the reduced mass against a wall is the disk's, between disks half of it."""
    spring = np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]]) * K / MASS
    rub = np.array([[1.5, -0.5, 0], [-0.5, 1.0, -0.5], [0, -0.5, 1.5]]) * damping
    rub += np.diag([drag] * 3) + np.diag([0.0, dashpot / MASS, 0.0])

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], -spring @ y[:3] - rub @ y[3:] + np.array([0.0, push(t) / MASS, 0.0])])

    return solve_ivp(slope, (0.0, END), np.zeros(6), method="DOP853", rtol=1e-13, atol=1e-16).y[:3, -1]


PARTS = np.array([300, 425, 600, 850, 1200])
CASES = {
    "conservative": {},
    "contact damping": {"damping": 6.0},
    "drag and dashpot": {"drag": 3.0, "dashpot": 2.0},
}


def fitted_order(integrator: str, given: dict[str, float]) -> tuple[float, np.ndarray]:
    """Slope of the largest error of a position at END against Δt, and the errors."""
    truth, errors = exact(**given), []
    start = (1.0 - PRESSED) * np.arange(3)
    for steps in PARTS:
        engine = Engine(chain(**given), dt=END / steps, alpha=0.3, integrator=integrator)
        engine.advance(int(steps))
        errors.append(np.abs(engine.snapshot().positions[:3, 0] - start - truth).max())
    return float(-np.polyfit(np.log(PARTS), np.log(errors), 1)[0]), np.array(errors)


ORDERS = {"verlet": (1.9, 2.1), "gear4": (3.7, 5.0), "gear5": (4.6, 5.4)}
# each method and each kind of memory is a compilation of its own: the others belong to validate
ALWAYS = {("verlet", case) for case in CASES} | {("gear4", "contact damping")}


@pytest.mark.parametrize(
    "integrator, case",
    [
        pytest.param(integrator, case, marks=() if (integrator, case) in ALWAYS else pytest.mark.validate)
        for integrator in ORDERS
        for case in CASES
    ],
)
def test_order(integrator, case):
    """q − 1 for q values: 4 and 5, with either c₀. Verlet 2; with contact dashpots more at these steps, where what bodies gain is
    guessed less well at turning points, and that error is of third order."""
    slope, errors = fitted_order(integrator, CASES[case])
    print(f"\n{integrator:7s} {case:17s} " + "  ".join(f"{e:.2e}" for e in errors) + f"   order {slope:.2f}", end="")
    low, high = ORDERS[integrator]
    if integrator == "verlet" and case == "contact damping":
        high = 3.1
    assert low < slope < high


def led_chain(damping: float) -> Scene:
    """The chain led by its left wall."""
    scene = chain(damping)
    for body in scene.bodies:
        body.tags = [Fixed()] if body.big else []
    scene.bodies[3].tags = [Velocity(x=lambda t: 0.02 * push(t), y=0.0, spin=0.0)]
    return scene


def led_exactly(damping: float) -> np.ndarray:
    spring = np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]]) * K / MASS
    rub = np.array([[1.5, -0.5, 0], [-0.5, 1.0, -0.5], [0, -0.5, 1.5]]) * damping

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        speed = 0.02 * push(t)
        led = np.array([K / MASS * y[6] + damping * speed, 0.0, 0.0])
        return np.concatenate([y[3:6], -spring @ y[:3] - rub @ y[3:6] + led, [speed]])

    return solve_ivp(slope, (0.0, END), np.zeros(7), method="DOP853", rtol=1e-13, atol=1e-16).y[:3, -1]


@pytest.mark.parametrize("damping", [pytest.param(0.0, marks=pytest.mark.validate), 6.0])
def test_a_led_wall_costs_gear_no_more_than_the_second_order(damping):
    """Prescribed velocities are summed by the trapezoidal rule, so two is what is left of the order."""
    truth, errors = led_exactly(damping), []
    for steps in PARTS[:3]:
        engine = Engine(led_chain(damping), dt=END / steps, alpha=0.3, integrator="gear4")
        engine.advance(int(steps))
        led = engine.state.gear[np.flatnonzero(engine.order == 3)]
        assert (led[:, :, 1:] == 0.0).all()  # a prescribed motion has no derivatives of its own above the second
        assert np.abs(engine.state.gear[:3, 0]).min() > 0.0
        moved = engine.snapshot().positions[:3, 0] - (1.0 - PRESSED) * np.arange(3)
        errors.append(np.abs(moved - truth).max())
    assert -np.polyfit(np.log(PARTS[:3]), np.log(errors), 1)[0] > 1.9


# --- energy -----------------------------------------------------------------------------------------------------------


HARD = 1e4
CONTACT_TIME = math.pi * math.sqrt(0.5 * MASS / HARD)


def gas(friction: float) -> Scene:
    """Sixteen disks in a box."""
    scene = Scene(law=Linear(HARD, 0.5 * HARD if friction else 0.0, friction=friction))
    rng = np.random.default_rng(5)
    for k in range(16):
        scene.add(BALL, (1.2 * (k % 4) + 0.8, 1.2 * (k // 4) + 0.8), velocity=rng.normal(0, 1, 2), spin=rng.normal(0, 1.0))
    scene.add_wall(polyline([(0.0, 0.0), (5.2, 0.0), (5.2, 5.2), (0.0, 5.2), (0.0, 1e-4)], 0.1))
    return scene


@pytest.mark.validate
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_energy_of_a_gas(friction):
    """The kink where contacts open and close costs every method the second order; only Verlet weights those steps."""
    errors = {}
    for integrator in ("verlet", "gear4", "gear5"):
        errors[integrator] = []
        for part in (40, 80, 160):
            engine = Engine(gas(friction), dt=CONTACT_TIME / part, alpha=0.05, integrator=integrator)
            errors[integrator].append(booked(engine, round(4 * part / CONTACT_TIME)).energy_error)
        row = "  ".join(f"T_c/{part}: {error:.2e}" for part, error in zip((40, 80, 160), errors[integrator], strict=True))
        print(f"\n{integrator:7s} friction {friction:3.1f}   {row}", end="")
    for found in errors.values():
        assert found[0] < 1e-3
        assert found[2] < found[0] / 6  # 16 for the second order; where in a step contacts open is chance
    assert errors["verlet"][2] < 0.5 * errors["gear4"][2]


def dragged() -> Scene:
    """A disk pressed on a floor and pulled to and fro: it sticks, slides and turns back."""
    scene = Scene(law=Linear(HARD, 0.5 * HARD, friction=0.4))
    pull = Force(x=lambda t: 14.0 * math.sin(6.0 * t) ** 3, y=-20.0)
    scene.add(BALL, (0.0, 0.6 - 20.0 / HARD), tags=[Velocity(spin=0.0), pull])
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1))
    return scene


@pytest.mark.parametrize("integrator", ["gear4", pytest.param("gear5", marks=pytest.mark.validate)])
def test_friction_closes_at_second_order(integrator):
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        book = booked(Engine(dragged(), dt=dt, alpha=0.05, integrator=integrator), round(1.0 / dt), samples=100)
        assert book["heat_sliding"][-1] > 1.0
        errors.append(book.energy_error)
    print(f"\n{integrator} rubbing " + "  ".join(f"{e:.2e}" for e in errors), end="")
    assert errors[0] < 1e-4
    assert errors[2] < errors[0] / 10


# --- bits -------------------------------------------------------------------------------------------------------------


def mixed() -> Scene:
    """Friction, a driven disk, a loaded disk, drag: everything with derivatives or without."""
    scene = gas(0.4)
    scene.drag = 0.3
    scene.tag(3, Velocity(x=lambda t: math.sin(9 * t)))
    scene.tag(5, Force(x=lambda t: 5 * math.cos(7 * t), torque=1.0))
    return scene


BITS_DT, STEPS = CONTACT_TIME / 50, 1500


@pytest.fixture(scope="module", params=["gear4", pytest.param("gear5", marks=pytest.mark.validate)])
def reference(request) -> tuple[str, dict[str, np.ndarray]]:
    engine = Engine(mixed(), dt=BITS_DT, alpha=0.05, integrator=request.param)
    engine.advance(STEPS)
    kept = result(engine)
    assert kept["gear"].shape == (17, 3, {"gear4": 3, "gear5": 4}[request.param])
    assert np.abs(kept["book"]).sum(axis=0)[[1, 3, 4]].min() > 1e-3  # sliding, work of tags, drag
    return request.param, kept


@pytest.mark.parametrize("stop", [1, 777])
def test_going_on_from_a_checkpoint(reference, stop):
    """The derivatives go with it; outputs and alpha change nothing either."""
    integrator, expected = reference
    first = Engine(mixed(), dt=BITS_DT, alpha=0.01, integrator=integrator)
    first.advance(stop)
    second = Engine(mixed(), dt=BITS_DT, alpha=0.1, integrator=integrator)
    hand_over(first, second)
    for step in range(stop + 10, STEPS, 10):
        second.advance(step)
        second.snapshot()
    second.advance(STEPS)
    assert_same_bits(result(second), expected)


@pytest.mark.parametrize("reference", ["gear4"], indirect=True)  # the loop over threads is the same source for both
def test_threads(reference):
    integrator, expected = reference
    first = Engine(mixed(), dt=BITS_DT, alpha=0.05, integrator=integrator)
    first.advance(STEPS - 60)
    together = Engine(mixed(), dt=BITS_DT, alpha=0.05, integrator=integrator, threads=2)
    hand_over(first, together)
    together.advance(STEPS)
    assert_same_bits(result(together), expected)
