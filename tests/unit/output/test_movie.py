"""Movies: a picture per frame, small, of the right part of the plane, whole or not there."""

import sys

import numpy as np
import pytest
from PIL import Image
from stored_runs import stored_run

from clast.errors import InputError, StoreError
from clast.laws import Linear
from clast.output.figures import movie
from clast.output.figures.movie import HEADER, write_movie
from clast.output.figures.plane import run_outlines
from clast.output.figures.view import view_of
from clast.output.progress import Progress
from clast.scene.plane import Box, Scene
from clast.shapes import cow, disk, polyline, segment


def pictures(path):
    """Every picture of a GIF as RGB (k, height, width, 3), and how long each stays (ms)."""
    with Image.open(path) as file:
        found, lasts = [], []
        for k in range(file.n_frames):
            file.seek(k)
            found.append(np.asarray(file.convert("RGB")))
            lasts.append(file.info["duration"])
    return np.array(found), lasts


def falling(folder, frames=6):
    """A disk that goes 1 to the right in each frame, in a box 10 wide and 5 high, open but for four walls."""
    scene = Scene(law=Linear(1e4))
    scene.add_wall(polyline([(0.0, 0.0), (10.0, 0.0), (10.0, 5.0), (0.0, 5.0), (0.0, 0.01)], radius=0.05))
    scene.add(disk(radius=0.5), (2.0, 2.0))
    steps = [{"positions": np.array([scene.bodies[0].position, (2.0 + k, 2.0)])} for k in range(frames)]
    return stored_run(folder, scene, steps)


def test_a_gif_shows_the_grain_where_it_was(tmp_path):
    path = write_movie(falling(tmp_path / "run"), width=500, fps=20.0, color="none")
    assert path == tmp_path / "run" / "movie.gif"
    shown, lasts = pictures(path)
    assert shown.shape[0] == 6 and shown.shape[2] == 500 and lasts == [50] * 6
    height = shown.shape[1] - HEADER
    assert abs(height - 250) <= 15
    blue = np.rint(255 * np.array(movie.PLAIN)).astype(int)
    columns = [np.flatnonzero((np.abs(each[HEADER:].astype(int) - blue).max(axis=2) <= 2).any(axis=0)) for each in shown]
    middles = np.array([0.5 * (each[0] + each[-1]) for each in columns])
    scale = np.diff(middles).mean()
    assert 40.0 < scale < 50.0, "pixels per length"
    assert np.abs(np.diff(middles) - scale).max() <= 1.0
    assert abs(len(columns[0]) - scale) <= 3.0, "a disk is one length across"


def test_every_and_the_most_frames(tmp_path, monkeypatch):
    run = falling(tmp_path / "run")
    assert len(pictures(write_movie(run, every=2, width=200))[0]) == 3
    monkeypatch.setattr(movie, "MOST_FRAMES", 4)
    assert len(pictures(write_movie(run, width=200))[0]) == 3


def test_the_time_is_in_the_picture(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    shown, _ = pictures(write_movie(stored_run(tmp_path / "run", scene, [{}, {}]), width=300, color="none"))
    assert (shown[0][HEADER:] == shown[1][HEADER:]).all()
    left = shown[:, :HEADER, :150].astype(int)
    assert (left.min(axis=(1, 2, 3)) < 60).all() and (left[0] != left[1]).any()


def test_a_gif_of_400_cows_stays_under_50_kb_a_frame(tmp_path):
    rng = np.random.default_rng(3)
    scene = Scene(law=Linear(1e7), box=Box(103.0, 103.0))
    grain = cow()
    for k in range(400):
        scene.add(grain, (5.15 * (k % 20 + 0.5), 5.15 * (k // 20 + 0.5)), angle=rng.uniform(0.0, 6.28))
    start = np.array([body.position for body in scene.bodies])
    way, turn = rng.normal(size=(400, 2)), rng.uniform(0.0, 6.28, 400)
    frames = [{"positions": start + 0.3 * k * way, "angles": turn + 0.1 * k, "velocities": way} for k in range(5)]
    path = write_movie(stored_run(tmp_path / "run", scene, frames))
    per_frame = path.stat().st_size / 5
    print(f"{per_frame / 1000:.1f} kB a frame")
    assert per_frame < 50_000
    shown, _ = pictures(path)
    assert len(np.unique(shown.astype(np.int64) @ (1, 256, 65536))) <= movie.LEVELS + 4


def test_an_mp4_has_every_frame(tmp_path):
    import imageio_ffmpeg

    path = write_movie(falling(tmp_path / "run"), tmp_path / "moving.mp4", width=301, fps=12.0)
    about = next(imageio_ffmpeg.read_frames(path))
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(path)
    assert frames == 6 and abs(seconds - 0.5) < 0.02
    assert about["codec"] == "h264" and about["size"][0] in (300, 302) and about["size"][1] % 2 == 0


def test_without_an_encoder_an_mp4_is_refused_in_one_sentence(tmp_path, monkeypatch):
    run = falling(tmp_path / "run")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(InputError, match=r'pip install "clast\[movie\]"'):
        write_movie(run, kind="mp4")
    assert not (tmp_path / "run" / "movie.mp4").exists()


def test_a_movie_that_fails_on_the_way_leaves_the_old_one(tmp_path, monkeypatch):
    run = falling(tmp_path / "run")
    path = write_movie(run, width=200)
    old = path.read_bytes()
    draw = movie.Stage.draw

    def full(stage, frame):
        if frame.step == 3:
            raise OSError("no space left")
        return draw(stage, frame)

    monkeypatch.setattr(movie.Stage, "draw", full)
    with pytest.raises(StoreError, match=r"no space left.*make room"):
        write_movie(run, width=300)
    assert path.read_bytes() == old
    assert not list(path.parent.glob("*.writing")) and not list(path.parent.glob(".*.writing"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "avi"}, "gif, mp4"),
        ({"color": "mass"}, "speed, spin, none"),
        ({"fps": 0.0}, "more than 0"),
        ({"fps": 60.0}, "at most 50 for gif"),
        ({"width": 20}, "from 200"),
        ({"every": 0}, "1 or more"),
    ],
)
def test_bad_wishes_get_one_sentence(tmp_path, given, words):
    with pytest.raises(InputError, match=words):
        write_movie(falling(tmp_path / "run"), **given)


def test_names_that_contradict_or_lead_nowhere(tmp_path):
    run = falling(tmp_path / "run")
    with pytest.raises(InputError, match=r"does not end in \.mp4"):
        write_movie(run, tmp_path / "a.gif", kind="mp4")
    with pytest.raises(InputError, match="no folder"):
        write_movie(run, tmp_path / "nowhere" / "a.gif")
    scene = Scene(law=Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    with pytest.raises(InputError, match="no frames are stored"):
        write_movie(stored_run(tmp_path / "begun", scene, []))


def test_a_lost_grain_and_a_long_floor_do_not_make_the_others_small(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add_wall(segment((-1000.0, 0.0), (1000.0, 0.0), radius=0.1))
    for x in (0.0, 2.0, 4.0):
        scene.add(disk(radius=0.5), (x, 3.0))
    first = np.array([body.position for body in scene.bodies])
    later = first.copy()
    later[1, 1] = -5000.0
    run = stored_run(tmp_path / "run", scene, [{}, {"positions": later}])
    low, high = view_of(run, run_outlines(run), [0, 1])
    assert (low < [-0.5, -0.1]).all() and (high > [4.5, 3.5]).all()
    assert (high - low < 12.0).all(), (low, high)


def test_a_grain_over_a_corner_of_the_box_is_seen_in_all_four(tmp_path):
    scene = Scene(law=Linear(1e4), box=Box(10.0, 8.0))
    scene.add(disk(radius=0.5), (10.1, -8.1))  # as far as one period over the corner (0, 0)
    scene.add(disk(radius=0.5), (5.0, 4.0))
    scene.add(disk(radius=0.5), (0.2, 4.0))
    run = stored_run(tmp_path / "run", scene, [{}])
    bodies, frame = run_outlines(run), run.frames[0]
    placed, owners = bodies.place(np.arange(3), frame.positions, frame.angles)
    assert np.bincount(owners).tolist() == [4, 1, 2]
    middles = 0.5 * (placed.min(axis=1) + placed.max(axis=1))
    expected = {(0.1, 7.9), (0.1, -0.1), (10.1, 7.9), (10.1, -0.1)}
    assert {tuple(np.round(each, 9)) for each in middles[owners == 0]} == expected


def test_colours_follow_the_speed_of_those_in_view(tmp_path):
    scene = Scene(law=Linear(1e4))
    for x in (0.0, 2.0, 4.0):
        scene.add(disk(radius=0.5), (x, 0.0))
    away = np.array([(0.0, 0.0), (2.0, 0.0), (900.0, 0.0)])
    speeds = np.array([(0.0, 0.0), (3.0, 4.0), (700.0, 0.0)])
    run = stored_run(tmp_path / "run", scene, [{}, *[{"positions": away, "velocities": speeds}] * 9])
    stage = movie.Stage.set_up(run, range(10), 400, "speed")
    assert stage.shades.high == pytest.approx(5.0, rel=0.05), "the lost grain sets no scale"
    colors = stage.shades(run.frames[1], np.arange(3))
    assert (colors == stage.shades.table[[0, -1, -1]]).all()


def test_progress_is_told(tmp_path):
    told = []

    class Counted(Progress):
        def update(self, step, end, cundall=None):
            told.append((step, end))

    progress = Counted(silent=True)
    write_movie(falling(tmp_path / "run"), width=200, progress=progress)
    assert told == [(k, 6) for k in range(6)]
