"""The family of sharp polyhedra, as compiled code sees it: its passes for a law of overlaps. They move as all bodies in space do.

Kernels are named by what this module imports, so it imports no scene. The host's side is `family`.
"""

from types import SimpleNamespace

from clast.backend.device import device
from clast.dynamics.arrays import SHEARED
from clast.dynamics.contacts.heats import book_at_once, booking_of, leave_to_body
from clast.dynamics.contacts.kinds import ONLY_OTHERS
from clast.dynamics.loops import loop_of
from clast.dynamics.sharp.forces import forces_of
from clast.dynamics.sharp.listing import listing_of
from clast.dynamics.sharp.table import rows_of
from clast.dynamics.sharp.visit import look_at, visit_of
from clast.dynamics.space.cell import marks_of_way_in_flow, move_cell_of, note_pressures_and_strain
from clast.dynamics.space.kicks import kick_and_drift_of, look_at_state, marks_of_way
from clast.dynamics.space.leading import move_tagged_of, note_pressures
from clast.dynamics.space.predicting import correct_and_predict_of

__all__ = ["listing_of", "passes_of"]


@device
def nothing(p, world):
    """Volumes grow smoothly or with a kink, never by a jump: no contact is weighted where it opens or closes."""
    return 0


def passes_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The passes of a step, and `fill_rows`, for a law of overlaps bound by `clast.dynamics.contacts.bound_law`."""
    conserving, remembers, order = int(law.functions.CONSERVING), choice.remembers, choice.gear
    visiting = visit_of(choice, conserving)
    booked = remembers if conserving else 2 * remembers  # 2: the work of pushes without a potential as well
    moving = SimpleNamespace(gear=order, remembers=booked, expecting=choice.expecting, cell=choice.cell)
    sheared = choice.cell == SHEARED
    marks = marks_of_way_in_flow if sheared else marks_of_way
    return SimpleNamespace(
        forces=[(ONLY_OTHERS, loop_of(forces_of(visiting, law, remembers, book_at_once)))],
        pair_forces=[(ONLY_OTHERS, forces_of(visiting, law, remembers, leave_to_body))],
        book_pairs=booking_of(remembers),
        room=(0, 0),
        follows=None,
        balance=nothing,
        add_balance=nothing,
        move=correct_and_predict_of(order, booked) if order else kick_and_drift_of(booked, choice.expecting, marks),
        move_tagged=move_tagged_of(moving, move_cell_of(moving) if choice.cell else None, marks),
        before_moving=note_pressures_and_strain if sheared else note_pressures,
        look_at=look_at,
        fill_rows=rows_of(visiting, law, remembers),
        look_at_state=look_at_state,
        gear=order,
        bonds=None,
    )
