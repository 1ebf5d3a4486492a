"""Packings that are made once and then repeated, kept in files of the cache folder.

A file is named by a hash of its grains and of the functions that make it, with the numbers they use: what another version has
made in another way is not taken for it. The kernels that step it are not in the hash.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clast.backend.bind import cache_folder
from clast.backend.cache_folder import written_whole
from clast.backend.meaning import describe
from clast.protocols.periodic import Tile, compress
from clast.shapes import Shape, Solid, regular


def kept(
    name: str, make: Callable[[], dict[str, Any]], grains: Sequence[Shape | Solid], settings: str = ""
) -> dict[str, np.ndarray]:
    """What `make` returns, from the file where it was made before.

    settings   of all that neither stands in the functions nor in the grains
    """
    digest = hashlib.sha256(settings.encode())
    describe(make, digest, {})
    for grain in grains:
        digest.update(grain.vertices.tobytes() + repr(grain.radius).encode())
    path = cache_folder() / f"bench-{name}-tile-{digest.hexdigest()[:12]}.npz"
    if not path.exists():
        made = make()
        with written_whole(path) as file:
            np.savez(file, allow_pickle=False, **made)
    with np.load(path, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def plane_tile(name: str, shapes: list[Shape], unbalanced: float) -> tuple[Tile, float]:
    """Shapes packed in a periodic box, and their mean area."""

    def make() -> dict[str, Any]:
        tile = compress(shapes, overlap=1e-3, unbalanced=unbalanced)
        return {"positions": tile.positions, "angles": tile.angles, "period": tile.period}

    stored = kept(name, make, shapes)
    return Tile(shapes, stored["positions"], stored["angles"], float(stored["period"])), float(np.mean([s.area for s in shapes]))


def hexagon_tile() -> tuple[Tile, float]:
    """A hundred hexagons packed in a periodic box; repeated it gives a dense state of any size."""
    return plane_tile("hexagon", [regular(6, radius=0.1, circumradius=0.45)] * 100, 1e-4)
