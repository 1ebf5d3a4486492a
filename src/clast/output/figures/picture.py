"""A picture of some frames of a run as the user wants it: colours, a part of the plane, some walls, forces, a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clast.errors import InputError, StoreError
from clast.measures.bonded import bonds_of
from clast.measures.chains import ForceChains
from clast.measures.stored import diameters_of, present_grains
from clast.output.figures.areas import Array
from clast.output.figures.bonds import draw_bonds, force_in
from clast.output.figures.chains import IN_CHAIN, KEY, OTHER, draw_forces
from clast.output.figures.drawn import Figure
from clast.output.figures.plane import WALL, draw_bodies, fit_figure, plain_figure, run_outlines
from clast.output.figures.shades import COLORS, Shades
from clast.output.figures.view import view_of
from clast.output.store.atomic import write_whole

if TYPE_CHECKING:
    from clast.output.store.reader import Run

KINDS = (".png", ".pdf", ".svg")
MOST = 8  # frames side by side
COARSEST, FINEST = 20, 1200  # dots per inch
USUAL_DPI = 130


@dataclass(frozen=True)
class Looks:
    """How frames are drawn.

    color    one of `COLORS`; None for what is usual: none in the plane, speed in space
    crop     left, right, bottom and top of what is shown, lengths; in the plane
    walls    names of the walls that are drawn; None for all, () for none
    forces   with lines between grains as thick as the force they exert, in the plane
    bonds    with the faces of bonds, red where pulled and blue where pressed, black where broken, in the plane
    """

    color: str | None = None
    crop: tuple[float, ...] | None = None
    walls: tuple[str, ...] | None = None
    forces: bool = False
    bonds: bool = False

    def check(self, run: Run) -> None:
        """InputError for what cannot be drawn of a run."""
        if self.color is not None and self.color not in COLORS:
            raise InputError(f"grains are coloured by one of {', '.join(COLORS)}, not '{self.color}'")
        if run.in_space and (self.crop is not None or self.forces or self.bonds):
            what = "a crop" if self.crop is not None else "a picture of forces" if self.forces else "a picture of bonds"
            raise InputError(f"{what} is for runs in the plane, and this one is in space: look at it with clast view")
        if self.crop is not None:
            check_crop(self.crop)
        if self.bonds and bonds_of(run).size == 0:
            raise InputError(f"there are no bonds in {run.folder}: leave --bonds out")
        known = wall_names(run)
        for name in self.walls or ():
            if name not in known:
                named = ", ".join(sorted(known - {""})) or "none has a name"
                raise InputError(f"there is no wall named '{name}' in {run.folder}; its walls: {named}")

    def hidden(self, run: Run) -> Array:
        """Which bodies are walls that are not drawn (n,)."""
        big = np.asarray(run.scene["body_big"], bool)
        if self.walls is None:
            return np.zeros(len(big), bool)
        names = run.scene.get("body_name", [None] * len(big))
        return big & np.array([name not in self.walls for name in names])


def check_crop(crop: Sequence[float]) -> None:
    """InputError unless it is left < right and bottom < top."""
    if not (len(crop) == 4 and np.isfinite(crop).all() and crop[0] < crop[1] and crop[2] < crop[3]):
        given = ",".join(f"{each:g}" for each in crop)
        raise InputError(f"crop {given}: give four lengths, left,right,bottom,top, with left < right and bottom < top")


def wall_names(run: Run) -> set[str]:
    """Names of the walls of a run, "" for those without."""
    big = np.asarray(run.scene["body_big"], bool)
    return {name or "" for name, large in zip(run.scene.get("body_name", [""] * len(big)), big, strict=True) if large}


def picture(run: Run, frames: Sequence[int], looks: Looks) -> Figure:
    """A figure of some frames side by side, counted from 0, negative from the end; InputError for what cannot be drawn."""
    count = len(run.frames)
    if count == 0:
        raise InputError(f"no frames are stored in {run.folder}: there is nothing to draw")
    if not 0 < len(frames) <= MOST:
        raise InputError(f"{len(frames)} frames in one picture: give 1 to {MOST}, or make a movie")
    for index in frames:
        if not -count <= index < count:
            raise InputError(f"there is no frame {index} in {run.folder}: it has {count}, 0 to {count - 1}, or -1 for the last")
    looks.check(run)
    chosen = [index % count for index in frames]
    if not run.in_space:
        return plane_picture(run, chosen, looks)
    from clast.output.space.figures import frames_figure

    shades = Shades.of(run, looks.color, chosen) if looks.color is not None else None
    return frames_figure(run, chosen, hidden=looks.hidden(run), shades=shades)


def plane_picture(run: Run, chosen: Sequence[int], looks: Looks) -> Figure:
    """Frames in the plane with one scale of lengths, one of colours and one of forces."""
    bodies = run_outlines(run)
    low, high = view_of(run, bodies, chosen)
    if looks.crop is not None:
        low, high = np.array(looks.crop[::2]), np.array(looks.crop[1::2])
    shades = Shades.of(run, looks.color or "none", chosen)
    chains = {index: ForceChains(index).compute(run) for index in chosen} if looks.forces else {}
    walls = np.flatnonzero(bodies.big & ~looks.hidden(run))
    figure = plain_figure()
    row = figure.subplots(1, len(chosen), sharex=True, sharey=True, squeeze=False)[0]
    strongest = force_in(run, chosen) if looks.bonds else None
    for axes, index in zip(row, chosen, strict=True):
        frame, there = run.frames[index], bodies.at(run.frames[index])
        colours = shades.colours(index)
        if looks.forces and looks.color is None:
            colours = chain_colours(chains[index], len(colours))
        draw_bodies(axes, there, walls, frame.positions, frame.angles, facecolor=WALL)
        grains = np.flatnonzero(present_grains(run, frame))
        draw_bodies(axes, there, grains, frame.positions, frame.angles, colours=colours)
        axes.set(xlabel="x", title=f"t = {frame.time:.4g}", aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        if looks.bonds:
            draw_bonds(axes, run, index, strongest)
    row[0].set_ylabel("y")
    fit_figure(figure, len(chosen))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width + KEY * (shades.quantity not in ("none", "id")), height + KEY * looks.forces)
    shades.add_key(figure, row)
    if looks.forces:
        diameter = float(diameters_of(run, np.flatnonzero(~bodies.big)).mean())
        forces = np.concatenate([each.forces for each in chains.values()])
        for axes, index in zip(row, chosen, strict=True):
            draw_forces(axes, chains[index], bodies.at(run.frames[index]), diameter, seen=forces, key=True)
    return figure


def chain_colours(chains: ForceChains, count: int) -> Array:
    """Colours (n, 3) of grains in chains and beside."""
    from matplotlib.colors import to_rgb

    colours = np.tile(to_rgb(OTHER), (count, 1))
    for chain in chains.chains:
        colours[chain] = to_rgb(IN_CHAIN)
    return colours


def write_picture(run: Run, out: Path | None, frames: Sequence[int], looks: Looks, dpi: int = USUAL_DPI) -> Path:
    """Draw frames into a file, RUN/picture.png if none is named, and return its path; what it ends in gives its kind."""
    path = out or run.folder / "picture.png"
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path} is no picture that can be written: its name must end in {', '.join(KINDS)}")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to put the picture into")
    if not COARSEST <= dpi <= FINEST:
        raise InputError(f"{dpi} dots per inch: give {COARSEST} to {FINEST}")
    figure = picture(run, frames, looks)
    kind = path.suffix.lower().removeprefix(".")
    try:
        write_whole(path, lambda temporary: figure.savefig(temporary, dpi=dpi, format=kind))
    except StoreError as error:
        raise StoreError(f"{path} cannot be written ({error.__cause__}): make room, or choose another place") from error
    return path
