"""Rows that are wanted soon are requested by an instruction that changes nothing, also behind the end of the list of rows."""

import numpy as np
from numba import njit

from clast.backend.ahead import bring_of
from clast.backend.bare import bare
from clast.backend.lines import BEHIND, zeros

WIDTH = 16


def walk_of(ahead):
    bring = bring_of(WIDTH)

    @njit
    def walk(table, rows, count):
        numbers, order, total = bare(table), bare(rows), 0.0
        for q in range(count):
            if ahead > 0:
                bring(numbers, order, q + ahead)
            total += numbers[WIDTH * np.int64(order[q])]
        return total

    return walk


def test_it_changes_nothing_and_requests_both_lines_of_a_row():
    table, rows = zeros((50, WIDTH)), zeros(40, np.uint32)
    table[:, 0], rows[:] = np.arange(50.0) ** 2, np.arange(40)[::-1]
    before = table.copy()
    plain, far = walk_of(0), walk_of(BEHIND // rows.itemsize - 1)
    flat = table.reshape(-1)
    assert plain(flat, rows, 40) == far(flat, rows, 40) == (np.arange(40.0) ** 2).sum()
    assert (table == before).all()
    calls = [sum(text.count("call void @llvm.prefetch") for text in walk.inspect_llvm().values()) for walk in (plain, far)]
    assert calls[0] == 0 and calls[1] > 0 and calls[1] % 2 == 0


def test_what_lies_behind_a_table_may_be_read():
    for size in (0, 1, 5, 4096):
        table = zeros(size, np.uint8)
        owner = table
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert owner.ctypes.data + owner.nbytes - (table.ctypes.data + table.nbytes) >= BEHIND or size == 0
