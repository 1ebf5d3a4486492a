"""Gravel from a photograph is poured into a box and comes to rest (docs/photographs.md).

Each grain must have the area it has in the picture to 1 %. In the end the box must carry their weight, no more and no less.
"""

import matplotlib
import numpy as np

matplotlib.use("agg")

import clast
from clast.output.figures.photograph import save_photograph_figure
from clast.shapes import polyline, sample_photograph

PIXEL = 0.025  # cm: the picture is 12 cm wide
GRAVITY, DENSITY = 981.0, 2.65  # cm/s², g/cm²
COLUMNS, ROWS = 5, 7

gravel = clast.grains_from_image(sample_photograph(), scale=PIXEL, vertices=24)
print(gravel)
spacing = 2.05 * max(shape.reach for shape in gravel.shapes)
width = COLUMNS * spacing
walls = [(0.0, 2.0 * width), (0.0, 0.0), (width, 0.0), (width, 2.0 * width)]

law = clast.Linear(4e7, 2e7, friction=0.5, normal_damping=400.0, tangential_damping=100.0)  # dyn/cm, 1/s
scene = clast.Scene(law=law, gravity=(0.0, -GRAVITY))
box = scene.add_wall(polyline(walls, radius=0.1), name="box")
rng = np.random.default_rng(1)
for k in range(COLUMNS * ROWS):
    place = spacing * np.array([k % COLUMNS + 0.5, k // COLUMNS + 0.6])
    shape = gravel.shapes[k % len(gravel)]
    scene.add(shape, place, angle=rng.uniform(0.0, 2.0 * np.pi), velocity=20.0 * rng.normal(size=2), density=DENSITY)


def load_on_box(engine, snapshot):
    """Upward force of the box on the grains, from the table of contacts."""
    contacts = snapshot.contacts
    on_first = contacts.elastic_forces[:, 1]
    return {"box_load": float(on_first[contacts.second == box].sum() - on_first[contacts.first == box].sum())}


run = clast.run(scene, until=0.8, out="runs/photographed-grains", overwrite=True, extra=load_on_box)
run.plot(0, 25, -1).savefig("runs/photographed-grains/settling.png")
save_photograph_figure(gravel, run.folder / "gravel.png")

weight = GRAVITY * sum(body.mass for body in scene.bodies if not body.big)
load = run.series["box_load"][-20:].mean()
fall = GRAVITY * DENSITY * np.mean([shape.area * shape.reach for shape in gravel.shapes])  # energy of a fall by its own size
kinetic = run.book.kinetic[-1] / (COLUMNS * ROWS)
deepest = run.result["overlap_share"]
error = max(abs(grain.misfit.area_error) for grain in gravel)
print(f"areas to {error:.1e}, outlines to {max(grain.misfit.largest for grain in gravel) / PIXEL:.2f} pixels")
print(f"weight {weight:.0f} dyn, box carries {load:.0f}; kinetic energy of a grain {kinetic / fall:.1e} of a fall by its size")
print(f"deepest overlap {deepest:.1%} of the sphero-radius, energy error {run.result['energy_error']:.1e}")
assert error < 0.01, "a grain has the area of its outline"
assert abs(load / weight - 1.0) < 0.01 and kinetic < 1e-4 * fall, "at rest the box carries the weight"
assert run.frames[-1].positions[1:].min() > 0.0, "nobody left the box"
assert deepest < 0.2 and run.result["energy_error"] < 1e-3, "overlaps and book are within their bounds"
