"""Solids of five kinds fall into a box and come to rest; the box must carry their weight (pictures: docs/space-pictures.md).

Friction and dashpots take the energy of the fall, and the energy book shows how much each of them took.
"""

import numpy as np

import clast
from clast.algebra.quaternions import random_turns
from clast.measures import Coordination, Fabric
from clast.shapes import capsule, cuboid, library_solid, open_box, sphere, tetrahedron

GRAVITY, ACROSS, LAYERS, DENSITY = 10.0, 3, 3, 2.0
kinds = [cuboid(0.8, 0.1), tetrahedron(1.1, 0.12), sphere(0.5), capsule(0.7, 0.3), library_solid("l-block")]
law = clast.Linear(2e5, 1e5, friction=0.5, normal_damping=200.0, tangential_damping=100.0)

scene = clast.Scene3D(
    law=law, gravity=(0.0, 0.0, -GRAVITY), drag=clast.Ramp(0.0, 4.0, begin=2.0, finish=2.5)
)  # a drag at the end stills the last of it
rng = np.random.default_rng(2)
turns = random_turns(rng, ACROSS**2 * LAYERS)
for k, turn in enumerate(turns):
    x, y, z = k % ACROSS - 1, k // ACROSS % ACROSS - 1, k // ACROSS**2
    scene.add(
        kinds[k % 5], (1.9 * x, 1.9 * y, 1.2 + 1.9 * z), orientation=turn, velocity=rng.normal(size=3), density=DENSITY,
    )  # fmt: skip
scene.add_wall(open_box((6.0, 6.0, 7.0), radius=0.1), name="box")

run = clast.run(scene, until=4.0, dt=1.5e-4, out="runs/poured-box", overwrite=True, frames=30)
run.plot(0, -1).savefig("runs/poured-box/box.png")
run.book.plot().savefig("runs/poured-box/book.png")

weight = GRAVITY * sum(body.mass for body in scene.bodies if not body.big)
load = -run.series["box.force_z"][-1]
around, fabric = Coordination().compute(run), Fabric().compute(run)
heat = {name: run.series[f"heat_{name}"][-1] for name in ("sliding", "viscous", "drag")}
print(f"weight {weight:.3f}, the box carries {load:.3f}; unbalanced force {run.series['unbalanced_force'][-1]:.1e}")
print(f"{around.mean:.2f} neighbours per grain, {around.mean_contacts:.2f} contacts; ⟨n_z²⟩ = {fabric.tensor[2, 2]:.2f}")
print("heat: " + ", ".join(f"{name} {value:.1f}" for name, value in heat.items()) + f"; energy error {run.book.energy_error:.1e}")

assert abs(load / weight - 1.0) < 0.01, "at rest the box carries the weight"
assert run.book.kinetic[-1] < 1e-4 * run.book.kinetic.max(), "they lie still"
assert (np.abs(run.frames[-1].positions[:-1, :2]) < 3.0).all() and run.frames[-1].positions[:-1, 2].min() > 0.0, "in the box"
assert heat["sliding"] > heat["drag"] and run.book.energy_error < 1e-3, "friction did the work, and the book closes"
