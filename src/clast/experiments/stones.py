"""Stones that are not convex leave a bin through a funnel, as many as a GPU can follow (outlook of EPL08 and GM09).

Stones fall into a closed bin through something thick that is then taken away, the gate drops faster than they do, and they are
counted as they come through the opening.
Sand in an hour-glass runs evenly whatever stands above it (walls carry the rest of the weight), and that is judged: the flow of
the second third of the stones beside that of the first. Beverloo's law is printed beside the flow; it is for grains that are
nearly round and a bin with a flat bottom. At full size there are a hundred thousand, which want a GPU (`--device cuda`).
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine, Snapshot
from clast.errors import InputError
from clast.experiments.experiment import Experiment, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.funnel import BEVERLOO, WALL, add_funnel, gate, layers
from clast.experiments.shared.numbers import below
from clast.experiments.shared.space import (
    DIAMETER,
    GAP,
    Grain,
    GrainsInSpace,
    picture_of_run,
    plural,
    scene_of_grains,
    step_of,
)
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.scene.timed import Table
from clast.shapes.space.library import library_solid

SLOWED = 0.3  # √(g/d), the drag in which stones fall into the bin: they come down with 3 √(gd), however high it is
LYING = 0.8  # of the time until the gate drops; then the drag fades
DROP = 3.0  # times gravity, with which the gate falls
FAR = 12.0  # d, by which it falls
BELOW = 9.0  # d under the opening, where stones are taken out
FILLED = 0.55  # of the bin that a bed of stones takes, about: only to choose where its top is looked for
EVEN = 0.1  # of the flow, by which its two parts may differ
BAR = 1e-3  # of the energy error
C = 0.58  # of Beverloo's law, with a flat bottom
BANDS = 8  # of height at the opening, in colours


class Stones(GrainsInSpace):
    """Stones of volume 1, density 1, gravity 1. Widths are in D, the diameter of a ball of a stone's volume: 1.24."""

    shape: Grain = parameter("l-block", "shape of the stones")
    grains: int = parameter(100_000, "number of stones", "", ge=50)
    opening: float = parameter(15.0, "width of the opening", "D", gt=1)
    width: float = parameter(60.0, "width of the bin", "D", gt=2)
    opens: float = parameter(50.0, "when the gate drops", "√(d/g)", gt=0)
    until: float = parameter(300.0, "duration", "√(d/g)", gt=0)
    stiffness: float = parameter(3e4, "normal stiffness k_n", "mg/d", gt=0)
    frames: int = parameter(60, "pictures that are kept, 10 MB each for 100 000 stones", "", ge=2)


SIZES: Sizes = {
    "quick": {"grains": 300, "opening": 6.0, "width": 8.0, "opens": 16.0, "until": 34.0, "stiffness": 2e4},
    "full": {},
}
VARIANTS: Variants = {"quick": [{}], "full": []}  # a hundred thousand are hours for a core: not part of a reproduction


def build(p: Stones) -> Scene3D:
    """Stones in random orientations in the bin, none touching another; the funnel; and the gate, which drops in time."""
    if p.opening >= p.width:
        raise InputError(f"stones: --opening {p.opening} must be smaller than --width {p.width}, the width of the bin")
    if p.opens >= p.until:
        raise InputError(f"stones: --opens {p.opens} must be earlier than --until {p.until}, the end of the run")
    stone = library_solid(p.shape)
    drag = Table((0.0, LYING * p.opens, p.opens), (SLOWED, SLOWED, 0.0))
    scene = scene_of_grains(p, remove_below=-BELOW, drag=drag)
    far = np.full(3, stone.reach + GAP)
    places = layers((-far, far), p.grains, p.opening, p.width)
    rng = np.random.default_rng(p.seed)
    shaken = places + 0.5 * GAP * rng.uniform(-1.0, 1.0, places.shape)
    scene.add_many(stone, shaken, orientations=random_turns(rng, p.grains))
    add_funnel(scene, p.opening, p.width, float(places[:, 2].max()))
    half = math.sqrt(FAR / DROP)  # the time in which it gathers speed, and in which it loses it
    drop = Table((0.0, p.opens, p.opens + half, p.opens + 2.0 * half), (0.0, 0.0, -DROP * half, 0.0))
    scene.add_wall(gate(p.opening), tags=[Velocity(x=0.0, y=0.0, z=drop, spin=0.0, spin_x=0.0, spin_y=0.0)], name="gate")
    return scene


def plan(p: Stones) -> Plan:
    """Stones are counted four hundred times."""
    return Plan(dt=step_of(p), until=p.until, samples=400, frames=p.frames, extra=count)


def count(engine: Engine, snapshot: Snapshot) -> Mapping[str, float]:
    """Stones below the opening (z < 0), those that are not followed any more among them."""
    height = snapshot.positions[snapshot.present & ~engine.big, 2]
    return {"through": float(engine.grains - np.count_nonzero(height >= 0.0))}


# --- what is measured ------------------------------------------------------------------------------------------------


def flow(run: Run, first: float, last: float) -> float:
    """Stones per time while the share of all that is through grows from `first` to `last`; NaN if it never did."""
    time, through = run.series["time"], run.series["through"]
    low, high = (share * np.count_nonzero(run.scene["body_big"] == 0) for share in (first, last))
    if through[-1] < high:
        return math.nan
    begin, end = np.interp([low, high], *rising(through, time))
    return float((high - low) / (end - begin))


def rising(through: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts that are larger than all before them, and when: a stone thrown up again is counted twice."""
    new = np.concatenate([[True], through[1:] > np.maximum.accumulate(through)[:-1]])
    return through[new], time[new]


def packed(p: Stones, run: Run) -> float:
    """Share of the bin that the bed fills before the gate drops, between the top of the funnel and four fifths of its height;
    NaN where that is less than four D."""
    frame = run.frames[int(np.argmin(np.abs(run.frames.times - 0.95 * p.opens)))]
    height = frame.positions[run.scene["body_big"] == 0, 2]
    low, high = 0.5 * (p.width - p.opening) * DIAMETER, 0.8 * float(np.quantile(height, 0.999))
    if high - low < 4.0 * DIAMETER:
        return math.nan
    octagon = 8.0 * math.tan(math.pi / 8.0) * (0.5 * p.width * DIAMETER * math.cos(math.pi / 8.0)) ** 2
    return float(np.count_nonzero((height > low) & (height < high))) / (octagon * (high - low))


def evaluate(p: Stones, run: Run) -> Sequence[Quantity]:
    """Flow, whether it is even, the book."""
    through = float(run.series["through"][-1])
    density = packed(p, run)
    beverloo = C * (density if math.isfinite(density) else FILLED) * ((p.opening - BEVERLOO) * DIAMETER) ** 2.5
    whole = flow(run, 0.1, 0.7)
    guess = "" if math.isfinite(density) else f", taken as {FILLED}: the bed is too low to measure it"
    return [
        Quantity("stones that came out", through, note=f"of {p.grains}"),
        Quantity("flow", whole, "1/√(d/g)", note="from a tenth to seven tenths of all"),
        evenness(run),
        Quantity("share of the bin that is filled", density, note=f"before the gate drops{guess}"),
        Quantity("flow / Beverloo's", whole / beverloo, note=f"C = {C}, k = {BEVERLOO}: round grains, flat bottom"),
        below("energy error", run.book.energy_error, BAR, "our bar"),
        Quantity("deepest overlap / sphero-radius", float(run.series["overlap_share"].max()), note="at samples"),
    ]


def evenness(run: Run) -> Quantity:
    """Whether the flow stays as it is, to a tenth; not judged where it comes in bursts that leave the answer open. The error is
    from how unlike the times are in which tenths of all come."""
    name = "flow of 40 … 70 % / of 10 … 40 %"
    times = np.array([1.0 / flow(run, 0.1 * k, 0.1 * (k + 1)) for k in range(1, 7)]).reshape(2, 3)  # a tenth each, in two halves
    if not np.isfinite(times).all():
        return Quantity(name, math.nan, note="fewer came out: it jammed, or the run is too short")
    first, second = times.mean(axis=1)
    ratio = float(first / second)
    error = ratio * math.hypot(*(times.std(axis=1, ddof=1) / math.sqrt(3.0) / times.mean(axis=1)))
    away = abs(ratio - 1.0)
    judged = True if away <= EVEN and error <= EVEN else False if away > EVEN + 2.0 * error else None
    note = f"an hour-glass runs evenly, here to {EVEN:g}; ± {error:.2g}" + (": too few stones to tell" if judged is None else "")
    return Quantity(name, ratio, "", 1.0, judged, note)


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Stones, run: Run, folder: Path) -> Sequence[Path]:
    """The bin before the gate drops and half empty; a slice through it by height at the opening; stones against time."""
    import matplotlib.pyplot as plt

    before, middle = (int(np.argmin(np.abs(run.frames.times - at))) for at in (0.95 * p.opens, 0.5 * (p.opens + p.until)))
    paths = picture_of_run(run, [before, middle], folder / "stones.png")
    figure, axes = plt.subplots(1, 3, figsize=(13, 5), layout="constrained")
    for index, side in zip((before, middle), axes, strict=False):
        draw_slice(side, p, run, before, index)
    draw_count(axes[2], p, run)
    paths.append(save_figure(figure, folder / "flow.png"))
    return paths


def draw_slice(axes: Axes, p: Stones, run: Run, before: int, index: int) -> None:
    """Stones of which the middle is within half a D of the plane y = 0, coloured by their height before the gate dropped."""
    stones = run.scene["body_big"] == 0
    frame, height = run.frames[index], run.frames[before].positions[stones, 2]
    x, y, z = frame.positions[stones].T
    seen = (np.abs(y) < 0.5 * DIAMETER) & (frame["present"][stones] != 0) & (z > -BELOW)
    band = np.clip((BANDS * height / np.quantile(height, 0.99)).astype(int), 0, BANDS - 1) % 2 + 2 * (height > np.median(height))
    size = (0.62 * 72.0 * 3.6 / (p.width + 2.0)) ** 2
    axes.scatter(x[seen] / DIAMETER, z[seen] / DIAMETER, c=band[seen], s=size, cmap="tab20b", vmin=0, vmax=4, lw=0)
    half, low = 0.5 * p.width + WALL, 0.5 * p.opening + WALL
    top = float(height.max()) / DIAMETER + 2.0
    for side in (-1.0, 1.0):
        axes.plot([side * half, side * half, side * low], [top, half - low, 0.0], "k", lw=1)
    axes.set(xlabel="x [D]", ylabel="z [D]", title=f"t = {frame.time:.3g} √(d/g)", xlim=(-half - 1.0, half + 1.0))
    axes.set_ylim(-BELOW / DIAMETER, top)
    axes.set_aspect("equal")


def draw_count(axes: Axes, p: Stones, run: Run) -> None:
    """Stones through the opening against time, and the even flow."""
    time, through = run.series["time"], run.series["through"]
    axes.plot(time, through, label="through the opening")
    rate = flow(run, 0.1, 0.7)
    if math.isfinite(rate):
        at = float(np.interp(0.1 * p.grains, *rising(through, time)))
        line = np.array([at, at + 0.6 * p.grains / rate])
        axes.plot(line, 0.1 * p.grains + rate * (line - at), "k--", lw=1, label=f"{rate:.3g} per √(d/g)")
    axes.axvline(p.opens, color="0.7", lw=1, label="the gate drops")
    axes.set(
        xlabel="time [√(d/g)]", ylabel="stones", title=f"{p.grains} {plural(p.shape)}", xlim=(0.0, p.until), ylim=(0.0, None)
    )
    axes.legend()


EXPERIMENT = Experiment(
    name="stones",
    paper="outlook of EPL08",
    title="stones that are not convex leave a bin",
    claim="the flow is even, however many stand above",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Stones,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
