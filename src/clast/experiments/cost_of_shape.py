"""What a shape costs: Cundall numbers of disks, cows and clumpy cows in a gas (EPL08; GM09 fig 9-10).

A Cundall number, c = grains × steps / CPU seconds, belongs to a machine; the ratios between shapes hardly do. So the
shapes are timed in turn, window by window, and each ratio is that of two windows that follow each other. CPU seconds, as
in the paper, because they count little of what else the machine does.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.bench.cases import gas
from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.timing import columns_of
from clast.experiments.shared.watching import watched
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.shapes import Shape, clumpy_cow, cow, disk

# rows of every table: name, what makes the shape, and the paper's Cundall number (Pentium 4; the clump has 726 disks there)
KINDS: tuple[tuple[str, Callable[[], Shape], float | None], ...] = (
    ("disks", lambda: disk(area=cow().area), 100_000.0),
    ("cows", cow, 2_000.0),
    ("clumps of 296 disks", lambda: clumpy_cow(disks=296), None),
    ("clumps of 726 disks", lambda: clumpy_cow(disks=726), 50.0),
)
DISKS, COWS, SHELLS, CLUMPS = range(4)
FEWEST = 100  # grains of the smallest gas, as in the papers
SLICE = 200_000  # grain-steps between two looks at the clock
SAMPLES = 200  # of the energy, before the clock starts
RATIO = 0.1  # agrees: published ± 10 %
FLAT = 0.1  # agrees: |exponent of c against N|
ENERGY = 1e-6  # agrees: EPL08's error for cows, and by the paper also for clumps


class CostOfShape(Parameters):
    """Gas of EPL08: Φ = 0.246, unit speed, k = 1e7 N/m, no friction."""

    grains: int = parameter(1000, "number of grains in the largest gas", ge=FEWEST)
    numbers: int = parameter(5, f"how many gases, from {FEWEST} grains to the largest", ge=1)
    dt: float = parameter(1e-5, "time step", "s", gt=0)
    warm_up: float = parameter(4.0, "time before the clock starts, over which energy is watched", "s", gt=0)
    windows: int = parameter(5, "timed windows, of which the median counts", ge=1)
    window: float = parameter(1.0, "length of a window", "CPU s", gt=0)


SIZES: Sizes = {"quick": {"grains": 400, "numbers": 2, "warm_up": 1.0, "windows": 5, "window": 0.3}, "full": {}}


def gases(p: CostOfShape) -> list[int]:
    """Numbers of grains, evenly spaced in their logarithm."""
    return sorted({round(n) for n in np.geomspace(FEWEST, p.grains, p.numbers if p.grains > FEWEST else 1)})


def timed(engine: Engine, seconds: float) -> float:
    """Cundall number over a window of so many CPU seconds."""
    first, began, took = engine.step, time.process_time(), 0.0
    while took < seconds:
        engine.advance(engine.step + SLICE // engine.moving)
        took = time.process_time() - began
    return engine.moving * (engine.step - first) / took


def time_gas(grains: int, p: CostOfShape, threads: int | str) -> Columns:
    """One row per window and shape, shapes in turn: Cundall number, energy error of the warm-up, and what explains the cost."""
    engines = [Engine(gas(shape(), grains, seed=p.seed), dt=p.dt, threads=threads) for _, shape, _ in KINDS]
    samples = np.linspace(0, round(p.warm_up / p.dt), SAMPLES + 1).astype(int)
    errors = [watched(engine, samples).energy_error for engine in engines]
    rows = []
    for window in range(p.windows):
        for (_, shape, _), engine, error in zip(KINDS, engines, errors, strict=True):
            before = engine.rebuilds, engine.step
            row = {"window": window, "points": len(shape().vertices), "grains": engine.moving, "energy_error": error}
            row |= {"cundall": timed(engine, p.window), "candidates_per_grain": engine.candidates / engine.moving}
            row |= {"rebuilds_per_1000_steps": 1e3 * (engine.rebuilds - before[0]) / (engine.step - before[1])}
            rows.append(row | {"step": engine.step})
    return columns_of(rows)


def tables(p: CostOfShape, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A table per number of grains, rows in the order of KINDS."""
    return {f"{grains} grains": partial(time_gas, grains, p, threads) for grains in gases(p)}


def column(run: Run, name: str) -> np.ndarray:
    """A column of all tables, (gases, windows, kinds)."""
    return np.array([table[name].reshape(-1, len(KINDS)) for table in run.tables.values()])


def evaluate(p: CostOfShape, run: Run) -> Sequence[Quantity]:
    """Ratios and flatness, which no machine decides; then the numbers themselves."""
    windows, errors = column(run, "cundall"), column(run, "energy_error")[:, 0]
    numbers, cundall = column(run, "grains")[:, 0, 0], np.median(windows, axis=1)
    quantities = []
    for name, fast, slow, published in (
        ("disks / cows", DISKS, COWS, 50.0),
        ("cows / clumps of 726", COWS, CLUMPS, 40.0),
        ("cows / clumps of 296", COWS, SHELLS, None),
    ):
        ratios = np.median(windows[:, :, fast] / windows[:, :, slow], axis=1)
        ratio = float(np.median(ratios))
        agrees = None if published is None else bool(abs(ratio / published - 1.0) <= RATIO)
        note = f"{ratios.min():.3g} … {ratios.max():.3g} over N"
        if agrees is False:
            note += "; a step looks at listed candidates only, so points that are near nobody cost nothing"
        quantities.append(Quantity(name, ratio, "", published, agrees, note))
    for kind, (name, _, _) in enumerate(KINDS):
        slope = float(np.polyfit(np.log(numbers), np.log(cundall[:, kind]), 1)[0]) if len(numbers) > 1 else float("nan")
        note = "“approximately constant”"
        if slope > FLAT:
            note += "; likely because what a step costs by itself is shared by more grains"
        elif slope < -FLAT:
            note += "; likely because more grains leave the fastest memory"
        quantities.append(Quantity(f"{name}: exponent of c against N", slope, "", 0.0, bool(abs(slope) <= FLAT), note))
    for kind, (name, _, published) in enumerate(KINDS):
        note = "this machine; the paper's was a Pentium 4 at 3 GHz" if published else "this machine"
        quantities.append(Quantity(f"{name}: c", float(np.median(cundall[:, kind])), "1/s", published, None, note))
    for kind in (SHELLS, CLUMPS):
        error = float(errors[:, kind].max())
        quantities.append(
            Quantity(
                f"{KINDS[kind][0]}: energy error",
                error,
                published=ENERGY,
                agrees=bool(error < ENERGY),
                note=f"largest of all N over {p.warm_up:g} s; cows {errors[:, COWS].max():.1e}",
            )
        )
    return quantities


def merit(p: CostOfShape, run: Run) -> Merit:
    """The largest gas, all steps of all gases, the worst energy error; Cundall numbers of shapes are quantities."""
    steps, grains = column(run, "step")[:, -1], column(run, "grains")[:, -1]
    error = float(column(run, "energy_error").max())
    return Merit(max(gases(p)), int(steps.sum()), energy_error=error, grain_steps=int((steps * grains).sum()))


def figures(p: CostOfShape, run: Run, folder: Path) -> Sequence[Path]:
    """The grains compared (fig 9) and Cundall numbers against the number of grains (fig 10)."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained", width_ratios=(1, 1.3))
    draw_grains(left)
    draw_numbers(right, run)
    return [save_figure(figure, folder / "cost-of-shape.png")]


def draw_grains(axes: Axes) -> None:
    """A disk, a cow and a clump of one area side by side."""
    from matplotlib.patches import Circle

    shift = 0.0
    for k, kind in enumerate((DISKS, COWS, CLUMPS)):
        shape = KINDS[kind][1]()
        width = np.ptp(shape.vertices[:, 0]) + 2.0 * shape.radius
        shift += 0.5 * width
        if kind == CLUMPS:
            for point in shape.vertices:
                axes.add_patch(Circle(point + np.array([shift, 0.0]), shape.radius, facecolor=f"C{k}", edgecolor="k", lw=0.15))
        else:
            axes.fill(*(shape.outline()[0] + np.array([shift, 0.0])).T, facecolor=f"C{k}", edgecolor="k", lw=0.8)
        axes.text(shift, -2.1, f"{len(shape.vertices)} point{'s' if len(shape.vertices) > 1 else ''}", ha="center")
        shift += 0.5 * width + 0.4
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title("one mass, one area, three grains")


def draw_numbers(axes: Axes, run: Run) -> None:
    """Cundall numbers against the number of grains, medians with their ranges, and the paper's."""
    numbers, windows = column(run, "grains")[:, 0, 0], column(run, "cundall")
    for kind, (name, _, published) in enumerate(KINDS):
        c = np.median(windows[:, :, kind], axis=1)
        spread = (c - windows[:, :, kind].min(axis=1), windows[:, :, kind].max(axis=1) - c)
        colour = f"C{(0, 1, 4, 2)[kind]}"
        axes.errorbar(numbers, c, spread, fmt="o-", color=colour, ms=4, lw=1, capsize=2, label=name)
        if published is not None:
            axes.plot((FEWEST, 1000), (published, published), "--", color=colour, lw=1)
            axes.annotate("GM09", (1000, published), xytext=(3, -3), textcoords="offset points", color=colour, fontsize=8)
    axes.set(xscale="log", yscale="log", xlabel="number of grains N", ylabel="Cundall number c [1/s]", xlim=(80, 1500))
    axes.set(ylim=(10.0, 1e9), title="grains × steps per CPU second")
    axes.legend(loc="upper left", bbox_to_anchor=(0.02, 0.8), fontsize=8, ncols=2)


EXPERIMENT = Study(
    name="cost-of-shape",
    paper="EPL08; GM09 fig 9-10",
    title="Cundall numbers of disks, cows and clumpy cows",
    claim="disks : cows : clumps run at 100 000 : 2 000 : 50 grain-steps per second, whatever N",
    sizes=SIZES,
    parameters=CostOfShape,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
    timed=True,
)
