"""The family of spheropolyhedra, as compiled code sees it: its passes for a law. The host's side is `family`.

Kernels are named by what this module imports, so it imports no scene.
"""

from types import SimpleNamespace
from typing import Any

from clast.backend.device import device
from clast.dynamics.balance import add_balance_of, balance_of
from clast.dynamics.blocks import blocks_of, room_of
from clast.dynamics.contact_rows import rows_of
from clast.dynamics.forces import forces_with_memory, forces_without_memory
from clast.dynamics.loops import loop_of
from clast.dynamics.space import ball_lanes, balls, columns, counting, heirs, kicks, lanes, table, visit
from clast.dynamics.space.columns import LOSS, MARK, NOTHING, PAIR, PULL
from clast.dynamics.space.kicks import kick_and_drift_of
from clast.dynamics.space.leading import move_tagged_of, note_pressures
from clast.dynamics.space.listing import listing_of
from clast.dynamics.space.predicting import correct_and_predict_of

__all__ = ["listing_of", "passes_of"]


LANES = "LANE write_lane read_lane"


def geometry_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The functions with which passes look at contacts, for a law and the choices of a scene."""
    made = SimpleNamespace(gap_of=law.gap_of, gear=choice.gear)
    found = SimpleNamespace(
        SPRING=3, FADING=1, NOTHING=NOTHING, PULL=PULL, LOSS=LOSS, HEAT=columns.HEAT, ROW=table.WIDTH,
        lane_touch=visit.touch_of, write_row=table.write_row, length=table.length,
        **vars(visit.visit_of(made)), **vars(heirs.heir_of(made)),
    )  # fmt: skip
    for module, names in (
        (
            visit,
            "touch_of sliding_now sliding_before rolling_rate turned_about_normal push_on_pair on_pair with_roll with_fade fades",
        ),
        (visit, "read_spring write_spring stretched turning_now"),
        (lanes, LANES),
        (columns, "add_wrench read_wrench write_wrench"),
        (kicks, "gain_beside gain_of closing_gain"),
    ):
        vars(found).update({name: getattr(module, name) for name in names.split()})
    return found


def balls_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The same for two spheres."""
    found = geometry_of(law, choice)
    names = "touch_of sliding_now sliding_before rolling_rate turned_about_normal push_on_pair on_pair read_spring turning_now"
    vars(found).update({name: getattr(balls, name) for name in f"{names} heir passes_on left_behind".split()})
    vars(found).update({name: getattr(ball_lanes, name) for name in LANES.split()}, lane_touch=balls.touch_of)
    vars(found).update(vars(balls.visit_of(SimpleNamespace(gap_of=law.gap_of, gear=choice.gear))), FADING=0)
    return found


def pairs_of_balls(are: bool) -> Any:
    """`is_mine(p, world)`: whether a pair is two spheres, or whether it is not."""

    @device
    def is_mine(p, world):
        return (world.contacts.pair[PAIR * p + MARK] != 0) == are

    return is_mine


def only(are: bool, one_pass: Any) -> Any:
    """A pass over the pairs of two spheres, or over all others: loops of their own, or each would slow down the other."""
    is_mine = pairs_of_balls(are)

    @device
    def some_pairs(p, world):
        return one_pass(p, world) if is_mine(p, world) else 0

    return some_pairs


def passes_of(law: SimpleNamespace, choice: SimpleNamespace) -> SimpleNamespace:
    """The passes of a step, and `fill_rows`, for a law bound by `clast.dynamics.bound_law`."""
    geometry, remembers, order = geometry_of(law, choice), choice.remembers, choice.gear
    kinds, room = ((True, balls_of(law, choice)), (False, geometry)), (0, 0)
    if remembers and not order:
        forces = tuple(blocks_of(kind, law, pairs_of_balls(are)) for are, kind in kinds)
        room = max(room_of(kind, law) for _, kind in kinds)
    else:
        forces_of = forces_with_memory if remembers else forces_without_memory
        forces = tuple(loop_of(only(are, forces_of(kind, law))) for are, kind in kinds)
    return SimpleNamespace(
        forces=forces,
        room=room,
        balance=balance_of(geometry, law, remembers),
        add_balance=add_balance_of(geometry),
        move=correct_and_predict_of(order, remembers) if order else kick_and_drift_of(remembers),
        move_tagged=move_tagged_of(choice),
        before_moving=note_pressures,
        look_at=counting.look_at,
        fill_rows=rows_of(geometry, law, remembers),
        look_at_state=kicks.look_at_state,
        gear=order,
    )
