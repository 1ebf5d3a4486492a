"""A law of the user's own: plain functions in a file of his, compiled like the built-in ones (design rules 2 and 11)."""

import functools
import importlib.util
import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.laws import Cohesion, HertzMindlin, Law, Linear, OwnLaw, Rolling, hertz_mindlin
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Scene
from clast.shapes import disk, segment

LINEAR = """
from clast.laws import Response
from clast.laws.friction import hold_back, no_pull, slide


def elastic(parameters, depth, radius):
    return parameters[0] * depth


def normal_energy(parameters, depth, radius):
    return 0.5 * parameters[0] * depth * depth


def force(parameters, contact, memory, dt):
    stiffness, tangential, friction, damping, rubbing, total = parameters
    push = stiffness * contact.depth
    viscous = no_pull(push, damping * contact.reduced_mass * contact.closing_speed)
    cap = friction * (push + total * viscous)
    u, w, heat = slide(tangential, cap, memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt)
    shear_u = -tangential * u
    shear_w = -tangential * w
    drag_u = -rubbing * contact.reduced_mass * contact.sliding_now_u
    drag_w = -rubbing * contact.reduced_mass * contact.sliding_now_w
    if total != 0.0:
        drag_u, drag_w = hold_back(shear_u, shear_w, drag_u, drag_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, u, w, 0.0, heat)


def spring_energy(parameters, spring_u, spring_w, extra):
    return 0.5 * parameters[1] * (spring_u * spring_u + spring_w * spring_w)
"""
SPRING = """
def elastic(parameters, depth, radius):
    return parameters[0] * depth


def normal_energy(parameters, depth, radius):
    return 0.5 * parameters[0] * depth * depth
"""
NUMBERS = {"stiffness": 1e4, "tangential": 5e3, "friction": 0.4, "damping": 20.0, "rubbing": 8.0, "total": 1.0}
BALL = disk(radius=0.5)
_fresh = itertools.count()


def written(folder: Path, text: str, name: str = "") -> ModuleType:
    """A file of the user's, imported."""
    name = name or f"own_law_{next(_fresh)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def law_of(module: ModuleType, parameters: dict[str, float], **more) -> OwnLaw:
    for name in ("force", "spring_energy"):
        if hasattr(module, name):
            more[name] = getattr(module, name)
    return OwnLaw(parameters, module.elastic, module.normal_energy, 1e4, **more)


def tumble(law: Law, steps: int = 1200) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Three disks fall on a floor and on each other: bodies, springs, accounts."""
    scene = Scene(law=law, gravity=(0.0, -10.0))
    for k, spin in enumerate((3.0, -2.0, 5.0)):
        scene.add(BALL, (0.62 * k, 0.61 + 0.81 * (k % 2)), velocity=(1.0 - k, 0.0), spin=spin)
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1))
    engine = Engine(scene, dt=2e-4, alpha=0.05)
    engine.advance(steps)
    snap = engine.snapshot()
    bodies = np.column_stack([snap.positions, snap.angles, snap.velocities, snap.spins])
    return bodies, engine.springs().memory, accounts(engine, snap)


def test_the_same_formulas_give_the_same_bits(tmp_path):
    own = tumble(law_of(written(tmp_path, LINEAR, "linear_law_of_mine"), NUMBERS))
    built_in = tumble(Linear(1e4, 5e3, friction=0.4, normal_damping=20.0, tangential_damping=8.0))
    assert min(built_in[2]["heat_sliding"], built_in[2]["heat_viscous"]) > 0.1
    assert len(built_in[1]) > 0
    assert np.array_equal(own[0], built_in[0])
    assert np.array_equal(own[1], built_in[1])
    assert own[2] == built_in[2]


def test_radius_second_number_rolling_and_cohesion_reach_the_functions():
    """Hertz-Mindlin's own functions, handed over as a user's."""
    more = {"rolling": Rolling(5.0, 0.1), "cohesion": Cohesion(0.5, 0.02)}
    one = HertzMindlin(2e5, 1e5, friction=0.4, restitution=0.7, **more)
    other = OwnLaw(
        dict(zip(("young", "shear", "friction", "beta"), one.row, strict=True)),
        hertz_mindlin.elastic, hertz_mindlin.normal_energy, one.stiffness, force=hertz_mindlin.force,
        spring_energy=hertz_mindlin.spring_energy, needs_extra=True, begun=hertz_mindlin.begun, **more,
    )  # fmt: skip
    built_in, own = tumble(one), tumble(other)
    assert built_in[1].shape[1] == 3
    assert min(built_in[2][name] for name in ("heat_sliding", "heat_viscous", "heat_rolling", "rolling_elastic")) > 1e-6
    assert built_in[2]["cohesive"] < 0.0
    assert np.array_equal(own[0], built_in[0])
    assert np.array_equal(own[1], built_in[1])
    assert own[2] == built_in[2]


# --- caches -----------------------------------------------------------------------------------------------------------

PROGRAM = """
import json
import runpy
import sys
import types

sys.path.insert(0, sys.argv[1])
if sys.argv[3] == "import":
    mine = __import__(sys.argv[2])
else:  # as a notebook or a loader of plug-ins would: nobody can import it by a name
    mine = types.SimpleNamespace(**runpy.run_path(f"{sys.argv[1]}/{sys.argv[2]}.py"))

import clast
from clast.shapes import disk

scene = clast.Scene(law=clast.OwnLaw({"k": 1e4}, mine.elastic, mine.normal_energy, 1e5))
scene.add(disk(radius=0.5), (0.0, 0.0))
scene.add(disk(radius=0.5), (0.9, 0.0))
engine = clast.Engine(scene, dt=1e-6, alpha=0.01)
engine.advance(1)
print(json.dumps(float(engine.velocities[1, 0] / engine.inverse_masses[1] * 2e6)))
"""


def force_in_a_fresh_process(path: Path, how: str = "import") -> float:
    """Of two disks that overlap by 0.1 under the law in a file."""
    command = [sys.executable, "-B", "-c", PROGRAM, str(path.parent), path.stem, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.validate
def test_an_edited_file_is_seen_at_once(tmp_path):
    path = tmp_path / "spring_of_mine.py"
    path.write_text(SPRING)
    assert force_in_a_fresh_process(path) == pytest.approx(1000.0)
    times = path.stat().st_atime, path.stat().st_mtime
    path.write_text(SPRING.replace("return parameters[0]", "return 2 * parameters[0]").replace("0.5 *", "1.0 *"))
    os.utime(path, times)
    assert force_in_a_fresh_process(path) == pytest.approx(2000.0)


@pytest.mark.validate
def test_a_renamed_file_is_the_same_law(tmp_path):
    """Kernels kept on disk must not look for the functions in the file they stood in when they were compiled."""
    path = tmp_path / "spring_of_mine.py"
    path.write_text(SPRING)
    assert force_in_a_fresh_process(path) == pytest.approx(1000.0)
    assert force_in_a_fresh_process(path.rename(tmp_path / "my_spring.py")) == pytest.approx(1000.0)


@pytest.mark.validate  # two processes that keep nothing on disk
def test_functions_that_nobody_can_import(tmp_path):
    path = tmp_path / "spring_of_mine.py"
    path.write_text(SPRING)
    for _ in range(2):
        assert force_in_a_fresh_process(path, how="run") == pytest.approx(1000.0)


EDITS = {
    "a number in the code": ("return parameters[0] * depth", "return 3.0 * parameters[0] * depth"),
    "an operation": ("return parameters[0] * depth", "return parameters[0] / depth"),
    "a global number": ("SCALE = 1.0", "SCALE = 2.0"),
    "the body of a compiled helper": ("return x * x", "return x * x * x"),
    "a nested function": ("return x + 1.0", "return x + 2.0"),
    "a default": ("bonus=1.0", "bonus=2.0"),
    "a global numpy number": ("SMALL = np.float32(1.0)", "SMALL = np.float32(2.0)"),
    "a number of another module": ("OTHER.number = 1.0", "OTHER.number = 2.0"),
    "a global table": ("TABLE = np.array([1.0])", "TABLE = np.array([2.0])"),
}
EVERYTHING = """
import types

import numpy as np

from clast.backend.bind import register
from clast.backend.device import law_function

SCALE = 1.0
SMALL = np.float32(1.0)
TABLE = np.array([1.0])
OTHER = types.ModuleType("other")
OTHER.number = 1.0


@law_function
def helper(x):
    return x * x


def elastic(parameters, depth, radius, bonus=1.0):
    def nested(x):
        return x + 1.0

    if helper(depth) < 0.0:
        return SCALE * SMALL * bonus * OTHER.number * TABLE[0] * nested(depth)
    return parameters[0] * depth


NAME = register({"elastic": elastic})
"""


@pytest.mark.parametrize("edit", EDITS)
def test_any_edit_gives_another_name(tmp_path, edit):
    """The name of the kernels is all that stands between an edited law and the compiled code of the old one."""
    old, new = EDITS[edit]
    assert EVERYTHING.count(old) == 1
    before = written(tmp_path, EVERYTHING, "edited_law").NAME
    texts = EVERYTHING + "# a remark\n", EVERYTHING.replace(old, new)
    remarked, edited = (written(tmp_path, text, "edited_law").NAME for text in texts)
    assert remarked == before
    assert edited != before


DOCSTRINGS = {
    "of a function": ("def elastic(parameters, depth, radius, bonus=1.0):\n", "    "),
    "of a compiled helper": ("def helper(x):\n", "    "),
    "of a nested function": ("    def nested(x):\n", "        "),
    "of a function without a value": ("def nothing(x):\n", "    "),
}
NOTHING = """

def nothing(x):
    TABLE[0] = x


NAME = register({"elastic": elastic, "nothing": nothing})
"""


@pytest.mark.parametrize("which", DOCSTRINGS)
def test_a_docstring_gives_no_other_name(tmp_path, which):
    line, indent = DOCSTRINGS[which]
    text = EVERYTHING + NOTHING
    assert text.count(line) == 1
    texts = text, *(text.replace(line, f'{line}{indent}"""{said}."""\n') for said in ("Of a spring", "Of another"))
    assert len({written(tmp_path, each, "edited_law").NAME for each in texts}) == 1


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_wrong_energy_is_refused(tmp_path):
    module = written(tmp_path, SPRING.replace("0.5 *", "0.51 *"))
    with pytest.raises(
        SceneError, match=r"at depth 0\.001 elastic gives 10 but normal_energy rises by 10\.2 .* slope of the energy"
    ):
        law_of(module, {"k": 1e4})


def test_where_the_energy_is_compared_can_be_chosen(tmp_path):
    """A spring that begins to stiffen at 0.01, with the energy of that part forgotten."""
    text = SPRING.replace(
        "    return parameters[0] * depth\n", "    return parameters[0] * depth * (1.0 if depth < 0.01 else 2.0)\n"
    )
    module = written(tmp_path, text)
    law_of(module, {"k": 1e4})
    with pytest.raises(SceneError, match=r"at depth 0\.02"):
        law_of(module, {"k": 1e4}, check_at=(0.02, 1.0))


BROKEN = {
    "a text": ('    push = "much" + contact.depth\n', "No implementation"),
    "an unknown name": ("    push = parameters[0] * contact.dept\n", "dept"),
    "division by a list": ("    push = contact.depth / [1.0]\n", "No implementation"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_law_that_does_not_compile_says_file_line_and_reason(tmp_path, what):
    line, reason = BROKEN[what]
    text = LINEAR.replace("    push = stiffness * contact.depth\n", line)
    module = written(tmp_path, text)
    number = text.splitlines().index(line.rstrip("\n")) + 1
    with pytest.raises(SceneError) as caught:
        law_of(module, NUMBERS)
    said = str(caught.value)
    assert f"{Path(str(module.__file__)).name}, line {number}" in said
    assert reason in said
    assert "\n" not in said


def test_a_force_that_is_no_response_is_refused(tmp_path):
    text = SPRING + "\n\ndef force(parameters, contact, memory, dt):\n    return parameters[0] * contact.depth\n"
    with pytest.raises(SceneError, match=r"force gives .* it must give a Response"):
        law_of(written(tmp_path, text), {"k": 1e4})


def test_functions_may_call_each_other(tmp_path):
    text = LINEAR.replace("push = stiffness * contact.depth", "push = elastic(parameters, contact.depth, contact.radius)")
    law_of(written(tmp_path, text), NUMBERS)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"parameters": {"k": math.nan}}, "law parameter k"),
        ({"parameters": {"k": "1e4"}}, "law parameter k"),
        ({"elastic": 5.0}, "elastic"),
        ({"normal_energy": None}, "normal_energy"),
        ({"force": "linear"}, "force"),
        ({"stiffest": 0.0}, "stiffest"),
        ({"stiffest": math.nan}, "stiffest"),
        ({"stiffest": "stiff"}, "stiffest"),
        ({"elastic": functools.partial(math.fmod, 1.0)}, "elastic"),
        ({"parameters": {}}, "at least one parameter"),
    ],
)
def test_what_is_no_law_is_refused(tmp_path, given, said):
    module = written(tmp_path, SPRING.replace("parameters[0]", "1e4"))
    whole = {"parameters": {"k": 1e4}, "elastic": module.elastic, "normal_energy": module.normal_energy, "stiffest": 1e4, **given}
    with pytest.raises(SceneError, match=said):
        OwnLaw(**whole)


def test_other_numbers():
    law = OwnLaw(
        {"a": 2.0, "b": 3.0}, lambda p, d, r: p[0] * d, lambda p, d, r: 0.5 * p[0] * d * d, 10.0, rolling=Rolling(1.0, 0.1)
    )
    changed = law.with_parameters(b=4.0)
    assert (law.row, changed.row) == ((2.0, 3.0), (2.0, 4.0))
    assert changed.compiled_as == law.compiled_as  # so one scene can hold both
    assert changed.rolling == law.rolling
    with pytest.raises(SceneError, match="no parameter c; it has: a, b"):
        law.with_parameters(c=1.0)
