"""A movie of the stored frames of a run: an animated GIF by Pillow, or an MP4 where an encoder is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.errors import InputError, StoreError
from clast.output.figures.plane import Outlines, run_outlines
from clast.output.figures.view import view_of
from clast.output.progress import Progress, quiet
from clast.output.store.atomic import write_whole
from clast.output.store.reader import Frame, Run

if TYPE_CHECKING:
    from PIL.Image import Image

    from clast.output.space.movie import SpaceStage

KINDS = ("gif", "mp4")
COLORS = ("speed", "spin", "none")
MOST_FRAMES = 600  # unless `every` is given: 24 s at 25 frames per second, and what a GIF may hold in memory
GIF_FPS, MP4_FPS = 50.0, 240.0  # a GIF with more is shown slower: viewers take a delay below 1/50 s for a mistake
LEVELS = 9  # colours of a quantity: few, so that a GIF stays small; odd, so that no spin has one of its own
HEADER = 30  # pixels above the picture, for the time and the scale of colours
TALLEST = 1.25  # height of the picture over its width
SMALLEST, LARGEST = 200, 4000  # pixels
WHITE, WALL, PLAIN, INK = (1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (0.27, 0.47, 0.68), (0.13, 0.13, 0.13)
BACK, STILL, FORTH = (0.10, 0.35, 0.80), (0.65, 0.65, 0.65), (0.85, 0.20, 0.10)  # spin clockwise, none, counter-clockwise
GAP = 0.5  # points; a white line around each grain tells neighbours apart and costs a GIF less than a dark one
RIM = 0.7  # points: a wall that is a thin line can be seen
SCALE_AT = 0.98  # share of speeds below the top of the scale: one fast grain must not turn all others dark


def write_movie(
    run: Run,
    out: Path | None = None,
    *,
    kind: str | None = None,
    fps: float = 25.0,
    width: int = 800,
    every: int | None = None,
    color: str = "speed",
    progress: Progress | None = None,
) -> Path:
    """Draw the frames of `run` into a movie and return its path.

    out      file; None for movie.gif or movie.mp4 in the run's folder
    kind     "gif" or "mp4"; None for what `out` ends in, or gif
    fps      frames per second
    width    of the picture, in pixels; a tall one is made narrower
    every    draw every n-th frame; None for all, or for as many as make 600 at most
    color    "speed" (length/time), "spin" (rad/time) or "none"; in space also "id"

    InputError for what cannot be, StoreError if the disk refuses; an older movie of that name is then intact.
    """
    ending = out.suffix.lower().removeprefix(".") if out is not None else kind or "gif"
    kind = kind or ending
    if kind not in KINDS:
        raise InputError(f"a movie is one of {', '.join(KINDS)}, not '{kind}'")
    if ending != kind:
        raise InputError(f"{out} does not end in .{kind}: choose one or the other")
    known = (*COLORS, "id") if run.in_space else COLORS
    if color not in known:
        raise InputError(f"grains are coloured by one of {', '.join(known)}, not '{color}'")
    if not 0.0 < fps <= (GIF_FPS if kind == "gif" else MP4_FPS):
        raise InputError(f"{fps:g} frames per second: give more than 0, and at most {GIF_FPS:g} for gif or {MP4_FPS:g} for mp4")
    if not SMALLEST <= width <= LARGEST:
        raise InputError(f"a movie {width} pixels wide: give a width from {SMALLEST} to {LARGEST}")
    if every is not None and every < 1:
        raise InputError(f"every {every}-th frame: give 1 or more")
    if len(run.frames) == 0:
        raise InputError(f"no frames are stored in {run.folder}: there is nothing to draw")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"there is no folder {out.parent} to put the movie into")
    progress = progress or quiet()
    chosen = range(0, len(run.frames), every or -(-len(run.frames) // MOST_FRAMES))
    stage, save = prepare(run, chosen, width, color, kind, fps)

    def draw() -> Iterator[Image]:
        for k, index in enumerate(chosen):
            progress.update(k, len(chosen))
            yield stage.draw(run.frames[index])

    path = out or run.folder / f"movie.{kind}"
    try:
        with progress:
            write_whole(path, lambda temporary: save(temporary, draw(), stage.colors))
    except StoreError as error:
        raise StoreError(f"{path} cannot be written ({error.__cause__}): make room, or choose another place") from error
    finally:
        stage.close()
    return path


def prepare(run: Run, chosen: Sequence[int], width: int, color: str, kind: str, fps: float) -> tuple[Stage | SpaceStage, Save]:
    """The stage that draws the frames of a run, and the function that writes them; InputError if a package is missing."""
    encode = mp4_writer(fps) if kind == "mp4" else None
    if not run.in_space:
        return Stage.set_up(run, chosen, width, color), encode or gif_writer(fps)
    from clast.output.space.movie import SpaceStage, shaded_gif_writer

    return SpaceStage.set_up(run, chosen, width, color), encode or shaded_gif_writer(fps)


@dataclass(frozen=True)
class Shades:
    """How a quantity of the grains becomes a colour: one of a few levels between two values."""

    quantity: str
    low: float
    high: float
    table: np.ndarray  # (LEVELS, 3)

    @classmethod
    def of(cls, run: Run, quantity: str, chosen: Sequence[int], seen: Callable[[Frame], np.ndarray]) -> Shades:
        """The scale of a run: speeds from 0, spins alike both ways, up to what all but a few of the bodies `seen` reach."""
        import matplotlib

        if quantity == "none":
            return cls(quantity, 0.0, 1.0, np.array([PLAIN]))
        some = [run.frames[k] for k in chosen[:: max(1, len(chosen) // 50)]]
        values = np.abs(np.concatenate([measure(frame, quantity)[seen(frame)] for frame in some]))
        top = float(np.quantile(values, SCALE_AT)) if values.size else 0.0
        top = top or float(values.max(initial=0.0)) or 1.0
        if quantity == "speed":
            return cls(quantity, 0.0, top, matplotlib.colormaps["viridis"](np.linspace(0.08, 0.95, LEVELS))[:, :3])
        ends = np.array([BACK, STILL, FORTH])
        where = np.linspace(0.0, 2.0, LEVELS)
        return cls(quantity, -top, top, np.stack([np.interp(where, (0, 1, 2), ends[:, c]) for c in range(3)], axis=1))

    def __call__(self, frame: Frame, owners: np.ndarray) -> np.ndarray:
        """Colours (m, 3) of the bodies `owners` in a frame."""
        if self.quantity == "none":
            return np.broadcast_to(self.table[0], (len(owners), 3))
        share = (measure(frame, self.quantity)[owners] - self.low) / (self.high - self.low)
        return self.table[np.clip(share * LEVELS, 0, LEVELS - 1).astype(np.int64)]


def measure(frame: Frame, quantity: str) -> np.ndarray:
    """Speed (length/time) or spin (rad/time) of every body."""
    return np.hypot(*frame.velocities.T) if quantity == "speed" else frame.spins


class Stage:
    """A figure made once, whose bodies and label change from frame to frame."""

    def __init__(self, bodies: Outlines, shades: Shades, low: np.ndarray, high: np.ndarray, width: int, spacing: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure

        self.bodies, self.shades = bodies, shades
        self.colors = np.concatenate([shades.table, [WALL, INK]])  # besides white
        self.walls = np.flatnonzero(bodies.big)
        scale = min(width / (high[0] - low[0]), TALLEST * width / (high[1] - low[1]))
        self.wide = max(SMALLEST, even(scale * (high[0] - low[0])))
        tall = max(2, even(scale * (high[1] - low[1])))
        self.height = tall + HEADER
        self.figure = Figure(figsize=(self.wide / 100.0, self.height / 100.0), dpi=100, facecolor=WHITE)
        self.canvas = FigureCanvasAgg(self.figure)
        axes = self.figure.add_axes((0.0, 0.0, 1.0, tall / self.height))
        middle, half = 0.5 * (low[0] + high[0]), 0.5 * self.wide / scale  # a picture too narrow for its header is widened
        axes.set(xlim=(middle - half, middle + half), ylim=(low[1], high[1]))
        axes.set_axis_off()
        self.wall_shapes: Any = PolyCollection([], facecolor=[WALL], edgecolor=[WALL], lw=RIM)
        self.grain_shapes: Any = PolyCollection([], edgecolor=[WHITE], lw=GAP)
        axes.add_collection(self.wall_shapes)
        axes.add_collection(self.grain_shapes)
        self.digits = int(np.ceil(-np.log10(spacing))) if spacing > 0.0 else 3
        self.label = self._text(8, "", fontsize=11)
        if shades.quantity != "none":
            self._add_scale()

    @classmethod
    def set_up(cls, run: Run, chosen: Sequence[int], width: int, color: str) -> Stage:
        """A stage for some frames of a run."""
        bodies = run_outlines(run)
        low, high = view_of(run, bodies, chosen)

        def seen(frame: Frame) -> np.ndarray:
            inside = (frame.positions >= low) & (frame.positions <= high) | (bodies.period > 0.0)
            return ~bodies.big & ~frame.absent & inside.all(axis=1)

        shades = Shades.of(run, color, chosen, seen)
        times = run.frames.times[list(chosen)]
        spacing = float(times[1] - times[0]) if len(times) > 1 else 0.0
        return cls(bodies, shades, low, high, width, spacing)

    def _text(self, x: float, words: str, **style: Any) -> Any:
        """Words in the header, `x` pixels from the left."""
        y = 1.0 - 0.5 * HEADER / self.height
        return self.figure.text(x / self.wide, y, words, **{"va": "center", "color": INK, "fontsize": 9, **style})

    def _add_scale(self) -> None:
        """The colours in the header, with the values at their ends."""
        low, high = f"{self.shades.low:.2g}".replace("-", "−"), f"{self.shades.high:.2g}"
        ramp = self.figure.add_axes(((self.wide - 130) / self.wide, 1.0 - 20 / self.height, 80 / self.wide, 10 / self.height))
        ramp.imshow(self.shades.table[None], aspect="auto")
        ramp.set_axis_off()
        name = f"{self.shades.quantity}   {low}" if self.wide >= 300 else low
        self._text(self.wide - 136, name, ha="right")
        self._text(self.wide - 44, high)

    def draw(self, frame: Frame) -> Image:
        """The picture of a frame, RGB."""
        from PIL import Image

        bodies = self.bodies.at(frame)
        bodies.put(self.wall_shapes, *bodies.place(self.walls, frame.positions, frame.angles))
        grains = np.flatnonzero(~bodies.big & ~frame.absent)
        placed, owners = bodies.place(grains, frame.positions, frame.angles)
        bodies.put(self.grain_shapes, placed, owners)
        self.grain_shapes.set_facecolor(self.shades(frame, owners))
        self.label.set_text(f"t = {frame.time:.{max(self.digits, 0)}f}" if self.digits < 6 else f"t = {frame.time:.4g}")
        self.canvas.draw()
        return Image.fromarray(np.asarray(self.canvas.buffer_rgba())[:, :, :3])

    def close(self) -> None:
        """Nothing to let go of: the figure is this object's own."""


def even(length: float) -> int:
    """A number of pixels that a video encoder takes."""
    return 2 * round(0.5 * length)


Save = Callable[[Path, "Iterator[Image]", np.ndarray], None]


def gif_writer(fps: float) -> Save:
    """Write pictures as an animated GIF of a few colours, which plays for ever."""
    from PIL import Image

    def save(path: Path, pictures: Iterator[Image.Image], colors: np.ndarray) -> None:
        # Soft edges are most of a GIF's bytes, and the nearest of few colours would often be a wrong one: so look them up
        # among mixtures with white, and keep what is half a colour or more as that colour, except in the ink of letters.
        shares = (1.0, 0.75, 0.5, 0.25)
        mixed = np.concatenate([share * colors + (1.0 - share) for share in shares])
        few_colors = np.concatenate([colors, 0.6 * colors[-1:] + 0.4, [WHITE]])
        ink, soft, white = len(colors) - 1, len(colors), len(colors) + 1
        table = np.full(256, white, dtype=np.uint8)
        for k, share in enumerate(shares):
            table[k * len(colors) : (k + 1) * len(colors)] = np.arange(len(colors)) if share >= 0.5 else white
        table[ink + len(colors) : 4 * len(colors) : len(colors)] = soft
        finder = Image.new("P", (1, 1))
        finder.putpalette(np.rint(255.0 * np.concatenate([mixed, [WHITE]])).astype(np.uint8).tobytes())
        palette = np.rint(255.0 * few_colors).astype(np.uint8).tobytes()

        def flat() -> Iterator[Image.Image]:
            for picture in pictures:
                found = np.asarray(picture.quantize(palette=finder, dither=Image.Dither.NONE))
                few = Image.fromarray(table[found])
                few.putpalette(palette)
                yield few

        save_gif(path, flat(), fps)

    return save


def save_gif(path: Path, pictures: Iterator[Image], fps: float) -> None:
    """Write pictures with their palettes as a GIF that plays for ever."""
    next(pictures).save(
        path, format="GIF", save_all=True, append_images=pictures, duration=round(1000.0 / fps), loop=0, optimize=False
    )


def mp4_writer(fps: float) -> Save:
    """Write pictures as an MP4 that browsers play (H.264); InputError where the encoder is not installed."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise InputError('an mp4 needs an encoder: pip install "clast[movie]", or write a gif') from None

    def save(path: Path, pictures: Iterator[Image], _: np.ndarray) -> None:
        first = next(pictures)
        video = imageio_ffmpeg.write_frames(
            str(path), first.size, fps=fps, codec="libx264", quality=None, macro_block_size=2, ffmpeg_log_level="error",
            output_params=["-crf", "20", "-f", "mp4", "-movflags", "+faststart"],
        )  # fmt: skip
        video.send(None)
        try:
            video.send(first.tobytes())
            for picture in pictures:
                video.send(picture.tobytes())
        finally:
            video.close()

    return save
