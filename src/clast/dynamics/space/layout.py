"""From a scene in space to the arrays of a run; what it shares with the plane stands in `clast.dynamics.bodies.layout`."""

import numpy as np

from clast.algebra.quaternions import matrix
from clast.backend.lines import zeros
from clast.contact.space.features import geometry
from clast.dynamics.arrays import ACCOUNTS, SpaceState
from clast.dynamics.bodies.layout import Arranged, Layout, arrange, complete, model_of, prescribe, refuse_walls
from clast.dynamics.bodies.rows import check_cohesion
from clast.dynamics.space.columns import BODY, GAIN, MID_STEP, PLACE_OF_OFFSET, RADIUS, SPIN, TURN, VELOCITY, Y
from clast.errors import SceneError
from clast.scene.space import Scene3D
from clast.shapes.space.solid import Solid

TOGETHER = 24.0  # 2·4·3: four contacts where they turn a grain most, each of 3 k_n, for vertex on vertex counts three times
SEAM = 1e-9  # of a period: how near to it a wall spans exactly one


def lay_out(scene: Scene3D) -> Layout:
    """Arrays for a `scene` of rounded solids at t = 0."""
    found = arrange_with_cell(scene)
    check_cohesion(scene)
    ease = np.array([ease_of(solid) * solid.volume for solid in found.shapes])[found.shape_of]
    model = model_of(scene, found, ease=(1.0 / found.mass, ease / found.mass))
    return complete(scene, found, model, geometry(found.shapes, seams_of(scene, found)), first_state(scene, found))


def arrange_with_cell(scene: Scene3D) -> Arranged:
    """Who stands in which row; the periodic cell too where it moves."""
    cell = scene.cell()
    found = arrange(scene, None if cell is None else (cell, scene.box.imposed()))
    if scene.box.sheared:
        refuse_walls(found)
    return found


def seams_of(scene: Scene3D, found: Arranged) -> dict[int, dict[int, bool]]:
    """Edges, by shape, at which a big body that never turns spans exactly one period: it goes on in its image.

    Each with whether the border is the body's own: at its low end.
    """
    seams: dict[int, dict[int, bool]] = {}
    for row in np.flatnonzero(found.big).tolist():
        if row == found.cell or not found.imposed_on(row).never_turns:
            continue
        body = found.rows[row]
        corners = body.turned_vertices()
        for axis, period in enumerate(scene.box.periods):
            low, high = corners[:, axis].min(), corners[:, axis].max()
            if period == 0.0 or abs(high - low - period) > SEAM * period:
                continue
            if scene.box.moving[axis]:
                raise SceneError(
                    f"a wall spans exactly one period along {'xyz'[axis]}, but that period changes: it would tear or overlap; "
                    "let only the other periods change"
                )
            faces = edge_faces(body.shape)
            for end in (low, high):
                at = (np.abs(corners[body.shape.edges, axis] - end) < SEAM * period).all(axis=1)
                edges = np.flatnonzero(at & (faces == 1))
                seams.setdefault(int(found.shape_of[row]), {}).update({int(k): bool(end == low) for k in edges})
    return seams


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


def first_state(scene: Scene3D, found: Arranged) -> SpaceState:
    """Bodies at t = 0, with the velocities that tags prescribe."""
    count = len(found.rows)
    body = zeros((count, BODY))
    body[:, :3] = found.rows.column("position")
    body[:, RADIUS] = found.radius
    body[:, TURN : TURN + 4] = found.rows.column("orientation")
    body[:, VELOCITY : VELOCITY + 3] = found.rows.column("velocity")
    body[:, SPIN : SPIN + 3] = found.rows.column("spin")
    prescribe(body, found, (*range(VELOCITY, VELOCITY + 3), *range(SPIN, SPIN + 3)))
    if scene.box.sheared:  # the offset, and its velocity in place of the prescribed rate
        body[found.cell, PLACE_OF_OFFSET] = scene.box.offset
        body[found.cell, SPIN] *= body[found.cell, Y]
    momentum = zeros((count, 4))
    to_world = matrix(body[:, TURN : TURN + 4])
    momentum[:, :3] = found.inertia * np.einsum("nji,nj->ni", to_world, body[:, SPIN : SPIN + 3])
    gear, mid_step = np.zeros((1, 10, 1)), np.zeros((1, MID_STEP))
    return SpaceState(body, momentum, zeros((count, ACCOUNTS)), gear=gear, mid_step=mid_step, gain=zeros((1, GAIN)))
