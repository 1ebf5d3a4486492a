"""What the experiments in space share: grains of volume 1 and mass 1, their law and time step, and pictures where pyvista is
installed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from clast.algebra.quaternions import about, matrix, product
from clast.experiments.experiment import Parameters, parameter
from clast.experiments.shared.damped import damped_law
from clast.output.figures.plane import frames_figure, save_figure, scene_figure
from clast.output.store.reader import Run
from clast.scene.space import Scene3D
from clast.scene.timed import Timed
from clast.shapes.space.solid import Solid

Grain = Literal["sphere", "capsule", "triangle-plate", "tetrahedron", "cube", "octahedron", "brick", "l-block", "cross"]
PLURAL = {"triangle-plate": "plates", "octahedron": "octahedra", "tetrahedron": "tetrahedra", "cross": "crosses"}
GAP = 0.03  # around each grain of a lattice of standing grains
TILT = 0.03  # radians, by which each is turned at random
DIAMETER = (6.0 / math.pi) ** (1.0 / 3.0)  # of a ball of volume 1


class GrainsInSpace(Parameters):
    """Contacts of grains of volume 1 and density 1 under gravity 1, and the time step that goes with them."""

    friction: float = parameter(0.5, "friction μ of grains and walls", "", ge=0)
    tangential: float = parameter(0.5, "k_t over k_n", "", gt=0)
    stiffness: float = parameter(1e4, "normal stiffness k_n", "mg/d", gt=0)
    zeta: float = parameter(0.2, "damping of contacts, of critical", "", ge=0, lt=1)
    steps_per_contact: float = parameter(30.0, "time steps in the contact time T_c = π√(m/2k)", "", ge=20)


def plural(shape: str) -> str:
    """How titles call many grains of a shape."""
    return PLURAL.get(shape, f"{shape}s")


def contact_time(stiffness: float) -> float:
    """How long two grains of mass 1 touch when they meet face to centre, without damping: T_c = π√(m/2k_n)."""
    return math.pi * math.sqrt(0.5 / stiffness)


def step_of(p: GrainsInSpace) -> float:
    """Δt of a run."""
    return contact_time(p.stiffness) / p.steps_per_contact


def scene_of_grains(p: GrainsInSpace, remove_below: float | None = None, drag: Timed = 0.0) -> Scene3D:
    """An empty scene under gravity 1 (along −z) whose contacts are damped by the share ζ of critical.

    Between grains dashpots see half the mass of one, at a wall the whole.
    """
    between, at_wall = (damped_law(p.stiffness, p.tangential, p.friction, p.zeta, mass) for mass in (0.5, 1.0))
    scene = Scene3D(law=between, gravity=(0.0, 0.0, -1.0), remove_below=remove_below, drag=drag)
    scene.set_law("grain", "wall", at_wall)
    return scene


def standing_room(grain: Solid) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner (3,), from its centre of mass, of the room for a grain that stands as it was drawn, tilted a
    little: near each other, as grains in any orientation cannot start."""
    drawn = grain.drawn() - grain.centre
    around = grain.radius + GAP + (TILT * grain.reach if len(drawn) > 1 else 0.0)
    return drawn.min(axis=0) - around, drawn.max(axis=0) + around


def stand(scene: Scene3D, grain: Solid, places: np.ndarray, seed: int) -> None:
    """Add grains near `places` (n, 3) as they were drawn, each off its place and tilted a little at random: columns of balls
    would stand on each other, and all seeds be alike."""
    rng = np.random.default_rng(seed)
    for place in places + GAP * rng.uniform(-0.9, 0.9, places.shape):
        axis, angle = rng.normal(size=3), TILT * rng.uniform()
        scene.add(grain, place, orientation=product(about(axis, angle), grain.orientation))


def kinetic_parts(run: Run, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Energies of translation and of rotation (n,) of all bodies in a frame."""
    frame, mass, inertia = run.frames[index], run.scene["body_mass"], run.scene["body_inertia"]
    spins = np.einsum("kba,kb->ka", matrix(frame.orientations), frame.spins)  # about the principal axes
    return 0.5 * mass * (frame.velocities**2).sum(axis=1), 0.5 * (inertia * spins**2).sum(axis=1)


def picture_of_run(run: Run, chosen: Sequence[int], path: Path) -> list[Path]:
    """Some frames of a run side by side; no picture where pyvista is not installed, for the run is good without."""
    return [save_figure(frames_figure(run, chosen), path)] if find_spec("pyvista") else []


def picture_of_scene(scene: Scene3D, path: Path) -> list[Path]:
    """A scene as its bodies stand; no picture where pyvista is not installed."""
    return [save_figure(scene_figure(scene), path)] if find_spec("pyvista") else []
