"""clast: granular dynamics with grains of any shape.

shape → scene → run → measures:   clast.run(scene, until=…, out=…) ; clast.open(folder)
"""

import sys
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# public name → module; loaded when first asked for, so that `import clast` and `clast --help` stay quick
_PUBLIC = {
    "Scene": "clast.scene.scene",
    "Box": "clast.scene.scene",
    "Scene3D": "clast.scene.space",
    "Box3D": "clast.scene.space",
    "Fixed": "clast.scene.tags",
    "Velocity": "clast.scene.tags",
    "Force": "clast.scene.tags",
    "Pressure": "clast.scene.tags",
    "Dashpot": "clast.scene.tags",
    "Ramp": "clast.scene.timed",
    "Harmonic": "clast.scene.timed",
    "Table": "clast.scene.timed",
    "Linear": "clast.laws",
    "Hertz": "clast.laws",
    "HertzMindlin": "clast.laws",
    "OverlapVolume": "clast.laws",
    "OverlapEnergy": "clast.laws",
    "Rolling": "clast.laws",
    "Cohesion": "clast.laws",
    "OwnLaw": "clast.laws",
    "Engine": "clast.dynamics.engine",
    "run": "clast.output.recording",
    "Progress": "clast.output.progress",
    "quiet": "clast.output.progress",
    "grains_from_image": "clast.shapes.photograph",
    "read_scene": "clast.preparation.scene_file",
    "Sweep": "clast.sweeps.sweep",
    "open_sweep": "clast.sweeps.table",
    "shapes": "",
    "errors": "",
}

__all__ = ["open", *_PUBLIC]


def open(folder: Any) -> Any:
    """Open a run folder for reading; see `clast.output.reader.Run`."""
    from clast.output.reader import open_run

    return open_run(folder)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'clast' has no attribute '{name}'")
    where = _PUBLIC[name]
    return getattr(import_module(where), name) if where else import_module(f"clast.{name}")


if "IPython" in sys.modules:  # there scenes show their pictures
    import_module("clast.output.notebook").register()
