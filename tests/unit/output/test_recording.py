"""What `clast.run` refuses, warns of and says at the end."""

import math

import numpy as np
import pytest

import clast
from clast.errors import InputError, OverlapError, StoreError
from clast.output import recording
from clast.scene.timed import Harmonic
from clast.shapes import disk


def pair(stiffness: float = 1e4, gap: float = 0.05, speed: float = 1.0) -> clast.Scene:
    scene = clast.Scene(law=clast.Linear(stiffness))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    scene.add(disk(radius=0.5), (1.0 + gap, 0.0), velocity=(-speed, 0.0))
    return scene


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_with_other_files_is_left_alone(tmp_path, overwrite):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(StoreError, match="holds other files and no run"):
        clast.run(pair(), until=0.01, out=tmp_path, overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("given", [{"until": "1"}, {"until": 1.0, "dt": "small"}, {"until": True}])
def test_times_that_are_no_numbers(tmp_path, given):
    with pytest.raises(InputError, match="must be a number"):
        clast.run(pair(), out=tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()


def test_an_overlapping_start_says_move_apart_and_writes_nothing(tmp_path):
    with pytest.raises(OverlapError, match=r"bodies 0 and 1 .*move them apart"):
        clast.run(pair(gap=-0.95), until=0.01, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("stiffness, deep", [(1e4, False), (20.0, True)])
def test_a_deep_overlap_is_said(tmp_path, capsys, stiffness, deep):
    run = clast.run(pair(stiffness), until=0.5, out=tmp_path / "run")
    said = capsys.readouterr().err
    assert ("another shape than you drew" in said) == deep
    assert "energy error" in said
    # v √(m_e/k), over the common radius; samples may miss the deepest moment by a little
    expected = math.sqrt(0.5 * math.pi * 0.25 / stiffness) / 0.5
    assert run.result["overlap_share"] == pytest.approx(expected, rel=0.05)


def test_quiet_is_quiet(tmp_path, capsys):
    clast.run(pair(), until=0.1, out=tmp_path / "run", progress=clast.quiet())
    assert capsys.readouterr() == ("", "")


def test_a_harmonic_that_begins_later():
    load = Harmonic(2.0, period=4.0, mean=5.0, phase=-0.5 * math.pi, begin=3.0)
    assert load(np.array([0.0, 2.9, 3.0, 4.0, 5.0, 6.0])) == pytest.approx([5.0, 5.0, 5.0, 7.0, 5.0, 3.0])


def test_a_run_that_somebody_looks_at_has_the_same_bits_and_more_parts(tmp_path, monkeypatch):
    alone = clast.run(pair(), until=0.2, out=tmp_path / "alone", frames=10)
    waits = []
    monkeypatch.setattr(recording.Watch, "wants", lambda self, frame: frame != self._frame)
    monkeypatch.setattr(recording.Watch, "wait", lambda self, stop: waits.append(stop()))
    seen = clast.run(pair(), until=0.2, out=tmp_path / "seen", frames=10)
    parts = [len(list((run.folder / "parts").iterdir())) for run in (alone, seen)]
    assert parts[1] == len(seen.frames) > parts[0] and waits and not any(waits)
    for one, other in zip(alone.frames, seen.frames, strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one.names)
    assert all(np.array_equal(alone.series[name], seen.series[name]) for name in alone.series)
