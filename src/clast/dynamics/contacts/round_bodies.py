"""Two round bodies as a pair: they have one candidate, from centre to centre. Vectors are those of the plane or of space."""

from typing import Any, NamedTuple


class Side(NamedTuple):
    """Both bodies, as `dynamics.plane.disks` and `dynamics.space.balls` read them."""

    a: Any
    b: Any
    reach: float  # sum of the radii
    near: float  # square of the distance from which on they count for nobody
    sign: float


class Met(NamedTuple):
    """The one candidate."""

    k: int
    counts: float
    way: Any  # from centre to centre
    square: float
    touching: bool
