"""Near pairs: for each body all bodies of larger ranks whose surfaces may be nearer than 2α, sorted by (rank, image).

The rank of a body is its row at t = 0. Rows of free grains may be permuted in a run, ranks stay: so the order in which forces
are summed up does not depend on where bodies lie in memory. Free bodies come before all others, and those stay in their order,
in rows and ranks alike.

A pair belongs to i, who has the smaller rank and finds it by looking through the cells of every level around it, larger and
smaller; a big body is in no cell, and every grain is held against it. A pair carries the image (nx, ny, nz) of its second body
as it stands, so its identity does not change when a grain crosses a periodic side.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.device import device, unsigned
from clast.neighbours.cells import BASE, BIG, EXTENT, GRID, LOW, NX, NY, NZ, cells_within, home_of, images_within, window
from clast.neighbours.scratch import WRITING


@device
def first_above(rows, b):
    """Index of the first of ascending `rows` that is larger than b."""
    low, high = 0, rows.size
    while low < high:
        middle = (low + high) // 2
        if rows[middle] > b:
            high = middle
        else:
            low = middle + 1
    return low


def note_of(axes: int) -> SimpleNamespace:
    """How near pairs are written: rows i, j, image of a flat table of integers."""
    width = 2 + axes

    @device
    def comes_after(near, at, j, image, rank):
        """Whether the pair at `at` sorts behind (j, image); both have the same i."""
        if near[at + 1] != j:
            return rank[unsigned(near[at + 1])] > rank[unsigned(j)]
        for axis in range(axes):
            if near[at + 2 + axis] != image[axis]:
                return near[at + 2 + axis] > image[axis]
        return False

    @device
    def note(i, j, image, spot, world):
        """Sort a pair into those of i, which begin at spot[0]; where none of the room spot[1] is left, only count. spot[2]
        counts them; returns the new spot."""
        (first, room, count), near = spot, world.work.near
        if count < room:
            at = width * (first + count)
            while at > width * first and comes_after(near, at - width, j, image, world.roles.rank):
                for column in range(width):
                    near[at + column] = near[at - width + column]
                at -= width
            near[at], near[at + 1] = i, j
            for axis in range(axes):
                near[at + 2 + axis] = image[axis]
        return first, room, count + 1

    @device
    def read_near(near, q):
        """Near pair q: i, j, image."""
        at = width * q
        return (
            np.int64(near[at]),
            np.int64(near[at + 1]),
            (near[at + 2], near[at + 3], near[at + 4] if axes == 3 else np.int32(0)),
        )

    return SimpleNamespace(width=width, note=note, read_near=read_near)


def note_images_of(dimension: SimpleNamespace) -> Any:
    """How the images of two grains are noted; for `dimension` see `near_pairs_of`."""
    place, periods, offset, note = dimension.place, dimension.periods, dimension.offset, note_of(dimension.axes).note

    @device
    def note_images(i, j, near, spot, world):
        """Note every image of j whose centre is nearer to i's than `near`."""
        (x, y, z), (xj, yj, zj), (lx, ly, lz) = (
            place(world.state.body, i), place(world.state.body, j), periods(world.model)
        )  # fmt: skip
        dx, dy, dz = xj - x, yj - y, zj - z
        x_first, x_last = images_within(dx, near, lx)
        y_first, y_last = images_within(dy, near, ly)
        z_first, z_last = images_within(dz, near, lz)
        for nx in range(x_first, x_last + 1):
            for ny in range(y_first, y_last + 1):
                for nz in range(z_first, z_last + 1):
                    ex, ey, ez = dx + nx * lx, dy + ny * ly, dz + nz * lz
                    if ex * ex + ey * ey + ez * ez < near * near:
                        spot = note(i, j, (nx, ny, nz), spot, world)
        return spot

    @device
    def note_sheared_images(i, j, near, spot, world):
        """The same in a sheared cell: each row of images lies further along x than the one below."""
        (x, y, z), (xj, yj, zj), (lx, ly, lz) = (
            place(world.state.body, i), place(world.state.body, j), periods(world.model)
        )  # fmt: skip
        y_first, y_last = images_within(yj - y, near, ly)
        z_first, z_last = images_within(zj - z, near, lz)
        for ny in range(y_first, y_last + 1):
            dx, ey = xj - x + ny * offset(world.model), yj - y + ny * ly
            x_first, x_last = images_within(dx, near, lx)
            for nx in range(x_first, x_last + 1):
                for nz in range(z_first, z_last + 1):
                    ex, ez = dx + nx * lx, zj - z + nz * lz
                    if ex * ex + ey * ey + ez * ez < near * near:
                        spot = note(i, j, (nx, ny, nz), spot, world)
        return spot

    return note_images if offset is None else note_sheared_images


def note_level_of(dimension: SimpleNamespace) -> Any:
    """How a grain looks through the cells of a level around it."""
    place, periods, offset, note_images = dimension.place, dimension.periods, dimension.offset, note_images_of(dimension)
    home = home_of(dimension)

    @device
    def note_run(i, first, last, spot, world):
        """Look at the items first … last of cells."""
        work, rank, mobile, reach = world.work, world.roles.rank, world.roles.mobile, world.model.reach
        for k in range(work.cell_start[unsigned(first)], work.cell_start[unsigned(last)]):
            j = unsigned(work.cell_item[unsigned(k)])
            if rank[j] > rank[i] and (mobile[i] or mobile[j]):
                spot = note_images(i, j, reach[i] + reach[j] + 2.0 * world.alpha, spot, world)
        return spot

    @device
    def note_level(i, level, spot, world):
        """Look at the cells of a level around a grain."""
        work, room, at = world.work, world.work.room, GRID * level
        (x, y, z), (lx, ly, lz) = place(world.state.body, i), periods(world.model)
        nx, ny, nz = work.grid[at + NX], work.grid[at + NY], work.grid[at + NZ]
        span = world.model.reach[i] + world.roles.level_reach[level] + 2.0 * world.alpha
        x_first, x_count = window(x, span, room[LOW], room[EXTENT], lx, nx)
        y_first, y_count = window(y, span, room[LOW + 1], room[EXTENT + 1], ly, ny)
        z_first, z_count = window(z, span, room[LOW + 2], room[EXTENT + 2], lz, nz)
        for layer in range(z_first, z_first + z_count):
            for row in range(y_first, y_first + y_count):
                cy, cz = row if row < ny else row - ny, layer if layer < nz else layer - nz
                line = work.grid[at + BASE] + nx * (cy + ny * cz)
                # cells of a row are consecutive, and so are their items
                spot = note_run(i, line + x_first, line + min(x_first + x_count, nx), spot, world)
                if x_first + x_count > nx:
                    spot = note_run(i, line, line + x_first + x_count - nx, spot, world)
        return spot

    @device
    def note_sheared_level(i, level, spot, world):
        """The same in a sheared cell: the grain sees the rows above its home as far back along x as those lie ahead. Where it
        looks all round, it looks into every cell."""
        work, room, at = world.work, world.work.room, GRID * level
        (x, y, z), (lx, _, lz) = home(i, world), periods(world.model)
        nx, ny, nz = work.grid[at + NX], work.grid[at + NY], work.grid[at + NZ]
        span = world.model.reach[i] + world.roles.level_reach[level] + 2.0 * world.alpha
        y_first, y_count = cells_within(y, span, room[LOW + 1], room[EXTENT + 1], True, ny)
        z_first, z_count = window(z, span, room[LOW + 2], room[EXTENT + 2], lz, nz)
        for row in range(y_first, y_first + y_count):
            up = row // ny
            x_first, x_count = window(x - up * offset(world.model), span, room[LOW], room[EXTENT], lx, nx)
            if y_count == ny:
                x_first, x_count = np.int64(0), nx
            for layer in range(z_first, z_first + z_count):
                line = work.grid[at + BASE] + nx * (row - up * ny + ny * (layer if layer < nz else layer - nz))
                spot = note_run(i, line + x_first, line + min(x_first + x_count, nx), spot, world)
                if x_first + x_count > nx:
                    spot = note_run(i, line, line + x_first + x_count - nx, spot, world)
        return spot

    return note_level if offset is None else note_sheared_level


def note_big_of(dimension: SimpleNamespace) -> Any:
    """How a grain and a big body are held against each other."""
    place, periods, radius, is_near_big = dimension.place, dimension.periods, dimension.radius, dimension.is_near_big
    note = note_of(dimension.axes).note

    @device
    def note_big(g, w, spot, world):
        """Grain g and big body w: the grain's ball against the body's features, every image. A big body is never free, so
        that rows tell who of the two has the smaller rank."""
        body, (lx, ly, lz) = world.state.body, periods(world.model)
        (x, y, z), (xw, yw, zw) = place(body, g), place(body, w)
        dx, dy, dz = x - xw, y - yw, z - zw
        near = world.model.reach[g] + radius(body, w) + 2.0 * world.alpha
        # image n of the body is where its ball can hold the grain: |n l − d| ≤ reach + α + near
        away = world.model.reach[w] + world.alpha + near
        x_first, x_last = images_within(-dx, away, lx)
        y_first, y_last = images_within(-dy, away, ly)
        z_first, z_last = images_within(-dz, away, lz)
        for nx in range(x_first, x_last + 1):
            for ny in range(y_first, y_last + 1):
                for nz in range(z_first, z_last + 1):
                    if is_near_big((dx - nx * lx, dy - ny * ly, dz - nz * lz), w, near, world):
                        image = (nx, ny, nz) if g < w else (-nx, -ny, -nz)
                        spot = note(min(g, w), max(g, w), image, spot, world)
        return spot

    return note_big


def near_pairs_of(dimension: SimpleNamespace) -> Any:
    """The pass `find_pairs` over bodies, which counts near pairs, and writes them where size[WRITING] is set.

    `dimension` has axes, `place(body, b)` and `periods(model)` of three numbers each, `offset(model)` of a sheared cell or None,
    `radius(body, b)`, and `is_near_big(way, b, near, world)`: whether a point may be nearer than `near` to the skeleton of a big
    body; `way` leads there from its centre. There are no big bodies in a sheared cell.
    """
    note_level, note_big = note_level_of(dimension), note_big_of(dimension)

    @device
    def find_pairs(i, world):
        """Pairs that belong to body i; returns 0 and their number."""
        work, roles = world.work, world.roles
        first = np.int64(work.first_near[i])
        writing = work.size[WRITING] != 0
        spot = first, np.int64(work.first_near[i + 1]) - first if writing else np.int64(0), np.int64(0)
        if work.level[i] >= 0:
            for level in range(roles.level_reach.size):
                spot = note_level(i, level, spot, world)
            for q in range(first_above(roles.big, i), roles.big.size):
                if roles.mobile[i] or roles.mobile[roles.big[q]]:
                    spot = note_big(i, roles.big[q], spot, world)
        elif work.level[i] == BIG:
            for q in range(first_above(roles.grains, i), roles.grains.size):
                if roles.mobile[i] or roles.mobile[roles.grains[q]]:
                    spot = note_big(roles.grains[q], i, spot, world)
        if not writing:
            work.first_near[i] = spot[2]
        return np.int64(0), spot[2]

    return find_pairs
