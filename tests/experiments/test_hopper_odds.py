"""hopper-odds with a dozen grains; and its judgement on made-up tables."""

from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.hopper import DIAMETER, Kind
from clast.experiments.hopper_odds import (
    END,
    ZETAS,
    Case,
    HopperOdds,
    Odds,
    arch_of,
    cases_of,
    ended,
    evaluate,
    even_odds,
    figures,
    hopper_of,
    jams_below,
    odds_of,
    outcome,
)
from clast.experiments.hopper_odds import tables as tables_of_runs
from clast.experiments.shared.numbers import wilson
from clast.experiments.shared.running import run_experiment
from clast.laws import Linear
from clast.measures.book import ACCOUNTS
from clast.scene.plane import Scene
from clast.shapes import disk, segment

TINY = {"grains": 12, "width": 18.0, "narrowest": 12.0, "widest": 12.0, "openings": 1, "seeds": 1, "until": 2.5}


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    return run_experiment(find("hopper-odds"), given=TINY, out=tmp_path_factory.mktemp("odds") / "run")


def test_every_run_is_there_once():
    full = HopperOdds()
    cases = cases_of(full)
    assert len(cases) == len(set(cases)) == 8 * (2 * 4 * 6 + 2 * 2)
    assert cases[0] == Case(0.2, "cow", 15.0, 1) and cases[-1] == Case(0.5, "cow", 25.0, 8)
    assert {case.zeta for case in cases if case.shape != "cow"} == set(ZETAS)
    assert list(tables_of_runs(full, 1))[:2] == [cases[0].name, cases[0].name + END]
    given = hopper_of(full, cases[-1])
    assert (given.shape, given.aperture, given.zeta, given.seed, given.grains) == ("cow", 25.0, 0.5, 8, 400)


def test_runs_are_counted_and_their_books_close(tried):
    p = HopperOdds(**{**TINY, "side": 60.0})
    assert len(tried.run.tables) == 2 * len(cases_of(p)) == 16
    for case in cases_of(p):
        table, ends = tried.run.tables[case.name], tried.run.tables[case.name + END]
        assert table["broken"][0] == 0.0 and (np.diff(table["through"]) >= 0).all()
        assert table["through"][-1] == 12 - np.count_nonzero((ends["y"][:12] >= 0.0) & (ends["present"][:12] != 0.0))
        assert table["time"][-1] == pytest.approx(2.5) or table["through"][-1] == 12
    found = {each.name: each for each in tried.quantities}
    assert found["largest energy error"].measured < 1e-5
    assert all(each.agrees is None for each in tried.quantities)  # not the paper's size
    assert [path.name for path in tried.figures] == ["odds.png", "outflow.png", "hoppers.png"]
    for path in tried.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000
    _, scene, bodies, arch = ended(p, tried.run, cases_of(p)[0]) or ()
    assert len(scene.bodies) == len(bodies) == 14 and set(arch) <= set(range(12))


def test_a_study_that_goes_on_is_drawn_with_what_is_there(tried, tmp_path):
    p, tables = HopperOdds(**TINY), tried.run.tables
    some = {name: tables[name] for name in tables if name.startswith(("ζ 0, disk", "ζ 0.2, cow"))}
    run = SimpleNamespace(tables=some)
    assert len(some) == 4 and odds_of(p, run, 0.0, "disk", 12.0).runs == 1 and odds_of(p, run, 0.0, "cow", 12.0).runs == 0
    assert ended(p, run, Case(0.2, "disk", 12.0, 1)) is None
    for path in figures(p, run, tmp_path):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_the_arch_of_bodies_that_lie_somewhere():
    scene = Scene(law=Linear(1e6))
    for x in (0.599, 7.0, 1.598, 2.597):
        scene.add(disk(radius=0.5), (x, 3.0))
    for x in (0.0, 3.196):
        scene.add_wall(segment((x, -5.0), (x, 5.0), radius=0.1))
    bodies = np.array([(x, 0.0, 0.0, 1.0) for x in (0.599, 7.0, 1.598, 2.597, 0.0, 3.196)])
    bodies[1, 3] = 0.0  # it was taken out
    assert arch_of(scene, bodies).tolist() == [0, 2, 3]


# --- judgement -------------------------------------------------------------------------------------------------------

TIME = np.linspace(0.0, 8.0, 161)


def table_of(jammed: bool, arch: float = 7.0, broken: bool = False) -> dict[str, np.ndarray]:
    """A run of 400 grains that jams after 4 s, or flows."""
    through = np.minimum(np.floor(20.0 * TIME), 80.0 if jammed else 400.0)
    held = np.where(TIME > 3.0, arch * DIAMETER, 0.0)
    held[-1] = 0.0  # a contact opened for a moment
    zeros = {name: np.zeros(TIME.size) for name in ACCOUNTS}
    arches = {"arch": np.where(held > 0.0, 6.0, 0.0), "arch_length": held}
    constant = {"broken": np.full(TIME.size, float(broken)), "deepest": zeros["cohesive"], "step": np.full(TIME.size, 800_000)}
    return {**zeros, **arches, **constant, "translational": np.ones(TIME.size), "time": TIME, "through": through}


def runs_of(p: HopperOdds, jams) -> SimpleNamespace:
    """Tables of all runs; jams(case) whether one jams."""
    return SimpleNamespace(tables={case.name: table_of(jams(case)) for case in cases_of(p)})


def test_how_a_run_ended():
    assert outcome(table_of(True), 400) == (True, pytest.approx(7.0 * DIAMETER), 6.0)
    assert outcome(table_of(False), 400)[0] is False
    assert outcome(table_of(True), 80)[0] is False  # nobody was left
    assert outcome(table_of(True, broken=True), 400)[0] is None


def test_the_papers_pattern_agrees_and_another_does_not():
    def papers(case):
        return case.shape in ("cow", "long-legged-cow") and (case.aperture < 30.0 or case.seed == 1)

    p = HopperOdds()
    found = {each.name: each for each in evaluate(p, runs_of(p, papers))}
    below = found["cows, ζ = 0.2: even odds to jam at"]
    assert below.agrees is True and 25.0 < below.measured < 30.0 and below.published == 30.0
    assert found["cows, 30 m, ζ = 0: jam probability"].measured == 1 / 8
    assert found["disks, ζ = 0: jammed"].agrees is True and found["disks, ζ = 0: jammed"].measured == 0.0
    longest = found["long-legged cows, ζ = 0.2: longest arch"]
    assert longest.measured == pytest.approx(7.0) and longest.agrees is False
    assert found["pentagons, ζ = 0: arch"].agrees is None  # none jammed
    other = {each.name: each for each in evaluate(p, runs_of(p, lambda case: case.aperture == 20.0))}
    assert other["cows, ζ = 0.2: even odds to jam at"].agrees is False
    assert other["disks, ζ = 0: jammed"].agrees is False and other["disks, ζ = 0: jammed"].measured == 1 / 5
    assert other["pentagons, ζ = 0: arch"].measured == pytest.approx(7.0) and other["pentagons, ζ = 0: arch"].agrees is False


def test_what_broke_off_counts_as_no_run():
    p = HopperOdds(seeds=3)
    run = runs_of(p, lambda case: case.seed == 1)
    run.tables[Case(0.2, "cow", 20.0, 3).name] = table_of(True, broken=True)
    odds = odds_of(p, run, 0.2, "cow", 20.0)
    assert (odds.jammed, odds.runs, odds.broken, odds.share) == (1, 2, 1, 0.5)
    assert {shape: odds_of(p, run, 0.0, shape, 40.0).runs for shape in get_args(Kind)} == dict.fromkeys(get_args(Kind), 3)


def odds(*jammed: int) -> dict[float, Odds]:
    """Odds of eight runs from 20 m on."""
    return {20.0 + 5.0 * k: Odds(each, 8, 0, np.zeros(0), np.zeros(0)) for k, each in enumerate(jammed)}


def test_where_the_odds_are_even():
    assert even_odds(odds(8, 4, 2, 0, 0)) == pytest.approx(25.0)
    assert even_odds(odds(8, 6, 2, 0, 0)) == pytest.approx(27.5)
    assert np.isnan(even_odds(odds(3, 1, 0, 0, 0))) and np.isnan(even_odds(odds(8, 8, 8, 8, 8)))
    assert jams_below(odds(8, 4, 8, 3, 0)) is True and jams_below(odds(8, 3, 0, 0, 0)) is False
    assert jams_below(odds(8, 4, 8, 4, 0)) is False and jams_below(odds(8, 4)) is None


def test_wilsons_interval():
    low, high = wilson(0, 8)
    assert low == 0.0 and high == pytest.approx(1.0 / 9.0)
    low, high = wilson(4, 8, 1.96)
    assert (low, high) == (pytest.approx(0.2152, abs=1e-4), pytest.approx(0.7848, abs=1e-4))
    assert wilson(8, 8)[1] == 1.0
