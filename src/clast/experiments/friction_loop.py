"""One contact led round a closed path: what Cundall-Strack friction does not give back (PRE10 fig 21).

A corner is led out along an arc at one distance from another corner and back at a smaller one, without turning, and
held by its tangential spring all the time (μ = ∞). The two arcs differ in length, so the spring does not come back to
where it was: after n turns it holds n Δ, Δ = (d_a − d_b) Δθ, and turn n has cost ½ k_t Δ² (2n − 1) per counted contact,
of which corner on corner has two. Along an edge both ways are equally long and nothing is left. A spring that measures sliding
as an angle (`sliding_by="angle"`, McNamara's relation, the paper's ref 32) grows by (r_i + r_j) Δθ on both arcs, so that it
comes back and the turn costs nothing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Study, parameter
from clast.laws.linear import Linear
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Scene
from clast.shapes import polygon

RADIUS = 0.1  # sphero-radius of both bodies
LED = 0  # id of the led body
VERTEX, EDGE, ANGLE = "vertex-vertex", "vertex-edge", "vertex-vertex by angle"
COUNTED = {VERTEX: 2, EDGE: 1, ANGLE: 2}  # contacts
RADIAL_STEPS = 10  # of the straight ways in and out, on which every force is linear
DT = 1e-3  # nothing here depends on the time it takes
SAMPLES = 100  # points kept of each arc, for the figure
CLOSED_FORM = 1e-9  # agrees: relative to the closed form
ROUNDING = 1e-12  # agrees: relative to the energy that goes in and out of the spring


class FrictionLoop(Parameters):
    """PRE10 draws the loop without numbers: these are ours. Lengths in any unit, sphero-radii 0.1."""

    outer: float = parameter(0.18, "distance of the skeletons on the way out, d_a", "length", gt=0.02, lt=0.2)
    inner: float = parameter(0.12, "distance of the skeletons on the way back, d_b", "length", gt=0.02, lt=0.2)
    arc: float = parameter(0.2, "angle of the arcs Δθ", "rad", gt=0, le=0.8)
    turns: int = parameter(4, "number of turns", ge=1)
    steps: int = parameter(4000, "steps along an arc", ge=SAMPLES)
    normal: float = parameter(1e5, "normal stiffness k_n", "force/length", gt=0)
    tangential: float = parameter(5e4, "tangential stiffness k_t", "force/length", gt=0)


def scene_of(kind: str, p: FrictionLoop) -> Scene:
    """A tooth above the corner of another tooth, or above the middle of a long flat block."""
    scene = Scene(law=Linear(p.normal, p.tangential, friction=math.inf, sliding_by="angle" if kind == ANGLE else "path"))
    upper = polygon([(0.0, 0.0), (0.4, 1.0), (-0.4, 1.0)], RADIUS, name="tooth")
    scene.add(upper, path_of(kind, p)[0] - upper.origin)
    if kind != EDGE:
        scene.add_wall(polygon([(0.0, 0.0), (-0.4, -1.0), (0.4, -1.0)], RADIUS, name="tooth"))
    else:
        scene.add_wall(polygon([(-2.0, 0.0), (-2.0, -1.0), (2.0, -1.0), (2.0, 0.0)], RADIUS, name="block"))
    return scene


def path_of(kind: str, p: FrictionLoop) -> np.ndarray:
    """One turn of the led corner, (steps + 1, 2): out at d_a, in, back at d_b, out again. It ends where it begins.

    For the edge the same in a straight strip: arcs become ways of the mean arc's length along it.
    """
    there = np.linspace(-0.5, 0.5, p.steps + 1)
    inward = np.linspace(p.outer, p.inner, RADIAL_STEPS + 1)
    along = np.concatenate([there, np.full(RADIAL_STEPS, 0.5), there[-2::-1], np.full(RADIAL_STEPS, -0.5)]) * p.arc
    away = np.concatenate(
        [np.full(p.steps + 1, p.outer), inward[1:], np.full(p.steps, p.inner), inward[-2::-1]],
    )
    if kind != EDGE:
        return np.stack([away * np.sin(along), away * np.cos(along)], axis=1)
    return np.stack([0.5 * (p.outer + p.inner) * along, away], axis=1)


def lead(engine: Engine, place: np.ndarray, before: np.ndarray) -> None:
    """Put the led body where it shall be, as if it had come there in a step, and let the engine find its forces there.

    The engine moves it on by itself; the next call puts it right again. It never turns.
    """
    speed = (place - before) / engine.dt
    engine.place(LED, place, 0.0)
    engine.set_velocities(LED, speed, 0.0)


def force_on_led(engine: Engine) -> tuple[np.ndarray, float, int]:
    """Force of all contacts on the led body (2,), mean tangential spring, and number of counted contacts."""
    contacts = engine.snapshot().contacts
    sign = np.where(contacts.first == LED, 1.0, -1.0)
    force = np.array([np.sum(sign * along) for along in contacts.elastic_forces.T])
    counted = contacts.counts > 0.0
    return force, float(contacts.springs[counted].mean()), int(counted.sum())


def walk(kind: str, p: FrictionLoop) -> Columns:
    """Lead the contact round `turns` times; one row per kept point of the path.

    The work is Σ −½(F_n + F_{n+1})·(x_{n+1} − x_n) over the points where the engine was, with the forces it used there.
    """
    turn = path_of(kind, p)
    scene = scene_of(kind, p)
    engine = Engine(scene, dt=DT)
    centre = scene.bodies[LED].position - turn[0]  # of mass, from the corner
    stored = np.zeros(len(turn), bool)
    stored[:: max(1, p.steps // SAMPLES)] = stored[-1] = True
    place, work, rows = turn[0], 0.0, []
    force, spring, contacts = force_on_led(engine)
    rows.append((0.0, *place, spring, work, float(contacts)))
    for number in range(p.turns):
        for k in range(1, len(turn)):
            engine.advance(engine.step + 1)
            before, held = place, force
            place = turn[k]
            lead(engine, place + centre, before + centre)
            force, spring, contacts = force_on_led(engine)
            work -= 0.5 * float((held + force) @ (place - before))
            if stored[k]:
                rows.append((number + k / (len(turn) - 1), *place, spring, work, float(contacts)))
    names = ("turn", "x", "y", "spring", "work", "contacts")
    return dict(zip(names, np.array(rows).T, strict=True))


def tables(p: FrictionLoop, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A table of each kind of contact."""
    return {kind: partial(walk, kind, p) for kind in COUNTED}


def work_of_turns(run: Run, kind: str) -> np.ndarray:
    """Work done by whoever leads the contact, per turn."""
    table = run.tables[kind]
    return np.diff(table["work"][np.isclose(table["turn"] % 1.0, 0.0)])


def stored_in(run: Run, kind: str, p: FrictionLoop) -> float:
    """Energy of the springs where they are longest."""
    return COUNTED[kind] * 0.5 * p.tangential * float(np.max(run.tables[kind]["spring"] ** 2))


def left_after(run: Run, kind: str, turns: int) -> float:
    """Spring after so many turns, over its longest during the first."""
    table = run.tables[kind]
    first = np.abs(table["spring"][table["turn"] <= 1.0]).max()
    return float(table["spring"][np.isclose(table["turn"], turns)][-1] / first)


def closed_form(p: FrictionLoop) -> np.ndarray:
    """½ k_t Δ² (2n − 1) for each of the two contacts of corner on corner, n = 1 … turns."""
    left = (p.outer - p.inner) * p.arc
    return COUNTED[VERTEX] * 0.5 * p.tangential * left**2 * (2.0 * np.arange(1, p.turns + 1) - 1.0)


def evaluate(p: FrictionLoop, run: Run) -> Sequence[Quantity]:
    """Work per turn. The paper gives no number: it states which of the two is zero, and the other follows in closed form."""
    corner, edge, angle = (work_of_turns(run, kind) for kind in COUNTED)
    expected = closed_form(p)
    away = float(np.abs(corner / expected - 1.0).max()) if p.outer != p.inner else float("nan")
    lost, spent = (float(np.abs(work).max()) / stored_in(run, kind, p) for work, kind in ((edge, EDGE), (angle, ANGLE)))
    left = max(abs(left_after(run, ANGLE, n)) for n in range(1, p.turns + 1))
    unit = "force × length"
    return [
        Quantity("vertex-vertex: work of the first turn", float(corner[0]), unit, note="not returned, by the paper"),
        Quantity(
            "vertex-vertex: departure from ½ k_t Δ² (2n − 1) × 2", away, "", 0.0, bool(away < CLOSED_FORM),
            f"largest of {p.turns} turns, relative; closed form ours, agrees below {CLOSED_FORM:g}",
        ),
        none_of("vertex-edge: work of a turn / energy of the spring", lost, p, "“absent in vertex-edge contacts”"),
        Quantity(
            "vertex-vertex: spring after the first turn / longest", left_after(run, VERTEX, 1),
            note="by the path of the contact point, as published",
        ),
        none_of("vertex-vertex by angle: spring after a turn / longest", left, p, "McNamara's relation"),
        none_of("vertex-vertex by angle: work of a turn / energy of the spring", spent, p, "McNamara's relation"),
    ]  # fmt: skip


def none_of(name: str, value: float, p: FrictionLoop, source: str) -> Quantity:
    """What should be nothing, by a source."""
    note = f"largest of {p.turns} turns; {source}, agrees below {ROUNDING:g}"
    return Quantity(name, value, "", 0.0, bool(value < ROUNDING), note)


def merit(p: FrictionLoop, _run: Run) -> Merit:
    """One body led; its Cundall number would be Python's, not the engine's."""
    return Merit(grains=1, steps=len(COUNTED) * p.turns * (2 * p.steps + 2 * RADIAL_STEPS))


def figures(p: FrictionLoop, run: Run, folder: Path) -> Sequence[Path]:
    """The contacts with the led corner's path (fig 21), the force of the springs along it, and the work of each turn."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(12, 10.5), layout="constrained", width_ratios=(1, 1.1, 1))
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.85, p.turns))
    number = np.arange(1, p.turns + 1)
    for (picture, loop, sums), kind in zip(axes, COUNTED, strict=True):
        table = run.tables[kind]
        draw_contact(picture, kind, p)
        along = np.arctan2(table["x"], table["y"]) if kind != EDGE else table["x"]
        for k in range(p.turns):
            chosen = (table["turn"] >= k) & (table["turn"] <= k + 1)
            force = COUNTED[kind] * p.tangential * table["spring"]
            loop.plot(along[chosen], force[chosen], color=colours[k], lw=1.4, label=f"turn {k + 1}")
        loop.axhline(0.0, color="0.7", lw=0.8, zorder=0)
        loop.set(xlabel="angle of the led corner [rad]" if kind != EDGE else "place along the edge", title="force of the springs")
        loop.locator_params("x", nbins=5)
        if kind == VERTEX:
            loop.legend(loc="upper left", fontsize=8)
        sums.bar(number, work_of_turns(run, kind), color=colours, width=0.6)
        expected = closed_form(p) if kind == VERTEX else np.zeros(p.turns)
        form = "½ k_t Δ² (2n − 1) × 2" if kind == VERTEX else "nothing"
        sums.hlines(expected, number - 0.4, number + 0.4, color="k", lw=1.5, label=form)
        sums.set(xlabel="turn n", xticks=number, title="work of each turn")
        sums.legend(loc="upper left")
    for sums in axes[1:, 2]:
        sums.set_ylim(axes[0, 2].get_ylim())
    return [save_figure(figure, folder / "friction-loop.png")]


def draw_contact(axes: Axes, kind: str, p: FrictionLoop) -> None:
    """Both bodies at the beginning, their skeletons, and the way A → B → C → D of the led corner."""
    for body, colour in zip(scene_of(kind, p).bodies, ("C0", "0.55"), strict=True):
        place = np.array(body.position)
        axes.fill(*(body.shape.outline()[0] + place).T, facecolor=colour, alpha=0.45, edgecolor="k", lw=0.8)
        skeleton = body.shape.vertices + place
        axes.plot(*np.concatenate([skeleton, skeleton[:1]]).T, color="k", lw=0.8, ls=":")
    turn = path_of(kind, p)
    axes.plot(*turn.T, color="C3", lw=1.5)
    corners = (0, p.steps, p.steps + RADIAL_STEPS, 2 * p.steps + RADIAL_STEPS)
    for name, k, side in zip("ABCD", corners, ((-9, 3), (4, 3), (4, -10), (-9, -10)), strict=True):
        axes.plot(*turn[k], "o", ms=2.5, color="C3")
        axes.annotate(name, turn[k], xytext=side, textcoords="offset points", color="C3", fontsize=9)
    axes.set(xlim=(-0.2, 0.2), ylim=(-0.15, 0.31), xticks=[], yticks=[], aspect="equal", title=kind)


EXPERIMENT = Study(
    name="friction-loop",
    paper="PRE10 fig 21",
    title="friction round a closed path, corner on corner and corner on edge",
    claim="corner on corner does not give its energy back, corner on edge loses none",
    parameters=FrictionLoop,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
