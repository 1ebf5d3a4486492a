"""clast: granular dynamics with grains of any shape.

shape → scene → run → measures:   clast.run(scene, until=…, out=…) ; clast.open(folder)
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from clast.moved import OldNames

if TYPE_CHECKING:
    from pathlib import Path

    from clast.output.store.reader import Run

__version__ = "0.1.0"

sys.meta_path.append(OldNames())

# public name → module; loaded when first used, so that `import clast` and `clast --help` stay quick. Laws come on top
_PUBLIC = {
    "Scene": "clast.scene.plane",
    "Box": "clast.scene.plane",
    "Scene3D": "clast.scene.space",
    "Box3D": "clast.scene.space",
    "Fixed": "clast.scene.tags",
    "Velocity": "clast.scene.tags",
    "Force": "clast.scene.tags",
    "Pressure": "clast.scene.tags",
    "Dashpot": "clast.scene.tags",
    "Shear": "clast.scene.tags",
    "Bond": "clast.scene.bonds",
    "Ramp": "clast.scene.timed",
    "Harmonic": "clast.scene.timed",
    "Table": "clast.scene.timed",
    "Rolling": "clast.laws",
    "Cohesion": "clast.laws",
    "Turning": "clast.laws",
    "OwnLaw": "clast.laws",
    "Engine": "clast.dynamics.engine",
    "Simulation": "clast.output.viewer.stepped",
    "run": "clast.output.recording",
    "Progress": "clast.output.progress",
    "quiet": "clast.output.progress",
    "grains_from_image": "clast.shapes.plane.photograph",
    "read_scene": "clast.scene_files.reading",
    "Sweep": "clast.sweeps.sweep",
    "open_sweep": "clast.sweeps.table",
    "Run": "clast.output.store.reader",
    "Frame": "clast.output.store.reader",
    "Snapshot": "clast.dynamics.snapshot",
    "Measure": "clast.measures.measure",
    "errors": "",
    "laws": "",
    "measures": "",
    "packing": "",
    "shapes": "",
}


def open(folder: Path | str) -> Run:
    """The run in a folder, a `clast.Run` for reading; StoreError if there is none or it is damaged."""
    from clast.output.store.reader import open_run

    return open_run(folder)


def _laws() -> dict[str, type]:
    """The laws that `clast.laws` finds, by the names of their classes."""
    from clast.laws import by_kind

    return {law.__name__: law for law in by_kind().values()}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["open", *_PUBLIC, *_laws()]
    if name in _PUBLIC:
        where = _PUBLIC[name]
        return getattr(import_module(where), name) if where else import_module(f"clast.{name}")
    if name.startswith("_") or name not in _laws():
        raise AttributeError(f"module 'clast' has no attribute '{name}'")
    return _laws()[name]


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__getattr__("__all__")})


if "IPython" in sys.modules:  # there scenes show their pictures
    import_module("clast.output.figures.notebook").register()
