"""What a side costs: time per grain and step of regular spheropolygons in the shear cell (PRE10 fig 11, ARX fig 11).

With a Verlet distance α of 0.9 cm, more than a grain, nearly every vertex is listed with every edge of every neighbour and
the lists are as good as off; with 0.3 cm they are on; α = "auto" is what a run takes by itself. The same motion is timed
with each, on one thread, in turn, so that a machine that slows down slows all; the median counts. How many pairs of features are
listed stands beside: it depends on no machine and on no program.

The rules, written down before the runs. The grains' way over the plate's (`clast.experiments.shared.following`), mean over the
numbers of sides, must be at least 0.4, and their gradient 0.5, or nothing is judged. An exponent agrees if it lies within the
error that PRE10 prints, of ARX, which prints none, within 10 %.
ARX's K_t, μ and density (`--paper ARX`) are run too; its time step of 1e-5 s is not, since lists would hardly ever be renewed.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.element_tests.shear_cell import papers_cell, regular_grain
from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.following import follow, judged_if_sheared
from clast.experiments.shared.numbers import with_error
from clast.experiments.shared.timing import DIAMETER, RADIUS, TimedCell, columns_of, save_cells, timed
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Scene

SIDES = (3, 4, 5, 6, 7)
# Verlet distance, PRE10's exponent of the time against the number of sides with its error, and ARX's
DISTANCES: tuple[tuple[float | str, tuple[float, float] | None, float | None], ...] = (
    (0.9, (1.56, 0.23), 2.0),
    (0.3, (0.98, 0.31), 0.3533),
    ("auto", None, None),
)
WITHIN = 0.1  # of ARX's exponents
BAR = 1.0  # our own: the exponent with lists at most


class CostOfSides(TimedCell):
    """PRE10's cell with 60 grains; ARX has 102, and other numbers."""

    speed: float = parameter(1.0, "speed of the upper plate", "cm/s")


SIZES: Sizes = {"quick": {"until": 4.0, "repetitions": 3}, "full": {}}
VARIANTS: Variants = {"full": [{"paper": "PRE10", "grains": 60}, {"paper": "ARX", "grains": 102}]}


def cell_of(p: CostOfSides, sides: int) -> Scene:
    """The settled cell of grains with so many sides, all of one area."""
    cell = papers_cell([regular_grain(sides, DIAMETER, RADIUS)] * p.grains, p.seed, p.paper)
    return cell.sheared(cell.settled(), p.speed)


def time_all(p: CostOfSides) -> Columns:
    """One row per repetition, number of sides and Verlet distance, taken in turn: CPU time per grain and step, and what explains
    it."""
    scenes = {sides: cell_of(p, sides) for sides in SIDES}
    for scene in scenes.values():
        timed(scene, "auto", p.dt, max(1, p.steps // 20))  # warm: kernels loaded, clock of the processor up
    rows = []
    for repetition in range(p.repetitions):
        for sides, scene in scenes.items():
            for kind, (alpha, _, _) in enumerate(DISTANCES):
                run = timed(scene, alpha, p.dt, p.steps)
                row: dict[str, float] = {"repetition": repetition, "sides": sides, "kind": kind, "steps": p.steps}
                row |= {"seconds": run.seconds / p.grains, "alpha": run.alpha, "candidates": run.candidates / p.grains}
                rows.append(row | {"rebuilds": run.rebuilds})
    return columns_of(rows)


def follow_all(p: CostOfSides) -> Columns:
    """How grains with so many sides follow the plate over the whole duration of the papers' runs."""
    found = [follow(cell_of(p, sides), p.dt, round(p.followed / p.dt)) for sides in SIDES]
    return {"sides": np.array(SIDES), "share": [each.share for each in found], "gradient": [each.gradient for each in found]}


def tables(p: CostOfSides, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """How grains follow the plate, then all times; on one thread."""
    return {"sheared": partial(follow_all, p), "times": partial(time_all, p)}


def medians(run: Run, kind: int, name: str = "seconds") -> np.ndarray:
    """Median over the repetitions of a column, by number of sides."""
    table = run.tables["times"]
    return np.array([np.median(table[name][(table["kind"] == kind) & (table["sides"] == sides)]) for sides in SIDES])


def power(x: Sequence[float], y: np.ndarray) -> tuple[float, float, float]:
    """Exponent of y against x, its standard error, and the factor."""
    (slope, factor), covariance = np.polyfit(np.log(x), np.log(y), 1, cov=True)
    return float(slope), float(np.sqrt(covariance[0, 0])), float(np.exp(factor))


def claim_of(p: CostOfSides, kind: int) -> tuple[float, float] | None:
    """The exponent of the paper whose numbers are taken, and how far ours may be off: by PRE10's error; ARX has none: 10 %."""
    _, pre10, arx = DISTANCES[kind]
    if p.paper == "ARX":
        return None if arx is None else (arx, WITHIN * arx)
    return pre10


def evaluate(p: CostOfSides, run: Run) -> Sequence[Quantity]:
    """Whether grains are sheared; exponents of the time, which no machine decides, and of the listed pairs; then the times."""
    quantities = []
    for kind, (alpha, _, _) in enumerate(DISTANCES):
        published = claim_of(p, kind)
        slope, error, _ = power(SIDES, medians(run, kind))
        pairs, spread, _ = power(SIDES, medians(run, kind, "candidates"))
        note = f"{with_error(slope, error)}; lists {'as good as off' if kind == 0 else 'on'}"
        if kind > 0:
            note += f"; our bar, at most {BAR:g}, is {'met' if slope <= BAR else 'missed'}"
        agrees = None if published is None else bool(abs(slope - published[0]) <= published[1])
        if published is not None:
            note += f"; {p.paper} has {with_error(*published) if p.paper == 'PRE10' else f'{published[0]:g}'}"
        if agrees is False:
            note += f"; listed pairs grow as n^{pairs:.2f}" + (
                "; a part of every step is paid per grain" if slope < pairs else ""
            )
        quantities.append(
            Quantity(f"exponent, α = {alpha}", slope, "", None if published is None else published[0], agrees, note)
        )
        listed = f"{with_error(pairs, spread)}; pairs of features listed, which no program decides"
        quantities.append(Quantity(f"exponent of listed pairs, α = {alpha}", pairs, note=listed))
    for kind, (alpha, _, _) in enumerate(DISTANCES):
        times, listed_pairs = medians(run, kind), medians(run, kind, "candidates")
        ends = f"{listed_pairs[0]:.0f} … {listed_pairs[-1]:.0f}"
        note = f"{ends} feature pairs per grain listed at the end, n = {SIDES[0]} … {SIDES[-1]}"
        quantities.append(Quantity(f"time per grain and step, pentagons, α = {alpha}", float(1e6 * times[2]), "µs", note=note))
    grains = {name: run.tables["sheared"][name] for name in ("share", "gradient")}
    return judged_if_sheared(quantities, grains, "; of n = 3 … 7: " + ", ".join(f"{each:.2f}" for each in grains["share"]))


def merit(p: CostOfSides, run: Run) -> Merit:
    """Cundall number of pentagons with α = auto."""
    steps = int(run.tables["times"]["steps"].sum())
    return Merit(grains=p.grains, steps=steps, cundall=float(1.0 / medians(run, len(DISTANCES) - 1)[2]))


def figures(p: CostOfSides, run: Run, folder: Path) -> Sequence[Path]:
    """Time per grain and step against the number of sides, both logarithmic (fig 11), and the settled cells."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 4.8), layout="constrained")
    table = run.tables["times"]
    for kind, (alpha, _, _) in enumerate(DISTANCES):
        published = claim_of(p, kind)
        mine = table["kind"] == kind
        axes.loglog(table["sides"][mine], 1e6 * table["seconds"][mine], ".", color=f"C{kind}", alpha=0.3, ms=4)
        times = medians(run, kind)
        slope, error, factor = power(SIDES, times)
        claimed = (
            ""
            if published is None
            else f"  ({p.paper} {published[0]:.2f}{f' ± {published[1]:.2f}' if p.paper == 'PRE10' else ''})"
        )
        label = f"α = {alpha}{' cm' if alpha != 'auto' else ''}: n^({slope:.2f} ± {error:.2f}){claimed}"
        axes.loglog(SIDES, 1e6 * times, "o", color=f"C{kind}", label=label)
        axes.loglog(SIDES, 1e6 * factor * np.array(SIDES, float) ** slope, "-", color=f"C{kind}", lw=1)
        if published is not None:  # the paper's slope through our middle
            axes.loglog(SIDES, 1e6 * times[2] * (np.array(SIDES) / SIDES[2]) ** published[0], ":", color=f"C{kind}", lw=1.5)
    axes.set_xticks(SIDES, [str(n) for n in SIDES])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axes.set(
        xlabel="number of sides n",
        ylabel="time per grain and step [µs]",
        title=f"shear cell, {p.grains} grains, numbers of {p.paper}",
    )
    axes.legend(title="medians; dotted: the published slopes", fontsize=8, title_fontsize=8)
    paths = [save_figure(figure, folder / "cost-of-sides.png")]
    return [*paths, save_cells({f"n = {sides}": cell_of(p, sides) for sides in SIDES}, folder)]


EXPERIMENT = Study(
    name="cost-of-sides",
    paper="PRE10 fig 11; ARX fig 11",
    title="time per step against the number of sides",
    claim="time per grain and step ∝ n^1.56(23) with lists off, n^0.98(31) with lists",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=CostOfSides,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
    timed=True,
)
