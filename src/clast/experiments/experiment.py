"""What an experiment is: parameters, what is done with them, and what is made of it. One file each, one CLI command each.

Two kinds share their parameters, their judgement, their figures and the run folder they leave:

    Experiment   one scene, stepped once: series and frames
    Study        anything else (a contact led by hand, several scenes timed, pictures alone): named tables

Nothing heavy is imported here, so that `clast list` stays quick.
"""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clast.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from clast.dynamics.engine import Engine, Snapshot
    from clast.output.store.reader import Run
    from clast.scene.plane import Scene
    from clast.scene.space import Scene3D

Columns: TypeAlias = "Mapping[str, ArrayLike]"
Sizes: TypeAlias = Mapping[str, Mapping[str, Any]]  # by name of the size, what differs from the defaults
Variants: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]  # by size, what differs from it in each run


class Parameters(BaseModel):
    """Parameters every experiment has; each is an option of the command line."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    seed: int = Field(1, ge=0, description="seed of every random choice")


def parameter(default: Any, description: str, unit: str = "", **limits: Any) -> Any:
    """A parameter with its unit."""
    return Field(default, description=description, json_schema_extra={"unit": unit}, **limits)


@dataclass(frozen=True)
class Plan:
    """How a run is stepped and recorded. Times in the scene's unit."""

    dt: float
    until: float
    samples: int = 400
    frames: int = 100
    alpha: float | str = "auto"
    integrator: str = "verlet"
    extra: Callable[[Engine, Snapshot], Mapping[str, float]] | None = None


@dataclass(frozen=True)
class Quantity:
    """A number beside the paper's. `agrees` is None where the paper gives none; errors are standard errors, None if unknown."""

    name: str
    measured: float
    unit: str = ""
    published: float | None = None
    agrees: bool | None = None
    note: str = ""
    error: float | None = None
    published_error: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data for result.json, which knows no NaN: what was not measured is null and agrees with nothing."""
        stored = dataclasses.asdict(self)
        if self.error is None or not math.isfinite(self.error):
            stored["error"] = None
        return stored if math.isfinite(self.measured) else {**stored, "measured": None, "agrees": None}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Quantity:
        """The quantity that `as_json` wrote."""
        measured = stored["measured"]
        return cls(**{**stored, "measured": math.nan if measured is None else measured})


@dataclass(frozen=True)
class Merit:
    """Figures of merit of a study for result.json; None where they mean nothing. `grain_steps` is the sum of grains over all
    steps, where their number is not that of `grains` all along."""

    grains: int | None = None
    steps: int | None = None
    cundall: float | None = None
    energy_error: float | None = None
    grain_steps: int | None = None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the two kinds have in common: a line of `clast list`, its parameters, judgement and figures.

    claim      the paper's statement, in a few words; left out where the title states it
    variants   by size, the parameters of each run that `clast reproduce` makes, on top of the size; by default one with none
    """

    name: str
    paper: str
    title: str
    claim: str = ""
    sizes: Sizes = field(default_factory=lambda: {"quick": {}, "full": {}})
    variants: Variants = field(default_factory=dict)
    parameters: type[Parameters]
    evaluate: Callable[[Any, Run], Sequence[Quantity]]
    figures: Callable[[Any, Run, Path], Sequence[Path]]

    def choose(self, size: str, given: Mapping[str, Any]) -> Parameters:
        """Parameters of a size with the user's own on top; InputError names the bad one."""
        if size not in self.sizes:
            raise InputError(f"{self.name}: there is no size '{size}'; choose one of {', '.join(self.sizes)}")
        try:
            return self.parameters(**{**self.sizes[size], **given})
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"]).replace("_", "-")
            if first["type"] == "extra_forbidden":
                known = ", ".join(each.replace("_", "-") for each in self.parameters.model_fields)
                raise InputError(f"{self.name} has no parameter --{name}; it has: {known}") from None
            raise InputError(f"{self.name}: --{name} {first['input']}: {first['msg'].lower()}") from None


@dataclass(frozen=True, kw_only=True)
class Experiment(Entry):
    """One scene, run once.

    build   parameters → scene; takes the progress too if `shows_progress` is set, because building takes long
    """

    build: Callable[..., Scene | Scene3D]
    shows_progress: bool = False
    plan: Callable[[Any], Plan]


@dataclass(frozen=True, kw_only=True)
class Study(Entry):
    """Work that leaves tables: columns of equal length by name, `run.tables["cows"]["grains"]`.

    tables   (parameters, threads) → name of each table and the function that makes it. They are made one after the other
             and kept at once, so that a study that was stopped goes on with the table it was at; no table may need another
    merit    (parameters, run) → what stands beside the quantities in result.json
    timed    it measures how long something takes, so nothing may run beside it
    on_gpu   its tests are long enough for a GPU: `tables` takes the device as its third argument
    """

    tables: Callable[..., Mapping[str, Callable[[], Columns]]]
    merit: Callable[[Any, Run], Merit] = lambda _parameters, _run: Merit()
    timed: bool = False
    on_gpu: bool = False

    def tables_on(self, parameters: Parameters, threads: int | str, device: str) -> Mapping[str, Callable[[], Columns]]:
        """The tables, made by so many threads, or on a GPU where the study can."""
        return self.tables(parameters, threads, device) if self.on_gpu else self.tables(parameters, threads)


def read_headline(source: Path) -> tuple[str, str]:
    """Paper and title from the text of an experiment's file, without importing it (which takes numba and a second)."""
    for statement in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            if [ast.unparse(target) for target in statement.targets] != ["EXPERIMENT"]:
                continue
            keywords = {each.arg: each.value for each in statement.value.keywords}
            return ast.literal_eval(keywords["paper"]), ast.literal_eval(keywords["title"])
    raise ValueError(f"{source} defines no EXPERIMENT = Experiment(paper=…, title=…) or Study(…)")
