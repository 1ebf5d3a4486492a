"""Voronoi diagrams in a cell with closed or periodic sides, as half-planes: what erosion starts from (PRE10 fig 4, ARX §II).

Every grain's cell is described by the lines half-way to its neighbours, relative to its site, so the corners are never
computed twice. Closed sides cut the cells; mirrored sites, as in the papers, would draw the same lines. Along periodic
sides copies of the sites stand as far out as it takes, which is checked and not assumed.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay, QhullError

from clast.errors import InputError
from clast.packing.plane.erosion import PARALLEL, Floats, HalfPlanes, Ints, eroded, half_planes, neighbours, trimmed

STRIP = 3.0  # mean distances between sites: how far copies stand out beyond a periodic side at first
GROWTH = 1.7  # of the strip when it was too narrow
FAR = 4.0  # diagonals of the cell: where guards stand that bound every cell


def voronoi_sides(sites: Floats, width: float, height: float, periodic: tuple[bool, bool]) -> HalfPlanes:
    """Sides of the Voronoi cells of `sites` (n, 2) in the cell 0…width, 0…height; origins of the cells are the sites."""
    extent = np.array([width, height])
    strip = STRIP * float(np.sqrt(width * height / len(sites)))
    while True:
        points = _with_copies(sites, extent, np.where(periodic, strip, 0.0))
        sides = _sides(points, len(sites), extent, periodic)
        if not any(periodic) or _close(sides, len(sites)):  # walls close every cell
            sides = trimmed(sides)
            if _sure(sides, sites, extent, np.where(periodic, strip, np.inf)):
                return sides
        strip *= GROWTH


def _sure(sides: HalfPlanes, sites: Floats, extent: Floats, strip: Floats) -> bool:
    """Whether copies up to `strip` (2,) outside are enough.

    A cell is right if no site can be missing from the disks round its corners that pass through its own site.
    """
    rings = eroded(sides, 0.0)
    reach = np.sqrt((rings.corners**2).sum(axis=1))[:, None]
    places = rings.corners + sites[rings.owners()]
    return bool(((places - reach >= -strip) & (places + reach <= extent + strip)).all())


def _close(sides: HalfPlanes, cells: int) -> bool:
    """Whether the sides go all round every cell, each turning from the one before by less than 180°."""
    if np.bincount(sides.cell, minlength=cells).min() < 3:
        return False
    _, after = neighbours(sides.cell, cells)
    n, m = sides.normals, sides.normals[after]
    return bool((n[:, 0] * m[:, 1] - n[:, 1] * m[:, 0] > PARALLEL).all())


def _with_copies(sites: Floats, extent: Floats, strip: Floats) -> Floats:
    """Sites first, then their copies up to `strip` (2,) outside the cell."""
    points = [sites]
    most = np.ceil(strip / extent).astype(int)
    for i in range(-most[0], most[0] + 1):
        for j in range(-most[1], most[1] + 1):
            if i or j:
                copies = sites + np.array([i, j]) * extent
                near = ((copies >= -strip) & (copies <= extent + strip)).all(axis=1)
                points.append(copies[near])
    return np.concatenate(points)


def _sides(points: Floats, own: int, extent: Floats, periodic: tuple[bool, bool]) -> HalfPlanes:
    """Half-planes of the first `own` of `points` (n, 2), cut by the closed sides of the cell."""
    turn = 2.0 * np.pi * np.arange(8) / 8 + 0.1
    guards = 0.5 * extent + FAR * float(np.hypot(*np.ptp(points, axis=0)) + np.hypot(*extent)) * np.stack(
        [np.cos(turn), np.sin(turn)], axis=1
    )
    try:
        mesh = Delaunay(np.concatenate([points, guards]))
    except QhullError as error:
        raise InputError(f"the sites have no Voronoi diagram: {str(error).splitlines()[0]}") from None
    if mesh.coplanar.size:
        k = int(mesh.coplanar[0, 0])
        raise InputError(f"site {k} at ({points[k, 0]:.6g}, {points[k, 1]:.6g}) is too near to another: take one of them out")
    corner = mesh.simplices.astype(np.int64)
    first, neighbour = mesh.vertex_neighbor_vertices
    cell = np.repeat(np.arange(own), np.diff(first[: own + 1]))
    other = neighbour[: first[own]].astype(np.int64)
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
            cut = cut[cut < own]
            normal = np.zeros((cut.size, 2))
            normal[:, axis] = sign
            cells.append(cut)
            normals.append(normal)
            distances.append(sign * (edge - points[cut, axis]))
    return half_planes(np.concatenate(cells), np.concatenate(normals), np.concatenate(distances), own)


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
