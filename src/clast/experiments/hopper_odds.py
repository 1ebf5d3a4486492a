"""Odds that a hopper jams, against its opening: cows, disks and a convex control, many seeds each (EPL08 fig 6).

The paper shows one run of each kind and is silent on damping, bin and filling. Whether a run jams is a matter of chance, so it is
a probability here: the share of the seeds that jam. Bin, filling and a run are those of `clast.experiments.hopper`.

The rules, written down before the runs. A run has jammed if grains remain and nobody came through y = 0 in the last 2 s of 8 s
after the opening; one from which all have come ends early. Errors of a share are Wilson's interval, one standard error to either
side. The cows are the stout one of all other experiments and one with longer legs, since the paper prints no coordinates; both
are judged. Cows "jam when the aperture is lower than 30 m" if at least half of the seeds jam at 20 m and at 25 m, and fewer than
half at 35 m and 40 m; 30 m itself is the limit and not judged. It is also printed where the odds are even. Disks "flow
continuously for all these apertures" if no seed jams from 20 m to 40 m. Arches that "may be larger than 20 particle diameters":
the longest of all cows' runs that jammed under that damping is. The convex control, regular pentagons, is held against the 4 to 6
diameters that the paper quotes for convex polygons, by the mean of its arches. Only 400 grains watched for 8 s are judged.

Everything is judged twice: without damping after the opening, which is the paper's law as printed, and with ζ = 0.2, since GM09,
by the same author and code, damps. For stout cows at 20 m and 25 m ζ = 0.05 and 0.5 stand beside, not judged.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from clast.dynamics.engine import Engine
from clast.errors import PhysicsError
from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Sizes, Study, Variants, parameter
from clast.experiments.hopper import DIAMETER, QUIET, Hopper, Kind, build, count, held_arch, hopper, is_jammed
from clast.experiments.shared.arches import arch_between
from clast.experiments.shared.jams import draw_odds, draw_outflow, draw_paper
from clast.experiments.shared.numbers import mean_error, wilson, with_error
from clast.measures.book import ACCOUNTS, Book
from clast.measures.snapshots.accounts import accounts
from clast.output.figures.plane import save_figure
from clast.output.store.reader import Run, StudyTable
from clast.scene.plane import Scene

ZETAS = (0.2, 0.0)  # damping after the opening, of critical: what is judged
BESIDE = (0.05, 0.5)  # of stout cows, where the paper's jam
SAMPLE = 0.05  # s
PAPER = 30.0  # m: cows jam below
LONG, CONVEX = 20.0, (4.0, 6.0)  # diameters: arches of cows, and of convex polygons
COWS: tuple[Kind, ...] = ("cow", "long-legged-cow")
END = ": end"
NAMES: Mapping[Kind, str] = {
    "cow": "cows", "long-legged-cow": "long-legged cows", "disk": "disks", "pentagon": "pentagons"
}  # fmt: skip


class HopperOdds(Parameters):
    """One run per shape, opening, damping and seed; the law is that of `hopper`."""

    grains: int = parameter(400, "number of grains", "", ge=2)
    width: float = parameter(80.0, "width of the bin", "m", gt=0)
    side: float = parameter(120.0, "height of the side walls above the slopes", "m", gt=0)
    narrowest: float = parameter(15.0, "smallest opening", "m", gt=0)
    widest: float = parameter(40.0, "largest opening", "m", gt=0)
    openings: int = parameter(6, "number of openings, evenly spaced", "", ge=1)
    seeds: int = parameter(8, "runs of each kind, with seeds from --seed on", "", ge=1)
    until: float = parameter(8.0, "duration after opening", "s", gt=QUIET)
    dt: float = parameter(1e-5, "time step", "s", gt=0)
    friction: float = parameter(0.5, "friction μ of grains and walls", "", ge=0)


SIZES: Sizes = {
    "quick": {
        "grains": 40, "width": 26.0, "side": 60.0, "narrowest": 10.0, "widest": 14.0, "openings": 2, "seeds": 2, "until": 4.0
    },
    "full": {},
}  # fmt: skip
VARIANTS: Variants = {}


class Case(NamedTuple):
    """One run."""

    zeta: float
    shape: Kind
    aperture: float
    seed: int

    @property
    def name(self) -> str:
        """Name of its table."""
        return f"ζ {self.zeta:g}, {self.shape}, {self.aperture:g} m, seed {self.seed}"


def apertures_of(p: HopperOdds) -> list[float]:
    """The openings [m]."""
    return [float(each) for each in np.linspace(p.narrowest, p.widest, p.openings)]


def kinds_of(p: HopperOdds) -> list[tuple[float, Kind, float]]:
    """Damping, shape and opening of all runs; what matters most comes first."""
    judged = [(zeta, shape, aperture) for zeta in ZETAS for shape in get_args(Kind) for aperture in apertures_of(p)]
    return judged + [(zeta, "cow", aperture) for zeta in BESIDE for aperture in apertures_of(p) if 20.0 <= aperture < PAPER]


def cases_of(p: HopperOdds) -> list[Case]:
    """All runs; those of a kind by seed."""
    return [Case(*kind, p.seed + k) for kind in kinds_of(p) for k in range(p.seeds)]


def hopper_of(p: HopperOdds, case: Case) -> Hopper:
    """The parameters of one run."""
    return Hopper(
        shape=case.shape, aperture=case.aperture, zeta=case.zeta, seed=case.seed, grains=p.grains, width=p.width, side=p.side,
        until=p.until, dt=p.dt, friction=p.friction,
    )  # fmt: skip


def discharged(p: HopperOdds, case: Case, threads: int | str) -> tuple[Columns, Columns]:
    """One run, from the filling to the end: what is counted over time with the book, and where all bodies are at the end.

    A run that breaks off, because grains are pressed into each other too deeply, leaves the rows until then, and `broken` 1.
    """
    given = hopper_of(p, case)
    rows: list[dict[str, float]] = []
    engine = Engine(build(given), dt=p.dt, threads=threads)
    broken = 0.0
    try:
        for step in np.unique(np.round(np.linspace(0.0, p.until, 1 + round(p.until / SAMPLE)) / p.dt).astype(int)):
            engine.advance(int(step))
            snapshot = engine.snapshot()
            found = {**count(engine, snapshot), **accounts(engine, snapshot)}
            rows.append({"time": engine.time, **found, "deepest": float(snapshot.contacts.depths.max(initial=0.0))})
            if found["through"] == p.grains:
                break
    except PhysicsError:
        broken = 1.0
    series = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    ends = {"x": engine.positions[:, 0], "y": engine.positions[:, 1], "angle": engine.angles, "present": 1.0 * engine.present}
    return {**series, "broken": np.full(len(rows), broken), "step": np.full(len(rows), engine.step)}, ends


def tables(p: HopperOdds, threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """Two tables of each run: over time, and the bodies at the end."""
    wanted: dict[str, Callable[[], Columns]] = {}
    for case in cases_of(p):
        made = cache(partial(discharged, p, case, threads))
        for number, part in enumerate(("", END)):
            wanted[case.name + part] = partial(lambda made, number: made()[number], made, number)
    return wanted


# --- what is read off ------------------------------------------------------------------------------------------------


class Odds(NamedTuple):
    """The runs of one kind: how many jammed of how many that came to their end, and their arches [diameters, grains]."""

    jammed: int
    runs: int
    broken: int
    arches: np.ndarray
    links: np.ndarray

    @property
    def share(self) -> float:
        """Jam probability; NaN where no run came to its end."""
        return self.jammed / self.runs if self.runs else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of it."""
        return wilson(self.jammed, self.runs) if self.runs else (math.nan, math.nan)


def made(p: HopperOdds, run: Run, zeta: float, shape: Kind, aperture: float) -> list[StudyTable]:
    """The runs of one kind; of a study that goes on those that are there."""
    names = [Case(zeta, shape, aperture, p.seed + k).name for k in range(p.seeds)]
    return [run.tables[name] for name in names if name in run.tables]


def odds_of(p: HopperOdds, run: Run, zeta: float, shape: Kind, aperture: float) -> Odds:
    """How the runs of one kind ended."""
    ends = [outcome(table, p.grains) for table in made(p, run, zeta, shape, aperture)]
    arches = np.array([each[1:] for each in ends if each[0] and np.isfinite(each[1])]).reshape(-1, 2)
    known = [each[0] for each in ends if each[0] is not None]
    return Odds(sum(known), len(known), len(ends) - len(known), arches[:, 0] / DIAMETER, arches[:, 1])


def outcome(table: Any, grains: int) -> tuple[bool | None, float, float]:
    """Whether a run jammed (None: it broke off), and the length [m] and the grains of its arch; NaN where none was seen."""
    if table["broken"][0]:
        return None, math.nan, math.nan
    time, through = table["time"], table["through"]
    if not is_jammed(time, through, grains):  # None for one that was empty too soon
        return False, math.nan, math.nan
    last = time >= time[-1] - QUIET
    return True, *held_arch(table["arch_length"][last], table["arch"][last])


def all_odds(p: HopperOdds, run: Run) -> dict[tuple[float, Kind], dict[float, Odds]]:
    """Odds by opening, for each damping and shape."""
    found: dict[tuple[float, Kind], dict[float, Odds]] = {}
    for zeta, shape, aperture in kinds_of(p):
        found.setdefault((zeta, shape), {})[aperture] = odds_of(p, run, zeta, shape, aperture)
    return found


def even_odds(odds: Mapping[float, Odds]) -> float:
    """The opening at which the share falls through ½, by straight lines [m]; NaN where it does not."""
    wide = sorted(odds)
    for low, high in zip(wide[-2::-1], wide[:0:-1], strict=True):  # from the widest on: the last fall
        above, under = odds[low].share, odds[high].share
        if above >= 0.5 > under:
            return low + (high - low) * (above - 0.5) / (above - under)
    return math.nan


def jams_below(odds: Mapping[float, Odds]) -> bool | None:
    """Whether cows jam below 30 m by the rule above; None where an opening of the paper is missing."""
    if not {20.0, 25.0, 35.0, 40.0} <= odds.keys():
        return None
    return all((odds[a].share >= 0.5) == (a < PAPER) for a in (20.0, 25.0, 35.0, 40.0))


def evaluate(p: HopperOdds, run: Run) -> Sequence[Quantity]:
    """The claims of the paper under each damping, then every probability."""
    found = all_odds(p, run)
    shown: list[Quantity] = []
    for zeta in ZETAS:
        for shape in COWS:
            shown += judged_cows(zeta, shape, found[zeta, shape])
        shown += judged_round(zeta, found[zeta, "disk"]) + judged_convex(zeta, found[zeta, "pentagon"])
    if p.grains != 400 or p.until < 8.0:  # not the paper's
        shown = [replace(each, agrees=None) for each in shown]
    for (zeta, shape), odds in found.items():
        for aperture, each in odds.items():
            shown.append(probability(f"{NAMES[shape]}, {aperture:g} m, ζ = {zeta:g}: jam probability", each))
    return shown + soundness(p, run)


def judged_cows(zeta: float, shape: Kind, odds: Mapping[float, Odds]) -> list[Quantity]:
    """Where cows jam, and their arches."""
    agrees, who = jams_below(odds), f"{NAMES[shape]}, ζ = {zeta:g}"
    listed = "; ".join(f"{each.jammed} of {each.runs} at {aperture:g} m" for aperture, each in odds.items())
    why = ""
    if agrees is False:
        calm = "without damping nothing but friction calms an arch, and grains shake it loose again"
        why = f"; {calm}" if zeta == 0.0 else "; the paper is silent on bin, filling and damping, and shows one run of each kind"
    note = f"{listed}; bar: at least half at 20 and 25 m, fewer at 35 and 40 m{why}"
    arches = np.concatenate([each.arches for each in odds.values()])
    longest = float(arches.max()) if arches.size else math.nan
    of = f"longest of {arches.size}, mean {with_error(*mean_error(arches))}" if arches.size else "no run jammed"
    return [
        Quantity(f"{who}: even odds to jam at", even_odds(odds), "m", PAPER, agrees, note),
        Quantity(
            f"{who}: longest arch", longest, "diameters", LONG, bool(longest > LONG) if arches.size else None,
            f"{of}; published 'may be larger than 20'; shortest chain of contacts from wall to wall",
        ),
    ]  # fmt: skip


def judged_round(zeta: float, odds: Mapping[float, Odds]) -> list[Quantity]:
    """Whether disks flow at all openings of the paper."""
    mine = {aperture: each for aperture, each in odds.items() if 20.0 <= aperture <= 40.0}
    jammed, runs = sum(each.jammed for each in mine.values()), sum(each.runs for each in mine.values())
    below = "; ".join(f"{each.jammed} of {each.runs} at {aperture:g} m" for aperture, each in odds.items() if aperture < 20.0)
    share = jammed / runs if runs else math.nan
    note = f"{jammed} of {runs} from 20 m to 40 m" + (f"; {below}" if below else "")
    return [Quantity(f"disks, ζ = {zeta:g}: jammed", share, "", 0.0, jammed == 0 if runs else None, note)]


def judged_convex(zeta: float, odds: Mapping[float, Odds]) -> list[Quantity]:
    """Arches of the convex control."""
    arches = np.concatenate([each.arches for each in odds.values()])
    mean, error = mean_error(arches)
    narrow = min(odds) / DIAMETER
    note = f"mean of {arches.size} arches, {with_error(mean, error)}" if arches.size else "no run jammed"
    note += f"; published 4 to 6; over the narrowest opening none is shorter than {narrow:.1f}"
    agrees = bool(CONVEX[0] <= mean <= CONVEX[1]) if arches.size else None
    return [Quantity(f"pentagons, ζ = {zeta:g}: arch", mean, "diameters", float(np.mean(CONVEX)), agrees, note)]


def probability(name: str, odds: Odds) -> Quantity:
    """One probability with its interval."""
    low, high = odds.interval
    arch = (
        f"; arches {with_error(*mean_error(odds.arches))} diameters, {odds.links.mean():.1f} grains" if odds.arches.size else ""
    )
    broken = f"; {odds.broken} broke off" if odds.broken else ""
    return Quantity(name, odds.share, note=f"{odds.jammed} of {odds.runs}; {low:.2f} to {high:.2f}{arch}{broken}")


def book_of(table: Any) -> Book:
    """The energy book of a run."""
    return Book(table["time"], {name: table[name] for name in ACCOUNTS})


def soundness(p: HopperOdds, run: Run) -> list[Quantity]:
    """The worst book and the deepest overlap of all runs."""
    mine = [run.tables[case.name] for case in cases_of(p)]
    deepest = max(float(each["deepest"].max()) for each in mine)
    worst = max(book_of(each).energy_error for each in mine)
    return [
        Quantity("largest energy error", worst, note=f"of {len(mine)} runs"),
        Quantity("deepest overlap", deepest, "m", note="at samples; r = 0.1 m for all but disks"),
    ]


def merit(p: HopperOdds, run: Run) -> Merit:
    """Steps of all runs, without those of the filling; the worst book."""
    mine = [run.tables[case.name] for case in cases_of(p)]
    return Merit(
        grains=p.grains,
        steps=sum(int(each["step"][0]) for each in mine),
        energy_error=max(book_of(each).energy_error for each in mine),
    )


# --- pictures --------------------------------------------------------------------------------------------------------


def figures(p: HopperOdds, run: Run, folder: Path) -> Sequence[Path]:
    """The paper's picture, what came out against time, and the odds against the opening, beside the paper's."""
    outflow: dict[tuple[float, str, float], list[StudyTable]] = {kind: made(p, run, *kind) for kind in kinds_of(p)}
    curves: dict[tuple[float, str], dict[float, tuple[float, float, float]]] = {
        (zeta, shape): {aperture: (each.share, *each.interval) for aperture, each in odds.items() if each.runs}
        for (zeta, shape), odds in all_odds(p, run).items()
    }
    shown = sorted({min(apertures_of(p), key=lambda each: abs(each - wanted)) for wanted in (20.0, PAPER)})
    ends = [[ended(p, run, Case(ZETAS[0], shape, aperture, p.seed)) for shape in ("disk", "cow")] for aperture in shown]
    return [
        save_figure(draw_odds(curves, ZETAS, NAMES, PAPER), folder / "odds.png"),
        save_figure(draw_outflow(outflow, ZETAS, ("disk", "cow"), NAMES, p.grains, p.until), folder / "outflow.png"),
        save_figure(draw_paper(ends, p.width), folder / "hoppers.png"),
    ]


def ended(p: HopperOdds, run: Run, case: Case) -> tuple[str, Scene, np.ndarray, np.ndarray] | None:
    """A title, the scene of a run, where its bodies were at the end: x, y, angle, present (bodies, 4), and who forms an arch;
    None while it is not made."""
    if case.name + END not in run.tables:
        return None
    table, series = run.tables[case.name + END], run.tables[case.name]
    scene = hopper(hopper_of(p, case), 0.0, gate=False)
    bodies = np.column_stack([table[name] for name in ("x", "y", "angle", "present")])
    jammed = outcome(series, p.grains)[0]
    title = f"{NAMES[case.shape]}, {case.aperture:g} m, after {series['time'][-1]:.3g} s" + (": jammed" if jammed else "")
    return title, scene, bodies, arch_of(scene, bodies) if jammed else np.zeros(0, int)


def arch_of(scene: Scene, bodies: np.ndarray) -> np.ndarray:
    """Ids of the grains of the arch, of bodies that lie at x, y, angle (bodies, 4); the walls are the last two."""
    *grains, left, right = range(len(scene.bodies))
    there = [k for k in grains if bodies[k, 3] != 0.0]
    seen = Scene(law=scene.default_law)
    for k in there:
        seen.add(scene.bodies[k].shape, bodies[k, :2], angle=bodies[k, 2])
    for k in (left, right):
        seen.add_wall(scene.bodies[k].shape)
    contacts = Engine(seen, dt=1e-5).contacts()
    return np.array(there, int)[arch_between(len(there), len(there) + 1, contacts, len(there) + 2).grains]


EXPERIMENT = Study(
    name="hopper-odds",
    paper="EPL08 fig 6",
    title="odds that cows, disks and pentagons jam in a hopper",
    claim="cows jam below 30 m, under arches of more than 20 diameters; disks flow at all apertures",
    sizes=SIZES,
    variants=VARIANTS,
    parameters=HopperOdds,
    tables=tables,
    evaluate=evaluate,
    merit=merit,
    figures=figures,
)
