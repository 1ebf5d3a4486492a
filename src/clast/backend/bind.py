"""Kernels for a law: one generated module each, named by what it depends on, compiled once and kept on disk.

Numba's own cache looks only at the file a kernel stands in, so a kernel would go on using an old law after the law's
file was edited. Here the name of the generated module carries a hash of every source that is compiled, of the bound
names and of the versions: an edit gives a new name, and an old result can never be taken for a new one.
"""

import ast
import hashlib
import importlib
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.device import law_function

PACKAGE = Path(__file__).resolve().parent.parent
PLANE, SPACE, SHARP = "clast.dynamics.kernels", "clast.dynamics.space.kernels", "clast.dynamics.sharp.kernels"  # templates
REGISTERED: dict[str, SimpleNamespace] = {}  # users' laws of this process, by name
BEGIN, END = "# --- bound ---\n", "# --- end of bound ---\n"


def cache_folder() -> Path:
    """Where generated modules live: CLAST_CACHE_DIR, or the user's cache folder, or a temporary one if that is read-only."""
    if chosen := os.environ.get("CLAST_CACHE_DIR"):
        folder = Path(chosen)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "clast"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "clast"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clast"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        folder = Path(tempfile.gettempdir()) / "clast-cache"
        folder.mkdir(exist_ok=True)
    return folder


def path_of(module: str) -> Path | None:
    """File of a module of this package, or None."""
    parts = module.split(".")
    if parts[0] != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*parts[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported(path: Path) -> set[str]:
    """Modules of this package that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return {name for name in names if path_of(name) is not None}


@cache
def sources(*modules: str) -> list[Path]:
    """Every file whose text can end up in compiled code: all that these modules import, and what those import."""
    waiting = list(modules)
    found: list[Path] = []
    while waiting:
        name = waiting.pop()
        path = path_of(name)
        if path is None or path in found:
            continue
        found.append(path)
        waiting += sorted(imported(path))
    return sorted(found)


def key(bound: str, template: str = PLANE, law: str = "") -> str:
    """Hash of all that the compiled code depends on. Without a law: on any of them."""
    digest = hashlib.sha256(f"{template}\n{bound}".encode())
    for path in sources(template, law or "clast.laws"):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    for name in ("numba", "llvmlite", "numpy"):
        digest.update(f"{name} {version(name)}".encode())
    digest.update(f"{platform.python_version()} {platform.machine()}".encode())
    return digest.hexdigest()[:20]


def write_once(path: Path, text: str) -> None:
    """Write a file that other processes may be writing too: whole under another name, then renamed."""
    if path.exists():
        return
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    Path(name).replace(path)


def functions_of(law: str) -> ModuleType | SimpleNamespace:
    """The functions of a law: a module by its name, or what `register` was given."""
    return REGISTERED[law] if law in REGISTERED else importlib.import_module(law)


def register(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Keep a user's functions and return a name for them that changes with anything they say."""
    digest = hashlib.sha256()
    for name, function in functions.items():
        digest.update(name.encode())
        describe(function, digest, set())
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


def describe(function: Callable[..., Any], digest: Any, seen: set[int]) -> None:
    """Add to a hash what a function does: its code, the values it names, and the functions it calls, all the way down."""
    function = getattr(function, "py_func", function)
    if id(function) in seen or not hasattr(function, "__code__"):
        return
    seen.add(id(function))
    names = describe_code(function.__code__, digest)
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    values += [function.__globals__[name] for name in names if name in function.__globals__]
    values += [
        function.__defaults__,
        *(getattr(each, name, None) for each in values if isinstance(each, ModuleType) for name in names),
    ]
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
        elif isinstance(value, int | float | str | tuple | np.generic):
            digest.update(repr(value).encode())
        elif callable(value):
            describe(value, digest, seen)


def describe_code(code: CodeType, digest: Any) -> list[str]:
    """Add code and constants to a hash, nested functions too; returns the names it uses."""
    names = list(code.co_names)
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += describe_code(constant, digest)
        else:
            digest.update(repr(constant).encode())
    return names


class Binding(NamedTuple):
    """What distinguishes the kernels of one scene from those of another; see `clast.dynamics.kernels`."""

    law: str
    own: int  # parameters of the law itself
    meet: str = "meet"
    history: bool = True
    sized: bool = False
    extra: bool = False
    rolling: bool = False
    cohesive: bool = False
    cell: bool = False
    gear: int = 0
    template: str = PLANE

    def lines(self) -> str:
        """The lines between the marks of the template."""
        numbers = ", ".join(f"table[row, {k}]" for k in range(self.own))
        flat = ", ".join(f"table[at + {k}]" for k in range(self.own))
        return (
            f'LAW = "{self.law}"\nMEET = "{self.meet}"\nHISTORY = {int(self.history)}\nSIZED = {int(self.sized)}\n'
            f"EXTRA = {int(self.extra)}\nROLLING = {int(self.rolling)}\nCOHESIVE = {int(self.cohesive)}\n"
            f"CELL = {int(self.cell)}\nGEAR = {self.gear}\n"
            f"OWN = {self.own}\n\n\ndef unpack(table, row):\n    return ({numbers},)\n\n\n"
            f"def read_row(table, at):\n    return ({flat},)\n\n\n"
        )


@cache
def kernels(binding: Binding) -> ModuleType:
    """The kernels with a law bound to them."""
    template = path_of(binding.template)
    assert template is not None
    text = template.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    name = f"clast_kernels_{key(binding.lines(), binding.template, binding.law)}"
    path = cache_folder() / f"{name}.py"
    write_once(path, head + BEGIN + binding.lines() + END + tail)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_compiled(module: ModuleType, parallel: bool = False) -> bool:
    """Whether the machine code of these kernels is already on disk (a guess from the files, for an announcement)."""
    name = module.__name__
    folder = Path(module.__file__ or "").parent / "__pycache__"
    return any(folder.glob(f"{name}.{'advance_parallel' if parallel else 'advance'}-*.nbi"))
