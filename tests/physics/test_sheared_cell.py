"""A sheared periodic cell: its lattice leans, images slide past each other, and its offset is a coordinate like its lengths."""

import numpy as np
import pytest
from books import booked
from same_bits import assert_same_bits, result

import clast
from clast.dynamics.engine import Engine
from clast.errors import InputError, SceneError, SpeedError
from clast.laws import Linear
from clast.measures import Displacement, Strain, Stress
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import kinetic_virial, virial
from clast.measures.touching import contacts_at
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Pressure, Shear, Velocity
from clast.scene.timed import Ramp
from clast.shapes import disk, pebble, segment

SIDE = 6 * 1.6
BALL = disk(radius=0.5)
ELASTIC = Linear(1.0)
DAMPED = Linear(1.0, 0.5, 0.5, normal_damping=0.6, tangential_damping=0.3)
FLOWING = (Shear(rate=0.01), Pressure(1e-3, "-y"))


def pebbles(tags, law=DAMPED, *, rate=0.0, speed=0.02, seed=1):
    """36 pebbles of area 1 on a lattice, turning, moving in the flow `rate` and against it; together they stand still."""
    rng = np.random.default_rng(seed)
    scene = Scene(law=law, box=Box(SIDE, SIDE, tags=tags))
    column, row = np.divmod(np.arange(36), 6)
    places = 1.6 * np.stack([row, column], axis=1) + 0.8
    velocities = speed * rng.normal(size=(36, 2))
    velocities[:, 0] += rate * places[:, 1]
    scene.add_many(
        pebble(1.0), places, angles=rng.uniform(0.0, 2.0 * np.pi, 36), velocities=velocities - velocities.mean(axis=0),
        spins=speed * rng.normal(size=36),
    )  # fmt: skip
    return scene


# --- images ----------------------------------------------------------------------------------------------------------


def three_balls(*, away=0, offset=0.3, rate=0.01):
    """Three balls that meet inside and across the sides; two of them are listed `away` rows up, with the velocities there."""
    scene = Scene(law=DAMPED, box=Box(6.0, 5.0, offset=offset, tags=(Shear(rate=rate),)))
    up, faster = away * 5.0, away * 5.0 * rate
    scene.add(BALL, (1.0, 1.0), velocity=(0.05, 0.02))
    scene.add(BALL, (1.6 + away * offset, 1.7 + up), velocity=(-0.03 + faster, -0.01))
    scene.add(BALL, (2.5 + away * offset, 1.2 + up), velocity=(-0.02 + faster, 0.0))
    return scene


def brought_down(engine, away):
    """Places, velocities and spins with the rows taken off again."""
    places, velocities = engine.positions, engine.velocities
    places[1:] -= away * np.array([engine.offset, engine.period[1]])
    velocities[1:, 0] -= away * 0.01 * engine.period[1]
    return np.column_stack([places, velocities, engine.spins])


@pytest.mark.parametrize("away", [1, -1, 7])
def test_a_grain_and_its_images_are_one(away):
    found = []
    for each in (0, away):
        engine = Engine(three_balls(away=each), dt=0.05)
        engine.advance(2000)
        found.append(brought_down(engine, each))
    assert engine.offset == pytest.approx(0.3 + 0.01 * 5.0 * 100.0)
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def test_a_lattice_that_leans_by_whole_periods_more_is_the_same():
    found = []
    for more in (0, 1, -4):
        engine = Engine(three_balls(offset=0.3 + 6.0 * more), dt=0.05)
        engine.advance(2000)
        assert engine.offset == pytest.approx(5.3 + 6.0 * more)
        found.append(brought_down(engine, 0))
    assert found[1] == pytest.approx(found[0], abs=1e-9) and found[2] == pytest.approx(found[0], abs=1e-9)


def test_two_disks_across_the_seam_meet_as_two_inside():
    """The image above is where the lattice has carried it, and comes as fast as the lattice goes: as in an open scene."""
    rate, height, offset = 0.004, 5.0, 1.7

    def after(scene):
        engine = Engine(scene, dt=0.01)
        engine.advance(6000)
        return engine

    box = Scene(law=DAMPED, box=Box(6.0, height, offset=offset, tags=(Shear(rate=rate),)))
    box.add(BALL, (5.0, 4.6), spin=0.1)
    box.add(BALL, (3.3 - 6.0, 0.7), velocity=(0.0, -0.05))
    alone = Scene(law=DAMPED)
    alone.add(BALL, (5.0, 4.6), spin=0.1)
    alone.add(BALL, (3.3 + offset, 0.7 + height), velocity=(rate * height, -0.05))
    across, inside = after(box), after(alone)
    assert abs(inside.spins[0] - 0.1) > 1e-3, "they have rubbed"
    carried = np.array([across.offset + 6.0, height])
    assert across.positions[0] == pytest.approx(inside.positions[0], abs=1e-10)
    assert across.positions[1] + carried == pytest.approx(inside.positions[1], abs=1e-10)
    assert across.velocities[1] + [rate * height, 0.0] == pytest.approx(inside.velocities[1], abs=1e-10)
    assert across.spins == pytest.approx(inside.spins, abs=1e-10)


# --- one Lagrangian --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tags",
    [
        (Shear(rate=0.005),),
        (Shear(rate=0.005), Pressure(2e-4, "-y"), Dashpot(0.0)),
        (Shear(stress=3e-4), Pressure(2e-4, "-y"), Dashpot(0.0)),
        (Shear(rate=Ramp(0.0, 0.01, begin=0.0, finish=100.0)), Velocity(y=-5e-3)),
    ],
    ids=["rate", "rate-pressure", "stress-pressure", "rate-height"],
)
def test_the_book_of_a_gas_closes_at_second_order(tags):
    errors = []
    for dt in (0.04, 0.02, 0.01):
        engine = Engine(pebbles(tags, ELASTIC), dt=dt)
        book = booked(engine, round(200.0 / dt), 100)
        errors.append(book.energy_error)
        assert abs(book.work[-1]) > 1e-4
    print("energy errors", errors)
    assert errors[0] < 5e-5 and errors[2] < errors[0] / 6.0


def test_momentum_stays():
    engine = Engine(pebbles(FLOWING, rate=0.01), dt=0.03)
    before = engine.velocities.mean(axis=0)
    engine.advance(10_000)
    assert engine.offset > 10.0 and engine.snapshot().contacts.depths.size > 10
    assert engine.velocities.mean(axis=0) == pytest.approx(before, abs=1e-15)


def test_a_flow_under_pressure_takes_as_much_power_as_its_stress_times_rate_times_area():
    """Contacts, and the motion of the grains against the flow; the pressure is that on y; and the flow is even."""
    rate = 0.01
    engine = Engine(pebbles(FLOWING, rate=rate), dt=0.03)
    engine.advance(10_000)
    rows, slopes, work = [], [], [accounts(engine, engine.snapshot())["work_tags"]]
    begin = engine.time
    for _ in range(400):
        engine.advance(engine.step + 100)
        snapshot = engine.snapshot()
        stress = (virial(engine, snapshot) + kinetic_virial(engine, snapshot)) / np.prod(snapshot.period)
        rows.append([stress[0, 1], stress[1, 1], snapshot.period[1]])
        slopes.append(np.polyfit(snapshot.positions[:, 1], snapshot.velocities[:, 0], 1)[0])
    work.append(accounts(engine, snapshot)["work_tags"])
    shear, across, height = np.mean(rows, axis=0)
    power = (work[1] - work[0]) / (engine.time - begin)
    print("stress", shear, across, "power", power)
    assert across == pytest.approx(1e-3, rel=0.03)
    assert shear < -2e-4 and power == pytest.approx(-shear * rate * SIDE * height, rel=0.05)
    assert np.mean(slopes) == pytest.approx(rate, rel=0.05)


def test_a_frictional_sample_bears_the_stress_it_is_given():
    """Pressed and then sheared by a stress below its strength it comes to rest, and its contacts carry both."""
    scene = pebbles((Shear(stress=Ramp(0.0, 1e-4, begin=1500.0, finish=2000.0)), Pressure(1e-3, "-y")))
    scene.drag = 0.02
    engine = Engine(scene, dt=0.05)
    book = booked(engine, 100_000, 500)
    snapshot = engine.snapshot()
    stress = virial(engine, snapshot) / np.prod(snapshot.period)
    print("stress", stress, "offset", snapshot.offset, "error", book.energy_error)
    assert [stress[1, 1], stress[0, 1]] == pytest.approx([1e-3, -1e-4], rel=1e-4)
    assert stress[0, 1] == pytest.approx(stress[1, 0], abs=1e-6)
    assert snapshot.cell.offset_rate == pytest.approx(0.0, abs=1e-6) and snapshot.offset > 0.0
    assert book.energy_error < 1e-4


# --- bits ------------------------------------------------------------------------------------------------------------


def test_alpha_threads_and_outputs_change_no_bit():
    for end, how in ((4000, {"alpha": 1e-9}), (4000, {"alpha": 0.5}), (400, {"threads": 2})):
        one, other = Engine(pebbles(FLOWING), dt=0.03), Engine(pebbles(FLOWING), dt=0.03, **how)
        one.advance(end)
        for stop in (end // 6, end // 6 + 1, end):
            other.advance(stop)
            other.snapshot()
        assert_same_bits(result(one), result(other))


def test_a_checkpoint_goes_on_bit_for_bit():
    whole, part, rest = (Engine(pebbles(FLOWING), dt=0.03) for _ in range(3))
    whole.advance(6000)
    part.advance(3867)
    rest.restore(*part.checkpoint())
    assert rest.offset == part.offset > 1.0
    rest.advance(6000)
    assert_same_bits(result(whole), result(rest))


def test_grains_that_go_with_the_flow_leave_the_lists_alone():
    """However far up they are and however fast: lists are made anew for what leaves the flow."""

    def rebuilds(up):
        rate = 0.02
        scene = Scene(law=ELASTIC, box=Box(20.0, 20.0, tags=(Shear(rate=rate),)))
        for k in range(10):
            y = 2.0 * k + 1.0 + 20.0 * up
            scene.add(BALL, (1.0, y), velocity=(rate * y, 0.0))
        engine = Engine(scene, dt=0.02, alpha=0.3)
        engine.advance(10_000)
        assert engine.snapshot().contacts.depths.size == 0
        return engine.rebuilds

    assert rebuilds(0) == rebuilds(40) < 100


@pytest.mark.parametrize("up", [0, 1000])
def test_who_moves_fast_with_the_flow_is_let_go_and_who_moves_fast_against_it_is_named(up):
    """A thousand cells up the flow takes a ball 8 of its diameters in a step."""

    def engine_of(against):
        rate, low = 0.02, 20.0 * up
        scene = Scene(law=ELASTIC, box=Box(20.0, 20.0, offset=3.0, tags=(Shear(rate=rate),)))
        for x, y, faster in ((1.0, 1.0, against), (14.5 + 3.0 * up, 1.0 + low, -against), (8.0 + 3.0 * up, 10.0 + low, 0.0)):
            scene.add(BALL, (x, y), velocity=(rate * y + faster, 0.0))
        return Engine(scene, dt=0.02, alpha=0.3)

    engine_of(1.0).advance(40)
    with pytest.raises(SpeedError, match=r"bodies 0 and 1 move 1\.2 against each other in one step of 0\.02"):
        engine_of(30.0).advance(40)


# --- what it refuses, what it leaves ---------------------------------------------------------------------------------


def test_what_a_sheared_cell_refuses():
    for box, words in (
        ({"period_x": 5.0, "tags": (Shear(rate=1.0),)}, "give period_x and period_y"),
        ({"period_y": 5.0, "offset": 1.0}, "give period_x and period_y"),
        ({"period_x": 5.0, "period_y": 5.0, "offset": float("nan")}, "offset"),
        ({"period_x": 5.0, "period_y": 5.0, "tags": (Shear(rate=1.0), Velocity(x=1.0))}, "let the period along y change"),
        ({"period_x": 5.0, "period_y": 5.0, "tags": (Shear(rate=1.0), Pressure(1.0, "-x"))}, "let the period along y change"),
        ({"period_x": 5.0, "period_y": 5.0, "tags": (Shear(rate=1.0), Shear(stress=1.0))}, "two Shear tags"),
    ):
        with pytest.raises(SceneError, match=words):
            Box(**box)
    for given in ({}, {"rate": 1.0, "stress": 1.0}):
        with pytest.raises(SceneError, match="either a rate or a stress"):
            Shear(**given)
    with pytest.raises(SceneError, match="rate"):
        Shear(rate="fast")
    with pytest.raises(SceneError, match="acts on the periodic cell"):
        pebbles(()).add(BALL, (1.0, 1.0), tags=[Shear(rate=1.0)])
    scene = pebbles((Shear(rate=1.0),))
    scene.add_wall(segment((0.0, -2.0), (SIDE, -2.0), radius=0.1))
    with pytest.raises(SceneError, match="is a wall in a cell that is sheared"):
        Engine(scene)
    with pytest.raises(SceneError, match="verlet"):
        Engine(pebbles((Shear(rate=1.0),)), integrator="gear4")


def test_a_cell_that_leans_and_stays_is_a_lattice_like_any():
    scene = Scene(law=ELASTIC, box=Box(3.0, 2.0, offset=1.0))
    scene.add(BALL, (0.5, 0.6))
    scene.add(BALL, (1.5, 1.7))  # a ball meets its image one row down
    engine = Engine(scene, dt=0.01)
    contacts = engine.snapshot().contacts
    assert contacts.depths == pytest.approx([1.0 - 0.9]) and engine.offset == 1.0 and engine.snapshot().cell.offset_rate == 0.0
    assert np.abs(contacts.normals) == pytest.approx(np.array([[0.0, 1.0]]))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return clast.run(
        pebbles(FLOWING, rate=0.01), until=300.0, dt=0.03, out=tmp_path_factory.mktemp("sheared") / "run", samples=200, frames=6,
        progress=clast.quiet(),
    )  # fmt: skip


def test_a_stored_run_keeps_its_offset(run):
    time = run.series["time"]
    rates = np.gradient(run.series["cell.offset"], time) / run.series["cell.y"]
    assert rates[1:-1] == pytest.approx(0.01, rel=1e-3)
    kept = np.array([frame.offset for frame in run.frames])
    assert kept == pytest.approx(np.interp(run.frames.times, time, run.series["cell.offset"]), rel=1e-3)
    assert run.book.energy_error < 1e-4


def test_measures_of_a_stored_run(run):
    strain, whole, contacts = Strain().compute(run), Stress(kinetic=True).compute(run), Stress().compute(run)
    assert strain.shear[-1] == pytest.approx(run.series["cell.offset"][-1] / SIDE)
    assert Strain(at="frames").compute(run).shear[-1] == pytest.approx(strain.shear[-1])
    assert whole.xy[-100:].mean() < -1e-4
    assert (whole.yy > contacts.yy).all() and whole.p.shape == contacts.p.shape
    touching = contacts_at(run, -1)
    frame = run.frames[-1]
    images = touching.images @ np.array([[frame.period[0], 0.0], [frame.offset, frame.period[1]]])
    i, j = touching.bodies.T
    met = frame.positions[j] - frame.positions[i] + images
    assert touching.images[:, 1].any() and met == pytest.approx(touching.first_arms - touching.second_arms, abs=1e-5)
    moved = Displacement(-2, -1).compute(run)
    assert np.polyfit(moved.positions[:, 1], moved.vectors[:, 0], 1)[0] == pytest.approx(
        (run.frames[-1].offset - run.frames[-2].offset) / run.frames[-2].period[1], rel=0.2
    )
    with pytest.raises(InputError, match="kept at samples"):
        Stress(kinetic=True, at="frames")


def test_pictures_show_every_grain_where_the_lattice_has_it(run):
    """The outlines in the box cover as much of it as the grains have area: none is missing, none is drawn where another is."""
    import shapely

    from clast.output.figures.plane import run_outlines

    frame = run.frames[-1]
    outlines = run_outlines(run).at(frame)
    rings, _ = outlines.place(np.arange(36), frame.positions, frame.angles)
    seen = shapely.union_all([shapely.Polygon(ring) for ring in rings]).intersection(shapely.box(0.0, 0.0, *frame.period))
    assert seen.area == pytest.approx(36.0, rel=0.01)
    assert frame.offset % SIDE > 1.0


def test_exports_lean_with_the_lattice(run, tmp_path):
    """GSD: a tilted box that holds every grain, and images that lead back to the places; CSV: the offsets of the frames."""
    import gsd.hoomd

    from clast.output.export.csv import export_csv
    from clast.output.export.gsd import export_gsd

    frame = run.frames[-1]
    with gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd"))) as file:
        found = file[-1]
    width, height, _, tilt = found.configuration.box[:4].astype(float)
    assert abs(tilt) * height < 0.5 * width + 1e-3
    assert (tilt * height - frame.offset) / width == pytest.approx(round((tilt * height - frame.offset) / width), abs=1e-5)
    upright = found.particles.position[:, :2] @ np.array([[1.0, 0.0], [-tilt, 1.0]])
    assert (np.abs(upright) <= 0.5 * np.array([width, height]) + 1e-4).all()
    images = found.particles.image[:, :2] @ np.array([[width, 0.0], [tilt * height, height]])
    apart = found.particles.position[:, :2] + images - frame.positions
    assert np.ptp(apart, axis=0).max() < 1e-3
    lines = (export_csv(run, tmp_path / "csv") / "frames.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",")[-1] == "offset [length]" and float(lines[-1].split(",")[-1]) == pytest.approx(frame.offset)
