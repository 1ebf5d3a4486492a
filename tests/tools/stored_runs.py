"""Runs made up for tests of what is done with stored ones: no step is computed, frames hold what they are told to."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from clast.measures.book import ACCOUNTS
from clast.output.recording import scene_arrays
from clast.output.store.reader import Run, open_run
from clast.output.store.writer import RunWriter
from clast.scene.plane import Scene
from clast.scene.space import Scene3D


def stored_run(
    folder: Path,
    scene: Scene | Scene3D,
    steps: list[dict[str, np.ndarray]],
    dt: float = 0.1,
    contacts: Callable[[int], dict[str, np.ndarray]] | None = None,
) -> Run:
    """A run whose frames are the scene's start with some arrays replaced, `dt` apart; a sample at each."""
    start = {
        "positions": np.array([body.position for body in scene.bodies]),
        "velocities": np.array([body.velocity for body in scene.bodies]),
        "spins": np.array([body.spin for body in scene.bodies]),
    }
    if isinstance(scene, Scene3D):
        start["orientations"] = np.array([body.orientation for body in scene.bodies])
    else:
        start["angles"] = np.array([body.angle for body in scene.bodies])
    with RunWriter.create(folder, provenance={}, scene=scene_arrays(scene)) as writer:
        for step, changed in enumerate(steps):
            writer.add_frame(step, step * dt, {**start, **changed})
            writer.add_sample(step, step * dt, dict.fromkeys(ACCOUNTS, 0.0) | {"translational": 1.0 / 3.0 + step})
            if contacts is not None:
                writer.add_contacts(step, step * dt, contacts(step))
        if steps:
            writer.checkpoint(len(steps), len(steps) * dt, {}, {})
            writer.finish({})
    return open_run(folder)
