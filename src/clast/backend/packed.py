"""Rows of a table as a whole: eight numbers are read, added and written by one instruction, where the processor has such.

A body adds up the rows of all its pairs, and lanes of a block (`clast.backend.bare`) become rows. Number by number that takes as
many instructions as there are numbers, and the compiler does not see that neighbours could go together.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from clast.backend.bare import LANES
from clast.backend.device import PLAIN

WIDEST = 8  # numbers of the widest instruction
NUMBER, NUMBER_BYTES = ir.DoubleType(), 8


class Packed(types.Type):
    """So many numbers in vectors of up to eight."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Packed({count})")


def vectors(count: int) -> list[tuple[int, Any]]:
    """First number and kind of the vectors that hold so many."""
    return [(first, ir.VectorType(NUMBER, min(WIDEST, count - first))) for first in range(0, count, WIDEST)]


@register_model(Packed)
class PackedModel(models.PrimitiveModel):
    """A structure of vectors."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.LiteralStructType([kind for _, kind in vectors(fe_type.count)]))


def structure(builder: Any, values: list[Any]) -> Any:
    """Vectors put together."""
    made = ir.Constant(ir.LiteralStructType([value.type for value in values]), ir.Undefined)
    for k, value in enumerate(values):
        made = builder.insert_value(made, value, k)
    return made


@intrinsic
def _add(typing: Any, one: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        a, b = ([builder.extract_value(each, k) for k in range(len(vectors(one.count)))] for each in arguments)
        return structure(builder, [builder.fadd(x, y) for x, y in zip(a, b, strict=True)])

    return one(one, other), generate


@intrinsic
def _numbers(typing: Any, packed: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        found = []
        for k, (_, kind) in enumerate(vectors(packed.count)):
            vector = builder.extract_value(arguments[0], k)
            found += [builder.extract_element(vector, ir.Constant(ir.IntType(32), n)) for n in range(kind.count)]
        return context.make_tuple(builder, sig.return_type, found)

    return types.UniTuple(types.float64, packed.count)(packed), generate


def packed_of(count: int) -> SimpleNamespace:
    """For so many numbers of a bare table, which begin at `at`: `none()`, `read(table, at)`, `add(a, b)`, `numbers(a)`,
    `write(table, at, a)`, and `rows_of_lanes(lanes, at, rows, to)`: lanes `at` … at + 7 as eight rows, one after the other."""
    if PLAIN:
        return plain_of(count)

    @intrinsic
    def none(typing: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return structure(builder, [ir.Constant(kind, None) for _, kind in vectors(count)])

        return Packed(count)(), generate

    @intrinsic
    def read(typing: Any, table: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            begin, data = (
                context.cast(builder, arguments[1], sig.args[1], types.intp),
                data_of(context, builder, table, arguments[0]),
            )
            return structure(builder, [load(builder, data, begin, first, kind) for first, kind in vectors(count)])

        return Packed(count)(table, at), generate

    @intrinsic
    def write(typing: Any, table: Any, at: Any, packed: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            begin = context.cast(builder, arguments[1], sig.args[1], types.intp)
            for k, (first, _) in enumerate(vectors(count)):
                store(builder, arguments[0], begin, first, builder.extract_value(arguments[2], k))
            return context.get_dummy_value()

        return types.none(table, at, packed), generate

    @intrinsic
    def rows_of_lanes(typing: Any, lanes: Any, at: Any, rows: Any, to: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            begin, end = (context.cast(builder, arguments[k], sig.args[k], types.intp) for k in (1, 3))
            whole = ir.VectorType(NUMBER, WIDEST)
            for first, kind in vectors(count):
                columns = [load(builder, arguments[0], begin, LANES * (first + c), whole) for c in range(kind.count)]
                columns += [ir.Constant(whole, ir.Undefined)] * (WIDEST - kind.count)
                for row, numbers in enumerate(transposed(builder, columns)):
                    taken = builder.shuffle_vector(numbers, numbers, mask(range(kind.count)))
                    store(builder, arguments[2], end, count * row + first, taken)
            return context.get_dummy_value()

        return types.none(lanes, at, rows, to), generate

    return SimpleNamespace(none=none, read=read, add=_add, numbers=_numbers, write=write, rows_of_lanes=rows_of_lanes)


def plain_of(count: int) -> SimpleNamespace:
    """The same as Python."""

    def write(table: Any, at: int, packed: Any) -> None:
        table[at : at + count] = packed

    def rows_of_lanes(lanes: Any, at: int, rows: Any, to: int) -> None:
        for k in range(WIDEST):
            write(rows, to + count * k, lanes[at + k : at + k + LANES * count : LANES])

    return SimpleNamespace(
        none=lambda: np.zeros(count), read=lambda table, at: table[at : at + count], add=lambda a, b: a + b, numbers=tuple,
        write=write, rows_of_lanes=rows_of_lanes,
    )  # fmt: skip


def data_of(context: Any, builder: Any, kind: Any, table: Any) -> Any:
    """Where the numbers of an array or of a bare table begin."""
    return context.make_array(kind)(context, builder, table).data if isinstance(kind, types.Array) else table


def place(builder: Any, table: Any, begin: Any, offset: int, kind: Any) -> Any:
    """Where a vector stands, `offset` numbers after `begin`."""
    return builder.bitcast(builder.gep(table, [builder.add(begin, begin.type(offset))]), kind.as_pointer())


def load(builder: Any, table: Any, begin: Any, offset: int, kind: Any) -> Any:
    """Read a vector; rows lie anywhere."""
    vector = builder.load(place(builder, table, begin, offset, kind))
    vector.align = NUMBER_BYTES
    return vector


def store(builder: Any, table: Any, begin: Any, offset: int, vector: Any) -> None:
    """Write a vector."""
    builder.store(vector, place(builder, table, begin, offset, vector.type), align=NUMBER_BYTES)


def mask(elements: Any) -> Any:
    """Which elements a shuffle takes."""
    taken = list(elements)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(taken)), taken)


def transposed(builder: Any, columns: list[Any]) -> list[Any]:
    """Rows of a square of eight columns: neighbours change halves, at distance 1, 2 and 4."""
    distance = 1
    while distance < WIDEST:
        low = mask(e if e & distance == 0 else WIDEST + e - distance for e in range(WIDEST))
        high = mask(e + distance if e & distance == 0 else WIDEST + e for e in range(WIDEST))
        for k in range(WIDEST):
            if k & distance == 0:
                a, b = columns[k], columns[k + distance]
                columns[k], columns[k + distance] = builder.shuffle_vector(a, b, low), builder.shuffle_vector(a, b, high)
        distance *= 2
    return columns
