"""What a user imports: all of it is there after `import clast`, says what it is, and says what a mistake gets."""

import inspect
import re
import subprocess
import sys
import types
from functools import cached_property
from importlib import import_module
from typing import get_type_hints

import pytest

import clast
import clast.errors
from clast.moved import MOVED

MODULES = ("errors", "laws", "measures", "packing", "shapes")
READ_ONLY = {"Run", "Frame", "Snapshot", "Measure", "Progress", "quiet"}  # nobody can give them anything wrong


def words_of(thing, name):
    """Docstring of a public thing; nothing where it is only what Python writes for a dataclass or takes from a parent."""
    words = inspect.cleandoc(vars(thing).get("__doc__") or "") if isinstance(thing, type) else inspect.getdoc(thing) or ""
    return "" if words.startswith(f"{name}(") else words


def silent(thing, name):
    """Names of what has no docstring: the thing itself, and of a class its public methods and properties."""
    found = [] if words_of(thing, name) else [name]
    if isinstance(thing, type):
        for each, value in vars(thing).items():
            method = isinstance(value, types.FunctionType | classmethod | staticmethod | property | cached_property)
            if method and not each.startswith("_") and not value.__doc__:
                found.append(f"{name}.{each}")
    return found


def public_of(module):
    """Names a module offers."""
    return list(module.__all__) if hasattr(module, "__all__") else [name for name in vars(module) if not name.startswith("_")]


EVERYTHING = {name: getattr(clast, name) for name in clast.__all__ if name not in MODULES}
INSIDE = {f"{each}.{name}": getattr(getattr(clast, each), name) for each in MODULES for name in public_of(getattr(clast, each))}


@pytest.mark.parametrize("name", [*EVERYTHING, *INSIDE])
def test_every_public_name_has_a_docstring(name):
    assert silent({**EVERYTHING, **INSIDE}[name], name.split(".")[-1]) == []


@pytest.mark.parametrize("name", [name for name in EVERYTHING if name not in READ_ONLY])
def test_a_docstring_says_what_bad_input_gets(name):
    thing = EVERYTHING[name]
    parents = [each for each in getattr(thing, "__mro__", [thing]) if each.__module__.startswith("clast")]
    named = {word for each in parents for word in re.findall(r"\b[A-Z]\w+Error\b", each.__doc__ or "")}
    assert named and named <= set(public_of(clast.errors)), named


def test_the_check_sees_what_it_should():
    class Told:
        """It is told."""

        def method(self):
            """So is this."""

        @property
        def value(self):
            """And this."""

    class Untold:
        def method(self): ...

        @property
        def value(self): ...

        @classmethod
        def made(cls): ...

    class Child(Told): ...

    assert silent(Told, "Told") == []
    assert silent(Untold, "Untold") == ["Untold", "Untold.method", "Untold.value", "Untold.made"]
    assert silent(Child, "Child") == ["Child"]


def test_all_of_it_is_listed_and_nothing_twice():
    assert len(set(clast.__all__)) == len(clast.__all__)
    assert {*clast.__all__, "__version__"} <= set(dir(clast))
    for each in MODULES:
        assert set(public_of(getattr(clast, each))) <= set(dir(getattr(clast, each)))
    assert {"Run", "Frame", "Snapshot", "Measure", "Linear", "OverlapEnergy", "open", *MODULES} <= set(clast.__all__)


def test_what_runs_give_back_is_what_the_names_mean():
    assert get_type_hints(clast.run)["return"] is clast.Run
    assert get_type_hints(clast.Engine.snapshot)["return"] is clast.Snapshot
    assert issubclass(clast.measures.Stress, clast.Measure)


def test_misspelt_names_are_refused():
    for module in (clast, *(getattr(clast, each) for each in MODULES)):
        with pytest.raises(AttributeError, match="Sceen"):
            _ = module.Sceen
        assert not hasattr(module, "__wrapped__")


def in_a_fresh_process(source):
    """What a fresh Python prints."""
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("path", ["laws.Linear", "measures.Stress", "packing.voronoi_packing", "shapes.disk"])
def test_modules_are_reached_after_import_clast_alone(path):
    assert in_a_fresh_process(f"import clast; print(clast.{path}.__name__)") == path.split(".")[1]


def test_import_loads_nothing_but_itself():
    loaded = in_a_fresh_process("import sys, clast; print(sorted(m for m in sys.modules if m.split('.')[0] == 'clast'))")
    assert loaded == "['clast', 'clast.moved']"
    heavy = "print([m for m in ('numba', 'numpy', 'scipy', 'shapely', 'h5py', 'matplotlib', 'pydantic') if m in sys.modules])"
    assert in_a_fresh_process(f"import sys, clast; {heavy}") == "[]"
    assert in_a_fresh_process(f"import sys, clast; clast.laws, clast.measures, clast.packing; {heavy}") == "[]"


def test_from_clast_import_everything():
    said = in_a_fresh_process("from clast import *; print(Linear.__name__, HertzMindlin.__name__, Run.__name__, laws.__name__)")
    assert said == "Linear HertzMindlin Run clast.laws"


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("old", MOVED)
def test_modules_that_have_moved_are_found_by_their_old_names(old):
    new = import_module(MOVED[old])
    old_names = vars(import_module(old))
    assert {name: old_names[name] for name in vars(new) if not name.startswith("__")} == {
        name: each for name, each in vars(new).items() if not name.startswith("__")
    }


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_what_was_renamed_is_there_by_its_old_name():
    new = import_module("clast.protocols.walls")
    assert import_module("clast.protocols.cell").add_cell is new.add_walls
    assert not hasattr(new, "add_cell")


def test_an_old_name_warns_and_an_unknown_one_is_not_found():
    sys.modules.pop("clast.scene.scene", None)
    with pytest.warns(FutureWarning, match=r"clast\.scene\.scene is now clast\.scene\.plane; the old name goes"):
        import_module("clast.scene.scene")
    with pytest.raises(ModuleNotFoundError):
        import_module("clast.preparation.nothing")
