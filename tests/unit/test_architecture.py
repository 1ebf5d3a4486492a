"""The house rules a machine can check: imports run one way, numba stays in the backend, no drawers for odds and ends."""

import ast
from pathlib import Path

import pytest

import clast

ROOT = Path(clast.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
ALWAYS = {"errors", "found", "keys"}  # they import no layer, and may be imported by all
ALLOWED = {
    **{name: set() for name in (*ALWAYS, "moved")},
    "backend": set(),
    "algebra": {"backend"},
    "shapes": {"backend", "algebra"},
    "laws": {"backend", "algebra"},
    "contact": {"backend", "algebra", "shapes", "laws"},
    "packing": {"backend", "algebra", "shapes", "laws", "contact"},
    "scene": {"backend", "algebra", "shapes", "laws", "contact"},
}
ORDER = [
    "neighbours", "dynamics", "measures", "laboratory", "output", "protocols", "element_tests", "scene_files", "bench",
    "experiments", "sweeps", "report", "cli",
]  # fmt: skip
for level, name in enumerate(ORDER):
    ALLOWED[name] = {"backend", "algebra", "shapes", "laws", "contact", "packing", "scene", *ORDER[:level]}


def layer_of(path: Path) -> str:
    """backend, shapes … or the name of a module at the top."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imports(source: str) -> set[str]:
    """Every module a source imports, at the top or inside a function, and by importlib with a fixed name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func) and node.args:
            found |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
    return found


def faults(path: Path, source: str) -> list[str]:
    """What is wrong with the imports of one module."""
    layer = layer_of(path)
    wrong = []
    layers = {p.relative_to(ROOT).with_suffix("").parts[0] for p in MODULES} | set(ALLOWED)
    for name in sorted(imports(source)):
        head, *rest = name.split(".")
        if head in ("numba", "llvmlite") and layer != "backend":
            wrong.append(f"{path}: imports {name}; only the backend may")
        if head == "clast" and rest and rest[0] in layers and layer != "__init__":
            target = rest[0]
            if target != layer and target not in ALLOWED[layer] | ALWAYS:
                wrong.append(f"{path}: {layer} may not import {target}")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_run_one_way(path):
    layer = layer_of(path)
    assert layer in ALLOWED or layer in ("__init__", "__main__"), (
        f"{layer}: a new room has to be given its place here and in docs/architecture.md"
    )
    assert faults(path, path.read_text()) == []


def test_the_check_sees_what_it_should():
    inside = ROOT / "dynamics" / "step.py"
    assert faults(inside, "from clast.scene.plane import Scene\nimport numpy\nfrom clast.errors import SceneError") == []
    for bad in (
        "import numba",
        "from numba import njit",
        "def f():\n    from clast.output.store.writer import Store",
        "import clast.measures.book",
        "from clast import measures",
        "import importlib\nimportlib.import_module('clast.cli')",
    ):
        assert len(faults(inside, bad)) >= 1, bad
    assert faults(ROOT / "backend" / "device.py", "import numba") == []
    assert faults(ROOT / "laws" / "linear.py", "from clast.algebra.plane import dot") == []
    assert len(faults(ROOT / "algebra" / "plane.py", "from clast.laws.law import Contact")) >= 1
    assert len(faults(ROOT / "backend" / "team.py", "from clast.algebra.plane import dot")) >= 1


def test_scene_and_packing_do_not_know_each_other():
    assert "packing" not in ALLOWED["scene"]
    assert "scene" not in ALLOWED["packing"]


def test_no_drawer_for_odds_and_ends():
    banned = {"utils", "util", "common", "base", "helpers", "helper", "manager", "misc"}
    found = [p for p in MODULES if {p.stem, *p.relative_to(ROOT).parts[:-1]} & banned]
    assert found == []


def test_no_long_file():
    long = {str(p.relative_to(ROOT)): n for p in MODULES if (n := len(p.read_text().splitlines())) > 500}
    assert long == {}


def test_every_module_says_what_it_is():
    empty = [
        str(p.relative_to(ROOT)) for p in MODULES if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))
    ]
    assert empty == []


def test_tests_mirror_the_rooms():
    """Each room has a folder below tests/unit, apart from those whose tests run a scene or an experiment."""
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    folders = {path.parent.name for path in Path(__file__).parent.glob("*/test_*.py")}
    elsewhere = {"experiments": "../experiments/test_cow_gas.py", "protocols": "../physics/test_preparation.py"}
    assert folders == rooms - set(elsewhere)
    assert all((Path(__file__).parent / path).is_file() for path in elsewhere.values())
