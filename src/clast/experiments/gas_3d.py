"""A gas of solids in space keeps its energy and shares it out: as much rotation as translation (GM09 eq 13, outlook of EPL08).

No paper publishes numbers for space. What is judged is theory: the energy error against our bar; equipartition, half of the
energy for the three ways to turn (two fifths for a capsule, which nothing turns about its axis, and none for a sphere); and
Maxwell's distribution of speeds.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clast.experiments.experiment import Experiment, Parameters, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.gas import block_mean, draw_density, draw_error, first_error
from clast.experiments.shared.numbers import below, near
from clast.experiments.shared.space import Grain, contact_time, kinetic_parts, picture_of_run, plural
from clast.laws.linear import Linear
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.packing.space.arrangement import lattice_packing3d
from clast.scene.space import Box3D, Scene3D
from clast.shapes.space.library import library_solid
from clast.shapes.space.solid import Solid

BAR = 3e-6  # of the energy error of 512 grains over the steps below, at T_c/200
STEPS = 100_000  # over which the energy error is judged; the gas goes on to be averaged
NEAR = 0.02  # of the share of rotation
AGREES = 0.1  # of moments
BLOCKS = 8
SHOWN = ("cube", "tetrahedron", "cross", "sphere", "capsule")


class Gas3D(Parameters):
    """Grains of volume 1, density 1 and k_n = 1, so that lengths, masses and times are 1 as well; no friction."""

    shape: Grain = parameter("cube", "shape of the grains")
    grains: int = parameter(512, "number of grains; the box grows with it", ge=2)
    fill: float = parameter(0.2, "part of the box that is grains", "", gt=0, lt=0.5)
    speed: float = parameter(0.01, "initial speed; nobody spins", "√(k/m)", gt=0)
    steps_per_contact: float = parameter(200.0, "time steps in the contact time T_c = π√(m/2k)", "", ge=10)
    until: float = parameter(5000.0, "duration", "√(m/k)", gt=0)
    onset: bool = parameter(True, "weight the step in which a contact opens or closes")


SIZES: Sizes = {"quick": {"grains": 64}, "full": {}}
VARIANTS: Variants = {"quick": [{"shape": shape} for shape in SHOWN[:3]], "full": [{"shape": shape} for shape in SHOWN]}


def build(p: Gas3D) -> Scene3D:
    """Grains in random orientations on a cubic lattice, in a periodic cube; speeds alike, directions at random."""
    rng = np.random.default_rng(p.seed)
    packing = lattice_packing3d([library_solid(p.shape)] * p.grains, rng, fraction=p.fill)
    ways = rng.normal(size=(p.grains, 3))
    velocities = p.speed * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    velocities -= velocities.mean(axis=0)  # the gas as a whole stays where it is, and that energy is nobody's
    scene = Scene3D(law=Linear(1.0), box=Box3D(*packing.periods), onset=p.onset)
    scene.add_many(packing.shapes, packing.positions, orientations=packing.orientations, velocities=velocities)
    return scene


def plan(p: Gas3D) -> Plan:
    """A sample per unit of time, two in a contact; frames nearer than grains collide."""
    return Plan(
        dt=contact_time(1.0) / p.steps_per_contact,
        until=p.until,
        samples=max(400, round(p.until)),
        frames=max(50, round(p.until / 50.0)),
    )


def ways_to_turn(solid: Solid) -> int:
    """Number of axes about which pushes without friction can turn a solid: 0 for a ball, 2 for one that is round about its axis,
    else 3."""
    spread = np.linalg.matrix_rank(solid.vertices, tol=1e-9 * solid.reach)
    return {0: 0, 1: 2}.get(int(spread), 3)


def expected_share(solid: Solid, grains: int) -> float:
    """Of rotation in the kinetic energy: f/(3 + f) for f ways to turn, the momentum of the gas being zero."""
    turning = ways_to_turn(solid) * grains
    return turning / (turning + 3 * grains - 3)


def final_speeds(run: Run, shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Speeds over their one-dimensional spread, √(2ε/⟨2ε/f⟩), in the second half: of translation and, if any, of rotation."""
    ways = ways_to_turn(library_solid(shape))
    halves = [k for k in range(len(run.frames)) if run.frames.times[k] >= 0.5 * run.frames.times[-1]]
    parts = [np.concatenate(each) for each in zip(*(kinetic_parts(run, k) for k in halves), strict=True)]
    turning = np.sqrt(ways * parts[1] / parts[1].mean()) if ways else np.zeros(0)
    return np.sqrt(3.0 * parts[0] / parts[0].mean()), turning


def moments(p: Gas3D, run: Run) -> list[tuple[str, float, float, str]]:
    """Kind of motion, ⟨ε²⟩/⟨ε⟩² of its energies ε in the second half, the (f + 2)/f of f quadratic energies, and a note."""
    found = []
    for kind, values, ways in zip(
        ("translation", "rotation"), final_speeds(run, p.shape), (3, ways_to_turn(library_solid(p.shape))), strict=True
    ):
        if ways:
            moment = float(np.mean(values**4) / np.mean(values**2) ** 2)
            found.append((kind, moment, (ways + 2.0) / ways, f"Maxwell, {ways} ways to move; {values.size} energies"))
    return found


def evaluate(p: Gas3D, run: Run) -> Sequence[Quantity]:
    """Energy error, share of rotation in the second half, and the shape of the distribution of speeds."""
    book = run.book
    second_half = book.time >= 0.5 * book.time[-1]
    share, spread = block_mean((book["rotational"] / book.kinetic)[second_half], BLOCKS)
    theory = expected_share(library_solid(p.shape), p.grains)
    error = first_error(run, run.series["step"] <= STEPS)
    note = f"our bar, no paper gives one; Δt = T_c/{p.steps_per_contact:g}"
    quantities = [
        below("energy error over 1e5 steps", error, BAR, note),
        Quantity("energy error over the run", book.energy_error),
        near(
            "rotational share, second half", share, theory, NEAR,
            f"equipartition; standard error {spread:.4f}; the gas starts without spin", error=spread,
        ),
    ]  # fmt: skip
    quantities += [
        Quantity(f"⟨ε²⟩/⟨ε⟩² of {kind}, second half", moment, "", theory, bool(abs(moment / theory - 1.0) <= AGREES), note)
        for kind, moment, theory, note in moments(p, run)
    ]
    quantities.append(
        Quantity(
            "deepest overlap / sphero-radius", float(run.series["overlap_share"].max()), note="at samples; speed is our choice"
        )
    )
    return quantities


def figures(p: Gas3D, run: Run, folder: Path) -> Sequence[Path]:
    """The gas at the start and at the end; the way to equipartition, the speeds, and the error of the energy."""
    import matplotlib.pyplot as plt

    paths = picture_of_run(run, [0, len(run.frames) - 1], folder / "gas-3d.png")
    book, theory = run.book, expected_share(library_solid(p.shape), p.grains)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    left.plot(book.time, book["rotational"] / book.kinetic, lw=0.8)
    left.axhline(theory, color="k", ls="--", lw=1, label=f"equipartition, {theory:.3g}")
    left.set(xlabel="time [√(m/k)]", ylabel="rotational share of the kinetic energy", ylim=(0.0, 0.7), xlim=(0.0, book.time[-1]))
    left.set_title(f"gas-3d: {p.grains} {plural(p.shape)}")
    left.legend(loc="lower right")
    draw_speeds(middle, p, run)
    draw_error(right, book, 0.5)
    right.axhline(BAR, color="C3", ls="--", lw=1, label="our bar")
    right.set(xlabel="time [√(m/k)]", ylabel="|energy error|", ylim=(1e-10, 1e-4), xlim=(0.0, book.time[-1]))
    right.legend(loc="upper right")
    paths.append(save_figure(figure, folder / "energies.png"))
    return paths


def draw_speeds(axes: Axes, p: Gas3D, run: Run) -> None:
    """How speeds are distributed in the second half, with Maxwell's distribution."""
    speeds, turning = final_speeds(run, p.shape)
    for values, label, style in ((speeds, "translation", "C0o"), (turning, "rotation", "C1s")):
        draw_density(axes, values, bins=45, largest=4.5, style=style, size=3.5, label=label)
    x = np.linspace(0.0, 4.5, 200)
    axes.plot(x, np.sqrt(2.0 / np.pi) * x**2 * np.exp(-0.5 * x**2), "k", lw=1, label="Maxwell")
    if turning.size and ways_to_turn(library_solid(p.shape)) == 2:
        axes.plot(x, x * np.exp(-0.5 * x**2), "k--", lw=1, label="Maxwell, 2 ways to turn")
    axes.set(xlabel="speed / √⟨v_x²⟩", ylabel="density", ylim=(0.0, None), xlim=(0.0, 4.5), title="second half of the run")
    axes.legend()


EXPERIMENT = Experiment(
    name="gas-3d",
    paper="GM09 eq 13, EPL08",
    title="equipartition in a gas of solids in space",
    claim="energy as in the plane; rotation and translation get half each",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=Gas3D,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
