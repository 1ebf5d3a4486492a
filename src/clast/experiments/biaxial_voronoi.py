"""Biaxial tests on Voronoi grains, dense and loose: both end in the same critical state (PRE10 fig 13).

Dense is the Voronoi-Minkowski packing as drawn; loose is the same packing expanded, every grain turned at random, and
compressed with friction. Both are brought to rest under the same pressure on all sides, then sheared.

How it is judged. q = (σ_yy − σ_xx)/2 from the walls. A test softens by the part of its largest q, as a mean over a window of
strain, that it has lost at ε ≥ 0.25, all windows being as wide as that last one: more than 10 % is a peak and softening,
less is monotonic within the noise of a sample this small. That is judged on the mean curve of all seeds; single tests are
printed beside it. (The windows were widened from Δε = 0.02 after the first tests, since the largest of many narrow means is
noise; the loose preparation was made uniform at the same time.) Dense and loose reach the same q if their means at ε ≥ 0.25
differ by less than 10 %; the volume is constant there if the void ratio, smoothed over Δε = 0.02, changes by less than 10 %.
PRE10 prints q = σ_a − σ_l, twice ours: the figure has the paper's axis.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clast.element_tests.curves import find_peak, level, resampled, smoothed, softening
from clast.element_tests.figure import draw_strained
from clast.element_tests.recorded import Record, kept_record, tables_of
from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, parameter
from clast.experiments.shared.numbers import lines_of_tests, mean_error, merit_of_tests, slowness
from clast.experiments.shared.soil import Soil, cell_of, sheared
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run, StudyTable

FINAL, WIDTH = 0.25, 0.02  # critical state; smoothing
SOFTENS = ALIKE = CONSTANT = 0.1
COLOURS = {"dense": "C0", "loose": "C3"}


class BiaxialVoronoi(Soil):
    """The pressure is ours, since the printed 0.256 K_n would press skeletons together."""

    state: Literal["dense", "loose", "both"] = parameter("both", "how the samples are made")
    seeds: int = parameter(4, "samples of each state, with seeds from --seed on", "", ge=1)
    pressure: float = parameter(30.0, "confining pressure, 3e-3 K_n", "dyn/cm", gt=0)
    rate: float = parameter(0.0025, "axial strain rate", "1/s", gt=0)
    strain: float = parameter(0.3, "axial strain at the end", "", gt=0, lt=0.6)


SIZES: Sizes = {"quick": {"columns": 12, "rows": 16, "seeds": 1, "rate": 0.003}, "full": {}}


def states_of(p: BiaxialVoronoi) -> list[str]:
    """The requested states."""
    return ["dense", "loose"] if p.state == "both" else [p.state]


def shear(p: BiaxialVoronoi, state: str, seed: int, threads: int | str) -> Record:
    """Press a sample and shear it."""
    return sheared(p, state, seed, pressure=p.pressure, rate=p.rate, strain=p.strain, threads=threads)


def table_name(state: str, seed: int) -> str:
    """Name of the table of a test."""
    return f"{state}, seed {seed}"


def tables(p: BiaxialVoronoi, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """The curves of every test; of the first of each state its bodies and contacts at the start, the peak and the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for seed in range(p.seed, p.seed + p.seeds):
        for state in states_of(p):
            wanted |= tables_of(table_name(state, seed), partial(shear, p, state, seed, threads), pictures=seed == p.seed)
    return wanted


# --- what is read off ------------------------------------------------------------------------------------------------


def tests_of(p: BiaxialVoronoi, run: Run, state: str) -> list[StudyTable]:
    """The tables of all tests on a state."""
    return [run.tables[table_name(state, seed)] for seed in range(p.seed, p.seed + p.seeds)]


def deviator(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """q = (σ_yy − σ_xx)/2."""
    return np.asarray(0.5 * (columns["stress_yy"] - columns["stress_xx"]))


def grid_of(p: BiaxialVoronoi) -> np.ndarray:
    """Strains at which curves are averaged."""
    return np.linspace(0.0, p.strain, 1201)


def mean_curve(p: BiaxialVoronoi, tests: Sequence[Mapping[str, np.ndarray]], name: str) -> np.ndarray:
    """A column, or q, on the grid of strains, averaged over tests."""
    return np.mean(
        [resampled(each["axial_strain"], deviator(each) if name == "q" else each[name], grid_of(p)) for each in tests], axis=0
    )


def evaluate(p: BiaxialVoronoi, run: Run) -> Sequence[Quantity]:
    """Peak and softening of either state, whether they meet, and whether the tests were slow enough."""
    found: list[Quantity] = []
    grid, final = grid_of(p), {}
    for state in states_of(p):
        tests = tests_of(p, run, state)
        final[state] = np.array([level(each["axial_strain"], deviator(each), FINAL) for each in tests]) / p.pressure
        found += state_quantities(p, state, tests, final[state])
    if p.state == "both":
        dense, loose = final["dense"].mean(), final["loose"].mean()
        apart = float(abs(dense - loose) / (0.5 * (dense + loose)))
        note = f"means at ε ≥ {FINAL:g} of {p.seeds} seeds; agrees below {ALIKE:.0%}"
        if apart >= ALIKE:
            note += "; likely because dense samples shear in bands between blocks that stay dense"
        found.append(Quantity("|q dense − q loose| / mean", apart, "", 0.0, bool(apart < ALIKE), note))
        void = {state: level(grid, mean_curve(p, tests_of(p, run, state), "void_ratio"), FINAL) for state in ("dense", "loose")}
        found += [
            Quantity(f"{state}: void ratio at ε ≥ {FINAL:g}", void[state], note="of whole samples, means of all tests")
            for state in void
        ]
        found.append(
            Quantity(
                "void ratio, loose / dense",
                void["loose"] / void["dense"],
                note=f"{void['loose']:.3f} and {void['dense']:.3f} at ε ≥ {FINAL:g}; of whole samples, bands and blocks together",
            )
        )
    everything = [each for state in states_of(p) for each in tests_of(p, run, state)]
    fastest = max(float(each["inertial_number"].max()) for each in everything)
    now = max(float((each["inertial_number"] / (1.0 - each["axial_strain"])).max()) for each in everything)
    note = f"with the rate of the present height {now:.2g}"
    found.append(slowness(fastest, note))
    for name, column in (
        ("largest share of the load on wall dashpots", "dashpot_share"),
        ("largest overlap / r", "overlap_share"),
    ):
        found.append(Quantity(name, max(float(each[column].max()) for each in everything)))
    side = max(abs(level(each["axial_strain"], each["stress_xx"], 0.0) / p.pressure - 1.0) for each in everything)
    found.append(Quantity("|mean side stress / pressure − 1|", side, note="largest of all tests"))
    found.append(Quantity("energy error", max(float(each["energy_error"][0]) for each in everything)))
    return found


def state_quantities(p: BiaxialVoronoi, state: str, tests: Sequence[StudyTable], final: np.ndarray) -> list[Quantity]:
    """The numbers of one state."""
    grid, q = grid_of(p), mean_curve(p, tests, "q")
    lost = softening(grid, q, FINAL)
    each_lost = [softening(each["axial_strain"], deviator(each), FINAL) for each in tests]
    expected = lost > SOFTENS if state == "dense" else lost < SOFTENS
    claim = "peak, then decay" if state == "dense" else "monotonic"
    if p.strain <= FINAL:
        claim = f"not judged: that needs --strain above {FINAL:g}"
    peaks = [find_peak(each["axial_strain"], deviator(each)) for each in tests]
    void = smoothed(grid, mean_curve(p, tests, "void_ratio"), WIDTH)[grid >= FINAL]
    change = float(np.ptp(void) / void.mean()) if void.size else float("nan")
    spread = f" ± {2.0 * final.std(ddof=1):.3f}" if len(final) > 1 else ""
    return [
        Quantity(
            f"{state}: softening", lost, "", None, bool(expected),
            f"{claim}; single tests {', '.join(f'{each:.0%}' for each in each_lost)}; of the mean curve, bar {SOFTENS:.0%}"
            + ("; it starts near the void ratio at which it ends" if state == "loose" and not expected else ""),
        ),
        Quantity(
            f"{state}: (σ_a − σ_l)/p₀ at failure", 2.0 * float(np.mean([each.value for each in peaks])) / p.pressure,
            note=f"at ε = {np.mean([each.strain for each in peaks]):.3f}",
        ),
        Quantity(
            f"{state}: (σ_a − σ_l)/p₀ at ε ≥ {FINAL:g}", 2.0 * float(final.mean()), note=f"{len(final)} seeds{spread}",
            error=2.0 * mean_error(final)[1],
        ),
        Quantity(
            f"{state}: late change of the void ratio", change, "", None, bool(change < CONSTANT),
            f"over ε ≥ {FINAL:g}, over its mean {void.mean() if void.size else float('nan'):.3f}; "
            f"starts at {tests[0]['void_ratio'][0]:.3f}",
        ),
    ]  # fmt: skip


def merit(p: BiaxialVoronoi, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(p.columns * p.rows, [each for state in states_of(p) for each in tests_of(p, run, state)])


# --- pictures --------------------------------------------------------------------------------------------------------


def record_of(p: BiaxialVoronoi, run: Run, state: str) -> Record:
    """The frames kept of the first test on a state."""
    return kept_record(cell_of(p, state, p.seed).scene(), run.tables, table_name(state, p.seed))


def figures(p: BiaxialVoronoi, run: Run, folder: Path) -> Sequence[Path]:
    """q and volumetric strain against axial strain (fig 13), and the samples with their forces."""
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.5, 7.5), sharex=True, layout="constrained")
    draw_curves(top, bottom, p, run)
    paths = [save_figure(figure, folder / "biaxial-voronoi.png")]

    chosen = states_of(p)
    figure, panels = plt.subplots(len(chosen), 3, figsize=(13.0, 5.2 * len(chosen)), layout="constrained", squeeze=False)
    for row, state in enumerate(chosen):
        test, columns = record_of(p, run, state), run.tables[table_name(state, p.seed)]
        for axes, index in zip(panels[row], (0, len(test.frames) // 2, len(test.frames) - 1), strict=True):
            draw_strained(axes, test, columns, index, state)
    paths.append(save_figure(figure, folder / "chains.png"))
    return paths


def draw_curves(top: Axes, bottom: Axes, p: BiaxialVoronoi, run: Run) -> None:
    """q and volumetric strain of every test, and the means of dense and of loose ones."""
    grid = grid_of(p)
    for state in states_of(p):
        style: dict[str, Any] = {"color": COLOURS[state], "ls": "-" if state == "dense" else "--"}
        tests = tests_of(p, run, state)
        if len(tests) > 1:
            for each in tests:
                top.plot(each["axial_strain"], 2.0 * deviator(each) / p.pressure, color=COLOURS[state], lw=0.4, alpha=0.35)
                bottom.plot(each["axial_strain"], each["volumetric_strain"], color=COLOURS[state], lw=0.4, alpha=0.35)
        top.plot(grid, 2.0 * mean_curve(p, tests, "q") / p.pressure, label=state, lw=1.5, **style)
        bottom.plot(grid, mean_curve(p, tests, "volumetric_strain"), label=state, lw=1.5, **style)
    top.axvspan(FINAL, p.strain, color="0.92", zorder=0)
    top.set(ylabel=r"$(\sigma_a-\sigma_l)/p_0$", xlim=(0.0, p.strain))
    bottom.axvspan(FINAL, p.strain, color="0.92", zorder=0)
    bottom.set(ylabel=r"volumetric strain $\epsilon_v$ (dilation positive)", xlabel=r"axial strain $\epsilon_a$")
    top.legend()
    title = f"{p.columns} × {p.rows} Voronoi grains, p₀ = {p.pressure / p.stiffness:g} K_n"
    top.set_title(f"{title}: {lines_of_tests(p.seeds, 'each of them')}", fontsize=10)


EXPERIMENT = Study(
    name="biaxial-voronoi",
    paper="PRE10 fig 13",
    title="dense and loose Voronoi grains reach the same critical state",
    sizes=SIZES,
    parameters=BiaxialVoronoi,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
