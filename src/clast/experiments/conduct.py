"""Run an experiment from parameters to result.json and figures; on resume take up what is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clast.errors import InputError, StoreError
from clast.experiments.experiment import Experiment, Parameters, Quantity
from clast.output.progress import Progress, quiet
from clast.output.reader import Run, open_run
from clast.output.recording import CHECKPOINT_SECONDS
from clast.output.recording import run as run_scene


@dataclass(frozen=True)
class Outcome:
    """A finished run, its numbers beside the paper's, and its figures."""

    run: Run
    quantities: list[Quantity]
    figures: list[Path]


def conduct(
    experiment: Experiment,
    *,
    out: Path,
    size: str | None = None,
    given: Mapping[str, Any] | None = None,
    threads: int | str = 1,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Outcome:
    """Run an experiment into `out`.

    size, given   the size ("quick" if None) and parameters on top of it. A resumed run keeps those it was started with;
                  InputError if others are given. A run that is finished already is not run again, only drawn.

    Nothing is written before parameters and scene have been found good.
    """
    progress = progress or quiet()
    given = dict(given or {})
    if resume:
        stored = open_run(out)
        size, parameters = kept_parameters(experiment, stored, size, given)
        if stored.finished and stored.result is not None:
            progress.say(f"the run in {out} is finished: its figures are drawn again")
            return draw(experiment, parameters, stored)
    else:
        size = size or "quick"
        parameters = experiment.choose(size, given)
    scene = experiment.build(parameters)
    plan = experiment.plan(parameters)
    about = {"experiment": experiment.name, "size": size, "parameters": parameters.model_dump()}

    def conclude(run: Run) -> dict[str, Any]:
        quantities = [quantity.as_json() for quantity in experiment.evaluate(parameters, run)]
        return {**about, "paper": experiment.paper, "quantities": quantities}

    run = run_scene(
        scene,
        until=plan.until,
        out=out,
        dt=plan.dt,
        alpha=plan.alpha,
        threads=threads,
        samples=plan.samples,
        frames=plan.frames,
        extra=plan.extra,
        resume=resume,
        overwrite=overwrite,
        provenance=about,
        progress=progress,
        checkpoint_seconds=checkpoint_seconds,
        conclude=conclude,
    )
    return draw(experiment, parameters, run)


def draw(experiment: Experiment, parameters: Parameters, run: Run) -> Outcome:
    """Figures and numbers of a run, from what is stored; of an unfinished run only the figures."""
    figures = list(experiment.figures(parameters, run, run.folder))
    stored = (run.result or {}).get("quantities", [])
    return Outcome(run, [Quantity.from_json(each) for each in stored], figures)


def stored_parameters(experiment: Experiment, run: Run) -> tuple[str, Parameters]:
    """Size and parameters a run was started with; StoreError if it is a run of something else."""
    said = run.provenance
    if said.get("experiment") != experiment.name:
        raise StoreError(f"{run.folder} holds {said.get('experiment', 'a run without experiment')}, not {experiment.name}")
    size = str(said["size"])
    return size, experiment.choose(size, said["parameters"])


def kept_parameters(experiment: Experiment, run: Run, size: str | None, given: Mapping[str, Any]) -> tuple[str, Parameters]:
    """Size and parameters of a run to be resumed; InputError if the user now asks for others."""
    kept_size, kept = stored_parameters(experiment, run)
    if size is not None and size != kept_size:
        raise InputError(f"the run in {run.folder} was started with --size {kept_size}: a resumed run keeps it")
    asked = experiment.choose(kept_size, {**kept.model_dump(), **given}).model_dump()
    for name, value in kept.model_dump().items():
        if asked[name] != value:
            raise InputError(
                f"the run in {run.folder} was started with --{name.replace('_', '-')} {value}, not {asked[name]}: "
                "a resumed run keeps its parameters"
            )
    return kept_size, kept
