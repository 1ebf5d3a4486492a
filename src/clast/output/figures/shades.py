"""What the colours of grains mean in a picture of a run: a number on a scale, an angle, one of some words, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.tensors import lengths
from clast.errors import InputError
from clast.measures.coordination import Coordination
from clast.measures.stored import of_scene, present_grains, sizes_of
from clast.measures.touching import contacts_at
from clast.output.figures.drawn import Axes, Figure
from clast.output.viewer.described import shape_names
from clast.output.viewer.frames import pressure_of, spin_of

if TYPE_CHECKING:
    from clast.output.store.reader import Run

Array = np.ndarray[Any, Any]
COLORS = ("none", "id", "speed", "spin", "pressure", "coordination", "orientation", "shape", "material", "name")
WORDS = {"shape": "shape_name", "material": "body_material", "name": "body_name"}
UNITS = {"speed": "length/time", "spin": "rad/time", "orientation": "°"}
PLAIN = "#4577ad"
MANY = ("#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#a0b8d8")
MOST_WORDS = 12  # in the key; the others are counted
SCALE_AT = 0.98  # share of the grains below the top of a scale: one fast grain must not turn all others dark
NAMELESS = "no name"


@dataclass(frozen=True)
class Shades:
    """The colours of the grains in some frames of a run.

    quantity     one of COLORS
    low, high    ends of the scale
    words        the classes of "shape", "material", "name", in the order of their colours
    """

    run: Run
    quantity: str
    low: float = 0.0
    high: float = 1.0
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, run: Run, quantity: str, chosen: Sequence[int]) -> Shades:
        """One scale for all the frames, up to what all but a few grains reach; InputError for what there is not."""
        if quantity not in COLORS:
            raise InputError(f"grains are coloured by one of {', '.join(COLORS)}, not '{quantity}'")
        if quantity in WORDS:
            grains = ~np.asarray(run.scene["body_big"], bool)
            return cls(run, quantity, words=tuple(sorted(set(np.array(words_of(run, quantity))[grains].tolist()))))
        if quantity in ("none", "id"):
            return cls(run, quantity)
        if quantity == "orientation":
            return cls(run, quantity, 0.0, 180.0 if run.in_space else 360.0)
        values = np.concatenate([values_of(run, quantity, k)[present_grains(run, run.frames[k])] for k in chosen])
        if quantity == "coordination":
            return cls(run, quantity, -0.5, float(values.max(initial=0.0)) + 0.5)
        sizes = np.abs(values) if quantity == "spin" else np.maximum(values, 0.0)
        top = (float(np.quantile(sizes, SCALE_AT)) if sizes.size else 0.0) or float(sizes.max(initial=0.0)) or 1.0
        return cls(run, quantity, -top if quantity == "spin" and not run.in_space else 0.0, top)

    def colours(self, index: int) -> Array:
        """Colours (n, 3) of all bodies in a frame."""
        from matplotlib.colors import to_rgb

        count = len(self.run.scene["body_shape"])
        if self.quantity == "none":
            return np.tile(to_rgb(PLAIN), (count, 1))
        if self.quantity == "id" or self.words:
            table = np.array([to_rgb(each) for each in MANY])
            if self.quantity == "id":
                return table[np.arange(count) % len(MANY)]
            order = {word: k for k, word in enumerate(self.words)}
            return table[np.array([order.get(word, 0) for word in words_of(self.run, self.quantity)]) % len(MANY)]
        share = (values_of(self.run, self.quantity, index) - self.low) / (self.high - self.low)
        return np.asarray(self.scale(np.clip(share, 0.0, 1.0)))[:, :3]

    @property
    def scale(self) -> Any:
        """Matplotlib's colours of a number."""
        import matplotlib
        from matplotlib.colors import ListedColormap

        if self.quantity == "coordination":
            steps = int(self.high - self.low)
            return ListedColormap(matplotlib.colormaps["viridis"](np.linspace(0.05, 0.98, steps)))
        cyclic = self.quantity == "orientation" and not self.run.in_space
        return matplotlib.colormaps["twilight" if cyclic else "coolwarm" if self.low < 0.0 else "viridis"]

    @property
    def title(self) -> str:
        """What the scale is of, with its unit."""
        if self.quantity == "pressure":
            return f"pressure [{'force/area' if self.run.in_space else 'force/length'}]"
        return f"{self.quantity} [{UNITS[self.quantity]}]" if self.quantity in UNITS else "touching neighbours"

    def add_key(self, figure: Figure, row: Sequence[Axes]) -> None:
        """The scale, or the words beside their colours, to the right of a row of pictures; nothing where they mean nothing."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize
        from matplotlib.patches import Patch

        if self.words:
            keys = [Patch(color=MANY[k % len(MANY)], label=word) for k, word in enumerate(self.words[:MOST_WORDS])]
            if len(self.words) > MOST_WORDS:
                keys.append(Patch(color="none", label=f"… and {len(self.words) - MOST_WORDS} more"))
            figure.legend(handles=keys, loc="outside right center", title=self.quantity, fontsize=8, frameon=False)
        elif self.quantity not in ("none", "id"):
            scale = ScalarMappable(Normalize(self.low, self.high), self.scale)
            bar = figure.colorbar(scale, ax=list(row), shrink=0.8, aspect=25, pad=0.02, label=self.title)
            if self.quantity == "coordination":
                bar.set_ticks(np.arange(0, self.high, max(1, int(self.high) // 10)).tolist())


def words_of(run: Run, quantity: str) -> list[str]:
    """The shape, material or name of every body."""
    if quantity == "shape":
        names = shape_names(run)
        return [names[k] for k in run.scene["body_shape"]]
    return [str(word) if word else NAMELESS for word in of_scene(run, WORDS[quantity])]


def values_of(run: Run, quantity: str, index: int) -> Array:
    """A quantity of every body (n,) in a frame."""
    frame = run.frames[index]
    if quantity == "speed":
        return lengths(frame.velocities)
    if quantity == "spin":
        return spin_of(frame)
    if quantity == "pressure":
        return pressure_of(contacts_at(run, index), sizes_of(run))
    if quantity == "coordination":
        return Coordination(index).compute(run).neighbours
    if run.in_space:  # by how much a body is turned from how it was drawn, whatever the axis
        return np.degrees(2.0 * np.arccos(np.clip(np.abs(frame.orientations[:, 0]), 0.0, 1.0)))
    return np.degrees(frame.angles) % 360.0
