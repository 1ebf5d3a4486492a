"""The same bits wherever bodies lie in memory: free rows are dealt anew, at random, while runs go on (`bodies/locality`)."""

import itertools
import signal

import numpy as np
import pytest
from interrupted import advance_interrupted
from same_bits import assert_same_bits, hand_over

import clast
from clast.algebra.quaternions import random_turns
from clast.dynamics.bodies import locality
from clast.dynamics.bodies.arrival import hold_back, let_in
from clast.dynamics.engine import Engine
from clast.laws import Cohesion, Linear, OverlapVolume, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import carried, contact_arrays
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Fixed, Pressure, Velocity
from clast.shapes import disk, polyline, regular, segment
from clast.shapes.space.make import cuboid, plate, sphere

LAW = Linear(2e5, 1e5, friction=0.4, normal_damping=200.0, tangential_damping=50.0)
FULL = Linear(2e5, 1e5, friction=0.4, rolling=Rolling(10.0, 0.2), cohesion=Cohesion(5.0, 0.004))
SOFT = Linear(2e4, 1e4, friction=0.4, normal_damping=30.0, tangential_damping=10.0)
SHARP = OverlapVolume(2e5, friction=0.4, damping=0.3)
STILL = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}
PITCH = 0.252


def hexagons(law=LAW) -> Scene:
    """A mixing flow: hexagons thrown about in a box periodic to the sides, while they fall."""
    columns = 8
    scene = Scene(law=law, gravity=(0.0, -100.0), box=Box(period_x=columns * PITCH))
    rng = np.random.default_rng(8)
    for k in range(96):
        place = (k % columns + 0.5) * PITCH, (k // columns + 0.5) * PITCH
        scene.add(regular(6, 0.03, circumradius=0.1), place, angle=rng.uniform(0, 7), velocity=rng.normal(0, 3.0, 2))
    scene.add_wall(segment((0.0, -0.05), (columns * PITCH, -0.05), 0.04))
    return scene


def mixed(law=LAW) -> Scene:
    """Disks and polygons that fall into a trough, with a stirrer and a fixed grain among them, pressed by a lid."""
    scene, rng = Scene(law=law, gravity=(0.0, -60.0)), np.random.default_rng(3)
    shapes = [disk(radius=0.1), regular(3, 0.03, circumradius=0.12), regular(5, 0.02, circumradius=0.1), disk(radius=0.05)]
    scene.add_wall(polyline([(-0.1, 4), (-0.1, -0.05), (2.12, -0.05), (2.12, 4)], 0.04))
    for k in range(80):
        place = (k % 8 + 0.5) * PITCH, (k // 8 + 0.5) * PITCH
        tags = {19: [Fixed()], 36: [Velocity(x=1.0, y=-0.5, spin=8.0)]}.get(k, [])
        scene.add(shapes[k % 4], place, angle=rng.uniform(0, 7), velocity=rng.normal(0, 0.5, 2), tags=tags)
    for x, name in ((-1.0, "left"), (3.0, "right")):
        scene.add_wall(segment((x, 50.0), (x, 52.0), 0.1), name=name)
    load = Pressure(100.0, "-y", between=("left", "right"))
    scene.add(segment((-0.95, 0.0), (0.95, 0.0), 0.05), (1.0, 2.7), big=True, tags=[Velocity(x=0.0, spin=0.0), load])
    return scene


def solids(law=SOFT) -> Scene3D:
    """Spheres and cubes between a floor and a lid, periodic to the sides; of a sharp law cubes alone."""
    sharp, side, pitch = isinstance(law, OverlapVolume), 3, 0.86
    width = side * pitch
    kinds = [cuboid((0.55, 0.45, 0.45), 0.0)] if sharp else [sphere(0.42), cuboid((0.4, 0.35, 0.3), 0.1)]
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -150.0), box=Box3D(period_x=width, period_y=width))
    rng = np.random.default_rng(5)
    for k, turn in enumerate(random_turns(rng, 36)):
        place = (np.array([k % side, k // side % side, k // side**2]) + 0.5) * pitch
        scene.add(kinds[k % len(kinds)], place, orientation=turn, velocity=rng.normal(0, 2.0, 3), spin=rng.normal(0, 3, 3))
    for height, tags in ((-0.15, [Fixed()]), (3.7, [Velocity(x=0.5, y=0.0, z=-10.0, **STILL)])):
        if sharp:
            slab = cuboid((width, width, 0.2), 0.0)
            scene.add(slab, (0.5 * width, 0.5 * width, height + np.copysign(0.1, height)), big=True, tags=tags)
        else:
            scene.add_wall(
                plate([(0, 0, height), (width, 0, height), (width, width, height), (0, width, height)], 0.1), tags=tags
            )
    return scene


def draining() -> Scene:
    """Disks fall through a gap and are taken out."""
    scene, rng = Scene(law=LAW, gravity=(0.0, -60.0), remove_below=-0.5), np.random.default_rng(4)
    for x in (-1.2, 1.2):
        scene.add_wall(segment((x, 0.9), (np.sign(x) * 0.23, 0.0), 0.05))
    for k in range(60):
        scene.add(disk(radius=0.08), (0.2 * (k % 6) - 0.5, 1.0 + 0.18 * (k // 6)), velocity=rng.normal(0, 0.5, 2))
    return scene


CASES = {  # scene, options of the engine, steps
    "hexagons": (hexagons, {"dt": 1e-4, "alpha": 0.01}, 1500),
    "hexagons, alpha auto": (hexagons, {"dt": 1e-4, "alpha": "auto"}, 1500),
    "hexagons without memory": (lambda: hexagons(Linear(2e5)), {"dt": 1e-4, "alpha": 0.01}, 600),
    "hexagons, gear": (hexagons, {"dt": 1e-4, "alpha": 0.01, "integrator": "gear4"}, 1500),
    "mixed, tags": (mixed, {"dt": 1e-4, "alpha": 0.01}, 1500),
    "mixed, rolling and cohesion": (lambda: mixed(FULL), {"dt": 1e-4, "alpha": 0.01}, 700),
    "solids": (solids, {"dt": 2e-4, "alpha": 0.03}, 700),
    "solids, gear": (solids, {"dt": 1e-4, "alpha": 0.03, "integrator": "gear4"}, 800),
    "sharp": (lambda: solids(SHARP), {"dt": 2e-4, "alpha": 0.03}, 700),
    "draining": (draining, {"dt": 1e-4, "alpha": 0.01}, 7750),
}


class Deal:
    """Deals the free rows anew at random at every k-th rebuild; counts how often."""

    def __init__(self, monkeypatch, every: int = 1) -> None:
        self.count, self.rng = 0, np.random.default_rng(every)
        monkeypatch.setattr(locality, "MANY", 0)
        monkeypatch.setattr(locality, "LOOKS", every)
        monkeypatch.setattr(locality, "is_lost", lambda engine: True)
        monkeypatch.setattr(locality, "near_rows", self.rows)

    def rows(self, engine: Engine) -> np.ndarray:
        self.count += 1
        return self.rng.permutation(engine.free)


def result(engine: Engine) -> dict[str, np.ndarray]:
    """State by ids, springs, contacts, energies and measures: everything that may be written anywhere."""
    arrays, scalars = engine.checkpoint()
    snapshot, row_of = engine.snapshot(), np.argsort(engine.order)
    of_bodies = {name for name in snapshot.state._fields if len(arrays[name]) == row_of.size}  # not so many springs by chance
    kept = {name: array[row_of] if name in of_bodies else array for name, array in arrays.items() if name != "order"}
    kept |= {f"shown {name}": a[row_of] for name, a in snapshot.state._asdict().items() if len(a) == row_of.size}
    kept |= {name: np.array(scalars[name]) for name in ("step", "gone")}
    kept |= {"table": snapshot.floats, "met": snapshot.contacts.bodies, "free": snapshot.free_ids}
    kept |= {f"of each {name}": array for name, array in snapshot.book.items()}
    kept |= {"accounts": np.array([*accounts(engine, snapshot).values(), *snapshot.totals.values()])}
    kept |= {f"contact {name}": array for name, array in contact_arrays(snapshot).items()}
    kept |= {f"carried {name}": np.array(value) for name, value in carried(engine, snapshot).items()}
    springs = engine.springs()
    return kept | {"now": springs.memory, "named": springs.key, "energies": np.array(engine.kinetic_energies)}


def run(case: str, threads: int = 1, stops: tuple[int, ...] = ()) -> Engine:
    """A run of a case, stopped and resumed in another engine at some of its steps."""
    scene, given, steps = CASES[case]
    engine = Engine(scene(), threads=threads, **given)
    for stop in stops:
        engine.advance(stop)
        hand_over(engine, again := Engine(scene(), threads=threads, **given))
        engine = again
    engine.advance(steps)
    return engine


@pytest.fixture(scope="module")
def expected():
    """Results of cases whose bodies stay where they are in memory."""
    known = {}

    def of(case: str) -> dict[str, np.ndarray]:
        if case not in known:
            engine = run(case)
            there = engine.roles.rank[: engine.order.size - engine.gone]
            assert (np.diff(there) > 0).all()  # rows are as they were
            assert (engine.gone > 5) == (case == "draining")
            assert engine.rebuilds > 30
            known[case] = result(engine)
            assert len(known[case]["table"]) > 15  # not a gas
        return known[case]

    return of


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_rows_dealt_anew(case, every, expected, monkeypatch):
    before = expected(case)
    deal = Deal(monkeypatch, every)
    engine = run(case)
    assert deal.count > 5
    assert (np.diff(engine.roles.rank[: engine.free]) < 0).any()
    assert (np.diff(engine.roles.rank[engine.free : engine.order.size - engine.gone]) > 0).all()  # all others stay in order
    assert_same_bits(result(engine), before)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("case", ["hexagons", "mixed, tags", "solids", "sharp"])
def test_threads(case, threads, expected, monkeypatch):
    """The last steps only: teams are slow on a busy machine."""
    before, (scene, given, steps) = expected(case), CASES[case]
    Deal(monkeypatch, 2)
    alone, together = (Engine(scene(), threads=n, **given) for n in (1, threads))
    alone.advance(steps - 60)
    hand_over(alone, together)
    deal = Deal(monkeypatch)
    together.advance(steps)
    assert deal.count > 1
    assert_same_bits(result(together), before)


@pytest.mark.parametrize("dealt", ["before", "between", "after", "always"])
@pytest.mark.parametrize("case", ["hexagons", "mixed, tags", "solids", "sharp", "draining", "hexagons, gear"])
def test_going_on_from_a_checkpoint(case, dealt, expected, monkeypatch):
    before, (scene, given, steps) = expected(case), CASES[case]
    stops, engine = (steps // 3, 2 * steps // 3, steps), Engine(scene(), **given)
    for stop, part in zip(stops, ("before", "between", "after"), strict=True):
        with monkeypatch.context() as patch:
            deal = Deal(patch, 2) if dealt in (part, "always") else None
            engine.advance(stop)
            assert deal is None or deal.count > 2
        hand_over(engine, again := Engine(scene(), **given))
        engine = again
    assert_same_bits(result(engine), before)


def poured() -> dict[str, np.ndarray]:
    """Spheres and cubes that come into a run in three batches, onto a floor."""
    scene, rng = Scene3D(law=SOFT, gravity=(0.0, 0.0, -150.0)), np.random.default_rng(6)
    for k in range(27):
        scene.add([sphere(0.42), cuboid((0.4, 0.35, 0.3), 0.1)][k % 2], (5.0 * k, 0.0, 50.0))
    scene.add_wall(plate([(-2, -2, 0), (4, -2, 0), (4, 4, 0), (-2, 4, 0)], 0.1))
    engine, batches = Engine(scene, dt=2e-4, alpha=0.03), rng.permutation(27).reshape(3, 9)
    hold_back(engine, np.arange(27))
    for number, ids in enumerate(batches):
        places = [(0.9 * (k % 3) + 0.05 * number, 0.9 * (k // 3), 0.6 + 0.9 * number) for k in range(9)]
        let_in(engine, ids, np.array(places), random_turns(rng, 9))
        engine.advance(500 * (number + 1))
    return result(engine)


def test_grains_that_come_in(monkeypatch):
    before = poured()
    assert len(before["table"]) > 15
    deal = Deal(monkeypatch)
    assert_same_bits(poured(), before)
    assert deal.count > 5


def test_stored_runs(tmp_path, monkeypatch):
    """Everything that a run writes."""
    asked = {"until": 0.15, "dt": 1e-4, "alpha": 0.01, "frames": 6, "samples": 12, "progress": clast.quiet()}
    whole = clast.run(mixed(), out=tmp_path / "whole", **asked)
    deal = Deal(monkeypatch, 2)
    dealt = clast.run(mixed(), out=tmp_path / "dealt", **asked)
    assert deal.count > 5
    assert len(whole.frames[-1].contacts["bodies"]) > 15
    for one, other in zip(whole.frames, dealt.frames, strict=True):
        for name in ("positions", "angles", "velocities", "spins"):
            assert np.array_equal(one[name], other[name]), name
        for name in ("bodies", "points", "forces", "springs"):
            assert np.array_equal(one.contacts[name], other.contacts[name]), name
    for name, series in whole.series.items():
        assert np.array_equal(series, dealt.series[name]), name


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_interrupts(expected, monkeypatch):
    """Ctrl-C while rows change places: the run goes on as if nothing had been."""
    before, (scene, given, steps) = expected("hexagons"), CASES["hexagons"]
    deal, engine = Deal(monkeypatch), Engine(scene(), **given)
    broken = advance_interrupted(engine, steps, 0.002)
    assert broken > 5
    assert deal.count > 5
    assert_same_bits(result(engine), before)


# --- when ------------------------------------------------------------------------------------------------------------


def shuffled(threads: int = 1) -> Engine:
    """Disks of a lattice that a user has added in no order; too few to be ordered at t = 0."""
    side, rng = 40, np.random.default_rng(7)
    scene = Scene(law=LAW, box=Box(side * 0.25, side * 0.25))
    for k in rng.permutation(side * side):
        scene.add(disk(radius=0.12), (0.25 * (k % side), 0.25 * (k // side)), velocity=rng.normal(0, 3.0, 2))
    return Engine(scene, dt=1e-4, alpha=0.02, threads=threads)


def test_lost_order_is_noticed_and_mended_once(monkeypatch):
    monkeypatch.setattr(locality, "MANY", 1000)
    monkeypatch.setattr(locality, "LOOKS", 4)
    orders = []
    for threads in (1, 3):
        engine = shuffled(threads)
        user, lost = engine.order.copy(), locality.spread(engine)
        assert lost > 0.25 * engine.free
        while engine.rebuilds <= 4:
            engine.advance(engine.step + 1)
        assert not np.array_equal(engine.order, user)
        assert locality.spread(engine) < 0.15 * lost
        ordered = engine.order.copy()
        while engine.rebuilds < 14:
            engine.advance(engine.step + 10)
        assert np.array_equal(engine.order, ordered)  # it is near enough
        orders.append(ordered)
    assert np.array_equal(*orders)


def test_few_bodies_stay(monkeypatch):
    monkeypatch.setattr(locality, "LOOKS", 1)
    engine = shuffled()
    user = engine.order.copy()
    while engine.rebuilds < 6:
        engine.advance(engine.step + 10)
    assert np.array_equal(engine.order, user)


def test_a_sample_that_cannot_be_ordered_better_is_left_alone(monkeypatch):
    """However long the way between rows: ordered once, not at every look."""
    monkeypatch.setattr(locality, "MANY", 1000)
    monkeypatch.setattr(locality, "LOOKS", 2)
    monkeypatch.setattr(locality, "LOST", 0.0)
    engine, orders = shuffled(), []
    while engine.rebuilds < 12:
        engine.advance(engine.step + 10)
        orders.append(engine.order)
    assert sum(one is not other for one, other in itertools.pairwise(orders)) == 1


def test_a_cell_that_moves_keeps_its_rows(monkeypatch):
    """The force on it is a sum over all pairs as they lie in memory."""
    deal, rng = Deal(monkeypatch), np.random.default_rng(2)
    scene = Scene(law=LAW, box=Box(2.0, 2.0, tags=[Pressure(100.0, "-x"), Pressure(100.0, "-y")]))
    for k in range(64):
        scene.add(disk(radius=0.12), (0.25 * (k % 8), 0.25 * (k // 8)), velocity=rng.normal(0, 3.0, 2))
    engine = Engine(scene, dt=1e-4, alpha=0.01)
    engine.advance(300)
    assert engine.rebuilds > 10
    assert deal.count == 0
