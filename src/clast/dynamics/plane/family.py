"""The family of spheropolygons in the plane: its passes for a law, and what the engine does with its tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.contact import spheropolygon
from clast.dynamics import table
from clast.dynamics.arrays import Contacts, Forces, Model, Scratch, State
from clast.dynamics.balance import add_balance_of, balance_of
from clast.dynamics.contact_rows import rows_of
from clast.dynamics.forces import forces_with_memory, forces_without_memory
from clast.dynamics.layout import lay_out
from clast.dynamics.memory import put_springs, springs_of
from clast.dynamics.plane import columns, springs, visit
from clast.dynamics.plane import motion as kicks
from clast.dynamics.plane.columns import CONSTANT, HEAT, LOSS, NOTHING, PULL
from clast.dynamics.plane.gear import correct_and_predict_of
from clast.dynamics.plane.listing import SECTIONS, listing_of, trees_of
from clast.dynamics.plane.motion import kick_and_drift_of
from clast.dynamics.plane.tagged import move_tagged_of, note_pressures
from clast.dynamics.timestep import safe_step, unstable_step
from clast.scene.springs import Springs

FAMILY = __name__
TABLE = table
DEPTH_OF, TOO_DEEP = "the sum of their sphero-radii", "their skeletons nearly touch"  # for messages
CURE = "take a stiffer normal spring, a lower or slower load, a larger sphero-radius"
DIMENSION = 2
PER_BODY = (
    "shape", "material", "inverse_mass", "inverse_inertia", "contact_inverse_mass", "contact_inverse_inertia", "reach",
    "inverse_radius",
)  # fmt: skip
Memory = Springs

__all__ = ["SECTIONS", "lay_out", "listing_of", "put_springs", "safe_step", "springs_of", "trees_of", "unstable_step"]


def geometry_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The functions with which passes look at contacts, for a law and the choices of a scene."""
    made = SimpleNamespace(meet=getattr(spheropolygon, choice.meet), gap_of=law.gap_of, gear=choice.gear, cell=choice.cell)
    found = SimpleNamespace(
        SPRING=springs.WIDTH, FADING=0, NOTHING=NOTHING, PULL=PULL, LOSS=LOSS, HEAT=HEAT, ROW=table.WIDTH,
        write_row=table.write_row, length=table.length, **vars(visit.visit_of(made)), **vars(springs.heir_of(made)),
    )  # fmt: skip
    for module, names in (
        (
            visit,
            "touch_of sliding_now sliding_before rolling_rate turned_about_normal push_on_pair on_pair with_roll with_fade fades",
        ),
        (springs, "read_spring write_spring stretched turning_now passes_on"),
        (columns, "add_wrench read_wrench write_wrench"),
        (kicks, "gain_beside gain_of closing_gain"),
    ):
        vars(found).update({name: getattr(module, name) for name in names.split()})
    return found


def passes_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The passes of a step, and `fill_rows`, for a law bound by `clast.dynamics.bound_law`."""
    geometry, remembers, order = geometry_of(law, choice), choice.remembers, choice.gear
    return SimpleNamespace(
        forces=((forces_with_memory if remembers else forces_without_memory)(geometry, law),),
        balance=balance_of(geometry, law, remembers),
        add_balance=add_balance_of(geometry),
        move=correct_and_predict_of(order, remembers) if order else kick_and_drift_of(remembers),
        move_tagged=move_tagged_of(choice),
        before_moving=note_pressures,
        fill_rows=rows_of(geometry, law, remembers),
        gear=order,
    )


def meet(counting: str) -> str:
    """Name of the function that counts feature pairs."""
    return "meet" if counting == "euler" else "meet_any"


def searches(period: np.ndarray) -> tuple[str, ...]:
    """Ways to find near pairs: by linked cells."""
    return ("cells",)


def empty_lists(bodies: int, pairs: int, candidates: int, kept: int, extra: int, rolling: int) -> Contacts:
    """Lists with room; `kept` is the number of candidates that may remember something."""
    return Contacts(
        np.zeros((pairs + 1, 4), np.uint32), np.zeros((pairs, CONSTANT)), np.zeros((pairs, 2), np.int32),
        np.zeros((candidates, 2), np.uint32), np.zeros((kept, 1 + extra + rolling)), np.zeros(kept, np.uint8),
        np.zeros(bodies + 1, np.uint32), np.zeros(bodies + 1, np.uint32), np.zeros(pairs, np.uint32), np.zeros((bodies, 4)),
    )  # fmt: skip


def scratch_of(geometry: Any, threads: int) -> Scratch:
    """Room for threads: none is needed."""
    return Scratch(np.zeros(1), np.zeros(1, np.int64))


def empty_forces(pairs: int, kept: int) -> Forces:
    """Force tables with room for `pairs`, of which `kept` lose energy."""
    return Forces(np.zeros((pairs, PULL)), np.zeros((kept, LOSS)), np.zeros(pairs, np.uint8), np.zeros((pairs, PULL)))


def with_derivatives(state: State, order: int) -> State:
    """A state for Gear's method: r₂ … r_order of x, y and the angle, and velocities of half a step ago."""
    return state._replace(gear=np.zeros((len(state.body), 3, order - 1)), late=state.body[:, 4:7].copy())


def as_today(arrays: dict[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack: they kept no velocities of half a step ago."""
    if "late" in arrays:
        return arrays
    gear = arrays["gear"]
    if gear.shape[2] == 1:  # Verlet
        return {**arrays, "late": np.zeros((1, 3))}
    return {**arrays, "late": arrays["body"][:, 4:7] - gear[:, :, 0] / dt}


def speeds(model: Model, state: State, rows: int) -> np.ndarray:
    """Largest speed of any point of the first `rows` bodies (rows,)."""
    body = state.body[:rows]
    return np.asarray(np.hypot(body[:, 4], body[:, 5]) + model.reach[:rows] * np.abs(body[:, 6]))


def motion(state: State) -> np.ndarray:
    """What a kick changes (n, 3): velocity and spin."""
    return state.body[:, 4:7].copy()


def kinetic(model: Model, before: np.ndarray, after: np.ndarray, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational energy ½ v₋·M·v₊ of some bodies."""
    mass, inertia = 1.0 / model.inverse_mass[rows], 1.0 / model.inverse_inertia[rows]
    translational = 0.5 * mass * (before[rows, 0] * after[rows, 0] + before[rows, 1] * after[rows, 1])
    return translational, 0.5 * inertia * (before[rows, 2] * after[rows, 2])


def stop(state: State, rows: np.ndarray) -> None:
    """Take the motion out of some bodies."""
    state.body[rows, 4:7] = 0.0
    if len(state.late) == len(state.body):
        state.late[rows] = 0.0


def slow(state: State, keep: np.ndarray) -> None:
    """Leave a part (rows, 3) of velocities and spin of the first bodies."""
    if len(state.late) == len(state.body):
        state.late[: len(keep)] -= state.body[: len(keep), 4:7] * (1.0 - keep)
    state.body[: len(keep), 4:7] *= keep


def without_extra(memory: np.ndarray) -> np.ndarray:
    """What another law may take over: the displacement of the spring and the angle of rolling."""
    return memory * np.array([1.0, 0.0, 1.0])
