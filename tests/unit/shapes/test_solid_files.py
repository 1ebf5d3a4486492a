"""A solid in a file: there and back, and what is refused with which words."""

import json
import math

import numpy as np
import pytest
from refused import assert_refused

from clast.errors import ShapeError
from clast.shapes import capsule, cuboid, hull, load_solid, open_box, plate, prism, save_solid, sphere, sphere_clump

CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
KEYS = {"format": "clast solid", "version": 1, "radius": 0.1, "vertices": CUBE, "faces": FACES}

KINDS = {
    "sphere": lambda: sphere(0.5),
    "capsule": lambda: capsule(ends=[(1, 2, 3), (2, 2, 5)], radius=0.5),
    "clump": lambda: sphere_clump([(0, 0, 0), (0.5, 0, 0), (0, 0.7, 0)], 0.5),
    "plate": lambda: plate([(5, 0, 0), (6, 0, 0), (6, 1, 0), (5, 1, 1e-12)], 0.1),
    "rock": lambda: hull(np.random.default_rng(0).normal((100, 0, 0), size=(12, 3)), 0.1, name='a "rough"\nrock ½'),
    "scaled": lambda: cuboid((1, 2, 3), 0.1).scaled(1e-3),
    "l": lambda: prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1.0, 0.1),
    "wall": lambda: open_box((1, 2, 3), 0.1),
}


@pytest.mark.parametrize("name", KINDS)
def test_there_and_back(tmp_path, name):
    solid = KINDS[name]()
    again = load_solid(save_solid(solid, tmp_path / "solid.json"))
    assert (again.name, again.radius, again.hollow) == (solid.name, solid.radius, solid.hollow)
    assert again.edges.tolist() == solid.edges.tolist()
    assert [loop.tolist() for loop in again.faces] == [loop.tolist() for loop in solid.faces]
    assert np.abs(again.drawn() - solid.drawn()).max() <= 1e-13 * (solid.reach + np.abs(solid.centre).max())
    assert again.volume == pytest.approx(solid.volume, rel=1e-11)
    assert again.inertia == pytest.approx(solid.inertia, rel=1e-10)


def written(folder, name="grain.json", **keys):
    path = folder / name
    path.write_text(json.dumps({key: value for key, value in {**KEYS, **keys}.items() if value is not None}))
    return path


def test_by_hand(tmp_path):
    assert load_solid(written(tmp_path)).name == "grain"
    assert load_solid(written(tmp_path, name="half.json", scale=0.5)).volume == pytest.approx(cuboid(0.5, 0.05).volume)
    assert load_solid(written(tmp_path, volume=3.0)).volume == 3.0
    assert load_solid(written(tmp_path, hollow=True)).is_closed is False


BAD = {
    "no radius": ({"radius": None}, 'the key "radius" is missing'),
    "negative": ({"radius": -1}, 'the key "radius" must be positive, or 0 for a sharp solid, not -1'),
    "word": ({"radius": "wide"}, "the key \"radius\" must be a number, not 'wide'"),
    "infinite": ({"radius": math.inf}, 'the key "radius" must be finite, not inf'),
    "unknown": ({"colour": 1}, 'there is an unknown key "colour"; known are format, version, radius'),
    "pair": ({"vertices": [[0, 0], *CUBE[1:]]}, 'the key "vertices", vertex 0 must be three numbers (x, y, z), not [0, 0]'),
    "no list": ({"vertices": 3}, 'the key "vertices" must be a list, not 3'),
    "half a vertex": ({"faces": [[0, 1, 2.5]]}, 'the key "faces", face 0 must be a whole number, not 2.5'),
    "minus": ({"faces": [[0, 1, -2]]}, 'the key "faces", face 0 must be 0 or more, not -2'),
    "open": ({"faces": FACES[:5]}, "grain.json: The surface of this grain is open: edge 1-3"),
    "two sizes": ({"scale": 1, "volume": 2}, 'Give "scale" or "volume", not both'),
    "hollow nothing": ({"faces": None, "hollow": True}, 'Only "faces" can be "hollow", and there are none'),
    "both": ({"edges": [[0, 1]]}, '"edges" are those of a capsule'),
    "wire": ({"faces": None, "edges": [[0, 1], [1, 2]]}, "Without faces there is one edge"),
    "part of a plate": ({"faces": [[0, 1, 3]]}, "The face of a plate has all vertices, each once"),
    "other format": ({"format": "clast run"}, 'grain.json is no solid\'s file: it must be a table with "format": "clast solid"'),
    "newer": ({"version": 2}, "was written by a newer clast (version 2 of the format, this one reads 1)"),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals_name_the_file_and_the_key(tmp_path, name):
    keys, words = BAD[name]
    path = written(tmp_path, **keys)
    assert_refused(lambda: load_solid(path), str(path), words, error=ShapeError)


def test_files_that_are_none(tmp_path):
    with pytest.raises(ShapeError, match="There is no solid's file"):
        load_solid(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"format": ')
    with pytest.raises(ShapeError, match=r"is not JSON: .* at line 1"):
        load_solid(tmp_path / "bad.json")
    (tmp_path / "list.json").write_text("[1, 2]")
    with pytest.raises(ShapeError, match="no solid's file"):
        load_solid(tmp_path / "list.json")
    with pytest.raises(ShapeError, match="cannot be read"):
        load_solid(tmp_path)


def test_writing_is_careful(tmp_path):
    path = save_solid(sphere(0.1), tmp_path / "ball.json")
    with pytest.raises(ShapeError, match="There is a file"):
        save_solid(sphere(0.2), path)
    assert load_solid(path).radius == 0.1
    save_solid(sphere(0.2), path, overwrite=True)
    assert load_solid(path).radius == 0.2
    with pytest.raises(ShapeError, match=r"call the file .*ball\.json"):
        save_solid(sphere(0.2), tmp_path / "ball.stl")
    with pytest.raises(ShapeError, match="cannot be written"):
        save_solid(sphere(0.2), tmp_path / "nowhere" / "ball.json")
