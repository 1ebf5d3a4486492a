"""Springs that go on: a scene begins with those of another, also under another law."""

import math

import numpy as np
import pytest
from tagged_engines import BALL, LAW, K, by_id, engine_of

from clast.dynamics.engine import Engine
from clast.laws import Cohesion, HertzMindlin, Linear, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.shapes import segment


def rubbing(start: Engine | None = None, *, law=LAW, walls: int = 2, period: float = 0.0) -> Scene:
    """Two disks rub each other, a floor and an upright wall, or each other on both sides across the seam of a periodic box."""
    springs = start.springs() if start is not None else None
    scene = Scene(law=law, gravity=(0.0, -10.0), springs=springs, box=Box(period_x=period))
    first = ((0.0, 0.599, 0.0, 0.1, 0.0, 0.0), (0.9995, 0.599, 0.0, -0.03, 0.0, 0.2))
    for x, y, angle, vx, vy, spin in first if start is None else by_id(start)[:2]:
        scene.add(BALL, (x, y), angle=angle, velocity=(vx, vy), spin=spin)
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1) if period == 0.0 else segment((0.0, 0.0), (period, 0.0), 0.1))
    if walls > 1:
        scene.add_wall(segment((1.5985, -3.0), (1.5985, 5.0), 0.1))
    return scene


def springs_seen(engine: Engine, without: int = -1) -> np.ndarray:
    """Springs and shear forces of the contacts now, but for those of one body."""
    contacts = engine.snapshot().contacts
    return np.column_stack([contacts.springs, contacts.shears])[(contacts.bodies != without).all(axis=1)]


WAYS = {"open": {}, "a wall left out": {"walls": 1}, "periodic": {"walls": 1, "period": 1.9988}}


@pytest.mark.parametrize("close", [0.1, 1e-9])
@pytest.mark.parametrize("way", WAYS)
def test_a_scene_goes_on_with_the_springs_of_another(way, close):
    """From positions, velocities and springs: the same tangential forces."""
    engine = engine_of(rubbing(period=WAYS[way].get("period", 0.0), walls=1 if way == "periodic" else 2), 1e-4)
    engine.advance(40)
    seen = springs_seen(engine, without=3 if way == "a wall left out" else -1)
    assert len(seen) == {"open": 4, "a wall left out": 3, "periodic": 4}[way]
    assert np.abs(seen[:, 0]).min() > 5e-5
    again = engine_of(rubbing(engine, **WAYS[way]), 1e-4)
    assert springs_seen(again) == pytest.approx(seen, rel=close)


MORE = {"rolling": Rolling(10.0, 0.1), "cohesion": Cohesion(0.0, 0.01)}
OTHERS = {
    "linear": Linear(K, 0.5 * K, friction=math.inf, **MORE),
    "hertz-mindlin": HertzMindlin(1e6, 1e6, friction=math.inf, **MORE),
}


@pytest.mark.validate
@pytest.mark.parametrize("old, new", [("linear", "hertz-mindlin"), ("hertz-mindlin", "linear")])
def test_another_law_keeps_the_tangential_spring_and_the_angle_of_rolling(old, new):
    engine = engine_of(rubbing(law=OTHERS[old]), 1e-5)
    engine.advance(400)
    again = engine_of(rubbing(engine, law=OTHERS[new]), 1e-5)
    assert springs_seen(again)[:, 0] == pytest.approx(springs_seen(engine)[:, 0], rel=0.1)
    before, book = accounts(engine, engine.snapshot()), accounts(again, again.snapshot())
    assert book["rolling_elastic"] == pytest.approx(before["rolling_elastic"], rel=1e-6)
    assert book["heat_rolling"] == pytest.approx(0.0, abs=1e-12)
