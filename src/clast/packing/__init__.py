"""Where grains lie: Voronoi soils, lattices, gradings, grains put in at random. In the plane; in space with 3D in their names."""

from importlib import import_module
from typing import Any

_PUBLIC = {  # loaded when first used
    "Packing": "plane.packing",
    "OverlapWarning": "plane.packing",
    "voronoi_packing": "plane.voronoi",
    "VoronoiPacking": "plane.voronoi",
    "VoronoiReport": "plane.voronoi",
    "lattice_packing": "plane.arrangement",
    "regular_packing": "plane.arrangement",
    "graded_packing": "plane.arrangement",
    "Grading": "grading",
    "UniformArea": "grading",
    "PowerLaw": "grading",
    "SieveCurve": "grading",
    "read_sieve_curve": "grading",
    "insert_at_random": "plane.insertion",
    "square_lattice": "plane.lattice",
    "Packing3D": "space.packing",
    "voronoi_packing3d": "space.voronoi",
    "VoronoiPacking3D": "space.voronoi",
    "VoronoiReport3D": "space.voronoi",
    "lattice_packing3d": "space.arrangement",
    "random_packing3d": "space.arrangement",
    "graded_solids": "space.arrangement",
    "Joints": "joints",
}
__all__ = [*_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
