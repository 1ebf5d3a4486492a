"""The accounts of the energy book at an instant, from a snapshot of the engine (see `clast.measures.book`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine, Snapshot


def accounts(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """Every account at the instant of a snapshot [energy]; called as all quantities of a sample are."""
    totals, contacts, bonds = snapshot.totals, snapshot.contacts, snapshot.bonds
    special = {"brought_in": totals["brought_in"]} if "brought_in" in totals else {}
    if bonds is not None:
        special |= {"bond_elastic": float(np.sum(bonds.energies)), "heat_fracture": float(np.sum(bonds.released))}
    return special | {
        "translational": totals["translational"],
        "rotational": totals["rotational"],
        "gravitational": totals["gravitational"],
        "normal_elastic": float(np.sum(contacts.normal_energies)),
        "tangential_elastic": float(np.sum(contacts.tangential_energies)),
        "rolling_elastic": float(np.sum(contacts.rolling_energies)),
        "cohesive": float(np.sum(contacts.cohesive_energies)),
        "heat_sliding": totals["heat_sliding"],
        "heat_viscous": totals["heat_viscous"],
        "heat_lost_springs": totals["heat_lost_springs"],
        "heat_rolling": totals["heat_rolling"],
        "heat_drag": totals["heat_drag"],
        "overlap_work": totals["overlap_work"],
        "carried_off": totals["carried_off"],
        "work_tags": totals["work_tags"],
        "work_changes": totals["work_changes"],
    }
