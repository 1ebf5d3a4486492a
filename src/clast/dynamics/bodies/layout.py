"""From a scene to the arrays of a run, in the plane and in space: order of the bodies, constants, levels of cells, tags.

What differs stands in `layout` of `clast.dynamics.plane`, `space` and `sharp`: geometry tables, ease, stiffness, the first state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clast.dynamics.arrays import Model, Roles, SpaceState, State, Tags
from clast.dynamics.bodies.rows import (
    AnyProblem,
    check_walls,
    gap_between,
    imposed_on,
    law_table,
    levels_of,
    near_in_memory,
    stiffness_of,
    wall_damping,
)
from clast.dynamics.program import Column
from clast.errors import SceneError
from clast.scene.bodies import Bodies
from clast.scene.imposed import Imposed, components
from clast.scene.tags import DIRECTIONS, Pressure
from clast.scene.timed import evaluate

LAST = np.iinfo(np.int64).max  # in the order of memory
FREE, TAGGED, AT_REST = range(3)  # ranks of bodies, by which rows are ordered


class Layout(NamedTuple):
    """A scene laid out in memory. `order[k]` is the id of the body in row k; free rows first, then tagged, then at rest."""

    geometry: Any  # the tables of `clast.contact.plane.features`, `solid_features` or, for sharp bodies, `polyhedra`
    model: Model
    state: State | SpaceState
    tags: Tags  # its program is empty: it needs the time step
    columns: list[Column]  # of the program
    roles: Roles
    order: np.ndarray  # (n,) int64
    free: int
    moving: int


class Arranged(NamedTuple):
    """Who stands in which row, with what of a body the arrays are made of; d = 3 components in the plane, 6 in space."""

    order: np.ndarray  # (n,) int64: id of the body in each row
    free: int
    moving: int
    rows: Bodies[Any]
    imposed: list[Imposed]  # those that differ
    imposed_of: np.ndarray  # (n,) int64
    shapes: list[Any]  # those that differ
    shape_of: np.ndarray  # (n,) int64
    reach: np.ndarray  # (n,)
    radius: np.ndarray  # (n,) sphero-radius
    held: np.ndarray  # (n, d) bool: components that tags prescribe
    mass: np.ndarray  # (n,)
    inertia: np.ndarray  # (n,), in space (n, 3) about the principal axes
    big: np.ndarray  # (n,) bool
    cell: int  # row of a periodic cell that moves, −1 where none does

    def imposed_on(self, row: int) -> Imposed:
        """All tags of a row summed up."""
        return self.imposed[self.imposed_of[row]]

    @property
    def counted(self) -> np.ndarray:
        """Bodies (n,) bool whose size sets the stiffness of a run: the grains, or all where there are none."""
        return self.big if self.big.all() else ~self.big

    @property
    def inverse_radius(self) -> np.ndarray:
        """One over the sphero-radius (n,), 0 for big bodies."""
        return np.where(self.big, 0.0, 1.0 / self.radius)


def arrange(scene: AnyProblem, cell: tuple[Any, Imposed] | None = None) -> Arranged:
    """Free bodies first, then tagged ones, then those at rest for ever.

    cell   where the periodic cell moves, it as a body and what is imposed on it: the last of the tagged rows
    """
    if not scene.bodies:
        raise SceneError("the scene is empty: add a grain first")
    check_walls(scene)
    bodies, (imposed, imposed_of), near = scene.bodies, imposed_on(scene), near_in_memory(scene)
    mass, inertia = scene.masses()
    if cell is not None:
        bodies = bodies.taken(np.arange(len(bodies)))
        bodies.append(*cell[0].values())
        imposed, imposed_of = [*imposed, cell[1]], np.append(imposed_of, len(imposed))
        near = np.append(near, LAST)  # its place is none: it stays behind all others
        mass, inertia = np.append(mass, cell[0].mass), np.append(inertia, [cell[0].inertia], axis=0)
    rank = ranks_of(imposed)[imposed_of]
    rank[(rank == FREE) & bodies.column("big")] = TAGGED
    if cell is not None:
        rank[-1] = TAGGED  # one that leans and stays as well
    order = np.lexsort((np.arange(len(bodies)), near, rank)).astype(np.int64)
    free, moving = int((rank == FREE).sum()), int((rank < AT_REST).sum())
    rows = bodies.taken(order)
    shapes, shape_of = rows.distinct("shape")
    return Arranged(
        order=order,
        free=free,
        moving=moving,
        rows=rows,
        imposed=imposed,
        imposed_of=imposed_of[order],
        shapes=shapes,
        shape_of=shape_of,
        reach=np.array([shape.reach for shape in shapes])[shape_of],
        radius=np.array([shape.radius for shape in shapes])[shape_of],
        held=np.array([each.held for each in imposed])[imposed_of[order]],
        mass=mass[order],
        inertia=inertia[order],
        big=rows.column("big"),
        cell=-1 if cell is None else moving - 1,  # the largest id of those with tags
    )


def ranks_of(imposed: Sequence[Imposed]) -> np.ndarray:
    """Whether each leaves a body free, drives it, or holds it at rest for ever (k,)."""
    return np.array([AT_REST if each.at_rest else TAGGED if each.driven else FREE for each in imposed], np.int64)


def model_of(
    scene: AnyProblem,
    found: Arranged,
    ease: tuple[np.ndarray, np.ndarray | float],
    inverse_radius: np.ndarray | None = None,
    stiffness: np.ndarray | None = None,
) -> Model:
    """Constants of a run.

    ease                        both columns of Model.ease
    inverse_radius, stiffness   those of Model; if not given, of the sphero-radii
    """
    names, material = found.rows.distinct("material")
    number = {name: k for k, name in enumerate(scene.materials())}
    axes = len(scene.box.periods)
    gives_way, turns = 1.0 / found.mass, 1.0 / found.inertia
    gives_way[found.big | found.held[:, :axes].any(axis=1)] = 0.0
    turns[found.big | found.held[:, axes:].any(axis=1)] = 0.0
    both = np.zeros((len(found.rows), 2))
    both[:, 0], both[:, 1] = ease
    return Model(
        shape=found.shape_of,
        material=np.array([number[name] for name in names], np.int64)[material],
        inverse_mass=1.0 / found.mass,
        inverse_inertia=1.0 / found.inertia,
        contact_inverse_mass=gives_way,
        contact_inverse_inertia=turns,
        ease=both,
        reach=found.reach,
        inverse_radius=found.inverse_radius if inverse_radius is None else inverse_radius,
        law=law_table(scene),
        stiffness=stiffness_of(scene, found.radius[found.counted]) if stiffness is None else stiffness,
        period=np.array(scene.box.periods),
        cell=np.array([found.cell], np.int64),
        shear=np.zeros(4),
        gravity=np.array(scene.gravity),
    )


def complete(scene: AnyProblem, found: Arranged, model: Model, geometry: Any, state: State | SpaceState) -> Layout:
    """Levels of cells and tags for a model."""
    grains = np.flatnonzero(~found.big)
    level, level_reach = levels_of(model.reach[grains])
    big = np.setdiff1d(np.flatnonzero(found.big), model.cell)
    mobile, rank = np.asarray(~found.held.all(axis=1), np.uint8), np.arange(len(found.rows), dtype=np.int32)
    roles = Roles(grains, level, level_reach, big, mobile, rank)
    tags, columns = lay_out_tags(scene, found, float(model.stiffness[0]))
    return Layout(geometry, model, state, tags, columns, roles, found.order, found.free, found.moving)


def prescribe(body: np.ndarray, found: Arranged, columns: Sequence[int]) -> None:
    """Write what tags prescribe at t = 0 over what was given: into these columns of State.body, velocity and spin."""
    for row in np.flatnonzero(found.held.any(axis=1)).tolist():
        for column, value in zip(columns, found.imposed_on(row).velocity, strict=True):
            if value is not None:
                body[row, column] = evaluate(value, np.zeros(1), f"Velocity tag of body {found.order[row]}")[0]


def refuse_walls(found: Arranged) -> None:
    """SceneError for walls in a sheared cell."""
    walls = np.flatnonzero(found.big & (np.arange(len(found.big)) != found.cell))
    if walls.size:
        raise SceneError(
            f"body {found.order[walls].min()} is a wall in a cell that is sheared or has an offset, and its images would leave "
            "it: leave walls out, or move a plate by a Velocity tag instead"
        )


# --- tags ------------------------------------------------------------------------------------------------------------


def lay_out_tags(scene: AnyProblem, found: Arranged, stiffness: float) -> tuple[Tags, list[Column]]:
    """Tags of the rows free … moving − 1, and the columns of their program."""
    columns: list[Column] = []
    loads: list[tuple[list[int], list[float], Column]] = []
    axes, names, row_of = scene.axes, components(scene.axes), np.argsort(found.order)
    tagged = slice(found.free, found.moving)
    dashpot = np.zeros((found.moving - found.free, axes))
    for r, k in enumerate(found.order[tagged].tolist()):
        imposed = found.imposed_on(found.free + r)
        for name, value in zip(names, imposed.velocity, strict=True):
            columns.append(Column(() if value is None else (value,), True, f"Velocity tag of body {k}, {name}"))
        for name, values in zip(names, imposed.force, strict=True):
            columns.append(Column(tuple(values), False, f"Force tag of body {k}, {name.replace('spin', 'torque')}"))
        if imposed.dashpot is not None:
            dashpot[r] = imposed.dashpot
        elif found.big[found.free + r] and not all(imposed.held[:axes]):
            dashpot[r] = wall_damping(stiffness, found.mass[found.free + r])
        for pressure in imposed.pressures:
            component, sign = DIRECTIONS[pressure.direction]
            ends: list[int] = []
            offsets: list[float] = []
            for a, b, axis, offset in face_of(scene, k, pressure, moves=found.cell >= 0):
                ends += [*(int(row_of[each]) if each >= 0 else -1 for each in (a, b)), axis]
                offsets.append(offset)
            what = Column((pressure.value,), False, f"Pressure on body {k}")
            loads.append(([r, component, *ends], [sign, *offsets], what))
        if imposed.shear is not None and imposed.shear.stress is not None:
            what = Column((imposed.shear.stress,), False, "Shear of the box, stress")
            # across period_x and, in space, period_z, which are places of the cell; y is the axis of the shear
            ends = [number for axis in (0, 2)[: axes - 1] for number in (-1, found.cell, axis)]
            loads.append(([r, axes, *ends], [1.0, *(0.0 for _ in range(axes - 1))], what))
    columns += [column for _, _, column in loads]
    columns.append(Column((scene.drag,), False, "drag", not_negative=True))
    return Tags(
        imposed=found.held[tagged].astype(np.uint8),
        program=np.zeros((1, len(columns))),
        load=np.array([load for load, _, _ in loads], np.int64).reshape(-1, 3 * axes - 1),
        load_number=np.array([numbers for _, numbers, _ in loads], float).reshape(-1, axes),
        dashpot=dashpot,
        dragged=np.asarray(~found.big[tagged], np.uint8),
        push=np.zeros(len(loads)),
    ), columns


def face_of(scene: AnyProblem, body: int, pressure: Pressure, moves: bool) -> list[tuple[int, int, int, float]]:
    """The sides of the face a pressure acts on, one in the plane and two in space: walls a, b, axis, and the gap less x_b − x_a.

    Across a whole period a is −1, and b too unless the cell moves: then b is the cell, whose place is its periods.
    """
    component, _ = DIRECTIONS[pressure.direction]
    across = [axis for axis in range(scene.axes) if axis != component]
    between: Sequence[Any] = [pressure.between] * len(across)
    if pressure.in_pairs:
        assert pressure.between is not None
        between = pressure.between
    sides = []
    for axis, walls in zip(across, between, strict=True):
        period, name = scene.box.periods[axis], "xyz"[axis]
        if walls is not None:
            a, b, offset = gap_between(scene, body, walls, axis)
            sides.append((a, b, axis, offset))
        elif period > 0.0:
            sides.append((-1, len(scene.bodies), axis, 0.0) if moves else (-1, -1, axis, period))
        elif body == len(scene.bodies):
            raise SceneError(
                f"box: a Pressure along {pressure.direction} acts on the period along {name}, and that side is open: push "
                "the cell with a Force"
            )
        else:
            raise SceneError(
                f"Pressure on body {body} along {pressure.direction}: the box is open along {name}, so say between which walls"
            )
    return sides
