"""What contacts remember, between the lists of a run and the records of `clast.scene.springs`, which name bodies by their ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clast.dynamics.arrays import Lists, Model
from clast.errors import SceneError
from clast.scene.springs import Springs, Springs3D

FIRST = 2  # column of Lists.pair: the first candidate; the next columns are those of further sections
EXTRA, COUNT, CENTROID, NORMAL, ROOT, END = 3, 7, 8, 11, 14, 20  # columns of Springs3D.memory


class ContactMemory(NamedTuple):
    """How contacts of a family of bodies are named, and what they remember."""

    springs: type[Springs] | type[Springs3D]
    axes: int  # of images
    sections: int  # of the candidates of a pair
    numbering: Callable[[Any], tuple[np.ndarray, np.ndarray]]  # where probes and features of each shape begin, of a geometry
    overlaps: bool = False  # one contact for each pair, at its first candidate, with centroid and normal of the last step

    def columns(self, extra: int, rolling: int) -> list[int]:
        """Which columns of `memory` a row of Lists.spring holds."""
        spring = 1 if self.axes == 2 else 3
        if self.overlaps:
            return [*range(spring), *range(CENTROID, ROOT), *([*range(EXTRA + 1, COUNT), *range(ROOT, END)] if rolling else [])]
        return [*range(spring), *([spring] if extra else []), *(range(spring + 1, 2 * spring + 1) if rolling else [])]

    @property
    def mutual(self) -> int:
        """The section in which none of the two bodies probes the other; the plane has none."""
        return 0 if self.overlaps else 2

    def width(self, rolling: int) -> int:
        """Columns of `memory`."""
        return (END if rolling else ROOT) if self.overlaps else 3 if self.axes == 2 else 8


def springs_of(
    kind: ContactMemory, lists: Lists, pairs: int, order: np.ndarray, rank: np.ndarray, geometry: Any, model: Model, extra: int,
    rolling: int, law: str,
) -> Any:  # fmt: skip
    """Memory of the touching contacts, with bodies and features named so that another run can find them.

    They come by ranks (n,): in the same order wherever bodies lie in memory.
    """
    begin = lists.pair[: pairs + 1, FIRST].astype(np.int64)
    if kind.overlaps:
        owner = np.flatnonzero(lists.weight[begin[:-1]] > 0)
        keep, section = begin[owner], np.zeros(owner.size, np.int64)
    else:
        keep = np.flatnonzero(lists.weight[: begin[-1]] > 0)
        owner = np.searchsorted(begin, keep, side="right") - 1
        section = (keep[:, None] >= lists.pair[owner, FIRST + 1 : FIRST + kind.sections]).sum(axis=1)
    by_rank = np.argsort(rank[lists.pair[owner, 0]], kind="stable")  # the pairs of one body are in order
    keep, owner, section = keep[by_rank], owner[by_rank], section[by_rank]
    flip = section == 1  # j probes i
    i, j = lists.pair[owner, :2].astype(np.int64).T
    prober, probed = np.where(flip, j, i), np.where(flip, i, j)
    image = np.where(flip[:, None], -lists.image[owner], lists.image[owner])
    first, second = lists.candidate[keep].astype(np.int64).T
    probes, features = kind.numbering(geometry)
    names = [first - probes[model.shape[prober]], second - features[model.shape[probed]]]
    sections = [section] if kind.axes == 3 else []  # in the plane the order of the two bodies tells
    key = np.column_stack([order[prober], order[probed], image, *sections, *names])
    memory = np.zeros((keep.size, kind.width(rolling)))
    memory[:, kind.columns(extra, rolling)] = lists.spring[keep]
    if kind.axes == 3:
        memory[:, COUNT] = lists.weight[keep]
    return kind.springs(key, memory, law)


def without_extra(kind: ContactMemory, springs: Any) -> Any:
    """What another law may take over: the displacement of the spring and the angle of rolling."""
    keep = np.ones(springs.memory.shape[1])
    keep[1 if kind.axes == 2 else EXTRA] = 0.0
    return springs._replace(memory=springs.memory * keep)


def put_springs(
    kind: ContactMemory, springs: Any, lists: Lists, order: np.ndarray, rank: np.ndarray, geometry: Any, model: Model, extra: int,
    rolling: int,
) -> int:  # fmt: skip
    """Write springs into empty lists as if these had just been built; returns the number of pairs.

    Contacts of bodies that are not in `order` are left out; numbers the present law does not remember are dropped.
    """
    key, section, memory = in_rows(kind, springs, order, rank, geometry, model)
    count, of_pair = len(key), key[:, : 2 + kind.axes]
    if count == 0:
        return 0
    fresh = np.full(count, True)
    fresh[1:] = kind.overlaps | (of_pair[1:] != of_pair[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    pairs = starts.size
    lists.pair[:pairs, :2], lists.image[:pairs] = of_pair[starts, :2], of_pair[starts, 2:]
    lists.pair[:pairs, FIRST], lists.pair[pairs, FIRST] = starts, count
    for further in range(1, kind.sections):
        lists.pair[:pairs, FIRST + further] = starts + np.add.reduceat(section < further, starts)
    lists.candidate[:count] = key[:, -2:]
    lists.spring[:count] = memory[:, kind.columns(extra, rolling)]
    lists.weight[:count] = memory[:, COUNT] if kind.axes == 3 else 1
    lists.first_pair[:] = np.searchsorted(of_pair[starts, 0], np.arange(len(lists.first_pair)))
    return int(pairs)


def in_rows(
    kind: ContactMemory, springs: Any, order: np.ndarray, rank: np.ndarray, geometry: Any, model: Model
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Springs in the order of the lists, of bodies that are in `order`, as rows and candidates name them.

    Returns (n, 4 + axes) the two rows, image of the second, both numbers of the candidate; (n,) its section; and the memory.
    """
    row_of = np.full(max(int(order.max(initial=0)), int(springs.key[:, :2].max(initial=0))) + 1, -1)
    row_of[order] = np.arange(order.size)
    known = (row_of[springs.key[:, :2]] >= 0).all(axis=1)
    key, memory = springs.key[known], springs.memory[known]
    if kind.overlaps:
        if memory.shape[1] < ROOT:
            raise SceneError("springs are those of rounded solids: start a scene of sharp ones with the springs of such a scene")
        memory = np.pad(memory, ((0, 0), (0, END - memory.shape[1])))  # of a law without springs against turning: no root
    prober, probed = row_of[key[:, :2]].T
    # ranks may be others than in the run they come from: what the second of a pair probed may now be probed by the first
    swapped = rank[prober] > rank[probed]
    mutual = (key[:, 5] if kind.axes == 3 else swapped) == kind.mutual
    shape_a, shape_b = model.shape[prober], model.shape[probed]
    # of two bodies without edges the first probes the second, whoever that is
    edgeless = np.zeros(len(key), bool) if kind.overlaps else (geometry.edged[shape_a] | geometry.edged[shape_b]) == 0
    section = np.where(mutual, kind.mutual, swapped & ~edgeless)
    turn = (mutual | edgeless) & swapped
    probes, features = kind.numbering(geometry)
    first = np.where(turn, key[:, -1] + probes[shape_b], key[:, -2] + probes[shape_a])
    second = np.where(turn, key[:, -2] + features[shape_a], key[:, -1] + features[shape_b])
    image = np.where(swapped[:, None], -key[:, 2 : 2 + kind.axes], key[:, 2 : 2 + kind.axes])
    if turn.any():
        exchange(kind, memory, turn, key[:, 2 : 2 + kind.axes] * model.period)
    i, j = np.where(swapped, probed, prober), np.where(swapped, prober, probed)
    place = np.lexsort((second, first, section, *image.T[::-1], rank[j], i))
    return np.column_stack([i, j, image, first, second])[place], section[place], memory[place]


def exchange(kind: ContactMemory, memory: np.ndarray, rows: np.ndarray, shift: np.ndarray) -> None:
    """Let the two bodies of some contacts change places: what the first slides and rolls on the second changes its sign.

    In the plane the tangent, ẑ × N, changes its sign as well, so that the number along it stays.

    shift   (n, axes) from the body that came second to its image
    """
    if kind.axes == 2:
        memory[rows, 2] *= -1.0
        return
    memory[rows, :EXTRA] *= -1.0
    memory[rows, EXTRA + 1 : COUNT] *= -1.0
    if kind.overlaps:
        memory[rows, CENTROID:NORMAL] -= shift[rows]  # the centroid is near the first body, not its image
        memory[rows, NORMAL:ROOT] *= -1.0
