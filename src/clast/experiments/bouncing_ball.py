"""A ball bounces and comes to rest: what a step costs and how large it may be (CSM10 fig 2).

The papers' integrators against each other on one contact: Runge-Kutta 4/5 and backward differences with a step that adapts
itself (scipy's RK45, LSODA and BDF), and the engine's Verlet and Gear's predictor-correctors at a fixed step. CSM10 calls
the latter a backward difference formula; it is not, so both are here.

    m ẍ = −m g + max(0, −k x − c ẋ) for x < 0        x: height of the ball's lowest point

"weak" is the paper's c = 0.3, 0.005 of critical, which bounces for more than a minute; "strong" 0.3 of critical.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.laws.linear import Linear
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Scene
from clast.shapes import disk, segment

WEAK, STRONG = "weak", "strong"
ADAPTIVE = ("RK45", "LSODA", "BDF")
FIXED = {"verlet": "Verlet", "gear4": "Gear 4", "gear5": "Gear 5"}
RADIUS = 0.5  # m, of ball and floor: the ball sinks in by 0.2 m
ABSOLUTE = 1e-9  # m and m/s, absolute tolerance of the adaptive ones
EXACT = 1e-12  # tolerance of the solution they are judged by
REST = 0.9  # of the duration: steps are those near rest if from then on the ball no longer leaves the floor
MUCH = 2.0  # agrees: "much larger steps" are more than twice as large


class BouncingBall(Parameters):
    """CSM10 fig 2."""

    mass: float = parameter(1.0, "mass", "kg", gt=0)
    gravity: float = parameter(9.8, "gravity", "m/s²", gt=0)
    stiffness: float = parameter(1e3, "stiffness k", "N/m", gt=0)
    damping: float = parameter(0.3, "damping c of the weak case", "kg/s", ge=0)
    critical: float = parameter(0.3, "damping of the strong case, of critical", "", ge=0, lt=1)
    height: float = parameter(2.0, "height of the drop", "m", gt=0)
    until: float = parameter(10.0, "duration", "s", gt=0)
    rtol: float = parameter(1e-6, "relative tolerance of the adaptive integrators", "", ge=1e-12, le=1e-2)
    dt: float = parameter(0.01, "largest fixed step", "s", gt=0)
    halvings: int = parameter(6, "how often the fixed step is halved", ge=1, le=12)


SIZES: Sizes = {"quick": {}, "full": {"until": 100.0}}


def damping(case: str, p: BouncingBall) -> float:
    """c of a case [kg/s]."""
    return p.damping if case == WEAK else p.critical * 2.0 * math.sqrt(p.stiffness * p.mass)


def push(case: str, p: BouncingBall, x: float, v: float) -> float:
    """Spring and dashpot together, −k x − c v [N]. Below zero they would pull: then the ball is let go."""
    return -p.stiffness * x - damping(case, p) * v


@cache
def exact(case: str, p: BouncingBall) -> Callable[[np.ndarray], np.ndarray]:
    """Height of the ball at times (k,), to about 1e-11: the smooth pieces of its way one by one.

    In the air until it lands; pressed until the floor would pull; slack until it is pressed again or leaves the floor.
    """
    from scipy.integrate import solve_ivp

    def when(value: Callable[[np.ndarray], float], direction: float) -> Callable[[float, np.ndarray], float]:
        def event(_t: float, y: np.ndarray) -> float:
            return value(y)

        event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
        return event

    def place(y: np.ndarray) -> float:
        return float(y[0])

    def force(y: np.ndarray) -> float:
        return push(case, p, y[0], y[1])

    follows = {
        "air": [(when(place, -1.0), "pressed")],
        "pressed": [(when(force, -1.0), "slack")],
        "slack": [(when(force, 1.0), "pressed"), (when(place, 1.0), "air")],
    }
    ends, pieces = [], []
    phase, began, state = "air", 0.0, np.array([p.height, 0.0])
    while True:
        pressing = phase == "pressed"
        found = solve_ivp(
            lambda _t, y, pressing=pressing: (y[1], -p.gravity + (force(y) / p.mass if pressing else 0.0)),
            (began, p.until), state, "DOP853", rtol=EXACT, atol=EXACT, dense_output=True,
            events=[event for event, _ in follows[phase]],
        )  # fmt: skip
        began, state = float(found.t[-1]), found.y[:, -1]
        ends.append(began)
        pieces.append(found.sol)
        if found.status != 1:
            break
        phase = next(after for (_, after), times in zip(follows[phase], found.t_events, strict=True) if times.size)

    def height(times: np.ndarray) -> np.ndarray:
        which = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
        found = np.empty(len(times))
        for k in np.unique(which):
            found[which == k] = pieces[k](times[which == k])[0]
        return found

    return height


def adaptive(method: str, case: str, p: BouncingBall) -> Columns:
    """Every accepted step of one of scipy's integrators, and how often the force was computed until then."""
    import scipy.integrate

    calls = 0

    def rate(_t: float, y: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        contact = max(0.0, push(case, p, y[0], y[1])) if y[0] < 0.0 else 0.0
        return np.array([y[1], contact / p.mass - p.gravity])

    solver = getattr(scipy.integrate, method)(rate, 0.0, [p.height, 0.0], p.until, rtol=p.rtol, atol=ABSOLUTE)
    rows = []
    while solver.status == "running":
        solver.step()
        rows.append((solver.t, solver.t - solver.t_old, solver.y[0], float(calls)))
    return dict(zip(("time", "step", "height", "calls"), np.array(rows).T, strict=True))


def scene_of(case: str, p: BouncingBall) -> Scene:
    """A disk above a floor, so that its lowest point is at the height of the drop."""
    ball = disk(radius=RADIUS)
    scene = Scene(law=Linear(p.stiffness, normal_damping=damping(case, p) / p.mass), gravity=(0.0, -p.gravity))
    scene.add(ball, (0.0, RADIUS + p.height), density=p.mass / ball.area)
    scene.add_wall(segment((-1.0, -RADIUS), (1.0, -RADIUS), radius=RADIUS))
    return scene


def fixed(integrator: str, case: str, p: BouncingBall) -> Columns:
    """The engine at steps dt, dt/2, dt/4 …: height after every dt. A step computes the force once.

    The dashpot's force sets in with a jump somewhere inside a step, which costs every one of them first order in Δt.
    """
    rows = []
    for halving in range(p.halvings + 1):
        engine = Engine(scene_of(case, p), dt=p.dt / 2**halving, integrator=integrator)
        for _ in range(round(p.until / p.dt)):
            engine.advance(engine.step + 2**halving)
            height = float(engine.snapshot().positions[0, 1]) - RADIUS
            rows.append((engine.dt, engine.time, height, float(engine.step)))
    return dict(zip(("dt", "time", "height", "calls"), np.array(rows).T, strict=True))


def tables(p: BouncingBall, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A table per case and integrator."""
    made: dict[str, Callable[[], Columns]] = {}
    for case in (WEAK, STRONG):
        made |= {f"{case} {method}": partial(adaptive, method, case, p) for method in ADAPTIVE}
        made |= {f"{case} {integrator}": partial(fixed, integrator, case, p) for integrator in FIXED}
    return made


def error_and_calls(run: Run, case: str, name: str, p: BouncingBall) -> tuple[np.ndarray, np.ndarray]:
    """Largest error of the height over the height of the drop, and calls of the force: one of each, or one per fixed step."""
    table = run.tables[f"{case} {name}"]
    away = np.abs(table["height"] - exact(case, p)(table["time"])) / p.height
    if name in ADAPTIVE:
        return np.array([away.max()]), table["calls"][-1:]
    steps = np.unique(table["dt"])[::-1]
    return (
        np.array([away[table["dt"] == dt].max() for dt in steps]),
        np.array([table["calls"][table["dt"] == dt][-1] for dt in steps]),
    )


def step_at_rest(run: Run, case: str, method: str, p: BouncingBall) -> float:
    """Mean step of an adaptive integrator at the end [s]; NaN if the ball still bounces then."""
    if exact(case, p)(np.linspace(REST * p.until, p.until, 500)).max() > 0.0:
        return math.nan
    table = run.tables[f"{case} {method}"]
    return float(table["step"][table["time"] > REST * p.until].mean())


def evaluate(p: BouncingBall, run: Run) -> Sequence[Quantity]:
    """Steps near rest, where the paper makes its claim; then what each costs and how exact it is."""
    quantities = []
    for case in (WEAK, STRONG):
        slow = step_at_rest(run, case, "RK45", p)
        note = f"“much larger timesteps”, no number; agrees above {MUCH:g}; RK45 {slow:.2g} s"
        if math.isnan(slow):
            note = "the ball still bounces at the end: --size full"
        elif case == WEAK:
            note += "; the ball still rings, and that is what limits the step"
        for method in ("LSODA", "BDF"):
            ratio = step_at_rest(run, case, method, p) / slow
            quantities.append(Quantity(f"{case}: step near rest, {method} / RK45", ratio, agrees=bool(ratio > MUCH), note=note))
    for case in (WEAK, STRONG):
        goal = 0.0
        for method in ADAPTIVE:
            error, calls = error_and_calls(run, case, method, p)
            steps = run.tables[f"{case} {method}"].rows
            quantities.append(
                Quantity(f"{case}: calls of the force, {method}", float(calls[0]), note=f"{steps} steps, error {error[0]:.1e}")
            )
            goal = float(error[0]) if method == "RK45" else goal
        for name, label in FIXED.items():
            error, calls = error_and_calls(run, case, name, p)
            enough = calls[error <= goal]
            note = f"to be as exact as RK45; error {error[-1]:.1e} at the finest step: the dashpot sets in with a jump"
            quantities.append(
                Quantity(f"{case}: calls of the force, {label}", float(enough.min()) if enough.size else math.nan, note=note)
            )
    return quantities


def merit(p: BouncingBall, run: Run) -> Merit:
    """One ball; all steps of all integrators."""
    adapting = sum(run.tables[f"{case} {method}"].rows for case in (WEAK, STRONG) for method in ADAPTIVE)
    marching = len((WEAK, STRONG)) * len(FIXED) * round(p.until / p.dt) * (2 ** (p.halvings + 1) - 1)
    return Merit(grains=1, steps=adapting + marching)


def figures(p: BouncingBall, run: Run, folder: Path) -> Sequence[Path]:
    """The bounces with every step (fig 2), the size of the steps, and error against cost."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 3, figsize=(14, 7.5), layout="constrained")
    for row, case in zip(grid, (WEAK, STRONG), strict=True):
        draw_case(row, case, p, run)
    return [save_figure(figure, folder / "bouncing-ball.png")]


def draw_case(row: Sequence[Axes], case: str, p: BouncingBall, run: Run) -> None:
    """The bounces of a case, the steps, and error against cost, side by side."""
    path, steps, cost = row
    times = np.linspace(0.0, p.until, 2000)
    path.plot(times, exact(case, p)(times), "k", lw=0.7)
    for k, method in enumerate(ADAPTIVE):
        table = run.tables[f"{case} {method}"]
        if method != "BDF":
            path.plot(table["time"], table["height"], ".", ms=3, color=f"C{k}", label=method)
        steps.semilogy(table["time"], table["step"], color=f"C{k}", lw=0.8, label=method)
        error, calls = error_and_calls(run, case, method, p)
        cost.loglog(calls, error, "*", ms=11, color=f"C{k}", label=f"{method}, rtol {p.rtol:g}")
    for k, (name, label) in enumerate(FIXED.items(), start=len(ADAPTIVE)):
        error, calls = error_and_calls(run, case, name, p)
        cost.loglog(calls, error, "o-", ms=4, lw=1, color=f"C{k}", label=f"{label}, fixed step")
    path.set(
        xlim=(0.0, min(p.until, 10.0)),
        xlabel="time [s]",
        ylabel="height [m]",
        title=f"{case}: c = {damping(case, p):.3g} kg/s, and every step",
    )
    path.legend(loc="upper right", markerscale=3)
    steps.set(xlabel="time [s]", ylabel="step [s]", title="steps that adapt themselves")
    steps.legend()
    cost.set(xlabel="calls of the force", ylabel="largest error of the height / h", title="error against cost")
    cost.legend(fontsize=8)


EXPERIMENT = Study(
    name="bouncing-ball",
    paper="CSM10 fig 2",
    title="integrators on a ball that comes to rest",
    claim="near rest, Gear takes much larger steps than Runge-Kutta 4/5",
    sizes=SIZES,
    parameters=BouncingBall,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
