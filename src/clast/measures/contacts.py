"""What contacts carry at an instant, from a snapshot of the engine: forces, virial, loads on walls, balance (model §8).

Forces are those the law gives at the positions of the snapshot, elastic and viscous. Compression is positive.
"""

import numpy as np

from clast.dynamics import table as plane
from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.space import table as space
from clast.measures.stored import wall_series
from clast.measures.tensors import lengths

# columns that mean the same in both tables
PROBER, PROBED, AT_VERTEX = plane.PROBER, plane.PROBED, plane.AT_VERTEX


def is_space(snapshot: Snapshot) -> bool:
    """Whether a snapshot is one of grains in space."""
    return snapshot.floats.shape[1] == space.WIDTH


def vectors(snapshot: Snapshot, in_plane: tuple[int, int], in_space: int) -> np.ndarray:
    """A vector of every contact (m, 2), in space (m, 3): its columns there, and the first of them."""
    columns = range(in_space, in_space + 3) if is_space(snapshot) else in_plane
    return snapshot.floats[:, list(columns)]


def normals(snapshot: Snapshot) -> np.ndarray:
    """Unit vectors from the first to the second body (m, 2 or 3)."""
    return vectors(snapshot, (plane.NORMAL_X, plane.NORMAL_Y), space.NORMAL)


def points(snapshot: Snapshot) -> np.ndarray:
    """Contact points (m, 2 or 3)."""
    return vectors(snapshot, (plane.POINT_X, plane.POINT_Y), space.POINT)


def forces_on_first(snapshot: Snapshot, viscous: bool = True) -> np.ndarray:
    """Force on the first (probing) body of every contact (m, 2 or 3): −F_n N + F_t, in the plane F_t along T = ẑ × N.

    viscous   with what dashpots give
    """
    floats, n = snapshot.floats, normals(snapshot)
    if is_space(snapshot):
        push = floats[:, space.PUSH] - floats[:, space.PULL] + viscous * floats[:, space.DAMPING]
        shear = vectors(snapshot, (0, 0), space.SHEAR) + viscous * vectors(snapshot, (0, 0), space.DRAG)
        return shear - push[:, None] * n
    push, shear = floats[:, plane.PUSH] - floats[:, plane.PULL], floats[:, plane.SHEAR]
    if viscous:
        push = floats[:, plane.PUSH] + floats[:, plane.DAMPING] - floats[:, plane.PULL]
        shear = shear + floats[:, plane.DRAG]
    nx, ny = n.T
    return np.stack([-push * nx - shear * ny, -push * ny + shear * nx], axis=1)


def arms(snapshot: Snapshot) -> tuple[np.ndarray, np.ndarray]:
    """From the centres of the first body, and of the image of the second that is met, to the contact point (m, 2 or 3)."""
    at = points(snapshot)
    first = at - snapshot.state.body[snapshot.integers[:, PROBER], : at.shape[1]]
    return first, first - vectors(snapshot, (plane.BRANCH_X, plane.BRANCH_Y), space.BRANCH)


def contact_arrays(engine: Engine, snapshot: Snapshot) -> dict[str, np.ndarray]:
    """The contact table as it is stored; see `docs/measures.md`. Bodies by id; numbers in single precision, as there are
    many: a dense packing has five contacts per grain.

    In space a count may be a fraction, where parallel edges fade, and the spring is known by the force it gives.
    """
    integers, floats = snapshot.integers, snapshot.floats.astype(np.float32)
    first, second = (arm.astype(np.float32) for arm in arms(snapshot))
    stored = {
        "bodies": engine.order[integers[:, [PROBER, PROBED]]].astype(np.int32),
        "points": points(snapshot).astype(np.float32),
        "normals": normals(snapshot).astype(np.float32),
        "forces": forces_on_first(snapshot).astype(np.float32),
        "first_arms": first,
        "second_arms": second,
        "depths": floats[:, plane.DEPTH],
    }
    if is_space(snapshot):
        stored["shears"] = vectors(snapshot, (0, 0), space.SHEAR).astype(np.float32)
        stored["counts"] = floats[:, space.COUNT]
    else:
        stored["springs"] = floats[:, plane.SPRING]
        stored["counts"] = integers[:, plane.COUNT].astype(np.int8)
    stored["features"] = integers[:, AT_VERTEX].astype(np.uint8)
    return stored


def virial(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """Σ f ⊗ l over contacts (2, 2) or (3, 3), f the force on the second body, l from the first centre to the second (Love-Weber).

    Stress × area, compression positive. A wall has no centre that means anything: there l ends at the contact point.
    """
    first, second = arms(snapshot)
    big = np.zeros(engine.order.size, bool)
    big[engine.cast.big] = True
    first[big[snapshot.integers[:, PROBER]]] = 0.0
    second[big[snapshot.integers[:, PROBED]]] = 0.0
    return np.asarray(-forces_on_first(snapshot).T @ (first - second))


def body_forces(engine: Engine, snapshot: Snapshot, viscous: bool = True) -> np.ndarray:
    """Sum of the contact forces on every body (n, 2 or 3), in the engine's order."""
    force = forces_on_first(snapshot, viscous)
    net = np.zeros((engine.order.size, force.shape[1]))
    for column, sign in ((PROBER, 1.0), (PROBED, -1.0)):
        for axis in range(force.shape[1]):
            net[:, axis] += np.bincount(snapshot.integers[:, column], weights=sign * force[:, axis], minlength=engine.order.size)
    return net


def unbalanced_force(engine: Engine, snapshot: Snapshot, net: np.ndarray) -> tuple[float, float]:
    """mean |ΣF| of free grains / mean contact force (0 where nothing touches), and that mean; `net` from `body_forces`."""
    sizes = lengths(forces_on_first(snapshot))
    mean = float(sizes.mean()) if sizes.size else 0.0
    if mean == 0.0 or engine.free == 0:
        return 0.0, mean
    total = net[: engine.free] + engine.model.gravity / engine.model.inverse_mass[: engine.free, None]
    return float(lengths(total).mean()) / mean, mean


def carried(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """The series of a sample: virial, balance, and of every wall its place and the contact force on it."""
    net = body_forces(engine, snapshot)
    tensor = virial(engine, snapshot)
    axes = "xyz"[: engine.twin.DIMENSION]
    values = {f"virial_{a}{b}": float(tensor[i, j]) for i, a in enumerate(axes) for j, b in enumerate(axes)}
    values["unbalanced_force"], values["mean_contact_force"] = unbalanced_force(engine, snapshot, net)
    row_of = np.argsort(engine.order)
    for number, name in wall_names(engine).items():
        row = row_of[number]
        values |= {f"{name}.{axis}": float(snapshot.state.body[row, k]) for k, axis in enumerate(axes)}
        values |= {f"{name}.force_{axis}": float(net[row, k]) for k, axis in enumerate(axes)}
    if engine.kernels.CELL:
        values["cell.x"], values["cell.y"] = (float(each) for each in snapshot.state.body[engine.model.cell[0], 0:2])
    return values


def wall_names(engine: Engine) -> dict[int, str]:
    """Big bodies by id and the names of their series."""
    bodies = engine.scene.bodies
    return wall_series([body.name for body in bodies], [body.big for body in bodies])
