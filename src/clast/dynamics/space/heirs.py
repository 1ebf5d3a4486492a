"""Who inherits a spring where features adjoin, in space. Rare."""

from types import SimpleNamespace

import numpy as np

from clast.algebra.space import along, dot, minus, plus, triple, turn, turn_back
from clast.backend.device import device, routine
from clast.contact.space.spheropolyhedron import EDGE, FACE, KIND, ROW, face_distance
from clast.dynamics.space.columns import CANDIDATE
from clast.dynamics.space.counting import GRAPH, NUMBER, meet_apart
from clast.dynamics.space.visit import bounds_of, read_body, read_predicted, section_of

SECTIONS = 3


@device
def passes_on(side, other, pair):
    """Sign of what passes between candidates: in the second section the bodies change their parts."""
    return -1.0 if (side.section == 1) != (pair.second <= other < pair.third) else 1.0


@device
def same_family(section, first, other_section, other_first):
    """Whether a spring may pass between two candidates: features met by one vertex, or parts of the edges of both bodies."""
    one, other = section == 2 or np.int64(first) >= GRAPH, other_section == 2 or np.int64(other_first) >= GRAPH
    return (one and other) or (not one and not other and section == other_section and first == other_first)


@device
def nearest_on(x, start, end):
    """The point of a segment nearest to x."""
    way = minus(end, start)
    part = dot(minus(x, start), way) / dot(way, way)
    return along(start, min(max(part, 0.0), 1.0), way)


@device
def nearest_of_edges(begin, end, start, stop):
    """The point of one segment nearest to another, by turns: the nearest point of one to that of the other."""
    x = begin
    for _ in range(4):
        x = nearest_on(nearest_on(x, start, stop), begin, end)
    return x


@device
def place_in_frame(k, side, world):
    """Where a candidate touches, in b's frame, ends included: also where it counts nothing. To tell which of them adjoin.

    Of a vertex on features the point of the feature, since the vertex is the same for all of them; where edges of both bodies
    meet, with their ends, the point of body i in all three sections.
    """
    candidate, feature = world.lists.candidate, world.geometry.feature
    mark = np.int64(candidate[CANDIDATE * k])
    row, other = ROW * (mark & NUMBER), ROW * np.int64(candidate[CANDIDATE * k + 1])
    x = plus(turn(side.relative, triple(feature, row)), side.shift)
    kind = feature[other + KIND]
    if side.section == 2 or (side.section == 0 and mark >= GRAPH):
        if feature[row + KIND] != EDGE:
            return x
        end = plus(x, turn(side.relative, minus(triple(feature, row + 3), triple(feature, row))))
        return nearest_of_edges(x, end, triple(feature, other), triple(feature, other + 3))
    if kind == EDGE:
        return nearest_on(x, triple(feature, other), triple(feature, other + 3))
    if kind == FACE:
        return plus(x, face_distance(x, other, feature)[0])
    return triple(feature, other)


@device
def place_of(k, side, world):
    """The same seen from j, whatever the section."""
    place = place_in_frame(k, side, world)
    if side.section == 1:  # b is i: turn into a's frame, which is j's
        return turn_back(side.relative, minus(place, side.shift))
    return place


def heir_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`heir` for an integrator."""
    read = read_predicted if choice.gear else read_body

    @routine
    def heir(met, side, pair, world, opening):
        """Find the other end of a spring that changes hands where features adjoin; −1 where there is none.

        A contact that opens takes over from a later candidate of its family that closes in this step; one that closes gives to
        a later one that opens. Earlier candidates have looked at it themselves. Of several the nearest, within the spheres.
        """
        candidate, weight = world.lists.candidate, world.lists.weight
        i, j, reach = read(world.state, pair.i), read(world.state, pair.j), side.reach * side.reach
        here = place_of(met.k, side, world)
        best, nearest = np.int64(-1), 0.25 * reach
        for section in range(side.section, SECTIONS):
            begin, end = bounds_of(pair, section)
            there = section_of(i, j, pair, 0.0, section)
            for other in range(max(met.k + 1, begin), end):
                if not same_family(
                    side.section, candidate[CANDIDATE * met.k], section, candidate[CANDIDATE * other]
                ) or (weight[other] > 0.0) != opening:  # fmt: skip
                    continue
                theirs = meet_apart(np.int64(other), there, world)
                if (theirs.counts > 0.0 and theirs.square < reach) == opening:
                    continue
                way = minus(place_of(other, there, world), here)
                if dot(way, way) < nearest:
                    best, nearest = np.int64(other), dot(way, way)
        return best

    return SimpleNamespace(heir=heir, passes_on=passes_on)
