"""The family of spheropolygons in the plane, as compiled code sees it: its passes for a law. The host's side is `family`.

Kernels are named by what this module imports, so it imports no scene.
"""

from types import SimpleNamespace
from typing import Any

from clast.contact.plane import spheropolygon
from clast.dynamics.arrays import SHEARED
from clast.dynamics.contacts import table
from clast.dynamics.contacts.balance import add_balance_of, balance_of
from clast.dynamics.contacts.contact_rows import rows_of
from clast.dynamics.contacts.heats import booking_of, leave_to_body
from clast.dynamics.contacts.kinds import ONE_ROUND, OTHERS, TWO_ROUND, forces_of_kinds, kinds_of, pair_passes
from clast.dynamics.plane import angles, columns, disk_lanes, disks, lanes, springs, visit
from clast.dynamics.plane import motion as kicks
from clast.dynamics.plane.bonds import BONDS
from clast.dynamics.plane.columns import MARK, NOTHING, PAIR, PULL, SUMS
from clast.dynamics.plane.gear import correct_and_predict_of
from clast.dynamics.plane.listing import listing_of
from clast.dynamics.plane.motion import kick_and_drift_of
from clast.dynamics.plane.sheared import marks_of_way_in_flow
from clast.dynamics.plane.tagged import move_tagged_of, note_pressures, note_pressures_and_strain

__all__ = ["listing_of", "passes_of"]


def geometry_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The functions with which passes look at contacts, for a law and the choices of a scene."""
    made = choice_of(law, choice)
    visiting = visit.visit_of(made)
    found = SimpleNamespace(
        SPRING=springs.WIDTH, REMEMBERS=choice.remembers, EXPECTING=choice.expecting,
        FADING=0, WHOLE=1, ALONE=0, NOTHING=NOTHING, PULL=PULL, SUMS=SUMS,
        ROW=table.WIDTH, write_row=table.write_row, length=table.length, lane_touch=lanes.lane_touch,
        **vars(visiting), **vars(springs.heir_of(SimpleNamespace(**vars(made), read_pair=visiting.read_pair))),
        **vars(lanes.lanes_of(choice.expecting)),
    )  # fmt: skip
    for module, names in (
        (
            visit,
            "touch_of sliding_now sliding_before gained rolling_rate turned_about_normal push_on_pair on_pair acting "
            "with_roll with_fade fades",
        ),
        (springs, "read_spring write_spring stretched turning_now passes_on"),
        (columns, "BODY PAIR BODY_J add_wrench read_wrench write_wrench candidates_of"),
        (kicks, "gain_of closing_gain"),
    ):
        vars(found).update({name: getattr(module, name) for name in names.split()})
    found.gain_of_others = kicks.gain_of_others_by(kicks.gather_pairs_and_bonds if choice.bonds else kicks.gather_pairs)
    if choice.angle:
        vars(found).update(vars(angles.BODIES))
    return found


def choice_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """What a visit depends on."""
    return SimpleNamespace(
        meet=getattr(spheropolygon, choice.meet), gap_of=law.gap_of, gear=choice.gear, cell=choice.cell,
        expecting=choice.expecting, seams=choice.seams,
    )  # fmt: skip


def disks_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The same for two disks."""
    found, names = geometry_of(law, choice), "touch_of sliding_now sliding_before gained push_on_pair on_pair heir left_behind"
    vars(found).update({name: getattr(disks, name) for name in names.split()}, ALONE=1, lane_touch=disks.touch_of)
    vars(found).update(vars(disk_lanes.lanes_of(choice.expecting)), **vars(disks.visit_of(choice_of(law, choice))))
    if choice.angle:
        vars(found).update(vars(angles.DISKS))
    return found


def passes_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The passes of a step, and `fill_rows`, for a law bound by `clast.dynamics.contacts.bound_law`."""
    geometry, remembers, order = geometry_of(law, choice), choice.remembers, choice.gear
    sheared = choice.cell == SHEARED
    marks = marks_of_way_in_flow if sheared else kicks.marks_of_way
    made: dict[tuple[int, ...], Any] = {(TWO_ROUND,): lambda: disks_of(law, choice), (ONE_ROUND, OTHERS): lambda: geometry}
    kinds = kinds_of(choice, made, PAIR, MARK)
    forces, room = forces_of_kinds(kinds, law, choice)
    return SimpleNamespace(
        forces=forces,
        pair_forces=pair_passes(kinds, law, choice, leave_to_body),
        book_pairs=booking_of(remembers),
        room=room,
        follows=springs.follows if choice.seams else None,
        balance=balance_of(geometry, law, remembers),
        add_balance=add_balance_of(geometry),
        move=correct_and_predict_of(order, remembers)
        if order
        else kick_and_drift_of(remembers, choice.expecting, marks, bool(choice.bonds)),
        move_tagged=move_tagged_of(choice),
        before_moving=note_pressures_and_strain if sheared else note_pressures,
        look_at=visit.look_at,
        fill_rows=rows_of(geometry, law, remembers),
        look_at_state=kicks.look_at_state,
        gear=order,
        bonds=BONDS if choice.bonds else None,
    )
