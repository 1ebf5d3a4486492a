"""A picture of grains: how bright each pixel is, and whether it is grain or ground.

Light falls unevenly on a table, so one threshold for the whole picture may take a dim corner for a grain. The brightness of
the ground is therefore fitted by a surface of second degree, and the picture divided by it: light multiplies. Which pixels
are ground is not known before, so threshold and surface are found in turn until neither changes, from two beginnings (the
picture as it is, and less a surface through all of it); the end in which grains and ground differ more is kept.

scikit-image does the work. It is an extra: everything else runs without it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from clast.errors import InputError
from clast.shapes.plane.inside import Bools, Floats

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".pgm", ".ppm")
FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "PPM")  # no format that is a program, as EPS
LEAST_SIDE = 16  # pixels
MOST_PIXELS = 32_000_000  # about 150 bytes are needed for each
FLAT = 4.0 / 255.0  # a picture that varies by less shows nothing
APART = 3.0  # means of grains and ground over the scatter in each; noise cut in two at its mean has 2.65
GROUND = 0.1  # of the picture: with less ground than this its light is not looked for
DIM = 0.15  # ground darker than this somewhere gives no light to divide by
UNEVEN = 4.0  # brightest over darkest ground: if it is dim somewhere and varies by more, grains there may be lost
_ROUNDS = 20
_SAME = 1e-5  # of the pixels: if fewer change from round to round it is over; a single one may flicker for ever
_FIT_PIXELS = 40_000  # that the surface is fitted to


@dataclass(frozen=True)
class Parted:
    """A picture (h, w) parted into grains and ground."""

    even: Floats  # brightness, smoothed, as if the light were even
    grain: Bools
    ground: float  # brightness of the ground there
    level: float  # brightness at which grains end
    dark: bool  # grains are darker than the ground
    given: bool  # the level was given, and holds for every grain
    dim: bool = False  # one side of the ground is so dark that grains there may be lost


def tool(name: str) -> Any:
    """A module of scikit-image, or InputError how to get it."""
    try:
        return import_module(f"skimage.{name}")
    except ImportError:
        raise InputError('grains from a picture need scikit-image: pip install "clast[image]"') from None


def brightness(path: str | Path) -> Floats:
    """Brightness (h, w) of a picture from 0, black, to 1, white; the first row is the upper one.

    Colours count as the eye sees them. Where a picture is transparent it gets a ground that its grains stand out from.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    file = Path(path)
    if not file.exists():
        raise InputError(f"there is no picture {file}")
    try:
        with warnings.catch_warnings(), Image.open(file, formats=FORMATS) as opened:
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # its size is judged here
            require_size(file, *opened.size)
            image = ImageOps.exif_transpose(opened)
            if image.has_transparency_data:
                grey = on_ground(np.asarray(image.convert("RGBA"), dtype=np.float64) / 255.0)
            elif image.mode.startswith(("I", "F")):
                grey = of_wide_range(np.asarray(image, dtype=np.float64), image.mode)
            else:
                grey = luminance(np.asarray(image.convert("RGB"), dtype=np.float64) / 255.0)
    except UnidentifiedImageError:
        raise InputError(f"{file} is not a picture: {', '.join(FORMATS)} can be read") from None
    except Image.DecompressionBombError:
        raise InputError(f"{file} has more than {MOST_PIXELS // 1_000_000} million pixels: make it smaller") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:  # a damaged file raises many kinds of error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"the picture {file} cannot be read: {reason}") from None
    if not np.isfinite(grey).all():
        raise InputError(f"the picture {file} has pixels that are not numbers: write it again as PNG")
    return grey


def require_size(file: Path, width: int, height: int) -> None:
    """InputError for a picture too small to show a grain, or too large to be held."""
    if min(width, height) < LEAST_SIDE:
        raise InputError(f"{file} has only {width} × {height} pixels: take a larger picture, grains at least 20 pixels across")
    if width * height > MOST_PIXELS:
        raise InputError(f"{file} has {width} × {height} pixels, more than {MOST_PIXELS // 1_000_000} million: make it smaller")


def luminance(colours: Floats) -> Floats:
    """Brightness (h, w) of red, green and blue (h, w, 3)."""
    return np.asarray(colours @ np.array([0.299, 0.587, 0.114]))


def on_ground(colours: Floats) -> Floats:
    """Brightness (h, w) of a picture (h, w, 4) laid on white, or on black if what is seen of it is bright."""
    grey, cover = luminance(colours[..., :3]), colours[..., 3]
    seen = float((grey * cover).sum()) / max(float(cover.sum()), 1e-9)
    return np.asarray(cover * grey + (1.0 - cover) * (1.0 if seen < 0.5 else 0.0))


def of_wide_range(values: Floats, mode: str) -> Floats:
    """Brightness (h, w) of a picture with more than 256 levels, of which many use only a part."""
    if mode.startswith("I;16") or (mode == "I" and values.min() >= 0.0 and values.max() < 65536.0):
        return values / 65535.0
    span = float(np.ptp(values))
    return (values - values.min()) / (span if span > 0.0 else 1.0)


def part(grey: Floats, *, threshold: float | str, dark: bool | None, smoothing: float, where: str) -> Parted:
    """Which pixels of a picture (h, w) are grain.

    threshold   "otsu": found, with the light evened out; or a brightness between 0 and 1 in the picture as it is
    dark        whether grains are darker than the ground; None: the ground is what most of the border shows
    smoothing   standard deviation of the blur that takes out noise, pixels
    where       the picture's name, for error messages
    """
    # a picture of 16 bits may fill a small part of its range: what matters is how far the signal stands out of that
    smooth = np.asarray(tool("filters").gaussian(grey, sigma=smoothing, mode="nearest", preserve_range=True), dtype=np.float64)
    low, high = np.percentile(smooth, [0.0, 100.0])
    least = min(FLAT, 0.5 * max(high, 1e-9))
    if high - low < least:
        raise InputError(f"{where} shows nothing: it is {_shade(0.5 * (low + high))} all over")
    if not isinstance(threshold, str):
        level = _checked_level(threshold, low, high, where)
        grain = _grains(smooth, level, dark)
        ground = float(np.median(smooth[~grain]))
        return Parted(smooth, grain, ground, level, bool(ground > level), True)
    if threshold != "otsu":
        raise InputError(f'threshold is "otsu" or a brightness between 0 and 1, not {threshold!r}')
    best: tuple[float, Floats, Bools, float] | None = None
    for start in (smooth, smooth - _surface(smooth, np.ones(smooth.shape, dtype=np.bool_))):
        found = _evened(smooth, start, dark, smoothing)
        if best is None or found[0] > best[0]:
            best = found
    assert best is not None
    apart, even, grain, level = best
    if apart < APART:
        raise InputError(
            f"{where} shows no grains that stand out from the ground: the two differ by {apart:.1f} times the scatter of "
            "brightness, as in noise; take a sharper picture on a plain ground, or give smoothing or threshold"
        )
    ground = float(np.median(even[~grain]))
    if abs(float(np.median(even[grain])) - ground) < least:
        raise InputError(f"{where} shows nothing but uneven light: lay grains on a ground that they stand out from")
    light = _surface(smooth, ~grain)
    dim = bool(light.min() < DIM and light.max() > UNEVEN * max(float(light.min()), FLAT))
    return Parted(even, grain, ground, level, bool(ground > level), False, dim)


def _checked_level(threshold: float, low: float, high: float, where: str) -> float:
    try:
        level = float(threshold)
    except (TypeError, ValueError):
        raise InputError(f'threshold is "otsu" or a brightness between 0 and 1, not {threshold!r}') from None
    if not low < level < high:
        raise InputError(f"threshold {level:.6g}: {where} has brightnesses from {low:.3g} to {high:.3g} only; choose one between")
    return level


def _shade(value: float) -> str:
    return "black" if value < 0.02 else "white" if value > 0.98 else "of one brightness (colour alone is not seen)"


def _dark_grains(below: Bools) -> bool:
    """Whether what is dark, `below` (h, w), is grain: the ground has most of the border."""
    rim = np.concatenate([below[0], below[-1], below[:, 0], below[:, -1]])
    share = float(rim.mean())
    return share < 0.5 if share != 0.5 else float(below.mean()) < 0.5


def _evened(smooth: Floats, start: Floats, dark: bool | None, smoothing: float) -> tuple[float, Floats, Bools, float]:
    """How far grains and ground are apart, brightness under even light, grains and their level, beginning with `start`."""
    from scipy.ndimage import binary_dilation

    otsu = tool("filters").threshold_otsu
    even, grain, level = smooth, _grains(start, float(otsu(start)), dark), float(otsu(smooth))
    for _ in range(_ROUNDS):
        ground = ~binary_dilation(grain, iterations=max(1, round(3.0 * smoothing)))  # edges are neither
        if ground.mean() < GROUND:  # too little to see the light by
            even, level = smooth, float(otsu(smooth))
            grain = _grains(even, level, dark)
            break
        light = _surface(smooth, ground)
        even = smooth / light * float(light.mean()) if light.min() > DIM else smooth - light + float(light.mean())
        level = float(otsu(even))
        before, grain = grain, _grains(even, level, dark)
        if np.count_nonzero(grain != before) <= _SAME * grain.size:
            break
    inside, outside = even[grain], even[~grain]
    if not (inside.size and outside.size):
        return 0.0, even, grain, level
    scatter = np.sqrt((inside.var() * inside.size + outside.var() * outside.size) / even.size)
    return abs(float(inside.mean() - outside.mean())) / max(float(scatter), 1e-12), even, grain, level


def _grains(even: Floats, level: float, dark: bool | None) -> Bools:
    """Which pixels (h, w) are grain, if grains end at this level."""
    below = even < level
    return below if (_dark_grains(below) if dark is None else dark) else ~below


def _surface(values: Floats, where: Bools) -> Floats:
    """Surface of second degree (h, w) through the `values` (h, w) at some pixels, by least squares."""
    height, width = values.shape
    y, x = np.meshgrid(np.linspace(-1.0, 1.0, height), np.linspace(-1.0, 1.0, width), indexing="ij", sparse=True)
    row, column = np.nonzero(where)
    step = max(1, len(row) // _FIT_PIXELS)
    row, column = row[::step], column[::step]
    u, v = x[0, column], y[row, 0]
    terms = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=1)
    c = np.linalg.lstsq(terms.T @ terms, terms.T @ values[row, column], rcond=None)[0]  # 6 × 6, and u and v are of order 1
    return np.asarray(c[0] + c[1] * x + c[2] * y + c[3] * x * x + c[4] * x * y + c[5] * y * y)
