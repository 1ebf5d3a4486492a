"""What a reproduction found, from the runs in a folder.

Everything comes from what the runs stored, so that a report can be written at any time, by anybody who has the folder, and is
always the same. Nothing in it shows who ran it or where: machines are named by processor and versions.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clast.experiments.experiment import Entry, Parameters
from clast.report.plan import PlannedRun, differing, folder_name, progress_of
from clast.report.views import VIEW_FILE
from clast.report.words import plain
from clast.sweeps.task import State

LACKING: dict[State, str] = {"failed": "failed", "begun": "not finished", "missing": "not run yet"}  # and how pages call it
ABSOLUTE = re.compile(r"(?<![\w.…/])[/~][^\s'\":,;]*/")  # a path up to its last name: where runs lie is nobody's business


@dataclass(frozen=True)
class ParameterValue:
    """A parameter of a run; `differs` from the value that the experiment has by itself."""

    name: str
    value: Any
    unit: str
    default: Any
    differs: bool


@dataclass(frozen=True)
class RunReport:
    """One run. What it does not know is None; pictures and view are paths within the folder of the report.

    label       what tells it from the experiment's other runs: "cow, 20 m"
    variant     the same for claims, whatever other runs there are: "cow-20", "" of an experiment's own parameters
    uncounted   of other parameters than the papers' figures: not counted among what agrees
    command     the command line that repeats it
    """

    name: str
    label: str
    state: State
    message: str
    command: str
    parameters: tuple[ParameterValue, ...]
    seeds: str
    variant: str = ""
    uncounted: bool = False
    quantities: tuple[dict[str, Any], ...] = ()
    pictures: tuple[str, ...] = ()
    view: str | None = None
    grains: int | None = None
    steps: int | None = None
    cundall: float | None = None
    energy_error: float | None = None
    wall_s: float | None = None
    date: str | None = None
    revision: str | None = None
    machine: str = ""
    versions: str = ""

    @property
    def judged(self) -> list[dict[str, Any]]:
        """Quantities that agree or do not."""
        return [each for each in self.quantities if each["agrees"] is not None]


@dataclass(frozen=True)
class Section:
    """One experiment with its runs. `caption` describes its pictures, in the order of their making."""

    name: str
    paper: str
    title: str
    claim: str
    caption: str
    runs: tuple[RunReport, ...]


@dataclass(frozen=True)
class Report:
    """All of it."""

    size: str
    sections: tuple[Section, ...]

    @property
    def runs(self) -> list[RunReport]:
        """Every run."""
        return [run for section in self.sections for run in section.runs]

    @property
    def machines(self) -> list[str]:
        """Machines of the finished runs, in words."""
        return sorted({run.machine for run in self.runs if run.machine})

    @property
    def versions(self) -> list[str]:
        """Versions that made them."""
        return sorted({run.versions for run in self.runs if run.versions})

    @property
    def dates(self) -> tuple[str, str] | None:
        """Days on which the first and the last of them were begun."""
        days = sorted(run.date[:10] for run in self.runs if run.date)
        return (days[0], days[-1]) if days else None

    @property
    def wall_s(self) -> float:
        """Seconds of all runs together, as if one after the other."""
        return sum(run.wall_s or 0.0 for run in self.runs)

    def count(self, state: State) -> int:
        """Runs of the papers' figures in a state."""
        return sum(run.state == state for run in self.runs if not run.uncounted)


def gather(plan: Sequence[PlannedRun], size: str, folder: Path) -> Report:
    """The report on these runs, as they are now."""
    grouped: dict[str, list[PlannedRun]] = {}
    for planned in plan:
        grouped.setdefault(planned.entry.name, []).append(planned)
    return Report(size, tuple(section_of(runs, folder) for runs in grouped.values()))


def section_of(plan: Sequence[PlannedRun], folder: Path) -> Section:
    """An experiment's part. What its pictures show stands in the docstring of the function that draws them."""
    entry = plan[0].entry
    caption = " ".join((inspect.getdoc(entry.figures) or "").split("\n\n")[0].split())
    varied = list(dict.fromkeys(name for planned in plan for name in planned.given))
    runs = tuple(report_run(planned, varied, folder) for planned in plan)
    return Section(entry.name, entry.paper, entry.title, entry.claim or entry.title, caption, runs)


def report_run(planned: PlannedRun, varied: Sequence[str], folder: Path) -> RunReport:
    """The report of one run; `varied` are the parameters in which it and the experiment's other runs may differ."""
    progress = progress_of(planned)
    entry, parameters = planned.entry, planned.parameters
    known = RunReport(
        name=planned.folder.name,
        label=label_of(planned, varied),
        state=progress.state,
        message=ABSOLUTE.sub("…/", progress.message),
        command=command_of(entry, planned.size, parameters),
        parameters=tuple(parameter_values(entry, parameters)),
        seeds=seeds_of(parameters),
        variant=variant_of(planned),
        uncounted=planned.uncounted,
    )
    run = progress.run
    if run is None:
        return known
    facts, result = run.provenance, run.result or {}
    run.close()
    pictures = sorted(planned.folder.glob("*.png"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    return dataclasses.replace(
        known,
        quantities=tuple(result.get("quantities", ())),
        pictures=tuple(path.relative_to(folder).as_posix() for path in pictures) if progress.state == "finished" else (),
        view=f"{planned.folder.name}/{VIEW_FILE}" if (planned.folder / VIEW_FILE).exists() else None,
        grains=result.get("grains"),
        steps=result.get("steps"),
        cundall=result.get("cundall"),
        energy_error=result.get("energy_error"),
        wall_s=result.get("wall_s"),
        date=facts.get("date"),
        revision=facts.get("revision"),
        machine=machine_in_words(facts.get("machine") or {}),
        versions=", ".join(f"{name} {each}" for name, each in (facts.get("versions") or {}).items() if each),
    )


def machine_in_words(machine: dict[str, Any]) -> str:
    """AMD EPYC, 2 cores, Linux on x86_64; the system's release and the host's name are nobody's business."""
    cores = machine.get("cores")
    system = str(machine.get("platform") or "").partition(" ")[0]
    words = [machine.get("cpu"), f"{cores} core{'s' if cores != 1 else ''}" if cores else None]
    words.append(f"{system} on {machine.get('architecture')}" if system else None)
    return ", ".join(str(word) for word in words if word)


def label_of(planned: PlannedRun, varied: Sequence[str]) -> str:
    """The parameters that tell runs apart, with units: "cow, 20 m"; numbers without a unit are named, "seed 3"."""
    words = []
    for name in varied:
        value, unit = getattr(planned.parameters, name), unit_of(planned.entry, name)
        bare = isinstance(value, int | float) and not unit
        words.append(f"{name.replace('_', ' ')} {plain(value)}" if bare else f"{plain(value)} {unit}".rstrip())
    return ", ".join([*words, *(["a run of your own"] if planned.uncounted else [])])


def variant_of(planned: PlannedRun) -> str:
    """What the experiment's own list of variants has for a run, as in the name of its folder: cow-20 for hopper-cow-20."""
    entry = planned.entry
    for given in entry.variants.get(planned.size, ({},)):
        if entry.choose(planned.size, given) == planned.parameters:
            return folder_name("", given).lstrip("-")
    return folder_name("", differing(entry, planned.size, planned.parameters)).lstrip("-")


def unit_of(entry: Entry, name: str) -> str:
    """Unit of a parameter."""
    extra = entry.parameters.model_fields[name].json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def parameter_values(entry: Entry, parameters: Parameters) -> list[ParameterValue]:
    """All parameters of a run beside the experiment's own."""
    found = []
    for name, value in parameters.model_dump().items():
        field = entry.parameters.model_fields[name]
        default = value if field.is_required() else field.get_default(call_default_factory=True)
        found.append(ParameterValue(name.replace("_", "-"), value, unit_of(entry, name), default, value != default))
    return found


def command_of(entry: Entry, size: str, parameters: Parameters) -> str:
    """The command line that repeats a run."""
    words = ["clast", "run", entry.name, "--size", size]
    for name, value in differing(entry, size, parameters).items():
        words += [f"--{name.replace('_', '-')}", plain(value)]
    return shlex.join(words)


def seeds_of(parameters: Parameters) -> str:
    """1, or 1 … 4 where an experiment takes several from its first."""
    first, number = parameters.seed, getattr(parameters, "seeds", 1)
    return f"{first} … {first + number - 1}" if isinstance(number, int) and number > 1 else str(first)
