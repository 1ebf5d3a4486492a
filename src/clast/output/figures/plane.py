"""Pictures of bodies: of a stored run (never of a live one), or of a scene that has not moved yet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.lattice import put_back, shifts
from clast.measures.stored import frame_offset
from clast.output.figures.areas import rings_of, run_areas, scene_areas
from clast.output.figures.drawn import Axes, Figure, SubFigure
from clast.output.figures.view import view_of
from clast.output.store.reader import Frame, Run
from clast.scene.plane import Scene

if TYPE_CHECKING:
    from clast.scene.space import Scene3D

MOVE, DRAW, CLOSE = 1, 2, 79  # matplotlib's codes of a path: go there, a line there, back to where the ring began
GRAIN, WALL = "C0", "0.55"
DPI = 130


@dataclass(frozen=True)
class Outlines:
    """What a picture needs to know of the bodies besides where they are."""

    rings: Sequence[np.ndarray]  # outline of each shape in its body frame without holes, (k, 2)
    shape: np.ndarray  # (n,) which of them a body has
    big: np.ndarray  # (n,)
    period: np.ndarray  # (2,) 0: open
    offset: float = 0.0  # of a sheared cell
    holes: Sequence[Sequence[np.ndarray]] = ()  # of each shape, rings that go round the other way; () if none has any

    @cached_property
    def curves(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Points (k, 2) of each shape, its holes after its outline, and what matplotlib does at each (k,)."""
        points, codes = [], []
        for k, ring in enumerate(self.rings):
            rings = [ring, *(self.holes[k] if self.holes else ())]
            points.append(np.concatenate(rings))
            codes.append(np.concatenate([np.r_[MOVE, np.full(len(each) - 2, DRAW), CLOSE] for each in rings]))
        return points, codes

    def put(self, drawn: Any, placed: np.ndarray, owners: np.ndarray) -> None:
        """Give matplotlib's collection of polygons the bodies `owners` that `place` has placed."""
        codes = self.curves[1]
        if not (self.holes and any(self.holes[k] for k in np.unique(self.shape[owners]))):
            drawn.set_verts(placed)  # much faster
            return
        length = placed.shape[1]
        each = [np.pad(codes[k], (0, length - len(codes[k])), constant_values=DRAW) for k in self.shape[owners]]
        drawn.set_verts_and_codes(placed, each)

    def at(self, frame: Frame) -> Outlines:
        """The same with the periods of a frame, where the cell moves."""
        return replace(self, period=frame["period"], offset=frame_offset(frame)) if "period" in frame.names else self

    def place(self, chosen: np.ndarray, positions: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Outlines with holes (m, k, 2) of `chosen` bodies at `positions` (n, 2) and `angles` (n,) of all; whose each is (m,).

        Grains are put back into a periodic box, with copies where they cross a side or a corner. Short rings repeat their
        last point, so that all have one length: one array is drawn much faster than a list.
        """
        chosen = np.asarray(chosen, dtype=np.int64)
        if chosen.size == 0:
            return np.zeros((0, 3, 2)), chosen
        used, which = np.unique(self.shape[chosen], return_inverse=True)
        points = self.curves[0]
        longest = max(len(points[k]) for k in used)
        table = np.stack([np.pad(points[k], ((0, longest - len(points[k])), (0, 0)), mode="edge") for k in used])
        inside = positions[chosen].astype(np.float64)
        grains = ~self.big[chosen]
        inside[grains] = put_back(inside[grains], self.period, self.offset)
        c, s = np.cos(angles[chosen]), np.sin(angles[chosen])
        turn = np.stack([np.stack([c, s], axis=-1), np.stack([-s, c], axis=-1)], axis=-2)
        rings = table[which] @ turn + inside[:, None, :]
        placed, owners = [rings], [chosen]
        low, high = rings.min(axis=1), rings.max(axis=1)
        for shift in copies(self.period, self.offset):
            if shift.any():
                seen = grains & ((high + shift > 0.0) & (low + shift < np.where(self.period > 0.0, self.period, np.inf))
                                 | (self.period == 0.0)).all(axis=1)  # fmt: skip
                placed.append(rings[seen] + shift)
                owners.append(chosen[seen])
        return np.concatenate(placed), np.concatenate(owners)


def copies(period: np.ndarray, offset: float) -> Iterator[np.ndarray]:
    """Ways (2,) to a periodic cell itself and to the images next to it."""
    lean = offset % period[0] if offset != 0.0 else 0.0  # the same lattice, and the images above still near
    across = (-2, -1, 0, 1, 2) if lean else (-1, 0, 1)
    sides = [near if each > 0.0 else (0,) for near, each in zip((across, (-1, 0, 1)), period, strict=True)]
    for image in itertools.product(*sides):
        yield shifts(np.array(image), period, lean)


def outlines_of(areas: Sequence[Any], which: np.ndarray, big: np.ndarray, period: np.ndarray, offset: float = 0.0) -> Outlines:
    """Bodies that cover these areas in their body frames."""
    rings = [rings_of(area) for area in areas]
    return Outlines([each[0] for each in rings], which, big, period, offset, [each[1:] for each in rings])


def scene_outlines(scene: Scene) -> Outlines:
    """The bodies of a scene, for a picture."""
    areas, which = scene_areas(scene)
    period = np.array([scene.box.period_x, scene.box.period_y])
    return outlines_of(areas, which, scene.bodies.column("big"), period, scene.box.offset)


def run_outlines(run: Run) -> Outlines:
    """The bodies of a stored run, for a picture."""
    scene = run.scene
    return outlines_of(run_areas(run), scene["body_shape"], scene["body_big"].astype(bool), scene["period"])


def draw_bodies(
    axes: Axes, bodies: Outlines, chosen: np.ndarray, positions: np.ndarray, angles: np.ndarray, *,
    colours: np.ndarray | None = None, **style: Any,
) -> None:  # fmt: skip
    """Add the `chosen` bodies to a picture; `colours` (n, 3) of all bodies, or else one for all by `facecolor`."""
    from matplotlib.collections import PolyCollection

    rings, owners = bodies.place(chosen, positions, angles)
    placed: Any = PolyCollection([], **{"edgecolor": "k", "lw": 0.3, **style})
    bodies.put(placed, rings, owners)
    if colours is not None:
        placed.set_facecolor(colours[owners])
    axes.add_collection(placed)


def fit_axes(axes: Axes, period: np.ndarray) -> None:
    """Equal scales; a periodic side shows one period."""
    axes.autoscale_view()
    axes.set_aspect("equal")
    if period[0] > 0.0:
        axes.set_xlim(0.0, period[0])
    if period[1] > 0.0:
        axes.set_ylim(0.0, period[1])


def draw_frames(axes: Axes, run: Run, chosen: Iterable[int], bodies: Outlines | None = None) -> None:
    """Draw configurations into one picture, later ones darker; walls as they are in the first."""
    bodies = bodies or run_outlines(run)
    chosen = list(chosen)
    for order, index in enumerate(chosen):
        frame = run.frames[index]
        bodies = bodies.at(frame)
        if order == 0:
            draw_bodies(axes, bodies, np.flatnonzero(bodies.big), frame.positions, frame.angles, facecolor=WALL)
        shade = 0.25 + 0.6 * (order + 1) / len(chosen)
        grains = np.flatnonzero(~bodies.big & ~frame.absent)
        draw_bodies(axes, bodies, grains, frame.positions, frame.angles, facecolor=GRAIN, alpha=shade)
    fit_axes(axes, bodies.period)


def draw_scene(axes: Axes, scene: Scene) -> None:
    """Draw the bodies of a scene where they start; grains of sources are not there yet."""
    bodies = scene_outlines(scene)
    positions, angles = scene.bodies.column("position"), scene.bodies.column("angle")
    for big, color in ((True, WALL), (False, GRAIN)):
        there = np.setdiff1d(np.flatnonzero(bodies.big == big), scene.waiting)
        draw_bodies(axes, bodies, there, positions, angles, facecolor=color)
    fit_axes(axes, bodies.period)


def plain_figure() -> Figure:
    """A figure that no window or notebook shows by itself, so that one returned at the end of a cell is shown once."""
    from matplotlib.figure import Figure

    return Figure(dpi=DPI, layout="constrained")


def fit_figure(figure: Figure, columns: int) -> None:
    """Give a figure of pictures side by side, all of one view, the size that leaves no empty paper around them."""
    (left, right), (bottom, top) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    scale = min(4.5 / (right - left), 6.0 / (top - bottom))  # inches
    wide, tall = max(1.2, scale * (right - left)), max(1.2, scale * (top - bottom))
    figure.set_size_inches(columns * wide + 0.25 * columns + 0.5, tall + 0.9)


def scene_figure(scene: Scene | Scene3D) -> Figure:
    """A picture of a scene."""
    if not isinstance(scene, Scene):
        from clast.output.space import figures

        return figures.scene_figure(scene)
    figure = plain_figure()
    axes = figure.add_subplot()
    draw_scene(axes, scene)
    axes.set(xlabel="x", ylabel="y")
    fit_figure(figure, 1)
    return figure


def frames_figure(run: Run, chosen: Sequence[int]) -> Figure:
    """Some frames of a run side by side, with one scale and their times; grains that fell far out do not count."""
    if run.in_space:
        from clast.output.space import figures

        return figures.frames_figure(run, chosen)
    bodies = run_outlines(run)
    low, high = view_of(run, bodies, chosen)
    figure = plain_figure()
    row = figure.subplots(1, len(chosen), sharex=True, sharey=True, squeeze=False)[0]
    for axes, index in zip(row, chosen, strict=True):
        draw_frames(axes, run, [index], bodies)
        axes.set(xlabel="x", title=f"t = {run.frames[index].time:.4g}", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    row[0].set_ylabel("y")
    fit_figure(figure, len(chosen))
    return figure


def draw_run(run: Run) -> list[Path]:
    """The figures of any run, into its folder: first, middle and last frame where there are frames, and the energy book."""
    paths = [save_figure(run.book.plot(), run.folder / "energy.png")]
    if count := len(run.frames):
        paths.insert(0, save_figure(frames_figure(run, sorted({0, count // 2, count - 1})), run.folder / "frames.png"))
    return paths


def save_figure(figure: Figure | SubFigure, path: Path) -> Path:
    """Write a figure and let go of it."""
    import matplotlib.pyplot as plt

    whole = figure.figure
    whole.savefig(path, dpi=DPI)
    plt.close(whole)
    return path
