"""Bodies into linked cells, in levels of size (GM09 §2.4, ARX §III).

Grains of one level have reaches within a factor of two, and a level's cells are as wide as twice its largest reach plus
2α: a pair of one level is found in the 3 × 3 (× 3) cells around either grain. Each level has a grid of its own over the same
room. Big bodies are in no cell. Positions are never wrapped: a cell of a periodic side holds bodies of any period.

One code serves the plane and space: the plane is space with one layer of cells.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.atomics import fetch_add
from clast.backend.device import device, routine
from clast.neighbours.scratch import NOWHERE

FEW_CELLS = 3  # fewer cells than this along a periodic side would meet a neighbour twice: search that side without cells
MOST_CELLS = 1 << 20  # along one side, so that their product is a number
GRID, BASE, NX, NY, NZ = 4, 0, 1, 2, 3  # Scratch.grid: the first cell of a level, cells along the sides
ROOM, LOW, EXTENT = 6, 0, 3  # Scratch.room: where the cells begin along each axis, and how far they go
PART, LEAST, LARGEST, FASTEST, BAD = 8, 0, 3, 6, 7  # Scratch.extent
BIG = -1  # Scratch.level of a big body; below that, of one that is not searched
CELLS_EACH, CELLS_MORE = 2, 64  # at most so many cells for each grain of a level, and so many besides


@device
def cell_count(extent, side, periodic, limit):
    """Cells along one side of the box."""
    count = np.int64(min(extent / side, limit)) if extent > 0.0 else np.int64(1)
    if count < 1 or (periodic and count < FEW_CELLS):
        count = np.int64(1)
    return count


@device
def cell_index(x, low, extent, periodic, count):
    """Cell of a coordinate along one side."""
    t = (x - low) / extent if extent > 0.0 else 0.0
    if periodic:
        t -= math.floor(t)
    c = np.int64(t * count)
    return min(max(c, np.int64(0)), count - 1)


@device
def cells_within(x, span, low, extent, periodic, count):
    """Cells along one side that x ± span reaches into: the first and how many.

    On a periodic side the first may be negative or the last beyond the end (taken modulo `count`); no cell comes twice.
    """
    if not periodic:
        first = cell_index(x - span, low, extent, False, count)
        return first, cell_index(x + span, low, extent, False, count) - first + 1
    first = np.int64(math.floor((x - span - low) / extent * count))
    number = np.int64(math.floor((x + span - low) / extent * count)) - first + 1
    if number >= count:
        return np.int64(0), count  # all round
    return first, number


@device
def images_within(d, near, period):
    """First and last image n with |d + n·period| ≤ near along one side; image 0 alone on an open one."""
    if period == 0.0:
        return np.int64(0), np.int64(0)
    return np.int64(math.ceil((-near - d) / period)), np.int64(math.floor((near - d) / period))


@device
def cell_counts(side, extent, period, limit):
    """Cells along x, y and z, at most `limit` in all: a few grains far away must not ask for endless cells."""
    nx = cell_count(extent[0], side, period[0] > 0.0, MOST_CELLS)
    ny = cell_count(extent[1], side, period[1] > 0.0, MOST_CELLS)
    nz = cell_count(extent[2], side, period[2] > 0.0, MOST_CELLS)
    while nx * ny * nz > limit:  # wider cells are always right, and `cells_within` meets none of them twice
        if nx >= ny and nx >= nz:
            nx = max(nx // 2, np.int64(1))
        elif ny >= nz:
            ny = max(ny // 2, np.int64(1))
        else:
            nz = max(nz // 2, np.int64(1))
    return nx, ny, nz


@device
def window(x, span, low, extent, period, count):
    """Cells along one side that x ± span reaches into: the first, within the side, and how many; they go on at the other end."""
    first, number = cells_within(x, span, low, extent, period > 0.0, count)
    return first % count if period > 0.0 else first, number


@routine
def lay_grids(parts, alpha, lengths, roles, work):
    """The room of the cells from the extents of all parts, then a grid of it for each level; returns the number of cells."""
    room = work.room
    for axis in range(3):
        low, high = np.inf, -np.inf
        for part in range(parts):
            at = PART * part + axis
            low, high = min(low, work.extent[at + LEAST]), max(high, work.extent[at + LARGEST])
        closed = lengths[axis] > 0.0 or low > high
        room[LOW + axis] = 0.0 if closed else low
        room[EXTENT + axis] = lengths[axis] if closed else high - low
    extent = (room[EXTENT], room[EXTENT + 1], room[EXTENT + 2])
    cells = np.int64(0)
    for level in range(roles.level_reach.size):
        side = 2.0 * roles.level_reach[level] + 2.0 * alpha
        nx, ny, nz = cell_counts(side, extent, lengths, CELLS_EACH * work.members[level] + CELLS_MORE)
        at = GRID * level
        work.grid[at + BASE], work.grid[at + NX], work.grid[at + NY], work.grid[at + NZ] = cells, nx, ny, nz
        cells += nx * ny * nz
    return cells


@routine
def sum_up_motion(parts, work):
    """Of the bodies of all parts, the largest speed of any point, and the first body whose numbers are none any more."""
    fastest, bad = 0.0, np.inf
    for part in range(parts):
        fastest, bad = max(fastest, work.extent[PART * part + FASTEST]), min(bad, work.extent[PART * part + BAD])
    return fastest, np.int64(bad) if bad < np.inf else np.int64(NOWHERE)


def home_of(dimension: SimpleNamespace) -> Any:
    """`home(b, world)`: where body b is looked up in cells. In a sheared cell that is the image of it in the lowest row."""
    place, periods, offset = dimension.place, dimension.periods, dimension.offset

    @device
    def home(b, world):
        return place(world.state.body, b)

    @device
    def lowest_image(b, world):
        (x, y, z), (_, ly, _) = place(world.state.body, b), periods(world.model)
        up = math.floor(y / ly)
        x, y = x - up * offset(world.model), max(y - up * ly, 0.0)
        return (x - offset(world.model), 0.0, z) if y >= ly else (x, y, z)  # by rounding

    return home if offset is None else lowest_image


def cells_of(dimension: SimpleNamespace) -> SimpleNamespace:
    """The passes that put bodies into cells; `dimension` has `place(body, b)` and `periods(model)`, three numbers each,
    `speed(b, world)`, at most that of any of its points, `body_width`, the numbers of a body, and `offset`, see `home_of`."""
    home = home_of(dimension)
    place, periods, speed, width = dimension.place, dimension.periods, dimension.speed, dimension.body_width

    @device
    def is_finite(b, body):
        """Whether all numbers of a body are numbers."""
        nothing = 0.0
        for column in range(width):
            nothing += body[width * b + column] - body[width * b + column]
        return nothing == 0.0

    @routine
    def note_extent(part, low, high, world):
        """Least and largest coordinates of the grains low … high, and how fast bodies are, into the row of a part."""
        work, body, at = world.work, world.state.body, PART * part
        x0 = y0 = z0 = np.inf
        x1 = y1 = z1 = -np.inf
        fastest, bad = 0.0, np.inf
        for b in range(low, high):
            if work.level[b] >= 0:
                x, y, z = place(body, b)
                x0, y0, z0, x1, y1, z1 = min(x0, x), min(y0, y), min(z0, z), max(x1, x), max(y1, y), max(z1, z)
            if work.level[b] >= BIG:
                fastest = max(fastest, speed(b, world))
                if not is_finite(b, body):
                    bad = min(bad, float(b))
        for axis in range(3):
            work.extent[at + LEAST + axis] = (x0, y0, z0)[axis]
            work.extent[at + LARGEST + axis] = (x1, y1, z1)[axis]
        work.extent[at + FASTEST], work.extent[at + BAD] = fastest, bad

    @device
    def count_cell(b, world):
        """Note the cell of a body and count it there."""
        work, room, level = world.work, world.work.room, world.work.level[b]
        if level < 0:
            return
        (x, y, z), (lx, ly, lz), at = home(b, world), periods(world.model), GRID * level
        nx, ny, nz = work.grid[at + NX], work.grid[at + NY], work.grid[at + NZ]
        cx = cell_index(x, room[LOW], room[EXTENT], lx > 0.0, nx)
        cy = cell_index(y, room[LOW + 1], room[EXTENT + 1], ly > 0.0, ny)
        cz = cell_index(z, room[LOW + 2], room[EXTENT + 2], lz > 0.0, nz)
        c = work.grid[at + BASE] + cx + nx * (cy + ny * cz)
        work.cell_of[b] = c
        fetch_add(work.cell_start, c + 1, 1)

    @device
    def fill_cell(b, world):
        """Put a body into its cell. In which order they come depends on who is first: whoever reads cells sorts what is found.

        cell_start[c + 1] comes up from the first item of cell c to the first of the next.
        """
        work = world.work
        if work.level[b] >= 0:
            work.cell_item[fetch_add(work.cell_start, np.int64(work.cell_of[b]) + 1, 1)] = b

    return SimpleNamespace(note_extent=note_extent, count_cell=count_cell, fill_cell=fill_cell)
