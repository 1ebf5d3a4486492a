"""Solids in the file of a run: written as tables, one solid after the other, and read back as they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.scene.stored import solids_of
from clast.shapes.space.solid import Solid

if TYPE_CHECKING:
    from clast.output.store.reader import Run


def solid_arrays(unique: Sequence[Solid]) -> dict[str, Any]:
    """What a solid has besides: the faces of solid k are shape_first_face[k] to [k + 1], the corners of face f are
    shape_corners[shape_first_corner[f] : shape_first_corner[f + 1]], vertex numbers within the solid. Where a solid has several
    convex pieces, shape_piece[f] is that of face f."""
    loops = [loop for solid in unique for loop in solid.faces]
    pieces = [solid.piece if len(solid.piece) else np.zeros(len(solid.faces), np.int64) for solid in unique]
    # rounded solids and runs of older versions have none
    of_pieces = {"shape_piece": np.concatenate(pieces)} if any(solid.piece_count > 1 for solid in unique) else {}
    return of_pieces | {
        "shape_corners": np.concatenate([np.zeros(0, np.int64), *loops]),
        "shape_first_corner": np.cumsum([0, *(len(loop) for loop in loops)]),
        "shape_first_face": np.cumsum([0, *(len(solid.faces) for solid in unique)]),
        "shape_volume": np.array([solid.volume for solid in unique]),
        "shape_inertia": np.array([solid.inertia for solid in unique]),
        "shape_reach": np.array([solid.reach for solid in unique]),
        "shape_centre": np.array([solid.centre for solid in unique]),
        "shape_orientation": np.array([solid.orientation for solid in unique]),
        "shape_hollow": np.array([solid.hollow for solid in unique]),
        "shape_mass_error": np.array([solid.mass_error for solid in unique]),
        "shape_name": [solid.name for solid in unique],
    }


def run_solids(run: Run) -> list[Solid]:
    """The solids of a stored run in space, as they were."""
    return solids_of(run.scene)
