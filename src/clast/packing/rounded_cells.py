"""What Voronoi-Minkowski packings in plane and space share (PRE10 §II, ARX §II): the search for d, R and sites.

A cell eroded by d and dilated by R ≤ d is a grain; a cell of which erosion leaves too little gets another site.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from clast.errors import InputError
from clast.packing.plane.erosion import Ints
from clast.packing.sites import Sites, site_at

THIN = 0.1  # of R: a cell whose eroded skeleton has a smaller inradius is redrawn
ROUNDS = 100  # of redrawing
NAMED = 20  # sites at most that a message lists


@dataclass(frozen=True)
class VoronoiReport:
    """What it took to draw a packing, and what came of it. Lengths in the unit of the sites."""

    cells: int
    erosion: float  # d
    dilation: float  # R
    diameter: float  # ℓ of a disk or ball as large as the mean cell
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
        """2(d − R), between the sides or faces of neighbours; half of it along a wall."""
        return 2.0 * (self.erosion - self.dilation)

    def __str__(self) -> str:
        return (
            f"{self.cells} cells, d = {self.erosion:.6g}, R = {self.dilation:.6g}: roundness R/ℓ = {self.roundness:.3g}, "
            f"gap {self.gap:.3g}, void ratio {self.void_ratio:.6g}; {self.redrawn} sites moved "
            f"({self.vanished} cells vanished, {self.thin} were too thin)"
        )


def positive_length(what: str, value: float) -> float:
    """The value as a float; InputError, naming it, where it is not positive."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not (math.isfinite(value) and value > 0.0):
        raise InputError(f"{what} = {value!r} must be a positive number")
    return float(value)


def wanted_measures(
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


class RoundedCells(ABC):
    """Voronoi cells that are being eroded, and whose sites move if they may. How a cell is cut and eroded is the subclass's."""

    def __init__(self, sites: Sites, diameter: float) -> None:
        """`diameter` ℓ is that of a disk or ball as large as the mean cell."""
        self.sites, self.draw, self.rng = sites
        self.diameter = diameter
        self.vanished = self.thin = self.rounds = 0
        self.d = self.r = 0.0
        self.cut()

    @abstractmethod
    def cut(self) -> None:
        """Make the cells for the sites as they are."""

    @abstractmethod
    def too_small(self, d: float, more: float) -> tuple[Ints, int]:
        """Numbers of the cells with an inradius below d + `more`, and of how many of them d leaves nothing."""

    @abstractmethod
    def radius_for(self, d: float, void_ratio: float) -> float:
        """R ≤ d with which cells eroded by d have the void ratio."""

    @abstractmethod
    def depth_for(self, r: float, void_ratio: float) -> float:
        """d ≥ R with which grains rounded by R have the void ratio."""

    def erode(self, d: float | None, r: float | None, void_ratio: float | None) -> None:
        """Settle d, R and the sites; at most one of d and R is to be found from the void ratio."""
        if d is None:
            assert r is not None and void_ratio is not None
            while self.redraw(r, THIN * r):
                pass
            self.r, self.d = r, self.depth_for(r, void_ratio)
            while self.redraw(self.d, THIN * r):
                self.d = self.depth_for(r, void_ratio)
            return
        while self.redraw(d, THIN * (d if r is None else r)):
            pass
        if r is None:
            assert void_ratio is not None
            r = self.radius_for(d, void_ratio)
        self.d, self.r = d, r

    def redraw(self, d: float, more: float) -> bool:
        """Draw the sites anew whose cells are too small for an erosion by d + `more`; whether there were any."""
        bad, gone = self.too_small(d, more)
        if not bad.size:
            return False
        if self.draw is None:
            raise InputError(self._hopeless(bad, gone, d))
        if 2 * bad.size > len(self.sites) or self.rounds == ROUNDS:
            raise InputError(
                f"erosion d = {d:.6g} leaves nothing, or too little, of {bad.size} of {len(self.sites)} cells, "
                f"whose mean diameter is {self.diameter:.6g}; {self.rounds} rounds of drawing anew did not help: take a smaller d"
            )
        self.vanished += gone
        self.thin += int(bad.size) - gone
        self.rounds += 1
        self.sites = self.sites.copy()
        self.sites[bad] = self.draw(bad, self.rng)
        self.cut()
        return True

    def _hopeless(self, bad: Ints, gone: int, d: float) -> str:
        some = ", ".join(f"{k} at {site_at(self.sites[k])}" for k in bad[:NAMED])
        more = f" and {bad.size - NAMED} more" if bad.size > NAMED else ""
        return (
            f"erosion d = {d:.6g} takes the whole cell of {gone} sites and leaves a skeleton thinner than "
            f"a tenth of R of {bad.size - gone}: site {some}{more}; move these sites or take a smaller d"
        )


def unreachable(wanted: float, least: float, most: float, how: str) -> str:
    """The sentence for a void ratio that no d or R gives."""
    return f"void ratio {wanted:.6g} cannot be reached with {how}: it would have to lie between {least:.6g} and {most:.6g}"
