"""A gas of disks, rice, peanuts or pebbles keeps its energy (GM09 fig 5-6)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from clast.experiments.experiment import Experiment, Parameters, Plan, Quantity, Variants, parameter
from clast.experiments.shared.gas import directions, draw_error
from clast.experiments.shared.numbers import below
from clast.laws.linear import Linear
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import draw_frames, save_figure
from clast.output.store.reader import Run
from clast.packing.plane.lattice import square_lattice
from clast.scene.plane import Box, Scene
from clast.shapes import disk, peanut, pebble, rice

SHAPES = {"disk": disk, "rice": rice, "peanut": peanut, "pebble": pebble}
SIDE, GRAINS = 46.4, 400  # of the paper's box: Φ = 0.186 with a mean area of 1
SPREAD = 0.1  # (A_max − A_min) / (A_max + A_min)
PAPER = 1e-4  # "within a relative error of 0.01 %"
BAR = 1e-5  # ours


class ElasticGas(Parameters):
    """Set-up of GM09 §3.2 in its dimensionless units; density 1, no friction."""

    shape: Literal["disk", "rice", "peanut", "pebble"] = parameter("pebble", "shape of the grains")
    grains: int = parameter(GRAINS, "number of grains; the box grows with it", ge=2)
    dt: float = parameter(0.02, "time step; 0.05 in the paper, which is 2.8 times our safe step", "√(σA/k)", gt=0)
    until: float = parameter(2000.0, "duration", "√(σA/k)", gt=0)
    stiffness: float = parameter(1.0, "normal stiffness k_n", "k", gt=0)
    speed: float = parameter(0.02, "initial speed (the printed 1 would make overlaps as large as a grain)", "√(k/σ)", gt=0)
    alpha: float = parameter(0.11, "Verlet distance", "√A", gt=0)
    integrator: Literal["verlet", "gear4", "gear5"] = parameter("verlet", "integrator (the paper's: gear4)")
    onset: bool = parameter(True, "with verlet, weight the step in which a contact opens or closes")


VARIANTS: Variants = {size: [{"shape": shape} for shape in SHAPES] for size in ("quick", "full")}


def build(p: ElasticGas) -> Scene:
    """Grains of areas 1 ± 10 % at random angles on a square lattice, speeds alike, directions at random, no spin."""
    rng = np.random.default_rng(p.seed)
    side = SIDE * float(np.sqrt(p.grains / GRAINS))
    columns = int(np.ceil(np.sqrt(p.grains)))
    areas = rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, p.grains)
    areas *= p.grains / areas.sum()  # a mean of exactly 1, and so the paper's Φ
    scene = Scene(law=Linear(p.stiffness), box=Box(side, side), onset=p.onset)
    ways, angles = rng.uniform(0.0, 2.0 * np.pi, (p.grains, 2)).T
    scene.add_many(
        [SHAPES[p.shape](area) for area in areas.tolist()],
        square_lattice(p.grains, columns, side / columns),
        angles=angles,
        velocities=p.speed * directions(ways),
    )
    return scene


def plan(p: ElasticGas) -> Plan:
    """Two samples per unit of time: more than one in a collision, which lasts about 2."""
    return Plan(
        dt=p.dt, until=p.until, samples=max(400, round(2.0 * p.until)), frames=100, alpha=p.alpha, integrator=p.integrator
    )


def evaluate(p: ElasticGas, run: Run) -> Sequence[Quantity]:
    """Energy error (agrees: below the paper's 1e-4), whether it grows, and that the grains did meet."""
    book = run.book
    time, drift = book.time, book.residual / book.scale
    kinetic = book.kinetic
    rotational = float(np.mean(run.series["rotational"][time >= 0.5 * time[-1]] / kinetic[time >= 0.5 * time[-1]]))
    note = f"our bar {BAR:g}; Δt = {p.dt:g} (paper 0.05); walls in the paper, periodic here"
    return [
        below("energy error", book.energy_error, PAPER, note),
        Quantity(
            "energy error at the end",
            float(drift[-1]),
            note="signed; the paper's energy “has a trend to grow slowly”, Verlet's should not",
        ),
        Quantity("largest elastic / total energy", float((book.elastic / book.energy).max()), note="“negligible” in the paper"),
        Quantity(
            "rotational share, second half",
            rotational,
            note="disks never start to spin without friction; 1/3 would be equipartition",
        ),
        Quantity(
            "deepest overlap / √A",
            float(run.series["deepest_overlap"].max()),
            note=f"at samples; speed {p.speed:g} is our choice",
        ),
    ]


def figures(p: ElasticGas, run: Run, folder: Path) -> Sequence[Path]:
    """The gas (fig 5), its energies and the error of their sum (fig 6)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 6.5), layout="constrained")
    draw_frames(axes, run, [len(run.frames) - 1])
    axes.set(xlabel="x", ylabel="y", title=f"elastic-gas: {p.shape}, t = {run.frames[-1].time:g}")
    paths = [save_figure(figure, folder / "elastic-gas.png")]

    figure, panels = plt.subplots(3, 1, figsize=(7, 7.5), sharex=True, height_ratios=(2, 1, 1.4), layout="constrained")
    draw_energies(panels, p, run)
    paths.append(save_figure(figure, folder / "energy.png"))
    return paths


def draw_energies(panels: Sequence[Axes], p: ElasticGas, run: Run) -> None:
    """Energies of motion, of contacts, and the error of their sum, one below the other."""
    top, middle, bottom = panels
    book, total = run.book, run.book.energy[0]
    top.plot(book.time, book["translational"] / total, label="translational")
    top.plot(book.time, book["rotational"] / total, label="rotational")
    top.plot(book.time, book.energy / total, "k", lw=1, label="total")
    top.set(ylabel="energy / E₀", ylim=(0.0, 1.3), title=f"elastic-gas: {len(run.scene['body_shape'])} × {p.shape}")
    top.legend(loc="upper right", ncols=3)
    middle.plot(book.time, book.elastic / total, "C2", lw=0.6)
    middle.set(ylabel="elastic / E₀", ylim=(0.0, None))
    draw_error(bottom, book, 0.6)
    bottom.axhline(PAPER, color="C3", ls="--", lw=1, label="GM09: 1e-4")
    bottom.axhline(BAR, color="C0", ls=":", lw=1, label="our bar: 1e-5")
    bottom.set(xlabel="time", ylabel="|energy error|", ylim=(1e-9, 1e-2), xlim=(0.0, book.time[-1]))
    bottom.legend(loc="upper left", ncols=2)


EXPERIMENT = Experiment(
    name="elastic-gas",
    paper="GM09 fig 5-6",
    title="four shapes keep their energy in a gas",
    claim="energy stays within 1e-4 and grows slowly",
    variants=VARIANTS,
    parameters=ElasticGas,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
