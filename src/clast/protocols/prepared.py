"""States that were prepared before: kept in the cache folder, under a hash of all they depend on."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clast.backend import bind
from clast.dynamics.engine import Engine
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

FORMAT = 2  # of the files: raised when they change
NUMBER = "number_"  # before the names of single numbers in a file


class Turned:
    """How bodies are turned, by the name that plane or space have for it."""

    turns: np.ndarray

    @property
    def angles(self) -> np.ndarray:
        """Angles (n,) [rad], in the plane."""
        if self.turns.ndim != 1:
            raise AttributeError("bodies in space have orientations, not angles")
        return self.turns

    @property
    def orientations(self) -> np.ndarray:
        """Quaternions w x y z (n, 4), in space."""
        if self.turns.ndim == 1:
            raise AttributeError("bodies in the plane have angles, not orientations")
        return self.turns


@dataclass(frozen=True)
class StateAtRest(Turned):
    """Bodies at rest, by the ids of the scene they came to rest in, with their contacts loaded as they were."""

    positions: np.ndarray  # (n, 2), in space (n, 3)
    turns: np.ndarray  # (n,) radians, in space (n, 4) quaternions w x y z
    springs: Any  # what contacts remember
    numbers: Mapping[str, float]  # that describe the state


def state_path(kind: str, scene: Scene | Scene3D, settings: str, *sources: Path) -> Path:
    """Where a state is kept: named by the scene it starts from, the settings, and the text of all that is run.

    sources   the modules of the protocol; those that are compiled are known anyway
    """
    digest = hashlib.sha256(f"{FORMAT} {bind.key(kind, *bind.FAMILIES, 'clast.laws')} {settings}".encode())
    for source in sources:
        digest.update(source.read_bytes())
    for name, value in sorted(vars(scene).items()):
        if name not in ("bodies", "springs") and not name.startswith("_"):
            digest.update(f"{name} = {value!r}\n".encode())
    if scene.springs is not None:  # an array prints its corners only
        digest.update(scene.springs.key.tobytes() + scene.springs.memory.tobytes() + scene.springs.law.encode())
    for body in scene.bodies:
        for name in body.columns:
            if name != "shape":
                digest.update(f"{name} = {getattr(body, name)!r}\n".encode())
        digest.update(body.shape.vertices.tobytes() + body.shape.edges.tobytes())
        digest.update(repr(body.shape.radius).encode())
    return bind.cache_folder() / f"{kind}-{digest.hexdigest()[:20]}.npz"


def keep(path: Path, state: StateAtRest) -> None:
    """Keep a state; whole under another name first, since another process may be preparing the same."""
    numbers = {f"{NUMBER}{name}": np.asarray(value, float) for name, value in state.numbers.items()}
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        np.savez(
            file, allow_pickle=False, positions=state.positions, turns=state.turns, spring_key=state.springs.key,
            spring_memory=state.springs.memory, spring_law=np.asarray(state.springs.law), **numbers,
        )  # fmt: skip
    Path(name).replace(path)


def take(path: Path, scene: Scene | Scene3D) -> StateAtRest | None:
    """A state kept before; None if there is none, or its file is damaged and the state has to be prepared again."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            springs = scene.remembered(stored["spring_key"], stored["spring_memory"], str(stored["spring_law"]))
            numbers = {name.removeprefix(NUMBER): float(stored[name]) for name in stored.files if name.startswith(NUMBER)}
            state = StateAtRest(stored["positions"], stored["turns"], springs, numbers)
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None
    turns = (len(scene),) if scene.axes == 2 else (len(scene), 4)
    return state if state.positions.shape == (len(scene), scene.axes) and state.turns.shape == turns else None


def turns_of(engine: Engine) -> np.ndarray:
    """Angles (n,) of the bodies of a run, in space orientations (n, 4)."""
    return engine.angles if engine.dimension == 2 else engine.orientations


def lay(scene: Scene | Scene3D, bodies: np.ndarray, positions: np.ndarray, turns: np.ndarray) -> None:
    """Put bodies (ids) of a scene somewhere, at rest."""
    turn = "angle" if scene.axes == 2 else "orientation"
    for name, values in {"position": positions[bodies], turn: turns[bodies], "velocity": 0.0, "spin": 0.0}.items():
        scene.bodies.put(name, values, bodies)
