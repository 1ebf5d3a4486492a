"""Photographs of grains in use: on the command line and in a scene file."""

import math

import pytest
from drawn_pictures import ONE, TWO, drawn, saved

from clast.cli import run_command
from clast.errors import ClastError
from clast.scene_files.reading import read_scene
from clast.shapes import grains_from_image, load_shape

# --- on the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved(drawn([ONE], (96, 80)), tmp_path / "one.png")
    return tmp_path


def test_the_command_shows_and_saves(at_home, capsys):
    assert run_command(["shape", "one.png", "--scale", "0.1", "--vertices", "12", "--save", "stones"]) == 0
    said = capsys.readouterr().out
    assert "1 grains, darker than the ground" in said and "0 cut by the border, 0 specks" in said
    assert (at_home / "one-shape.png").stat().st_size > 5000
    assert [path.name for path in (at_home / "stones").iterdir()] == ["grain-00.toml"]
    (grain,) = grains_from_image("one.png", scale=0.1, vertices=12)
    again = load_shape("stones/grain-00.toml")
    assert again.area == pytest.approx(grain.shape.area, rel=1e-12) and len(again.vertices) <= 12
    assert f"{grain.area:.6g}" in said and f"{grain.misfit.mismatch:.2%}" in said
    assert run_command(["shape", "stones/grain-00.toml"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.png"], "there is no picture nowhere.png"),
        (["one.png", "--save", "there"], "--save there: it exists already"),
        (["one.png", "--save", "no/where"], "there is no folder no"),
        (["one.png", "--out", "one.png"], "that is the photograph itself"),
        (["one.png", "--threshold", "high"], "--threshold high: a brightness from 0 to 1, or otsu"),
        (["one.png", "--radius", "90", "--save", "new"], "take a smaller radius"),
        (["cow", "--scale", "2"], "--scale is for photographs, and cow is none"),
    ],
)
def test_the_command_refuses_and_leaves_nothing(words, said, at_home, capsys):
    (at_home / "there").mkdir()
    before = sorted(at_home.rglob("*"))
    assert run_command(["shape", *words]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and told.out == ""
    assert sorted(at_home.rglob("*")) == before


# --- in a scene file -------------------------------------------------------------------------------------------------

SCENE = """
[law]
kind = "linear"
normal_stiffness = 1e5

[shapes.gravel]
kind = "photograph"
file = "two.png"
split = true
tolerance = 2.0
scale = 0.1

[shapes.middle]
kind = "photograph"
file = "two.png"
split = true
tolerance = 2.0
scale = 0.1
grain = 2

[[grains]]
shape = "middle"
position = [0.0, 60.0]

[[fill]]
kind = "lattice"
count = 9
lower = [0.0, 0.0]
upper = [20.0, 40.0]
shapes = [{ shape = "gravel", share = 2.0 }, { shape = "disk" }]

[run]
until = 0.1
"""


@pytest.fixture
def scene_of(tmp_path):
    saved(drawn(TWO), tmp_path / "two.png")

    def read(text):
        (tmp_path / "scene.toml").write_text(text, encoding="utf-8")
        return read_scene(tmp_path / "scene.toml")

    return read


def test_a_photograph_in_a_scene_file(scene_of):
    file = scene_of(SCENE)
    names = [body.shape.name for body in file.scene.bodies]
    assert names[0] == "grain-02" and file.scene.bodies[0].shape.area == pytest.approx(math.pi * 4.0, rel=0.005)
    assert sorted(names[1:]) == ["disk"] * 3 + ["grain-00"] * 2 + ["grain-01"] * 2 + ["grain-02"] * 2
    assert file.shape_texts["two.png"].startswith("sha256 ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("grain = 2", "grain = 3", r"scene.toml: shapes.middle: grain = 3: two.png shows grains 0 to 2"),
        ('shape = "middle"', 'shape = "gravel"', r'grains\[0\].shape: "gravel" is a photograph of 3 grains: .* grain = 0 … 2'),
        ('file = "two.png"', 'file = "one.png"', r"shapes.gravel: there is no picture .*one.png"),
        ('file = "two.png"', 'file = "/two.png"', r"give the path from the folder of the scene file"),
        ("split = true", "split = 1", r"shapes.gravel.split: 1 must be true or false"),
    ],
)
def test_a_photograph_that_a_scene_cannot_use(scene_of, old, new, said):
    with pytest.raises(ClastError, match=said):
        scene_of(SCENE.replace(old, new, 1))
