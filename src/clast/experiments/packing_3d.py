"""Solids poured into a box come to rest: how densely they lie, and on how many neighbours (outlook of GM09 and PRE10).

Grains of one shape, or those of a Voronoi-Minkowski soil, are thrown into a box in random orientations, fall, slide and lie
still; towards the end a drag takes out the last of their motion. No paper publishes numbers for space, so what is judged are
bounds: at rest forces balance, the box carries the weight of the grains, and the energy book of the whole fall closes.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from clast.algebra.quaternions import matrix, random_turns
from clast.experiments.experiment import Experiment, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.numbers import below, near
from clast.experiments.shared.space import Grain, GrainsInSpace, picture_of_run, plural, scene_of_grains, step_of
from clast.measures.book import Book
from clast.measures.coordination import Coordination
from clast.measures.fabric import Fabric
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.space.solids import run_solids
from clast.output.store.reader import Run
from clast.packing.space.packing import Packing3D
from clast.packing.space.voronoi import voronoi_packing3d
from clast.scene.space import Scene3D
from clast.scene.timed import Ramp
from clast.shapes.space.forms import open_box
from clast.shapes.space.library import library_solid
from clast.shapes.space.solid import Solid

LOOSE = 0.3  # largest fraction of the lattice the grains fall from
ROOM = 1.8  # its least spacing, in the largest reach of a grain: at 2 all could turn freely
HEAP = 0.6  # fraction expected of the heap, for its width
SHAKE = 0.1  # of the lattice's spacing, off it at random
THROWN = 1.5  # √(gd): spread of the level components of velocities at the start, without which columns would land as columns
RIM = 4.0  # by which the box is higher than where grains start: some bounce up
ROUNDNESS, VOIDS, SCATTER = 0.08, 0.3, 0.5  # of the diagram of a soil: R/ℓ, void ratio, how far its sites are off a lattice
WALL = 0.1  # sphero-radius of the box
DRAG = 4.0  # 1/√(d/g), at the end
STILLING = 0.65  # of the duration, when the drag begins to rise
BALANCED = 1e-3  # unbalanced force of grains at rest
CARRIED = 1e-3  # of the weight
BAR = 1e-3  # of the energy error
POINTS = 20_000  # at which the fraction is measured
BINS = 12  # of the profile
SHOWN = ("sphere", "cube", "tetrahedron", "soil")


class Packing3DOfShapes(GrainsInSpace):
    """Mean volume 1, density 1, gravity 1: lengths in the cube root of a grain's volume, forces in its weight."""

    shape: Literal[Grain, "soil"] = parameter("cube", "shape of the grains, or soil: Voronoi-Minkowski grains")
    grains: int = parameter(400, "number of grains", "", ge=8)
    stiffness: float = parameter(4e4, "normal stiffness k_n", "mg/d", gt=0)
    steps_per_contact: float = parameter(60.0, "time steps in the contact time T_c = π√(m/2k)", "", ge=20)
    until: float = parameter(20.0, "duration", "√(d/g)", gt=0)


SIZES: Sizes = {"quick": {"grains": 100, "until": 18.0}, "full": {}}
VARIANTS: Variants = {
    size: [{"shape": shape} for shape in ("sphere", "cube", "tetrahedron", "soil")] for size in ("quick", "full")
}


def build(p: Packing3DOfShapes) -> Scene3D:
    """Grains above the floor of a box, in the order of their layers; then the box."""
    packing = loose(p)
    width, _, height = packing.size
    scene = scene_of_grains(p, drag=Ramp(0.0, DRAG, begin=STILLING * p.until, finish=0.75 * p.until))
    scene.add_packing(packing.shifted(-0.5 * width, -0.5 * width, WALL))
    velocities = THROWN * np.random.default_rng(p.seed).normal(size=(p.grains, 3)) * (1.0, 1.0, 0.0)
    scene.bodies.put("velocity", velocities)
    scene.add_wall(open_box((width + 2.0 * WALL, width + 2.0 * WALL, height + RIM), WALL), name="box")
    return scene


def solids_of(p: Packing3DOfShapes) -> list[Solid]:
    """The grains: all of one shape, or those of a Voronoi diagram of sites near a lattice, of mean volume 1."""
    if p.shape != "soil":
        return [library_solid(p.shape)] * p.grains
    rng = np.random.default_rng(p.seed)
    along = math.ceil(round(p.grains ** (1.0 / 3.0), 9))
    cells = np.stack(np.unravel_index(np.arange(along**3), (along, along, along)), axis=1)
    sites = cells + 0.5 + SCATTER * rng.uniform(-0.5, 0.5, cells.shape)
    soil = voronoi_packing3d(along, along, along, 1.0, roundness=ROUNDNESS, void_ratio=VOIDS, sites=sites)
    chosen = soil.shapes[: p.grains]
    return [shape.scaled((p.grains / sum(each.volume for each in chosen)) ** (1.0 / 3.0)) for shape in chosen]


def loose(p: Packing3DOfShapes) -> Packing3D:
    """Grains in random orientations near the places of a lattice, apart from each other, over a heap to be as high as wide."""
    rng, solids = np.random.default_rng(p.seed), solids_of(p)
    spacing = max(LOOSE ** (-1.0 / 3.0), ROOM * max(solid.reach for solid in solids))
    along = max(2, round((p.grains / HEAP) ** (1.0 / 3.0) / spacing))
    numbers = np.arange(p.grains)
    lattice = (np.stack([numbers % along, numbers // along % along, numbers // along**2], axis=1) + 0.5) * spacing
    size = np.array([along, along, -(-p.grains // along**2)]) * spacing
    start = Packing3D(solids, lattice, random_turns(rng, p.grains), size)

    def draw(chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = SHAKE * spacing * rng.uniform(-0.5, 0.5, (chosen.size, 3))
        return lattice[chosen] + away, random_turns(rng, chosen.size)

    return start.redrawn(draw)


def plan(p: Packing3DOfShapes) -> Plan:
    """Forty frames to see the fall."""
    return Plan(dt=step_of(p), until=p.until, samples=400, frames=40)


# --- what is measured ------------------------------------------------------------------------------------------------


def inner_box(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,) of the part of the heap that is a grain away from walls, floor and surface."""
    grains = run.scene["body_big"] == 0
    places = run.frames[-1].positions[grains]
    box = run_solids(run)[run.scene["body_shape"][np.flatnonzero(~grains)[0]]]
    half = float(box.drawn()[:, 0].max())
    top = float(np.quantile(places[:, 2], 0.95))
    low = np.array([-half + WALL + 1.0, -half + WALL + 1.0, WALL + 1.0])
    return low, np.array([half - WALL - 1.0, half - WALL - 1.0, max(top - 0.5, low[2] + 0.5)])


def filled(run: Run, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (k, 3) spread evenly over a box, and whether each lies in a grain (k,), in the last frame."""
    from scipy.stats import qmc

    points = low + (high - low) * qmc.Halton(3, scramble=False).random(POINTS)
    solids, frame = run_solids(run), run.frames[-1]
    inside = np.zeros(POINTS, bool)
    for number in np.flatnonzero(run.scene["body_big"] == 0):
        solid = solids[run.scene["body_shape"][number]]
        away = points - frame.positions[number]
        near = np.flatnonzero((away**2).sum(axis=1) < solid.reach**2)
        inside[near] |= solid.contains(away[near] @ matrix(frame.orientations[number]))
    return points, inside


def evaluate(p: Packing3DOfShapes, run: Run) -> Sequence[Quantity]:
    """How dense, on how many neighbours, which way contacts look, and whether it is at rest."""
    low, high = inner_box(run)
    fraction = float(filled(run, low, high)[1].mean())
    around, fabric = Coordination().compute(run), Fabric().compute(run)
    weight = float(run.scene["body_mass"][run.scene["body_big"] == 0].sum())
    load = -float(run.series["box.force_z"][-1]) / weight
    return [
        Quantity("packing fraction", fraction, note="a grain away from walls, floor and surface"),
        Quantity("neighbours per grain", around.mean, note=f"walls count; {around.rattlers.size} of {p.grains} carry nothing"),
        Quantity("contacts per grain", around.mean_contacts, note="feature pairs: face on face has several"),
        Quantity(
            "vertical part of the fabric",
            float(fabric.tensor[2, 2]),
            note=f"⟨n_z²⟩ of contacts between grains, 1/3 if all ways are alike; anisotropy {fabric.anisotropy:.2f}",
        ),
        near("load on the box / weight", load, 1.0, CARRIED, "at the end"),
        below("unbalanced force", float(run.series["unbalanced_force"][-1]), BALANCED, "our bar for a packing at rest"),
        below("energy error", run.book.energy_error, BAR, "our bar; of the whole fall"),
        Quantity("deepest overlap / sphero-radius", float(run.series["overlap_share"].max()), note="at samples, in the fall"),
    ]


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Packing3DOfShapes, run: Run, folder: Path) -> Sequence[Path]:
    """The fall; density with height, neighbours, and where the energy went."""
    import matplotlib.pyplot as plt

    name = "grains of soil" if p.shape == "soil" else plural(p.shape)
    last = len(run.frames) - 1
    paths = picture_of_run(run, [0, last // 4, last], folder / "packing-3d.png")
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    draw_profile(left, run)
    left.set_title(f"packing-3d: {p.grains} {name}")
    Coordination().compute(run).plot(middle)
    draw_fall(right, run.book)
    paths.append(save_figure(figure, folder / "rest.png"))
    return paths


def draw_profile(axes: Axes, run: Run) -> None:
    """How dense the heap lies at each height."""
    low, high = inner_box(run)
    bottom, top = WALL, float(run.frames[-1].positions[run.scene["body_big"] == 0, 2].max())
    points, inside = filled(run, np.array([*low[:2], bottom]), np.array([*high[:2], top]))
    edges = np.linspace(bottom, top, BINS + 1)
    slab = np.clip(np.digitize(points[:, 2], edges) - 1, 0, BINS - 1)
    profile = np.bincount(slab, weights=inside, minlength=BINS) / np.bincount(slab, minlength=BINS)
    axes.plot(profile, 0.5 * (edges[1:] + edges[:-1]), "o-")
    axes.axhspan(low[2], high[2], color="0.92", lw=0, label="where the fraction is taken")
    axes.set(xlabel="packing fraction", ylabel="height [d]", xlim=(0.0, 1.0))
    axes.legend(loc="center left")


def draw_fall(axes: Axes, book: Book) -> None:
    """What became of the energy of the height that grains have lost."""
    axes.plot(book.time, book["gravitational"][0] - book["gravitational"], "k", lw=1, label="lost height")
    axes.plot(book.time, book.kinetic, label="kinetic")
    for account in ("heat_sliding", "heat_viscous", "heat_drag"):
        axes.plot(book.time, book[account], label=account.replace("heat_", "heat: "))
    axes.set(xlabel="time [√(d/g)]", ylabel="energy [mgd]", xlim=(0.0, book.time[-1]), title="where the energy went")
    axes.legend(loc="center right")


EXPERIMENT = Experiment(
    name="packing-3d",
    paper="GM09 eq 13, PRE10",
    title="how densely solids lie when poured into a box",
    claim="forces balance, the box carries the weight, and the energy book of the fall closes",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Packing3DOfShapes,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
