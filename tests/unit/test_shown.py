"""What Python shows of shapes, books and series is a line, not all their numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

import clast
from clast.cli.running import RunOptions
from clast.cli.tables import show_book
from clast.measures.book import ACCOUNTS, Book
from clast.shapes import cow, cuboid, disk, drum


def short_run(folder):
    scene = clast.Scene(law=clast.Linear(1e4))
    scene.add(disk(radius=0.1), (0.0, 0.0), velocity=(1.0, 0.0))
    return clast.run(scene, until=0.001, dt=1e-3, out=folder, samples=1, frames=0, progress=clast.quiet())


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (cow(), ("cow", "vertices", f"area {cow().area:.6g}")),
        (disk(radius=0.5), ("disk", "1 vertices, 0 edges", "radius 0.5")),
        (cuboid((1.0, 1.0, 1.0), radius=0.1), ("8 vertices, 12 edges, 6 faces", "volume")),
        (drum(1.0, 0.5, radius=0.05), ("faces",)),
        (Book(np.zeros(1), {name: np.ones(1) for name in ACCOUNTS}), ("1 sample, t = 0 to 0", "energy error 0")),
        (Book(np.zeros(0), {}), ("0 samples",)),
    ],
)
def test_a_line_is_shown(thing, words):
    shown = repr(thing)
    assert len(shown) < 150 and "\n" not in shown and "array" not in shown
    assert all(word in shown for word in words), shown


def test_a_run_and_its_series_count_in_words(tmp_path):
    run = short_run(tmp_path / "run")
    assert f"{len(run.series['time'])} samples: step, time" in repr(run.series) and "samples:" in repr(run)
    run.series._loaded = {name: run.series[name][:1] for name in run.series}
    assert "1 sample: " in repr(run.series) and "1 sample: " in repr(run)


def test_the_hint_repeats_how_a_run_is_carried_out():
    usual = {"out": None, "threads": 1, "device": None, "jobs": 1, "resume": False, "overwrite": False, "checkpoint": 30.0}
    usual |= {"quiet": False, "verbose": False, "begin": None, "view": False}
    assert RunOptions(**usual).again == ""
    assert RunOptions(**usual | {"threads": "auto", "checkpoint": 5.0}).again == " --threads auto --checkpoint 5.0"
    assert RunOptions(**usual | {"device": "cpu", "jobs": 2}).again == " --device cpu --jobs 2"


def turning():
    """The book of a ball that turns back on a spring: ½ v₋·M·v₊ is a little below 0 in the step where it does."""
    zero = np.zeros(4)
    moving, spring = np.array([1.0, 0.5, -1e-6, 0.6]), np.array([0.0, 0.5, 1.0 + 1e-6, 0.4])
    return Book(np.arange(4.0), dict.fromkeys(ACCOUNTS, zero) | {"translational": moving, "normal_elastic": spring})


def test_kinetic_energy_is_never_shown_negative(capsys):
    book = turning()
    assert book.kinetic.tolist() == [1.0, 0.5, 0.0, 0.6]
    lines = {line.get_label(): line.get_ydata() for line in book.plot().axes[0].lines}
    assert lines["translational"].min() == 0.0
    last = Book(book.time[:3], {name: values[:3] for name, values in book.series.items()})
    show_book(SimpleNamespace(series=Columns(last)))
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["translational"]]
    assert row == ["translational", "1", "0"]


def test_the_book_itself_keeps_what_turning_back_leaves():
    book = turning()
    assert book["translational"][2] == -1e-6 and book.scale == 1.0
    assert np.abs(book.residual).max() < 1e-15 and np.abs(book.energy - 1.0).max() < 1e-15


class Columns(dict):
    """The series of a run that is no more than a book."""

    def __init__(self, book):
        super().__init__(book.series, time=book.time)
        self.names = list(book.series)
