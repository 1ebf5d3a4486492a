"""Rows of a table that are wanted soon, brought near while others are worked on.

Tables of pairs are read in order, and the processor sees that by itself; which rows of bodies they name it cannot know. In large
samples a pass over pairs waited a fifth of its time for the second body.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from clast.backend.bare import Bare
from clast.backend.device import PLAIN
from clast.backend.lines import LINE_BYTES

NUMBER_BYTES = 8
TO_READ, KEEP, DATA = 0, 3, 1  # of the instruction: not to write, near all caches, no code


def bring_of(width: int) -> Any:
    """`bring(table, rows, at)`: begin to bring row rows[at] of a bare table, `width` numbers a row, into the cache.

    It changes nothing. rows[at] may lie behind the end of `rows` by as much as `clast.backend.lines` leaves room: then any row,
    or none, is brought.
    """
    if PLAIN:
        return lambda table, rows, at: None
    offsets = range(0, width * NUMBER_BYTES, LINE_BYTES)

    @intrinsic
    def bring(typing: Any, table: Any, rows: Any, at: Any) -> Any:
        if not (isinstance(table, Bare) and isinstance(rows, Bare)):  # arrays, of which nothing behind the end may be read
            return types.none(table, rows, at), lambda context, builder, sig, arguments: context.get_dummy_value()

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            if "nvptx" in builder.module.triple:  # a GPU hides its memory behind other threads
                return context.get_dummy_value()
            index = context.cast(builder, arguments[2], sig.args[2], types.intp)
            named = context.unpack_value(builder, rows.dtype, builder.gep(arguments[1], [index]))
            row = context.cast(builder, named, rows.dtype, types.intp)
            first = builder.gep(arguments[0], [builder.mul(row, row.type(width))])
            byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
            fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
            start = builder.bitcast(first, byte)
            for offset in offsets:
                place = builder.gep(start, [row.type(offset)])
                builder.call(fetch, [place, flag(TO_READ), flag(KEEP), flag(DATA)])
            return context.get_dummy_value()

        return types.none(table, rows, at), generate

    return bring
