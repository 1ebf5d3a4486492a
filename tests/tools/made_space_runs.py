"""Runs in space made up for tests of measures, in the format of stored ones: cubic packings of spheres whose forces are known."""

import numpy as np
from made_runs import MadeInstant, MadeRun

import clast
from clast.shapes import plate, sphere

RADIUS, SIDE = 0.5, 1.0  # of the spheres; their diameter
THICK = 0.1  # sphero-radius of the walls
WALLS = ("left", "right", "front", "back", "bottom", "top")  # a pair for every axis
BALL, SOFT = sphere(RADIUS), clast.Linear(100.0)


def drawn_wall(axis, at, far=10.0, radius=THICK):
    """A plate across an axis at a coordinate."""
    corners = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    return plate(np.insert(corners, axis, at, axis=1), radius)


def spheres_scene(count, period=(0.0, 0.0, 0.0), walls=()):
    """Scene arrays of `count` spheres of mass 2 after walls named so."""
    plates = [drawn_wall(axis, 0.0) for axis in range(3)]
    shapes = [BALL, *plates]
    big = len(walls)
    return {
        "shape_vertices": np.concatenate([each.vertices for each in shapes]),
        "shape_first_vertex": np.cumsum([0, *(len(each.vertices) for each in shapes)]),
        "shape_first_edge": np.cumsum([0, *(len(each.edges) for each in shapes)]),
        "shape_radius": np.array([each.radius for each in shapes]),
        "shape_orientation": np.array([each.orientation for each in shapes]),
        "body_shape": np.array([1 + WALLS.index(name) // 2 for name in walls] + [0] * count),
        "body_big": np.array([True] * big + [False] * count),
        "body_volume": np.array([1.0] * big + [BALL.volume] * count),
        "body_mass": np.full(big + count, 2.0),
        "body_name": [*walls, *[None] * count],
        "period": np.array(period),
    }


def add_frame(run, positions, orientations=None, table=None):
    """A frame at the next step, half a unit of time later, with its contacts if given; bodies stand as they were drawn."""
    step = len(run.frames)
    if orientations is None:
        orientations = run.scene["shape_orientation"][run.scene["body_shape"]]
    run.frames.append(MadeInstant(step, 0.5 * step, {"positions": positions, "orientations": orientations}))
    if table is not None:
        run.contacts.append(MadeInstant(step, 0.5 * step, table))


def contact_table(rows):
    """Arrays of a contact table from rows (i, j, point, centre of i, centre of j's image, normal, force on i)."""
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    i, j, points, first, second, normals, forces = columns
    return {
        "bodies": np.stack([i, j], axis=1), "points": points, "normals": normals, "forces": forces,
        "first_arms": points - first, "second_arms": points - second, "depths": np.full(len(i), 1e-3),
        "counts": np.ones(len(i), np.float32), "features": np.ones(len(i), np.uint8),
    }  # fmt: skip


def cubic_packing(numbers=(4, 2, 3), loads=(2.0, 3.0, 5.0)):
    """Touching spheres on a simple cubic lattice between walls that press with `loads` along x, y, z. Two samples, one frame."""
    lengths = np.array(numbers) * SIDE
    cells = np.array(list(np.ndindex(*numbers)))
    centres = (cells + 0.5) * SIDE
    walls = np.tile(0.5 * lengths, (6, 1))
    rows = []
    for axis in range(3):
        way, force = np.eye(3)[axis], loads[axis] * SIDE**2
        walls[2 * axis, axis], walls[2 * axis + 1, axis] = -THICK, lengths[axis] + THICK
        for k, (cell, here) in enumerate(zip(cells, centres, strict=True)):
            last = cell[axis] == numbers[axis] - 1
            other = 2 * axis + 1 if last else 6 + int(np.flatnonzero((cells == cell + way.astype(int)).all(axis=1))[0])
            there = walls[other] if last else here + SIDE * way
            rows.append((6 + k, other, here + RADIUS * way, here, there, way, -force * way))
            if cell[axis] == 0:  # the wall comes first
                rows.append((2 * axis, 6 + k, here - RADIUS * way, walls[2 * axis], here, way, -force * way))
    series = {"time": np.array([0.0, 0.5]), "unbalanced_force": np.array([0.1, 1e-6])}
    volume = lengths.prod()
    for k, name in enumerate(WALLS):
        axis, side = k // 2, 2 * (k % 2) - 1
        for b, letter in enumerate("xyz"):
            load = side * loads[axis] * volume / lengths[axis] if b == axis else 0.0
            series[f"{name}.{letter}"], series[f"{name}.force_{letter}"] = np.full(2, walls[k, b]), np.full(2, load)
    for a, first in enumerate("xyz"):
        for b, second in enumerate("xyz"):
            series[f"virial_{first}{second}"] = np.full(2, loads[a] * volume if a == b else 0.0)
    run = MadeRun(spheres_scene(len(centres), walls=WALLS), series)
    add_frame(run, np.concatenate([walls, centres]), table=contact_table(rows))
    return run


def moved_run(before, after, period=(0.0, 0.0, 0.0), turns=None):
    """Spheres that were moved and turned between two frames."""
    run = MadeRun(spheres_scene(len(before), period), {"time": np.array([0.0])})
    add_frame(run, before, None if turns is None else turns[0])
    add_frame(run, after, None if turns is None else turns[1])
    return run
