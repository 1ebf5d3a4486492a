"""Falls of stress in a biaxial test (GM09 §4): how many, how large, and what the area of the sample does meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clast.element_tests.curves import drop_spans
from clast.experiments.experiment import Quantity
from clast.experiments.shared.numbers import mean_error, with_error

SURE = 2.0  # standard errors by which something is more, or less


class ShapeDrops(NamedTuple):
    """Drops of all tests on a shape: how many in each test (k,), mean size in each over the mean stress (k,), and what the void
    ratio gains in each drop (n,)."""

    numbers: np.ndarray
    sizes: np.ndarray
    gains: np.ndarray


def drops_of(tests: Sequence[Mapping[str, np.ndarray]], begin: float) -> ShapeDrops:
    """The drops at strains above `begin`."""
    numbers, sizes, gains = [], [], []
    for test in tests:
        strain, stress, void = test["axial_strain"], test["stress_yy"], test["void_ratio"]
        spans = drop_spans(strain, stress, begin)
        mean = float(stress[strain >= begin].mean()) if (strain >= begin).any() else float("nan")
        numbers.append(len(spans))
        sizes.append(float(np.mean([stress[k] - stress[low] for k, low in spans])) / mean if spans else float("nan"))
        gains += [float(void[low] - void[k]) for k, low in spans]
    return ShapeDrops(np.array(numbers, float), np.array(sizes), np.array(gains))


def drop_quantities(name: str, drops: ShapeDrops, begin: float) -> list[Quantity]:
    """Number and size of the drops, and whether the sample dilates in them."""
    (number, varies), (size, error), (gain, spread) = (mean_error(each) for each in drops)
    note = f"per test at ε > {begin:g}; mean size {100.0 * size:.2g} % of the stress"
    grown = bool(gain > SURE * spread) if np.isfinite(spread) else None
    share = 100.0 * float((drops.gains > 0.0).mean()) if drops.gains.size else 0.0
    of = f"{with_error(gain, spread)}, {drops.gains.size} drops; the sample dilates in {share:.0f} % of them"
    return [
        Quantity(f"{name}: drops of stress", number, note=note, error=varies),
        Quantity(f"{name}: size of a drop", size, note="over the mean stress", error=error),
        Quantity(
            f"{name}: void ratio gained in a drop", gain, "", None, grown, of, spread
        ),
    ]  # fmt: skip


def beside_disks(name: str, drops: ShapeDrops, disks: ShapeDrops) -> list[Quantity]:
    """Number and size of the drops over those of disks; judged where seeds give an error."""
    found = []
    for what, mine, theirs, more in (
        ("drops of stress", drops.numbers, disks.numbers, False), ("size of a drop", drops.sizes, disks.sizes, True),
    ):  # fmt: skip
        (one, error), (other, varies) = mean_error(mine), mean_error(theirs)
        ratio = one / other if other > 0.0 else float("nan")
        spread = ratio * float(np.hypot(error / one, varies / other)) if one > 0.0 and other > 0.0 else float("nan")
        away = (ratio - 1.0) if more else (1.0 - ratio)
        agrees = bool(away > SURE * spread) if np.isfinite(spread) else None
        note = f"{'more' if more else 'less'} than 1 by {SURE:g} standard errors of seeds; the paper has no number"
        found.append(Quantity(f"{name}: {what} / disks'", ratio, "", None, agrees, note, spread))
    return found
