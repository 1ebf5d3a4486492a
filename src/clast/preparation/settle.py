"""Protocols that bring grains to rest. What they take out of the motion is not booked: a run starts after them."""

from dataclasses import dataclass

import numpy as np

from clast.dynamics.engine import Engine
from clast.dynamics.table import PULL, PUSH, SHEAR
from clast.measures.contacts import virial


@dataclass(frozen=True)
class Rest:
    """How still a packing is."""

    unbalanced: float  # mean |ΣF| of the grains / mean contact force
    contacts_per_grain: float  # counted contacts
    steps: int


def unbalanced_force(engine: Engine) -> tuple[float, float]:
    """mean |ΣF| over free grains / mean |contact force|, and counted contacts per free grain. Forces of laws and gravity.

    A driven body that is free in some direction (a lid under load) must be in balance as well: the larger of the two
    ratios is returned, the second being its net force over the load it carries.
    """
    snapshot = engine.snapshot()
    table, floats = snapshot.integers, snapshot.floats
    nx, ny = floats[:, 1], floats[:, 2]
    push, shear = floats[:, PUSH] - floats[:, PULL], floats[:, SHEAR]
    fx, fy = -push * nx - shear * ny, -push * ny + shear * nx
    net = np.zeros((engine.order.size, 2))
    for column, sign in ((0, 1.0), (1, -1.0)):
        np.add.at(net[:, 0], table[:, column], sign * fx)
        np.add.at(net[:, 1], table[:, column], sign * fy)
    net += engine.model.gravity / engine.model.inverse_mass[:, None]
    if engine.kernels.CELL:  # what acts on its lengths, where its grains balance
        cell = engine.model.cell[0]
        net[cell] = virial(engine, snapshot).diagonal() / np.where(
            engine.model.period > 0.0, engine.state.body[cell, 0:2], np.inf
        )
    mean_contact = float(np.hypot(fx, fy).mean()) if len(fx) else 0.0
    if mean_contact == 0.0:
        return float("inf"), 0.0
    ratio = float(np.hypot(*net[: engine.free].T).mean() / mean_contact)
    loads = engine.tags.push[:, :2]  # as of the snapshot
    off = np.where(engine.tags.imposed[:, :2] == 0, net[engine.free : engine.moving] + loads, 0.0)
    carried = np.hypot(*loads.T)
    if carried.any():
        ratio = max(ratio, float((np.hypot(*off.T)[carried > 0.0] / carried[carried > 0.0]).max()))
    return ratio, float((table[:, 5] > 0).sum() / max(engine.free, 1))


def settle(engine: Engine, *, unbalanced: float, slice_steps: int = 1000, most_steps: int = 2_000_000) -> Rest:
    """Step under a drag until the forces balance.

    The drag is critical for the longest wave of the sample, √N grains across: contact damping stills the short waves but
    leaves that one ringing. It acts between stretches of a few steps, on grains and on loaded bodies alike.
    """
    body = engine.state.body
    moving = slice(0, engine.moving)
    mass = 1.0 / engine.model.inverse_mass[: engine.free]
    rate = 2.0 * np.pi * float(np.sqrt(engine.model.stiffness[0] / mass.mean()) / (2.0 * np.sqrt(engine.free)))
    stretch = 20
    keep = float(np.exp(-rate * stretch * engine.dt))
    held = np.zeros((engine.moving, 3), bool)
    held[engine.free :] = engine.tags.imposed != 0
    begin = engine.step
    while True:
        for _ in range(slice_steps // stretch):
            engine.advance(engine.step + stretch)
            body[moving, 4:7] *= np.where(held, 1.0, keep)
        ratio, contacts = unbalanced_force(engine)
        if ratio < unbalanced or engine.step - begin >= most_steps:
            return Rest(ratio, contacts, engine.step - begin)
