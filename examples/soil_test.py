"""A loose soil of Voronoi grains in a biaxial test: press it, shear it, read its strength (docs/element-tests.md).

The grains of a Voronoi diagram are moved apart, turned at random and pressed without friction. Sheared with friction, the
sample must shrink before it dilates, and bear at least twice the pressure that confines it.
"""

import dataclasses

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt

import clast
from clast.element_tests.biaxial import BiaxialCell
from clast.measures import Coordination, QuasiStatic, Strain, Stress
from clast.output.figures.chains import chains_figure
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.press import Stop, prepare

PRESSURE, RATE, DT = 10.0, 0.002, 5e-4  # dyn/cm, 1/s, s: a soil like that of PRE10, in centimetres, grams, seconds
law = clast.Linear(1e4, 3.3e3, friction=0.4, normal_damping=16.0, tangential_damping=4.0)

packing = voronoi_packing(9, 12, 0.674, erosion=0.1, seed=1)
print(packing.report)
cell = BiaxialCell(packing.expanded(1.4).turned(np.random.default_rng(1)), law, density=3.0)
smooth = dataclasses.replace(law, friction=0.0)
pressed = prepare(cell.compressed(PRESSURE, law=smooth, drag=5.0, closing_speed=2.0), Stop(longest=200.0), dt=DT)
sample = prepare(cell.held(PRESSURE, prepared=pressed, drag=5.0), Stop(longest=100.0), dt=DT)  # friction on
print(sample.report)

test = cell.sheared(PRESSURE, RATE, prepared=sample, onset=1.0)
run = clast.run(test, until=25.5, out="runs/soil-test", dt=DT, overwrite=True, frames=20)

strain, stress = Strain().compute(run), Stress("walls").compute(run)
peak = stress.yy.argmax()
before, after = (Coordination(frame=k).compute(run).mean for k in (0, -1))
print(f"peak: σ₁/σ₃ = {stress.yy[peak] / stress.xx[peak]:.2f} at an axial strain of {strain.axial[peak]:.2%}")
print(f"volume: {strain.volumetric.min():+.2%} at first, {strain.volumetric[-1]:+.2%} at the end")
print(f"neighbours per grain: {before:.2f} → {after:.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(strain.axial, stress.q / stress.p)
left.set(xlabel="axial strain", ylabel="q/p = sin φ")
strain.plot(right)
figure.savefig("runs/soil-test/strength.png")
chains_figure(run, len(run.frames) // 2).savefig("runs/soil-test/chains.png")

assert abs(stress.yy[0] / PRESSURE - 1.0) < 0.01, "the test begins at the pressure it was prepared with"
assert stress.yy[peak] > 2.0 * PRESSURE, "friction and shape bear load"
assert strain.volumetric.min() < 0.0 and strain.volumetric[-1] > 0.005, "it shrinks, then dilates"
assert QuasiStatic().compute(run).slow, "slow enough: I < 1e-3"
assert run.book.energy_error < 1e-3, "the book closes"
