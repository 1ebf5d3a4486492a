"""Ratcheting: strain that stays after each of many cycles, by amplitude and by roundness (PRE10 fig 19, 20, 22).

The load is that of `clast.experiments.shared.cyclic`. A sweep of amplitudes on a few samples, and at one of its amplitudes three
sphero-radii on more samples; the tests they have in common are run once. The paper used eight samples of each radius; its number
of cycles is not given, ours is 40, so that the whole set takes about an hour and a half on one core.

How it is judged. The strain per cycle is the mean of the last half of the cycles; errors are standard errors of the mean over
samples. Strain accumulates if that, less two errors, is above what the first sample does at rest (no swing, the same time). The
shakedown limit is the knee of strain per cycle against amplitude: least squares of a level and a line that rises from it. It
agrees if, within its error (samples left out one by one), it meets the published 0.2 p₀ ± 10 %; one place of the paper prints
0.2 K_n, 67 p₀ here, under which a sample would long have failed. A power law bends too and has such a knee, so its exponent
stands beside. Rounder grains ratchet more if the strain per cycle rises from radius to radius and the largest is above the
smallest by more than two errors of their difference. Vertex-vertex contacts are to be less than 20 % of all. (Added after the
first trial: one sample has no error, so with one there is no judgement.)
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.cyclic import (
    Cyclic,
    Swing,
    agrees_about,
    bars,
    cycled,
    knee_of_seeds,
    loops_of,
    merit_of,
    power_law,
    trust,
)
from clast.experiments.shared.numbers import below, mean_error, with_error
from clast.output.figures.drawn import Figure
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run, StudyTable

RADII = (0.05, 0.1, 0.15)  # cm
SWEEP = (0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5)  # of the amplitude at which radii are compared
SAMPLES = 40  # per cycle
LIMIT = 0.2  # p₀, published
FEW = 0.2  # share of vertex-vertex contacts, published
SURE = 2.0  # errors
AT_REST, FINER = "at rest", "half the step"
MARKS = ("o", "s", "^")


class Ratcheting(Cyclic):
    """Amplitudes are in units of the pressure."""

    amplitude: float = parameter(0.4, "Δσ/p₀ where radii are compared; the sweep goes from an eighth to 1.5 of it", "", gt=0)
    cycles: int = parameter(40, "cycles of a test", "", ge=2)
    seeds: int = parameter(8, "samples of each radius, with seeds from --seed on", "", ge=1)
    sweep_seeds: int = parameter(3, "samples at each amplitude", "", ge=1)


SIZES: Sizes = {"quick": {"columns": 10, "rows": 12, "cycles": 6, "seeds": 1, "sweep_seeds": 1}, "full": {}}
VARIANTS: Variants = {"full": ({}, {"state": "dense", "amplitude": 4.0, "cycles": 20, "seeds": 2, "sweep_seeds": 2})}


def sweep_of(p: Ratcheting) -> list[float]:
    """Amplitudes Δσ/p₀ of the sweep."""
    return [part * p.amplitude for part in SWEEP]


def table_name(radius: float, amplitude: float, seed: int) -> str:
    """Name of the table of a test."""
    return f"R {radius:g}, Δσ {amplitude:.4g}, seed {seed}"


def tests_of(p: Ratcheting) -> dict[str, Swing]:
    """Every test by the name of its table; what sweep and radii share is there once."""
    cases = [(p.radius, amplitude, p.seed + k) for k in range(p.sweep_seeds) for amplitude in sweep_of(p)]
    cases += [(radius, p.amplitude, p.seed + k) for k in range(p.seeds) for radius in RADII]
    found = {
        table_name(radius, amplitude, seed): Swing(seed, amplitude, p.cycles, SAMPLES, radius)
        for radius, amplitude, seed in cases
    }
    found[AT_REST] = Swing(p.seed, 0.0, p.cycles, SAMPLES)
    found[FINER] = Swing(p.seed, p.amplitude, p.cycles, SAMPLES, finer=2)
    return found


def tables(p: Ratcheting, threads: int | str, device: str = "cpu") -> Mapping[str, Callable[[], Columns]]:
    """One table per test."""
    return {name: partial(cycled, p, swing, threads, device) for name, swing in tests_of(p).items()}


# --- what is read off ------------------------------------------------------------------------------------------------


def rates_by_amplitude(p: Ratcheting, run: Run) -> np.ndarray:
    """Strain per cycle (samples, amplitudes)."""
    return np.array(
        [
            [loops_of(p, run.tables[table_name(p.radius, amplitude, p.seed + k)]).rate() for amplitude in sweep_of(p)]
            for k in range(p.sweep_seeds)
        ]
    )


def of_radius(p: Ratcheting, run: Run, radius: float) -> list[StudyTable]:
    """The tests on one radius."""
    return [run.tables[table_name(radius, p.amplitude, p.seed + k)] for k in range(p.seeds)]


def evaluate(p: Ratcheting, run: Run) -> Sequence[Quantity]:
    """Whether strain accumulates, above which amplitude, for which grains more, and whether the tests were good."""
    found = [*accumulation(p, run), *shakedown(p, run), *roundness(p, run)]
    return found + trust([run.tables[name] for name in tests_of(p)])


def accumulation(p: Ratcheting, run: Run) -> list[Quantity]:
    """Strain per cycle at the amplitude of comparison, beside what it is at rest and with half the step."""
    rest, finer = (loops_of(p, run.tables[name]).rate() for name in (AT_REST, FINER))
    first = loops_of(p, run.tables[table_name(p.radius, p.amplitude, p.seed)]).rate()
    column = rates_by_amplitude(p, run)[:, sweep_of(p).index(p.amplitude)]
    rate, error = mean_error(column)
    grows = bool(rate - SURE * error > rest) if math.isfinite(error) else None  # one sample has no error
    of = f"of {p.sweep_seeds}, R = {p.radius:g} cm, last half of {p.cycles} cycles"
    note = f"{with_error(rate, error)} {of}; bar: more than at rest"
    return [
        Quantity(f"{p.state}: strain per cycle at Δσ = {p.amplitude:g} p₀", rate, "", None, grows, note, error),
        Quantity("the same at rest, per period", rest, note="first sample, no swing: drift of the numbers, and creep"),
        Quantity("the same with half the step", finer, note=f"first sample; with the whole step {first:.3g}"),
    ]


def shakedown(p: Ratcheting, run: Run) -> list[Quantity]:
    """Where strain per cycle leaves its low level."""
    amplitudes, rates = np.array(sweep_of(p)), rates_by_amplitude(p, run)
    limit, error = knee_of_seeds(amplitudes, rates)
    mean = rates.mean(axis=0)
    low, high = (", ".join(f"{value:.2g}" for value in part) for part in (mean[:2], mean[-2:]))
    ends = (f"{amplitudes[0]:g}, {amplitudes[1]:g}", f"{amplitudes[-2]:g}, {amplitudes[-1]:g}")
    note = (
        f"{with_error(limit, error)} of {p.sweep_seeds} samples; strain per cycle {low} at {ends[0]} p₀, {high} at {ends[1]} p₀"
    )
    agrees = agrees_about(limit, error, LIMIT)
    if agrees is False:
        dense = "dense samples have hardly any voids and fail at 8 p₀ only, so a swing of 0.2 p₀ is nothing to them"
        note += f"; {dense if p.state == 'dense' else 'it grows gradually, so the knee follows the range of amplitudes'}"
    power = power_law(amplitudes, mean)
    also = f"a power law has no limit; of the {power.points} amplitudes with a gain"
    return [
        Quantity(f"{p.state}: shakedown limit Δσ/p₀", limit, "", LIMIT, agrees, note, error),
        Quantity("exponent of strain per cycle in Δσ", power.exponent, note=also),
    ]


def roundness(p: Ratcheting, run: Run) -> list[Quantity]:
    """Strain per cycle and share of vertex-vertex contacts by radius, and the order of the radii."""
    found, rates, ends, shares = [], [], [], []
    for radius in RADII:
        tests = of_radius(p, run, radius)
        loops = [loops_of(p, each) for each in tests]
        rates.append(mean_error([each.rate() for each in loops]))
        ends.append(mean_error([float(each.accumulated[-1]) for each in loops]))
        shares.append(float(np.mean([[each[f"vertex_vertex_{when}"][0] for when in ("start", "end")] for each in tests])))
        void = float(np.mean([each["void_ratio"][0] for each in tests]))
        grown = f"accumulated {with_error(*ends[-1])} in {p.cycles} cycles"
        note = f"{with_error(*rates[-1])} of {p.seeds} samples; {grown}; void ratio {void:.3f}"
        found.append(Quantity(f"R = {radius:g} cm: strain per cycle", rates[-1][0], note=note, error=rates[-1][1]))
    rising = all(one[0] < two[0] for one, two in pairwise(rates))
    apart, error = rates[-1][0] - rates[0][0], math.hypot(rates[-1][1], rates[0][1])
    note = (
        f"more by {with_error(apart, error)}; in order: {'yes' if rising else 'no'}; bar: in order, and more by {SURE:g} errors"
    )
    agrees = bool(rising and apart > SURE * error) if p.seeds > 1 else None  # one sample has no error
    if agrees is False:
        totals = ", ".join(f"{each[0]:.2g}" for each in ends)
        note += f"; from the first cycle on {totals}: most comes early, and samples differ"
    ratio = rates[-1][0] / rates[0][0] if rates[0][0] != 0.0 else math.nan
    spread = abs(ratio) * math.hypot(*(error / mean for mean, error in (rates[0], rates[-1]))) if ratio else math.nan
    found.append(Quantity("strain per cycle, roundest / most angular", ratio, "", None, agrees, note, spread))
    for radius, share in zip(RADII, shares, strict=True):
        note = "mean of start and end; the paper: less than a fifth"
        found.append(below(f"R = {radius:g} cm: vertex-vertex contacts", share, FEW, note))
    more = all(one < two for one, two in pairwise(shares))
    note = f"from {shares[0]:.3f} to {shares[-1]:.3f}; more at each step of R"
    return [*found, Quantity("vertex-vertex contacts, roundest / most angular", shares[-1] / shares[0], "", None, more, note)]


def merit(p: Ratcheting, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of(p, [run.tables[name] for name in tests_of(p)])


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Ratcheting, run: Run, folder: Path) -> Sequence[Path]:
    """One test (fig 19), strain per cycle by amplitude (fig 20), accumulated strain by radius (fig 22)."""
    return [
        save_figure(draw_test(p, run), folder / "ratcheting.png"),
        save_figure(draw_amplitudes(p, run), folder / "amplitudes.png"),
        save_figure(draw_radii(p, run), folder / "radii.png"),
    ]


def draw_test(p: Ratcheting, run: Run) -> Figure:
    """Stress against strain of the first sample, and strain at the end of each cycle."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    loops = loops_of(p, run.tables[table_name(p.radius, p.amplitude, p.seed)])
    colours = plt.get_cmap("viridis")
    for k in range(p.cycles):
        strain, stress = loops.loop(k)
        left.plot(1e3 * strain, stress / p.pressure - 1.0, lw=0.8, color=colours(k / p.cycles))
    left.set(xlabel=r"axial strain $\epsilon_a$ [$10^{-3}$]", ylabel=r"$(\sigma_a-p_0)/p_0$")
    left.set_title(f"{p.state}, {p.columns} × {p.rows} grains, first cycle dark, last bright", fontsize=10)
    right.plot(np.arange(p.cycles + 1), 1e3 * np.concatenate([[0.0], loops.accumulated]), "o-", ms=3, lw=0.8)
    right.set(xlabel="cycle", ylabel=r"accumulated strain [$10^{-3}$]", xlim=(0, p.cycles))
    right.locator_params(axis="x", integer=True)
    right.set_title(f"Δσ = {p.amplitude:g} p₀, R = {p.radius:g} cm", fontsize=10)
    return figure


def draw_amplitudes(p: Ratcheting, run: Run) -> Figure:
    """Strain per cycle against amplitude with the knee, and the same on logarithmic axes, where small ones are seen too."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.3), layout="constrained")
    amplitudes, rates = np.array(sweep_of(p)), rates_by_amplitude(p, run)
    mean, error = bars(rates)
    limit, spread = knee_of_seeds(amplitudes, rates)
    rest = loops_of(p, run.tables[AT_REST]).rate()
    label = f"mean of {p.sweep_seeds} samples" if p.sweep_seeds > 1 else "one sample"
    for axes, shown in zip(panels, (np.ones(len(mean), bool), mean > 0.0), strict=True):
        if p.sweep_seeds > 1:
            for each in rates:
                axes.plot(amplitudes, each, ".", ms=4, color="0.7")
        axes.errorbar(amplitudes[shown], mean[shown], error[shown], fmt="o-", ms=4, lw=1.0, capsize=3, label=label)
        if math.isfinite(limit):
            axes.axvline(limit, color="C3", lw=1.0, label=f"knee: {with_error(limit, spread, 2)} p₀")
        if amplitudes[-1] > LIMIT:
            axes.axvline(LIMIT, color="0.4", lw=1.0, ls="--", label=f"published: about {LIMIT:g} p₀")
        axes.set(xlabel=r"amplitude $\Delta\sigma/p_0$", ylabel="strain per cycle, last half of the cycles")
    panels[0].axhline(rest, color="0.6", lw=0.8, ls=":", label=f"at rest: {rest:.1g}")
    panels[0].set(xlim=(0.0, None))
    panels[0].ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
    panels[0].legend(fontsize=9)
    panels[0].set_title(f"{p.state}, R = {p.radius:g} cm, {p.cycles} cycles", fontsize=10)
    if (mean > 0.0).any():
        panels[1].set(xscale="log", yscale="log")
        panels[1].set_xticks(amplitudes, [f"{each:g}" for each in amplitudes])
        panels[1].minorticks_off()
    panels[1].set_title("the same; losses and zeros are not drawn", fontsize=10)
    return figure


def draw_radii(p: Ratcheting, run: Run) -> Figure:
    """Accumulated strain against cycle for the three radii, mean over samples with its error: all, and behind the first cycle."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    cycle = np.arange(1, p.cycles + 1)
    for k, radius in enumerate(RADII):
        curves = 1e3 * np.array([loops_of(p, each).accumulated for each in of_radius(p, run, radius)])
        for axes, shown in zip(panels, (curves, curves - curves[:, :1]), strict=True):
            mean, error = bars(shown)
            if p.seeds > 1:
                axes.fill_between(cycle, mean - error, mean + error, color=f"C{k}", alpha=0.2, lw=0)
            style = {"color": f"C{k}", "marker": MARKS[k], "ms": 4, "markevery": max(1, p.cycles // 10)}
            axes.plot(cycle, mean, label=f"R = {10.0 * radius:g} mm", **style)
    for axes, what in zip(panels, ("accumulated strain", "the same, less the first cycle's"), strict=True):
        axes.set(xlabel="cycle", ylabel=rf"{what} [$10^{{-3}}$]", xlim=(0, p.cycles))
        axes.locator_params(axis="x", integer=True)
    panels[0].set_ylim(0.0, None)
    which = f"mean of {p.seeds} samples and its error" if p.seeds > 1 else "one sample each"
    panels[0].set_title(f"{p.state}, Δσ = {p.amplitude:g} p₀: {which}", fontsize=10)
    panels[0].legend()
    return figure


EXPERIMENT = Study(
    name="ratcheting",
    paper="PRE10 fig 19-20, 22",
    title="strain accumulates cycle by cycle, more for rounder grains",
    claim="strain accumulates above a shakedown limit of about 0.2 p₀, more with rounder grains",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Ratcheting,
    tables=tables,
    on_gpu=True,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
