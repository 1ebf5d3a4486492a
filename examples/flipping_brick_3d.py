"""A brick spinning in free flight about its middle axis turns over again and again (the tennis racket, or Dzhanibekov effect).

Nothing acts on it, so its energy and its angular momentum must stay as they are, though the spin keeps turning over.
"""

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt

import clast
from clast.algebra.quaternions import matrix
from clast.shapes import cuboid

brick = cuboid((3.0, 2.0, 0.6), radius=0.2)
middle = int(np.argsort(brick.inertia)[1])
spin = np.full(3, 1e-3)
spin[middle] = 2.0  # radians/s, about the principal axis of the middle moment; a little about the others

scene = clast.Scene3D(law=clast.Linear(1e3))
scene.add(brick, (0.0, 0.0, 0.0), velocity=(0.1, 0.0, 0.0), spin=spin)
run = clast.run(scene, until=60.0, dt=1e-3, out="runs/flipping-brick", overwrite=True, frames=300)

turns = np.array([matrix(frame.orientations[0]) for frame in run.frames])
spins = np.array([frame.spins[0] for frame in run.frames])  # about the axes of the world
own = np.einsum("kba,kb->ka", turns, spins)  # about those of the brick
momenta = np.einsum("kab,kb->ka", turns, run.scene["body_inertia"][0] * own)

flips = np.flatnonzero(np.diff(np.sign(own[:, middle])))
drift = np.abs(momenta - momenta[0]).max() / np.linalg.norm(momenta[0])
times = ", ".join(f"{run.frames.times[k]:.1f}" for k in flips)
print(f"it turned over {len(flips)} times, at {times} s")
print(f"energy error {run.result['energy_error']:.1e}, angular momentum changed by {drift:.1e} of its size")

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(run.frames.times, own, label=[f"moment {moment:.2f}" for moment in brick.inertia])
axes.set(xlabel="time [s]", ylabel="spin about its own axes [rad/s]")
axes.legend()
figure.savefig("runs/flipping-brick/spins.png")

assert len(flips) >= 3 and np.ptp(np.diff(run.frames.times[flips])) < 0.5, "it turns over at regular times"
assert run.result["energy_error"] < 1e-6 and drift < 1e-6, "nothing acts on it"
assert abs(run.frames[-1].positions[0, 0] - 0.1 * 60.0) < 1e-9, "it flies straight on"
