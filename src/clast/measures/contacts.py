"""What contacts carry at an instant, from a snapshot of the engine: forces, virial, loads on walls, balance (model §8).

Forces are those the law gives at the positions of the snapshot, elastic and viscous. Compression is positive.
"""

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.table import (
    AT_VERTEX,
    BRANCH_X,
    BRANCH_Y,
    COUNT,
    DAMPING,
    DEPTH,
    DRAG,
    NORMAL_X,
    NORMAL_Y,
    POINT_X,
    POINT_Y,
    PROBED,
    PROBER,
    PULL,
    PUSH,
    SHEAR,
    SPRING,
)
from clast.measures.stored import wall_series


def forces_on_first(snapshot: Snapshot) -> np.ndarray:
    """Force on the first (probing) body of every contact (m, 2): −F_n N + F_t T with T = ẑ × N."""
    floats = snapshot.floats
    push = floats[:, PUSH] + floats[:, DAMPING] - floats[:, PULL]
    shear = floats[:, SHEAR] + floats[:, DRAG]
    nx, ny = floats[:, NORMAL_X], floats[:, NORMAL_Y]
    return np.stack([-push * nx - shear * ny, -push * ny + shear * nx], axis=1)


def arms(snapshot: Snapshot) -> tuple[np.ndarray, np.ndarray]:
    """From the centres of the first body, and of the image of the second that is met, to the contact point, (m, 2) each."""
    first = snapshot.floats[:, [POINT_X, POINT_Y]] - snapshot.state.body[snapshot.integers[:, PROBER], 0:2]
    return first, first - snapshot.floats[:, [BRANCH_X, BRANCH_Y]]


def contact_arrays(engine: Engine, snapshot: Snapshot) -> dict[str, np.ndarray]:
    """The contact table as it is stored; see `docs/measures.md`. Bodies by id; numbers in single precision, as there are
    many: a dense packing has five contacts per grain.
    """
    integers, floats = snapshot.integers, snapshot.floats.astype(np.float32)
    first, second = (arm.astype(np.float32) for arm in arms(snapshot))
    return {
        "bodies": engine.order[integers[:, [PROBER, PROBED]]].astype(np.int32),
        "points": floats[:, [POINT_X, POINT_Y]],
        "normals": floats[:, [NORMAL_X, NORMAL_Y]],
        "forces": forces_on_first(snapshot).astype(np.float32),
        "first_arms": first,
        "second_arms": second,
        "depths": floats[:, DEPTH],
        "springs": floats[:, SPRING],
        "counts": integers[:, COUNT].astype(np.int8),
        "features": integers[:, AT_VERTEX].astype(np.uint8),
    }


def virial(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """Σ f ⊗ l over contacts (2, 2), f the force on the second body, l from the first centre to the second (Love-Weber).

    Stress × area, compression positive. A wall has no centre that means anything: there l ends at the contact point.
    """
    first, second = arms(snapshot)
    big = np.zeros(engine.order.size, bool)
    big[engine.cast.big] = True
    first[big[snapshot.integers[:, PROBER]]] = 0.0
    second[big[snapshot.integers[:, PROBED]]] = 0.0
    return np.asarray(-forces_on_first(snapshot).T @ (first - second))


def body_forces(engine: Engine, snapshot: Snapshot) -> np.ndarray:
    """Sum of the contact forces on every body (n, 2), in the engine's order."""
    force = forces_on_first(snapshot)
    net = np.zeros((engine.order.size, 2))
    for column, sign in ((PROBER, 1.0), (PROBED, -1.0)):
        for axis in range(2):
            net[:, axis] += np.bincount(snapshot.integers[:, column], weights=sign * force[:, axis], minlength=engine.order.size)
    return net


def unbalanced_force(engine: Engine, snapshot: Snapshot, net: np.ndarray) -> tuple[float, float]:
    """mean |ΣF| of free grains / mean contact force (0 where nothing touches), and that mean; `net` from `body_forces`."""
    sizes = np.hypot(*forces_on_first(snapshot).T)
    mean = float(sizes.mean()) if sizes.size else 0.0
    if mean == 0.0 or engine.free == 0:
        return 0.0, mean
    total = net[: engine.free] + engine.model.gravity / engine.model.inverse_mass[: engine.free, None]
    return float(np.hypot(*total.T).mean()) / mean, mean


def carried(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """The series of a sample: virial, balance, and of every wall its place and the contact force on it."""
    net = body_forces(engine, snapshot)
    tensor = virial(engine, snapshot)
    values = {f"virial_{'xy'[a]}{'xy'[b]}": float(tensor[a, b]) for a in range(2) for b in range(2)}
    values["unbalanced_force"], values["mean_contact_force"] = unbalanced_force(engine, snapshot, net)
    row_of = np.argsort(engine.order)
    for number, name in wall_names(engine).items():
        row = row_of[number]
        values[f"{name}.x"], values[f"{name}.y"] = (float(each) for each in snapshot.state.body[row, 0:2])
        values[f"{name}.force_x"], values[f"{name}.force_y"] = (float(each) for each in net[row])
    if engine.kernels.CELL:
        values["cell.x"], values["cell.y"] = (float(each) for each in snapshot.state.body[engine.model.cell[0], 0:2])
    return values


def wall_names(engine: Engine) -> dict[int, str]:
    """Big bodies by id and the names of their series."""
    bodies = engine.scene.bodies
    return wall_series([body.name for body in bodies], [body.big for body in bodies])
