"""Protocols: samples come to rest under their loads, say how they stand, and start the next run without a jump."""

import dataclasses
import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.element_tests.biaxial import BiaxialCell
from clast.errors import InputError, PhysicsError
from clast.experiments.packing import SHAPES, scattered
from clast.laws import Linear
from clast.measures.snapshots.accounts import accounts
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols import press as protocols
from clast.protocols.prepared import state_path
from clast.protocols.press import PressReport, Stop, come_to_rest, prepare, report_on, start_from
from clast.protocols.walls import Extent, add_walls, extent_of
from clast.scene.plane import Scene
from clast.scene.timed import Ramp
from clast.shapes import disk, segment

P, DT = 1e-3, 0.02
ROUGH = Linear(1.0, 0.1, 0.5, normal_damping=0.6, tangential_damping=0.15)
SMOOTH = dataclasses.replace(ROUGH, friction=0.0)
STOP = Stop(earliest=100.0, longest=20_000.0)


def pebbles(friction: bool = True) -> BiaxialCell:
    return BiaxialCell(scattered("pebble", 30, 3), ROUGH if friction else SMOOTH, wall_radius=SHAPES["pebble"](1.0).radius)


def pressed_scene(law: Linear = SMOOTH) -> Scene:
    return pebbles().compressed(P, ramp=Ramp(0.0, P, finish=100.0), law=law, drag=0.02)


@pytest.fixture(scope="module")
def rough():
    """Pebbles compressed with friction: their springs are loaded."""
    return prepare(pressed_scene(ROUGH), STOP, dt=DT)


def test_a_prepared_sample_is_at_rest_under_its_pressure(rough):
    report = rough.report
    assert report.reached and report.time >= 100.0 and report.steps == round(report.time / DT)
    assert report.kinetic < 1e-6 and report.unbalanced < 1e-3
    assert report.targets == pytest.approx({"left": P, "right": P, "bottom": P, "top": P}, rel=1e-12)
    assert list(report.stresses) == ["left", "right", "bottom", "top"]
    assert report.worst_stress() < 0.01
    assert report.stresses["top"] != report.targets["top"]  # measured, not repeated
    assert 0.0 < report.overlap < 0.1
    assert 2.5 < report.coordination < 6.0
    extent = rough.extent(pressed_scene())
    assert extent.width > 1.1 * extent.height  # so that width and height cannot be mixed up
    assert report.fraction == pytest.approx(30.0 / extent.area, rel=1e-12)
    assert 0.7 < report.fraction < 0.9


def test_without_friction_it_is_denser(rough):
    smooth = prepare(pressed_scene(), STOP, dt=DT).report
    assert smooth.reached and smooth.fraction > rough.report.fraction + 0.01


def test_the_report_is_readable(rough):
    said = str(rough.report).splitlines()
    assert said[0].startswith("at rest after t = ") and "neighbours per grain" in said[2]
    extent = rough.extent(pressed_scene())
    assert said[3] == f"  packing fraction {rough.report.fraction:.4f} in {extent.width:.6g} × {extent.height:.6g}"
    assert said[4].startswith("  stress on left") and "of 0.001 (" in said[4] and len(said) == 8
    assert PressReport.from_numbers(rough.report.numbers()) == rough.report
    assert str(dataclasses.replace(rough.report, reached=False)).startswith("NOT at rest")


def test_it_is_taken_from_the_cache(rough, monkeypatch):
    def refuse(*_):
        raise AssertionError("prepared again")

    monkeypatch.setattr(protocols, "come_to_rest", refuse)
    again = prepare(pressed_scene(ROUGH), STOP, dt=DT)
    assert np.array_equal(again.positions, rough.positions) and np.array_equal(again.angles, rough.angles)
    assert np.array_equal(again.springs.memory, rough.springs.memory) and again.report == rough.report
    with pytest.raises(AssertionError, match="prepared again"):
        prepare(pressed_scene(ROUGH), dataclasses.replace(STOP, kinetic=0.9e-6), dt=DT)


def test_the_cache_is_named_by_the_scene(rough, tmp_path):
    source = tmp_path / "source"
    source.write_text("one")
    scenes = [
        pressed_scene(ROUGH),
        pressed_scene(SMOOTH),
        pebbles().compressed(2 * P, ramp=Ramp(0.0, P, finish=100.0), drag=0.02),
        pebbles().compressed(P, ramp=Ramp(0.0, P, finish=100.0), drag=0.02, closing_speed=1e-2),
        pebbles().compressed(P, ramp=Ramp(0.0, 0.5 * P, finish=100.0), drag=0.02),
        pebbles().held(P, prepared=rough),
        pebbles().held(P, prepared=dataclasses.replace(rough, springs=rough.springs._replace(memory=2.0 * rough.springs.memory))),
    ]
    names = [state_path("prepared", scene, "", source) for scene in scenes]
    assert names[0] == state_path("prepared", pressed_scene(ROUGH), "", source)
    assert names[1] != names[0] and names[2] == state_path("prepared", scenes[2], "", source)
    assert len({names[0], names[1], *names[3:]}) == len(names) - 1
    source.write_text("two")
    assert state_path("prepared", scenes[0], "", source) != names[0]
    assert state_path("prepared", scenes[0], "more", source) != state_path("prepared", scenes[0], "", source)


def test_the_next_run_starts_without_a_jump(rough):
    """The same forces and the same energy in springs at t = 0, and no motion after it."""
    held = Engine(pebbles().held(P, prepared=rough), dt=DT)
    first = report_on(held, True)
    assert first.worst_stress() < 0.01 and first.unbalanced < 1e-3
    for wall in ("left", "right", "bottom", "top"):
        assert first.stresses[wall] == pytest.approx(rough.report.stresses[wall], rel=2e-3)
    book = accounts(held, held.snapshot())
    assert book["tangential_elastic"] > 1e-3 * book["normal_elastic"]  # springs were handed over
    before = held.positions
    held.advance(5000)
    assert np.abs(held.positions - before).max() < 1e-3 * SHAPES["pebble"](1.0).radius
    assert report_on(held, True).worst_stress() < 0.01


def test_springs_left_behind_would_be_a_jump(rough):
    """What the test above guards against: without its springs the sample is out of balance."""
    scene = pebbles().held(P, prepared=rough)
    scene.springs = None
    assert report_on(Engine(scene, dt=DT), True).unbalanced > 5e-3


def test_expanded_and_turned_is_loose():
    """Voronoi grains as drawn, and the same expanded, turned and compressed with friction."""
    law = Linear(1e4, 3.3e3, 0.4, normal_damping=16.0, tangential_damping=4.0)
    rng = np.random.default_rng(2)
    drawn = voronoi_packing(5, 6, 0.674, erosion=0.1, rng=rng)
    fraction = {}
    for name, packing in (("dense", drawn), ("loose", drawn.expanded(1.5).turned(rng))):
        cell = BiaxialCell(packing, law, density=3.0, wall_radius=0.1)
        scene = cell.compressed(30.0, drag=Ramp(0.0, 5.0, begin=4.0, finish=5.0), closing_speed=0.3)
        report = prepare(scene, Stop(earliest=5.0, longest=200.0), dt=1e-3).report
        assert report.worst_stress() < 0.01
        fraction[name] = report.fraction
    assert fraction["dense"] > 0.97
    assert 0.6 < fraction["loose"] < 0.9


def test_what_does_not_come_to_rest_is_told():
    stop = Stop(longest=50.0)
    report = come_to_rest(Engine(pressed_scene(), dt=DT), stop)
    assert not report.reached and report.time == pytest.approx(50.0)
    assert math.isinf(report.kinetic) or report.kinetic > 1e-6
    with pytest.raises(PhysicsError, match=r"kinetic / elastic energy .* \(limit: 1e-06\).* after t = 50"):
        prepare(pressed_scene(), stop, dt=DT)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"longest": 0.0}, "longest"),
        ({"longest": 1.0, "kinetic": -1.0}, "kinetic"),
        ({"longest": 1.0, "unbalanced": math.nan}, "unbalanced"),
        ({"longest": 1.0, "earliest": 2.0}, "earliest"),
    ],
)
def test_bad_stops_are_named(given, said):
    with pytest.raises(InputError, match=f"stop: {said}"):
        Stop(**given)


def test_a_heap_settles_without_walls_to_name():
    """Gravity in place of pressure: the same protocol, and a report without stresses."""
    scene = Scene(law=Linear(1e4, 5e3, 0.5, normal_damping=20.0, tangential_damping=10.0), gravity=(0.0, -10.0), drag=1.0)
    scene.add_wall(segment((-3.0, 0.0), (3.0, 0.0), radius=0.1), name="floor")
    for x, y in ((-0.5, 0.7), (0.5, 0.7), (0.0, 1.7)):
        scene.add(disk(radius=0.5), (x, y))
    found = prepare(scene, Stop(longest=50.0), dt=1e-3)
    assert found.report.stresses == {} and math.isnan(found.report.fraction)
    assert len(str(found.report).splitlines()) == 3
    weight = found.positions[3, 1]
    assert weight == pytest.approx(0.6 + math.sqrt(3.0) / 2.0, abs=0.02)  # the third rests on the others
    assert found.report.coordination == pytest.approx((2 + 2 + 2) / 3, abs=0.7)


def test_another_number_of_bodies_is_refused(rough):
    scene = pressed_scene()
    scene.add(disk(radius=0.1), (50.0, 50.0))
    with pytest.raises(InputError, match="with 34 bodies in 2 dimensions, the scene has 35 in 2"):
        start_from(scene, rough)


def test_periodic_packings_are_refused():
    packing = voronoi_packing(4, 4, 1.0, erosion=0.1, border="periodic", seed=1)
    with pytest.raises(InputError, match="closed borders"):
        BiaxialCell(packing, ROUGH).scene()


def test_the_sample_is_the_rectangle_between_the_inner_faces():
    scene = Scene(law=SMOOTH)
    add_walls(scene, Extent(1.0, 2.0, 5.0, 7.0), 0.25)
    places = np.array([body.position for body in scene.bodies])
    assert extent_of(scene, places) == Extent(1.0, 2.0, 5.0, 7.0)
    places[scene.ids("right")[0], 0] += 0.5
    places[scene.ids("bottom")[0], 1] -= 1.0
    assert extent_of(scene, places) == Extent(1.0, 1.0, 5.5, 8.0)
    scene.bodies[0].name = None
    assert extent_of(scene, places) is None
