"""Grains of sources come in where they have room: the circle or ball round them clear of all other grains and of walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.quaternions import product, random_turns
from clast.dynamics.bodies import arrival
from clast.dynamics.bodies.at_once import at_once
from clast.dynamics.bodies.clearance import Clearance
from clast.dynamics.bodies.flow import next_of
from clast.scene.flow import Source

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

TRIES = 64  # places in the region that a grain is offered at a look; it takes the first that has room


def let_come(engine: Engine) -> None:
    """Bring in the grains that are due and have room now."""
    for number, source in enumerate(engine.scene.sources):
        first = engine.flow.come_of(source)
        if next_of(source, first, engine.step, engine.dt) != engine.step:
            continue
        clearance = Clearance(engine, source)
        places, turns = [], []
        for k in range(first, source.count):
            if next_of(source, k, engine.step, engine.dt) != engine.step:
                break
            rng = np.random.default_rng([source.seed, number, k, engine.step])
            turns.append(turn_of(source, rng, engine.scene.bodies[source.first + k].shape))
            place = place_of(source, k, rng, clearance)
            if place is None:
                break
            places.append(place)
        if places:
            ids = source.first + np.arange(first, first + len(places))
            with at_once(engine):
                arrival.come_in(engine, ids, np.array(places), np.array(turns[: len(places)]), np.array(source.velocity))


def turn_of(source: Source, rng: np.random.Generator, shape: Any) -> np.ndarray:
    """An angle (), in space an orientation (4,): turned as the source has it from how the shape was drawn, or at random."""
    if len(source.lower) == 2:
        return np.array(rng.uniform(0.0, 2.0 * np.pi) if source.turn is None else source.turn[0])
    return random_turns(rng, 1)[0] if source.turn is None else product(np.array(source.turn), shape.orientation)


def place_of(source: Source, number: int, rng: np.random.Generator, clearance: Clearance) -> np.ndarray | None:
    """A place (d,) where a grain of a source has room now, which then is taken; None if none is found."""
    low, high = np.array(source.lower), np.array(source.upper)
    for place in low + (high - low) * rng.uniform(size=(TRIES, low.size)):
        if clearance.is_free(place, number):
            clearance.take(place, number)
            return place
    return None
