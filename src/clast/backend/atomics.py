"""Words that several threads change at once, and two ways to wait: what numba does not offer on the CPU.

A word is one entry of an int64 array, named by array and index. All changes are sequentially consistent. Where numba is switched
off (`NUMBA_DISABLE_JIT=1`) there is one thread and plain Python does the same.
"""

import platform
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from clast.backend.device import PLAIN

_MACHINE = platform.machine().lower()
_INT = ir.IntType(32)
ALIGNED = 8  # bytes of a word


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Pointer to word arguments[1] of the array, or bare table, arguments[0]."""
    if not isinstance(signature.args[0], types.Array):
        return builder.gep(arguments[0], [arguments[1]])
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _change_by(operation: str) -> Callable[..., Any]:
    """An intrinsic that changes a word by an atomic `operation` of LLVM and returns what stood there before."""

    @intrinsic
    def change(typing: Any, words: Any, i: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.atomic_rmw(operation, _address(context, builder, signature, arguments), arguments[2], "seq_cst")

        return types.int64(words, types.int64, types.int64), generate

    return change


@intrinsic
def _swap_if(typing: Any, words: Any, i: Any, old: Any, new: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst"), 0)

    return types.int64(words, types.int64, types.int64, types.int64), generate


@intrinsic
def _load(typing: Any, words: Any, i: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature, arguments), "seq_cst", ALIGNED)

    return types.int64(words, types.int64), generate


@intrinsic
def _store(typing: Any, words: Any, i: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _address(context, builder, signature, arguments), "seq_cst", ALIGNED)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), generate


@intrinsic
def _pause(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _MACHINE in ("x86_64", "amd64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        elif _MACHINE in ("aarch64", "arm64"):
            kind = ir.FunctionType(ir.VoidType(), [_INT])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.aarch64.hint"), [ir.Constant(_INT, 1)])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _give_way(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
        builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, []), name), [])
        return context.get_dummy_value()

    return types.void(), generate


def _plain_change(change: Callable[[int, int], int]) -> Callable[..., int]:
    def changed(words: Any, i: int, value: int) -> int:
        before = int(words[i])
        words[i] = change(before, value)
        return before

    return changed


def _plain_swap_if(words: Any, i: int, old: int, new: int) -> int:
    before = int(words[i])
    if before == old:
        words[i] = new
    return before


def _nothing() -> None:
    """One thread never waits."""


# fetch_add, fetch_min (words, i, value): change a word, return what stood there before
# swap_if (words, i, old, new): put `new` where `old` stands, return what stood there before
# load (words, i), store (words, i, value)
# pause (): this is a loop that waits; give_way (): let another thread have the core
fetch_add = _plain_change(lambda a, b: a + b) if PLAIN else _change_by("add")
fetch_min = _plain_change(min) if PLAIN else _change_by("min")
swap_if = _plain_swap_if if PLAIN else _swap_if
load = (lambda words, i: int(words[i])) if PLAIN else _load
store = (lambda words, i, value: words.__setitem__(i, value)) if PLAIN else _store
pause = _nothing if PLAIN else _pause
give_way = _nothing if PLAIN else _give_way
