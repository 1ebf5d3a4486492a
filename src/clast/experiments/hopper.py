"""Cows or disks flow out of a hopper, or jam above its opening (EPL08 fig 6)."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.errors import InputError
from clast.experiments.experiment import Experiment, Parameters, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.arches import arch_between
from clast.experiments.shared.damped import damped_law
from clast.output.figures.plane import draw_bodies, run_outlines, save_figure
from clast.output.progress import Progress
from clast.output.store.reader import Run
from clast.packing.plane.arrangement import regular_of_area
from clast.protocols.fill import fill, lay_in
from clast.scene.plane import Scene
from clast.shapes import Shape, cow, disk, long_legged_cow, polyline, segment
from clast.shapes.plane.cow import COW_AREA

RADIUS = 0.1  # m, of the walls
SPACING = 4.5  # m, of the lattice the grains fall from, at least: long legs need more
SHAKE = 0.1  # m, off the lattice at random: columns of disks would stand on each other, and all seeds be alike
FILL_DAMPING = 0.3  # of critical, while filling
STILL = 1e-3  # of m g · 1 m: mean kinetic energy at which the grains lie still
OUT = -5.0  # m: a grain below it has left
REMOVED = -50.0  # m: below it nobody is followed any more
QUIET = 2.0  # s without a grain through the opening: jammed
SHOWN = (0.0, 2.0, 8.0)  # s, of the pictures
BELOW = -30.0  # m, where the pictures end
APERTURES = (20.0, 25.0, 30.0, 35.0, 40.0)  # m, of the paper
COLOURS = ("#4878a8", "#e8b04a", "#8fb573", "#c8614f")  # of layers in the bed, from the bottom
LAYERS = 8
DIAMETER = math.sqrt(4.0 * COW_AREA / math.pi)  # m, of a disk of the cow's area: what arches are measured in
Kind = Literal["cow", "long-legged-cow", "disk", "pentagon"]


class Hopper(Parameters):
    """EPL08 prints number, apertures, k_t and μ; the shape of the bin and the way it is filled are ours."""

    shape: Kind = parameter("cow", "the cow or one with longer legs; disks or regular pentagons of the cow's area")
    aperture: float = parameter(20.0, "width of the opening", "m", gt=0)
    grains: int = parameter(400, "number of grains", "", ge=2)
    width: float = parameter(80.0, "width of the bin", "m", gt=0)
    side: float = parameter(120.0, "height of the side walls above the slopes", "m", gt=0)
    until: float = parameter(8.0, "duration after opening", "s", gt=0)
    dt: float = parameter(1e-5, "time step, as in the paper's other runs; 1.45e-5 is safe for cows", "s", gt=0)
    gravity: float = parameter(10.0, "gravity", "m/s²", gt=0)
    stiffness: float = parameter(1e7, "normal stiffness k_n", "N/m", gt=0)
    friction: float = parameter(0.5, "friction μ of grains and walls", "", ge=0)
    tangential: float = parameter(0.1, "k_t over k_n", "", gt=0)
    zeta: float = parameter(0.0, "damping after opening, of critical; 0 in the paper", "", ge=0, lt=1)


SIZES: Sizes = {"quick": {"grains": 120, "width": 40.0, "aperture": 15.0, "side": 75.0}, "full": {}}
VARIANTS: Variants = {
    "quick": [{"shape": "disk", "aperture": 12.0}, {"shape": "cow", "aperture": 12.0}, {"shape": "cow", "aperture": 15.0}],
    "full": [{"shape": shape, "aperture": aperture} for shape in ("disk", "cow") for aperture in APERTURES],
}


def build(p: Hopper, progress: Progress | None = None) -> Scene:
    """The bin just after its gate was taken away: grains at rest as they came to lie on it."""
    if p.aperture >= p.width:
        raise InputError(f"hopper: --aperture {p.aperture} must be smaller than --width {p.width}, the width of the bin")
    closed = hopper(p, FILL_DAMPING, gate=True)
    still = STILL * closed.bodies[0].mass * p.gravity * 1.0
    bed = fill(closed, dt=p.dt, rest=still, progress=progress)
    return lay_in(hopper(p, p.zeta, gate=False), bed)


def hopper(p: Hopper, damping: float, *, gate: bool) -> Scene:
    """Grains on a lattice in the bin, then its left and right wall, then the gate if it is closed.

    `damping` is of critical for a single contact: between grains with half their mass, at a wall with the whole.
    """
    grain = grain_of(p.shape)
    between, at_wall = (damped_law(p.stiffness, p.tangential, p.friction, damping, mass * grain.area) for mass in (0.5, 1.0))
    scene = Scene(law=between, gravity=(0.0, -p.gravity), remove_below=REMOVED)
    scene.set_law("grain", "wall", at_wall)
    rng = np.random.default_rng(p.seed)
    for place in lattice(p, grain):
        scene.add(grain, place + rng.uniform(-SHAKE, SHAKE, 2), angle=rng.uniform(0.0, 2.0 * np.pi))
    half, corner = 0.5 * p.width, slope_height(p)
    for side, name in ((-1.0, "left wall"), (1.0, "right wall")):
        outline = [(side * half, corner + p.side), (side * half, corner), (side * 0.5 * p.aperture, 0.0)]
        scene.add_wall(polyline(outline, radius=RADIUS), name=name)
    if gate:
        scene.add_wall(segment((-0.5 * p.aperture, 0.0), (0.5 * p.aperture, 0.0), radius=RADIUS), name="gate")
    return scene


def grain_of(shape: Kind) -> Shape:
    """A grain; all have the area of the cow, and all but the disk its sphero-radius."""
    if shape == "disk":
        return disk(area=cow().area)
    if shape == "pentagon":
        return regular_of_area(5, cow().area, RADIUS)
    return cow() if shape == "cow" else long_legged_cow()


def slope_height(p: Hopper) -> float:
    """Height at which the 45° slopes meet the side walls [m]."""
    return 0.5 * (p.width - p.aperture)


def lattice(p: Hopper, grain: Shape) -> np.ndarray:
    """Places (grains, 2) in rows from the gate up, as many in each as the bin is wide there; InputError if it is too small."""
    clear = RADIUS + grain.reach + SHAKE  # nobody touches anybody at whatever angle
    spacing = max(SPACING, 2.0 * (grain.reach + SHAKE))
    rows: list[np.ndarray] = []
    left, height = p.grains, clear
    while left > 0:
        if height > slope_height(p) + p.side:
            raise InputError(
                f"hopper: there is no room for {p.grains} grains in a bin {p.width} m wide; widen it with --width or raise it "
                "with --side"
            )
        room = min(0.5 * p.width - clear, 0.5 * p.aperture + height - math.sqrt(2.0) * clear)
        number = min(left, int(2.0 * room / spacing) + 1) if room >= 0.0 else 0
        across = spacing * (np.arange(number) - 0.5 * (number - 1))
        rows.append(np.stack([across, np.full(number, height)], axis=1))
        left, height = left - number, height + spacing
    return np.concatenate(rows)


def plan(p: Hopper) -> Plan:
    """Samples every 0.01 s, frames every 0.05 s."""
    return Plan(
        dt=p.dt, until=p.until, samples=max(200, round(p.until / 0.01)), frames=max(40, round(p.until / 0.05)), extra=count
    )


# --- what is measured ------------------------------------------------------------------------------------------------


def count(engine: Engine, snapshot: Snapshot) -> Mapping[str, float]:
    """Grains through the opening (y < 0), grains discharged (y < −5 m), grains in the arch and its length [m].

    Those that are *not* there are counted, so that it does not matter whether a grain far below is still followed.
    """
    grains = engine.grains
    height = snapshot.positions[snapshot.present & ~engine.big, 1]
    arch = arch_between(grains, grains + 1, snapshot.contacts, len(engine.scene))
    return {
        "through": float(grains - np.count_nonzero(height >= 0.0)),
        "discharged": float(grains - np.count_nonzero(height >= OUT)),
        "arch": float(arch.grains.size),
        "arch_length": 0.0 if np.isnan(arch.length) else arch.length,
    }


def is_jammed(time: np.ndarray, through: np.ndarray, grains: int) -> bool | None:
    """Whether nobody crossed y = 0 in the last 2 s while grains remain; None if it was not watched that long."""
    if time[-1] - time[0] < QUIET * (1.0 - 1e-9):
        return None
    last = through[time >= time[-1] - QUIET * (1.0 + 1e-9)]
    return bool(through[-1] < grains and np.all(last == last[-1]))


def flow_rate(time: np.ndarray, through: np.ndarray, grains: int) -> float:
    """Grains per second through the opening while it flows: from the tenth to the last, but not beyond ¾ of all.

    The first grains fall freely, and the last quarter slides down the slopes: neither is the flow of a full bin.
    """
    high = min(through[-1], 0.75 * grains)
    if high <= 10.0:
        return float("nan")
    begin, end = (float(time[np.argmax(through >= level)]) for level in (10.0, high))
    return float((high - 10.0) / (end - begin)) if end > begin else float("nan")


def published(p: Hopper) -> bool | None:
    """Whether this hopper jams by EPL08; None for one that is not the paper's."""
    ours = (p.grains, p.friction, p.tangential, p.gravity) == (400, 0.5, 0.1, 10.0)
    if not ours or not 20.0 <= p.aperture <= 40.0 or p.until < 8.0 or p.shape not in ("cow", "disk"):
        return None
    return p.shape == "cow" and p.aperture < 30.0


def evaluate(p: Hopper, run: Run) -> Sequence[Quantity]:
    """What came out, whether it jammed, and how fast it flowed."""
    time, through = run.series["time"], run.series["through"]
    jammed, claimed = is_jammed(time, through, p.grains), published(p)
    judged = None if claimed is None or jammed is None else jammed == claimed
    last = time >= time[-1] - QUIET
    arch, links = held_arch(run.series["arch_length"][last], run.series["arch"][last]) if jammed else (float("nan"), 0.0)
    return [
        Quantity(
            "jammed (1) or not (0)",
            float("nan") if jammed is None else float(jammed),
            published=None if claimed is None else float(claimed),
            agrees=judged,
            note="jammed: nobody through y = 0 in the last 2 s while grains remain; bin and filling are our choice"
            + ("" if judged is not False else ", and as the paper tells neither, the likely reason"),
        ),
        Quantity("discharged at the end", float(run.series["discharged"][-1]), note=f"of {p.grains}, below y = {OUT:g} m"),
        Quantity("last grain through at", last_crossing(time, through), "s"),
        Quantity("flow rate", flow_rate(time, through, p.grains), "1/s", note="from the 10th grain on, up to ¾ of all"),
        Quantity(
            "arch",
            arch / DIAMETER,
            "diameters",
            20.0 if claimed else None,
            bool(arch > 20.0 * DIAMETER) if claimed and jammed else None,
            f"shortest chain of contacts from wall to wall when jammed, {links:.0f} grains; the paper's 'may be larger than 20'",
        ),
        Quantity("energy error", run.book.energy_error, note="max |residual| / (max(kinetic + elastic) + heat)"),
        Quantity("deepest overlap", float(run.series["deepest_overlap"].max()), "m", note="at samples; r = 0.1 m for cows"),
    ]


def held_arch(length: np.ndarray, grains: np.ndarray) -> tuple[float, float]:
    """Length [m] and grains of the arch, medians over the samples in which a chain leads across; NaN where none does."""
    there = grains > 0.0
    return (float(np.median(length[there])), float(np.median(grains[there]))) if there.any() else (float("nan"), 0.0)


def last_crossing(time: np.ndarray, through: np.ndarray) -> float:
    """When the last grain came through the opening; NaN if none did."""
    changes = np.flatnonzero(np.diff(through) != 0.0)
    return float(time[changes[-1] + 1]) if changes.size else float("nan")


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Hopper, run: Run, folder: Path) -> Sequence[Path]:
    """The hopper at opening, after 2 s and after 8 s (fig 6), and the number of grains against time."""
    import matplotlib.pyplot as plt

    times = [t for t in SHOWN if t <= run.frames.times[-1] + 1e-9]
    if times[-1] < run.frames.times[-1] - 1e-9 and len(times) < len(SHOWN):
        times.append(float(run.frames.times[-1]))
    top = float(run.frames[0].positions[: p.grains, 1].max()) + 6.0
    half = 0.53 * p.width
    tall = (top - BELOW) / (2.0 * half)
    figure, panels = plt.subplots(
        1, len(times), figsize=(3.4 * len(times) + 0.6, 3.4 * tall + 0.7), sharey=True, layout="constrained", squeeze=False
    )
    jammed = is_jammed(run.series["time"], run.series["through"], p.grains)
    for axes, t in zip(panels[0], times, strict=True):
        draw_hopper(axes, run, int(np.argmin(np.abs(run.frames.times - t))), arch=bool(jammed) and t == times[-1])
        title = f"t = {t:.3g} s" + (": jammed, its arch outlined" if jammed and t == times[-1] else "")
        axes.set(xlim=(-half, half), ylim=(BELOW, top), xlabel="x [m]", title=title)
    panels[0][0].set_ylabel("y [m]")
    paths = [save_figure(figure, folder / "hopper.png")]

    figure, axes = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    time = run.series["time"]
    axes.plot(time, run.series["through"], "C0", label="through the opening, y < 0")
    axes.plot(time, run.series["discharged"], "C1", label=f"discharged, y < {OUT:g} m".replace("-", "−"))
    axes.axhline(p.grains, color="0.6", lw=1, ls="--", label="all")
    if is_jammed(time, run.series["through"], p.grains):
        begin = last_crossing(time, run.series["through"])
        axes.axvspan(0.0 if np.isnan(begin) else begin, time[-1], color="C3", alpha=0.12, lw=0, label="jammed")
    axes.set(
        xlabel="time after opening [s]", ylabel="grains", xlim=(0.0, time[-1]), ylim=(0.0, 1.05 * p.grains),
        title=f"{p.grains} {p.shape}s, aperture {p.aperture:g} m",
    )  # fmt: skip
    axes.legend(loc="best")
    paths.append(save_figure(figure, folder / "discharge.png"))
    return paths


def draw_hopper(axes: Any, run: Run, index: int, *, arch: bool = False) -> None:
    """One frame, grains in the colours of the layers they lay in at the opening, so that the flow can be seen; with `arch` the
    shortest chain of contacts from wall to wall is outlined."""
    frame, bodies = run.frames[index], run_outlines(run)
    walls, grains = np.flatnonzero(bodies.big), np.flatnonzero(~bodies.big)
    start = run.frames[0].positions[grains, 1]
    layer = np.floor(LAYERS * (start - start.min()) / (np.ptp(start) + 1e-9)).astype(int)
    draw_bodies(axes, bodies, walls, frame.positions, frame.angles, facecolor="0.25", edgecolor="0.25", lw=1.2)
    colours = np.array(COLOURS)[layer % len(COLOURS)]
    there = ~frame.absent[grains]
    draw_bodies(axes, bodies, grains[there], frame.positions, frame.angles, facecolor=colours[there], lw=0.25)
    if arch and (chain := arch_in_frame(run, index, walls)).size:
        draw_bodies(axes, bodies, chain, frame.positions, frame.angles, facecolor="none", edgecolor="k", lw=1.8)
    axes.set_aspect("equal")


def arch_in_frame(run: Run, index: int, walls: np.ndarray) -> np.ndarray:
    """Ids of the grains of the shortest chain of contacts from wall to wall in a stored frame."""
    return arch_between(int(walls[0]), int(walls[1]), run.contacts[index], len(run.scene["body_big"])).grains


EXPERIMENT = Experiment(
    name="hopper",
    paper="EPL08 fig 6",
    title="cows and disks flow out of a hopper, or jam",
    claim="disks flow at all apertures; cows jam below 30 m, under arches of more than 20 diameters",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Hopper,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
    shows_progress=True,
)
