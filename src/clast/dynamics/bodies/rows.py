"""What plane and space share when a scene is laid out: who stands where in memory, laws and stiffness, checks, gaps of walls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.algebra.morton import BITS, interleaved
from clast.errors import SceneError
from clast.scene.imposed import Imposed, sum_up
from clast.scene.problem import Problem

MANY = 4096  # bodies from which their order in memory matters
OVERLAP = 0.05  # of the smallest sphero-radius: where the stiffness for the safe step is taken
SURE_OVERLAP = 1e-3  # and where the step is surely unstable
WALL_DAMPING = 0.2  # of a free wall: c = 0.2 M √(0.5 k_n/M) (model §6)

AnyProblem = Problem[Any]


# --- order in memory -------------------------------------------------------------------------------------------------


def imposed_on(scene: AnyProblem) -> tuple[list[Imposed], np.ndarray]:
    """Tags summed up, once for all bodies that have the same; and which of these sums each body has (n,)."""
    different, which = scene.bodies.distinct("tags")
    first = np.unique(which, return_index=True)[1].tolist()
    return [sum_up(f"body {number}", tags, scene.axes) for number, tags in zip(first, different, strict=True)], which


def near_in_memory(scene: AnyProblem) -> np.ndarray:
    """A key that keeps neighbours in space near in memory (Morton order of cells): five times faster at 10⁵ grains.

    Small scenes keep the user's order. Rows at t = 0 are the ranks of a run, by which sums go (`clast.dynamics.bodies.locality`).
    """
    if len(scene.bodies) < MANY:
        return np.zeros(len(scene.bodies), np.int64)
    return morton_key(scene.bodies.column("position"), scene.bodies.of_shapes(lambda shape: shape.reach))


def morton_key(places: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """One number (n,) per place (n, axes): near where places are. Cells are as wide as a grain, by the median reach (n,)."""
    size = 2.0 * float(np.median(reach))
    cell = np.clip((places - places.min(axis=0)) / size, 0, 2**BITS - 1).astype(np.int64)
    return interleaved(cell)


def levels_of(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Level of each grain, 0 the coarsest, reaches of one level within a factor of two; and the largest reach of each."""
    if reach.size == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    octave = np.floor(np.log2(reach.max() / reach) + 1e-9).astype(np.int64)
    used, level = np.unique(octave, return_inverse=True)
    return level.astype(np.int64), np.array([reach[level == k].max() for k in range(used.size)])


# --- laws ------------------------------------------------------------------------------------------------------------


def law_table(scene: AnyProblem) -> np.ndarray:
    """Parameters of the law between every two materials, with those of what is on top of it: (materials², parameters)."""
    rows = []
    for law in scene.laws():
        cohesion = law.cohesion.row if law.cohesion is not None else ()
        rows.append((*law.row, *law.turning_row, *cohesion))
    return np.array(rows)


def stiffness_of(scene: AnyProblem, radii: np.ndarray) -> np.ndarray:
    """Largest stiffness of the scene's laws at an overlap of 5 % and of 0.1 % of the smallest sphero-radius."""
    smallest, largest = float(radii.min()), float(radii.max())
    laws = scene.laws()
    return np.array([max(law.stiffness(part * smallest, largest) for law in laws) for part in (OVERLAP, SURE_OVERLAP)])


def check_cohesion(scene: AnyProblem) -> None:
    """The pull must not reach through a grain: contact weights hold within the thickness of a skeleton."""
    furthest = max(law.range for law in scene.laws())
    if furthest == 0.0:
        return
    for shape in scene.bodies.distinct("shape")[0]:
        if shape.thickness < 1.2 * furthest:
            number = scene.bodies.with_object("shape", shape)[0]
            raise SceneError(
                f"body {number} ({shape.name}): its skeleton is {shape.thickness:.3g} thick, and a cohesion of range "
                f"{furthest:.3g} would act through it; take a range below {shape.thickness / 1.2:.3g}"
            )


# --- walls -----------------------------------------------------------------------------------------------------------


def check_walls(scene: AnyProblem) -> None:
    """A wall longer than a period would overlap its own image, and grains would meet both."""
    walls = [(number, scene.bodies[number]) for number in np.flatnonzero(scene.bodies.column("big")).tolist()]
    for axis, period in enumerate(scene.box.periods):
        for number, body in walls:
            if period > 0.0 and (span := float(np.ptp(body.turned_vertices()[:, axis]))) > period * (1.0 + 1e-9):
                raise SceneError(
                    f"body {number} ({body.name or body.shape.name}) is {span:.6g} long along {'xyz'[axis]}, and the period "
                    f"there is {period:.6g}: it would overlap its own image and count twice; draw exactly one period of it"
                )


def wall_damping(stiffness: float, mass: float) -> float:
    """Coefficient of the dashpot a free wall has by itself (model §6)."""
    return float(WALL_DAMPING * np.sqrt(0.5 * stiffness * mass))


def gap_between(scene: AnyProblem, body: int, walls: Sequence[Any], axis: int) -> tuple[int, int, float]:
    """Ids of the two walls a, b (given by id or name) between which a pressure on `body` acts, and their gap less x_b − x_a."""
    name = "xyz"[axis]
    ends = []
    for who in walls:
        found = scene.ids(who)
        if len(found) > 1:
            raise SceneError(f'Pressure on body {body}: there are {len(found)} bodies named "{who}"; between needs one each')
        if not scene.imposed(found[0]).never_turns:
            raise SceneError(f"Pressure on body {body}: wall {who} can turn, so the gap beside it has no one width; fix its spin")
        ends.append(found[0])
    low, high = (scene.bodies[k] for k in ends)
    face_low = (low.turned_vertices()[:, axis]).max() + low.shape.radius
    face_high = (high.turned_vertices()[:, axis]).min() - high.shape.radius
    if low.position[axis] + face_low >= high.position[axis] + face_high:
        raise SceneError(
            f"Pressure on body {body}: the inner faces of {walls[0]} and {walls[1]} leave no gap along "
            f"{name}; name the wall with the smaller {name} first"
        )
    return ends[0], ends[1], float(face_high - face_low)
