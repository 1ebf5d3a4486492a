"""Flats on flats: what two bodies push each other with as they slide, by Euler's counts and by an elastic foundation.

    python benchmarks/flats.py                    prints the tables of docs/laws.md, "Flats"
    python benchmarks/flats.py --picture FILE     draws load and sideways push against the offset

The foundation is a bed of springs of stiffness κ per length of edge, on both skeletons by halves:

    U = ½ κ · ½ (∮_i + ∮_j) ⟨R − d⟩² ds,        R = r_i + r_j, d the distance of a place on one skeleton to the other skeleton

d stands for the same sum over edges and vertices of the other body, with the same signs, that Euler's counts take at the vertices
alone. Along a straight edge every term is a closed form. It is an experiment in numpy, on two bodies at a time; no run uses it.
"""

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clast import Engine
from clast.contact.plane.features import feature_rows
from clast.contact.plane.spheropolygon import NOTCH
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import Shape, cuboid, polygon, regular

STIFFNESS, RADIUS, DEPTH = 1000.0, 0.1, 0.02  # k_n [force/length], sphero-radius of both, overlap [length]
HEIGHT = math.sqrt(3.0)  # of a hexagon of side 1
AT = (0.5 - 0.5 / math.sqrt(3.0), 0.5 + 0.5 / math.sqrt(3.0))  # Gauss's two places: exact for cubics


class Push(NamedTuple):
    """What one body does to another."""

    energy: float
    force: np.ndarray  # (2,) on the first
    torque: float  # on the first, about its centre
    back: float  # on the second, about its centre


class Place(NamedTuple):
    """Where a shape lies."""

    shape: Shape
    position: np.ndarray  # (2,)
    angle: float

    def to_world(self, points: np.ndarray) -> np.ndarray:
        """Points (…, 2) of the body frame."""
        return points @ turn(self.angle).T + self.position


def turn(angle: float) -> np.ndarray:
    """The matrix of a turn."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def placed(shape: Shape, x: float, y: float, angle: float = 0.0) -> Place:
    """A shape at x, y, turned by `angle`."""
    return Place(shape, np.array([x, y]), angle)


# --- the foundation ----------------------------------------------------------------------------------------------------------


class Bed(NamedTuple):
    """Integrals of one side, per κ: ½∮⟨R − d⟩² ds, the force on the body whose edges are run along, its moment about 0."""

    energy: float
    force: np.ndarray
    moment: float


def within(low: np.ndarray, high: np.ndarray, start: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part of the intervals low … high of s in which start + slope s ≥ 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -start / slope
    low = np.where(slope > 0.0, np.maximum(low, at), low)
    high = np.where(slope < 0.0, np.minimum(high, at), high)
    return low, np.where((slope == 0.0) & (start < 0.0), low, np.maximum(low, high))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a·b along the last axis."""
    return (a * b).sum(axis=-1)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b along the last axis."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def square_to(a: np.ndarray) -> np.ndarray:
    """Vectors turned by 90°."""
    return np.stack([-a[..., 1], a[..., 0]], axis=-1)


def bed(i: Place, j: Place) -> Bed:
    """Along all edges of i against all features of j."""
    reach = i.shape.radius + j.shape.radius
    ends = i.to_world(i.shape.vertices)[i.shape.edges]
    start, along = ends[:, 0][:, None], ends[:, 1][:, None] - ends[:, 0][:, None]
    length = np.sqrt(dot(along, along))
    along = along / length[..., None]
    rows = feature_rows(j.shape)[0]
    a, b, before = j.to_world(rows[:, 0:2]), j.to_world(rows[:, 2:4]), rows[:, 4:6] @ turn(j.angle).T
    edge, notch = b - a, rows[:, 7] == NOTCH
    found = [*on_edges(start, along, length, a, b, edge, ~notch & (dot(edge, edge) > 0.0), reach)]
    found.append(on_vertices(start, along, length, a, edge, before, notch, reach))
    return Bed(*(sum(each[k] for each in found) for k in range(3)))  # type: ignore[arg-type]


def on_edges(
    start: np.ndarray, along: np.ndarray, length: np.ndarray, a: np.ndarray, b: np.ndarray, edge: np.ndarray, real: np.ndarray,
    reach: float,
) -> Iterator[Bed]:  # fmt: skip
    """Where the foot on an edge of j is inside it: from either side, the distance is linear in s."""
    up = square_to(edge) / np.sqrt(np.maximum(dot(edge, edge), 1e-300))[:, None]
    for side in (1.0, -1.0):
        normal = side * up
        away, rate = dot(start - a, normal), dot(along, normal)
        low, high = within(np.zeros_like(away), length + 0.0 * away, dot(start - a, edge), dot(along, edge))
        low, high = within(low, high, dot(b - start, edge), -dot(along, edge))
        low, high = within(low, high, away, rate)
        low, high = within(low, high, reach - away, -rate)
        width = np.where(real, high - low, 0.0)
        energy, force, moment = 0.0, np.zeros(2), 0.0
        for part in AT:
            s = low + part * (high - low)
            push = np.maximum(reach - away - rate * s, 0.0)
            weight = 0.5 * width * push
            energy += float((0.5 * weight * push).sum())
            here = weight[..., None] * normal
            force = force + here.sum(axis=(0, 1))
            moment += float(cross(start + s[..., None] * along, here).sum())
        yield Bed(energy, force, moment)


def on_vertices(
    start: np.ndarray, along: np.ndarray, length: np.ndarray, a: np.ndarray, edge: np.ndarray, before: np.ndarray,
    notch: np.ndarray, reach: float,
) -> Bed:  # fmt: skip
    """Where a vertex of j is nearest, or taken back in a notch: d² = u² + h²."""
    sign = np.where(notch, -1.0, 1.0)
    low, high = within(
        0.0 * dot(start - a, along), length + 0.0 * dot(start - a, along), *(-sign * dot(v, edge) for v in (start - a, along))
    )
    low, high = within(low, high, *(sign * dot(v, before) for v in (start - a, along)))
    across = square_to(along)
    foot, height = dot(a - start, along), dot(start - a, across)
    half = np.sqrt(np.maximum(reach * reach - height * height, 0.0))
    low, high = np.clip(low, foot - half, foot + half), np.clip(high, foot - half, foot + half)
    h = np.maximum(np.abs(height), 1e-300)

    def upto(u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """½∫(R − d)², ∫(R − d) u/d and ∫(R − d)/d."""
        d, growth = np.sqrt(u * u + h * h), np.arcsinh(u / h)
        energy = 0.5 * (reach * reach * u - reach * (u * d + h * h * growth) + u**3 / 3.0 + h * h * u)
        return energy, reach * d - 0.5 * u * u, reach * growth - u

    there = sign * (high > low)
    energy, tangential, normal = (there * (up - down) for up, down in zip(upto(high - foot), upto(low - foot), strict=True))
    here = tangential[..., None] * along + (normal * height)[..., None] * across
    return Bed(float(energy.sum()), here.sum(axis=(0, 1)), float(cross(a + 0.0 * here, here).sum()))


def foundation(i: Place, j: Place, per_length: float = STIFFNESS) -> Push:
    """Energy, force and torques of a bed of stiffness κ [force/length²] between two bodies."""
    one, other = bed(i, j), bed(j, i)
    force, moment = one.force - other.force, one.moment - other.moment
    half = 0.5 * per_length
    return Push(
        half * (one.energy + other.energy), half * force, half * float(moment - cross(i.position, force)),
        -half * float(moment - cross(j.position, force)),
    )  # fmt: skip


# --- Euler's counts ----------------------------------------------------------------------------------------------------------


def counted(i: Place, j: Place, stiffness: float = STIFFNESS) -> np.ndarray:
    """Force (2,) on i by Euler's counts, as a run has it."""
    scene = Scene(law=Linear(stiffness))
    for each in (i, j):
        scene.add(each.shape, tuple(each.position), angle=each.angle)
    contacts = Engine(scene, dt=1e-5, alpha=0.3).snapshot().contacts
    first = np.where(contacts.bodies[:, 0] == 0, 1.0, -1.0)
    return (first[:, None] * contacts.forces).sum(axis=0) if len(first) else np.zeros(2)


def counted_cubes(x: float, y: float, angle: float = 0.0) -> np.ndarray:
    """Force (3,) on a cube of side 1 on another one, shifted and turned [radians], by the counts of space, over k_n δ."""
    scene, cube = Scene3D(law=Linear(STIFFNESS)), cuboid((1.0, 1.0, 1.0), RADIUS)
    turned = math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)
    scene.add(cube, (x, y, 1.0 + 2.0 * RADIUS - DEPTH), orientation=turned)
    scene.add(cube, (0.0, 0.0, 0.0))
    contacts = Engine(scene, dt=1e-5, alpha=0.3).snapshot().contacts
    first = np.where(contacts.bodies[:, 0] == 0, 1.0, -1.0)
    return (first[:, None] * contacts.forces).sum(axis=0) / (STIFFNESS * DEPTH)


def bedded(i: Place, j: Place) -> np.ndarray:
    """Force (2,) on i by the foundation."""
    return foundation(i, j).force


# --- what is shown -----------------------------------------------------------------------------------------------------------


HEXAGON = regular(6, RADIUS, side=1.0)
FLOOR = polygon([(-3.0, -1.0), (3.0, -1.0), (3.0, 0.0), (-3.0, 0.0)], radius=RADIUS)
BENT = polygon([(-3.0, -1.0), (3.0, -1.0), (3.0, 0.0), (1.0, 0.0), (0.0, 1e-6), (-1.0, 0.0), (-3.0, 0.0)], radius=RADIUS)


def lowest(shape: Shape, angle: float) -> float:
    """How far the skeleton of a turned shape reaches down from its centre [length], negative."""
    return float((shape.vertices @ turn(angle).T)[:, 1].min())


def on_hexagon(offset: float, depth: float = DEPTH) -> tuple[Place, Place]:
    """A hexagon on another one, flat on flat, shifted to the side."""
    return placed(HEXAGON, offset, HEIGHT + 2.0 * RADIUS - depth), placed(HEXAGON, 0.0, 0.0)


def on_floor(x: float, floor: Shape = FLOOR, angle: float = 0.0, depth: float = DEPTH) -> tuple[Place, Place]:
    """A hexagon on a long flat, tilted; its lowest corner overlaps by `depth`."""
    top = float(floor.vertices[:, 1].max())
    return placed(HEXAGON, x, top - lowest(HEXAGON, angle) + 2.0 * RADIUS - depth, angle), placed(floor, 0.0, 0.0)


def sinking(load: float, angle: float, most: float = 0.19) -> float:
    """How deep the lowest corner of a tilted hexagon lies in the floor where the foundation carries a load [length]."""
    low, high = 0.0, most
    for _ in range(40):
        middle = 0.5 * (low + high)
        pushed = bedded(*on_floor(0.0, angle=angle, depth=middle))[1]
        low, high = (middle, high) if pushed < load else (low, middle)
    return middle


# --- a few bodies in a trap --------------------------------------------------------------------------------------------------


DART = polygon([(0.0, 0.0), (0.6, -0.5), (0.0, 0.8), (-0.6, -0.5)], radius=RADIUS)
TRAP, STIFF, LASTING = 2.0, 2e4, 1.5  # towards the origin [force/length]; kappa [force/length²]; time


def energy_error(dt: float, until: float, per_length: float = STIFF) -> tuple[float, float]:
    """Largest error of the energy over its start, of two hexagons and two darts in a trap, by velocity Verlet; and the drift: the
    mean error of the last quarter."""
    rng = np.random.default_rng(3)
    bodies = [placed(shape, *at, rng.uniform(0.0, 6.0)) for shape, at in zip((SMALL, DART) * 2, STARTS, strict=True)]
    velocity, spin = rng.normal(0.0, 1.0, (4, 2)), rng.normal(0.0, 1.0, 4)
    mass, inertia = np.array([each.shape.area for each in bodies]), np.array([each.shape.inertia for each in bodies])

    def pushes() -> tuple[float, np.ndarray, np.ndarray]:
        """Energy, forces (4, 2) and torques (4,)."""
        force, torque = np.array([-TRAP * each.position for each in bodies]), np.zeros(4)
        energy = 0.5 * TRAP * float(sum(each.position @ each.position for each in bodies))
        for i in range(4):
            for j in range(i):
                gap = bodies[i].position - bodies[j].position
                if math.hypot(*gap) < bodies[i].shape.reach + bodies[j].shape.reach:
                    push = foundation(bodies[i], bodies[j], per_length)
                    energy += push.energy
                    force[i], force[j] = force[i] + push.force, force[j] - push.force
                    torque[i], torque[j] = torque[i] + push.torque, torque[j] + push.back
        return energy, force, torque

    energy, force, torque = pushes()
    book = []
    for _ in range(round(until / dt)):
        velocity, spin = velocity + 0.5 * dt * force / mass[:, None], spin + 0.5 * dt * torque / inertia
        bodies = [
            Place(each.shape, each.position + dt * velocity[k], each.angle + dt * float(spin[k])) for k, each in enumerate(bodies)
        ]
        energy, force, torque = pushes()
        velocity, spin = velocity + 0.5 * dt * force / mass[:, None], spin + 0.5 * dt * torque / inertia
        book.append(energy + 0.5 * float((mass[:, None] * velocity**2).sum() + (inertia * spin**2).sum()))
    error = np.array(book) / book[0] - 1.0
    return float(np.abs(error).max()), float(error[-len(error) // 4 :].mean())


SMALL = regular(6, RADIUS, side=0.5)
STARTS = ((-1.0, 0.0), (0.9, 0.1), (0.1, 1.3), (0.0, -1.4))


# --- tables and the picture --------------------------------------------------------------------------------------------------


def show() -> None:
    """Print the tables."""
    print(f"hexagons of side 1, radii {RADIUS}, overlap {DEPTH}, k_n = {STIFFNESS:g}, kappa = k_n per length")
    print("flat on flat: offset, load and sideways push by Euler's counts, the same of the foundation")
    for offset in (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.8):
        (x, y), (bed_x, bed_y) = counted(*on_hexagon(offset)), bedded(*on_hexagon(offset))
        print(f"{offset:6.2f} {y:8.2f} {x:8.3f} {bed_y:9.3f} {bed_x:8.3f}")
    print("on a long flat, and with three idle vertices in it: least and largest load on the way, Euler, foundation")
    for floor in (FLOOR, BENT):
        ways = np.linspace(-1.8, 1.8, 13)
        loads = [[push(*on_floor(x, floor))[1] for x in ways] for push in (counted, bedded)]
        print("  ".join(f"{min(each):9.4f} {max(each):9.4f}" for each in loads))
    print("tilted on a long flat: degrees, load at that overlap, Euler, foundation; depth of the foundation at the load of flats")
    flat = bedded(*on_floor(0.0))[1]
    for degrees in (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0):
        angle = math.radians(degrees)
        loads = [push(*on_floor(0.0, angle=angle))[1] for push in (counted, bedded)]
        print(f"{degrees:6.1f} {loads[0]:8.2f} {loads[1]:8.3f} {sinking(flat, angle):8.4f}")
    print("cube on cube: shifted by x, y, turned by degrees; load and sideways push over k_n delta")
    for x, y, degrees in ((0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.2, 0.0, 0.0), (0.2, 0.2, 0.0), (0.0, 0.0, 5.0), (0.0, 0.0, 45.0)):
        found = counted_cubes(x, y, math.radians(degrees))
        print(f"{x:6.2f} {y:6.2f} {degrees:6.1f} {found[2]:8.3f} {math.hypot(*found[:2]):8.3f}")
    print("four bodies in a trap: step, error of the energy, its mean in the last quarter")
    for dt in (1e-3, 5e-4, 2.5e-4):
        print("{:8.1e} {:9.2e} {:9.1e}".format(dt, *energy_error(dt, LASTING)))


def draw(path: Path) -> None:
    """Load against offset and against tilt."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    offsets, tilts = np.linspace(0.0, 1.05, 43), np.linspace(0.0, 8.0, 33)
    for color, name, push in (("C1", "Euler's counts, k_n", counted), ("C0", "foundation, k_n per length", bedded)):
        found = np.array([push(*on_hexagon(x)) for x in offsets]) / (STIFFNESS * DEPTH)
        left.plot(offsets, found[:, 1], color=color, label=name)
        left.plot(offsets, found[:, 0], color=color, ls=":")
        tilted = [push(*on_floor(0.0, angle=math.radians(tilt)))[1] / (STIFFNESS * DEPTH) for tilt in tilts]
        right.plot(tilts, tilted, color=color)
    left.set(xlabel="offset / side", ylabel="push / (k_n δ)", title="hexagon on hexagon, flat on flat")
    left.legend(frameon=False, title="load; dotted: sideways")
    right.set(xlabel="tilt [degrees]", ylabel="load / (k_n δ)", title="hexagon on a long flat, δ at its corner", ylim=(0.0, None))
    figure.savefig(path, dpi=110)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    options.add_argument("--picture", type=Path, help="draw into this file, and print nothing")
    given = options.parse_args()
    if given.picture is None:
        show()
    else:
        draw(given.picture)


if __name__ == "__main__":
    sys.exit(main())
