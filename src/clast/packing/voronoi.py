"""Voronoi-Minkowski cells (PRE10 fig 4): one random site per square of a grid, cells eroded by d; grains are cell ⊕ disk."""

import numpy as np
import shapely
from scipy.spatial import Voronoi

from clast.errors import InputError


def voronoi_cells(columns: int, rows: int, square: float, erosion: float, rng: np.random.Generator) -> list[np.ndarray]:
    """Eroded cells of a columns × rows grid of squares, counter-clockwise corners, closed at the border by mirrored sites.

    A cell whose eroded skeleton is thinner than a fifth of the erosion is left out, so the list may be a little shorter
    than columns × rows.
    """
    if erosion <= 0.0 or erosion >= 0.5 * square:
        raise InputError(f"erosion {erosion:.4g} must lie between 0 and half the grid square, {0.5 * square:.4g}")
    k = np.arange(columns * rows)
    sites = (np.stack([k % columns, k // columns], axis=1) + rng.uniform(0.0, 1.0, (k.size, 2))) * square
    width, height = columns * square, rows * square
    mirrored = [sites]
    for axis, edge in ((0, 0.0), (0, width), (1, 0.0), (1, height)):
        image = sites.copy()
        image[:, axis] = 2.0 * edge - image[:, axis]
        mirrored.append(image)
    diagram = Voronoi(np.concatenate(mirrored))
    cells = []
    for site in range(k.size):
        corners = diagram.vertices[diagram.regions[diagram.point_region[site]]]
        eroded = shapely.Polygon(corners).buffer(-erosion, join_style="mitre", mitre_limit=1e6)
        if eroded.is_empty or eroded.buffer(-0.1 * erosion).is_empty:
            continue
        cells.append(np.asarray(shapely.geometry.polygon.orient(eroded).exterior.coords)[:-1])
    return cells
