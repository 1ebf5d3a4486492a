"""One cow falls on a landscape and starts to rotate without friction (EPL08 fig 2-3)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clast.experiments.experiment import Experiment, Parameters, Plan, Quantity, parameter
from clast.experiments.shared.numbers import below, near
from clast.laws.linear import Linear
from clast.measures.book import Book
from clast.output.figures.plane import draw_frames, save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Box, Scene
from clast.shapes import cow, polyline

LANDSCAPE = [(0.0, 2.0), (4.0, 0.0), (8.0, 3.0), (12.0, 1.0), (16.0, 4.0), (20.0, 2.0)]
RADIUS = 0.1  # m, of cow and landscape
FALL = 16.56  # m, so that the first contact comes at t = √(2h/g) = 1.82 s
START_X = 10.0  # m


class CowBounce(Parameters):
    """Set-up of EPL08; what the paper leaves open stands in the result's notes."""

    dt: float = parameter(1e-5, "time step", "s", gt=0)
    until: float = parameter(10.0, "duration", "s", gt=0)
    gravity: float = parameter(10.0, "gravity", "m/s²", ge=0)
    stiffness: float = parameter(1e7, "normal stiffness k_n", "N/m", gt=0)
    onset: bool = parameter(True, "weight the step in which a contact opens or closes")


def build(p: CowBounce) -> Scene:
    """The cow above the landscape, periodic in x."""
    scene = Scene(law=Linear(p.stiffness), gravity=(0.0, -p.gravity), box=Box(period_x=20.0), onset=p.onset)
    scene.add_wall(polyline(LANDSCAPE, radius=RADIUS), name="landscape")
    grain = cow()
    scene.add(grain, (START_X, FALL + resting_height(grain.vertices)), name="cow")
    return scene


def resting_height(corners: np.ndarray) -> float:
    """Height of the centre of mass at which the upright cow at x = 10 just touches the landscape.

    The least lift for which every corner of either skeleton is 2r away from the other: the distance falls monotonically
    with the lift until first contact, so bisection will do.
    """
    import shapely

    ground = shapely.LineString([(x - 20.0, y) for x, y in LANDSCAPE] + LANDSCAPE[1:])
    outline = shapely.Polygon(corners)
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        gap = shapely.affinity.translate(outline, START_X, middle).distance(ground) - 2.0 * RADIUS
        low, high = (low, middle) if gap > 0.0 else (middle, high)
    return high


def plan(p: CowBounce) -> Plan:
    """Samples every 5 ms at full length."""
    return Plan(dt=p.dt, until=p.until, samples=2000, frames=500)


def evaluate(p: CowBounce, run: Run) -> Sequence[Quantity]:
    """First contact, energy error, and whether the cow turns."""
    book = Book(run.series["time"], run.series)
    touching = run.series["contacts"] > 0
    # between samples contacts come and go; the first change of momentum shows in the spin, which friction cannot give
    moved = touching | (np.abs(run.series["rotational"]) > 0.0)
    first = float(run.series["time"][np.argmax(moved)]) if moved.any() else float("nan")
    epl = float(np.abs(book.energy - book.energy[0]).max() / book.scale)
    return [
        near("first contact", first, 1.82, 0.01, "height chosen for it; within a sample", "s"),
        below("energy error", book.energy_error, 1e-6, "max |residual| / max(kinetic + elastic)"),
        below("energy error at samples, EPL08's way", epl, 1e-6, "max |E − E₀| over the same scale"),
        Quantity(
            "elastic / kinetic energy, over the run",
            float(book.elastic.mean() / book.kinetic.mean()),
            note="means of the samples; “negligible” in the paper",
        ),
        Quantity(
            "largest rotational energy",
            float(run.series["rotational"].max()),
            "J",
            None,
            None,
            "rotation without friction",
        ),
        Quantity(
            "deepest overlap",
            float(run.series["deepest_overlap"].max()),
            "m",
            None,
            None,
            "at samples; must stay under 0.2 m",
        ),
    ]


def figures(p: CowBounce, run: Run, folder: Path) -> Sequence[Path]:
    """The cow's way (fig 2) and the energies (fig 3)."""
    import matplotlib.pyplot as plt

    last = int(np.searchsorted([frame.time for frame in run.frames], 4.0))
    chosen = np.unique(np.linspace(0, min(last, len(run.frames) - 1), 9).astype(int))
    figure, axes = plt.subplots(figsize=(7, 7), layout="constrained")
    draw_frames(axes, run, chosen)
    axes.set(xlabel="x [m]", ylabel="y [m]", title="cow-bounce: the first four seconds")
    paths = [save_figure(figure, folder / "cow-bounce.png")]

    book = Book(run.series["time"], run.series)
    energies = book.plot()
    energies.axes[0].set(ylabel="energy [J]", title="cow-bounce: energy book")
    energies.axes[1].set(xlabel="time [s]")
    paths.append(save_figure(energies, folder / "energy.png"))
    return paths


EXPERIMENT = Experiment(
    name="cow-bounce",
    paper="EPL08 fig 2-3",
    title="a cow falls on a landscape",
    claim="energy error below 1e-6; the cow starts to rotate without friction",
    parameters=CowBounce,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
