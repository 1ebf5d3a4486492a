"""How much of a wall's load its dashpot carries (model §6): the dashpot stills a free wall, it must not hold the sample."""

import numpy as np

from clast.dynamics.engine import Engine, Snapshot

TOLERATED = 0.02  # of the load


def dashpot_share(engine: Engine, snapshot: Snapshot) -> float:
    """Largest |c v|/|load| of the walls that carry a load and have a dashpot, at the instant of a snapshot; 0 without any.

    Taken right after the snapshot: the loads are those the engine worked out for it.
    """
    tags = engine.tags
    axes = engine.twin.DIMENSION
    speed = engine.twin.motion(snapshot.state)[engine.free : engine.moving, :axes]
    load = np.abs(tags.push[:, :axes])
    loaded = (tags.imposed[:, :axes] == 0) & (load > 0.0) & (tags.dashpot > 0.0)
    if not loaded.any():
        return 0.0
    return float((np.abs(tags.dashpot * speed)[loaded] / load[loaded]).max())
