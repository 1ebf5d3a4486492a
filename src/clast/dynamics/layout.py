"""From a scene to the arrays of a run: order of the bodies, geometry table, levels of cells, tags."""

from typing import NamedTuple

import numpy as np

from clast.contact.features import Geometry, geometry
from clast.dynamics.arrays import ACCOUNTS, Cast, Model, State, Tags
from clast.dynamics.program import Column
from clast.errors import SceneError
from clast.scene.imposed import COMPONENTS, Imposed
from clast.scene.scene import Body, Scene
from clast.scene.tags import DIRECTIONS, Pressure
from clast.scene.timed import evaluate, is_constant
from clast.shapes.skeleton import Shape

MANY = 4096  # bodies from which their order in memory matters
OVERLAP = 0.05  # of the smallest sphero-radius: where the stiffness for the safe step is taken
SURE_OVERLAP = 1e-3  # and where the step is surely unstable
WALL_DAMPING = 0.2  # of a free wall: c = 0.2 M √(0.5 k_n/M) (model §6)


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
    imposed = [scene.imposed(k) for k in range(len(scene.bodies))]
    cell = scene.cell()
    bodies = scene.bodies if cell is None else [*scene.bodies, cell]
    if cell is not None:
        imposed.append(scene.box.imposed())
    at_rest = np.array([each.at_rest for each in imposed])
    driven = np.array([each.driven or body.big for each, body in zip(imposed, bodies, strict=True)]) & ~at_rest
    rank = np.where(at_rest, 2, np.where(driven, 1, 0))
    places = np.array([body.position for body in scene.bodies])
    near = near_in_memory(places, scene.bodies)
    if cell is not None:  # its place is none: it stays behind all others
        near = np.append(near, np.iinfo(np.int64).max)
    order = np.lexsort((np.arange(len(bodies)), near, rank)).astype(np.int64)
    free, moving = int((rank == 0).sum()), int((rank < 2).sum())

    shapes, shape_of = unique_shapes([bodies[k].shape for k in order])
    rows = [bodies[k] for k in order]
    table = geometry(
        shapes,
        all_pairs=scene.counting == "all-pairs",
        endless=endless_chains(scene, [(bodies[k], imposed[k]) for k in order], shape_of),
    )
    materials = scene.materials()
    held = np.array([imposed[k].held for k in order]).reshape(-1, 3)
    count = len(rows)
    mass, inertia = (np.array([*column, *([] if cell is None else [cell.mass])])[order] for column in scene.masses())
    big = np.array([body.big for body in rows])
    radius = np.array([body.shape.radius for body in rows])
    model = Model(
        shape=shape_of,
        material=np.array([materials.index(body.material) for body in rows], np.int64),
        inverse_mass=1.0 / mass,
        inverse_inertia=1.0 / inertia,
        contact_inverse_mass=np.where(big | held[:, :2].any(axis=1), 0.0, 1.0 / mass),
        contact_inverse_inertia=np.where(big | held[:, 2], 0.0, 1.0 / inertia),
        reach=np.array([body.shape.reach for body in rows]),
        inverse_radius=np.where(big, 0.0, 1.0 / radius),
        law=np.array([law_row(scene, a, b) for a in materials for b in materials]),
        stiffness=stiffness_of(scene, radius if big.all() else radius[~big]),
        period=np.array([scene.box.period_x, scene.box.period_y], float),
        cell=np.array([moving - 1 if cell is not None else -1], np.int64),  # the largest id of those with tags
        gravity=np.array(scene.gravity),
    )
    state = State(
        body=np.zeros((count, 8)), angle=np.array([body.angle for body in rows]), book=np.zeros((count, ACCOUNTS)),
        gear=np.zeros((1, 3, 1)),
    )  # fmt: skip
    state.body[:, 0:2] = [body.position for body in rows]
    state.body[:, 2] = np.cos(state.angle)
    state.body[:, 3] = np.sin(state.angle)
    state.body[:, 4:6] = [body.velocity for body in rows]
    state.body[:, 6] = [body.spin for body in rows]
    state.body[:, 7] = radius
    for row, k in enumerate(order):
        for c, value in enumerate(imposed[k].velocity):
            if value is not None:
                state.body[row, 4 + c] = evaluate(value, np.zeros(1), f"Velocity tag of body {k}")[0]

    grains = np.flatnonzero(~big)
    level, level_reach = levels_of(model.reach[grains])
    walls = np.setdiff1d(np.flatnonzero(big), model.cell)
    cast = Cast(grains, level, level_reach, walls, np.asarray(~held.all(axis=1), np.uint8))
    check_cohesion(scene)
    check_walls(scene)
    tags, columns = lay_out_tags(scene, bodies, order, imposed, free, moving, 1.0 / model.inverse_mass, float(model.stiffness[0]))
    return Layout(table, model, state, tags, columns, cast, order, free, moving)


def law_row(scene: Scene, one: str, other: str) -> tuple[float, ...]:
    """Parameters of the law between two materials, with those of rolling and cohesion."""
    law = scene.law_between(one, other)
    rolling = law.rolling.row if law.rolling is not None else ()
    cohesion = law.cohesion.row if law.cohesion is not None else ()
    return (*law.row, *rolling, *cohesion)


def stiffness_of(scene: Scene, radii: np.ndarray) -> np.ndarray:
    """Largest stiffness of the scene's laws at an overlap of 5 % and of 0.1 % of the smallest sphero-radius."""
    smallest, largest = float(radii.min()), float(radii.max())
    return np.array([max(law.stiffness(part * smallest, largest) for law in scene.laws()) for part in (OVERLAP, SURE_OVERLAP)])


def check_cohesion(scene: Scene) -> None:
    """The pull must not reach through a grain: contact weights hold within the thickness of a skeleton."""
    furthest = max(law.range for law in scene.laws())
    if furthest == 0.0:
        return
    for number, body in enumerate(scene.bodies):
        if body.shape.thickness < 1.2 * furthest:
            raise SceneError(
                f"body {number} ({body.shape.name}): its skeleton is {body.shape.thickness:.3g} thick, and a cohesion of range "
                f"{furthest:.3g} would act through it; take a range below {body.shape.thickness / 1.2:.3g}"
            )


def check_walls(scene: Scene) -> None:
    """A wall longer than a period would overlap its own image, and grains would meet both."""
    for axis, period in enumerate((scene.box.period_x, scene.box.period_y)):
        for number, body in enumerate(scene.bodies):
            if body.big and period > 0.0 and (span := float(np.ptp(turned_vertices(body)[:, axis]))) > period * (1.0 + 1e-9):
                raise SceneError(
                    f"body {number} ({body.name or body.shape.name}) is {span:.6g} long along {'xy'[axis]}, and the period there "
                    f"is {period:.6g}: it would overlap its own image and count twice; draw exactly one period of it"
                )


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
            dashpot[r] = WALL_DAMPING * np.sqrt(0.5 * stiffness * mass[free + r])
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
        push=np.zeros((moving - free, 3)),
    ), columns


def gap_of(scene: Scene, body: int, pressure: Pressure, axis: int) -> tuple[int, int, float]:
    """Walls a, b between which a pressure acts, and their gap less x_b − x_a.

    Across a whole period a is −1, and b too unless that period moves: then b is the cell, whose place is its periods.
    """
    name, period = "xy"[axis], (scene.box.period_x, scene.box.period_y)[axis]
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
    ends = []
    for who in pressure.between:
        found = scene.ids(who)
        if len(found) > 1:
            raise SceneError(f'Pressure on body {body}: there are {len(found)} bodies named "{who}"; between needs one each')
        spin = scene.imposed(found[0]).velocity[2]
        if spin is None or not is_constant(spin) or spin != 0.0:
            raise SceneError(f"Pressure on body {body}: wall {who} can turn, so the gap beside it has no one width; fix its spin")
        ends.append(found[0])
    low, high = (scene.bodies[k] for k in ends)
    face_low = (turned_vertices(low)[:, axis]).max() + low.shape.radius
    face_high = (turned_vertices(high)[:, axis]).min() - high.shape.radius
    if low.position[axis] + face_low >= high.position[axis] + face_high:
        raise SceneError(
            f"Pressure on body {body}: the inner faces of {pressure.between[0]} and {pressure.between[1]} leave no gap along "
            f"{name}; name the wall with the smaller {name} first"
        )
    return ends[0], ends[1], float(face_high - face_low)


def turned_vertices(body: Body) -> np.ndarray:
    """Vertices about the centre of mass, as the body stands."""
    cosine, sine = np.cos(body.angle), np.sin(body.angle)
    return body.shape.vertices @ np.array([[cosine, sine], [-sine, cosine]])


def near_in_memory(places: np.ndarray, bodies: list[Body]) -> np.ndarray:
    """A key that keeps neighbours in space near in memory (Morton order of cells): five times faster at 10⁵ grains.

    Small scenes keep the user's order. The key is taken once, at t = 0, so bits depend on nothing that happens later.
    """
    if len(bodies) < MANY:
        return np.zeros(len(bodies), np.int64)
    size = 2.0 * float(np.median([body.shape.reach for body in bodies]))
    low = places.min(axis=0)
    cell = np.clip((places - low) / size, 0, 2**20 - 1).astype(np.int64)
    return spread_bits(cell[:, 0]) | (spread_bits(cell[:, 1]) << 1)


def spread_bits(values: np.ndarray) -> np.ndarray:
    """Put a zero between the bits of numbers below 2²¹."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        values = (values | (values << shift)) & mask
    return values


def unique_shapes(shapes: list[Shape]) -> tuple[list[Shape], np.ndarray]:
    """Equal objects share a row of the geometry table."""
    known: dict[int, int] = {}
    unique: list[Shape] = []
    index = np.zeros(len(shapes), np.int64)
    for k, shape in enumerate(shapes):
        if id(shape) not in known:
            known[id(shape)] = len(unique)
            unique.append(shape)
        index[k] = known[id(shape)]
    return unique, index


def levels_of(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Level of each grain, 0 the coarsest, reaches of one level within a factor of two; and the largest reach of each."""
    if reach.size == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    octave = np.floor(np.log2(reach.max() / reach) + 1e-9).astype(np.int64)
    used, level = np.unique(octave, return_inverse=True)
    return level.astype(np.int64), np.array([reach[level == k].max() for k in range(used.size)])


def endless_chains(scene: Scene, rows: list[tuple[Body, Imposed]], shape_of: np.ndarray) -> set[int]:
    """Shapes of big bodies that never turn and whose open skeleton spans exactly one period: joined to their images."""
    period = np.array([scene.box.period_x, scene.box.period_y])
    found: set[int] = set()
    for k, (body, imposed) in enumerate(rows):
        corners = body.shape.vertices
        open_chain = 0 < len(body.shape.edges) == len(corners) - 1
        spin = imposed.velocity[2]
        turns = body.angle != 0.0 or spin is None or not is_constant(spin) or spin != 0.0
        if not body.big or not open_chain or turns or scene.counting != "euler":
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
