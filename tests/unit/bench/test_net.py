"""benchmarks/net.py: records bits, and names what differs from a record."""

import copy
import importlib
import json
from pathlib import Path

import numpy as np
import pytest

from clast.laws import Linear

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
NAME = "hexagons_and_disks"
FEW = 600  # steps: the first have touched


@pytest.fixture
def net(monkeypatch):
    """The module, with one run, which is short."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("net")
    monkeypatch.setattr(module, "RUNS", {NAME: module.RUNS[NAME]._replace(steps=FEW)})
    return module


def next_number(value: str) -> str:
    return float(np.nextafter(float.fromhex(value), np.inf)).hex()


def test_the_same_version_comes_to_the_same_bits(net, tmp_path, capsys):
    file = tmp_path / "net.json"
    assert net.main(["--out", str(file)]) == 0
    assert net.main(["--against", str(file), "--threads", "2"]) == 0
    said = capsys.readouterr().out
    assert f"{NAME:20s} same bits\n0 of 1 runs differ" in said and "another" not in said
    recorded = json.loads(file.read_text())["runs"][NAME]
    assert recorded["rebuilds"] > 1 and len(recorded["numbers"]["depths"]["values"]) > 10
    assert all(float.fromhex(recorded["energies"][name]) > 0.0 for name in ("heat_sliding", "normal_elastic"))


def test_a_bit_more_of_stiffness_is_named(net, tmp_path, capsys, monkeypatch):
    file = tmp_path / "net.json"
    net.main(["--out", str(file)])
    law, make = net.falling_grains.LAW, net.RUNS[NAME].make
    stiffer = Linear(np.nextafter(2e4, 3e4), 1e4, friction=0.4, normal_damping=10.0, tangential_damping=5.0)
    assert stiffer != law
    monkeypatch.setattr(net, "RUNS", {NAME: net.RUNS[NAME]._replace(make=lambda: make(law=stiffer))})
    assert net.main(["--against", str(file)]) == 1
    said = capsys.readouterr().out.splitlines()[-2]
    assert all(name in said for name in ("velocities: ", "forces: ", "energies, over the largest: ", "normal_elastic "))


def test_what_differs_is_named(net):
    before = net.carried_out(net.RUNS[NAME])

    def found(change):
        now = copy.deepcopy(before)
        change(now)
        return net.differences(before, now)

    def one_bit(now):
        values = now["numbers"]["velocities"]["values"]
        values[3] = next_number(values[3])

    def an_energy(now):
        now["energies"]["heat_sliding"] = next_number(now["energies"]["heat_sliding"])

    def a_contact_less(now):
        now["numbers"]["depths"] = {"shape": [1], "values": ["0x0p0"]}

    assert found(lambda now: None) == []
    (said,) = found(one_bit)
    assert said.startswith("velocities: ") and 0.0 < float(said.split()[1]) < 2.3e-16
    (said,) = found(an_energy)
    assert said.startswith("energies, over the largest: heat_sliding ") and 0.0 < float(said.split()[-1]) < 2.3e-16
    (said,) = found(a_contact_less)
    assert said.startswith("depths: [") and said.endswith("now [1]")
    assert found(lambda now: now.update(rebuilds=0)) == [f"rebuilds: {before['rebuilds']}, now 0"]
    assert found(lambda now: now.update(state="other"))[0].startswith("the tables of the state")
    assert found(lambda now: now["energies"].pop("cohesive")) == ["cohesive: no longer there"]
    assert net.differences(before, {"error": "OverlapError: too deep"}) == ["was: no error; is: OverlapError: too deep"]


def test_a_run_that_fails_and_one_that_was_not_recorded(net, tmp_path, capsys, monkeypatch):
    soft = Linear(1.0)
    make = net.RUNS[NAME].make
    monkeypatch.setattr(net, "RUNS", {NAME: net.RUNS[NAME]._replace(make=lambda: make(law=soft))})
    file = tmp_path / "net.json"
    assert net.main(["--out", str(file)]) == 0
    assert "OverlapError: bodies" in capsys.readouterr().out
    assert net.main(["--against", str(file)]) == 0
    file.write_text(json.dumps({"machine": {}, "runs": {}}))
    assert net.main(["--against", str(file)]) == 1
    said = capsys.readouterr().out
    assert f"{NAME:20s} not recorded" in said and "recorded with another processor" in said
