"""Springs of the plane: where they stand, who inherits one at a corner, and how far a lost one was stretched."""

from types import SimpleNamespace

import numpy as np

from clast.algebra.plane import dot, minus
from clast.backend.device import device
from clast.contact.plane.spheropolygon import read_feature, way_to_line
from clast.dynamics.plane.columns import CANDIDATE, FACED, PROBE
from clast.dynamics.plane.visit import Met

WIDTH = 1  # numbers of a spring


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


def heir_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`heir` and `left_behind` for a way of counting."""
    meet = choice.meet

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
        whose shared corner is nearer to the probe.
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
        return best

    @device
    def left_behind(met, side, pair, world):
        """A candidate that no longer counts as if its edge went on: where a spring that nobody takes over is now."""
        if met.counts != 0.0:
            return met
        way = way_to_line(met.place, read_feature(world.geometry.feature, met.feature))
        return Met(met.k, met.probe, met.place, met.feature, met.counts, way, 0.0, dot(way, way), False)

    return SimpleNamespace(heir=heir, left_behind=left_behind)
