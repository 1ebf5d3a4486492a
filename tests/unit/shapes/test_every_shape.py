"""What holds for every function in `clast.shapes` that scene files know: its keys, and that a file makes what Python makes.

A new one is found by itself. Numbers are chosen by what its keys declare: lengths near 1, each a little longer than the last,
radii and walls thin.
"""

import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scene_texts import toml

import clast.shapes
from clast.errors import ClastError, InputError, ShapeError
from clast.found import by_own_name, in_order, makers_in
from clast.keys import keys_of
from clast.scene_files.build import ShapeShelf
from clast.scene_files.reading import parse
from clast.scene_files.space.build import SolidShelf

MAKERS = {(2, kind): maker for kind, maker in makers_in("clast.shapes.plane").items()}
MAKERS |= {(3, kind): maker for kind, maker in makers_in("clast.shapes.space").items()}
PYRAMID = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
BY_FORM = {
    "pair": [1.0, 1.5], "triple": [1.0, 1.5, 2.0], "outline": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], "arms": 1.0,
    "places": PYRAMID, "loops": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
}  # fmt: skip
PARTICULAR = {(2, "regular"): {"side": 1.0}, (3, "plate"): {"corners": PYRAMID[:3]}, (3, "capsule"): {"length": 1.0}}
THIN = ("radius", "wall")
every_shape = pytest.mark.parametrize("which", MAKERS, ids=lambda which: f"{which[1]}-{which[0]}D")


def entries(which) -> dict:
    """A value for every parameter that has to be given."""
    chosen = {}
    for name, (form, default, key) in keys_of(MAKERS[which]).items():
        if default is ... or key.required:
            by_type = 6 if form is int else 0.05 if name in THIN else 1.0 + 0.1 * len(chosen)
            chosen[name] = BY_FORM.get(key.form, by_type)
    return {**chosen, **PARTICULAR.get(which, {})}


def in_file(which, given: dict):
    """The shape of a scene file with these keys."""
    dimension, kind = which
    law, grain = {"kind": "linear", "normal_stiffness": 1.0}, {"shape": "it", "position": [0.0] * dimension}
    tables = {"dimension": dimension, "law": law, "shapes": {"it": {"kind": kind, **given}}, "grains": [grain]}
    keys = parse(Path("scene.toml"), toml({**tables, "run": {"until": 1.0}}), {})
    shelf = ShapeShelf(keys.shapes, Path()) if dimension == 2 else SolidShelf(keys.shapes, Path())
    return shelf["it"]


@every_shape
def test_a_file_gives_the_shape_that_python_makes(which):
    given = entries(which)
    read, made = in_file(which, given), MAKERS[which](**given, name="it")
    assert len(made.vertices) > 0, f"{given} gives a shape without vertices"
    assert np.array_equal(read.vertices, made.vertices), f"{given} gives other vertices in a file than in Python"
    for name in ("name", "radius", "reach"):
        assert getattr(read, name) == getattr(made, name), f"{given} gives another {name} in a file than in Python"
    assert repr(read) == repr(made), f"{given} gives another shape in a file than in Python"


@every_shape
def test_a_file_can_give_every_default_as_well(which):
    given = entries(which)
    defaults = {name: each.default for name, each in keys_of(MAKERS[which]).items() if each.default not in (..., None)}
    written = {name: list(value) if isinstance(value, tuple) else value for name, value in defaults.items()}
    same = np.array_equal(in_file(which, {**written, **given}).vertices, in_file(which, given).vertices)
    assert same, f"with its defaults written out, {written}, the shape is another"


@every_shape
def test_a_file_refuses_what_is_beyond_the_limits(which):
    given = entries(which)
    for name, (_, _, key) in keys_of(MAKERS[which]).items():
        bad = ["text", {"a": 1}, *([key.ge - 1] if key.ge is not None else [])]
        bad += [key.gt, math.inf, math.nan] if key.gt is not None else []
        for value in bad:
            with pytest.raises(InputError, match=rf"^scene\.toml: shapes\.it\.{name}: "):
                in_file(which, {**given, name: value})


@every_shape
def test_python_refuses_what_is_no_such_number(which):
    """With one sentence; of lists of numbers too, and with every other argument as it should be."""
    given, wrong = entries(which), []
    for name, (form, default, key) in keys_of(MAKERS[which]).items():
        if name not in given and default is None:
            continue  # it goes in place of another
        bad = ["a", [[1.0], "a"], [], {}, *([None] if default is not None else [])]
        if not key.form:  # one number
            bad += [[1.0, 2.0], "1"]
        if key.gt is not None or key.ge is not None:
            bad += [-1.0, math.nan, math.inf]
        if form is int:
            bad += [5.5, 6.0, True, key.ge - 1]
        if key.form:
            bad += [[math.nan] * 3, [[math.inf] * 3] * 3]
        for value in bad:
            try:
                MAKERS[which](**{**given, name: value})
                wrong.append(f"{name} = {value!r} is accepted")
            except ShapeError as error:
                if not re.fullmatch(r"[A-Z].*\.", str(error)):
                    wrong.append(f"{name} = {value!r}: {error}")
            except Exception as error:
                wrong.append(f"{name} = {value!r}: {error!r}")
    assert not wrong, "\n".join(wrong)


@every_shape
def test_a_shape_says_what_it_is(which):
    maker = MAKERS[which]
    assert getattr(clast.shapes, maker.__name__) is maker, f"clast.shapes.{maker.__name__} is something else"
    assert maker.in_files.kind == which[1]
    assert maker.in_files.known_as, f"{maker.__name__}: say in @in_files what it is, for the reference"
    assert maker.__doc__, f"{maker.__name__} has no docstring"
    without = set(inspect.signature(maker).parameters) - set(keys_of(maker))
    assert without == {"name"}, f"a key stands beside every parameter but name; of {maker.__name__} without one: {without}"
    silent = [name for name, each in keys_of(maker).items() if not each.key.meaning]
    assert not silent, f"keys of {maker.__name__} without a meaning: {silent}"


def test_two_of_one_kind_are_refused():
    def one(): ...
    def other(): ...

    with pytest.raises(ClastError, match='one and other are both of the kind "drum": rename one of them'):
        in_order({one: ("drum", 1), other: ("drum", 2)})
    assert list(in_order({one: ("b", 100), other: ("a", 100)})) == ["a", "b"]
    assert list(in_order({one: ("b", 1), other: ("a", 100)})) == ["b", "a"]


def test_two_files_that_define_one_name_are_refused():
    """A file was copied, and what it defines not renamed: the one would take the place of the other."""
    one, other = type("Disk", (), {"__module__": "a"}), type("Disk", (), {"__module__": "b"})
    assert by_own_name([one, one]) == {"Disk": one}
    with pytest.raises(ClastError, match="a and b both define Disk: rename one of them"):
        by_own_name([one, other])
