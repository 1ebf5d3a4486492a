"""Dense states, which take minutes to prepare, in files of the cache folder: made once, then read back."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clast.backend.bind import cache_folder
from clast.dynamics.engine import Engine
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

SCALAR = "scalar_"  # begins the names of single numbers in a file


def key_of(scene: Scene | Scene3D, version: int, numbers: Callable[[Any], Sequence[float]]) -> str:
    """A name for the state a scene leads to: of its description, its skeletons and the `numbers` of each body."""
    digest = hashlib.sha256(f"{version} {scene!r}".encode())
    for body in scene.bodies:
        digest.update(body.shape.vertices.tobytes())
        digest.update(np.array(numbers(body)).tobytes())
    return digest.hexdigest()[:12]


def prepared(name: str, scene: Scene | Scene3D, prepare: Callable[[], Engine], threads: int | str, device: str) -> Engine:
    """An engine of the scene in the state that `prepare` leads to on the CPU, kept in a file of this name."""
    path = cache_folder() / f"bench-{name}.npz"
    if not path.exists():
        ready = prepare()
        arrays, scalars = ready.checkpoint()
        numbers = {f"{SCALAR}{key}": np.asarray(value) for key, value in scalars.items()}
        np.savez(path, allow_pickle=False, dt=np.asarray(ready.dt), **arrays, **numbers)
    stored = np.load(path)
    engine = Engine(scene, dt=float(stored["dt"]), threads=threads, device=device)
    arrays = {key: stored[key] for key in stored.files if not key.startswith(SCALAR) and key != "dt"}
    scalars = {key.removeprefix(SCALAR): stored[key].item() for key in stored.files if key.startswith(SCALAR)}
    engine.restore(arrays, scalars)
    return engine
