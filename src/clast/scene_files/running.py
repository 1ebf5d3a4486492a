"""Run a scene file: its text goes with the run, and a run is resumed only from the file it was started from."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from clast.errors import InputError, StoreError
from clast.output.progress import Progress, quiet
from clast.output.recording import CHECKPOINT_SECONDS
from clast.output.recording import run as run_scene
from clast.output.store.reader import Run, open_run
from clast.scene_files.declared import arguments
from clast.scene_files.reading import SceneFile
from clast.scene_files.schema_run import PLACE


def run_file(
    file: SceneFile,
    *,
    out: Path,
    begin: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Run:
    """Run a scene file into the folder `out`; one that is finished is not run again by `resume`.

    begin   folder of a run of the same bodies, at whose last frame the bodies begin; a resumed run keeps the one it had
    """
    progress = progress or quiet()
    if resume and overwrite:
        raise InputError("resume and overwrite contradict each other: choose one")
    if resume:
        stored = open_run(out)
        require_same(file, stored)
        begin = stored_begin(stored, begin)
        if stored.finished and file.run.until <= stored_settings(out)["until"]:
            progress.say(f"the run in {out} is finished: its figures are drawn again")
            return stored
    for remark in file.remarks:
        progress.say(remark)
    if begin is not None:
        file.scene.begin_as(open_run(begin))
    settings = file.run
    about = {"scene_file": file.path.name, "title": file.title, "parameters": settings.model_dump(exclude=set(PLACE))}
    texts = {"scene_text": file.text, "shape_texts": dict(file.shape_texts)}
    return run_scene(
        file.scene,
        **arguments(settings),
        out=out,
        resume=resume,
        overwrite=overwrite,
        provenance={**about, **texts, **({} if begin is None else {"begin": str(begin)})},
        progress=progress,
        checkpoint_seconds=checkpoint_seconds,
        conclude=lambda _: {**about, "quantities": []},
    )


def stored_begin(run: Run, begin: Path | None) -> Path | None:
    """The run that a run to be resumed began with; InputError if the user now gives another."""
    stored_name = run.provenance.get("begin")
    if begin is not None and str(begin) != stored_name:
        raise InputError(f"the run in {run.folder} was started with --from {stored_name}, not {begin}: a resumed run keeps it")
    return None if stored_name is None else Path(stored_name)


def stored_settings(folder: Path) -> dict[str, Any]:
    """The settings of [run] that a run of a scene file was started with; StoreError if it is a run of something else."""
    facts = open_run(folder).provenance
    if "scene_text" not in facts:
        raise StoreError(f"{folder} holds {facts.get('experiment', 'a run without a scene file')}, not a run of a scene file")
    return dict(facts["parameters"])


def require_same(file: SceneFile, stored: Run) -> None:
    """StoreError unless `stored` is a run of the same scene; comments, title and where it is done do not count."""
    for name, value in stored_settings(stored.folder).items():
        given = getattr(file.run, name)
        if given != value and not (name == "until" and given > value):  # a run may be lengthened
            raise InputError(
                f"the run in {stored.folder} was started with {name} = {value}, not {given}: a resumed run keeps its settings"
            )
    facts = stored.provenance
    before, now = essence(facts["scene_text"]), essence(file.text)
    changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    changed += [name for name, text in facts["shape_texts"].items() if file.shape_texts.get(name) != text]
    if changed:
        raise StoreError(
            f"the run in {stored.folder} was started from another scene ({', '.join(changed)} changed): resume it with the file "
            "as it was, or start anew with --overwrite"
        )


def essence(text: str) -> dict[str, Any]:
    """The tables of a scene file, without what changes no result."""
    tables = {key: value for key, value in tomllib.loads(text).items() if key not in ("title", "units")}
    return {**tables, "run": {key: value for key, value in tables.get("run", {}).items() if key not in PLACE}}
