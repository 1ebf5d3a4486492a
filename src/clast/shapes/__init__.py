"""What a grain is: skeletons swept by a disk, their mass properties, and ready-made shapes."""

from clast.shapes.library import clumpy_cow, cow, disk, peanut, pebble, rice
from clast.shapes.make import clump, point, polygon, polyline, regular, segment
from clast.shapes.mass import MassProperties, convex_mass, mass_properties, quasi_monte_carlo, union_mass
from clast.shapes.skeleton import Shape
from clast.shapes.thickness import ThinShapeWarning

__all__ = [
    "MassProperties",
    "Shape",
    "ThinShapeWarning",
    "clump",
    "clumpy_cow",
    "convex_mass",
    "cow",
    "disk",
    "mass_properties",
    "peanut",
    "pebble",
    "point",
    "polygon",
    "polyline",
    "quasi_monte_carlo",
    "regular",
    "rice",
    "segment",
    "union_mass",
]
