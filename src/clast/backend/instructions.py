"""Of what instructions a compiled routine is made: on several numbers at once, on one, or calls of the library of mathematics.

Numba shows no assembly of code that was read back from disk. But the optimised module lies there beside the machine code, for
others to link with, and the same compiler makes the same assembly of it. Only the wanted routines are written out: 0.1 s in the
plane, 0.3 s in space.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from numba.core.itanium_mangler import mangle

# at the beginning of a line. x86-64: vmulpd, vfmadd213pd and vmulsd; aarch64: fmul.2d v0, … or fmul v0.2d, … and fmul d0, …
PACKED = re.compile(
    r"^\s+(?:v?(?:mul|div|sqrt|fn?m(?:add|sub)\d*)pd\b|f(?:mul|div|sqrt|ml[as])(?:\.2d|\s+v\d+\.2d)\b)", re.MULTILINE
)
SINGLE = re.compile(
    r"^\s+(?:v?(?:mul|div|sqrt|fn?m(?:add|sub)\d*)sd\b|f(?:n?mul|div|sqrt|n?m(?:add|sub))\s+d\d+\b)", re.MULTILINE
)
# by name, or by an address that is loaded before; functions of several numbers, such as __svml_pow8, have other names
CALLED = re.compile(r"^\s+(?:movabsq\s+\$|bl\s+|adrp\s+\w+, )_?([a-z]\w*)", re.MULTILINE)
MEMORY = re.compile(r"mem(?:cpy|set|move)$")


class Instructions(NamedTuple):
    """Of a piece of assembly."""

    packed: int  # products, quotients and roots of several numbers at once
    single: int  # the same of one number
    calls: tuple[str, ...]  # functions of the library of mathematics, which take one number after the other


def instructions_in(assembly: str) -> Instructions:
    """What a piece of assembly of x86-64 or aarch64 holds; of another processor nothing is found."""
    calls = sorted({name for name in CALLED.findall(assembly) if not MEMORY.match(name)})
    return Instructions(len(PACKED.findall(assembly)), len(SINGLE.findall(assembly)), tuple(calls))


def instructions_of(kernel: Any, maker: Callable[..., Any]) -> list[Instructions]:
    """Of each routine in the machine code of a kernel that was made inside the function `maker`, fresh or read from disk; none
    where the kernel has not been called yet, or runs as Python."""
    compiled = getattr(kernel, "overloads", {})
    return [instructions_in(text) for each in compiled.values() for text in assembly_of(each.library, maker)]


def assembly_of(library: Any, maker: Callable[..., Any]) -> list[str]:
    """The assembly of each routine of a library that was made inside a function."""
    begins = mangle(f"{maker.__module__}.{maker.__qualname__}.<locals>", ()).removesuffix("E")
    module = library._get_module_for_linking().clone()
    written = [each for each in module.functions if not each.is_declaration]
    wanted = [each for each in written if each.name.startswith(begins)]
    if not wanted:
        return []
    for each in written:  # the compiler leaves out functions marked as available elsewhere
        each.linkage = "external" if each in wanted else "available_externally"
    text = str(library.codegen._tm.emit_assembly(module))
    return re.split(rf"^_?{re.escape(begins)}\w*:", text, flags=re.MULTILINE)[1:]
