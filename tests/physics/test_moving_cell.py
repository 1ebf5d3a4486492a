"""A periodic cell whose lengths move: a body like a wall, so energy, bits and balance hold for it as for a wall."""

import numpy as np
import pytest

import clast
from clast.dynamics.engine import Engine
from clast.errors import PhysicsError, SceneError
from clast.laws import Linear
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import virial
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.shapes import disk, pebble, segment

SIDE = 6 * 1.6
DAMPED = Linear(1.0, 0.5, 0.5, normal_damping=0.6, tangential_damping=0.3)


def pebbles(box, law, *, speed=0.02, seed=1):
    """36 pebbles of area 1 on a lattice, moving and turning."""
    rng = np.random.default_rng(seed)
    scene = Scene(law=law, box=box)
    for k in range(36):
        scene.add(
            pebble(1.0),
            (1.6 * (k % 6) + 0.8, 1.6 * (k // 6) + 0.8),
            angle=rng.uniform(0.0, 2.0 * np.pi),
            velocity=speed * rng.normal(size=2),
            spin=speed * rng.normal(),
        )
    return scene


def book_of(engine, until, every):
    """The book over a run."""
    rows, times = [], []
    while engine.time <= until:
        snapshot = engine.snapshot()
        rows.append(accounts(engine, snapshot))
        times.append(snapshot.time)
        engine.advance(engine.step + round(every / engine.dt))
    return Book(np.array(times), {name: np.array([row[name] for row in rows]) for name in rows[0]})


def test_a_cell_that_is_held_changes_no_bit():
    still = Engine(pebbles(Box(SIDE, SIDE), DAMPED), dt=0.02)
    held = Engine(pebbles(Box(SIDE, SIDE, tags=(Velocity(x=lambda t: 0.0 * t),)), DAMPED), dt=0.02)
    for engine in (still, held):
        engine.advance(5000)
    assert held.kernels.CELL and not still.kernels.CELL
    assert np.array_equal(still.state.body, held.state.body[:-1])
    assert np.array_equal(still.state.book, held.state.book[:-1])


def test_a_gas_in_a_cell_under_pressure_keeps_its_enthalpy():
    """Energy plus pressure × area, with the cell's own kinetic energy: second order in Δt, like walls."""
    errors = []
    for dt in (0.04, 0.01):
        box = Box(SIDE, SIDE, tags=(Pressure(2e-4, "-x"), Pressure(2e-4, "-y"), Dashpot(0.0)))
        engine = Engine(pebbles(box, Linear(1.0)), dt=dt)
        book = book_of(engine, 300.0, 2.0)
        snapshot = engine.snapshot()
        size = snapshot.period
        assert abs(size[0] - SIDE) > 0.01 and abs(size[1] - SIDE) > 0.01
        work = accounts(engine, snapshot)["work_tags"]
        assert work == pytest.approx(-2e-4 * (np.prod(size) - SIDE**2), rel=1e-4)
        errors.append(book.energy_error)
    print("energy error", errors)
    assert errors[0] < 1e-4 and errors[1] < errors[0] / 6.0


def test_a_frictional_packing_compressed_by_its_cell_closes_its_book_and_carries_the_pressure():
    box = Box(SIDE, SIDE, tags=(Pressure(1e-3, "-x"), Pressure(1e-3, "-y")))
    scene = pebbles(box, DAMPED)
    scene.drag = 0.02
    engine = Engine(scene, dt=0.03)
    book = book_of(engine, 3000.0, 10.0)
    assert book.energy_error < 2e-5
    size = engine.period
    stress = virial(engine, engine.snapshot()) / np.prod(size)
    print("stress", stress, "cell", size)
    assert np.diag(stress) == pytest.approx([1e-3, 1e-3], rel=1e-4)
    assert abs(stress[0, 1] - stress[1, 0]) < 1e-6


def test_the_far_corner_obeys_a_prescribed_rate_and_images_follow():
    """Two disks that meet only across the seam: squeezed by the shrinking period as by a wall that comes at that speed."""
    scene = Scene(law=Linear(100.0), box=Box(10.0, 0.0, tags=(Velocity(x=-0.1),)))
    scene.add(disk(radius=0.5), (0.6, 0.0), mass=1.0, tags=[Fixed()])
    scene.add(disk(radius=0.5), (9.4, 0.0), mass=1.0)
    engine = Engine(scene, dt=1e-3)
    engine.advance(4000)  # they meet at t = 2 and part after half a period of the spring
    assert engine.period[0] == pytest.approx(9.6)
    wall = Scene(law=Linear(100.0))
    wall.add(disk(radius=0.5), (10.6, 0.0), mass=1.0, tags=[Velocity(x=-0.1, y=0.0, spin=0.0)])
    wall.add(disk(radius=0.5), (9.4, 0.0), mass=1.0)
    other = Engine(wall, dt=1e-3)
    other.advance(4000)
    assert engine.velocities[1, 0] == pytest.approx(-0.2, rel=1e-3)
    for name in ("positions", "angles", "velocities", "spins"):
        assert getattr(engine, name)[1] == pytest.approx(getattr(other, name)[1], rel=1e-9, abs=1e-12)


def test_alpha_threads_and_outputs_change_no_bit(tmp_path):
    def engine(**how):
        return Engine(pebbles(Box(SIDE, SIDE, tags=(Pressure(1e-3, "-x"), Velocity(y=-8e-3))), DAMPED), dt=0.03, **how)

    # by 15 000 steps the cell has lost a third of its height: images far from where they were. Threads go less far: where
    # cores are shared, each step of theirs waits for a turn of the other
    for end, how in ((15_000, {"alpha": 0.01}), (15_000, {"alpha": 0.5}), (400, {"threads": 2})):
        one, other = engine(), engine(**how)
        one.advance(end)
        for stop in (end // 6, end // 6 + 1, end):
            other.advance(stop)
            other.snapshot()
        assert np.array_equal(one.state.body, other.state.body), how
        assert np.array_equal(one.state.book, other.state.book), how


def test_a_checkpoint_goes_on_bit_for_bit():
    def engine():
        return Engine(pebbles(Box(SIDE, SIDE, tags=(Pressure(1e-3, "-x"), Velocity(y=-8e-3))), DAMPED), dt=0.03)

    whole, part, rest = engine(), engine(), engine()
    whole.advance(10_000)
    part.advance(5_867)
    rest.restore(*part.checkpoint())
    rest.advance(10_000)
    assert np.array_equal(whole.state.body, rest.state.body)


def test_lists_miss_nobody_while_the_cell_shrinks():
    """The same contacts with lists made anew at every step, in a cell that moves faster than its grains."""
    scenes = [pebbles(Box(SIDE, SIDE, tags=(Velocity(x=-0.02, y=0.01),)), Linear(1.0), speed=1e-4) for _ in range(2)]
    near, far = Engine(scenes[0], dt=0.03, alpha=0.4), Engine(scenes[1], dt=0.03, alpha=1e-9)
    for engine in (near, far):
        engine.advance(3000)
    assert far.rebuilds > 2900 and near.rebuilds < 300
    assert np.array_equal(near.state.body, far.state.body)


def test_what_a_cell_refuses():
    for box, words in (
        ({"period_x": 5.0, "tags": (Velocity(y=1.0),)}, "period along y"),
        ({"period_x": 5.0, "tags": (Pressure(1.0, "-y"),)}, "period along y"),
        ({"period_x": 5.0, "tags": (Velocity(x=1.0), Pressure(1.0, "-x"))}, "would do nothing"),
        ({"period_x": 5.0, "tags": (Velocity(spin=1.0),)}, "spin or torque"),
        ({"period_x": 5.0, "tags": (Force(torque=1.0),)}, "spin or torque"),
        ({"period_x": 5.0, "tags": (Fixed(),)}, "is not a Velocity"),
        ({"period_x": 5.0, "tags": (Pressure(1.0, "-x", between=("a", "b")),)}, "leave `between` out"),
        ({"period_x": 5.0, "tags": (Velocity(x=1.0),), "mass": 0.0}, "must be positive"),
    ):
        with pytest.raises(SceneError, match=words):
            Box(**box)
    with pytest.raises(SceneError, match="verlet"):
        Engine(pebbles(Box(SIDE, SIDE, tags=(Velocity(x=1.0),)), DAMPED), integrator="gear4")
    scene = pebbles(Box(SIDE, 0.0, tags=(Velocity(x=-1.0),)), DAMPED)
    scene.add_wall(segment((0.0, -2.0), (SIDE, -2.0), radius=0.1))
    with pytest.raises(SceneError, match="spans exactly one period"):
        Engine(scene)


def test_a_cell_too_small_for_its_grains_ends_the_run():
    scene = Scene(law=Linear(1.0), box=Box(4.0, 4.0, tags=(Velocity(x=-0.1),)))
    scene.add(disk(radius=0.5), (1.0, 1.0))
    engine = Engine(scene, dt=0.03)
    with pytest.raises(PhysicsError, match="would meet itself"):
        engine.advance(10_000)


def test_a_stored_run_tells_its_periods_and_is_drawn_with_them(tmp_path):
    box = Box(SIDE, SIDE, tags=(Velocity(x=-0.01, y=0.02),))
    run = clast.run(pebbles(box, DAMPED), until=60.0, dt=0.03, out=tmp_path / "run", samples=20, frames=4, progress=clast.quiet())
    assert run.series["cell.x"] == pytest.approx(SIDE - 0.01 * run.series["time"])
    assert run.frames[-1].period == pytest.approx([SIDE - 0.6, SIDE + 1.2])
    assert len(run.frames[-1].positions) == 36
    figure = run.plot(-1)
    assert figure.axes[0].get_ylim() == pytest.approx((0.0, SIDE + 1.2))
