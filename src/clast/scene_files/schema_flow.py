"""The keys of mixtures, of sources and of sinks, in the plane and in space."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from clast.scene.flow import MOST
from clast.scene_files.space.schema_solids import TurnKeys
from clast.scene_files.tables import CODE, Keys, Name, Pair, Triple, key


class ShareKeys(Keys):
    """A shape in a mixture."""

    shape: Name = key(..., "a name in `shapes`, or of a ready-made shape")
    share: float = key(1.0, "its share of the number of grains; shares need not add up to 1", gt=0.0)


class ComingKeys(Keys):
    """What a source has in the plane and in space alike. Give `count`, or `rate` and `until`."""

    shapes: Annotated[list[ShareKeys], Field(min_length=1)] = key(..., "the mixture, a list of tables", to=CODE)
    count: int | None = key(
        None, "number of grains; where it is not given, as many as are due from `start` to `until`", ge=1, le=MOST
    )
    rate: float | None = key(None, "grains per time; where it is not given all are due at `start`", "1/time", gt=0.0)
    start: float = key(0.0, "when the first is due", "time")
    until: float | None = key(None, "from when on no more come in", "time", gt=0.0)
    material: Name = key("grain", "material, for `pair_law`")
    name: Name | None = key(None, "name of all of them, and of the series `mass_in_NAME`")
    seed: int = key(1, "seed of every random choice", ge=0)


class SourceKeys(ComingKeys):
    """Grains that come in while the scene runs, each where the circle round it is clear of all others; till then it waits."""

    lower: Pair = key(..., "[x, y] of the lower left corner of the region in which their centres of mass begin", "length")
    upper: Pair = key(..., "[x, y] of the upper right corner; the region may be flat", "length")
    velocity: Pair = key([0.0, 0.0], "[x, y] with which they come; they do not spin", "length/time")
    angle_degrees: float | None = key(
        None, "by which they are turned, counter-clockwise; at random if not given", "degrees", to="turn", made=np.deg2rad
    )
    density: float = key(1.0, "mass per area", "mass/length²", gt=0.0)


class SpaceSourceKeys(ComingKeys, TurnKeys):
    """Grains that come in while the scene runs, each where the ball round it is clear; turned at random if no turn is given."""

    lower: Triple = key(..., "[x, y, z] of the lowest corner of the region in which their centres of mass begin", "length")
    upper: Triple = key(..., "[x, y, z] of the highest corner; the region may be flat", "length")
    velocity: Triple = key([0.0, 0.0, 0.0], "[x, y, z] with which they come; they do not spin", "length/time")
    density: float = key(1.0, "mass per volume", "mass/length³", gt=0.0)


class SinkKeys(Keys):
    """Where grains leave the run, also while they touch others: in a box (`lower`, `upper`), or beyond a plane."""

    lower: Pair | None = key(None, "[x, y] of the lower left corner of a box", "length")
    upper: Pair | None = key(None, "[x, y] of its upper right corner", "length")
    point: Pair | None = key(None, "[x, y] of a point of a plane", "length")
    normal: Pair | None = key(None, "[x, y], the direction in which grains go out beyond it, of any length")
    name: Name | None = key(None, "name of the series `mass_out_NAME`")


class SpaceSinkKeys(Keys):
    """Where grains leave the run, also while they touch others: in a box (`lower`, `upper`), or beyond a plane."""

    lower: Triple | None = key(None, "[x, y, z] of the lowest corner of a box", "length")
    upper: Triple | None = key(None, "[x, y, z] of its highest corner", "length")
    point: Triple | None = key(None, "[x, y, z] of a point of a plane", "length")
    normal: Triple | None = key(None, "[x, y, z], the direction in which grains go out beyond it, of any length")
    name: Name | None = key(None, "name of the series `mass_out_NAME`")
