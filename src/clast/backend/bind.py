"""Kernels for a law: one generated module each, named by what it depends on, compiled once and kept on disk.

Numba's own cache looks only at the file a kernel stands in, so a kernel would go on using an old law after the law's
file was edited. Here the name of the generated module carries a hash of every source that is compiled, of the bound
names and of the versions: an edit gives a new name, and an old result can never be taken for a new one.
"""

import hashlib
import importlib.util
import os
import platform
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED = ("backend", "contact", "laws", "neighbours", "dynamics")  # packages with compiled code
TEMPLATE = PACKAGE / "dynamics" / "kernels.py"
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


def sources() -> list[Path]:
    """Every file whose text can end up in compiled code."""
    return sorted(path for package in COMPILED for path in (PACKAGE / package).rglob("*.py"))


def key(bound: str) -> str:
    """Hash of all that the compiled code depends on."""
    digest = hashlib.sha256(bound.encode())
    for path in sources():
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


@cache
def kernels(law: str, force: str, history: bool, meet: str = "meet") -> ModuleType:
    """The kernels with a law bound: `law` names its module, `force` the function in it, `meet` the way of counting."""
    bound = f'LAW = "{law}"\nFORCE = "{force}"\nMEET = "{meet}"\nHISTORY = {history}\n'
    text = TEMPLATE.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    name = f"clast_kernels_{key(bound)}"
    path = cache_folder() / f"{name}.py"
    write_once(path, head + BEGIN + bound + END + tail)
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
