"""Caches never lie (design rule 11): an edited law is compiled anew, an unedited one is not compiled at all."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import clast
from clast.backend.bind import FAMILIES, PACKAGE, TEMPLATE, sources
from clast.backend.private_code import KernelCompiler
from clast.dynamics.engine import Engine
from clast.dynamics.gpu.grid import COMPILED
from clast.laws import Linear, OverlapVolume, by_kind
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import disk
from clast.shapes.space.make import cuboid

PROGRAM = """
import json
import clast
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import disk

scene = Scene(law=Linear(1e4))
scene.add(disk(radius=0.5), (0.0, 0.0))
scene.add(disk(radius=0.5), (0.9, 0.0))
engine = Engine(scene, dt=1e-6, alpha=0.01)
engine.advance(1)
kernels = [k for k in vars(engine.kernels).values() if type(k).__name__ == "CPUDispatcher" and k.stats.cache_path]
print(json.dumps({
    "package": clast.__file__,
    "force": float(engine.velocities[1, 0] / engine.inverse_masses[1] * 2e6),
    "compiled": sum(sum(k.stats.cache_misses.values()) for k in kernels),
    "read": sum(sum(k.stats.cache_hits.values()) for k in kernels),
    "kernels": engine.kernels.__name__,
}))
"""


class Installation:
    """A copy of the package with a cache folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "src" / "clast"
        self.cache = folder / "cache"
        shutil.copytree(Path(clast.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self) -> dict:
        environment = {**os.environ, "PYTHONPATH": str(self.package.parent), "CLAST_CACHE_DIR": str(self.cache)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout.splitlines()[-1])
        assert Path(answer["package"]).parent == self.package
        return answer

    def files(self) -> set[str]:
        return {path.name for path in self.cache.rglob("*.nbc")}


@pytest.fixture(scope="module")
def installation(tmp_path_factory) -> Installation:
    return Installation(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def cold(installation) -> dict:
    return installation.run()


def test_the_first_process_compiles(installation, cold):
    assert cold["compiled"] > 0
    assert cold["force"] == pytest.approx(1000.0)
    assert len(installation.files()) == cold["compiled"]


def test_a_second_process_compiles_nothing(installation, cold):
    files = installation.files()
    again = installation.run()
    assert again["compiled"] == 0
    assert again["read"] > 0
    assert again["force"] == cold["force"]
    assert installation.files() == files


def test_remarks_cost_no_compilation(installation, cold):
    """Comments, docstrings and blank lines, in the template and in what it imports."""
    files = installation.files()
    paths = [installation.package / name for name in ("dynamics/kernels.py", "dynamics/contacts/forces.py", "laws/linear.py")]
    texts = [path.read_text() for path in paths]
    for path, text in zip(paths, texts, strict=True):
        assert text.startswith('"""')
        path.write_text(text.replace('"""', '"""Remarks!\n\n', 1).replace("\n\n\n", "\n\n\n# a remark\n"))
    again = installation.run()
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert again["kernels"] == cold["kernels"]
    assert again["compiled"] == 0
    assert again["force"] == cold["force"]
    assert installation.files() == files


def test_an_edited_law_is_seen_at_once(installation, cold):
    law = installation.package / "laws" / "linear.py"
    text = law.read_text()
    line = "    return parameters[0] * depth\n"
    assert text.count(line) == 1
    # same length, same size, old times of change: nothing but the text itself tells
    times = law.stat().st_atime, law.stat().st_mtime
    law.write_text(text.replace(line, line.replace("parameters[0] *", "parameters[0] /")))
    os.utime(law, times)
    edited = installation.run()
    law.write_text(text)
    assert edited["kernels"] != cold["kernels"]
    assert edited["force"] == pytest.approx(1e4 / 0.1)


def touching(kind: str) -> Engine:
    """Two bodies of the plane, rounded in space, or sharp, after a step."""
    if kind == "plane":
        scene = Scene(law=Linear(1e4, 1e4, friction=0.5))
        for k in range(2):
            scene.add(disk(radius=0.5), (0.9 * k, 0.0))
    else:
        sharp = kind == "sharp"
        law = OverlapVolume(1e4, friction=0.5) if sharp else Linear(1e4, 1e4, friction=0.5)
        scene = Scene3D(law=law)
        for k in range(2):
            scene.add(cuboid((1.0, 1.0, 1.0), 0.0 if sharp else 0.1), ((0.9 if sharp else 1.15) * k, 0.0, 0.0))
    engine = Engine(scene, dt=1e-6, alpha=0.01)
    engine.advance(1)
    engine.snapshot()
    return engine


def loops_of(engine: Engine) -> list:
    loops = [k for k in vars(engine.kernels).values() if type(k).__name__ == "CPUDispatcher"]
    used = [k for k in loops if k.stats.cache_path and k.overloads]
    lists = {"rebuild"} if hasattr(engine.kernels, "rebuild") else {"search", "list_contacts"}
    assert {"advance", "table_now", *lists} <= {k.__name__ for k in used}
    return used


@pytest.mark.parametrize("kind", ["space", "sharp"])
def test_every_loop_in_space_is_kept_on_disk(kind):
    """numba leaves out, with a warning, what it cannot keep: it would be compiled in every process."""
    engine = touching(kind)
    for each in loops_of(engine):
        stem = f"{engine.kernels.__name__}.{each.__name__}-*.nbc"
        assert list(Path(each.stats.cache_path).glob(stem)), stem


def test_calls_find_their_code_whatever_ran_before():
    """numba tells arguments apart by a short description; where two kinds share one, it searches again in every call."""
    engines = [touching(kind) for kind in ("plane", "space", "sharp", "plane")]
    for engine in engines:
        for each in loops_of(engine):

            def search_again(*_, name=each.__name__, where=engine.kernels.__name__):
                raise AssertionError(f"{name} of {where} was not found at once")

            each._compile_for_args = search_again
        try:
            engine.advance(3)
            engine.snapshot()
            engine._rebuild()
        finally:
            for each in loops_of(engine):
                del each._compile_for_args


def test_the_key_covers_everything_that_is_compiled():
    """Any module that uses the decorators is reached from the template, the families and the laws, by what they import."""
    laws = [*(law.module for law in by_kind().values()), "clast.laws.own"]
    hashed = {path for family in FAMILIES for law in laws for path in sources(TEMPLATE, family, law)}
    hashed |= set(sources(*COMPILED))  # for a GPU
    for path in sorted(PACKAGE.rglob("*.py")):
        if "clast.backend.device" in path.read_text() and path.name != "device.py":
            assert path in hashed, path
    assert PACKAGE / "laws" / "linear.py" in hashed


def test_the_key_leaves_out_what_is_not_compiled():
    """An edit of the engine, or of the other dimension's loops, costs nobody a new compilation."""
    plane, space, sharp = (set(sources(TEMPLATE, family, "clast.laws.linear")) for family in FAMILIES)
    dynamics = PACKAGE / "dynamics"
    assert dynamics / "engine.py" not in plane | space | sharp
    assert dynamics / "contacts" / "forces.py" in plane & space
    assert dynamics / "plane" / "visit.py" in plane - space - sharp
    assert dynamics / "space" / "visit.py" in space - plane
    assert dynamics / "sharp" / "visit.py" in sharp - space - plane
    assert PACKAGE / "laws" / "hertz.py" not in plane | space | sharp


def test_no_reference_is_counted_in_the_contact_loop():
    """`_nrt=False` is a private option of numba: if it stops working, this sees it (there were 100s of calls without)."""
    scene = Scene(law=Linear(1e4, 1e4, friction=0.5))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    scene.add(disk(radius=0.5), (0.9, 0.0))
    engine = Engine(scene, dt=1e-6, alpha=0.01)
    engine.advance(1)
    advance = engine.kernels.advance
    assert advance.targetoptions.get("_nrt") is False
    options = {name: each for name, each in advance.targetoptions.items() if name != "nopython"}
    fresh = numba.njit(pipeline_class=KernelCompiler, **options)(advance.py_func)
    fresh.compile(advance.signatures[0])  # code read back from disk cannot be looked at
    (text,) = fresh.inspect_llvm().values()
    assert len(text) > 10_000
    assert text.count("NRT_incref") == 0
    assert text.count("NRT_decref") == 0
    assert text.count("NRT_MemInfo_alloc") == 0
    # nor does it share inner functions with other code, which might have been compiled into other instructions
    assert not [line for line in text.splitlines() if line.startswith("define") and "linkonce" in line]
