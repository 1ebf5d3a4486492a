"""What a single run warns of at its end, for all rows of a sweep together."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from clast.output.recording import DEEP
from clast.sweeps.index import SweepColumns


def warnings_of(found: SweepColumns, names: Container[str]) -> list[str]:
    """A sentence if grains overlapped too deep in some of the rows with these names; it names the worst."""
    columns = found.columns
    if "overlap_share" not in columns:  # a study, or nothing has finished
        return []
    shares = np.where([name in names for name in columns["name"].tolist()], columns["overlap_share"], np.nan)
    deep = int((shares > DEEP).sum())
    if not deep:
        return []
    worst = int(np.nanargmax(shares))
    of = f"{deep} row{'s' if deep != 1 else ''} of {int(np.isfinite(shares).sum())}"
    return [
        f"in {of} grains overlapped by up to {shares[worst]:.0%} of their radius (row {columns['row'][worst]}): that is another "
        "shape than you drew; stiffen the springs"
    ]
