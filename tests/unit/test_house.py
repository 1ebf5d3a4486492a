"""Compiled functions stay short and take few things at a time, as far as a machine can count.

Looked at is what stands below one of the decorators that compile, at the top of a module or inside a function that makes it, and
the formulas of laws, which are compiled where they are bound. A formula's own nested functions count as part of it.
"""

import ast
from pathlib import Path
from typing import NamedTuple

import clast

ROOT = Path(clast.__file__).parent
FOLDERS = ("algebra", "backend", "contact", "dynamics", "laws", "neighbours")
COMPILING = {"device", "routine", "kernel", "law_function"}
FORMULAS = {"elastic", "force", "normal_energy", "spring_energy"}
LINES, PARAMETERS, OF_KERNELS = 60, 8, 12
# what is longer, or takes more, today: (lines, parameters) that it may have. Whatever gets better leaves this list
EXCEPTIONS = {
    "contact/sharp/overlap.clip": (60, 18),
    "contact/sharp/overlap.cut_edge": (60, 12),
    "dynamics/bodies/gear.corrected": (60, 9),
    "laws/rolling.rolling_torque": (60, 9),
}


class Compiled(NamedTuple):
    """One compiled function."""

    name: str  # folder/module.function
    lines: int
    parameters: int
    kernel: bool

    @property
    def most(self) -> tuple[int, int]:
        return EXCEPTIONS.get(self.name, (LINES, OF_KERNELS if self.kernel else PARAMETERS))

    @property
    def is_too_big(self) -> bool:
        return self.lines > self.most[0] or self.parameters > self.most[1]


def compiled_in(source: str, module: str, laws: bool = False) -> list[Compiled]:
    """The compiled functions of a source."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        said = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
        if said & COMPILING or (laws and node.name in FORMULAS):
            given = node.args
            count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
            lines = (node.end_lineno or 0) - node.lineno + 1
            found.append(Compiled(f"{module}.{node.name}", lines, count, "kernel" in said))
    return found


def all_compiled() -> list[Compiled]:
    """Those of the package."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = path.relative_to(ROOT).with_suffix("").as_posix()
            found += compiled_in(path.read_text(encoding="utf-8"), module, folder == "laws")
    return found


EVERYTHING = all_compiled()


def test_compiled_functions_are_short_and_take_few_things():
    assert len(EVERYTHING) > 200
    assert {f"{each.name}: {each.lines} lines, {each.parameters} parameters" for each in EVERYTHING if each.is_too_big} == set()


def test_exceptions_are_as_few_as_they_can_be():
    """Who has become shorter, or is gone, is no exception any more."""
    there = {each.name: each for each in EVERYTHING}
    needless = [name for name in EXCEPTIONS if name not in there or not there[name]._replace(name="").is_too_big]
    assert needless == []


def test_the_step_is_one_page():
    assert len((ROOT / "dynamics" / "step.py").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_check_sees_what_it_should():
    long = "@device\ndef f(a):\n" + 60 * "    a += 1\n"
    many = "def outer():\n    @device.routine\n    def f(a, b, c, d, e, f, g, h, /, *, i):\n        pass\n"
    kernel = "@kernel\ndef f(a, b, c, d, e, f, g, h, i, j, k, l):\n    pass\n"
    plain = "def f(a, b, c, d, e, f, g, h, i):\n    pass\n"
    formula = plain.replace("def f", "def force")
    assert [[each.is_too_big for each in compiled_in(text, "x")] for text in (long, many, kernel, plain, formula)] == [
        [True], [True], [False], [], [],
    ]  # fmt: skip
    assert compiled_in(kernel.replace("l)", "l, m)"), "x")[0].is_too_big
    assert compiled_in(long, "neighbours/x")[0].is_too_big  # no room is left alone
    assert not compiled_in(long.replace("    a += 1\n", "", 1), "x")[0].is_too_big
    assert compiled_in(formula, "laws/x", laws=True)[0].is_too_big
