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
