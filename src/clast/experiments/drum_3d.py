"""Solids tumble in a turning drum: the slope of their surface, and where the power of the drum goes.

A drum between two smooth ends, half full, is set in motion about its axis (y, level) and turned evenly. In steady flow all
the work of the drum becomes heat, and its torque holds the weight of the grains at the lever at which they hang beside the
axis: both are judged. No paper of ours publishes a slope; it is measured, with spheres beside cubes to compare.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clast.errors import InputError
from clast.experiments.experiment import Experiment, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.damped import damped_law
from clast.experiments.shared.numbers import below, near
from clast.experiments.shared.space import (
    DIAMETER,
    Grain,
    GrainsInSpace,
    picture_of_run,
    plural,
    scene_of_grains,
    stand,
    standing_room,
    step_of,
)
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.scene.timed import Ramp
from clast.shapes.space.forms import drum
from clast.shapes.space.library import library_solid
from clast.shapes.space.make import plate
from clast.shapes.space.solid import Solid

WALL = 0.1  # sphero-radius of the drum
SIDES = 20  # of the drum
REST = 4.0  # √(d/g), in which the grains fall before the drum is set in motion
RISE = 2.0  # √(d/g), in which it is
STEADY = 0.5  # of the duration, from when on the flow is taken for steady
MIDDLE = 0.6  # of the radius: the part of the surface that is fitted
BALANCE = 0.1  # of powers: few grains tumble by avalanches, which store and release energy
BAR = 1e-3  # of the energy error


class Drum3D(GrainsInSpace):
    """Grains of volume 1, density 1, gravity 1: lengths in the cube root of a grain's volume, times in √(d/g)."""

    shape: Grain = parameter("cube", "shape of the grains")
    grains: int = parameter(300, "number of grains", "", ge=10)
    radius: float = parameter(7.0, "inner radius of the drum", "d", gt=2)
    length: float = parameter(6.7, "inner length of the drum", "d", gt=2)
    froude: float = parameter(0.1, "Ω²R/g", "", gt=0, lt=1)
    turns: float = parameter(1.5, "turns of the drum", "", gt=0)
    friction: float = parameter(0.5, "friction μ of grains and drum; the ends are smooth", "", ge=0)


SIZES: Sizes = {"quick": {"grains": 100, "radius": 5.0, "length": 5.4, "turns": 1.0}, "full": {}}
VARIANTS: Variants = {size: [{"shape": shape} for shape in ("cube", "sphere")] for size in ("quick", "full")}


def spin_of(p: Drum3D) -> float:
    """Ω of the drum [radians/time]."""
    return math.sqrt(p.froude / p.radius)


def duration(p: Drum3D) -> float:
    """Fall, start and turns together."""
    return REST + RISE + p.turns * 2.0 * math.pi / spin_of(p)


def build(p: Drum3D) -> Scene3D:
    """Grains side by side in the drum, from below; the drum, which turns about its axis; and its two ends, which do not."""
    grain = library_solid(p.shape)
    scene = scene_of_grains(p)
    stand(scene, grain, places(p, grain), p.seed)
    turning = Ramp(0.0, spin_of(p), begin=REST, finish=REST + RISE)
    tag = Velocity(x=0.0, y=0.0, z=0.0, spin=0.0, spin_x=0.0, spin_y=turning)
    scene.add_wall(drum(p.radius + WALL, p.length + 2.0 * WALL, WALL, sides=SIDES, ends=False), tags=[tag], name="drum")
    scene.set_law("grain", "end", damped_law(p.stiffness, p.tangential, 0.0, p.zeta, 1.0))
    far, half = 1.1 * p.radius, 0.5 * p.length + WALL
    for y, name in ((-half, "front"), (half, "back")):
        scene.add_wall(plate([(-far, y, -far), (far, y, -far), (far, y, far), (-far, y, far)], WALL), material="end", name=name)
    return scene


def places(p: Drum3D, grain: Solid) -> np.ndarray:
    """Places (grains, 3) in level layers from the bottom up, in the drum; InputError if it is too small."""
    low, high = standing_room(grain)
    pitch = high - low
    corners = np.array([(x, z) for x in (low[0], high[0]) for z in (low[2], high[2])])
    found: list[tuple[float, float, float]] = []
    rows = int(p.length / pitch[1])
    across = (np.arange(rows) - 0.5 * (rows - 1)) * pitch[1]
    z = -p.radius - low[2]
    while len(found) < p.grains and z < p.radius:
        number = int(2.0 * p.radius / pitch[0])
        while number > 0:
            x = (np.arange(number) - 0.5 * (number - 1)) * pitch[0]
            ends = np.concatenate([corners + np.array([x[0], z]), corners + np.array([x[-1], z])])
            if np.hypot(*ends.T).max() <= p.radius * math.cos(math.pi / SIDES):
                found += [(a, b, z) for a in x for b in across]
                break
            number -= 1
        z += pitch[2] if number else 0.1 * pitch[2]
    if len(found) < p.grains:
        raise InputError(
            f"drum-3d: there is room for {len(found)} grains, not for {p.grains}: take fewer, or a larger --radius or --length"
        )
    return np.array(found[: p.grains])


def plan(p: Drum3D) -> Plan:
    """Frames by which the surface is averaged: forty in the steady half."""
    return Plan(dt=step_of(p), until=duration(p), samples=400, frames=80)


# --- what is measured ------------------------------------------------------------------------------------------------


def surface(p: Drum3D, run: Run, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Middles of strips along x (k,), each a grain wide, and the height of the highest grain in them (k,); NaN without one."""
    grains = run.scene["body_big"] == 0
    x, _, z = run.frames[index].positions[grains].T
    strips = round(2.0 * p.radius / DIAMETER)
    edges = np.linspace(-p.radius, p.radius, strips + 1)
    which = np.clip(np.digitize(x, edges) - 1, 0, strips - 1)
    heights = np.full(strips, np.nan)
    for strip in np.unique(which):
        heights[strip] = z[which == strip].max()
    return 0.5 * (edges[1:] + edges[:-1]), heights


def slope(p: Drum3D, x: np.ndarray, heights: np.ndarray) -> float:
    """Angle [degrees] of a line through the middle of the surface, positive where it rises the way the bottom goes, to −x."""
    fitted = (np.abs(x) <= MIDDLE * p.radius) & np.isfinite(heights)
    if np.count_nonzero(fitted) < 3:
        return float("nan")
    return -math.degrees(math.atan(float(np.polyfit(x[fitted], heights[fitted], 1)[0])))


def steady_frames(p: Drum3D, run: Run) -> list[int]:
    """Frames of the second part of the run."""
    return [k for k, time in enumerate(run.frames.times) if time >= STEADY * duration(p)]


def lever(run: Run, index: int) -> tuple[float, float]:
    """Where the centre of mass of the grains hangs: x, positive on the side that is lifted, and z [d]."""
    x, _, z = run.frames[index].positions[run.scene["body_big"] == 0].mean(axis=0)  # all weigh 1
    return -float(x), float(z)


def powers(p: Drum3D, run: Run) -> tuple[float, float, float]:
    """Mean power of the drum, of all heat, and of weight × lever × Ω, in the steady part [energy/time]."""
    book = run.book
    steady = book.time >= STEADY * duration(p)
    span = float(book.time[steady][-1] - book.time[steady][0])
    held = float(np.mean([lever(run, k)[0] for k in steady_frames(p, run)])) * p.grains * spin_of(p)
    return float(np.ptp(book.work[steady]) / span), float(np.ptp(book.heat[steady]) / span), held


def evaluate(p: Drum3D, run: Run) -> Sequence[Quantity]:
    """The slope of the surface, speeds, and the balance of power and heat."""
    chosen = steady_frames(p, run)
    fitted = np.array([slope(p, *surface(p, run, k)) for k in chosen])
    hanging = np.array([math.degrees(math.atan2(x, -z)) for x, z in (lever(run, k) for k in chosen)])
    power, heat, held = powers(p, run)
    grains = run.scene["body_big"] == 0
    speeds = np.concatenate([np.linalg.norm(run.frames[k].velocities[grains], axis=1) for k in chosen])
    fastest, free = float(speeds.max()), math.sqrt(4.0 * p.radius)
    among = f"between {len(chosen)} frames"
    return [
        Quantity("slope of the surface", float(np.nanmean(fitted)), "°", note=f"± {np.nanstd(fitted):.1f}° {among}; line"),
        Quantity(
            "angle of the centre of mass",
            float(hanging.mean()),
            "°",
            note=f"± {hanging.std():.1f}° {among}; the slope of a bed with a flat surface",
        ),
        near("heat / work of the drum", heat / power, 1.0, BALANCE, "of the steady part"),
        near("work / weight × lever × turn", power / held, 1.0, BALANCE, "likewise"),
        Quantity("power per grain", power / p.grains, "mg√(gd)"),
        Quantity("fastest grain / free fall through the drum", fastest / free, "", 1.0, bool(fastest < free), "must stay below"),
        Quantity("mean speed / speed of the rim", float(speeds.mean()) / (spin_of(p) * p.radius)),
        below("energy error", run.book.energy_error, BAR, "our bar"),
        Quantity("deepest overlap / sphero-radius", float(run.series["overlap_share"].max()), note="at samples"),
    ]


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: Drum3D, run: Run, folder: Path) -> Sequence[Path]:
    """The drum before it turns and at the end; the surface, and the work of the drum beside the heat."""
    import matplotlib.pyplot as plt

    before = int(np.argmin(np.abs(run.frames.times - REST)))
    paths = picture_of_run(run, [before, len(run.frames) - 1], folder / "drum-3d.png")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    draw_surface(left, p, run)
    draw_work(right, p, run)
    paths.append(save_figure(figure, folder / "flow.png"))
    return paths


def draw_surface(axes: Axes, p: Drum3D, run: Run) -> None:
    """The grains along the axis of the drum in the last frame, by their speed, and the mean surface."""
    around = np.linspace(0.0, 2.0 * math.pi, 181)
    axes.plot(p.radius * np.sin(around), p.radius * np.cos(around), "0.4", lw=1)
    frame, grains = run.frames[-1], run.scene["body_big"] == 0
    speed = np.hypot(*frame.velocities[grains][:, [0, 2]].T)
    along, up = frame.positions[grains][:, [0, 2]].T
    dots = axes.scatter(along, up, c=speed, s=14, cmap="viridis")
    axes.figure.colorbar(dots, ax=axes, label="speed [√(gd)]", shrink=0.8)
    profile = [surface(p, run, k) for k in steady_frames(p, run)]
    x, heights = profile[0][0], np.array([each[1] for each in profile])
    seen = np.isfinite(heights).mean(axis=0) > 0.5
    mean = np.nanmean(heights[:, seen], axis=0)
    axes.plot(x[seen], mean, "C3o-", ms=4, lw=1, label=f"mean surface, {slope(p, x[seen], mean):.1f}°")
    axes.set(xlabel="x [d]", ylabel="z [d]", title=f"drum-3d: {p.grains} {plural(p.shape)}, Ω²R/g = {p.froude:g}")
    axes.set_aspect("equal")
    axes.legend(loc="upper right")


def draw_work(axes: Axes, p: Drum3D, run: Run) -> None:
    """The work of the drum beside the heat since it turns."""
    book = run.book

    def since_rest(values: np.ndarray) -> np.ndarray:
        return values - np.interp(REST, book.time, values)

    axes.plot(book.time, book.work, "k", label="work of the drum")
    axes.plot(book.time, since_rest(book.heat), "C3", label="heat since the drum turns")
    for account in ("heat_sliding", "heat_viscous"):
        axes.plot(book.time, since_rest(book[account]), lw=0.8, label=account.replace("heat_", "… "))
    axes.axvspan(STEADY * duration(p), book.time[-1], color="0.93", lw=0, label="taken for steady")
    axes.set(xlabel="time [√(d/g)]", ylabel="energy [mgd]", xlim=(REST, book.time[-1]), ylim=(0.0, None))
    axes.legend(loc="upper left")


EXPERIMENT = Experiment(
    name="drum-3d",
    paper="outlook of GM09",
    title="cubes or spheres tumble in a turning drum",
    claim="in steady flow the work of the drum becomes heat at the same rate",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Drum3D,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
