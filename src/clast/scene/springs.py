"""What contacts remember, by names that outlive a run: body ids, probes and features numbered within their shapes."""

from typing import NamedTuple

import numpy as np


class Springs(NamedTuple):
    """Memory of n touching contacts; `clast.dynamics.engine.Engine.springs` gives it, a scene can be started with it.

    Taken over by a law of another kind, the displacement of the tangential spring and the angle of rolling are kept; what
    `extra` means only the same law knows.
    """

    key: np.ndarray  # (n, 6) int64: probing body, probed body, image x and y of the probed, probe, feature
    memory: np.ndarray  # (n, 3): tangential spring, extra, angle of rolling; 0 where the law has none
    law: str  # module of the law that wrote it


class Springs3D(NamedTuple):
    """The same in space, where a spring is a vector in the tangent plane, by its components along the axes of the world.

    section 0, 1   a vertex of the probing body on a feature of the probed one; 1 where the probing body comes second in its pair
    section 2      an edge or vertex of the first body against one of the second

    Of sharp bodies the features are pieces, and centroid and normal of the last step (3 and 3) follow in `memory`; with springs
    against turning the columns of rolling are what these remember, and the root of their stiffness (6) follows.
    """

    key: np.ndarray  # (n, 8) int64: probing body, probed body, image x, y, z of the probed, section, first and second feature
    memory: np.ndarray  # (n, 8): tangential spring (3), extra, angle of rolling (3), 0 where a law has none; how much it counted
    law: str  # module of the law that wrote it
