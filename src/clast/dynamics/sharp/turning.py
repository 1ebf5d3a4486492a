"""Torsion and rocking of an overlap: springs and dashpots over the area of its loop (`clast.laws.turning`; model §4).

What they remember is q, a vector of which the part along the normal is that of torsion, and the root of the stiffness a step ago,
a symmetric tensor. q grows by the mean of both roots times the relative spin of half a step ago: that closes the book at second
order.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn_back
from clast.backend.device import device, law_function
from clast.contact.sharp.area import Overlapping, part_inside, spread_of
from clast.dynamics.sharp.columns import NORMAL, ROOT, TURNED
from clast.dynamics.sharp.visit import room_of_thread
from clast.dynamics.space.columns import NONE, write_triple
from clast.dynamics.space.tangents import carried, in_plane
from clast.laws.overlap import Overlap, shear_stiffness
from clast.laws.turning import root_of, torsion_limit

SHORT = 1e-12  # of the area: the square of an edge of the loop that has no direction


class Held(NamedTuple):
    """What an overlap remembers of its turning."""

    q: Any
    diagonal: Any  # root of the stiffness: xx, yy, zz
    mixed: Any  # yz, zx, xy
    normal: Any  # of the step they are of


class Plane(NamedTuple):
    """A symmetric tensor in the tangent plane, and its value along the normal."""

    uu: float
    uw: float
    ww: float
    along: float


class Stiff(NamedTuple):
    """What an overlap holds turning with."""

    root: Plane  # of the stiffness
    slow: Plane  # dashpots
    limit: float  # of torsion


class Base(NamedTuple):
    """What the resultant of a push may move on, in the frame of i."""

    overlap: Overlapping
    rotation: Any  # from there into the world
    start: Any  # where the push acts
    normal: Any
    push: float
    short: float


class Turned(NamedTuple):
    """What springs and dashpots against turning do."""

    spring: Any  # couple on i, of the springs
    drag: Any  # and of the dashpots
    held: Held
    heat: float


@device
def read_held(table, at):
    """What the overlap whose spring begins at `at` remembers of its turning."""
    return Held(triple(table, at + TURNED), triple(table, at + ROOT), triple(table, at + ROOT + 3), triple(table, at + NORMAL))


@device
def new_held(normal):
    """What a new overlap remembers."""
    return Held(NONE, NONE, NONE, normal)


@device
def write_held(table, at, held):
    """The same, written, but for the normal, which all springs of an overlap share."""
    write_triple(table, at + TURNED, held.q)
    write_triple(table, at + ROOT, held.diagonal)
    write_triple(table, at + ROOT + 3, held.mixed)


@device
def in_world(root, touch):
    """A tensor by its components along the axes of the world: xx, yy, zz, and yz, zx, xy."""
    a, b, n = touch.one, touch.two, touch.normal
    left, right, up = along(times(root.uu, a), root.uw, b), along(times(root.uw, a), root.ww, b), times(root.along, n)
    return (
        (left[0] * a[0] + right[0] * b[0] + up[0] * n[0], left[1] * a[1] + right[1] * b[1] + up[1] * n[1],
         left[2] * a[2] + right[2] * b[2] + up[2] * n[2]),
        (left[1] * a[2] + right[1] * b[2] + up[1] * n[2], left[2] * a[0] + right[2] * b[0] + up[2] * n[0],
         left[0] * a[1] + right[0] * b[1] + up[0] * n[1]),
    )  # fmt: skip


@device
def applied(diagonal, mixed, v):
    """A symmetric tensor times a vector."""
    return (
        diagonal[0] * v[0] + mixed[2] * v[1] + mixed[1] * v[2],
        mixed[2] * v[0] + diagonal[1] * v[1] + mixed[0] * v[2],
        mixed[1] * v[0] + mixed[0] * v[1] + diagonal[2] * v[2],
    )


@device
def against(tensor, v, touch):
    """−tensor · v, of the part of v across the normal."""
    u, w = dot(v, touch.one), dot(v, touch.two)
    return along(times(-tensor.uu * u - tensor.uw * w, touch.one), -tensor.uw * u - tensor.ww * w, touch.two)


@device
def growth(held, now, spin, normal, mean, time):
    """How much q grows: by the mean of the roots, along with the turn of the contact, by half of it."""
    diagonal, mixed = held.diagonal, held.mixed
    if diagonal[0] + diagonal[1] + diagonal[2] == 0.0:  # new, or taken over from a law without such springs
        diagonal, mixed = now
    more = times(0.5 * time, plus(applied(now[0], now[1], spin), applied(diagonal, mixed, spin)))
    turn = along(cross(held.normal, normal), mean, normal)
    return along(more, 0.5, cross(turn, more))


@device
def part_held(couple, touch, base):
    """How much of a couple across the normal the push can carry: its resultant moves by −N × M/F, and stays within the loop."""
    if base.push <= 0.0:
        return 0.0
    way = turn_back(base.rotation, times(-1.0 / base.push, cross(touch.normal, couple)))
    return part_inside(base.overlap, base.start, way, base.normal, base.short)


@device
def within(value, limit):
    """A number cut back to ± limit."""
    return min(max(value, -limit), limit)


def stiffness_of(law: SimpleNamespace) -> Any:
    """`stiff_of(push, touch, met, pair, base, world)`: stiffness and dashpots, from the second moments of the area."""
    slope, read_row = law_function(law.functions.slope), law.read_row
    rocks, numbers = law.functions.ROCKS, law.width - 2  # where the row of `Turning` begins

    @device
    def stiff_of(touch, met, pair, base, world):
        table, row = world.model.law, read_row(world.model.law, pair.row)
        one, two = turn_back(base.rotation, touch.one), turn_back(base.rotation, touch.two)
        spread = spread_of(base.overlap, base.start, one, two)
        polar = spread.uu + spread.ww
        k_n = slope(row, Overlap(met.volume, touch.width, touch.length, pair.size, pair.section, 0.0, 0.0, 0.0, pair.mass))
        twist, rock = table[pair.row + numbers] * shear_stiffness(row, pair.size), table[pair.row + numbers + 1] * k_n
        more = max(rock - rocks * k_n, 0.0)
        uu, uw, ww = root_of(more * spread.ww, -more * spread.uw, more * spread.uu)  # a turn about u lifts what lies along w
        slow, slow_t = 2.0 * row[3] * math.sqrt(pair.mass * rock), 2.0 * row[4] * math.sqrt(pair.mass * twist)
        return Stiff(
            Plane(uu, uw, ww, math.sqrt(twist * polar)),
            Plane(slow * spread.ww, -slow * spread.uw, slow * spread.uu, slow_t * polar),
            torsion_limit(row[1], base.push, polar),
        )

    return stiff_of


def parts_of(damped: int) -> SimpleNamespace:
    """`rocking(stiff, old, new, spin, touch, base)` and `torsion(stiff, old, new, spin)`: what spring and dashpot give, what is
    left of q, and the heat; of torsion in numbers along the normal. The dashpot gives way first."""

    @device
    def rocking(stiff, old, new, spin, touch, base):
        couple = against(stiff.root, new, touch)
        part = part_held(couple, touch, base)
        kept, couple = times(part, new), times(part, couple)
        heat = 0.5 * dot(plus(old, kept), minus(new, kept))
        if not damped:
            return couple, NONE, kept, heat
        slow = against(stiff.slow, spin, touch)
        whole = plus(couple, slow)
        part = part_held(whole, touch, base)
        return couple, (slow if part == 1.0 else minus(times(part, whole), couple)), kept, heat

    @device
    def torsion(stiff, old, new, spin):
        root, limit = stiff.root.along, stiff.limit
        kept = within(new, limit / root) if root > 0.0 else 0.0
        couple = -root * kept
        drag = within(couple - stiff.slow.along * spin, limit) - couple if damped else 0.0
        return couple, drag, kept, 0.5 * (old + kept) * (new - kept)

    return SimpleNamespace(rocking=rocking, torsion=torsion)


def turning_of(law: SimpleNamespace, expecting: int) -> Any:
    """`turned(held, push, touch, met, side, pair, world, time)`: what torsion and rocking do.

    `push` is the normal force, never negative; `time` the step, or 0 to look at springs as they are.
    """
    stiff_of, parts = stiffness_of(law), parts_of(law.damped)
    rocking, torsion = parts.rocking, parts.torsion

    @device
    def spin_now(side):
        """Relative spin at t_n, as far as it is known."""
        now = minus(side.a.spin, side.b.spin)
        if expecting:
            return plus(now, minus(side.a.gain.spin, side.b.gain.spin))
        return now

    @device
    def turned(held, push, touch, met, side, pair, world, time):
        normal, a, b = touch.normal, side.a, side.b
        point, link, _ = room_of_thread(world)
        base = Base(
            Overlapping(met.edges, met.begin, met.faces, point, link), a.rotation, turn_back(a.rotation, touch.arm),
            turn_back(a.rotation, normal), push, SHORT * touch.width,
        )  # fmt: skip
        stiff = stiff_of(touch, met, pair, base, world)
        now, spin = in_world(stiff.root, touch), spin_now(side)
        mean = 0.5 * (dot(a.mid_spin, normal) + dot(b.mid_spin, normal)) * time
        more = growth(held, now, minus(a.mid_spin, b.mid_spin), normal, mean, time)
        twisted = dot(held.q, held.normal)
        rocked = carried(along(held.q, -twisted, held.normal), normal, mean)
        rock, rock_drag, kept, heat = rocking(stiff, rocked, plus(rocked, in_plane(more, normal)), spin, touch, base)
        twist, twist_drag, turn, warmth = torsion(stiff, twisted, twisted + dot(more, normal), dot(spin, normal))
        held = Held(along(kept, turn, normal), now[0], now[1], normal)
        return Turned(along(rock, twist, normal), along(rock_drag, twist_drag, normal), held, heat + warmth)

    return turned
