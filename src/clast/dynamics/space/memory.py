"""What contacts remember in space, between the lists of a run and `clast.scene.springs.Springs3D`, which names bodies by ids."""

import numpy as np

from clast.contact.solid_features import Geometry
from clast.dynamics.arrays import Contacts, Model
from clast.dynamics.space.counting import GRAPH, NUMBER
from clast.scene.springs import Springs3D


def springs_of(
    lists: Contacts, pairs: int, order: np.ndarray, geometry: Geometry, model: Model, extra: int, rolling: int, law: str
) -> Springs3D:  # fmt: skip
    """Memory of the touching contacts, with bodies and features named so that another run can find them.

    A vertex that meets an edge as an end of its own edges has GRAPH added to its number.
    """
    candidates = int(lists.pair[pairs, 2])
    keep = np.flatnonzero(lists.weight[:candidates] > 0.0)
    owner = np.searchsorted(lists.pair[: pairs + 1, 2].astype(np.int64), keep, side="right") - 1
    section = (keep >= lists.pair[owner, 3].astype(np.int64)).astype(np.int64) + (keep >= lists.pair[owner, 4].astype(np.int64))
    flip = section == 1
    i, j = lists.pair[owner, 0].astype(np.int64), lists.pair[owner, 1].astype(np.int64)
    prober, probed = np.where(flip, j, i), np.where(flip, i, j)
    code = lists.candidate[keep].astype(np.int64)
    marked = code[:, 0] & GRAPH
    key = np.zeros((keep.size, 8), np.int64)
    key[:, 0], key[:, 1] = order[prober], order[probed]
    key[:, 2:5] = np.where(flip[:, None], -lists.image[owner], lists.image[owner])
    key[:, 5] = section
    key[:, 6] = (code[:, 0] & NUMBER) - geometry.first_feature[model.shape[prober]] + marked
    key[:, 7] = code[:, 1] - geometry.first_feature[model.shape[probed]]
    memory = np.zeros((keep.size, 8))
    memory[:, columns(extra, rolling)] = lists.spring[keep]
    memory[:, 7] = lists.weight[keep]
    return Springs3D(key, memory, law)


def columns(extra: int, rolling: int) -> list[int]:
    """Which columns of Springs3D.memory a row of the lists holds."""
    return [0, 1, 2, *([3] if extra else []), *([4, 5, 6] if rolling else [])]


def put_springs(
    springs: Springs3D, lists: Contacts, order: np.ndarray, geometry: Geometry, model: Model, extra: int, rolling: int
) -> int:  # fmt: skip
    """Write springs into empty lists as if these had just been built; returns the number of pairs.

    Contacts of bodies that are not in `order` are left out; numbers the present law does not remember are dropped.
    """
    row_of = np.full(max(int(order.max(initial=0)), int(springs.key[:, :2].max(initial=0))) + 1, -1)
    row_of[order] = np.arange(order.size)
    known = (row_of[springs.key[:, :2]] >= 0).all(axis=1)
    key, memory = springs.key[known], springs.memory[known]
    prober, probed = row_of[key[:, 0]], row_of[key[:, 1]]
    # the order of rows may be another one: what was probed by the second of a pair may now be probed by the first
    swapped = prober > probed
    section = np.where(key[:, 5] == 2, 2, swapped.astype(np.int64))
    marked = key[:, 6] & GRAPH
    first = (key[:, 6] & NUMBER) + geometry.first_feature[model.shape[prober]]
    second = key[:, 7] + geometry.first_feature[model.shape[probed]]
    turn = (section == 2) & swapped  # edges of both bodies: the first body's come first
    first, second = np.where(turn, second, first), np.where(turn, first, second)
    image = np.where(swapped[:, None], -key[:, 2:5], key[:, 2:5])
    i, j = np.minimum(prober, probed), np.maximum(prober, probed)
    place = np.lexsort((second, first + marked, section, image[:, 2], image[:, 1], image[:, 0], j, i))
    if place.size == 0:
        return 0
    i, j, image, section = i[place], j[place], image[place], section[place]
    fresh = np.ones(place.size, bool)
    fresh[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1]) | (image[1:] != image[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    pairs = starts.size
    lists.pair[:pairs, 0], lists.pair[:pairs, 1] = i[starts], j[starts]
    lists.image[:pairs] = image[starts]
    lists.pair[:pairs, 2] = starts
    lists.pair[:pairs, 3] = starts + np.add.reduceat(section == 0, starts)
    lists.pair[:pairs, 4] = starts + np.add.reduceat(section < 2, starts)
    lists.pair[pairs, 2] = place.size
    lists.candidate[: place.size, 0] = (first + marked)[place]
    lists.candidate[: place.size, 1] = second[place]
    lists.spring[: place.size] = memory[place][:, columns(extra, rolling)]
    lists.weight[: place.size] = memory[place, 7]
    lists.first_pair[:] = np.searchsorted(i[starts], np.arange(len(lists.first_pair)))
    return pairs
