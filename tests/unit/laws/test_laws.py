"""Single laws in plain Python, and in the engine against closed forms (model §3); what all share is in test_every_law.py."""

import math
from functools import partial

import numpy as np
import pytest
from contact_path import path, slope
from scipy.integrate import quad

from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.laws import Cohesion, Hertz, HertzMindlin, Linear, Rolling, hertz_mindlin
from clast.laws.cohesion import pull, pull_energy
from clast.laws.law import Contact, Memory
from clast.laws.restitution import damping_ratio, restitution_of
from clast.laws.rolling import rolling_energy, rolling_torque
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Scene
from clast.scene.tags import Force, Velocity
from clast.scene.timed import Ramp
from clast.shapes import disk, segment

HERTZ_MINDLIN = HertzMindlin(12000.0, 3000.0, friction=0.4, restitution=0.6)
RADIUS, MASS = 0.3, 0.7


def test_hertz_mindlin_keeps_the_force_under_load_and_the_displacement_when_unloaded():
    row = HERTZ_MINDLIN.row
    held = hertz_mindlin.force(row, Contact(0.01, 0.0, 1.0, 0.0, MASS, RADIUS), Memory(0.0, 0.0, 0.0), 1e-4)
    assert held.shear_u == pytest.approx(-8 * 3000.0 * math.sqrt(0.01 * RADIUS) * 1e-4)
    kept = Memory(held.spring_u, 0.0, held.extra)
    loaded = hertz_mindlin.force(row, Contact(0.02, 0.0, 0.0, 0.0, MASS, RADIUS), kept, 1e-4)
    assert loaded.shear_u == pytest.approx(held.shear_u, rel=1e-14)
    unloaded = hertz_mindlin.force(row, Contact(0.005, 0.0, 0.0, 0.0, MASS, RADIUS), kept, 1e-4)
    assert unloaded.shear_u == pytest.approx(held.shear_u * math.sqrt(0.5), rel=1e-14)
    assert unloaded.spring_u == held.spring_u
    for answer in (loaded, unloaded):
        stored = hertz_mindlin.spring_energy(row, answer.spring_u, 0.0, answer.extra)
        assert answer.heat == pytest.approx(hertz_mindlin.spring_energy(row, held.spring_u, 0.0, held.extra) - stored)
        assert answer.heat > 0.0


def test_moduli_of_a_material():
    one = HertzMindlin.of_material(young=70e9, poisson=0.25, friction=0.3, restitution=0.9)
    assert one.young == pytest.approx(1.0 / (2 * (1 - 0.25**2) / 70e9))
    assert one.shear == pytest.approx(1.0 / (2 * (2 - 0.25) / (70e9 / (2 * 1.25))))
    assert restitution_of(one.row[3]) == pytest.approx(0.9)


def test_cohesion_is_the_slope_of_its_energy_on_both_sides():
    strength, reach = 3.0, 0.02
    force, energy = partial(pull.py_func, strength, reach), partial(pull_energy.py_func, strength, reach)
    for depth in (-0.019, -0.011, -1e-5, 1e-5, 0.004, 0.1):
        assert -force(depth) == pytest.approx(slope(energy, depth), rel=1e-9)
    assert energy(-reach) == 0.0
    assert force(-reach) == 0.0
    assert force(-1e-300) == force(0.0) == strength  # no jump where grains touch
    assert energy(0.0) == pytest.approx(-0.5 * strength * reach)


def test_rolling_closes_and_stays_below_its_limit():
    depth, slip, dt = path(3000)
    stiffness, friction, angle, torque = 5.0, 0.3, 0.0, 0.0
    work = heat = put_in = most = 0.0
    for n in range(3000):
        normal, turn = 1000.0 * depth[n + 1], 10.0 * (slip[n + 1, 0] - slip[n, 0])
        new, _, angle, _, warmth = rolling_torque(stiffness, friction, normal, 0.25, turn / dt, 0.0, angle, 0.0, dt)
        step_work = -0.5 * (new + torque) * turn
        torque, work, put_in, heat = new, work + step_work, put_in + abs(step_work), heat + warmth
        assert abs(torque) <= friction * normal * 0.25 * (1 + 1e-12)
        most = max(most, abs(torque) / (friction * normal * 0.25))
        assert warmth >= 0.0
    assert most == pytest.approx(1.0)
    assert heat > 0.1 * put_in
    assert abs(work - heat - rolling_energy(stiffness, angle)) < 1e-12 * put_in


@pytest.mark.parametrize(
    "make, named",
    [
        (partial(Hertz, 0.0), "normal_stiffness"),
        (partial(Hertz, math.nan), "normal_stiffness"),
        (partial(Hertz, "1e7"), "normal_stiffness"),
        (partial(Hertz, 1.0, -1.0), "tangential_stiffness"),
        (partial(Hertz, 1.0, friction=0.5), "tangential_stiffness"),
        (partial(Hertz, 1.0, normal_damping=math.inf), "normal_damping"),
        (partial(HertzMindlin, -1.0), "young"),
        (partial(HertzMindlin, 1.0, math.inf), "shear"),
        (partial(HertzMindlin, 1.0, friction=0.5), "shear"),
        (partial(HertzMindlin, 1.0, restitution=0.0), "restitution"),
        (partial(HertzMindlin, 1.0, restitution=1.1), "restitution"),
        (partial(HertzMindlin.of_material, young=1.0, poisson=0.6), "poisson"),
        (partial(HertzMindlin.of_material, young=1.0, poisson=math.nan), "poisson"),
        (partial(Rolling, -1.0, 0.1), "stiffness"),
        (partial(Rolling, 1.0, math.nan), "friction"),
        (partial(Cohesion, -1.0, 0.1), "force"),
        (partial(Cohesion, 1.0, 0.0), "range"),
        (partial(Cohesion, 1.0, math.inf), "range"),
    ],
)
def test_bad_parameters_are_named(make, named):
    with pytest.raises(SceneError, match=named):
        make()


@pytest.mark.parametrize("given", [{"rolling": 0.1}, {"cohesion": 5.0}])
def test_rolling_and_cohesion_must_be_what_they_say(given):
    with pytest.raises(SceneError, match=next(iter(given))):
        Linear(1.0, **given)


# --- in the engine ----------------------------------------------------------------------------------------------------

BALL = disk(radius=0.5)
# one kernel for all of these, switched off by numbers
HELD = {"rolling": Rolling(0.0, 0.0), "cohesion": Cohesion(0.0, 0.01)}


def collide(law, speed: float, steps: float, contact_time: float) -> tuple[float, float, float]:
    """Two disks meet head on at a relative speed: speed apart, time in touch, deepest overlap."""
    scene = Scene(law=law)
    scene.add(BALL, (0.0, 0.0), velocity=(0.5 * speed, 0.0))
    gap, dt = 0.123 * speed * contact_time, contact_time / steps
    scene.add(BALL, (1.0 + gap, 0.0), velocity=(-0.5 * speed, 0.0))
    engine = Engine(scene, dt=dt, alpha=0.05)
    deepest = 0.0
    while engine.step < 3 * steps:
        engine.advance(engine.step + 1)
        deepest = max(deepest, float(engine.snapshot().contacts.depths.max(initial=0.0)))
    seen = engine.snapshot()
    apart, between = float(np.diff(seen.velocities[:, 0])[0]), float(np.diff(seen.positions[:, 0])[0])
    assert between > 1.0
    return apart, engine.time - (between - 1.0) / apart - gap / speed, deepest


@pytest.mark.parametrize("speed", [0.1, 0.7])
def test_hertz_collision(speed):
    """δ_max = (5 m_e v²/4 k_h)^{2/5}, T = 2.94 δ_max/v."""
    stiffness, reduced = 1e5, 0.5 * BALL.area
    deepest = (1.25 * reduced * speed**2 / stiffness) ** 0.4
    shape = 2.0 * quad(lambda x: 2 * x / math.sqrt(1 - (1 - x * x) ** 2.5) if x > 0 else 0.0, 0.0, 1.0)[0]
    assert shape == pytest.approx(2.9432, abs=1e-4)
    law = Hertz(stiffness, 1e4, friction=0.5)  # nothing slides head on; a law with springs is compiled for other tests too
    apart, lasted, found = collide(law, speed, 200, shape * deepest / speed)
    assert apart == pytest.approx(speed, rel=1e-4)
    assert lasted == pytest.approx(shape * deepest / speed, rel=1e-3)
    assert found == pytest.approx(deepest, rel=1e-3)


@pytest.mark.parametrize("law", [HertzMindlin, Hertz])
@pytest.mark.parametrize("restitution", [0.9, 0.3])
def test_restitution_of_hertz_does_not_depend_on_the_speed(law, restitution):
    """With dτ = δ^¼ dt the impact is that of a linear spring and dashpot."""
    given = law(1e5, restitution=restitution, **HELD)
    stiffness = 4 / 3 * 1e5 * math.sqrt(0.25) if law is HertzMindlin else 1e5
    for speed in (0.1, 0.7):
        time = 2.94 * (1.25 * 0.5 * BALL.area * speed**2 / stiffness) ** 0.4 / speed
        apart, _, _ = collide(given, speed, 400, time)
        assert apart / speed == pytest.approx(restitution, abs=2e-4)


def test_restitution_and_damping_ratio():
    """From 1 to e⁻² at the critical ratio and on, and back."""
    assert restitution_of(0.0) == 1.0 and restitution_of(1.0) == pytest.approx(math.exp(-2.0))
    assert restitution_of(1.0 - 1e-7) == pytest.approx(restitution_of(1.0 + 1e-7), rel=1e-6)
    for restitution in (1.0, 0.99, 0.5, 0.2, 0.135, 0.05, 0.01):
        assert restitution_of(damping_ratio(restitution)) == pytest.approx(restitution, rel=1e-12)
    for wrong in (0.0, 0.009, 1.01, math.nan):
        with pytest.raises(SceneError, match="cannot be had"):
            damping_ratio(wrong)


@pytest.mark.parametrize("law", [Linear, Hertz])
def test_one_dashpot_only(law):
    with pytest.raises(SceneError, match=r"give restitution = 0\.5 or normal_damping = 3\.0, not both"):
        law(1e4, normal_damping=3.0, restitution=0.5)


def test_dashpots_by_restitution_and_by_a_rate_in_one_scene():
    """A ball between a wall with one and a wall with the other: each impact is that of a scene with its law alone."""

    def bounces(on_left, on_right):
        scene = Scene(law=on_left)
        scene.set_law("grain", "right", on_right)
        ball = scene.add(disk(0.5), (0.0, 0.0), velocity=(-1.0, 0.0))
        for name, x in (("left", -1.0), ("right", 1.0)):
            scene.add_wall(segment((x, -1.0), (x, 1.0), 0.1), material=name)
        engine = Engine(scene, dt=5e-5)
        engine.advance(12_000)
        first = engine.snapshot().velocities[ball, 0]
        engine.advance(38_000)
        return first, -engine.snapshot().velocities[ball, 0] / first

    given, rate = Linear(1e4, restitution=0.8), Linear(1e4, normal_damping=20.0)
    ratio = 20.0 * math.sqrt(disk(0.5).area / 1e4) / 2.0
    assert bounces(given, rate) == pytest.approx((0.8, restitution_of(ratio)), abs=1e-4)


K, G, R = 1e5, 10.0, 0.5
WEIGHT = BALL.area * G
ROLLS = Linear(K, 0.5 * K, friction=5.0, normal_damping=20.0, rolling=Rolling(20.0, 0.02), cohesion=Cohesion(0.0, 0.01))
LIMIT = 0.02 * WEIGHT * R  # of the torque; the reduced radius on a wall is the disk's


def on_a_floor(*disks: dict) -> Scene:
    scene = Scene(law=ROLLS, gravity=(0.0, -G))
    for k, given in enumerate(disks):
        scene.add(BALL, (20.0 * k, R + 0.1 - WEIGHT / K), **given)
    scene.add_wall(segment((-30.0, 0.0), (60.0, 0.0), 0.1))
    return scene


def test_a_rolling_disk_comes_to_rest():
    """¾ m v² = (M/r) × distance with M = μ_r m g r, less the little that the rolling spring keeps."""
    speed = 0.6
    engine = Engine(on_a_floor({"velocity": (speed, 0.0), "spin": -speed / R}), dt=1e-4, alpha=0.05)
    start = 0.75 * BALL.area * speed**2
    engine.advance(4000)
    torques = engine.snapshot().contacts.rolling_torques
    assert torques == pytest.approx([LIMIT], rel=1e-3)
    stopped = speed / (G * 0.02 / 1.5)
    engine.advance(round(1.05 * stopped / 1e-4))
    snap = engine.snapshot()
    book = accounts(engine, snap)
    kept = LIMIT**2 / (2 * 20.0)
    assert snap.positions[0, 0] == pytest.approx(start * R / LIMIT, rel=0.01)
    assert book["heat_rolling"] == pytest.approx(start, abs=1.5 * kept + 2e-3 * start)
    assert book["translational"] + book["rotational"] < 1.1 * kept
    assert abs(snap.contacts.rolling_torques[0]) <= LIMIT * 1.001


def test_a_torque_below_the_limit_does_not_roll_a_disk():
    def loaded(part: float) -> dict:
        return {"tags": [Force(torque=Ramp(0.0, -part * LIMIT, finish=1.0, smooth=True))]}

    engine = Engine(on_a_floor(loaded(0.9), loaded(1.5)), dt=1e-4, alpha=0.05)
    engine.advance(18000)
    turned = np.abs(engine.snapshot().angles[:2])
    assert turned[0] == pytest.approx(0.9 * LIMIT / 20.0, rel=0.1)
    assert turned[1] > 5 * LIMIT / 20.0


PULL, RANGE = 2.0, 0.02
STICKS = Linear(K, cohesion=Cohesion(PULL, RANGE), rolling=Rolling(0.0, 0.0))
BOND = 0.5 * PULL * RANGE + 0.5 * PULL**2 / K  # from the equilibrium at δ = F_c/k_n


def test_work_of_adhesion():
    """Two disks led apart at a constant speed: the tags do the work F_c h/2 + F_c²/2k_n and get nothing back.

    Their spins stay free: bodies of which every component is prescribed do not meet.
    """
    scene = Scene(law=STICKS)
    scene.add(BALL, (0.0, 0.0), tags=[Velocity(x=-0.5, y=0.0)])
    scene.add(BALL, (1.0 - PULL / K, 0.0), tags=[Velocity(x=0.5, y=0.0)])
    engine = Engine(scene, dt=1e-6, alpha=0.01)
    engine.advance(30_000)
    snap = engine.snapshot()
    assert len(snap.contacts) == 0
    assert accounts(engine, snap)["work_tags"] == pytest.approx(BOND, rel=1e-5)


def test_escape_speed():
    scene = Scene(law=STICKS)
    escape = math.sqrt(2 * BOND / (0.5 * BALL.area))
    parts = (0.98, 1.02, 1.5)
    for k, part in enumerate(parts):
        scene.add(BALL, (0.0, 5.0 * k), velocity=(-0.5 * part * escape, 0.0))
        scene.add(BALL, (1.0 - PULL / K, 5.0 * k), velocity=(0.5 * part * escape, 0.0))
    engine = Engine(scene, dt=5e-5, alpha=0.05)
    furthest = np.zeros(3)
    for step in range(200, 16_001, 200):
        engine.advance(step)
        seen = engine.snapshot()
        apart = seen.positions[1::2, 0] - seen.positions[0::2, 0]
        furthest = np.maximum(furthest, apart - 1.0)
    assert furthest[0] < RANGE
    assert apart[0] < 1.0 + RANGE
    for k in (1, 2):
        assert furthest[k] > RANGE
        speeds = seen.velocities[2 * k : 2 * k + 2, 0]
        assert speeds[1] - speeds[0] == pytest.approx(escape * math.sqrt(parts[k] ** 2 - 1), rel=2e-3)


def test_a_disk_hangs_from_a_ceiling_if_the_pull_exceeds_its_weight():
    scene = Scene(law=STICKS, gravity=(0.0, -G))
    for k, part in enumerate((0.95, 1.05)):  # weight over pull
        depth = max(PULL * (1.0 - part) / K, 0.0)
        scene.add(BALL, (3.0 * k, -0.1 - R + depth), mass=part * PULL / G)
    scene.add_wall(segment((-2.0, 0.0), (5.0, 0.0), 0.1))
    engine = Engine(scene, dt=2e-5, alpha=0.05)
    assert engine.snapshot().contacts.pushes.max() == pytest.approx(0.05 * PULL, rel=1e-6)
    engine.advance(10_000)
    heights = engine.snapshot().positions[:, 1]
    assert heights[0] == pytest.approx(-0.1 - R + 0.05 * PULL / K, abs=1e-12)
    assert heights[1] < -0.1 - R - RANGE
