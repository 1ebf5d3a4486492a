"""What contacts remember, by names that outlive a run: body ids, probes and features numbered within their shapes."""

from typing import NamedTuple

import numpy as np


class Springs(NamedTuple):
    """Memory of n touching contacts; `clast.dynamics.engine.Engine.springs` gives it, a scene can be started with it.

    The law decides how many numbers a contact remembers; taken over by another law, the tangential spring is kept
    and the rest starts from zero.
    """

    key: np.ndarray  # (n, 6) int64: probing body, probed body, image x and y of the probed, probe, feature
    memory: np.ndarray  # (n, numbers)
