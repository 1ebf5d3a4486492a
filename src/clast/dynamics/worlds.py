"""What passes see at a step: the numbers of the step, and of all arrays those that a pass over pairs or over bodies may use."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.bare import bare
from clast.backend.device import device
from clast.backend.held import whole
from clast.dynamics.arrays import (
    BodyForces,
    BodyLists,
    BodyModel,
    BodyWorld,
    Clock,
    Forces,
    Lists,
    Model,
    PairLists,
    PairModel,
    PairState,
    PairWorld,
    Run,
    Scratch,
    Tags,
)  # fmt: skip
from clast.dynamics.contacts.depth import STRIDE

# steps between recomputing (cos, sin) from the angle, so that they stay within 1e-14; a fixed number, so that bits do not depend
# on rebuilds
RESYNC = 64


class Job(NamedTuple):
    """A stretch: until which step, the cuts between parts, and all that a pass may read or write."""

    end: int
    pair_cut: np.ndarray  # (parts + 1,) int64
    body_cut: np.ndarray
    run: Run
    geometry: Any
    model: Model
    state: Any
    lists: Lists
    forces: Forces
    tags: Tags
    bonds: Any  # Bonds, or an empty tuple
    scratch: Scratch


@device
def clock_at(step, run, tags, gear):
    """The numbers of a step. The velocities given at t = 0 are those of t = 0: half a kick, no time for springs."""
    row = step - run.start if tags.program.shape[0] > 1 else 0
    drag = tags.program[row, tags.program.shape[1] - 1]
    begun = step > 0
    spring_dt = run.dt if begun else 0.0
    if run.look:
        past, future, kick = run.past, run.future, run.past + run.future
        drift, whole, share, alpha, resync = 0.0, run.whole, 0.0, np.inf, False
        pace = np.inf
    else:
        past, future, kick = 0.5 if begun else 0.0, 0.5, 1.0 if begun else 0.5
        drift, whole, share, alpha = run.dt, kick, 0.5 if begun else 1.0, run.alpha
        resync = (step + 1) % RESYNC == 0
        stride = STRIDE * run.thin / run.dt
        pace = 0.5 * stride * stride
    if gear:
        past, future = 0.5, 0.5  # forces, not kicks, are wanted
    return Clock(
        run.dt, spring_dt, past, future, run.onset, drift, kick, whole, share, drag, alpha, resync, not begun, row, run.free,
        run.thin, pace,
    )  # fmt: skip


@device
def no_bonds(step, job):
    """Of a scene without bonds."""
    return ()


def worlds_of(passes: SimpleNamespace) -> Any:
    """`pairs_at(step, me, job)` and `bodies_at(step, job)`: what passes of a family see of a job."""
    look_at, look_at_state, gear = passes.look_at, passes.look_at_state, passes.gear
    bonds_of_pairs, bonds_of_bodies = (no_bonds, no_bonds) if passes.bonds is None else passes.bonds.views

    @device
    def pairs_at(step, me, job):
        m, c, f = job.model, job.lists, job.forces
        return PairWorld(
            look_at(job.geometry),
            PairModel(
                bare(m.contact_inverse_mass), bare(m.contact_inverse_inertia), bare(m.law), bare(m.cell), bare(m.gravity)
            ),
            PairState(bare(job.state.body), bare(job.state.book), bare(job.state.mid_step), bare(job.state.gain)),
            PairLists(
                bare(c.pair), bare(c.pair_constant), bare(c.image), bare(c.candidate), bare(c.spring), bare(c.weight),
                bare(c.first_pair), bare(c.first_other), bare(c.other),
            ),
            Forces(bare(f.pair), bare(f.refine), bare(f.more), bare(f.work), bare(f.loss)),
            whole(job.scratch), clock_at(step, job.run, job.tags, gear), me, bonds_of_pairs(step, job),
        )  # fmt: skip

    @device
    def bodies_at(step, job):
        m, c, f = job.model, job.lists, job.forces
        return BodyWorld(
            BodyModel(bare(m.inverse_mass), bare(m.inverse_inertia), bare(m.cell), bare(m.shear), bare(m.gravity)),
            look_at_state(job.state),
            BodyLists(bare(c.image), bare(c.first_pair), bare(c.first_other), bare(c.other), bare(c.reference)),
            BodyForces(bare(f.pair), bare(f.work), bare(f.loss)), whole(job.tags), clock_at(step, job.run, job.tags, gear),
            job.pair_cut[job.pair_cut.size - 1], bonds_of_bodies(step, job),
        )  # fmt: skip

    return pairs_at, bodies_at
