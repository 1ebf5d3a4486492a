"""Grains in a box under a lid: a pressure between two walls, raised slowly, then cycled (docs/tags.md).

The lid's work is booked as it moves; it must be pressure × width × way, and the lid must sink a little in every cycle.
"""

import numpy as np

import clast
from clast.packing.plane.lattice import square_lattice
from clast.shapes import pebble, segment

SIDE, PRESSURE, SWING, READY, PERIOD, CYCLES = 3.0, 200.0, 150.0, 1.2, 0.4, 4
END = READY + CYCLES * PERIOD
rng = np.random.default_rng(2)
grain = pebble(0.1)

scene = clast.Scene(law=clast.Linear(1e5, 5e4, friction=0.5, normal_damping=400.0))
for name, a, b in (("floor", (-1, 0), (4, 0)), ("left", (0, -1), (0, 5)), ("right", (SIDE, -1), (SIDE, 5))):
    scene.add_wall(segment(a, b, radius=0.05), name=name)
lid = scene.add_wall(segment((-1.0, SIDE), (4.0, SIDE), radius=0.05), name="lid", tags=[clast.Velocity(x=0.0, spin=0.0)])
scene.add_many(grain, square_lattice(49, 7, (SIDE - 0.1) / 7) + 0.05, angles=rng.uniform(0.0, 2.0 * np.pi, 49))


def swing(t):
    """On top of the pressure: nothing at first, then SWING (1 − cos)/2."""
    return 0.5 * SWING * (1.0 - np.cos(2.0 * np.pi * (t - READY) / PERIOD)) if t > READY else 0.0


for value in (clast.Ramp(0.0, PRESSURE, finish=0.5, smooth=True), swing):  # loads of one body add up
    scene.tag("lid", clast.Pressure(value, "-y", between=("left", "right")))
run = clast.run(scene, until=END, out="runs/pressed-box", overwrite=True, samples=800, frames=400)

times = run.frames.times
height = np.array([frame.positions[lid, 1] for frame in run.frames])
pressure = np.array([PRESSURE + swing(t) for t in times])
width = SIDE - 0.1  # between the inner faces
cycling = times >= READY
way = -np.diff(height[cycling])
work = float(np.sum(0.5 * (pressure[cycling][1:] + pressure[cycling][:-1]) * width * way))
booked = np.interp([READY, END], run.series["time"], run.series["work_tags"])
sunk = [float(np.interp(READY + k * PERIOD, times, height)) for k in range(CYCLES + 1)]
print(f"work of the cycles {work:.5f}, booked {booked[1] - booked[0]:.5f}; lid at {', '.join(f'{each:.5f}' for each in sunk)}")
print(f"energy error {run.result['energy_error']:.1e}, heat {run.book.heat[-1]:.4f}")
assert abs(work / (booked[1] - booked[0]) - 1.0) < 0.02, "what the lid does is booked: pressure × width × way"
assert sunk[-1] < sunk[0], "cycles of load leave the packing denser"
assert run.result["energy_error"] < 1e-3, "the book closes"
