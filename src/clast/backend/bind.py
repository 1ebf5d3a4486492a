"""Kernels for a law: one generated module each, named by what it depends on, compiled once and kept on disk.

Numba's own cache looks only at the file a kernel stands in, so a kernel would go on using an old law after the law's
file was edited. Here the name of the generated module carries a hash of what every source that is compiled means, of the
bound names and of the versions: another program has another name, and an old result can never be taken for a new one. The
same program keeps its name, and has the same text, line for line, however its template is laid out and explained.
"""

import hashlib
import importlib
import platform
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from clast.backend.cache_folder import cache_folder, is_private_file, written_whole
from clast.backend.code_files import keep_machine_code
from clast.backend.device import FUSED, law_function
from clast.backend.meaning import PACKAGE, describe, path_of, plain, read, sources

TEMPLATE = "clast.dynamics.kernels"
FAMILIES = tuple(f"clast.dynamics.{name}.passes" for name in ("plane", "space", "sharp"))
REGISTERED: dict[str, SimpleNamespace] = {}  # users' laws of this process, by name
BEGIN, END = "# --- bound ---\n", "# --- end of bound ---\n"


def key(bound: str, *modules: str) -> str:
    """Hash of all that the compiled code depends on: bound lines, and what the template and some modules import."""
    digest = hashlib.sha256(bound.encode())
    for path in sources(TEMPLATE, *modules):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(read(path).meaning)
    for name in ("numba", "llvmlite", "numpy"):
        digest.update(f"{name} {version(name)}".encode())
    digest.update(f"{platform.python_version()} {platform.machine()} {FUSED}".encode())
    return digest.hexdigest()[:20]


def functions_of(law: str) -> ModuleType | SimpleNamespace:
    """The functions of a law: a module by its name, or what `register` was given."""
    return REGISTERED[law] if law in REGISTERED else importlib.import_module(law)


def register(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Keep a user's functions and return a name for them that changes with anything they say."""
    digest = hashlib.sha256()
    for name, function in functions.items():
        digest.update(name.encode())
        describe(function, digest, {})
    name = f"own-{digest.hexdigest()[:20]}"
    REGISTERED[name] = SimpleNamespace(**{each: with_compiled_helpers(function) for each, function in functions.items()})
    return name


def with_compiled_helpers(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function in a module of ours, with the plain Python functions it calls by name compiled as well.

    Numba's cache looks for the module of a function when it loads machine code in another process; the user's may not be
    found there (a notebook, a script, a renamed file).
    """
    if not isinstance(function, FunctionType):
        return function
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    helpers = {name: each for name, each in named.items() if isinstance(each, FunctionType) and each is not function}
    compiled = {name: law_function(with_compiled_helpers(each)) for name, each in helpers.items()}
    world = {**function.__globals__, **compiled, "__name__": __name__}
    same = FunctionType(function.__code__, world, function.__name__, function.__defaults__, function.__closure__)
    same.__module__ = __name__
    return same


class Binding(NamedTuple):
    """What distinguishes the kernels of one scene from those of another; see `clast.dynamics.kernels`."""

    family: str  # module of the passes of a family of bodies
    law: str
    law_width: int  # parameters of the law itself
    meet: str = "meet"
    kinds: int = 1
    history: bool = True
    extra: bool = False
    rolling: bool = False
    cohesive: bool = False
    damped: bool = True
    angle: bool = False
    seams: bool = False
    cell: int = 0
    gear: int = 0
    bonds: bool = False

    def lines(self) -> str:
        """The lines between the marks of the template."""
        numbers = ", ".join(f"table[at + {k}]" for k in range(self.law_width))
        return (
            f'FAMILY = "{self.family}"\nLAW = "{self.law}"\nMEET = "{self.meet}"\n'
            f"KINDS = {self.kinds}\nHISTORY = {int(self.history)}\n"
            f"EXTRA = {int(self.extra)}\nROLLING = {int(self.rolling)}\nCOHESIVE = {int(self.cohesive)}\n"
            f"DAMPED = {int(self.damped)}\nANGLE = {int(self.angle)}\nSEAMS = {int(self.seams)}\nCELL = {self.cell}\n"
            f"GEAR = {self.gear}\nBONDS = {int(self.bonds)}\nLAW_WIDTH = {self.law_width}\n\n\n"
            f"def read_row(table, at):\n    return ({numbers},)\n\n\n"
        )


@cache
def kernels(binding: Binding) -> ModuleType:
    """The kernels with a law bound to them."""
    template = path_of(TEMPLATE)
    assert template is not None
    head, rest = read(template).text.split(BEGIN)
    _, tail = rest.split(END)
    name = f"clast_kernels_{key(binding.lines(), binding.family, binding.law)}"
    return load(name, plain(head + binding.lines() + tail))


def load(name: str, text: str) -> ModuleType:
    """A module of a text. Its copy in the cache folder is for numba and for the eye: what runs is the text itself."""
    path = cache_folder() / f"{name}.py"
    if not is_private_file(path):
        with written_whole(path) as file:
            file.write(text.encode())
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    keep_machine_code(module)
    return module


def is_compiled(module: ModuleType) -> bool:
    """Whether the machine code of these kernels is already on disk (a guess from the files, for an announcement)."""
    name = module.__name__
    return any(Path(module.__file__ or "").parent.glob(f"{name}.advance-*.nbi"))
