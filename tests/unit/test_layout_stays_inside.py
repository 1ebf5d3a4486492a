"""Rows and columns of the engine's tables stay inside `dynamics` and `neighbours`: all others read and set by name.

The check reads sources: the package, benchmarks, examples, Python on pages of the documentation, and tests but for those of the
tables themselves.
"""

import ast
import re
from pathlib import Path

import pytest

import clast
from clast.dynamics.arrays import Model, SpaceState, State

PACKAGE = Path(clast.__file__).parent
ROOT = Path(__file__).parents[2]
PUBLIC = {
    "bodies.arrival": {"hold_back", "let_in"},
    "bodies.removal": {"may_remove"},
    "engine": {"Engine", "Snapshot", "kernels_of"},
    "follow": {"follow", "leave", "set_velocities_now"},
    "gpu": {"devices"},
    "gpu.devices": {"AUTO", "CPU", "DEVICES", "GPU", "check_device", "choose_device"},
    "limits": {"limits_of"},
    "named": {"Cell"},
    "named_contacts": {"ContactTable"},
    "named_bonds": {"BondsNow"},
    "bodies.rows": {"levels_of"},
    "runner": {"Every", "Output", "run_stretches"},
    "snapshot": {"Snapshot"},
    "timestep": {"FRACTION"},
}  # what others may import of clast.dynamics
STATE = {*State._fields, *SpaceState._fields}
CONSTANTS = {name for name in Model._fields if "inverse" in name}
OF_ENGINE = {"state", "model", "tags", "roles", "order", "geometry", "kernels", "family", "contact_table", "whole_roles"}
OF_SNAPSHOT = {"state", "before", "after", "integers", "floats", "model", "tags", "family", "rows"}
MAY_BE_CALLED = {"_rebuild"}  # it is timed
# tests of bits, of tables, and of what the engine makes of them
OF_TABLES = {
    "parity/test_reordered_bits", "parity/test_space_bits", "physics/test_bonds",
    "physics/test_gear", "physics/test_moving_cell", "physics/test_scaling", "physics/test_sharp_drum",
    "physics/test_space_balls", "physics/test_space_plane", "physics/test_tag_bits",
    "tools/devices_changed", "tools/grid_trials", "tools/same_bits", "tools/same_scenes", "tools/space_tops",
    "unit/backend/test_cache", "unit/backend/test_lines",
    "unit/contact/test_space_contact",
    "unit/dynamics/test_lanes", "unit/dynamics/test_memory", "unit/dynamics/test_named", "unit/dynamics/test_round_bodies",
    "unit/dynamics/test_space_gear", "unit/dynamics/test_space_kicks", "unit/dynamics/test_space_layout",
    "unit/dynamics/test_space_rotation", "unit/dynamics/test_threads",
    "unit/laws/test_overlap_laws",
    "unit/measures/test_measure_faults",
    "unit/neighbours/test_long_skeletons", "unit/neighbours/test_neighbours", "unit/neighbours/test_rebuild",
    "unit/neighbours/test_sharp_lists", "unit/neighbours/test_sheared_lists", "unit/neighbours/test_space_lists",
    "unit/scene/test_scene",
    "unit/scene_files/test_scene_file",
    "unit/test_layout_stays_inside",
}  # fmt: skip
OLD_VERSIONS = {"benchmarks/duel.py"}  # runs versions in which rows and columns had no names

FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Seen(ast.NodeVisitor):
    """Which names of a source stand for engines, snapshots, their states and checkpoints, as far as it shows."""

    def __init__(self, tree: ast.AST) -> None:
        self.names = {"engine": "engine", "snapshot": "snapshot", "snap": "snapshot"}
        self.makers = {
            node.name: kind
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and (kind := self.kind_of_note(node.returns))
        }
        for _ in range(2):  # a name may be given on from another
            self.visit(tree)

    @staticmethod
    def kind_of_note(note: ast.expr | None) -> str | None:
        """What an annotation says."""
        words = "" if note is None else ast.unparse(note).strip("'\"")
        found = re.fullmatch(r"(?:\w+\.)*(Engine|Snapshot)(?: \| None)?", words)
        return found[1].lower() if found else None

    def kind(self, node: ast.AST) -> str | None:
        """What an expression stands for."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            return node.attr if node.attr in ("engine", "snapshot", "state") else None
        if isinstance(node, ast.Subscript):
            return "tables" if self.kind(node.value) == "checkpoint" and ast.unparse(node.slice) == "0" else None
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            if called.endswith("Engine"):
                return "engine"
            return called if called in ("snapshot", "checkpoint") else self.makers.get(called)
        if isinstance(node, ast.NamedExpr):
            return self.kind(node.value)
        return None

    def note(self, target: ast.AST, kind: str | None) -> None:
        if kind and isinstance(target, ast.Name):
            self.names[target.id] = kind

    def visit_arg(self, node: ast.arg) -> None:
        if kind := self.kind_of_note(node.annotation):
            self.names[node.arg] = kind

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.note(node.target, self.kind_of_note(node.annotation))
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.note(node.target, self.kind(node.value))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.note(target, self.kind(node.value))
            if isinstance(target, ast.Tuple):
                many = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(target.elts)
                if self.kind(node.value) == "checkpoint":  # tables and single numbers
                    self.note(target.elts[0], "tables")
                for each, value in zip(target.elts, many, strict=False):
                    made = value.elt if isinstance(value, ast.GeneratorExp | ast.ListComp) else value
                    self.note(each, self.kind(made) if made is not node.value else None)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.loop(node.target, node.iter)
        self.generic_visit(node)

    def loop(self, target: ast.AST, over: ast.AST) -> None:
        """`for each in (one, other)` of engines."""
        if isinstance(over, ast.Tuple | ast.List) and over.elts:
            kinds = {self.kind(each) for each in over.elts}
            self.note(target, kinds.pop() if len(kinds) == 1 else None)


def imported(node: ast.AST) -> list[str]:
    """What a statement imports of the dynamics that is not public."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name.startswith("clast.dynamics")]
    if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("clast.dynamics"):
        return []
    module = (node.module or "").removeprefix("clast.dynamics").removeprefix(".")
    return [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in PUBLIC.get(module, ())]


def is_name_of_table(index: ast.expr) -> bool:
    """Whether an index is the name of a table of the state."""
    return isinstance(index, ast.Constant) and index.value in STATE


def leaks(source: str) -> list[str]:
    """Where a source reaches into the tables, by line."""
    tree = ast.parse(source)
    seen, called = Seen(tree), {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        for name in imported(node):
            found.append((node.lineno, f"import of {name}"))
        of_tree = isinstance(node, ast.Subscript) and ast.unparse(node.value) == "node.body"  # of a syntax tree
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "body"
            and not of_tree
        ):
            found.append((node.lineno, f"columns by number: {ast.unparse(node)}"))
        if isinstance(node, ast.Subscript) and seen.kind(node.value) == "tables" and is_name_of_table(node.slice):
            found.append((node.lineno, f"a table of a checkpoint: {ast.unparse(node)}"))
        if not isinstance(node, ast.Attribute):
            continue
        kind, name = seen.kind(node.value), node.attr
        inside = {"engine": OF_ENGINE, "snapshot": OF_SNAPSHOT, "state": STATE}.get(kind or "", set())
        private = (
            kind in ("engine", "snapshot") and name.startswith("_") and not name.startswith("__") and name not in MAY_BE_CALLED
        )
        raw = name in ("integers", "floats") and id(node) not in called  # those of random generators are called
        if name in inside or private or raw or name in CONSTANTS or name == "TABLE":
            found.append((node.lineno, ast.unparse(node)))
    return [f"{line}: {what}" for line, what in sorted(set(found))]


def named_as(path: Path) -> str:
    """A file of tests by its name: unit/dynamics/test_named."""
    return path.relative_to(ROOT / "tests").with_suffix("").as_posix()


def sources() -> dict[str, str]:
    """All that is checked, by name."""
    modules = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ("dynamics", "neighbours")]
    tests = [path for path in (ROOT / "tests").rglob("*.py") if named_as(path) not in OF_TABLES]
    scripts = [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py"), *tests]
    found = {str(path.relative_to(PACKAGE.parent)): path.read_text(encoding="utf-8") for path in modules}
    found |= {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in scripts}
    found = {name: text for name, text in found.items() if name not in OLD_VERSIONS}
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(FENCE.finditer(text)):
            found[f"{page.relative_to(ROOT)}, block {number}"] = block[1]
    return found


SOURCES = sources()


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_nobody_outside_counts_rows_and_columns(name):
    assert leaks(SOURCES[name]) == []


def test_only_tests_that_need_it_look_inside():
    needless = [name for name in OF_TABLES if not leaks((ROOT / "tests" / f"{name}.py").read_text(encoding="utf-8"))]
    assert needless == []


@pytest.mark.parametrize(
    "bad",
    [
        "from clast.dynamics.space.columns import SPIN",
        "from clast.dynamics.contacts.table import DEPTH, REACH",
        "from clast.dynamics.contacts import table as plane",
        "import clast.dynamics.contacts.table",
        "from clast.dynamics.family import family_of",
        "def f():\n    from clast.dynamics.plane.layout import lay_out",
        "found = engine.state.body[0, 5]",
        "found = engine.snapshot().state.body[0]",
        "def f(run: Engine):\n    return run.order",
        "st = e.state\nx = st.body\nx[0, 5]",
        "def f(e):\n    return e.checkpoint()[0]['body'][:, 4]",
        "arrays, numbers = e.checkpoint()\nb = arrays['body']\nb[:, 4]",
        "kept = e.checkpoint()\nkept[0]['mid_step']",
        "closed = Engine(scene)\nclosed.state",
        "def made() -> Engine: ...\nit = made()\nrows = it._lists",
        "one, other = Engine(a), Engine(b)\nother.tags",
        "def take(self, engine, shot: 'Snapshot'):\n    return shot.before",
        "def f(state):\n    return state.body[:, 4]",
        "seen = engine.snapshot()\nseen.floats[:, 0]",
        "depth = whatever.floats[:, 0]",
        "def f(model):\n    return 1.0 / model.inverse_mass",
        "for each in (engine, engine):\n    each.family",
        "class A:\n    def f(self):\n        return self.engine.kernels.CELL",
        "columns = engine.family.TABLE",
    ],
)
def test_the_check_sees_what_it_should(bad):
    assert leaks(bad) != []


@pytest.mark.parametrize(
    "good",
    [
        "from clast.dynamics.engine import Engine, Snapshot\nfrom clast.dynamics.runner import Every",
        "rng.integers(0, 9, 5)\nst.floats(0.0, 1.0)",
        "p.state == 'dense'\nprogress.state",
        "engine.advance(engine.step + engine.free)\nengine._rebuild()",
        "engine.snapshot().positions[0, 1]\nengine.snapshot().contacts.depths",
        "scene.bodies[3].position\nscene.tags",
        "arrays, numbers = e.checkpoint()\nlen(arrays['spring'])\narrays[name]\nnumbers['step']",
        "state = progress.state\nstate.upper()",
        "for node in ast.walk(tree):\n    del node.body[0]",
    ],
)
def test_the_check_leaves_alone_what_is_fine(good):
    assert leaks(good) == []
