"""Docstrings, comments and pages state what something does or returns: words that make a riddle of it are refused.

"What a law is told" or "the tag says" needs a second reading; "what a law receives" and "the tag holds" do not. Names of code in
backticks and blocks of code are left alone, as are docs/report.md and docs/claims.md, which are written by commands.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import clast

RIDDLES = re.compile(r"\b(told|asked|asks|says|said|late)\b", re.IGNORECASE)
CODE = re.compile(r"^ *```.*?^ *```|`(?:[^`\n]|\n(?! *\n))+`", re.MULTILINE | re.DOTALL)  # blocks; spans within a paragraph
SOURCES = Path(clast.__file__).parent
ROOT = Path(__file__).parents[2]
GENERATED = {"report.md", "claims.md"}
PAGES = [
    *(page for page in sorted(ROOT.glob("docs/*.md")) if page.name not in GENERATED),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")),
]
SCRIPTS = sorted([*ROOT.glob("examples/*.py"), *ROOT.glob("benchmarks/*.py")])


def riddles(text: str) -> list[tuple[int, str]]:
    """Line (from 0) and word of every riddle outside of code."""
    plain = CODE.sub(lambda code: "\n" * code.group().count("\n"), text)
    return [(k, word.group()) for k, line in enumerate(plain.splitlines()) for word in RIDDLES.finditer(line)]


def prose(source: str) -> Iterator[tuple[int, str]]:
    """First line and text of every docstring and comment of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node, clean=False) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def in_source(source: str) -> list[str]:
    """ "line: word" for every riddle in the docstrings and comments of a module, by line."""
    found = sorted((first + k, word) for first, text in prose(source) for k, word in riddles(text))
    return [f"{line}: {word}" for line, word in found]


def in_page(text: str) -> list[str]:
    """ "line: word" for every riddle on a page."""
    return [f"{k + 1}: {word}" for k, word in riddles(text)]


def test_docstrings_and_comments_are_plain():
    modules = sorted(SOURCES.rglob("*.py"))
    assert len(modules) > 100
    found = [f"{path.relative_to(SOURCES)}:{each}" for path in modules for each in in_source(path.read_text(encoding="utf-8"))]
    assert not found, f"say what it returns or does (or put the name of code into backticks): {', '.join(found)}"


def test_scripts_are_plain():
    found = [f"{path.name}:{each}" for path in SCRIPTS for each in in_source(path.read_text(encoding="utf-8"))]
    assert len(SCRIPTS) > 5 and not found, f"say what it returns or does: {', '.join(found)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_plain(page):
    found = in_page(page.read_text(encoding="utf-8"))
    assert not found, f"say what it returns or does (or put the name of code into backticks): {', '.join(found)}"


def test_a_planted_word_is_found_where_it_stands():
    source = (
        '"""Plain.\n\nThe law is told."""\n\ndef f():\n    """What it Says."""\n    said = "asked"  # too late\n    return said\n'
    )
    assert in_source(source) == ["3: told", "6: Says", "7: late"], "names and texts of code are not prose"
    block = "```python\nprint(said)  # told\n```"
    page = f"# A page\n\nIt asks, `late`, and\n\n{block}\n\n- a list\n\n  ```\n  asked\n  ```\n\nis said.\n"
    assert in_page(page) == ["3: asks", "15: said"], "code is left alone, and lines are still counted"
    assert in_page("later, isolated, soothsayer: `a\nsaid` b") == [], "whole words only; a span may go over two lines"
    assert in_page("one ` alone\n\nis said, `it` is") == ["3: said"], "a backtick without its second hides no other paragraph"
