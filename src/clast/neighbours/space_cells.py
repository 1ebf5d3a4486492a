"""Near pairs of bodies in space by linked cells, in levels of size (GM09 §2.4, ARX §III); twin of `clast.neighbours.cells`.

Grains of one level have reaches within a factor of two, and a level's cells are as wide as twice its largest reach plus
2α: a pair of one level is found in the 3 × 3 × 3 cells around either grain. A pair of two levels is found by the larger
grain, which looks through the finer cells it may reach into. Big bodies are in no cell; every grain is held against their
boxes. Positions are never wrapped: a pair carries the image (nx, ny, nz) of its second body.

Rows of `body` are those of `clast.dynamics.space.arrays`: place in columns 0 … 2, sphero-radius in 3, quaternion in 4 … 7.
"""

import numpy as np

from clast.backend.device import device, routine
from clast.contact.vectors import rotation_of, turn_back
from clast.neighbours.cells import cell_counts, cell_index, cells_within, images_within


@device
def note_pair(i, j, nx, ny, nz, raw, total):
    """Write a pair with the smaller body first; beyond the capacity only count."""
    if total < raw.shape[0]:
        if i < j:
            raw[total, 0], raw[total, 1] = i, j
            raw[total, 2], raw[total, 3], raw[total, 4] = nx, ny, nz
        else:
            raw[total, 0], raw[total, 1] = j, i
            raw[total, 2], raw[total, 3], raw[total, 4] = -nx, -ny, -nz
    return total + 1


@device
def note_images(i, j, dx, dy, dz, near, lx, ly, lz, raw, total):
    """Note every image of j whose centre is nearer to i's than `near`; (dx, dy, dz) from i to j as they stand."""
    x_first, x_last = images_within(dx, near, lx)
    y_first, y_last = images_within(dy, near, ly)
    z_first, z_last = images_within(dz, near, lz)
    for nx in range(x_first, x_last + 1):
        for ny in range(y_first, y_last + 1):
            for nz in range(z_first, z_last + 1):
                ex = dx + nx * lx
                ey = dy + ny * ly
                ez = dz + nz * lz
                if ex * ex + ey * ey + ez * ez < near * near:
                    total = note_pair(i, j, nx, ny, nz, raw, total)
    return total


@routine
def sort_into_cells(level, side, low, extent, period, body, grains, levels, work):
    """Counting sort of the grains of one level; returns the numbers of cells along x, y and z."""
    nx, ny, nz = cell_counts(side, extent, period, np.int64(work.cell_start.shape[0] - 2))
    cells = nx * ny * nz
    start, item, cell = work.cell_start, work.cell_item, work.cell_of
    for c in range(cells + 1):
        start[c] = 0
    members = np.int64(0)
    for q in range(grains.size):
        if levels[q] != level:
            continue
        b = grains[q]
        cx = cell_index(body[b, 0], low[0], extent[0], period[0] > 0.0, nx)
        cy = cell_index(body[b, 1], low[1], extent[1], period[1] > 0.0, ny)
        cz = cell_index(body[b, 2], low[2], extent[2], period[2] > 0.0, nz)
        c = cx + nx * (cy + ny * cz)
        cell[q] = c
        start[c + 1] += 1
        members += 1
    for c in range(cells):
        start[c + 1] += start[c]
    for back in range(grains.size):
        q = grains.size - 1 - back
        if levels[q] != level:
            continue
        c = cell[q]
        start[c + 1] -= 1
        item[start[c + 1]] = grains[q]
    # start[c + 1] has come down to the first item of cell c: shift, so that cell c is start[c] … start[c + 1]
    for c in range(cells):
        start[c] = start[c + 1]
    start[cells] = members
    return nx, ny, nz


@device
def extent_of(grains, body, axis, period):
    """Where the cells begin along one axis and how far they go: the period, or as far as there are grains."""
    if period > 0.0 or grains.size == 0:
        return 0.0, period
    low = high = body[grains[0], axis]
    for q in range(grains.size):
        low = min(low, body[grains[q], axis])
        high = max(high, body[grains[q], axis])
    return low, high - low


@routine
def find_pairs(body, model, geometry, grains, levels, level_reach, big, mobile, alpha, work):
    """Pairs whose surfaces may be nearer than 2α, unsorted, into work.raw; returns how many there are."""
    lx, ly, lz = model.period[0], model.period[1], model.period[2]
    reach = model.reach
    raw, start, item = work.raw, work.cell_start, work.cell_item
    low_x, extent_x = extent_of(grains, body, 0, lx)
    low_y, extent_y = extent_of(grains, body, 1, ly)
    low_z, extent_z = extent_of(grains, body, 2, lz)
    low, extent, period = (low_x, low_y, low_z), (extent_x, extent_y, extent_z), (lx, ly, lz)
    total = np.int64(0)
    for level in range(level_reach.size):
        side = 2.0 * level_reach[level] + 2.0 * alpha
        nx, ny, nz = sort_into_cells(level, side, low, extent, period, body, grains, levels, work)
        for q in range(grains.size):
            if levels[q] > level:  # finer grains wait for their own level
                continue
            i = grains[q]
            x, y, z = body[i, 0], body[i, 1], body[i, 2]
            same = levels[q] == level
            span = reach[i] + level_reach[level] + 2.0 * alpha
            x_first, x_count = cells_within(x, span, low_x, extent_x, lx > 0.0, nx)
            y_first, y_count = cells_within(y, span, low_y, extent_y, ly > 0.0, ny)
            z_first, z_count = cells_within(z, span, low_z, extent_z, lz > 0.0, nz)
            for layer in range(z_first, z_first + z_count):
                for row in range(y_first, y_first + y_count):
                    for column in range(x_first, x_first + x_count):
                        c = column % nx + nx * (row % ny + ny * (layer % nz))
                        for k in range(start[c], start[c + 1]):
                            j = item[k]
                            if same and j <= i:
                                continue
                            if not (mobile[i] or mobile[j]):
                                continue
                            near = reach[i] + reach[j] + 2.0 * alpha
                            dx, dy, dz = body[j, 0] - x, body[j, 1] - y, body[j, 2] - z
                            total = note_images(i, j, dx, dy, dz, near, lx, ly, lz, raw, total)
    return find_big_pairs(body, model, geometry, grains, big, mobile, alpha, raw, total)


@device
def beyond(x, low, high):
    """How far x lies outside low … high, 0 within."""
    return max(max(low - x, x - high), 0.0)


@routine
def find_big_pairs(body, model, geometry, grains, big, mobile, alpha, raw, total):
    """Pairs of a grain and a big body: the grain's ball against the body's box, in the body's frame, every image."""
    lx, ly, lz = model.period[0], model.period[1], model.period[2]
    for w in range(big.size):
        j = big[w]
        box = geometry.box[model.shape[j]]
        rotation = rotation_of(body[j, 4], body[j, 5], body[j, 6], body[j, 7])
        radius = body[j, 3]
        half = model.reach[j] + alpha
        for q in range(grains.size):
            i = grains[q]
            if not (mobile[i] or mobile[j]):
                continue
            dx, dy, dz = body[i, 0] - body[j, 0], body[i, 1] - body[j, 1], body[i, 2] - body[j, 2]
            near = model.reach[i] + radius + 2.0 * alpha
            # image n of the body is where its ball can hold the grain: |n l − d| ≤ half + near
            x0, x1 = images_within(-dx, half + near, lx)
            y0, y1 = images_within(-dy, half + near, ly)
            z0, z1 = images_within(-dz, half + near, lz)
            for nx in range(x0, x1 + 1):
                for ny in range(y0, y1 + 1):
                    for nz in range(z0, z1 + 1):
                        px, py, pz = turn_back(rotation, (dx - nx * lx, dy - ny * ly, dz - nz * lz))
                        gx = beyond(px, box[0], box[3])
                        gy = beyond(py, box[1], box[4])
                        gz = beyond(pz, box[2], box[5])
                        if gx * gx + gy * gy + gz * gz < near * near:
                            total = note_pair(i, j, nx, ny, nz, raw, total)
    return total


@device
def comes_after(j, nx, ny, nz, other_j, other_nx, other_ny, other_nz):
    """Whether (j, nx, ny, nz) sorts behind the other."""
    if j != other_j:
        return j > other_j
    if nx != other_nx:
        return nx > other_nx
    if ny != other_ny:
        return ny > other_ny
    return nz > other_nz


@routine
def sort_pairs(total, bodies, work):
    """Sort work.raw by (i, j, image) into work.sorted: counting sort by i, then insertion within i."""
    raw, out, start = work.raw, work.sorted, work.pair_start
    for b in range(bodies + 1):
        start[b] = 0
    for p in range(total):
        start[raw[p, 0] + 1] += 1
    for b in range(bodies):
        start[b + 1] += start[b]
    for back in range(total):
        p = total - 1 - back
        i = raw[p, 0]
        start[i + 1] -= 1
        at = start[i + 1]
        for column in range(5):
            out[at, column] = raw[p, column]
    # start[i + 1] is now the first pair of i
    for p in range(1, total):
        i, j, nx, ny, nz = out[p, 0], out[p, 1], out[p, 2], out[p, 3], out[p, 4]
        q = p
        while (
            q > 0
            and out[q - 1, 0] == i
            and comes_after(out[q - 1, 1], out[q - 1, 2], out[q - 1, 3], out[q - 1, 4], j, nx, ny, nz)
        ):
            for column in range(5):
                out[q, column] = out[q - 1, column]
            q -= 1
        out[q, 0], out[q, 1], out[q, 2], out[q, 3], out[q, 4] = i, j, nx, ny, nz


@routine
def index_pairs(pairs, bodies, contacts):
    """For each body the pairs in which it comes first (a range) and second (a list, ascending)."""
    pair, first, second, other = contacts.pair, contacts.first_pair, contacts.first_other, contacts.other
    for b in range(bodies + 1):
        first[b] = 0
        second[b] = 0
    for p in range(pairs):
        first[pair[p, 0] + 1] += 1
        second[pair[p, 1] + 1] += 1
    for b in range(bodies):
        first[b + 1] += first[b]
        second[b + 1] += second[b]
    for back in range(pairs):
        p = pairs - 1 - back
        j = pair[p, 1]
        second[j + 1] -= 1
        other[second[j + 1]] = p
    # each count was moved to the start of its list: shift back
    for b in range(bodies):
        second[b] = second[b + 1]
    second[bodies] = pairs
