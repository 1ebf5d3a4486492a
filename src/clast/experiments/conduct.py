"""Run an experiment from parameters to result.json: scene, run, figures, table."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clast.errors import StoreError
from clast.experiments.experiment import Experiment, Quantity
from clast.output.atomic import write_text
from clast.output.progress import Progress
from clast.output.reader import Run, open_run
from clast.output.recording import run as run_scene


def conduct(
    experiment: Experiment,
    *,
    size: str = "quick",
    given: Mapping[str, Any] | None = None,
    out: Path,
    threads: int | str = 1,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> tuple[Run, list[Quantity]]:
    """Run an experiment into `out`; returns the run and its quantities. On resume the stored parameters are taken."""
    given = dict(given or {})
    if resume:
        stored = open_run(out).provenance
        if stored.get("experiment") != experiment.name:
            raise StoreError(f"{out} holds {stored.get('experiment', 'a run without experiment')}, not {experiment.name}")
        size, given = stored["size"], {**stored["parameters"], **given}
    parameters = experiment.choose(size, given)
    scene = experiment.build(parameters)
    plan = experiment.plan(parameters)
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
        provenance={"experiment": experiment.name, "size": size, "parameters": parameters.model_dump()},
        progress=progress,
    )
    quantities = list(experiment.evaluate(parameters, run))
    experiment.figures(parameters, run, out)
    result = {
        "experiment": experiment.name,
        "paper": experiment.paper,
        "size": size,
        "parameters": parameters.model_dump(),
        **(run.result or {}),
        "quantities": [dataclasses.asdict(quantity) for quantity in quantities],
    }
    write_text(out / "result.json", json.dumps(result, indent=2, ensure_ascii=False))
    return open_run(out), quantities
