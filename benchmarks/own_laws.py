"""What a law of one's own costs, by what stands in it: dense frictional disks, beside the built-in Linear.

    python benchmarks/own_laws.py

A packing at rest under Linear is given each law in turn, with a stiffness that gives about the same push, and comes to rest
again. All differ from Linear in the push alone. Medians of nine windows, taken by turns, so that a wandering machine hurts all
alike.
"""

import math
import time

import numpy as np

from clast.backend.device import law_function
from clast.bench.cases import CASES, FRICTION, dense, disk_shapes, place_again
from clast.dynamics.engine import Engine
from clast.laws import Law, Linear, OwnLaw, Response
from clast.laws.friction import hold_back, no_pull, slide

WINDOWS, STEPS = 9, 20_000
DEPTH = 1e-3  # about that of a contact, in diameters: there all laws push alike


def root_by_loop(x):
    """The square root, in as many turns as it takes."""
    y = 1.0
    while abs(y * y - x) > 1e-12 * x:
        y = 0.5 * (y + x / y)
    return y


root = law_function(root_by_loop)
# push and energy of unit stiffness
FORMULAS = {
    "depth": (lambda p, d, r: p[0] * d, lambda p, d, r: 0.5 * p[0] * d * d),
    "depth * sqrt(depth)": (lambda p, d, r: p[0] * d * math.sqrt(d), lambda p, d, r: 0.4 * p[0] * d * d * math.sqrt(d)),
    "depth**1.5": (lambda p, d, r: p[0] * d**1.5, lambda p, d, r: 0.4 * p[0] * d**2.5),
    "depth**1.3": (lambda p, d, r: p[0] * d**1.3, lambda p, d, r: p[0] * d**2.3 / 2.3),
    "exp(depth) - 1": (lambda p, d, r: p[0] * (math.exp(d) - 1.0), lambda p, d, r: p[0] * (math.exp(d) - 1.0 - d)),
    "hypot(depth, 0)": (lambda p, d, r: p[0] * math.hypot(d, 0.0), lambda p, d, r: 0.5 * p[0] * d * d),
    "depth * root by a loop": (lambda p, d, r: p[0] * d * root(d), lambda p, d, r: 0.4 * p[0] * d * d * root(d)),
}


def spring_energy(parameters, spring_u, spring_w, extra):
    """Of the tangential spring."""
    return 0.5 * parameters[1] * (spring_u * spring_u + spring_w * spring_w)


def own(name: str, like: Linear) -> OwnLaw:
    """A law with the push of a formula, and all the rest of Linear."""
    push_of, energy = FORMULAS[name]
    elastic = law_function(push_of)

    def force(parameters, contact, memory, dt):
        _, tangential, friction, damping, rubbing = parameters
        push = elastic(parameters, contact.depth, contact.radius)
        viscous = no_pull(push, damping * contact.reduced_mass * contact.closing_speed)
        cap = friction * (push + viscous)
        u, w, heat = slide(tangential, cap, memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt)
        drag_u = -rubbing * contact.reduced_mass * contact.sliding_u
        drag_w = -rubbing * contact.reduced_mass * contact.sliding_w
        drag_u, drag_w = hold_back(-tangential * u, -tangential * w, drag_u, drag_w, cap)
        return Response(push, viscous, -tangential * u, -tangential * w, drag_u, drag_w, u, w, 0.0, heat)

    stiffness = like.normal_stiffness * DEPTH / push_of((1.0,), DEPTH, 1.0)
    others = (like.tangential_stiffness, like.friction, like.normal_damping, like.tangential_damping)
    numbers = dict(zip(("k", "k_t", "mu", "g_n", "g_t"), map(float, (stiffness, *others)), strict=True))
    return OwnLaw(numbers, push_of, energy, stiffest=like.normal_stiffness, force=force, spring_energy=spring_energy)


def at_rest(law: Law | None, prepared: Engine) -> Engine:
    """The prepared packing under another law, at rest again; None for its own."""
    scene = place_again(dense(disk_shapes(), 1, FRICTION), prepared)
    scene.default_law = law or scene.default_law
    engine = Engine(scene, dt=prepared.dt, alpha=prepared.alpha)
    engine.advance(STEPS)
    return engine


def main() -> None:
    """Print a table."""
    prepared = CASES["disk-dense"].prepare(1)
    linear: Linear = prepared.scene.default_law
    engines = {"Linear": at_rest(None, prepared)} | {name: at_rest(own(name, linear), prepared) for name in FORMULAS}
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(WINDOWS):
        for name, engine in engines.items():
            began = time.process_time()  # one thread: not what others do on its core
            engine.advance(engine.step + STEPS)
            seconds[name].append(time.process_time() - began)
    usual = np.median(seconds["Linear"])
    for name, engine in engines.items():
        took, touching = np.median(seconds[name]), int((engine.contacts().counts > 0.0).sum())
        print(f"{name:24} {1e9 * took / STEPS / engine.moving:6.1f} ns a grain and step, {took / usual:.2f} of Linear; "
              f"{touching / engine.moving:.2f} contacts a grain. {engine.remark_on_law()}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
