"""From a scene to the arrays of a run: order of the bodies, geometry table, levels of cells, tags."""

from typing import NamedTuple

import numpy as np

from clast.contact.features import Geometry, geometry
from clast.dynamics.arrays import ACCOUNTS, Cast, Model, State, Tags
from clast.dynamics.program import Column
from clast.dynamics.rows import (
    check_cohesion,
    check_walls,
    flat_rows,
    gap_between,
    imposed_on,
    law_table,
    levels_of,
    near_in_memory,
    of_each,
    ranked,
    stiffness_of,
    unique_objects,
    wall_damping,
)
from clast.errors import SceneError
from clast.scene.imposed import COMPONENTS, Imposed
from clast.scene.scene import Body, Scene
from clast.scene.tags import DIRECTIONS, Pressure
from clast.scene.timed import evaluate


class Layout(NamedTuple):
    """A scene laid out in memory. `order[k]` is the id of the body in row k; free rows first, then tagged, then at rest."""

    geometry: Geometry
    model: Model
    state: State
    tags: Tags  # its program is empty: it needs the time step
    columns: list[Column]  # of the program
    cast: Cast
    order: np.ndarray  # (n,) int64
    free: int
    moving: int


def lay_out(scene: Scene) -> Layout:
    """Arrays for `scene` at t = 0."""
    if not scene.bodies:
        raise SceneError("the scene is empty: add a grain first")
    imposed = imposed_on(scene)
    cell = scene.cell()
    bodies = scene.bodies if cell is None else [*scene.bodies, cell]
    if cell is not None:
        imposed.append(scene.box.imposed())
    rank = ranked(imposed, bodies)
    near = near_in_memory(scene)
    if cell is not None:  # its place is none: it stays behind all others
        near = np.append(near, np.iinfo(np.int64).max)
    order = np.lexsort((np.arange(len(bodies)), near, rank)).astype(np.int64)
    free, moving = int((rank == 0).sum()), int((rank < 2).sum())

    rows = [bodies[k] for k in order.tolist()]
    shapes, shape_of = unique_objects([body.shape for body in rows])
    walls = [(k, body, imposed[order[k]]) for k, body in enumerate(rows) if body.big]
    table = geometry(
        shapes, all_pairs=scene.counting == "all-pairs", endless=endless_chains(scene, walls, shape_of)
    )  # fmt: skip
    held = of_each(imposed, lambda each: each.held)[order].reshape(-1, 3)
    reach, radius = (np.array(column)[shape_of] for column in zip(*((each.reach, each.radius) for each in shapes), strict=True))
    model = model_of(scene, rows, order, held, (shape_of, reach, radius))._replace(
        cell=np.array([moving - 1 if cell is not None else -1], np.int64)  # the largest id of those with tags
    )
    big = np.array([body.big for body in rows])
    grains = np.flatnonzero(~big)
    level, level_reach = levels_of(model.reach[grains])
    cast = Cast(
        grains, level, level_reach, np.setdiff1d(np.flatnonzero(big), model.cell), np.asarray(~held.all(axis=1), np.uint8)
    )  # fmt: skip
    check_cohesion(scene)
    check_walls(scene)
    tags, columns = lay_out_tags(scene, bodies, order, imposed, free, moving, 1.0 / model.inverse_mass, float(model.stiffness[0]))
    return Layout(table, model, first_state(rows, radius, order, imposed), tags, columns, cast, order, free, moving)


def model_of(
    scene: Scene, rows: list[Body], order: np.ndarray, held: np.ndarray, shape: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> Model:  # fmt: skip
    """Constants of a run, no cell moving; `shape` is the index of the shape of each row, its reach and its sphero-radius."""
    shape_of, reach, radius = shape
    mass, inertia = scene.masses()
    if len(rows) > len(scene.bodies):  # the last is the periodic cell
        cell = rows[int(order.argmax())].mass
        mass, inertia = np.append(mass, cell), np.append(inertia, cell)
    mass, inertia = mass[order], inertia[order]
    number = {name: k for k, name in enumerate(scene.materials())}
    big = np.array([body.big for body in rows])
    return Model(
        shape=shape_of,
        material=np.array([number[body.material] for body in rows], np.int64),
        inverse_mass=1.0 / mass,
        inverse_inertia=1.0 / inertia,
        contact_inverse_mass=np.where(big | held[:, :2].any(axis=1), 0.0, 1.0 / mass),
        contact_inverse_inertia=np.where(big | held[:, 2], 0.0, 1.0 / inertia),
        ease=reach**2 / inertia,
        reach=reach,
        inverse_radius=np.where(big, 0.0, 1.0 / radius),
        law=law_table(scene),
        stiffness=stiffness_of(scene, radius if big.all() else radius[~big]),
        period=np.array(scene.box.periods),
        cell=np.full(1, -1),
        gravity=np.array(scene.gravity),
    )


def first_state(rows: list[Body], radius: np.ndarray, order: np.ndarray, imposed: list[Imposed]) -> State:
    """Bodies at t = 0, with the velocities that tags prescribe."""
    count = len(rows)
    state = State(
        body=np.zeros((count, 8)), angle=np.array([body.angle for body in rows]), book=np.zeros((count, ACCOUNTS)),
        gear=np.zeros((1, 3, 1)), late=np.zeros((1, 3)),
    )  # fmt: skip
    state.body[:, 0:2] = flat_rows([body.position for body in rows], 2)
    state.body[:, 2] = np.cos(state.angle)
    state.body[:, 3] = np.sin(state.angle)
    state.body[:, 4:6] = flat_rows([body.velocity for body in rows], 2)
    state.body[:, 6] = [body.spin for body in rows]
    state.body[:, 7] = radius
    for row in np.flatnonzero(of_each(imposed, lambda each: any(each.held))[order]).tolist():
        k = int(order[row])
        for c, value in enumerate(imposed[k].velocity):
            if value is not None:
                state.body[row, 4 + c] = evaluate(value, np.zeros(1), f"Velocity tag of body {k}")[0]
    return state


def lay_out_tags(
    scene: Scene, bodies: list[Body], order: np.ndarray, imposed: list[Imposed], free: int, moving: int, mass: np.ndarray,
    stiffness: float,
) -> tuple[Tags, list[Column]]:  # fmt: skip
    """Tags of the rows free … moving − 1, and the columns of their program."""
    columns: list[Column] = []
    loads: list[tuple[list[int], list[float], Column]] = []
    row_of = np.argsort(order)
    dashpot = np.zeros((moving - free, 2))
    for r, k in enumerate(order[free:moving]):
        said, big = imposed[k], bodies[k].big
        for c in range(3):
            value = said.velocity[c]
            columns.append(Column(() if value is None else (value,), True, f"Velocity tag of body {k}, {COMPONENTS[c]}"))
        for c in range(3):
            columns.append(Column(tuple(said.force[c]), False, f"Force tag of body {k}, {('x', 'y', 'torque')[c]}"))
        if said.dashpot is not None:
            dashpot[r] = said.dashpot
        elif big and not all(said.held[:2]):
            dashpot[r] = wall_damping(stiffness, mass[free + r])
        for pressure in said.pressures:
            component, sign = DIRECTIONS[pressure.direction]
            a, b, offset = gap_of(scene, int(k), pressure, 1 - component)
            ends = [int(row_of[each]) if each >= 0 else -1 for each in (a, b)]
            loads.append(
                ([r, component, *ends, 1 - component], [sign, offset], Column((pressure.value,), False, f"Pressure on body {k}"))
            )
    columns += [column for _, _, column in loads]
    columns.append(Column((scene.drag,), False, "drag", not_negative=True))
    held = np.array([imposed[k].held for k in order[free:moving]], np.uint8).reshape(-1, 3)
    dragged = np.array([not bodies[k].big for k in order[free:moving]], np.uint8)
    return Tags(
        imposed=held,
        program=np.zeros((1, len(columns))),
        load=np.array([load for load, _, _ in loads], np.int64).reshape(-1, 5),
        load_number=np.array([numbers for _, numbers, _ in loads], float).reshape(-1, 2),
        dashpot=dashpot,
        dragged=dragged,
        push=np.zeros(len(loads)),
    ), columns


def gap_of(scene: Scene, body: int, pressure: Pressure, axis: int) -> tuple[int, int, float]:
    """Walls a, b between which a pressure acts, and their gap less x_b − x_a.

    Across a whole period a is −1, and b too unless that period moves: then b is the cell, whose place is its periods.
    """
    name, period = "xy"[axis], scene.box.periods[axis]
    if pressure.between is None:
        if period == 0.0:
            if body == len(scene.bodies):
                raise SceneError(
                    f"box: a Pressure along {pressure.direction} acts on the period along {name}, and that side is open: push "
                    "the cell with a Force"
                )
            raise SceneError(
                f"Pressure on body {body} along {pressure.direction}: the box is open along {name}, so say between which walls"
            )
        return (-1, len(scene.bodies), 0.0) if scene.box.moves else (-1, -1, period)
    return gap_between(scene, body, pressure.between, axis)


def endless_chains(scene: Scene, walls: list[tuple[int, Body, Imposed]], shape_of: np.ndarray) -> set[int]:
    """Shapes of big bodies that never turn and whose open skeleton spans exactly one period: joined to their images.

    walls   row of each big body, the body, and what is imposed on it
    """
    period = np.array(scene.box.periods)
    found: set[int] = set()
    for k, body, imposed in walls:
        corners = body.shape.vertices
        open_chain = 0 < len(body.shape.edges) == len(corners) - 1
        turns = body.angle != 0.0 or not imposed.never_turns
        if not open_chain or turns or scene.counting != "euler":
            continue
        span = corners[-1] - corners[0]
        for axis in range(2):
            across = np.zeros(2)
            across[axis] = period[axis]
            if period[axis] > 0.0 and np.abs(np.abs(span) - across).max() < 1e-9 * period[axis]:
                if scene.box.moves and scene.box.moving[axis]:
                    raise SceneError(
                        f"a wall spans exactly one period along {'xy'[axis]}, but that period changes: it would tear or overlap; "
                        "let only the other period change"
                    )
                found.add(int(shape_of[k]))
    return found
