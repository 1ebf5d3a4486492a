"""The nouns of a rebuild of the lists: what it needs besides them, and all that its passes see. NamedTuples of flat arrays."""

from typing import Any, NamedTuple

import numpy as np

# Scratch.size: how many there are; the stage that comes next; whether passes that count write as well; candidates in a slot;
# the first body whose numbers are none any more, or NOWHERE; rows of Scratch.extent that tell of all bodies
CELLS, NEAR, PAIRS, CANDIDATES, STAGE, WRITING, SLOT, BODIES, MOVING, LOST, EXTENTS, SIZES = range(12)
NOWHERE = 1 << 62

# Rebuild.reach of a job: half of how far apart surfaces may be listed if nothing moved; Δt; the same with the way of a step
CHOSEN, STEP, FULL, REACHES = range(4)


class Scratch(NamedTuple):
    """What a rebuild needs besides the lists, n bodies; kept for the next one, grown by the host."""

    size: np.ndarray  # (SIZES,) int64
    sums: np.ndarray  # (parts, 2) int64: of the counts of each part
    extent: np.ndarray  # (parts, 8): least and largest coordinates of the grains of each part; fastest body; first that is lost
    room: np.ndarray  # (6,) of the cells: where they begin along each axis, how far they go
    grid: np.ndarray  # (levels, 4) int64: first cell of a level, cells along x, y, z
    members: np.ndarray  # (levels,) int64: grains of a level
    level: np.ndarray  # (n,) int8 of a grain, −1 for big bodies, −2 for who is not searched
    cell_of: np.ndarray  # (n,) int32
    cell_start: np.ndarray  # (cells + 1,) int64
    cell_item: np.ndarray  # (n,) int32
    other_start: np.ndarray  # (n + 1,) int64
    first_near: np.ndarray  # (n + 1,) int64: near pairs of each body
    near: np.ndarray  # (near pairs, 2 + axes) int32: i, j, image
    hit: np.ndarray  # (near pairs, words) int64: which candidates, where their numbers fit into bits
    slot: np.ndarray  # (near pairs, size[SLOT], 2) uint32: candidates as they were counted
    side: np.ndarray  # (near pairs, 2) uint32: how many of them are in the first and in the second section
    first: np.ndarray  # (near pairs + 1,) uint32: first candidate
    rank: np.ndarray  # (near pairs + 1,) uint32: its first row of Lists.pair
    workspace: np.ndarray  # (parts, Rebuild.workspace_width) what the passes of a family need for themselves


class Rebuild(NamedTuple):
    """All that the passes of a rebuild may read or write, flat."""

    part: int  # which one this is, of how many
    parts: int
    workspace_width: int  # numbers of Scratch.workspace for each
    alpha: Any  # half of how far surfaces may be apart; of a job, three numbers from which it comes
    materials: int
    parameters: int  # of the law between two materials
    geometry: Any
    probes: Any  # trees of what may touch
    faced: Any  # and of what may be touched
    model: Any
    state: Any
    roles: Any
    work: Scratch
    old: Any  # contacts
    new: Any
    target: Any  # where candidates are written to: those of `new`, or slots
