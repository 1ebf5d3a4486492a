"""Commands that show what is there: experiments, runs, shapes. They move no grain and change no result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clast.cli.app import app
from clast.cli.folders import readable
from clast.cli.tables import one_line, plain_table, show, show_book, show_merit, show_quantities
from clast.errors import InputError

if TYPE_CHECKING:
    from clast.shapes import Shape

SHAPE_FILES = (".toml", ".csv", ".txt")
PICTURES = (".png", ".pdf", ".svg")
COLOR_HELP = "Colour the grains by speed, spin, pressure, coordination, orientation, shape, material, name, id or none."


@app.command("list")
def list_experiments() -> None:
    """Experiments of the papers, and those of other packages."""
    import clast.experiments as experiments
    from clast.experiments.experiment import read_headline

    table = plain_table("experiment", "paper", "title")
    for name in experiments.names():
        paper, title = read_headline(Path(experiments.__file__).parent / f"{name.replace('-', '_')}.py")
        table.add_row(name, paper, title)
    for name in sorted(experiments.installed()):
        try:
            entry = experiments.find(name)
            table.add_row(name, entry.paper, entry.title)
        except InputError as error:  # of somebody else's package: the others are there
            table.add_row(name, "", str(error))
    show(table)


@app.command()
def info(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    pack: Annotated[bool, typer.Option("--pack", help="Merge the parts of the run into one file first.")] = False,
) -> None:
    """What a run is and what came out of it."""
    if pack:
        from clast.output.store.pack import pack as pack_run

        pack_run(folder)
    with readable(folder) as stored:
        print(repr(stored))
        facts = stored.provenance
        if "experiment" in facts:
            print(f"  what      {facts['experiment']}, size {facts.get('size')}")
            print(f"  with      {one_line(facts.get('parameters', {}))}")
        if "scene_file" in facts:
            print(f"  what      {facts['scene_file']}: {facts.get('title')}")
            print(f"  with      {one_line(facts.get('parameters', {}))}")
        for key in ("date", "revision", "command"):
            if facts.get(key) is not None:
                print(f"  {key:<9} {one_line(facts[key])}")
        show_book(stored)
        if stored.result is not None:
            from clast.experiments.experiment import Quantity

            show_quantities([Quantity.from_json(each) for each in stored.result.get("quantities", [])])
            show_merit(stored.result)


@app.command()
def figure(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    experiment: Annotated[str | None, typer.Option(help="File of the experiment, FILE.py, where it is one of your own.")] = None,
    frames: Annotated[str | None, typer.Option(help="Frames side by side, by number: 0,5,-1; the last if not given.")] = None,
    color: Annotated[str | None, typer.Option(help=COLOR_HELP)] = None,
    crop: Annotated[str | None, typer.Option(help="Part that is shown, left,right,bottom,top: --crop=-1,3,0,2.")] = None,
    walls: Annotated[str | None, typer.Option(help="Walls that are drawn, by name: floor,left; or all, or none.")] = None,
    forces: Annotated[bool, typer.Option("--forces", help="Draw the forces between grains.")] = False,
    bonds: Annotated[bool, typer.Option("--bonds", help="Draw the bonds between grains, broken ones in black.")] = False,
    dpi: Annotated[int | None, typer.Option(help="Dots per inch; 130 if not given.")] = None,
    out: Annotated[Path | None, typer.Option(help="File .png, .pdf or .svg; RUN/picture.png if not given.")] = None,
) -> None:
    """Draw the figures of a run again, or a picture of some frames as the options after --experiment describe it.

    Those of the experiment, or for a scene of your own its first, middle and last frame and the energy book.
    """
    wanted = (frames, color, crop, walls, forces or None, bonds or None, dpi, out)
    if any(each is not None for each in wanted):
        if experiment is not None:
            raise InputError("--experiment draws the figures of the experiment: leave it out for a picture of frames")
        from clast.output.figures.picture import USUAL_DPI, Looks, write_picture

        looks = Looks(color, read_crop(crop), read_walls(walls), forces, bonds)
        with readable(folder) as stored:
            print(write_picture(stored, out, read_frames(frames or "-1"), looks, USUAL_DPI if dpi is None else dpi))
        return
    with readable(folder) as stored:
        name = stored.provenance.get("experiment")
        if not (len(stored.frames) or stored.tables or (name is None and len(stored.series["time"]))):
            raise InputError(f"nothing was saved yet in {folder}: there is nothing to draw")
        if name is None:
            from clast.output.figures.plane import draw_run

            paths = draw_run(stored)
        else:
            from clast.experiments import find
            from clast.experiments.shared.running import draw, stored_parameters

            entry = find(experiment or str(name))
            _, parameters = stored_parameters(entry, stored)
            paths = draw(entry, parameters, stored).figures
    for path in paths:
        print(path)


def read_frames(text: str) -> list[int]:
    """Numbers of frames, "0,5,-1"."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--frames {text}: give numbers of frames with commas, as 0,5,-1") from None


def read_crop(text: str | None) -> tuple[float, ...] | None:
    """Four lengths, "-1,3,0,2"."""
    try:
        return None if text is None else tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"--crop {text}: give four lengths with commas, left,right,bottom,top") from None


def read_walls(text: str | None) -> tuple[str, ...] | None:
    """Names with commas; None for all."""
    return None if text in (None, "all") else () if text == "none" else tuple(str(text).split(","))


@app.command()
def movie(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    out: Annotated[Path | None, typer.Option(help="File of the movie; RUN/movie.gif or .mp4 if not given.")] = None,
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 25.0,
    width: Annotated[int, typer.Option(help="Width of the picture in pixels.")] = 800,
    to: Annotated[str | None, typer.Option(help="gif or mp4; as --out ends, or gif.")] = None,
    every: Annotated[int | None, typer.Option(help="Draw every n-th frame; all if not given, but no more than 600.")] = None,
    color: Annotated[str, typer.Option(help="Colour the grains by speed, spin or none; in space also by id.")] = "speed",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the movie's name.")] = False,
) -> None:
    """Draw the stored frames of a run as a movie."""
    from clast.output.figures.movie import write_movie
    from clast.output.progress import Progress

    with readable(folder) as stored:
        progress = Progress("movie", silent=quiet)
        print(write_movie(stored, out, kind=to, fps=fps, width=width, every=every, color=color, progress=progress))


EXPORTS = {"csv": "csv", "vtkhdf": "frames.vtkhdf", "gsd": "frames.gsd"}  # kind → name in the run's folder


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    to: Annotated[str, typer.Option(help="csv (text), vtkhdf (ParaView) or gsd (OVITO).")] = "csv",
    out: Annotated[
        Path | None, typer.Option(help="Folder or file to write; RUN/csv, RUN/frames.vtkhdf or RUN/frames.gsd if not given.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier export in --out.")] = False,
) -> None:
    """Write a run for other programs."""
    if to not in EXPORTS:
        raise InputError(f"--to {to}: choose {', '.join(EXPORTS)}")
    with readable(folder) as stored:
        place = out or stored.folder / EXPORTS[to]
        if to == "csv":
            from clast.output.export.csv import export_csv

            print(export_csv(stored, place, overwrite=overwrite))
        elif to == "vtkhdf":
            from clast.output.export.vtkhdf import export_vtkhdf

            print(export_vtkhdf(stored, place, overwrite=overwrite))
        else:
            from clast.output.export.gsd import export_gsd

            print(export_gsd(stored, place, overwrite=overwrite))


PHOTOGRAPH = "Photographs"  # headings of the options that are for pictures or meshes only
EITHER = "Photographs and meshes"
MESH = "Meshes"


@app.command()
def shape(
    what: Annotated[
        str,
        typer.Argument(
            help="A shape's file (.toml, .csv, .txt), a solid's (.json), the name of a ready-made one, a mesh (.stl, .obj, "
            ".ply), or a photograph (.png, .jpg, .tif …).",
            metavar="SHAPE",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Picture (.png, .pdf, .svg); SHAPE-shape.png here if not given.")] = None,
    scale: Annotated[float | None, typer.Option(help="Length of a pixel, or of a mesh's unit.", rich_help_panel=EITHER)] = None,
    vertices: Annotated[
        int | None, typer.Option(help="Most vertices of a grain; 24, of a mesh 200.", rich_help_panel=EITHER)
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Fewer vertices will do if they stay so near (length).", rich_help_panel=PHOTOGRAPH)
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(help="Sphero-radius (length); in photographs a tenth of each diameter.", rich_help_panel=EITHER),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(help="Brightness from 0 to 1 at which grains end; otsu finds it.", rich_help_panel=PHOTOGRAPH)
    ] = None,
    dark: Annotated[
        bool | None, typer.Option("--dark/--bright", help="Grains against the ground; found.", rich_help_panel=PHOTOGRAPH)
    ] = None,
    smallest: Annotated[
        float | None, typer.Option(help="Area of the smallest grain (pixels²).", rich_help_panel=PHOTOGRAPH)
    ] = None,
    split: Annotated[
        bool | None, typer.Option("--split/--no-split", help="Cut grains that touch apart, or not.", rich_help_panel=PHOTOGRAPH)
    ] = None,
    smoothing: Annotated[float | None, typer.Option(help="Blur against noise (pixels); 0.7.", rich_help_panel=PHOTOGRAPH)] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="New folder for a shape file of each grain; of a mesh a new FILE.json.", rich_help_panel=EITHER),
    ] = None,
    mend: Annotated[
        bool | None, typer.Option("--mend", help="Put right what can be, as small holes.", rich_help_panel=MESH)
    ] = None,
    skeleton: Annotated[
        bool | None,
        typer.Option("--skeleton", help="The mesh is the skeleton, not the surface of the grain.", rich_help_panel=MESH),
    ] = None,
) -> None:
    """What is known of a grain's shape, and its picture; or all grains of a photograph, against what was seen; or what becomes
    of a mesh, against the mesh."""
    from clast.cli.solids import MESH_OPTIONS, SOLID_FILE, show_mesh, show_solid
    from clast.shapes import library_shape, library_shapes, library_solid, library_solids, load_shape, load_solid
    from clast.shapes.plane.picture import PICTURES as PHOTOGRAPHS
    from clast.shapes.space.meshes.mesh_file import MESH_FILES

    path = out or Path(f"{Path(what).stem}-shape.png")
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"--out {path}: the name of a picture ends in {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise InputError(f"--out {path}: there is no folder {path.parent}")
    options = {"scale": scale, "vertices": vertices, "tolerance": tolerance, "radius": radius, "threshold": threshold,
               "dark": dark, "smallest": smallest, "split": split, "smoothing": smoothing, "save": save, "mend": mend,
               "skeleton": skeleton}  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    ending = Path(what).suffix.lower()
    photographed, meshed, flat = ending in PHOTOGRAPHS, ending in MESH_FILES, ending in SHAPE_FILES or what in library_shapes()
    for name in given:
        takes_mesh, takes_photograph = name in (*MESH_OPTIONS, "save"), name not in ("mend", "skeleton")
        if not ((photographed and takes_photograph) or (meshed and takes_mesh)):
            whose = "meshes" if not takes_photograph or (takes_mesh and not flat) else "photographs"
            raise InputError(f"--{name} is for {whose}, and {what} is none")
    if photographed:
        show_photograph(Path(what), path, given)
    elif meshed:
        show_mesh(Path(what), path, given)
    elif ending == SOLID_FILE:
        show_solid(load_solid(what), path)
    elif what in library_solids():
        show_solid(library_solid(what), path)
    elif flat:
        show_shape(load_shape(what) if ending in SHAPE_FILES else library_shape(what), path)
    else:
        names = ", ".join([*library_shapes(), *library_solids()])
        raise InputError(f'there is no ready-made shape "{what}": choose among {names}; or give a file')


def show_shape(grain: Shape, path: Path) -> None:
    """What is known of a shape of the plane, and its picture at `path`."""
    from clast.output.figures.shape import save_shape_figure, shape_report

    for line in shape_report(grain):
        print(line)
    print(f"picture     {save_shape_figure(grain, path)}")


def show_photograph(file: Path, path: Path, given: dict[str, Any]) -> None:
    """Print the grains of a photograph as a table, draw them at `path`, and write shape files if `given` names a folder."""
    import warnings

    from clast.output.figures.photograph import save_photograph_figure
    from clast.shapes import ThinShapeWarning
    from clast.shapes.plane.photograph import PictureWarning, grains_from_image, save_grains

    folder: Path | None = given.pop("save", None)
    if folder is not None and folder.exists():
        raise InputError(f"--save {folder}: it exists already; choose the name of a new folder")
    if folder is not None and not folder.parent.is_dir():
        raise InputError(f"--save {folder}: there is no folder {folder.parent}")
    if path.resolve() == file.resolve():
        raise InputError(f"--out {path}: that is the photograph itself; choose another name")
    if given.get("threshold", "otsu") != "otsu":
        try:
            given["threshold"] = float(given["threshold"])
        except ValueError:
            raise InputError(f"--threshold {given['threshold']}: a brightness from 0 to 1, or otsu") from None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = grains_from_image(file, **given)
    table = plain_table(
        "grain", "vertices", "radius", "area", "area error", "mismatch", "largest distance", "mean distance", "holes filled"
    )
    for each in found:
        off = each.misfit
        table.add_row(
            str(each.number), str(len(each.shape.vertices)), f"{each.shape.radius:.4g}", f"{each.area:.6g}",
            f"{abs(off.area_error):.2%}", f"{off.mismatch:.2%}", f"{off.largest:.3g}", f"{off.mean:.3g}", str(each.holes or "–"),
        )  # fmt: skip
    show(table)
    print(f"{len(found)} grains, {'darker' if found.dark else 'brighter'} than the ground; lengths in "
          f"{'pixels' if 'scale' not in given else f'units of which a pixel has {found.scale:g}'}")  # fmt: skip
    print(f"left out: {found.cut} cut by the border, {found.specks} specks")
    for remark in caught:
        if issubclass(remark.category, (PictureWarning, ThinShapeWarning)):
            print(f"warning: {remark.message}")
    if folder is not None:
        save_grains(found, folder)
        print(f"shapes in {folder}")
    print(f"picture {save_photograph_figure(found, path)}")
