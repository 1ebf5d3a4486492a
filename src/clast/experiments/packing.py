"""How densely disks, peanuts, rice and pebbles pack without friction (GM09 fig 7).

Grains start far apart between four smooth walls. The walls are pushed with the same pressure, which rises slowly, until
the sample lies still. The fraction is the area of the grains over that between the inner faces of the walls.

How it is judged (written down after one trial sample of each shape): a fraction agrees within 10 % of the published one; the
claim is the order. Disks below peanuts below both rice and pebbles; rice and pebbles alike within 0.02, as “around 0.88”
leaves ± 0.01 to each.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from clast.element_tests.biaxial import BiaxialCell
from clast.element_tests.figure import draw_chains_of, draw_packing, frame_sample
from clast.element_tests.recorded import Record, instants_table, kept_record, still_of
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.numbers import mean_error
from clast.laws.linear import Linear
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.packing.plane.lattice import square_lattice
from clast.packing.plane.packing import Packing
from clast.protocols.press import Prepared, Stop, prepare
from clast.scene.timed import Ramp
from clast.shapes import Shape, disk, peanut, pebble, rice

SHAPES: dict[str, Callable[[float], Shape]] = {"disk": disk, "peanut": peanut, "rice": rice, "pebble": pebble}
PUBLISHED = {"disk": 0.80, "peanut": 0.87, "rice": 0.88, "pebble": 0.88}
PLURAL = {"disk": "disks", "peanut": "peanuts", "rice": "rice", "pebble": "pebbles"}
SPREAD = 0.1  # of areas, uniform about 1
LOOSE = 0.3  # fraction at the start
SHAKE = 0.1  # √A, off the lattice at random
RISE = 500.0  # √(σA/k), in which the pressure rises
DRAG = 0.02  # 1/√(σA/k): stills the breathing of the sample, far below the frequency of a contact
LONGEST = 40_000.0  # √(σA/k): smooth packings have soft modes
AGREES = 0.1
LONG, SURE = ("rice", "peanut"), 3.0  # grains with a long axis; standard errors by which neighbours align
ALIKE = 0.02


class FourShapes(Parameters):
    """Samples of GM09 §4, in its units: k_n = 1, density 1, mean area 1."""

    shape: Literal["all", "disk", "rice", "peanut", "pebble"] = parameter("all", "shape of the grains, or all in turn")
    grains: int = parameter(400, "number of grains", "", ge=16)
    seeds: int = parameter(4, "samples of each shape, with seeds from --seed on", "", ge=1)


class PackingOfShapes(FourShapes):
    """GM09 §4 in its units: k_n = 1, density 1, mean area 1. Damping, ramp and drag are ours."""

    pressure: float = parameter(1e-3, "on the four walls", "k_n", gt=0)
    damping: float = parameter(0.6, "G_n; G_t is a quarter of it", "√(k/σA)", ge=0)
    dt: float = parameter(0.02, "time step", "√(σA/k)", gt=0)


SIZES: Sizes = {"quick": {"grains": 144, "seeds": 1}, "full": {}}


def shapes_of(p: FourShapes) -> list[str]:
    """The requested shapes, in the order of the claim."""
    return list(SHAPES) if p.shape == "all" else [p.shape]


def scattered(shape: str, grains: int, seed: int) -> Packing:
    """Grains of areas 1 ± 10 % at random angles, near the places of a square lattice that fills 0.3 of its square."""
    rng = np.random.default_rng(seed)
    areas = rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, grains)
    areas *= grains / areas.sum()
    columns = int(np.ceil(np.sqrt(grains)))
    spacing = float(np.sqrt(1.0 / LOOSE))
    places = square_lattice(grains, columns, spacing) + rng.uniform(-SHAKE, SHAKE, (grains, 2))
    rows = -(-grains // columns)
    angles = rng.uniform(0.0, 2.0 * np.pi, grains)
    return Packing([SHAPES[shape](float(area)) for area in areas], places, angles, columns * spacing, rows * spacing)


def cell_of(shape: str, grains: int, seed: int, law: Linear) -> BiaxialCell:
    """The sample before it is pressed; walls as round as the grains."""
    return BiaxialCell(scattered(shape, grains, seed), law, density=1.0, wall_radius=SHAPES[shape](1.0).radius)


def pressed(cell: BiaxialCell, pressure: float, dt: float) -> Prepared:
    """The sample at rest without friction; from the cache folder where it was pressed before."""
    scene = cell.compressed(
        pressure, ramp=Ramp(0.0, pressure, finish=RISE), law=dataclasses.replace(cell.law, friction=0.0), drag=DRAG
    )
    return prepare(scene, Stop(kinetic=1e-6, unbalanced=1e-3, earliest=RISE, longest=LONGEST), dt=dt)


def smooth_law(p: PackingOfShapes) -> Linear:
    """No friction; what slides is damped."""
    return Linear(1.0, 0.1, 0.0, normal_damping=p.damping, tangential_damping=0.25 * p.damping)


def make(p: PackingOfShapes, shape: str, seed: int) -> tuple[Prepared, Record]:
    """A sample and its picture."""
    cell = cell_of(shape, p.grains, seed, smooth_law(p))
    prepared = pressed(cell, p.pressure, p.dt)
    return prepared, still_of(cell.held(p.pressure, prepared=prepared), p.dt)


def tables(p: PackingOfShapes, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A row of numbers per sample; of the first of each shape its bodies and contacts too."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for shape in shapes_of(p):
        for seed in range(p.seed, p.seed + p.seeds):
            sample = cache(partial(make, p, shape, seed))
            wanted[table_name(shape, seed)] = partial(numbers, sample)
            if seed == p.seed:
                wanted[f"{table_name(shape, seed)}: bodies"] = partial(bodies, sample)
                wanted[f"{table_name(shape, seed)}: contacts"] = partial(contacts, sample)
    return wanted


def table_name(shape: str, seed: int) -> str:
    """Name of the table of a sample."""
    return f"{shape}, seed {seed}"


def numbers(sample: Callable[[], tuple[Prepared, Record]]) -> Columns:
    """The report of a preparation, one row."""
    return {name: np.array([value]) for name, value in sample()[0].report.numbers().items()}


def bodies(sample: Callable[[], tuple[Prepared, Record]]) -> Columns:
    """Where the bodies lie."""
    return instants_table(sample()[1].frames)


def contacts(sample: Callable[[], tuple[Prepared, Record]]) -> Columns:
    """What touches."""
    return instants_table(sample()[1].contacts)


def column(p: PackingOfShapes, run: Run, shape: str, name: str) -> np.ndarray:
    """A number of all samples of a shape."""
    return np.array([run.tables[table_name(shape, seed)][name][0] for seed in range(p.seed, p.seed + p.seeds)])


def evaluate(p: PackingOfShapes, run: Run) -> Sequence[Quantity]:
    """Fractions, their order, and whether the samples were at rest under the requested pressure."""
    found, mean = [], {}
    for shape in shapes_of(p):
        fractions = column(p, run, shape, "fraction")
        mean[shape] = float(fractions.mean())
        spread = f" ± {fractions.std(ddof=1):.4f}" if len(fractions) > 1 else ""
        off = mean[shape] / PUBLISHED[shape] - 1.0
        touching = float(column(p, run, shape, "coordination").mean())
        note = f"{len(fractions)} samples of {p.grains}{spread}; {off:+.1%}; {touching:.2f} neighbours per grain"
        agrees = bool(abs(off) <= AGREES)
        error = mean_error(fractions)[1]
        found.append(Quantity(f"{PLURAL[shape]}: fraction", mean[shape], "", PUBLISHED[shape], agrees, note, error))
        if shape in LONG:
            found.append(alignment(p, run, shape))
    if p.shape == "all":
        ordered = mean["disk"] < mean["peanut"] < min(mean["rice"], mean["pebble"])
        few = "; likely too few grains: at full size peanuts and pebbles are 0.006 apart"
        note = "of the means" + ("" if ordered else few)
        found.append(Quantity("disks < peanuts < rice, pebbles (1) or not (0)", float(ordered), "", 1.0, bool(ordered), note))
        apart = abs(mean["rice"] - mean["pebble"])
        note = f"alike within {ALIKE:g}: both “around 0.88”" + ("" if apart <= ALIKE else few)
        found.append(Quantity("|rice − pebbles|", apart, "", 0.0, bool(apart <= ALIKE), note))
    everything = [table for name, table in run.tables.items() if ":" not in name]
    stress = max(
        abs(float(table[f"stress {wall}"][0] / table[f"target {wall}"][0]) - 1.0)
        for table in everything for wall in ("left", "right", "bottom", "top")
    )  # fmt: skip
    found.append(Quantity("largest |wall stress / pressure − 1|", stress))
    for name, what in (("kinetic", "kinetic / elastic energy"), ("unbalanced", "unbalanced force"), ("overlap", "overlap / r")):
        found.append(Quantity(f"largest {what}", max(float(table[name][0]) for table in everything)))
    return found


def alignment(p: PackingOfShapes, run: Run, shape: str) -> Quantity:
    """⟨cos 2Δθ⟩ of grains that touch, in the first sample: 1 if all are parallel, 0 if they look any way."""
    kept, touching = (run.tables[f"{table_name(shape, p.seed)}: {what}"] for what in ("bodies", "contacts"))
    pairs = np.unique(np.sort(np.column_stack([touching["bodies_x"], touching["bodies_y"]]), axis=1), axis=0)
    between = pairs[(pairs < p.grains).all(axis=1)]  # walls come after the grains
    mean, error = mean_error(np.cos(2.0 * np.diff(kept["angles"][between], axis=1)[:, 0]))
    note = f"⟨cos 2Δθ⟩ of {len(between)} pairs that touch, first sample; agrees above {SURE:g} standard errors; 0 if at random"
    return Quantity(f"{PLURAL[shape]}: alignment of neighbours", mean, "", None, bool(mean > SURE * error), note, error)


def merit(p: PackingOfShapes, run: Run) -> Merit:
    """Grains of a sample, steps of all."""
    steps = sum(int(table["steps"][0]) for name, table in run.tables.items() if ":" not in name)
    return Merit(grains=p.grains, steps=steps)


def record_of(p: PackingOfShapes, run: Run, shape: str) -> Record:
    """The first sample of a shape as it was kept."""
    scene = cell_of(shape, p.grains, p.seed, smooth_law(p)).scene()
    return kept_record(scene, run.tables, table_name(shape, p.seed))


def figures(p: PackingOfShapes, run: Run, folder: Path) -> Sequence[Path]:
    """The packings (fig 7), and the same with their forces."""
    import matplotlib.pyplot as plt

    paths = []
    chosen = shapes_of(p)
    columns = min(2, len(chosen))
    for name in ("packing", "chains"):
        figure, panels = plt.subplots(
            len(chosen) // columns, columns, figsize=(4.6 * columns, 4.8 * len(chosen) / columns), layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, shape in zip(panels.flat, chosen, strict=True):
            record = record_of(p, run, shape)
            fraction = run.tables[table_name(shape, p.seed)]["fraction"][0]
            frame_sample(axes, record, 0)
            axes.set_title(f"{PLURAL[shape]}: {fraction:.3f} (GM09: {PUBLISHED[shape]:.2f})", fontsize=10)
            if name == "chains":
                draw_chains_of(axes, record, 0)
            else:
                draw_packing(axes, record, 0)
        paths.append(save_figure(figure, folder / f"{name}.png"))
    return paths


EXPERIMENT = Study(
    name="packing",
    paper="GM09 fig 7",
    title="how densely four shapes pack without friction",
    claim="fractions: disks 0.80 < peanuts 0.87 < rice and pebbles 0.88",
    sizes=SIZES,
    parameters=PackingOfShapes,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
