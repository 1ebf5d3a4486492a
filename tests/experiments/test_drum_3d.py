"""drum-3d, with a few spheres; and its slopes and balances on made-up numbers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.algebra.quaternions import matrix
from clast.errors import InputError
from clast.experiments.drum_3d import (
    REST,
    RISE,
    SIDES,
    WALL,
    Drum3D,
    build,
    duration,
    evaluate,
    lever,
    places,
    slope,
    spin_of,
    surface,
)
from clast.experiments.shared.space import standing_room
from clast.measures.book import ACCOUNTS, Book
from clast.shapes.space.library import library_solid

TINY = {"shape": "sphere", "grains": 20, "radius": 3.0, "length": 3.0, "turns": 0.25, "stiffness": 4e3}


@pytest.fixture(scope="module")
def tumbled(tmp_path_factory):
    return conduct_without_pictures("drum-3d", TINY, tmp_path_factory.mktemp("drum") / "run")


def test_the_drum_turns_as_it_was_told(tumbled):
    p, frame = Drum3D(**TINY), tumbled.run.frames[-1]
    turned = spin_of(p) * (frame.time - REST - 0.5 * RISE)
    before, after = (matrix(tumbled.run.frames[k].orientations[20]) for k in (0, -1))
    turn = after @ before.T  # about +y z goes to x
    assert math.atan2(turn[0, 2], turn[2, 2]) == pytest.approx(turned, rel=1e-6)
    assert turn[1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-9)
    assert np.array_equal(frame.positions[21:], tumbled.run.frames[0].positions[21:])  # the ends rest


def test_grains_stay_inside_and_are_lifted(tumbled):
    run, far = tumbled.run, 3.0 / math.cos(math.pi / SIDES)
    for frame in run.frames:
        x, y, z = frame.positions[:20].T
        assert np.hypot(x, z).max() < far and np.abs(y).max() < 1.5
    assert lever(run, -1)[0] > 0.3  # hangs on the side that goes up, −x for a turn about +y
    assert run.frames[-1].positions[:20, 0].mean() < -0.3


def test_the_energy_book_closes(tumbled):
    book = tumbled.run.book
    assert book.work[book.time <= REST][-1] == 0.0 and book.work[-1] > 1.0  # nobody turns it before
    assert tumbled.run.result["energy_error"] < 1e-3
    assert [path.name for path in tumbled.figures] == ["flow.png"]


@pytest.mark.parametrize("shape", ["cube", "sphere", "tetrahedron", "brick"])
def test_grains_start_apart_in_the_drum(shape):
    p, grain = Drum3D(shape=shape, grains=60, radius=5.5, length=5.0), library_solid(shape)
    where = places(p, grain)
    low, high = standing_room(grain)
    assert where.shape == (60, 3)
    pipe, front, back = build(p).bodies[60:]
    x, y, z = pipe.shape.drawn().T  # what is left inside the walls is what was asked for
    assert np.hypot(x, z) * math.cos(math.pi / SIDES) == pytest.approx(p.radius + WALL) and y.max() == pytest.approx(2.5 + WALL)
    assert [body.position[1] for body in (front, back)] == pytest.approx([-2.5 - WALL, 2.5 + WALL])
    corners = [where + np.array([x, y, z]) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    assert max(np.hypot(each[:, 0], each[:, 2]).max() for each in corners) <= p.radius
    assert max(np.abs(each[:, 1]).max() for each in corners) <= 2.5 + 1e-9
    apart = np.abs(where[:, None] - where[None]) - (high - low)
    assert apart.max(axis=2)[~np.eye(60, dtype=bool)].min() > -1e-9


def test_a_drum_that_is_too_small_is_refused():
    with pytest.raises(InputError, match="not for 500: take fewer"):
        build(Drum3D(grains=500, radius=4.0, length=4.0))


# --- judging ---------------------------------------------------------------------------------------------------------


def made_up(p, angle, heat=1.0, grains=4000):
    """A drum filled below a plane of a given slope that does not move; work goes evenly, and heat a part of it."""
    rng = np.random.default_rng(1)
    x, z = rng.uniform(-p.radius, p.radius, (2, 8 * grains))
    inside = (np.hypot(x, z) < p.radius) & (z < -x * math.tan(math.radians(angle)))
    x, z = x[inside][:grains], z[inside][:grains]
    rows = np.column_stack([x, np.zeros_like(x), z])
    frame = SimpleNamespace(positions=rows, velocities=np.zeros_like(rows))
    time = np.linspace(0.0, duration(p), 101)
    series = {name: np.zeros(101) for name in ACCOUNTS} | {"overlap_share": np.zeros(101)}
    held = -float(x.mean()) * p.grains * spin_of(p)
    series |= {"work_tags": held * time, "heat_sliding": heat * held * time, "translational": np.ones(101)}
    frames = type("Frames", (list,), {"times": np.array([0.0, 0.9 * time[-1]])})([frame, frame])
    return SimpleNamespace(frames=frames, scene={"body_big": np.zeros(len(x))}, series=series, book=Book(time, series))


@pytest.mark.parametrize("angle", [20.0, 35.0])
def test_a_plane_has_its_slope(angle):
    p = Drum3D(grains=300)
    run = made_up(p, angle)
    assert slope(p, *surface(p, run, 0)) == pytest.approx(angle, abs=2.5)
    x, z = lever(run, 0)
    assert math.degrees(math.atan2(x, -z)) == pytest.approx(angle, abs=1.5)


def test_balances_are_judged():
    p = Drum3D(grains=300)
    good = {each.name: each for each in evaluate(p, made_up(p, 30.0))}
    assert good["heat / work of the drum"].agrees is True and good["work / weight × lever × turn"].agrees is True
    assert good["work / weight × lever × turn"].measured == pytest.approx(1.0, rel=1e-9)
    bad = {each.name: each for each in evaluate(p, made_up(p, 30.0, heat=0.8))}
    assert bad["heat / work of the drum"].agrees is False and bad["heat / work of the drum"].measured == pytest.approx(0.8)


def test_too_few_strips_have_no_slope():
    p = Drum3D()
    assert math.isnan(slope(p, np.array([-1.0, 0.0, 1.0]), np.array([1.0, np.nan, 0.0])))
