"""Voronoi-Minkowski packings in space (PRE10 §II): Voronoi cells eroded by a ball of radius d and dilated by one of R ≤ d.

Grain W = (cell ⊖ B_d) ⊕ B_R: a hull with sphero-radius R. Edges and corners have the radius R, faces of neighbours lie
2(d − R) apart: so R over the equivalent diameter ℓ of a cell is the roundness, and d − R sets the void ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from clast.errors import InputError
from clast.packing.plane.erosion import SHORT, Floats, Ints
from clast.packing.rounded_cells import THIN, RoundedCells, VoronoiReport, positive_length, unreachable, wanted_measures
from clast.packing.sites import Sites, checked_counts, chosen_sites
from clast.packing.space.diagram import voronoi_cells
from clast.packing.space.packing import Packing3D, Periodic
from clast.packing.space.polyhedra import Polyhedron, deepest, polyhedron, without_short_edges
from clast.shapes.space.build import build
from clast.shapes.space.surfaces.faces import edges_of, in_order

MERGE = 0.01  # of d: edges of a skeleton shorter than that are merged
MOST_MERGE = 0.1
ROUGHLY, CLOSE = 1e-5, 1e-12  # of d, where it is searched for, and of the void ratio in the end
NEARBY = 1e-3  # of d: from where to where the slope of the void ratio is taken
CORRECTIONS = 12  # of d at most, by that slope


@dataclass(frozen=True)
class VoronoiReport3D(VoronoiReport):
    """What it took to draw a packing in space, and what came of it. Lengths in the unit of the sites.

    Faces that were moved to merge short edges lie farther apart than `gap`.
    """

    merged: int  # short edges
    moved: float  # how far a face was moved inwards at most to merge them
    shortest: float  # edge of a skeleton
    vertices: float  # of a grain, mean
    edges: float
    faces: float

    def __str__(self) -> str:
        return (
            f"{self.cells} cells, d = {self.erosion:.6g}, R = {self.dilation:.6g}: roundness R/ℓ = {self.roundness:.3g}, "
            f"gap {self.gap:.3g}, void ratio {self.void_ratio:.6g}; a grain has {self.vertices:.1f} vertices and "
            f"{self.faces:.1f} faces; {self.redrawn} sites moved ({self.vanished} cells vanished, {self.thin} were too thin), "
            f"{self.merged} short edges merged"
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class VoronoiPacking3D(Packing3D):
    """A packing as drawn, with its sites and the report."""

    sites: Floats  # (n, 3)
    report: VoronoiReport3D

    @property
    def cells(self) -> list[Floats]:
        """Corners (k, 3) of the Voronoi cells, before erosion."""
        cells = voronoi_cells(self.sites, self.size, self.periodic)
        return [cell.corners + site + self.corner for cell, site in zip(cells, self.sites, strict=True)]


def voronoi_packing3d(
    columns: int,
    rows: int,
    layers: int,
    cube: float,
    *,
    erosion: float | None = None,
    dilation: float | None = None,
    void_ratio: float | None = None,
    roundness: float | None = None,
    sites: str | ArrayLike = "grid",
    border: str = "closed",
    merge: float = MERGE,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
) -> VoronoiPacking3D:
    """Voronoi-Minkowski packing in a box of columns × rows × layers cubes of side `cube` (length), along x, y and z.

    erosion d, dilation R ≤ d   lengths; R is d if not given
    void_ratio                  wanted: R is found if d is given, d if R or the roundness is
    roundness                   wanted: R/ℓ, ℓ the diameter of a ball with the mean volume of a cell; another way to give R
    sites                       "grid": one at random in every cube; "random": as many anywhere in the box;
                                or an array (n, 3) of one's own
    border                      "closed": the box's sides cut the cells (as mirrored sites would); "periodic"; or periodic
                                along the axes named and closed along the others: "periodic-x", "periodic-xy" …
    merge                       edges of skeletons shorter than this times d are merged, 0 … 0.1; 0: only accidents of rounding
    seed or rng                 of the sites, one of them unless they are given

    Cells that vanish or whose eroded skeleton has an inradius below 0.1 R get another site, until there is none (R as
    large as d if it has yet to be found); `packing.report` counts them. One's own sites are never moved: InputError lists
    those whose cells fail. Every vertex is a probe and costs time, so short edges are merged: faces beside one are moved
    inwards a little until its two corners are one. Grains only become smaller by that; the void ratio counts it.
    """
    counts = checked_counts(columns=columns, rows=rows, layers=layers)
    side = positive_length("cube", cube)
    if isinstance(merge, bool) or not isinstance(merge, int | float | np.number) or not 0.0 <= merge <= MOST_MERGE:
        raise InputError(f"merge = {merge!r} must be between 0 and {MOST_MERGE}: it is a part of d")
    periodic = _periodic(border)
    block = _Block(chosen_sites(sites, counts, side, periodic, seed, rng), np.array(counts) * side, periodic, float(merge))
    block.erode(*wanted_measures(erosion, dilation, void_ratio, roundness, block.diameter))
    return block.packing()


def _periodic(border: str) -> Periodic:
    name, _, axes = str(border).partition("-")
    if border == "periodic":
        axes = "xyz"
    if border != "closed" and not (name == "periodic" and axes and axes == "".join(a for a in "xyz" if a in axes)):
        raise InputError(f"border = {border!r} must be closed, periodic, or periodic along some axes: periodic-x, periodic-xy …")
    return "x" in axes, "y" in axes, "z" in axes


class _Block(RoundedCells):
    """The cells of a Voronoi diagram in space, rounded."""

    def __init__(self, sites: Sites, size: Floats, periodic: Periodic, merge: float) -> None:
        self.size, self.periodic, self.merge = size, periodic, merge
        self.volume = float(np.prod(size))
        super().__init__(sites, (6.0 * self.volume / (math.pi * len(sites.places))) ** (1.0 / 3.0))

    def cut(self) -> None:
        """Cells for the sites as they are, and a point deep inside each."""
        self.cells = voronoi_cells(self.sites, self.size, self.periodic)
        self.middles = [cell.corners.mean(axis=0) for cell in self.cells]
        self.depths = [cell.spaces.margin(middle) for cell, middle in zip(self.cells, self.middles, strict=True)]
        self.deepest = np.zeros(len(self.cells), dtype=bool)  # which of them have been found to be the deepest there is

    def inradii(self, enough: float) -> Floats:
        """(cells,) radius of a ball inside each cell; the largest there is where that is below `enough`."""
        for k in np.flatnonzero((np.array(self.depths) < enough) & ~self.deepest):
            self.middles[k], self.depths[k] = deepest(self.cells[k].spaces)
            self.deepest[k] = True
        return np.array(self.depths)

    def too_small(self, d: float, more: float) -> tuple[Ints, int]:
        """Cells with an inradius below d + `more`; of how many of them d leaves nothing."""
        inradii = self.inradii(d + more)
        bad = np.flatnonzero(inradii < d + more)
        return bad, int((inradii[bad] <= d).sum())

    def eroded(self, d: float) -> list[Polyhedron | None]:
        """The cells eroded by d; None where nothing is left."""
        inradii = self.inradii(d * (1.0 + THIN))
        return [
            polyhedron(cell.spaces.moved(d), middle) if depth > d else None
            for cell, middle, depth in zip(self.cells, self.middles, inradii, strict=True)
        ]

    def skeletons(self, d: float) -> tuple[list[Polyhedron], int, float]:
        """The cells eroded by d, none of which vanishes, without short edges; how many were merged; how far faces moved."""
        shortest = max(self.merge * d, SHORT * self.diameter)
        cut = [without_short_edges(cell, shortest) for cell in self.eroded(d) if cell is not None]
        return [cell for cell, _, _ in cut], sum(merged for _, merged, _ in cut), max(moved for _, _, moved in cut)

    def void_ratio(self, measures: Floats, r: float) -> float:
        """Of polyhedra ⊕ ball of radius r, `measures` (4,) summed over all (Steiner's formula)."""
        solid = float(measures @ np.array([1.0, r, r**2, r**3]))
        return self.volume / solid - 1.0 if solid > 0.0 else math.inf

    def radius_for(self, d: float, void_ratio: float) -> float:
        """R with which cells eroded by d have the void ratio: Steiner's formula is a cubic in R, and rises with it."""
        total = _sum(self.skeletons(d)[0])
        least, most = self.void_ratio(total, d), self.void_ratio(total, 0.0)
        if not least <= void_ratio < most:
            raise InputError(unreachable(void_ratio, least, most, f"erosion d = {d:.6g} and 0 < R ≤ d"))
        return float(brentq(lambda r: self.void_ratio(total, r) - void_ratio, 0.0, d, xtol=1e-15 * d, rtol=1e-14))

    def depth_for(self, r: float, void_ratio: float) -> float:
        """d ≥ R with which the grains have the void ratio; cells that vanish count as voids, and are drawn anew later.

        What merging takes away jumps with d, so it is left out of the search and put right afterwards.
        """

        def plain(d: float) -> float:
            return self.void_ratio(_sum(self.eroded(d)), r)

        def merged(d: float) -> float:
            return self.void_ratio(_sum(self.skeletons(d)[0]), r)

        least = merged(r)
        most = math.inf if self.draw is not None else self._most(r)
        if not least <= void_ratio <= most:
            how = f"dilation R = {r:.6g} and d ≥ R"
            raise InputError(unreachable(void_ratio, least, most if math.isfinite(most) else self._most(r), how))
        high = r + 0.6 * self.diameter * (1.0 - (1.0 + void_ratio) ** (-1.0 / 3.0))  # a little more than equal cubes need
        while plain(high) < void_ratio:
            high *= 1.2
        d = r
        if plain(r) < void_ratio:
            d = float(brentq(lambda depth: plain(depth) - void_ratio, r, high, xtol=ROUGHLY * r, rtol=ROUGHLY))
        slope = (plain(d * (1.0 + NEARBY)) - plain(d)) / (d * NEARBY)
        for _ in range(CORRECTIONS):
            excess = merged(d) - void_ratio
            if abs(excess) <= CLOSE * void_ratio:
                break
            d = max(r, d - excess / slope)
        return d

    def _most(self, r: float) -> float:
        """Largest void ratio that these sites allow before a cell is too thin."""
        deep = float(self.inradii(math.inf).min()) - THIN * r
        return self.void_ratio(_sum(self.skeletons(max(r, deep * (1.0 - 1e-9)))[0]), r)

    def packing(self) -> VoronoiPacking3D:
        """The grains."""
        bones, merged, moved = self.skeletons(self.d)
        shapes = []
        for k, cell in enumerate(bones):  # faces are known: looking for them in the corners again would only blur them
            loops = in_order(cell.loops)
            shapes.append(build(f"cell {k}", cell.corners, edges_of(loops), loops, self.r))
        places = self.sites + np.array([shape.centre for shape in shapes])
        turns = np.array([shape.orientation for shape in shapes])
        report = VoronoiReport3D(
            len(shapes), self.d, self.r, self.diameter, self.void_ratio(_sum(bones), self.r), self.vanished, self.thin,
            self.rounds, merged, moved, min(float(cell.lengths.min()) for cell in bones),
            float(np.mean([len(shape.vertices) for shape in shapes])), float(np.mean([len(shape.edges) for shape in shapes])),
            float(np.mean([len(shape.faces) for shape in shapes])),
        )  # fmt: skip
        return VoronoiPacking3D(shapes, places, turns, self.size, self.periodic, sites=self.sites, report=report)


def _sum(cells: list[Polyhedron] | list[Polyhedron | None]) -> Floats:
    """(4,) Steiner's coefficients of all cells together."""
    all_of = np.array([cell.measures() for cell in cells if cell is not None]).reshape(-1, 4)
    return np.array([math.fsum(column) for column in all_of.T])
