"""Polyhedra bounce on a floor without friction or damping: is their energy kept? (CSM10 §4.2)

CSM10 holds that a force which depends on positions alone keeps the energy. It does so only if it has a potential, and Y V/L_c at
the centroid has none: L_c follows the centroid, and a push there turns a body in another way than the pressure of an overlap
would. Here each of some grains of CSM10's kind (12 random corners on an ellipsoid) falls by itself on a flat floor, in a random
orientation, and bounces on and on, under that law and under the one that has a potential.

A bounce is counted from one highest point of a flight to the next; the energy there is that of a body in free flight, whatever
the law. What it changed by is given in units of m g h, h being the height from which the lowest corner fell. Two things change
it: the law, whose work the book keeps by itself (`overlap_work`), and the time step. The book and smaller steps tell them apart.

Beside it a closed orbit: a grain is led down into the floor, turned in contact, led up, and turned back in the air. What the hand
that led it has spent, a potential would have given back.

How it is judged: energy counts as conserved if a bounce changes it by less than 1e-4 of m g h (rms) at the given time step. A
sketch had shown 1e-2 and 1e-6 for the two laws, so the bar lies between them, far from either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.algebra.quaternions import matrix
from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, parameter
from clast.experiments.shared.numbers import mean_error
from clast.laws.overlap import OverlapLaw
from clast.laws.overlap_energy import OverlapEnergy
from clast.laws.overlap_volume import OverlapVolume
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes import Solid, cuboid, ellipsoid_grain

HALF_AXES = (8e-3, 7e-3, 6e-3)  # m, CSM10's grains for heaps
APART, THICK = 0.03, 0.02  # m, between grains, and the floor
LAWS: dict[str, tuple[type[OverlapLaw], str]] = {
    "volume": (OverlapVolume, "CSM10's law"),
    "energy": (OverlapEnergy, "conserving law"),
}
COLOURS = {"volume": "C3", "energy": "C0"}
CONSERVED = 1e-4  # of m g h in a bounce, rms
RETURNED = 1e-6  # of the energy at the bottom of the orbit
LOOKS = 200  # samples in the time of the fall
FIRST = 4.0  # times that of the fall: by then every grain has bounced once
HALVINGS = 3  # of the time step, for the first bounce
STIFFER = (1.0 / 64.0, 1.0 / 8.0, 8.0, 64.0)  # times Y, for the first bounce
DEPTH, TILT = 0.06, 0.15  # of the longest half axis, and radians: how far a led grain is pressed and turned
PART = 0.05  # s, of each of the four parts of the orbit
ORBIT = 4000  # steps in a part


class PolyhedronEnergy(Parameters):
    """Grains, modulus and density are those of CSM10's heaps; how high they fall is our choice."""

    grains: int = parameter(24, "grains that bounce, each by itself", ge=2)
    until: float = parameter(2.0, "duration", "s", gt=0)
    height: float = parameter(0.02, "height of the drop", "m", gt=0, le=0.2)
    young: float = parameter(6.5e7, "modulus Y", "N/m²", gt=0)
    density: float = parameter(1000.0, "density", "kg/m³", gt=0)
    gravity: float = parameter(9.81, "gravity", "m/s²", gt=0)
    dt: float = parameter(1e-5, "time step", "s", gt=0)

    @property
    def fall(self) -> float:
        """Time of the fall [s]."""
        return math.sqrt(2.0 * self.height / self.gravity)


SIZES: Sizes = {"quick": {}, "full": {"grains": 100, "until": 10.0}}


def floor(width: float) -> Solid:
    """A plate with its top at z = 0, around the origin and as far as `width` along x."""
    return cuboid((width + 4.0 * APART, 4.0 * APART, THICK), 0.0).moved((0.5 * width, 0.0, -0.5 * THICK))


def dropped(kind: str, young: float, p: PolyhedronEnergy) -> Scene3D:
    """Grains of many shapes in random orientations over one floor, so far apart that they never meet."""
    rng = np.random.default_rng(p.seed)
    scene = Scene3D(law=LAWS[kind][0](young), gravity=(0.0, 0.0, -p.gravity))
    for k in range(p.grains):
        grain, turn = ellipsoid_grain(HALF_AXES, seed=rng), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        lowest = float((grain.vertices @ matrix(turn).T)[:, 2].min())
        scene.add(grain, (k * APART, 0.0, p.height - lowest), orientation=turn, density=p.density)
    scene.add_wall(floor((p.grains - 1) * APART))
    return scene


def bounces(kind: str, young: float, dt: float, until: float, p: PolyhedronEnergy) -> Columns:
    """A row for each highest point of each grain, the start being bounce 0.

    energy     what the grain has gained since the start [m g h]
    law        what the law has given it [m g h]; the rest is the time step's
    depth      largest V/|A| seen in the bounce over the L of the contact
    """
    scene = dropped(kind, young, p)
    engine = Engine(scene, dt=dt)
    mass = scene.bodies.column("mass")[: p.grains]
    unit = mass * p.gravity * p.height
    every = max(1, round(p.fall / LOOKS / dt))
    found: list[tuple[float, ...]] = [(k, 0, 0.0, 0.0, 0.0, 0.0) for k in range(p.grains)]
    counted, rising, deepest, start = np.zeros(p.grains, int), np.zeros(p.grains, bool), np.zeros(p.grains), np.zeros(p.grains)
    for step in range(0, math.ceil(until / dt) + 1, every):
        engine.advance(step)
        seen = engine.snapshot()
        book, contacts = seen.book, seen.contacts
        energy = (book["translational"] + book["rotational"])[: p.grains] + mass * p.gravity * seen.positions[: p.grains, 2]
        if step == 0:
            start = energy
        depth = np.zeros(len(scene))
        np.maximum.at(depth, contacts.first, contacts.depths / contacts.reaches)
        np.maximum.at(depth, contacts.second, contacts.depths / contacts.reaches)
        depth = depth[: p.grains]
        deepest = np.maximum(deepest, depth)
        up = seen.velocities[: p.grains, 2] > 0.0
        for k in np.flatnonzero(rising & ~up & (depth == 0.0)).tolist():
            counted[k] += 1
            given = -float(book["overlap_work"][k]) / unit[k]
            found.append((k, counted[k], engine.time, (energy[k] - start[k]) / unit[k], given, deepest[k]))
            deepest[k] = 0.0
        rising = up
    columns = np.array(sorted(found, key=lambda row: row[:2])).T
    return dict(zip(("grain", "bounce", "time", "energy", "law", "depth"), columns, strict=True))


def orbit(kind: str, dt: float, p: PolyhedronEnergy) -> Columns:
    """Lead a grain down into a floor, turn it there, lead it up and turn it back; returns columns, about 400 rows over time.

    time     [s]
    spent    work done on the grain since the start [J]
    height   that of its lowest corner at the start, without the turn [m]
    turned   angle from the orientation at the start [radians]
    """
    grain = ellipsoid_grain(HALF_AXES, seed=p.seed)
    lowest = float(grain.drawn()[:, 2].min() - grain.centre[2])
    down = DEPTH * HALF_AXES[0]
    clear = 0.1 * HALF_AXES[0]
    speed, spin = (down + clear) / PART, TILT / PART

    def smooth(t: float) -> float:
        return 1.0 - math.cos(2.0 * math.pi * t / PART)

    def vertical(t: float) -> float:
        return speed * smooth(t) * {0: -1.0, 2: 1.0}.get(int(t // PART), 0.0)

    def turning(t: float) -> float:
        return spin * smooth(t) * {1: 1.0, 3: -1.0}.get(int(t // PART), 0.0)

    scene = Scene3D(law=LAWS[kind][0](p.young))
    # nothing pushes along x and y, and a grain that is held there too would meet no wall
    lead = Velocity(z=vertical, spin_x=turning, spin_y=0.0, spin=0.0)
    scene.add(grain, (0.0, 0.0, clear - lowest), orientation=grain.orientation, density=p.density, tags=[lead])
    scene.add_wall(floor(0.0))
    engine = Engine(scene, dt=dt)
    steps, rows = round(4.0 * PART / dt), []
    for step in range(0, steps + 1, max(1, steps // 400)):
        engine.advance(step)
        seen = engine.snapshot()
        turned = 2.0 * math.acos(min(1.0, abs(float(seen.orientations[0] @ grain.orientation))))
        rows.append((engine.time, float(seen.book["work_tags"][0]), float(seen.positions[0, 2]) + lowest, turned))
    return dict(zip(("time", "spent", "height", "turned"), np.array(rows).T, strict=True))


def first_name(kind: str, halving: int) -> str:
    """Name of the table of first bounces with twice the time step, halved a few times."""
    return f"{kind}, Δt × {2.0 / 2**halving:g}"


def stiff_name(kind: str, factor: float) -> str:
    """Name of the table of first bounces with another modulus."""
    return f"{kind}, Y × {factor:g}"


def tables(p: PolyhedronEnergy, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """For each law many bounces, first bounces with smaller steps and with other moduli, and the closed orbit.

    A contact lasts about as long as Y^(−1/4), so the step goes along.
    """
    made: dict[str, Callable[[], Columns]] = {}
    short = FIRST * p.fall
    for kind in LAWS:
        made[kind] = partial(bounces, kind, p.young, p.dt, p.until, p)
        for halving in range(HALVINGS + 1):
            made[first_name(kind, halving)] = partial(bounces, kind, p.young, 2.0 * p.dt / 2**halving, short, p)
        for factor in STIFFER:
            made[stiff_name(kind, factor)] = partial(bounces, kind, p.young * factor, p.dt * factor**-0.25, short, p)
        made[f"{kind}, orbit"] = partial(orbit, kind, PART / ORBIT, p)
    return made


def changes(table: Mapping[str, np.ndarray], column: str = "energy") -> np.ndarray:
    """What every bounce of every grain changed [m g h]."""
    steps = np.diff(table[column])
    return np.asarray(steps[table["bounce"][1:] > 0.0])


def time_steps_share(table: Mapping[str, np.ndarray]) -> np.ndarray:
    """What the time step changed in every bounce [m g h]."""
    return changes(table) - changes(table, "law")


def first_changes(table: Mapping[str, np.ndarray]) -> np.ndarray:
    """What the first bounce of each grain changed [m g h]."""
    return np.asarray(table["energy"][table["bounce"] == 1.0])


def rms(values: np.ndarray) -> float:
    """Root of the mean square; NaN of nothing."""
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else math.nan


def not_returned(run: Run, kind: str) -> float:
    """What a closed orbit costs, over the most that was ever spent on it."""
    spent = run.tables[f"{kind}, orbit"]["spent"]
    return float(spent[-1] / spent.max())


def power(x: np.ndarray, y: np.ndarray) -> float:
    """Exponent of y ∝ xⁿ by least squares."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def steps_of(p: PolyhedronEnergy) -> np.ndarray:
    """Time steps of the first bounces [s], from the largest on."""
    return np.asarray(2.0 * p.dt / 2.0 ** np.arange(HALVINGS + 1))


def by_modulus(run: Run, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean deepest overlap V/(|A| L) of first bounces and the rms change of energy in them, from the softest grains to the
    hardest."""
    names = [stiff_name(kind, factor) for factor in STIFFER]
    names.insert(len(STIFFER) // 2, first_name(kind, 1))  # at the time step and modulus of the parameters
    chosen = [run.tables[name] for name in names]
    depths = np.array([float(table["depth"][table["bounce"] == 1.0].mean()) for table in chosen])
    return depths, np.array([rms(first_changes(table)) for table in chosen])


def evaluate(p: PolyhedronEnergy, run: Run) -> Sequence[Quantity]:
    """What a bounce does to the energy under each law, apart from the time step, and what a closed orbit costs."""
    quantities = []
    for kind, (_, law) in LAWS.items():
        table = run.tables[kind]
        all_of_them = changes(table)
        size = rms(all_of_them)
        published, claim = (0.0, "“always conserved”") if kind == "volume" else (None, "no paper gives a number")
        note = f"{claim}; {all_of_them.size} bounces of {p.grains} grains; agrees below {CONSERVED:g}"
        quantities.append(Quantity(f"{law}: rms change of energy in a bounce", size, "mgh", published, size < CONSERVED, note))
        mean, error = mean_error(all_of_them)
        note = f"± {error:.1g}; largest {np.abs(all_of_them).max():.2g}"
        quantities.append(Quantity(f"{law}: mean change in a bounce", mean, "mgh", note=note, error=error))
        quantities.append(Quantity(f"{law}: of which the time step, rms", rms(time_steps_share(table)), "mgh"))
    for kind, (_, law) in LAWS.items():
        sizes = np.array([rms(first_changes(run.tables[first_name(kind, k)])) for k in range(HALVINGS + 1)])
        listed = ", ".join(f"{size:.3g}" for size in sizes)
        exponent = power(steps_of(p), sizes)
        note = f"Δt = {steps_of(p)[0]:.2g} s and its halves: {listed}; so it goes as Δt^{exponent:.1f}"
        quantities.append(Quantity(f"{law}: rms change in the first bounce, smallest Δt", float(sizes[-1]), "mgh", note=note))
    depths, sizes = by_modulus(run, "volume")
    listed = ", ".join(f"{size:.2g} at {depth:.2g}" for depth, size in zip(depths, sizes, strict=True))
    note = f"depth V/|A| over L, moduli from Y/64 to 64 Y: {listed}"
    quantities.append(Quantity("CSM10's law: exponent of the change with depth", power(depths, sizes), note=note))
    for kind, (_, law) in LAWS.items():
        cost = not_returned(run, kind)
        pressed = f"pressed in by {DEPTH * HALF_AXES[0] * 1e3:.2g} mm, turned by {TILT} rad"
        note = f"of the most that was spent; agrees below {RETURNED:g}; {pressed}"
        published = 0.0 if kind == "volume" else None
        quantities.append(Quantity(f"{law}: closed orbit, not returned", cost, "", published, abs(cost) < RETURNED, note))
    return quantities


def merit(p: PolyhedronEnergy, _run: Run) -> Merit:
    """All drops together."""
    short = FIRST * p.fall
    steps = p.until / p.dt + (short / steps_of(p)).sum() + sum(short / p.dt * factor**0.25 for factor in STIFFER)
    return Merit(grains=p.grains, steps=round(len(LAWS) * float(steps)))


def figures(p: PolyhedronEnergy, run: Run, folder: Path) -> Sequence[Path]:
    """Energies over bounces and how they spread, sizes of changes, their dependence on Δt and depth, and the closed orbit."""
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 3, figsize=(14, 8), layout="constrained")
    draw_bounces(top, p, run)
    draw_causes(bottom, p, run)
    return [save_figure(figure, folder / "polyhedron-energy.png")]


def draw_bounces(row: Sequence[Axes], p: PolyhedronEnergy, run: Run) -> None:
    """Energies over bounces, how they spread, and the sizes of their changes."""
    energies, spread, sizes = row
    decades = np.arange(-11.0, 0.6, 0.25).tolist()
    for kind, (_, law) in LAWS.items():
        colour, table = COLOURS[kind], run.tables[kind]
        for k in range(p.grains):
            chosen = table["grain"] == k
            label = law if k == 0 else None
            energies.plot(table["bounce"][chosen], table["energy"][chosen], color=colour, lw=0.6, alpha=0.7, label=label)
        together = int(min(table["bounce"][table["grain"] == k].max() for k in range(p.grains)))
        numbers = np.arange(1, together + 1)
        spread.loglog(numbers, [rms(table["energy"][table["bounce"] == n]) for n in numbers], color=colour, label=law)
        moved = np.maximum(np.abs(changes(table)), 1e-11)
        sizes.hist(np.log10(moved), bins=decades, color=colour, alpha=0.6, label=law)
    sizes.axvline(math.log10(CONSERVED), color="k", ls="--", lw=1, label="what counts as conserved (rms)")
    energies.set(xlabel="bounce", ylabel="energy gained / mgh", title=f"{p.grains} grains, each by itself")
    spread.set(xlabel="bounce", ylabel="rms energy gained / mgh", title="how far energies have wandered")
    sizes.set(xlabel="log₁₀ |change of energy| / mgh", ylabel="bounces", title="all bounces")
    for axes in row:
        axes.legend(fontsize=8)


def draw_causes(row: Sequence[Axes], p: PolyhedronEnergy, run: Run) -> None:
    """How the change in the first bounce depends on Δt and on depth, and the closed orbit."""
    steps, depths, loop = row
    for kind, (_, law) in LAWS.items():
        size = [rms(first_changes(run.tables[first_name(kind, k)])) for k in range(HALVINGS + 1)]
        steps.loglog(steps_of(p), size, "o-", color=COLOURS[kind], label=law)
        depths.loglog(*by_modulus(run, kind), "o-", color=COLOURS[kind], label=law)
        orbit_of = run.tables[f"{kind}, orbit"]
        spent = orbit_of["spent"] / orbit_of["spent"].max()
        loop.plot(1e3 * orbit_of["time"], spent, color=COLOURS[kind], label=f"{law}: {spent[-1]:.1e} not returned")
    rest = [rms(time_steps_share(run.tables[first_name("volume", k)])) for k in range(HALVINGS + 1)]
    steps.loglog(steps_of(p), rest, "s--", color="C3", lw=0.8, ms=4, label="CSM10's law: of which the time step")
    steps.set(xlabel="Δt [s]", ylabel="rms change / mgh", title="first bounce, by time step")
    depths.set(xlabel="deepest overlap V/(|A| L)", ylabel="rms change / mgh", title="first bounce, by modulus")
    loop.set(xlabel="time [ms]", ylabel="spent on a led grain / most", title="closed orbit: in, turn, out, turn back")
    loop.set_ylim(-0.05, 1.35)
    steps.set_xticks(steps_of(p), [f"{each:.2g}" for each in steps_of(p)])
    depths.set_xticks([0.003, 0.01, 0.03], ["0.003", "0.01", "0.03"])
    steps.minorticks_off()
    depths.minorticks_off()
    depths.legend(fontsize=8)
    loop.legend(fontsize=8)
    steps.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.0, 0.93))


EXPERIMENT = Study(
    name="polyhedron-energy",
    paper="CSM10 §4.2",
    title="energy of polyhedra that bounce, under both laws of overlap",
    claim="no damping, no friction: energy is always conserved",
    sizes=SIZES,
    parameters=PolyhedronEnergy,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
