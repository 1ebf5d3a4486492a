"""Every loop that Python calls, with a family of bodies and a law bound to it.

This file is two things: a module that works as it stands, with the choices of the marked lines, and the template from which
`clast.backend.bind` makes one module per kind of run by replacing those lines and nothing else. A kernel must be a function of a
module that lies on disk, or numba cannot keep its machine code; what it calls may be made here.
"""

from importlib import import_module
from types import SimpleNamespace

from clast.backend.bind import functions_of
from clast.backend.device import kernel
from clast.backend.held import hold
from clast.backend.team import still
from clast.dynamics.contacts.bound_law import bind_law
from clast.dynamics.step import step_of
from clast.dynamics.worlds import worlds_of
from clast.neighbours.rebuild import rebuild_of

# --- bound ---
FAMILY = "clast.dynamics.plane.passes"  # where the passes of a family of bodies are found
LAW = "clast.laws.linear"  # where the functions of the law are found
MEET = "meet"  # how feature pairs are counted
KINDS = 7  # bits: which kinds of pairs there are, see `clast.dynamics.contacts.kinds`
HISTORY = 1  # whether contacts remember or lose anything
EXTRA = 0  # whether contacts remember a second number
ROLLING = 0
COHESIVE = 0
DAMPED = 1  # whether contacts may have dashpots
ANGLE = 0  # whether springs between vertices measure sliding as an angle
SEAMS = 0  # whether a wall may go on in its periodic images, and springs with it
CELL = 0  # whether the periodic cell moves: 1 its lengths, 2 its height and its offset
GEAR = 0  # order of Gear's method, 0 for velocity Verlet
BONDS = 0  # whether bodies are held together by bonds
LAW_WIDTH = 7  # parameters of the law itself


def read_row(table, at):
    """Parameters of the law for one pair of materials."""
    return table[at], table[at + 1], table[at + 2], table[at + 3], table[at + 4], table[at + 5], table[at + 6]


# --- end of bound ---

family = import_module(FAMILY)
law = bind_law(
    functions_of(LAW), read_row, law_width=LAW_WIDTH, extra=bool(EXTRA), rolling=bool(ROLLING), cohesive=bool(COHESIVE),
    damped=bool(DAMPED),
)  # fmt: skip
choice = SimpleNamespace(
    meet=MEET, kinds=KINDS, remembers=HISTORY, extra=EXTRA, rolling=ROLLING, angle=ANGLE, seams=SEAMS,
    cell=CELL, gear=GEAR, bonds=BONDS, expecting=int(DAMPED and not GEAR),
)  # fmt: skip
passes = family.passes_of(law, choice)
member, fill_rows, (pairs_at, _), renewing = (
    step_of(passes), passes.fill_rows, worlds_of(passes), rebuild_of(family.listing_of(choice))
)  # fmt: skip

ROOM = passes.room  # floats and integers that each thread needs for blocks of contacts


@kernel
def advance(me, team, job):
    """The part of one thread in a stretch of steps, or in a look at the present instant (`clast.dynamics.step`)."""
    member(me, hold(team), hold(job))


@kernel
def still_going(words, turns):
    """The waiting loop of a team, to be timed."""
    return still(words, 0, turns)


@kernel
def table_now(pairs, job):
    """Fill the table of contacts in job.scratch (`clast.dynamics.contacts.contact_rows`); returns the number of rows needed."""
    return fill_rows(pairs, hold(pairs_at(job.run.start, 0, hold(job))))


@kernel
def rebuild(me, team, job):
    """The part of one thread in a rebuild of the lists (`clast.neighbours.rebuild`)."""
    renewing(me, hold(team), hold(job))
