"""The force of overlapping polyhedra against depth and angle, at rest (CSM10 §4.2).

CSM10 take the volume of the overlap for the force, and expect of it the linear law where faces meet, Hertz's where rounded bodies
meet, a force that double precision resolves at the depth to which a hard cube sinks in under its own weight, and one that changes
smoothly as a corner turns into a face. Each is measured on two bodies that are placed, not moved.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.algebra.quaternions import matrix
from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.numbers import near
from clast.laws.overlap_volume import OverlapVolume
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.shapes.space.forms_sharp import ellipsoid_grain
from clast.shapes.space.make import cuboid
from clast.shapes.space.solid import Solid

MASS, GRAVITY = 1e-3, 9.81  # kg, m/s²: CSM10's cube
SIDE = 0.01  # m
DEPTHS = np.geomspace(1e-8, 1e-2, 13)  # over the side of the cube
CAPS = np.geomspace(0.1, 0.4, 7)  # depths of the ball over its radius
LINEAR, HERTZ, SUNK = 1.0, 1.5, 1e-9  # CSM10: powers of the depth; Δl/l
NEAR = 0.1  # agrees: published ± 10 %
TILTED = 0.6  # radians to either side of a face that lies flat
PRESSED = 0.05  # of the side, by which the cube is pressed in when it lies flat
HALVINGS = 3  # of the step of the angle
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SMOOTH = 0.9  # agrees: the largest jump goes with the step to at least this power


class OverlapForce(Parameters):
    """CSM10's numbers for its estimate; a ball of many corners is ours."""

    young: float = parameter(1e11, "modulus Y", "N/m²", gt=0)
    corners: int = parameter(120, "corners of the ball", "", ge=20)
    turns: int = parameter(6, "ways in which the ball lies on the floor", "", ge=2)
    angles: int = parameter(40, "angles of the turning cube, before their step is halved", "", ge=10)


SIZES: Sizes = {"quick": {}, "full": {"corners": 400, "turns": 20, "angles": 80}}


def force(p: OverlapForce, solid: Solid, height: float, below: Solid, turn: tuple[float, ...] = UPRIGHT) -> np.ndarray:
    """Force on a solid whose centre is at a height over the middle of one that is at the origin (3,) [N]."""
    scene = Scene3D(law=OverlapVolume(p.young))
    scene.add(solid, (0.0, 0.0, height), orientation=turn, density=1.0)
    scene.add(below, (0.0, 0.0, 0.0), density=1.0)
    seen = Engine(scene, dt=1e-9).snapshot()
    return np.asarray(seen.contacts.forces).reshape(-1, 3).sum(axis=0)


def faces(p: OverlapForce) -> Columns:
    """A cube face on face with another: force over Y A, against the depth over the side."""
    cube = cuboid((SIDE, SIDE, SIDE), 0.0)
    pushes = [float(force(p, cube, SIDE * (1.0 - depth), cube)[2]) for depth in DEPTHS]
    return {"depth": DEPTHS, "force": np.array(pushes) / (p.young * SIDE**2)}


def ball(p: OverlapForce) -> Columns:
    """A ball of many corners on a flat plate, mean over some ways in which it lies: force over Y r², against the depth of its
    lowest corner over r."""
    rng = np.random.default_rng(p.seed)
    solid = ellipsoid_grain((SIDE, SIDE, SIDE), p.corners, rng)
    plate = cuboid((4.0 * SIDE, 4.0 * SIDE, SIDE), 0.0)
    found = np.zeros((p.turns, CAPS.size))
    for k in range(p.turns):
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        lowest = float(((solid.drawn() - solid.centre) @ matrix(turn).T)[:, 2].min())
        for column, depth in enumerate(CAPS):
            found[k, column] = force(p, solid, 0.5 * SIDE - lowest - depth * SIDE, plate, tuple(turn))[2]
    return {"depth": CAPS, "force": found.mean(axis=0) / (p.young * SIDE**2)}


def sunk(p: OverlapForce) -> Columns:
    """How far the cube sinks into another until the force carries it, over its side, and the force there over its weight."""
    cube, depth = cuboid((SIDE, SIDE, SIDE), 0.0), 1e-9
    for _ in range(4):  # linear, so that one correction is enough but for rounding
        push = float(force(p, cube, SIDE * (1.0 - depth), cube)[2])
        depth *= MASS * GRAVITY / push
    exact = p.young * SIDE**2 * depth
    return {"depth": np.array([depth]), "off": np.array([abs(MASS * GRAVITY / exact - 1.0)])}


def turning(p: OverlapForce, halving: int) -> Columns:
    """A cube that is turned about an edge of its lower face from one side of flat to the other, on a plate: the force over Y A
    against the angle. An edge meets the plate, then the face, then the edge on the other side."""
    cube, plate = cuboid((SIDE, SIDE, SIDE), 0.0), cuboid((4.0 * SIDE, 4.0 * SIDE, SIDE), 0.0)
    angles = np.linspace(-TILTED, TILTED, p.angles * 2**halving + 1)
    height = SIDE * (1.0 - PRESSED)
    pushes = [force(p, cube, height, plate, (math.cos(0.5 * a), math.sin(0.5 * a), 0.0, 0.0)) for a in angles]
    unit = p.young * SIDE**2
    return {"angle": angles, **dict(zip(("x", "y", "z"), np.array(pushes).T / unit, strict=True))}


def tables(p: OverlapForce, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """Force against depth of faces and of a ball, the cube that sinks in, and the turning cube with finer and finer steps."""
    wanted: dict[str, Callable[[], Columns]] = {
        "faces": partial(faces, p), "ball": partial(ball, p), "sunk": partial(sunk, p),
    }  # fmt: skip
    return wanted | {turning_name(k): partial(turning, p, k) for k in range(HALVINGS + 1)}


def turning_name(halving: int) -> str:
    """Name of the table of the turning cube."""
    return f"turning, step halved {halving} times"


def power(x: np.ndarray, y: np.ndarray) -> float:
    """Exponent of a power law."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def largest_jump(table: Mapping[str, np.ndarray]) -> float:
    """The largest change of the force from an angle to the next, direction included, over the largest force."""
    vectors = np.column_stack([table[axis] for axis in "xyz"])
    return float(np.linalg.norm(np.diff(vectors, axis=0), axis=1).max() / np.linalg.norm(vectors, axis=1).max())


def evaluate(p: OverlapForce, run: Run) -> Sequence[Quantity]:
    """Powers of the depth, the depth of the cube, and how smooth the force is."""
    flat, cap = (power(run.tables[name]["depth"], run.tables[name]["force"]) for name in ("faces", "ball"))
    depth, off = (float(run.tables["sunk"][name][0]) for name in ("depth", "off"))
    jumps = np.array([largest_jump(run.tables[turning_name(k)]) for k in range(HALVINGS + 1)])
    exponent = float(np.log2(jumps[-2] / jumps[-1]))
    round_note = "the overlap of a ball is a cap, whose volume goes as depth², and Hertz's force as depth^3/2"
    jump_note = f"{', '.join(f'{each:.2g}' for each in jumps)} of the largest force with the step halved each time; agrees from "
    return [
        near("faces: power of the depth", flat, LINEAR, NEAR * LINEAR, "cube on cube, depths from 1e-8 to 1e-2 of the side"),
        near("ball: power of the depth", cap, HERTZ, NEAR * HERTZ, f"{p.corners} corners on a plate; {round_note}"),
        near("cube of 1 g: Δl/l", depth, SUNK, NEAR * SUNK, f"Y = {p.young:g} N/m², side {SIDE:g} m"),
        Quantity("cube of 1 g: force off by", off, note="of Y A Δl/l, at that depth: what double precision leaves"),
        Quantity(
            "turning cube: power of the largest jump in the step, last halving", exponent, agrees=bool(exponent >= SMOOTH),
            note=f"{jump_note}{SMOOTH:g} on; a force that jumps has 0",
        ),
    ]  # fmt: skip


def figures(p: OverlapForce, run: Run, folder: Path) -> Sequence[Path]:
    """Force against depth where faces meet and where a ball meets a plate (fig 8), and the force on a cube that turns."""
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    titles = {"faces": "cube on cube", "ball": "ball on plate"}
    for axes, name, what, powers in ((left, "faces", "side", (LINEAR,)), (middle, "ball", "radius", (HERTZ, 2.0))):
        depth, push = run.tables[name]["depth"], run.tables[name]["force"]
        axes.loglog(depth, push, "o", ms=5, label="measured")
        for line, one in zip(("--", ":"), powers, strict=False):
            axes.loglog(depth, push[-1] * (depth / depth[-1]) ** one, f"k{line}", lw=1, label=f"depth^{one:g}")
        axes.set(xlabel=f"depth / {what}", ylabel="force / (Y × length²)", title=titles[name])
        axes.legend()
    table = run.tables[turning_name(HALVINGS)]
    for axis, label in (("z", "up"), ("y", "sideways")):
        right.plot(np.degrees(table["angle"]), table[axis], label=label)
    right.set(xlabel="angle from flat [°]", ylabel="force / (Y × side²)", title="a cube turned on a plate")
    right.legend()
    return [save_figure(figure, folder / "overlap-force.png")]


EXPERIMENT = Study(
    name="overlap-force",
    paper="CSM10 §4.2",
    title="the force of overlapping polyhedra against depth and angle",
    claim="linear where faces meet, Hertz's where round bodies meet, smooth as corners turn",
    sizes=SIZES,
    parameters=OverlapForce,
    tables=tables,
    evaluate=evaluate,
    figures=figures,
)
