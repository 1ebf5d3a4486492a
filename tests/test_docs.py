"""What the documentation shows is true: its Python runs, its commands parse, its links lead somewhere, examples keep their word.

The Python blocks of a page are run in order in one namespace and a folder of their own, as a reader would type them.
"""

import re
import runpy
import shlex
import sys
import tomllib
import traceback
from pathlib import Path

import pytest
import typer

import clast.experiments
from clast.cli.app import app
from clast.cli.entry import run_command
from clast.cli.running import read_options
from clast.errors import InputError
from clast.scene_files.reading import read_scene
from clast.shapes import load_shape

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
COMMANDS = typer.main.get_command(app).commands
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name_of(path):
    """For the list of tests: docs/laws.md."""
    return str(path.relative_to(ROOT))


def blocks(text, language):
    """(line number, source) of every block of a page in a language."""
    return [(text[: m.start(2)].count("\n"), m[2]) for m in FENCE.finditer(text) if m[1] == language]


def command_lines(text):
    """Every line of a fenced or indented block that calls clast, as words; what follows a # is a remark."""
    shell = "\n".join(m[2] for m in FENCE.finditer(text) if m[1] not in ("python", "toml"))
    indented = re.findall(r"^ {4}(.*)$", FENCE.sub("", text), re.MULTILINE)
    found = []
    for line in [*shell.splitlines(), *indented]:
        call = re.match(r"\s*(?:\$ )?(?:\S*/)?clast (.*)$", line)
        if call:
            found.append(shlex.split(call[1], comments=True))
    return found


def check_command(words):
    """Refuse an unknown command, option, experiment or parameter; nothing is run. Words in capitals stand for any name."""
    name, *rest = words
    if name.startswith("-"):
        return
    assert name in COMMANDS, f"there is no command clast {name}"
    command = COMMANDS[name]
    context = command.make_context(name, list(rest))
    wanted = context.params.get("name") if name == "run" else None
    if wanted is None or wanted.isupper() or wanted.endswith((".toml", ".py")):
        return
    experiment = clast.experiments.find(wanted)
    given = read_options(experiment.name, experiment.parameters.model_fields, context.args)
    experiment.choose(context.params["size"] or "quick", given)


def run_page(path, text):
    """Run the Python of a page; an error names the page and the line."""
    namespace = {"__name__": "__main__"}  # as a script: compiled code is kept under the name of a module that can be found again
    for line, source in blocks(text, "python"):
        exec(compile("\n" * line + source, str(path), "exec"), namespace)


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    """A folder of its own, and no figure left open behind."""
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_python_of_a_page_runs(path, at_home):
    if path.name == "cluster.md":
        pytest.importorskip("distributed", reason="Dask is not installed: pip install 'clast[dask]'")
    run_page(path, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_files_shown_on_a_page_are_read(path, at_home):
    for number, (_, source) in enumerate(blocks(path.read_text(encoding="utf-8"), "toml")):
        file = at_home / f"shown-{number}.toml"
        file.write_text(source, encoding="utf-8")
        if "law" in tomllib.loads(source):
            read_scene(file)
        elif "vertices" in tomllib.loads(source):
            load_shape(file)


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_example_keeps_its_word(path, at_home):
    shown = runpy.run_path(str(path), run_name="__main__")
    assert list((at_home / "runs").iterdir()), "an example leaves a run behind"
    assert "assert " in path.read_text(encoding="utf-8"), "an example checks its physics"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 70
    assert shown["__doc__"]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_of_a_page_parse(path):
    text = path.read_text(encoding="utf-8")
    for words in command_lines(text):
        check_command(words)
    for name in re.findall(r"`(?:\S*/)?clast ([a-z]+)[^`]*`", text):
        assert name in COMMANDS, f"there is no command clast {name}"


def test_every_command_has_help(capsys):
    for name in COMMANDS:
        assert run_command([name, "--help"]) == 0
        assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_every_page_is_listed():
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "docs").glob("*.md"):
        assert path.name == "README.md" or f"({path.name})" in listed, f"docs/README.md does not list {path.name}"


def test_the_check_sees_what_it_should():
    page = "words\n\n```python\na = 1\n```\n\n```python\nimport clast\nclast.Sceen\n```\n\n    clast run cow-bounce --untill 2\n"
    with pytest.raises(AttributeError, match="Sceen") as failure:
        run_page(Path("page.md"), page)
    assert traceback.extract_tb(failure.tb, limit=3)[-1].lineno == 9, "the line of the page"
    with pytest.raises(InputError, match="untill"):
        check_command(*command_lines(page))
    for wrong in ("clast fly RUN", "clast movie RUN --speed 2", "clast run cow-jump", "clast export"):
        with pytest.raises((AssertionError, InputError, *usage_errors())):
            check_command(*command_lines(f"```sh\n{wrong}\n```\n"))
    check_command(*command_lines("```sh\nclast run cow-bounce --until 2 --out runs/a  # two seconds\n```\n"))
    check_command(*command_lines("    .venv/bin/clast movie RUN --fps 10\n"))


def usage_errors():
    """What typer raises for bad usage; where the class lives has moved between its versions."""
    try:
        COMMANDS["info"].make_context("info", [])
    except Exception as error:
        return [each for each in type(error).__mro__ if each.__name__ == "UsageError"]
    sys.exit("a missing argument was accepted")
