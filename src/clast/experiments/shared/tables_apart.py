"""Tables of a study made in processes beside each other: `python -m clast.experiments.shared.tables_apart` makes some of them.

Such a process finds the study by its name and takes a group of tables at a time. Tables of one group come from one test
("NAME", "NAME: bodies", "NAME: contacts"), which is run once. A table travels as a file of arrays in a folder that is
removed afterwards, so that it arrives with the same bits and types as if it had been made here.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clast.backend.processes import Answer, attend, count_jobs, share_out
from clast.dynamics.gpu.devices import GPU
from clast.errors import InputError, PhysicsError
from clast.experiments import find, names
from clast.experiments.experiment import Entry, Parameters, Study
from clast.output.progress import Progress

MODULE = "clast.experiments.shared.tables_apart"
PART = ": "  # between the name of a test and what of it a table holds
# what an error of another process is raised as here, the first that fits
KINDS: Mapping[str, type[Exception]] = {"physics": PhysicsError, "input": InputError, "disk": OSError, "other": RuntimeError}
Keep = Callable[[str, Mapping[str, np.ndarray], float], None]


def check_jobs(experiment: Entry, jobs: int) -> None:
    """InputError if an experiment cannot be made in several processes."""
    if count_jobs(jobs, jobs) == 1:
        return
    if not isinstance(experiment, Study):
        raise InputError(f"{experiment.name} is one scene, which one process runs: leave --jobs out, or share it with --threads")
    if experiment.timed:
        raise InputError(f"{experiment.name} measures time, so nothing may run beside it: leave --jobs out")
    if experiment.name not in names() or find(experiment.name) is not experiment:
        raise InputError(f"{experiment.name} is not an experiment of this clast, so no other process finds it: take jobs = 1")


def check_place(experiment: Entry, device: str | None) -> None:
    """InputError if an experiment cannot be made on a device."""
    if device == GPU and isinstance(experiment, Study) and not experiment.on_gpu:
        raise InputError(
            f"{experiment.name} is a study, whose tests run on the CPU: leave the device out, or share it with --jobs"
        )


def groups_of(tables: Sequence[str]) -> list[list[str]]:
    """Names of tables, those of one test together."""
    found: dict[str, list[str]] = {}
    for name in tables:
        found.setdefault(name.split(PART)[0], []).append(name)
    return list(found.values())


def make_apart(
    study: Study,
    parameters: Parameters,
    tables: Sequence[str],
    *,
    jobs: int,
    threads: int | str,
    device: str = "cpu",
    keep: Keep,
    progress: Progress,
) -> None:
    """Make tables in `jobs` processes and hand each to `keep` (name, columns, seconds) as it comes.

    The first error ends all, after what was made by then has been kept.
    """
    groups = groups_of(tables)
    with tempfile.TemporaryDirectory(prefix="clast-tables-") as folder:
        about = {
            "study": study.name, "parameters": parameters.model_dump(mode="json"), "threads": threads, "device": device
        }  # fmt: skip
        pieces = [{**about, "tables": group, "file": f"{folder}/{number}"} for number, group in enumerate(groups)]
        finished = 0
        progress.update(finished, len(tables))

        def hear(number: int, answer: Answer) -> None:
            nonlocal finished
            if "table" in answer:
                keep(answer["table"], dict(read_columns(Path(answer["file"]))), answer["seconds"])
                finished += 1
                progress.say(f"{study.name}: {answer['table']} is there ({finished} of {len(tables)})")
                progress.update(finished, len(tables))
            elif "died" in answer:
                raise ChildProcessError(f"{study.name}: {groups[number][0]}: {answer['died']}")
            elif "message" in answer:
                raise KINDS[answer["kind"]](answer["message"])

        share_out(MODULE, pieces, jobs=count_jobs(jobs, len(groups)), hear=hear, threads=threads)


def work(piece: dict[str, Any], say: Callable[[Answer], None]) -> Answer:
    """Make the tables of a group."""
    study = find(piece["study"])
    assert isinstance(study, Study)
    try:
        parameters = study.parameters.model_validate(piece["parameters"])
        makers = study.tables_on(parameters, piece["threads"], piece["device"])
        for number, name in enumerate(piece["tables"]):
            began = time.perf_counter()
            columns = makers[name]()
            file = Path(f"{piece['file']}-{number}.npz")
            write_columns(file, columns)
            say({"table": name, "file": str(file), "seconds": time.perf_counter() - began})
    except (PhysicsError, InputError, OSError) as error:
        return {"message": str(error), "kind": next(name for name, kind in KINDS.items() if isinstance(error, kind))}
    except Exception as error:
        return {"message": f"{piece['tables'][0]}: {type(error).__name__}: {error}", "kind": "other"}
    return {}


def write_columns(file: Path, columns: Mapping[str, Any]) -> None:
    """Columns by number, with their names beside: a name may hold what a file's may not."""
    arrays = {str(number): np.asarray(column) for number, column in enumerate(columns.values())}
    np.savez(file, allow_pickle=False, names=np.array(list(columns), str), **arrays)


def read_columns(file: Path) -> Iterator[tuple[str, np.ndarray]]:
    """The columns that `write_columns` wrote, in their order; the file is removed."""
    with np.load(file, allow_pickle=False) as stored:
        for number, name in enumerate(stored["names"].tolist()):
            yield name, stored[str(number)]
    file.unlink()


if __name__ == "__main__":
    attend(work)
