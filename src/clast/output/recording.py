"""Run a scene and leave a run folder behind: samples of the book, frames, checkpoints, signals, progress."""

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from clast.backend.bind import is_compiled
from clast.dynamics.bodies.removal import may_remove
from clast.dynamics.engine import Engine, Snapshot, kernels_of
from clast.dynamics.gpu.devices import GPU, check_device
from clast.dynamics.runner import Every, run_stretches
from clast.errors import CellError, InputError, OverlapError, SpeedError, StoreError
from clast.keys import Key
from clast.laboratory.calls import calls_of
from clast.laboratory.simulation import Simulation
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.bonds import bond_arrays
from clast.measures.snapshots.contacts import carried, contact_arrays
from clast.measures.snapshots.flows import flows
from clast.measures.snapshots.walls import TOLERATED, dashpot_share
from clast.output.estimate import announcement
from clast.output.progress import Progress
from clast.output.space.solids import solid_arrays
from clast.output.store.checkpoint import read_mark
from clast.output.store.files import RUN_FILE
from clast.output.store.provenance import collect_provenance
from clast.output.store.reader import Run, open_run
from clast.output.store.writer import RunWriter
from clast.output.viewer.watched import Watch
from clast.scene.bonds import stored_bonds
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.stored import plane_arrays
from clast.shapes.plane.skeleton import Shape
from clast.shapes.space.solid import Solid

CHECKPOINT_SECONDS = 30.0
DEEP = 0.2  # of the mean sphero-radius of a pair: overlap during the run worth a warning
NOTABLE = 0.01  # of the sum of sphero-radii: overlap at the start worth a word
GPU_COMPILES = "compiling for the GPU, up to a minute the first time, then 2 to 4 s"
CHECKPOINT_BYTES = 64 << 20  # of frames waiting in memory

Extra = Callable[[Engine, Snapshot], Mapping[str, float]]
Conclude = Callable[[Run], Mapping[str, Any]]
Call = tuple[int, Callable[[Simulation], object]]  # steps between two calls, and the function
OnTheWay = Call | Sequence[Call]


class Interrupted(Exception):  # noqa: N818  (not a failure: the run was saved)
    """A signal ended the run; everything up to this step is on disk."""

    def __init__(self, folder: Path, step: int, time: float, signal_number: int) -> None:
        super().__init__(f"stopped at t = {time:.6g} (step {step}); saved in {folder}")
        self.folder, self.step, self.time, self.signal_number = folder, step, time, signal_number


class Samples(Every):
    """The book, and the `extra` quantities of an experiment, at regular steps."""

    def __init__(self, writer: RunWriter, interval: int, last: int, extra: Extra | None) -> None:
        super().__init__(interval, last)
        self.writer, self.extra = writer, extra

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Add a row to the series."""
        values = accounts(engine, snapshot)
        contacts = snapshot.contacts
        counted = (contacts.counts > 0.0) & (contacts.depths > 0.0)  # cohesive pairs across a gap are not contacts
        values["contacts"] = float(counted.sum())
        values["deepest_overlap"] = float(contacts.depths.max(initial=0.0))
        values["overlap_share"] = float((2.0 * contacts.depths / contacts.reaches).max(initial=0.0))
        values.update(carried(engine, snapshot))
        values.update(flows(engine))
        if snapshot.dashpots.any() or (snapshot.cell is not None and snapshot.cell.dashpots.any()):
            values["dashpot_share"] = dashpot_share(engine, snapshot)
        if self.extra is not None:
            values.update(self.extra(engine, snapshot))
        self.writer.add_sample(snapshot.step, snapshot.time, values)


class Frames(Every):
    """Positions, angles (orientations), velocities and contacts at regular steps; bodies in the order of the scene's ids."""

    def __init__(self, writer: RunWriter, interval: int, last: int, leaving: bool = False) -> None:
        super().__init__(interval, last)
        self.writer = writer
        self.leaving = leaving  # whether bodies may leave the run before its end

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Add a frame."""
        arrays = frame_arrays(snapshot, leaving=self.leaving or may_remove(engine))
        self.writer.add_frame(snapshot.step, snapshot.time, arrays)
        self.writer.add_contacts(snapshot.step, snapshot.time, contact_arrays(snapshot))


def frame_arrays(snapshot: Snapshot, *, leaving: bool) -> dict[str, np.ndarray]:
    """A frame as named arrays; where bodies may leave, which are present: those that were taken out keep their last place."""
    turns = "angles" if snapshot.dimension == 2 else "orientations"
    arrays = {name: getattr(snapshot, name) for name in ("positions", turns, "velocities", "spins")}
    if leaving:
        arrays["present"] = snapshot.present.astype(np.uint8)
    if snapshot.cell is not None:
        arrays["period"] = snapshot.period
        if snapshot.cell.sheared:
            arrays["offset"] = np.array([snapshot.offset])
    if snapshot.bonds is not None:
        arrays |= bond_arrays(snapshot.bonds)
    return arrays


class Called:
    """Functions of the user, called every so many steps; after samples and frames of the same step."""

    def __init__(self, simulation: Simulation, last: int) -> None:
        self.simulation, self.last = simulation, last

    def next_step(self, step: int) -> int | None:
        """The first step not before `step` at which a function is due."""
        due = self.simulation.calls.next_step(step - 1)
        return None if due is None or due > self.last else due

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Call them."""
        self.simulation.call_due(snapshot)


def run(
    scene: Scene | Scene3D,
    *,
    until: Annotated[float, Key("end of the run", "time", gt=0.0)],
    out: Path | str,
    dt: Annotated[float | None, Key("time step; the safe one if not given", "time", gt=0.0)] = None,
    integrator: Annotated[str, Key("how positions are stepped", form="integrator")] = "verlet",
    samples: Annotated[int, Key("rows of the series, about; at least 200 for an honest energy error", ge=1)] = 400,
    frames: Annotated[int, Key("stored configurations, about; 0 for none", ge=0)] = 100,
    alpha: Annotated[float | str, Key("how far lists of neighbours reach", "length", form="alpha")] = "auto",
    threads: Annotated[int | str, Key("number of threads; results do not depend on it", form="threads")] = 1,
    device: Annotated[
        str,
        Key("where steps are done: cuda is an NVIDIA GPU, auto takes it if it pays; results agree to rounding", form="device"),
    ] = "cpu",
    extra: Extra | None = None,
    every: OnTheWay = (),
    resume: bool = False,
    overwrite: bool = False,
    provenance: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    conclude: Conclude | None = None,
) -> Run:
    """Run `scene` to the time `until` and return the stored run, a `clast.Run`.

    out          folder of the run; an existing one is refused unless `resume` or `overwrite`
    dt           time step [time], or None for the safe one
    alpha        how far lists of neighbours reach [length], or "auto"; results do not depend on it
    threads      number of threads, or "auto"; results do not depend on it
    device       "cpu", or "cuda": steps run on an NVIDIA GPU (`pip install 'clast[cuda]'`); results agree to rounding. "auto"
                 takes the GPU where there is one and enough bodies move. A run may be resumed on another device
    integrator   "verlet", "gear4" or "gear5"
    samples      rows of the series, about; at least 200 for an honest energy error
    frames       stored configurations, about; 0 for none
    extra        further quantities of a sample: (engine, snapshot) → {name: number}; docs/names.md lists what a snapshot holds
    every        (steps, function), or a list of such pairs: function(simulation) is called at every multiple of so many steps,
                 and may look, change the run and stop it, see `clast.Simulation` and docs/laboratory.md
    resume       go on from the last checkpoint, or from the start if the run was killed before its first
    progress     where to show bar and sentences; None for the terminal or notebook, `clast.quiet()` for nowhere
    conclude     what to add to the result, from the complete series and frames, before the run counts as finished

    Raises `Interrupted` after Ctrl-C or SIGTERM, with everything saved; go on with `resume=True`. InputError, SceneError or
    StoreError for what cannot be run, before anything is written; a PhysicsError where the run leaves what the model can do.
    """
    for name, value in (("until", until), ("dt", dt)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number | None):
            raise InputError(f"{name} = {value!r} must be a number")
    if not (math.isfinite(until) and until > 0.0):
        raise InputError(f"until = {until} must be a positive time")
    if dt is not None and dt > 0.0:
        steps_until(until, dt)  # refused before a long compile
    check_device(device)
    shows_result = progress is None  # who brings a progress of his own tells the result himself
    progress = progress or Progress()
    folder = Path(out)
    if resume and overwrite:
        raise InputError("resume and overwrite contradict each other: choose one")
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file: choose another folder for the run")
    if (folder / RUN_FILE).exists() and not (resume or overwrite):
        raise StoreError(
            f"there is already a run in {folder}: continue it with resume=True (--resume) or replace it with overwrite=True "
            "(--overwrite)"
        )
    if not (folder / RUN_FILE).exists() and folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()):
        raise StoreError(f"{folder} holds other files and no run: choose another folder, so that nothing gets mixed up")
    if resume and read_mark(folder, open_run(folder).run_id) is None:
        progress.say(f"nothing was saved yet in {folder}: starting from the beginning")
        resume, overwrite = False, True
    if scene.bodies and not is_compiled(kernels_of(scene, integrator)):
        progress.say("compiling once, about 30 s")
    if device == GPU:
        progress.say(GPU_COMPILES)
    calls = calls_of(every)
    engine = Engine(scene, dt=dt, alpha=alpha, threads=threads, integrator=integrator, device=device)
    if engine.device == GPU != device:
        progress.say(f"on the GPU: {engine.device_reason}; {GPU_COMPILES}")
    end = steps_until(until, engine.dt)
    record = Recorder(engine, end, samples, frames, extra, conclude, progress, checkpoint_seconds)
    if calls:
        from clast.output.viewer.stepped import Simulation as Viewed  # which records frames as is done here

        record.simulation = Viewed.around(engine, calls)
    if resume:
        writer, checkpoint = RunWriter.resume(folder)
        with writer:
            if checkpoint.scalars.get("scene") != engine.identity:
                raise StoreError(f"the run in {folder} was made with another scene: resume with the same parameters")
            if checkpoint.scalars.get("scene_changes", 0):
                raise StoreError(
                    f"the scene of the run in {folder} was changed while it went on, which no checkpoint holds: start it again "
                    "with overwrite=True, or begin a new run where it stands"
                )
            engine.restore(dict(checkpoint.arrays), dict(checkpoint.scalars))
            record.announce(f"resumed at t = {engine.time:.6g}, ")
            record.carry_out(writer, resumed=True)
    else:
        report_overlaps(engine, progress)
        record.announce()
        facts = {**collect_provenance(), **(provenance or {}), "dt": engine.dt, "until": until}
        with RunWriter.create(folder, provenance=facts, scene=scene_arrays(scene), overwrite=overwrite) as writer:
            record.carry_out(writer, resumed=False)
    stored = open_run(folder)
    if shows_result:
        progress.say(merit(stored.result or {}))
    return stored


def merit(result: Mapping[str, Any]) -> str:
    """The figures of merit of a finished run, in one line; those that mean nothing for a study are left out."""
    steps, parts = result.get("steps"), []
    if result.get("cundall") is not None:
        parts.append(f"Cundall number {result['cundall']:.3g}/s")
    if steps and result.get("rebuilds") is not None:
        parts.append(f"{1000.0 * result['rebuilds'] / steps:.3g} rebuilds per 1000 steps")
    if result.get("energy_error") is not None:
        parts.append(f"energy error {result['energy_error']:.2g}")
    if result.get("overlap_share") is not None:
        parts.append(f"deepest overlap {result['overlap_share']:.2g} of the {radius_meant(bool(result.get('sharp')))}")
    counted = [(result[f"{name}s"], name) for name in ("grain", "step") if result.get(f"{name}s") is not None]
    cost = [f"{count} {name}{'s' if count != 1 else ''}" for count, name in counted]
    cost.append(f"{result.get('wall_s', 0.0):.3g} s")
    return f"{', '.join(parts)} ({', '.join(cost)})".lstrip()


def is_sharp(scene: Scene | Scene3D) -> bool:
    """Whether the bodies are sharp solids."""
    return isinstance(scene, Scene3D) and scene.sharp


def radius_meant(sharp: bool) -> str:
    """What overlaps are held against: of sharp solids, which have no sphero-radius, the radius of balls of their volume."""
    return "mean radius" if sharp else "sphero-radius"


@dataclass
class Recorder:
    """An engine on its way to the step `end`, with what is to be recorded and shown."""

    engine: Engine
    end: int
    samples: int
    frames: int
    extra: Extra | None
    conclude: Conclude | None
    progress: Progress
    checkpoint_seconds: float
    simulation: Simulation | None = None  # where functions of the user are called on the way

    def announce(self, prefix: str = "") -> None:
        """Say what is about to be computed."""
        engine = self.engine
        label = f"{self.progress.label}: " if self.progress.label else ""
        self.progress.say(f"{label}{prefix}{announcement(engine, self.end, self.samples, self.frames)}")
        self.progress.detail(f"device {engine.device}: {engine.device_reason}")
        self.progress.detail(f"threads {engine.threads}, alpha {engine.alpha:.3g}")
        if self.progress.verbose and (remark := engine.remark_on_law()):  # only then is machine code looked into
            self.progress.detail(remark)

    def carry_out(self, writer: RunWriter, *, resumed: bool) -> None:
        """Step to the end and finish the run, or save and raise `Interrupted` when a signal comes."""
        engine, end, progress = self.engine, self.end, self.progress
        outputs: list[Any] = [Samples(writer, end // max(self.samples, 1), end, self.extra)]
        if self.frames > 0:
            outputs.append(Frames(writer, end // self.frames, end, leaving=self.simulation is not None))
        recorded = [*outputs]
        if self.simulation is not None:
            outputs.append(Called(self.simulation, end))
        last_save = -math.inf  # a first checkpoint at once: from then on a kill loses nothing that was saved
        watch = Watch(writer.folder)

        def save(last: bool = False) -> None:
            nonlocal last_save
            began = time.monotonic()
            arrays, scalars = engine.checkpoint()
            if last:  # what a new scene may begin with (`Scene.from_run`): a checkpoint has springs of the step before
                now = engine.springs()
                arrays |= {"spring_now_key": now.key, "spring_now": now.memory}
            writer.checkpoint(engine.step, engine.time, arrays, {**scalars, "scene": engine.identity})
            last_save = time.monotonic()
            watch.saved(writer.last_step("frames"), last_save - began)
            progress.detail(f"saved at t = {engine.time:.6g} (step {engine.step})")

        def pause() -> None:
            progress.update(engine.step, end, engine.cundall)
            seen = watch.wants(writer.last_step("frames"))
            if seen or time.monotonic() - last_save > self.checkpoint_seconds or writer.pending_bytes > CHECKPOINT_BYTES:
                save()
            watch.wait(halted)

        def ended() -> bool:  # by a function of the user's
            return self.simulation is not None and self.simulation.stopped

        with signals() as signalled, progress:

            def halted() -> bool:
                return signalled() is not None or ended()

            try:
                finished = run_stretches(engine, end, outputs, resumed=resumed, pause=pause, stop=halted)
            except (OverlapError, SpeedError, CellError):  # the state before the failing step is good: keep what led to it
                save()
                raise
            if not finished and ended():
                finished = True
                record_last(engine, recorded)
            save(last=True)
        if not finished:
            raise Interrupted(writer.folder, engine.step, engine.time, signalled() or signal.SIGINT)
        self.finish(writer)

    def finish(self, writer: RunWriter) -> None:
        """Put the result beside the series. A kill in here leaves an unfinished run at its last step, to be resumed."""
        engine = self.engine
        stored = open_run(writer.folder)
        book = Book(stored.series["time"], stored.series)
        result = {
            "grains": engine.grains, "steps": engine.step, "wall_s": engine.seconds, "cundall": engine.cundall,
            "rebuilds": engine.rebuilds, "alpha": engine.alpha, "threads": engine.threads,
            "device": engine.device, "energy_error": book.energy_error,
        }  # fmt: skip
        result["overlap_share"] = share = float(stored.series["overlap_share"].max())
        sharp = is_sharp(engine.scene)
        if sharp:
            result["sharp"] = True
        if share > DEEP:
            self.progress.say(
                f"grains overlapped by up to {share:.0%} of their {radius_meant(sharp)}: that is another shape than you "
                "drew; stiffen the springs"
            )
        if "dashpot_share" in stored.series:
            result["dashpot_share"] = share = float(stored.series["dashpot_share"][len(stored.series["time"]) // 2 :].max())
            who = "wall dashpots" if engine.big.any() else "the dashpot of the cell"
            self.progress.say(
                f"{who} carried at most {share:.2%} of the load in the second half of the run"
                + (
                    ""
                    if share <= TOLERATED
                    else f": more than {TOLERATED:.0%}, so load more slowly or give a smaller Dashpot(coefficient)"
                )
            )
        concluded = self.conclude(stored) if self.conclude is not None else {}
        stored.close()
        writer.finish({**concluded, **result})


def record_last(engine: Engine, outputs: Sequence[Samples | Frames]) -> None:
    """Let outputs have the step at which a run was stopped, where it is none of theirs."""
    missed = [output for output in outputs if output.next_step(engine.step) != engine.step]
    snapshot = engine.snapshot() if missed else None
    if snapshot is not None:
        for output in missed:
            output.take(engine, snapshot)


def steps_until(until: float, dt: float) -> int:
    """Number of steps to a time; InputError if that is none."""
    steps = round(until / dt)
    if steps < 1:
        raise InputError(f"until = {until} is shorter than one time step of {dt:.6g}")
    return steps


@contextmanager
def signals() -> Iterator[Callable[[], int | None]]:
    """Turn Ctrl-C and SIGTERM into a question the loop can ask: which came, if any? A second is a KeyboardInterrupt."""
    came: int | None = None

    def note(number: int, _: object) -> None:
        nonlocal came
        if came is not None:
            raise KeyboardInterrupt
        came = number

    try:
        old = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: somebody else minds the signals
        old = {}
    try:
        yield lambda: came
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def report_overlaps(engine: Engine, progress: Progress, worst: int = 3) -> None:
    """Say which bodies overlap at the start and how deep; too deep is refused before anything is written."""
    engine.refuse_deep_overlap()
    contacts = engine.contacts()
    depths, shares = contacts.depths, contacts.depths / contacts.reaches
    counted = np.flatnonzero((contacts.counts > 0.0) & (depths > 0.0))
    if counted.size == 0:
        return
    deepest = counted[np.argsort(-depths[counted])][:worst]
    meant = engine.depth_held_against if is_sharp(engine.scene) else "the radii"
    which = ", ".join(
        f"{first}–{second} by {depths[k]:.3g} ({shares[k]:.1%} of {meant})"
        for k, (first, second) in zip(deepest, contacts.bodies[deepest], strict=True)
    )
    share = shares[deepest[0]]
    prepared = engine.scene.springs is not None  # a bed at rest overlaps a little everywhere
    tell = progress.say if share > NOTABLE and not prepared else progress.detail
    tell(f"{counted.size} contacts overlap at the start; the deepest: bodies {which}")


def scene_arrays(scene: Scene | Scene3D) -> dict[str, Any]:
    """The scene as named arrays, enough to draw it: shapes as ragged tables, bodies by id."""
    unique, which = scene.bodies.distinct("shape")
    mass, inertia = scene.masses()
    stored = shape_arrays(unique)
    stored["body_shape"] = which
    stored["body_mass"], stored["body_inertia"] = mass, inertia
    stored["body_big"] = scene.bodies.column("big")
    if isinstance(scene, Scene3D):
        stored |= solid_arrays(unique)
        stored["body_volume"] = np.array([solid.volume for solid in unique])[which]
    else:
        stored["body_area"] = np.array([shape.area for shape in unique])[which]
        stored |= plane_arrays(unique)
    return stored | {
        "body_name": scene.bodies.objects("name"),
        "body_material": scene.bodies.objects("material"),
        "period": np.array(scene.box.periods),
        "gravity": np.array(scene.gravity),
        **({} if isinstance(scene, Scene3D) else stored_bonds(scene.bonds)),
    }


def shape_arrays(unique: Sequence[Shape | Solid]) -> dict[str, Any]:
    """What shapes of the plane and solids have alike: vertices and edges, one shape after the other, and the radius."""
    return {
        "shape_vertices": np.concatenate([shape.vertices for shape in unique]),
        "shape_first_vertex": np.cumsum([0, *(len(shape.vertices) for shape in unique)]),
        "shape_edges": np.concatenate([shape.edges.reshape(-1, 2) for shape in unique]),
        "shape_first_edge": np.cumsum([0, *(len(shape.edges) for shape in unique)]),
        "shape_radius": np.array([shape.radius for shape in unique]),
        "shape_closed": np.array([shape.is_closed for shape in unique]),
    }
