"""Decorators that turn plain Python into compiled code.

`device`   small functions of scalars, or of NamedTuples of arrays, always inlined into their caller;
`kernel`   a loop called from Python, cached on disk (only inside a generated module, see `clast.backend.bind`);
`parallel_kernel`   the same with `parallel_range` run by threads;
`law_function`   like `device`, for the formulas of contact laws.

Three options carry weight and are the same everywhere, because the bits depend on the first two:

- `fastmath={"contract"}` lets multiply-add become one instruction and nothing else: sums are never reassociated,
  so the order of a sum written in the source is the order of the sum computed;
- `error_model="numpy"` gives IEEE division instead of a test and a branch;
- `_nrt=False` leaves out reference counting of array arguments. It is a private option of numba, worth a factor of
  two to four in the contact loop; a test counts what is left, and allocation inside a kernel becomes a compile error.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import prange as parallel_range  # noqa: F401  (re-exported: nobody else imports numba)
from numba.extending import intrinsic

_COMMON: dict[str, Any] = {"fastmath": {"contract"}, "error_model": "numpy", "_nrt": False, "boundscheck": False}
# what only compiled code calls needs no entry for Python, whose unpacking of many arrays takes a third of the compiling
_INNER: dict[str, Any] = {**_COMMON, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def device(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled code calls; it is inlined and allocates nothing."""
    return numba.njit(forceinline=True, **_INNER)(function)


def from_python(function: Any) -> Any:
    """An entry for Python to a function that only compiled code calls: for tests and for trying things out."""
    return numba.njit(lambda *arguments: function(*arguments))


def law_function(function: Callable[..., Any]) -> Any:
    """Compile a formula of a contact law. It may be compiled already.

    A law is written for a tangent plane; in two dimensions its second component is the constant 0. Allowing the compiler
    to take 0·x for 0 (no NaN and no sign of zero to mind) removes that component, at no cost and without another rounding.
    """
    if hasattr(function, "py_func"):
        return function
    options = {**_COMMON, "fastmath": {"contract", "nnan", "nsz"}}
    return numba.njit(forceinline=True, **options)(function)


def try_law_function(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Compile a user's function and call it once: (result, "") or (None, file, line and reason why it does not compile)."""
    where = f"{function.__code__.co_filename}, line {function.__code__.co_firstlineno}"
    try:
        return law_function(function)(*arguments), ""
    except numba.core.errors.NumbaError as error:
        if (place := getattr(error, "loc", None)) is not None:
            where = f"{place.filename}, line {place.line}"
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = [line for line in said if not line.startswith(("Failed in nopython", "During:", "There are", "- Of which"))]
        reason = " ".join(said[:2]).removesuffix(">>>") if said else type(error).__name__
        return None, f"{where}: {reason}"
    except Exception as error:  # whatever the user's formula does
        return None, f"{where}: {type(error).__name__}: {error}"


def routine(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled code calls, without asking for it to be inlined: for long or rare work.

    It takes no functions as arguments, or numba could not keep what calls it on disk. That it is not to be inlined has to be
    said: otherwise numba hands the wish of whoever calls it first down to it, and the machine code would depend on what a
    process happened to compile before.
    """
    return numba.njit(forceinline=False, **_INNER)(function)


@intrinsic
def stay_whole(context: Any) -> Any:
    """Called in a routine: keeps the compiler from inlining it, so that all who call it run the same machine code.

    Where a product and a sum become one instruction is the compiler's choice, and may differ between two copies.
    """

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return target.get_dummy_value()

    return numba.types.none(), generate


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls; the machine code is kept on disk and the interpreter lock is released."""
    return numba.njit(cache=True, nogil=True, **_COMMON)(function)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, with `parallel_range` loops shared among threads."""
    options = {**_COMMON}
    del options["_nrt"]  # the parallel back end allocates its own schedule
    return numba.njit(cache=True, nogil=True, parallel=True, **options)(function)
