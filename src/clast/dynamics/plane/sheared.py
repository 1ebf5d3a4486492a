"""A sheared periodic cell of the plane: its lattice is n_x (L_x, 0) + n_y (S, L_y), and the offset S moves.

The body that stands for a moving cell (`clast.dynamics.plane.tagged`) has S as its third component, where others have their
angle, so S has a velocity, an inertia, forces and work as the lengths have. With the grains' own velocities all of it follows
from ½Σmv² + ½W(L̇² + Ṡ²) − U. The images in row n_y move at n_y Ṡ along x, and the force on S is Σ n_y f_x.

Neither S nor places are wrapped, so the image of a pair never changes: a cell that has been sheared by a whole period has the
same lattice again, in which images have other numbers. L_x stays: in a cell that leans a change of L_x alone would shear.

Grains move with the flow, and those far up fast. What makes lists stale is how far they have left it: with the strain g = ΔS/L_y
since the lists were made, that is Δr − g y x̂, and two bodies at most `SPAN` apart along y come nearer by g SPAN besides.
"""

import math

from clast.algebra.plane import Vector, plus
from clast.backend.device import device
from clast.dynamics.arrays import OFFSET, RATE, SPAN, STRAIN
from clast.dynamics.plane.columns import (
    BODY,
    FX,
    FY,
    PLACE_OF_OFFSET,
    RADIUS,
    REACH,
    REFERENCE,
    SPIN,
    SUMS,
    VX,
    VY,
    Body,
    Gain,
    Pair,
    X,
    Y,
    read_gain,
    read_pair,
)  # fmt: skip
from clast.dynamics.plane.motion import marks_of, moved_too_far

LISTED_OFFSET = 2  # of Lists.reference, in the row of the cell; its lengths come first, and what stands for a reach last


# --- images ----------------------------------------------------------------------------------------------------------


@device
def velocity_of_image(pair, world):
    """By how much the image of j is faster than j."""
    body, at, up = world.state.body, BODY * world.model.cell[0], world.lists.image[2 * pair.p + 1]
    return Vector(up * body[at + SPIN], up * body[at + VY])


@device
def gain_of_sheared_image(gain, pair, world):
    """What the image of j will gain: with the cell."""
    rate, up = read_gain(world.state, world.model.cell[0]), world.lists.image[2 * pair.p + 1]
    return Gain(plus(gain.velocity, Vector(up * rate.spin, up * rate.velocity.y)), gain.spin)


@device
def read_pair_of_sheared_cell(world, p):
    """Pair p: its image lies where the lattice is now."""
    pair, image, body, at = read_pair(world, p), world.lists.image, world.state.body, BODY * world.model.cell[0]
    across, up = image[2 * p], image[2 * p + 1]
    shift = Vector(across * body[at + X] + up * body[at + PLACE_OF_OFFSET], up * body[at + Y])
    return Pair(p, pair.i, pair.j, pair.first, pair.middle, pair.last, shift, pair.mass, pair.row, pair.radius)


@device
def disk_image_of_sheared_cell(velocity, pair, world):
    """Velocity of the image of a disk j."""
    return plus(velocity, velocity_of_image(pair, world))


def image_of_sheared_cell(gain_of_image):
    """`image(body, pair, world)`: the image of j moves with the lattice."""

    @device
    def image(body, pair, world):
        velocity = plus(body.velocity, velocity_of_image(pair, world))
        gain = gain_of_image(body.gain, pair, world)
        return Body(body.place, body.frame, velocity, body.spin, body.radius, velocity, body.mid_spin, gain)

    return image


# --- the cell as a body ----------------------------------------------------------------------------------------------


@device
def gather_over(lists, pairs, table):
    """Force on L_y and S: of every pair the force on j's image, as many times as it lies rows up. L_x stays."""
    fy = offset = 0.0
    for p in range(pairs):
        fy -= lists.image[2 * p + 1] * table[SUMS * p + FY]
        offset -= lists.image[2 * p + 1] * table[SUMS * p + FX]
    return 0.0, fy, offset


@device
def aim_of_offset(rate, b, world):
    """Ṡ of a prescribed shear rate: that times L_y, which has moved already, at the middle of the step."""
    body, at, clock = world.state.body, BODY * b, world.clock
    return rate * (body[at + Y] + body[at + VY] * (0.5 * clock.dt - clock.drift))


@device
def put_offset(b, offset, velocity, world):
    """The third component of the cell; passes over pairs see no angles, so S stands where a body has the cosine of its own."""
    body, at = world.state.body, BODY * b
    body[at + SPIN], body[at + PLACE_OF_OFFSET] = velocity, offset
    world.state.angle[b] = offset


@device
def note_strain(world):
    """The strain since the last rebuild, as it will be at the end of the step, and its rate; one thread, before bodies move."""
    cell, then = world.model.cell[0], world.lists.reference
    body, at, was = world.state.body, BODY * cell, REFERENCE * cell
    offset = body[at + PLACE_OF_OFFSET] + body[at + SPIN] * world.clock.drift
    world.model.shear[STRAIN] = (offset - then[was + LISTED_OFFSET]) / then[was + Y]
    world.model.shear[RATE] = body[at + SPIN] / body[at + Y]


@device
def sheared_too_far(b, world):
    """Whether the cell b has moved images too far against the flow that `note_strain` has noted, or neighbours by that flow."""
    body, then, at, row, shear = world.state.body, world.lists.reference, REFERENCE * b, BODY * b, world.model.shear
    slipped = body[row + PLACE_OF_OFFSET] - then[at + LISTED_OFFSET] - shear[STRAIN] * then[at + Y]
    far = then[at + REACH]
    moved = far * (math.fabs(slipped) + math.fabs(body[row + Y] - then[at + Y])) + shear[SPAN] * math.fabs(shear[STRAIN])
    return not moved <= world.clock.alpha


@device
def marks_of_way_in_flow(b, moved, world):
    """Marks of body b, which has moved so: both against the flow."""
    then, at, shear = world.lists.reference, REFERENCE * b, world.model.shear
    dx, reach = moved.x - then[at] - shear[STRAIN] * then[at + 1], then[at + REACH]
    far = moved_too_far(dx, moved.y - then[at + 1], moved.angle - then[at + 2], reach, world.clock.alpha)
    vx = moved.vx - shear[RATE] * moved.y
    return marks_of(far, vx, moved.vy, reach * moved.spin, world.state.body[BODY * b + RADIUS], world.clock)


# --- lists -----------------------------------------------------------------------------------------------------------


@device
def offset_of(model):
    """S at the last rebuild."""
    return model.shear[OFFSET]


@device
def speed_in_flow(b, world):
    """At most that of any point of body b against the flow."""
    body, at, cell = world.state.body, BODY * b, BODY * world.model.cell[0]
    vx, vy = body[at + VX] - body[cell + SPIN] / body[cell + Y] * body[at + Y], body[at + VY]
    return math.sqrt(vx * vx + vy * vy) + world.model.reach[b] * abs(body[at + SPIN])
