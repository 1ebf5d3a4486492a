"""Bonds of the plane: short beams that hold two bodies together, and break (model of parallel bonds, Potyondy & Cundall 2004).

A bond is anchored at one point of each body; at rest the two lie on each other. With the body angles θ, their mean frame
β = β₀ + ½(Δθ_i + Δθ_j), the way d from the anchor on i to that on j, seen in that frame as (p, q), and the bend e = Δθ_j − Δθ_i,

    U = ½ k_n p² + ½ k_s q² + ½ k_b e²

is all there is: forces and torques are its derivatives, whatever the rotations. It does not change when both bodies turn or move
together, so momentum and angular momentum are kept. The pushes along p, q and e are P = −k_n p, Q = −k_s q, M = −k_b e; a dashpot
adds −c times the rate of the same strain, which acts by the same rule.

With area A and section modulus, a bond carries at most the tension, at its rim, and the shear

    σ = k_n p/A + b |k_b e| (w/2)/J      τ = |k_s q|/A

and breaks at the first t_n at which σ reaches the tensile strength or τ the shear strength c + f max(−k_n p/A, 0). That is read
off the state at t_n alone. The half of the kick that belongs to the step before is still done, the other is not; the energy of
that instant is the fracture energy, so the book closes as it does where nothing breaks.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.plane import Vector, cross, opposite, turn, turn_back
from clast.backend.bare import bare
from clast.backend.device import device
from clast.dynamics.arrays import BodyBonds, PairBonds
from clast.dynamics.plane.columns import BODY, FX, FY, ON_I, ON_J, PULL, SPIN, VX, VY, Wrench, X, Y, write_wrench

LINK = 2  # Bonds.link
# columns of Bonds.constant: arms of both bodies, seen in the frame of the bond at rest; β and e where both angles are 0; from j
# to the image of it that is held; stiffness; dashpots; 1/A and b (w/2)/J; strengths and the friction that adds to that of shear
(
    ARM_IX, ARM_IY, ARM_JX, ARM_JY, FRAME, REST, SHIFT_X, SHIFT_Y, ALONG, ACROSS, BENDING, SLOW_ALONG, SLOW_ACROSS, SLOW_BENDING,
    PER_FORCE, PER_MOMENT, TENSILE, SHEAR, FRICTION,
) = range(19)  # fmt: skip
CONSTANT = 20
# columns of Bonds.row: two wrenches, of which the second is the viscous part; then, whatever part of the kick is wanted, the
# force on i, the bending moment on i, the energy, the tension and shear in it, and how near it is to breaking: 1 breaks
CARRIED_X, CARRIED_Y, MOMENT, ENERGY, PULLED, SHEARED, LOAD = range(2 * PULL, 2 * PULL + 7)
ROW = 16  # two cache lines
FATE, BROKEN, RELEASED, HOW = 3, 0, 1, 2  # State.bond
BY_TENSION, BY_SHEAR, CUT = 1.0, 2.0, 3.0  # how a bond broke; the last: whoever changed the run took it away
NOTHING = (0.0, 0.0, 0.0)


class Strained(NamedTuple):
    """How far a bond is strained."""

    p: float
    q: float
    bend: float
    frame: Vector  # cos, sin of β
    arm_i: Vector  # from the centre of i to its anchor, seen in that frame
    arm_j: Vector


@device
def strained(k, i, j, world):
    """Bond k between bodies i and j, as they lie."""
    bonds, body, at = world.bonds, world.state.body, CONSTANT * k
    c, angle_i, angle_j = bonds.constant, bonds.angle[i], bonds.angle[j]
    beta, bend = c[at + FRAME] + 0.5 * (angle_i + angle_j), angle_j - angle_i - c[at + REST]
    frame, half = Vector(math.cos(beta), math.sin(beta)), Vector(math.cos(0.5 * bend), math.sin(0.5 * bend))
    arm_i = turn_back(half, Vector(c[at + ARM_IX], c[at + ARM_IY]))
    arm_j = turn(half, Vector(c[at + ARM_JX], c[at + ARM_JY]))
    x = body[BODY * j + X] - body[BODY * i + X] + c[at + SHIFT_X]
    y = body[BODY * j + Y] - body[BODY * i + Y] + c[at + SHIFT_Y]
    way = turn_back(frame, Vector(x, y))
    return Strained(way.x + arm_j.x - arm_i.x, way.y + arm_j.y - arm_i.y, bend, frame, arm_i, arm_j)


@device
def rates_of(s, i, j, world):
    """Rates of p, q and e, from the velocities of the state."""
    body, at_i, at_j = world.state.body, BODY * i, BODY * j
    spin_i, spin_j = body[at_i + SPIN], body[at_j + SPIN]
    v = turn_back(s.frame, Vector(body[at_j + VX] - body[at_i + VX], body[at_j + VY] - body[at_i + VY]))
    spin = 0.5 * (spin_i + spin_j)
    return (
        v.x - spin_j * s.arm_j.y + spin_i * s.arm_i.y + spin * s.q, v.y + spin_j * s.arm_j.x - spin_i * s.arm_i.x - spin * s.p,
        spin_j - spin_i,
    )  # fmt: skip


@device
def wrench_of(s, along, across, moment):
    """What pushes along p, q and e do to both bodies: the power of the wrench is theirs, for any motion of the two."""
    push = Vector(along, across)
    carried = 0.5 * (along * s.q - across * s.p)
    on_i = opposite(turn(s.frame, push))
    return Wrench(on_i.x, on_i.y, carried - cross(s.arm_i, push) - moment, carried + cross(s.arm_j, push) + moment)


@device
def stress_in(s, k, c):
    """Tension at the rim of bond k, and shear."""
    at = CONSTANT * k
    tension = c[at + ALONG] * s.p * c[at + PER_FORCE] + math.fabs(c[at + BENDING] * s.bend) * c[at + PER_MOMENT]
    return tension, math.fabs(c[at + ACROSS] * s.q) * c[at + PER_FORCE]


@device
def shear_strength(s, k, c):
    """What shear bond k bears under the pressure it is under."""
    at = CONSTANT * k
    return c[at + SHEAR] + c[at + FRICTION] * max(-c[at + ALONG] * s.p * c[at + PER_FORCE], 0.0)


@device
def scaled(w, part):
    """A part of a wrench."""
    return Wrench(part * w.x, part * w.y, part * w.on_i, part * w.on_j)


@device
def write_carried(k, s, elastic, world):
    """What bond k carries into its row, whatever the part of the kick; returns its energy, and how it breaks (0: it does not)."""
    c, row, at, to = world.bonds.constant, world.bonds.row, CONSTANT * k, ROW * k
    tension, shear = stress_in(s, k, c)
    pulled, sheared = tension / c[at + TENSILE], shear / shear_strength(s, k, c)
    energy = 0.5 * (c[at + ALONG] * s.p * s.p + c[at + ACROSS] * s.q * s.q + c[at + BENDING] * s.bend * s.bend)
    row[to + CARRIED_X], row[to + CARRIED_Y], row[to + MOMENT] = elastic.x, elastic.y, c[at + BENDING] * s.bend
    row[to + ENERGY], row[to + PULLED], row[to + SHEARED], row[to + LOAD] = energy, tension, shear, max(pulled, sheared)
    how = 0.0
    if max(pulled, sheared) >= 1.0:
        how = BY_TENSION if pulled >= sheared else BY_SHEAR
    return energy, how


@device
def bond_forces(k, world):
    """Row k of the bonds: what it does to its bodies in this kick. A bond that bears no more breaks here."""
    bonds, clock, to = world.bonds, world.clock, ROW * k
    c, row, fate, at, ends = bonds.constant, bonds.row, bonds.fate, CONSTANT * k, FATE * k
    for column in range(ROW):
        row[to + column] = 0.0
    if fate[ends + BROKEN] >= 0.0:
        return 0
    i, j = bonds.link[LINK * k], bonds.link[LINK * k + 1]
    s = strained(k, i, j, world)
    elastic = wrench_of(s, -c[at + ALONG] * s.p, -c[at + ACROSS] * s.q, -c[at + BENDING] * s.bend)
    energy, how = write_carried(k, s, elastic, world)
    part = clock.past + clock.future
    if how > 0.0:
        part = clock.past
        fate[ends + BROKEN], fate[ends + RELEASED], fate[ends + HOW] = np.float64(bonds.step), energy, how
        row[to + ENERGY] = 0.0
    p, q, bend = rates_of(s, i, j, world)
    viscous = wrench_of(s, -c[at + SLOW_ALONG] * p, -c[at + SLOW_ACROSS] * q, -c[at + SLOW_BENDING] * bend)
    lossy, kept = scaled(viscous, part), scaled(elastic, part)
    write_wrench(row, to, Wrench(kept.x + lossy.x, kept.y + lossy.y, kept.on_i + lossy.on_i, kept.on_j + lossy.on_j))
    write_wrench(row, to + PULL, lossy)
    return 0


@device
def gather_bonds(b, bonds):
    """Sum of the bonds of body b, in their order: force x, y, torque; and the viscous part of it."""
    row, x, y, torque = bonds.row, 0.0, 0.0, 0.0
    lossy_x = lossy_y = lossy_torque = 0.0
    for q in range(bonds.first[b], bonds.first[b + 1]):
        at, second = ROW * (bonds.of[q] >> 1), bonds.of[q] & 1
        sign, on = (-1.0, ON_J) if second else (1.0, ON_I)
        x, y, torque = x + sign * row[at + FX], y + sign * row[at + FY], torque + row[at + on]
        at += PULL
        lossy_x, lossy_y, lossy_torque = lossy_x + sign * row[at + FX], lossy_y + sign * row[at + FY], lossy_torque + row[at + on]
    return (x, y, torque), (lossy_x, lossy_y, lossy_torque)


@device
def sum_of(a, b):
    """Sum of forces x, y and torques."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@device
def seen_by_pairs(step, job):
    """What passes over pairs and over bonds see."""
    b = job.bonds
    return PairBonds(
        bare(b.link), bare(b.constant), bare(b.row), bare(b.first), bare(b.of), bare(job.state.bond), bare(job.state.angle), step
    )


@device
def seen_by_bodies(step, job):
    """What passes over bodies see."""
    b = job.bonds
    return BodyBonds(bare(b.row), bare(b.first), bare(b.of))


def with_bonds(gather: Any) -> Any:
    """`gather(b, world)` of a body, and its viscous part, with what its bonds add; `gather` is that without bonds."""

    @device
    def gather_both(b, world):
        pull, lossy = gather(b, world)
        more, lossy_more = gather_bonds(b, world.bonds)
        return sum_of(pull, more), sum_of(lossy, lossy_more)

    return gather_both


BONDS = SimpleNamespace(forces=bond_forces, views=(seen_by_pairs, seen_by_bodies))
