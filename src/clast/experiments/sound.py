"""A blow runs down a chain of blocks as fast as sound in a rod, whatever the length of a block (CSM10 fig 12-14).

Blocks 1 × 1 × 1 m and 2 × 1 × 1 m just touch; no gravity, no friction. Block 1 gets a thousandth of c = √(Y/ρ), and the blow
has arrived at a block when its velocity has its first peak. The speed at block n is taken over ten blocks:

    c_n = 10 L / (t_{n+10} − t_n)

CSM10 divides by L_c so that this does not depend on L. The speed comes to c from below: a chain disperses, its shortest waves are
the slowest. Contacts that also pulled would make the linear chain of masses, with v_n ∝ J_{2n−1}(2ct/L)/t, whose peak runs at
c (1 − 0.17 n^(−2/3)) far down; that blocks part behind the blow takes half as much off again. What is published is a drawn curve;
the numbers it is judged by are those expected of contacts that only push, laid down before the first run. The end of the chain
is felt by some blocks before it, which nobody holds back: the last ten are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from clast.dynamics.engine import Engine
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Study, parameter
from clast.experiments.shared.numbers import within
from clast.laws.overlap import OverlapLaw
from clast.laws.overlap_energy import OverlapEnergy
from clast.laws.overlap_volume import OverlapVolume
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.shapes import cuboid

LENGTHS = (1.0, 2.0)  # m, of a block along the chain
FACE = 1.0  # m², across it
LAWS = {"volume": "CSM10's law", "energy": "conserving law"}
EXPECTED = {5: 0.94, 50: 0.982, 100: 0.988, 380: 0.996}  # of √(Y/ρ), for contacts that only push
NEAR = 0.005  # of these
SAME = 0.002  # between block lengths, and between laws
ARRIVED = 0.01  # of √(Y/ρ): what counts as having come to it
STRAIGHT = 1e-12  # of the blow: what may go sideways, or turn
SPAN = 10  # blocks over which a speed is taken
END = 10  # blocks, at the end of the chain, that feel it
PER_LENGTH = 12  # samples in L/c, about
FIRST, SHORT, WATCHED = 6, 24, 10.0  # blocks shown, in a chain of so many, for so many L/c


class Sound(Parameters):
    """CSM10 §5.1; the blow and the time step are our choice."""

    young: float = parameter(2e7, "modulus Y", "N/m²", gt=0)
    density: float = parameter(5000.0, "density ρ", "kg/m³", gt=0)
    blocks: int = parameter(400, "blocks in a chain", ge=30)
    blow: float = parameter(1e-3, "velocity of the first block at the start", "√(Y/ρ)", gt=0, le=0.05)
    steps: int = parameter(50, "time steps in L/c", ge=15)

    @property
    def speed(self) -> float:
        """c = √(Y/ρ) of a rod [m/s]."""
        return math.sqrt(self.young / self.density)


def law_of(kind: str, length: float, p: Sound) -> OverlapLaw:
    """CSM10's law, or the one with a potential made for blocks of this length."""
    return OverlapVolume(p.young) if kind == "volume" else OverlapEnergy(p.young, length=length, section=FACE)


def chain(kind: str, length: float, blocks: int, p: Sound) -> Scene3D:
    """Blocks in a row along x from the origin on, each touching the next, of which the first is struck."""
    scene = Scene3D(law=law_of(kind, length, p))
    block = cuboid((length, math.sqrt(FACE), math.sqrt(FACE)), 0.0)
    for k in range(blocks):
        velocity = (p.blow * p.speed if k == 0 else 0.0, 0.0, 0.0)
        scene.add_drawn(block, (k * length, 0.0, 0.0), velocity=velocity, density=p.density)
    return scene


def watch(scene: Scene3D, dt: float, until: float, every: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (k,), velocities (k, n) of all blocks along the chain, and the largest part (n,) of their motion that is not along
    it: speed across [m/s], or spin [1/s] times the longest half diagonal."""
    engine = Engine(scene, dt=dt)
    reach = scene.bodies.of_shapes(lambda solid: solid.reach)
    times, along, aside = [], [], np.zeros(len(scene))
    for step in range(0, math.ceil(until / dt) + every, every):
        engine.advance(step)
        seen = engine.snapshot()
        times.append(engine.time)
        along.append(seen.velocities[:, 0])
        turning = reach * np.linalg.norm(seen.spins, axis=1)
        aside = np.maximum(aside, np.maximum(np.abs(seen.velocities[:, 1:]).max(axis=1), turning))
    return np.array(times), np.array(along), aside


def first_peak(times: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Time and height of the first peak above half of the largest value: the top of the parabola through three samples.

    A peak at the first sample is left there.
    """
    inner = (values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:]) & (values[1:-1] > 0.5 * values.max())
    if values.argmax() == 0 or not inner.any():
        k = int(values.argmax())
        return float(times[k]), float(values[k])
    k = int(np.flatnonzero(inner)[0]) + 1
    before, top, after = values[k - 1 : k + 2]
    slope, bend = 0.5 * (after - before), before - 2.0 * top + after
    return float(times[k] - slope / bend * (times[k] - times[k - 1])), float(top - 0.5 * slope**2 / bend)


def duration(p: Sound) -> float:
    """How long a chain is followed, in L/c: the front grows wide and arrives later by about n^(1/3)."""
    return p.blocks + 2.0 * p.blocks ** (1.0 / 3.0) + 5.0


def arrivals(kind: str, length: float, p: Sound) -> Columns:
    """Arrival [s] and height of the first peak [of the blow] of each block, and what went sideways. The last block has none:
    nobody slows it down."""
    dt = length / p.speed / p.steps
    until = duration(p) * length / p.speed
    times, along, aside = watch(chain(kind, length, p.blocks, p), dt, until, max(1, p.steps // PER_LENGTH))
    peaks = np.array([first_peak(times, along[:, k]) for k in range(p.blocks - 1)])
    blow = p.blow * p.speed
    return {
        "block": np.arange(1.0, p.blocks),
        "arrival": peaks[:, 0],
        "peak": peaks[:, 1] / blow,
        "sideways": aside[:-1] / blow,
    }


def beginning(length: float, p: Sound) -> Columns:
    """Velocities of the first blocks over time, at every step, over the blow. A short chain is enough: its end is too far."""
    dt = length / p.speed / p.steps
    times, along, _ = watch(chain("volume", length, min(SHORT, p.blocks), p), dt, WATCHED * length / p.speed, 1)
    return {"time": times, **{f"block {k + 1}": along[:, k] / (p.blow * p.speed) for k in range(FIRST)}}


def chain_name(kind: str, length: float) -> str:
    """Name of the table of a chain."""
    return f"{kind}, {length:g} m"


def tables(p: Sound, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A chain for each law and length, and the beginning of two of them."""
    made: dict[str, Callable[[], Columns]] = {f"beginning, {length:g} m": partial(beginning, length, p) for length in LENGTHS}
    for kind in LAWS:
        made |= {chain_name(kind, length): partial(arrivals, kind, length, p) for length in LENGTHS}
    return made


def speeds(run: Run, kind: str, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Numbers n of blocks, and c_n [m/s]; the last ten blocks of the chain are not used."""
    table = run.tables[chain_name(kind, length)]
    used = table["arrival"][: table.rows + 1 - END]
    return table["block"][: len(used) - SPAN], SPAN * length / (used[SPAN:] - used[:-SPAN])


def of_pulling_contacts(blocks: np.ndarray) -> np.ndarray:
    """c_n/c if contacts could pull: from the first peaks of (2n−1) J_{2n−1}(2τ)/τ, n = 1 being the struck end of the chain."""
    from scipy.optimize import brentq
    from scipy.special import jv

    def peak(n: float) -> float:
        order = 2.0 * n - 1.0

        def slope(x: float) -> float:
            return float(x * jv(order - 1.0, x) - (order + 1.0) * jv(order, x))

        return 0.5 * float(brentq(slope, order, order + 2.2 * order ** (1.0 / 3.0) + 0.5)) if n > 1.0 else 0.0

    return np.array([SPAN / (peak(n + SPAN) - peak(n)) for n in blocks.tolist()])


def evaluate(p: Sound, run: Run) -> Sequence[Quantity]:
    """Speeds beside what is expected, and how little they depend on the length of blocks and on the law."""
    found = {(kind, length): speeds(run, kind, length) for kind in LAWS for length in LENGTHS}
    quantities = []
    judged = [n for n in EXPECTED if n <= found["volume", LENGTHS[0]][0][-1]]
    for length in LENGTHS:
        share = found["volume", length][1] / p.speed
        for n in judged:
            agrees = within(float(share[n - 1]), EXPECTED[n], NEAR * EXPECTED[n])
            note = f"expected of contacts that only push, ± {NEAR:.1%}; the paper draws a curve from below"
            quantities.append(Quantity(f"{length:g} m: c_{n}/√(Y/ρ)", float(share[n - 1]), "", EXPECTED[n], agrees, note))
        if judged and judged[-1] == max(EXPECTED):
            last = float(found["volume", length][1][judged[-1] - 1])
            note = f"“converge to C_bulk”; agrees within {ARRIVED:.0%}"
            agrees = within(last, p.speed, ARRIVED * p.speed)
            quantities.append(Quantity(f"{length:g} m: speed at block {judged[-1]}", last, "m/s", p.speed, agrees, note))
    for kind, law in LAWS.items():
        (_, one), (_, other) = (found[kind, length] for length in LENGTHS)
        apart = float(np.abs(one / other - 1.0).max())
        note = f"{law}; largest; agrees below {SAME:.1%}"
        quantities.append(Quantity(f"{kind}: speeds of both lengths apart", apart, "", 0.0, apart < SAME, note))
    apart = max(float(np.abs(found["energy", length][1] / found["volume", length][1] - 1.0).max()) for length in LENGTHS)
    note = f"largest; agrees below {SAME:.1%}; CSM10's push is Y A dx/(L − dx), a little stiffer than Y A dx/L"
    quantities.append(Quantity("speeds of both laws apart", apart, "", 0.0, apart < SAME, note))
    aside = max(float(run.tables[chain_name(*key)]["sideways"].max()) for key in found)
    note = f"largest speed across or by turning / blow; sides are coplanar all along; our bar {STRAIGHT:g}"
    return [*quantities, Quantity("sideways motion", aside, "", 0.0, aside < STRAIGHT, note)]


def merit(p: Sound, _run: Run) -> Merit:
    """All chains together."""
    return Merit(grains=p.blocks, steps=len(LAWS) * len(LENGTHS) * round(duration(p) * p.steps))


def figures(p: Sound, run: Run, folder: Path) -> Sequence[Path]:
    """Velocities of the first blocks (fig 13) and speed against block number (fig 14)."""
    import matplotlib.pyplot as plt

    figure, (*courses, right) = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained", width_ratios=(1, 1, 1.3))
    for axes, length in zip(courses, LENGTHS, strict=True):
        draw_course(axes, p, run, length)
    courses[0].legend(fontsize=8)
    draw_speeds(right, p, run)
    return [save_figure(figure, folder / "sound.png")]


def draw_course(axes: Axes, p: Sound, run: Run, length: float) -> None:
    """Velocities of the first blocks of a length, with their first peaks."""
    table = run.tables[f"beginning, {length:g} m"]
    for k in range(1, FIRST + 1):
        values = table[f"block {k}"]
        axes.plot(1e3 * table["time"], values, lw=1.2, color=f"C{k - 1}", label=f"block {k}")
        time, top = first_peak(table["time"], values)
        axes.plot(1e3 * time, top, "o", ms=4, color=f"C{k - 1}")
    axes.set(xlabel="time [ms]", ylabel="velocity / blow", title=f"the first blocks, {length:g} m long", ylim=(-0.3, 1.05))
    axes.set_xlim(0.0, 1e3 * WATCHED * length / p.speed)


def draw_speeds(axes: Axes, p: Sound, run: Run) -> None:
    """Speed against the number of the block, for both lengths and both laws."""
    for (kind, length), style in zip(((k, x) for k in LAWS for x in LENGTHS), ("C0-", "C1o", "C2--", "C3x"), strict=True):
        blocks, speed = speeds(run, kind, length)
        chosen = slice(None) if style[-1] == "-" else np.unique(np.geomspace(1, len(blocks), 16).astype(int) - 1)
        axes.semilogx(blocks[chosen], speed[chosen], style, ms=5, lw=1.5, label=f"{length:g} m, {LAWS[kind]}")
    blocks = np.unique(np.geomspace(1.0, p.blocks - SPAN - END, 60).round())
    axes.semilogx(blocks, p.speed * of_pulling_contacts(blocks), "k:", lw=1, label="if contacts could pull")
    axes.axhline(p.speed, color="k", ls="--", lw=1, label=f"√(Y/ρ) = {p.speed:.4g} m/s")
    axes.set(xlabel="block n", ylabel="speed over ten blocks [m/s]", title="speed of the blow")
    axes.set(ylim=(0.9 * p.speed, 1.02 * p.speed), xlim=(1.7, None))
    axes.legend(fontsize=8, loc="lower right")


EXPERIMENT = Study(
    name="sound",
    paper="CSM10 fig 12-14",
    title="speed of sound in chains of blocks",
    claim="chains of short and of long blocks: speed → √(Y/ρ) = 63.25 m/s",
    parameters=Sound,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
