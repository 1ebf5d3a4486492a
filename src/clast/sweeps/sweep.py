"""A sweep as it is requested: what is varied, and how. Every row is checked before anything is written."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.dynamics.gpu.devices import check_device
from clast.errors import ClastError, InputError
from clast.experiments import find
from clast.experiments.shared.own_file import is_own_file
from clast.experiments.shared.tables_apart import check_place
from clast.output.recording import CHECKPOINT_SECONDS
from clast.scene_files.schema_run import PLACE
from clast.sweeps.display import Display
from clast.sweeps.index import write_index
from clast.sweeps.places import LOCAL
from clast.sweeps.plan import SweepPlan, canonical, read_plan, write_plan
from clast.sweeps.ranges import read_table, written
from clast.sweeps.scene_row import files_of, parse_row, read_row
from clast.sweeps.sharing import TaskEnding, run_tasks
from clast.sweeps.table import SweepTable, open_sweep
from clast.sweeps.task import SCENE_FILE
from clast.sweeps.warned import warnings_of

if TYPE_CHECKING:
    from distributed import Client

MOST_ROWS = 100_000
BUILT_ROWS = 200  # at most, spread over all, are built as scenes before the sweep begins; of the others entries are checked
BUILD_SECONDS = 20.0  # for that


class Sweep:
    """Runs of an experiment, or of a scene file, that differ in some parameters.

    what    name of an experiment, or path of its file or of a scene file
    vary    values by parameter; every combination is a run. Of a scene file by dotted keys, `law.friction`, `fill.0.seed`
    table   rows by themselves: a CSV file whose columns are parameters, or a list of mappings; with `vary`, each row is
            combined with each combination
    given   parameters that are the same in all runs
    size    of the experiment, "quick" if None

    InputError names the first row that is not good. Nothing is written before `plan` or `run`.
    """

    def __init__(
        self,
        what: str | Path,
        *,
        vary: Mapping[str, Iterable[Any]] | None = None,
        table: Path | str | Sequence[Mapping[str, Any]] | None = None,
        given: Mapping[str, Any] | None = None,
        size: str | None = None,
    ) -> None:
        self.what = str(what)
        self.is_scene = self.what.lower().endswith(SCENE_FILE)
        if self.is_scene and size is not None:
            raise InputError("size is for experiments: a scene file has none")
        self.size = None if self.is_scene else size or "quick"
        self._shapes: dict[str, bytes] = {}
        requested = combined(vary or {}, table, given or {}, hyphens=not self.is_scene)
        self.rows: list[dict[str, Any]] = []
        began, seen, every = time.monotonic(), dict[str, int](), math.ceil(len(requested) / BUILT_ROWS)
        for number, row in enumerate(requested, start=1):
            try:
                build = number % every == 0 and time.monotonic() - began < BUILD_SECONDS
                self.rows.append(self._checked_scene(row, build) if self.is_scene else self._checked(row))
            except ClastError as error:
                raise type(error)(f"row {number} ({written(row)}): {error}") from None
            if (first := seen.setdefault(canonical(self.rows[-1]), number)) != number:
                raise InputError(f"rows {first} and {number} are the same ({written(row)}): give each value once")

    def _checked(self, row: Mapping[str, Any]) -> dict[str, Any]:
        chosen = find(self.what).choose(self.size or "quick", row).model_dump(mode="json")
        return {name: chosen[name] for name in row}

    def _checked_scene(self, row: Mapping[str, Any], build: bool) -> dict[str, Any]:
        path = Path(self.what)
        for name in PLACE:
            if f"run.{name}" in row:
                raise InputError(f"run.{name} is no part of what is run: give {name} to the sweep")
        keys = read_row(path, row).keys if build else parse_row(path, row)[1]
        for file in set(files_of(keys).values()) - self._shapes.keys():
            self._shapes[file] = read_bytes(path.parent / file)
        return dict(row)

    def plan(self, folder: Path | str) -> SweepPlan:
        """Write down what to run, in `folder`/sweep.json, and run nothing. One that is there may be added to, not changed."""
        path = Path(self.what)
        if is_own_file(self.what):
            return write_plan(Path(folder), path.name, self.size, self.rows, read_bytes(path))
        if not self.is_scene:
            return write_plan(Path(folder), self.what, self.size, self.rows)
        return write_plan(Path(folder), path.name, None, self.rows, read_bytes(path), self._shapes)

    def run(
        self,
        folder: Path | str,
        *,
        on: str | Client = LOCAL,
        jobs: int | None = None,
        threads: int | str = 1,
        device: str | None = None,
        retry: bool = False,
        progress: Display | None = None,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> SweepTable:
        """Plan the sweep in `folder`, run what is missing there, and return what came out; see `run_plan`.

        on   where: a `distributed.Client` of yours, or a word as for `clast sweep --on`; this machine if not given
        """
        check_where(self.what, device, here=on == LOCAL)
        plan = self.plan(folder)
        run_plan(
            plan, on=on, jobs=jobs, threads=threads, device=device, retry=retry, progress=progress,
            checkpoint_seconds=checkpoint_seconds,
        )  # fmt: skip
        return open_sweep(folder)


def run_plan(
    plan: SweepPlan | Path | str,
    *,
    only: Sequence[int] | None = None,
    on: str | Client = LOCAL,
    jobs: int | None = None,
    threads: int | str = 1,
    device: str | None = None,
    retry: bool = False,
    progress: Display | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> list[TaskEnding]:
    """Run what is missing of a plan, or of the sweep in a folder, and collect index.csv anew.

    only    numbers of rows, from 1; all if None. For a cluster: one row per job
    on, jobs, threads, device, retry, progress   as for `clast.sweeps.sharing.run_tasks`
    """
    plan = plan if isinstance(plan, SweepPlan) else read_plan(Path(plan))
    for number in only or ():
        if not 1 <= number <= len(plan.rows):
            raise InputError(f"there is no row {number} in {plan.folder}: they are numbered from 1 to {len(plan.rows)}")
    check_where(plan.source, device, here=on == LOCAL)
    progress = progress or Display()
    tasks = plan.tasks if only is None else [plan.tasks[number - 1] for number in only]
    try:
        return run_tasks(
            tasks, plan.folder, on=on, jobs=jobs, threads=threads, device=device, retry=retry, progress=progress,
            checkpoint_seconds=checkpoint_seconds,
        )  # fmt: skip
    finally:
        for line in warnings_of(write_index(plan), {task.name for task in tasks}):
            progress.say(line)


def check_where(what: str, device: str | None, *, here: bool = True) -> None:
    """InputError if runs of an experiment or a scene file cannot be made on a device; elsewhere only its name is checked."""
    if device is not None:
        check_device(device, here=here)
        if not what.lower().endswith(SCENE_FILE):
            check_place(find(what), device)


def combined(
    vary: Mapping[str, Iterable[Any]],
    table: Path | str | Sequence[Mapping[str, Any]] | None,
    given: Mapping[str, Any],
    *,
    hyphens: bool,
) -> list[dict[str, Any]]:
    """Rows: each of the table with each combination of what is varied, the last one fastest, on top of what is given.

    hyphens   `sphero-radius` stands for `sphero_radius`
    """

    def named(row: Mapping[str, Any]) -> dict[str, Any]:
        return {name.replace("-", "_") if hyphens else name: plain(value) for name, value in row.items()}

    listed: Sequence[Mapping[str, Any]] = [{}]
    if table is not None:
        listed = read_table(Path(table)) if isinstance(table, str | Path) else table
    if len(listed) == 0:
        raise InputError("the table has no rows")
    lists = named({name: list(values) for name, values in vary.items()})
    for name, values in lists.items():
        if not values:
            raise InputError(f"{name} is to be varied, but no value is given")
    rows, fixed = [named(row) for row in listed], named(given)
    for name in lists:
        if any(name in row for row in rows):
            raise InputError(f"{name} is varied and stands in the table too: leave one of them out")
    for name in fixed:
        if name in lists or any(name in row for row in rows):
            raise InputError(f"{name} is given once for all and varied too: leave one of them out")
    if (count := len(rows) * math.prod(len(values) for values in lists.values())) > MOST_ROWS:
        raise InputError(f"{count} rows are more than {MOST_ROWS}: vary less")
    return [
        {**fixed, **row, **dict(zip(lists, values, strict=True))} for row in rows for values in itertools.product(*lists.values())
    ]


def read_bytes(path: Path) -> bytes:
    """What stands in a file; InputError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error})") from None


def plain(value: Any) -> Any:
    """A value of numpy's as a plain one."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(each) for each in value] if isinstance(value, list | tuple | range) else value
