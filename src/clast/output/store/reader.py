"""Reading a run back: finished, still running, killed or packed, all the same.

A `Run` is what was committed at the moment it was opened; open it again to see more of a run that goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from clast.errors import StoreError
from clast.measures.book import Book
from clast.output.store.checkpoint import Checkpoint, Mark, read_checkpoint, read_mark
from clast.output.store.files import FORMAT, PACKED_GROUP, RUN_FILE, open_file, part_path
from clast.output.store.part import CONTACTS, FRAMES, SERIES, TABLES, names_in
from clast.output.store.values import Array
from clast.output.store.writer import TABLES_GROUP, lies_in_space

if TYPE_CHECKING:
    from clast.output.viewer.notebook import View

_OPEN_FILES = 4


class PartFiles:
    """The committed parts of a run in order; the last few used stay open."""

    def __init__(self, folder: Path, run_id: str, packed: int, parts: int) -> None:
        inside = [(folder / RUN_FILE, True)] if packed else []
        self._sources = inside + [(part_path(folder, number), False) for number in range(packed, parts)]
        self._run_id = run_id
        self._files: dict[int, Any] = {}
        # One pass over the parts, which may be many: table -> [(part, steps, times)], and the names of its arrays.
        self.rows: dict[str, list[tuple[int, Array, Array]]] = {table: [] for table in TABLES}
        self.names: dict[str, tuple[str, ...]] = dict.fromkeys(TABLES, ())
        for k in range(len(self)):
            part = self[k]
            for table in [each for each in TABLES if each in part]:
                self.rows[table].append((k, part[table]["step"][...], part[table]["time"][...]))
                self.names[table] = names_in(part[table])

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, index: int) -> Any:
        """The HDF5 group of a part. StoreError if its file has gone since the run was opened."""
        path, inside = self._sources[index]
        file = self._files.pop(index, None)
        if file is None:
            if not path.exists():
                raise StoreError(f"{path} is missing: it was removed, or the run was packed meanwhile (open it again)")
            file = open_file(path, "run" if inside else "part", self._run_id)
        self._files[index] = file  # last in the dict: most recently used
        if len(self._files) > _OPEN_FILES:
            self._files.pop(next(iter(self._files))).close()
        return file[PACKED_GROUP] if inside else file

    def close(self) -> None:
        """Close the files; they open again when needed."""
        for file in self._files.values():
            file.close()
        self._files.clear()


class Series(Mapping[str, Array]):
    """Quantities over all samples of a run: `series["kinetic"]` is a float64 array (samples,); "step", "time" too."""

    def __init__(self, files: PartFiles) -> None:
        self._files = files
        self.names = files.names[SERIES]
        self._loaded: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self.names and name not in ("step", "time"):
            raise KeyError(f"no series {name!r}; there are: {', '.join((*self.names, 'step', 'time'))}")
        if not self._loaded:
            self._load()
        return self._loaded[name]

    def _load(self) -> None:
        """Read all series in one pass: a long run has thousands of parts, and each is opened once only."""
        pieces: dict[str, list[Array]] = {name: [] for name in self}
        for k, _, _ in self._files.rows[SERIES]:
            table = self._files[k][SERIES]
            for name, found in pieces.items():
                found.append(table[name][...])
        for name, found in pieces.items():
            empty = np.empty(0, np.int64 if name == "step" else np.float64)
            self._loaded[name] = np.concatenate(found) if found else empty

    def __iter__(self) -> Iterator[str]:
        return iter(("step", "time", *self.names))

    def __len__(self) -> int:
        return len(self.names) + 2

    def __repr__(self) -> str:
        return f"<series of {counted(len(self['step']), 'sample')}: {', '.join(self)}>"


class Instant:
    """Stored arrays of one step. They are attributes (`frame.positions`) or items, read when first used."""

    def __init__(self, run: Run, table: str, part: int, row: int, step: int, time: float) -> None:
        self._run, self._files, self._table, self._part, self._row = run, run._files, table, part, row
        self._arrays: dict[str, Array] = {}
        self.step = step
        self.time = time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the stored arrays."""
        return self._files.names[self._table]

    def __getitem__(self, name: str) -> Array:
        if name not in self._arrays:
            if name not in self.names:
                raise KeyError(f"no array {name!r} at step {self.step}; there are: {', '.join(self.names)}")
            group = self._files[self._part][self._table]
            if self._table == CONTACTS:
                begin, end = group["offsets"][self._row : self._row + 2]
                self._arrays[name] = group[name][begin:end]
            else:
                self._arrays[name] = np.asarray(group[name][self._row])
        return self._arrays[name]

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names]

    def __repr__(self) -> str:
        return f"<{self._table} at step {self.step}, t = {self.time:g}: {', '.join(self.names)}>"


class Frame(Instant):
    """Bodies at an instant, row k the one with id k; names, shapes and units are those of a snapshot (`clast.dynamics.named`).

    positions (n, 2 or 3) [m]; angles (n,) [rad], in space orientations (n, 4), quaternions w x y z; velocities (n, 2 or 3)
    [m/s]; spins [rad/s], (n,), in space (n, 3) about the axes of the world. A body that was taken out keeps its last place.
    """

    @property
    def present(self) -> Array:
        """Bodies (n,) bool that take part: not taken out of the run."""
        return np.asarray(self["present"] != 0) if "present" in self.names else np.ones(len(self["positions"]), bool)

    @property
    def absent(self) -> Array:
        """The others (n,)."""
        return ~self.present

    @property
    def period(self) -> Array:
        """Lengths of the periodic cell (2 or 3,) [m], 0 where a side is open."""
        return self["period"] if "period" in self.names else np.asarray(self._run.scene["period"])

    @property
    def offset(self) -> float:
        """By which images one period up lie further along x [m], never wrapped; 0 in a cell that stands upright."""
        return float(self["offset"][0]) if "offset" in self.names else 0.0

    @property
    def contacts(self) -> ContactFrame:
        """What touched at this instant. StoreError if that was not stored."""
        contacts = self._run.contacts
        at = int(np.searchsorted(contacts.steps, self.step))
        if at == len(contacts) or contacts.steps[at] != self.step:
            raise StoreError(f"the contacts at step {self.step} were not stored")
        return contacts[at]


class ContactFrame(Instant):
    """Contacts at an instant, one row each, by names that a snapshot has too (`clast.dynamics.named_contacts`), in single
    precision: bodies, points, normals, forces, first_arms, second_arms, depths, counts, features; springs, in space shears.
    """

    def __len__(self) -> int:
        return len(self["bodies"])

    @property
    def first(self) -> Array:
        """Ids (k,) of the bodies that probe."""
        return self["bodies"][:, 0]

    @property
    def second(self) -> Array:
        """Ids (k,) of the bodies that are probed."""
        return self["bodies"][:, 1]

    @property
    def branches(self) -> Array:
        """From the centre of the first body to that of the second, or of its image that is met (k, d) [m]."""
        return self["first_arms"] - self["second_arms"]


Kind = TypeVar("Kind", bound=Instant)


class Frames(Sequence[Kind]):
    """All frames (or contact tables) of a run: `frames[i]`, `frames[-1]`, `frames[::10]`, iteration.

    `times` (k,) and `steps` (k,) tell when they were taken.
    """

    def __init__(self, run: Run, table: str, kind: type[Kind]) -> None:
        self._run, self._table, self._kind = run, table, kind
        rows = run._files.rows[table]
        self.steps: Array = np.concatenate([np.empty(0, np.int64), *(steps for _, steps, _ in rows)])
        self.times: Array = np.concatenate([np.empty(0), *(times for _, _, times in rows)])
        self._where = [(part, row) for part, steps, _ in rows for row in range(len(steps))]

    def __len__(self) -> int:
        return len(self._where)

    @overload
    def __getitem__(self, index: int) -> Kind: ...
    @overload
    def __getitem__(self, index: slice) -> list[Kind]: ...
    def __getitem__(self, index: int | slice) -> Kind | list[Kind]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no {self._table}[{index}]: the run has {len(self)}")
        part, row = self._where[index]
        return self._kind(self._run, self._table, part, row, int(self.steps[index]), float(self.times[index]))


class NamedColumns(Mapping[str, Array]):
    """Columns (k,) by name; KeyError names those that there are. `where` is where they stand, for that sentence."""

    def __init__(self, where: str, columns: dict[str, Array]) -> None:
        self._where, self._columns = where, columns

    def __getitem__(self, column: str) -> Array:
        if column not in self._columns:
            raise KeyError(f"no column {column!r} in {self._where}; there are: {', '.join(self._columns)}")
        return self._columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class StudyTable(NamedColumns):
    """A table of a study: `table["cundall"]` is a column (k,). `seconds` is the time it took to make."""

    def __init__(self, name: str, columns: dict[str, Array], seconds: float) -> None:
        super().__init__(f"table {name!r}", columns)
        self.name, self.seconds = name, seconds

    @property
    def rows(self) -> int:
        """Length of the columns."""
        return len(next(iter(self._columns.values())))


class Run:
    """A run on disk, for reading. Attributes: folder, provenance, scene, series, frames, contacts, tables, checkpoint,
    result, finished. Made by `open_run`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with open_file(folder / RUN_FILE, "run") as file:
            self.run_id = str(file.attrs["run_id"])
            self.format_version = int(file.attrs["format_version"])
            self.provenance: dict[str, Any] = json.loads(file["provenance"].asstr()[()])
            packed, parts = int(file.attrs["packed"]), int(file.attrs["parts"])
            finished_step = file.attrs.get("finished_step")
            result = json.loads(file["result"].asstr()[()]) if "result" in file else None
        self._mark: Mark | None = read_mark(folder, self.run_id)
        # No checkpoint but parts known to run.h5: someone removed it to save room, or moved a packed run.h5 alone.
        count = max(packed, self._mark.parts) if self._mark else parts
        self.finished = finished_step is not None and (self._mark is None or self._mark.step == finished_step)
        self.result: dict[str, Any] | None = result if self.finished else None
        self._files = PartFiles(folder, self.run_id, packed, count)
        self.series = Series(self._files)
        self.frames = Frames(self, FRAMES, Frame)
        self.contacts = Frames(self, CONTACTS, ContactFrame)

    @cached_property
    def scene(self) -> dict[str, Any]:
        """The scene as it was handed over: arrays, numbers, text, by name."""
        with open_file(self.folder / RUN_FILE, "run", self.run_id) as file:
            group = file["scene"]
            arrays = {name: dataset[...] for name, dataset in group.get("arrays", {}).items()}
            return {**arrays, **json.loads(group["scalars"].asstr()[()])}

    @property
    def in_space(self) -> bool:
        """Whether the bodies are solids: frames then hold positions (n, 3), orientations (n, 4), velocities and spins (n, 3)."""
        return lies_in_space(self.scene)

    @cached_property
    def tables(self) -> dict[str, StudyTable]:
        """The tables of a study, `run.tables["name"]["column"]`, in the order they were made; none where a scene was run."""
        with open_file(self.folder / RUN_FILE, "run", self.run_id) as file:
            return {
                name: StudyTable(name, {column: data[...] for column, data in group.items()}, float(group.attrs["seconds"]))
                for name, group in file.get(TABLES_GROUP, {}).items()
            }

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The last checkpoint, read anew (it may be large); None if nothing was saved. StoreError if it is damaged."""
        return read_checkpoint(self.folder, self.run_id)

    @property
    def book(self) -> Book:
        """The energy accounts over the run: `run.book.residual`, `run.book.energy_error`, `run.book.plot()`."""
        return Book(self.series["time"], self.series)

    def plot(self, *frames: int, **looks: Any) -> Any:
        """A figure of some frames side by side, `run.plot(0, -1)`; of the last if none is named.

        looks   color="pressure", crop=(left, right, bottom, top), walls=("floor",), forces=True, bonds=True: see docs/pictures.md
        """
        if looks:
            from clast.output.figures.picture import Looks, picture

            return picture(self, frames or (-1,), Looks(**looks))
        from clast.output.figures.plane import frames_figure

        return frames_figure(self, [range(len(self.frames))[index] for index in frames or (-1,)])

    def view(self, height: int = 560, frames: int = 200) -> View:
        """The run to look at, in the cell of a notebook: played, turned, coloured; `run.view().save("run.html")` for one file.

        height   of the cell (pixels)
        frames   that are kept at most, evenly chosen
        """
        from clast.output.viewer.notebook import View

        return View(self, height, frames)

    def close(self) -> None:
        """Close the part files; they open again when needed."""
        self._files.close()

    def _repr_html_(self) -> str:
        from clast.output.figures.notebook import run_html

        return run_html(self)

    def __repr__(self) -> str:
        if self.finished:
            state = "finished"
        elif self._mark is None:
            state = "started, nothing saved yet"
        else:
            state = "not finished (running, or stopped and to be continued with --resume)"
        lines = [f"run {self.folder} ({FORMAT} {self.format_version})", f"  state     {state}"]
        for name, table in self.tables.items():
            lines.append(f"  table     {name}, {table.rows} rows: {', '.join(table)}")
        if not self.tables:
            lines += self._stored()
        versions = self.provenance.get("versions")
        if isinstance(versions, dict):
            lines.append(f"  made by   {', '.join(f'{name} {each}' for name, each in versions.items())}")
        return "\n".join(lines)

    def _stored(self) -> list[str]:
        """Lines on what a run with steps has saved."""
        lines = []
        if self._mark is not None:
            lines.append(f"  saved     up to step {self._mark.step}, t = {self._mark.time:g}")
        lines.append(f"  series    {counted(len(self.series['step']), 'sample')}: {', '.join(self.series.names) or 'none'}")
        for label, frames in (("frames", self.frames), ("contacts", self.contacts)):
            if len(frames):
                span = f"t = {frames.times[0]:g} to {frames.times[-1]:g}: {', '.join(frames[0].names)}"
                lines.append(f"  {label:<9} {len(frames)}, {span}")
            elif label == "frames":
                lines.append(f"  {label:<9} none stored")
        return lines


def counted(number: int, what: str) -> str:
    """ "1 sample", "2 samples"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def open_run(folder: Path | str) -> Run:
    """Open the run in `folder` (or the run.h5 in it) for reading; it may be running, killed, finished or packed.

    StoreError if there is no run, or it was written by a newer clast, or a file of it is missing or damaged.
    """
    path = Path(folder)
    if path.name == RUN_FILE and path.is_file():
        path = path.parent
    if not (path / RUN_FILE).is_file():
        raise StoreError(f"there is no run in {path} ({RUN_FILE} is missing)")
    return Run(path)
