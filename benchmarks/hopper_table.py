"""The whole of EPL08 fig 6: cows and disks, five apertures, several seeds; a table, curves and the paper's picture.

    python benchmarks/hopper_table.py FOLDER [--zeta 0.2] [--seeds 3]

Each run is a folder of its own under FOLDER; finished ones are not run again, and one that was stopped goes on. After
every run FOLDER/hopper.csv, hopper-table.png and hopper-fig6.png are written anew. About 45 minutes on a free core.
"""

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np

from clast.experiments import find
from clast.experiments.hopper import BELOW, draw_hopper
from clast.experiments.shared.running import conduct
from clast.output.figures.plane import save_figure
from clast.output.recording import Interrupted
from clast.output.store.files import RUN_FILE
from clast.output.store.reader import Run, open_run

SHAPES = ("disk", "cow")
APERTURES = (20.0, 25.0, 30.0, 35.0, 40.0)  # m
JAMMED = "jammed (1) or not (0)"


def finished_run(folder: Path, given: dict[str, Any]) -> Run:
    """The run with these parameters: as it is, gone on with, or begun."""
    there = (folder / RUN_FILE).exists()
    if there and (run := open_run(folder)).finished:
        return run
    print(f"{folder.name} …", file=sys.stderr, flush=True)
    return conduct(find("hopper"), size="full", given=given, out=folder, resume=there).run


def write_table(path: Path, runs: dict[tuple[str, float, int], Run]) -> None:
    """One row per run: its parameters and everything it measured."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for number, (which, run) in enumerate(runs.items()):
            result = run.result or {}
            measured = {each["name"]: each["measured"] for each in result["quantities"]}
            if number == 0:
                writer.writerow(["shape", "aperture", "seed", "zeta", *measured, "wall_s"])
            zeta, seconds = result["parameters"]["zeta"], f"{result['wall_s']:.1f}"
            writer.writerow([*which, zeta, *("" if value is None else value for value in measured.values()), seconds])


def jammed_of(run: Run) -> bool:
    """Whether a run jammed."""
    return any(each["name"] == JAMMED and each["measured"] == 1.0 for each in (run.result or {})["quantities"])


def draw_table(path: Path, runs: dict[tuple[str, float, int], Run]) -> None:
    """Discharged against time, a curve per run, and how many of the runs jammed."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplot_mosaic(
        [["disk", "cow"], ["table", "table"]], figsize=(10, 6.4), height_ratios=(3, 1), layout="constrained"
    )
    colours = dict(zip(APERTURES, plt.get_cmap("viridis")(np.linspace(0.0, 0.88, len(APERTURES))), strict=True))
    for shape in SHAPES:
        axes, named = panels[shape], set()
        for (its_shape, aperture, _), run in runs.items():
            if its_shape == shape:
                label = None if aperture in named else f"{aperture:g} m"
                named.add(aperture)
                axes.plot(run.series["time"], run.series["discharged"], color=colours[aperture], lw=1.2, label=label)
        axes.set(xlabel="time after opening [s]", ylabel="discharged", xlim=(0.0, 8.0), ylim=(0.0, 410.0), title=f"400 {shape}s")
        if named:
            axes.legend(title="aperture", loc="upper left")
    axes = panels["table"]
    axes.axis("off")
    cells, shades = [], []
    for shape in SHAPES:
        found = {a: [jammed_of(run) for (s, at, _), run in runs.items() if (s, at) == (shape, a)] for a in APERTURES}
        cells.append([f"{sum(each)} of {len(each)}" if each else "" for each in found.values()])
        shades.append([(0.85, 0.35, 0.3, 0.6 * np.mean(each)) if each else "w" for each in found.values()])
    table = axes.table(
        cells, shades, rowLabels=[f"{shape}s" for shape in SHAPES], colLabels=[f"{a:g} m" for a in APERTURES],
        bbox=(0.2, 0.0, 0.6, 0.9), cellLoc="center",
    )  # fmt: skip
    table.set_fontsize(11)
    axes.set_title("runs that jammed: nobody through the opening in the last 2 s", fontsize=11)
    save_figure(figure, path)


def draw_paper(path: Path, runs: dict[tuple[str, float, int], Run]) -> None:
    """EPL08 fig 6: disks left, cows right, 20 m above, 30 m below, 8 s after opening; the first seed."""
    import matplotlib.pyplot as plt

    shown = {(shape, aperture): runs.get((shape, aperture, 1)) for aperture in (20.0, 30.0) for shape in SHAPES}
    figure, panels = plt.subplots(2, 2, figsize=(9, 9.2), sharex=True, sharey=True, layout="constrained")
    for axes, ((shape, aperture), run) in zip(panels.flat, shown.items(), strict=True):
        if run is None:
            axes.axis("off")  # not run yet
            continue
        draw_hopper(axes, run, len(run.frames) - 1)
        axes.set(xlim=(-42.0, 42.0), ylim=(BELOW, 60.0), xlabel="x [m]", ylabel="y [m]", title=f"{shape}s, {aperture:g} m")
        axes.label_outer()
    save_figure(figure, path)


def main() -> None:
    """Run what is missing, one after the other."""
    reader = argparse.ArgumentParser(description="Cows and disks in hoppers of five apertures (EPL08 fig 6).")
    reader.add_argument("folder", type=Path, help="where the runs are, or shall be")
    reader.add_argument("--zeta", type=float, default=0.0, help="damping after opening, of critical")
    reader.add_argument("--seeds", type=int, default=3, help="runs per shape and aperture")
    asked = reader.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    runs: dict[tuple[str, float, int], Run] = {}
    for seed in range(1, asked.seeds + 1):  # all apertures of one seed first: a first answer comes early
        for aperture in APERTURES:
            for shape in SHAPES:
                folder = asked.folder / f"{shape}-{aperture:g}-{seed}"
                given = {"shape": shape, "aperture": aperture, "seed": seed, "zeta": asked.zeta}
                runs[shape, aperture, seed] = finished_run(folder, given)
                write_table(asked.folder / "hopper.csv", runs)
                draw_table(asked.folder / "hopper-table.png", runs)
                draw_paper(asked.folder / "hopper-fig6.png", runs)


if __name__ == "__main__":
    try:
        main()
    except Interrupted as stop:
        sys.exit(f"{stop}; call again to go on")
