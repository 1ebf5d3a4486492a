"""Bodies so fast that they may pass through another unseen.

Two skeletons push each other apart where they are nearer than r_i + r_j, on the side they come from; beyond the middle they push
each other through. A pair that closes by more than STRIDE (r_i + r_j) in one step may be past the middle after one push, or none.
Of sharp bodies half the smaller thickness stands for r_i + r_j. A pass over bodies marks who moves more than
½ STRIDE (r + the thinnest body): no pair of others can close by so much. For the marked ones it is found out here, at the very
step, whether something is so near that it can be met. So a grain that falls for ever in open space is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clast.algebra.lattice import numbers, shifts
from clast.algebra.quaternions import matrix
from clast.dynamics.bodies.cell import shear_rate
from clast.dynamics.contacts.depth import STRIDE
from clast.errors import SpeedError
from clast.scene.space import Scene3D
from clast.shapes.space.solid import Solid

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

SPACE = 3


def thicknesses(scene: Any) -> np.ndarray:
    """How thick each body is (n,), by ids, length: its sphero-radius; of a sharp one half the smallest width of its pieces."""
    return np.array(scene.bodies.of_shapes(half_width if is_sharp(scene) else lambda shape: shape.radius), float)


def is_sharp(scene: Any) -> bool:
    """Whether the bodies of a scene are sharp solids."""
    return isinstance(scene, Scene3D) and scene.sharp


def half_width(solid: Solid) -> float:
    """Half the smallest width of a piece of a sharp solid, square to one of its faces [length]."""
    owner = solid.piece if solid.piece.size else np.zeros(len(solid.faces), np.int64)
    least = np.inf
    for number in range(int(owner.max()) + 1):
        loops = [solid.vertices[solid.faces[k]] for k in np.flatnonzero(owner == number)]
        corners = np.concatenate(loops)
        for loop in loops:
            normal = np.cross(loop - loop[0], np.roll(loop, -1, axis=0) - loop[0]).sum(axis=0)
            least = min(least, 0.5 * float(np.ptp(corners @ (normal / np.linalg.norm(normal)))))
    return least


class Movers(NamedTuple):
    """Bodies as they move, m of them, as in space: the plane lies at z = 0."""

    id: np.ndarray  # (m,) int64
    place: np.ndarray  # (m, 3)
    velocity: np.ndarray  # (m, 3), in a sheared cell against its flow
    spin: np.ndarray  # (m, 3)
    reach: np.ndarray  # (m,) of the skeleton; 0 for round bodies
    radius: np.ndarray  # (m,) sphero-radius
    thick: np.ndarray  # (m,) see `thicknesses`

    def some(self, which: Any) -> Movers:
        """Some of them."""
        return Movers(*(each[which] for each in self))


def movers(engine: Engine, rows: np.ndarray) -> Movers:
    """The bodies of some rows."""
    body, ids, axes = engine._seen_state.body[rows], engine.order[rows], engine.family.DIMENSION
    place, velocity, spin = np.zeros((3, rows.size, SPACE))
    place[:, :axes], velocity[:, :axes] = body[:, :axes], body[:, engine.family.VELOCITIES]
    spin[:, -1 if axes < SPACE else slice(None)] = body[:, engine.family.SPINS]
    velocity[:, 0] -= shear_rate(engine) * place[:, 1]
    thick = engine.thickness[ids]
    radius = 0.0 * thick if is_sharp(engine.scene) else thick
    return Movers(ids, place, velocity, spin, engine.model.reach[rows] - radius, radius, thick)


class Closing(NamedTuple):
    """How bodies (m,) move against one other."""

    gap: np.ndarray  # at least that between the surfaces; negative where balls and boxes round them overlap
    way: np.ndarray  # at most by how much they come nearer in a step
    most: np.ndarray  # and by how much they may


def closing_of(a: Movers, b: Movers, away: np.ndarray, gap: np.ndarray, engine: Engine) -> Closing:
    """Bodies `a` against one body `b`; away (m, 3) leads from b, or its nearest image, to them."""
    against = a.velocity - b.velocity - np.cross(b.spin, away)
    against[:, 0] += shear_rate(engine) * away[:, 1]
    turning = np.linalg.norm(a.spin - b.spin, axis=1) * a.reach
    way = engine.dt * (np.linalg.norm(against, axis=1) + turning)
    if is_sharp(engine.scene):
        return Closing(gap, way, STRIDE * np.minimum(a.thick, b.thick))
    return Closing(gap, way, STRIDE * (a.thick + b.thick))


def to_nearest_image(away: np.ndarray, engine: Engine) -> np.ndarray:
    """Ways (m, 3) to the nearest image of a body."""
    period, axes = engine.period, engine.family.DIMENSION
    offset = engine.offset
    nearest = away.copy()
    nearest[:, :axes] -= shifts(numbers(away[:, :axes], period, offset, lowest=False), period, offset)
    return nearest


def against_grain(others: Movers, grain: Movers, engine: Engine) -> Closing:
    """Grains against one grain, by the balls round them."""
    away = to_nearest_image(others.place - grain.place, engine)
    gap = np.linalg.norm(away, axis=1) - others.reach - others.radius - grain.reach - grain.radius
    return closing_of(others, grain, away, gap, engine)


def against_wall(grains: Movers, wall: Movers, row: int, engine: Engine) -> Closing:
    """Grains against one wall, by the box round it in its own frame."""
    body, axes = engine._seen_state.body[row], engine.family.DIMENSION
    corners = engine.scene.bodies[int(wall.id[0])].shape.vertices
    low, high = np.zeros((2, SPACE))
    low[:axes], high[:axes] = corners.min(axis=0), corners.max(axis=0)
    turn = np.eye(SPACE)
    if axes == SPACE:
        turn = matrix(body[4:8])
    else:
        turn[:2, :2] = [[body[2], -body[3]], [body[3], body[2]]]
    middle = turn @ (0.5 * (low + high))
    away = to_nearest_image(grains.place - wall.place - middle, engine)
    out = np.maximum(np.abs(away @ turn) - 0.5 * (high - low), 0.0)
    gap = np.linalg.norm(out, axis=1) - grains.reach - grains.radius - wall.radius
    return closing_of(grains, wall, away + middle, gap, engine)


def refuse_fast(engine: Engine) -> None:
    """SpeedError where a body so near another moves so fast that in one step it may have passed through it, or may now."""
    grain_rows, wall_rows = engine.roles.grains, engine.roles.big
    grains, walls = movers(engine, grain_rows), movers(engine, wall_rows)
    with np.errstate(invalid="ignore"):  # who left the finite numbers is found by the rebuild
        fast = [
            engine.dt * (np.linalg.norm(each.velocity, axis=1) + np.linalg.norm(each.spin, axis=1) * each.reach)
            > 0.5 * STRIDE * (each.radius + engine.thickness.min())
            for each in (grains, walls)
        ]
        for k in np.flatnonzero(fast[0]).tolist():
            mine = grains.some([k])
            found = against_grain(grains, mine, engine)
            found.gap[k] = np.inf
            refuse(mine, grains, found, engine)
            for w, row in enumerate(wall_rows.tolist()):
                refuse(walls.some([w]), mine, against_wall(mine, walls.some([w]), row, engine), engine)
        for w in np.flatnonzero(fast[1]).tolist():
            refuse(walls.some([w]), grains, against_wall(grains, walls.some([w]), int(wall_rows[w]), engine), engine)


def refuse(one: Movers, others: Movers, found: Closing, engine: Engine) -> None:
    """SpeedError where one of some bodies is near this one and moves too far against it in a step."""
    bad = np.flatnonzero((found.way > found.most) & (found.gap <= found.way))
    if bad.size == 0:
        return
    k = int(bad[np.argmin(others.id[bad])])
    i, j = sorted((int(one.id[0]), int(others.id[k])))
    way, most = float(found.way[k]), float(found.most[k])
    raise SpeedError(
        f"bodies {i} and {j} move {way:.3g} against each other in one step of {engine.dt:.3g} at t = {engine.time:.6g} "
        f"(step {engine.step}), at a speed of {way / engine.dt:.3g}: above {most:.3g} in a step they may pass through each other "
        f"unseen; take a time step below {engine.dt * most / way:.2g}, slower bodies, or thicker ones"
    )
