"""From a scene in the plane to the arrays of a run; what it shares with space stands in `clast.dynamics.bodies.layout`."""

import numpy as np

from clast.backend.lines import zeros
from clast.contact.plane.features import geometry
from clast.dynamics.arrays import ACCOUNTS, State
from clast.dynamics.bodies.layout import Arranged, Layout, arrange, complete, model_of, prescribe, refuse_walls
from clast.dynamics.bodies.rows import check_cohesion
from clast.dynamics.plane.bonds import FATE
from clast.dynamics.plane.columns import BODY, COS, GAIN, MID_STEP, PLACE_OF_OFFSET, RADIUS, SIN, SPIN, VX, VY, X, Y
from clast.errors import SceneError
from clast.scene.plane import Scene

TOGETHER = 16.0  # 2·4·2: four contacts at the end of a grain's reach, each of 2 k_n, for corner on corner counts twice


def lay_out(scene: Scene) -> Layout:
    """Arrays for `scene` at t = 0."""
    cell = scene.cell()
    found = arrange(scene, None if cell is None else (cell, scene.box.imposed()))
    table = geometry(
        found.shapes, all_pairs=scene.counting == "all-pairs", endless=endless_chains(scene, found),
        hollow=set(found.shape_of[found.big & (np.arange(len(found.big)) != found.cell)].tolist()),
    )  # fmt: skip
    model = model_of(scene, found, ease=(1.0 / found.mass, found.reach**2 * (1.0 / found.inertia)))
    check_cohesion(scene)
    found = found._replace(mass=1.0 / model.inverse_mass)  # to the last bit what dashpots of walls were always made of
    state = first_state(found)
    if scene.box.sheared:
        refuse_walls(found)
        lean(state, found.cell, scene.box.offset)
    return complete(scene, found, model, table, state)


def first_state(found: Arranged) -> State:
    """Bodies at t = 0, with the velocities that tags prescribe."""
    count = len(found.rows)
    angle = found.rows.column("angle")
    body = zeros((count, BODY))
    body[:, X : Y + 1] = found.rows.column("position")
    body[:, COS], body[:, SIN] = np.cos(angle), np.sin(angle)
    body[:, VX : VY + 1] = found.rows.column("velocity")
    body[:, SPIN] = found.rows.column("spin")
    body[:, RADIUS] = found.radius
    prescribe(body, found, (VX, VY, SPIN))
    return State(
        body,
        angle,
        zeros((count, ACCOUNTS)),
        gear=np.zeros((1, 3, 1)),
        mid_step=np.zeros((1, MID_STEP)),
        gain=zeros((1, GAIN)),
        bond=np.zeros((0, FATE)),
    )


def lean(state: State, cell: int, offset: float) -> None:
    """Write the offset of a sheared cell where its passes look for it, and its velocity in place of the prescribed rate."""
    state.body[cell, PLACE_OF_OFFSET], state.body[cell, SIN] = offset, 0.0
    state.body[cell, SPIN] *= state.body[cell, Y]


def endless_chains(scene: Scene, found: Arranged) -> set[int]:
    """Shapes of big bodies that never turn and whose open skeleton spans exactly one period: joined to their images."""
    period = np.array(scene.box.periods)
    endless: set[int] = set()
    for row in np.flatnonzero(found.big).tolist():
        body = found.rows[row]
        corners = body.shape.vertices
        open_chain = 0 < len(body.shape.edges) == len(corners) - 1
        turns = body.angle != 0.0 or not found.imposed_on(row).never_turns
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
                endless.add(int(found.shape_of[row]))
    return endless
