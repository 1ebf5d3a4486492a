"""The short ways of two balls and of a ball on a solid against the general one, among balls that slide over faces, edges and
corners of a moving block."""

from unittest.mock import patch

import numpy as np
import pytest

from clast.dynamics.contacts.kinds import ONE_ROUND, OTHERS, TWO_ROUND
from clast.dynamics.engine import Engine
from clast.dynamics.space.columns import FIRST, MARK
from clast.laws import Cohesion, Linear, Rolling
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes.space.make import cuboid, sphere

PLAIN = Linear(2000.0, 1000.0, friction=0.5, normal_damping=20.0, tangential_damping=10.0)
STICKY = Linear(
    2000.0, 1000.0, friction=0.5, normal_damping=20.0, rolling=Rolling(1.0, 0.1), cohesion=Cohesion(0.5, 0.02)
)  # fmt: skip


def balls_on_a_block(law: Linear, integrator: str, short: bool) -> Engine:
    """Balls that fall on a slanted block which moves and turns: they hit each other, slide over its faces and past its edges and
    corners. Without `short` balls are looked at as any bodies are.
    """
    rng = np.random.default_rng(3)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -10.0))
    for k in range(16):
        place = (0.54 * (k % 4) - 0.81, 0.54 * (k // 4) - 0.81, 1.35 + 0.1 * rng.uniform())
        scene.add(sphere(0.25), place, velocity=rng.normal(0.0, 0.5, 3), spin=rng.normal(0.0, 5.0, 3))
    led = Velocity(x=0.2, y=-0.1, z=0.3, spin_x=0.3, spin_y=-0.4, spin=1.0)
    scene.add_wall(cuboid((1.4, 1.4, 1.4), 0.1), tags=(led,))
    if short:
        return Engine(scene, dt=5e-4, alpha=0.05, integrator=integrator)
    with patch("clast.dynamics.binding.kinds_to_compile", return_value=1 << OTHERS):
        engine = Engine(scene, dt=5e-4, alpha=0.05, integrator=integrator)
    engine.geometry = engine.geometry._replace(round=np.zeros_like(engine.geometry.round))
    engine._rebuild()
    return engine


@pytest.mark.parametrize(
    "law, integrator",
    [
        pytest.param(PLAIN, "verlet", id="friction"),
        pytest.param(STICKY, "verlet", id="rolling and cohesion", marks=pytest.mark.validate),
        pytest.param(PLAIN, "gear5", id="gear", marks=pytest.mark.validate),
    ],
)
def test_a_ball_on_a_block_that_moves(law, integrator):
    engines = [balls_on_a_block(law, integrator, short) for short in (True, False)]
    met, clashes = set(), 0
    for step in range(10, 1201, 10):
        for engine in engines:
            engine.advance(step)
        assert np.abs(engines[0].state.body - engines[1].state.body).max() < 1e-9
        lists, weight = engines[1]._lists, engines[1]._lists.weight[: engines[1].candidates]
        met |= set(engines[1].geometry.feature[lists.candidate[: engines[1].candidates, 1][weight > 0.0], 15])
        ways = [engine._lists.pair[: engine.pairs, MARK] for engine in engines]
        assert not ways[1].any()
        assert set(ways[0]) <= {TWO_ROUND, ONE_ROUND}
        first = engines[0]._lists.pair[: engines[0].pairs, FIRST][ways[0] == TWO_ROUND]
        clashes += np.count_nonzero(engines[0]._lists.weight[first] > 0.0)
    assert clashes > 10, "balls have touched each other"
    assert met == {0.0, 1.0, 2.0}, "a face, an edge and a corner were touched"
    books = [engine.state.book.sum(axis=0) for engine in engines]
    assert np.abs(books[0] - books[1]).max() < 1e-9 and books[0][1] > 0.01
