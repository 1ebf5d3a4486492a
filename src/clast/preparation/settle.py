"""Protocols that bring grains to rest. What they take out of the motion is not booked: a run starts after them."""

from dataclasses import dataclass

import numpy as np

from clast.dynamics.engine import Engine
from clast.measures.contacts import body_forces, forces_on_first, virial
from clast.measures.tensors import lengths


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
    axes = engine.twin.DIMENSION
    sizes = lengths(forces_on_first(snapshot, viscous=False))
    net = body_forces(engine, snapshot, viscous=False) + engine.model.gravity / engine.model.inverse_mass[:, None]
    if engine.kernels.CELL:  # what acts on its lengths, where its grains balance
        cell = engine.model.cell[0]
        net[cell] = virial(engine, snapshot).diagonal() / np.where(
            engine.model.period > 0.0, engine.state.body[cell, 0:2], np.inf
        )
    mean_contact = float(sizes.mean()) if len(sizes) else 0.0
    if mean_contact == 0.0:
        return float("inf"), 0.0
    ratio = float(lengths(net[: engine.free]).mean() / mean_contact)
    loads = engine.tags.push[:, :axes]  # as of the snapshot
    off = np.where(engine.tags.imposed[:, :axes] == 0, net[engine.free : engine.moving] + loads, 0.0)
    carried = lengths(loads)
    if carried.any():
        ratio = max(ratio, float((lengths(off)[carried > 0.0] / carried[carried > 0.0]).max()))
    return ratio, float((snapshot.integers[:, 5] > 0).sum() / max(engine.free, 1))


def settle(engine: Engine, *, unbalanced: float, slice_steps: int = 1000, most_steps: int = 2_000_000) -> Rest:
    """Step under a drag until the forces balance.

    The drag is critical for the longest wave of the sample, √N grains across: contact damping stills the short waves but
    leaves that one ringing. It acts between stretches of a few steps, on grains and on loaded bodies alike.
    """
    mass = 1.0 / engine.model.inverse_mass[: engine.free]
    rate = 2.0 * np.pi * float(np.sqrt(engine.model.stiffness[0] / mass.mean()) / (2.0 * np.sqrt(engine.free)))
    stretch = 20
    keep = float(np.exp(-rate * stretch * engine.dt))
    held = np.zeros((engine.moving, engine.tags.imposed.shape[1]), bool)
    held[engine.free :] = engine.tags.imposed != 0
    begin = engine.step
    while True:
        for _ in range(slice_steps // stretch):
            engine.advance(engine.step + stretch)
            engine.twin.slow(engine.state, np.where(held, 1.0, keep))
        ratio, contacts = unbalanced_force(engine)
        if ratio < unbalanced or engine.step - begin >= most_steps:
            return Rest(ratio, contacts, engine.step - begin)
