"""Experiments outside this package: in a file of the user's, or of another installed package (entry points)."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from clast.errors import ClastError, InputError

if TYPE_CHECKING:
    from clast.experiments.experiment import Entry

GROUP = "clast.experiments"  # of entry points: name = "module:EXPERIMENT"
SUFFIX = ".py"


def is_own_file(what: str) -> bool:
    """Whether this is the file of an experiment, and no name of one."""
    return what.lower().endswith(SUFFIX)


def from_file(path: Path) -> Entry:
    """The experiment in a file, which is run as any script is; InputError where there is none, or the file fails."""
    if not path.is_file():
        raise InputError(f"there is no file {path}: give the file of an experiment, or a name (clast list shows them)")
    name = module_of(path)
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None  # of a file that ends in .py
        module = sys.modules[name] = module_from_spec(spec)  # there already: dataclasses and pydantic look for it
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[name]
            if isinstance(error, ClastError):
                raise
            raise InputError(f"{path} fails{line_of(error, path)}: {type(error).__name__}: {error}") from error
    return checked(getattr(sys.modules[name], "EXPERIMENT", None), str(path))


def module_of(path: Path) -> str:
    """The name under which a file is loaded: another one where it is another file, or has changed."""
    return f"clast_own_{hashlib.sha256(str(path.resolve()).encode() + path.read_bytes()).hexdigest()[:16]}"


def is_loaded(path: Path) -> bool:
    """Whether somebody has had this file run already: who only reads runs and tables never does."""
    return path.is_file() and module_of(path) in sys.modules


def line_of(error: BaseException, path: Path) -> str:
    """ " at line n" of a file where an error came from."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == path.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" at line {line}"


def installed() -> dict[str, EntryPoint]:
    """Experiments of other packages, by name, not loaded yet."""
    return {point.name: point for point in entry_points(group=GROUP)}


def from_package(point: EntryPoint) -> Entry:
    """The experiment of another package; InputError where there is none under this entry point."""
    try:
        found = point.load()
    except Exception as error:
        raise InputError(f"the experiment {point.name} ({point.value}) fails: {type(error).__name__}: {error}") from error
    experiment = checked(found, point.value)
    if experiment.name != point.name:
        raise InputError(f"{point.value} has the name '{experiment.name}', and its entry point is called '{point.name}'")
    return experiment


def checked(found: object, where: str) -> Entry:
    """What was found, if it is an experiment."""
    from clast.experiments.experiment import Experiment, Study

    if not isinstance(found, Experiment | Study):
        raise InputError(f"{where} must define EXPERIMENT, an Experiment(…) or a Study(…): see docs/your-own-experiment.md")
    return found
