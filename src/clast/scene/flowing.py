"""What a scene has to bring grains in while it runs and to take them out, in the plane and in space alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from clast.errors import SceneError
from clast.scene.flow import Sink, Source, mixture, refuse_second, sink_of, source_of


class Flowing:
    """Sources and sinks of a scene; see `clast.scene.flow`."""

    axes: ClassVar[int]
    box: Any
    bodies: Any
    add_many: Any
    sources: tuple[Source, ...]
    sinks: tuple[Sink, ...]

    def source(
        self,
        shapes: Any,
        lower: Sequence[float],
        upper: Sequence[float],
        *,
        count: int | None = None,
        rate: float | None = None,
        start: float = 0.0,
        until: float | None = None,
        shares: Sequence[float] | None = None,
        velocity: Sequence[float] | None = None,
        turn: Any = None,
        density: float | None = None,
        material: str = "grain",
        name: str | None = None,
        seed: int = 1,
    ) -> np.ndarray:
        """Grains that come in while the scene runs; returns their ids, in the order in which they come. See docs/flow.md.

        shapes         one, or a list of which each grain has one at random
        lower, upper   corners of the region in which their centres of mass begin, at random [length]; it may be flat
        count          how many; where it is not given, as many as are due from `start` to `until`
        rate           grains per time, one after the other; where it is not given all are due at `start`
        start, until   when the first is due, and from when on no more come in [time]
        shares         of the shapes in the number of grains; equal ones if not given
        velocity       with which they come [length/time], (0, 0) or (0, 0, 0) if not given; they do not spin
        turn           from how they were drawn: an angle [radians], in space a quaternion; at random if not given
        seed           of all that is drawn at random

        A grain that is due comes in where the circle or ball round it is clear of all others and of walls; until there is such a
        place it waits, and those after it wait too. Until they come in, grains take no part; they cannot have tags then.
        """
        given = {"count": count, "rate": rate, "start": start, "until": until, "velocity": velocity, "turn": turn}
        new = source_of(len(self.bodies), self.axes, lower, upper, **given, name=name, seed=seed)
        refuse_second("source", name, self.sources)
        kinds = [*shapes] if isinstance(shapes, list | tuple) else [shapes]
        if not kinds:
            raise SceneError("source: shapes is empty: give at least one")
        which = mixture("source", new.count, len(kinds), shares, new.seed)
        middle = 0.5 * (np.array(new.lower) + np.array(new.upper))
        ids: np.ndarray = self.add_many(
            kinds, np.tile(middle, (new.count, 1)), which=which, density=density, material=material, name=name
        )
        self.sources = (*self.sources, new)
        return ids

    def sink(
        self,
        *,
        lower: Sequence[float] | None = None,
        upper: Sequence[float] | None = None,
        point: Sequence[float] | None = None,
        normal: Sequence[float] | None = None,
        name: str | None = None,
    ) -> None:
        """Where grains leave the run: those without tags whose centre of mass is in it, also while they touch others.

        lower, upper    corners of a box [length]
        point, normal   or a plane: they leave beyond it, in the direction of the normal
        name            for the series of the run, `mass_out_NAME`
        """
        new = sink_of(self.axes, self.box.periods, lower, upper, point, normal, name)
        refuse_second("sink", name, self.sinks)
        self.sinks = (*self.sinks, new)

    @property
    def waiting(self) -> np.ndarray:
        """Ids of the grains that are not there at the start: those of sources."""
        return np.concatenate([np.zeros(0, np.int64), *(each.ids for each in self.sources)])

    def refuse_tagged(self, ids: np.ndarray) -> None:
        """SceneError where one of some grains that wait has a tag: who comes in is free."""
        for number in ids.tolist():
            if tags := self.bodies[number].tags:
                raise SceneError(
                    f"body {number} is a grain of a source, has not come in yet, and has a tag ({tags[0]!r}): tag it when it is "
                    "there, in a clast.Simulation"
                )
