"""What sources and functions do, as hashes: whatever cannot change compiled code does not change them.

A source counts by its syntax tree, without the docstrings: comments, blank lines and the width of a line are not in it, and
line numbers are left out. Compiled code raises nothing, which is the only thing for which it would keep a line number. Code
that is never compiled stays in: to tell it apart would be one more thing to get wrong. A user's function counts by its
instructions and by the values it names, since its source may be out of reach.
"""

import ast
import dis
import hashlib
import inspect
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

PACKAGE = Path(__file__).resolve().parent.parent
STARTED = time.time()
PLAIN = (int, float, complex, str, bytes, slice, np.generic, type(None), type(...))  # values that print what they are
CALL = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR  # flags of code that its instructions leave open


class Source(NamedTuple):
    """A file as it was when it was first read."""

    text: str
    meaning: bytes  # hash of the syntax tree
    imports: frozenset[str]  # modules of this package, imported anywhere in it


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


def tree_of(text: str) -> ast.Module:
    """Syntax tree without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body = [ast.Pass()]
    return tree


def plain(text: str) -> str:
    """The same program, written in the one way that all programs of its meaning share."""
    return ast.unparse(tree_of(text)) + "\n"


def imported(tree: ast.Module) -> frozenset[str]:
    """Modules of this package that a source imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return frozenset(name for name in names if path_of(name) is not None)


@cache
def read(path: Path) -> Source:
    """A file, read once in a process.

    Nobody knows whether a file that was written after the process began was imported before that or after. Its meaning is then
    a number drawn at random: its kernels serve this process, and are never taken for those of either text.
    """
    text = path.read_text(encoding="utf-8")
    tree = tree_of(text)
    digest = hashlib.sha256(ast.dump(tree).encode())
    if path.stat().st_mtime > STARTED:
        digest.update(os.urandom(16))
    return Source(text, digest.digest(), imported(tree))


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
        waiting += sorted(read(path).imports)
    return sorted(found)


def describe(function: Callable[..., Any], digest: Any, seen: dict[int, int]) -> None:
    """Add to a hash what a function does: its code, the values it names, and the functions it calls, all the way down.

    seen   functions met before, by their identity, with their numbers
    """
    function = getattr(function, "py_func", function)
    if not hasattr(function, "__code__"):
        return
    known = id(function) in seen
    digest.update(f"function {seen.setdefault(id(function), len(seen))}\n".encode())
    if known:
        return
    names = describe_code(function.__code__, digest)
    world = function.__globals__
    values = [(name, world[name]) for name in names if name in world]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    values += zip(function.__code__.co_freevars, cells, strict=True)
    modules = [(where, each) for where, each in values if isinstance(each, ModuleType)]
    values += [(f"{where}.{name}", getattr(each, name)) for where, each in modules for name in names if hasattr(each, name)]
    values += [("defaults", function.__defaults__), ("by name", tuple(sorted((function.__kwdefaults__ or {}).items())))]
    for name, value in values:
        digest.update(f"{name} = ".encode())
        describe_value(value, digest, seen)


def describe_value(value: Any, digest: Any, seen: dict[int, int]) -> None:
    """Add to a hash a value that code names. What numba takes no values from adds nothing."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype} {value.shape} ".encode() + value.tobytes())
    elif isinstance(value, tuple):
        digest.update(f"{type(value).__name__} of {len(value)}: ".encode())
        for each in value:
            describe_value(each, digest, seen)
    elif isinstance(value, frozenset):  # its order changes from process to process
        describe_value(tuple(sorted(map(repr, value))), digest, seen)
    elif isinstance(value, PLAIN):
        digest.update(f"{type(value).__name__} {value!r}\n".encode())
    elif callable(value):
        describe(value, digest, seen)


def describe_code(code: CodeType, digest: Any) -> list[str]:
    """Add instructions and the constants they load to a hash, nested functions too; returns the names they use.

    A docstring is a constant as well, but one that no instruction loads.
    """
    names = list(code.co_names)
    taken = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & CALL
    digest.update(repr((code.co_names, code.co_varnames, taken)).encode() + code.co_exceptiontable)
    for each in dis.get_instructions(code):
        if each.opcode not in dis.hasconst:
            digest.update(f"{each.opcode} {each.arg}\n".encode())
        elif isinstance(each.argval, CodeType):
            digest.update(f"{each.opcode} code\n".encode())
            names += describe_code(each.argval, digest)
        else:
            digest.update(f"{each.opcode} ".encode())
            describe_value(each.argval, digest, {})
    return names
