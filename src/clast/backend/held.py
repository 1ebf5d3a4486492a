"""Records in memory: what a pass sees, handed on from function to function as one address.

A world is a record of records of some seventy tables and numbers. As a value all of them would be copied by every call of two
hundred small functions, and compiling that takes longer than compiling what the functions do. A held record is the address of
such a record in the memory of the function that called `hold`; `world.lists.pair` reads what stands there. When all is inlined
the compiler sees that nobody else can reach that memory and keeps what it needs in registers.

So that this stays true a function that is not inlined gets a copy of its own (`clast.backend.lean`). `hold` is called by whoever
uses the record: one that is returned is lost, its memory ends with the function.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, register_model

from clast.backend.device import PLAIN
from clast.backend.lean import Held, room

BYTE = ir.IntType(8)


@register_model(Held)
class HeldModel(models.PrimitiveModel):
    """An address."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, BYTE.as_pointer())


@infer_getattr
class ReadHeld(AttributeTemplate):
    """record.name: a held record again, or what stands there."""

    key = Held

    def generic_resolve(self, held: Any, name: str) -> Any:  # type: ignore[override]
        """The kind of it."""
        if name not in held.record.fields:
            return None
        kind = held.record.types[held.record.fields.index(name)]
        return Held(kind) if isinstance(kind, types.NamedTuple) else kind


def size_of(kind: Any) -> tuple[int, int]:
    """Bytes of a value in memory, and the boundary it lies at."""
    if isinstance(kind, ir.LiteralStructType):
        end = 0
        sizes = [size_of(each) for each in kind.elements]
        for size, boundary in sizes:
            end = up_to(end, boundary) + size
        largest = max((boundary for _, boundary in sizes), default=1)
        return up_to(end, largest), largest
    if isinstance(kind, ir.ArrayType):
        size, boundary = size_of(kind.element)
        return size * kind.count, boundary
    size = max(kind.width // 8, 1) if isinstance(kind, ir.IntType) else 4 if isinstance(kind, ir.FloatType) else 8
    return size, size


def up_to(end: int, boundary: int) -> int:
    """The next multiple of a boundary."""
    return -(-end // boundary) * boundary


def member(context: Any, builder: Any, record: Any, address: Any, k: int) -> Any:
    """Address of the k-th member of a record."""
    at = 0
    for kind in record.types[:k]:
        size, boundary = size_of(context.get_value_type(kind))
        at = up_to(at, boundary) + size
    at = up_to(at, size_of(context.get_value_type(record.types[k]))[1])
    return builder.gep(address, [ir.Constant(ir.IntType(64), at)], inbounds=True) if at else address


def read(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    """The value of a kind that stands at an address."""
    return builder.load(builder.bitcast(address, context.get_value_type(kind).as_pointer()))


@lower_getattr_generic(Held)
def _read_member(context: Any, builder: Any, held: Any, address: Any, name: str) -> Any:
    k = held.record.fields.index(name)
    place = member(context, builder, held.record, address, k)
    return place if isinstance(held.record.types[k], types.NamedTuple) else read(context, builder, held.record.types[k], place)


@intrinsic
def _hold(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = room(builder, arguments[0].type)
        builder.store(arguments[0], place)
        return builder.bitcast(place, BYTE.as_pointer())

    return Held(record)(record), generate


@intrinsic
def _whole(typing: Any, held: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return read(context, builder, held.record, arguments[0])

    return held.record(held), generate


# hold (record): the same in the memory of the function that calls it; whole (held record): its values
hold = (lambda record: record) if PLAIN else _hold
whole = (lambda record: record) if PLAIN else _whole
