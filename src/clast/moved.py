"""Modules that have moved: the old names, which pages and examples of version 0.1 import, go on working for one version."""

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "clast.experiments.conduct": "clast.experiments.shared.running",
    "clast.measures.accounts": "clast.measures.snapshots.accounts",
    "clast.measures.contacts": "clast.measures.snapshots.contacts",
    "clast.measures.heap": "clast.measures.snapshots.repose",
    "clast.measures.tensors": "clast.algebra.tensors",
    "clast.measures.walls": "clast.measures.snapshots.walls",
    "clast.output.chains_figure": "clast.output.figures.chains",
    "clast.output.photograph_figure": "clast.output.figures.photograph",
    "clast.output.store.layout": "clast.output.store.files",
    "clast.packing.arrangement": "clast.packing.plane.arrangement",
    "clast.packing.lattice": "clast.packing.plane.lattice",
    "clast.packing.voronoi": "clast.packing.plane.voronoi",
    "clast.preparation": "clast.protocols",
    "clast.preparation.biaxial": "clast.element_tests.biaxial",
    "clast.preparation.cell": "clast.protocols.walls",
    "clast.preparation.failure": "clast.element_tests.failure",
    "clast.preparation.fill": "clast.protocols.fill",
    "clast.preparation.periodic_cell": "clast.element_tests.periodic_cell",
    "clast.preparation.protocols": "clast.protocols.press",
    "clast.protocols.cell": "clast.protocols.walls",
    "clast.scene.scene": "clast.scene.plane",
    "clast.shapes.space.box_tree": "clast.shapes.space.surfaces.box_tree",
    "clast.shapes.space.ears": "clast.shapes.space.surfaces.ears",
    "clast.shapes.space.faces": "clast.shapes.space.surfaces.faces",
    "clast.shapes.space.inside": "clast.shapes.space.surfaces.inside",
    "clast.shapes.space.mending": "clast.shapes.space.meshes.mending",
    "clast.shapes.space.mesh_file": "clast.shapes.space.meshes.mesh_file",
    "clast.shapes.space.mesh_simplify": "clast.shapes.space.meshes.simplify",
    "clast.shapes.space.misfit": "clast.shapes.space.meshes.misfit",
    "clast.shapes.space.quaternions": "clast.algebra.quaternions",
    "clast.shapes.space.surface": "clast.shapes.space.surfaces.surface",
    "clast.shapes.space.thickness": "clast.shapes.space.surfaces.thickness",
}
RENAMED = {"add_cell": "add_walls"}  # what these modules define, by the names it had


class Forwarding(Loader):
    """Makes a module that hands on every name to the one it became."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module; warns once for each place that imports it."""
        old = module.__name__
        new = MOVED[old]
        if old != "clast.preparation":  # it comes along with every module in it
            warnings.warn(f"{old} is now {new}; the old name goes with the next version", FutureWarning, stacklevel=2)
        target = import_module(new)
        vars(module).update({name: each for name, each in vars(target).items() if not name.startswith("__")})
        vars(module).update({name: vars(target)[now] for name, now in RENAMED.items() if now in vars(target)})


class OldNames(MetaPathFinder):
    """Finds modules by the names they had."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The specification of a module that has moved, None for all others."""
        return ModuleSpec(name, Forwarding(), is_package=name == "clast.preparation") if name in MOVED else None
