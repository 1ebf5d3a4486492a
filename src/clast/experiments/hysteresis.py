"""Hysteresis: loops of stress and strain in the first cycle of a harmonic load, by amplitude (PRE10 fig 17-18).

The load is that of `clast.experiments.shared.cyclic`, one cycle from rest, amplitudes in equal ratios up to the largest. Every
loop starts from the same sample. Stresses are the contact forces on the walls, so that a loop holds what the sample itself loses
and the dashpots of walls are not in it.

How it is judged. The area is ∮ (σ_a − p₀) dε closed by a chord. Loops are nested if, pair by pair of neighbouring amplitudes,
tips are in order and at every stress the strains of the smaller loop lie between those of the larger, up to 5 % of the width of
the larger; published is all of them, ± 10 %. The area starts to grow fast at its knee over amplitude, found and judged as the
shakedown limit in `clast.experiments.ratcheting`; an area that grows as a power has such a knee too, so exponent and the knee of
that power stand beside. D = A_loop/(½ σ_m ε_m) and E = σ_m/ε_m are means over samples, by amplitude; D = D_max (1 − E/E_max) is
fitted to them by least squares. Its correlation agrees within 10 % of the published 0.97, if D falls with E. D_max = 5.22(5) and
E_max = 11.3(4) are compared as they are printed, D as a plain ratio and E in units of K_n, since the paper names no unit; a loop
that stays between its start and its tip cannot have more than D = 2, so 5.22 must have been counted in another way.

The correlation is a weak claim: where sliding adds a strain ∝ σⁿ to an elastic one, and all but that comes back, A_loop ∝ σⁿ⁺¹
and D = 2n/(n + 1) (1 − E/E_max) exactly, whatever n is and however much slides. What can fail is D_max, which the exponent of
the area then gives, and E_max, the modulus of the smallest swings.

Changed after the first trials, on small samples: the tip is where strain is largest, no longer where stress is, since stress
rings when grains rearrange; with one sample, which has no error, knees are not judged; and a D that rises with E (dense) does
not agree, whatever its correlation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.cyclic import (
    Cyclic,
    Swing,
    agrees_about,
    bars,
    cycled,
    knee,
    knee_of_seeds,
    loops_of,
    merit_of,
    power_law,
    trust,
)
from clast.experiments.shared.numbers import mean_error, with_error, within
from clast.measures.loops import Loops
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run

SMALLEST = 1.0 / 12.0  # of the largest amplitude
SAMPLES = 200  # per cycle
LIMIT = 0.2  # p₀, where the area is published to grow fast
D_MAX, D_ERROR, E_MAX, E_ERROR, CORRELATION = 5.22, 0.05, 11.3, 0.4, 0.97
INSIDE = 0.05  # of the width of the larger loop
STIFF = 0.05  # of the modulus: a smaller change of it is noted
NO_FIT = "D does not fall with E, so that this means nothing"
LEVELS = 60  # of stress, at which loops are compared
SLOWER = (2.0, 4.0)  # periods
BRAKES = (0.1, 10.0)  # times the usual dashpots


class Hysteresis(Cyclic):
    """Amplitudes are in units of the pressure."""

    amplitude: float = parameter(0.6, "largest amplitude Δσ/p₀; the smallest is a twelfth of it", "", gt=0)
    amplitudes: int = parameter(8, "number of amplitudes", "", ge=3)
    seeds: int = parameter(4, "samples, with seeds from --seed on", "", ge=1)


SIZES: Sizes = {"quick": {"columns": 12, "rows": 16, "amplitudes": 5, "seeds": 2}, "full": {}}
VARIANTS: Variants = {"full": ({}, {"state": "dense"}, {"state": "dense", "amplitude": 6.0})}


class Fit(NamedTuple):
    """D = D_max (1 − E/E_max) through points, with its standard errors; E in units of K_n."""

    d_max: float
    d_error: float
    e_max: float
    e_error: float
    correlation: float


def amplitudes_of(p: Hysteresis) -> np.ndarray:
    """Amplitudes Δσ/p₀, in equal ratios."""
    return np.asarray(np.geomspace(SMALLEST * p.amplitude, p.amplitude, p.amplitudes))


def table_name(amplitude: float, seed: int) -> str:
    """Name of the table of a test."""
    return f"Δσ {amplitude:.4g}, seed {seed}"


def slow_name(amplitude: float, longer: float = SLOWER[-1]) -> str:
    """Name of the table of a test with a longer period."""
    return f"Δσ {amplitude:.4g}, {longer:g} T"


def checks_of(p: Hysteresis) -> dict[str, Swing]:
    """Tests on the first sample that show what a loop depends on: period, dashpots; at the largest and smallest amplitude.

    And the second smallest, slowly: waves are all that may keep the smallest from lying inside.
    """
    low, second, high = (float(each) for each in amplitudes_of(p)[[0, 1, -1]])
    found = {slow_name(second): Swing(p.seed, second, 1, SAMPLES, longer=SLOWER[-1])}
    for amplitude in (low, high):
        for longer in SLOWER:
            found[slow_name(amplitude, longer)] = Swing(p.seed, amplitude, 1, SAMPLES, longer=longer)
        for brake in BRAKES:
            found[f"Δσ {amplitude:.4g}, dashpots × {brake:g}"] = Swing(p.seed, amplitude, 1, SAMPLES, brake=brake)
    return found


def tests_of(p: Hysteresis) -> dict[str, Swing]:
    """Every test by the name of its table."""
    found = {
        table_name(amplitude, seed): Swing(seed, float(amplitude), 1, SAMPLES)
        for seed in range(p.seed, p.seed + p.seeds)
        for amplitude in amplitudes_of(p)
    }
    return found | checks_of(p)


def tables(p: Hysteresis, threads: int | str, device: str = "cpu") -> Mapping[str, Callable[[], Columns]]:
    """One table per test."""
    return {name: partial(cycled, p, swing, threads, device) for name, swing in tests_of(p).items()}


# --- what is read off ------------------------------------------------------------------------------------------------


def loops_of_seed(p: Hysteresis, run: Run, seed: int) -> list[Loops]:
    """The loops of a sample, smallest amplitude first."""
    return [loops_of(p, run.tables[table_name(amplitude, seed)]) for amplitude in amplitudes_of(p)]


def by_seed(p: Hysteresis, run: Run, what: Callable[[Loops], float]) -> np.ndarray:
    """A number of every loop (samples, amplitudes)."""
    return np.array([[what(each) for each in loops_of_seed(p, run, seed)] for seed in range(p.seed, p.seed + p.seeds)])


def areas(p: Hysteresis, run: Run) -> np.ndarray:
    """Areas of loops over p₀ (samples, amplitudes)."""
    return by_seed(p, run, lambda each: float(each.area[0])) / p.pressure


def damping_and_modulus(p: Hysteresis, run: Run) -> tuple[np.ndarray, np.ndarray]:
    """D, and E = σ_m/ε_m in units of K_n (samples, amplitudes)."""
    modulus = by_seed(p, run, lambda each: float(each.tip_stress[0] / each.tip_strain[0])) / p.stiffness
    return by_seed(p, run, lambda each: float(each.damping[0])), modulus


def strains_at(loop: tuple[np.ndarray, np.ndarray], levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strains of a loop at levels of stress, on the way to the tip and on the way back; where stress rings, the first of each."""
    strain, stress = loop
    tip = int(np.argmax(strain))
    there = np.interp(levels, np.maximum.accumulate(stress[: tip + 1]), strain[: tip + 1])
    back = np.interp(levels, np.maximum.accumulate(stress[tip:][::-1]), strain[tip:][::-1])
    return there, back


def is_inside(small: tuple[np.ndarray, np.ndarray], large: tuple[np.ndarray, np.ndarray]) -> bool:
    """Whether a loop lies inside a larger one that starts where it does, by the rule above."""
    tip, outer_tip = (loop[1][np.argmax(loop[0])] for loop in (small, large))
    if not (tip < outer_tip and small[0].max() < large[0].max()):
        return False
    levels = np.linspace(max(small[1][-1], large[1][-1]), tip, LEVELS)
    (there, back), (outer_there, outer_back) = strains_at(small, levels), strains_at(large, levels)
    slack = INSIDE * float((outer_back - outer_there).max())
    return bool((there >= outer_there - slack).all() and (back <= outer_back + slack).all())


def fit_damping(damping: np.ndarray, modulus: np.ndarray) -> Fit:
    """Least squares of D = D_max − (D_max/E_max) E."""
    count = len(damping)
    (slope, level), covariance = np.polyfit(modulus, damping, 1, cov="unscaled")
    left = damping - level - slope * modulus
    covariance = covariance * float(left @ left) / (count - 2)
    e_max = -level / slope
    gradient = np.array([level / slope**2, -1.0 / slope])
    correlation = float(np.corrcoef(modulus, damping)[0, 1])
    errors = math.sqrt(covariance[1, 1]), math.sqrt(float(gradient @ covariance @ gradient))
    return Fit(float(level), errors[0], float(e_max), errors[1], correlation)


def evaluate(p: Hysteresis, run: Run) -> Sequence[Quantity]:
    """Whether loops are nested, how their area grows, the fit of D, what a loop consists of, and whether the tests are good."""
    found = [*nesting(p, run), *growth(p, run), *damping(p, run), *contents(p, run), *dependence(p, run)]
    return found + trust([run.tables[name] for name in tests_of(p)])


def nesting(p: Hysteresis, run: Run) -> list[Quantity]:
    """The share of neighbouring loops of a sample of which the smaller lies inside the larger."""
    each = [
        is_inside(small.loop(0), large.loop(0))
        for seed in range(p.seed, p.seed + p.seeds)
        for small, large in pairwise(loops_of_seed(p, run, seed))
    ]
    share = float(np.mean(each))
    slow = [loops_of(p, run.tables[slow_name(amplitude)], SLOWER[-1]).loop(0) for amplitude in amplitudes_of(p)[:2]]
    note = f"{sum(each)} of {len(each)} pairs of {p.seeds} samples; bar 90 %; the two smallest at {SLOWER[-1]:g} T are "
    slowly = is_inside(*slow)
    note += "nested" if slowly else "not"
    if share < 0.9:
        rings = "the sample rings by more than the width of the thinnest allows"
        note += f"; on the way up loops coincide, and {rings if slowly else 'the thinnest are too thin to be distinguished'}"
    return [Quantity(f"{p.state}: share of loops inside the next larger", share, "", 1.0, bool(share >= 0.9), note)]


def growth(p: Hysteresis, run: Run) -> list[Quantity]:
    """Where the area starts to grow fast, and how."""
    amplitudes, found = amplitudes_of(p), areas(p, run)
    at, error = knee_of_seeds(amplitudes, found)
    power = power_law(amplitudes, found.mean(axis=0)).exponent
    bend = knee(amplitudes, amplitudes**power)
    note = f"{with_error(at, error)} of {p.seeds} samples; a pure power of the exponent below has its knee at {bend:.2g}"
    agrees = agrees_about(at, error, LIMIT)
    if agrees is False:
        note += ": there is no threshold, so the knee follows the range of amplitudes"
    return [
        Quantity(f"{p.state}: Δσ/p₀ where the area grows fast", at, "", LIMIT, agrees, note, error),
        Quantity("exponent of the area in Δσ", power, note="Rayleigh's law for small swings of bodies that slide: 3"),
        Quantity(
            "area at the largest amplitude / p₀", float(found[:, -1].mean()),
            note=f"{with_error(*mean_error(found[:, -1]))} at Δσ = {p.amplitude:g} p₀",
        ),
    ]  # fmt: skip


def damping(p: Hysteresis, run: Run) -> list[Quantity]:
    """The fit of D against E."""
    both = damping_and_modulus(p, run)
    points = [each.mean(axis=0) for each in both]
    fit = fit_damping(*points)
    power = power_law(amplitudes_of(p), areas(p, run).mean(axis=0)).exponent
    range_d, range_e = (f"{each[0]:.3g} … {each[-1]:.3g}" for each in points)
    corr, falls = abs(fit.correlation), fit.correlation < 0.0
    note = f"means over {p.seeds} samples, {p.amplitudes} amplitudes; D {'falls' if falls else 'rises'} with E"
    if np.ptp(points[1]) < STIFF * points[1].max():
        note += f"; E changes by less than {STIFF:.0%}: the sample is nearly elastic, and there is no slope to fit"
    if p.seeds > 1:
        note += f"; of single tests {abs(fit_damping(*(each.ravel() for each in both)).correlation):.3f}"
    return [
        Quantity(
            f"{p.state}: correlation of D with σ_m/ε_m", corr, "", CORRELATION,
            bool(falls and within(corr, CORRELATION, 0.1 * CORRELATION)), note,
        ),
        Quantity(
            f"{p.state}: D_max", fit.d_max, "", D_MAX, within(fit.d_max, D_MAX, D_ERROR),
            f"{with_error(fit.d_max, fit.d_error)} as a ratio, {2.0 - 2.0 / power:.2f} by the exponent of the area; "
            f"D = {range_d}; "
            + ("a loop between start and tip has D < 2, so the paper counts in another unit" if falls else NO_FIT),
            fit.d_error, D_ERROR,
        ),
        Quantity(
            f"{p.state}: E_max", fit.e_max, "K_n", E_MAX, within(fit.e_max, E_MAX, E_ERROR),
            f"{with_error(fit.e_max, fit.e_error)} K_n, {fit.e_max * p.stiffness / p.pressure:.3g} p₀; σ_m/ε_m = {range_e} K_n; "
            + ("the paper names no unit" if falls else NO_FIT),
            fit.e_error, E_ERROR,
        ),
    ]  # fmt: skip


def contents(p: Hysteresis, run: Run) -> list[Quantity]:
    """What is lost in a cycle, over the area of the loop, at the smallest and largest amplitude, and where it came from.

    Heat of contacts = area of the loop − p₀ ε_v + what springs gave, all per area of the sample: a cycle ends at p₀.
    """
    found = []
    for amplitude in amplitudes_of(p)[[0, -1]]:
        tests = [run.tables[table_name(amplitude, seed)] for seed in range(p.seed, p.seed + p.seeds)]
        area = np.array([loops_of(p, each).area[0] for each in tests])
        slid, damped, braked = (
            float(np.mean([each[f"heat_{name}"][-1] for each in tests])) / float(area.mean())
            for name in ("sliding", "contacts", "dashpots")
        )
        given = -p.pressure * float(np.mean([each["volumetric_strain"][-1] for each in tests])) / float(area.mean())
        sprung = slid + damped - 1.0 - given
        note = f"sliding {slid:.3g} of the area: p₀ gave {given:.3g} as the sample contracted, springs {sprung:.3g}"
        note += f"; wall dashpots {braked:.2g}, not in it"
        found.append(Quantity(f"Δσ = {amplitude:.2g} p₀: share of contact dampers in the loop", damped, note=note))
    return found


def dependence(p: Hysteresis, run: Run) -> list[Quantity]:
    """How the area changes with the period and with the dashpots of walls, first sample."""
    found = []
    for amplitude in amplitudes_of(p)[[0, -1]]:
        usual = float(loops_of(p, run.tables[table_name(amplitude, p.seed)]).area[0])
        changed = {
            name: float(loops_of(p, run.tables[name], swing.longer).area[0]) / usual
            for name, swing in checks_of(p).items()
            if swing.amplitude == amplitude
        }
        slow, brakes = ([ratio for name, ratio in changed.items() if ("dashpots" in name) is which] for which in (False, True))
        periods = ", ".join(f"{ratio:.3g} at {longer:g} T" for longer, ratio in zip(SLOWER, slow, strict=True))
        found += [
            Quantity(
                f"Δσ = {amplitude:.2g} p₀: area at {SLOWER[-1]:g} T / at T", slow[-1], note=f"{periods}, T = {p.period:g} s"
            ),
            Quantity(
                f"Δσ = {amplitude:.2g} p₀: area with other dashpots / usual", max(brakes, key=lambda each: abs(each - 1.0)),
                note=", ".join(f"{ratio:.4g} with {brake:g} times as much" for brake, ratio in zip(BRAKES, brakes, strict=True)),
            ),
        ]  # fmt: skip
    return found


def merit(p: Hysteresis, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of(p, [run.tables[name] for name in tests_of(p)])


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Hysteresis, run: Run, folder: Path) -> Sequence[Path]:
    """Loops of one sample and area by amplitude (fig 17), D against E with the fit (fig 18)."""
    import matplotlib.pyplot as plt

    figure, (left, right, logs) = plt.subplots(1, 3, figsize=(14.0, 4.4), layout="constrained")
    amplitudes, found = amplitudes_of(p), areas(p, run)
    for k, loops in reversed(list(enumerate(loops_of_seed(p, run, p.seed)))):
        strain, stress = loops.loop(0)
        colour = plt.get_cmap("viridis")(0.9 * k / (p.amplitudes - 1))
        left.plot(1e3 * strain, stress / p.pressure - 1.0, lw=1.1, color=colour, label=f"{amplitudes[k]:.2g}")
    left.set(xlabel=r"axial strain $\epsilon_a$ [$10^{-3}$]", ylabel=r"$(\sigma_a-p_0)/p_0$")
    left.set_title(f"{p.state}, {p.columns} × {p.rows} grains, seed {p.seed}", fontsize=10)
    left.legend(title=r"$\Delta\sigma/p_0$", fontsize=8)
    mean, error = bars(found)
    right.errorbar(
        amplitudes, mean, error, fmt="o-", ms=4, lw=1.0, capsize=3, label=f"{p.seeds} sample{'s' if p.seeds > 1 else ''}"
    )
    at, spread = knee_of_seeds(amplitudes, found)
    right.axvline(at, color="C3", lw=1.0, label=f"knee: {with_error(at, spread, 2)} p₀")
    if amplitudes[-1] > LIMIT:
        right.axvline(LIMIT, color="0.4", lw=1.0, ls="--", label=f"published: about {LIMIT:g} p₀")
    right.set(xlabel=r"amplitude $\Delta\sigma/p_0$", ylabel=r"area of the loop / $p_0$", xlim=(0.0, None), ylim=(0.0, None))
    right.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
    right.legend(fontsize=9, loc="upper left")
    power = power_law(amplitudes, mean)
    logs.errorbar(amplitudes, mean, error, fmt="o", ms=4, capsize=3)
    logs.plot(amplitudes, power.level * amplitudes**power.exponent, "C3-", lw=1.0)
    logs.set(xlabel=r"amplitude $\Delta\sigma/p_0$", ylabel=r"area of the loop / $p_0$", xscale="log", yscale="log")
    logs.set_xticks(amplitudes[::2], [f"{each:.2g}" for each in amplitudes[::2]])
    logs.set_xticks([], minor=True)
    logs.set_title(rf"the same, and a power law: $\Delta\sigma^{{{power.exponent:.2f}}}$", fontsize=10)
    paths = [save_figure(figure, folder / "hysteresis.png")]

    figure, axes = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
    ratio, modulus = damping_and_modulus(p, run)
    fit = fit_damping(ratio.mean(axis=0), modulus.mean(axis=0))
    if p.seeds > 1:
        axes.plot(modulus.ravel(), ratio.ravel(), ".", ms=4, color="0.75", label="single tests")
    (d, d_error), (e, e_error) = bars(ratio), bars(modulus)
    axes.errorbar(e, d, d_error, e_error, fmt="o", ms=5, capsize=3, label="means by amplitude" if p.seeds > 1 else "one sample")
    span = np.array([e.min(), e.max()]) + 0.1 * np.ptp(e) * np.array([-1.0, 1.0])
    label = rf"$D_{{max}}$ = {with_error(fit.d_max, fit.d_error)}, $E_{{max}}$ = {with_error(fit.e_max, fit.e_error)} $K_n$"
    if fit.correlation < 0.0:
        axes.plot(span, fit.d_max * (1.0 - span / fit.e_max), "C3-", lw=1.0, label="fit")
    else:
        label = "D does not fall with E: no fit"
    axes.set(xlabel=r"$\sigma_m/\epsilon_m$ [$K_n$]", ylabel=r"$D=A_{loop}/A_\Delta$")
    axes.set_title(f"{p.state}, first cycle; {label}, r = {fit.correlation:.3f}", fontsize=10)
    axes.legend(fontsize=9)
    return [*paths, save_figure(figure, folder / "damping.png")]


EXPERIMENT = Study(
    name="hysteresis",
    paper="PRE10 fig 17-18",
    title="nested loops whose area grows with the amplitude",
    claim="nested loops; the area grows fast above 0.2 p₀; D = D_max (1 − σ_m/(E_max ε_m)) with a correlation of 0.97",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Hysteresis,
    tables=tables,
    on_gpu=True,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
