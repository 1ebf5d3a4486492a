"""How many grains have come in and gone out, and their masses: the balance of a run with sources and sinks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def flows(engine: Engine) -> dict[str, float]:
    """Numbers and masses since the start, and of the grains that are there; nothing where there are neither sources nor sinks.

    grains_in, mass_in           from sources; of those with a name also `mass_in_NAME`
    grains_out, mass_out         into sinks and below `remove_below`; of sinks with a name also `mass_out_NAME`
    grains_there, mass_there     at this instant, bodies with tags too

    Masses are sums rounded once: they depend on no order.
    """
    flow, scene = engine.flow, engine.scene
    if not flow.active:
        return {}
    mass = scene.bodies.column("mass")
    came, went, there = flow.came[:, 0], flow.went[:, 0], np.flatnonzero(engine.present & ~engine.big)
    found: dict[str, float] = {}
    for word, ids in (("in", came), ("out", went), ("there", there)):
        found |= {f"grains_{word}": float(ids.size), f"mass_{word}": math.fsum(mass[ids].tolist())}
    for source in scene.sources:
        if source.name is not None:
            found[f"mass_in_{source.name}"] = math.fsum(mass[came[np.isin(came, source.ids)]].tolist())
    for number, sink in enumerate(scene.sinks):
        if sink.name is not None:
            found[f"mass_out_{sink.name}"] = math.fsum(mass[went[flow.went[:, 2] == number]].tolist())
    return found
