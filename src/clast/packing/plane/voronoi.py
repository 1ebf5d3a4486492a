"""Voronoi-Minkowski packings (PRE10 §II, ARX §II): Voronoi cells eroded by a disk of radius d and dilated by one of R ≤ d.

Grain W = (cell ⊖ B_d) ⊕ B_R. Corners have the radius R, neighbours lie 2(d − R) apart: so R over the equivalent diameter
ℓ of a cell is the roundness, and d − R sets the void ratio. With R = d grains touch along their sides, and the voids are
where corners were rounded off. How large grains are follows from the sites; for a grading of one's own see
`clast.packing.grading`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from clast.errors import InputError
from clast.packing.joints import Joints, joints_of_cells
from clast.packing.plane.diagram import voronoi_sides
from clast.packing.plane.erosion import Floats, HalfPlanes, Ints, Rings, eroded
from clast.packing.plane.packing import Packing
from clast.packing.rounded_cells import THIN, RoundedCells, VoronoiReport, positive_length, unreachable, wanted_measures
from clast.packing.sites import Sites, checked_counts, chosen_sites
from clast.shapes.plane.make import convex_polygons

ROUGHLY, EXACTLY = 1e-3, 1e-14  # of d, where it is searched for
BORDERS = {"closed": (False, False), "periodic": (True, True), "periodic-x": (True, False)}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class VoronoiPacking(Packing):
    """A packing as drawn, with its sites and the report."""

    sites: Floats  # (n, 2)
    report: VoronoiReport

    @property
    def cells(self) -> list[Floats]:
        """The Voronoi cells, corners (k, 2) counter-clockwise, before erosion."""
        rings = eroded(voronoi_sides(self.sites, self.width, self.height, self.periodic), 0.0)
        corners = rings.corners + self.sites[rings.owners()] + np.array(self.corner)
        return np.split(corners, rings.first[1:-1])

    def joints(self) -> Joints:
        """Where the cells meet: their whole sides, as long as they were before erosion."""
        period = np.where(self.periodic, self.lengths, 0.0)
        return joints_of_cells([each - np.array(self.corner) for each in self.cells], self.sites, period)


def voronoi_packing(
    columns: int,
    rows: int,
    square: float,
    *,
    erosion: float | None = None,
    dilation: float | None = None,
    void_ratio: float | None = None,
    roundness: float | None = None,
    sites: str | ArrayLike = "grid",
    border: str = "closed",
    seed: int | None = None,
    rng: np.random.Generator | None = None,
) -> VoronoiPacking:
    """Voronoi-Minkowski packing in a cell of columns × rows squares of side `square` (length).

    erosion d, dilation R ≤ d   lengths; R is d if not given
    void_ratio                  wanted: R is found if d is given, d if R or the roundness is
    roundness                   wanted: R/ℓ, ℓ the diameter of a disk with the mean area of a cell; another way to give R
    sites                       "grid": one at random in every square; "random": columns × rows anywhere in the cell;
                                or an array (n, 2) of one's own
    border                      "closed": the cell's sides cut the cells (as mirrored sites would); "periodic";
                                "periodic-x": periodic along x, closed along y
    seed or rng                 of the sites, one of them unless they are given

    Cells that vanish or whose eroded skeleton has an inradius below 0.1 R get another site, until there is none (R as
    large as d if it has yet to be found); `packing.report` counts them. One's own sites are never moved: InputError lists
    those whose cells fail.
    """
    counts = checked_counts(columns=columns, rows=rows)
    side = positive_length("square", square)
    if border not in BORDERS:
        raise InputError(f"border = {border!r} must be one of {', '.join(BORDERS)}")
    periodic = BORDERS[border]
    sheet = _Sheet(chosen_sites(sites, counts, side, periodic, seed, rng), columns * side, rows * side, periodic)
    sheet.erode(*wanted_measures(erosion, dilation, void_ratio, roundness, sheet.diameter))
    return sheet.packing()


class _Sheet(RoundedCells):
    """The cells of a Voronoi diagram in the plane, rounded."""

    def __init__(self, sites: Sites, width: float, height: float, periodic: tuple[bool, bool]) -> None:
        self.width, self.height, self.periodic = width, height, periodic
        super().__init__(sites, math.sqrt(4.0 * width * height / (math.pi * len(sites.places))))

    def cut(self) -> None:
        """Half-planes of the cells for the sites as they are."""
        self.sides: HalfPlanes = voronoi_sides(self.sites, self.width, self.height, self.periodic)

    def erode(self, d: float | None, r: float | None, void_ratio: float | None) -> None:
        """Settle d, R and the sites: d to the last digit, once the sites have come to rest with a rough one."""
        super().erode(d, r, void_ratio)
        if d is None:
            assert r is not None and void_ratio is not None
            self.d = self.depth_for(r, void_ratio, EXACTLY)
            if self.redraw(self.d, THIN * r):  # a cell on the very edge of being too thin
                self.erode(d, r, void_ratio)

    def too_small(self, d: float, more: float) -> tuple[Ints, int]:
        """Cells that vanish when eroded by d, or d + `more`; of how many of them d leaves nothing."""
        left = eroded(self.sides, d).counts > 0
        bad = np.flatnonzero(eroded(self.sides, d + more).counts == 0)
        return bad, int((~left[bad]).sum())

    def void_ratio(self, rings: Rings, r: float) -> float:
        """Of the grains rings ⊕ disk of radius r (Steiner's formula)."""
        left = int((rings.counts > 0).sum())
        solid = math.fsum(rings.areas()) + r * math.fsum(rings.perimeters()) + math.pi * r**2 * left
        return self.width * self.height / solid - 1.0 if solid > 0.0 else math.inf

    def radius_for(self, d: float, void_ratio: float) -> float:
        """R with which cells eroded by d have the void ratio: Steiner's formula is a quadratic in R."""
        rings = eroded(self.sides, d)
        least, most = self.void_ratio(rings, d), self.void_ratio(rings, 0.0)
        if not least <= void_ratio < most:
            raise InputError(unreachable(void_ratio, least, most, f"erosion d = {d:.6g} and 0 < R ≤ d"))
        a, b = math.pi * len(self.sites), math.fsum(rings.perimeters())
        c = math.fsum(rings.areas()) - self.width * self.height / (1.0 + void_ratio)
        return min(d, -2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c)))

    def depth_for(self, r: float, void_ratio: float, error: float = ROUGHLY) -> float:
        """d ≥ R with which the grains have the void ratio, to within a relative `error`; vanished cells count as voids."""

        def excess(d: float) -> float:
            return self.void_ratio(eroded(self.sides, d), r) - void_ratio

        low = excess(r)
        high = r + 0.6 * self.diameter * (1.0 - 1.0 / math.sqrt(1.0 + void_ratio))  # a little more than equal squares need
        while excess(high) < 0.0:
            high *= 1.2
        if low > 0.0 or (self.draw is None and void_ratio > self._most(r)):
            how = f"dilation R = {r:.6g} and d ≥ R"
            raise InputError(unreachable(void_ratio, void_ratio + low, self._most(r), how))
        return float(brentq(excess, r, high, xtol=error * r, rtol=error)) if low < 0.0 else r

    def _most(self, r: float) -> float:
        """Largest void ratio that these sites allow before a cell is too thin."""
        low, high = 0.0, self.diameter
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if eroded(self.sides, middle).counts.min() > 0 else (low, middle)
        return self.void_ratio(eroded(self.sides, max(r, low - THIN * r)), r)

    def packing(self) -> VoronoiPacking:
        """The grains."""
        rings = eroded(self.sides, self.d)
        names = [f"cell {k}" for k in range(len(self.sites))]
        shapes = convex_polygons(rings.corners, rings.counts, self.r, names)
        places = self.sites - np.array([shape.origin for shape in shapes])
        report = VoronoiReport(
            len(shapes), self.d, self.r, self.diameter, self.void_ratio(rings, self.r), self.vanished, self.thin, self.rounds
        )
        return VoronoiPacking(
            shapes, places, np.zeros(len(shapes)), self.width, self.height, self.periodic, sites=self.sites, report=report
        )
