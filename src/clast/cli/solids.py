"""`clast shape` of solids: what is known of one, ready-made or from a file, and what becomes of a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clast.errors import InputError

if TYPE_CHECKING:
    from clast.shapes import Solid

SOLID_FILE = ".json"
MESH_OPTIONS = ("scale", "radius", "vertices", "mend", "skeleton")


def show_solid(solid: Solid, path: Path) -> None:
    """What is known of a solid, and its picture at `path`."""
    from clast.shapes import describe_solid

    for line in describe_solid(solid):
        print(line)
    draw(solid, path)


def show_mesh(file: Path, path: Path, given: dict[str, Any]) -> None:
    """Print the solid made of a mesh and its error against the mesh, draw it at `path`, and save it if `given` names a file.

    A mesh file holds no units and no roundness: scale and radius must be given.
    """
    from clast.shapes import read_mesh, save_solid

    save: Path | None = given.pop("save", None)
    if save is not None and save.suffix.lower() != SOLID_FILE:
        raise InputError(f"--save {save}: a solid is written as JSON; call the file {save.with_suffix(SOLID_FILE)}")
    if save is not None and save.exists():
        raise InputError(f"--save {save}: it exists already; choose the name of a new file")
    if save is not None and not save.parent.is_dir():
        raise InputError(f"--save {save}: there is no folder {save.parent}")
    for name, meaning in (("scale", "the length of one unit of the file"), ("radius", "the sphero-radius of edges and corners")):
        if name not in given:
            raise InputError(f"--{name} is missing: a mesh does not say {meaning}")
    grain = read_mesh(file, **given)
    for line in grain.describe():
        print(line)
    if save is not None:
        print(f"saved       {save_solid(grain.solid, save)}")
    draw(grain.solid, path)


def draw(solid: Solid, path: Path) -> None:
    """Draw a solid and print where."""
    from clast.output.figures.plane import save_figure
    from clast.output.space.figures import solid_figure

    print(f"picture     {save_figure(solid_figure(solid), path)}")
