"""Spheres thrown at a rigid plane, or each at a partner: many impacts side by side in one scene, and how each ends.

The plane is z = 0 and the contact lies on the z axis of each impact, the thrown ball above it. Hertz's closed forms for an
elastic impact with closing speed v (k = 4/3 E* √R*, ½ m* v² = ⅖ k δ^{5/2}) give the scales, and bars to judge by:

    δ_max = (5 m* v²/4k)^{2/5}      F_max = k δ_max^{3/2}      duration 2.9433 δ_max/v

Damped impacts: `clast.laws.restitution`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from clast.algebra.quaternions import IDENTITY, matrix
from clast.dynamics.engine import Engine
from clast.errors import InputError
from clast.laws.hertz_mindlin import HertzMindlin
from clast.laws.law import Law
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed
from clast.shapes.space.make import cuboid, plate, sphere
from clast.shapes.space.solid import Solid

DURATION = 2.0 * math.sqrt(math.pi) * math.gamma(7.0 / 5.0) / math.gamma(9.0 / 10.0)  # of Hertz's impact, 2.943 δ_max/v
BEFORE = 3.3  # steps of free flight; not a whole number, as no user's would be
LONGEST = 20.0  # times Hertz's duration after which every impact must be over
Plane = Literal["plate", "box"]


@dataclass(frozen=True)
class Ball:
    """Radius [length], density [mass/length³], Young's modulus [force/length²] and Poisson's ratio."""

    radius: float
    density: float
    young: float
    poisson: float

    @property
    def mass(self) -> float:
        """Of the whole ball."""
        return 4.0 / 3.0 * math.pi * self.radius**3 * self.density

    @property
    def compliances(self) -> tuple[float, float]:
        """(1−ν²)/E and (2−ν)/G: what it adds to 1/E* and 1/G* of a contact."""
        return (1.0 - self.poisson**2) / self.young, 2.0 * (2.0 - self.poisson) * (1.0 + self.poisson) / self.young


class ElasticImpact(NamedTuple):
    """Largest overlap and force, and duration, of an elastic impact."""

    depth: float
    force: float
    duration: float


class Start(NamedTuple):
    """Velocity and spin before an impact, x y z; those of the partner where there is one."""

    velocity: tuple[float, float, float]
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    partner_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    partner_spin: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Ends:
    """How n impacts ended, in the order of their starts, and what the first of them went through, step by step."""

    velocity: np.ndarray  # (n, 3)
    spin: np.ndarray  # (n, 3)
    time: np.ndarray  # (steps,) from the first touch on
    depth: np.ndarray  # (steps,) overlap
    force: np.ndarray  # (steps,) normal force, spring and dashpot
    closing: np.ndarray  # (steps,) closing speed
    dt: float
    steps: int


def effective(ball: Ball, partner: Ball | None) -> tuple[float, float]:
    """E* and G* of a ball with a partner, or with a rigid plane."""
    one, two = ball.compliances
    other = partner.compliances if partner else (0.0, 0.0)
    return 1.0 / (one + other[0]), 1.0 / (two + other[1])


def hertz(ball: Ball, partner: Ball | None, closing: float) -> ElasticImpact:
    """The closed forms above."""
    young, _ = effective(ball, partner)
    radius, mass = ball.radius, ball.mass
    if partner:
        radius = radius * partner.radius / (radius + partner.radius)
        mass = mass * partner.mass / (mass + partner.mass)
    k = 4.0 / 3.0 * young * math.sqrt(radius)
    depth = (1.25 * mass * closing**2 / k) ** 0.4
    return ElasticImpact(depth, k * depth**1.5, DURATION * depth / closing)


def hertz_mindlin(ball: Ball, partner: Ball | None, friction: float, restitution: float) -> HertzMindlin:
    """The law of such an impact, with the `restitution` that comes out."""
    return HertzMindlin(*effective(ball, partner), friction, restitution)


def surface(kind: Plane, width: float, length: float, radius: float) -> Solid:
    """A plane z = 0 about the origin: a plate, or the top of a thin box, of which only the rounded skeleton counts."""
    if kind == "plate":
        x, y = 0.5 * width, 0.5 * length
        return plate([(-x, -y, -radius), (x, -y, -radius), (x, y, -radius), (-x, y, -radius)], radius, name="plane")
    return cuboid((width, length, 4.0 * radius), radius, name="plane")


def impact_scene(
    ball: Ball,
    starts: Sequence[Start],
    laws: Sequence[Law],
    *,
    partner: Ball | None = None,
    plane: Plane = "plate",
    turn: Sequence[float] = IDENTITY,
    gap: float = 0.0,
) -> Scene3D:
    """All impacts of one kind: a row of balls above one plane, or above partners of their own, far from each other.

    laws   one for all, or one for each
    turn   quaternion (w, x, y, z) by which the whole scene is turned
    gap    between the surfaces
    """
    rotation = matrix(turn)
    spacing = 6.0 * max(ball.radius, partner.radius if partner else 0.0)
    scene = Scene3D(law=laws[0])
    solid = sphere(ball.radius)
    for k, start in enumerate(starts):
        material = f"ball {k}" if len(laws) > 1 else "grain"
        along = (k - 0.5 * (len(starts) - 1)) * spacing
        scene.add(
            solid, rotation @ (0.0, along, ball.radius + gap), velocity=rotation @ start.velocity,
            spin=rotation @ start.spin, density=ball.density, material=material,
        )  # fmt: skip
        if partner:
            scene.add(
                sphere(partner.radius), rotation @ (0.0, along, -partner.radius), velocity=rotation @ start.partner_velocity,
                spin=rotation @ start.partner_spin, density=partner.density, material="partner",
            )  # fmt: skip
        if len(laws) > 1:
            scene.set_law(material, "partner" if partner else "wall", laws[k])
    if partner is None:
        wall = surface(plane, 2.0 * spacing, (len(starts) + 1) * spacing, ball.radius)
        lower = 0.0 if plane == "plate" else -3.0 * ball.radius  # the box is drawn about its middle
        scene.add_drawn(wall, rotation @ (0.0, 0.0, lower), turn=turn, material="wall", big=True, tags=(Fixed(),))
    return scene


def throw(
    ball: Ball,
    starts: Sequence[Start],
    laws: Sequence[Law],
    *,
    steps: int,
    partner: Ball | None = None,
    plane: Plane = "plate",
    turn: Sequence[float] = IDENTITY,
    record: bool = False,
) -> Ends:
    """Let all balls hit and fly off again. Δt is Hertz's duration of the fastest impact divided by `steps`.

    record   look at the first impact after every step; else only its end is known
    """
    closing = max(start.partner_velocity[2] - start.velocity[2] for start in starts)
    duration = hertz(ball, partner, closing).duration
    dt = duration / steps
    scene = impact_scene(ball, starts, laws, partner=partner, plane=plane, turn=turn, gap=BEFORE * dt * closing)
    engine = Engine(scene, dt=dt)
    rows: list[tuple[float, float, float, float]] = []
    every = 1 if record else max(1, steps // 10)
    while True:
        engine.advance(engine.step + every)
        seen = engine.snapshot()
        contacts = seen.contacts
        if record and len(contacts):
            force = contacts.pushes[0] + contacts.dampings[0]
            rows.append((seen.time, contacts.depths[0], force, contacts.closing_speeds[0]))
        if not len(contacts) and seen.time > duration:
            break
        if seen.time > LONGEST * duration:
            raise InputError(f"an impact has not ended after {LONGEST:g} times Hertz's duration: give it less damping")
    thrown = slice(0, len(starts) * (2 if partner else 1), 2 if partner else 1)
    back = matrix(turn)
    time, depth, push, closing_speed = np.array(rows).T if rows else np.zeros((4, 0))
    if rows:
        time = time - (time[0] - depth[0] / closing_speed[0])
    return Ends(
        seen.velocities[thrown] @ back, seen.spins[thrown] @ back, time, depth, push, closing_speed, dt, engine.step,
    )  # fmt: skip
