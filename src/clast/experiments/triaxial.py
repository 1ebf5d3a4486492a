"""Rounder grains are weaker in space too: triaxial tests on Voronoi-Minkowski grains of three roundnesses (outlook of PRE10).

A periodic diagram of Voronoi cells is eroded by a ball of radius R and dilated by it again: edges and corners have the radius R,
faces of neighbours touch. R over the diameter ℓ of a mean cell is the roundness. The sample is pressed alike on all sides by the
periods of its cell; then the height shrinks at a steady rate while width and depth give way to the pressure. Sites lie anywhere:
one in every cube, as in the plane, makes columns of grains that meet themselves through the period of a cell so small, cannot
buckle, and bear 35 and 60 times the pressure in samples of 4³ and 3³ grains.

How it is judged, as written down before the first full run. No paper publishes numbers for space. Contacts carry the stress, and
sin φ = (σ_a − σ_l)/(σ_a + σ_l); φ of a test is that of the largest sin φ, smoothed over a strain of 0.004. The mean over seeds
has the standard error of the seeds. Rounder is weaker if φ differs, between neighbouring roundnesses and between the ends, by
more than two combined standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from clast.element_tests.curves import find_peak, level, resampled
from clast.element_tests.recorded import Record, record
from clast.element_tests.triaxial import TriaxialCell, mobilised, triaxial_curves
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.damped import damped_law
from clast.experiments.shared.numbers import below, lines_of_tests, mean_error, merit_of_tests, slowness, with_error
from clast.experiments.shared.space import contact_time, picture_of_scene
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run, StudyTable
from clast.packing.space.voronoi import voronoi_packing3d
from clast.protocols.press import Stop, prepare
from clast.scene.space import Box3D, Scene3D
from clast.scene.timed import Ramp

BODIES = ": bodies"  # behind the name of a test: its grains at the end
APART = 1.0 + 1e-6  # so that forces come from the pressure, not from the rounding of grains that just touch
DRAG, RISE, LONGEST = 3.0, 3.0, 60.0  # of the preparation [1/time, time]: its drag, the rise of the pressure, its end
ONSET = 3.0  # time over which the rate rises
WIDTH = 0.004  # of strain, over which sin φ is smoothed
END = 0.75  # of the whole strain, from which on the friction angle at the end is taken
SAMPLES = 10_000  # per unit of strain
SURE = 2.0  # combined standard errors
ENERGY = 1e-3  # bar of the energy error
COLOURS = ("C0", "C1", "C2", "C3", "C4")


class Triaxial(Parameters):
    """Side of the cube that a mean cell fills, density and pressure are 1: a rate is an inertial number, near enough."""

    grains: int = parameter(4, "grains along each side of the sample", "", ge=3)
    least: float = parameter(0.05, "least roundness R/ℓ", "", gt=0)
    most: float = parameter(0.2, "largest roundness", "", gt=0, le=0.22)
    roundnesses: int = parameter(3, "number of roundnesses, each larger than the one before by the same factor", "", ge=2, le=5)
    seeds: int = parameter(3, "samples of each, with seeds from --seed on", "", ge=1)
    stiffness: float = parameter(1000.0, "k_n of a contact of two features, over pressure × side", "", ge=100)
    tangential: float = parameter(0.33, "k_t over k_n", "", gt=0)
    friction: float = parameter(0.4, "friction μ between grains", "", ge=0)
    zeta: float = parameter(0.2, "damping of contacts, of critical", "", ge=0, lt=1)
    rate: float = parameter(2.5e-3, "axial strain rate", "", gt=0)
    strain: float = parameter(0.1, "axial strain at the end", "", gt=0, lt=0.6)
    steps_per_contact: float = parameter(120.0, "time steps in the contact time T_c = π√(m/2k) of a mean cell", "", ge=40)


SIZES: Sizes = {"quick": {"seeds": 1, "rate": 5e-3, "strain": 0.06}, "full": {}}


def roundnesses_of(p: Triaxial) -> list[float]:
    """The roundnesses, the most angular grains first."""
    return [float(f"{each:.4g}") for each in np.geomspace(p.least, p.most, p.roundnesses)]


def seeds_of(p: Triaxial) -> range:
    """The seeds."""
    return range(p.seed, p.seed + p.seeds)


def table_name(roundness: float, seed: int) -> str:
    """Name of the table of a test."""
    return f"roundness {roundness:g}, seed {seed}"


def cell_of(p: Triaxial, roundness: float, seed: int) -> TriaxialCell:
    """A sample before it is pressed."""
    drawn = voronoi_packing3d(
        p.grains, p.grains, p.grains, 1.0, roundness=roundness, border="periodic", sites="random", seed=seed
    )
    return TriaxialCell(drawn.expanded(APART), damped_law(p.stiffness, p.tangential, p.friction, p.zeta, 0.5))


def sheared(p: Triaxial, roundness: float, seed: int, threads: int | str) -> Record:
    """Press a sample and shear it."""
    cell = cell_of(p, roundness, seed)
    pressing = cell.compressed(1.0, ramp=Ramp(0.0, 1.0, finish=RISE, smooth=True), drag=DRAG)
    step = contact_time(p.stiffness) / p.steps_per_contact
    pressed = prepare(pressing, Stop(earliest=RISE, longest=LONGEST, kinetic=1e-5, unbalanced=5e-3), dt=step)
    scene = cell.sheared(1.0, p.rate, prepared=pressed, onset=ONSET)
    samples = max(100, round(SAMPLES * p.strain))
    return record(scene, until=p.strain / p.rate + 0.5 * ONSET, dt=step, samples=samples, frames=1, threads=threads)


def tables(p: Triaxial, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """The curves of every test, and where the grains of the first of each roundness are at the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for roundness in roundnesses_of(p):
        for seed in seeds_of(p):
            test = cache(partial(sheared, p, roundness, seed, threads))
            wanted[table_name(roundness, seed)] = partial(of_test, test, triaxial_curves)
            if seed == p.seed:
                wanted[table_name(roundness, seed) + BODIES] = partial(of_test, test, bodies_at_end)
    return wanted


def of_test(test: Callable[[], Record], read: Callable[[Record], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """A table of a test, which is run for the first of its tables."""
    return read(test())


def bodies_at_end(test: Record) -> dict[str, np.ndarray]:
    """Places and orientations of the grains in the last frame, and the periods there."""
    frame = test.frames[-1]
    columns = {axis: frame["positions"][:, k] for k, axis in enumerate("xyz")}
    columns |= {f"turn_{name}": frame["orientations"][:, k] for k, name in enumerate("wxyz")}
    return columns | {f"period_{axis}": np.full(len(columns["x"]), frame["period"][k]) for k, axis in enumerate("xyz")}


# --- judgement -------------------------------------------------------------------------------------------------------


def tests_of(p: Triaxial, run: Run, roundness: float) -> list[StudyTable]:
    """The tables of the seeds."""
    return [run.tables[table_name(roundness, seed)] for seed in seeds_of(p)]


def degrees(sine: float) -> float:
    """The angle with this sine."""
    return float(np.degrees(np.arcsin(sine)))


def angles_of(p: Triaxial, tests: Sequence[Mapping[str, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """φ of each test where it is largest, and at the end [degrees]."""
    peak = [degrees(find_peak(each["axial_strain"], mobilised(each), WIDTH).value) for each in tests]
    last = [degrees(level(each["axial_strain"], mobilised(each), END * p.strain)) for each in tests]
    return np.array(peak), np.array(last)


def evaluate(p: Triaxial, run: Run) -> Sequence[Quantity]:
    """Friction angles, whether rounder is weaker, and whether the tests can be trusted."""
    found: list[Quantity] = []
    peaks: list[np.ndarray] = []
    for roundness in roundnesses_of(p):
        tests = tests_of(p, run, roundness)
        peak, last = angles_of(p, tests)
        peaks.append(peak)
        (at_peak, error), (at_end, varies) = mean_error(peak), mean_error(last)
        strains = np.mean([find_peak(each["axial_strain"], mobilised(each), WIDTH).strain for each in tests])
        note = f"{with_error(at_peak, error)} at ε = {strains:.3f}; at the end {with_error(at_end, varies)}"
        found.append(Quantity(f"φ, R/ℓ = {roundness:g}", at_peak, "°", note=f"{note}; void ratio {void_ratios(tests)}"))
    pairs = [(k, k + 1) for k in range(len(peaks) - 1)]
    for rough, smooth in dict.fromkeys([(0, len(peaks) - 1), *pairs]):
        found.append(difference(roundnesses_of(p), peaks, rough, smooth))
    everything = [each for roundness in roundnesses_of(p) for each in tests_of(p, run, roundness)]
    side = max(abs(level(each["axial_strain"], each["lateral_stress"], 0.0) - 1.0) for each in everything)
    braked = max(float(each["dashpot_share"].max()) for each in everything)
    return [
        *found,
        slowness(max(float(each["inertial_number"].max()) for each in everything)),
        Quantity("|mean side stress / pressure − 1|", side, note="largest of all tests"),
        Quantity("largest overlap / r", max(float(each["overlap_share"].max()) for each in everything)),
        Quantity("largest share of the load on the dashpot of the cell", braked),
        below("energy error", max(float(each["energy_error"][0]) for each in everything), ENERGY, "our bar"),
    ]  # fmt: skip


def void_ratios(tests: Sequence[Mapping[str, np.ndarray]]) -> str:
    """Mean void ratio at the start and at the end."""
    begin, end = (np.mean([each["void_ratio"][k] for each in tests]) for k in (0, -1))
    return f"{begin:.3f} → {end:.3f}"


def difference(roundnesses: Sequence[float], peaks: Sequence[np.ndarray], rough: int, smooth: int) -> Quantity:
    """φ of the more angular less that of the rounder."""
    (high, error), (low, other) = mean_error(peaks[rough]), mean_error(peaks[smooth])
    combined, name = float(np.hypot(error, other)), f"φ({roundnesses[rough]:g}) − φ({roundnesses[smooth]:g})"
    if not np.isfinite(combined):
        return Quantity(name, high - low, "°", 0.0, None, "one seed has no error")
    note = f"± {combined:.2g}: {(high - low) / combined:.2g} combined standard errors, bar {SURE:g}; judged is the order alone"
    return Quantity(name, high - low, "°", 0.0, bool(high - low > SURE * combined), note)


def merit(p: Triaxial, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(p.grains**3, [each for roundness in roundnesses_of(p) for each in tests_of(p, run, roundness)])


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Triaxial, run: Run, folder: Path) -> Sequence[Path]:
    """Friction angle and volume against strain, the angle against roundness, and the samples at the end."""
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14.0, 4.4), layout="constrained")
    for roundness, colour in zip(roundnesses_of(p), COLOURS, strict=False):
        draw_curves(left, middle, p, tests_of(p, run, roundness), colour, f"R/ℓ = {roundness:g}")
    left.set(xlabel=r"axial strain $\epsilon_a$", ylabel="friction angle φ mobilised (degrees)", xlim=(0.0, p.strain))
    middle.set(xlabel=r"axial strain $\epsilon_a$", ylabel=r"volumetric strain $\epsilon_v$ (dilation positive)")
    left.legend()
    draw_angles(right, p, run)
    title = f"{p.grains}³ Voronoi-Minkowski grains in a triaxial cell"
    figure.suptitle(f"{title}: {lines_of_tests(p.seeds, 'each of them')}", fontsize=10)
    paths = [save_figure(figure, folder / "triaxial.png")]
    for roundness in roundnesses_of(p):
        paths += picture_of_scene(scene_at_end(p, run, roundness), folder / f"sample-{roundness:g}.png")
    return paths


def draw_curves(left: Any, middle: Any, p: Triaxial, tests: Sequence[Mapping[str, np.ndarray]], colour: str, label: str) -> None:
    """φ and volume of every test, and the means."""
    grid = np.linspace(0.0, p.strain, 401)
    for axes, value in ((left, mobilised_degrees), (middle, volume)):
        curves = [resampled(each["axial_strain"], value(each), grid) for each in tests]
        if len(tests) > 1:
            for each in curves:
                axes.plot(grid, each, color=colour, lw=0.4, alpha=0.5)
        axes.plot(grid, np.mean(curves, axis=0), color=colour, lw=1.5, label=label)


def mobilised_degrees(test: Mapping[str, np.ndarray]) -> np.ndarray:
    """φ mobilised, by strain."""
    return np.asarray(np.degrees(np.arcsin(mobilised(test))))


def volume(test: Mapping[str, np.ndarray]) -> np.ndarray:
    """Volumetric strain."""
    return np.asarray(test["volumetric_strain"])


def draw_angles(axes: Any, p: Triaxial, run: Run) -> None:
    """φ at its largest and at the end, against roundness, with the errors of the seeds."""
    both = [angles_of(p, tests_of(p, run, roundness)) for roundness in roundnesses_of(p)]
    for k, (label, style) in enumerate((("largest", "o-"), (f"at ε ≥ {END * p.strain:.2g}", "s--"))):
        means = np.array([mean_error(each[k]) for each in both])
        axes.errorbar(
            roundnesses_of(p), means[:, 0], np.nan_to_num(means[:, 1]), fmt=style, ms=4, lw=0.8, capsize=3, color="0.2",
            mfc="0.2" if k == 0 else "white", label=label,
        )  # fmt: skip
    axes.set(xlabel="roundness R/ℓ", ylabel="friction angle φ (degrees)", xlim=(0.0, None))
    axes.legend()


def scene_at_end(p: Triaxial, run: Run, roundness: float) -> Scene3D:
    """The grains of the first test at its end."""
    bodies = run.tables[table_name(roundness, p.seed) + BODIES]
    cell = cell_of(p, roundness, p.seed)
    width, depth, height = (float(bodies[f"period_{axis}"][0]) for axis in "xyz")
    scene = Scene3D(law=cell.law, box=Box3D(width, depth, height))
    scene.add_packing(cell.packing)
    scene.bodies.put("position", np.stack([bodies[axis] for axis in "xyz"], axis=1))
    scene.bodies.put("orientation", np.stack([bodies[f"turn_{name}"] for name in "wxyz"], axis=1))
    return scene


EXPERIMENT = Study(
    name="triaxial",
    paper="PRE10 outlook",
    title="friction angle against roundness in triaxial tests in space",
    claim="rounder grains are weaker in space as in the plane",
    sizes=SIZES,
    parameters=Triaxial,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
