"""Gear's predictor-corrector (model §6): orders on smooth problems, energy beside Verlet's, bits, tags, friction."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.accounts import accounts
from clast.measures.book import ACCOUNTS, Book
from clast.scene.scene import Scene
from clast.scene.tags import Dashpot, Fixed, Force, Velocity
from clast.shapes import disk, polyline, segment

K = 1e3
BALL = disk(radius=0.5)
MASS = BALL.area
PRESSED = 0.05  # overlap of every contact of the chain at rest
END = 0.6  # some four periods of the chain's fastest mode


def push(t: float) -> float:
    """Smooth, and with seven derivatives that vanish at t = 0: the first step knows none above the second."""
    return 2.0 * (t / 0.2) ** 8 * math.exp(-8.0 * (t / 0.2 - 1.0))


def chain(damping: float = 0.0, drag: float = 0.0, dashpot: float = 0.0, friction: float = 0.0) -> Scene:
    """Three disks pressed between two walls, the middle one driven: contacts never open, so forces are smooth."""
    scene = Scene(law=Linear(K, K if friction else 0.0, friction=friction, normal_damping=damping), drag=drag)
    for k in range(3):
        tags = [Force(x=push), *([Dashpot(dashpot)] if dashpot else [])] if k == 1 else []
        scene.add(BALL, ((1.0 - PRESSED) * k, 0.0), tags=tags)
    for x, side in ((-0.6 + PRESSED, -1), (2.0 - 2 * PRESSED + 0.6 - PRESSED, 1)):
        scene.add_wall(segment((x, -2.0), (x, 2.0), 0.1), name=f"wall {side}")
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
        state = engine.snapshot().state
        errors.append(np.abs(state.body[np.argsort(engine.order)[:3], 0] - start - truth).max())
    return float(-np.polyfit(np.log(PARTS), np.log(errors), 1)[0]), np.array(errors)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("integrator, low, high", [("verlet", 1.9, 2.1), ("gear4", 3.7, 5.3), ("gear5", 4.6, 6.3)])
def test_order(integrator, low, high, case):
    slope, errors = fitted_order(integrator, CASES[case])
    print(f"\n{integrator:7s} {case:17s} " + "  ".join(f"{e:.2e}" for e in errors) + f"   order {slope:.2f}", end="")
    assert low < slope < high
