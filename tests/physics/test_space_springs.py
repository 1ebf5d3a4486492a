"""Where a contact passes to the feature beside it, its spring goes along: nothing is lost, the force does not jump (model §3)."""

import itertools
import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.snapshots.accounts import accounts
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes.space.make import capsule, cuboid, sphere
from clast.shapes.space.solid import Solid

LAW = Linear(1e4, 5e3, friction=math.inf)
SPEED, DT = 1.0, 1e-4
R = 0.1
CUBE, BALL = cuboid(1.0, R), sphere(0.2)
ALONG_X, ALONG_Y = (capsule(ends=ends, radius=R) for ends in (((-0.5, 0, 0), (0.5, 0, 0)), ((0, -0.5, 0), (0, 0.5, 0))))


def dragged(still: Solid, led: Solid, start, way, length: float, led_first: bool = False):
    """Lead a body past one too heavy to give way.

    Returns, of every tenth step, the contacts, the pull of all springs on the led body, and the energy of lost springs.
    """
    scene = Scene3D(law=LAW)
    x, y, z = SPEED * np.asarray(way, float)
    tags = (Velocity(x=x, y=y, z=z, spin_x=0.0, spin_y=0.0, spin=0.0),)
    bodies = [(still, (0.0, 0.0, 0.0), 1e15, ()), (led, start, 1.0, tags)]
    for solid, place, mass, each in reversed(bodies) if led_first else bodies:
        scene.add_drawn(solid, place, mass=mass, tags=each)
    engine = Engine(scene, dt=DT, alpha=0.05)
    sections, pulls, lost = [], [], []
    for step in range(1, round(length / (SPEED * DT)), 10):
        engine.advance(step)
        snap = engine.snapshot()
        contacts = snap.contacts
        pull = np.where(contacts.first == int(led_first), 1.0, -1.0)[:, None] * contacts.shears
        met = (contacts.sections, contacts.first_features, contacts.second_features)
        sections.append(set(zip(*(each.tolist() for each in met), strict=True)))
        pulls.append(pull.sum(axis=0))
        lost.append(accounts(engine, snap)["heat_lost_springs"])
    return sections, np.array(pulls), lost


def assert_handed_over(sections, pulls, lost, changes: int) -> None:
    """Contacts have changed as often as they should, no energy went, and the pull grew evenly, with what was slid."""
    assert sum(one != other for one, other in itertools.pairwise(sections)) == changes
    assert max(lost) == 0.0
    sizes = np.linalg.norm(pulls, axis=1)
    growth = np.diff(sizes)
    assert sizes[-1] > 0.9 * LAW.tangential_stiffness * SPEED * DT * 10 * len(sizes) * 0.5
    assert np.abs(np.diff(growth)).max() < 0.05 * growth[0]


@pytest.mark.parametrize("led_first", [False, True])
def test_a_ball_goes_over_an_edge(led_first):
    """From a face to the edge that ends it."""
    height = 0.5 + R + BALL.radius - 0.02
    sections, pulls, lost = dragged(CUBE, BALL, (0.47, 0.1, height), (1.0, 0.0, 0.0), 0.06, led_first=led_first)
    assert_handed_over(sections, pulls, lost, 1)


def test_a_ball_goes_past_a_corner():
    """From an edge to the vertex at its end."""
    away = (0.5 + (R + BALL.radius - 0.02) / math.sqrt(2.0),) * 2
    sections, pulls, lost = dragged(CUBE, BALL, (0.47, *away), (1.0, 0.0, 0.0), 0.06)
    assert_handed_over(sections, pulls, lost, 1)


@pytest.mark.parametrize("led_first", [False, True])
def test_the_end_of_a_rod_goes_over_another(led_first):
    """From two edges that cross to an end on an edge, whichever body comes first; the end counts by itself all along."""
    start = (0.1, 0.47, 2 * R - 0.02)
    sections, pulls, lost = dragged(ALONG_X, ALONG_Y, start, (0.0, 1.0, 0.0), 0.06, led_first)
    assert {len(each) for each in sections} == {2}
    assert_handed_over(sections, pulls, lost, 1)


@pytest.mark.parametrize("led", [0, 1])
def test_springs_go_on_where_two_bodies_change_their_order_in_memory(led):
    """Crossed rods meet edge on edge, and none of them probes the other: the pull on the first is the same, whoever is tagged."""

    def rods(tagged: int, speed: float, springs=None) -> Engine:
        scene = Scene3D(law=LAW, springs=springs)
        tag = Velocity(x=speed, y=0.0, z=0.0, spin_x=0.0, spin_y=0.0, spin=0.0)
        for number, (rod, z) in enumerate(((ALONG_X, 0.0), (ALONG_Y, 1.95 * R))):
            scene.add_drawn(rod, (0.0, 0.0, z), mass=1e9, tags=[tag] if number == tagged else ())
        return Engine(scene, dt=DT, alpha=0.05)

    def pull(engine: Engine) -> np.ndarray:
        contacts = engine.snapshot().contacts
        assert contacts.sections.tolist() == [2]
        return np.where(contacts.first == 0, 1.0, -1.0)[:, None] * contacts.shears

    engine = rods(led, SPEED)
    engine.advance(40)
    assert abs(pull(engine)[0, 0]) > 0.9 * LAW.tangential_stiffness * SPEED * DT * 40
    for tagged in (0, 1):
        assert pull(rods(tagged, 0.0, engine.springs())) == pytest.approx(pull(engine), rel=1e-6, abs=1e-6)
