"""Laws of overlapping volumes: force against energy, friction, dashpots, parameters and refusals (CSM10 eq 3-6; model §4)."""

import math

import numpy as np
import pytest

from clast.algebra.quaternions import about
from clast.dynamics.engine import Engine
from clast.dynamics.space import table
from clast.errors import ClastError, SceneError
from clast.laws import Linear, OverlapEnergy, OverlapVolume, Turning, overlap_energy, overlap_volume
from clast.laws.cohesion import Cohesion
from clast.laws.law import Memory
from clast.laws.overlap import Overlap
from clast.laws.turning import root_of
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes.space.make import cuboid, sphere

MODULES = {OverlapVolume: overlap_volume, OverlapEnergy: overlap_energy}
KINDS = list(MODULES)
HERE = Overlap(
    volume=2e-3, area=0.2, length=0.9, size=1.1, section=0.7, closing_speed=0.0, sliding_u=0.0, sliding_w=0.0, reduced_mass=0.4
)
NEW = Memory(0.0, 0.0, 0.0)
YOUNG = 1e4


def answer(law, overlap=HERE, memory=NEW, dt=1e-3):
    return MODULES[type(law)].force(law.row, overlap, memory, dt)


def test_the_pushes():
    assert answer(OverlapVolume(YOUNG)).elastic == pytest.approx(YOUNG * 2e-3 / 0.9, rel=1e-15)
    assert answer(OverlapEnergy(YOUNG)).elastic == pytest.approx(YOUNG * 2e-3 * 0.2 / (1.1 * 0.7), rel=1e-15)
    given = OverlapEnergy(YOUNG, length=2.0, section=3.0)
    assert answer(given).elastic == pytest.approx(YOUNG * 2e-3 * 0.2 / 6.0, rel=1e-15)


@pytest.mark.parametrize("law", [OverlapEnergy(YOUNG), OverlapEnergy(YOUNG, length=2.0, section=3.0)])
def test_the_conserving_push_is_the_slope_of_its_energy(law):
    """(dU/dV) |A|, by differences."""
    h = 1e-6
    near, far = (overlap_energy.normal_energy(law.row, HERE._replace(volume=v)) for v in (HERE.volume - h, HERE.volume + h))
    assert HERE.area * (far - near) / (2.0 * h) == pytest.approx(overlap_energy.elastic(law.row, HERE), rel=1e-9)


def test_the_law_of_csm10_has_no_energy():
    assert overlap_volume.normal_energy(OverlapVolume(YOUNG).row, HERE) == 0.0
    assert not overlap_volume.CONSERVING and overlap_energy.CONSERVING


@pytest.mark.parametrize("kind, stiffness", [(OverlapVolume, YOUNG * 0.2 / 0.9), (OverlapEnergy, YOUNG * 0.2**2 / (1.1 * 0.7))])
def test_damping_is_a_part_of_critical(kind, stiffness):
    """2ζ√(m k) with k the slope of the push; it never pulls."""
    law = kind(YOUNG, damping=0.3)
    closing = answer(law, HERE._replace(closing_speed=0.5))
    assert closing.viscous == pytest.approx(2.0 * 0.3 * math.sqrt(0.4 * stiffness) * 0.5, rel=1e-14)
    leaving = answer(law, HERE._replace(closing_speed=-50.0))
    assert leaving.viscous == -leaving.elastic


@pytest.mark.parametrize("kind", KINDS)
def test_friction(kind):
    """A spring k_t = τ Y L/4 that gives way at μ (push + viscous), with heat for what it gave way by."""
    law = kind(YOUNG, friction=0.5, tangential=0.4)
    k_t = 0.4 * YOUNG * 1.1 / 4.0
    held = answer(law, HERE._replace(sliding_u=3e-2, sliding_w=4e-2), dt=1e-3)
    assert (held.shear_u, held.shear_w) == pytest.approx((-k_t * 3e-5, -k_t * 4e-5), rel=1e-13)
    assert held.heat == 0.0
    slid = answer(law, HERE._replace(sliding_u=9.0, sliding_w=12.0), Memory(1e-3, 0.0, 0.0), dt=1e-3)
    cap = 0.5 * slid.elastic
    assert math.hypot(slid.shear_u, slid.shear_w) == pytest.approx(cap, rel=1e-12)
    before, new, trial = np.array([1e-3, 0.0]), np.array([slid.spring_u, slid.spring_w]), np.array([10e-3, 12e-3])
    assert slid.heat == pytest.approx(0.5 * k_t * (before + new) @ (trial - new), rel=1e-12)
    energy = MODULES[kind].spring_energy(law.row, 1.1, 3e-5, 4e-5)
    assert energy == pytest.approx(0.5 * k_t * 25e-10, rel=1e-13)


def test_tangential_damping_stays_within_the_cap():
    law = OverlapVolume(YOUNG, friction=0.5, tangential_damping=0.2)
    k_t = 2.0 / 7.0 * YOUNG * 1.1 / 4.0
    slow = answer(law, HERE._replace(sliding_now_u=1e-3), dt=0.0)
    assert slow.drag_u == pytest.approx(-2.0 * 0.2 * math.sqrt(0.4 * k_t) * 1e-3, rel=1e-13)
    fast = answer(law, HERE._replace(sliding_now_u=1e3), dt=0.0)
    assert math.hypot(fast.shear_u + fast.drag_u, fast.shear_w + fast.drag_w) <= 0.5 * fast.elastic * (1.0 + 1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given, said", [
    ({"young": 0.0}, "young = 0"),
    ({"young": -1.0}, "young = -1.0 must be a finite number"),
    ({"young": math.nan}, "young = nan"),
    ({"young": 1e4, "friction": 0.5, "tangential": 0.0}, "needs tangential > 0"),
    ({"young": 1e4, "damping": "some"}, "damping = 'some' must be a number"),
    ({"young": 1e4, "cohesion": Cohesion(1.0, 0.1)}, "neither rolling resistance nor cohesion"),
])  # fmt: skip
def test_bad_parameters_are_refused(kind, given, said):
    with pytest.raises(SceneError, match=said):
        kind(**given)


@pytest.mark.parametrize("given, said", [
    ({"twisting": -1.0}, "twisting = -1.0 must be a finite number that is not negative"),
    ({"rocking": math.inf}, "rocking = inf must be a finite number"),
    ({"rocking": "much"}, "rocking = 'much' must be a number"),
])  # fmt: skip
def test_bad_numbers_of_turning_are_refused(given, said):
    with pytest.raises(SceneError, match=said):
        Turning(**given)


def test_turning_is_a_turning_and_more_than_the_push_itself_resists():
    for kind in KINDS:
        with pytest.raises(SceneError, match=r"turning = 2\.0 must be a Turning"):
            kind(YOUNG, turning=2.0)
    with pytest.raises(SceneError, match=r"rocking = 0\.5 is less than the push itself resists, 1: give 1 or more, or 0"):
        OverlapVolume(YOUNG, turning=Turning(rocking=0.5))
    assert OverlapEnergy(YOUNG, turning=Turning(rocking=0.5)).turning.rocking == 0.5
    assert OverlapVolume(YOUNG, turning=Turning(rocking=0.0)).turning.rocking == 0.0


def test_one_scene_has_springs_against_turning_in_all_its_laws_or_in_none():
    scene = Scene3D(law=OverlapEnergy(YOUNG, turning=Turning()))
    scene.set_law("a", "b", OverlapEnergy(YOUNG, turning=Turning(0.0, 0.0)))
    with pytest.raises(SceneError, match="OverlapEnergy with turning"):
        scene.set_law("a", "b", OverlapEnergy(YOUNG))


def test_the_root_of_a_stiffness():
    """Its square is the stiffness; that of none is none."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        half = rng.normal(size=(2, 2)) * rng.choice([1.0, 1e-6], size=2)
        whole = half @ half.T
        uu, uw, ww = root_of(whole[0, 0], whole[0, 1], whole[1, 1])
        root = np.array([[uu, uw], [uw, ww]])
        assert root @ root == pytest.approx(whole, rel=1e-7, abs=1e-12 * whole.max())
    assert root_of(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert root_of(4.0, 0.0, 0.0) == (2.0, 0.0, 0.0)


def test_a_stiffer_turn_takes_a_smaller_step():
    def step(law) -> float:
        scene = Scene3D(law=law)
        scene.add_drawn(cuboid((1.0, 1.0, 0.2), 0.0))
        return Engine(scene).dt

    plain = step(OverlapEnergy(YOUNG))
    assert step(OverlapEnergy(YOUNG, turning=Turning(1.0, 1.0))) == plain
    assert step(OverlapEnergy(YOUNG, turning=Turning(1.0, 4.0))) == pytest.approx(0.5 * plain, rel=1e-12)


@pytest.mark.parametrize("given", [{"length": 0.0}, {"section": 0.0}, {"length": -1.0}])
def test_lengths_of_the_conserving_law_are_positive(given):
    with pytest.raises(SceneError, match="law parameter"):
        OverlapEnergy(YOUNG, **given)


def test_laws_and_solids_that_do_not_go_together():
    sharp, rounded = cuboid(1.0, 0.0), cuboid(1.0, 0.1)
    with pytest.raises(SceneError, match="give it a radius"):
        Scene3D(law=Linear(1e4)).add(sharp, (0, 0, 0))
    with pytest.raises(SceneError, match="draw it with radius 0"):
        Scene3D(law=OverlapVolume(YOUNG)).add(rounded, (0, 0, 0))
    with pytest.raises(SceneError, match="is rounded"):
        Scene3D(law=OverlapEnergy(YOUNG)).add(sphere(0.5), (0, 0, 0))
    with pytest.raises(ClastError, match="sharp"):
        Scene(law=OverlapVolume(YOUNG))
    scene = Scene3D(law=OverlapVolume(YOUNG))
    with pytest.raises(ClastError):
        scene.set_law("grain", "wall", Linear(1e4))


@pytest.mark.parametrize("kind", KINDS)
def test_wrenches_are_equal_and_opposite(kind):
    """Force and couple of one overlap: about any point what i gets is what j loses; of the conserving law the gradient of U."""
    law = kind(YOUNG)

    def engine(shift=(0.0, 0.0, 0.0)) -> Engine:
        scene = Scene3D(law=law)
        scene.add_drawn(cuboid((1.0, 0.8, 0.6), 0.0), turn=about((1, 2, 3), 0.5))
        scene.add_drawn(cuboid((0.7, 0.9, 1.1), 0.0), np.array([0.75, 0.2, 0.1]) + shift, turn=about((0, 1, 1), 0.6))
        return Engine(scene, dt=1e-5, alpha=0.05)

    first = engine()
    snap = first.snapshot()
    row = snap.floats[0]
    assert len(snap.floats) == 1
    normal, push = row[table.NORMAL : table.NORMAL + 3], row[table.PUSH]
    first.advance(1)
    moving = 1.0 / first.model.inverse_mass[:, None] * first.state.body[:, 8:11]
    assert moving[0] == pytest.approx(-moving[1], rel=1e-12)
    assert moving[1] == pytest.approx(0.5e-5 * push * normal, rel=1e-6)
    if kind is OverlapEnergy:
        h = 1e-6
        slope = []
        for way in np.eye(3):
            energies = [engine(sign * h * way).snapshot().floats[0, table.NORMAL_ENERGY] for sign in (-1.0, 1.0)]
            slope.append(-(energies[1] - energies[0]) / (2.0 * h))
        assert push * normal == pytest.approx(slope, rel=1e-6)
