"""What a grain is: skeletons swept by a disk, their mass properties, Minkowski operations, and ready-made shapes."""

from clast.shapes.files import load_shape, save_shape
from clast.shapes.fit import Misfit, fitted, misfit
from clast.shapes.library import clumpy_cow, cow, disk, library_shape, library_shapes, peanut, pebble, rice
from clast.shapes.make import clump, point, polygon, polyline, regular, segment
from clast.shapes.mass import MassProperties, convex_mass, mass_properties, quasi_monte_carlo, union_mass
from clast.shapes.minkowski import closing, dilation, erosion, opening, rounded
from clast.shapes.photograph import Photograph, PictureWarning, TracedGrain, grains_from_image, sample_photograph
from clast.shapes.skeleton import Shape
from clast.shapes.thickness import ThinShapeWarning

__all__ = [
    "MassProperties",
    "Misfit",
    "Photograph",
    "PictureWarning",
    "Shape",
    "ThinShapeWarning",
    "TracedGrain",
    "closing",
    "clump",
    "clumpy_cow",
    "convex_mass",
    "cow",
    "dilation",
    "disk",
    "erosion",
    "fitted",
    "grains_from_image",
    "library_shape",
    "library_shapes",
    "load_shape",
    "mass_properties",
    "misfit",
    "opening",
    "peanut",
    "pebble",
    "point",
    "polygon",
    "polyline",
    "quasi_monte_carlo",
    "regular",
    "rice",
    "rounded",
    "sample_photograph",
    "save_shape",
    "segment",
    "union_mass",
]
