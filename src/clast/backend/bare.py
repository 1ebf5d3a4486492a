"""Flat tables as bare pointers: what passes hand on from function to function; and lanes of a block, which look like them.

An array is seven numbers to compiled code, and a pass sees some thirty of them in every call of its hundred small functions: most
of the time of compiling went into that. A bare table is one, its address. It has no length, no stride and no counting from the
end; whoever made it keeps the array alive.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model

from clast.backend.device import PLAIN
from clast.backend.held import member, read

BOUNDARY = 64  # bytes at which tables of a GPU begin, at least


class Bare(types.Type):
    """The address of numbers of one kind, one after the other or `stride` apart."""

    def __init__(self, dtype: Any, stride: int = 1) -> None:
        self.dtype, self.stride = dtype, stride
        super().__init__(name=f"Bare({dtype}, {stride})")


@register_model(Bare)
class BareModel(models.PrimitiveModel):
    """A pointer."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.dtype).get_data_type().as_pointer())


@infer_global(operator.getitem)
class ReadBare(AbstractTemplate):
    """table[i]"""

    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and isinstance(args[0], Bare) and isinstance(args[1], types.Integer):
            return signature(args[0].dtype, args[0], args[1])
        return None


@infer_global(operator.setitem)
class WriteBare(AbstractTemplate):
    """table[i] = value"""

    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 3 and isinstance(args[0], Bare) and isinstance(args[1], types.Integer):
            return signature(types.none, args[0], args[1], args[0].dtype)
        return None


def _address(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    index = context.cast(builder, arguments[1], kinds[1], types.intp)
    if kinds[0].stride != 1:
        index = builder.mul(index, index.type(kinds[0].stride), flags=("nsw",))
    return builder.gep(arguments[0], [index])


@lower_builtin(operator.getitem, Bare, types.Integer)
def _read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.args[0].dtype, _address(context, builder, sig.args, args))


@lower_builtin(operator.setitem, Bare, types.Integer, types.Any)
def _write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    context.pack_value(builder, sig.args[0].dtype, args[2], _address(context, builder, sig.args, args))
    return context.get_dummy_value()


def at_a_boundary(builder: Any, table: Any) -> Any:
    """On a GPU the compiler learns that a table begins at a boundary, so that it reads neighbours two at a time."""
    if "nvptx" in builder.module.triple:
        word = ir.IntType(64)
        rest = builder.and_(builder.ptrtoint(table, word), ir.Constant(word, BOUNDARY - 1))
        assume = builder.module.declare_intrinsic("llvm.assume", (), ir.FunctionType(ir.VoidType(), [ir.IntType(1)]))
        builder.call(assume, [builder.icmp_unsigned("==", rest, ir.Constant(word, 0))])
    return table


@intrinsic
def _bare(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return at_a_boundary(builder, context.make_array(sig.args[0])(context, builder, arguments[0]).data)

    return Bare(array.dtype)(array), generate


@intrinsic
def _bare_all(typing: Any, held: Any) -> Any:
    record = held.record
    tables = [isinstance(each, types.Array) and each.ndim == 1 for each in record.types]
    kinds = [Bare(each.dtype) if table else each for each, table in zip(record.types, tables, strict=True)]
    result = types.BaseTuple.from_types(kinds, record.instance_class)

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        values = []
        for k, (kind, table) in enumerate(zip(record.types, tables, strict=True)):
            value = read(context, builder, kind, member(context, builder, record, arguments[0], k))
            values.append(at_a_boundary(builder, context.make_array(kind)(context, builder, value).data) if table else value)
        return context.make_tuple(builder, sig.return_type, values)

    return result(held), generate


@intrinsic
def _lane(typing: Any, table: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _address(context, builder, sig.args, arguments)

    return Bare(table.dtype, LANES)(table, at), generate


@intrinsic
def _onwards(typing: Any, table: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _address(context, builder, sig.args, arguments)

    return table(table, at), generate


LANES = 32  # contacts of a block: wide enough for any processor, small enough for the innermost cache

# lane (bare table, at): the numbers at, at + LANES, at + 2 LANES, … as a table of their own
lane = (lambda table, at: table[at::LANES]) if PLAIN else _lane

# onwards (bare table or lane, at): the same from one of its numbers on
onwards = (lambda table, at: table[at:]) if PLAIN else _onwards

# bare (array of one axis): the same numbers as a bare table; bare_all (held record of arrays): the same with bare tables
bare = (lambda array: array) if PLAIN else _bare
bare_all = (lambda record: record) if PLAIN else _bare_all
