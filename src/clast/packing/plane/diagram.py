"""Voronoi diagrams in a cell with closed or periodic sides, as half-planes: what erosion starts from (PRE10 fig 4, ARX §II).

Every grain's cell is described by the lines half-way to its neighbours, relative to its site, so the corners are never
computed twice. Closed sides cut the cells; mirrored sites, as in the papers, would draw the same lines. Along periodic
sides copies of the sites stand as far out as it takes, which is checked and not assumed.
"""

from __future__ import annotations

import numpy as np

from clast.packing.mesh import FAR, GROWTH, copies_suffice, mesh_of, with_copies
from clast.packing.plane.erosion import PARALLEL, Floats, HalfPlanes, Ints, eroded, half_planes, neighbours, trimmed

STRIP = 3.0  # mean distances between sites: how far copies stand out beyond a periodic side at first


def voronoi_sides(sites: Floats, width: float, height: float, periodic: tuple[bool, bool]) -> HalfPlanes:
    """Sides of the Voronoi cells of `sites` (n, 2) in the cell 0…width, 0…height; origins of the cells are the sites."""
    extent = np.array([width, height])
    strip = STRIP * float(np.sqrt(width * height / len(sites)))
    while True:
        points = with_copies(sites, extent, np.where(periodic, strip, 0.0))
        sides = _sides(points, len(sites), extent, periodic)
        if not any(periodic) or _close(sides, len(sites)):  # walls close every cell
            sides = trimmed(sides)
            rings = eroded(sides, 0.0)
            if copies_suffice(rings.corners, rings.owners(), sites, extent, np.where(periodic, strip, np.inf)):
                return sides
        strip *= GROWTH


def _close(sides: HalfPlanes, cells: int) -> bool:
    """Whether the sides go all round every cell, each turning from the one before by less than 180°."""
    if np.bincount(sides.cell, minlength=cells).min() < 3:
        return False
    _, after = neighbours(sides.cell, cells)
    n, m = sides.normals, sides.normals[after]
    return bool((n[:, 0] * m[:, 1] - n[:, 1] * m[:, 0] > PARALLEL).all())


def _sides(points: Floats, count: int, extent: Floats, periodic: tuple[bool, bool]) -> HalfPlanes:
    """Half-planes of the first `count` of `points` (n, 2), cut by the closed sides of the cell."""
    turn = 2.0 * np.pi * np.arange(8) / 8 + 0.1
    guards = 0.5 * extent + FAR * float(np.hypot(*np.ptp(points, axis=0)) + np.hypot(*extent)) * np.stack(
        [np.cos(turn), np.sin(turn)], axis=1
    )
    mesh = mesh_of(points, guards)
    corner = mesh.simplices.astype(np.int64)
    first, neighbour = mesh.vertex_neighbor_vertices
    cell = np.repeat(np.arange(count), np.diff(first[: count + 1]))
    other = neighbour[: first[count]].astype(np.int64)
    cell, other = cell[other < len(points)], other[other < len(points)]
    step = points[other] - points[cell]
    apart = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2)
    cells, normals, distances = [cell], [step / apart[:, None]], [0.5 * apart]
    # a closed side cuts the cells that have a corner beyond it
    centre = _circumcentres(mesh.points, corner)
    for axis in (0, 1):
        if periodic[axis]:
            continue
        for sign, edge in ((-1.0, 0.0), (1.0, extent[axis])):
            beyond = ~(sign * (centre[:, axis] - edge) < -1e-6 * extent[axis])  # flat triangles have no number: beyond
            cut = np.unique(corner[beyond])
            cut = cut[cut < count]
            normal = np.zeros((cut.size, 2))
            normal[:, axis] = sign
            cells.append(cut)
            normals.append(normal)
            distances.append(sign * (edge - points[cut, axis]))
    return half_planes(np.concatenate(cells), np.concatenate(normals), np.concatenate(distances), count)


def _circumcentres(points: Floats, corner: Ints) -> Floats:
    """Of triangles (t, 3) of points; not finite for flat ones."""
    a, b, c = (points[corner[:, k]] for k in range(3))
    p, q = b - a, c - a
    pp, qq = (p * p).sum(axis=1), (q * q).sum(axis=1)
    turn = 2.0 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (q[:, 1] * pp - p[:, 1] * qq) / turn
        y = (p[:, 0] * qq - q[:, 0] * pp) / turn
    return a + np.stack([x, y], axis=1)
