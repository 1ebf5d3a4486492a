"""Shear bands in dense Voronoi grains: how they lie, beside what Mohr-Coulomb and Roscoe expect of them (PRE10 fig 15).

Strain is measured on Delaunay triangles between grains, and the angle of the band from the horizontal is that at which it is
gathered in the fewest stripes, see `clast.measures.BandAngle`. Mohr-Coulomb: 45° + ½ arcsin(q_f/p_f), q_f/p_f = sin φ from the
stress at failure. Roscoe: 45° + ½ arctan(dε_v/dε_d), with ε_d = ε_a − ε_l and the slope fitted within 0.003 of strain around
failure; as dilatancy is sin ψ = dε_v/dε_d, arcsin in the place of the paper's arctan is printed too.

How it is judged, as written down before the first full run. The paper's picture is of the displacement from the start to
failure; a band is clear only a little later, so the angle that counts is that of the strain from the start to failure + 0.02.
That up to failure is judged beside it, that from failure on is printed. An angle agrees with a criterion if the two means over
seeds differ by no more than the root of the sum of the squares of their spreads (standard deviations of single samples: the
paper's error bars are of that kind). Seeds without a band (contrast below 2) have no angle; they are counted. The rule is
applied at the pressure with most seeds; at other pressures numbers are printed. (That the angle up to failure is judged too was
added after a trial with three samples.)

Angles are those on the sample as it was at the start of the interval. It becomes lower and wider, so that the same band is
flatter where it is seen at the end, by about 1° for every 0.02 of axial strain.

Samples of other proportions were tried, since walls might turn bands: at 3e-3 K_n two of 40 × 30 grains had bands at 65° and 61°,
two of 20 × 40 at 72° and 66°, which is within the spread of the paper's 30 × 40.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clast.element_tests.failure import Failure, failure_tables, kept_places, read_failure
from clast.element_tests.recorded import Record
from clast.experiments.experiment import Columns, Quantity, Sizes, Study, parameter
from clast.experiments.shared import failing
from clast.experiments.shared.failing import FailingSoil, is_valid, merit_of, pressures_of, table_name
from clast.experiments.shared.numbers import mean_error
from clast.experiments.shared.soil import cell_of
from clast.measures.band import BandAngle
from clast.measures.displacement import Displacement
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run

AFTER = 0.02  # of strain, behind the failure, to which the band is watched
INTERVALS = {"to failure": (0, 1), f"to failure + {AFTER:g}": (0, 2), f"failure to + {AFTER:g}": (1, 2)}  # frames kept
COUNTS = f"to failure + {AFTER:g}"
BEYOND = 1.05 * AFTER


class ShearBand(FailingSoil):
    """Dense samples at 3e-4 … 1e-2 K_n, most of them at 3e-3 K_n."""

    lowest: float = parameter(3e-4, "least confining pressure; of 1, 3 × 10ⁿ", "K_n", gt=0)
    highest: float = parameter(1e-2, "largest confining pressure", "K_n", gt=0)
    pressure: float = parameter(3e-3, "confining pressure with most seeds", "K_n", gt=0)
    seeds: int = parameter(8, "samples at that pressure, with seeds from --seed on", "", ge=1)
    others: int = parameter(4, "samples at each other pressure from the least to the largest", "", ge=0)


SIZES: Sizes = {"quick": {"columns": 18, "rows": 24, "seeds": 4, "others": 0, "rate": 0.003}, "full": {}}


class Case(NamedTuple):
    """A test: its failure, and the bands of the intervals it went through."""

    failure: Failure
    bands: Mapping[str, BandAngle]


def cases_of(p: ShearBand) -> list[tuple[float, int]]:
    """Pressure over K_n and seed of every test, those that count first."""
    other = [share for share in pressures_of(p) if not np.isclose(share, p.pressure)] if p.others else []
    first = [(p.pressure, seed) for seed in range(p.seed, p.seed + p.seeds)]
    return first + [(share, seed) for share in other for seed in range(p.seed, p.seed + p.others)]


def tables(p: ShearBand, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """Curves of every test, and its bodies at the start, at failure and at failure + 0.02."""
    failing.refuse_deep(p, [share for share, _ in cases_of(p)])
    wanted: dict[str, Callable[[], Columns]] = {}
    for share, seed in cases_of(p):
        made = partial(failing.tried, p, share, seed, BEYOND, threads)
        wanted |= failure_tables(table_name(share, seed), made, after=(0.0, AFTER))
    return wanted


# --- what is read off ------------------------------------------------------------------------------------------------


@cache
def grains_of(p: ShearBand, seed: int) -> Any:
    """The sample of a seed as drawn: bands and pictures need its shapes."""
    return cell_of(p, "dense", seed).scene()


def places_of(p: ShearBand, run: Run, share: float, seed: int) -> Record:
    """The frames kept of a test."""
    return kept_places(grains_of(p, seed), run.tables, table_name(share, seed))


def read_case(p: ShearBand, run: Run, share: float, seed: int) -> Case:
    """Failure and bands of a test; of one that did not fail, or broke off too early, those it has."""
    failure = read_failure(run.tables[table_name(share, seed)])
    if not failure.failed:
        return Case(failure, {})
    places = places_of(p, run, share, seed)
    return Case(
        failure, {name: BandAngle(*ends).compute(places) for name, ends in INTERVALS.items() if max(ends) < len(places.frames)}
    )


def read_cases(p: ShearBand, run: Run) -> dict[float, list[Case]]:
    """All tests by pressure over K_n, the one that counts first."""
    found: dict[float, list[Case]] = {}
    for share, seed in cases_of(p):
        found.setdefault(share, []).append(read_case(p, run, share, seed))
    return found


def mohr_coulomb(failure: Failure) -> float:
    """45° + ½ arcsin(q_f/p_f) in degrees (PRE10 eq 24)."""
    return 45.0 + 0.5 * failure.phi_degrees


def roscoe(failure: Failure, inverse: Callable[[float], float] = np.arctan) -> float:
    """45° + ½ arctan(dε_v/dε_d) in degrees (PRE10 eq 25), or with arcsin."""
    slope = failure.dilatancy if inverse is np.arctan else float(np.clip(failure.dilatancy, -1.0, 1.0))
    return 45.0 + 0.5 * float(np.degrees(inverse(slope)))


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean over samples and standard deviation of one; NaN where there is none, or only one."""
    mean, error = mean_error(values)
    return mean, error * float(np.sqrt(np.isfinite(values).sum()))


def angles(cases: Sequence[Case], interval: str) -> list[float]:
    """Angle of each band in degrees; NaN where there is none."""
    return [each.bands[interval].degrees if interval in each.bands else float("nan") for each in cases]


def criteria(cases: Sequence[Case]) -> dict[str, list[float]]:
    """What is expected of each sample in degrees."""
    failed = [each.failure for each in cases if each.failure.failed]
    return {
        "Mohr-Coulomb": [mohr_coulomb(each) for each in failed],
        "Roscoe": [roscoe(each) for each in failed],
        "Roscoe with arcsin": [roscoe(each, np.arcsin) for each in failed],
    }


def with_deviation(mean: float, deviation: float, digits: int = 1) -> str:
    """`67.3 ± 2.1`, or that there is none."""
    if np.isnan(mean):
        return "none"
    return f"{mean:.{digits}f}" + (f" ± {deviation:.{digits}f}" if np.isfinite(deviation) else "")


# --- judgement -------------------------------------------------------------------------------------------------------


def evaluate(p: ShearBand, run: Run) -> Sequence[Quantity]:
    """Angles of the bands and of the criteria, whether they agree, and whether the tests can be trusted."""
    cases = read_cases(p, run)
    found = main_quantities(p, cases[p.pressure])
    for share, group in cases.items():
        if share != p.pressure:
            found.append(other_quantity(share, group))
    found.append(failing.unfailed({f"{share:g} K_n": [each.failure for each in group] for share, group in cases.items()}))
    stored = [run.tables[table_name(share, seed)] for share, seed in cases_of(p)]
    return found + failing.trust(stored, [each.failure for group in cases.values() for each in group])


def main_quantities(p: ShearBand, group: Sequence[Case]) -> list[Quantity]:
    """The pressure with most seeds."""
    found = []
    expected = {name: spread(values) for name, values in criteria(group).items()}
    for interval in INTERVALS:
        measured = angles(group, interval)
        mean, deviation = spread(measured)
        banded = int(np.isfinite(measured).sum())
        note = f"{with_deviation(mean, deviation)} (spread of samples); {banded} of {len(group)} seeds have a band"
        found.append(Quantity(f"band angle, {interval}", mean, "°", note=note + f", p₀ = {p.pressure:g} K_n", error=deviation))
    for name, (angle, varies) in expected.items():
        found.append(
            Quantity(f"{name} angle", angle, "°", note=f"{with_deviation(angle, varies)} (spread of samples)", error=varies)
        )
    for interval in (COUNTS, "to failure"):
        for name in ("Mohr-Coulomb", "Roscoe"):
            found.append(comparison(interval, name, spread(angles(group, interval)), expected))
    sense = [each.bands[COUNTS].rising for each in group if COUNTS in each.bands and each.bands[COUNTS].found]
    found.append(Quantity("bands rising to the right", float(sum(each > 0 for each in sense)), note=f"of {len(sense)} bands"))
    return found


def comparison(interval: str, name: str, band: tuple[float, float], expected: Mapping[str, tuple[float, float]]) -> Quantity:
    """By how much the bands of an interval differ from a criterion; both as mean and spread."""
    apart, allowed = band[0] - expected[name][0], float(np.hypot(band[1], expected[name][1]))
    agrees = bool(abs(apart) <= allowed) if np.isfinite(apart) and np.isfinite(allowed) else None
    note = "not judged: fewer than two samples have a band"
    if agrees is not None:
        note = f"agrees within {allowed:.1f}°, the spreads of both together"
    if agrees is False:
        between = 0.5 * (expected["Mohr-Coulomb"][0] + expected["Roscoe with arcsin"][0])
        if abs(band[0] - between) <= allowed:
            note += f"; likely because bands lie between the two: Arthur's 45° + ¼ (φ + ψ) is {between:.1f}°"
        elif interval == "to failure":
            note += "; likely because bands have only begun: strain is still spread over the sample"
    return Quantity(f"band − {name}, {interval}", apart, "°", 0.0, agrees, note, allowed)


def other_quantity(share: float, group: Sequence[Case]) -> Quantity:
    """The band at another pressure, criteria beside it."""
    measured = angles(group, COUNTS)
    mean, deviation = spread(measured)
    expected = ", ".join(
        f"{name} {with_deviation(*spread(values))}" for name, values in criteria(group).items() if "arcsin" not in name
    )
    note = f"{with_deviation(mean, deviation)}, {int(np.isfinite(measured).sum())} of {len(group)} seeds have a band; {expected}"
    if not is_valid([each.failure for each in group]):
        note += "; grains overlap deeply"
    return Quantity(f"band angle at {share:g} K_n, {COUNTS}", mean, "°", note=note)


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: ShearBand, run: Run, folder: Path) -> Sequence[Path]:
    """Displacements and strain of the first sample, the bands of all, and angles against pressure (fig 15)."""
    import matplotlib.pyplot as plt

    cases, paths = read_cases(p, run), []
    shown = [(seed, each) for seed, each in enumerate(cases[p.pressure], start=p.seed) if len(each.bands) == len(INTERVALS)]
    if shown:
        figure, panels = plt.subplots(1, 3, figsize=(14.0, 6.2), layout="constrained")
        draw_arrows(panels[0], places_of(p, run, p.pressure, shown[0][0]))
        for axes, interval in zip(panels[1:], ("to failure", COUNTS), strict=True):
            draw_band(axes, shown[0][1].bands[interval], colours=True)
            axes.set_title(f"strain {interval}\n{band_words(shown[0][1].bands[interval])}", fontsize=10)
        paths.append(save_figure(figure, folder / "shear-band.png"))

        columns = min(4, len(shown))
        rows = -(-len(shown) // columns)
        figure, panels = plt.subplots(
            rows, columns, figsize=(3.2 * columns, 3.2 * rows * p.rows / p.columns + 0.5), layout="constrained", squeeze=False
        )
        for axes in panels.flat:
            axes.axis("off")
        for axes, (seed, each) in zip(panels.flat, shown, strict=False):
            draw_band(axes, each.bands[COUNTS], colours=False)
            axes.set_title(f"seed {seed}: {band_words(each.bands[COUNTS])}", fontsize=9)
        paths.append(save_figure(figure, folder / "bands.png"))
    figure, axes = plt.subplots(figsize=(6.8, 4.8), layout="constrained")
    draw_angles(axes, cases)
    axes.set_title(f"{p.columns} × {p.rows} grains; bars are the spread of samples", fontsize=10)
    paths.append(save_figure(figure, folder / "angles.png"))
    return paths


def band_words(band: BandAngle) -> str:
    """`band at 67.5°`."""
    return f"band at {band.degrees:.1f}°" if band.found else "no band"


def draw_arrows(axes: Axes, places: Record) -> None:
    """Displacements from the start to failure (fig 15a), longest about two grains long."""
    moved = Displacement(0, 1).compute(places)
    length = np.hypot(*moved.vectors.T)
    scale = float(2.0 * moved.spacing / np.percentile(length, 99.0))
    arrows: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0 / scale, "width": 0.0025}
    axes.quiver(*moved.positions.T, *moved.vectors.T, length, cmap="viridis", **arrows)
    low, high = moved.positions.min(axis=0) - moved.spacing, moved.positions.max(axis=0) + moved.spacing
    axes.set(xticks=[], yticks=[], aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.set_title(f"displacement to failure, × {scale:.2g}", fontsize=10)


def draw_band(axes: Axes, band: BandAngle, *, colours: bool) -> None:
    """Strain between grains, as a mean over the triangles around each, and the measured angle through the strongest stripe.

    Single triangles scatter, and a few where a grain slipped take all the colours: so the mean, and its 99th percentile.
    """
    field = band.field
    weights = np.zeros(len(field.points))
    sums = np.zeros(len(field.points))
    for corner in field.triangles.T:
        np.add.at(weights, corner, field.areas)
        np.add.at(sums, corner, field.areas * field.deviatoric)
    values = np.where(weights > 0.0, sums / np.where(weights > 0.0, weights, 1.0), 0.0)
    top = float(np.percentile(values, 99.0)) or 1.0
    x, y = field.points.T
    shown = axes.tripcolor(
        x, y, values, triangles=field.triangles, shading="gouraud", vmin=0.0, vmax=top, cmap="magma_r"
    )  # fmt: skip
    low, high = field.points.min(axis=0), field.points.max(axis=0)
    axes.set(xticks=[], yticks=[], aspect="equal")
    if colours:
        axes.figure.colorbar(shown, ax=axes, label=r"deviatoric strain $\lambda_1-\lambda_2$", shrink=0.7)
    if band.found:
        slope = np.tan(band.angle) * band.rising
        x, y = strongest(band)
        axes.axline((x, y), slope=slope, color="C0", lw=1.5, ls="--")
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def strongest(band: BandAngle) -> tuple[float, float]:
    """A point in the stripe of the measured angle that holds most strain above the mean."""
    field = band.field
    angle = band.angle * band.rising
    normal = np.array([-np.sin(angle), np.cos(angle)])
    across = field.centroids @ normal
    places, width = np.linspace(across.min(), across.max(), 200), 0.5 * band.width * field.spacing
    excess = field.areas * (field.deviatoric - field.mean(field.deviatoric))
    best = max(places, key=lambda place: float(excess[np.abs(across - place) <= width].sum()))
    middle = field.points.mean(axis=0)
    x, y = middle + (best - middle @ normal) * normal
    return float(x), float(y)


def draw_angles(axes: Axes, cases: Mapping[float, Sequence[Case]]) -> None:
    """Angles against pressure, side by side with both criteria (fig 15b)."""
    for name, marker, colour, off in (
        (COUNTS, "D", "C0", 1.0),
        ("to failure", "d", "0.6", 0.96),
        ("Mohr-Coulomb", "o", "C1", 0.92),
        ("Roscoe", "^", "C2", 1.08),
    ):
        points = []
        for share, group in sorted(cases.items()):
            mean, deviation = spread(angles(group, name) if name in INTERVALS else criteria(group)[name])
            points.append((share * off, mean, deviation, [each.failure for each in group]))
        label = f"band, {name}" if name in INTERVALS else name
        failing.draw_points(axes, points, colour=colour, marker=marker, label=label)
    failing.finish_points(axes, "angle from the horizontal (degrees)", marker="s", columns=3)


EXPERIMENT = Study(
    name="shear-band",
    paper="PRE10 fig 15",
    title="inclination of shear bands beside Mohr-Coulomb and Roscoe",
    claim="within errors of Mohr-Coulomb and of Roscoe",
    sizes=SIZES,
    parameters=ShearBand,
    tables=tables,
    evaluate=evaluate,
    merit=merit_of,
    figures=figures,
)
