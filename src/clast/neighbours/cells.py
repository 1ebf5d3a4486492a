"""Near pairs of bodies by linked cells, in levels of size (GM09 §2.4, ARX §III).

Grains of one level have reaches within a factor of two, and a level's cells are as wide as twice its largest reach plus
2α: a pair of one level is found in the 3 × 3 cells around either grain. A pair of two levels is found by the larger grain,
which looks through the finer cells it may reach into: there are few large grains, and small ones look at nobody's cells.
Big bodies are in no cell; every grain is held against their boxes. Positions are never wrapped: a pair carries the
image (nx, ny) of its second body, so its identity does not change when a grain crosses a periodic side.
"""

import math

import numpy as np

from clast.backend.device import device, routine

FEW_CELLS = 3  # fewer cells than this along a periodic side would meet a neighbour twice: search that side without cells


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
def note_pair(i, j, nx, ny, raw, total):
    """Write a pair with the smaller body first; beyond the capacity only count."""
    if total < raw.shape[0]:
        if i < j:
            raw[total, 0], raw[total, 1], raw[total, 2], raw[total, 3] = i, j, nx, ny
        else:
            raw[total, 0], raw[total, 1], raw[total, 2], raw[total, 3] = j, i, -nx, -ny
    return total + 1


@device
def images_within(d, near, period):
    """First and last image n with |d + n·period| ≤ near along one side; image 0 alone on an open one."""
    if period == 0.0:
        return np.int64(0), np.int64(0)
    return np.int64(math.ceil((-near - d) / period)), np.int64(math.floor((near - d) / period))


@device
def note_images(i, j, dx, dy, near, lx, ly, raw, total):
    """Note every image of j whose centre is nearer to i's than `near`; (dx, dy) from i to j as they stand."""
    x_first, x_last = images_within(dx, near, lx)
    y_first, y_last = images_within(dy, near, ly)
    for nx in range(x_first, x_last + 1):
        for ny in range(y_first, y_last + 1):
            ex = dx + nx * lx
            ey = dy + ny * ly
            if ex * ex + ey * ey < near * near:
                total = note_pair(i, j, nx, ny, raw, total)
    return total


@routine
def sort_into_cells(level, side, low_x, low_y, extent_x, extent_y, lx, ly, body, grains, levels, work):
    """Counting sort of the grains of one level; returns the numbers of cells along x and y."""
    nx = cell_count(extent_x, side, lx > 0.0, np.int64(1 << 20))
    ny = cell_count(extent_y, side, ly > 0.0, np.int64(1 << 20))
    limit = np.int64(work.cell_start.shape[0] - 2)
    while nx * ny > limit:  # a few grains far away must not ask for endless cells: wider cells are always right
        if nx >= ny:
            nx = max(nx // 2, np.int64(1))
        else:
            ny = max(ny // 2, np.int64(1))
    if lx > 0.0 and nx < FEW_CELLS:
        nx = np.int64(1)
    if ly > 0.0 and ny < FEW_CELLS:
        ny = np.int64(1)
    start, item, cell = work.cell_start, work.cell_item, work.cell_of
    for c in range(nx * ny + 1):
        start[c] = 0
    for q in range(grains.size):
        if levels[q] != level:
            continue
        b = grains[q]
        c = cell_index(body[b, 0], low_x, extent_x, lx > 0.0, nx) + nx * cell_index(body[b, 1], low_y, extent_y, ly > 0.0, ny)
        cell[q] = c
        start[c + 1] += 1
    for c in range(nx * ny):
        start[c + 1] += start[c]
    for back in range(grains.size):
        q = grains.size - 1 - back
        if levels[q] != level:
            continue
        c = cell[q]
        start[c + 1] -= 1
        item[start[c + 1]] = grains[q]
    # start[c + 1] has come down to the first item of cell c: shift, so that cell c is start[c] … start[c + 1]
    members = np.int64(0)
    for q in range(grains.size):
        members += levels[q] == level
    for c in range(nx * ny):
        start[c] = start[c + 1]
    start[nx * ny] = members
    return nx, ny


@routine
def find_pairs(body, model, geometry, grains, levels, level_reach, big, mobile, alpha, work):
    """Pairs whose surfaces may be nearer than 2α, unsorted, into work.raw; returns how many there are."""
    lx, ly = model.period[0], model.period[1]
    reach = model.reach
    raw, start, item = work.raw, work.cell_start, work.cell_item
    low_x = low_y = 0.0
    extent_x, extent_y = lx, ly
    if grains.size > 0:
        b = grains[0]
        x_low, x_high, y_low, y_high = body[b, 0], body[b, 0], body[b, 1], body[b, 1]
        for q in range(grains.size):
            b = grains[q]
            x_low, x_high = min(x_low, body[b, 0]), max(x_high, body[b, 0])
            y_low, y_high = min(y_low, body[b, 1]), max(y_high, body[b, 1])
        if lx == 0.0:
            low_x, extent_x = x_low, x_high - x_low
        if ly == 0.0:
            low_y, extent_y = y_low, y_high - y_low
    total = np.int64(0)
    for level in range(level_reach.size):
        side = 2.0 * level_reach[level] + 2.0 * alpha
        nx, ny = sort_into_cells(level, side, low_x, low_y, extent_x, extent_y, lx, ly, body, grains, levels, work)
        for q in range(grains.size):
            if levels[q] > level:  # finer grains wait for their own level
                continue
            i = grains[q]
            x, y = body[i, 0], body[i, 1]
            same = levels[q] == level
            span = reach[i] + level_reach[level] + 2.0 * alpha
            x_first, x_count = cells_within(x, span, low_x, extent_x, lx > 0.0, nx)
            y_first, y_count = cells_within(y, span, low_y, extent_y, ly > 0.0, ny)
            for row in range(y_first, y_first + y_count):
                for column in range(x_first, x_first + x_count):
                    c = column % nx + nx * (row % ny)
                    for k in range(start[c], start[c + 1]):
                        j = item[k]
                        if same and j <= i:
                            continue
                        if not (mobile[i] or mobile[j]):
                            continue
                        near = reach[i] + reach[j] + 2.0 * alpha
                        total = note_images(i, j, body[j, 0] - x, body[j, 1] - y, near, lx, ly, raw, total)
    return find_big_pairs(body, model, geometry, grains, big, mobile, alpha, raw, total)


@routine
def find_big_pairs(body, model, geometry, grains, big, mobile, alpha, raw, total):
    """Pairs of a grain and a big body: the grain's circle against the body's box, in the body's frame, every image."""
    lx, ly = model.period[0], model.period[1]
    for w in range(big.size):
        j = big[w]
        box = geometry.box[model.shape[j]]
        cosine, sine, radius = body[j, 2], body[j, 3], body[j, 7]
        half = model.reach[j] + alpha
        for q in range(grains.size):
            i = grains[q]
            if not (mobile[i] or mobile[j]):
                continue
            dx, dy = body[i, 0] - body[j, 0], body[i, 1] - body[j, 1]
            near = model.reach[i] + radius + 2.0 * alpha
            # image n of the body is where its circle can hold the grain: |n l − d| ≤ half + near
            x0, x1 = images_within(-dx, half + near, lx)
            y0, y1 = images_within(-dy, half + near, ly)
            for nx in range(x0, x1 + 1):
                for ny in range(y0, y1 + 1):
                    ex, ey = dx - nx * lx, dy - ny * ly
                    px, py = cosine * ex + sine * ey, cosine * ey - sine * ex
                    gx = max(max(box[0] - px, px - box[2]), 0.0)
                    gy = max(max(box[1] - py, py - box[3]), 0.0)
                    if gx * gx + gy * gy < near * near:
                        total = note_pair(i, j, nx, ny, raw, total)
    return total
