"""A run as one VTKHDF file, which ParaView opens as a series in time.

The file is a PartitionedDataSetCollection of up to three parts of PolyData, to be shown or hidden one by one:

    grains, walls   rounded surfaces; point data id, speed, velocity, spin (vector)
    contacts        a point each; normal, force (on the first body), depth, bodies (two ids)

Bodies do not change their shape, so triangles and ids are written once, and every step reads them from
offset 0 again; points and velocities follow one another, but for what has not changed since the step before (walls at rest).
Single precision: enough to look at, half the size.
Grains are put back into a periodic box whole, not cut at its side. A grain that was taken out shrinks to a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from clast.algebra.lattice import put_back
from clast.output.export.csv import check_place, write_export
from clast.output.space.bodies import MeshOfBodies, Surfaces, in_three, run_surfaces, spins, turns
from clast.output.store.reader import ContactFrame, Frame, Run
from clast.shapes.plane.inside import Ints

VERSION = (2, 2)  # of the format: the first minor with everything used here
TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")
MOST_POINTS = 100_000  # of all bodies in a frame, about: 1.2 MB before compression
CHUNK = 1 << 14  # rows


def export_vtkhdf(run: Run, path: Path, *, overwrite: bool = False) -> Path:
    """Write the frames of a run into `path` and return it.

    StoreError if there is something of that name, unless `overwrite` is set and it is such a file, or if the disk refuses;
    InputError if the run has no frames.
    """
    check_place(run, path, overwrite, holds_vtk)
    bodies = run_surfaces(run, MOST_POINTS)
    contacts = {frame.step: frame for frame in run.contacts}

    def fill(temporary: Path) -> None:
        with h5py.File(temporary, "w", libver=("earliest", "v110"), locking=False) as file:
            root = file.create_group("VTKHDF", track_order=True)
            stamp(root, "PartitionedDataSetCollection")
            parts: dict[str, BodyPolyData | ContactPolyData] = {}
            for name, chosen in (("grains", ~bodies.big), ("walls", bodies.big)):
                if chosen.any():
                    mesh = MeshOfBodies(bodies, np.flatnonzero(chosen))
                    parts[name] = BodyPolyData(root, name, len(parts), mesh, bodies)
            if contacts:
                parts["contacts"] = ContactPolyData(root, "contacts", len(parts), bodies, contacts)
            for frame in run.frames:
                for part in parts.values():
                    part.add(frame)
            for part in parts.values():
                part.close(run.frames.times)
            assembly = root.create_group("Assembly", track_order=True)
            for name in parts:
                assembly[name] = h5py.SoftLink(f"/VTKHDF/{name}")

    return write_export(path, fill)


def holds_vtk(path: Path) -> bool:
    """Whether a file is a VTKHDF file."""
    if not h5py.is_hdf5(path):
        return False
    with h5py.File(path, "r", locking=False) as file:
        return "VTKHDF" in file


def stamp(group: h5py.Group, kind: str) -> None:
    """Say what a group is, as text of fixed length: VTK reads no other."""
    group.attrs["Version"] = np.array(VERSION, dtype=np.int64)
    group.attrs.create("Type", np.bytes_(kind.encode("ascii")))


class PolyData:
    """A PolyData with steps; what a frame adds to it depends on the kind."""

    def __init__(self, root: h5py.Group, name: str, index: int) -> None:
        self.group = root.create_group(name, track_order=True)
        stamp(self.group, "PolyData")
        self.group.attrs["Index"] = np.int64(index)
        self.data = self.group.create_group("PointData")
        self.starts: dict[str, list[Any]] = {}  # what Steps will hold: by name, an entry per step
        self._latest: dict[str, tuple[np.ndarray, int]] = {}  # rows that a step may share with the next, and where they begin

    def append(self, group: h5py.Group, name: str, values: np.ndarray) -> int:
        """Put rows behind those of a dataset, made at the first call; returns where they begin."""
        if name not in group:
            group.create_dataset(
                name, shape=(0, *values.shape[1:]), maxshape=(None, *values.shape[1:]), dtype=values.dtype,
                chunks=(CHUNK, *values.shape[1:]), compression="gzip", compression_opts=1, shuffle=True,
            )  # fmt: skip
        dataset = group[name]
        begin = len(dataset)
        if len(values):
            dataset.resize(begin + len(values), axis=0)
            dataset[begin:] = values
        return begin

    def share(self, group: h5py.Group, name: str, values: np.ndarray) -> int:
        """As `append`, but rows that are those of the step before are not written again."""
        before = self._latest.get(name)
        if before is None or not np.array_equal(before[0], values):
            self._latest[name] = values, self.append(group, name, values)
        return self._latest[name][1]

    def note(self, **starts: h5py.Group) -> None:
        """Where a step begins to read something."""
        for name, start in starts.items():
            self.starts.setdefault(name, []).append(start)

    def note_data(self, starts: Mapping[str, int]) -> None:
        """Where a step begins to read its point data."""
        for name, start in starts.items():
            self.starts.setdefault(f"PointDataOffsets/{name}", []).append(start)

    def put_part(self, points: int, cells: Mapping[str, Ints]) -> None:
        """Cells of equal numbers of points (m, k) of a part, by topology; the others have none."""
        self.append(self.group, "NumberOfPoints", np.array([points]))
        for topology in TOPOLOGIES:
            group = self.group.require_group(topology)
            corners = cells.get(topology, np.zeros((0, 1), np.int64))
            self.append(group, "NumberOfCells", np.array([len(corners)]))
            self.append(group, "NumberOfConnectivityIds", np.array([corners.size]))
            self.append(group, "Offsets", corners.shape[1] * np.arange(len(corners) + 1))
            self.append(group, "Connectivity", corners.reshape(-1))

    def close(self, times: np.ndarray) -> None:
        """Write when the steps are and where they begin."""
        steps = self.group.create_group("Steps")
        steps.attrs["NSteps"] = np.int64(len(times))
        steps["Values"] = np.asarray(times, dtype=np.float64)
        steps["NumberOfParts"] = np.ones(len(times), dtype=np.int64)
        for name, starts in self.starts.items():
            steps[name] = np.array(starts, dtype=np.int64)


class BodyPolyData(PolyData):
    """Surfaces of some bodies: topology and ids once, places at every step."""

    def __init__(self, root: h5py.Group, name: str, index: int, mesh: MeshOfBodies, bodies: Surfaces) -> None:
        super().__init__(root, name, index)
        self.mesh, self.bodies = mesh, bodies
        self.put_part(len(mesh.owners), {"Polygons": mesh.triangles})
        self.append(self.data, "id", mesh.owners.astype(np.int32))

    def add(self, frame: Frame) -> None:
        """The step of a frame."""
        owners = self.mesh.owners
        places = self.bodies.inside(in_three(frame.positions), self.bodies.period_at(frame), frame.offset)
        points = self.mesh.points(places, turns(frame), frame.absent)
        velocities = in_three(frame.velocities)
        quantities = {"speed": np.linalg.norm(velocities, axis=1), "velocity": velocities, "spin": spins(frame)}
        self.note(
            PartOffsets=0, CellOffsets=[0] * 4, ConnectivityIdOffsets=[0] * 4,
            PointOffsets=self.share(self.group, "Points", points.astype(np.float32)),
        )  # fmt: skip
        written = {name: self.share(self.data, name, each[owners].astype(np.float32)) for name, each in quantities.items()}
        self.note_data({"id": 0, **written})


class ContactPolyData(PolyData):
    """Contacts, another number at every step.

    VTK finds the part of a step by counting cells, and so takes the step after an empty one for that one. Therefore all empty
    steps share one part, the last.
    """

    def __init__(self, root: h5py.Group, name: str, index: int, bodies: Surfaces, tables: Mapping[int, ContactFrame]) -> None:
        super().__init__(root, name, index)
        self.bodies, self.tables = bodies, tables
        self.parts = self.cells = 0
        self.empty: list[int] = []  # numbers of steps

    def add(self, frame: Frame) -> None:
        """The step of a frame."""
        if frame.step in self.tables and len(self.tables[frame.step]["points"]):
            self._put(self.tables[frame.step], self.bodies.period_at(frame), frame.offset)
        else:
            self.empty.append(self.parts + len(self.empty))

    def _put(self, table: Mapping[str, Any] | ContactFrame, period: np.ndarray, offset: float) -> None:
        """A part, and the step that reads it."""
        points = put_back(in_three(table["points"]), period, offset)
        quantities = {
            "normal": in_three(table["normals"]), "force": in_three(table["forces"]), "depth": np.asarray(table["depths"]),
            "force_size": np.linalg.norm(table["forces"], axis=1),
        }  # fmt: skip
        self.put_part(len(points), {"Vertices": np.arange(len(points))[:, None]})
        self.note(
            PartOffsets=self.parts, CellOffsets=[self.cells, 0, 0, 0], ConnectivityIdOffsets=[self.cells, 0, 0, 0],
            PointOffsets=self.append(self.group, "Points", points.astype(np.float32)),
        )  # fmt: skip
        written = {name: self.append(self.data, name, each.astype(np.float32)) for name, each in quantities.items()}
        written["bodies"] = self.append(self.data, "bodies", np.asarray(table["bodies"], dtype=np.int32))
        self.note_data(written)
        self.parts += 1
        self.cells += len(points)

    def close(self, times: np.ndarray) -> None:
        """Write when the steps are and where they begin."""
        if self.empty:
            some = next(iter(self.tables.values()))
            self._put({name: some[name][:0] for name in some.names}, np.zeros(3), 0.0)
            for starts in self.starts.values():
                last = starts.pop()
                for step in self.empty:
                    starts.insert(step, last)
        super().close(times)
