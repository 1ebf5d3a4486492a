"""A net under rebuilds of the code: what short runs come to, bit by bit, recorded by one version and compared by another.

    python benchmarks/net.py --out net.json          before: ten seconds, and four minutes where all kernels must be compiled
    python benchmarks/net.py --against net.json      after: names what differs, and by how much; exit 1 where anything does

With PYTHONPATH=../old/src the package of another checkout is run, so a record can be made afterwards too.
Runs are short, but each has contacts that open and close, slide and change hands, and lists that are renewed. Between them they
have all families, laws and integrators. Bits are those of one processor and one numba: compare on the machine that recorded.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers import machine

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "tools"))  # where small scenes are

import falling_grains
import grid_scenes

from clast import Engine
from clast.errors import ClastError
from clast.laws import Cohesion, HertzMindlin, Linear, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Force, Velocity
from clast.shapes import cow, cuboid, disk, segment, sphere, sphere_clump

STICKY = Linear(1e4, 5e3, friction=0.5, rolling=Rolling(1e3, 1e-3), cohesion=Cohesion(5.0, 0.02), **grid_scenes.ROUGH)


class Run(NamedTuple):
    """A scene and how it is stepped."""

    make: Callable[[], Any]
    steps: int = 800
    integrator: str = "verlet"
    dt: float = grid_scenes.DT
    alpha: float = 0.01


def all_pairs() -> Scene:
    """Cows that count every pair of vertex and edge."""
    scene = Scene(law=Linear(1e4), box=Box(7.0, 7.0), counting="all-pairs")
    for k in range(4):
        scene.add(cow(), (3.4 * (k % 2), 3.4 * (k // 2)), velocity=(1.0 - k, 0.5 * k), spin=1.0 - k)
    return scene


def sticky_solids() -> Scene3D:
    """Cubes, spheres and clumps with rolling and cohesion on a plate that a tag moves, under a lid that a force pushes."""
    scene = Scene3D(law=STICKY, gravity=(0.0, 0.0, -100.0))
    solids = (cuboid((0.8,) * 3, 0.1), sphere(0.5), sphere_clump([(0, 0, 0), (0.4, 0, 0), (0.2, 0.3, 0)], 0.4))
    for k in range(6):
        scene.add(solids[k % 3], (0.97 * (k % 3), 0.97 * (k // 3), 0.98), velocity=(0.4 - 0.2 * k, 0.1, -0.3), spin=(1.0, k, 0.5))
    still = {"spin_x": 0.0, "spin_y": 0.0, "spin": 0.0}
    scene.add_wall(cuboid((8.0, 8.0, 0.8), 0.1), tags=(Velocity(x=0.2, y=0.0, z=0.0, **still),))
    lid = cuboid((8.0, 8.0, 0.4), 0.1)
    scene.add(lid, (0.0, 0.0, 1.82), density=1.0, big=True, tags=(Velocity(x=0.0, y=0.0, **still), Force(z=-200.0)))
    return scene


def mindlin_spheres() -> Scene3D:
    """Spheres with Hertz and Mindlin's law and its dashpots, and a drag."""
    law = HertzMindlin.of_material(young=1e6, poisson=0.3, friction=0.4, restitution=0.6)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -10.0), drag=0.5)
    for k in range(4):
        scene.add(sphere(0.5), (0.99 * k, 0.1 * k, 0.0), velocity=(1.0 - k, 0.0, 0.2), spin=(0.0, k, 1.0))
    return scene


def removed_disks() -> Scene:
    """Disks on a short floor; who falls past it leaves the run."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, **grid_scenes.ROUGH), gravity=(0.0, -10.0), remove_below=-0.5)
    for k in range(6):
        scene.add(disk(0.3), (0.58 * k, -0.1 * k - 0.28), velocity=(0.1 * k, -4.0 * k))
    scene.add_wall(segment((-1.0, -0.7), (0.9, -0.7), 0.1))
    return scene


RUNS: dict[str, Run] = {
    **{name: Run(make, integrator="gear4" if name == "gear" else "verlet") for name, make in grid_scenes.SCENES.items()},
    "gear5_cubes": Run(grid_scenes.cubes, integrator="gear5"),
    "gear4_sharp_cubes": Run(grid_scenes.sharp_cubes, integrator="gear4"),
    "all_pairs": Run(all_pairs),
    "sticky_solids": Run(sticky_solids),
    "mindlin_spheres": Run(mindlin_spheres),
    "removed_disks": Run(removed_disks, 3000),
    "hexagons_and_disks": Run(falling_grains.hexagons_and_disks, 1500, dt=falling_grains.DT, alpha=falling_grains.ALPHA),
    "cubes_and_spheres": Run(falling_grains.cubes_and_spheres, 2500, dt=falling_grains.DT, alpha=falling_grains.ALPHA),
}


def carried_out(run: Run, threads: int = 1) -> dict[str, Any]:
    """What a run comes to, as it is recorded: hashes, numbers by name, energies of the book."""
    engine = Engine(run.make(), dt=run.dt, alpha=run.alpha, integrator=run.integrator, threads=threads)
    engine.advance(run.steps)
    seen, (tables, _) = engine.snapshot(), engine.checkpoint()
    contacts, springs = seen.contacts, engine.springs()
    numbers = {
        "positions": seen.positions, "orientations": seen.orientations if seen.positions.shape[1] == 3 else seen.angles,
        "velocities": seen.velocities, "spins": seen.spins, "bodies in contact": contacts.bodies, "forces": contacts.forces,
        "depths": contacts.depths, "springs": springs.memory,
    }  # fmt: skip
    energies = {name: float(value).hex() for name, value in accounts(engine, seen).items()}
    return {
        "steps": run.steps, "rebuilds": engine.rebuilds, "gone": engine.gone,
        "state": digest(list(tables.values())), "book": digest([json.dumps(energies)]), "energies": energies,
        "numbers": {
            name: {"shape": list(of.shape), "values": [float(x).hex() for x in np.ravel(of)]} for name, of in numbers.items()
        },
    }  # fmt: skip


def digest(parts: Sequence[np.ndarray | str]) -> str:
    """A hash of arrays or texts."""
    found = hashlib.sha256()
    for each in parts:
        found.update(each.encode() if isinstance(each, str) else np.ascontiguousarray(each).tobytes())
    return found.hexdigest()[:20]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between two records of a run, and by how much of the largest value; empty where bits are alike."""
    if "error" in before or "error" in now:
        return [] if before == now else [f"was: {before.get('error', 'no error')}; is: {now.get('error', 'no error')}"]
    found = [f"{name}: {before[name]}, now {now[name]}" for name in ("steps", "rebuilds", "gone") if before[name] != now[name]]
    found += [f"{name}: no longer there" for kind in ("numbers", "energies") for name in before[kind] if name not in now[kind]]
    for name, each in now["numbers"].items():
        then = before["numbers"].get(name)
        if then is None:
            found.append(f"{name}: not recorded")
        elif then["shape"] != each["shape"]:
            found.append(f"{name}: {then['shape']} of them, now {each['shape']}")
        elif then["values"] != each["values"]:
            found.append(f"{name}: {relative(then['values'], each['values']):.1e}")
    energies = {name: float.fromhex(each) for name, each in before["energies"].items()}
    scale = max(map(abs, energies.values()), default=0.0) or 1.0
    off = {
        name: abs(float.fromhex(each) - energies.get(name, np.nan)) / scale
        for name, each in now["energies"].items()
        if before["energies"].get(name) != each
    }
    if off:
        found.append("energies, over the largest: " + ", ".join(f"{name} {each:.1e}" for name, each in off.items()))
    if not found and (before["state"], before["book"]) != (now["state"], now["book"]):
        found.append("the tables of the state: in another order or form, all that has a name is alike")
    return found


def relative(before: Sequence[str], now: Sequence[str]) -> float:
    """The largest difference of two lists of numbers over the largest of the first."""
    one, other = (np.array([float.fromhex(each) for each in values]) for values in (before, now))
    return float(np.abs(one - other).max(initial=0.0) / (np.abs(one).max(initial=0.0) or 1.0))


def record(names: Sequence[str], threads: int) -> dict[str, Any]:
    """Carry out runs, and print each with its hash; a run that fails is recorded with its error."""
    found: dict[str, Any] = {}
    for name in names:
        began = time.perf_counter()
        try:
            found[name] = carried_out(RUNS[name], threads)
            touching = len(found[name]["numbers"]["depths"]["values"])
            said = f"{found[name]['state']}  {found[name]['rebuilds']} rebuilds, {touching} contacts"
        except (ClastError, ImportError) as error:  # an older version may lack what a run needs
            found[name] = {"error": f"{type(error).__name__}: {error}"}
            said = found[name]["error"]
        print(f"{name:20s} {said}, {time.perf_counter() - began:.1f} s", flush=True)
    return {"machine": machine(), "runs": found}


def compare(before: dict[str, Any], now: dict[str, Any]) -> int:
    """Print what differs from a record; how many runs do."""
    elsewhere = [name for name, each in now["machine"].items() if before["machine"].get(name) != each]
    if elsewhere:
        print(f"recorded with another {', '.join(elsewhere)}: bits may differ for that")
    count = 0
    for name, each in now["runs"].items():
        then = before["runs"].get(name)
        found = ["not recorded"] if then is None else differences(then, each)
        count += bool(found)
        print(f"{name:20s} {'same bits' if not found else '; '.join(found)}")
    print(f"{count} of {len(now['runs'])} runs differ")
    return count


def main(words: Sequence[str] | None = None) -> int:
    """Read the options, run, write, compare."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=Path, help="a file for the record")
    options.add_argument("--against", type=Path, help="a record to compare with")
    options.add_argument("--run", action="append", choices=list(RUNS), help="may be given several times; all by default")
    options.add_argument("--threads", type=int, default=1)
    given = options.parse_args(words)
    now = record(given.run or list(RUNS), given.threads)
    if given.out:
        given.out.write_text(json.dumps(now, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if given.against and compare(json.loads(given.against.read_text(encoding="utf-8")), now) else 0


if __name__ == "__main__":
    sys.exit(main())
