"""Solids flow out of a funnel, or jam: the flow against the width of the opening (EPL08 fig 6 in space; Beverloo's law).

A bin above a funnel of 45° is filled, its gate taken away, and grains are counted as they fall through the opening. In space
the flow of a full bin grows as W = C ρ√g (D − k d)^(5/2) (Beverloo, Leniger & van de Velde 1961; k ≈ 1.4 for spheres): what is
judged is the exponent with their k, from openings that flow. EPL08 did this in the plane; nothing is published by it for space.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from clast.dynamics.engine import Engine
from clast.errors import InputError, PhysicsError
from clast.experiments.experiment import Columns, Merit, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.hopper import flow_rate
from clast.experiments.shared.funnel import BEVERLOO, add_funnel, gate, layers
from clast.experiments.shared.space import (
    DIAMETER,
    Grain,
    GrainsInSpace,
    picture_of_scene,
    plural,
    scene_of_grains,
    stand,
    standing_room,
    step_of,
)
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.shapes.space.library import library_solid

STILL = 1e-3  # mgd: mean kinetic energy of a grain at which the bin is filled
LONGEST = 60.0  # √(d/g), for the filling
LOOK = 0.1  # √(d/g), between counts
QUIET = 4.0  # √(d/g) without a grain through the opening: jammed
BELOW = 6.0  # d under the opening, where grains are taken out
EXPONENT = 2.5  # of the flow in space
AGREES = 0.1  # of the exponent, or two counting errors
FEWEST = 3  # openings that flow, for a fit


class Hopper3D(GrainsInSpace):
    """Grains of volume 1, density 1, gravity 1. Widths are in D, the diameter of a ball of the grain's volume: 1.24."""

    shape: Grain = parameter("sphere", "shape of the grains")
    grains: int = parameter(1500, "number of grains", "", ge=50)
    smallest: float = parameter(3.0, "narrowest opening", "D", gt=1)
    largest: float = parameter(6.0, "widest opening", "D", gt=1)
    openings: int = parameter(5, "number of openings", "", ge=1)
    width: float = parameter(12.0, "width of the bin", "D", gt=2)
    until: float = parameter(15.0, "duration after opening", "√(d/g)", gt=0)


SIZES: Sizes = {
    "quick": {"grains": 400, "width": 9.0, "smallest": 4.0, "largest": 6.0, "openings": 3, "until": 8.0},
    "full": {},
}
VARIANTS: Variants = {
    "quick": [{"shape": "sphere"}],
    "full": [{"shape": "sphere"}, {"shape": "cube", "grains": 600, "width": 10.0}],
}


def openings_of(p: Hopper3D) -> list[float]:
    """Widths of the openings [D]; InputError where the bin is narrower than one."""
    widths = [float(each) for each in np.linspace(p.smallest, p.largest, p.openings)] if p.openings > 1 else [p.smallest]
    if max(widths) >= p.width:
        raise InputError(f"hopper-3d: --largest {p.largest} must be smaller than --width {p.width}, the width of the bin")
    return widths


def funnel(p: Hopper3D, opening: float, *, gated: bool) -> Scene3D:
    """Grains in level layers in the bin, then the funnel with the bin, then the gate if it is closed. Widths [D] are clear."""
    grain = library_solid(p.shape)
    scene = scene_of_grains(p, remove_below=-BELOW)
    places = layers(standing_room(grain), p.grains, opening, p.width)
    stand(scene, grain, places, p.seed)
    add_funnel(scene, opening, p.width, float(places[:, 2].max()))
    if gated:
        scene.add_wall(gate(opening), name="gate")
    return scene


# --- filling and flowing ---------------------------------------------------------------------------------------------


def filled(p: Hopper3D, opening: float, threads: int | str, device: str = "cpu") -> Engine:
    """The bin with its gate closed, when all lies still."""
    engine = Engine(funnel(p, opening, gated=True), dt=step_of(p), threads=threads, device=device)
    stretch = max(1, round(0.5 / engine.dt))
    slow = False
    while engine.time < LONGEST:
        engine.advance(engine.step + stretch)
        energy = sum(float(each[engine.free_ids].mean()) for each in engine.kinetic_energies)
        was_slow, slow = slow, energy < STILL
        if slow and was_slow:
            return engine
    raise PhysicsError(
        f"hopper-3d: grains still move after {LONGEST:g} √(d/g), mean kinetic energy {energy:.3g}; damp them more with --zeta"
    )


def opened(p: Hopper3D, opening: float, closed: Engine) -> Scene3D:
    """The same without the gate, grains where they came to lie, at rest, their contacts loaded as they were."""
    scene = funnel(p, opening, gated=False)
    scene.springs = closed.springs()
    grains = slice(p.grains)
    scene.bodies.put("position", closed.positions[grains], grains)
    scene.bodies.put("orientation", closed.orientations[grains], grains)
    return scene


def flow(p: Hopper3D, opening: float, threads: int | str, device: str = "cpu") -> tuple[Columns, Columns, Columns]:
    """A discharge: grains through the opening over time, the energy book, and where the bodies are at the start and the end."""
    closed = filled(p, opening, threads, device)
    engine = Engine(opened(p, opening, closed), dt=step_of(p), threads=threads, device=device)
    look, end = max(1, round(LOOK / engine.dt)), round(p.until / engine.dt)
    series: dict[str, list[float]] = {"time": [], "through": []}
    overlap, shots = 0.0, [places_of(engine, p.grains)]
    for step in [*range(0, end, look), end]:
        engine.advance(step)
        snapshot = engine.snapshot()
        series["time"].append(engine.time)
        above = snapshot.present & (snapshot.positions[:, 2] >= 0.0)
        series["through"].append(float(p.grains - np.count_nonzero(above[: p.grains])))
        contacts = snapshot.contacts
        overlap = max(overlap, float((2.0 * contacts.depths / contacts.reaches).max(initial=0.0)))
        for name, value in accounts(engine, snapshot).items():
            series.setdefault(name, []).append(value)
    shots.append(places_of(engine, p.grains))
    columns = {name: np.array(values) for name, values in series.items()}
    book = Book(columns["time"], columns)
    numbers = {
        "steps": closed.step + engine.step, "grain_steps": closed.grain_steps + engine.grain_steps, "filling": closed.time,
        "energy_error": book.energy_error, "overlap": overlap,
    }  # fmt: skip
    bodies = np.concatenate(shots)
    named = {name: bodies[:, k] for k, name in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz", "present"))}
    return {"time": columns["time"], "through": columns["through"]}, {k: np.array([v], float) for k, v in numbers.items()}, named


def places_of(engine: Engine, grains: int) -> np.ndarray:
    """Where the grains are (grains, 8): x, y, z, quaternion, and whether they are still followed."""
    return np.column_stack([engine.positions, engine.orientations, engine.present])[:grains]


def tables(p: Hopper3D, threads: int | str, device: str = "cpu") -> Mapping[str, Callable[[], Columns]]:
    """Three tables per opening: grains over time, numbers, and bodies."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for opening in openings_of(p):
        made = cache(partial(flow, p, opening, threads, device))
        for number, part in enumerate(("", ": numbers", ": bodies")):
            wanted[table_name(opening) + part] = partial(part_of, made, number)
    return wanted


def part_of(made: Callable[[], tuple[Columns, Columns, Columns]], number: int) -> Columns:
    """One of the tables of a discharge."""
    return made()[number]


def table_name(opening: float) -> str:
    """Name of the table of an opening."""
    return f"opening {opening:.4g}"


# --- judgement -------------------------------------------------------------------------------------------------------


def is_jammed(time: np.ndarray, through: np.ndarray, grains: int) -> bool:
    """Whether nobody came through in the last of the run while grains remain."""
    last = through[time >= time[-1] - QUIET * (1.0 + 1e-9)]
    return bool(through[-1] < grains and np.all(last == last[-1]))


def rates(p: Hopper3D, run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Openings [D], flow [grains/√(d/g)], and whether they jammed (k,)."""
    found = [run.tables[table_name(opening)] for opening in openings_of(p)]
    flows = [flow_rate(table["time"], table["through"], p.grains) for table in found]
    jams = [is_jammed(table["time"], table["through"], p.grains) for table in found]
    return np.array(openings_of(p)), np.array(flows), np.array(jams)


def beverloo(openings: np.ndarray, flows: np.ndarray, jams: np.ndarray) -> tuple[float, float, float]:
    """Exponent with k = 1.4, then k and C of W = C (D − k)^2.5, through the openings that flow; NaN with fewer than three."""
    good = np.isfinite(flows) & ~jams & (openings > BEVERLOO)
    if np.count_nonzero(good) < FEWEST:
        return math.nan, math.nan, math.nan
    exponent = float(np.polyfit(np.log(openings[good] - BEVERLOO), np.log(flows[good]), 1)[0])
    slope, offset = (float(each) for each in np.polyfit(openings[good], flows[good] ** (1.0 / EXPONENT), 1))
    return exponent, -offset / slope, slope**EXPONENT if slope > 0.0 else math.nan


def counting_error(openings: np.ndarray, through: np.ndarray, jams: np.ndarray) -> float:
    """What chance in the numbers of grains `through` (k,) makes of the exponent, if they came one by one: they come in bursts
    where it nearly jams, so it is more."""
    good = ~jams & (through > 0.0) & (openings > BEVERLOO)
    away = np.log(openings[good] - BEVERLOO)
    away = away - away.mean()
    return float(np.sqrt((away**2 / through[good]).sum()) / (away**2).sum())


def evaluate(p: Hopper3D, run: Run) -> Sequence[Quantity]:
    """Flow at each opening, jams, and Beverloo's law through those that flow."""
    openings, flows, jams = rates(p, run)
    exponent, k, factor = beverloo(openings, flows, jams)
    shown = [
        Quantity(
            f"flow at {opening:.3g} D",
            float(rate),
            "1/√(d/g)",
            note=f"{run.tables[table_name(opening)]['through'][-1]:.0f} of {p.grains} came out"
            + (", then it jammed" if jam else ""),
        )
        for opening, rate, jam in zip(openings.tolist(), flows, jams, strict=True)
    ]
    numbers = [run.tables[f"{table_name(opening)}: numbers"] for opening in openings.tolist()]
    close, note = None, f"of D − {BEVERLOO} d, k as Beverloo's for spheres"
    if math.isfinite(exponent):
        through = np.array([float(run.tables[table_name(opening)]["through"][-1]) for opening in openings.tolist()])
        error = counting_error(openings, through, jams)
        close = bool(abs(exponent - EXPONENT) <= max(AGREES * EXPONENT, 2.0 * error))
        note += f"; ± {error:.2g} by the numbers of grains, of which two are allowed"
    return [
        *shown,
        Quantity("openings that jammed", float(jams.sum()), note=f"nobody through in the last {QUIET:g} √(d/g)"),
        Quantity("exponent of the flow", exponent, "", EXPONENT, close, note),
        Quantity("k of Beverloo's law", k, note="with the exponent 5/2; 1.4 for spheres in a flat bottom, more for other shapes"),
        Quantity(
            "C of Beverloo's law",
            factor / DIAMETER**2.5,
            note="per density of a grain, not of the bed: 0.35 where C = 0.58 and the bed fills 0.6, and the opening is round",
        ),
        Quantity("largest energy error", max(float(each["energy_error"][0]) for each in numbers)),
        Quantity("deepest overlap / sphero-radius", max(float(each["overlap"][0]) for each in numbers), note="at counts"),
    ]


def merit(p: Hopper3D, run: Run) -> Merit:
    """Steps of all openings, filling too."""
    numbers = [run.tables[f"{table_name(opening)}: numbers"] for opening in openings_of(p)]
    error = max(float(each["energy_error"][0]) for each in numbers)
    steps = int(sum(float(each["steps"][0]) for each in numbers))
    counted = all("grain_steps" in each for each in numbers)  # not in runs of versions before
    stepped = int(sum(float(each["grain_steps"][0]) for each in numbers)) if counted else None
    return Merit(grains=p.grains, steps=steps, energy_error=error, grain_steps=stepped)


# --- pictures --------------------------------------------------------------------------------------------------------


def state_of(p: Hopper3D, run: Run, opening: float, shot: int) -> Scene3D:
    """The funnel with the grains that are still followed, when it was opened (0) or at the end (1)."""
    table = run.tables[f"{table_name(opening)}: bodies"]
    full, seen = funnel(p, opening, gated=False), scene_of_grains(p)
    rows = np.column_stack([table[name] for name in ("x", "y", "z", "qw", "qx", "qy", "qz", "present")])
    rows = rows[shot * p.grains : (shot + 1) * p.grains]
    rows = rows[rows[:, 7] != 0.0]
    seen.add_many(full.bodies[0].shape, rows[:, :3], orientations=rows[:, 3:7])
    seen.add_wall(full.bodies[-1].shape, name="funnel")
    return seen


def figures(p: Hopper3D, run: Run, folder: Path) -> Sequence[Path]:
    """The middle opening at the start and the end; grains over time, and the flow against the opening."""
    import matplotlib.pyplot as plt

    openings, _, jams = rates(p, run)
    shown = float(openings[len(openings) // 2])
    paths = []
    for shot, name in enumerate(("full", "flowing")):
        paths += picture_of_scene(state_of(p, run, shown, shot), folder / f"{name}.png")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for number, (opening, jam) in enumerate(zip(openings.tolist(), jams, strict=True)):
        table = run.tables[table_name(opening)]
        left.plot(table["time"], table["through"], f"C{number}", label=f"{opening:.3g} D" + (", jams" if jam else ""))
    left.set(xlabel="time after opening [√(d/g)]", ylabel="grains through the opening", xlim=(0.0, p.until), ylim=(0.0, None))
    left.set_title(f"hopper-3d: {p.grains} {plural(p.shape)}")
    left.legend()
    draw_flow(right, p, run)
    paths.append(save_figure(figure, folder / "flow.png"))
    return paths


def draw_flow(axes: Any, p: Hopper3D, run: Run) -> None:
    """The flow against the width of the opening, and Beverloo's law through it."""
    openings, flows, jams = rates(p, run)
    exponent, k, factor = beverloo(openings, flows, jams)
    axes.plot(openings[~jams], flows[~jams], "o", label="flow")
    if jams.any():
        axes.plot(openings[jams], np.nan_to_num(flows[jams]), "o", mfc="w", mec="C0", label="before it jammed")
    x = np.linspace(0.0, 1.1 * openings.max(), 200)
    if math.isfinite(factor):
        axes.plot(x, factor * np.maximum(x - k, 0.0) ** EXPONENT, "k", lw=1, label=f"C (D − {k:.2f})^2.5")
    title = f"exponent with k = {BEVERLOO}: {exponent:.2f}" if math.isfinite(exponent) else "too few openings flow for a fit"
    axes.set(xlabel="opening [D]", ylabel="grains per √(d/g)", xlim=(0.0, x[-1]), ylim=(0.0, None), title=title)
    axes.legend()


EXPERIMENT = Study(
    name="hopper-3d",
    paper="EPL08 fig 6",
    title="solids flow out of a funnel, or jam",
    claim="the flow grows as the opening less 1.4 grains to the power 5/2",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Hopper3D,
    tables=tables,
    on_gpu=True,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
