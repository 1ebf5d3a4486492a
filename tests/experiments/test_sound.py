"""sound, with short chains beside an integration of masses in a row; and its judgement on made-up arrivals."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.errors import InputError
from clast.experiments import find
from clast.experiments.shared.running import run_experiment
from clast.experiments.sound import EXPECTED, LAWS, LENGTHS, Sound, chain, chain_name, evaluate, first_peak, of_pulling_contacts

SHORT = {"blocks": 36}
P = Sound(**SHORT)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return run_experiment(find("sound"), given=SHORT, out=tmp_path_factory.mktemp("sound") / "run")


def row_of_masses(blocks, blow, stiffer):
    """Arrivals [L/c] in a row of masses with springs that only push; stiffer: by Y A dx/(L − dx), not Y A dx/L."""
    steps = 200
    place, velocity, rows = np.zeros(blocks), np.zeros(blocks), []
    velocity[0] = blow
    for step in range(steps * (blocks + 8)):
        overlap = np.maximum(place[:-1] - place[1:], 0.0)
        force = overlap / (1.0 - overlap) if stiffer else overlap
        pull = np.zeros(blocks)
        pull[:-1] -= force
        pull[1:] += force
        before, velocity = velocity, velocity + pull / steps * (1.0 if step else 0.5)
        rows.append(0.5 * (before + velocity) if step else before)
        place = place + velocity / steps
    times = np.arange(len(rows)) / steps
    return np.array([first_peak(times, values)[0] for values in np.array(rows).T[:-1]])


@pytest.mark.parametrize("kind", LAWS)
def test_blocks_are_masses_with_springs_that_push(sound, kind):
    expected = row_of_masses(P.blocks, P.blow, stiffer=kind == "volume")
    other = row_of_masses(P.blocks, P.blow, stiffer=kind != "volume")
    for length in LENGTHS:
        arrival = sound.run.tables[chain_name(kind, length)]["arrival"] * P.speed / length
        assert arrival == pytest.approx(expected, abs=1.5e-3)
        assert np.abs(arrival - other).max() > 3e-3, "one law would pass for the other"


def test_second_block_peaks_where_the_closed_form_does(sound):
    """Until then every contact pushes: J₃(2τ)/τ is largest at τ = 1.80563."""
    assert sound.run.tables["energy, 1 m"]["arrival"][1] * P.speed == pytest.approx(1.80563, abs=2e-4)


def test_numbers_of_a_short_chain(sound):
    found = {each.name: each for each in sound.quantities}
    assert found["1 m: c_5/√(Y/ρ)"].measured == pytest.approx(0.9404, abs=3e-4) and found["2 m: c_5/√(Y/ρ)"].agrees
    assert "1 m: c_50/√(Y/ρ)" not in found and not any("speed at" in name for name in found)
    for kind in LAWS:
        assert found[f"{kind}: speeds of both lengths apart"].measured < 1e-6
    assert found["speeds of both laws apart"].agrees and found["speeds of both laws apart"].measured > 1e-5
    assert found["sideways motion"].agrees
    assert sound.figures[0].read_bytes().startswith(b"\x89PNG") and sound.figures[0].stat().st_size > 20_000


def test_the_blow_is_where_it_should_be(sound):
    table = sound.run.tables["beginning, 2 m"]
    assert table["block 1"][0] == 1.0 and all(table[f"block {k}"][0] == 0.0 for k in range(2, 7))
    assert table["block 1"][-1] < 0.0, "the first block is thrown back"
    assert table["time"][-1] == pytest.approx(10.0 * 2.0 / P.speed, rel=0.01)


@pytest.mark.parametrize("length", LENGTHS)
def test_blocks_that_only_touch_do_not_push(length):
    scene = chain("volume", length, 6, P)
    scene.bodies[0].velocity = (0.0, 0.0, 0.0)
    engine = Engine(scene, dt=1e-4)
    engine.advance(200)
    seen = engine.snapshot()
    assert not seen.velocities.any() and not seen.spins.any()
    assert len(seen.contacts) == 0
    assert engine.pairs == 5, "they are seen to be near"


def test_first_peak():
    times = np.linspace(0.0, 4.0, 41)
    values = 1.0 - (times - 1.234) ** 2
    assert first_peak(times, values) == pytest.approx((1.234, 1.0), abs=1e-12)
    two = np.exp(-20.0 * (times - 1.0) ** 2) + 1.5 * np.exp(-20.0 * (times - 3.0) ** 2)
    assert first_peak(times, two)[0] == pytest.approx(1.0, abs=0.01), "the first, not the highest"
    small = 0.3 * np.exp(-20.0 * (times - 1.0) ** 2) + np.exp(-20.0 * (times - 3.0) ** 2)
    assert first_peak(times, small)[0] == pytest.approx(3.0, abs=0.01), "a ripple is none"
    assert first_peak(times, -times) == (0.0, 0.0)


def test_closed_form_comes_to_the_speed_of_sound():
    n = np.array([50.0, 380.0])
    assert of_pulling_contacts(n) == pytest.approx(1.0 - 0.1697 * (n + 5.0) ** (-2.0 / 3.0), abs=4e-4)


def made_up(fast=1.0, other=1.0, aside=0.0):
    """Chains in which c_n is as expected, times a factor; another factor for the long blocks."""
    p, tables = Sound(), {}
    blocks = np.arange(1.0, p.blocks)
    middle = np.array([n + 5.0 for n in EXPECTED])
    for kind in LAWS:
        for length, factor in zip(LENGTHS, (fast, fast * other), strict=True):
            speed = p.speed * factor * np.interp(blocks, middle, list(EXPECTED.values()))
            arrival = np.concatenate([[0.0], np.cumsum(length / speed)[:-1]])
            tables[chain_name(kind, length)] = Table(block=blocks, arrival=arrival, sideways=np.full(len(blocks), aside))
    return {each.name: each for each in evaluate(p, SimpleNamespace(tables=tables))}


class Table(dict):
    """Columns with a number of rows."""

    @property
    def rows(self):
        return len(self["block"])


def test_judgement():
    good = made_up()
    assert all(each.agrees for each in good.values()) and "2 m: speed at block 380" in good
    assert good["1 m: c_380/√(Y/ρ)"].measured == pytest.approx(0.996, abs=1e-3)
    slow = made_up(fast=0.985)
    assert not slow["1 m: c_100/√(Y/ρ)"].agrees and not slow["1 m: speed at block 380"].agrees
    assert slow["volume: speeds of both lengths apart"].agrees
    unequal = made_up(other=0.9975)
    assert not unequal["volume: speeds of both lengths apart"].agrees and unequal["2 m: c_100/√(Y/ρ)"].agrees
    assert not made_up(aside=1e-9)["sideways motion"].agrees


def test_a_chain_too_short_is_refused():
    with pytest.raises(InputError, match="--blocks 20"):
        find("sound").choose("quick", {"blocks": 20})
