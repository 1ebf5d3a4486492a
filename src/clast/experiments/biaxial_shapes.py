"""Biaxial tests on disks, peanuts, rice and pebbles: strength and fluctuations depend on shape (GM09 fig 8).

The packings of `packing`, made without friction, get their friction and come to rest again; then the side walls keep the
pressure p₀ while bottom and top come nearer at a constant speed.

How it is judged. Stress is σ_yy on bottom and top, smoothed over Δε = 0.002 where its peak is read; a peak counts if σ_yy
later falls by 5 %. The critical state is the mean over ε ≥ 0.2. Strength there is q = (σ_yy − p₀)/2, what a sample bears
beyond the pressure that confines it; the ratio of σ_yy itself, which is smaller, stands beside it (q was chosen after one
trial test of each shape, in which the two readings already differed). A drop is a fall of σ_yy by more than 1 % of its mean
within Δε = 1e-3, counted at ε > 0.1. The void ratio is constant if it changes by less than 10 % from ε = 0.25 on.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.element_tests.curves import find_peak, level, resampled, smoothed
from clast.element_tests.figure import draw_strained
from clast.element_tests.recorded import Record, kept_record, record, tables_of
from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, parameter
from clast.experiments.packing import DRAG, LONGEST, PLURAL, FourShapes, cell_of, pressed, shapes_of, table_name
from clast.experiments.shared.drops import SURE, beside_disks, drop_quantities, drops_of
from clast.experiments.shared.numbers import lines_of_tests, mean_error, merit_of_tests, slowness, within
from clast.laws.linear import Linear
from clast.measures.quasi_static import SLOW
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run, StudyTable
from clast.protocols.press import Stop, prepare

ONSET = 10.0  # passages of a wave through the sample, in which bottom and top reach their speed
SAMPLES, FRAMES = 5000, 30  # per unit of strain; per test
CRITICAL = 0.2  # axial strain from which a sample counts as in the critical state
FINAL = 0.25  # and from which its volume should be constant
DROPS_FROM = 0.1
STRONGER = 1.5  # bar: q of non-circular grains over that of disks
CONSTANT = 0.1  # of the void ratio
STEADY = 0.1  # of the stress
TOGETHER = 0.02  # of strain, between peak and fastest dilation
FINE = 1e-3  # of strain, over which the first rise of the stress is smoothed
ROUNDEST = {"pebble": "; likely because pebbles are the roundest of the three"}
COLOURS = {"disk": "C0", "peanut": "C2", "rice": "C3", "pebble": "C1"}


class BiaxialShapes(FourShapes):
    """GM09 §4 in its units: k_n = 1, density 1, mean area 1; rate and damping are ours."""

    pressure: float = parameter(1e-3, "p₀ on the side walls", "k_n", gt=0)
    friction: float = parameter(0.5, "friction μ between grains", "", ge=0)
    tangential: float = parameter(0.1, "k_t over k_n", "", gt=0)
    damping: float = parameter(0.6, "G_n; G_t is a quarter of it", "√(k/σA)", ge=0)
    rate: float = parameter(3e-5, "axial strain rate", "√(k/σA)", gt=0)
    strain: float = parameter(0.3, "axial strain at the end", "", gt=0, lt=0.6)
    dt: float = parameter(0.02, "time step", "√(σA/k)", gt=0)


SIZES: Sizes = {"quick": {"grains": 100, "seeds": 1}, "full": {}}


def law(p: BiaxialShapes) -> Linear:
    """The linear law of the test."""
    return Linear(1.0, p.tangential, p.friction, normal_damping=p.damping, tangential_damping=0.25 * p.damping)


def shear(p: BiaxialShapes, shape: str, seed: int, threads: int | str) -> Record:
    """Press a sample, switch its friction on, and shear it."""
    cell = cell_of(shape, p.grains, seed, law(p))
    smooth = pressed(cell, p.pressure, p.dt)
    rough = prepare(cell.held(p.pressure, prepared=smooth, drag=DRAG), Stop(longest=LONGEST), dt=p.dt)
    onset = ONSET * float(np.sqrt(p.grains))  # waves go about √A per √(σA/k)
    scene = cell.sheared(p.pressure, p.rate, prepared=rough, onset=onset)
    samples = max(100, round(SAMPLES * p.strain))
    return record(scene, until=p.strain / p.rate + 0.5 * onset, dt=p.dt, samples=samples, frames=FRAMES, threads=threads)


def tables(p: BiaxialShapes, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """The curves of every test; of the first of each shape its bodies and contacts at the start, the peak and the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for shape in shapes_of(p):
        for seed in range(p.seed, p.seed + p.seeds):
            wanted |= tables_of(table_name(shape, seed), partial(shear, p, shape, seed, threads), pictures=seed == p.seed)
    return wanted


# --- what is read off ------------------------------------------------------------------------------------------------


def tests_of(p: BiaxialShapes, run: Run, shape: str) -> list[StudyTable]:
    """The tables of all tests on a shape."""
    return [run.tables[table_name(shape, seed)] for seed in range(p.seed, p.seed + p.seeds)]


def evaluate(p: BiaxialShapes, run: Run) -> Sequence[Quantity]:
    """Peak, critical state and drops of each shape; strength against disks; and whether the tests were slow and soft enough."""
    found: list[Quantity] = []
    strength: dict[str, np.ndarray] = {}
    limit: dict[str, np.ndarray] = {}
    for shape in shapes_of(p):
        tests = tests_of(p, run, shape)
        limit[shape] = np.array([level(each["axial_strain"], each["stress_yy"], CRITICAL) for each in tests]) / p.pressure
        strength[shape] = 0.5 * (limit[shape] - 1.0)
        found += shape_quantities(p, shape, tests, limit[shape])
    for shape in shapes_of(p):
        if shape != "disk" and "disk" in strength:
            ratio = float(strength[shape].mean() / strength["disk"].mean())
            stress = float(limit[shape].mean() / limit["disk"].mean())
            note = f"bar > {STRONGER:g}; “much larger”; ratio of σ_yy {stress:.2f}; q/p₀ {mean_of(strength[shape])} against "
            note += f"{mean_of(strength['disk'])}"
            if ratio <= STRONGER:
                note += "; the bar is ours, the paper gives no number" + ROUNDEST.get(shape, "")
            drops, disks = (drops_of(tests_of(p, run, each), DROPS_FROM) for each in (shape, "disk"))
            found += beside_disks(PLURAL[shape], drops, disks)
            name, error = f"{PLURAL[shape]}: q at the critical state / disks'", error_of_ratio(strength[shape], strength["disk"])
            found.append(Quantity(name, ratio, "", None, bool(ratio > STRONGER), note, ratio * error))
    everything = [each for shape in shapes_of(p) for each in tests_of(p, run, shape)]
    fastest = max(float(each["inertial_number"].max()) for each in everything)
    now = max(float((each["inertial_number"] / (1.0 - each["axial_strain"])).max()) for each in everything)
    note = f"with the rate of the present height {now:.2g}"
    if fastest >= SLOW:
        above = max(float((each["inertial_number"] >= SLOW).mean()) for each in everything)
        note += f"; I = ε̇√(m/p) rises where the stress drops, in at most {above:.1%} of a test"
    found.append(slowness(fastest, note))
    found.append(
        Quantity("largest share of the load on wall dashpots", max(float(each["dashpot_share"].max()) for each in everything))
    )
    side = max(abs(level(each["axial_strain"], each["stress_xx"], 0.0) / p.pressure - 1.0) for each in everything)
    found.append(Quantity("|mean side stress / p₀ − 1|", side, note="largest of all tests"))
    found.append(Quantity("largest overlap / r", max(float(each["overlap_share"].max()) for each in everything)))
    found.append(Quantity("energy error", max(float(each["energy_error"][0]) for each in everything)))
    return found


def shape_quantities(p: BiaxialShapes, shape: str, tests: Sequence[StudyTable], limit: np.ndarray) -> list[Quantity]:
    """The numbers of one shape, means over its tests."""
    peaks = [find_peak(each["axial_strain"], each["stress_yy"]) for each in tests]
    voids = np.array([void_numbers(each) for each in tests]).mean(axis=0)
    softens = all(peak.accepted for peak in peaks)
    top = float(np.mean([peak.strain for peak in peaks]))
    apart = voids[4] - top
    name = PLURAL[shape]
    return [
        Quantity(
            f"{name}: peak stress / p₀", float(np.mean([each.value for each in peaks])) / p.pressure, "", None, softens,
            f"at ε = {np.mean([each.strain for each in peaks]):.3f}; "
            f"{sum(each.accepted for each in peaks)} of {len(peaks)} soften",
            mean_error([each.value for each in peaks])[1] / p.pressure,
        ),
        Quantity(
            f"{name}: critical stress / p₀", float(limit.mean()), note=f"{mean_of(limit)}, ε ≥ {CRITICAL:g}",
            error=mean_error(limit)[1],
        ),
        Quantity(
            f"{name}: void ratio at the critical state", voids[2],
            agrees=bool(voids[1] < voids[0] < voids[2] and voids[3] < CONSTANT),
            note=f"from {voids[0]:.3f} down to {voids[1]:.3f} and up; changes by {voids[3]:.1%} from ε = {FINAL:g} on; "
            f"rises fastest at ε = {voids[4]:.3f}",
        ),
        rise(name, tests),
        Quantity(
            f"{name}: ε of fastest dilation − ε of the peak", apart, "", 0.0,
            within(apart, 0.0, TOGETHER) if len(tests) > 1 else None,
            f"{voids[4]:.3f} and {top:.3f}; agrees within {TOGETHER:g}; of one sample not judged",
        ),
        drift(name, tests),
        *drop_quantities(name, drops_of(tests, DROPS_FROM), DROPS_FROM),
    ]  # fmt: skip


def drift(name: str, tests: Sequence[StudyTable]) -> Quantity:
    """By how much the stress of the last part differs from that before it, mean over tests; of one test not judged."""
    both = [[level(each["axial_strain"], each["stress_yy"], *part) for part in ((CRITICAL, FINAL), (FINAL,))] for each in tests]
    before, after = np.array(both).T
    off, error = mean_error(after / before - 1.0)
    agrees = bool(abs(off) < STEADY) if math.isfinite(error) else None
    note = f"ε from {FINAL:g} on over {CRITICAL:g} … {FINAL:g}, less 1; agrees below {STEADY:g}; of one sample not judged"
    return Quantity(f"{name}: drift of the stress at the critical state", off, "", 0.0, agrees, note, error)


def rise(name: str, tests: Sequence[StudyTable]) -> Quantity:
    """Whether the stress rises less steeply at half its way than at the start; judged where that is sure by the tests."""
    ratio, error = mean_error([softened(each) for each in tests])
    sure = math.isfinite(error) and abs(ratio - 1.0) > SURE * error
    note = f"slope of the stress; the paper: it gets less; judged where it differs from 1 by {SURE:g} standard errors"
    return Quantity(
        f"{name}: slope at half the rise / at the start", ratio, "", None, bool(ratio < 1.0) if sure else None, note, error
    )


def softened(columns: Mapping[str, np.ndarray]) -> float:
    """Slope of the stress where half its rise up to a strain of 0.1 is done, over that of its first tenth; NaN of few samples."""
    early = columns["axial_strain"] <= DROPS_FROM
    strain, stress = columns["axial_strain"][early], columns["stress_yy"][early]
    top = int(np.argmax(smoothed(strain, stress, FINE))) + 1
    strain, stress = strain[:top], stress[:top]
    share = (stress - stress[0]) / max(float(stress[-1] - stress[0]), 1e-300)
    parts = [(share >= low) & (share <= high) for low, high in ((0.0, 0.1), (0.45, 0.55))]
    if any(part.sum() < 2 for part in parts):
        return math.nan
    first, half = (float(np.polyfit(strain[part], stress[part], 1)[0]) for part in parts)
    return half / first


def void_numbers(columns: Mapping[str, np.ndarray]) -> tuple[float, float, float, float, float]:
    """Void ratio at the start, its minimum, at the critical state, its change there, and the strain where it rises fastest."""
    strain, void = columns["axial_strain"], columns["void_ratio"]
    final = level(strain, void, FINAL)
    smooth = smoothed(strain, void, 0.02)
    change = float(np.ptp(smooth[strain >= FINAL]) / final) if (strain >= FINAL).any() else float("nan")
    rise = np.gradient(smoothed(strain, void, 0.01), strain)
    return float(void[0]), float(void.min()), level(strain, void, CRITICAL), change, float(strain[np.argmax(rise)])


def error_of_ratio(one: np.ndarray, other: np.ndarray) -> float:
    """Relative standard error of the ratio of two means; NaN of single values."""
    return math.hypot(*(error / mean for mean, error in (mean_error(one), mean_error(other))))


def mean_of(values: np.ndarray) -> str:
    """Mean and standard deviation in words."""
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}" if len(values) > 1 else f"{values[0]:.3f}"


def merit(p: BiaxialShapes, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(p.grains, [each for shape in shapes_of(p) for each in tests_of(p, run, shape)])


# --- pictures --------------------------------------------------------------------------------------------------------


def record_of(p: BiaxialShapes, run: Run, shape: str) -> Record:
    """The frames kept of the first test on a shape."""
    scene = cell_of(shape, p.grains, p.seed, law(p)).scene()
    return kept_record(scene, run.tables, table_name(shape, p.seed))


def figures(p: BiaxialShapes, run: Run, folder: Path) -> Sequence[Path]:
    """Stress and void ratio against strain (fig 8), and the samples with their forces at the peak and at the end."""
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.5, 7.5), sharex=True, layout="constrained")
    draw_curves(top, bottom, p, run)
    paths = [save_figure(figure, folder / "biaxial-shapes.png")]

    chosen = shapes_of(p)
    figure, panels = plt.subplots(
        2, len(chosen), figsize=(3.6 * len(chosen), 6.0), layout="constrained", squeeze=False, height_ratios=(1.0, 0.6)
    )
    for column, shape in enumerate(chosen):
        test, columns = record_of(p, run, shape), run.tables[table_name(shape, p.seed)]
        for row, index in enumerate((len(test.frames) // 2, len(test.frames) - 1)):
            draw_strained(panels[row][column], test, columns, index, PLURAL[shape])
    paths.append(save_figure(figure, folder / "chains.png"))
    return paths


def draw_curves(top: Axes, bottom: Axes, p: BiaxialShapes, run: Run) -> None:
    """Stress and void ratio of the first test of each shape, and the means of all its tests."""
    for shape in shapes_of(p):
        tests = tests_of(p, run, shape)
        grid = np.linspace(0.0, min(each["axial_strain"][-1] for each in tests), 601)
        for axes, name in ((top, "stress_yy"), (bottom, "void_ratio")):
            all_of = np.array([resampled(each["axial_strain"], each[name], grid) for each in tests])
            axes.plot(grid, all_of[0], color=COLOURS[shape], lw=0.6, alpha=0.55 if len(tests) > 1 else 1.0)
            if len(tests) > 1:
                axes.plot(grid, all_of.mean(axis=0), color=COLOURS[shape], lw=1.6)
            axes.plot([], [], color=COLOURS[shape], label=PLURAL[shape])
    top.axhline(p.pressure, color="k", ls=":", lw=1, label=r"$p/k_n$")
    top.set(ylabel=r"$\sigma_{yy}/k_n$", ylim=(0.0, None), xlim=(0.0, p.strain))
    bottom.set(ylabel="void ratio", xlabel=r"axial strain $\epsilon$")
    top.legend(ncols=3, fontsize=9)
    what = lines_of_tests(p.seeds, "the first of them")
    top.set_title(f"biaxial tests, {p.grains} grains, $\\mu$ = {p.friction:g}: {what}", fontsize=10)


EXPERIMENT = Study(
    name="biaxial-shapes",
    paper="GM09 fig 8",
    title="biaxial tests on four shapes: strength, void ratio, drops of stress",
    claim="a peak, then a critical state; grains that are not round are much stronger",
    sizes=SIZES,
    parameters=BiaxialShapes,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
