"""Numbers and words given to a scene, checked one by one; SceneError names what is wrong and where."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from clast.errors import SceneError

UNIT = 1e-15  # a quaternion that near to length 1 keeps its bits, so that one read back from a run is the same
NO_TURN = "is a quaternion of length 0, which turns nothing: no turn at all is (1, 0, 0, 0)"


def numbers(what: str, values: object, count: int) -> tuple[float, ...]:
    """`values` as `count` finite numbers; SceneError names the one that is not."""
    try:
        listed = [*values]  # type: ignore[misc]
    except TypeError:
        listed = []
    if len(listed) != count:
        raise SceneError(f"{what} = {values!r} must be {count} numbers")
    for value in listed:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            raise SceneError(f"{what} = {value!r} must be a number")
        if not math.isfinite(value):
            raise SceneError(f"{what} is {value}: give a finite number")
    return tuple(float(value) for value in listed)


def unit(what: str, values: object) -> tuple[float, float, float, float]:
    """`values` as a quaternion of length 1; SceneError if it has none."""
    w, x, y, z = numbers(what, values, 4)
    length = math.hypot(w, x, y, z)
    if length == 0.0:
        raise SceneError(f"{what} {NO_TURN}")
    if abs(length - 1.0) <= UNIT:
        return w, x, y, z
    return w / length, x / length, y / length, z / length


def name_or_none(what: str, value: object) -> None:
    """SceneError unless `value` is a text or None."""
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise SceneError(f"{what} = {value!r} must be a text")


def check_periods(**periods: float) -> None:
    """SceneError unless every period of a box is a positive length, or 0."""
    for name, value in periods.items():
        if numbers(f"box: {name}", [value], 1)[0] < 0.0:
            raise SceneError(f"box: {name} = {value} must be a positive length, or 0 for an open side")


def check_gravity(gravity: Sequence[float], periods: Sequence[float]) -> None:
    """SceneError where grains would fall for ever."""
    for axis, g, period in zip("xyz"[: len(periods)], gravity, periods, strict=True):
        if g != 0.0 and period > 0.0:
            raise SceneError(f"gravity {g} along {axis}, but the box is periodic along {axis}: grains would fall for ever")


def check_width(who: str, name: str, reach: float, periods: Sequence[float]) -> None:
    """SceneError where a grain is as wide as a period."""
    for axis, period in zip("xyz"[: len(periods)], periods, strict=True):
        if 0.0 < period <= 2.0 * reach:
            raise SceneError(
                f"{who} ({name}) is {2.0 * reach:.6g} across, not less than the period {period:.6g} "
                f"along {axis}: it would meet itself; widen the box"
            )


def density_of(who: str, density: float | None, mass: float | None, size: float) -> float:
    """Mass per area (volume) `size` of a body that was given either its mass or its density, or neither: then 1."""
    what, given = amount_of(who, density, mass)
    amount = numbers(f"{who}: {what}", [given], 1)[0]
    if amount <= 0.0:
        raise SceneError(f"{who}: {what} = {given} must be positive")
    return amount / size if mass is not None else amount


def moments_of(who: str, inertia: object, axes: int) -> tuple[float, ...]:
    """Moments of inertia as given: one in the plane, in space the three about the principal axes, positive and such as bodies
    have."""
    found = numbers(f"{who}: inertia", inertia if axes == 3 else [inertia], 3 if axes == 3 else 1)
    if min(found) <= 0.0:
        raise SceneError(f"{who}: inertia = {inertia} must be positive")
    if axes == 3 and 2.0 * max(found) > sum(found) * (1.0 + 1e-9):
        raise SceneError(f"{who}: inertia = {inertia} is that of no body: the largest moment is above the sum of the two others")
    return found


def check_wall_inertia(who: str, big: bool, weighed: bool) -> None:
    """SceneError for a moment of inertia of a wall whose mass is not known."""
    if big and not weighed:
        raise SceneError(f"{who}: inertia of a big body needs its mass as well, which else depends on the grains: give mass=…")


def amount_of(who: str, density: object, mass: object) -> tuple[str, object]:
    """ "mass" or "density" with what was given for it; a density of 1 where neither was, SceneError where both were."""
    if density is not None and mass is not None:
        raise SceneError(f"{who}: give its density or its mass, not both")
    return ("mass", mass) if mass is not None else ("density", 1.0 if density is None else density)
