"""Engines and snapshots by name: rows are bodies in the order of the scene, in the plane, in space and of sharp bodies."""

import numpy as np
import pytest

import clast
from clast.algebra.quaternions import about, matrix
from clast.dynamics.bodies.arrival import hold_back, let_in
from clast.dynamics.engine import Engine
from clast.dynamics.limits import limits_of
from clast.errors import StoreError
from clast.laws import Cohesion, Linear, OverlapVolume, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import body_forces
from clast.scene.plane import Box, Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.shapes import disk, pebble, segment
from clast.shapes.space.make import cuboid, plate, sphere

ROUGH = Linear(1e3, 5e2, 0.5, normal_damping=2.0, tangential_damping=1.0)


def mixed(law=ROUGH) -> Scene:
    """Walls and tagged bodies between free ones, far from the order in memory."""
    scene = Scene(law=law, gravity=(0.1, -1.0))
    scene.add_wall(segment((-9.0, 0.0), (9.0, 0.0), radius=0.1), name="floor")
    scene.add(pebble(1.0), (7.0, 3.0), angle=0.3, velocity=(1.0, 2.0), spin=0.5)
    scene.add(disk(radius=0.5), (-3.0, 0.59), tags=(Velocity(x=0.2), Force(y=-3.0)))
    scene.add(disk(radius=0.5), (-2.02, 0.58), angle=1.0, velocity=(-0.1, 0.0), spin=-2.0)
    scene.add_wall(segment((-9.0, 8.0), (9.0, 8.0), radius=0.1), tags=(Velocity(x=0.0, spin=0.0), Force(y=-2.0), Dashpot(0.7)))
    scene.add(pebble(1.0), (-6.0, 4.0), angle=-8.0, spin=1.5)
    return scene


def solids(law=ROUGH, radius=0.1) -> Scene3D:
    """The same in space."""
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -1.0))
    if radius:
        scene.add_wall(plate([(-9, -9, -0.1), (9, -9, -0.1), (9, 9, -0.1), (-9, 9, -0.1)], radius), name="floor")
    else:
        scene.add_wall(cuboid((18.0, 18.0, 1.0), 0.0).moved((0.0, 0.0, -0.5)), name="floor")
    grain = cuboid((1.0, 1.0, 0.8), radius)
    high = 0.4 + radius
    turn = about((0.0, 0.0, 1.0), 0.4)
    scene.add(grain, (5.0, 1.0, 3.0), orientation=turn, velocity=(1.0, 2.0, 3.0), spin=(0.5, 0.1, -0.2))
    scene.add(grain, (-3.0, 0.0, high - 0.01), tags=(Velocity(x=0.2), Force(z=-3.0)))
    scene.add(grain, (-5.0, 2.0, high - 0.02), velocity=(-0.1, 0.0, 0.0), spin=(0.0, 0.0, -2.0))
    scene.add(grain, (2.0, -2.0, 2.0), tags=(Fixed(),))
    return scene


def sharp() -> Scene3D:
    return solids(OverlapVolume(1e4, friction=0.5, damping=0.2, tangential_damping=0.2), radius=0.0)


KINDS = {"plane": mixed, "space": solids, "sharp": sharp}


@pytest.fixture(params=KINDS)
def scene(request):
    return KINDS[request.param]()


def turns_of(some):
    return some.angles if some.dimension == 2 else some.orientations


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_rows_are_bodies_in_the_order_of_the_scene(scene):
    engine = Engine(scene, dt=1e-4)
    snapshot = engine.snapshot()
    assert not np.array_equal(engine.order, np.arange(len(scene))), "memory has another order, or nothing is tested"
    for some in (engine, snapshot):
        d = some.dimension
        assert some.positions.shape == some.velocities.shape == (len(scene), d)
        assert some.spins.shape == ((len(scene),) if d == 2 else (len(scene), 3))
        assert np.array_equal(some.positions, [body.position for body in scene.bodies])
        assert np.array_equal(turns_of(some), [body.angle if d == 2 else body.orientation for body in scene.bodies])
        given = [k for k, body in enumerate(scene.bodies) if not scene.imposed(k).held[0]]
        assert np.array_equal(some.velocities[given], [scene.bodies[k].velocity for k in given])
        assert some.spins[given] == pytest.approx(np.array([scene.bodies[k].spin for k in given]), rel=1e-14)
        assert some.velocities[2, 0] == 0.2  # what the tag prescribes
        assert np.array_equal(some.reaches, [body.shape.reach for body in scene.bodies])
        mass, inertia = scene.masses()
        assert np.array_equal(some.inverse_masses, 1.0 / mass) and np.array_equal(some.inverse_inertias, 1.0 / inertia)
        assert np.array_equal(some.gravity, scene.gravity) and np.array_equal(some.period, scene.box.periods)
        assert some.present.all() and set(some.free_ids) == {k for k, body in enumerate(scene.bodies) if not body.tags}
    assert np.array_equal(engine.big, [body.big for body in scene.bodies])
    assert limits_of(scene).safe == engine.safe_step and limits_of(scene).moving == engine.moving
    assert snapshot.cell is None and f"{len(scene)} bodies" in repr(snapshot)


def test_a_snapshot_has_the_velocities_of_its_instant(scene):
    """Free fall: half a step lies between the engine's velocity and the snapshot's."""
    engine = Engine(scene, dt=1e-4)
    engine.advance(50)
    falling, snapshot = 1, engine.snapshot()
    given = scene.bodies[falling].velocity + 50 * 1e-4 * np.array(scene.gravity)
    assert snapshot.velocities[falling] == pytest.approx(given, abs=1e-13)
    assert snapshot.velocities[falling] - engine.velocities[falling] == pytest.approx(0.5e-4 * np.array(scene.gravity), abs=1e-13)
    assert np.array_equal(snapshot.positions, engine.positions) and np.array_equal(turns_of(snapshot), turns_of(engine))


def test_what_is_of_the_other_dimension_is_not_there():
    plane, space = (Engine(made(), dt=1e-4).snapshot() for made in (mixed, solids))
    assert not hasattr(plane, "orientations") and not hasattr(space, "angles")
    assert not hasattr(space.contacts, "springs") and plane.contacts.springs.shape == (len(plane.contacts),)


def test_loads_and_what_is_held(scene):
    engine = Engine(scene, dt=1e-4)
    engine.advance(3)
    snapshot = engine.snapshot()
    loads, up = np.zeros((len(scene), snapshot.dimension)), snapshot.dimension - 1
    loads[2, up] = -3.0
    if snapshot.dimension == 2:
        loads[4, up] = -2.0
        assert snapshot.held[4].tolist() == [True, False] and snapshot.dashpots[4].tolist() == [0.7, 0.7]
    else:
        assert snapshot.held[4].all()  # fixed
    assert np.array_equal(snapshot.loads, loads)
    assert snapshot.held[0].all() and not snapshot.held[[1, 3]].any() and snapshot.held[2].tolist() == [True] + up * [False]
    assert not snapshot.dashpots[:4].any()


# --- energies ---------------------------------------------------------------------------------------------------------


def test_the_book_of_every_body_adds_up_to_the_accounts(scene):
    engine = Engine(scene, dt=1e-4)
    engine.advance(60)
    snapshot = engine.snapshot()
    found = accounts(engine, snapshot)
    for name, each in snapshot.book.items():
        assert each.shape == (len(scene),)
        assert each.sum() == pytest.approx(found[name], rel=1e-12, abs=1e-15), name
        assert snapshot.totals[name] == found[name]
    mass = scene.masses()[0]
    assert snapshot.book["translational"][1] == pytest.approx(0.5 * mass[1] * (snapshot.velocities[1] ** 2).sum(), rel=1e-6)
    assert snapshot.book["gravitational"][1] == pytest.approx(-mass[1] * snapshot.positions[1] @ snapshot.gravity)
    assert snapshot.book["translational"][0] == snapshot.book["gravitational"][0] == 0.0  # the floor does not move
    assert snapshot.book["work_tags"][2] != 0.0 and not snapshot.book["work_tags"][[0, 1, 3]].any()
    contacts = snapshot.contacts
    assert found["normal_elastic"] == contacts.normal_energies.sum()
    assert found["tangential_elastic"] == contacts.tangential_energies.sum() > 0.0
    translational, rotational = engine.kinetic_energies
    assert translational[1] == pytest.approx(0.5 * mass[1] * (engine.velocities[1] ** 2).sum(), rel=1e-12)
    assert rotational[1] > 0.0 and translational[0] == 0.0


# --- contacts ---------------------------------------------------------------------------------------------------------


def test_contacts_by_name(scene):
    engine = Engine(scene, dt=1e-4)
    engine.advance(20)
    snapshot = engine.snapshot()
    contacts, d, k = snapshot.contacts, snapshot.dimension, len(snapshot.contacts)
    assert k > 0 and f"{k} contacts" in repr(contacts)
    assert np.array_equal(contacts.bodies, np.stack([contacts.first, contacts.second], axis=1))
    assert {tuple(sorted(each)) for each in contacts.bodies} == ({(0, 2), (0, 3), (2, 3)} if d == 2 else {(0, 2), (0, 3)})
    for name in ("points", "normals", "branches", "first_arms", "second_arms", "shears", "drags", "forces", "elastic_forces"):
        assert getattr(contacts, name).shape == (k, d), name
    for name in (
        "depths", "reaches", "closing_speeds", "pushes", "dampings", "pulls", "counts", "features", "sections",
        "first_features", "second_features", "normal_energies", "tangential_energies", "rolling_energies", "cohesive_energies",
    ):  # fmt: skip
        assert getattr(contacts, name).shape == (k,), name
    assert np.linalg.norm(contacts.normals, axis=1) == pytest.approx(np.ones(k))
    places = snapshot.positions
    assert contacts.branches == pytest.approx(places[contacts.second] - places[contacts.first])
    assert contacts.first_arms == pytest.approx(contacts.points - places[contacts.first])
    assert contacts.second_arms == pytest.approx(contacts.points - places[contacts.second])
    assert (contacts.depths > 0.0).all() and (contacts.pushes > 0.0).all() and (contacts.counts > 0.0).all()
    assert np.abs((contacts.shears * contacts.normals).sum(axis=1)).max() < 1e-9
    assert np.abs(contacts.shears).max() > 0.0 and np.abs(contacts.drags).max() > 0.0
    push = contacts.pushes + contacts.dampings
    assert contacts.forces == pytest.approx(contacts.shears + contacts.drags - push[:, None] * contacts.normals)
    assert contacts.elastic_forces == pytest.approx(contacts.shears - contacts.pushes[:, None] * contacts.normals)
    net = body_forces(snapshot)
    assert net.shape == (len(scene), d) and net.sum(axis=0) == pytest.approx(np.zeros(d), abs=1e-12)
    assert net[0, d - 1] < 0.0 < net[3, d - 1]  # the floor is pressed down, the grain up
    now = engine.contacts()
    assert np.array_equal(now.bodies, contacts.bodies) and np.array_equal(now.depths, contacts.depths)


def test_the_law_gives_the_numbers_of_a_contact():
    scene = Scene(law=Linear(100.0, 50.0, 0.5, rolling=Rolling(1.0, 0.5), cohesion=Cohesion(0.2, 0.1)))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    scene.add(disk(radius=0.5), (0.98, 0.0), velocity=(-0.3, 0.0))
    scene.add(disk(radius=0.5), (9.0, 0.0))
    scene.add(disk(radius=0.5), (9.0, 1.05))  # apart: they pull
    contacts = Engine(scene, dt=1e-4).snapshot().contacts
    (touching,), (apart,) = (np.flatnonzero(sign * contacts.depths > 0.0) for sign in (1.0, -1.0))
    assert contacts.depths[touching] == pytest.approx(0.02) and contacts.reaches[touching] == pytest.approx(1.0)
    assert contacts.pushes[touching] == pytest.approx(2.0) and contacts.normal_energies[touching] == pytest.approx(0.02)
    assert contacts.closing_speeds[touching] == pytest.approx(0.3) and contacts.pulls[touching] == pytest.approx(0.2)
    assert contacts.pushes[apart] == 0.0 and contacts.pulls[apart] == pytest.approx(0.1)
    assert contacts.cohesive_energies[apart] < 0.0 and set(contacts.bodies[apart]) == {2, 3}
    assert contacts.forces[apart] == pytest.approx(0.1 * contacts.normals[apart])
    assert contacts.rolling_torques.shape == (len(contacts),)


# --- a cell that moves, grains that come and go -----------------------------------------------------------------------


def test_a_cell_that_moves_is_no_body():
    scene = Scene(law=ROUGH, box=Box(6.0, 5.0, tags=(Pressure(2.0, "-x"), Velocity(y=-0.1), Dashpot(0.3))))
    for k in range(4):
        scene.add(disk(radius=0.5), (1.5 * k + 0.5, 1.0), velocity=(0.1 * k, 0.0))
    engine = Engine(scene, dt=1e-3)
    engine.advance(100)
    snapshot = engine.snapshot()
    for some in (engine, snapshot):
        assert some.positions.shape == (4, 2) and some.angles.shape == some.present.shape == (4,)
        assert np.array_equal(some.period, snapshot.cell.lengths)
    assert all(each.shape == (4,) for each in snapshot.book.values()) and snapshot.loads.shape == (4, 2)
    assert not snapshot.loads.any() and not snapshot.held.any() and engine.big.tolist() == [False] * 4
    cell = snapshot.cell
    assert cell.lengths[1] == pytest.approx(5.0 - 0.1 * 0.1) and cell.lengths[0] < 6.0
    assert cell.rates[1] == pytest.approx(-0.1) and cell.rates[0] < 0.0
    assert cell.held.tolist() == [False, True] and cell.dashpots.tolist() == [0.3, 0.3]
    assert cell.loads[0] == pytest.approx(-2.0 * cell.lengths[1])  # pressure times the other length
    assert snapshot.totals["work_tags"] != 0.0 == snapshot.book["work_tags"].sum()  # it stands with the cell


def test_who_was_taken_out_stays_in_the_arrays():
    scene = Scene(law=ROUGH, gravity=(0.0, -1.0), remove_below=-1.0)
    scene.add(disk(radius=0.5), (0.0, -2.0), velocity=(1.0, 0.0))
    scene.add(disk(radius=0.5), (5.0, 9.0), velocity=(2.0, 0.0))
    engine = Engine(scene, dt=1e-4)
    engine.advance(1)  # the first look is at step 0
    for some in (engine, engine.snapshot()):
        assert some.present.tolist() == [False, True] and some.free_ids.tolist() == [1]
        assert some.positions[0].tolist() == [0.0, -2.0] and some.velocities[0].tolist() == [0.0, 0.0]
        assert some.velocities[1, 0] == 2.0
    assert engine.snapshot().book["carried_off"][0] != 0.0


def test_a_snapshot_stays_as_it_is_when_grains_come_in():
    engine = Engine(solids(), dt=1e-4)
    hold_back(engine, np.array([1]))
    before = engine.snapshot()
    assert before.present.tolist() == [True, False, True, True, True]
    place, turn = np.array([[6.0, 6.0, 6.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])
    let_in(engine, np.array([1]), place, turn)
    assert before.positions[1].tolist() == [5.0, 1.0, 3.0] and before.present.tolist() == [True, False, True, True, True]
    assert engine.present.all() and np.array_equal(engine.positions[1], place[0]) and engine.velocities[1].tolist() == [0.0] * 3


# --- setting ----------------------------------------------------------------------------------------------------------


def test_bodies_are_placed_and_let_go(scene):
    engine = Engine(scene, dt=1e-4)
    d, ids = engine.dimension, [3, 1]
    places = engine.positions[ids] + 2.0
    turns = np.array([0.1, 0.2]) if d == 2 else np.stack([about((1.0, 0.0, 0.0), angle) for angle in (0.1, 0.2)])
    others = np.setdiff1d(np.arange(len(scene)), ids)
    kept = engine.positions[others]
    engine.place(ids, places, turns)
    assert np.array_equal(engine.positions[ids], places) and np.array_equal(turns_of(engine)[ids], turns)
    assert np.array_equal(engine.positions[others], kept)
    velocities, spins = np.arange(2.0 * d).reshape(2, d), np.arange(2.0) if d == 2 else np.arange(6.0).reshape(2, 3)
    engine.set_velocities(ids, velocities, spins)
    snapshot = engine.snapshot()
    assert np.array_equal(engine.velocities[ids], velocities) and np.array_equal(engine.spins[ids], spins)
    assert snapshot.velocities[ids] == pytest.approx(velocities) and snapshot.spins[ids] == pytest.approx(spins)
    inertia = scene.masses()[1][ids]
    own = spins if d == 2 else np.einsum("kji,kj->ki", matrix(turns), spins)
    energy = 0.5 * (inertia * own**2).reshape(2, -1).sum(axis=1)
    assert snapshot.book["rotational"][ids] == pytest.approx(energy)
    engine.place(3, places[0])
    assert np.array_equal(turns_of(engine)[3], turns[0])


def test_a_body_that_is_placed_far_away_meets_who_is_there(scene):
    engine = Engine(scene, dt=1e-4, alpha=0.01)
    up = np.zeros(engine.dimension)
    up[-1] = scene.bodies[3].position[-1]
    place = up.copy()
    place[0] = 8.0
    assert (0, 1) not in {tuple(sorted(each)) for each in engine.contacts().bodies}
    engine.place(1, place, 0.0 if engine.dimension == 2 else (1.0, 0.0, 0.0, 0.0))
    assert (0, 1) in {tuple(sorted(each)) for each in engine.snapshot().contacts.bodies}


def test_a_turned_solid_keeps_its_angular_momentum_about_its_axes():
    engine = Engine(solids(), dt=1e-4)
    before = engine.snapshot().book["rotational"][1]
    turn = about((0.0, 1.0, 0.0), 1.0)
    old = matrix(engine.orientations[1]).T @ engine.spins[1]
    engine.place(1, engine.positions[1], turn)
    assert matrix(turn).T @ engine.spins[1] == pytest.approx(old)
    assert engine.snapshot().book["rotational"][1] == pytest.approx(before)


def test_slowing_leaves_what_tags_prescribe(scene):
    engine = Engine(scene, dt=1e-4)
    before = engine.velocities, engine.spins, engine.snapshot().book["rotational"]
    engine.slow(0.5)
    assert np.array_equal(engine.velocities[[1, 3]], 0.5 * before[0][[1, 3]])
    assert np.array_equal(engine.spins[[1, 3]], 0.5 * before[1][[1, 3]]) and engine.velocities[2, 0] == 0.2
    assert engine.snapshot().book["rotational"][[1, 3]] == pytest.approx(0.25 * before[2][[1, 3]])


def test_a_ball_on_a_floor_by_name():
    scene = Scene3D(law=Linear(1e4))
    scene.add(sphere(0.5), (0.0, 0.0, 0.59))
    scene.add_wall(plate([(-1, -1, 0.0), (1, -1, 0.0), (1, 1, 0.0), (-1, 1, 0.0)], 0.1))
    contacts = Engine(scene, dt=1e-4).snapshot().contacts
    assert len(contacts) == 1 and abs(contacts.normals[0, 2]) == pytest.approx(1.0)
    assert contacts.depths[0] == pytest.approx(0.01) and contacts.pushes[0] == pytest.approx(100.0)


# --- stored frames ----------------------------------------------------------------------------------------------------


def test_stored_frames_have_the_same_names_and_numbers(scene, tmp_path):
    run = clast.run(scene, until=2e-3, dt=1e-4, out=tmp_path / "run", samples=2, frames=1, progress=clast.quiet())
    engine = Engine(scene, dt=1e-4)
    engine.advance(20)
    snapshot, frame = engine.snapshot(), run.frames[-1]
    assert frame.step == snapshot.step and frame.time == snapshot.time
    for name in (*frame.names, "present", "period"):
        assert np.array_equal(getattr(frame, name), getattr(snapshot, name)), name
    assert not frame.absent.any() and len(frame.contacts) == len(snapshot.contacts) > 0
    for name in (*frame.contacts.names, "first", "second"):
        stored, found = getattr(frame.contacts, name), getattr(snapshot.contacts, name)
        assert np.array_equal(stored, found.astype(stored.dtype)), name
    assert frame.contacts.branches == pytest.approx(snapshot.contacts.branches, abs=1e-5)


def test_a_frame_knows_its_period_and_who_is_there(tmp_path):
    scene = Scene(law=ROUGH, box=Box(6.0, 5.0, tags=(Velocity(y=-0.1),)), gravity=(0.0, 0.0))
    scene.add(disk(radius=0.5), (1.0, 1.0))
    frames = clast.run(scene, until=0.1, dt=1e-3, out=tmp_path / "cell", frames=1, progress=clast.quiet()).frames
    assert frames[0].period.tolist() == [6.0, 5.0] and frames[-1].period == pytest.approx([6.0, 4.99])
    assert len(frames[-1].contacts) == 0
    scene = Scene(law=ROUGH, gravity=(0.0, -1.0), remove_below=-1.0)
    scene.add(disk(radius=0.5), (0.0, -2.0))
    scene.add(disk(radius=0.5), (5.0, 9.0))
    frames = clast.run(scene, until=0.1, dt=1e-3, out=tmp_path / "removed", frames=1, progress=clast.quiet()).frames
    assert frames[-1].present.tolist() == [False, True] == (~frames[-1].absent).tolist()
    assert frames[-1].present.dtype == bool and frames[-1].period.tolist() == [0.0, 0.0]
    with pytest.raises(StoreError, match="not stored"):
        frames[-1]._run.contacts.steps[-1] += 1
        frames[-1].contacts  # noqa: B018
