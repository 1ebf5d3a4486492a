"""A movie of a run in space: the stage its frames are drawn on, and a GIF of shaded colours. The rest is as in the plane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.output.space.bodies import run_surfaces, turns
from clast.output.space.figures import FRAME, UNITS, Tint, write_axes
from clast.output.space.picture import Studio
from clast.output.space.view import Camera, view_of
from clast.output.store.reader import Frame, Run

if TYPE_CHECKING:
    from PIL.Image import Image

    from clast.output.figures.movie import Save

HEADER = 30  # pixels above the picture, for the time and the scale of colours
TALLEST = 1.1  # height of the picture over its width
DARKEST, LIGHTEST = 0.3, 1.25  # what light makes of a colour
GREYS = 32  # of the 256 colours of a GIF
COARSE = 3  # bits of a colour that do not matter
INK = "0.13"


class SpaceStage:
    """Bodies, camera, axes and header set up once; places, colours and the time change from frame to frame."""

    def __init__(self, studio: Studio, tint: Tint, spacing: float) -> None:
        self.studio, self.tint = studio, tint
        camera = studio.camera
        self.wide, self.tall = camera.width, camera.height - camera.top
        self.colors = tint.shades(np.linspace(0.0, tint.top, 16)) if tint.quantity in UNITS else tint.fixed(10)
        self.digits = max(0, int(np.ceil(-np.log10(spacing)))) if spacing > 0.0 else 3
        self._axes = self._overlay(camera)
        self._header, self._label = self._head()

    @classmethod
    def set_up(cls, run: Run, chosen: Sequence[int], width: int, color: str) -> SpaceStage:
        """A stage for some frames of a run."""
        bodies = run_surfaces(run)
        low, high = view_of(run, bodies, chosen)
        camera = Camera.towards(low, high, run.scene["gravity"], width - width % 2, TALLEST, FRAME * width // 900 + 20)
        times = run.frames.times[list(chosen)]
        spacing = float(times[1] - times[0]) if len(times) > 1 else 0.0
        return cls(Studio(bodies, camera), Tint.of(run, color, chosen), spacing)

    def _overlay(self, camera: Camera) -> Image:
        """Axes with nothing behind them, to be laid over every picture."""
        canvas = canvas_of(camera.width, camera.height)
        canvas.figure.patch.set_alpha(0.0)
        axes = canvas.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, camera.width), ylim=(camera.height, 0))
        axes.set_axis_off()
        write_axes(axes, camera)
        return image_of(canvas)

    def _head(self) -> tuple[Any, Any]:
        """The strip above the picture, and its text that shows the time."""
        canvas = canvas_of(self.wide, HEADER)
        style = {"va": "center", "color": INK, "fontsize": 9}
        label = canvas.figure.text(8 / self.wide, 0.5, "", **{**style, "fontsize": 11})
        if self.tint.quantity in UNITS:
            ramp = canvas.figure.add_axes(((self.wide - 130) / self.wide, 0.33, 80 / self.wide, 0.33))
            ramp.imshow(self.tint.shades(np.linspace(0.0, self.tint.top, 64))[None], aspect="auto")
            ramp.set_axis_off()
            canvas.figure.text((self.wide - 136) / self.wide, 0.5, f"{self.tint.quantity}   0", **style, ha="right")
            canvas.figure.text((self.wide - 44) / self.wide, 0.5, f"{self.tint.top:.2g}", **style)
        return canvas, label

    def draw(self, frame: Frame) -> Image:
        """The picture of a frame, RGB."""
        from PIL import Image

        bodies = self.studio.bodies
        shown = self.studio.draw(
            frame.positions, turns(frame), self.tint(frame), absent=frame.absent, period=bodies.period_at(frame),
            offset=frame.offset,
        )  # fmt: skip
        self._label.set_text(f"t = {frame.time:.{self.digits}f}" if self.digits < 6 else f"t = {frame.time:.4g}")
        whole = Image.new("RGB", (self.wide, HEADER + self.tall), "white")
        picture = Image.fromarray(shown).convert("RGBA")
        picture.alpha_composite(self._axes)
        whole.paste(picture.convert("RGB").crop((0, self.studio.camera.top, *picture.size)), (0, HEADER))
        whole.paste(image_of(self._header).convert("RGB"), (0, 0))
        return whole

    def close(self) -> None:
        """Let go of the graphics memory."""
        self.studio.close()


def canvas_of(width: int, height: int) -> Any:
    """An empty figure of so many pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    return FigureCanvasAgg(Figure(figsize=(width / 100.0, height / 100.0), dpi=100, facecolor="white"))


def image_of(canvas: Any) -> Image:
    """What is drawn on a canvas, RGBA."""
    from PIL import Image

    canvas.draw()
    return Image.fromarray(np.array(canvas.buffer_rgba()))


def shaded_gif_writer(fps: float) -> Save:
    """Write pictures as an animated GIF which plays for ever; one table of colours for all, so that nothing flickers."""
    from PIL import Image

    from clast.output.figures.movie import save_gif  # which imports this module

    def save(path: Path, pictures: Iterator[Image.Image], colors: np.ndarray) -> None:
        table = shaded_table(colors)
        nearest = nearest_colours(table)
        palette = table.astype(np.uint8).tobytes()

        def few() -> Iterator[Image.Image]:
            for picture in pictures:
                red, green, blue = np.moveaxis(np.asarray(picture) >> COARSE, 2, 0)
                flat = Image.fromarray(nearest[red, green, blue])
                flat.putpalette(palette)
                yield flat

        save_gif(path, few(), fps)

    return save


def shaded_table(colors: np.ndarray) -> np.ndarray:
    """At most 256 colours (k, 3) from 0 to 255: the given ones in all lights, half of them as seen through a wall; and greys."""
    count = max(2, (256 - GREYS) // len(colors))
    light = np.linspace(DARKEST, LIGHTEST, count)[:, None, None]
    veiled = np.where(np.arange(count)[:, None, None] % 2 == 1, 0.8 * light * colors + 0.2 * 0.6, light * colors)
    greys = np.repeat(np.linspace(0.1, 1.0, GREYS)[:, None], 3, axis=1)
    return np.rint(255.0 * np.clip(np.concatenate([veiled.reshape(-1, 3), greys]), 0.0, 1.0))


def nearest_colours(table: np.ndarray) -> np.ndarray:
    """For every colour of three times five bits the number of the nearest in the table (32, 32, 32)."""
    levels = (np.arange(256 >> COARSE) << COARSE) + (1 << COARSE) // 2
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    far = (cube**2).sum(axis=1)[:, None] - 2.0 * cube @ table.T + (table**2).sum(axis=1)
    return far.argmin(axis=1).reshape(3 * (len(levels),)).astype(np.uint8)
