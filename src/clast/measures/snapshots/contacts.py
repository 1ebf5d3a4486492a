"""What contacts carry at an instant, from a snapshot of the engine: forces, virial, loads on walls, balance (model §8).

Forces are those the law gives at the positions of the snapshot, elastic and viscous. Compression is positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.algebra.tensors import lengths
from clast.measures.stored import wall_series

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine, Snapshot


def contact_arrays(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """The contacts as they are stored; see `docs/measures.md`. Bodies by id; numbers in single precision, as there are
    many: a dense packing has five contacts per grain.

    In space a count may be a fraction, where parallel edges fade, and the spring is known by the force it gives.
    """
    contacts = snapshot.contacts
    stored = {"bodies": contacts.bodies.astype(np.int32)}
    for name in ("points", "normals", "forces", "first_arms", "second_arms", "depths"):
        stored[name] = getattr(contacts, name).astype(np.float32)
    if snapshot.dimension == 3:
        stored["shears"] = contacts.shears.astype(np.float32)
        stored["counts"] = contacts.counts.astype(np.float32)
    else:
        stored["springs"] = contacts.springs.astype(np.float32)
        stored["counts"] = contacts.counts.astype(np.int8)
    stored["features"] = contacts.features.astype(np.uint8)
    return stored


def virial(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """Σ f ⊗ l over contacts (2, 2) or (3, 3), f the force on the second body, l from the first centre to the second (Love-Weber).

    Stress × area, compression positive. A wall has no centre that means anything: there l ends at the contact point.
    """
    contacts, big = snapshot.contacts, engine.big
    first, second = contacts.first_arms, contacts.second_arms
    first[big[contacts.first]] = 0.0
    second[big[contacts.second]] = 0.0
    found = np.asarray(-contacts.forces.T @ (first - second))
    return found if snapshot.bonds is None else found + virial_of_bonds(engine, snapshot)


def virial_of_bonds(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """The same of bonds (2, 2)."""
    bonds, big = snapshot.bonds, engine.big
    assert bonds is not None
    first, second = bonds.first_arms.copy(), bonds.second_arms.copy()
    first[big[bonds.bodies[:, 0]]] = 0.0
    second[big[bonds.bodies[:, 1]]] = 0.0
    return np.asarray(-bonds.forces.T @ (first - second))


def kinetic_virial(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """Σ m u ⊗ u over the grains of a sheared cell (2, 2) or (3, 3), u the velocity against their mean and the flow of the cell.

    What the virial of the contacts lacks of stress × area where grains are fast: carried with the momentum of the grains.
    """
    cell, grains = snapshot.cell, snapshot.free_ids
    assert cell is not None
    mass = 1.0 / snapshot.inverse_masses[grains]
    share = mass / mass.sum()
    places, velocities = snapshot.positions[grains], snapshot.velocities[grains]
    apart, u = places - share @ places, velocities - share @ velocities
    u[:, 0] -= apart[:, 1] / cell.lengths[1] * cell.offset_rate
    for axis in range(1, snapshot.dimension):
        if cell.lengths[axis] > 0.0:
            u[:, axis] -= apart[:, axis] / cell.lengths[axis] * cell.rates[axis]
    return np.asarray((mass[:, None] * u).T @ u)


def body_forces(snapshot: Snapshot, viscous: bool = True) -> np.ndarray:
    """Sum of the forces of contacts and bonds on every body (n, 2 or 3).

    viscous   with what dashpots give
    """
    contacts, count = snapshot.contacts, snapshot.present.size
    force = contacts.forces if viscous else contacts.elastic_forces
    net = np.zeros((count, force.shape[1]))
    for bodies, sign in ((contacts.first, 1.0), (contacts.second, -1.0)):
        for axis in range(force.shape[1]):
            net[:, axis] += np.bincount(bodies, weights=sign * force[:, axis], minlength=count)
    if snapshot.bonds is not None:
        for bodies, sign in zip(snapshot.bonds.bodies.T, (1.0, -1.0), strict=True):
            np.add.at(net, bodies, sign * snapshot.bonds.forces)
    return net


def unbalanced_force(snapshot: Snapshot, net: np.ndarray) -> tuple[float, float]:
    """mean |ΣF| of free grains / mean contact force (0 where nothing touches), and that mean; `net` from `body_forces`."""
    sizes, free = lengths(snapshot.contacts.forces), snapshot.free_ids
    mean = float(sizes.mean()) if sizes.size else 0.0
    if mean == 0.0 or free.size == 0:
        return 0.0, mean
    total = net[free] + snapshot.gravity / snapshot.inverse_masses[free, None]
    return float(lengths(total).mean()) / mean, mean


def carried(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """The series of a sample: virial, balance, and of every wall its place and the contact force on it."""
    net = body_forces(snapshot)
    tensor = virial(engine, snapshot)
    axes = "xyz"[: snapshot.dimension]
    values = {f"virial_{a}{b}": float(tensor[i, j]) for i, a in enumerate(axes) for j, b in enumerate(axes)}
    values["unbalanced_force"], values["mean_contact_force"] = unbalanced_force(snapshot, net)
    positions = snapshot.positions
    for number, name in wall_names(engine).items():
        values |= {f"{name}.{axis}": float(positions[number, k]) for k, axis in enumerate(axes)}
        values |= {f"{name}.force_{axis}": float(net[number, k]) for k, axis in enumerate(axes)}
    if snapshot.cell is not None:
        values |= {f"cell.{axis}": float(length) for axis, length in zip(axes, snapshot.cell.lengths, strict=True)}
        if snapshot.cell.sheared:
            values["cell.offset"] = snapshot.cell.offset
            moving = kinetic_virial(engine, snapshot)
            values |= {f"kinetic_{a}{b}": float(moving[i, j]) for i, a in enumerate(axes) for j, b in enumerate(axes)}
    return values


def wall_names(engine: Engine) -> dict[int, str]:
    """Big bodies by id and the names of their series."""
    bodies = engine.scene.bodies
    walls = np.flatnonzero(bodies.column("big"))
    return wall_series(walls.tolist(), bodies.objects("name", walls))
