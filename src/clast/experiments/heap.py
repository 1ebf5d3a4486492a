"""A heap of polyhedra poured onto a floor, and how steep it stands (CSM10 §5, fig 15-16).

Grains with 12 random corners on an ellipsoid come in batches from just above the apex, fall, slide and lie still. The paper finds
an angle of repose of about 30° on a smooth floor, and quotes 22° for round grains from an experiment. Beside its polyhedra stand
balls of the same volumes, poured in the same way: on a smooth floor they roll away, so both are poured onto grains glued to a
floor with a rim as well.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.shared.numbers import below, mean_error
from clast.experiments.shared.space import picture_of_scene
from clast.laws.linear import Linear
from clast.laws.overlap_volume import OverlapVolume
from clast.measures.snapshots.repose import INNER, OUTER, base_radius, cone_angle, mean_and_error, repose, repose_projected
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.protocols.pour import Stream, pour
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed
from clast.scene.timed import Ramp
from clast.shapes.space.forms_sharp import ellipsoid_grain, floor_with_rim
from clast.shapes.space.make import cuboid, plate, sphere
from clast.shapes.space.solid import Solid

HALF_AXES = (8e-3, 7e-3, 6e-3)  # m, of the ellipsoid
CORNERS = 12
GRAVITY = 9.81  # m/s²
PATCH, GAP = 0.04, 0.01  # m: side of the square where grains start, height of it above the apex
AFTER, LONGEST = 0.5, 1.5  # s, after the last batch, and at most after that
DRAG, DRAGGED = 20.0, 1.0  # 1/s, and s after the last batch when it begins: grains on corners rock for long
LOOKS = 0.005  # s, between samples
SLOWEST = 1e-7  # J per grain at rest
STILL = 1e-8  # of the energy poured in: our bar for a heap at rest
BIN = 0.013  # m, of the profile
FLAT = math.tan(math.radians(18.0))  # slope and
LOOSE = 0.5  # filling of a heap that is wider than any we expect: for the size of the floor
APART = 0.012  # m, between glued grains
THICK = 0.02  # m, of floor and rim
BELOW = -0.05  # m, where grains that left the floor are taken out
PAPER, ROUND, AGREES = 30.0, 22.0, 2.0  # degrees: polyhedra, round grains as quoted, and how near we call near
MEETINGS, MEETING_SPEED = 40, 0.3  # pairs and m/s, for the contact time
SEEN = 1.6  # base radii from the axis, in pictures
ONE_SHOT = ("x", "y", "z", "qw", "qx", "qy", "qz", "present")


class Heap(Parameters):
    """SI units. A grain weighs about half a gram."""

    grains: int = parameter(1900, "number of grains in a heap", "", ge=10)
    heaps: int = parameter(1, "number of heaps of each kind, with seeds one after the other", "", ge=1)
    shape: Literal["polyhedron", "sphere", "both"] = parameter("polyhedron", "grains: polyhedra, balls of their volumes, or both")
    floor: Literal["smooth", "glued", "both"] = parameter("smooth", "floor: smooth, of glued grains with a rim, or both")
    batch: int = parameter(25, "grains that come together", "", ge=1)
    interval: float = parameter(0.1, "time between batches", "s", gt=0)
    young: float = parameter(6.5e7, "modulus Y", "N/m²", gt=0)
    density: float = parameter(1000.0, "density of the grains", "kg/m³", gt=0)
    friction: float = parameter(0.6, "friction μ of grains and floor", "", ge=0)
    tangential: float = parameter(2.0 / 7.0, "k_t over Y L/4, of balls over k_n", "", gt=0)
    zeta: float = parameter(0.3, "damping of contacts, of critical", "", ge=0, lt=1)
    dt: float = parameter(1e-5, "time step", "s", gt=0)
    integrator: Literal["verlet", "gear5"] = parameter("verlet", "verlet, or gear5 as in the paper: unstable with this damping")


SIZES: Sizes = {"quick": {"grains": 150}, "full": {}}
VARIANTS: Variants = {
    "quick": [{}],
    "full": [{"grains": 700, "heaps": 3, "shape": "both", "floor": "both"}, {}],
}


Kind = tuple[str, str, int]  # shape, floor, seed


def kinds_of(p: Heap) -> list[Kind]:
    """Every heap that is poured: shape, floor and seed."""
    shapes = ("polyhedron", "sphere") if p.shape == "both" else (p.shape,)
    floors = ("smooth", "glued") if p.floor == "both" else (p.floor,)
    return [(shape, floor, p.seed + k) for shape in shapes for floor in floors for k in range(p.heaps)]


def name_of(kind: Kind) -> str:
    """Name of the table of a heap."""
    shape, floor, seed = kind
    return f"{shape} {floor} {seed}"


def solids_of(p: Heap, shape: str, seed: int, count: int) -> list[Solid]:
    """Grains, all different: polyhedra, or balls of their volumes."""
    rng = np.random.default_rng(seed)
    grains = [ellipsoid_grain(HALF_AXES, CORNERS, rng) for _ in range(count)]
    return grains if shape == "polyhedron" else [sphere(volume_radius(grain.volume)) for grain in grains]


def volume_radius(volume: float) -> float:
    """Radius of a ball of that volume."""
    return (0.75 * volume / math.pi) ** (1.0 / 3.0)


def half_width(p: Heap, volume: float) -> float:
    """Half the side of the floor: as far as a flat, loose heap of grains of mean `volume` goes [m]."""
    return float((3.0 * p.grains * volume / (LOOSE * math.pi * FLAT)) ** (1.0 / 3.0)) + APART


def last_batch(p: Heap) -> float:
    """When it comes [s]."""
    return (math.ceil(p.grains / p.batch) - 1) * p.interval


# --- the scene -------------------------------------------------------------------------------------------------------


def scene_of(p: Heap, kind: Kind) -> Scene3D:
    """The floor, what is glued to it, and all grains in waiting places; grains come first."""
    shape, floor, seed = kind
    grains = solids_of(p, shape, seed, p.grains)
    volume = float(np.mean([grain.volume for grain in grains]))
    half = half_width(p, volume)
    scene = empty_scene(p, shape, volume)
    side, wait = math.ceil(p.grains ** (1.0 / 3.0)), 2.5 * max(HALF_AXES)
    k = np.arange(p.grains)
    waiting = np.stack([k % side * wait, k // side % side * wait, 1.0 + k // side**2 * wait], axis=1)  # they take no part there
    scene.add_many(grains, waiting, density=p.density, name="heap")
    if floor == "glued":
        glue(p, scene, shape, seed, half)
    for number, wall in enumerate(walls(shape, floor, half if floor == "glued" else 2.0 * half)):
        scene.add_wall(wall, name=f"floor {number}" if number else "floor")
    return scene


def empty_scene(p: Heap, shape: str, volume: float) -> Scene3D:
    """Law, gravity and the drag at the end; balls get the linear law with which two of them touch as long as two polyhedra do."""
    gravity, begin = (0.0, 0.0, -GRAVITY), last_batch(p) + DRAGGED
    drag = Ramp(0.0, DRAG, begin=begin, finish=begin + 0.2)
    if shape == "polyhedron":
        law = OverlapVolume(p.young, friction=p.friction, tangential=p.tangential, damping=p.zeta)
        return Scene3D(law=law, gravity=gravity, drag=drag, remove_below=BELOW)
    mass = p.density * volume
    stiffness = 0.5 * mass * (math.pi / contact_time(p)) ** 2
    laws = [
        Linear(stiffness, p.tangential * stiffness, p.friction, normal_damping=2.0 * p.zeta * math.sqrt(stiffness / reduced))
        for reduced in (0.5 * mass, mass)
    ]
    scene = Scene3D(law=laws[0], gravity=gravity, drag=drag, remove_below=BELOW)
    scene.set_law("grain", "wall", laws[1])
    return scene


def glue(p: Heap, scene: Scene3D, shape: str, seed: int, half: float) -> None:
    """Fixed grains side by side on the floor, in random orientations."""
    across, up = np.arange(-half, half, APART), np.arange(-half, half, APART * math.sqrt(0.75))
    places = [(x + 0.5 * APART * (k % 2), y) for k, y in enumerate(up) for x in across]
    solids = solids_of(p, shape, seed + 10_000, len(places))
    for (x, y), solid, turn in zip(places, solids, random_turns(np.random.default_rng(seed), len(places)), strict=True):
        scene.add(solid, (x, y, volume_radius(solid.volume)), orientation=turn, density=p.density, tags=(Fixed(),), name="glued")


def walls(shape: str, floor: str, half: float) -> list[Solid]:
    """The floor with its top at z = 0, on glued grains with a rim as high as a few grains."""
    high = 3.0 * max(HALF_AXES)
    if shape == "polyhedron":
        if floor == "glued":
            return [floor_with_rim((2.0 * half, 2.0 * half), high, THICK)]
        return [cuboid((2.0 * half, 2.0 * half, THICK), 0.0).moved((0.0, 0.0, -0.5 * THICK))]
    radius = 0.1 * THICK
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    found = [plate([(x, y, -radius) for x, y in corners], radius)]
    if floor == "glued":
        for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True):
            found.append(plate([(a, b, -THICK), (c, d, -THICK), (c, d, high), (a, b, high)], radius))
    return found


@cache
def contact_time(p: Heap) -> float:
    """How long two polyhedra touch when they meet: the median of some pairs in random orientations, smooth and undamped [s]."""
    rng = np.random.default_rng(p.seed)
    scene = Scene3D(law=OverlapVolume(p.young))
    turns = random_turns(rng, 2 * MEETINGS)
    for k in range(2 * MEETINGS):
        grain = ellipsoid_grain(HALF_AXES, CORNERS, rng)
        way = 1.0 if k % 2 else -1.0
        place = (way * 1.02 * max(HALF_AXES) * 1.2, 5.0 * max(HALF_AXES) * (k // 2), 0.0)
        scene.add(grain, place, orientation=turns[k], density=p.density, velocity=(-0.5 * way * MEETING_SPEED, 0.0, 0.0))
    engine = Engine(scene, dt=p.dt)
    touched = np.zeros(2 * MEETINGS)
    while engine.time < 3.0 * max(HALF_AXES) / MEETING_SPEED:
        engine.advance(engine.step + 1)
        touched[np.unique(engine.contacts().bodies)] += 1.0
    return float(np.median(touched[touched > 0.0])) * p.dt


# --- pouring ---------------------------------------------------------------------------------------------------------


def stream_of(p: Heap, seed: int) -> Stream:
    """The batches: grains in the order of their numbers."""
    return Stream(
        batches=[np.arange(first, min(first + p.batch, p.grains)) for first in range(0, p.grains, p.batch)],
        interval=p.interval, patch=PATCH, gap=GAP, after=AFTER, looks=LOOKS, still=STILL, slowest=SLOWEST, longest=LONGEST,
        seed=seed,
    )  # fmt: skip


def heap(p: Heap, kind: Kind, threads: int | str, device: str = "cpu") -> tuple[Columns, Columns, Columns]:
    """One heap: series over time, numbers, and where the bodies came to lie."""
    found = pour(scene_of(p, kind), stream_of(p, kind[2]), dt=p.dt, integrator=p.integrator, threads=threads, device=device)
    engine = found.engine
    numbers = {
        "at_rest": float(found.at_rest), "steps": float(engine.step), "grain_steps": float(engine.grain_steps),
        "seconds": engine.seconds, "energy_error": found.book.energy_error, "overlap": float(found.series["overlap_share"].max()),
    }  # fmt: skip
    named = dict(zip(ONE_SHOT, np.column_stack([engine.positions, engine.orientations, engine.present]).T, strict=True))
    return found.series, {name: np.array([value]) for name, value in numbers.items()}, named


def tables(p: Heap, threads: int | str, device: str = "cpu") -> Mapping[str, Callable[[], Columns]]:
    """Three tables per heap: the book over time, numbers, and bodies."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for kind in kinds_of(p):
        made = cache(partial(heap, p, kind, threads, device))
        for number, part in enumerate(("", ": numbers", ": bodies")):
            wanted[name_of(kind) + part] = partial(lambda made, number: made()[number], made, number)
    return wanted


# --- judgement -------------------------------------------------------------------------------------------------------


def grains_of(p: Heap, run: Run, kind: Kind) -> np.ndarray:
    """Centroids (n, 3) of the grains that are still on the floor."""
    table = run.tables[f"{name_of(kind)}: bodies"]
    places = np.column_stack([table[name] for name in ("x", "y", "z")])[: p.grains]
    return places[table["present"][: p.grains] != 0.0]


def grouped(p: Heap) -> dict[tuple[str, str], list[Kind]]:
    """Heaps of one shape on one floor, by these."""
    found: dict[tuple[str, str], list[Kind]] = {}
    for kind in kinds_of(p):
        found.setdefault(kind[:2], []).append(kind)
    return found


def evaluate(p: Heap, run: Run) -> Sequence[Quantity]:
    """The angle of repose of each kind of heap, beside the paper's, and whether the heaps came to rest."""
    shown: list[Quantity] = []
    angles: dict[tuple[str, str], float] = {}
    for (shape, floor), kinds in grouped(p).items():
        who = f"{'polyhedra' if shape == 'polyhedron' else 'balls'} on a {floor} floor"
        sectors = [repose(grains_of(p, run, kind), BIN) for kind in kinds]
        seen = [repose_projected(grains_of(p, run, kind), BIN) for kind in kinds]
        angle, error = mean_and_error(sectors)
        angles[shape, floor] = angle
        published = PAPER if shape == "polyhedron" else ROUND
        close = bool(abs(angle - published) <= AGREES) if shape == "polyhedron" and floor == "smooth" else None
        base = float(np.mean([each.base for each in sectors]))
        note = f"± {error:.2g}, {len(kinds)} heap{'s' if len(kinds) > 1 else ''}, eight sectors; base radius {1e3 * base:.0f} mm"
        shown.append(Quantity(f"angle of repose, {who}", angle, "°", published, close, note, error))
        there, spread = mean_and_error(seen)
        shown.append(
            Quantity(
                f"the same in projections, {who}", there, "°", note=f"± {spread:.2g}; as the paper looked at it", error=spread
            )
        )
        if floor == "smooth":  # glued grains lift it
            cone, varies = mean_error([cone_angle(grains_of(p, run, kind)) for kind in kinds])
            note = "which has the base radius and the mean height of the heap, foot and tip included"
            shown.append(Quantity(f"cone, {who}", cone, "°", note=note, error=varies))
        left = [p.grains - len(grains_of(p, run, kind)) for kind in kinds]
        if any(left):
            shown.append(Quantity(f"grains that left the floor, {who}", float(np.mean(left)), note="of a heap, on average"))
    for floor in ("smooth", "glued"):
        if {("polyhedron", floor), ("sphere", floor)} <= angles.keys():
            more = angles["polyhedron", floor] - angles["sphere", floor]
            note = "more than zero: shape makes heaps steeper"
            shown.append(
                Quantity(f"polyhedra steeper than balls, {floor} floor", more, "°", PAPER - ROUND, bool(more > 0.0), note)
            )
    return [*shown, *rest_of(p, run)]


def rest_of(p: Heap, run: Run) -> list[Quantity]:
    """Whether heaps of polyhedra lie still, and how well the book closes."""
    series = {kind: run.tables[name_of(kind)] for kind in kinds_of(p)}
    polyhedra = [each for (shape, *_), each in series.items() if shape == "polyhedron"]
    numbers = [run.tables[f"{name_of(kind)}: numbers"] for kind in series]
    found = []
    if polyhedra:
        slow = max(time_to_rest(p, each) for each in polyhedra)
        found.append(Quantity("slow after the last batch", slow, "s", note=f"kinetic energy below {SLOWEST:g} J per grain"))
        worst, note = (
            max(float(moving_share(each)[-1]) for each in polyhedra),
            f"our bar; {DRAGGED:g} s after the last a drag begins",
        )
        found.append(below("kinetic energy / poured in", worst, STILL, note))
    return [
        *found,
        Quantity("largest energy error", max(float(each["energy_error"][0]) for each in numbers)),
        Quantity("deepest overlap / mean radius", max(float(each["overlap"][0]) for each in numbers), note="at samples"),
    ]


def time_to_rest(p: Heap, series: Mapping[str, np.ndarray]) -> float:
    """From the last batch to when the kinetic energy stays below 1e-7 J per grain [s]; NaN where it does not."""
    quick = np.flatnonzero(series["translational"] + series["rotational"] > SLOWEST * series["grains"])
    after = int(quick[-1]) + 1 if quick.size else 0
    return float(series["time"][after]) - last_batch(p) if after < len(series["time"]) else math.nan


def moving_share(series: Mapping[str, np.ndarray]) -> np.ndarray:
    """Kinetic energy over what was poured in; without that of grains which spin on the spot (see `clast.protocols.pour`)."""
    kinetic = series["translational"] + series["rotational"] - series["spinning"]
    return np.asarray(kinetic / np.maximum(series["brought"], 1e-300))


def merit(p: Heap, run: Run) -> Merit:
    """Steps of all heaps; the Cundall number counts grains that are there."""
    numbers = [run.tables[f"{name_of(kind)}: numbers"] for kind in kinds_of(p)]
    total = {name: sum(float(each[name][0]) for each in numbers) for name in ("steps", "grain_steps", "seconds")}
    error = max(float(each["energy_error"][0]) for each in numbers)
    return Merit(p.grains, int(total["steps"]), total["grain_steps"] / total["seconds"], error)


# --- pictures --------------------------------------------------------------------------------------------------------


def state_of(p: Heap, run: Run, kind: Kind) -> Scene3D:
    """The heap as it came to lie, on a piece of floor that is a little wider; what lies outside is left out."""
    table = run.tables[f"{name_of(kind)}: bodies"]
    full = scene_of(p, kind)
    seen = Scene3D(law=full.default_law)
    far = SEEN * base_radius(grains_of(p, run, kind))
    rows = np.column_stack([table[name] for name in ONE_SHOT])
    shown = np.flatnonzero((rows[:, 7] != 0.0) & ~full.bodies.column("big") & (np.abs(rows[:, :2]).max(axis=1) < far))
    shapes, names = (full.bodies.objects(name, shown) for name in ("shape", "name"))
    seen.add_many(shapes, rows[shown, :3], orientations=rows[shown, 3:7], name=names)
    seen.add_wall(walls(kind[0], "smooth", far)[0], name="floor")
    return seen


def figures(p: Heap, run: Run, folder: Path) -> Sequence[Path]:
    """The first heap of each kind; profiles with their lines, projections as in the paper, and how it came to rest."""
    import matplotlib.pyplot as plt

    paths: list[Path] = []
    groups = grouped(p)
    for (shape, floor), kinds in groups.items():
        paths += picture_of_scene(state_of(p, run, kinds[0]), folder / f"heap-{shape}-{floor}.png")
        paths.append(profile_figure(p, run, kinds, folder / f"profile-{shape}-{floor}.png"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for number, ((shape, floor), kinds) in enumerate(groups.items()):
        for k, kind in enumerate(kinds):
            table = run.tables[name_of(kind)]
            look = {"color": f"C{number}", "lw": 1, "label": f"{shape}, {floor} floor" if k == 0 else None}
            since = np.rint(table["time"] / LOOKS) % max(1, round(p.interval / LOOKS)) * LOOKS  # a new batch is no apex
            landed = since > 0.7 * p.interval
            left.plot(table["time"][landed], 1e3 * table["apex"][landed], **look)
            right.semilogy(table["time"], moving_share(table), **look)
    left.set(xlabel="time [s]", ylabel="apex [mm]", title=f"heaps of {p.grains} grains grow", ylim=(0.0, None))
    right.axhline(STILL, color="k", lw=0.8, ls=":", label="at rest")
    right.set(xlabel="time [s]", ylabel="kinetic energy / poured in", title="and come to rest")
    right.legend()
    paths.append(save_figure(figure, folder / "rest.png"))
    return paths


def profile_figure(p: Heap, run: Run, kinds: Sequence[Kind], path: Path) -> Path:
    """Profiles of the first heap, sector by sector and as projected; lines where they were laid."""
    import matplotlib.pyplot as plt

    places = grains_of(p, run, kinds[0])
    sectors, seen = repose(places, BIN), repose_projected(places, BIN)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", sharey=True)
    x = np.array([INNER, OUTER]) * sectors.base
    sectors.plot(left, 1e3)
    left.set(xlabel="distance from the axis [mm]", ylabel="highest centroid [mm]")
    right.plot(1e3 * places[:, 0], 1e3 * places[:, 2], ".", ms=2, color="0.6", label="centroids")
    for flank, sign in zip(seen.flanks[:2], (1.0, -1.0), strict=True):
        right.plot(sign * 1e3 * x, 1e3 * (flank.top - flank.slope * x), "C3", lw=1.5, label=f"{flank.angle:.1f}°")
    right.set(xlabel="x [mm]", xlim=(-1.4e3 * sectors.base, 1.4e3 * sectors.base), ylim=(0.0, None))
    right.set_title(f"into y = 0; three projections: {seen.mean:.1f} ± {seen.error:.1f}°")
    right.legend()
    figure.suptitle(f"heap: {len(places)} {'polyhedra' if kinds[0][0] == 'polyhedron' else 'balls'}, {kinds[0][1]} floor")
    return save_figure(figure, path)


EXPERIMENT = Study(
    name="heap",
    paper="CSM10 fig 15-16",
    title="a heap of polyhedra, and how steep it stands",
    claim="polyhedra stand at about 30°, round grains at 22°",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Heap,
    tables=tables,
    on_gpu=True,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
