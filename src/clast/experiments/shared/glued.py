"""Discs and strips of bonded Voronoi grains, of mean area 1 and density 1, about the origin."""

import numpy as np

from clast.laws import Linear
from clast.packing.plane.voronoi import VoronoiPacking, voronoi_packing
from clast.scene.bonds import Bond
from clast.scene.plane import Scene

ROUNDED, GAP = 0.02, 2e-3  # corners of the grains, and what they lie apart: bonds carry all until they break
ROUNDS = 8  # in which sites are moved to the middles of their cells
RIM = 0.7  # of the radius of a disc, from which on sites are mirrored at its rim


def cut(sites: np.ndarray, width: float, height: float) -> VoronoiPacking:
    """The cells of sites in a box, as grains."""
    columns, rows = max(round(width), 1), max(round(height), 1)
    square = width / columns
    assert np.isclose(rows * square, height), "a box of squares"
    return voronoi_packing(columns, rows, square, erosion=ROUNDED + 0.5 * GAP, dilation=ROUNDED, sites=sites)


def middles(cells: list[np.ndarray]) -> np.ndarray:
    """Centres of area of polygons (n, 2)."""
    found = []
    for corners in cells:
        after = np.roll(corners, -1, axis=0)
        twice = corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]
        found.append(((corners + after) * twice[:, None]).sum(axis=0) / (3.0 * twice.sum()))
    return np.array(found)


def glued(packing: VoronoiPacking, count: int, centre: np.ndarray, bond: Bond, law: Linear) -> Scene:
    """A scene of the first grains of a packing, bonded along their cells, with `centre` at the origin."""
    grains = np.arange(count)
    joints = packing.joints().among(grains)
    scene = Scene(law=law)
    ids = scene.add_many(packing.shapes[:count], packing.positions[:count] - centre, density=1.0)
    scene.bond(bond, ids, joints=joints._replace(points=joints.points - centre))
    return scene


def strip_of_grains(length: float, height: float, seed: int, bond: Bond, law: Linear) -> Scene:
    """A strip whose cells are cut off straight at its sides."""
    rng, size = np.random.default_rng(seed), np.array([length, height])
    sites = rng.uniform(0.0, 1.0, (round(length * height), 2)) * size
    for _ in range(ROUNDS):
        sites = middles(cut(sites, length, height).cells)
    return glued(cut(sites, length, height), len(sites), 0.5 * size, bond, law)


def disc_of_grains(diameter: float, seed: int, bond: Bond, law: Linear) -> Scene:
    """A disc: sites near the rim have mirror images beyond it, so that cells end there."""
    rng, radius = np.random.default_rng(seed), 0.5 * diameter
    count = round(np.pi * radius**2)
    turn = rng.uniform(0.0, 2.0 * np.pi, count)
    sites = radius * np.sqrt(rng.uniform(0.0, 1.0, count))[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)

    def with_mirrored(inner: np.ndarray) -> VoronoiPacking:
        far = np.hypot(*inner.T)
        beyond = inner[far > RIM * radius] * (radius / far[far > RIM * radius, None]) ** 2
        return cut(np.concatenate([inner, beyond]) + diameter, 2.0 * diameter, 2.0 * diameter)

    for _ in range(ROUNDS):
        sites = middles(with_mirrored(sites).cells[:count]) - diameter
    return glued(with_mirrored(sites), count, np.full(2, diameter), bond, law)
