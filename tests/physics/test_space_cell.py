"""A periodic cell of space that moves or is sheared: one Lagrangian with its grains, of all kinds of bodies."""

import numpy as np
import pytest
from books import booked
from same_bits import assert_same_bits, result

import clast
from clast.dynamics.engine import Engine
from clast.errors import PhysicsError, SceneError
from clast.laws import Linear, OverlapEnergy
from clast.measures import Strain, Stress
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import kinetic_virial, virial
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Shear, Velocity
from clast.scene.timed import Ramp
from clast.shapes import cuboid, plate, sphere

ROUGH = Linear(1.0, 0.5, 0.5, normal_damping=0.6, tangential_damping=0.3)
SHARP = OverlapEnergy(10.0, friction=0.5, damping=0.1, tangential_damping=0.1)
BALL, BRICK, EDGY = sphere(radius=0.5), cuboid((0.5, 0.6, 0.7), radius=0.2), cuboid((0.8, 0.9, 1.0), radius=0.0)
GAP, SIDE = 1.5, 4.5
PRESSED = (Pressure(1e-3, "-x"), Pressure(1e-3, "-y"), Velocity(z=-2e-3))
FLOWING = (Shear(rate=0.01), Pressure(1e-3, "-y"))


def grains(tags, law=ROUGH, *, rate=0.0, speed=0.02, seed=1, offset=0.0):
    """27 grains on a lattice, balls and bricks by turns or sharp boxes, moving in the flow `rate` and against it, turning."""
    rng = np.random.default_rng(seed)
    scene = Scene3D(law=law, box=Box3D(SIDE, SIDE, SIDE, tags=tags, offset=offset))
    k = np.arange(27)
    places = GAP * np.stack([k % 3, k // 3 % 3, k // 9], axis=1) + 0.5 * GAP
    velocities = speed * rng.normal(size=(27, 3))
    velocities[:, 0] += rate * places[:, 1]
    turns = rng.normal(size=(27, 4))
    scene.add_many(
        [EDGY] if law is SHARP else [BALL, BRICK], places, which=0 * k if law is SHARP else k % 2,
        velocities=velocities - velocities.mean(axis=0), orientations=turns / np.linalg.norm(turns, axis=1)[:, None],
        spins=speed * rng.normal(size=(27, 3)),
    )  # fmt: skip
    return scene


# --- images ----------------------------------------------------------------------------------------------------------


PAIRS = [(BALL, BALL), (BALL, BRICK), (BRICK, BALL), (BRICK, BRICK)]
SIZE = np.array([24.0, 5.0, 7.0])


@pytest.mark.parametrize(("law", "pairs"), [(ROUGH, PAIRS), (SHARP, [(EDGY, EDGY)])], ids=["rounded", "sharp"])
@pytest.mark.parametrize("leans", [True, False])
def test_two_bodies_across_the_seam_meet_as_two_inside(law, pairs, leans):
    """The image above is where the lattice has carried it, and comes as fast as the lattice goes: as in an open scene.

    Some pairs of bodies far apart from each other; the second of each is met in its image up along y and z."""
    up, offset, rate = np.array([0.0, 1.0, 1.0]), 1.7 * leans, 0.004 * leans
    moved = np.array([0.0 if leans else 0.01, 0.0 if leans else -0.004, -0.03])  # the lengths of the cell
    carried, faster = up * SIZE + [offset, 0.0, 0.0], up * moved + [rate * SIZE[1], 0.0, 0.0]

    def after(scene, shift, more):
        for k, (one, other) in enumerate(pairs):
            here, there = np.array([6.0 * k + 5.0, 4.6, 6.6]), np.array([6.0 * k + 5.3 - offset, 0.15, 0.4])
            scene.add(one, here, spin=(0.1, 0.02, -0.03), orientation=(1.0, 0.1, 0.2, 0.3))
            scene.add(other, there + shift, velocity=np.array([0.01, -0.05, -0.02]) + more, orientation=(1.0, -0.3, 0.1, 0.2))
        engine = Engine(scene, dt=0.01)
        engine.advance(4000)
        return engine

    tags = (Shear(rate=rate), Velocity(z=moved[2])) if leans else (Velocity(x=moved[0], y=moved[1], z=moved[2]),)
    across = after(Scene3D(law=law, box=Box3D(*SIZE, offset=offset, tags=tags)), 0.0, 0.0)
    inside = after(Scene3D(law=law), carried, faster)
    assert np.abs(inside.spins[::2] - [0.1, 0.02, -0.03]).max(axis=1).min() > 1e-4, "they have rubbed"
    second = np.arange(2 * len(pairs))[:, None] % 2
    carried = up * across.period + [across.offset, 0.0, 0.0]
    assert across.positions + second * carried == pytest.approx(inside.positions, abs=1e-9)
    assert across.velocities + second * faster == pytest.approx(inside.velocities, abs=1e-9)
    assert across.spins == pytest.approx(inside.spins, abs=1e-9)


@pytest.mark.parametrize("away", [(0, 1, 0), (0, -1, 2), (3, 7, -5)])
def test_a_grain_and_its_images_are_one(away):
    """Grains listed some cells away, with the velocities there, do what they do at home; nothing is ever wrapped."""
    found, rate, away = [], 0.01, np.array(away)
    for far in (0, 1):
        scene = grains((Shear(rate=rate),), offset=0.3)
        column = scene.bodies.column
        shift, faster = far * (away * SIDE + [0.3 * away[1], 0.0, 0.0]), far * np.array([rate * SIDE * away[1], 0.0, 0.0])
        some = np.arange(27)[:, None] % 2
        scene.bodies.put("position", column("position") + some * shift)
        scene.bodies.put("velocity", column("velocity") + some * faster)
        engine = Engine(scene, dt=0.05)
        engine.advance(1500)
        back = far * (away * engine.period + [away[1] * engine.offset, 0.0, 0.0])
        found.append(np.column_stack([engine.positions - some * back, engine.velocities - some * faster, engine.spins]))
    assert engine.offset == pytest.approx(0.3 + rate * SIDE * 75.0)
    assert found[1] == pytest.approx(found[0], abs=1e-8)


# --- one Lagrangian --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tags",
    [
        (Velocity(x=-3e-3, z=2e-3),),
        (Pressure(2e-4, "-x"), Pressure(2e-4, "-y"), Velocity(z=-3e-3), Dashpot(0.0)),
        (Shear(rate=0.005), Pressure(2e-4, "-z"), Dashpot(0.0)),
        (Shear(stress=3e-4), Pressure(2e-4, "-y"), Pressure(2e-4, "-z"), Dashpot(0.0)),
        (Shear(rate=Ramp(0.0, 0.01, begin=0.0, finish=60.0)), Velocity(y=-3e-3)),
    ],
    ids=["lengths", "pressures", "rate", "stress", "ramped"],
)
@pytest.mark.parametrize("law", [ROUGH, SHARP], ids=["rounded", "sharp"])
def test_the_book_closes_at_second_order(tags, law):
    """With friction and dashpots; errors of runs whose contacts open and close anew vary, so the order is over a factor of 4."""
    errors = []
    for dt in (0.04, 0.02, 0.01):
        engine = Engine(grains(tags, law), dt=dt)
        book = booked(engine, round(80.0 / dt), 40)
        errors.append(book.energy_error)
        assert abs(book.work[-1]) > 1e-4
    print("energy errors", errors)
    assert errors[0] < 1e-3 and errors[2] < errors[0] / 10.0


def test_momentum_stays():
    engine = Engine(grains(FLOWING, rate=0.01), dt=0.03)
    mass = 1.0 / engine.inverse_masses
    before = mass @ engine.velocities
    engine.advance(4000)
    assert engine.offset > 3.0 and engine.snapshot().contacts.depths.size > 10
    assert mass @ engine.velocities == pytest.approx(before, abs=1e-14)


def test_a_frictional_sample_bears_the_stresses_it_is_given():
    """Pressed and then sheared by a stress below its strength it comes to rest, and its contacts carry all of it."""
    tags = (Shear(stress=Ramp(0.0, 1e-4, begin=500.0, finish=700.0)), Pressure(1e-3, "-y"), Pressure(2e-3, "-z"))
    scene = grains(tags)
    scene.drag = 0.03
    engine = Engine(scene, dt=0.05)
    engine.advance(10_000)
    before = engine.offset
    book = booked(engine, 40_000, 300)
    snapshot = engine.snapshot()
    stress = virial(engine, snapshot) / np.prod(snapshot.period)
    print("stress", stress, "offset", snapshot.offset, "error", book.energy_error)
    assert [stress[1, 1], stress[2, 2], stress[0, 1]] == pytest.approx([1e-3, 2e-3, -1e-4], rel=1e-3)
    assert stress[0, 1] == pytest.approx(stress[1, 0], abs=2e-6)
    assert snapshot.cell.offset_rate == pytest.approx(0.0, abs=1e-6) and snapshot.offset > before + 1e-3
    assert book.energy_error < 1e-4


def test_a_flow_under_pressure_takes_as_much_power_as_its_stress_times_rate_times_volume():
    rate = 0.01
    engine = Engine(grains(FLOWING, rate=rate), dt=0.03)
    engine.advance(4000)
    rows, slopes, begin, work = [], [], engine.time, [accounts(engine, engine.snapshot())["work_tags"]]
    for _ in range(400):
        engine.advance(engine.step + 50)
        snapshot = engine.snapshot()
        stress = (virial(engine, snapshot) + kinetic_virial(engine, snapshot)) / np.prod(snapshot.period)
        rows.append([stress[0, 1], stress[1, 1], snapshot.period[1]])
        slopes.append(np.polyfit(snapshot.positions[:, 1], snapshot.velocities[:, 0], 1)[0])
    work.append(accounts(engine, snapshot)["work_tags"])
    shear, across, height = np.mean(rows, axis=0)
    power = (work[1] - work[0]) / (engine.time - begin)
    print("stress", shear, across, "power", power, "slope", np.mean(slopes))
    assert across == pytest.approx(1e-3, rel=0.03)
    assert shear < -2e-4 and power == pytest.approx(-shear * rate * SIDE**2 * height, rel=0.05)
    assert np.mean(slopes) == pytest.approx(rate, rel=0.1)


def test_a_cell_that_is_held_changes_no_bit():
    still = Engine(grains(()), dt=0.02)
    held = Engine(grains((Velocity(z=lambda t: 0.0 * t),)), dt=0.02)
    for engine in (still, held):
        engine.advance(3000)
    assert held.snapshot().cell is not None and still.snapshot().cell is None
    for name in ("positions", "orientations", "velocities", "spins"):
        assert np.array_equal(getattr(still, name), getattr(held, name)), name
    assert all(np.array_equal(one, held.snapshot().book[name]) for name, one in still.snapshot().book.items())


# --- bits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tags", [PRESSED, FLOWING], ids=["pressed", "sheared"])
def test_alpha_threads_and_outputs_change_no_bit(tags):
    for end, how in ((4000, {"alpha": 1e-9}), (4000, {"alpha": 0.5}), (400, {"threads": 2})):
        one, other = Engine(grains(tags), dt=0.03), Engine(grains(tags), dt=0.03, **how)
        one.advance(end)
        for stop in (end // 6, end // 6 + 1, end):
            other.advance(stop)
            other.snapshot()
        assert_same_bits(result(one), result(other))


@pytest.mark.parametrize("tags", [PRESSED, FLOWING], ids=["pressed", "sheared"])
def test_a_checkpoint_goes_on_bit_for_bit(tags):
    whole, part, rest = (Engine(grains(tags), dt=0.03) for _ in range(3))
    whole.advance(4000)
    part.advance(2867)
    rest.restore(*part.checkpoint())
    assert rest.offset == part.offset and (rest.period == part.period).all()
    rest.advance(4000)
    assert_same_bits(result(whole), result(rest))


def test_grains_that_go_with_the_flow_leave_the_lists_alone():
    """However far up they are and however fast: lists are made anew for what leaves the flow."""

    def rebuilds(up):
        rate = 0.02
        scene = Scene3D(law=ROUGH, box=Box3D(20.0, 20.0, 20.0, tags=(Shear(rate=rate),)))
        for k in range(10):
            y = 2.0 * k + 1.0 + 20.0 * up
            scene.add((BALL, BRICK)[k % 2], (1.0, y, 3.0), velocity=(rate * y, 0.0, 0.0))
        engine = Engine(scene, dt=0.02, alpha=0.3)
        engine.advance(5000)
        assert engine.snapshot().contacts.depths.size == 0
        return engine.rebuilds

    assert rebuilds(0) == rebuilds(40) < 60


# --- what it refuses, what it leaves ---------------------------------------------------------------------------------


def test_what_a_cell_refuses():
    sides = {"period_x": 5.0, "period_y": 5.0, "period_z": 5.0}
    for box, words in (
        ({"period_x": 5.0, "tags": (Velocity(z=1.0),)}, "give period_z"),
        ({"period_x": 5.0, "tags": (Shear(rate=1.0),)}, "give period_x and period_y"),
        ({"period_x": 5.0, "period_y": 5.0, "tags": (Shear(stress=1.0),)}, "give period_z, or shear at a rate"),
        ({**sides, "offset": float("nan")}, "offset"),
        ({**sides, "tags": (Shear(rate=1.0), Velocity(x=1.0))}, "let the period along y change"),
        ({**sides, "tags": (Shear(rate=1.0), Pressure(1.0, "-x"))}, "let the period along y change"),
        ({**sides, "tags": (Velocity(spin_x=1.0, spin_y=0.0, spin=0.0),)}, "spin or torque"),
        ({**sides, "tags": (Force(torque_y=1.0),)}, "spin or torque"),
        ({**sides, "tags": (Fixed(),)}, "is not a Velocity"),
        ({**sides, "tags": (Dashpot((1.0, 2.0)),)}, "space has three"),
        ({**sides, "mass": -1.0}, "must be positive"),
    ):
        with pytest.raises(SceneError, match=words):
            Box3D(**box)
    with pytest.raises(SceneError, match="acts on the periodic cell"):
        grains(()).add(BALL, (1.0, 1.0, 1.0), tags=[Shear(rate=1.0)])
    floor = plate([(0.0, 0.0, -2.0), (SIDE, 0.0, -2.0), (SIDE, 1.0, -2.0), (0.0, 1.0, -2.0)], radius=0.1)
    for tags, words in (((Shear(rate=1.0),), "is a wall in a cell that is sheared"), ((Velocity(x=1.0),), "spans exactly one")):
        scene = grains(tags)
        scene.add_wall(floor)
        with pytest.raises(SceneError, match=words):
            Engine(scene)
        with pytest.raises(SceneError, match="verlet"):
            Engine(grains(tags), integrator="gear4")


def test_a_cell_too_small_for_its_grains_ends_the_run():
    scene = Scene3D(law=ROUGH, box=Box3D(4.0, 4.0, 4.0, tags=(Velocity(z=-0.1),)))
    scene.add(BALL, (1.0, 1.0, 1.0))
    scene.add(BRICK, (3.0, 3.0, 3.0))
    with pytest.raises(PhysicsError, match="would meet itself"):
        Engine(scene, dt=0.03).advance(10_000)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    scene = grains(FLOWING, rate=0.01)
    scene.tag("cell", Velocity(z=-1e-3))
    return clast.run(
        scene, until=150.0, dt=0.03, out=tmp_path_factory.mktemp("sheared") / "run", samples=100, frames=6, progress=clast.quiet()
    )


def test_a_stored_run_keeps_its_cell(run):
    time = run.series["time"]
    rates = np.gradient(run.series["cell.offset"], time) / run.series["cell.y"]
    assert rates[1:-1] == pytest.approx(0.01, rel=1e-3)
    assert run.series["cell.z"] == pytest.approx(SIDE - 1e-3 * time)
    kept = np.array([frame.offset for frame in run.frames])
    assert kept == pytest.approx(np.interp(run.frames.times, time, run.series["cell.offset"]), rel=1e-3)
    assert run.frames[-1].period[2] == pytest.approx(SIDE - 0.15)
    assert run.book.energy_error < 1e-4


def test_measures_and_exports_of_a_stored_run(run, tmp_path):
    import gsd.hoomd

    from clast.output.export.csv import export_csv
    from clast.output.export.gsd import export_gsd

    strain, whole = Strain().compute(run), Stress(kinetic=True).compute(run)
    assert strain.shear[-1] == pytest.approx(run.series["cell.offset"][-1] / SIDE)
    assert strain.along[-1, 2] == pytest.approx(0.15 / SIDE)
    assert whole.xy[-50:].mean() < -1e-4 and (whole.yy >= Stress().compute(run).yy).all()
    lines = (export_csv(run, tmp_path / "csv") / "frames.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",")[-2:] == ["period z [length]", "offset [length]"]
    frame = run.frames[-1]
    with gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd"))) as file:
        found = file[-1]
    width, height, depth, tilt = found.configuration.box[:4].astype(float)
    assert [width, height, depth] == pytest.approx(frame.period, rel=1e-6)
    images = found.particles.image @ np.array([[width, 0.0, 0.0], [tilt * height, height, 0.0], [0.0, 0.0, depth]])
    assert np.ptp(found.particles.position + images - frame.positions, axis=0).max() < 1e-3


def test_a_scene_file_has_such_a_cell(tmp_path):
    text = """
    dimension = 3
    run = { until = 1.0 }
    law = { kind = "linear", normal_stiffness = 1.0 }
    box = { period_x = 4.0, period_y = 4.0, period_z = 4.0, offset = 0.5 }
    shapes = { ball = { kind = "sphere", radius = 0.5 } }
    grains = [{ shape = "ball", position = [1.0, 1.0, 1.0] }]
    tags = [
        { kind = "shear", on = "cell", stress = 0.1 }, { kind = "pressure", on = "cell", value = 0.1, direction = "-z" }
    ]
    """
    (tmp_path / "cell.toml").write_text(text, encoding="utf-8")
    box = clast.read_scene(tmp_path / "cell.toml").scene.box
    assert box == Box3D(4.0, 4.0, 4.0, offset=0.5, tags=(Shear(stress=0.1), Pressure(0.1, "-z")))
