"""Voronoi diagrams in a box with closed or periodic sides, as half-spaces: what erosion starts from (PRE10 §II, in space).

Every grain's cell is described by the planes half-way to its neighbours, relative to its site. Closed sides cut the cells;
mirrored sites, as in the papers, would draw the same planes. Along periodic sides copies of the sites stand as far out as it
takes, which is checked and not assumed.
"""

from __future__ import annotations

import itertools

import numpy as np

from clast.errors import InputError
from clast.packing.mesh import FAR, GROWTH, copies_suffice, mesh_of, with_copies
from clast.packing.plane.erosion import Floats
from clast.packing.space.polyhedra import HalfSpaces, Polyhedron, polyhedron

STRIP = 2.0  # mean distances between sites: how far copies stand out beyond a periodic side at first

Periodic = tuple[bool, bool, bool]


def voronoi_cells(sites: Floats, size: Floats, periodic: Periodic) -> list[Polyhedron]:
    """The Voronoi cells of `sites` (n, 3) in the box 0 … size (3,), each relative to its site."""
    strip = STRIP * float(np.prod(size) / len(sites)) ** (1.0 / 3.0)
    while True:
        points = with_copies(sites, size, np.where(periodic, strip, 0.0))
        cells = [_cell(spaces) for spaces in _spaces(points, len(sites), size, periodic)]
        corners = np.concatenate([cell.corners for cell in cells])
        owner = np.repeat(np.arange(len(cells)), [len(cell.corners) for cell in cells])
        if copies_suffice(corners, owner, sites, size, np.where(periodic, strip, np.inf)):
            return cells
        strip *= GROWTH


def _cell(spaces: HalfSpaces) -> Polyhedron:
    cell = polyhedron(spaces, np.zeros(3))
    if cell is None:  # only between sites that are the same, which are refused before
        raise InputError("a Voronoi cell has no volume: two sites are too near to each other, take one of them out")
    return cell


def _spaces(points: Floats, count: int, size: Floats, periodic: Periodic) -> list[HalfSpaces]:
    """Half-spaces of the first `count` of `points` (n, 3), with the closed sides of the box, relative to each."""
    far = FAR * float(np.linalg.norm(np.ptp(points, axis=0)) + np.linalg.norm(size))
    guards = 0.5 * size + far * GUARDS  # they bound every cell, from so far away that no cell of the box feels them
    mesh = mesh_of(points, guards)
    first, neighbour = mesh.vertex_neighbor_vertices
    closed = [axis for axis in range(3) if not periodic[axis]]
    walls = np.concatenate([-np.eye(3)[closed], np.eye(3)[closed]])
    found = []
    for k in range(count):
        step = mesh.points[np.sort(neighbour[first[k] : first[k + 1]])] - points[k]
        apart = np.linalg.norm(step, axis=1)
        room = np.concatenate([points[k, closed], (size - points[k])[closed]])
        found.append(HalfSpaces(np.concatenate([step / apart[:, None], walls]), np.concatenate([0.5 * apart, room])))
    return found


def _directions() -> Floats:
    """(14, 3) unit vectors all round, the faces and corners of a cube turned a little: no site is level with two of them."""
    cube = np.array([*itertools.product((-1.0, 1.0), repeat=3), *np.eye(3), *-np.eye(3)])
    c, s = np.cos(0.1), np.sin(0.1)
    turned = (
        cube @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    )
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


GUARDS = _directions()
