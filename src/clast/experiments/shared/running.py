"""Run an experiment, from parameters to result.json and figures; on resume take up what is there."""

import dataclasses
import math
import shutil
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clast.dynamics.gpu.devices import AUTO
from clast.errors import ClastError, InputError, StoreError
from clast.experiments.experiment import Columns, Entry, Experiment, Parameters, Quantity, Study
from clast.experiments.shared.tables_apart import check_jobs, check_place, make_apart
from clast.output.progress import Progress, quiet
from clast.output.recording import CHECKPOINT_SECONDS
from clast.output.recording import run as run_scene
from clast.output.store.checkpoint import read_mark
from clast.output.store.provenance import collect_provenance
from clast.output.store.reader import Run, open_run
from clast.output.store.writer import TABLES_GROUP, RunWriter, replace_result, rewrite_run_file
from clast.scene_files.running import stored_begin

SAY_SECONDS = 1.0


@dataclass(frozen=True)
class Outcome:
    """A finished run, its numbers beside the paper's, and its figures."""

    run: Run
    quantities: list[Quantity]
    figures: list[Path]


def run_experiment(
    experiment: Entry,
    *,
    out: Path,
    size: str | None = None,
    given: Mapping[str, Any] | None = None,
    threads: int | str = 1,
    device: str = "cpu",
    jobs: int = 1,
    begin: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Outcome:
    """Run an experiment of either kind into `out`.

    size, given   the size ("quick" if None) and parameters on top of it. A resumed run keeps those it was started with;
                  InputError if others are given. A run that is finished already is not run again: it is judged by the rules
                  of this version, and drawn.
    device        "cpu", "cuda" or "auto" as for `clast.run`; InputError for "cuda" if it is a study that runs on the CPU only
    jobs          processes that make tables of a study beside each other; InputError where that cannot be
    begin         folder of a run of the same bodies, at whose last frame the bodies begin; a resumed run keeps the one it was
                  started with. InputError for a study
    resume        go on with what is there: a scene from its last checkpoint, a study with the tables that are missing

    Nothing is written before parameters and scene have been found good.
    """
    progress = progress or quiet()
    given = dict(given or {})
    check_jobs(experiment, jobs)
    check_place(experiment, device)
    if resume and overwrite:
        raise InputError("resume and overwrite contradict each other: choose one")
    if resume:
        stored = open_run(out)
        size, parameters = same_parameters(experiment, stored, size, given)
        begin = stored_begin(stored, begin)
    else:
        size = size or "quick"
        parameters = experiment.choose(size, given)
    about = {"experiment": experiment.name, "size": size, "parameters": parameters.model_dump()}
    facts = about if begin is None else {**about, "begin": str(begin)}
    if begin is not None and isinstance(experiment, Study):
        raise InputError(f"{experiment.name} is a study of several scenes: none of them can begin as another run")

    def conclude(run: Run) -> dict[str, Any]:
        quantities = [quantity.as_json() for quantity in experiment.evaluate(parameters, run)]
        merit = study_merit(experiment, parameters, run) if isinstance(experiment, Study) else {}
        return {**about, "paper": experiment.paper, "quantities": quantities, **merit}

    if resume and stored.finished and stored.result is not None:
        progress.say(f"the run in {out} is finished: it is judged and drawn again from what is stored")
        result = {**stored.result, **conclude(stored)}
        if result != stored.result:
            replace_result(Path(out), result)
        return draw(experiment, parameters, open_run(out))
    if isinstance(experiment, Study):
        if device == AUTO and not experiment.on_gpu:
            progress.detail("device cpu: the tests of this study run there")
        run = run_study(
            experiment, parameters, out=Path(out), threads=threads, device=device, jobs=jobs, resume=resume,
            overwrite=overwrite, about=about, progress=progress, conclude=conclude,
        )  # fmt: skip
        return draw(experiment, parameters, run)
    assert isinstance(experiment, Experiment)
    scene = experiment.build(parameters, progress) if experiment.shows_progress else experiment.build(parameters)
    if begin is not None:
        scene.begin_as(open_run(begin))
    plan = experiment.plan(parameters)
    run = run_scene(
        scene,
        until=plan.until,
        out=out,
        dt=plan.dt,
        alpha=plan.alpha,
        integrator=plan.integrator,
        threads=threads,
        device=device,
        samples=plan.samples,
        frames=plan.frames,
        extra=plan.extra,
        resume=resume,
        overwrite=overwrite,
        provenance=facts,
        progress=progress,
        checkpoint_seconds=checkpoint_seconds,
        conclude=conclude,
    )
    return draw(experiment, parameters, run)


def run_study(
    study: Study,
    parameters: Parameters,
    *,
    out: Path,
    threads: int | str,
    device: str,
    jobs: int,
    resume: bool,
    overwrite: bool,
    about: Mapping[str, Any],
    progress: Progress,
    conclude: Callable[[Run], Mapping[str, Any]],
) -> Run:
    """Make the tables of a study that are not there yet, judge them and finish the run."""
    if out.exists() and not out.is_dir():
        raise StoreError(f"{out} is a file: choose another folder for the run")
    wanted = study.tables_on(parameters, threads, device)
    fresh = not out.exists()
    if resume and read_mark(out, open_run(out).run_id) is None:
        resume, overwrite = False, True  # killed before it had begun
    if resume:
        writer, _ = RunWriter.resume(out)
    else:
        facts = {**collect_provenance(), **about}
        writer = RunWriter.create(out, provenance=facts, scene={}, overwrite=overwrite)
    with writer:
        if not resume:
            writer.checkpoint(0, 0.0, {}, {})
        there = open_run(out).tables
        missing = {name: make for name, make in wanted.items() if name not in there}
        try:
            if jobs > 1:
                make_apart(
                    study, parameters, list(missing), jobs=jobs, threads=threads, device=device, keep=writer.put_table,
                    progress=progress,
                )  # fmt: skip
            else:
                make_here(study, wanted, missing, writer, progress)
        except ClastError:
            if fresh and not open_run(out).tables:  # refused before anything was found: nothing half-written
                writer.close()
                shutil.rmtree(out)
            raise
        put_in_order(out, list(wanted))
        writer.finish(conclude(open_run(out)))
    return open_run(out)


def study_merit(study: Study, parameters: Parameters, run: Run) -> dict[str, Any]:
    """Figures of merit of a study, from its tables.

    A study that steps grains and does not say how fast it was gets the Cundall number of all it did: preparation, measures
    and tables included, so that it stays below that of the engine alone.
    """
    seconds = sum(table.seconds for table in run.tables.values())
    merit = study.merit(parameters, run)
    grains = merit.grains or 0
    if merit.cundall is None and grains > 1 and merit.steps and seconds > 0.0:  # one body led is not stepped
        stepped = grains * merit.steps if merit.grain_steps is None else merit.grain_steps
        merit = dataclasses.replace(merit, cundall=stepped / seconds)
    return {**dataclasses.asdict(merit), "wall_s": seconds}


def make_here(
    study: Study,
    wanted: Mapping[str, Callable[[], Columns]],
    missing: Mapping[str, Callable[[], Columns]],
    writer: RunWriter,
    progress: Progress,
) -> None:
    """Make the tables that are missing one after the other."""
    last_line = -math.inf
    for number, (name, make) in enumerate(wanted.items(), start=1):
        if name not in missing:
            continue
        progress.update(number - 1, len(wanted))
        began = time.perf_counter()
        if began - last_line > SAY_SECONDS:  # tables that take no time are not worth a line each
            progress.say(f"{study.name}: {name} ({number} of {len(wanted)})")
            last_line = began
        writer.put_table(name, make(), time.perf_counter() - began)


def put_in_order(out: Path, names: list[str]) -> None:
    """Have the tables of a run read back in the order the study lists them, whichever was made first."""
    if list(open_run(out).tables) == names:
        return

    def move(file: Any) -> None:
        group = file[TABLES_GROUP]
        for name in names:  # a link that is made anew is the last
            group.move(name, f"{name} moving")
            group.move(f"{name} moving", name)

    rewrite_run_file(out, move)


def draw(experiment: Entry, parameters: Parameters, run: Run) -> Outcome:
    """Figures and numbers of a run, from what is stored; of an unfinished run only the figures."""
    figures = list(experiment.figures(parameters, run, run.folder))
    stored = (run.result or {}).get("quantities", [])
    return Outcome(run, [Quantity.from_json(each) for each in stored], figures)


def stored_parameters(experiment: Entry, run: Run) -> tuple[str, Parameters]:
    """Size and parameters a run was started with; StoreError if it is a run of something else."""
    facts = run.provenance
    if facts.get("experiment") != experiment.name:
        raise StoreError(f"{run.folder} holds {facts.get('experiment', 'a run without experiment')}, not {experiment.name}")
    size = str(facts["size"])
    return size, experiment.choose(size, facts["parameters"])


def same_parameters(experiment: Entry, run: Run, size: str | None, given: Mapping[str, Any]) -> tuple[str, Parameters]:
    """Size and parameters of a run to be resumed; InputError if the user now gives others."""
    stored_size, stored = stored_parameters(experiment, run)
    if size is not None and size != stored_size:
        raise InputError(f"the run in {run.folder} was started with --size {stored_size}: a resumed run keeps it")
    wanted = experiment.choose(stored_size, {**stored.model_dump(), **given}).model_dump()
    for name, value in stored.model_dump().items():
        if wanted[name] != value:
            raise InputError(
                f"the run in {run.folder} was started with --{name.replace('_', '-')} {value}, not {wanted[name]}: "
                "a resumed run keeps its parameters"
            )
    return stored_size, stored


def __getattr__(name: str) -> Any:
    """The old name of `run_experiment`, for one version."""
    if name != "conduct":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("`conduct` is called `run_experiment` now", DeprecationWarning, stacklevel=2)
    return run_experiment
