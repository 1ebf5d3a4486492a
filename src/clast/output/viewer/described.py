"""What the page has to know of a run besides its frames: shapes, bodies, times, scales of colours, series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.tensors import lengths
from clast.measures.book import ACCOUNTS, KINETIC, KNOWN, Book
from clast.measures.stored import grains_of, sizes_of
from clast.measures.touching import contacts_at
from clast.output.figures.areas import rings_of, run_areas
from clast.output.figures.plane import run_outlines
from clast.output.space.bodies import run_surfaces
from clast.output.space.view import view_of as space_view
from clast.output.viewer.frames import Framed, has_contacts, pressure_of, spin_of, touching
from clast.output.viewer.packed import Block

if TYPE_CHECKING:
    from clast.output.store.reader import Run

Array = np.ndarray[Any, Any]
MOST_POINTS = 50_000  # of all surfaces of a picture in space, about
LOOKED_AT = 12  # frames from which the scales of colours and the view are taken
MOST_LOOKED_AT = 300_000  # bodies of those frames together: a large run is opened at once
SCALE_AT = 0.98  # share of the grains below the top of a scale: one fast grain must not turn all others dark
MOST_SAMPLES = 2000  # rows of the series that are sent


@dataclass
class Described:
    """A run as the page gets it: facts (JSON), bodies and series (blocks), frames (blocks).

    most   frames at most; of more, evenly chosen ones are shown; None for all
    """

    run: Run
    most: int | None = None

    @cached_property
    def chosen(self) -> list[int]:
        """Numbers of the frames that are shown."""
        count = len(self.run.frames)
        if self.most is None or count <= self.most:
            return list(range(count))
        return np.unique(np.linspace(0, count - 1, self.most).round().astype(int)).tolist()

    @cached_property
    def framed(self) -> Framed:
        """The frames, in blocks."""
        return Framed(self.run, self.chosen, self.reach)

    @cached_property
    def reach(self) -> Array:
        """Largest distance from the centre of every body to its surface (n,)."""
        if self.run.in_space:
            return np.asarray(self.run.scene["shape_reach"])[self.run.scene["body_shape"]]
        rings = run_outlines(self.run).rings
        return np.array([np.hypot(*ring.T).max() for ring in rings])[self.run.scene["body_shape"]]

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What fits into JSON."""
        run, looked = self.run, self._looked_at()
        names = [name or "" for name in run.scene.get("body_name", [])]
        low, high = self._view(looked)
        return {
            "title": title_of(run), "folder": run.folder.name, "space": run.in_space, "finished": bool(run.finished),
            "times": run.frames.times[self.chosen].tolist(), "steps": run.frames.steps[self.chosen].tolist(),
            "per_block": self.framed.per_block, "blocks": self.framed.blocks, "bodies": len(self.reach),
            "period": np.asarray(run.scene["period"], float).tolist(),
            "gravity": np.asarray(run.scene["gravity"], float).tolist(),
            "view": [low.tolist(), high.tolist()], "small": self.framed.small, "scales": self._scales(looked),
            "names": sorted(set(names)), "shapes": shape_names(run), "contacts": has_contacts(run),
            "result": shown_result(run),
        }  # fmt: skip

    def _looked_at(self) -> list[int]:
        """A few of the frames, the first and last among them."""
        count = len(self.chosen)
        few = min(count, LOOKED_AT, max(3, MOST_LOOKED_AT // len(self.reach)))
        return [self.chosen[k] for k in np.unique(np.linspace(0, count - 1, few).round().astype(int))]

    def _view(self, looked: list[int]) -> tuple[Array, Array]:
        """Lower and upper corner of what is shown at first."""
        from clast.output.figures.view import view_of

        if not looked:
            return np.zeros(3), np.ones(3)
        if self.run.in_space:
            return space_view(self.run, self.surfaces, looked)
        return view_of(self.run, run_outlines(self.run), looked)

    def _scales(self, looked: list[int]) -> dict[str, float]:
        """Tops of the scales of colours, and the mean force of pairs that touch, as it is in most frames."""
        run, grains = self.run, grains_of(self.run)
        found: dict[str, list[Array]] = {name: [] for name in ("speed", "spin", "pressure", "displacement", "force")}
        for number in looked:
            frame = run.frames[number]
            there = grains & frame.present
            found["speed"].append(lengths(frame.velocities)[there])
            found["spin"].append(np.abs(spin_of(frame))[there])
            found["displacement"].append(lengths(frame.positions - run.frames[looked[0]].positions)[there])
            if has_contacts(run):
                contacts = contacts_at(run, number)
                found["pressure"].append(pressure_of(contacts, sizes_of(run))[there])
                found["force"].append(touching(contacts)[1])
        tops = {name: top_of(np.concatenate([np.zeros(0), *values])) for name, values in found.items()}
        means = [float(forces.mean()) for forces in found["force"] if forces.size]  # those of impacts are few, and huge
        return tops | {"mean_force": float(np.median(means)) if means else 0.0}

    @cached_property
    def surfaces(self) -> Any:
        """Triangles of the solids."""
        return run_surfaces(self.run, MOST_POINTS)

    def bodies(self) -> bytes:
        """Shapes, and which of them a body has, its name, mass and size."""
        run, block = self.run, Block()
        scene = run.scene
        names = [name or "" for name in scene.get("body_name", [""] * len(self.reach))]
        order = {name: k for k, name in enumerate(sorted(set(names)))}
        block.raw("shape", scene["body_shape"], "uint32")
        block.raw("big", np.asarray(scene["body_big"], bool), "uint8")
        block.raw("name", np.array([order[name] for name in names]), "uint32")
        block.raw("mass", finite(scene["body_mass"]), "float32")
        block.raw("size", sizes_of(run), "float32")
        block.raw("reach", self.reach, "float32")
        if run.in_space:
            meshes = self.surfaces.meshes
            put_parts(block, "point", [mesh.points for mesh in meshes], "float32")
            put_parts(block, "normal", [np.rint(127.0 * mesh.normals) for mesh in meshes], "int8")
            put_parts(block, "triangle", [mesh.triangles for mesh in meshes], "uint32")
            put_parts(block, "ridge", [lines.reshape(-1, 6) for lines in self.surfaces.ridges], "float32")
        else:
            rings, owner, hole = [], [], []
            for k, area in enumerate(run_areas(run)):
                for number, ring in enumerate(rings_of(area)):
                    rings.append(ring[:-1])
                    owner.append(k)
                    hole.append(number > 0)
            put_parts(block, "ring", rings, "float32")
            block.raw("ring_shape", np.array(owner), "uint32")
            block.raw("ring_hole", np.array(hole), "uint8")
        return block.packed()

    def series(self) -> bytes:
        """Samples of the series: every column that changes, the book's sums among them."""
        series = self.run.series
        time = series["time"]
        every = max(1, -(-len(time) // MOST_SAMPLES))
        block = Block(accounts=[name for name in KNOWN if name in series.names])
        block.raw("time", time[::every], "float32")
        for name in series.names:
            values = np.asarray(series[name], float)
            if values.size and np.isfinite(values).all() and np.ptp(values) > 0.0:
                block.raw(f"/{name}", (np.maximum(values, 0.0) if name in KINETIC else values)[::every], "float32")
        if set(ACCOUNTS) & set(series.names) and "translational" in series.names and len(time):
            book = Book(time, series)
            total = book.energy + book.heat - book.work
            for name, values in (("kinetic", book.kinetic), ("elastic", book.elastic), ("heat", book.heat), ("work", book.work),
                                 ("energy + heat − work", total), ("residual", book.residual)):  # fmt: skip
                block.raw(f"/{name}", values[::every], "float32")
        return block.packed()


def top_of(values: Array) -> float:
    """What all but a few of some values stay below; 0 where all are."""
    some = values[np.isfinite(values)]
    return (float(np.quantile(some, SCALE_AT)) if some.size else 0.0) or float(some.max(initial=0.0))


def finite(values: Any) -> Array:
    """Infinite masses of walls as 0."""
    array = np.asarray(values, float)
    return np.where(np.isfinite(array), array, 0.0)


def put_parts(block: Block, name: str, parts: list[Array], kind: str) -> None:
    """Tables of several shapes as one, and where each begins."""
    block.raw(name, np.concatenate(parts) if parts else np.zeros(0), kind)
    block.raw(f"{name}_first", np.cumsum([0, *(len(part) for part in parts)]), "uint32")


def shape_names(run: Run) -> list[str]:
    """Names of the shapes by number; in the plane where files keep none, how many corners a shape has."""
    scene = run.scene
    if "shape_name" in scene:
        return [str(name) for name in scene["shape_name"]]
    corners = np.diff(scene["shape_first_vertex"])
    plain = {1: "disk", 2: "rod", 3: "triangle"}
    return [plain.get(int(count), f"{count} corners") for count in corners]


def title_of(run: Run) -> str:
    """What a run is called: the experiment, the title of its scene file, or its folder."""
    facts = run.provenance
    for name in ("experiment", "title", "scene_file"):
        if facts.get(name):
            return str(facts[name])
    return run.folder.name


def shown_result(run: Run) -> dict[str, Any]:
    """Figures of merit of a finished run."""
    result = run.result or {}
    return {name: result[name] for name in ("grains", "steps", "energy_error", "wall_s", "cundall") if name in result}
