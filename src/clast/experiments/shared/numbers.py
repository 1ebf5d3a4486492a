"""How experiments write their numbers: means with errors of seeds, whether they agree, whether a test was slow enough."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from clast.experiments.experiment import Merit, Quantity
from clast.measures.quasi_static import SLOW
from clast.output.store.reader import StudyTable


def mean_error(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Mean of what was measured and its standard error; NaN where there is none, or only one."""
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    if known.size == 0:
        return float("nan"), float("nan")
    return float(known.mean()), float(known.std(ddof=1) / math.sqrt(known.size)) if known.size > 1 else float("nan")


def wilson(count: int, trials: int, errors: float = 1.0) -> tuple[float, float]:
    """Wilson's interval of a probability of which `count` of `trials` were seen, so many standard errors to either side."""
    from scipy.stats import binomtest  # takes a while to import

    found = binomtest(count, trials).proportion_ci(math.erf(errors / math.sqrt(2.0)), method="wilson")
    return float(found.low), float(found.high)


def with_error(value: float, error: float, digits: int = 3) -> str:
    """`0.853 ± 0.012`, without the error where there is none."""
    return f"{value:.{digits}g}" + (f" ± {error:.2g}" if math.isfinite(error) else "")


def lines_of_tests(seeds: int, thin: str) -> str:
    """What the lines of a figure are: a mean and, thin, the tests it was taken from, or the one test there is."""
    return f"mean of {seeds} tests (thick) and {thin}" if seeds > 1 else "one test each"


def within(value: float, published: float, margin: float) -> bool | None:
    """Whether a value agrees; None where there is no value."""
    return bool(abs(value - published) <= margin) if math.isfinite(value) else None


def near(
    name: str, measured: float, published: float, margin: float, note: str = "", unit: str = "", error: float | None = None
) -> Quantity:
    """A quantity that agrees if it is the published one within a margin; `error` is the standard error of ours."""
    return Quantity(name, measured, unit, published, bool(abs(measured - published) <= margin), note, error)


def below(name: str, measured: float, bar: float, note: str = "", unit: str = "") -> Quantity:
    """A quantity that agrees if it is below a bar."""
    return Quantity(name, measured, unit, bar, bool(measured < bar), note)


def merit_of_tests(grains: int, tests: Iterable[StudyTable]) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    ends = [(int(each["step"][-1]), float(each["energy_error"][0])) for each in tests]
    return Merit(grains=grains, steps=sum(step for step, _ in ends), energy_error=max((error for _, error in ends), default=None))


def slowness(fastest: float, note: str = "") -> Quantity:
    """The largest inertial number of some tests. The papers do not give one, so there is nothing to agree with: the note states
    whether it is below the usual bound of a test that counts as slow."""
    slow = f"slow: below {SLOW:g}" if fastest < SLOW else f"not slow: above {SLOW:g}"
    return Quantity("largest inertial number", fastest, note=f"{slow}; {note}" if note else slow)
