"""Springs of the plane: where they stand, who inherits one at a corner, and how far a lost one was stretched."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.algebra.plane import dot, minus, plus, times, turn_back
from clast.backend.device import device, unsigned
from clast.contact.plane.spheropolygon import read_feature, way_to_line
from clast.dynamics.plane.columns import BODY_I, BODY_J, CANDIDATE, FACED, PAIR, PROBE
from clast.dynamics.plane.visit import Met

WIDTH = 1  # numbers of a spring
AT_ONE_PLACE = 1e-6  # of the sum of sphero-radii: ends of edges that adjoin across a seam


@device
def read_spring(spring, at, touch, turned):
    """Displacement of the spring that begins at `at`, along T and, as in space there is another tangent, 0."""
    return spring[at], 0.0


@device
def write_spring(spring, at, touch, u, w):
    """Put the displacement u along T."""
    spring[at] = u


@device
def stretched(spring, at, speed, touch, time):
    """Displacement after `time` more at the sliding or rolling speed (u, w)."""
    return spring[at] + speed[0] * time


@device
def turning_now(touch, side):
    """Relative spin, for the velocities given."""
    return side.a.spin - side.b.spin, 0.0


@device
def passes_on(side, giver, pair):
    """Sign of what passes between candidates: both are of one side."""
    return 1.0


@device
def follows(p, world):
    """Whether pair p is of the same two bodies as the pair before it, in another image."""
    t, at = world.lists.pair, PAIR * p
    return p > 0 and t[at + BODY_I] == t[at - PAIR + BODY_I] and t[at + BODY_J] == t[at - PAIR + BODY_J]


@device
def nobody(met, side, pair, world, opening):
    """Where no wall goes on in its images nobody inherits beyond a seam."""
    return np.int64(-1)


def heir_beyond_of(choice: SimpleNamespace) -> Any:
    """`beyond(met, side, pair, world, opening)`: as `heir`, among the pairs of the same two bodies in other images.

    An endless wall goes on in its image, where the probe meets its first edge while it leaves the last one. These pairs are
    looked at one after the other by whoever looks at the first of them.
    """
    meet, read_pair = choice.meet, choice.read_pair

    @device
    def adjoin(mine, place, theirs, other_place, limit):
        """Whether one feature ends where the other begins, for a probe seen at two places."""
        one = minus(minus(mine.b, place), minus(theirs.a, other_place))
        other = minus(minus(theirs.b, other_place), minus(mine.a, place))
        return min(dot(one, one), dot(other, other)) < limit * limit

    @device
    def beyond(met, side, pair, world, opening):
        lists, table = world.lists, world.geometry.feature
        mine, probe = read_feature(table, met.feature), lists.candidate[CANDIDATE * met.k + PROBE]
        for q in range(np.int64(lists.first_pair[pair.i]), np.int64(lists.first_pair[pair.i + 1])):
            other = read_pair(world, unsigned(q))
            if other.j != pair.j or other.p == pair.p:
                continue
            way = turn_back(side.b.frame, minus(other.shift, pair.shift))
            place = plus(met.place, times(-side.sign, way))
            begin, end = (other.first, other.middle) if side.sign > 0.0 else (other.middle, other.last)
            for k in range(begin, end):
                if lists.candidate[CANDIDATE * k + PROBE] != probe or (lists.weight[k] != 0) != opening:
                    continue
                theirs = read_feature(table, np.int64(lists.candidate[CANDIDATE * k + FACED]))
                if not adjoin(mine, met.place, theirs, place, AT_ONE_PLACE * side.reach):
                    continue
                count, to_it, _ = meet(place, theirs)
                if (count > 0.0 and dot(to_it, to_it) < side.reach * side.reach) != opening:
                    return np.int64(k)
        return np.int64(-1)

    return beyond


def heir_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`heir` and `left_behind` for a way of counting."""
    meet, beyond = choice.meet, heir_beyond_of(choice) if choice.seams else nobody

    @device
    def adjoining(mine, theirs, geometry):
        """The feature at whose start two edges adjoin; −1 where they do not."""
        following = geometry.following
        if following[mine] == theirs:
            return theirs
        if following[theirs] == mine:
            return mine
        return np.int64(-1)

    @device
    def heir(met, side, pair, world, opening):
        """Find the other end of a spring that changes hands at a corner; −1 where there is none. Rare.

        A contact that opens takes over from a later candidate of the same probe, on an adjoining edge, that closes in this
        step; one that closes gives to a later one that opens. Earlier candidates have looked at it themselves. Of two, the one
        whose shared corner is nearer to the probe. Where there is none, one beyond the seam of an endless wall.
        """
        candidate, weight, table = world.lists.candidate, world.lists.weight, world.geometry.feature
        best, nearest = np.int64(-1), np.inf
        for other in range(met.k + 1, side.end):
            if candidate[CANDIDATE * other + PROBE] != candidate[CANDIDATE * met.k + PROBE]:
                break
            theirs = np.int64(candidate[CANDIDATE * other + FACED])
            corner = adjoining(met.feature, theirs, world.geometry)
            if corner < 0 or (weight[other] != 0) != opening:
                continue
            count, way, _ = meet(met.place, read_feature(table, theirs))
            if (count > 0.0 and dot(way, way) < side.reach * side.reach) == opening:
                continue
            gap = minus(read_feature(table, corner).a, met.place)
            if dot(gap, gap) < nearest:
                best, nearest = np.int64(other), dot(gap, gap)
        return best if best >= 0 else beyond(met, side, pair, world, opening)

    @device
    def left_behind(met, side, pair, world):
        """A candidate that no longer counts as if its edge went on: where a spring that nobody takes over is now."""
        if met.counts != 0.0:
            return met
        way = way_to_line(met.place, read_feature(world.geometry.feature, met.feature))
        return Met(met.k, met.probe, met.place, met.feature, met.counts, way, 0.0, dot(way, way), False)

    return SimpleNamespace(heir=heir, left_behind=left_behind)
