"""What to run, in a file: FOLDER/sweep.json names every row, its folder and its parameters. It may grow, but not change.

    FOLDER/sweep.json    the rows
    FOLDER/scene/        a user's scene file and the shape files it names, or the file of an experiment, as they were when the
                         sweep was planned
    FOLDER/index.csv     parameters and results of all rows, collected anew after every work on them
    FOLDER/NAME/         the run of a row

Nothing in it depends on where the rows are run.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from clast.errors import StoreError
from clast.experiments import find
from clast.experiments.experiment import Study
from clast.experiments.shared.own_file import is_loaded, is_own_file
from clast.output.store.atomic import make_folder, write_text, write_whole
from clast.output.store.lock import RunLock
from clast.output.store.values import to_json
from clast.sweeps.ranges import written
from clast.sweeps.scene_row import files_of, parse_row
from clast.sweeps.task import SCENE_FILE, Task

PLAN_FILE = "sweep.json"
SCENE_FOLDER = "scene"
FORMAT, FORMAT_VERSION = "clast-sweep", 1
LONGEST_NAME = 60  # characters
CURE = "a sweep may grow but not change, so choose another folder"


@dataclass(frozen=True)
class SweepPlan:
    """The rows of a sweep.

    what     name of an experiment, or of the file of one or a scene file in FOLDER/scene
    size     of the experiment; None for a scene file
    names    of the folders of the rows
    rows     the parameters of each, on top of size or scene file
    files    copies of the files of its shapes, by the names that the scene file gives them
    """

    folder: Path
    what: str
    size: str | None
    names: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def is_scene(self) -> bool:
        """Whether the rows are runs of a scene file."""
        return self.what.lower().endswith(SCENE_FILE)

    @property
    def source(self) -> str:
        """What `find` finds the experiment by: its name, or the copy of the user's file."""
        return str(self.folder / SCENE_FOLDER / self.what) if is_own_file(self.what) else self.what

    @property
    def may_be_looked_up(self) -> bool:
        """Whether units and defaults of the experiment can be had without running code that lies in the folder."""
        return not self.is_scene and (not is_own_file(self.what) or is_loaded(Path(self.source)))

    @cached_property
    def tasks(self) -> list[Task]:
        """The rows as tasks for any machine that sees the folder."""
        if not self.is_scene:
            found = find(self.source)
            alone = isinstance(found, Study) and found.timed
            return [Task(name, self.source, self.size, row, alone) for name, row in zip(self.names, self.rows, strict=True)]
        path = self.folder / SCENE_FOLDER / self.what
        return [Task(name, str(path), None, self._with_files(path, row)) for name, row in zip(self.names, self.rows, strict=True)]

    def _with_files(self, path: Path, row: Mapping[str, Any]) -> dict[str, Any]:
        named = files_of(parse_row(path, row)[1]) if self.files else {}
        return {**row, **{key: self.files[name] for key, name in named.items()}}

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters given, in the order they first appear."""
        return list(dict.fromkeys(name for row in self.rows for name in row))


def read_plan(folder: Path) -> SweepPlan:
    """The plan in a folder; StoreError if there is none, or it is damaged or of a newer clast."""
    path = folder / PLAN_FILE
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["format"] != FORMAT:
            raise KeyError("format")
        if stored["format_version"] > FORMAT_VERSION:
            raise StoreError(
                f"{path} was written by a newer clast (format version {stored['format_version']}): update clast to read it"
            )
        rows = [{name: from_json(value) for name, value in row["parameters"].items()} for row in stored["rows"]]
        names = [str(row["name"]) for row in stored["rows"]]
        for name in (*names, stored["what"], *stored["files"].values()):
            if name in ("", "..") or Path(name).name != name:  # whoever wrote it, nothing is written outside the folder
                raise ValueError(f"{name!r} is no name of a file")
        return SweepPlan(folder, stored["what"], stored["size"], tuple(names), tuple(rows), stored["files"])
    except FileNotFoundError:
        raise StoreError(f"there is no sweep in {folder} ({PLAN_FILE} is missing)") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is not the plan of a sweep, or damaged ({type(error).__name__}: {error})") from None


def write_plan(
    folder: Path,
    what: str,
    size: str | None,
    rows: Sequence[Mapping[str, Any]],
    scene: bytes | None = None,
    shapes: Mapping[str, bytes] | None = None,
) -> SweepPlan:
    """Put a plan into a folder, or add rows to the one that is there; StoreError if they contradict each other.

    scene, shapes   what stands in a scene file or file of an experiment called `what`, and in the files of its shapes, by the
                    names it gives them
    """
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file: choose another folder for the sweep")
    if not (folder / PLAN_FILE).exists() and folder.is_dir():
        foreign = [path.name for path in folder.iterdir() if not path.name.startswith(".") and path.name != SCENE_FOLDER]
        if foreign:
            raise StoreError(f"{folder} holds other files and no sweep: choose another folder, so that nothing gets mixed up")
    make_folder(folder)
    lock = RunLock(folder)
    try:
        files = {name: f"{number}-{Path(name).name}" for number, name in enumerate(sorted(shapes or {}))}
        plan = SweepPlan(folder, what, size, (), (), files)
        if (folder / PLAN_FILE).exists():
            plan = read_plan(folder)
            require_addition(plan, what, size, rows)
            require_copies(plan, scene, shapes or {})
        elif scene is not None:
            make_folder(folder / SCENE_FOLDER)
            for name, content in {what: scene, **{files[name]: content for name, content in (shapes or {}).items()}}.items():
                write_whole(folder / SCENE_FOLDER / name, partial(put, content=content))
        known = {canonical(row) for row in plan.rows}
        added = [row for row in rows if canonical(row) not in known]
        if added or not plan.rows:
            varied = varied_names([*plan.rows, *added])
            first = len(plan.rows) + 1
            names = [row_name(number, row, varied) for number, row in enumerate(added, start=first)]
            plan = dataclasses.replace(plan, names=(*plan.names, *names), rows=(*plan.rows, *added))
            write_text(folder / PLAN_FILE, plan_text(plan))
    finally:
        lock.release()
    return plan


def put(path: Path, content: bytes) -> None:
    """Write a file."""
    path.write_bytes(content)


def require_addition(plan: SweepPlan, what: str, size: str | None, rows: Sequence[Mapping[str, Any]]) -> None:
    """StoreError unless `rows` are those of `plan` and perhaps more."""
    if (plan.what, plan.size) != (what, size):
        was, now = (f"{each[0]}{f', size {each[1]}' if each[1] else ''}" for each in ((plan.what, plan.size), (what, size)))
        raise StoreError(f"the sweep in {plan.folder} is of {was}, not of {now}: {CURE}")
    wanted = {canonical(row) for row in rows}
    for number, row in enumerate(plan.rows, start=1):
        if canonical(row) not in wanted:
            raise StoreError(
                f"the sweep in {plan.folder} has row {number} ({written(row)}), which is not among those requested now: {CURE}"
            )


def require_copies(plan: SweepPlan, scene: bytes | None, shapes: Mapping[str, bytes]) -> None:
    """StoreError unless the files are as they were when the sweep was planned."""
    wanted = {plan.what: scene, **{plan.files.get(name, name): content for name, content in shapes.items()}}
    for name, content in wanted.items():
        copy = plan.folder / SCENE_FOLDER / name
        if content is not None and (not copy.exists() or copy.read_bytes() != content):
            raise StoreError(f"the sweep in {plan.folder} was planned with another {name} than there is now: {CURE}")


def plan_text(plan: SweepPlan) -> str:
    """The text of sweep.json: a line a row."""
    rows = [
        to_json({"name": name, "what": plan.what, "size": plan.size, "parameters": as_json(row)}, f"row {name}")
        for name, row in zip(plan.names, plan.rows, strict=True)
    ]
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, "what": plan.what, "size": plan.size, "files": dict(plan.files)}
    lines = [f'  "{key}": {to_json(value, key)}' for key, value in head.items()]
    listed = ",\n".join(f"    {row}" for row in rows)
    return "{\n" + ",\n".join([*lines, f'  "rows": [\n{listed}\n  ]']) + "\n}\n"


def as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON knows them, which has no infinity (a friction may be infinite)."""
    return {name: str(value) if isinstance(value, float) and math.isinf(value) else value for name, value in row.items()}


def from_json(value: Any) -> Any:
    """A value that `as_json` wrote."""
    return float(value) if value in ("inf", "-inf") else value


def canonical(row: Mapping[str, Any]) -> str:
    """The same text for the same parameters."""
    return json.dumps(as_json(row), sort_keys=True)


def varied_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the parameters that are not the same in all rows."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if len({canonical({name: row.get(name)}) for row in rows}) > 1]


def row_name(number: int, row: Mapping[str, Any], varied: Sequence[str]) -> str:
    """The folder of a row: its number, and what it varies as far as that fits and a file may be called so."""
    text = "_".join(written({name: row[name]}) for name in varied if name in row)
    plain = re.sub(r"[^A-Za-z0-9.=+_-]+", "-", text)
    return f"{number:04d}{'_' if plain else ''}{plain}"[:LONGEST_NAME].rstrip("._-")


def __getattr__(name: str) -> Any:
    """The old name of `SweepPlan`, for one version."""
    if name != "Plan":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        "`clast.sweeps.plan.Plan` is now `SweepPlan`; the old name goes with the next version", FutureWarning, stacklevel=2
    )
    return SweepPlan
