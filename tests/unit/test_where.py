"""What docs/architecture.md claims about files and functions is true: its list of rooms, its order of imports, its tables."""

import ast
import re
from pathlib import Path

import pytest
from test_architecture import ORDER

import clast

ROOT = Path(clast.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
WHERE, TRAIL, FAMILY = "Where is …?", "One contact, from TOML to store", "A fourth family: which files"
MOST_FILES = 40  # of the way of one contact


def section(title: str) -> str:
    """The text below a heading."""
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[tuple[str, list[str]]]:
    """File and function names of every row of a table with the columns file and function."""
    found = []
    for line in section(title).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) >= 3 and (file := re.fullmatch(r"`([\w/]+\.py)`", cells[1])):
            found.append((file[1], re.findall(r"`([\w.]+)`", cells[2])))
    return found


def defined_in(source: str) -> set[str]:
    """Names of all functions and classes of a source, nested ones too, methods also as Class.method; and of its constants."""
    tree = ast.parse(source)
    constants = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    names = {node.id for target in constants for node in ast.walk(target) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return names


def packages() -> set[str]:
    """Every folder of the package that holds modules."""
    return {path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("__init__.py")} - {"."}


def rooms_on_page() -> set[str]:
    """Folders in the list of the house; a deeper line belongs to the last room before it that is less deep."""
    found: set[str] = set()
    path: list[str] = []
    for spaces, name in re.findall(r"^( {6}| {8}| {10})(\w+)/ ", PAGE, re.MULTILINE):
        path = [*path[: len(spaces) // 2 - 3], name]
        found.add("/".join(path))
    return found


def test_the_house_is_that_of_the_page():
    assert rooms_on_page() == packages()
    modules = {path.name for path in ROOT.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert set(re.findall(r"^ {6}(\w+\.py) ", PAGE, re.MULTILINE)) == modules


def test_the_order_of_imports_is_that_of_the_page():
    written = PAGE.split("Imports run one way")[1].split(": ", 1)[1].split(".\n")[0]
    assert re.findall(r"\w+", written)[-len(ORDER) :] == ORDER


@pytest.mark.parametrize(
    ("file", "names"), [*rows(WHERE), *rows(TRAIL)], ids=lambda each: each if isinstance(each, str) else "-".join(each)
)
def test_the_function_is_there(file, names):
    assert (ROOT / file).is_file(), f"docs/architecture.md names {file}, which is not there"
    assert names, f"docs/architecture.md names no function of {file}"
    missing = set(names) - defined_in((ROOT / file).read_text())
    assert not missing, f"{file} does not define {missing}"


def test_enough_questions_are_answered():
    assert len(rows(WHERE)) >= 10


def test_the_way_of_a_contact_is_short_and_counted():
    files = set(re.findall(r"`([\w/]+\.py)`", section(TRAIL)))
    assert all((ROOT / file).is_file() for file in files)
    assert len(files) <= MOST_FILES
    assert f": {len(files)} files." in section(TRAIL)


def test_what_a_family_changes_is_there():
    files = [file for file in re.findall(r"`([\w/]+\.py)`", section(FAMILY)) if "NAME" not in file]
    known = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")}
    assert [file for file in files if file not in known and f"dynamics/{file}" not in known] == []
