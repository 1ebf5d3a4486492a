"""A body with tags in the plane; what is imposed on one component stands in `clast.dynamics.bodies.tagged`.

A periodic cell that moves is the last of these bodies: its place is the lengths of the cell, and where j's image n meets i
the force on that image acts on the lengths n times. With the grains' own velocities that follows from one Lagrangian,
½Σmv² + ½W|L̇|² − U, so everything here and in the book holds for the cell as for a wall. A cell that is sheared has a third
component, see `clast.dynamics.plane.sheared`.
"""

import math
from types import SimpleNamespace
from typing import Any

from clast.backend.bare import onwards
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, SHEARED, TAG_WORK, VISCOUS
from clast.dynamics.bodies.tagged import Drive, move_by_gear, move_by_verlet, push_on_of
from clast.dynamics.loops import STOP
from clast.dynamics.plane.bonds import with_bonds
from clast.dynamics.plane.columns import (
    BODY,
    BOOK,
    COS,
    FX,
    FY,
    PULL,
    REACH,
    REFERENCE,
    SIN,
    SUMS,
    VX,
    X,
    Y,
    read_body,
)  # fmt: skip
from clast.dynamics.plane.gear import keep_mid_step
from clast.dynamics.plane.motion import NOTHING, expect, gather, marks_of_way, moved_too_far, read_moved, turned
from clast.dynamics.plane.sheared import (
    aim_of_offset,
    gather_over,
    marks_of_way_in_flow,
    note_strain,
    put_offset,
    sheared_too_far,
)  # fmt: skip

COMPONENTS = 3  # x, y, angle
LOAD = 5  # numbers of a row of Tags.load
push_on = push_on_of(COMPONENTS, LOAD)


@device
def note_pressures(world):
    """Force of each load at the present gaps, into tags.push; one thread, before any body moves."""
    tags, body = world.tags, world.state.body
    first = 2 * COMPONENTS * tags.dragged.size
    for k in range(tags.push.size):
        a, b, axis = tags.load[LOAD * k + 2], tags.load[LOAD * k + 3], tags.load[LOAD * k + 4]
        gap = tags.load_number[2 * k + 1]  # of a period that stays: nobody bounds it
        if b >= 0:
            gap += body[BODY * b + axis]
        if a >= 0:
            gap -= body[BODY * a + axis]
        tags.push[k] = tags.load_number[2 * k] * tags.program[world.clock.row, first + k] * max(gap, 0.0)


@device
def note_pressures_and_strain(world):
    """The same of a sheared cell, and its strain since the last rebuild."""
    note_pressures(world)
    note_strain(world)


@device
def gather_across(lists, pairs, table):
    """Force on the lengths of the cell: of every pair the force on j's image, as many times as it lies cells away."""
    fx = fy = 0.0
    for p in range(pairs):
        fx -= lists.image[2 * p] * table[SUMS * p + FX]
        fy -= lists.image[2 * p + 1] * table[SUMS * p + FY]
    return fx, fy, 0.0


def move_tagged_of(choice: SimpleNamespace) -> Any:
    """The pass `move_tagged(b, world)` for an integrator, a kind of box and laws that lose something or not."""
    gear, remembers, cell, expecting, bonded = choice.gear, choice.remembers, choice.cell, choice.expecting, choice.bonds
    sheared = cell == SHEARED
    gather_for_cell, marks = (gather_over, marks_of_way_in_flow) if sheared else (gather_across, marks_of_way)
    move = move_by_gear(gear) if gear else move_by_verlet

    @device
    def sums_on(b, world, table):
        """Force and torque of contacts on body b; on the cell, of those across it."""
        if cell and b == world.model.cell[0]:
            return gather_for_cell(world.lists, world.pairs, table)
        return gather(b, world.lists, table)

    @device
    def sums_of_contacts(b, world):
        """The same with the viscous part of it, of all contacts."""
        sums, lossy = sums_on(b, world, world.forces.pair), NOTHING
        if remembers:
            lossy = sums_on(b, world, onwards(world.forces.pair, PULL))
        return sums, lossy

    sums_of_all, loses = with_bonds(sums_of_contacts) if bonded else sums_of_contacts, remembers or bonded

    @device
    def drive_of(b, r, c, force, world):
        """What acts on component c of body b, tagged row r."""
        tags, model, clock = world.tags, world.model, world.clock
        inverse = model.inverse_mass[b] if c < 2 else model.inverse_inertia[b]
        weight, aim = 1.0 / inverse, tags.program[clock.row, 2 * COMPONENTS * r + c]
        if sheared and c == 2 and b == model.cell[0]:
            aim = aim_of_offset(aim, b, world)
        return Drive(
            tags.imposed[COMPONENTS * r + c] != 0, aim, push_on(r, c, world), weight,
            weight * model.gravity[c] if c < 2 else 0.0, tags.dashpot[2 * r + c] if c < 2 else 0.0,
            clock.drag if tags.dragged[r] else 0.0, force,
        )  # fmt: skip

    @device
    def put(b, c, place, velocity, world):
        """Component c of body b."""
        body, at = world.state.body, BODY * b
        if sheared and c == 2 and b == world.model.cell[0]:
            put_offset(b, place, velocity, world)
            return
        body[at + VX + c] = velocity
        if c < 2:
            body[at + c] = place
            return
        world.state.angle[b] = place
        if gear or world.clock.resync:
            body[at + COS], body[at + SIN] = math.cos(place), math.sin(place)
        else:
            body[at + COS], body[at + SIN] = turned(body[at + COS], body[at + SIN], velocity * world.clock.drift)

    @device
    def moved_cell(b, world):
        """Whether the cell has moved too far: the farthest image in use moves reference[3] times as much."""
        body, then, at, row = world.state.body, world.lists.reference, REFERENCE * b, BODY * b
        span = then[at + REACH]
        dx, dy = span * (body[row + X] - then[at]), span * (body[row + Y] - then[at + 1])
        return moved_too_far(dx, dy, 0.0, span, world.clock.alpha)

    @device
    def move_tagged(b, world):
        """Move body b; returns the marks of its way."""
        state, r, old = world.state, b - world.clock.free, read_body(world.state, b)
        sums, lossy = sums_of_all(b, world)
        for c in range(COMPONENTS):
            place = state.body[BODY * b + c] if c < 2 else state.angle[b]
            moved = move(b, c, state.body[BODY * b + VX + c], place, drive_of(b, r, c, sums[c], world), world)
            book, at = state.book, BOOK * b
            book[at + TAG_WORK] += moved.work
            book[at + VISCOUS] += moved.damped
            book[at + DRAG] += moved.dragged
            if loses:
                book[at + VISCOUS] -= moved.travel * lossy[c]
            put(b, c, moved.place, moved.velocity, world)
        if gear:
            keep_mid_step(b, world)
        if expecting:
            expect(b, old.velocity, old.spin, world)
        if sheared and b == world.model.cell[0]:
            return STOP if sheared_too_far(b, world) else 0
        if cell and b == world.model.cell[0]:
            return STOP if moved_cell(b, world) else 0
        return marks(b, read_moved(b, world), world)

    return move_tagged
