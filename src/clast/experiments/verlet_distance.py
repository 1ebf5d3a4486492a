"""What the Verlet distance α costs and saves (PRE10 fig 12, ARX fig 12-13): large lists against frequent rebuilds.

The motion does not depend on α in any bit, so the same run is timed with each α, on one thread, in turn; the median
counts. The papers' α are 0.1 … 0.9 cm; ours begin lower, because there the optimum is.

The rules, written down before the runs. The grains' way over the plate's (`clast.experiments.shared.following`), mean over the
plate's speeds, must be at least 0.4, and their gradient 0.5, or nothing is judged. β and γ (of ARX, which takes it to be 2, γ)
are fitted to all our α at 1 cm/s, and agree within 10 % or within twice their own error. PRE10's own fit puts 5 % of the time
into lists at its smallest α and its optimum at 0.011 cm, a tenth of that: its data can hardly tell β. So the clocked share of
lists there is printed beside that of the published fit, and how the number of listed pairs grows, which no program decides.
(Added after the first run, not judged: the exponents of the clocked parts, and the cost per step that would make our γ the
paper's.)
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clast.element_tests.shear_cell import disks, papers_cell, voronoi_grains
from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.following import follow, judged_if_sheared
from clast.experiments.shared.numbers import with_error
from clast.experiments.shared.timing import DIAMETER, RADIUS, TimedCell, columns_of, save_cells, timed
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Scene

SPEEDS = (0.1, 0.4, 0.7, 1.0)  # cm/s, ARX
SMALL = (0.003, 0.006, 0.012, 0.02, 0.03, 0.045, 0.07)  # cm, ours
PAPERS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # cm
AUTO = 0.0  # stands for "auto" in tables
BETA, GAMMA, ARX_GAMMA = 0.704, 0.357, 2.0  # published
WITHIN = 0.15  # our own bar: α = "auto" costs at most so much more than the best fixed one
EXPONENT, SURE = 0.1, 2.0  # agrees: published ± 10 %, or so many errors of ours


class VerletDistance(TimedCell):
    """PRE10's cell with Voronoi grains, and ARX's speeds; disks for ARX's split into forces and lists."""

    every: int = parameter(1, "take every so-manieth of the papers' distances only", "", ge=1)


SIZES: Sizes = {"quick": {"until": 4.0, "repetitions": 3, "every": 4}, "full": {}}
VARIANTS: Variants = {"full": [{"paper": "PRE10", "grains": 60}, {"paper": "ARX", "grains": 102}]}


def distances(p: VerletDistance) -> list[float]:
    """All Verlet distances tried, "auto" right after the small ones, which it is held against."""
    return [*SMALL, AUTO, *PAPERS[:: p.every]]


def cell_of(p: VerletDistance, shape: str, speed: float) -> Scene:
    """The settled cell at the moment its plate starts."""
    shapes = voronoi_grains(p.grains, DIAMETER, RADIUS, p.seed) if shape == "voronoi" else disks(p.grains, DIAMETER, p.seed)
    cell = papers_cell(shapes, p.seed, p.paper)
    return cell.sheared(cell.settled(), speed)


def time_cell(p: VerletDistance, shape: str, speed: float) -> Columns:
    """One row per repetition and Verlet distance, taken in turn: CPU time per step, that of the lists, and what explains them."""
    scene = cell_of(p, shape, speed)
    timed(scene, "auto", p.dt, max(1, p.steps // 10))  # warm: kernels loaded, clock of the processor up
    rows = []
    for repetition in range(p.repetitions):
        for alpha in distances(p):
            run = timed(scene, "auto" if alpha == AUTO else alpha, p.dt, p.steps)
            row: dict[str, float] = {"repetition": repetition, "alpha": alpha, "steps": p.steps}
            row |= {"seconds": run.seconds, "list_seconds": run.list_seconds, "rebuilds": run.rebuilds}
            rows.append(row | {"candidates": run.candidates / p.grains, "at_end": run.alpha})
    return columns_of(rows)


def follow_all(p: VerletDistance) -> Columns:
    """How Voronoi grains follow the plate at each speed, on its way as far as at the highest speed in the given time."""
    ends = [round(p.followed * SPEEDS[-1] / speed / p.dt) for speed in SPEEDS]
    found = [follow(cell_of(p, "voronoi", speed), p.dt, end) for speed, end in zip(SPEEDS, ends, strict=True)]
    return {"speed": np.array(SPEEDS), "share": [each.share for each in found], "gradient": [each.gradient for each in found]}


def tables(p: VerletDistance, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """How grains follow; a table per speed for Voronoi grains, then one for disks at the highest speed; on one thread."""
    voronoi = {name_of(speed): partial(time_cell, p, "voronoi", speed) for speed in SPEEDS}
    return {"sheared": partial(follow_all, p), **voronoi, "disks": partial(time_cell, p, "disk", SPEEDS[-1])}


def name_of(speed: float) -> str:
    """Name of the table of a speed."""
    return f"{speed:g} cm per s"


# --- judgement -------------------------------------------------------------------------------------------------------


def medians(run: Run, table: str, name: str = "seconds") -> tuple[np.ndarray, np.ndarray]:
    """Fixed distances, and the median over the repetitions of a column at each."""
    stored = run.tables[table]
    alphas = np.unique(stored["alpha"])
    alphas = alphas[alphas != AUTO]
    return alphas, np.array([np.median(stored[name][stored["alpha"] == alpha]) for alpha in alphas])


def auto_over_best(run: Run, table: str) -> tuple[float, float]:
    """Time with α = "auto" over that with the best fixed one, median of repetitions side by side; and the best one."""
    stored = run.tables[table]
    alphas, times = medians(run, table)
    best = float(alphas[np.argmin(times)])
    auto, fixed = (stored["seconds"][stored["alpha"] == alpha] for alpha in (AUTO, best))
    return float(np.median(auto / fixed)), best


class Fit(NamedTuple):
    """T = A/α^β + B α^γ (PRE10 eq 23), T in seconds per step and α in cm."""

    a: float
    beta: float
    b: float
    gamma: float
    beta_error: float = float("nan")
    gamma_error: float = float("nan")

    def __call__(self, alpha: np.ndarray) -> np.ndarray:
        return np.asarray(self.a / alpha**self.beta + self.b * alpha**self.gamma)

    @property
    def optimum(self) -> float:
        """α of the least time."""
        return float((self.beta * self.a / (self.gamma * self.b)) ** (1.0 / (self.beta + self.gamma)))

    def lists(self, alpha: float) -> float:
        """Share of the first term, that of the lists, in the time."""
        return float(self.a / alpha**self.beta / self(np.array(alpha)))


PRE10 = Fit(4.34e-7, BETA, 9.91e-5, GAMMA)  # s and cm, as printed below its fig 12


def fit(alphas: np.ndarray, times: np.ndarray) -> Fit:
    """Least squares of the logarithm, with logarithms of the four parameters, so that all are positive."""
    from scipy.optimize import OptimizeWarning, curve_fit

    def log_time(log_alpha: np.ndarray, a: float, beta: float, b: float, gamma: float) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.logaddexp(a - np.exp(beta) * log_alpha, b + np.exp(gamma) * log_alpha)

    start = (np.log(times[0] * alphas[0]), np.log(1.0), np.log(times[-1]), np.log(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)  # no error can be given: then it is infinite
        found, covariance = curve_fit(log_time, np.log(alphas), np.log(times), start, maxfev=20_000)
    a, beta, b, gamma = (float(each) for each in np.exp(found))
    errors = np.sqrt(np.diag(covariance))
    return Fit(a, beta, b, gamma, beta * float(errors[1]), gamma * float(errors[3]))


def exponent(value: float, error: float, published: float) -> bool:
    """Whether an exponent agrees."""
    return bool(abs(value - published) <= max(EXPONENT * published, SURE * error if np.isfinite(error) else 0.0))


def evaluate(p: VerletDistance, run: Run) -> Sequence[Quantity]:
    """Whether grains are sheared; the fit beside the paper's, the optimum against the speed, and what "auto" costs."""
    fits = [fit(*medians(run, name_of(speed))) for speed in SPEEDS]
    quantities = [*fitted(p, run, fits[-1]), *optima(run, fits)]
    alphas, lists = medians(run, "disks", "list_seconds")
    whole = medians(run, "disks")[1]
    share = lists / whole
    note = f"at α = {alphas[0]:g} cm, {share[np.argmin(whole)]:.0%} at the optimum, {share[-1]:.1%} at {alphas[-1]:g}"
    quantities.append(Quantity("share of lists, disks", float(share[0]), note=note))
    grains = {name: run.tables["sheared"][name] for name in ("share", "gradient")}
    return judged_if_sheared(quantities, grains, "; by speed: " + ", ".join(f"{each:.2f}" for each in grains["share"]))


def fitted(p: VerletDistance, run: Run, last: Fit) -> list[Quantity]:
    """β and γ at the highest speed, and why they need not be the paper's."""
    alphas, times = medians(run, name_of(SPEEDS[-1]))
    lists, listed = (medians(run, name_of(SPEEDS[-1]), name)[1] for name in ("list_seconds", "candidates"))
    wide = np.isin(alphas, PAPERS)
    low, high = float(alphas[wide][0]), float(alphas[wide][-1])
    span = f"{low:g} … {high:g} cm"
    pairs, forces = (slope(alphas[wide], each[wide]) for each in (listed, times - lists))
    beta = f"{with_error(last.beta, last.beta_error)}; T = A/α^β + B α^γ for α from {alphas[0]:g} cm, the paper's from 0.1"
    gamma = with_error(last.gamma, last.gamma_error)
    alike: tuple[bool | None, bool]
    if p.paper == "ARX":  # it takes γ = 2 without a fit, and prints no β
        alike = None, exponent(last.gamma, last.gamma_error, ARX_GAMMA)
    else:
        alike = exponent(last.beta, last.beta_error, BETA), exponent(last.gamma, last.gamma_error, GAMMA)
    if alike[0] is False:
        own = f"{PRE10.lists(low):.0%} of the time at {low:g} cm and {PRE10.lists(high):.1%} at {high:g}"
        beta += "; in our times the first term holds what a step costs at any α too"
        beta += f"; by the paper's own fit lists take {own}: its data can hardly tell β"
    if p.paper == "PRE10" and not alike[1]:
        more = constant_for(alphas[wide], times[wide])
        gamma += f"; {1e6 * more / p.grains:.1f} µs per grain and step more at all α would make it the paper's"
        gamma += f", whose own fit has {1e6 * float(PRE10(np.array(low))):.0f} µs at {low:g} cm"
    share = float(lists[wide][0] / times[wide][0])
    return [
        Quantity("β of lists", last.beta, "", BETA if p.paper == "PRE10" else None, alike[0], beta),
        Quantity("γ of forces", last.gamma, "", GAMMA if p.paper == "PRE10" else ARX_GAMMA, alike[1], gamma),
        Quantity("β of the lists alone", -slope(alphas, lists), note=f"clocked, {alphas[0]:g} … {alphas[-1]:g} cm"),
        Quantity("γ of all but lists", forces, note=f"clocked, {span}"),
        Quantity("exponent of listed pairs in α", pairs, note=f"{span}; no program decides it"),
        Quantity(f"share of lists at {low:g} cm", share, note=f"clocked; of the published fit {PRE10.lists(low):.3f}"),
        Quantity("optimum of the published fit", PRE10.optimum, "cm", note="below the papers' smallest α, 0.1 cm"),
    ]


def slope(alphas: np.ndarray, values: np.ndarray) -> float:
    """Exponent of values against α."""
    return float(np.polyfit(np.log(alphas), np.log(values), 1)[0])


def constant_for(alphas: np.ndarray, times: np.ndarray) -> float:
    """Seconds a step which, added at all α, would make times grow as α to the published γ; NaN where nothing does."""
    from scipy.optimize import brentq

    def excess(more: float) -> float:
        return slope(alphas, times + more) - GAMMA

    most = 1e3 * float(times.max())
    return float(brentq(excess, 0.0, most)) if excess(0.0) > 0.0 > excess(most) else float("nan")


def optima(run: Run, fits: Sequence[Fit]) -> list[Quantity]:
    """The best α at each speed, and what "auto" costs beside it."""
    quantities = []
    for speed, found in zip(SPEEDS, fits, strict=True):
        ratio, alpha = auto_over_best(run, name_of(speed))
        remark = f"best fixed α {alpha:g} cm; our bar {1.0 + WITHIN:g} is {'met' if ratio <= 1.0 + WITHIN else 'missed'}"
        quantities.append(Quantity(f"auto over best, {speed:g} cm/s", ratio, note=remark))
        exponents = f"β {with_error(found.beta, found.beta_error)}, γ {with_error(found.gamma, found.gamma_error)}"
        note = f"of the fit, {exponents}; of those tried {alpha:g}"
        quantities.append(Quantity(f"optimum α, {speed:g} cm/s", found.optimum, "cm", note=note))
    alphas, times = medians(run, name_of(SPEEDS[-1]))
    papers = times[np.isin(alphas, PAPERS)].min() / times.min()
    quantities.append(
        Quantity("best of the papers' α over the best, 1 cm/s", float(papers), note="their grid ends above the optimum")
    )
    moves = bool(fits[-1].optimum > fits[0].optimum)
    quantities.append(
        Quantity("optimum at 1 over that at 0.1 cm/s", fits[-1].optimum / fits[0].optimum, agrees=moves, note="ARX: it changes")
    )
    return quantities


def merit(p: VerletDistance, run: Run) -> Merit:
    """Cundall number with α = "auto" at the highest speed."""
    stored = run.tables[name_of(SPEEDS[-1])]
    seconds = float(np.median(stored["seconds"][stored["alpha"] == AUTO]))
    steps = sum(int(table["steps"].sum()) for name, table in run.tables.items() if name != "sheared")
    return Merit(grains=p.grains, steps=steps, cundall=p.grains / seconds)


def figures(p: VerletDistance, run: Run, folder: Path) -> Sequence[Path]:
    """Time against α for all speeds with the fits (PRE10 fig 12, ARX fig 13), and the split for disks (ARX fig 12)."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    for k, speed in enumerate(SPEEDS):
        alphas, times = medians(run, name_of(speed))
        stored = run.tables[name_of(speed)]
        found, fine = fit(alphas, times), np.geomspace(alphas[0], alphas[-1], 200)
        left.plot(alphas, 1e6 * times, "o", color=f"C{k}", ms=4, label=f"{speed:g} cm/s")
        left.plot(fine, 1e6 * found(fine), "-", color=f"C{k}", lw=1)
        mine = stored["alpha"] == AUTO
        left.plot(np.median(stored["at_end"][mine]), 1e6 * np.median(stored["seconds"][mine]), "*", color=f"C{k}", ms=13, mec="k")
    shape = PRE10(np.array(PAPERS))
    level = medians(run, name_of(SPEEDS[-1]))
    scaled = shape * float(np.interp(np.log(0.3), np.log(level[0]), level[1])) / float(PRE10(np.array(0.3)))
    left.plot(PAPERS, 1e6 * scaled, "k:", lw=1.5, label="PRE10's fit, scaled")
    left.set(xscale="log", yscale="log", xlabel="Verlet distance α [cm]", ylabel="time per step [µs]")
    left.set_title(f"{p.grains} Voronoi grains, {p.paper}; lines A/α^β + B α^γ, stars α = auto", fontsize=10)
    left.legend(title="plate")

    alphas, lists = medians(run, "disks", "list_seconds")
    whole = medians(run, "disks")[1]
    right.plot(alphas, 1e6 * whole, "ko-", ms=4, label="all")
    right.plot(alphas, 1e6 * (whole - lists), "s-", ms=4, color="C0", label="forces and motion")
    right.plot(alphas, 1e6 * lists, "^-", ms=4, color="C1", label="lists")
    right.set(xscale="log", yscale="log", xlabel="Verlet distance α [cm]", ylabel="time per step [µs]")
    right.set_title(f"{p.grains} disks, 1 cm/s", fontsize=10)
    right.legend()
    paths = [save_figure(figure, folder / "verlet-distance.png")]
    kinds = {"Voronoi grains": "voronoi", "disks": "disk"}
    return [*paths, save_cells({f"{p.grains} {name}": cell_of(p, shape, 0.0) for name, shape in kinds.items()}, folder)]


EXPERIMENT = Study(
    name="verlet-distance",
    paper="PRE10 fig 12; ARX fig 12-13",
    title="time per step against the Verlet distance",
    claim="time per step A/α^β + B α^γ, β = 0.704, γ = 0.357; the best α changes with speed",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=VerletDistance,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
    timed=True,
)
