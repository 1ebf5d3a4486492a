"""What a grain is: skeletons swept by a disk or a ball, their mass properties, Minkowski operations, and ready-made shapes.

A function in a new file that makes a shape and has a name in scene files (`clast.keys.in_files`) is found by itself.
"""

from clast.found import makers_in
from clast.shapes.plane.files import load_shape, save_shape
from clast.shapes.plane.fit import Misfit, fitted, misfit
from clast.shapes.plane.library import (
    clumpy_cow,
    cow,
    disk,
    library_shape,
    library_shapes,
    long_legged_cow,
    peanut,
    pebble,
    rice,
)
from clast.shapes.plane.make import clump, point, polygon, polyline, regular, segment
from clast.shapes.plane.mass import MassProperties, convex_mass, mass_properties, quasi_monte_carlo, union_mass
from clast.shapes.plane.minkowski import closing, dilation, erosion, opening, rounded
from clast.shapes.plane.photograph import Photograph, PictureWarning, TracedGrain, grains_from_image, sample_photograph
from clast.shapes.plane.skeleton import Shape
from clast.shapes.plane.thickness import ThinShapeWarning
from clast.shapes.space.files import load_solid, save_solid
from clast.shapes.space.forms import cross, drum, hopper, mug, open_box, prism
from clast.shapes.space.forms_sharp import ellipsoid_grain, floor_with_rim, sharp_drum, sharp_hopper
from clast.shapes.space.library import library_solid, library_solids
from clast.shapes.space.make import capsule, cuboid, hull, mesh, plate, shell, sphere, sphere_clump, tetrahedron
from clast.shapes.space.meshes.mending import MendedMeshWarning
from clast.shapes.space.meshes.mesh_file import MeshGrain, read_mesh
from clast.shapes.space.meshes.misfit import SolidMisfit
from clast.shapes.space.pieces import pieces
from clast.shapes.space.report import describe_solid
from clast.shapes.space.solid import Solid

__all__ = [
    "MassProperties",
    "MendedMeshWarning",
    "MeshGrain",
    "Misfit",
    "Photograph",
    "PictureWarning",
    "Shape",
    "Solid",
    "SolidMisfit",
    "ThinShapeWarning",
    "TracedGrain",
    "capsule",
    "closing",
    "clump",
    "clumpy_cow",
    "convex_mass",
    "cow",
    "cross",
    "cuboid",
    "describe_solid",
    "dilation",
    "disk",
    "drum",
    "ellipsoid_grain",
    "erosion",
    "fitted",
    "floor_with_rim",
    "grains_from_image",
    "hopper",
    "hull",
    "library_shape",
    "library_shapes",
    "library_solid",
    "library_solids",
    "load_shape",
    "load_solid",
    "long_legged_cow",
    "mass_properties",
    "mesh",
    "misfit",
    "mug",
    "open_box",
    "opening",
    "peanut",
    "pebble",
    "pieces",
    "plate",
    "point",
    "polygon",
    "polyline",
    "prism",
    "quasi_monte_carlo",
    "read_mesh",
    "regular",
    "rice",
    "rounded",
    "sample_photograph",
    "save_shape",
    "save_solid",
    "segment",
    "sharp_drum",
    "sharp_hopper",
    "shell",
    "sphere",
    "sphere_clump",
    "tetrahedron",
    "union_mass",
]

# what else is found, under the name of its function and not of its module where both are the same
_packages = (f"{__name__}.plane", f"{__name__}.space")
_found = {maker.__name__: maker for package in _packages for maker in makers_in(package).values()}
globals().update(_found)
__all__ += [name for name in _found if name not in __all__]
