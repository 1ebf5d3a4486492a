"""Run a scene and leave a run folder behind: samples of the book, frames, checkpoints, signals, progress."""

import hashlib
import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.runner import Every, run_stretches
from clast.errors import InputError, StoreError
from clast.measures.book import Book, accounts
from clast.output.progress import Progress, quiet
from clast.output.provenance import collect_provenance
from clast.output.reader import Run, open_run
from clast.output.store import RunWriter
from clast.scene.scene import Scene

CHECKPOINT_SECONDS = 30.0
CHECKPOINT_BYTES = 64 << 20  # of frames waiting in memory

Extra = Callable[[Engine, Snapshot], Mapping[str, float]]


class Interrupted(Exception):  # noqa: N818  (not a failure: the run was saved)
    """A signal ended the run; everything up to this step is on disk."""

    def __init__(self, folder: Path, step: int, time: float) -> None:
        super().__init__(f"stopped at t = {time:.6g} (step {step}); saved in {folder}")
        self.folder, self.step = folder, step


class Samples(Every):
    """The book, and whatever else an experiment asks for, at regular steps."""

    def __init__(self, writer: RunWriter, interval: int, last: int, extra: Extra | None) -> None:
        super().__init__(interval, last)
        self.writer, self.extra = writer, extra

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Add a row to the series."""
        values = accounts(engine, snapshot)
        counted = snapshot.integers[:, 5] > 0
        values["contacts"] = float(counted.sum())
        values["deepest_overlap"] = float(snapshot.floats[:, 0].max(initial=0.0))
        if self.extra is not None:
            values.update(self.extra(engine, snapshot))
        self.writer.add_sample(snapshot.step, snapshot.time, values)


class Frames(Every):
    """Positions, angles and velocities at regular steps, in the order of the scene's ids."""

    def __init__(self, writer: RunWriter, interval: int, last: int) -> None:
        super().__init__(interval, last)
        self.writer = writer

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Add a frame."""
        back = np.argsort(engine.order)
        body = snapshot.state.body[back]
        self.writer.add_frame(
            snapshot.step,
            snapshot.time,
            {
                "positions": body[:, 0:2],
                "angles": snapshot.state.angle[back],
                "velocities": body[:, 4:6],
                "spins": body[:, 6],
            },
        )


def run(
    scene: Scene,
    *,
    until: float,
    out: Path | str,
    dt: float | None = None,
    alpha: float | str = "auto",
    threads: int | str = 1,
    samples: int = 400,
    frames: int = 100,
    extra: Extra | None = None,
    resume: bool = False,
    overwrite: bool = False,
    provenance: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Run:
    """Run `scene` to the time `until` and return the stored run.

    out          folder of the run; an existing one is refused unless `resume` or `overwrite`
    dt           time step, or None for the safe one
    samples      rows of the series, about; at least 200 for an honest energy error
    frames       stored configurations, about; 0 for none
    extra        further quantities of a sample: (engine, snapshot) → {name: number}

    Raises `Interrupted` after Ctrl-C or SIGTERM, with everything saved; go on with `resume=True`.
    """
    if not (math.isfinite(until) and until > 0.0):
        raise InputError(f"until = {until} must be a positive time")
    progress = progress or quiet()
    folder = Path(out)
    if resume and overwrite:
        raise InputError("resume and overwrite contradict each other: choose one")
    if folder.exists() and (folder / "run.h5").exists() and not (resume or overwrite):
        raise StoreError(
            f"there is already a run in {folder}: continue it with --resume or replace it with --overwrite"
        )
    progress.announce("compiling" if not resume else "resuming")
    engine = Engine(scene, dt=dt, alpha=alpha, threads=threads)
    report_overlaps(engine, progress)
    end = round(until / engine.dt)
    if resume:
        writer, checkpoint = RunWriter.resume(folder)
        with writer:
            if checkpoint.scalars.get("scene") != fingerprint(engine):
                raise StoreError(f"the run in {folder} was made with another scene: resume with the same parameters")
            engine.restore(dict(checkpoint.arrays), dict(checkpoint.scalars))
            _record(engine, writer, end, samples, frames, extra, True, progress, checkpoint_seconds)
    else:
        facts = {**collect_provenance(), **(provenance or {}), "dt": engine.dt, "until": until}
        with RunWriter.create(folder, provenance=facts, scene=scene_arrays(scene), overwrite=overwrite) as writer:
            _record(engine, writer, end, samples, frames, extra, False, progress, checkpoint_seconds)
    return open_run(folder)


def _record(
    engine: Engine,
    writer: RunWriter,
    end: int,
    samples: int,
    frames: int,
    extra: Extra | None,
    resumed: bool,
    progress: Progress,
    checkpoint_seconds: float,
) -> None:
    outputs: list[Any] = [Samples(writer, end // max(samples, 1), end, extra)]
    if frames > 0:
        outputs.append(Frames(writer, end // frames, end))
    mark = fingerprint(engine)
    last_save = -math.inf  # a first checkpoint at once: from then on a kill loses nothing that was saved

    def save() -> None:
        nonlocal last_save
        arrays, scalars = engine.checkpoint()
        writer.checkpoint(engine.step, engine.time, arrays, {**scalars, "scene": mark})
        last_save = time.monotonic()

    def pause() -> None:
        progress.update(engine.step, end, engine.cundall)
        if time.monotonic() - last_save > checkpoint_seconds or writer.pending_bytes > CHECKPOINT_BYTES:
            save()

    with signals() as stop, progress:
        finished = run_stretches(engine, end, outputs, resumed=resumed, pause=pause, stop=stop)
    save()
    if not finished:
        raise Interrupted(writer.folder, engine.step, engine.time)
    stored = open_run(writer.folder)
    book = Book(stored.series["time"], stored.series)
    writer.finish(
        {
            "grains": engine.moving, "steps": engine.step, "wall_s": engine.seconds, "cundall": engine.cundall,
            "rebuilds": engine.rebuilds, "alpha": engine.alpha, "threads": engine.threads, "energy_error": book.energy_error,
        }
    )  # fmt: skip


@contextmanager
def signals() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C and SIGTERM into a question the loop can ask; a second Ctrl-C is the ordinary one."""
    asked = False

    def ask(number: int, _: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    try:
        old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: somebody else minds the signals
        old = {}
    try:
        yield lambda: asked
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def report_overlaps(engine: Engine, progress: Progress, worst: int = 3) -> None:
    """Say which bodies overlap at the start and how deep; deep ones are refused by the first step."""
    integers, floats = engine.contact_table(engine.state)
    counted = np.flatnonzero(integers[:, 5] > 0)
    if engine.step > 0 or counted.size == 0:
        return
    deepest = counted[np.argsort(-floats[counted, 0])][:worst]
    which = ", ".join(
        f"{engine.order[integers[k, 0]]}–{engine.order[integers[k, 1]]} by {floats[k, 0]:.3g} ({floats[k, 0] / floats[k, 12]:.1%} of the radii)"
        for k in deepest
    )
    progress.say(f"{counted.size} contacts overlap at the start; the deepest: bodies {which}")


def fingerprint(engine: Engine) -> str:
    """A hash of everything constant in a run: a checkpoint goes with one scene only."""
    digest = hashlib.sha256()
    for part in (engine.geometry, engine.model, engine.tags):
        for array in part:
            digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(f"{engine.dt!r} {engine.scene.onset} {engine.scene.counting}".encode())
    return digest.hexdigest()


def scene_arrays(scene: Scene) -> dict[str, Any]:
    """The scene as named arrays, enough to draw it: shapes as ragged tables, bodies by id."""
    shapes: dict[int, int] = {}
    unique = []
    for body in scene.bodies:
        if id(body.shape) not in shapes:
            shapes[id(body.shape)] = len(unique)
            unique.append(body.shape)
    return {
        "shape_vertices": np.concatenate([shape.vertices for shape in unique]),
        "shape_first_vertex": np.cumsum([0, *(len(shape.vertices) for shape in unique)]),
        "shape_edges": np.concatenate([shape.edges.reshape(-1, 2) for shape in unique]),
        "shape_first_edge": np.cumsum([0, *(len(shape.edges) for shape in unique)]),
        "shape_radius": np.array([shape.radius for shape in unique]),
        "shape_closed": np.array([shape.is_closed for shape in unique]),
        "body_shape": np.array([shapes[id(body.shape)] for body in scene.bodies]),
        "body_mass": np.array([body.mass for body in scene.bodies]),
        "body_inertia": np.array([body.inertia for body in scene.bodies]),
        "body_big": np.array([body.big for body in scene.bodies]),
        "period": np.array([scene.box.period_x, scene.box.period_y]),
        "gravity": np.array(scene.gravity),
    }
