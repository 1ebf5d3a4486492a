"""Which runs a reproduction of the papers is made of, where each lies, and how far it is.

A run is known by what it is (experiment, size, parameters), not by the name of its folder: one made by hand with
`clast run NAME --size full --out FOLDER/NAME` counts as well as one that `clast reproduce` made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clast.errors import ClastError, InputError
from clast.experiments import find, names
from clast.experiments.experiment import Entry, Parameters, Study
from clast.output.store.files import PARTS_FOLDER, RUN_FILE
from clast.output.store.reader import Run, open_run
from clast.sweeps.task import DAMAGED, ERROR_FILE, State, read_error, state_of

QUICK = "quick"
# Seconds of one run, start and figures included, on one core of an AMD EPYC (Zen 4) that others used too: what `--list`
# promises, and the order in which runs are begun. What was not measured is not here.
SECONDS: Mapping[str, Mapping[str, float]] = {
    "biaxial-shapes": {"quick": 75.0, "full": 1040.0},
    "biaxial-voronoi": {"quick": 45.0, "full": 640.0},
    "bouncing-ball": {"quick": 9.0, "full": 30.0},
    "brazilian": {"quick": 20.0, "full": 670.0},
    "chung-ooi": {"quick": 11.0, "full": 60.0},
    "cost-of-shape": {"quick": 30.0},
    "cost-of-sides": {"quick": 40.0},
    "cow-bounce": {"quick": 4.0, "full": 4.0},
    "cow-gas": {"quick": 9.0, "full": 38.0},
    "drum-3d": {"quick": 18.0, "full": 180.0},
    "elastic-gas": {"quick": 7.0, "full": 6.0},
    "failure-line": {"quick": 39.0, "full": 1860.0},
    "friction-loop": {"quick": 10.0, "full": 8.0},
    "gallery": {"quick": 6.0, "full": 6.0},
    "gas-3d": {"quick": 12.0, "full": 130.0},
    "heap": {"quick": 75.0, "full": 5000.0},
    "hopper": {"quick": 45.0, "full": 35.0},
    "hopper-odds": {"quick": 75.0, "full": 16000.0},
    "hopper-3d": {"quick": 20.0, "full": 500.0},
    "hysteresis": {"quick": 24.0, "full": 180.0},
    "overlap-force": {"quick": 15.0},
    "packing": {"quick": 35.0, "full": 260.0},
    "packing-3d": {"quick": 20.0, "full": 80.0},
    "polyhedron-energy": {"quick": 16.0, "full": 260.0},
    "ratcheting": {"quick": 23.0, "full": 5600.0},
    "roundness-strength": {"quick": 43.0, "full": 960.0},
    "shear-band": {"quick": 25.0, "full": 710.0},
    "shear-energy": {"quick": 30.0, "full": 200.0},
    "sound": {"quick": 15.0, "full": 15.0},
    "verlet-distance": {"quick": 36.0, "full": 600.0},
}
UNKNOWN = 3600.0  # s: what is not in the table is begun first


@dataclass(frozen=True)
class PlannedRun:
    """One run of an experiment.

    given       parameters on top of the size
    folder      where it lies or will lie
    requested   False for one that lies in the folder but was not requested: it is reported, not run
    uncounted   its parameters are none of those that the papers' figures need: it is shown, and not counted
    """

    entry: Entry
    size: str
    given: Mapping[str, Any]
    parameters: Parameters
    folder: Path
    requested: bool = True
    uncounted: bool = False

    @property
    def timed(self) -> bool:
        """Whether it measures time, so that nothing else may run at the same time."""
        return isinstance(self.entry, Study) and self.entry.timed

    @property
    def seconds(self) -> float | None:
        """How long it should take; None where nobody has measured it."""
        return SECONDS.get(self.entry.name, {}).get(self.size)


@dataclass(frozen=True)
class RunProgress:
    """How far a run is; `message` gives details, `run` is open if it can be read."""

    state: State
    message: str = ""
    run: Run | None = None


@dataclass(frozen=True)
class FoundRun:
    """A run in the folder, of whatever experiment."""

    folder: Path
    name: str
    size: str
    parameters: Mapping[str, Any]


def find_runs(folder: Path) -> list[FoundRun]:
    """Runs of experiments in the folder; those that cannot be read are left out."""
    found = []
    for path in sorted(folder.glob(f"*/{RUN_FILE}")):
        with suppress(ClastError, *DAMAGED):
            run = open_run(path.parent)
            run.close()
            facts = run.provenance
            if facts.get("experiment") in names():
                found.append(FoundRun(path.parent, facts["experiment"], str(facts["size"]), facts["parameters"]))
    return found


def size_there(folder: Path) -> str:
    """The size of the runs in a folder, quick if there are none; InputError if they are of several."""
    sizes = sorted({each.size for each in find_runs(folder)})
    if len(sizes) > 1:
        raise InputError(
            f"{folder} holds runs of several sizes ({', '.join(sizes)}): give each size a folder of its own with --out"
        )
    return sizes[0] if sizes else QUICK


def plan_runs(wanted: Sequence[str], size: str, folder: Path) -> list[PlannedRun]:
    """The runs of the wanted experiments, all if none is named, and whatever else lies in the folder; by experiment, as
    `clast list` has them. InputError for a name that is none, for a folder that is a file or holds something else."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: give another folder with --out")
    entries = {name: find(name) for name in wanted or names()}
    there = find_runs(folder)
    for each in there:
        if each.size != size:
            raise InputError(f"{each.folder} is a run of size {each.size}: use --size {each.size}, or another folder with --out")
    plan: list[PlannedRun] = []
    for name in sorted({*entries, *(each.name for each in there)}):
        entry = entries.get(name) or find(name)
        mine = [(each, stored) for each in there if each.name == name and (stored := readable_parameters(entry, each))]
        known: list[Parameters] = []
        papers = [(given, entry.choose(size, given)) for given in entry.variants.get(size, ({},))]
        for given, parameters in papers if name in entries else ():
            here = folder / folder_name(name, given)
            same = [each.folder for each, stored in mine if stored == parameters]
            refuse_another(here, same)
            plan.append(PlannedRun(entry, size, given, parameters, here if here in same or not same else same[0]))
            known.append(parameters)
        for each, stored in mine:
            if stored not in known:
                more, other = differing(entry, size, stored), all(stored != parameters for _, parameters in papers)
                plan.append(PlannedRun(entry, size, more, stored, each.folder, requested=False, uncounted=other))
                known.append(stored)
    return plan


def readable_parameters(entry: Entry, found: FoundRun) -> Parameters | None:
    """Parameters of a stored run; None if this version of the experiment no longer knows them."""
    with suppress(InputError):
        return entry.choose(found.size, found.parameters)
    return None


def refuse_another(folder: Path, same: Sequence[Path]) -> None:
    """InputError if the place of a run is taken by a run of something else, or by something that is no run."""
    if not folder.exists() or folder in same:
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file where a run should go: give another folder with --out")
    if not (folder / RUN_FILE).exists():
        if not (folder / ERROR_FILE).exists() and any(not is_trace(path) for path in folder.iterdir()):
            raise InputError(f"{folder} holds something that is no run: give another folder with --out")
        return
    try:
        open_run(folder).close()
    except (ClastError, *DAMAGED):
        return  # reported as an error, which does not stop the rest
    if not same:
        raise InputError(f"{folder} holds a run of something else, or of other parameters: give another folder with --out")


def is_trace(path: Path) -> bool:
    """Whether it may be left of a run that was killed before it had begun: its lock, an empty folder for its parts."""
    return path.name.startswith(".") or (path.name == PARTS_FOLDER and path.is_dir() and not any(path.iterdir()))


def folder_name(name: str, given: Mapping[str, Any]) -> str:
    """hopper-cow-20 for shape cow and aperture 20."""
    return "-".join([name, *(f"{value:g}" if isinstance(value, float) else str(value) for value in given.values())])


def differing(entry: Entry, size: str, parameters: Parameters) -> dict[str, Any]:
    """What was given on top of the size."""
    plain = entry.choose(size, {}).model_dump()
    return {name: value for name, value in parameters.model_dump().items() if value != plain[name]}


def progress_of(planned: PlannedRun) -> RunProgress:
    """How far a run is."""
    state = state_of(planned.folder)
    message = read_error(planned.folder) if state == "failed" else ""
    if not (planned.folder / RUN_FILE).is_file():
        return RunProgress(state, message)
    try:
        run = open_run(planned.folder)
        if state == "begun":
            message = saved_so_far(planned, run)
    except (ClastError, *DAMAGED) as error:
        return RunProgress("failed", message or f"the run cannot be read ({error})")
    return RunProgress(state, message, run)


def saved_so_far(planned: PlannedRun, run: Run) -> str:
    """How much of a run that was begun there is."""
    if isinstance(planned.entry, Study):
        made = sum(":" not in name for name in run.tables)
        return f"{made} table{'s' if made != 1 else ''} made so far"
    times = run.series["time"]
    return f"saved up to t = {times[-1]:.4g}" if len(times) else "nothing is saved yet"
