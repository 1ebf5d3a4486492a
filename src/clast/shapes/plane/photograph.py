"""Grains from a photograph: every grain in a picture as a spheropolygon, with how far it is from what was seen.

    picture → brightness → grain or ground (`shapes.plane.picture`) → one label a grain → outline → fit (`shapes.plane.fit`)

An outline is the line along which the brightness is half-way between the grain and the ground, between pixels. Half-way is
found for each grain by itself, since stones are not all equally dark. Blurring, which takes out the noise, also pulls every
closed line together, by the area πσ² whatever its shape (σ²/2 times the curvature, which adds up to 2π); that is put back.

A picture's coordinates have x to the right and y upwards, from its lower left corner: grains are not mirrored.
"""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
import shapely

from clast.errors import InputError, ShapeError
from clast.shapes.plane.files import save_shape
from clast.shapes.plane.fit import NEAR, VERTICES, Misfit, checked_budget, checked_length, fitted, misfit
from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.picture import Parted, brightness, part, tool
from clast.shapes.plane.skeleton import Shape

SMALLEST = 100.0  # square pixels: what is smaller is a speck
SPECK = 0.01  # of the area of the largest, where that is more
NECK = 0.7  # grains are cut apart where they hang together by less than this share of the smaller one's width
SMOOTHING = 0.7  # pixels
HOLE = 0.002  # of a grain's area: smaller holes are its texture
PIXELS_APART = 0.5  # tolerance is not taken to be less, where none is given: nearer nothing was seen
HOLLOW = 0.55  # of an outline: grains bend inwards along less of theirs, gaps between round grains along more
GAP = 0.05  # times the square of the widest disk's radius: smaller holes are no gaps between grains
BLOB = 0.3  # of the picture: what covers more and reaches the border is not one grain
MANY_SPECKS = 100  # that are more than some dust
SEVERAL = 4  # grains in one blob that are refused, unless `split` is given
FAR = 1e30  # largest length of a pixel, and one over the smallest: areas and moments of grains must be numbers
_TURNS = 32  # points of an outline at which its bending is looked at
_MARGIN = 4  # pixels about a grain in which its outline is looked for


class PictureWarning(UserWarning):
    """Something in a picture that may have been read otherwise than it was meant."""


@dataclass(frozen=True, eq=False)
class TracedGrain:
    """One grain of a picture. Lengths in the unit that `scale` gives a pixel, coordinates those of the picture."""

    number: int  # in the picture, from 0, the largest first
    shape: Shape  # as it will move
    outline: Floats  # (k, 2) as it was seen, counter-clockwise
    area: float  # within the outline
    holes: int  # that were filled
    misfit: Misfit  # between shape and outline

    @property
    def centre(self) -> Floats:
        """Where its centre of mass (2,) lies in the picture."""
        return np.asarray(-self.shape.origin)


@dataclass(frozen=True, eq=False)
class Photograph(Sequence[TracedGrain]):
    """The grains of a picture, the largest first: a sequence of `TracedGrain`."""

    path: Path
    grains: tuple[TracedGrain, ...]
    grey: Floats  # (h, w) brightness of the picture
    scale: float  # length of a pixel
    dark: bool  # grains are darker than the ground
    cut: int  # grains left out because the border cuts them
    specks: int  # spots left out because they are too small

    @property
    def shapes(self) -> list[Shape]:
        """The shapes alone, to be put into a scene."""
        return [each.shape for each in self.grains]

    @overload
    def __getitem__(self, which: int) -> TracedGrain: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[TracedGrain]: ...
    def __getitem__(self, which: int | slice) -> TracedGrain | Sequence[TracedGrain]:
        return self.grains[which]

    def __len__(self) -> int:
        return len(self.grains)

    def __repr__(self) -> str:
        left = [f"{n} {what}" for n, what in ((self.cut, "cut by the border"), (self.specks, "specks")) if n]
        return f"<{len(self)} grains of {self.path.name}{', left out: ' + ' and '.join(left) if left else ''}>"


def sample_photograph() -> Path:
    """A picture of gravel to try things with; it was drawn by numbers (benchmarks/gravel_picture.py)."""
    return Path(__file__).parent / "data" / "gravel.png"


def grains_from_image(
    path: str | Path,
    *,
    scale: float = 1.0,
    vertices: int = VERTICES,
    tolerance: float | None = None,
    radius: float | None = None,
    threshold: float | str = "otsu",
    dark: bool | None = None,
    smallest: float | None = None,
    split: bool | None = None,
    smoothing: float = SMOOTHING,
) -> Photograph:
    """Every grain in the picture `path` (PNG, JPEG, TIFF …) that its border does not cut.

    scale       length of a pixel; lengths are pixels if not given
    vertices    a skeleton has no more than these
    tolerance   fewer will do if the grain is nowhere farther than this (length) from its outline, corners that the
                radius rounds left aside; not given: 0.005 of the grain's diameter, or half a pixel if that is more
    radius      sphero-radius (length) of all grains; not given: a tenth of the diameter of each, or less where corners are
                so sharp that this would take more than a hundredth of the area
    threshold   "otsu": found, with uneven light evened out; or a brightness from 0 to 1 in the picture as it is
    dark        whether grains are darker than the ground; not given: the ground is what most of the border shows
    smallest    area below which a spot is a speck, in square pixels; not given: 100, or a hundredth of the largest spot
    split       True cuts grains apart that touch; False takes what touches as one grain; not given: as False, but a blob that
                looks like many grains is refused
    smoothing   standard deviation of the blur against noise, pixels

    Holes are filled, since a grain cannot have one. Raises InputError for a picture in which no grains are found.
    """
    file = Path(path)
    for what, value in (("scale", scale), ("smallest", smallest), ("smoothing", smoothing)):
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (numeric and math.isfinite(value) and value > 0.0):
            raise InputError(f"{what} must be a positive number, not {value!r}")
    if not 1.0 / FAR <= scale <= FAR:
        raise InputError(f"scale must be between {1.0 / FAR:g} and {FAR:g}, not {scale!r}: choose another unit of length")
    checked_budget(vertices)
    for name, length in (("radius", radius), ("tolerance", tolerance)):
        if length is not None:
            checked_length(length, name)
    tool("measure")  # before any other complaint: without it nothing can be done
    grey = brightness(file)
    parted = part(grey, threshold=threshold, dark=dark, smoothing=smoothing, where=str(file))
    if parted.dim:
        warning = f"{file} is so dark on one side that grains may be lost there: look at what was found, or light it more evenly."
        warnings.warn(warning, PictureWarning, stacklevel=2)
    labels, cut, specks = _labels(parted, smallest, split, str(file))
    outlines = [_traced(parted, labels, k, window, smoothing) for k, window in _windows(labels)]
    if dark is None:
        _refuse_gaps([ring for ring, _ in outlines], parted.dark, str(file))
    outlines.sort(key=lambda each: -shapely.Polygon(each[0]).area)
    grains = []
    for number, (ring, holes) in enumerate(outlines):
        body = ring * scale
        area = float(shapely.Polygon(body).area)
        near = tolerance if tolerance is not None else max(NEAR * math.sqrt(4.0 * area / math.pi), PIXELS_APART * scale)
        try:
            shape = fitted(body, radius, vertices=vertices, tolerance=near, name=f"grain-{number:02d}")
        except ShapeError as error:
            x, y = ring.mean(axis=0)
            raise ShapeError(
                f"{file}: grain {number} about column {x:.0f}, row {grey.shape[0] - y:.0f} from the top: {error}"
            ) from None
        grains.append(TracedGrain(number, shape, body, area, holes, misfit(shape, body)))
    return Photograph(file, tuple(grains), grey, float(scale), parted.dark, cut, specks)


def save_grains(grains: Sequence[TracedGrain], folder: str | Path) -> Path:
    """Write every grain as a shape file, grain-00.toml …, into a new folder; it appears when all are written."""
    place = Path(folder)
    if place.exists():
        raise InputError(f"there is {place} already: choose the name of a new folder")
    temporary = place.with_name(f".{place.name}.writing")
    try:
        temporary.mkdir()
        for each in grains:
            save_shape(each.shape, temporary / f"{each.shape.name}.toml")
        temporary.rename(place)
    except OSError as error:
        raise InputError(f"the folder {place} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return place


# --- which pixels belong together ------------------------------------------------------------------------------------


def _labels(parted: Parted, smallest: float | None, split: bool | None, where: str) -> tuple[Ints, int, int]:
    """A number for every grain (h, w), 0 for all else; how many the border cuts; how many are specks."""
    blobs = np.asarray(tool("measure").label(parted.grain, connectivity=1), dtype=np.int64)
    if split:
        blobs = _split(blobs)
    size = np.bincount(blobs.ravel())
    size[0] = 0
    least = smallest if smallest is not None else max(SMALLEST, SPECK * float(size.max()))
    rim = np.zeros(len(size), dtype=np.bool_)
    rim[np.concatenate([blobs[0], blobs[-1], blobs[:, 0], blobs[:, -1]])] = True
    large, small = size >= least, (size > 0) & (size < least)
    chosen = large & ~rim
    if small.sum() > MANY_SPECKS and size[small].sum() > size[large].sum():
        raise InputError(
            f"{where} is full of specks, {small.sum()} of them smaller than {least:.0f} square pixels and together larger than "
            f"the {large.sum()} grains: if it is noise, give a larger smoothing; if they are grains, a smaller smallest"
        )
    if not chosen.any():
        raise InputError(f"{where}: {_why_none(size, rim & large, large, least, blobs.size, split)}")
    labels = _filled(np.where(chosen[blobs], blobs, 0))
    if split is None:
        _look_for_several(labels, np.where(chosen[blobs], blobs, 0), where)
    return labels, int((large & rim).sum()), int(small.sum())


def _why_none(size: Ints, cut: Bools, large: Bools, least: float, pixels: int, split: bool | None) -> str:
    """Why no grain is left, and what to do."""
    if not large.any():
        return (
            f"no grains, only {(size > 0).sum()} specks of up to {size.max()} square pixels: take a picture in which grains are "
            f"at least 20 pixels across, or give smallest (now {least:.0f}), or dark if these are gaps between grains"
        )
    cover = size.max() / pixels
    if cover > BLOB and not split:
        return (
            f"the grains touch each other and the border, in one blob on {cover:.0%} of the picture: lay them apart, or cut them "
            "with split = true, or give threshold or dark if this is the ground"
        )
    return (
        f"the border cuts every grain ({cut.sum()}), and what is beyond it is not known: take a picture with some ground on "
        "every side"
    )


def _filled(labels: Ints) -> Ints:
    """The labels (h, w), each with its holes filled."""
    from scipy.ndimage import binary_fill_holes

    out = labels.copy()
    for k, window in _windows(labels):
        inside = binary_fill_holes(labels[window] == k)
        out[window] = np.where(inside & (labels[window] == 0), k, out[window])
    return out


def _windows(labels: Ints) -> list[tuple[int, tuple[slice, slice]]]:
    """The number of each grain, and the part of the picture it fills."""
    from scipy.ndimage import find_objects

    return [(k, window) for k, window in enumerate(find_objects(labels), start=1) if window is not None]


def _split(blobs: Ints) -> Ints:
    """The labels (h, w) of blobs, those cut in several that hang together by necks.

    Two hills of the map of distances from the ground are two grains if the pass between them is lower than `NECK` times
    the lower top. In the logarithm of the distance that is one depth for all sizes. Holes are filled before where they are
    too small to be gaps between grains.
    """
    from scipy.ndimage import binary_fill_holes, distance_transform_edt

    measure, morphology = tool("measure"), tool("morphology")
    grain = blobs > 0
    for k, window in _windows(blobs):
        blob = blobs[window] == k
        widest = float(distance_transform_edt(np.pad(blob, 1)).max())
        gaps = measure.label(binary_fill_holes(blob) & ~blob, connectivity=1)
        texture = np.bincount(gaps.ravel()) < GAP * widest**2
        texture[0] = False
        grain[window] |= texture[gaps]
    depth = np.log(np.maximum(distance_transform_edt(grain), 0.5))
    hills = morphology.reconstruction(depth + math.log(NECK), depth)
    tops = measure.label(morphology.local_maxima(np.round(hills, 9)) & grain)
    return np.asarray(tool("segmentation").watershed(-depth, tops, mask=grain), dtype=np.int64)


def _look_for_several(labels: Ints, blobs: Ints, where: str) -> None:
    """Warn of a blob that looks like several grains; InputError where it holds most of what there is."""
    size = np.bincount(labels.ravel())[1:]
    pieces = _split(blobs)
    many = {}
    for k, window in _windows(labels):
        share = np.bincount(pieces[window][labels[window] == k])[1:]
        parts = int((share > 0.2 * share.max()).sum())
        if parts > 1:
            row, column = (0.5 * (each.start + each.stop) for each in window)
            many[k] = (
                parts,
                f"the blob about column {column:.0f}, row {row:.0f} from the top looks like {parts} grains that touch",
            )
    cure = "split = true (--split) cuts them apart, split = false (--no-split) takes it as one grain"
    for k, (parts, fault) in many.items():
        if parts >= SEVERAL and 2 * size[k - 1] > size.sum():
            raise InputError(f"{where}: {fault}: lay them apart; or {cure}")
    if many:
        first = next(iter(many.values()))[1]
        others = f", and {len(many) - 1} more like it" if len(many) > 1 else ""
        warnings.warn(f"In {where} {first}{others}: {cure}.", PictureWarning, stacklevel=4)


def _refuse_gaps(outlines: Sequence[Floats], dark: bool, where: str) -> None:
    """InputError where what was found are the gaps between round grains, whose sides bend inwards almost all round."""
    if len(outlines) >= SEVERAL and float(np.median([_bent_inwards(ring) for ring in outlines])) > HOLLOW:
        raise InputError(
            f"{where}: the {len(outlines)} {'dark' if dark else 'bright'} spots look like gaps between grains that touch: lay "
            f"the grains apart, or give dark = {str(dark).lower()} if the spots are the grains, {str(not dark).lower()} if not"
        )


def _bent_inwards(ring: Floats) -> float:
    """Share of an outline (n, 2), counter-clockwise, that turns to the right."""
    line = shapely.LinearRing(ring)
    point = shapely.get_coordinates(shapely.line_interpolate_point(line, line.length * np.arange(_TURNS) / _TURNS))
    after = np.roll(point, -1, axis=0) - point
    before = np.roll(after, 1, axis=0)
    return float((before[:, 0] * after[:, 1] < before[:, 1] * after[:, 0]).mean())


# --- where a grain ends ----------------------------------------------------------------------------------------------


def _traced(parted: Parted, labels: Ints, k: int, window: tuple[slice, slice], smoothing: float) -> tuple[Floats, int]:
    """Outline (n, 2) of grain k in pixels, x to the right and y upwards, counter-clockwise; and how many holes were filled."""
    from scipy.ndimage import binary_dilation, binary_erosion, binary_fill_holes

    box = tuple(slice(max(0, each.start - _MARGIN), each.stop + _MARGIN) for each in window)
    grain = labels[box] == k
    even = parted.even[box]
    core = binary_erosion(grain, iterations=2)
    inside = float(np.median(even[core if core.any() else grain]))
    level = parted.level if parted.given else 0.5 * (inside + parted.ground)
    field = (level - even if parted.dark else even - level) / max(abs(inside - level), 1e-9)  # 1 in the grain, -1 on the ground
    field[parted.grain[box] & ~grain] = -1.0  # a neighbour; where grains were cut apart the outline runs half-way between pixels
    field[~binary_dilation(grain, iterations=_MARGIN - 1)] = -1.0
    field = np.pad(field, 1, constant_values=-1.0)
    full = binary_fill_holes(field > 0.0)
    gaps = tool("measure").label(full & (field <= 0.0), connectivity=1)
    holes = int((np.bincount(gaps.ravel())[1:] > HOLE * grain.sum()).sum())
    field[gaps > 0] = 1.0
    bodies = [shapely.Polygon(each) for each in tool("measure").find_contours(field, 0.0) if len(each) > 3]
    body = max(bodies, key=lambda each: each.area)
    grown = body.buffer(math.pi * smoothing**2 / body.length, quad_segs=2)  # what blurring took, see above
    ring = shapely.get_coordinates(max(shapely.get_parts(grown), key=lambda each: each.area).exterior)[:-1]
    x, y = ring[:, 1] + box[1].start - 0.5, labels.shape[0] - (ring[:, 0] + box[0].start - 0.5)  # the pad is one pixel wide
    body = shapely.geometry.polygon.orient(shapely.Polygon(np.stack([x, y], axis=1)))
    return np.asarray(body.exterior.coords)[:-1], holes
