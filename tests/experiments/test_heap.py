"""heap, with a handful of grains: how they come in, what is kept, and what is made of it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from clast.dynamics.bodies.arrival import hold_back, let_in
from clast.dynamics.engine import Engine
from clast.experiments import find
from clast.experiments.heap import (
    GAP,
    ONE_SHOT,
    PATCH,
    SEEN,
    Heap,
    contact_time,
    evaluate,
    grains_of,
    half_width,
    kinds_of,
    moving_share,
    name_of,
    scene_of,
    solids_of,
    state_of,
    volume_radius,
)
from clast.experiments.shared.running import run_experiment
from clast.laws import OverlapVolume
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.repose import base_radius
from clast.protocols import pour as pouring
from clast.protocols.pour import Stream, energy_of_spinning, lowest_place, pour
from clast.scene.space import Scene3D
from clast.shapes.space.make import cuboid

SMALL = Heap(grains=10, dt=2e-5)
STREAM = Stream(
    batches=[np.arange(4), np.arange(4, 8), np.arange(8, 10)], interval=0.04, patch=PATCH, gap=GAP, after=0.06, looks=0.01,
    still=1e-8, slowest=1e-7, longest=0.02, seed=3,
)  # fmt: skip
KIND = ("polyhedron", "smooth", 1)


@pytest.fixture(autouse=True)
def states_kept_here(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("kept")
    monkeypatch.setattr(pouring, "cache_folder", lambda: folder)
    return folder


@pytest.fixture(scope="module")
def poured(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("kept")
        patch.setattr(pouring, "cache_folder", lambda: folder)
        return pour(scene_of(SMALL, KIND), STREAM, dt=SMALL.dt, integrator="verlet")


# --- grains that come in ---------------------------------------------------------------------------------------------


def two_cubes(gravity: float = 10.0) -> Scene3D:
    """One cube that falls beside a floor, one that waits."""
    scene = Scene3D(law=OverlapVolume(1e5, friction=0.5), gravity=(0.0, 0.0, -gravity))
    for k in range(2):
        scene.add(cuboid((1.0, 1.0, 1.0), 0.0), (3.0 * k, 0.0, 50.0), density=2.0)
    scene.add_wall(cuboid((1.0, 1.0, 1.0), 0.0).moved((0.0, 50.0, 0.0)))
    return scene


def check_fall_of_the_second(integrator: str, tolerance: float) -> None:
    engine = Engine(two_cubes(), dt=1e-3, integrator=integrator)
    hold_back(engine, np.array([1]))
    engine.advance(100)
    assert engine.moving == 1 and engine.gone == 1
    before = accounts(engine, engine.snapshot())
    let_in(engine, np.array([1]), np.array([[5.0, 0.0, 7.0]]), np.array([[1.0, 0.0, 0.0, 0.0]]))
    after = accounts(engine, engine.snapshot())
    assert after["carried_off"] - before["carried_off"] == pytest.approx(-2.0 * 10.0 * 7.0)
    assert sum(after[name] - before[name] for name in ("gravitational", "carried_off")) == pytest.approx(0.0, abs=1e-9)
    assert after["translational"] == pytest.approx(before["translational"], abs=2e-3)
    engine.advance(300)
    snapshot = engine.snapshot()
    assert engine.moving == 2 and snapshot.positions[1] == pytest.approx([5.0, 0.0, 7.0 - 0.2], abs=tolerance)
    assert snapshot.velocities[1, 2] == pytest.approx(-2.0, abs=tolerance)
    assert snapshot.positions[0, 2] == pytest.approx(50.0 - 0.45, abs=tolerance)  # the other took no notice


def test_a_grain_waits_comes_in_at_rest_and_falls_from_there():
    check_fall_of_the_second("verlet", 1e-12)


@pytest.mark.validate
def test_it_falls_in_the_same_way_under_gear():
    check_fall_of_the_second("gear5", 1e-12)


def test_a_place_is_the_lowest_that_is_clear():
    centres, reaches = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 9.0], [4.0, 0.0, 5.0]]), np.array([1.0, 1.0, 1.0])
    assert lowest_place(0.0, 0.0, 0.5, 2.0, centres, reaches) == 2.0  # under the lowest
    assert lowest_place(0.0, 0.0, 0.5, 4.0, centres, reaches) == 6.5  # on it, below the next
    assert lowest_place(0.0, 0.0, 1.5, 4.0, centres, reaches) == 11.5  # too large for the gap
    assert lowest_place(9.0, 0.0, 0.5, 4.0, centres, reaches) == 4.0  # nobody there


def test_batches_start_above_the_apex_apart_from_each_other(poured):
    scene = scene_of(SMALL, KIND)
    engine = Engine(scene, dt=SMALL.dt)
    hold_back(engine, np.arange(10))
    places, turns = pouring.places_above(engine, STREAM, 0)
    let_in(engine, np.arange(4), places, turns)
    assert np.abs(places[:, :2]).max() <= 0.5 * PATCH and places[:, 2].min() > GAP
    reach = np.array([body.shape.reach for body in scene.bodies[:4]])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) - reach[:, None] - reach[None]
    assert apart[~np.eye(4, dtype=bool)].min() > -1e-12
    assert places[:, 2].min() == pytest.approx(GAP + reach[np.argmin(places[:, 2])])  # the first lies as low as may be
    top = pouring.apex(engine, math.inf)
    above, _ = pouring.places_above(engine, STREAM, 1)  # those of the first batch are slow: they count as heap
    assert above[:, 2].min() >= top + GAP


def test_all_come_in_and_the_book_closes(poured):
    series, book = poured.series, poured.book
    assert poured.engine.free == 10 and series["grains"][[0, 4, 8]].tolist() == [4.0, 8.0, 10.0]
    assert series["brought"][-1] == pytest.approx(-series["carried_off"][-1])
    assert series["brought"][-1] > 10 * 5e-4 * 9.81 * GAP and book.energy_error < 1e-3
    assert np.diff(series["time"]) == pytest.approx(0.01) and series["time"][-1] == pytest.approx(0.16)
    assert not poured.at_rest and moving_share(series)[-1] > 1e-8  # so soon after


def test_a_pour_that_was_stopped_goes_on_with_the_same_bits(poured, monkeypatch, states_kept_here):
    def stop_at_the_last(engine, ids, places, turns):
        if 8 in ids:
            raise KeyboardInterrupt
        let_in(engine, ids, places, turns)

    monkeypatch.setattr(pouring, "let_in", stop_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        pour(scene_of(SMALL, KIND), STREAM, dt=SMALL.dt, integrator="verlet")
    assert len(list(states_kept_here.glob("pour-*.npz"))) == 1
    let = []
    monkeypatch.setattr(pouring, "let_in", lambda engine, ids, *rest: (let.append(ids.tolist()), let_in(engine, ids, *rest)))
    again = pour(scene_of(SMALL, KIND), STREAM, dt=SMALL.dt, integrator="verlet")
    assert let == [[8, 9]]
    for name in ("positions", "orientations", "velocities", "spins"):
        assert np.array_equal(*(getattr(each.engine, name) for each in (poured, again)))
    assert all(np.array_equal(again.series[name], values) for name, values in poured.series.items())


def test_a_damaged_file_is_poured_anew(poured, monkeypatch, tmp_path):
    engine = Engine(scene_of(SMALL, KIND), dt=SMALL.dt)
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    assert pouring.take(tmp_path / "bad.npz", engine, {}) == (0, 0.0)


def test_spinning_on_the_spot_is_told_apart():
    scene = Scene3D(law=OverlapVolume(1e6, friction=0.5), gravity=(0.0, 0.0, -10.0))
    scene.add(cuboid((1.0, 2.0, 1.0), 0.0), (0.0, 0.0, 0.4999), spin=(0.0, 0.0, 3.0))
    scene.add(cuboid((1.0, 2.0, 1.0), 0.0), (9.0, 0.0, 0.4999), spin=(0.0, 2.0, 0.0), velocity=(1.0, 0.0, 0.0))
    scene.add(cuboid((1.0, 2.0, 1.0), 0.0), (0.0, 9.0, 5.0), spin=(0.0, 0.0, 3.0))  # in the air
    scene.add(cuboid((1.0, 2.0, 1.0), 0.0), (0.0, -9.0, 0.4999), spin=(0.0, 0.0, 3.0))  # between the floor and
    scene.add(cuboid((1.0, 2.0, 1.0), 0.0), (0.0, -9.0, 1.4997))
    scene.add_wall(cuboid((30.0, 30.0, 1.0), 0.0).moved((0.0, 0.0, -0.5)))
    engine = Engine(scene, dt=1e-6)
    found = energy_of_spinning(engine.snapshot())
    assert found == pytest.approx(0.5 * 2.0 * (1.0 + 4.0) / 12.0 * 3.0**2, rel=1e-3)


# --- the experiment --------------------------------------------------------------------------------------------------


def test_balls_have_the_volumes_of_the_polyhedra():
    one, two = (solids_of(SMALL, shape, 1, 5) for shape in ("polyhedron", "sphere"))
    assert [ball.volume for ball in two] == pytest.approx([grain.volume for grain in one])
    assert all(len(grain.faces) == 20 and grain.sharp for grain in one) and len({grain.volume for grain in one}) == 5
    assert volume_radius(4.0 / 3.0 * math.pi * 8.0) == pytest.approx(2.0)


def test_the_glued_floor_is_covered_and_has_a_rim():
    for shape in ("polyhedron", "sphere"):
        scene = scene_of(SMALL, (shape, "glued", 1))
        glued = np.array([body.position for body in scene.bodies if body.name == "glued"])
        half = half_width(SMALL, float(np.mean([body.shape.volume for body in scene.bodies[:10]])))
        assert np.abs(glued[:, :2]).max() <= half + 6e-3 and len(glued) > (2.0 * half / 0.012) ** 2
        heights = [body.position[2] + body.turned_vertices()[:, 2].max() for body in scene.bodies if body.big]
        assert max(heights) > 0.02  # the rim
        assert [body.name for body in scene.bodies[:10]] == ["heap"] * 10


def test_balls_touch_as_long_as_polyhedra():
    p = Heap(grains=10)
    law = scene_of(p, ("sphere", "smooth", 1)).default_law
    mass = 1000.0 * float(np.mean([ball.volume for ball in solids_of(p, "sphere", 1, 10)]))
    assert math.pi * math.sqrt(0.5 * mass / law.normal_stiffness) == pytest.approx(contact_time(p))
    assert 1e-3 < contact_time(p) < 5e-3


def made_up(p: Heap, angles: dict[tuple[str, str], float]) -> SimpleNamespace:
    """A run whose heaps are cones."""
    rng, tables = np.random.default_rng(1), {}
    for kind in kinds_of(p):
        places = rng.uniform(-1.0, 1.0, (400 * p.grains, 3)) * 0.12
        high = (0.12 - np.hypot(places[:, 0], places[:, 1])) * math.tan(math.radians(angles[kind[:2]]))
        places = places[(places[:, 2] >= 0.0) & (places[:, 2] <= high)][: p.grains]
        bodies = np.column_stack([places, np.tile([1.0, 0.0, 0.0, 0.0, 1.0], (len(places), 1))])
        bodies[-1, 2], bodies[-1, 7] = 5.0, 0.0  # one left the floor: it must not count
        tables[name_of(kind)] = {
            "translational": np.array([0.0, 3e-9]), "rotational": np.array([0.0, 2e-9]), "spinning": np.array([0.0, 1e-9]),
            "brought": np.array([0.5, 1.0]), "time": np.array([11.9, 12.4]), "grains": np.array([3000.0, 3000.0]),
        }  # fmt: skip
        tables[name_of(kind)]["rotational"][0] = 1.0
        tables[f"{name_of(kind)}: bodies"] = dict(zip(ONE_SHOT, bodies.T, strict=True))
        tables[f"{name_of(kind)}: numbers"] = {"energy_error": np.array([1e-5]), "overlap": np.array([0.02])}
    return SimpleNamespace(tables=tables)


def test_angles_are_judged():
    p = Heap(grains=3000, heaps=2, shape="both", floor="both")
    assert len(kinds_of(p)) == 8
    angles = {("polyhedron", "smooth"): 30.0, ("polyhedron", "glued"): 40.0, ("sphere", "smooth"): 5.0, ("sphere", "glued"): 42.0}
    found = {quantity.name: quantity for quantity in evaluate(p, made_up(p, angles))}
    for (shape, floor), angle in angles.items():
        who = f"{'polyhedra' if shape == 'polyhedron' else 'balls'} on a {floor} floor"
        assert found[f"angle of repose, {who}"].measured == pytest.approx(angle, abs=2.0)
        assert found[f"the same in projections, {who}"].measured == pytest.approx(angle, abs=2.5)
        assert found[f"grains that left the floor, {who}"].measured == 1.0
    assert found["angle of repose, polyhedra on a smooth floor"].agrees is True
    assert found["angle of repose, polyhedra on a glued floor"].agrees is None
    assert found["polyhedra steeper than balls, smooth floor"].agrees is True
    assert found["polyhedra steeper than balls, glued floor"].agrees is False
    assert found["kinetic energy / poured in"].measured == pytest.approx(4e-9) and found["kinetic energy / poured in"].agrees
    assert found["slow after the last batch"].measured == pytest.approx(12.4 - 11.9)  # the last of 120 batches comes at 11.9 s
    flat = {quantity.name: quantity for quantity in evaluate(p, made_up(p, dict.fromkeys(angles, 20.0)))}
    assert flat["angle of repose, polyhedra on a smooth floor"].agrees is False


def test_a_small_heap_from_start_to_figures(tmp_path, monkeypatch):
    for name, value in {"AFTER": 0.05, "LONGEST": 0.02}.items():
        monkeypatch.setattr(f"clast.experiments.heap.{name}", value)
    monkeypatch.setattr("clast.experiments.shared.space.find_spec", lambda name: None)
    given = {"grains": 10, "batch": 5, "interval": 0.03, "dt": 2e-5}
    outcome = run_experiment(find("heap"), given=given, out=tmp_path / "run")
    p, run = Heap(**given), outcome.run
    assert [path.name for path in outcome.figures] == ["profile-polyhedron-smooth.png", "rest.png"]
    scene = state_of(p, run, KIND)
    bodies = run.tables["polyhedron smooth 1: bodies"]
    assert bodies["present"].all() and 0.0 < bodies["z"][:10].max() < 0.1
    near = np.maximum(np.abs(bodies["x"]), np.abs(bodies["y"]))[:10] < SEEN * base_radius(grains_of(p, run, KIND))
    assert [body.position[2] for body in scene.bodies[:-1]] == bodies["z"][:10][near].tolist() and near.sum() >= 5
    floor = scene.bodies[-1]
    assert floor.big and floor.position[2] + floor.turned_vertices()[:, 2].max() == pytest.approx(0.0, abs=1e-12)
    numbers = run.tables["polyhedron smooth 1: numbers"]
    assert run.result["steps"] == numbers["steps"][0] == 5000 and numbers["grain_steps"][0] == 5 * 1500 + 10 * 3500
    assert numbers["energy_error"][0] == run.result["energy_error"] < 1e-3
