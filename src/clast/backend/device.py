"""Decorators that turn plain Python into compiled code.

`device`   small functions of scalars, or of NamedTuples of arrays, always inlined into their caller;
`kernel`   a loop called from Python, cached on disk (only inside a generated module, see `clast.backend.bind`);
`law_function`   like `device`, for the formulas of contact laws.

Three options carry weight and are the same everywhere, because the bits depend on the first two:

- `fastmath={"contract"}` lets multiply-add become one instruction and nothing else: sums are never reassociated,
  so the order of a sum written in the source is the order of the sum computed;
- `error_model="numpy"` gives IEEE division instead of a test and a branch;
- `_nrt=False` leaves out reference counting of array arguments. It is a private option of numba, worth a factor of
  two to four in the contact loop; a test counts what is left, and allocation inside a kernel becomes a compile error.
"""

import os
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from clast.backend.private_code import InnerCompiler, KernelCompiler

FUSED = os.environ.get("CLAST_FUSE", "1") != "0"  # 0: no fused multiply-add, so that bits do not depend on the compiler's choice
PLAIN = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]  # everything runs as Python, for debugging
_FAST = {"contract"} if FUSED else set()
_COMMON: dict[str, Any] = {
    "fastmath": _FAST or False,
    "error_model": "numpy",
    "_nrt": False,
    "boundscheck": False,
    "no_cfunc_wrapper": True,
}
# what only compiled code calls needs no entry for Python, whose unpacking of many arrays takes a third of the compiling
_INNER: dict[str, Any] = {**_COMMON, "no_cpython_wrapper": True, "pipeline_class": InnerCompiler}


def device(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled code calls; it is inlined and allocates nothing."""
    return numba.njit(forceinline=True, **_INNER)(function)


@device
def unsigned(index):
    """An index the compiler knows not to be negative, so that it leaves out the test for counting from the end."""
    return np.int64(np.uint32(index))


def from_python(function: Any) -> Any:
    """An entry for Python to a function that only compiled code calls: for tests and for trying things out."""
    if PLAIN:
        return function
    return numba.njit(nogil=True, pipeline_class=KernelCompiler)(lambda *arguments: function(*arguments))


def law_function(function: Callable[..., Any]) -> Any:
    """Compile a formula of a contact law. It may be compiled already.

    A law is written for a tangent plane; in two dimensions its second component is the constant 0. Allowing the compiler
    to take 0·x for 0 (no NaN and no sign of zero to mind) removes that component, at no cost and without another rounding.
    """
    if hasattr(function, "py_func"):
        return function
    options = {**_COMMON, "fastmath": _FAST | {"nnan", "nsz"}}
    return numba.njit(forceinline=True, **options)(function)


def try_law_function(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Compile a user's function and call it once: (result, "") or (None, file, line and reason why it does not compile)."""
    where = f"{function.__code__.co_filename}, line {function.__code__.co_firstlineno}"
    try:
        return law_function(function)(*arguments), ""
    except numba.core.errors.NumbaError as error:
        if (place := getattr(error, "loc", None)) is not None:
            where = f"{place.filename}, line {place.line}"
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        lines = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "There are", "- Of which"))]
        reason = " ".join(lines[:2]).removesuffix(">>>") if lines else type(error).__name__
        return None, f"{where}: {reason}"
    except Exception as error:  # whatever the user's formula does
        return None, f"{where}: {type(error).__name__}: {error}"


def routine(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled code calls, that is never inlined: for long or rare work.

    It takes no functions as arguments, or numba could not keep what calls it on disk. Not inlining is
    set explicitly: otherwise numba takes the setting of the first caller, and the machine code would depend on what a process
    happened to compile before.
    """
    return numba.njit(forceinline=False, **_INNER)(function)


@intrinsic
def _stay_whole(context: Any) -> Any:
    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return target.get_dummy_value()

    return numba.types.none(), generate


@intrinsic
def _unlikely(context: Any, condition: Any) -> Any:
    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        given = arguments[0] if arguments[0].type.width == 1 else builder.trunc(arguments[0], bit)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [given, ir.Constant(bit, 0)])

    return numba.types.boolean(numba.types.boolean), generate


# stay_whole (): called in a routine, keeps the compiler from inlining it, so that all who call it run the same machine code:
#     where a product and a sum become one instruction is the compiler's choice, and may differ between two copies
# unlikely (condition): the condition, which is seldom true: what follows is moved out of the way of the rest
stay_whole = (lambda: None) if PLAIN else _stay_whole
unlikely = (lambda condition: condition) if PLAIN else _unlikely


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls; the machine code is kept on disk and the interpreter lock is released."""
    if PLAIN:
        return function
    return numba.njit(cache=True, nogil=True, pipeline_class=KernelCompiler, **_COMMON)(function)
