"""What the experiments with cyclic loads share (PRE10 §V.B): a sample is pressed, then the load on its ends swings.

σ_a(t) = p₀ + Δσ (1 − cos 2πt/T)/2 on bottom and top, p₀ on the sides. The paper prints + cos, which would start at the tip with a
jump; ours starts at rest under p₀. Units as in `clast.experiments.shared.soil`.

The paper does not say how its samples for cyclic loads were made. As drawn (dense) a Voronoi-Minkowski packing has no voids to
speak of and fails at Δσ = 8 p₀, so that a swing of 0.2 p₀ is nothing to it; expanded, turned and compressed (loose) it fails at
2 p₀. First trials were on dense samples: D = 0.02 and a gain of 5e-9 per cycle at 0.2 p₀, where loose ones have D = 0.4 and 4e-7.
So loose samples are the rule here; `--state dense` shows the others.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from clast.element_tests.biaxial import SWING_BRAKE
from clast.element_tests.recorded import Record, curves, record
from clast.experiments.experiment import Merit, Quantity, parameter
from clast.experiments.shared.numbers import mean_error, merit_of_tests, slowness
from clast.experiments.shared.soil import Soil, State, cell_of, pressed
from clast.measures.coordination import Coordination
from clast.measures.loops import Loops
from clast.output.store.reader import StudyTable
from clast.scene.plane import Scene
from clast.scene.tags import Dashpot

KEPT = (
    "time", "axial_strain", "volumetric_strain", "stress_yy", "void_ratio", "inertial_number", "overlap_share", "dashpot_share",
    "energy_error", "step",
)  # fmt: skip


class Cyclic(Soil):
    """Parameters of a cyclic test."""

    state: State = parameter("loose", "how the samples are made: dense as drawn, loose expanded, turned and compressed")
    pressure: float = parameter(30.0, "confining pressure p₀, 3e-3 K_n", "dyn/cm", gt=0)
    period: float = parameter(10.0, "period T of the load", "s", gt=0)


@dataclasses.dataclass(frozen=True)
class Swing:
    """One test: which sample, how it is loaded, and what is changed for a check."""

    seed: int
    amplitude: float  # Δσ/p₀
    cycles: int
    samples: int  # per cycle
    radius: float | None = None  # that of the parameters if None
    longer: float = 1.0  # periods of the parameters
    brake: float = 1.0  # times the usual dashpots
    finer: int = 1  # steps in place of one


def cycled(p: Cyclic, swing: Swing, threads: int | str, device: str = "cpu") -> dict[str, np.ndarray]:
    """Press a sample, let its load swing, and keep what is needed, as columns over samples.

    Heats are since the start, over the area of the sample at the start [force/length], so that they compare with the area of
    a loop: `heat_sliding`, `heat_contacts` (dampers of contacts), `heat_dashpots` (of the walls). The shares of vertex-vertex
    contacts are those at the start and at the end.
    """
    if swing.radius is not None:
        p = p.model_copy(update={"radius": swing.radius})
    cell, period = cell_of(p, p.state, swing.seed), swing.longer * p.period
    prepared = pressed(p, cell, p.state, p.pressure)
    scene = cell.cycled(
        p.pressure, swing.amplitude * p.pressure, period, prepared=prepared, brake=swing.brake * SWING_BRAKE
    )  # fmt: skip
    test = record(
        scene, until=swing.cycles * period, dt=p.dt / swing.finer, samples=swing.cycles * swing.samples, frames=1,
        threads=threads, device=device,
    )  # fmt: skip
    columns, series = curves(test), test.series
    found = {name: columns[name] for name in KEPT}
    area, heat = prepared.report.width * prepared.report.height, dashpot_heat(scene, test)
    found["heat_sliding"] = series["heat_sliding"] / area
    found["heat_contacts"] = (series["heat_viscous"] - heat) / area
    found["heat_dashpots"] = heat / area
    for name, frame in (("vertex_vertex_start", 0), ("vertex_vertex_end", -1)):
        found[name] = np.full(len(series["time"]), Coordination(frame).compute(test).vertex_vertex_share)
    return found


def dashpot_heat(scene: Scene, test: Record) -> np.ndarray:
    """Heat of the dashpots of walls, or of a cell that moves, since the start [energy]: Σ c ∫v² dt from places at samples."""
    owners = [("cell", scene.box.tags)] if scene.box.tags else [(str(b.name), b.tags) for b in scene.bodies if b.big]
    time, power = test.series["time"], np.zeros(len(test.series["time"]))
    for name, tags in owners:
        for tag in tags:
            if isinstance(tag, Dashpot):
                for axis, coefficient in zip("xy", tag.by_axis, strict=True):
                    power += coefficient * np.gradient(test.series[f"{name}.{axis}"], time) ** 2
    return np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(time))])


def loops_of(p: Cyclic, table: Mapping[str, np.ndarray], longer: float = 1.0) -> Loops:
    """The loops of a test."""
    return Loops(longer * p.period).read(table["time"], table["axial_strain"], table["stress_yy"])


# --- where something begins ------------------------------------------------------------------------------------------


def knee(x: np.ndarray, y: np.ndarray) -> float:
    """Where a curve that is flat, then rises along a line, has its knee: least squares of y = a + b max(0, x − knee).

    NaN where the best line does not rise, or a value is missing. A curve without a knee has one by this rule too: a power law
    bends somewhere.
    """

    def misfit(at: float) -> tuple[float, float]:
        bent = np.stack([np.ones(len(x)), np.maximum(0.0, x - at)], axis=1)
        solution = np.linalg.lstsq(bent, y, rcond=None)[0]
        return float(np.sum((bent @ solution - y) ** 2)), float(solution[1])

    if not np.isfinite(y).all():
        return math.nan
    grid = np.linspace(x[0], x[-2], 200)  # behind the last but one the line would hang on a single point
    start = int(np.argmin([misfit(each)[0] for each in grid]))
    around = (grid[max(start - 1, 0)], grid[min(start + 1, len(grid) - 1)])
    best = float(minimize_scalar(lambda at: misfit(at)[0], bounds=around, method="bounded").x)
    return best if misfit(best)[1] > 0.0 else math.nan


def knee_of_seeds(x: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Knee of the mean over seeds of `values` (seeds, amplitudes), and its error: leaving out one seed after the other."""
    count = len(values)
    found = knee(x, values.mean(axis=0))
    if count < 2:
        return found, math.nan
    without = np.array([knee(x, np.delete(values, k, axis=0).mean(axis=0)) for k in range(count)])
    return found, float(np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2)))


class PowerFit(NamedTuple):
    """y = level × x^exponent, and of how many points."""

    exponent: float
    level: float
    points: int


def power_law(x: np.ndarray, y: np.ndarray) -> PowerFit:
    """A power law through the points that are positive; NaN through less than two."""
    up = y > 0.0
    if up.sum() < 2:
        return PowerFit(math.nan, math.nan, int(up.sum()))
    exponent, level = np.polyfit(np.log(x[up]), np.log(y[up]), 1)
    return PowerFit(float(exponent), math.exp(level), int(up.sum()))


def agrees_about(value: float, error: float, published: float) -> bool | None:
    """Whether a value within its error meets what was published about, give or take 10 %; None without either: one sample."""
    if not (math.isfinite(value) and math.isfinite(error)):
        return None
    return bool(abs(value - published) <= 0.1 * published + error)


# --- whether the tests are good ----------------------------------------------------------------------------------------


def trust(tests: Sequence[StudyTable]) -> list[Quantity]:
    """Whether tests were slow, walls free, overlaps small and books closed: the worst of all."""
    fastest = max(float(each["inertial_number"].max()) for each in tests)
    return [
        slowness(fastest),
        Quantity("largest share of the load on wall dashpots", max(float(each["dashpot_share"].max()) for each in tests)),
        Quantity("largest overlap / r", max(float(each["overlap_share"].max()) for each in tests)),
        Quantity("energy error", worst_book(tests)),
    ]


def worst_book(tests: Sequence[StudyTable]) -> float:
    """Largest energy error of all tests."""
    return max(float(each["energy_error"][0]) for each in tests)


def merit_of(p: Cyclic, tests: Sequence[StudyTable]) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(p.columns * p.rows, tests)


def bars(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard errors over seeds of `values` (seeds, amplitudes); errors are zero with one seed."""
    both = np.array([mean_error(column) for column in values.T])
    return both[:, 0], np.nan_to_num(both[:, 1])
