"""What overlaps remember, between the lists of a run and `clast.scene.springs.Springs3D`, which names bodies by ids."""

import numpy as np

from clast.contact.polyhedra import Polyhedra
from clast.dynamics.arrays import Contacts, Model
from clast.dynamics.sharp.columns import WIDTH
from clast.errors import SceneError
from clast.scene.springs import Springs3D

LATE = WIDTH - 3  # numbers beside the spring: columns of Springs3D.memory from 8 on


def springs_of(
    lists: Contacts, pairs: int, order: np.ndarray, geometry: Polyhedra, model: Model, extra: int, rolling: int, law: str
) -> Springs3D:  # fmt: skip
    """Memory of the overlaps, bodies named by ids and pieces within their bodies. Laws of overlaps have no `extra` and no
    `rolling`: the two belong to the interface of the twins."""
    at = lists.pair[:pairs, 2].astype(np.int64)
    rows = np.flatnonzero(lists.weight[at] > 0.0)
    keep = at[rows]
    i, j = lists.pair[rows, 0].astype(np.int64), lists.pair[rows, 1].astype(np.int64)
    code = lists.candidate[keep].astype(np.int64)
    key = np.zeros((keep.size, 8), np.int64)
    key[:, 0], key[:, 1] = order[i], order[j]
    key[:, 2:5] = lists.image[rows]
    key[:, 6] = code[:, 0] - geometry.first_feature[model.shape[i]]
    key[:, 7] = code[:, 1] - geometry.first_feature[model.shape[j]]
    memory = np.zeros((keep.size, 8 + LATE))
    memory[:, :3], memory[:, 8:] = lists.spring[keep, :3], lists.spring[keep, 3:]
    memory[:, 7] = lists.weight[keep]
    return Springs3D(key, memory, law)


def put_springs(
    springs: Springs3D, lists: Contacts, order: np.ndarray, geometry: Polyhedra, model: Model, extra: int, rolling: int
) -> int:  # fmt: skip
    """Write springs into empty lists as if these had just been built; returns the number of pairs.

    Contacts of bodies that are not in `order` are left out. Where the order of two bodies is another one now, what slides of
    the first against the second changes its sign.
    """
    row_of = np.full(max(int(order.max(initial=0)), int(springs.key[:, :2].max(initial=0))) + 1, -1)
    row_of[order] = np.arange(order.size)
    known = (row_of[springs.key[:, :2]] >= 0).all(axis=1)
    key, memory = springs.key[known], springs.memory[known].copy()
    if memory.shape[1] != 8 + LATE:
        raise SceneError("springs are those of rounded solids: start a scene of sharp ones with the springs of such a scene")
    one, other = row_of[key[:, 0]], row_of[key[:, 1]]
    swapped = one > other
    first = key[:, 6] + geometry.first_feature[model.shape[one]]
    second = key[:, 7] + geometry.first_feature[model.shape[other]]
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    memory[swapped, :3] *= -1.0
    memory[swapped, 8:11] -= key[swapped, 2:5] * model.period  # the centroid is near the first body, not its image
    memory[swapped, 11:] *= -1.0
    image = np.where(swapped[:, None], -key[:, 2:5], key[:, 2:5])
    i, j = np.minimum(one, other), np.maximum(one, other)
    place = np.lexsort((first, second, image[:, 2], image[:, 1], image[:, 0], j, i))
    pairs = place.size
    lists.pair[:pairs, 0], lists.pair[:pairs, 1] = i[place], j[place]
    lists.image[:pairs] = image[place]
    lists.pair[: pairs + 1, 2] = np.arange(pairs + 1)
    lists.pair[:pairs, 3] = lists.pair[:pairs, 4] = np.arange(1, pairs + 1)
    lists.candidate[:pairs, 0], lists.candidate[:pairs, 1] = first[place], second[place]
    lists.spring[:pairs, :3], lists.spring[:pairs, 3:] = memory[place, :3], memory[place, 8:]
    lists.weight[:pairs] = memory[place, 7]
    return int(pairs)
