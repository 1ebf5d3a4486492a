"""Voronoi-Minkowski packings (PRE10 §II, ARX §II): Voronoi cells eroded by a disk of radius d and dilated by one of R ≤ d.

Grain W = (cell ⊖ B_d) ⊕ B_R. Corners have the radius R, neighbours lie 2(d − R) apart: so R over the equivalent diameter
ℓ of a cell is the roundness, and d − R sets the void ratio. With R = d grains touch along their sides, and the voids are
where corners were rounded off. How large grains are follows from the sites; for a grading of one's own see
`clast.packing.grading`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from clast.errors import InputError
from clast.packing.plane.diagram import voronoi_sides
from clast.packing.plane.erosion import Floats, HalfPlanes, Ints, Rings, eroded
from clast.packing.plane.packing import Packing
from clast.packing.plane.sites import Draw, checked_sites, grid_sites, random_sites
from clast.shapes.plane.make import convex_polygons

THIN = 0.1  # of R: a cell whose eroded skeleton has a smaller inradius is redrawn
ROUNDS = 100  # of redrawing
ROUGHLY, EXACTLY = 1e-3, 1e-14  # of d, where it is searched for
BORDERS = {"closed": (False, False), "periodic": (True, True), "periodic-x": (True, False)}


@dataclass(frozen=True)
class VoronoiReport:
    """What it took to draw a packing, and what came of it. Lengths in the unit of the sites."""

    cells: int
    erosion: float  # d
    dilation: float  # R
    diameter: float  # ℓ of a disk with the mean area of a cell
    void_ratio: float
    vanished: int  # cells of which erosion left nothing
    thin: int  # cells of which it left a skeleton with an inradius below 0.1 R
    rounds: int  # of redrawing

    @property
    def redrawn(self) -> int:
        """How often a site was moved: once per vanished or thin cell."""
        return self.vanished + self.thin

    @property
    def roundness(self) -> float:
        """R/ℓ."""
        return self.dilation / self.diameter

    @property
    def gap(self) -> float:
        """2(d − R), between the sides of neighbours; half of it along a wall."""
        return 2.0 * (self.erosion - self.dilation)

    def __str__(self) -> str:
        return (
            f"{self.cells} cells, d = {self.erosion:.6g}, R = {self.dilation:.6g}: roundness R/ℓ = {self.roundness:.3g}, "
            f"gap {self.gap:.3g}, void ratio {self.void_ratio:.6g}; {self.redrawn} sites moved "
            f"({self.vanished} cells vanished, {self.thin} were too thin)"
        )


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
    for what, value in (("columns", columns), ("rows", rows)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{what} = {value!r} must be a whole number of at least 1")
    side = positive_length("square", square)
    if border not in BORDERS:
        raise InputError(f"border = {border!r} must be one of {', '.join(BORDERS)}")
    width, height, periodic = columns * side, rows * side, BORDERS[border]
    draw: Draw | None = None
    if isinstance(sites, str):
        if sites not in ("grid", "random"):
            raise InputError(f"sites = {sites!r} must be grid, random or an array of places (n, 2)")
        draw = grid_sites(columns, rows, side) if sites == "grid" else random_sites(width, height)
        generator = generator_of(seed, rng)
        places = draw(np.arange(columns * rows), generator)
    else:
        places = checked_sites(sites, width, height, periodic)
        generator = np.random.default_rng(0)  # draws nothing
    sheet = _Sheet(places, width, height, periodic, draw, generator)
    sheet.erode(*asked_measures(erosion, dilation, void_ratio, roundness, sheet.diameter))
    return sheet.packing()


def positive_length(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not (math.isfinite(value) and value > 0.0):
        raise InputError(f"{what} = {value!r} must be a positive number")
    return float(value)


def generator_of(seed: int | None, rng: np.random.Generator | None) -> np.random.Generator:
    if (seed is None) == (rng is None):
        raise InputError("sites are drawn at random: give either seed=… (a number) or rng=… (a numpy generator)")
    if rng is not None:
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng = {rng!r} must be a numpy generator, np.random.default_rng(1); or give seed=1")
        return rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed = {seed!r} must be a whole number that is not negative")
    return np.random.default_rng(seed)


def asked_measures(
    erosion: float | None, dilation: float | None, void_ratio: float | None, roundness: float | None, diameter: float
) -> tuple[float | None, float | None, float | None]:
    """(d, R, void ratio) of which one is to be found, or the last is None; InputError for too few, too many or R > d."""
    if dilation is not None and roundness is not None:
        raise InputError("dilation and roundness both say how large R is: give one of them")
    d = None if erosion is None else positive_length("erosion", erosion)
    r = None if dilation is None else positive_length("dilation", dilation)
    if roundness is not None:
        r = positive_length("roundness", roundness) * diameter
    if d is None and r is None:
        raise InputError("give erosion=… or dilation=… (lengths) or roundness=…, to say how far cells are rounded")
    if d is not None and r is not None and r > d:
        raise InputError(f"dilation R = {r:.6g} exceeds erosion d = {d:.6g}: grains would overlap; take R ≤ d")
    if void_ratio is None:
        return (r if d is None else d), (d if r is None else r), None
    if d is not None and r is not None:
        raise InputError("erosion, dilation and void_ratio cannot all be given: leave erosion or dilation to be found")
    return d, r, positive_length("void_ratio", void_ratio)


class _Sheet:
    """A Voronoi diagram whose cells are being eroded, and whose sites move if they may."""

    def __init__(
        self,
        sites: Floats,
        width: float,
        height: float,
        periodic: tuple[bool, bool],
        draw: Draw | None,
        rng: np.random.Generator,
    ) -> None:
        self.sites, self.width, self.height, self.periodic = sites, width, height, periodic
        self.draw, self.rng = draw, rng
        self.diameter = math.sqrt(4.0 * width * height / (math.pi * len(sites)))
        self.sides: HalfPlanes = voronoi_sides(sites, width, height, periodic)
        self.vanished = self.thin = self.rounds = 0
        self.d = self.r = 0.0

    def erode(self, d: float | None, r: float | None, void_ratio: float | None) -> None:
        """Settle d, R and the sites; at most one of d and R is to be found from the void ratio."""
        if d is None:
            assert r is not None and void_ratio is not None
            while self.moved(r, THIN * r):
                pass
            self.r, self.d = r, self.depth_for(r, void_ratio, ROUGHLY)
            while self.moved(self.d, THIN * r):
                self.d = self.depth_for(r, void_ratio, ROUGHLY)
            self.d = self.depth_for(r, void_ratio, EXACTLY)
            if self.moved(self.d, THIN * r):  # a cell on the very edge of being too thin
                self.erode(d, r, void_ratio)
            return
        while self.moved(d, THIN * (d if r is None else r)):
            pass
        if r is None:
            assert void_ratio is not None
            r = self.radius_for(d, void_ratio)
        self.d, self.r = d, r

    def moved(self, d: float, more: float) -> bool:
        """Draw the sites anew whose cells vanish when eroded by d, or d + `more`; whether there were any."""
        left = eroded(self.sides, d).counts > 0
        bad = np.flatnonzero(eroded(self.sides, d + more).counts == 0)
        if not bad.size:
            return False
        if self.draw is None:
            raise InputError(self._hopeless(bad, left, d))
        if 2 * bad.size > len(self.sites) or self.rounds == ROUNDS:
            raise InputError(
                f"erosion d = {d:.6g} leaves nothing, or too little, of {bad.size} of {len(self.sites)} cells, "
                f"whose mean diameter is {self.diameter:.6g}; {self.rounds} rounds of drawing anew did not help: take a smaller d"
            )
        self.vanished += int((~left[bad]).sum())
        self.thin += int(left[bad].sum())
        self.rounds += 1
        self.sites = self.sites.copy()
        self.sites[bad] = self.draw(bad, self.rng)
        self.sides = voronoi_sides(self.sites, self.width, self.height, self.periodic)
        return True

    def _hopeless(self, bad: Ints, left: Any, d: float) -> str:
        some = ", ".join(f"{k} at ({self.sites[k, 0]:.6g}, {self.sites[k, 1]:.6g})" for k in bad[:20])
        more = f" and {bad.size - 20} more" if bad.size > 20 else ""
        return (
            f"erosion d = {d:.6g} takes the whole cell of {int((~left[bad]).sum())} sites and leaves a skeleton thinner than "
            f"a tenth of R of {int(left[bad].sum())}: site {some}{more}; move these sites or take a smaller d"
        )

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
            raise InputError(self._unreachable(void_ratio, least, most, f"erosion d = {d:.6g} and 0 < R ≤ d"))
        a, b = math.pi * len(self.sites), math.fsum(rings.perimeters())
        c = math.fsum(rings.areas()) - self.width * self.height / (1.0 + void_ratio)
        return min(d, -2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c)))

    def depth_for(self, r: float, void_ratio: float, error: float) -> float:
        """d ≥ R with which the grains have the void ratio, to within a relative `error`; vanished cells count as voids."""

        def excess(d: float) -> float:
            return self.void_ratio(eroded(self.sides, d), r) - void_ratio

        low = excess(r)
        high = r + 0.6 * self.diameter * (1.0 - 1.0 / math.sqrt(1.0 + void_ratio))  # a little more than equal squares need
        while excess(high) < 0.0:
            high *= 1.2
        if low > 0.0 or (self.draw is None and void_ratio > self._most(r)):
            how = f"dilation R = {r:.6g} and d ≥ R"
            raise InputError(self._unreachable(void_ratio, void_ratio + low, self._most(r), how))
        return float(brentq(excess, r, high, xtol=error * r, rtol=error)) if low < 0.0 else r

    def _most(self, r: float) -> float:
        """Largest void ratio that these sites allow before a cell is too thin."""
        low, high = 0.0, self.diameter
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if eroded(self.sides, middle).counts.min() > 0 else (low, middle)
        return self.void_ratio(eroded(self.sides, max(r, low - THIN * r)), r)

    def _unreachable(self, wanted: float, least: float, most: float, how: str) -> str:
        return f"void ratio {wanted:.6g} cannot be reached with {how}: it would have to lie between {least:.6g} and {most:.6g}"

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
