"""The family of spheropolyhedra, as compiled code sees it: its passes for a law. The host's side is `family`.

Kernels are named by what this module imports, so it imports no scene.
"""

from types import SimpleNamespace
from typing import Any

from clast.dynamics.arrays import SHEARED
from clast.dynamics.contacts.balance import add_balance_of, balance_of
from clast.dynamics.contacts.contact_rows import rows_of
from clast.dynamics.contacts.heats import booking_of, leave_to_body
from clast.dynamics.contacts.kinds import ONE_ROUND, OTHERS, TWO_ROUND, forces_of_kinds, kinds_of, pair_passes
from clast.dynamics.space import (
    angles,
    columns,
    counting,
    heirs,
    kicks,
    lanes,
    table,
    visit,
)
from clast.dynamics.space.balls import ball_lanes, ball_on, ball_on_lanes, balls
from clast.dynamics.space.cell import marks_of_way_in_flow, move_cell_of, note_pressures_and_strain
from clast.dynamics.space.columns import MARK, NOTHING, PAIR, PULL, SUMS
from clast.dynamics.space.kicks import kick_and_drift_of
from clast.dynamics.space.leading import move_tagged_of, note_pressures
from clast.dynamics.space.listing import listing_of
from clast.dynamics.space.predicting import correct_and_predict_of

__all__ = ["listing_of", "passes_of"]


def geometry_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The functions with which passes look at contacts, for a law and the choices of a scene."""
    made = choice_of(law, choice)
    found = SimpleNamespace(
        SPRING=3, REMEMBERS=choice.remembers, EXPECTING=choice.expecting,
        FADING=1, WHOLE=0, ALONE=0, NOTHING=NOTHING, PULL=PULL, SUMS=SUMS,
        ROW=table.WIDTH, lane_touch=visit.touch_of, write_row=table.write_row, length=table.length,
        **vars(visit.visit_of(made)), **vars(heirs.heir_of(made)), **vars(lanes.lanes_of(choice.expecting)),
    )  # fmt: skip
    for module, names in (
        (
            visit,
            "touch_of sliding_now sliding_before gained rolling_rate turned_about_normal push_on_pair on_pair acting "
            "with_roll with_fade fades",
        ),
        (visit, "read_spring write_spring stretched turning_now"),
        (columns, "BODY PAIR BODY_J add_wrench read_wrench write_wrench candidates_of"),
        (kicks, "gain_of_others gain_of closing_gain"),
    ):
        vars(found).update({name: getattr(module, name) for name in names.split()})
    if choice.angle:
        vars(found).update(vars(angles.BODIES))
    return found


def choice_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """What a visit depends on."""
    return SimpleNamespace(gap_of=law.gap_of, gear=choice.gear, expecting=choice.expecting, cell=choice.cell)


def balls_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The same for two spheres."""
    found = geometry_of(law, choice)
    made = choice_of(law, choice)
    names = (
        "touch_of sliding_now sliding_before gained rolling_rate turned_about_normal push_on_pair on_pair read_spring "
        "turning_now heir passes_on left_behind"
    )
    vars(found).update({name: getattr(balls, name) for name in names.split()}, lane_touch=balls.touch_of, FADING=0, ALONE=1)
    vars(found).update(vars(ball_lanes.lanes_of(choice.expecting)), **vars(balls.visit_of(made)))
    if choice.angle:
        vars(found).update(vars(angles.BALLS))
    return found


def ball_on_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The same for a sphere that probes a body with features."""
    found = geometry_of(law, choice)
    made = SimpleNamespace(**vars(choice_of(law, choice)), heir=found.heir, left_behind=found.left_behind)
    vars(found).update({name: getattr(ball_on, name) for name in ("touch_of", "sliding_before", "gained")}, FADING=0)
    vars(found).update(
        vars(ball_on.visit_of(made)), **vars(ball_on_lanes.lanes_of(choice.expecting)), lane_touch=ball_on.touch_of
    )
    if choice.angle:
        vars(found).update(vars(angles.BALL_ON))
    return found


def passes_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The passes of a step, and `fill_rows`, for a law bound by `clast.dynamics.contacts.bound_law`."""
    geometry, remembers, order = geometry_of(law, choice), choice.remembers, choice.gear
    sheared = choice.cell == SHEARED
    marks = marks_of_way_in_flow if sheared else kicks.marks_of_way
    made: dict[tuple[int, ...], Any] = {
        (TWO_ROUND,): lambda: balls_of(law, choice), (ONE_ROUND,): lambda: ball_on_of(law, choice), (OTHERS,): lambda: geometry
    }  # fmt: skip
    kinds = kinds_of(choice, made, PAIR, MARK)
    forces, room = forces_of_kinds(kinds, law, choice)
    return SimpleNamespace(
        forces=forces,
        pair_forces=pair_passes(kinds, law, choice, leave_to_body),
        book_pairs=booking_of(remembers),
        room=room,
        follows=None,
        balance=balance_of(geometry, law, remembers),
        add_balance=add_balance_of(geometry),
        move=correct_and_predict_of(order, remembers) if order else kick_and_drift_of(remembers, choice.expecting, marks),
        move_tagged=move_tagged_of(choice, move_cell_of(choice) if choice.cell else None, marks),
        before_moving=note_pressures_and_strain if sheared else note_pressures,
        look_at=counting.look_at,
        fill_rows=rows_of(geometry, law, remembers),
        look_at_state=kicks.look_at_state,
        gear=order,
        bonds=None,
    )
