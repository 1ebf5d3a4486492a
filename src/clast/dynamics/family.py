"""A family of bodies as the engine sees it: spheropolygons in the plane, spheropolyhedra, sharp polyhedra. One module each.

n bodies; d = 3 components of a motion in the plane, 6 in space: velocity, then spin. Units are those of the scene.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

import numpy as np

from clast.dynamics.arrays import Model, Scratch
from clast.dynamics.bodies.layout import Layout
from clast.dynamics.bodies.room import Widths
from clast.dynamics.contacts.depth import Depth
from clast.dynamics.contacts.memory import ContactMemory
from clast.dynamics.plane import family as plane
from clast.dynamics.sharp import family as sharp
from clast.dynamics.space import family as space
from clast.neighbours.feature_tree import Tree
from clast.scene.plane import Scene
from clast.scene.space import Scene3D


class Family(Protocol):
    """What the host knows of a family; its passes are those of the module named PASSES."""

    PASSES: str
    DIMENSION: int  # 2 in the plane, 3 in space
    TABLE: ModuleType  # columns of the table of contacts
    WIDTHS: Widths  # of lists and forces
    KINDS: tuple[int, ...]  # sets of kinds of pairs that are compiled, the smallest first (`clast.dynamics.contacts.kinds`)
    WORDS: int  # in which a rebuild notes the candidates of a near pair as bits, or 0
    MEMORY: ContactMemory  # what contacts remember
    DEPTH: Depth  # of an overlap, in words
    TOGETHER: float  # times the stiffness of a contact that a grain swings under, see `clast.dynamics.timestep`
    VELOCITIES: slice  # columns of State.body
    SPINS: int | slice  # columns of State.body: about z in the plane, about x y z of the world in space
    OFFSET: int  # of a sheared cell, columns of its row in State.body: its offset,
    OFFSET_RATE: int  # and how fast that grows

    def lay_out(self, scene: Any, /) -> Layout:
        """Arrays of a scene at t = 0."""
        ...

    def trees_of(self, geometry: Any, /) -> tuple[Tree, Tree]:
        """Trees of what may touch and of what may be touched, for all shapes."""
        ...

    def room_of(self, geometry: Any, /) -> int:
        """Numbers that each part of a rebuild needs for itself."""
        ...

    def scratch_of(self, geometry: Any, threads: int, room: tuple[int, int], /) -> Scratch:
        """Room in which each thread can work; `room` is what blocks of contacts need, floats and integers."""
        ...

    def with_derivatives(self, state: Any, order: int, /) -> Any:
        """A state for Gear's method of this order, with velocities of half a step ago."""
        ...

    def with_gains(self, state: Any, /) -> Any:
        """A state for velocity Verlet and dashpots: with room for what bodies are expected to gain."""
        ...

    def completed(self, arrays: dict[str, np.ndarray], dt: float, /) -> dict[str, np.ndarray]:
        """Arrays of a checkpoint, older ones with what they lack: gains, and velocities of half a step ago."""
        ...

    def motion(self, model: Model, state: Any, /) -> np.ndarray:
        """What a kick changes (n, d): velocity and spin, in space velocity and angular momentum about the principal axes."""
        ...

    def kinetic(self, model: Model, before: np.ndarray, after: np.ndarray, rows: Any, /) -> tuple[np.ndarray, np.ndarray]:
        """Translational and rotational energy of some rows, from two of their motions (n, d): ½ v₋·M·v₊."""
        ...

    def stop(self, state: Any, rows: np.ndarray, /) -> None:
        """Take the motion out of some bodies."""
        ...

    def slow(self, state: Any, keep: np.ndarray, /) -> None:
        """Leave a part (rows, d) of the motion of the first bodies."""
        ...


def family_of(scene: Scene | Scene3D) -> Family:
    """The family of the bodies of a scene."""
    if isinstance(scene, Scene):
        return plane
    if scene.sharp:
        return sharp
    return space
