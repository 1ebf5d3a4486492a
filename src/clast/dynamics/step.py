"""One time step, of bodies in the plane, in space and with sharp edges alike (EPL08 algorithm 1, GM09 algorithm 2).

    stage      over     what                                                                   time levels
    FORCES     pairs    features that meet → contact record → law → sums of the pair           x at t_n, v at t_n − ½Δt
               bonds    how far each is strained → its wrench, or it breaks
    BALANCE    pairs    contacts that open or close are weighted so that energy balances
    ADD        pairs    … and added, when all are known
    MOVE       bodies   gather the pairs in list order, kick, drift, turn                      v to t_n + ½Δt, x to t_n + Δt
               moved too far? Then the stretch ends, and the host renews the lists before the next forces.

The kick at t_n is the second half of the step before and the first half of the step after in one; a *look* finishes only the
first of these halves, on a copy, and drifts nowhere. Gear's method corrects and predicts in MOVE; its state is the prediction
for t_n. Tagged bodies come after the free ones.

A pass is `f(index, world)`: one pair or one body. It returns marks. The loop over a range of indices is one piece of machine
code, run by however many threads (`clast.backend.team`): one item is computed by one thread and sums run in list order, so the
bits do not depend on who did what.
"""

from types import SimpleNamespace
from typing import Any

from clast.backend.atomics import fetch_min, load, store
from clast.backend.device import device
from clast.backend.held import hold
from clast.backend.team import FREE, LINE, OVER, member_of
from clast.dynamics.loops import CHANGES, FAST, STOP, loop_of, loops_of
from clast.dynamics.worlds import worlds_of

FORCES, BALANCE, ADD, MOVE = range(4)
STAGES = 4  # a phase of the team is STAGES · step + stage
# words: lowest pair too deep; flags, the last for a body that may pass through another unseen; the step reached
DEEP, CHANGING, MOVED, STEP, HASTY = (FREE + LINE * k for k in range(5))
NOWHERE = 1 << 62  # no pair is too deep


@device
def nothing(part, step, me, job, pairs_at):
    """Of a scene without bonds."""


def shared_out(loop: Any) -> Any:
    """`strain(part, step, me, job, pairs_at)`: the loop over bonds, each part of the stage an equal share of them."""

    @device
    def strain(part, step, me, job, pairs_at):
        count, parts = job.bonds.of.size // 2, job.pair_cut.size - 1
        loop(count * part // parts, count * (part + 1) // parts, hold(pairs_at(step, me, job)))

    return strain


def step_of(passes: SimpleNamespace) -> Any:
    """What each member of a team runs: `member(me, team, job)`, from the passes of a family."""
    forces, balance, add = loops_of(passes.forces), loop_of(passes.balance), loop_of(passes.add_balance)
    move, move_tagged = loop_of(passes.move), loop_of(passes.move_tagged)
    before_moving, (pairs_at, bodies_at) = passes.before_moving, worlds_of(passes)
    strain = nothing if passes.bonds is None else shared_out(loop_of(passes.bonds.forces))

    @device
    def work(phase, part, me, words, job):
        """One part of one stage."""
        stage, step = phase % STAGES, phase // STAGES
        low, high = job.pair_cut[part], job.pair_cut[part + 1]
        if stage == FORCES:
            deep, marks = forces(low, high, job.run.kinds, hold(pairs_at(step, me, job)))
            if deep >= 0:
                fetch_min(words, DEEP, deep)  # the lowest, whoever finds it
            if marks & CHANGES:
                store(words, CHANGING, 1)
            strain(part, step, me, job, pairs_at)
        elif stage == BALANCE:
            balance(low, high, hold(pairs_at(step, me, job)))
        elif stage == ADD:
            add(low, high, hold(pairs_at(step, me, job)))
        else:
            low, high, free, world = job.body_cut[part], job.body_cut[part + 1], job.run.free, hold(bodies_at(step, job))
            _, marks = move(low, min(high, free), world)
            _, more = move_tagged(max(low, free), high, world)
            if (marks | more) & STOP:
                store(words, MOVED, 1)
            if (marks | more) & FAST:
                store(words, HASTY, 1)

    @device
    def following(phase, words, job):
        """The phase after this one. Only one thread is here."""
        stage, step = phase % STAGES, phase // STAGES
        if stage == MOVE:
            store(words, STEP, step + 1)
            return OVER if load(words, MOVED) != 0 or step + 1 >= job.end else phase + 1
        if load(words, DEEP) != NOWHERE and not job.run.look:
            store(words, STEP, step)
            return OVER
        if stage == BALANCE or (load(words, CHANGING) != 0 and stage == FORCES and job.run.onset != 0.0):
            return phase + 1
        store(words, CHANGING, 0)
        before_moving(hold(bodies_at(step, job)))
        return STAGES * step + MOVE

    return member_of(work, following)
