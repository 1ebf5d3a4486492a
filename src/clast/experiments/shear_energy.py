"""Whether energy balances in a sheared sample with friction, and where the rest sits (PRE10 fig 9-10, ARX fig 9-10).

The papers' plates are drawn as lines. Smooth ones slide over a bed that rests: grains then go less than 1 % of the plate's way,
and there is hardly a balance to test. So plates carry half-sunk grains of the sample; a run between smooth ones stands beside.

The rules, written down before the runs. The grains' way over the plate's (`clast.experiments.shared.following`), mean over the
samples, must be at least 0.4, and their gradient 0.5, or nothing is judged. Then: |residual|/E at Δt = 1e-3 s is at most PRE10's
0.2 %; |residual|/W is below ARX's 1 %, for ARX's numbers also at its own Δt = 1e-5 s; the error falls at least as fast as the
paper's, ∝ Δt, less 10 %; without friction and dashpots it is below 1e-4. Our own bar is an energy error of 2e-4 at 1e-3 s.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from clast.dynamics.engine import Engine
from clast.element_tests.figure import cells_figure
from clast.element_tests.recorded import instants_table, kept_record, look
from clast.element_tests.shear_cell import Paper, ShearCell, disks, papers_cell, regular_grain, voronoi_grains
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.following import Followed, judged_if_sheared, sheared_book
from clast.experiments.shared.numbers import below, mean_error, with_error
from clast.measures.book import ACCOUNTS, Book
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Scene

SAMPLES = 400  # of the energy in a run
PENTAGON = 5
GRAINS = {"voronoi": "Voronoi grains", "pentagon": "pentagons", "disk": "disks"}
BAR = 2e-4  # our own: a tenth of the paper's error
PRE10, ARX, SMOOTH = 0.002, 0.01, 1e-4  # published: error with friction, the same in ARX, and without friction
ARX_STEP = 1e-5  # s
ORDER = 0.9  # agrees: the error falls at least as fast as the paper's, ∝ Δt, less 10 %
CHANGES: tuple[str, ...] = (  # rows of the table of what is switched off
    "as it is", "smooth plates", "no friction", "no dashpots", "neither", "onset not weighted",
    "neither, onset not weighted", "disks",
)  # fmt: skip
AT_ARX_STEP = "ARX's time step"  # a table
AS_IT_IS, SMOOTH_PLATES, NO_FRICTION, NO_DASHPOTS, NEITHER, NO_ONSET, NEITHER_NOR_ONSET, DISKS = range(8)


class ShearEnergy(Parameters):
    """The cell of PRE10 and ARX in their units (cm, g, s); what they do not print is in `clast.element_tests.shear_cell`."""

    shape: Literal["pentagon", "voronoi", "disk"] = parameter("voronoi", "grains: regular pentagons, Voronoi cells or disks")
    paper: Paper = parameter("PRE10", "whose K_t, μ and density")
    grains: int = parameter(60, "number of grains", "", ge=4)
    diameter: float = parameter(0.76, "mean diameter of the grains", "cm", gt=0)
    radius: float = parameter(0.1, "sphero-radius of grains and plates", "cm", gt=0)
    width: float = parameter(7.6, "period along x", "cm", gt=0)
    gravity: float = parameter(0.3, "gravity; with more of it the lower layers rest", "cm/s²", gt=0)
    load: float = parameter(100.0, "pressure on the upper plate", "dyn/cm", ge=0)
    plate_mass: float = parameter(140.0, "mass of the upper plate", "g", gt=0)
    speed: float = parameter(1.0, "speed of the upper plate", "cm/s")
    until: float = parameter(20.0, "duration", "s", gt=0)
    dt: float = parameter(1e-3, "time step that is judged", "s", gt=0)
    coarsest: float = parameter(2.0, "largest time step of the series, over dt", "", gt=0)
    finest: float = parameter(0.1, "smallest time step of the series, over dt", "", gt=0)
    steps: int = parameter(6, "number of time steps in the series", "", ge=2)
    seeds: int = parameter(3, "samples per time step", "", ge=1)
    fine_until: float = parameter(20.0, "duration of the run with ARX's own time step, where ARX's numbers are taken", "s", gt=0)


SIZES: Sizes = {"quick": {"seeds": 1, "finest": 0.2, "steps": 4, "fine_until": 1.0}, "full": {}}
VARIANTS: Variants = {
    "quick": [{"shape": "voronoi"}, {"shape": "voronoi", "paper": "ARX"}],
    "full": [{"shape": shape, "paper": paper} for paper in ("PRE10", "ARX") for shape in ("voronoi", "pentagon")],
}


def cell(p: ShearEnergy, seed: int) -> ShearCell:
    """The cell of one sample."""
    if p.shape == "voronoi":
        shapes = voronoi_grains(p.grains, p.diameter, p.radius, seed)
    elif p.shape == "pentagon":
        shapes = [regular_grain(PENTAGON, p.diameter, p.radius)] * p.grains
    else:
        shapes = disks(p.grains, p.diameter, seed)
    return replace(
        papers_cell(shapes, seed, p.paper), period=p.width, gravity=p.gravity, pressure=p.load, plate_mass=p.plate_mass,
        plate_radius=p.radius,
    )  # fmt: skip


def changed(p: ShearEnergy, change: int, seed: int) -> Scene:
    """The sheared cell with something switched off. Disks, grains between smooth plates and those without friction settle as
    such: springs of a sample that settled with friction would be let go at the start."""
    mine = cell(p if change != DISKS else p.model_copy(update={"shape": "disk"}), seed)
    if change == SMOOTH_PLATES:
        mine = replace(mine, toothed=False)
    if change in (NO_FRICTION, NEITHER, NEITHER_NOR_ONSET):
        mine = replace(mine, law=replace(mine.law, friction=0.0), plate_friction=0.0)
    bed = mine.settled()
    if change in (NO_DASHPOTS, NEITHER, NEITHER_NOR_ONSET):
        mine = replace(mine, law=replace(mine.law, normal_damping=0.0, tangential_damping=0.0))
    return mine.sheared(bed, p.speed, onset=change not in (NO_ONSET, NEITHER_NOR_ONSET))


def time_steps(p: ShearEnergy) -> list[float]:
    """The time steps of the series, evenly spaced in their logarithm."""
    return [float(dt) for dt in p.dt * np.geomspace(p.coarsest, p.finest, p.steps)]


# --- runs ------------------------------------------------------------------------------------------------------------


class Sheared(NamedTuple):
    """A run at its end."""

    engine: Engine
    book: Book
    grains: Followed


def booked(p: ShearEnergy, scene: Scene, dt: float, until: float) -> Sheared:
    """Run to the end with the book open."""
    engine = Engine(scene, dt=dt)
    return Sheared(engine, *sheared_book(engine, round(until / dt), SAMPLES))


def verdict(run: Sheared) -> dict[str, float]:
    """What is kept of a run: its errors by all definitions, what they are measured against [erg], and how grains went along."""
    book = run.book
    ratios = book.papers()
    return {
        "energy_error": book.energy_error,
        "residual": float(book.residual[-1]),
        "scale": book.scale,
        "pre10": ratios.get("|residual|/E (PRE10)", 0.0),
        "arx": ratios.get("|residual|/W (ARX)", 0.0),
        "sliding": float(book["heat_sliding"][-1]),
        "lost": float(book["heat_lost_springs"][-1]),
        "share": run.grains.share,
        "gradient": run.grains.gradient,
        "steps": run.engine.step,
    }


@lru_cache(maxsize=1)
def judged(p: ShearEnergy) -> Sheared:
    """The run at the time step that is judged, at its end."""
    return booked(p, changed(p, AS_IT_IS, p.seed), p.dt, p.until)


def as_columns(rows: Iterable[Mapping[str, float]]) -> Columns:
    """Rows as columns."""
    listed = list(rows)
    return {name: np.array([row[name] for row in listed]) for name in listed[0]}


def keep_accounts(p: ShearEnergy) -> Columns:
    """The energy book over time [erg]."""
    book = judged(p).book
    return {"time": book.time, **{name: book[name] for name in ACCOUNTS}}


def keep_cell(p: ShearEnergy, what: str) -> Columns:
    """Bodies or contacts at the end, or how the grains followed the plate."""
    run = judged(p)
    if what == "ways":
        return {"height": run.grains.heights, "way": run.grains.ways}
    found = look(run.engine)
    return instants_table(found.frames if what == "bodies" else found.contacts)


def series_of_steps(p: ShearEnergy) -> Columns:
    """Errors against the time step, samples of seeds from the given one on."""
    rows = []
    for seed in range(p.seed, p.seed + p.seeds):
        scene = changed(p, AS_IT_IS, seed)
        for dt in time_steps(p):
            rows.append({"dt": dt, "seed": seed, **verdict(booked(p, scene, dt, p.until))})
    return as_columns(rows)


def switched_off(p: ShearEnergy) -> Columns:
    """The same with one thing changed at a time, at the judged step and at half of it."""
    rows = []
    for change in range(len(CHANGES)):
        for seed in range(p.seed, p.seed + p.seeds):
            scene = changed(p, change, seed)
            for dt in (p.dt, 0.5 * p.dt):
                rows.append({"change": change, "dt": dt, "seed": seed, **verdict(booked(p, scene, dt, p.until))})
    return as_columns(rows)


def at_arx_step(p: ShearEnergy) -> Columns:
    """One run with ARX's time step."""
    return as_columns([{"dt": ARX_STEP, **verdict(booked(p, changed(p, AS_IT_IS, p.seed), ARX_STEP, p.fine_until))}])


def tables(p: ShearEnergy, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """One run in detail, errors against the time step, and what each part adds. One thread: there are few grains."""
    wanted: dict[str, Callable[[], Columns]] = {
        "accounts": partial(keep_accounts, p),
        **{f"cell: {what}": partial(keep_cell, p, what) for what in ("bodies", "contacts", "ways")},
        "error against dt": partial(series_of_steps, p),
        "switched off": partial(switched_off, p),
    }
    return wanted | ({AT_ARX_STEP: partial(at_arx_step, p)} if p.paper == "ARX" else {})


# --- judgement -------------------------------------------------------------------------------------------------------


def geometric(values: np.ndarray) -> float:
    """Geometric mean; zero where one of them is."""
    return float(np.exp(np.mean(np.log(values)))) if (values > 0.0).all() else 0.0


def by_step(run: Run, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Time steps, and the geometric mean over the samples of an error at each."""
    table = run.tables["error against dt"]
    steps = np.unique(table["dt"])
    return steps, np.array([geometric(table[name][table["dt"] == dt]) for dt in steps])


def fitted_order(steps: np.ndarray, errors: np.ndarray) -> float:
    """Exponent of the error against the time step; NaN where there is no error to fit."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0]) if (errors > 0.0).all() else float("nan")


def of_change(run: Run, change: int, name: str) -> list[float]:
    """Geometric mean over the samples with something switched off: at the judged step, and at half of it."""
    table = run.tables["switched off"]
    mine = table["change"] == change
    return [geometric(np.abs(table[name][mine & (table["dt"] == dt)])) for dt in np.unique(table["dt"])[::-1]]


def book_of(run: Run) -> Book:
    """The energy book of the judged run."""
    account = run.tables["accounts"]
    return Book(account["time"], {name: account[name] for name in ACCOUNTS})


def evaluate(p: ShearEnergy, run: Run) -> Sequence[Quantity]:
    """Whether grains are sheared; the balance at the judged step, how it improves with the step, and where the rest sits."""
    book = book_of(run)
    ratios, error = book.papers(), book.energy_error
    pre10, arx = ratios.get("|residual|/E (PRE10)", float("nan")), ratios.get("|residual|/W (ARX)", float("nan"))
    steps, errors = by_step(run, "energy_error")
    order, spread = mean_error(orders_of_samples(p, run))
    smooth, finer = of_change(run, NEITHER, "energy_error")
    ours = f"max |residual| / S at Δt = {p.dt:g} s; our bar {BAR:g} is {'met' if error < BAR else 'missed'}"
    series = f"{with_error(order, spread)}, at least; {errors[-1]:.1e} at {steps[-1]:.2g} s … {errors[0]:.1e} at {steps[0]:.2g} s"
    met = f"{finer:.1e} with half the step, so met from about {step_for(smooth, finer, p.dt):.1e} s on"
    elastic = f"published for elastic gases, here grains are pressed together; {met}"
    quantities = [
        Quantity("energy error", error, note=ours),
        Quantity("|residual|/E", pre10, "", PRE10, bool(pre10 <= PRE10), "PRE10's ratio at the end; at most"),
        below("|residual|/W", arx, ARX, f"ARX's ratio; below. Here Δt = {p.dt:g} s"),
        Quantity("order of the error in Δt", order, "", 1.0, bool(order >= ORDER), f"{series}, {p.seeds} samples"),
        below("energy error without friction and dashpots", smooth, SMOOTH, elastic),
    ]
    if p.paper == "ARX":
        own = float(run.tables[AT_ARX_STEP]["arx"][0])
        quantities.append(below("|residual|/W at ARX's Δt", own, ARX, f"below; Δt = {ARX_STEP:g} s, {p.fine_until:g} s"))
    table = run.tables["switched off"]
    mine = (table["change"] == AS_IT_IS) & (table["dt"] == p.dt)
    smooth_ones = (table["change"] == SMOOTH_PLATES) & (table["dt"] == p.dt)
    more = (
        f"; between smooth plates {table['share'][smooth_ones].mean():.2g}, gradient {table['gradient'][smooth_ones].mean():.2g}"
    )
    grains = {name: table[name][mine] for name in ("share", "gradient")}
    return [*judged_if_sheared(quantities, grains, more), *parts_of_the_rest(run)]


def step_for(error: float, finer: float, dt: float) -> float:
    """Time step at which the error is `SMOOTH`, from those at dt and half of it; NaN where it does not fall."""
    order = np.log2(error / finer) if error > 0.0 and finer > 0.0 else 0.0
    return float(dt * (SMOOTH / error) ** (1.0 / order)) if order > 0.0 else float("nan")


def orders_of_samples(p: ShearEnergy, run: Run) -> list[float]:
    """Order of the error in Δt of each sample."""
    table = run.tables["error against dt"]
    samples = [table["seed"] == seed for seed in range(p.seed, p.seed + p.seeds)]
    return [fitted_order(table["dt"][mine], table["energy_error"][mine]) for mine in samples]


def parts_of_the_rest(run: Run) -> list[Quantity]:
    """Energy errors with one thing changed at a time."""
    found = []
    for change, name in enumerate(CHANGES):
        coarse, fine = of_change(run, change, "energy_error")
        rest, lost = (of_change(run, change, column)[0] for column in ("residual", "lost"))
        local = np.log2(coarse / fine) if coarse > 0.0 and fine > 0.0 else float("nan")
        note = f"rest {rest:.2g} erg, springs lost {lost:.2g} erg, error ∝ Δt^{local:.1f} between Δt and Δt/2"
        found.append(Quantity(f"where it sits: {name}", coarse, note=note))
    return found


def merit(p: ShearEnergy, run: Run) -> Merit:
    """The judged run's energy error; steps of all runs."""
    steps = sum(int(run.tables[name]["steps"].sum()) for name in ("error against dt", "switched off"))
    return Merit(grains=p.grains, steps=steps, energy_error=book_of(run).energy_error)


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: ShearEnergy, run: Run, folder: Path) -> Sequence[Path]:
    """The cell with its forces (fig 9), how grains follow the plate, the error against the time step (fig 10), the energies."""
    mine = cell(p, p.seed)
    scene = mine.sheared(mine.settled(), p.speed)
    title = f"{p.grains} grains after {p.until:g} s: lines between centres as thick as their force"
    figure = cells_figure({title: kept_record(scene, run.tables, "cell")}, "cm")
    return [
        save_figure(figure, folder / "cell.png"),
        save_figure(draw_error(p, run), folder / "error.png"),
        save_figure(draw_ways(p, run), folder / "ways.png"),
        save_figure(draw_energy(p, run), folder / "energy.png"),
    ]


def draw_error(p: ShearEnergy, run: Run) -> Any:
    """The error of the balance against the time step, with the paper's (PRE10 fig 10)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 4.8), layout="constrained")
    steps, errors = by_step(run, "pre10")
    table = run.tables["error against dt"]
    axes.loglog(table["dt"], 100.0 * table["pre10"], ".", color="0.6", label=f"{p.seeds} samples" if p.seeds > 1 else None)
    axes.loglog(steps, 100.0 * errors, "o-", color="C0", label="|E + Q − W| / E, PRE10's ratio")
    axes.loglog(*percent(by_step(run, "energy_error")), "s--", color="C2", label="max |residual| / S, ours")
    axes.loglog(steps, 100.0 * PRE10 * steps / 1e-3, ":", color="C3", lw=2, label="PRE10: 0.2 % at 1 ms, ∝ Δt")
    axes.set(xlabel="time step [s]", ylabel="error of the balance [%]", title=title_of(p))
    axes.legend(fontsize=9)
    return figure


def title_of(p: ShearEnergy) -> str:
    """Grains, numbers and duration."""
    return f"{GRAINS[p.shape]}, numbers of {p.paper}, {p.until:g} s"


def draw_ways(p: ShearEnergy, run: Run) -> Any:
    """How far each grain went along x in the last half of the run, over the plate's way, against its height."""
    import matplotlib.pyplot as plt

    table = run.tables["cell: ways"]
    figure, axes = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
    axes.plot([0.0, 1.0], [0.0, 1.0], "--", color="0.5", lw=1, label="linear")
    axes.plot(table["way"], table["height"], "o", ms=4, label="grains")
    axes.set(xlabel="way / way of the plate", ylabel="height / height of the plate", ylim=(0.0, 1.0))
    axes.set_title(f"{title_of(p)}: mean way {table['way'].mean():.2f}", fontsize=9)
    axes.legend(fontsize=9)
    return figure


def draw_energy(p: ShearEnergy, run: Run) -> Any:
    """What the plate puts in and where it goes: heat, and what is stored; below, what does not add up."""
    import matplotlib.pyplot as plt

    book = book_of(run)
    slid, rest = book["heat_sliding"], book.heat - book["heat_sliding"]
    stored = book.energy - book.energy[0]
    figure, (axes, below_it) = plt.subplots(2, 1, sharex=True, figsize=(7.0, 5.6), height_ratios=(3, 1), layout="constrained")
    axes.stackplot(book.time, slid, rest, labels=("heat of sliding", "heat of dashpots"), colors=("#e0a080", "#8fb0d0"))
    axes.plot(book.time, book.work - book.work[0], "k", lw=1.6, label="work of the plates")
    axes.plot(book.time, stored, "C2", lw=1.2, label="change of all energies")
    axes.set(ylabel="energy [erg]", title=title_of(p))
    axes.legend(fontsize=9, loc="upper left")
    below_it.plot(book.time, 1e6 * book.residual / book.scale, "k", lw=0.9)
    below_it.set(xlabel="time [s]", ylabel=r"residual / S [$10^{-6}$]", xlim=(0.0, book.time[-1]))
    return figure


def percent(points: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The same points with their second number in percent."""
    return points[0], 100.0 * points[1]


EXPERIMENT = Study(
    name="shear-energy",
    paper="PRE10 fig 9-10; ARX fig 9-10",
    title="energy balance in a shear cell with friction",
    claim="energy balances within 0.2 % (ARX: 1 %), the error ∝ Δt",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=ShearEnergy,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
