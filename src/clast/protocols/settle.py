"""Protocols that bring grains to rest. What they take out of the motion is not booked: a run starts after them."""

from dataclasses import dataclass

import numpy as np

from clast.algebra.tensors import lengths
from clast.dynamics.engine import Engine
from clast.measures.snapshots.contacts import body_forces, virial


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
    contacts = snapshot.contacts
    sizes = lengths(contacts.elastic_forces)
    net = body_forces(snapshot, viscous=False) + snapshot.gravity / snapshot.inverse_masses[:, None]
    mean_contact = float(sizes.mean()) if len(sizes) else 0.0
    if mean_contact == 0.0:
        return float("inf"), 0.0
    ratio = float(lengths(net[snapshot.free_ids]).mean() / mean_contact)
    loads, held = snapshot.loads, snapshot.held
    if snapshot.cell is not None:  # what acts on its lengths, where its grains balance
        cell = snapshot.cell
        on_cell = virial(engine, snapshot).diagonal() / np.where(cell.lengths > 0.0, cell.lengths, np.inf)
        net, loads, held = np.vstack([net, on_cell]), np.vstack([loads, cell.loads]), np.vstack([held, cell.held])
    carried = lengths(loads)
    if carried.any():
        off = lengths(np.where(held, 0.0, net + loads))
        ratio = max(ratio, float((off[carried > 0.0] / carried[carried > 0.0]).max()))
    return ratio, float((contacts.counts > 0.0).sum() / max(engine.free, 1))


def settle(engine: Engine, *, unbalanced: float, slice_steps: int = 1000, most_steps: int = 2_000_000) -> Rest:
    """Step under a drag until the forces balance.

    The drag is critical for the longest wave of the sample, √N grains across: contact damping stills the short waves but
    leaves that one ringing. It acts between stretches of a few steps, on grains and on loaded bodies alike.
    """
    mass = 1.0 / engine.inverse_masses[engine.free_ids]
    rate = 2.0 * np.pi * float(np.sqrt(engine.stiffness / mass.mean()) / (2.0 * np.sqrt(engine.free)))
    stretch = 20
    keep = float(np.exp(-rate * stretch * engine.dt))
    begin = engine.step
    while True:
        for _ in range(slice_steps // stretch):
            engine.advance(engine.step + stretch)
            engine.slow(keep)
        ratio, contacts = unbalanced_force(engine)
        if ratio < unbalanced or engine.step - begin >= most_steps:
            return Rest(ratio, contacts, engine.step - begin)
