"""A disc of bonded grains is pressed between two plates until it splits: the Brazilian test of tensile strength.

A disc of Voronoi grains, glued along all sides of the cells, and a strip of the same grains and the same glue. In a disc of
diameter D under a load P (per depth) an elastic body is pulled by σ = 2P/πD across the loaded diameter, everywhere along it; in
the middle it is pressed by 3σ along it. The strip is simply pulled: that is the strength of the material, and nothing of the
glue's own strength is taken for it. Both have cracked when broken bonds that hang together are D/4 long: bonds that crumble
under the plates are no crack. Judged are the strength by the formula beside that of the strip, the place of the crack beside the
loaded diameter, and the stress in the middle beside the formula, the means of all samples within a tenth.

Bonds hang together if they have a grain in common, and that decides: along the loaded diameter grains part side by side first,
one here and one there, and only then in a row. The loads at half that length and at the first broken bond are printed beside it.

With sides of the cells for faces, distances of the sites for lengths and equal stiffness along and across, the stress in a
Voronoi sample under uniform strain is uniform to rounding (the rigid-body-spring networks of Bolander and Saito, 1998; ν = 0).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.errors import InputError
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.glued import disc_of_grains, strip_of_grains
from clast.experiments.shared.numbers import below, mean_error, merit_of_tests, near, with_error
from clast.laws import Linear
from clast.measures.book import Book
from clast.measures.breakage import Crack, crack_among
from clast.measures.snapshots.accounts import accounts
from clast.output.figures.bonds import draw_faces, usual_force
from clast.output.figures.plane import draw_bodies, save_figure, scene_outlines
from clast.output.store.reader import Run, StudyTable
from clast.scene.bonds import Bond
from clast.scene.plane import Scene
from clast.scene.tags import Velocity
from clast.shapes import polyline

ALIKE = 0.1  # of the closed form, by which means may differ; of D, how far a crack may lie from the loaded diameter
LONG, SHORT = 0.25, 0.125  # of D: a crack, and one that is looked at beside it
SPLIT, SPENT = 0.8, 0.5  # the test ends when a crack is so long, of D, or the load is that part of the largest
MIDDLE = 0.5  # of the radius: where the stress in the middle is taken
ELASTIC = (0.25, 0.6)  # of the load at the crack: where it is compared with the closed form
PLATE, EVERY = 0.5, 100  # radius by which plates are rounded; steps between samples
JAW, CORNERS = np.radians(25.0), 101  # half the angle that a curved plate spans; its corners
BAR = 1e-4  # of the energy error


class Brazilian(Parameters):
    """Grains of mean size 1 and density 1."""

    samples: int = parameter(4, "discs, and strips, with seeds from --seed on", "", ge=1)
    diameter: float = parameter(20.0, "diameter of the disc; a strip is as long and half as wide", "grains", ge=8)
    young: float = parameter(1e4, "stiffness of the glue, as Young's modulus", "stress", gt=0)
    strength: float = parameter(10.0, "tensile strength of the glue", "stress", gt=0)
    shear: float = parameter(10.0, "its shear strength", "tensile strengths", gt=0)
    friction: float = parameter(0.5, "by how much pressure adds to the shear strength", "", ge=0)
    bending: float = parameter(0.0, "how much of the bending counts for breaking", "", ge=0, le=1)
    damping: float = parameter(0.2, "of the critical damping of two grains", "", ge=0)
    jaws: float = parameter(0.0, "radius of the plates, 0 for flat ones; 1.5 is that of the ISRM", "radii of the disc", ge=0)
    speed: float = parameter(2e-4, "of each plate, over that of sound", "", gt=0)


SIZES: Sizes = {"quick": {}, "full": {"diameter": 40.0, "samples": 8}}
VARIANTS: Variants = {"quick": [{}], "full": [{}, {"jaws": 1.5}]}


def glue_of(p: Brazilian) -> Bond:
    """What the grains are held together by."""
    return Bond(
        young=p.young, tensile_strength=p.strength, shear_strength=p.shear * p.strength, friction=p.friction,
        bending_share=p.bending, damping=p.damping,
    )  # fmt: skip


def disc(p: Brazilian, seed: int) -> Scene:
    """A disc between two plates that come together; no friction but that of the glue."""
    if 0.0 < p.jaws <= 1.0:
        raise InputError(f"brazilian: --jaws {p.jaws}: curved plates are wider than the disc, above 1; flat ones are 0")
    scene = disc_of_grains(p.diameter, seed, glue_of(p), Linear(p.young))
    outline = np.concatenate([body.turned_vertices() + np.array(body.position) for body in scene.bodies])
    speed, rounded = p.speed * p.young**0.5, scene.bodies[0].shape.radius
    for name, side in (("top", 1.0), ("bottom", -1.0)):
        seen = outline * np.array([1.0, side])
        plate = polyline(plate_over(p, seen, rounded) * np.array([1.0, side]), PLATE)
        scene.add_wall(plate, name=name, tags=[Velocity(x=0.0, y=-side * speed, spin=0.0)])
    return scene


def plate_over(p: Brazilian, outline: np.ndarray, rounded: float) -> np.ndarray:
    """Corners (k, 2) of the plate that just touches from above; `outline` (n, 2) are corners of grains rounded by `rounded`."""
    radius = 0.5 * p.diameter
    if p.jaws == 0.0:
        height = float(outline[:, 1].max()) + rounded + PLATE
        return np.array([(-radius, height), (radius, height)])
    inner = p.jaws * radius
    x, y = outline[(np.abs(outline[:, 0]) < (inner + PLATE) * np.sin(JAW)) & (outline[:, 1] > 0.0)].T
    reach = (inner - rounded) ** 2 - x**2
    centre = float((y - np.sqrt(reach)).max())  # of the arc: as low as grains let it
    turn = np.linspace(-JAW, JAW, CORNERS)
    return (inner + PLATE) * np.stack([np.sin(turn), np.cos(turn)], axis=1) + np.array([0.0, centre])


def strip(p: Brazilian, seed: int) -> Scene:
    """A strip whose ends are pulled apart along x as if the whole were strained evenly: nothing is concentrated at its ends."""
    scene = strip_of_grains(p.diameter, 0.5 * p.diameter, seed, glue_of(p), Linear(p.young))
    for k, body in enumerate(scene.bodies):
        pulled = 2.0 * p.speed * p.young**0.5 * body.position[0] / p.diameter
        body.velocity = (pulled, 0.0)
        if abs(body.position[0]) > 0.5 * p.diameter - 1.0:
            scene.tag(k, Velocity(x=pulled))
    return scene


# --- a test ----------------------------------------------------------------------------------------------------------


class Tested(NamedTuple):
    """A sample that was tested: its curve, and pictures of it before the crack and at the end."""

    curve: dict[str, np.ndarray]
    before: dict[str, np.ndarray]
    after: dict[str, np.ndarray]


def tested(scene: Scene, p: Brazilian, load_of: Callable[[Engine, Snapshot], float], threads: int | str) -> Tested:
    """Load a sample until it has cracked and bears little, or is cracked all through."""
    engine = Engine(scene, threads=threads)
    middle = in_the_middle(scene, MIDDLE * 0.5 * p.diameter)
    rows: list[dict[str, float]] = []
    books: list[dict[str, float]] = []
    places = engine.snapshot().bonds.points  # type: ignore[union-attr]
    before, crack, most = seen_of(engine.snapshot()), None, 0.0
    while True:
        snapshot = engine.snapshot()
        bonds = snapshot.bonds
        assert bonds is not None
        load = load_of(engine, snapshot)
        most = max(most, load)
        stress = stress_of(snapshot, middle)
        broken = int(np.count_nonzero(~bonds.holding))
        rows.append({"step": engine.step, "time": engine.time, "load": load, "broken": broken, **stress})
        books.append(accounts(engine, snapshot))
        crack = crack or crack_of(bonds, places, LONG * p.diameter)
        if crack is None:
            before = seen_of(snapshot)
        elif load < SPENT * most or crack_of(bonds, places, SPLIT * p.diameter) is not None:
            break
        engine.advance(engine.step + EVERY)
    curve = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    book = Book(curve["time"], {name: np.array([row[name] for row in books]) for name in books[0]})
    short = crack_of(bonds, places, SHORT * p.diameter)
    assert short is not None
    found: dict[str, float] = {
        "crack_step": crack.step,
        "crack_x": crack.middle[0],
        "crack_y": crack.middle[1],
        "energy_error": book.energy_error,
    }
    found["short_step"] = short.step
    found["first_step"] = int(bonds.broken_steps[~bonds.holding].min())
    found["closed_xx"], found["closed_yy"] = closed_form(scene.bodies.column("position")[middle], p.diameter)
    curve |= {name: np.full(len(rows), value) for name, value in found.items()}
    after = seen_of(snapshot) | {"of_crack": np.isin(np.arange(len(places)), crack.bonds)}
    return Tested(curve, before, after)


def crack_of(bonds: Any, places: np.ndarray, length: float) -> Crack | None:
    """The first crack of a length among the bonds of a snapshot; `places` (m, 2) are where they were at the start."""
    order = np.argsort(bonds.broken_steps, kind="stable")[np.count_nonzero(bonds.holding) :]
    return crack_among(order, bonds.broken_steps[order], bonds.bodies[order], places[order], length)


def in_the_middle(scene: Scene, radius: float) -> np.ndarray:
    """Which grains (n,) lie within a circle about the origin."""
    places = scene.bodies.column("position")
    return np.asarray((np.hypot(*places.T) < radius) & ~scene.bodies.column("big"))


def stress_of(snapshot: Snapshot, grains: np.ndarray) -> dict[str, float]:
    """Mean stress in some grains, pulling positive: Σ f ⊗ arm over their bonds and the area of their cells (density 1)."""
    bonds, total = snapshot.bonds, np.zeros((2, 2))
    assert bonds is not None
    for ids, arms, sign in ((bonds.bodies[:, 0], bonds.first_arms, 1.0), (bonds.bodies[:, 1], bonds.second_arms, -1.0)):
        mine = grains[ids]
        total += sign * bonds.forces[mine].T @ arms[mine]
    total /= float((1.0 / snapshot.inverse_masses[grains]).sum())
    return {"stress_xx": float(total[0, 0]), "stress_yy": float(total[1, 1])}


def seen_of(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """Bonds for a picture."""
    bonds = snapshot.bonds
    assert bonds is not None
    pulls = (bonds.forces * bonds.normals).sum(axis=1)
    x, y = bonds.points.T
    return {"x": x, "y": y, "nx": bonds.normals[:, 0], "ny": bonds.normals[:, 1], "pull": pulls, "holds": bonds.holding}


def load_on_plates(engine: Engine, snapshot: Snapshot) -> float:
    """Mean of the forces with which the plates press."""
    contacts, total = snapshot.contacts, 0.0
    for name, side in (("top", 1.0), ("bottom", -1.0)):
        (plate,) = engine.scene.ids(name)
        total += 0.5 * side * float(contacts.forces[contacts.first == plate, 1].sum())
        total -= 0.5 * side * float(contacts.forces[contacts.second == plate, 1].sum())
    return total


def load_on_ends(engine: Engine, snapshot: Snapshot) -> float:
    """Mean of the forces that pull both ends of a strip: what bonds hold its driven grains back by."""
    bonds, ends = snapshot.bonds, snapshot.held[:, 0]
    assert bonds is not None
    first, second = ends[bonds.bodies].T
    across = first != second
    return 0.5 * float(np.abs(bonds.forces[across, 0]).sum()) if across.any() else 0.0


def press_disc(p: Brazilian, seed: int, threads: int | str) -> Tested:
    """Press a disc."""
    return tested(disc(p, seed), p, load_on_plates, threads)


def pull_strip(p: Brazilian, seed: int, threads: int | str) -> Columns:
    """Pull a strip."""
    return tested(strip(p, seed), p, load_on_ends, threads).curve


def part_of(made: Callable[[], Tested], name: str) -> Columns:
    """One of the tables of a test, which is done once."""
    found: Columns = getattr(made(), name)
    return found


def tables(p: Brazilian, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """The curve of every test; of the first disc its bonds before the crack and at the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for seed in range(p.seed, p.seed + p.samples):
        made = cache(partial(press_disc, p, seed, threads))
        wanted[f"disc, seed {seed}"] = partial(part_of, made, "curve")
        if seed == p.seed:
            wanted |= {f"disc, seed {seed}: {when}": partial(part_of, made, when) for when in ("before", "after")}
        wanted[f"strip, seed {seed}"] = partial(pull_strip, p, seed, threads)
    return wanted


# --- what is read off ------------------------------------------------------------------------------------------------


def tests_of(p: Brazilian, run: Run, what: str) -> list[StudyTable]:
    """The curves of all discs or strips."""
    return [run.tables[f"{what}, seed {seed}"] for seed in range(p.seed, p.seed + p.samples)]


def stresses(p: Brazilian, test: Mapping[str, np.ndarray], what: str) -> np.ndarray:
    """2P/πD of a disc, the load over the width of a strip (k,)."""
    return test["load"] * (2.0 / (np.pi * p.diameter) if what == "disc" else 2.0 / p.diameter)


def strength(p: Brazilian, test: Mapping[str, np.ndarray], what: str, until: str = "crack_step") -> float:
    """Largest stress until the crack."""
    return float(stresses(p, test, what)[test["step"] <= test[until][0]].max())


def in_the_disc(p: Brazilian, test: Mapping[str, np.ndarray], name: str) -> float:
    """Stress in the middle over the closed form, from loads at which nothing has cracked."""
    stress, cracked = stresses(p, test, "disc"), strength(p, test, "disc")
    chosen = (stress > ELASTIC[0] * cracked) & (stress < ELASTIC[1] * cracked) & (test["step"] <= test["first_step"][0])
    if not chosen.any():
        return float("nan")
    slope = np.sum(test[f"stress_{name}"][chosen] * stress[chosen]) / np.sum(stress[chosen] ** 2)
    return float(slope / test[f"closed_{name}"][0])


def closed_form(places: np.ndarray, diameter: float) -> tuple[float, float]:
    """σ_xx and σ_yy of an elastic disc pressed at both ends of the y axis, over 2P/πD, pulling positive: mean over places (n, 2)
    (Timoshenko and Goodier, Theory of Elasticity, §41)."""
    x, y = (2.0 * places / diameter).T
    above, below_it = x**2 + (1.0 - y) ** 2, x**2 + (1.0 + y) ** 2
    across = 1.0 - 2.0 * x**2 * ((1.0 - y) / above**2 + (1.0 + y) / below_it**2)
    along = 1.0 - 2.0 * ((1.0 - y) ** 3 / above**2 + (1.0 + y) ** 3 / below_it**2)
    return float(across.mean()), float(along.mean())


def evaluate(p: Brazilian, run: Run) -> Sequence[Quantity]:
    """Strengths, the place of the crack, the stress in the middle, the book."""
    discs, strips = tests_of(p, run, "disc"), tests_of(p, run, "strip")
    found = {what: np.array([strength(p, each, what) for each in tests]) for what, tests in (("disc", discs), ("strip", strips))}
    (of_disc, error), (of_strip, strip_error) = (mean_error(found[what]) for what in ("disc", "strip"))
    aside = mean_error([abs(each["crack_x"][0]) / p.diameter for each in discs])
    along = mean_error([abs(each["crack_y"][0]) / p.diameter for each in discs])
    across, down = (mean_error([in_the_disc(p, each, name) for each in discs]) for name in ("xx", "yy"))
    shorter = mean_error([strength(p, each, "disc", "short_step") for each in discs])
    begins = mean_error([strength(p, each, "disc", "first_step") for each in discs])
    both = f"{with_error(of_disc, error)} and {with_error(of_strip, strip_error)}, {p.samples} samples; the glue's {p.strength:g}"
    worst = max(float(each["energy_error"][0]) for each in [*discs, *strips])
    return [
        near("strength of the disc, 2P/πD / that of the strip", of_disc / of_strip, 1.0, ALIKE, both),
        below("crack from the loaded diameter / D", aside[0], ALIKE, f"along it {with_error(*along)} from the middle"),
        near("σ across in the middle / closed form", across[0], 1.0, ALIKE, f"{with_error(*across)}, before anything breaks"),
        near("σ along in the middle / closed form", down[0], 1.0, ALIKE, with_error(*down)),
        Quantity("2P/πD at a crack of D/8 / strength of the strip", shorter[0] / of_strip, note=with_error(*shorter)),
        Quantity("2P/πD at the first broken bond / strength of the strip", begins[0] / of_strip, note="under the plates"),
        below("energy error", worst, BAR, "worst of all tests"),
    ]


def merit(p: Brazilian, run: Run) -> Merit:
    """Grains of a disc, steps of all tests, the worst book."""
    tests = [each for what in ("disc", "strip") for each in tests_of(p, run, what)]
    return merit_of_tests(round(0.25 * np.pi * p.diameter**2), tests)


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Brazilian, run: Run, folder: Path) -> Sequence[Path]:
    """Bonds of a disc before it cracks and when it has; loads of all tests, and where the discs cracked."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(13.0, 6.4), layout="constrained")
    scene, most = disc(p, p.seed), usual_force(run.tables[f"disc, seed {p.seed}: before"]["pull"])
    for axes, when, title in zip(panels, ("before", "after"), ("before the crack", "after it"), strict=True):
        shown = draw_disc(axes, scene, run.tables[f"disc, seed {p.seed}: {when}"], most, title)
    figure.colorbar(shown, ax=panels, label="force across the bond, pulling positive", shrink=0.8)
    paths = [save_figure(figure, folder / "brazilian.png")]

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 5.0), layout="constrained")
    draw_loads(left, p, run)
    draw_cracks(right, p, run)
    paths.append(save_figure(figure, folder / "strength.png"))
    return paths


def draw_disc(axes: Any, scene: Scene, bonds: Mapping[str, np.ndarray], most: float, title: str) -> Any:
    """The faces between the grains, by force, `most` in the deepest colours, on the disc as it was at the start."""
    grains = np.flatnonzero(~scene.bodies.column("big"))
    places, angles = scene.bodies.column("position"), scene.bodies.column("angle")
    draw_bodies(axes, scene_outlines(scene), grains, places, angles, facecolor="0.93", edgecolor="0.85")
    points, normals = (np.stack([bonds[a], bonds[b]], axis=1) for a, b in (("x", "y"), ("nx", "ny")))
    shown = draw_faces(axes, points, normals, scene.bonds.width, bonds["pull"], bonds["holds"] != 0, most)
    axes.set(aspect="equal", title=title, xlabel="x [grains]")
    axes.autoscale_view()
    return shown


def draw_loads(axes: Any, p: Brazilian, run: Run) -> None:
    """Stress of every test against time, and where it cracked."""
    for what, colour in (("disc", "C0"), ("strip", "C1")):
        for k, test in enumerate(tests_of(p, run, what)):
            stress = stresses(p, test, what)
            axes.plot(test["time"], stress / p.strength, color=colour, lw=0.9, label={0: what}.get(k))
            at = int(np.searchsorted(test["step"], test["crack_step"][0])) - 1
            axes.plot(test["time"][at], strength(p, test, what) / p.strength, "o", color=colour, ms=4)
    axes.axhline(1.0, color="0.6", lw=0.8, ls="--", label="strength of the glue")
    axes.set(xlabel="time", ylabel="2P/πD, and pull of the strip / strength of the glue", ylim=(0.0, None))
    axes.legend()


def draw_cracks(axes: Any, p: Brazilian, run: Run) -> None:
    """Middles of the first cracks in the discs."""
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(0.5 * np.cos(turn), 0.5 * np.sin(turn), "k", lw=0.8)
    axes.axvspan(-ALIKE, ALIKE, color="0.93", zorder=0, label="a tenth of D from the loaded diameter")
    discs = tests_of(p, run, "disc")
    places = np.array([(each["crack_x"][0], each["crack_y"][0]) for each in discs]) / p.diameter
    axes.plot(*places.T, "o", color="C0", label="middle of the first crack")
    axes.set(aspect="equal", xlabel="x / D", ylabel="y / D")
    axes.legend(loc="upper right", fontsize=8)


EXPERIMENT = Study(
    name="brazilian",
    paper="closed form",
    title="a disc of bonded grains splits under 2P/πD",
    claim="the strength of a pressed disc is that of a pulled strip, and it cracks along the loaded diameter",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Brazilian,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
