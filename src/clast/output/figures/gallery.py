"""The papers' drawings, redrawn: ready-made shapes, Minkowski operations, cows, Voronoi-Minkowski diagrams.

Every function draws one picture into a folder that exists and returns its path.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import InputError
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.output.figures.shape import BONE, CENTRE, FILL, RIM, draw_shape, fill_rings
from clast.packing.plane.voronoi import voronoi_packing
from clast.shapes import (
    Shape,
    ThinShapeWarning,
    closing,
    clumpy_cow,
    cow,
    dilation,
    disk,
    erosion,
    library_shapes,
    opening,
    rounded,
)
from clast.shapes.plane.inside import Floats

# A cell with a blunted corner, whose short side is gone before d: points 1 and 2 become 3 (ARX fig 7, PRE10 fig 6).
CELL = ((0.0, 0.3), (1.6, -0.1), (3.1, 0.6), (3.45, 2.0), (3.27, 2.2), (0.7, 2.6))
CELL_DISK = 0.55  # d
CELL_SWEEP = 0.35  # R of the smaller disk
BLUNT_SIDE = 3  # number of the short side's first vertex

COW_DISK = 0.16  # m, by which the cow is opened, closed and grown
COW_ERODED = 0.06  # m, less than its sphero-radius

COLUMNS, ROWS, SQUARE = 9, 6, 1.0  # of the Voronoi-Minkowski diagram
VORONOI_D = 0.17  # of the square: erosion
VORONOI_R = (0.17, 0.11)  # sweeping disks: the opening, and one that leaves voids
VORONOI_SEED = 4


def draw_gallery(folder: Path) -> list[Path]:
    """All pictures of the gallery, in the order of the papers."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} to draw the gallery into: make it first.")
    return [draw(folder) for draw in (draw_library, draw_cows, draw_cell_operations, draw_cow_operations, draw_voronoi)]


def draw_library(folder: Path) -> Path:
    """Every ready-made shape with its name, skeleton and a bar of known length (GM09 fig 5, ARX fig 9, EPL08 fig 1)."""
    import matplotlib.pyplot as plt

    shapes = library_shapes()
    columns = 4
    figure, grid = plt.subplots(-(-len(shapes) // columns), columns, figsize=(11, 8.6), layout="constrained")
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, (name, make) in zip(grid.flat, shapes.items(), strict=False):
        shape = make()
        draw_shape(axes, shape)
        axes.set_title(f"{name}\n{_vertices(shape)}, r = {shape.radius:.3g}", fontsize=9)
    return save_figure(figure, folder / "shapes.png")


def draw_cows(folder: Path) -> Path:
    """Skeleton ⊕ disk = Minkowski cow, and the clump of disks beside it (EPL08 fig 1)."""
    import matplotlib.pyplot as plt

    whole, clumpy = cow(), clumpy_cow()
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.9), layout="constrained")
    left.plot(*_closed(whole.vertices).T, color=BONE, lw=1.3)
    _disk(left, _above_the_back(whole.vertices), whole.radius, label="")
    left.set_title(f"skeleton, {len(whole.vertices)} vertices, and disk of {whole.radius:g} m", fontsize=10)
    draw_shape(middle, whole, bar=False, mark_centre=False)
    middle.set_title(f"skeleton ⊕ disk: the cow, {whole.area:.2f} m²", fontsize=10)
    for at in clumpy.vertices:
        right.add_patch(plt.Circle(tuple(at), clumpy.radius, facecolor=FILL, edgecolor=RIM, lw=0.35))
    right.set_title(f"the clumpy cow: {len(clumpy.vertices)} disks", fontsize=10)
    for axes in (left, middle, right):
        _frame_of(axes, whole)
    return save_figure(figure, folder / "cows.png")


def draw_cell_operations(folder: Path) -> Path:
    """A convex cell eroded by a disk, and the eroded cell dilated again (ARX fig 2, 3 and 7, PRE10 fig 6)."""
    import matplotlib.pyplot as plt

    cell = np.array(CELL)
    grain = rounded(cell, CELL_DISK)
    skeleton = grain.vertices - grain.origin
    figure, panels = plt.subplots(1, 4, figsize=(13.5, 3.1), layout="constrained")
    for axes in panels:
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.plot(*_closed(cell).T, color=CENTRE, lw=1.2)
        axes.set_xlim(cell[:, 0].min() - 0.12, cell[:, 0].max() + 0.12)
        axes.set_ylim(cell[:, 1].min() - 0.12, cell[:, 1].max() + 0.12)
    _disk(panels[0], cell.mean(axis=0), CELL_DISK, label="$B_d$")
    panels[0].set_title("cell A and disk", fontsize=10)

    candidates = _candidates(cell, CELL_DISK)
    lost = np.array([BLUNT_SIDE, (BLUNT_SIDE + 1) % len(cell)])
    remaining = np.setdiff1d(np.arange(len(cell)), lost)
    merged = skeleton[np.argmin(np.hypot(*(skeleton - candidates[lost].mean(axis=0)).T))]
    panels[1].fill(*skeleton.T, facecolor=FILL, edgecolor=BONE, lw=1.3)
    for k in range(len(cell)):
        panels[1].plot(*np.stack([cell[k], candidates[k]]).T, color="0.6", lw=0.7, ls=":")
    panels[1].plot(*candidates[remaining].T, "o", color=BONE, ms=4)
    panels[1].plot(*candidates[lost].T, "x", color=CENTRE, ms=5)
    panels[1].plot(*merged, "s", color=BONE, ms=5)
    for number, at, off in (
        ("1", candidates[lost[0]], candidates[lost[0]] - merged),
        ("2", candidates[lost[1]], candidates[lost[1]] - merged),
        ("3", merged, skeleton.mean(axis=0) - merged),
    ):
        panels[1].annotate(number, at, at + 0.17 * off / np.hypot(*off), ha="center", va="center", fontsize=9)
    panels[1].set_title("erosion A ⊖ $B_d$: points 1 and 2 become 3", fontsize=10)

    panels[2].set_title("opening (A ⊖ $B_d$) ⊕ $B_d$", fontsize=10)
    panels[3].set_title("(A ⊖ $B_d$) ⊕ $B_R$, R < d", fontsize=10)
    for axes, sweep in ((panels[2], CELL_DISK), (panels[3], CELL_SWEEP)):
        fill_rings(axes, _drawn(rounded(cell, CELL_DISK, sweep)), facecolor=FILL, edgecolor=RIM, lw=1.2)
        axes.plot(*_closed(skeleton).T, color=BONE, lw=1.0)
        _disk(axes, skeleton[0], sweep, label="$B_d$" if sweep == CELL_DISK else "$B_R$")
    return save_figure(figure, folder / "cell-operations.png")


def draw_cow_operations(folder: Path) -> Path:
    """The cow grown, shrunk, opened and closed by a disk (the non-convex case of ARX fig 1-3); dashed: the cow itself."""
    import matplotlib.pyplot as plt

    d = COW_DISK
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThinShapeWarning)  # drawn, not run
        panels_of = [
            (f"dilation by {d:g} m", dilation(cow(), d), d),
            (f"erosion by {COW_ERODED:g} m", erosion(cow(), COW_ERODED), COW_ERODED),
            (f"opening by {d:g} m", opening(cow(), d), d),
            (f"closing by {d:g} m", closing(cow(), d), d),
        ]
    figure, panels = plt.subplots(1, 4, figsize=(15, 3.5), layout="constrained")
    for axes, (title, shape, radius) in zip(panels, panels_of, strict=True):
        fill_rings(axes, _drawn(shape), facecolor=FILL, edgecolor=RIM, lw=1.2)
        for ring in _drawn(cow()):
            axes.plot(*ring.T, color=CENTRE, lw=0.8, ls=(0, (3, 2)))
        low = _drawn(cow())[0].min(axis=0)
        _disk(axes, _above_the_back(_drawn(cow())[0]), radius, label="")
        axes.set_title(f"{title}\n{_vertices(shape)}, {shape.area:.2f} m²", fontsize=10)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_xlim(low[0] - 0.3, low[0] + 4.0)
        axes.set_ylim(low[1] - 0.25, low[1] + 3.25)
    return save_figure(figure, folder / "cow-operations.png")


def draw_voronoi(folder: Path) -> Path:
    """Voronoi cells eroded by d, and dilated again by R = d and by R < d (ARX fig 5 and 8, PRE10 fig 4 and 7)."""
    import matplotlib.pyplot as plt
    from matplotlib.collections import PolyCollection

    packings = [
        voronoi_packing(COLUMNS, ROWS, SQUARE, erosion=VORONOI_D * SQUARE, dilation=sweep * SQUARE, seed=VORONOI_SEED)
        for sweep in VORONOI_R
    ]
    cells = packings[0].cells
    figure, panels = plt.subplots(1, 3, figsize=(14, 3.5), layout="constrained")
    for axes in panels:
        axes.add_collection(PolyCollection(cells, facecolor="none", edgecolor="0.55", lw=0.6))
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_xlim(-0.1 * SQUARE, (COLUMNS + 0.1) * SQUARE)
        axes.set_ylim(-0.1 * SQUARE, (ROWS + 0.1) * SQUARE)
    eroded = [shape.vertices + place for shape, place in zip(packings[0].shapes, packings[0].positions, strict=True)]
    panels[0].add_collection(PolyCollection(eroded, facecolor=FILL, edgecolor=BONE, lw=0.9))
    panels[0].set_title(f"{len(cells)} cells eroded by d = {VORONOI_D:g} squares", fontsize=10)
    for axes, sweep, packing in zip(panels[1:], VORONOI_R, packings, strict=True):
        grains = [shape.outline(128)[0] + place for shape, place in zip(packing.shapes, packing.positions, strict=True)]
        axes.add_collection(PolyCollection(grains, facecolor=FILL, edgecolor=RIM, lw=0.9))
        words = "R = d" if sweep == VORONOI_D else f"R = {sweep / VORONOI_D:.2g} d"
        axes.set_title(f"dilated by {words}: void ratio {packing.void_ratio:.2f}", fontsize=10)
    return save_figure(figure, folder / "voronoi-minkowski.png")


def _candidates(cell: Floats, d: float) -> Floats:
    """The points of PRE10 eq 6, (n, 2): at the distance d from the two sides that meet in each vertex of `cell`."""
    step = np.roll(cell, -1, axis=0) - cell
    out = step / np.hypot(*step.T)[:, None]
    back = -np.roll(out, 1, axis=0)
    half = 0.5 * np.arccos((out * back).sum(axis=1))
    return cell + d / np.tan(half)[:, None] * out + d * np.stack([-out[:, 1], out[:, 0]], axis=1)


def _drawn(shape: Shape) -> list[Floats]:
    """Outline in the coordinates the shape was drawn in, so that it lies over what it was made from."""
    return [ring - shape.origin for ring in shape.outline(128)]


def _above_the_back(ring: Floats) -> Floats:
    """A free place in a picture of the cow."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    return np.array([0.35 * low[0] + 0.65 * high[0], high[1] - 0.15])


def _closed(ring: Floats) -> Floats:
    return np.concatenate([ring, ring[:1]])


def _vertices(shape: Shape) -> str:
    return "1 vertex" if len(shape.vertices) == 1 else f"{len(shape.vertices)} vertices"


def _disk(axes: Axes, at: ArrayLike, radius: float, label: str) -> None:
    """The disk that does the work, outlined in the colour of skeletons."""
    (ring,) = disk(radius=radius).outline(128)
    place = np.asarray(at, dtype=np.float64)
    axes.plot(*(ring + place).T, color=BONE, lw=1.0)
    axes.plot(*place, ".", color=BONE, ms=3)
    axes.annotate(label, (place[0], place[1]), (4, 3), textcoords="offset points", color=BONE, fontsize=9)


def _frame_of(axes: Axes, shape: Shape) -> None:
    """Equal axes without frame, as wide as the shape and a margin."""
    low, high = shape.vertices.min(axis=0) - 2.0 * shape.radius, shape.vertices.max(axis=0) + 2.0 * shape.radius
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
