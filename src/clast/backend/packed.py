"""Rows of a table as a whole: eight numbers are read and added by one instruction, where the processor has such.

A body adds up the rows of all its pairs. Number by number that takes as many instructions as there are numbers, and the compiler
does not see that neighbours could be added together.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from clast.backend.device import PLAIN

WIDEST = 8  # numbers of the widest instruction
NUMBER = ir.DoubleType()


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
    """`none()`, `read(table, at)`, `add(a, b)` and `numbers(a)` for so many numbers of a bare table, which begin at `at`."""
    if PLAIN:
        return SimpleNamespace(
            none=lambda: np.zeros(count), read=lambda table, at: table[at : at + count], add=lambda a, b: a + b, numbers=tuple
        )  # fmt: skip

    @intrinsic
    def none(typing: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return structure(builder, [ir.Constant(kind, None) for _, kind in vectors(count)])

        return Packed(count)(), generate

    @intrinsic
    def read(typing: Any, table: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            begin = context.cast(builder, arguments[1], sig.args[1], types.intp)
            found = []
            for first, kind in vectors(count):
                address = builder.gep(arguments[0], [builder.add(begin, begin.type(first))])
                vector = builder.load(builder.bitcast(address, kind.as_pointer()))
                vector.align = 8  # rows lie anywhere
                found.append(vector)
            return structure(builder, found)

        return Packed(count)(table, at), generate

    return SimpleNamespace(none=none, read=read, add=_add, numbers=_numbers)
