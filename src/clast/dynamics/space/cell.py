"""The periodic cell of space as a body: the last of the tagged ones, its place the three lengths, and the offset S if it leans.

With the grains' own velocities all of it follows from ½Σmv² + ½W(|L̇|² + Ṡ²) − U, so tags, dashpots and the book hold for the
cell as for a wall: the force on a length is Σ n f over pairs, f that on the image n cells away, and the force on S is Σ n_y f_x.
Neither S nor places are wrapped, and where the cell leans L_x stays; why, and how grains move with the flow of a sheared
cell, stands in `clast.dynamics.plane.sheared`, of which this is the same with one more length.
"""

import math
from types import SimpleNamespace
from typing import Any

from clast.algebra.space import dot, minus, triple
from clast.backend.bare import onwards
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, OFFSET, RATE, SHEARED, SPAN, STRAIN, TAG_WORK, VISCOUS, WORK
from clast.dynamics.bodies.tagged import Drive, move_by_verlet
from clast.dynamics.loops import FAST, STOP
from clast.dynamics.space.columns import (
    BODY,
    BOOK,
    FORCE,
    PLACE_OF_OFFSET,
    PULL,
    REACH,
    REFERENCE,
    SPIN,
    SUMS,
    VELOCITY,
    Y,
)  # fmt: skip
from clast.dynamics.space.images import AXES
from clast.dynamics.space.kicks import expect, has_moved_too_far, may_pass, way_since
from clast.dynamics.space.leading import COMPONENTS, drag_on, drive_of, note_pressures, push_on

LEAN = AXES  # the component of tags that is the offset of a sheared cell


# --- forces ----------------------------------------------------------------------------------------------------------


def gather_of(width: int, sheared: bool) -> Any:
    """`gather(lists, pairs, table)`: force on the lengths and on the offset, of rows `width` apart which begin with a wrench: of
    every pair the force on j's image, as many times as it lies cells away."""

    @device
    def gather_across(lists, pairs, table):
        x = y = z = 0.0
        for p in range(pairs):
            at, image = width * p + FORCE, AXES * p
            x -= lists.image[image] * table[at]
            y -= lists.image[image + 1] * table[at + 1]
            z -= lists.image[image + 2] * table[at + 2]
        return x, y, z, 0.0

    @device
    def gather_over(lists, pairs, table):
        """L_x stays."""
        y = z = offset = 0.0
        for p in range(pairs):
            at, image = width * p + FORCE, AXES * p
            offset -= lists.image[image + 1] * table[at]
            y -= lists.image[image + 1] * table[at + 1]
            z -= lists.image[image + 2] * table[at + 2]
        return 0.0, y, z, offset

    return gather_over if sheared else gather_across


# --- motion ----------------------------------------------------------------------------------------------------------


@device
def drive_of_offset(b, force, world):
    """What acts on the offset. A prescribed shear rate is one times L_y, which has moved already, at the middle of the step."""
    tags, body, clock, at, r = world.tags, world.state.body, world.clock, BODY * b, b - world.clock.free
    rate = tags.program[clock.row, 2 * COMPONENTS * r + LEAN]
    aim = rate * (body[at + Y] + body[at + VELOCITY + 1] * (0.5 * clock.dt - clock.drift))
    return Drive(
        tags.imposed[COMPONENTS * r + LEAN] != 0, aim, push_on(r, LEAN, world), 1.0 / world.model.inverse_inertia[AXES * b], 0.0,
        0.0, drag_on(r, world), force,
    )  # fmt: skip


@device
def moved_too_far(b, world):
    """Whether the cell has moved too far: the farthest image in use moves reference[REACH] times as much."""
    far, way = world.lists.reference[REFERENCE * b + REACH], way_since(b, world)
    return not far * far * dot(way, way) <= world.clock.alpha * world.clock.alpha


@device
def sheared_too_far(b, world):
    """Whether the cell has moved images too far against the flow that `note_strain` has noted, or neighbours by that flow."""
    body, then, shear, way = world.state.body, world.lists.reference, world.model.shear, way_since(b, world)
    slipped = body[BODY * b + PLACE_OF_OFFSET] - shear[OFFSET] - shear[STRAIN] * then[REFERENCE * b + Y]
    moved = math.fabs(slipped) + math.fabs(way[1]) + math.fabs(way[2])
    return not then[REFERENCE * b + REACH] * moved + shear[SPAN] * math.fabs(shear[STRAIN]) <= world.clock.alpha


def move_cell_of(choice: SimpleNamespace) -> Any:
    """The pass `move_cell(b, world)` of velocity Verlet over the one body that stands for the cell."""
    remembers, expecting, sheared = choice.remembers, choice.expecting, choice.cell == SHEARED
    gather, gather_work = gather_of(SUMS, sheared), gather_of(PULL, sheared)
    too_far = sheared_too_far if sheared else moved_too_far

    @device
    def note(b, moved, lossy, pushed, world):
        """Book what moving one component has cost."""
        book, entry = world.state.book, BOOK * b
        book[entry + TAG_WORK] += moved.work
        book[entry + VISCOUS] += moved.damped
        book[entry + DRAG] += moved.dragged
        if remembers:
            book[entry + VISCOUS] -= moved.travel * lossy
        if remembers > 1:
            book[entry + WORK] -= moved.travel * pushed

    @device
    def move_cell(b, world):
        """Move the cell; returns the marks of its way."""
        lists, pairs, body, at = world.lists, world.pairs, world.state.body, BODY * b
        old, turning = triple(body, at + VELOCITY), triple(body, at + SPIN)
        sums = gather(lists, pairs, world.forces.pair)
        lossy, pushed = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
        if remembers:
            lossy = gather(lists, pairs, onwards(world.forces.pair, PULL))
        if remembers > 1:
            pushed = gather_work(lists, pairs, world.forces.work)
        for c in range(AXES):
            moved = move_by_verlet(b, c, body[at + VELOCITY + c], body[at + c], drive_of(b, c, sums[c], world), world)
            note(b, moved, lossy[c], pushed[c], world)
            body[at + c], body[at + VELOCITY + c] = moved.place, moved.velocity
        if sheared:
            drive = drive_of_offset(b, sums[LEAN], world)
            moved = move_by_verlet(b, LEAN, body[at + SPIN], body[at + PLACE_OF_OFFSET], drive, world)
            note(b, moved, lossy[LEAN], pushed[LEAN], world)
            body[at + PLACE_OF_OFFSET], body[at + SPIN] = moved.place, moved.velocity
        if expecting:
            expect(b, old, turning, world)
        return STOP if too_far(b, world) else 0

    return move_cell


# --- bodies in the flow ----------------------------------------------------------------------------------------------


@device
def note_pressures_and_strain(world):
    """Forces of loads; and the strain since the last rebuild, as it will be at the end of the step, and its rate. One thread,
    before bodies move."""
    note_pressures(world)
    cell, shear, body = world.model.cell[0], world.model.shear, world.state.body
    at, was = BODY * cell, REFERENCE * cell
    offset = body[at + PLACE_OF_OFFSET] + body[at + SPIN] * world.clock.drift
    shear[STRAIN] = (offset - shear[OFFSET]) / world.lists.reference[was + Y]
    shear[RATE] = body[at + SPIN] / body[at + Y]


@device
def marks_of_way_in_flow(b, world):
    """Marks of body b: STOP where it has moved too far for the lists, and FAST where it may pass through another unseen, both
    against the flow that has been noted."""
    body, shear, row = world.state.body, world.model.shear, BODY * b
    faster, carried = shear[RATE] * body[row + Y], shear[STRAIN] * world.lists.reference[REFERENCE * b + Y]
    if may_pass(b, minus(triple(body, row + VELOCITY), (faster, 0.0, 0.0)), world):
        return STOP | FAST
    return STOP if has_moved_too_far(b, minus(way_since(b, world), (carried, 0.0, 0.0)), world) else 0


# --- lists -----------------------------------------------------------------------------------------------------------


@device
def offset_of(model):
    """S at the last rebuild."""
    return model.shear[OFFSET]


@device
def speed_in_flow(b, world):
    """At most that of any point of body b against the flow."""
    body, at, cell = world.state.body, BODY * b, BODY * world.model.cell[0]
    x, y, z = triple(body, at + VELOCITY)
    spin, x = triple(body, at + SPIN), x - body[cell + SPIN] / body[cell + Y] * body[at + Y]
    return math.sqrt(x * x + y * y + z * z) + world.model.reach[b] * math.sqrt(dot(spin, spin))
