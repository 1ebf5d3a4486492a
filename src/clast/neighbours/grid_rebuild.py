"""The rebuild of `clast.neighbours.rebuild` on a grid: the same passes in the same order, a launch for each and for what one
thread does between two stages.

Where the host has to make room, or a body is lost, the rest of the launches does nothing (STALL). The old lists are saved first,
because the new ones are written where they stand.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.device import device, unsigned
from clast.backend.held import hold
from clast.backend.team import OVER
from clast.neighbours.cells import BAD, FASTEST, LARGEST, LEAST, PART
from clast.neighbours.rebuild import (
    CLOSE,
    COUNT_CANDIDATES,
    COUNT_CELLS,
    COUNT_PAIRS,
    DONE,
    EXTENT,
    FILL_CANDIDATES,
    FILL_CELLS,
    FILL_OTHERS,
    FILL_PAIRS,
    clear,
    count_of,
    following_of,
    passes_of,
    scan_part,
    world_of,
)  # fmt: skip
from clast.neighbours.scan import COLUMNS, share, sum_of
from clast.neighbours.scratch import BODIES, EXTENTS, NEAR, PAIRS, SIZES, STAGE

# more words of Scratch.size: how far launches go; rows of the old lists; whether the rest does nothing; parts of EXTENT
PARTS, ONE, SAVED, OLD_PAIRS, OLD_CANDIDATES, STALL, LOOKED, GRID_SIZES = range(SIZES, SIZES + 8)
CANDIDATE = 2


def save_of(pair_width: int, axes: int) -> Any:
    """`save(q, thread, job)`: row q of each of the lists, to where the rebuild looks for what contacts remember."""

    @device
    def copy(source, target, width, q, rows):
        if q < rows:
            for column in range(width):
                target[width * q + column] = source[width * q + column]

    @device
    def save(q, thread, job):
        size, old, new = job.work.size, job.old, job.new
        pairs, candidates = size[OLD_PAIRS], size[OLD_CANDIDATES]
        copy(new.pair, old.pair, pair_width, q, pairs + 1)
        copy(new.image, old.image, axes, q, pairs)
        copy(new.candidate, old.candidate, CANDIDATE, q, candidates)
        copy(new.spring, old.spring, new.spring.size // new.weight.size, q, candidates)
        copy(new.weight, old.weight, 1, q, candidates)
        copy(new.first_pair, old.first_pair, 1, q, size[BODIES] + 1)

    return save


def grid_rebuild_of(family: SimpleNamespace) -> SimpleNamespace:
    """What each thread of a launch does, `f(q, thread, job)`; for `family` see `clast.neighbours.rebuild.rebuild_of`."""
    passes, following = passes_of(family), following_of(family.periods, family.close_pairs)
    note_extent = passes.note_extent

    def over_items(one_pass: Any) -> Any:
        @device
        def launch(q, thread, job):
            if job.work.size[STALL] == 0:
                one_pass(unsigned(q), hold(world_of(thread, hold(job))))

        return launch

    @device
    def clear_part(part, thread, job):
        """Clear the counters of a part."""
        clear(part, hold(job))

    @device
    def extent(part, thread, job):
        """How far the bodies of one of many parts lie, and how fast they are: into a row behind those that `narrow` makes."""
        count, parts, first = job.work.size[BODIES], job.work.size[LOOKED], job.work.size[EXTENTS]
        note_extent(first + part, share(count, part, parts), share(count, part + 1, parts), hold(job))

    @device
    def narrow(row, thread, job):
        """The same of several parts together."""
        size, extent = job.work.size, job.work.extent
        parts, rows = size[LOOKED], size[EXTENTS]
        low, high = rows + share(parts, row, rows), rows + share(parts, row + 1, rows)
        for axis in range(3):
            least, largest = np.inf, -np.inf
            for part in range(low, high):
                at = PART * part + axis
                least, largest = min(least, extent[at + LEAST]), max(largest, extent[at + LARGEST])
            extent[PART * row + LEAST + axis], extent[PART * row + LARGEST + axis] = least, largest
        fastest, bad = 0.0, np.inf
        for part in range(low, high):
            fastest, bad = max(fastest, extent[PART * part + FASTEST]), min(bad, extent[PART * part + BAD])
        extent[PART * row + FASTEST], extent[PART * row + BAD] = fastest, bad

    @device
    def sum_counts(part, thread, job):
        """Add up what the items of a part have counted, each for itself."""
        work, stage, at = job.work, job.work.size[STAGE], COLUMNS * part
        if work.size[STALL] == 0:
            count = count_of(stage, hold(job))
            low, high = share(count, part, job.parts), share(count, part + 1, job.parts)
            work.sums[at] = sum_of(work.rank, low, high) if stage == COUNT_CANDIDATES else 0
            work.sums[at + 1] = sum_of(work.first, low, high) if stage == COUNT_CANDIDATES else sum_of(work.first_near, low, high)

    @device
    def scan(part, thread, job):
        """One part of a stage that turns counts into where things begin."""
        stage = job.work.size[STAGE]
        if job.work.size[STALL] == 0:
            count = count_of(stage, hold(job))
            scan_part(stage, part, share(count, part, job.parts), share(count, part + 1, job.parts), hold(job))

    @device
    def follow(q, thread, job):
        """Between two stages."""
        size = job.work.size
        if size[STALL] == 0 and following(size[STAGE], size, hold(job)) == OVER and size[STAGE] != DONE:
            size[STALL] = 1

    items = ("count_cell", "fill_cell", "find_pairs", "list_candidates", "finish_pair", "finish_body")
    return SimpleNamespace(
        save=save_of(family.pair_width, family.axes), clear_part=clear_part, extent=extent, narrow=narrow,
        sum_counts=sum_counts, scan=scan, follow=follow,
        **{name: over_items(getattr(passes, name)) for name in items},
    )  # fmt: skip


def order_of_launches() -> list[tuple[str, int]]:
    """The launches of a rebuild: their names, and where in Scratch.size it stands how far they go."""
    over_items = {
        COUNT_CELLS: ("count_cell", BODIES), FILL_CELLS: ("fill_cell", BODIES), COUNT_PAIRS: ("find_pairs", BODIES),
        FILL_PAIRS: ("find_pairs", BODIES), COUNT_CANDIDATES: ("list_candidates", NEAR),
        FILL_CANDIDATES: ("list_candidates", NEAR), FILL_OTHERS: ("finish_pair", PAIRS), CLOSE: ("finish_body", BODIES),
    }  # fmt: skip
    order = [("save", SAVED)]
    for stage in range(EXTENT, DONE):
        if stage == EXTENT:
            order += [("clear_part", PARTS), ("extent", LOOKED), ("narrow", EXTENTS)]
        else:
            order.append(over_items.get(stage, ("scan", PARTS)))
        if stage in (COUNT_PAIRS, COUNT_CANDIDATES):
            order.append(("sum_counts", PARTS))
        order.append(("follow", ONE))
    return order
