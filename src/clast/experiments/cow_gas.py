"""A gas of cows: equipartition and Maxwell's distribution without friction (EPL08 fig 4-5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.experiments.experiment import Experiment, Parameters, Plan, Quantity, Sizes, Variants, parameter
from clast.experiments.shared.gas import block_mean, directions, draw_density, first_error
from clast.experiments.shared.numbers import below, near
from clast.laws.linear import Linear
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import draw_frames, save_figure
from clast.output.store.reader import Run
from clast.scene.plane import Box, Scene
from clast.shapes import cow

FILL = 0.246  # area fraction of the paper's 400 cows in 103 m × 103 m
ENERGY_SPAN = 8.0  # s, over which the energy error is judged
AVERAGE = (10.0, 40.0)  # s, over which equipartition is judged: at 0.45 collisions per second 1 … 8 s is not stationary
COLLISION_TIME = 2.2  # s
BLOCKS = 10  # of samples, which are 0.01 s apart


class CowGas(Parameters):
    """Set-up of EPL08."""

    grains: int = parameter(400, "number of cows", "", ge=2)
    dt: float = parameter(1e-5, "time step", "s", gt=0)
    until: float = parameter(40.0, "duration", "s", gt=0)
    stiffness: float = parameter(1e7, "normal stiffness k_n", "N/m", gt=0)
    speed: float = parameter(1.0, "initial speed", "m/s", gt=0)
    onset: bool = parameter(True, "weight the step in which a contact opens or closes")
    counting: Literal["euler", "all-pairs"] = parameter(
        "euler", "count a corner once, or all pairs of vertex and edge, literally"
    )


SIZES: Sizes = {"quick": {"grains": 100, "until": 10.0}, "full": {}}
VARIANTS: Variants = {size: [{}, {"counting": "all-pairs"}] for size in ("quick", "full")}


def build(p: CowGas) -> Scene:
    """Cows at random angles on a square lattice in a box periodic both ways, speeds alike, directions at random."""
    rng = np.random.default_rng(p.seed)
    grain = cow()
    rows = int(np.ceil(np.sqrt(p.grains)))
    side = float(np.sqrt(p.grains * grain.area / FILL))
    scene = Scene(law=Linear(p.stiffness), box=Box(side, side), onset=p.onset, counting=p.counting)
    k = np.arange(p.grains)
    ways, angles = rng.uniform(0.0, 2.0 * np.pi, (p.grains, 2)).T
    scene.add_many(
        grain,
        (np.stack([k % rows, k // rows], axis=1) + 0.5) * side / rows,
        angles=angles,
        velocities=p.speed * directions(ways),
    )
    return scene


def moments(engine: Engine, snapshot: Snapshot) -> Mapping[str, float]:
    """⟨ε²⟩/⟨ε⟩² over the grains: 5/3 for three quadratic degrees of freedom."""
    mass, inertia = 1.0 / snapshot.inverse_masses, 1.0 / snapshot.inverse_inertias
    x, y = snapshot.velocities.T
    energy = (0.5 * mass * (x**2 + y**2) + 0.5 * inertia * snapshot.spins**2)[snapshot.free_ids]
    return {"energy_ratio": float(np.mean(energy**2) / np.mean(energy) ** 2)}


def plan(p: CowGas) -> Plan:
    """Samples every 0.01 s, as the paper's snapshots; frames every 0.1 s."""
    return Plan(
        dt=p.dt,
        until=p.until,
        samples=max(400, round(p.until / 0.01)),
        frames=max(50, round(p.until / 0.1)),
        extra=moments,
    )


def relative_energies(run: Run, low: float, high: float, spacing: float = 0.0) -> np.ndarray:
    """ε/⟨ε⟩ of all grains in the frames between two times, at least `spacing` apart."""
    mass, inertia = run.scene["body_mass"], run.scene["body_inertia"]
    found, last = [], -np.inf
    for frame in run.frames:
        if low <= frame.time <= high and frame.time - last >= spacing:
            last = frame.time
            energy = 0.5 * mass * np.sum(frame.velocities**2, axis=1) + 0.5 * inertia * frame.spins**2
            found.append(energy / energy.mean())
    return np.concatenate(found) if found else np.zeros(0)


def evaluate(p: CowGas, run: Run) -> Sequence[Quantity]:
    """Energy error over 8 s, equipartition and the shape of the distribution."""
    import scipy.stats

    time = run.series["time"]
    error = first_error(run, time <= ENERGY_SPAN * (1.0 + 1e-9))
    share = run.series["rotational"] / (run.series["rotational"] + run.series["translational"])
    ratio = run.series["rotational"] / run.series["translational"]
    chosen = (time >= AVERAGE[0]) & (time <= AVERAGE[1])
    first = (time >= 1.0) & (time <= 8.0)
    mean, spread = block_mean(share[chosen], BLOCKS)
    moment, moment_spread = block_mean(run.series["energy_ratio"][chosen], BLOCKS)
    early_ratio = float(ratio[first].mean()) if first.any() else float("nan")
    quantities = [
        below("energy error over 8 s", error, 1e-6, "EPL08: below 1e-6"),
        Quantity("energy error over the run", run.book.energy_error),
        near(
            "rotational / translational, 1-8 s", early_ratio, 0.5, 0.05,
            "the paper's span: not yet stationary at 0.45 collisions per second",
        ),
    ]  # fmt: skip
    if time[-1] >= AVERAGE[1] * (1.0 - 1e-9):
        energies = relative_energies(run, *AVERAGE, COLLISION_TIME)
        distance = scipy.stats.kstest(energies, scipy.stats.gamma(1.5, scale=1.0 / 1.5).cdf)
        quantities += [
            near("rotational share, 10-40 s", mean, 1.0 / 3.0, 0.01, f"standard error {spread:.4f}", error=spread),
            near("⟨ε²⟩/⟨ε⟩², 10-40 s", moment, 5.0 / 3.0, 0.05, f"standard error {moment_spread:.3f}", error=moment_spread),
            Quantity(
                "Kolmogorov-Smirnov distance",
                float(distance.statistic),
                note=f"p = {distance.pvalue:.2f}, {energies.size} energies one collision time apart",
            ),
        ]
    return quantities


def figures(p: CowGas, run: Run, folder: Path) -> Sequence[Path]:
    """The gas (fig 4), the way to equipartition and the energies' distribution (fig 5)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 7), layout="constrained")
    draw_frames(axes, run, [len(run.frames) - 1])
    axes.set(xlabel="x [m]", ylabel="y [m]", title=f"cow-gas at t = {run.frames[-1].time:.3g} s")
    paths = [save_figure(figure, folder / "cow-gas.png")]

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    left.plot(run.series["time"], run.series["rotational"] / run.series["translational"], lw=0.8)
    left.axhline(0.5, color="k", ls="--", lw=1, label="equipartition, 1/2")
    left.set(xlabel="time [s]", ylabel="rotational / translational energy", ylim=(0, None))
    left.legend()
    draw_energies(right, run)
    paths.append(save_figure(figure, folder / "energies.png"))
    return paths


def draw_energies(axes: Axes, run: Run) -> None:
    """How the energies of grains are distributed, in the paper's span and when it is stationary, with Maxwell's distribution."""
    end = run.frames[-1].time
    low = AVERAGE[0] if end > AVERAGE[0] else 0.5 * end
    for span, style in (((1.0, 8.0), "C1."), ((low, AVERAGE[1]), "C0.")):
        label = f"{span[0]:.3g}-{min(span[1], end):.3g} s"
        draw_density(axes, relative_energies(run, *span), bins=100, largest=5.0, style=style, size=4.0, label=label)
    x = np.linspace(1e-3, 5.0, 300)
    axes.plot(x, 2.0 * 1.5 * np.sqrt(x * 1.5 / np.pi) * np.exp(-1.5 * x), "k", lw=1, label="2β√(εβ/π) exp(−βε), β = 1.5")
    axes.set(xlabel="ε / ⟨ε⟩", ylabel="n(ε)", ylim=(0.0, 1.0))  # grains that have not collided yet pile up at 1, beyond it
    axes.legend()


EXPERIMENT = Experiment(
    name="cow-gas",
    paper="EPL08 fig 4-5",
    title="equipartition in a gas of cows",
    claim="rotation gets half as much energy as translation; energies follow Maxwell's distribution",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=CowGas,
    build=build,
    plan=plan,
    evaluate=evaluate,
    figures=figures,
)
