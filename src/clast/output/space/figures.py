"""Figures of runs and scenes in space: pictures side by side, with axes along the box, times, and what the colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clast.algebra.quaternions import IDENTITY
from clast.output.figures.drawn import Axes, Figure
from clast.output.figures.plane import plain_figure
from clast.output.figures.view import MARGIN
from clast.output.space.bodies import Surfaces, run_surfaces, scene_surfaces, spins, turns
from clast.output.space.picture import Studio
from clast.output.space.surface import surface
from clast.output.space.view import Camera, box_around, view_of, wall_points
from clast.output.store.reader import Frame, Run
from clast.shapes.plane.inside import Floats
from clast.shapes.space.solid import Solid

if TYPE_CHECKING:
    from clast.output.figures.shades import Shades
    from clast.scene.space import Scene3D

COLORS = ("speed", "spin", "id", "none")
UNITS = {"speed": "length/time", "spin": "rad/time"}
MAP = "viridis"
PLAIN = (0.36, 0.56, 0.77)
MANY = ("#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#a0b8d8")
SCALE_AT = 0.98  # share of speeds below the top of the scale: one fast grain must not turn all others dark
WIDTH, TALLEST, FRAME = 900, 1.2, 70  # of a picture: pixels; height over width; pixels around the box for the axes
FINE = 16  # chords per right angle of a solid drawn alone
ACROSS = 4.5  # inches of a picture in a figure
INK = "0.25"


@dataclass(frozen=True)
class Tint:
    """How the grains are coloured: by the size of their velocity or spin up to `top`, by id, or all alike."""

    quantity: str
    top: float = 1.0

    @classmethod
    def of(cls, run: Run, quantity: str, chosen: Sequence[int]) -> Tint:
        """The scale of some frames of a run: up to what all but a few grains reach. If nothing moves, ids tell grains apart."""
        if quantity not in UNITS:
            return cls(quantity)
        grains = run.scene["body_big"] == 0
        some = [run.frames[k] for k in chosen[:: max(1, len(chosen) // 50)]]
        values = np.concatenate([sizes(frame, quantity)[grains & ~frame.absent] for frame in some])
        top = (float(np.quantile(values, SCALE_AT)) if values.size else 0.0) or float(values.max(initial=0.0))
        return cls(quantity, top) if top > 0.0 else cls("id")

    def __call__(self, frame: Frame) -> Floats:
        """Colours (n, 3) of the bodies in a frame."""
        return self.shades(sizes(frame, self.quantity)) if self.quantity in UNITS else self.fixed(len(frame.positions))

    def fixed(self, count: int) -> Floats:
        """Colours (n, 3) that do not change in time."""
        from matplotlib.colors import to_rgb

        table = np.array([to_rgb(each) for each in MANY] if self.quantity == "id" else [PLAIN])
        return table[np.arange(count) % len(table)]

    def shades(self, values: Floats) -> Floats:
        """Colours (n, 3) of values of the quantity."""
        import matplotlib

        return np.asarray(matplotlib.colormaps[MAP](0.08 + 0.87 * np.clip(values / self.top, 0.0, 1.0)))[:, :3]


def sizes(frame: Frame, quantity: str) -> Floats:
    """Size of the velocity (length/time) or spin (rad/time) of every body (n,)."""
    return np.linalg.norm(frame.velocities if quantity == "speed" else spins(frame), axis=1)


def frames_figure(
    run: Run, chosen: Sequence[int], color: str = "speed", *, hidden: np.ndarray | None = None, shades: Shades | None = None
) -> Figure:
    """Some frames of a run side by side, with one scale, one view and their times.

    hidden   bodies that are not drawn (n,)
    shades   colours of more kinds, in the place of `color`
    """
    bodies = run_surfaces(run)
    camera = Camera.towards(*view_of(run, bodies, chosen), run.scene["gravity"], WIDTH, TALLEST, FRAME)
    tint = Tint.of(run, color if shades is None else "none", chosen)
    studio = Studio(bodies, camera)
    try:
        pictures = []
        for k in chosen:
            frame = run.frames[k]
            colours = tint(frame) if shades is None else shades.colours(k)
            absent = frame.absent if hidden is None else frame.absent | hidden
            period, offset = bodies.period_at(frame), frame.offset
            pictures.append(studio.draw(frame.positions, turns(frame), colours, absent=absent, period=period, offset=offset))
    finally:
        studio.close()
    figure = compose(pictures, camera, [f"t = {run.frames[k].time:.4g}" for k in chosen], tint)
    if shades is not None:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width + 1.2, height)
        shades.add_key(figure, figure.axes)
    return figure


def scene_figure(scene: Scene3D) -> Figure:
    """A picture of a scene in space, where its bodies start; grains of sources are not there yet."""
    bodies = scene_surfaces(scene)
    positions, orientations = scene.bodies.column("position"), scene.bodies.column("orientation")
    absent = np.isin(np.arange(len(positions)), scene.waiting)
    grains = np.flatnonzero(~bodies.big & ~absent)
    walls = wall_points(bodies, positions, orientations)
    low, high = box_around(bodies, grains, [(positions[grains], np.ones(grains.size, bool))], walls)
    margin = MARGIN * float((high - low).max())
    low = np.where(bodies.period > 0.0, 0.0, low - margin)
    high = np.where(bodies.period > 0.0, bodies.period, high + margin)
    camera = Camera.towards(low, high, np.array(scene.gravity), WIDTH, TALLEST, FRAME)
    tint = Tint("id")
    studio = Studio(bodies, camera)
    try:
        tints, offset = tint.fixed(len(positions)), scene.box.offset
        return compose([studio.draw(positions, orientations, tints, offset=offset, absent=absent)], camera, [""], tint)
    finally:
        studio.close()


def solid_figure(solid: Solid) -> Figure:
    """A picture of one solid in its body frame: centre of mass at the origin, axes the principal ones."""
    bodies = Surfaces([surface(solid, FINE)], np.zeros(1, np.int64), np.zeros(1, bool), np.zeros(3))
    low, high = bodies.meshes[0].points.min(axis=0), bodies.meshes[0].points.max(axis=0)
    camera = Camera.towards(low, high, np.zeros(3), WIDTH, TALLEST, FRAME)
    tint = Tint("none")
    studio = Studio(bodies, camera)
    try:
        return compose([studio.draw(np.zeros((1, 3)), np.array([IDENTITY]), tint.fixed(1))], camera, [solid.name], tint)
    finally:
        studio.close()


def compose(pictures: Sequence[np.ndarray], camera: Camera, titles: Sequence[str], tint: Tint) -> Figure:
    """Pictures of one camera side by side, each with axes and a title; a scale of colours where they mean a number."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    figure = plain_figure()
    tall = ACROSS * (camera.height - camera.top) / camera.width
    scaled = tint.quantity in UNITS
    figure.set_size_inches(ACROSS * len(pictures) + 0.2 + 0.8 * scaled, tall + 0.4)
    row = figure.subplots(1, len(pictures), squeeze=False)[0]
    for axes, picture, title in zip(row, pictures, titles, strict=True):
        axes.imshow(picture, interpolation="antialiased", extent=(0, camera.width, camera.height, 0))
        axes.set_axis_off()
        axes.set_ylim(camera.height, camera.top)
        axes.set_title(title, fontsize=11)
        write_axes(axes, camera)
    if scaled:
        colours = ListedColormap(tint.shades(np.linspace(0.0, tint.top, 256)))
        scale = ScalarMappable(Normalize(0.0, tint.top), colours)
        figure.colorbar(scale, ax=list(row), shrink=0.6, aspect=25, pad=0.01, label=f"{tint.quantity} [{UNITS[tint.quantity]}]")
    return figure


def write_axes(axes: Axes, camera: Camera, size: float = 8.0) -> None:
    """Numbers along three edges of the box: in front below, to the right below, and up on the left."""
    from matplotlib.ticker import MaxNLocator

    unit = 0.01 * camera.width
    for axis, start, away in camera.rims():
        low, high = float(camera.low[axis]), float(camera.high[axis])
        values = [each for each in MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= each <= high]
        places = np.tile(start, (len(values) + 1, 1))
        places[:, axis] = [*values, 0.5 * (low + high)]
        at, way = camera.pixels(places), unit * np.array(away)
        side = "right" if away[0] < -0.5 else "left" if away[0] > 0.5 else "center"
        for value, place in zip(values, at, strict=False):
            axes.plot(*np.stack([place, place + 0.7 * way]).T, color=INK, lw=0.8, clip_on=False)
            label = f"{value:.6g}".replace("-", "−")
            x, y = place + 1.7 * way
            axes.text(x, y, label, fontsize=size, color=INK, ha=side, va="center" if side != "center" else "top")
        x, y = at[-1] + 6.5 * way
        axes.text(x, y, "xyz"[axis], fontsize=size + 2.0, color=INK, ha="center", va="center")
