"""A contact law of your own: rough surfaces, soft until their asperities are pressed flat (docs/your-own-law.md).

A disk is thrown along a floor. Friction turns sliding into rolling; whatever the law, angular momentum about the floor
leaves it two thirds of its speed. At rest its overlap must be the one at which the law carries its weight.
"""

import math

import clast
from clast.laws import Response
from clast.laws.friction import no_pull, slide
from clast.shapes import disk, segment


def elastic(parameters, depth, radius):
    k_n, soft = parameters[0], parameters[1]
    if depth < soft:
        return 0.5 * k_n * depth * depth / soft
    return k_n * (depth - 0.5 * soft)


def normal_energy(parameters, depth, radius):
    k_n, soft = parameters[0], parameters[1]
    if depth < soft:
        return k_n * depth * depth * depth / (6.0 * soft)
    return 0.5 * k_n * depth * (depth - soft) + k_n * soft * soft / 6.0


def force(parameters, contact, memory, dt):
    _, _, k_t, mu, g_n = parameters
    push = elastic(parameters, contact.depth, contact.radius)
    viscous = no_pull(push, g_n * contact.reduced_mass * contact.closing_speed)
    u, w, heat = slide(
        k_t, mu * (push + viscous), memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt
    )  # fmt: skip
    return Response(push, viscous, -k_t * u, -k_t * w, 0.0, 0.0, u, w, 0.0, heat)


def spring_energy(parameters, spring_u, spring_w, extra):
    return 0.5 * parameters[2] * (spring_u * spring_u + spring_w * spring_w)


numbers = {"k_n": 1e6, "soft": 1e-3, "k_t": 5e4, "friction": 0.4, "damping": 50.0}
law = clast.OwnLaw(numbers, elastic, normal_energy, stiffest=1e6, force=force, spring_energy=spring_energy)

scene = clast.Scene(law=law, gravity=(0.0, -10.0))
scene.add_wall(segment((-1.0, 0.0), (6.0, 0.0), radius=0.1), name="floor")
ball = scene.add(disk(radius=0.3), (0.0, 0.4), velocity=(2.0, 0.0))
run = clast.run(scene, until=2.0, out="runs/own-law", overwrite=True)

speed = run.frames[-1].velocities[ball, 0]
weight = 10.0 * scene.bodies[ball].mass
sinks = math.sqrt(2.0 * numbers["soft"] * weight / numbers["k_n"])
print(f"speed {speed:.4f} of 2, overlap {run.series['deepest_overlap'][-1]:.3e}, expected {sinks:.3e}")
print(f"energy error {run.result['energy_error']:.1e}, heat of sliding {run.series['heat_sliding'][-1]:.4f}")
assert abs(speed - 4.0 / 3.0) < 0.01, "a disk that has stopped sliding keeps two thirds of its speed"
assert abs(run.series["deepest_overlap"][-1] / sinks - 1.0) < 0.01, "at rest the law carries the weight"
assert run.result["energy_error"] < 1e-3, "force, energy and heat of the law go together"
