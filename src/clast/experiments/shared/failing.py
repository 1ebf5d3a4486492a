"""What the experiments on failing soils share (PRE10 §V.A): dense samples at a ladder of confining pressures, tested until they
have failed, several seeds of each.

Pressures are given over K_n: p ℓ/K_n is how deep a pressure presses grains of width ℓ into each other. Below 1e-3 K_n tests
are slower, as p: the strain at which stiff grains fail goes as p too, so that the time to failure stays what it is at 1e-3 K_n,
some waves of stress long. Deep overlap is another shape than was drawn, so each point has the depth of its grains at failure:
above 0.2 of the sphero-radius r it is marked and counts as not valid; beyond r skeletons reach into neighbours, and near 2 r,
where two skeletons meet, a test breaks off. Such tests are counted, never left out silently.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from clast.element_tests.failure import Ending, Failure, Trial, read_failure, record_failure
from clast.element_tests.recorded import Record
from clast.errors import InputError, PhysicsError, StepError
from clast.experiments.experiment import Merit, Quantity, parameter
from clast.experiments.shared.numbers import mean_error, merit_of_tests, slowness
from clast.experiments.shared.soil import ONSET, Soil, cell_of, pressed
from clast.output.figures.drawn import Axes
from clast.output.figures.plane import GRAIN, WALL, draw_bodies, run_outlines
from clast.output.store.reader import Run, StudyTable
from clast.protocols.walls import PressureWarning

SLOWER_BELOW = 1e-3  # K_n
WAVE = 0.7  # s, that a wave of stress takes through a sample of 30 × 40 grains
VALID = 0.2  # of r: overlap at failure up to which a point counts as valid
ROUNDED = 1.0 + 1e-9
SHOWN = 7.0  # grains across a picture


class FailingSoil(Soil):
    """Parameters of such a study."""

    lowest: float = parameter(1e-4, "least confining pressure; of 1, 3 × 10ⁿ", "K_n", gt=0)
    highest: float = parameter(3e-2, "largest confining pressure", "K_n", gt=0)
    seeds: int = parameter(4, "samples at each pressure, with seeds from --seed on", "", ge=1)
    rate: float = parameter(0.0025, "axial strain rate, below 1e-3 K_n less, as p", "1/s", gt=0)
    strain: float = parameter(0.12, "axial strain at which a test ends that has not failed", "", gt=0, lt=0.6)


def pressures_of(p: FailingSoil) -> list[float]:
    """The confining pressures over K_n, of 1, 3 × 10ⁿ; InputError if there is none between the least and the largest."""
    powers = range(math.floor(math.log10(p.lowest)), math.ceil(math.log10(p.highest)) + 1)
    ladder = [float(f"{digit}e{power}") for power in powers for digit in (1, 3)]
    inside = [each for each in ladder if p.lowest / ROUNDED <= each <= p.highest * ROUNDED]
    if not inside:
        raise InputError(
            f"--lowest {p.lowest:g} and --highest {p.highest:g} have no pressure between them: of 1e-3, 3e-3, 1e-2 … K_n give one"
        )
    return inside


def refuse_deep(p: FailingSoil, shares: Sequence[float]) -> None:
    """SceneError, before the first test is run, if a pressure would press skeletons into each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PressureWarning)  # the result records how deep grains overlapped
        cell_of(p, "dense", p.seed).check(max(shares) * p.stiffness)


def seeds_of(p: FailingSoil) -> range:
    """The seeds."""
    return range(p.seed, p.seed + p.seeds)


def table_name(share: float, seed: int) -> str:
    """Name of the table of a test."""
    return f"p {share:g} K_n, seed {seed}"


def rate_at(p: FailingSoil, share: float) -> float:
    """Axial strain rate at a pressure [1/s]."""
    return p.rate * min(1.0, share / SLOWER_BELOW)


def tried(p: FailingSoil, share: float, seed: int, beyond: float, threads: int | str) -> Trial:
    """Press a dense sample and shear it until it has failed and gone on by the strain `beyond`."""
    pressure, rate = share * p.stiffness, rate_at(p, share)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PressureWarning)  # the result records how deep grains overlapped
        cell = cell_of(p, "dense", seed)
        try:
            scene = cell.sheared(pressure, rate, prepared=pressed(p, cell, "dense", pressure), onset=ONSET)
        except StepError:
            raise
        except PhysicsError:
            return Trial(None, Ending.NEVER)
        return record_failure(
            scene, strain=p.strain, rate=rate, lost=0.5 * ONSET, beyond=beyond, dt=p.dt, threads=threads
        )  # fmt: skip


# --- what is read off ------------------------------------------------------------------------------------------------


def is_valid(failures: Sequence[Failure]) -> bool:
    """Whether the tests at a pressure failed with little overlap, as a mean over seeds."""
    return bool(mean_error([each.overlap for each in failures])[0] <= VALID)


def unfailed(failures: Mapping[str, Sequence[Failure]]) -> Quantity:
    """How many tests of all have no failure, and why, by what they were."""
    every = [each for group in failures.values() for each in group]
    reasons = []
    for what, group in failures.items():
        for ending, why in (
            (Ending.NEVER, "could not be pressed"),
            (Ending.BROKE_OFF, "broke off: overlap too deep"),
            (Ending.STRAIN, "still rose, or fell by less than 5 %, at the largest strain"),
        ):
            number = sum(not each.failed and each.ending is ending for each in group)
            after = sum(each.failed and each.ending is ending for each in group)
            if number:
                reasons.append(f"{what}: {number} {why}")
            elif after and ending is Ending.BROKE_OFF:
                reasons.append(f"{what}: {after} broke off after the failure, which counts")
    missing = sum(not each.failed for each in every)
    return Quantity("tests without failure", float(missing), note="; ".join([f"of {len(every)}", *reasons]))


def trust(tests: Sequence[StudyTable], failures: Sequence[Failure]) -> list[Quantity]:
    """Whether the tests were slow enough, how deep grains overlapped, and the energy error; `failures` are those of `tests`."""
    begun = [each for each in tests if "axial_strain" in each]
    if not begun:
        return []
    fastest = max(float(each["inertial_number"].max()) for each in begun)
    deepest = [each.overlap for each in failures if each.failed]
    deep = sum(each > VALID for each in deepest)
    note = f"above {VALID:g} in {deep} of {len(deepest)} tests, beyond 1 in {sum(each > 1.0 for each in deepest)}"
    return [
        slowness(fastest),
        soonest(tests, failures),
        Quantity("largest overlap / r at failure", max(deepest, default=float("nan")), note=note),
        Quantity("energy error", max(float(each["energy_error"][0]) for each in begun)),
    ]


def soonest(tests: Sequence[StudyTable], failures: Sequence[Failure]) -> Quantity:
    """Time from the end of the onset to the earliest failure: what comes sooner than a wave of stress is no slow test."""
    times = [
        float(np.interp(failure.strain, test["axial_strain"], test["time"])) - ONSET
        for test, failure in zip(tests, failures, strict=True)
        if failure.failed
    ]
    note = f"a wave of stress takes {WAVE:g} s in 30 × 40 grains"
    if early := sum(each < WAVE for each in times):
        note += f": {early} of {len(times)} tests failed sooner, which were too fast and seem too strong"
    return Quantity("shortest time from the onset to failure", min(times, default=float("nan")), "s", note=note)


def merit_of(p: FailingSoil, run: Run) -> Merit:
    """Grains of a sample, steps of all tests, the worst book."""
    return merit_of_tests(p.columns * p.rows, [each for each in run.tables.values() if "axial_strain" in each])


def read_all(run: Run, names: Mapping[Any, Sequence[str]]) -> dict[Any, list[Failure]]:
    """The failures of tests, by what they are grouped by."""
    return {key: [read_failure(run.tables[name]) for name in group] for key, group in names.items()}


def draw_point(
    axes: Axes, share: float, value: float, error: float, failures: Sequence[Failure], *, colour: str, marker: str, label: str
) -> None:
    """A number at a pressure with its error, open where the overlap was deep."""
    axes.errorbar(
        share, value, yerr=0.0 if math.isnan(error) else error, fmt=marker, color=colour,
        mfc=colour if is_valid(failures) else "white", capsize=3, label=label,
    )  # fmt: skip


def draw_points(
    axes: Axes,
    points: Iterable[tuple[float, float, float, Sequence[Failure]]],
    *,
    colour: str,
    marker: str,
    label: str,
) -> None:
    """One series of such numbers, each (pressure, value, error, failures), under one label."""
    for share, value, error, failures in points:
        draw_point(axes, share, value, error, failures, colour=colour, marker=marker, label=label)
        label = "_"


def finish_points(axes: Axes, ylabel: str, *, marker: str, columns: int) -> None:
    """The axis of pressures, and below the figure what all points mean, open ones too."""
    axes.plot([], [], ls="none", marker=marker, color="0.3", mfc="white", label=f"open: overlap above {VALID:g} r")
    axes.set(xscale="log", xlabel=r"confining pressure $p_0/K_n$", ylabel=ylabel)
    axes.figure.legend(loc="outside lower center", ncols=columns, fontsize=8)


def draw_middle(axes: Axes, record: Record) -> None:
    """Grains in the middle of a sample in its last frame, translucent: where they are pressed into each other it is darker."""
    outlines, frame = run_outlines(cast(Run, record)), record.frames[-1]
    axes.set(xticks=[], yticks=[], aspect="equal")
    for big, colour in ((True, WALL), (False, GRAIN)):
        chosen = np.flatnonzero(outlines.big == big)
        draw_bodies(axes, outlines, chosen, frame.positions, frame.angles, facecolor=colour, alpha=0.5, lw=0.6)
    middle = frame.positions[~outlines.big].mean(axis=0)
    half = 0.5 * SHOWN * float(np.sqrt(np.asarray(record.scene["body_area"])[~outlines.big].mean()))
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
