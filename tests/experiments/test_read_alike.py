"""The files of all experiments read alike: parameters, build or tables, plan, evaluate, figures, and the declaration last."""

import ast
import inspect
from pathlib import Path

import pytest

from clast.experiments import find, names

ORDER = (
    "name", "paper", "title", "claim", "sizes", "variants",
    "parameters", "build", "tables", "on_gpu", "plan", "evaluate", "merit", "figures", "timed", "shows_progress",
)  # fmt: skip
PARTS = ("build", "tables", "plan", "evaluate", "merit", "figures")


def statements(name: str) -> list[ast.stmt]:
    """The statements at the top of an experiment's file."""
    return ast.parse(Path(inspect.getfile(type_of(name))).read_text(encoding="utf-8")).body


def type_of(name: str) -> type:
    """The class of an experiment's parameters, which stands in its file."""
    return find(name).parameters


@pytest.mark.parametrize("name", names())
def test_the_declaration_is_last_and_in_order(name):
    *_, last = statements(name)
    assert isinstance(last, ast.Assign), f"{name} ends with {ast.unparse(last)[:60]}, not with EXPERIMENT = …"
    assert ast.unparse(last.targets[0]) == "EXPERIMENT", f"{name} ends with {ast.unparse(last.targets[0])}, not with EXPERIMENT"
    assert isinstance(last.value, ast.Call), f"EXPERIMENT of {name} is no Experiment(…) or Study(…)"
    words = [each.arg for each in last.value.keywords]
    assert words == [each for each in ORDER if each in words], f"the order is {', '.join(ORDER)}"
    assert not last.value.args, f"EXPERIMENT of {name} is declared by keywords only"


@pytest.mark.parametrize("name", names())
def test_the_parts_stand_in_order(name):
    body = statements(name)
    made = {each.name: k for k, each in enumerate(body) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    places = [made[type_of(name).__name__], *(made[part] for part in PARTS if part in made)]
    assert len(places) > 3, f"{name} lacks parts: there are {', '.join(PARTS)}"
    assert places == sorted(places), f"in {name} the order is: parameters, {', '.join(PARTS)}"
    beside = [
        ast.unparse(each.target)
        for each in body[places[0] + 1 :]
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target) in ("SIZES", "VARIANTS")
    ]
    after = [ast.unparse(each.target) for each in body[places[0] + 1 :][: len(beside)] if isinstance(each, ast.AnnAssign)]
    assert after == beside, "sizes and variants stand below the parameters"
