"""Kernels are named by what their sources mean: remarks cost nobody a compilation, and any change of code gives another name."""

import ast
import os
from pathlib import Path

import pytest

from clast.backend import bind, meaning
from clast.backend.bind import FAMILIES, PACKAGE, sources
from clast.backend.bind import TEMPLATE as KERNELS
from clast.laws import by_kind

TEMPLATE = """\
\"\"\"What the template is for.\"\"\"

from clast.law import SCALE, elastic


class Pair(tuple):
    \"\"\"Two numbers.\"\"\"


# --- bound ---
# --- end of bound ---


def advance(x: float, steps=3):
    \"\"\"Step.\"\"\"
    for _ in range(steps):
        x = x + elastic(x) * 0.5  # half a kick
    return x


def unused():
    \"\"\"Nothing.\"\"\"
"""
LAW = """\
SCALE = 1.0


def elastic(x):
    return SCALE * x
"""
REMARKS = {
    "a comment": ("# half a kick", "# one half of a kick"),
    "no comment": ("  # half a kick", ""),
    "a longer comment": ("# --- bound ---", "# one line\n# and another\n# --- bound ---"),
    "docstring of the module": ("What the template is for", "What it is not for"),
    "docstring of a class": ("Two numbers", "A pair"),
    "docstring of a function": ("Step.", "Step on.\n\n    And on.\n    "),
    "docstring gone": ('    """Step."""\n', ""),
    "docstring for pass": ('"""Nothing."""', "pass"),
    "docstring new": ("def elastic(x):\n", 'def elastic(x):\n    """Of a spring."""\n'),
    "blank lines": ("    for _", "\n\n    for _"),
    "broken line": ("x + elastic(x) * 0.5", "(\n            x\n            + (elastic(x) * 0.5)\n        )"),
    "remark on the law": ("SCALE = 1.0\n", "SCALE = 1.0  # N/m\n"),
}
CHANGES = {
    "a number": ("* 0.5", "* 0.25"),
    "the kind of a number": ("SCALE = 1.0", "SCALE = 1"),
    "the order of a sum": ("x + elastic(x) * 0.5", "elastic(x) * 0.5 + x"),
    "brackets": ("x + elastic(x) * 0.5", "(x + elastic(x)) * 0.5"),
    "a default": ("steps=3", "steps=4"),
    "a name": ("SCALE, elastic", "elastic, SCALE"),
    "the level of a line": ("    return x\n", "        return x\n"),
    "code of the law": ("return SCALE * x", "return SCALE / x"),
    "an assertion": ("    return x\n", "    assert x\n    return x\n"),
}


class Package:
    """A template and a law, in the place of the package."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.write()

    def write(self, old: str = "", new: str = "") -> None:
        """Both files, with a text that one of them holds replaced."""
        assert not old or (TEMPLATE + LAW).count(old) == 1, old
        for name, text in (("template.py", TEMPLATE), ("law.py", LAW)):
            (self.folder / name).write_text(text.replace(old, new) if old else text)
            os.utime(self.folder / name, (0.0, 0.0))  # before this process

    def key(self) -> str:
        """As a fresh process computes it."""
        meaning.read.cache_clear()
        meaning.sources.cache_clear()
        return bind.key("", "clast.law")


@pytest.fixture
def package(tmp_path, monkeypatch):
    for module in (bind, meaning):
        monkeypatch.setattr(module, "PACKAGE", tmp_path / "clast")
    monkeypatch.setattr(bind, "TEMPLATE", "clast.template")
    yield Package(tmp_path / "clast")
    meaning.read.cache_clear()
    meaning.sources.cache_clear()


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_changes_no_name(package, remark):
    before = package.key()
    package.write(*REMARKS[remark])
    assert package.key() == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_code_changes_the_name(package, change):
    before = package.key()
    package.write(*CHANGES[change])
    assert package.key() != before


@pytest.mark.parametrize("remark", [name for name, (old, _) in REMARKS.items() if old in TEMPLATE])
def test_one_name_has_one_text(remark):
    """Line numbers are in the names of numba's files, so a text that was laid out anew would be compiled anew."""
    old, new = REMARKS[remark]
    assert meaning.plain(TEMPLATE.replace(old, new)) == meaning.plain(TEMPLATE)


@pytest.mark.parametrize("template", [KERNELS, *FAMILIES])
def test_the_text_that_runs_is_the_same_program(template):
    path = meaning.path_of(template)
    assert path is not None
    tree = meaning.tree_of(path.read_text())
    assert ast.dump(ast.parse(meaning.plain(path.read_text()))) == ast.dump(tree)
    bodies = [node.body for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    assert [len(body) for body in bodies if len(body) > 1]  # docstrings are not all there is


def test_a_file_written_after_the_start_is_known_to_nobody(package):
    """It may have been imported before or after it was written: what is compiled now must not be taken for either."""
    before = package.key()
    os.utime(package.folder / "law.py", (meaning.STARTED + 1.0, meaning.STARTED + 1.0))
    keys = {before, package.key(), package.key()}
    assert len(keys) == 3
    assert bind.key("", "clast.law") in keys  # the same all through one process


def test_compiled_code_raises_nothing():
    """It would carry the number of the line, and so remember how the source was laid out."""
    compiling = {"device", "routine", "law_function", "kernel"}
    formulas = {"elastic", "force", "normal_energy", "spring_energy"}
    looked_at = 0
    laws = [law.module for law in by_kind().values()]
    for path in {path for family in FAMILIES for path in sources(KERNELS, family, *laws)}:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and (
                compiling & {ast.unparse(each) for each in node.decorator_list}
                or (path.parent == PACKAGE / "laws" and node.name in formulas)
            ):
                looked_at += 1
                assert not [each for each in ast.walk(node) if isinstance(each, ast.Raise | ast.Assert)], (path, node.name)
    assert looked_at > 100
