"""A part: what a run recorded between two checkpoints. Filled in memory, written once.

One HDF5 group holds up to three tables, each with `step` (k,) and `time` (k,):

    series     one dataset (k,) per quantity
    frames     one dataset (k, ...) per array: positions (k, n, 2), angles (k, n), ...
    contacts   rows of all tables one after the other: table j is rows offsets[j] to offsets[j + 1] of every dataset
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.errors import StoreError
from clast.output.store.values import Array, check_name, checked_array, put_array

if TYPE_CHECKING:
    import h5py

SERIES, FRAMES, CONTACTS = "series", "frames", "contacts"
TABLES = (SERIES, FRAMES, CONTACTS)
RESERVED = ("step", "time", "offsets", "names")

# A buffered row is a few Python objects besides its numbers; counted, or many small rows would look free.
_OBJECT_BYTES = 128
_COPY_BYTES = 1 << 25

ColumnTypes = dict[str, tuple[np.dtype[Any], tuple[int, ...]]]


class TableBuffer:
    """Rows of one table that wait for the next checkpoint.

    All rows of a run have the same names, types and shapes; in a `ragged` table the first axis may differ from row to
    row (but not between the arrays of one row). Steps strictly increase. StoreError otherwise.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self.ragged = table == CONTACTS
        self.columns: ColumnTypes | None = None
        self.last_step: int | None = None
        self.nbytes = 0
        self._steps: list[int] = []
        self._times: list[float] = []
        self._rows: list[dict[str, Array]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, step: int, time: float, arrays: Mapping[str, Any]) -> None:
        """Take a copy of `arrays` as the row of `step` at `time`."""
        step = operator.index(step)
        where = f"{self.table} at step {step}"
        if self.last_step is not None and step <= self.last_step:
            raise StoreError(f"{where}: the last one stored was at step {self.last_step}; steps must increase")
        if self.columns is None:
            for name in arrays:
                check_name(name, where, RESERVED, attribute=self.table != SERIES)
        elif arrays.keys() != self.columns.keys():
            raise StoreError(f"{where}: the names changed, from {sorted(self.columns)} to {sorted(arrays)}")
        checked_array("time", float(time), where)
        if self.table == SERIES:
            # The hot one: one check for the whole row, and the names looked at only when something is wrong.
            try:
                values = np.array([float(value) for value in arrays.values()])
            except (TypeError, ValueError) as error:
                raise StoreError(f"{where}: a value of the series is no number ({error})") from None
            if not np.isfinite(values).all():
                for name, value in arrays.items():
                    checked_array(name, float(value), where)
            row: dict[str, Array] = dict(zip(arrays, values, strict=True))
        else:
            row = {name: checked_array(name, value, where) for name, value in arrays.items()}
        if self.columns is None or self.table != SERIES:
            self._check_columns(row, where)
        self._steps.append(step)
        self._times.append(float(time))
        self._rows.append(row)
        self.last_step = step
        self.nbytes += sum(array.nbytes + _OBJECT_BYTES for array in row.values()) + _OBJECT_BYTES

    def _check_columns(self, row: dict[str, Array], where: str) -> None:
        if self.ragged:
            lengths = {name: array.shape[0] if array.ndim else None for name, array in row.items()}
            if len(set(lengths.values())) > 1 or None in lengths.values():
                raise StoreError(f"{where}: the arrays of one table must have one length, got {lengths}")
        columns = {name: (array.dtype, array.shape[1:] if self.ragged else array.shape) for name, array in row.items()}
        if self.columns is None:
            self.columns = columns
            return
        for name, expected in self.columns.items():
            if columns[name] != expected:
                raise StoreError(
                    f"{where}: {name!r} changed from {expected[0]} {expected[1]} to {columns[name][0]} {columns[name][1]}"
                )

    def write(self, group: h5py.Group) -> None:
        """Write all rows into a new HDF5 group under `group`; nothing if there are none. The buffer keeps them."""
        if not self._rows or self.columns is None:
            return
        into = group.create_group(self.table)
        into["step"] = np.array(self._steps, dtype=np.int64)
        into["time"] = np.array(self._times, dtype=np.float64)
        if self.ragged:
            lengths = [next(iter(row.values())).shape[0] if row else 0 for row in self._rows]
            into["offsets"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        join = np.concatenate if self.ragged else np.array  # for rows of one shape np.array is np.stack, but faster
        for name, (dtype, _) in self.columns.items():
            data = join([row[name] for row in self._rows])
            put_array(into, name, data.shape, dtype)[...] = data

    def forget(self) -> None:
        """Drop the rows: they are on disk."""
        self._steps, self._times, self._rows = [], [], []
        self.nbytes = 0

    def continue_after(self, group: h5py.Group) -> None:
        """Take columns and last step from a table in a part already written, as a resumed run must go on with them."""
        self.last_step = int(group["step"][-1])
        skip = 0 if self.table == SERIES else 1
        self.columns = {name: (group[name].dtype, group[name].shape[1:] if skip else ()) for name in names_in(group)}


def names_in(table: Any) -> tuple[str, ...]:
    """Names of the stored arrays of a table (an HDF5 group), sorted."""
    return tuple(sorted(name for name in table if name not in RESERVED))


def append_part(part: Any, into: Any) -> None:
    """Append the tables of `part` to those in `into` (both HDF5 groups; `into` may be empty at first).

    A part at a time, so that a run of thousands of parts needs neither their open files nor their memory.
    """
    for table in [each for each in TABLES if each in part]:
        source, target = part[table], into.require_group(table)
        if table == CONTACTS:
            ends = source["offsets"][1:]
            if "offsets" in target:
                ends = ends + target["offsets"][-1]
            else:
                put_array(target, "offsets", (1,), np.dtype(np.int64), growing=True)[0] = 0
            _append_rows(ends, target["offsets"])
        for name in ("step", "time", *names_in(source)):
            if name not in target:
                put_array(target, name, (0, *source[name].shape[1:]), source[name].dtype, growing=True)
            _append_rows(source[name], target[name])


def _append_rows(source: Any, target: Any) -> None:
    """Copy all rows of `source` behind those of `target`, a piece at a time (contacts of one part may be many)."""
    begin, rows = target.shape[0], source.shape[0]
    target.resize(begin + rows, axis=0)
    piece = max(1, _COPY_BYTES // max(1, math.prod(source.shape[1:]) * source.dtype.itemsize))
    for k in range(0, rows, piece):
        end = min(rows, k + piece)
        target[begin + k : begin + end] = source[k:end]
