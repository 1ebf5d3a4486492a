"""Runs made up for tests of measures, in the format of stored ones: lattices of disks with known forces, crowds that move."""

from dataclasses import dataclass, field

import numpy as np

RADIUS = 0.5  # of the disks
SIDE = 2.0 * RADIUS
THICK = 0.1  # sphero-radius of the walls
WALLS = ("left", "right", "bottom", "top")


class MadeInstant(dict):
    """A frame or a table of contacts."""

    def __init__(self, step, time, arrays):
        super().__init__(arrays)
        self.step, self.time, self.names = step, time, tuple(arrays)


class MadeInstants(list):
    """Frames or tables of contacts."""

    @property
    def steps(self):
        return np.array([each.step for each in self], np.int64)

    @property
    def times(self):
        return np.array([each.time for each in self])


@dataclass
class MadeRun:
    """What measures read of a run."""

    scene: dict
    series: dict
    frames: MadeInstants = field(default_factory=MadeInstants)
    contacts: MadeInstants = field(default_factory=MadeInstants)

    def add_frame(self, positions, angles=None, table=None, **arrays):
        """A frame at the next step, half a unit of time later, with its contacts if given."""
        step = len(self.frames)
        angles = np.zeros(len(positions)) if angles is None else angles
        self.frames.append(MadeInstant(step, 0.5 * step, {"positions": positions, "angles": angles, **arrays}))
        if table is not None:
            self.contacts.append(MadeInstant(step, 0.5 * step, table))


def disks_scene(count, period=(0.0, 0.0), walls=()):
    """Scene arrays of `count` unit disks after walls named so: spherosegments of length 20 along y (left, right) or x."""
    upright, level = [(0.0, -10.0), (0.0, 10.0)], [(-10.0, 0.0), (10.0, 0.0)]
    big = len(walls)
    return {
        "shape_vertices": np.array([(0.0, 0.0), *upright, *level]),
        "shape_first_vertex": np.array([0, 1, 3, 5]),
        "shape_edges": np.array([[0, 1], [0, 1]]),
        "shape_first_edge": np.array([0, 0, 1, 2]),
        "shape_radius": np.array([RADIUS, THICK, THICK]),
        "shape_closed": np.zeros(3, bool),
        "body_shape": np.array([1 if name in ("left", "right") else 2 for name in walls] + [0] * count),
        "body_big": np.array([True] * big + [False] * count),
        "body_area": np.array([1.0] * big + [np.pi * RADIUS**2] * count),
        "body_mass": np.full(big + count, 2.0),
        "body_name": [*walls, *[None] * count],
        "period": np.array(period),
    }


def contact_table(rows, turned=None):
    """Arrays of a contact table from rows (i, j, point, centre of i, centre of j's image, force on i).

    Some rows are turned about, so that j comes first: those told, or any.
    """
    turned = np.random.default_rng(1).random(len(rows)) < 0.5 if turned is None else turned
    kept = []
    for (i, j, point, first, second, force), turn in zip(rows, turned, strict=True):
        point, first, second, force = (np.asarray(each, float) for each in (point, first, second, force))
        if turn:
            i, j, first, second, force = j, i, second, first, -force
        kept.append((i, j, point, point - first, point - second, force))
    columns = list(zip(*kept, strict=True))
    forces = np.array(columns[5])
    return {
        "bodies": np.array([columns[0], columns[1]]).T,
        "points": np.array(columns[2]),
        "normals": -forces / np.hypot(*forces.T)[:, None],
        "forces": forces,
        "first_arms": np.array(columns[3]),
        "second_arms": np.array(columns[4]),
        "depths": np.full(len(kept), 1e-3),
        "springs": np.zeros(len(kept)),
        "counts": np.ones(len(kept), np.int8),
        "features": np.ones(len(kept), np.uint8),
    }


def square_packing(columns=4, rows=3, p_x=2.0, p_y=5.0):
    """Touching disks between four walls, pressed by p_x on the sides and p_y on bottom and top. Two samples, one frame."""
    side = 2.0 * RADIUS
    centres = np.array([((c + 0.5) * side, (r + 0.5) * side) for r in range(rows) for c in range(columns)])
    width, height = columns * side, rows * side
    walls = np.array(
        [(-THICK, 0.5 * height), (width + THICK, 0.5 * height), (0.5 * width, -THICK), (0.5 * width, height + THICK)]
    )
    f_x, f_y = p_x * side, p_y * side
    table = []
    for r in range(rows):
        for c in range(columns):
            k = r * columns + c
            here, across, up = centres[k], np.array([RADIUS, 0.0]), np.array([0.0, RADIUS])
            right = (4 + k + 1, here + 2 * across) if c < columns - 1 else (1, walls[1])
            above = (4 + k + columns, here + 2 * up) if r < rows - 1 else (3, walls[3])
            table.append((4 + k, right[0], here + across, here, right[1], (-f_x, 0.0)))
            table.append((4 + k, above[0], here + up, here, above[1], (0.0, -f_y)))
            if c == 0:
                table.append((0, 4 + k, here - across, walls[0], here, (-f_x, 0.0)))
            if r == 0:
                table.append((2, 4 + k, here - up, walls[2], here, (0.0, -f_y)))
    loads = {"left": (-p_x * height, 0.0), "right": (p_x * height, 0.0), "bottom": (0.0, -p_y * width), "top": (0.0, p_y * width)}
    series = {"time": np.array([0.0, 0.5])}
    for name, place in zip(WALLS, walls, strict=True):
        for axis, letter in enumerate("xy"):
            series[f"{name}.{letter}"] = np.full(2, place[axis])
            series[f"{name}.force_{letter}"] = np.full(2, loads[name][axis])
    area = width * height
    series |= {"virial_xx": np.full(2, p_x * area), "virial_yy": np.full(2, p_y * area)}
    series |= {"virial_xy": np.zeros(2), "virial_yx": np.zeros(2), "unbalanced_force": np.array([0.1, 1e-6])}
    run = MadeRun(disks_scene(len(centres), walls=WALLS), series)
    run.add_frame(np.concatenate([walls, centres]), table=contact_table(table))
    return run


def hexagonal_cell(force=3.0, cells=2):
    """A periodic hexagonal packing of 2·cells² disks, pushing each other with one force: with cells = 2 every neighbour in a row
    is met on both sides, through two images. The disks have gone round the box by different numbers of periods."""
    side = 2.0 * RADIUS
    period = np.array([cells * side, cells * np.sqrt(3.0) * side])
    place = {}
    for row in range(2 * cells):
        for column in range(cells):
            place[row, column] = np.array([(column + 0.5 * (row % 2)) * side, row * np.sqrt(0.75) * side])
    number = {key: k for k, key in enumerate(place)}
    rounds = np.random.default_rng(5).integers(-2, 3, (len(place), 2)) * period
    table = []
    for (row, column), here in place.items():
        for turn in (0.0, np.pi / 3.0, 2.0 * np.pi / 3.0):
            n = np.array([np.cos(turn), np.sin(turn)])
            there = (here + side * n) % period
            other = min(place, key=lambda key: np.hypot(*((place[key] - there + 0.5 * period) % period - 0.5 * period)))
            i, start = number[row, column], here + rounds[number[row, column]]
            table.append((i, number[other], start + RADIUS * n, start, start + side * n, -force * n))
    series = {"time": np.array([0.0])}
    run = MadeRun(disks_scene(len(place), period=tuple(period)), series)
    run.add_frame(np.array(list(place.values())) + rounds, table=contact_table(table))
    return run


def flat_on_flat(*contacts, walls=()):
    """Two squares side by side, a third apart; `contacts` as (first, second, height of the point, count, at a vertex)."""
    run = MadeRun(disks_scene(3, walls=walls), {"time": np.array([0.0])})
    run.scene["shape_first_edge"] = np.array([0, 4, 5, 6])  # shape 0 has edges now
    run.scene["shape_edges"] = np.zeros((6, 2), np.int64)
    centres = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    table = contact_table(
        [(i, j, (0.5 * (centres[i, 0] + centres[j, 0]), y), centres[i], centres[j], (-1.0, 0.0)) for i, j, y, _, _ in contacts]
    )
    table["counts"] = np.array([each[3] for each in contacts])
    table["features"] = np.array([each[4] for each in contacts])
    run.add_frame(centres, table=table)
    return run


def moved_run(points, later, period=(0.0, 0.0), walls=()):
    """Two frames of disks."""
    run = MadeRun(disks_scene(len(points), period=period, walls=walls), {"time": np.array([0.0, 0.5])})
    away = np.full((len(walls), 2), 1e6)
    for places in (points, later):
        run.add_frame(np.concatenate([away, places]))
    return run


def crowd(columns=12, rows=16, seed=0, jitter=0.3):
    """Places of grains: a square lattice, shaken."""
    rng = np.random.default_rng(seed)
    lattice = np.stack(np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5), axis=-1).reshape(-1, 2)
    return lattice + rng.uniform(-jitter, jitter, lattice.shape)


def slip(points, degrees, rising, amount=2.0, width=4.0, off=(0.0, 0.0)):
    """Displacements of two blocks that slip past each other in a band."""
    along = np.array([np.cos(np.radians(degrees)), rising * np.sin(np.radians(degrees))])
    across = (points - points.mean(axis=0) - off) @ np.array([-along[1], along[0]])
    return 0.5 * amount * np.tanh(2.0 * across / width)[:, None] * along
