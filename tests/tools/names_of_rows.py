"""Which rows an experiment can have, read from its source: every text in it and in what it shares, with holes where values go.

Names of rows are texts in the code, often with numbers or shapes in them, and which there are depends on size and parameters. So
a table that names rows is compared with the templates, without running anything.
"""

import ast
import re
from functools import cache
from pathlib import Path

import clast.experiments

FOLDER = Path(clast.experiments.__file__).parent
SHARED = "clast.experiments.shared."
LEAST = 2  # letters or signs that a template must have besides its holes: ", " between two values is no name


def template(node):
    """A text as a regular expression, holes as .*; None where there is nothing but holes."""
    if isinstance(node, ast.Constant):
        parts = [node.value] if isinstance(node.value, str) else []
    else:
        parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
    literal = "".join(part for part in parts if part)
    if len(re.sub(r"\s", "", literal)) < LEAST:
        return None
    return "".join(".*" if part is None else re.escape(part) for part in parts)


def texts_of(source):
    """Templates of all texts of a module; docstrings and comments are none."""
    tree = ast.parse(source)
    inside = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node
    }
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = (
        template(node) for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inside
    )
    return {each for each in found if each}


def shared_by(source):
    """Files of experiments/shared that a module imports."""
    modules = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module}
    return [FOLDER / "shared" / f"{name.removeprefix(SHARED)}.py" for name in modules if name.startswith(SHARED)]


@cache
def templates(experiment):
    """Templates of an experiment, of its own file and of what it shares, two files deep."""
    own = (FOLDER / f"{experiment.replace('-', '_')}.py").read_text(encoding="utf-8")
    files = set(shared_by(own))
    files |= {deeper for path in files for deeper in shared_by(path.read_text(encoding="utf-8"))}
    found = texts_of(own).union(*(texts_of(path.read_text(encoding="utf-8")) for path in files))
    return [re.compile(each) for each in sorted(found)]


def can_have(experiment, row):
    """Whether an experiment can have a row of that name; * stands where the name has a value."""
    return row == "*" or any(each.fullmatch(row.replace("*", "7")) for each in templates(experiment))
