"""Dense flow at a steady shear rate: friction and solid fraction against the inertial number I = γ̇√(m/P), disks and hexagons.

Grains fill a cell that repeats both ways and is sheared at the rate γ̇ (`clast.Shear`); a pressure P sets its height. There are no
walls, so all of it flows alike. The effective friction μ is shear stress over normal stress on faces across y, of contacts and
motion of the grains together, averaged over the strain after the start. The line 0.25 + 1.1 I is that of Da Cruz et al. (2005)
for disks of friction 0.4 up to I = 0.2; beyond, measured friction is known to fall below it.

How it is judged. The mean over seeds has to lie within 5 % of the line. Its error is the standard error of the seeds.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clast.element_tests.recorded import Record, record
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.numbers import below, mean_error, merit_of_tests, with_error
from clast.laws.linear import Linear
from clast.measures.strain import Strain
from clast.measures.stress import Stress
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import GRAIN, draw_bodies, fit_axes, save_figure, scene_outlines
from clast.output.store.reader import Run, StudyTable
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Pressure, Shear
from clast.shapes import disk, regular
from clast.shapes.plane.skeleton import Shape

INERTIAL_NUMBERS = (0.003, 0.01, 0.03, 0.1, 0.3)
BODIES = ": bodies"  # behind the name of a test: its grains at the end
LINE = 0.25, 1.1  # μ at I = 0, and its slope
BAR = 0.05  # of μ
FILLED = 0.82  # solid fraction at which the cell would be as high as wide
ROOM = 1.05  # from place to place at the start, over the largest grain
ROUNDING = 0.15  # of a hexagon: its sphero-radius over the circumradius of its skeleton
SIZES_OF_GRAINS = 16
BRAKE = 1.0  # dashpot of the height of the cell, √(mP)/d: little, or it would hold back how the height fluctuates in the flow
SETTLING = 50.0  # √(m/P), in which the cell is pressed together
COLOURS, PLURAL = {"disk": "C0", "hexagon": "C3"}, {"disk": "disks", "hexagon": "hexagons"}
ENERGY = 1e-3  # bar of the energy error


class MuOfI(Parameters):
    """Mean diameter 2√(area/π), mean mass and pressure P are 1; stiffness is that of a contact over P."""

    shape: Literal["both", "disk", "hexagon"] = parameter("both", "shape of the grains, or both in turn")
    grains: int = parameter(256, "number of grains", "", ge=36)
    seeds: int = parameter(4, "samples, with seeds from --seed on", "", ge=1)
    spread: float = parameter(0.2, "half width of the even distribution of diameters", "", ge=0, lt=0.6)
    stiffness: float = parameter(1e4, "k_n", "P", ge=1e3)
    tangential: float = parameter(0.5, "k_t over k_n", "", gt=0)
    friction: float = parameter(0.5, "friction μ between grains", "", ge=0)
    restitution: float = parameter(0.5, "of a straight impact", "", ge=0.01, le=1)
    strain: float = parameter(6.0, "shear strain over which is averaged", "", gt=0)
    start: float = parameter(1.5, "shear strain before", "", ge=0)
    dt: float = parameter(8e-4, "time step", "√(m/P)", gt=0)


SIZES: Sizes = {"quick": {"grains": 100, "seeds": 1, "strain": 2.0, "start": 1.0, "shape": "disk"}, "full": {}}


def shapes_of(p: MuOfI) -> list[str]:
    """The requested shapes."""
    return ["disk", "hexagon"] if p.shape == "both" else [p.shape]


def table_name(shape: str, number: float, seed: int) -> str:
    """Name of the table of a test."""
    return f"{shape}, I = {number:g}, seed {seed}"


def grain_of(shape: str, diameter: float) -> Shape:
    """A grain of the area of a disk of this diameter."""
    if shape == "disk":
        return disk(radius=0.5 * diameter)
    area = 0.25 * math.pi * diameter * diameter
    size = math.sqrt(area / regular(6, ROUNDING, circumradius=1.0).area)
    return regular(6, ROUNDING * size, circumradius=size)


def sheared(p: MuOfI, shape: str, number: float, seed: int) -> Scene:
    """Grains of all sizes on a wide lattice, at random angles, in the flow at once; the pressure brings them together."""
    rng = np.random.default_rng(seed)
    sizes = np.linspace(1.0 - p.spread, 1.0 + p.spread, SIZES_OF_GRAINS)
    chosen = rng.permutation(np.resize(np.arange(SIZES_OF_GRAINS), p.grains))
    areas = 0.25 * math.pi * sizes[chosen] ** 2
    width = math.sqrt(areas.sum() / FILLED)
    shapes = [grain_of(shape, each) for each in sizes]
    columns = int(width / (2.0 * ROOM * shapes[-1].reach))
    rows = math.ceil(p.grains / columns)
    pitch = width / columns
    places = pitch * (np.stack(np.divmod(np.arange(p.grains), columns)[::-1], axis=1) + 0.5)
    velocities = np.stack([number * (places[:, 1] - np.average(places[:, 1], weights=areas)), np.zeros(p.grains)], axis=1)
    law = Linear(p.stiffness, p.tangential * p.stiffness, p.friction, restitution=p.restitution)
    tags = (Shear(rate=number), Pressure(1.0, "-y"), Dashpot(BRAKE))
    scene = Scene(law=law, box=Box(width, rows * pitch, tags=tags))
    scene.add_many(
        shapes, places, which=chosen, angles=rng.uniform(0.0, 2.0 * math.pi, p.grains),
        velocities=velocities, density=p.grains / areas.sum(),
    )  # fmt: skip
    return scene


def duration(p: MuOfI, number: float) -> float:
    """Pressing together, the strain before, and the strain that counts."""
    return SETTLING + (p.start + p.strain) / number


def flow(p: MuOfI, shape: str, number: float, seed: int, threads: int | str) -> Record:
    """Shear a sample."""
    until = duration(p, number)
    samples = round(100 * number * until)
    return record(sheared(p, shape, number, seed), until=until, dt=p.dt, samples=samples, frames=1, threads=threads)


def tables(p: MuOfI, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """Strain, stresses and height of every test, and where its grains are at the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for number in reversed(INERTIAL_NUMBERS):
        for shape in shapes_of(p):
            for seed in range(p.seed, p.seed + p.seeds):
                made: dict[str, Columns] = {}
                name = table_name(shape, number, seed)
                for part in ("", BODIES):
                    wanted[name + part] = partial(part_of, made, part, partial(flow, p, shape, number, seed, threads))
    return wanted


def part_of(made: dict[str, Columns], part: str, run: Callable[[], Record]) -> Columns:
    """One of the two tables of a test, which is run for the first of them that is wanted."""
    if not made:
        made.update(tables_of(run()))
    return made[part]


def tables_of(test: Record) -> dict[str, Columns]:
    """The tables of a test."""
    series, frame = test.series, test.frames[-1]
    whole, contacts = Stress(kinetic=True).compute(test), Stress().compute(test)
    count = len(whole.time)
    return {
        "": {
            "step": series["step"], "time": whole.time, "strain": Strain().compute(test).shear, "height": series["cell.y"],
            "offset": series["cell.offset"], "stress_xx": whole.xx, "stress_yy": whole.yy, "stress_xy": whole.xy,
            "stress_yx": whole.yx, "contacts_yy": contacts.yy, "contacts_xy": contacts.xy, "contacts": series["contacts"],
            "overlap_share": series["overlap_share"], "energy_error": np.full(count, test.book.energy_error),
        },
        BODIES: {
            "x": frame["positions"][:, 0], "y": frame["positions"][:, 1], "angle": frame["angles"], "spin": frame["spins"],
            "velocity_x": frame["velocities"][:, 0], "velocity_y": frame["velocities"][:, 1],
        },
    }  # fmt: skip


# --- what is measured ------------------------------------------------------------------------------------------------


def line(number: Any) -> Any:
    """μ of Da Cruz et al."""
    return LINE[0] + LINE[1] * number


def tests_of(p: MuOfI, run: Run, shape: str, number: float) -> list[StudyTable]:
    """The tables of the seeds."""
    return [run.tables[table_name(shape, number, seed)] for seed in range(p.seed, p.seed + p.seeds)]


def steady(p: MuOfI, number: float, test: Mapping[str, np.ndarray]) -> np.ndarray:
    """Which samples count."""
    return np.asarray(test["time"] >= SETTLING + p.start / number)


def friction_of(p: MuOfI, number: float, test: Mapping[str, np.ndarray]) -> float:
    """Mean shear stress over mean normal stress across y; shear is positive the way the cell goes."""
    chosen = steady(p, number, test)
    return float(-0.5 * (test["stress_xy"] + test["stress_yx"])[chosen].mean() / test["stress_yy"][chosen].mean())


def fraction_of(p: MuOfI, number: float, test: Mapping[str, np.ndarray]) -> float:
    """Mean solid fraction: areas over width × height. The width is that of the scene at `FILLED`."""
    chosen = steady(p, number, test)
    area = p.grains * 0.25 * math.pi * mean_square(p)
    return float((area / (math.sqrt(area / FILLED) * test["height"][chosen])).mean())


def mean_square(p: MuOfI) -> float:
    """Mean square of the diameters."""
    sizes = np.linspace(1.0 - p.spread, 1.0 + p.spread, SIZES_OF_GRAINS)
    return float((sizes[np.resize(np.arange(SIZES_OF_GRAINS), p.grains)] ** 2).mean())


def evaluate(p: MuOfI, run: Run) -> Sequence[Quantity]:
    """Friction of disks beside the line, that of hexagons, and what the tests are worth."""
    found: list[Quantity] = []
    for shape in shapes_of(p):
        for number in INERTIAL_NUMBERS:
            found.append(friction_quantity(p, run, shape, number))
    everything = [each for shape in shapes_of(p) for number in INERTIAL_NUMBERS for each in tests_of(p, run, shape, number)]
    tests = [(each, steady(p, number, each)) for shape in shapes_of(p) for number in INERTIAL_NUMBERS
             for each in tests_of(p, run, shape, number)]  # fmt: skip
    share = max(abs(float(each["stress_yy"][chosen].mean()) - 1.0) for each, chosen in tests)
    found.append(below("|mean normal stress / P − 1|", share, 0.02, "largest of all tests"))
    moving = max(float(1.0 - (each["contacts_yy"][chosen].mean() / each["stress_yy"][chosen].mean())) for each, chosen in tests)
    found.append(Quantity("largest share of the motion of grains in the normal stress", moving))
    found.append(Quantity("largest overlap / r", max(float(each["overlap_share"][chosen].max()) for each, chosen in tests)))
    found.append(below("energy error", max(float(each["energy_error"][0]) for each in everything), ENERGY, "our bar"))
    return found


def friction_quantity(p: MuOfI, run: Run, shape: str, number: float) -> Quantity:
    """μ of a shape at an inertial number."""
    tests = tests_of(p, run, shape, number)
    mean, error = mean_error([friction_of(p, number, each) for each in tests])
    filled, filled_error = mean_error([fraction_of(p, number, each) for each in tests])
    note = f"{with_error(mean, error)}; solid fraction {with_error(filled, filled_error, 4)}"
    if shape != "disk":
        return Quantity(f"{PLURAL[shape]}: μ at I = {number:g}", mean, note=note)
    off = mean / line(number) - 1.0
    note += f"; {off:+.1%} from 0.25 + 1.1 I, bar {BAR:.0%}"
    if abs(off) > BAR:
        note += "; likely because friction bends with I and a line does not"
    return Quantity(f"{PLURAL[shape]}: μ at I = {number:g}", mean, "", line(number), bool(abs(off) <= BAR), note)


def merit(p: MuOfI, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(
        p.grains, [each for shape in shapes_of(p) for number in INERTIAL_NUMBERS for each in tests_of(p, run, shape, number)]
    )


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: MuOfI, run: Run, folder: Path) -> Sequence[Path]:
    """Friction and solid fraction against I; the cells at the end of the first tests at the middle I."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    grid = np.linspace(0.0, max(INERTIAL_NUMBERS), 50)
    left.plot(grid, line(grid), "k--", lw=1, label="0.25 + 1.1 I")
    left.fill_between(grid, (1.0 - BAR) * line(grid), (1.0 + BAR) * line(grid), color="0.92", lw=0)
    for shape in shapes_of(p):
        for axes, value in ((left, friction_of), (right, fraction_of)):
            draw_points(axes, p, run, shape, value)
    left.set(xlabel=r"$I = \dot\gamma\sqrt{m/P}$", ylabel=r"effective friction $\mu$", xlim=(0.0, None), ylim=(0.0, None))
    right.set(xlabel=r"$I = \dot\gamma\sqrt{m/P}$", ylabel="solid fraction", xlim=(0.0, None))
    left.legend(loc="lower right")
    figure.suptitle(f"{p.grains} grains in a sheared cell, {p.seeds} seed{'s' if p.seeds > 1 else ''} each", fontsize=10)
    paths = [save_figure(figure, folder / "mu-of-i.png")]

    chosen = shapes_of(p)
    figure, panels = plt.subplots(1, len(chosen), figsize=(4.6 * len(chosen), 4.6), layout="constrained", squeeze=False)
    for axes, shape in zip(panels[0], chosen, strict=True):
        draw_cell(axes, p, run, shape, INERTIAL_NUMBERS[len(INERTIAL_NUMBERS) // 2])
    paths.append(save_figure(figure, folder / "cells.png"))
    return paths


def draw_points(axes: Axes, p: MuOfI, run: Run, shape: str, value: Callable[..., float]) -> None:
    """A quantity of a shape against I, with its errors."""
    means = [mean_error([value(p, number, each) for each in tests_of(p, run, shape, number)]) for number in INERTIAL_NUMBERS]
    mean, error = np.array(means).T
    axes.errorbar(INERTIAL_NUMBERS, mean, np.nan_to_num(error), fmt="o-", ms=4, lw=0.8, color=COLOURS[shape], label=PLURAL[shape])


def draw_cell(axes: Axes, p: MuOfI, run: Run, shape: str, number: float) -> None:
    """The grains of a test at its end, put back into the cell."""
    test, bodies = (run.tables[table_name(shape, number, p.seed) + part] for part in ("", BODIES))
    scene = sheared(p, shape, number, p.seed)
    period = np.array([scene.box.period_x, test["height"][-1]])
    outlines = replace(scene_outlines(scene), period=period, offset=float(test["offset"][-1]))
    places = np.stack([bodies["x"], bodies["y"]], axis=1)
    draw_bodies(axes, outlines, np.arange(p.grains), places, bodies["angle"], facecolor=GRAIN, alpha=0.7)
    fit_axes(axes, period)
    axes.set(xlabel="x [d]", ylabel="y [d]", title=f"{PLURAL[shape]}, I = {number:g}, γ = {number * test['time'][-1]:.1f}")


EXPERIMENT = Study(
    name="mu-of-i",
    paper="Da Cruz et al. 2005",
    title="friction and solid fraction of dense flows in a sheared periodic cell",
    claim="for disks the friction is 0.25 + 1.1 I",
    sizes=SIZES,
    parameters=MuOfI,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
