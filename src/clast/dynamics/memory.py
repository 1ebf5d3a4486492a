"""What contacts remember, between the lists of a run and `clast.scene.springs.Springs`, which names bodies by their ids."""

import numpy as np

from clast.contact.features import Geometry
from clast.dynamics.arrays import Contacts, Model
from clast.scene.springs import Springs


def springs_of(
    lists: Contacts, pairs: int, order: np.ndarray, geometry: Geometry, model: Model, extra: int, rolling: int, law: str
) -> Springs:  # fmt: skip
    """Memory of the touching contacts, with bodies, probes and features named so that another run can find them."""
    candidates = int(lists.pair[pairs, 2])
    keep = np.flatnonzero(lists.weight[:candidates])
    owner = np.searchsorted(lists.pair[: pairs + 1, 2].astype(np.int64), keep, side="right") - 1
    second = keep >= lists.pair[owner, 3].astype(np.int64)  # the side on which j probes i
    i, j = lists.pair[owner, 0].astype(np.int64), lists.pair[owner, 1].astype(np.int64)
    prober, probed = np.where(second, j, i), np.where(second, i, j)
    key = np.zeros((keep.size, 6), np.int64)
    key[:, 0], key[:, 1] = order[prober], order[probed]
    key[:, 2:4] = np.where(second[:, None], -lists.image[owner], lists.image[owner])
    key[:, 4] = lists.candidate[keep, 0].astype(np.int64) - geometry.first_vertex[model.shape[prober]]
    key[:, 5] = lists.candidate[keep, 1].astype(np.int64) - geometry.first_feature[model.shape[probed]]
    memory = np.zeros((keep.size, 3))
    memory[:, columns(extra, rolling)] = lists.spring[keep]
    return Springs(key, memory, law)


def columns(extra: int, rolling: int) -> list[int]:
    """Which columns of Springs.memory a row of the lists holds."""
    return [0, *([1] if extra else []), *([2] if rolling else [])]


def put_springs(
    springs: Springs, lists: Contacts, order: np.ndarray, geometry: Geometry, model: Model, extra: int, rolling: int
) -> int:  # fmt: skip
    """Write springs into empty lists as if these had just been built; returns the number of pairs.

    Contacts of bodies that are not in `order` are left out; numbers the present law does not remember are dropped.
    """
    row_of = np.full(max(int(order.max(initial=0)), int(springs.key[:, :2].max(initial=0))) + 1, -1)
    row_of[order] = np.arange(order.size)
    known = (row_of[springs.key[:, :2]] >= 0).all(axis=1)
    key, memory = springs.key[known], springs.memory[known]
    prober, probed = row_of[key[:, 0]], row_of[key[:, 1]]
    second = prober > probed
    probe = key[:, 4] + geometry.first_vertex[model.shape[prober]]
    feature = key[:, 5] + geometry.first_feature[model.shape[probed]]
    image = np.where(second[:, None], -key[:, 2:4], key[:, 2:4])
    i, j = np.minimum(prober, probed), np.maximum(prober, probed)
    place = np.lexsort((feature, probe, second, image[:, 1], image[:, 0], j, i))
    if place.size == 0:
        return 0
    i, j, image, second, probe, feature = i[place], j[place], image[place], second[place], probe[place], feature[place]
    fresh = np.ones(place.size, bool)
    fresh[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1]) | (image[1:] != image[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    pairs = starts.size
    lists.pair[:pairs, 0], lists.pair[:pairs, 1] = i[starts], j[starts]
    lists.image[:pairs] = image[starts]
    lists.pair[:pairs, 2] = starts
    lists.pair[:pairs, 3] = starts + np.add.reduceat(~second, starts)
    lists.pair[pairs, 2] = place.size
    lists.candidate[: place.size, 0], lists.candidate[: place.size, 1] = probe, feature
    lists.spring[: place.size] = memory[place][:, columns(extra, rolling)]
    lists.weight[: place.size] = 1
    lists.first_pair[:] = np.searchsorted(i[starts], np.arange(len(lists.first_pair)))
    return pairs
