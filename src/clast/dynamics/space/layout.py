"""From a scene in space to the arrays of a run: order of the bodies, geometry table, levels of cells, tags."""

from typing import Any, NamedTuple

import numpy as np

from clast.contact.solid_features import geometry
from clast.dynamics.arrays import ACCOUNTS, Cast, Model, SpaceState, Tags
from clast.dynamics.program import Column
from clast.dynamics.rows import (
    check_cohesion,
    check_walls,
    gap_between,
    law_table,
    levels_of,
    near_in_memory,
    ranked,
    stiffness_of,
    unique_objects,
    wall_damping,
)
from clast.dynamics.space.columns import BODY, LATE, RADIUS, SPIN, TURN, VELOCITY
from clast.errors import SceneError
from clast.scene.imposed import SPACE_COMPONENTS, Imposed
from clast.scene.space import Body3D, Scene3D
from clast.scene.tags import DIRECTIONS, Pressure
from clast.scene.timed import evaluate
from clast.shapes.space.quaternions import matrix
from clast.shapes.space.solid import Solid

SEAM = 1e-9  # of a period: how near to it a wall spans exactly one
COLUMNS = (*range(VELOCITY, VELOCITY + 3), *range(SPIN, SPIN + 3))  # of State.body, where the components stand


class Layout(NamedTuple):
    """A scene laid out in memory. `order[k]` is the id of the body in row k; free rows first, then tagged, then at rest."""

    geometry: Any  # the tables of `clast.contact.solid_features`, or for sharp bodies `clast.contact.polyhedra`
    model: Model
    state: SpaceState
    tags: Tags  # its program is empty: it needs the time step
    columns: list[Column]  # of the program
    cast: Cast
    order: np.ndarray  # (n,) int64
    free: int
    moving: int


class Arranged(NamedTuple):
    """Who stands in which row, with what of a body the arrays are made of."""

    order: np.ndarray  # (n,) int64: id of the body in each row
    free: int
    moving: int
    rows: list[Body3D]
    imposed: list[Imposed]  # by id
    shapes: list[Solid]  # those that differ
    shape_of: np.ndarray  # (n,) int64
    held: np.ndarray  # (n, 6) bool: components that tags prescribe
    mass: np.ndarray  # (n,)
    inertia: np.ndarray  # (n, 3)
    big: np.ndarray  # (n,) bool

    @property
    def fixed(self) -> np.ndarray:
        """Bodies (n,) that do not give way to a contact: big ones and those a tag moves."""
        return np.asarray(self.big | self.held[:, :3].any(axis=1))

    @property
    def imposed_rows(self) -> list[Imposed]:
        """What is imposed, by row."""
        return [self.imposed[k] for k in self.order]


def arrange(scene: Scene3D) -> Arranged:
    """Free bodies first, then tagged ones, then those at rest for ever."""
    if not scene.bodies:
        raise SceneError("the scene is empty: add a grain first")
    check_walls(scene)
    imposed = [scene.imposed(k) for k in range(len(scene.bodies))]
    rank = ranked(imposed, scene.bodies)
    order = np.lexsort((np.arange(len(rank)), near_in_memory(scene), rank)).astype(np.int64)
    rows = [scene.bodies[k] for k in order]
    shapes, shape_of = unique_objects([body.shape for body in rows])
    mass, inertia = (column[order] for column in scene.masses())
    held = np.array([imposed[k].held for k in order])
    big = np.array([body.big for body in rows])
    free, moving = int((rank == 0).sum()), int((rank < 2).sum())
    return Arranged(order, free, moving, rows, imposed, shapes, shape_of, held, mass, inertia, big)


def model_of(
    scene: Scene3D, found: Arranged, ease: np.ndarray, inverse_radius: np.ndarray, stiffness: np.ndarray
) -> Model:  # fmt: skip
    """Constants of a run; what differs between rounded and sharp bodies is given."""
    materials = scene.materials()
    return Model(
        shape=found.shape_of,
        material=np.array([materials.index(body.material) for body in found.rows], np.int64),
        inverse_mass=1.0 / found.mass,
        inverse_inertia=1.0 / found.inertia,
        contact_inverse_mass=np.where(found.fixed, 0.0, 1.0 / found.mass),
        contact_inverse_inertia=np.where((found.big | found.held[:, 3:].any(axis=1))[:, None], 0.0, 1.0 / found.inertia),
        ease=ease,
        reach=np.array([body.shape.reach for body in found.rows]),
        inverse_radius=inverse_radius,
        law=law_table(scene),
        stiffness=stiffness,
        period=np.array(scene.box.periods),
        cell=np.array([-1], np.int64),
        gravity=np.array(scene.gravity),
    )


def complete(scene: Scene3D, found: Arranged, model: Model, geometry: Any) -> Layout:
    """Levels of cells, first state and tags for a model."""
    grains = np.flatnonzero(~found.big)
    level, level_reach = levels_of(model.reach[grains])
    cast = Cast(grains, level, level_reach, np.flatnonzero(found.big), np.asarray(~found.held.all(axis=1), np.uint8))
    state = first_state(found.rows, found.imposed_rows, found.order, found.inertia)
    tags, columns = lay_out_tags(
        scene, found.order, found.imposed, found.free, found.moving, found.mass, float(model.stiffness[0])
    )
    return Layout(geometry, model, state, tags, columns, cast, found.order, found.free, found.moving)


def lay_out(scene: Scene3D) -> Layout:
    """Arrays for a `scene` of rounded solids at t = 0."""
    found = arrange(scene)
    check_cohesion(scene)
    radius = np.array([body.shape.radius for body in found.rows])
    volumes = np.array([body.shape.volume for body in found.rows])
    model = model_of(
        scene,
        found,
        ease=np.array([ease_of(solid) for solid in found.shapes])[found.shape_of] * volumes / found.mass,
        inverse_radius=np.where(found.big, 0.0, 1.0 / radius),
        stiffness=stiffness_of(scene, radius if found.big.all() else radius[~found.big]),
    )
    seams = seams_of(scene, found.rows, found.imposed_rows, found.shape_of)
    return complete(scene, found, model, geometry(found.shapes, seams))


def seams_of(scene: Scene3D, rows: list[Body3D], imposed: list[Imposed], shape_of: np.ndarray) -> dict[int, dict[int, bool]]:
    """Edges, by shape, at which a big body that never turns spans exactly one period: it goes on in its image.

    Each with whether the border is the body's own: at its low end.
    """
    found: dict[int, dict[int, bool]] = {}
    for row, (body, said) in enumerate(zip(rows, imposed, strict=True)):
        if not body.big or not said.never_turns:
            continue
        corners = body.turned_vertices()
        for axis, period in enumerate(scene.box.periods):
            low, high = corners[:, axis].min(), corners[:, axis].max()
            if period == 0.0 or abs(high - low - period) > SEAM * period:
                continue
            faces = edge_faces(body.shape)
            for end in (low, high):
                at = (np.abs(corners[body.shape.edges, axis] - end) < SEAM * period).all(axis=1)
                edges = np.flatnonzero(at & (faces == 1))
                found.setdefault(int(shape_of[row]), {}).update({int(k): bool(end == low) for k in edges})
    return found


def edge_faces(solid: Solid) -> np.ndarray:
    """How many faces meet at each edge (m,)."""
    count = {(int(a), int(b)): 0 for a, b in solid.edges}
    for loop in solid.faces:
        for a, b in zip(loop, np.roll(loop, -1), strict=True):
            count[(min(int(a), int(b)), max(int(a), int(b)))] += 1
    return np.array(list(count.values()), np.int64)


def ease_of(solid: Solid) -> float:
    """At most |I^-½ (x × u)|² of a point x of the surface pushed in a unit direction u, for density one [1/length³].

    The point is a vertex and a radius away from it: by the triangle inequality. reach²/I would be far too much for a rod.
    """
    root = 1.0 / np.sqrt(solid.inertia)
    x, y, z = solid.vertices.T
    none = np.zeros(len(x))
    across = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
    lever = float(np.linalg.norm(root[:, None] * across, ord=2, axis=(1, 2)).max())
    return (lever + solid.radius * float(root.max())) ** 2


def first_state(rows: list[Body3D], imposed: list[Imposed], order: np.ndarray, inertia: np.ndarray) -> SpaceState:
    """Bodies at t = 0, `inertia` (n, 3) about their principal axes; what tags prescribe stands in the place of what was given."""
    body = np.zeros((len(rows), BODY))
    body[:, :3] = [each.position for each in rows]
    body[:, RADIUS] = [each.shape.radius for each in rows]
    body[:, TURN : TURN + 4] = [each.orientation for each in rows]
    body[:, VELOCITY : VELOCITY + 3] = [each.velocity for each in rows]
    body[:, SPIN : SPIN + 3] = [each.spin for each in rows]
    for row, said in enumerate(imposed):
        for column, value in zip(COLUMNS, said.velocity, strict=True):
            if value is not None:
                body[row, column] = evaluate(value, np.zeros(1), f"Velocity tag of body {order[row]}")[0]
    momentum = np.zeros((len(rows), 4))
    to_world = matrix(body[:, TURN : TURN + 4])
    momentum[:, :3] = inertia * np.einsum("nji,nj->ni", to_world, body[:, SPIN : SPIN + 3])
    return SpaceState(body, momentum, np.zeros((len(rows), ACCOUNTS)), gear=np.zeros((1, 10, 1)), late=np.zeros((1, LATE)))


def lay_out_tags(
    scene: Scene3D, order: np.ndarray, imposed: list[Imposed], free: int, moving: int, mass: np.ndarray, stiffness: float
) -> tuple[Tags, list[Column]]:  # fmt: skip
    """Tags of the rows free … moving − 1, and the columns of their program."""
    columns: list[Column] = []
    loads: list[tuple[list[int], list[float], Column]] = []
    row_of = np.argsort(order)
    dashpot = np.zeros((moving - free, 3))
    for r, k in enumerate(order[free:moving]):
        said, big = imposed[k], scene.bodies[k].big
        for name, value in zip(SPACE_COMPONENTS, said.velocity, strict=True):
            columns.append(Column(() if value is None else (value,), True, f"Velocity tag of body {k}, {name}"))
        for name, values in zip(SPACE_COMPONENTS, said.force, strict=True):
            columns.append(Column(tuple(values), False, f"Force tag of body {k}, {name.replace('spin', 'torque')}"))
        if said.dashpot is not None:
            dashpot[r] = said.dashpot
        elif big and not all(said.held[:3]):
            dashpot[r] = wall_damping(stiffness, mass[free + r])
        for pressure in said.pressures:
            component, sign = DIRECTIONS[pressure.direction]
            ends, offsets = [], []
            for a, b, axis, offset in face_of(scene, int(k), pressure):
                ends += [*(int(row_of[each]) if each >= 0 else -1 for each in (a, b)), axis]
                offsets.append(offset)
            loads.append(
                ([r, component, *ends], [sign, *offsets], Column((pressure.value,), False, f"Pressure on body {k}"))
            )  # fmt: skip
    columns += [column for _, _, column in loads]
    columns.append(Column((scene.drag,), False, "drag", not_negative=True))
    rows = order[free:moving]
    return Tags(
        imposed=np.array([imposed[k].held for k in rows], np.uint8).reshape(-1, 6),
        program=np.zeros((1, len(columns))),
        load=np.array([load for load, _, _ in loads], np.int64).reshape(-1, 8),
        load_number=np.array([numbers for _, numbers, _ in loads], float).reshape(-1, 3),
        dashpot=dashpot,
        dragged=np.array([not scene.bodies[k].big for k in rows], np.uint8),
        push=np.zeros(len(loads)),
    ), columns


def face_of(scene: Scene3D, body: int, pressure: Pressure) -> list[tuple[int, int, int, float]]:
    """The two sides of the area a pressure acts on: walls a, b (−1 across a period), axis, and the gap less x_b − x_a."""
    component, _ = DIRECTIONS[pressure.direction]
    sides = []
    for axis, walls in zip((axis for axis in range(3) if axis != component), pressure.between or (None, None), strict=True):
        if walls is not None:
            assert isinstance(walls, tuple | list)  # anything else was refused when the tag was given
            a, b, offset = gap_between(scene, body, walls, axis)
            sides.append((a, b, axis, offset))
        elif scene.box.periods[axis] > 0.0:
            sides.append((-1, -1, axis, scene.box.periods[axis]))
        else:
            raise SceneError(
                f"Pressure on body {body} along {pressure.direction}: the box is open along {'xyz'[axis]}, so say between which "
                "walls"
            )
    return sides
