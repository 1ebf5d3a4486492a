"""What Voronoi diagrams in plane and space both begin with: copies of sites beyond periodic sides, and the mesh of all points."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial import Delaunay, QhullError

from clast.errors import InputError
from clast.packing.plane.erosion import Floats, Ints
from clast.packing.sites import site_at

GROWTH = 1.7  # of the strip of copies when it was too narrow
FAR = 4.0  # diagonals of the box: where guards stand that bound every cell


def with_copies(sites: Floats, size: Floats, strip: Floats) -> Floats:
    """Sites (n, axes) first, then their copies up to `strip` (axes,) outside the box 0 … size (axes,)."""
    points = [sites]
    most = np.ceil(strip / size).astype(int)
    for image in itertools.product(*(range(-m, m + 1) for m in most)):
        if any(image):
            copies = sites + np.array(image) * size
            points.append(copies[((copies >= -strip) & (copies <= size + strip)).all(axis=1)])
    return np.concatenate(points)


def copies_suffice(corners: Floats, cell: Ints, sites: Floats, size: Floats, strip: Floats) -> bool:
    """Whether copies up to `strip` (axes,) outside are enough for cells with `corners` (c, axes), relative to the site of each.

    A cell is right if no site can be missing from the balls round its corners that pass through its site.
    """
    reach = np.linalg.norm(corners, axis=1)[:, None]
    places = corners + sites[cell]
    return bool(((places - reach >= -strip) & (places + reach <= size + strip)).all())


def mesh_of(points: Floats, guards: Floats) -> Delaunay:
    """The Delaunay mesh of points, and guards behind them; InputError where there is none, or two points are as good as one."""
    try:
        mesh = Delaunay(np.concatenate([points, guards]))
    except QhullError as error:
        raise InputError(f"the sites have no Voronoi diagram: {str(error).splitlines()[0]}") from None
    if mesh.coplanar.size:
        k = int(mesh.coplanar[0, 0])
        raise InputError(f"site {k} at {site_at(mesh.points[k])} is too near to another: take one of them out")
    return mesh
