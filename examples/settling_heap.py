"""A small heap falls and comes to rest; what to look at before believing it (docs/how-to-trust-a-run.md).

In the end the floor must carry the weight of the grains, no more and no less.
"""

import numpy as np

import clast
from clast.shapes import pebble, polyline

GRAVITY, ROWS, COLUMNS = 10.0, 6, 6
rng = np.random.default_rng(4)
grain = pebble(0.1)  # area 0.1
bumps = [(-3.5, 1.0), *((0.2 * k, 0.1 * (k % 2)) for k in range(-16, 17)), (3.5, 1.0)]

scene = clast.Scene(
    law=clast.Linear(1e5, 5e4, friction=0.6, normal_damping=400.0, tangential_damping=100.0), gravity=(0.0, -GRAVITY)
)
floor = scene.add_wall(polyline(bumps, radius=0.05), name="floor")
for k in range(ROWS * COLUMNS):
    place = (0.45 * (k % COLUMNS) - 1.1 + 0.05 * rng.uniform(), 0.6 + 0.45 * (k // COLUMNS))
    scene.add(grain, place, angle=rng.uniform(0.0, 2.0 * np.pi))


def load_on_floor(engine, snapshot):
    """Upward force of the floor on the grains, from the table of contacts."""
    contacts = snapshot.contacts
    on_first = contacts.elastic_forces[:, 1]
    return {"floor_load": float(on_first[contacts.second == floor].sum() - on_first[contacts.first == floor].sum())}


run = clast.run(scene, until=4.0, out="runs/settling-heap", overwrite=True, extra=load_on_floor)
run.plot(0, 25, -1).savefig("runs/settling-heap/heap.png")
run.book.plot().savefig("runs/settling-heap/book.png")

weight = GRAVITY * sum(body.mass for body in scene.bodies if not body.big)
load = run.series["floor_load"][-20:].mean()
kinetic = run.book.kinetic[-1] / (ROWS * COLUMNS)
deepest = run.series["deepest_overlap"].max() / grain.radius
print(f"weight {weight:.4f}, floor carries {load:.4f}; kinetic energy of a grain {kinetic:.1e}")
print(f"deepest overlap {deepest:.3%} of the sphero-radius, energy error {run.result['energy_error']:.1e}")
assert abs(load / weight - 1.0) < 0.01, "at rest the floor carries the weight"
assert run.frames[-1].positions[1:, 1].min() > 0.0, "nobody fell through the floor or off it"
assert deepest < 0.2 and run.result["energy_error"] < 1e-3, "overlaps and book are within their bounds"
