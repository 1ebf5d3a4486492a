"""The papers' drawings: shapes, Minkowski operations, cows and Voronoi-Minkowski diagrams. Nothing moves."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import shapely

from clast.experiments.experiment import Columns, Parameters, Quantity, Study
from clast.experiments.shared.numbers import near
from clast.output.figures.gallery import draw_gallery
from clast.output.store.reader import Run
from clast.shapes import cow, library_shapes

COW, CLUMP = "cow", "clumpy-cow"
LENGTH = 0.1  # agrees: published ± 10 %
ON_IT = 1e-6  # m
AREA = 0.01  # m², agrees: fixes the gas of EPL08


class Gallery(Parameters):
    """Pictures have no parameters."""


def skeleton(name: str) -> Columns:
    """Vertices of a ready-made shape in its body frame."""
    x, y = library_shapes()[name]().vertices.T
    return {"x": x, "y": y}


def tables(_p: Gallery, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """The skeleton of every ready-made shape: the coordinates the papers do not print."""
    return {name: partial(skeleton, name) for name in library_shapes()}


def evaluate(_p: Gallery, run: Run) -> Sequence[Quantity]:
    """EPL08's numbers for its cow beside ours."""
    corners, disks = run.tables[COW].rows, run.tables[CLUMP].rows
    rim = on_outline(run)
    length, area = float(np.ptp(run.tables[COW]["x"])), cow().area
    return [
        Quantity("cow: vertices", corners, "", 62, corners == 62, "EPL08 fig 1"),
        near("cow: area", area, 6.52, AREA, "of skeleton ⊕ disk", "m²"),
        Quantity(
            "cow: length of the skeleton",
            length,
            "m",
            3.0,
            bool(abs(length / 3.0 - 1.0) <= LENGTH),
            "our drawing: a cow of that area and 3 m would hide its legs",
        ),
        Quantity("clumpy cow: disks", disks, "", 726, disks == 726, "EPL08 fig 1b"),
        Quantity("clumpy cow: disks of its rim", rim, "", 296, rim == 296, "those on the outline of the polygon"),
    ]


def on_outline(run: Run) -> int:
    """How many disks of the clump have their centre on the outline of the cow's polygon."""
    (corners, disks) = (np.column_stack([run.tables[name][axis] for axis in "xy"]) for name in (COW, CLUMP))
    return int((shapely.distance(shapely.points(disks), shapely.LinearRing(corners)) < ON_IT).sum())


def figures(_p: Gallery, _run: Run, folder: Path) -> Sequence[Path]:
    """All pictures of the gallery."""
    return draw_gallery(folder)


EXPERIMENT = Study(
    name="gallery",
    paper="all",
    title="shapes, Minkowski operations and Voronoi-Minkowski diagrams",
    claim="a cow is a polygon of 62 vertices, or a clump of 726 disks",
    parameters=Gallery,
    tables=tables,
    evaluate=evaluate,
    figures=figures,
)
