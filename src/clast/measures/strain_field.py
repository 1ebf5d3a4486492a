"""Strain from place to place (model §8, experiments "shear-band"): Delaunay triangles on the grains' centres at the first
frame, an affine map F (deformation gradient) per triangle, its stretches λ₁ ≥ λ₂.

    volumetric   λ₁λ₂ − 1 = det F − 1, dilation positive         deviatoric   λ₁ − λ₂, for small strains ε₁ − ε₃

Both are exactly zero for a rotation by any angle, so a band that turns as a block shows no strain inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.errors import InputError
from clast.measures.displacement import Displacement
from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, refuse_space

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Triangles along the border that join grains which are no neighbours say nothing, and are left out:
FLAT = 0.15  # slivers: quality 4√3 area/Σ edge² below this
LONG = 3.0  # those with an edge longer than this many medians of all edges


class StrainField(Measure):
    """Strain between two frames, triangle by triangle.

    first, last   numbers of the frames, negative from the end

    After `compute(run)`: points (n, 2), triangles (m, 3) of them, centroids (m, 2), areas (m,) at the first frame, gradient F
    (m, 2, 2), volumetric (m,), deviatoric (m,), rotation (m,) [radians]. Nothing is triangulated across a periodic side.
    """

    reads_space = False

    def __init__(self, first: int = 0, last: int = -1) -> None:
        self.first, self.last = first, last

    def compute(self, run: StoredRun) -> StrainField:
        """Read two frames of a run; InputError if fewer than three grains, or grains on one line, make no triangle."""
        refuse_space(run, "StrainField", "Displacement and Strain read it")
        moved = Displacement(self.first, self.last).compute(run)
        self.times, self.spacing = moved.times, moved.spacing
        self.points = moved.positions
        self.triangles = triangulate(self.points)
        corners = self.points[self.triangles]
        before = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)  # edges as columns
        shift = moved.vectors[self.triangles]
        change = np.stack([shift[:, 1] - shift[:, 0], shift[:, 2] - shift[:, 0]], axis=2)
        self.centroids = corners.mean(axis=1)
        self.areas = 0.5 * np.abs(np.linalg.det(before))
        # from displacements, not from places: a small strain keeps its digits however far the sample lies from the origin
        self._displacement_gradient = change @ np.linalg.inv(before)
        self.gradient = np.eye(2) + self._displacement_gradient
        return self

    @property
    def volumetric(self) -> Array:
        """det F − 1: the share by which a triangle has grown."""
        (xx, xy), (yx, yy) = np.moveaxis(self._displacement_gradient, 0, -1)
        return xx + yy + xx * yy - xy * yx

    @property
    def deviatoric(self) -> Array:
        """λ₁ − λ₂; where a triangle was turned inside out λ₂ is negative."""
        (xx, xy), (yx, yy) = np.moveaxis(self._displacement_gradient, 0, -1)
        return np.hypot(xx - yy, xy + yx)

    @property
    def rotation(self) -> Array:
        """Angle of the rotation in F [radians], −π … π."""
        (xx, xy), (yx, yy) = np.moveaxis(self.gradient, 0, -1)
        return np.arctan2(yx - xy, xx + yy)

    def mean(self, values: Array) -> float:
        """Mean of a value per triangle over the area."""
        return float(np.average(values, weights=self.areas))

    def plot(self, axes: Axes | None = None, what: str = "deviatoric") -> Figure | SubFigure:
        """Triangles in the colour of their strain, "deviatoric", "volumetric" or "rotation"; returns the figure.

        Colours end at the 98th percentile, so that a few triangles where a grain slipped through do not take them all.
        """
        import matplotlib.pyplot as plt
        from matplotlib.tri import Triangulation

        if what not in ("deviatoric", "volumetric", "rotation"):
            raise InputError(f'StrainField: "{what}" cannot be shown; "deviatoric", "volumetric" and "rotation" can')
        if axes is None:
            axes = plt.subplots(figsize=(6, 6), layout="constrained")[1]
        values = getattr(self, what)
        top = float(np.percentile(np.abs(values), 98.0)) or 1.0
        low, colours = (0.0, "magma_r") if what == "deviatoric" else (-top, "RdBu_r")
        drawn = Triangulation(self.points[:, 0], self.points[:, 1], self.triangles)
        shown = axes.tripcolor(drawn, facecolors=values, vmin=low, vmax=top, cmap=colours)
        label = {"deviatoric": r"$\lambda_1-\lambda_2$", "volumetric": r"$\det F-1$", "rotation": "rotation (radians)"}[what]
        axes.figure.colorbar(shown, ax=axes, label=label, shrink=0.8)
        axes.set(xlabel="x", ylabel="y", title=f"{what}, t = {self.times[0]:.4g} to {self.times[1]:.4g}")
        axes.set_aspect("equal")
        return axes.figure


def triangulate(points: Array) -> Array:
    """Delaunay triangles (m, 3) on points (n, 2), counter-clockwise, without those between grains that are no neighbours."""
    from scipy.spatial import Delaunay, QhullError  # slow to import, and few measures need it

    try:
        triangles = np.asarray(Delaunay(points - points.mean(axis=0)).simplices, dtype=np.int64)
    except (QhullError, ValueError):
        raise InputError(f"{len(points)} grains make no triangles: a strain field needs three that are not on one line") from None
    corners = points[triangles]
    edges = np.roll(corners, -1, axis=1) - corners
    twice = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    lengths = np.hypot(edges[:, :, 0], edges[:, :, 1])
    good = 2.0 * np.sqrt(3.0) * np.abs(twice) > FLAT * (lengths**2).sum(axis=1)
    good &= lengths.max(axis=1) < LONG * np.median(lengths)
    if not good.any():
        raise InputError(f"{len(points)} grains make no triangles: a strain field needs three that are not on one line")
    return np.where((twice < 0.0)[:, None], triangles[:, ::-1], triangles)[good]
