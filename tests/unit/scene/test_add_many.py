"""`add_many`: the same scene as by `add` one after the other; a bad row is refused with its number, and then nobody is added."""

import time
import tracemalloc

import h5py
import numpy as np
import pytest

import clast
from clast.errors import SceneError
from clast.scene_files.room import crowded
from clast.shapes import clump, cuboid, disk, floor_with_rim, plate, regular, segment, sphere

FLAT = [regular(6, radius=0.1, circumradius=0.4), disk(radius=0.3), clump([(0, 0), (0.3, 0)], 0.2)]
SOLID = [cuboid((0.5, 0.4, 0.3), 0.1), sphere(0.3)]
SHARP = [cuboid((0.5, 0.4, 0.3), 0.0)]
FLOOR = segment((0.0, -3.0), (9.0, -3.0), radius=0.1)
LAW = clast.Linear(1e5, 5e4, friction=0.3)
COUNT = 12
TAGS = (clast.Velocity(x=0.5), clast.Dashpot(2.0))
MANY = 200_000


def empty(kind: str) -> clast.Scene | clast.Scene3D:
    """A scene with two bodies in it, so that rows and ids differ."""
    if kind == "plane":
        scene = clast.Scene(law=LAW, box=clast.Box(period_x=9.0))
        scene.add(FLAT[2], (0.5, -2.0), name="first")
        scene.add_wall(FLOOR, name="floor")
        return scene
    solids, law = (SHARP, clast.OverlapVolume(1e6)) if kind == "sharp" else (SOLID, LAW)
    scene = clast.Scene3D(law=law, box=clast.Box3D(period_x=9.0))
    scene.add(solids[0], (0.5, 0.5, -2.0), name="first")
    scene.add(solids[-1], (0.5, 4.5, -2.0), big=True)
    return scene


def given(kind: str, count: int = COUNT) -> tuple[dict[str, object], dict[str, object]]:
    """What bodies have: a row for each, and one for all; by the names that `add` has for it."""
    rng, d = np.random.default_rng(3), 2 if kind == "plane" else 3
    places = np.stack([np.arange(count) % 4, np.arange(count) // 4, np.zeros(count)], axis=1)[:, :d] * 1.5 + 0.5
    each = {
        "position": places,
        "velocity": rng.normal(size=(count, d)),
        "material": [("grain", "quartz")[k % 2] for k in range(count)],
        "name": [(None, "even", "odd")[k % 3] for k in range(count)],
        "big": np.arange(count) % 5 == 4,
        "mass": rng.uniform(1.0, 2.0, count),
        "inertia": rng.uniform(1.0, 1.9, count if d == 2 else (count, 3)),
    }
    turn = {"angle": rng.uniform(-9, 9, count)} if d == 2 else {"orientation": rng.normal(size=(count, 4))}
    return each | turn | {"spin": rng.normal(size=count if d == 2 else (count, 3))}, {"tags": TAGS}


def in_rows(values: dict[str, object]) -> dict[str, object]:
    """The same by the names of `add_many`."""
    plural = {"velocity": "velocities", **{name: f"{name}s" for name in ("position", "angle", "orientation", "spin")}}
    return {plural.get(name, name): value for name, value in values.items()}


def both(kind: str) -> tuple[clast.Scene | clast.Scene3D, clast.Scene | clast.Scene3D]:
    """A scene by `add`, and by `add_many`."""
    shapes = {"plane": FLAT, "space": SOLID, "sharp": SHARP}[kind]
    which = np.random.default_rng(4).integers(0, len(shapes), COUNT)
    one, other = empty(kind), empty(kind)
    each, of_all = given(kind)
    ids = [one.add(shapes[which[k]], **{name: rows[k] for name, rows in each.items()}, **of_all) for k in range(COUNT)]
    found = other.add_many(shapes, which=which, **in_rows(each), **of_all)
    assert found.tolist() == ids == list(range(2, 2 + COUNT))
    return one, other


KINDS = ("plane", "space", "sharp")


# --- the same scene --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bodies_and_engines(kind):
    one, other = both(kind)
    assert [*one.bodies] == [*other.bodies] and repr(one) == repr(other)
    engines = [clast.Engine(scene) for scene in (one, other)]
    assert engines[0].identity == engines[1].identity
    for name in ("positions", "velocities", "spins", "reaches", "inverse_masses", "inverse_inertias"):
        assert np.array_equal(getattr(engines[0], name), getattr(engines[1], name))


@pytest.mark.parametrize("kind", ("plane", "space"))
def test_the_same_stored_files(kind, tmp_path):
    stored = []
    for number, scene in enumerate(both(kind)):
        folder = tmp_path / str(number)
        clast.run(scene, until=2e-3, dt=1e-4, out=folder, samples=4, frames=2, progress=clast.quiet())
        stored.append({})
        for path in sorted(folder.rglob("*.h5")):
            with h5py.File(path, locking=False) as file:
                names = []
                file.visit(names.append)
                stored[-1] |= {f"{path.name}: {name}": file[name][()] for name in names if isinstance(file[name], h5py.Dataset)}
    differing = {name for name in stored[0] if not np.array_equal(stored[0][name], stored[1].get(name))}
    assert len(stored[0]) > 30 and stored[0].keys() == stored[1].keys()
    assert differing <= {"checkpoint.h5: scalars", "run.h5: result", "run.h5: provenance"}  # they hold times of a clock


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_once_holds_for_all(kind):
    shapes = {"plane": FLAT, "space": SOLID, "sharp": SHARP}[kind]
    places = given(kind)[0]["position"]
    once = {"velocity": (1.0, 2.0, 3.0)[: places.shape[1]], "density": 3.0, "material": "quartz", "name": "all"}
    once |= {"angle": 0.5, "spin": -1.0} if kind == "plane" else {"orientation": (3.0, 0.0, 4.0, 1.0), "spin": (1, 2, 3)}
    one, other, third = empty(kind), empty(kind), empty(kind)
    for place in places:
        one.add(shapes[0], place, **once)
    other.add_many(shapes[0], places, **in_rows(once))
    listed = {name: [value] * COUNT for name, value in once.items()}
    third.add_many([shapes[0]] * COUNT, places.tolist(), **in_rows(listed))
    assert [*one.bodies] == [*other.bodies] == [*third.bodies]
    assert other.bodies[5].weighed and other.bodies[5].shape is shapes[0]


def test_quaternions_keep_the_bits_that_add_gives_them():
    turns = np.random.default_rng(5).normal(size=(2000, 4)) * 10.0 ** np.random.default_rng(6).uniform(-3, 3, (2000, 1))
    turns[1000:] /= np.linalg.norm(turns[1000:], axis=1)[:, None]
    one, other = clast.Scene3D(law=LAW), clast.Scene3D(law=LAW)
    for turn in turns:
        one.add(SOLID[0], (0, 0, 0), orientation=turn)
    other.add_many(SOLID[0], np.zeros((2000, 3)), orientations=turns)
    assert np.array_equal(one.bodies.column("orientation"), other.bodies.column("orientation"))
    assert other.bodies[3].orientation == tuple(one.bodies.column("orientation")[3])


def test_nobody_is_a_scene_as_it_was():
    scene = empty("plane")
    assert scene.add_many(FLAT[0], np.zeros((0, 2))).tolist() == [] == scene.add_many([], []).tolist()
    space = empty("space")
    assert space.add_many(SOLID, np.zeros((0, 3)), which=np.zeros(0, int)).size == 0
    assert (len(scene), len(space)) == (2, 2)


def test_arrays_that_change_later_change_nothing():
    scene, places = empty("plane"), np.ones((3, 2))
    scene.add_many(FLAT[0], places)
    places[:] = 5.0
    assert [body.position for body in scene.bodies[2:]] == [(1.0, 1.0)] * 3


def test_tags_go_to_the_ids_that_were_returned():
    scene = empty("plane")
    ids = scene.add_many(FLAT[0], given("plane")[0]["position"], tags=[clast.Force(x=1.0)])
    scene.tag(ids[3:5], clast.Fixed())
    scene.tag([*ids[:2], ids[0]], clast.Force(y=2.0))
    kinds = [[type(tag).__name__ for tag in scene.bodies[k].tags] for k in ids]
    assert kinds == [["Force"] * 3, ["Force"] * 2, ["Force"], ["Force", "Fixed"], ["Force", "Fixed"], *[["Force"]] * 7]
    assert scene.imposed(ids[0]).force[1] == [2.0, 2.0] and scene.imposed(ids[2]).force == [[1.0], [], []]
    with pytest.raises(SceneError, match="there is no body 99: there are bodies 0 … 13"):
        scene.tag(np.array([0, 99]), clast.Fixed())


# --- rows that are refused -------------------------------------------------------------------------------------------


def rows(name: str, row: int, value: object, kind: str = "plane", as_list: bool = False) -> dict[str, object]:
    """Rows of which one is spoilt."""
    values = given(kind)[0][name]
    if as_list:
        values = [value if k == row else each for k, each in enumerate(values)]
    else:
        values = np.array(values)
        values[row] = value
    return in_rows({name: values})


BAD = [
    (rows("position", 7, np.nan), r"row 7 of positions is nan: give a finite number"),
    (rows("position", 7, (0.0, -np.inf)), r"row 7 of positions is -inf: give a finite number"),
    (rows("position", 3, (1.0, 2.0, 3.0), as_list=True), r"row 3 of positions = \(1.0, 2.0, 3.0\) must be 2 numbers"),
    (rows("position", 3, ("a", 1.0), as_list=True), r"row 3 of positions = 'a' must be a number"),
    ({"positions": np.zeros((COUNT, 3))}, r"row 0 of positions = array\(\[0., 0., 0.\]\) must be 2 numbers"),
    ({"positions": np.zeros((COUNT, 2), bool)}, r"row 0 of positions = np.False_ must be a number"),
    ({"positions": np.zeros((COUNT, 2), complex)}, r"row 0 of positions = np.complex128\(0j\) must be a number"),
    ({"positions": 3.0}, r"positions = 3.0 must be rows of 2 numbers, one for each body"),
    ({"positions": np.array(3.0)}, r"positions = array\(3.\) must be rows of 2 numbers, one for each body"),
    (rows("angle", 11, np.nan), r"row 11 of angles is nan: give a finite number"),
    (rows("angle", 2, True, as_list=True), r"row 2 of angles = True must be a number"),
    ({"angles": np.zeros(5)}, r"angles has 5 rows, and positions has 12: give one for each body, or one for all"),
    ({"angles": np.zeros((COUNT, 2))}, r"row 0 of angles = array\(\[0., 0.\]\) must be a number"),
    ({"angles": np.nan}, r"body 2: angle is nan: give a finite number"),
    ({"angles": "much"}, r"body 2: angle = 'much' must be a number"),
    (rows("velocity", 1, np.inf), r"row 1 of velocities is inf: give a finite number"),
    ({"velocities": (1.0, 2.0, 3.0)}, r"body 2: velocity = \(1.0, 2.0, 3.0\) must be 2 numbers"),
    ({"velocities": np.zeros((5, 2))}, r"velocities has 5 rows, and positions has 12"),
    ({"velocities": {"x": 1.0}}, r"row 0 of velocities = 'x' must be 2 numbers"),
    (rows("spin", 0, np.nan), r"row 0 of spins is nan"),
    (rows("mass", 4, -1.0), r"row 4 of mass = -1.0 must be positive"),
    (rows("mass", 4, np.nan), r"row 4 of mass is nan"),
    ({"density": np.array([1.0] * 11 + [0.0])}, r"row 11 of density = 0.0 must be positive"),
    ({"density": -2}, r"body 2: density = -2 must be positive"),
    ({"density": 1.0, "mass": 1.0}, r"body 2: give its density or its mass, not both"),
    (rows("material", 6, 3, as_list=True), r"row 6 of material = 3 must be a text"),
    (rows("name", 6, "a\0b", as_list=True), r"row 6 of name = 'a\\x00b' must be a text"),
    ({"name": ["a", "b"]}, r"name has 2 rows, and positions has 12"),
    ({"name": 7}, r"name = 7 must be texts, one for each body"),
    (rows("big", 6, "yes", as_list=True), r"row 6 of big = 'yes' must be True or False"),
    ({"big": np.ones((COUNT, 2), bool)}, r"row 0 of big = array\(\[ True,  True\]\) must be True or False"),
    ({"big": np.ones(3, bool)}, r"big has 3 rows, and positions has 12"),
    ({"shapes": [*[FLAT[0]] * 8, SOLID[0], *[FLAT[0]] * 3]}, r"row 8, body 10: cuboid is a solid, and this scene"),
    ({"shapes": [*[FLAT[0]] * 11, "disk"]}, r"row 11, body 13: 'disk' is not a shape"),
    ({"shapes": "disk"}, r"row 0, body 2: 'disk' is not a shape"),
    ({"shapes": [FLAT[0]] * 3}, r"shapes has 3 rows, and positions has 12"),
    ({"shapes": [*[FLAT[0]] * 5, disk(radius=4.6), *[FLAT[0]] * 6]}, r"row 5, body 7 \(disk\) is 9.2 across, not less"),
    ({"shapes": FLAT, "which": np.array([0] * 9 + [3, 0, 0])}, r"row 9 of which = np.int64\(3\) must be .* 0 … 2"),
    ({"shapes": FLAT, "which": [*[0] * 9, -1, 0, 0]}, r"row 9 of which = -1 must be the number of a shape"),
    ({"shapes": FLAT, "which": [*[0] * 9, 1.0, 0, 0]}, r"row 9 of which = 1.0 must be the number of a shape"),
    ({"shapes": FLAT, "which": np.zeros(4, int)}, r"which has 4 rows, and positions has 12"),
    ({"shapes": FLAT, "which": 1}, r"which = 1 must be numbers of shapes, one for each body"),
    ({"shapes": FLAT[0], "which": np.zeros(COUNT, int)}, r"which chooses from several shapes, and shapes is a single one"),
    ({"tags": [clast.Fixed(), "fixed"]}, r"tag on body 2: 'fixed' is not Fixed, Velocity"),
    ({"tags": [clast.Velocity(z=1.0)]}, r"body 2: a Velocity with z acts in space"),
]  # fmt: skip


@pytest.mark.parametrize("spoilt, words", BAD, ids=[words[:40] for _, words in BAD])
def test_a_bad_row_is_named_and_nobody_added(spoilt, words):
    scene = empty("plane")
    before = repr([*scene.bodies])
    good = {"shapes": FLAT[0], "positions": given("plane")[0]["position"]}
    with pytest.raises(SceneError, match=words):
        scene.add_many(**(good | spoilt))
    assert len(scene) == 2 and repr([*scene.bodies]) == before
    scene.add_many(**good)
    assert len(scene) == 2 + COUNT


ZERO = r"is a quaternion of length 0, which turns nothing: no turn at all is \(1, 0, 0, 0\)"


@pytest.mark.parametrize(
    "spoilt, words",
    [
        (rows("orientation", 9, 0.0, "space"), rf"row 9 of orientations {ZERO}"),
        (rows("orientation", 9, np.nan, "space"), r"row 9 of orientations is nan"),
        ({"orientations": (0, 0, 0, 0)}, rf"body 2: orientation {ZERO}"),
        ({"orientations": np.ones((COUNT, 3))}, r"row 0 of orientations = array\(\[1., 1., 1.\]\) must be 4 numbers"),
        (rows("spin", 2, np.inf, "space"), r"row 2 of spins is inf"),
        ({"spins": 1.0}, r"body 2: spin = 1.0 must be 3 numbers"),
        ({"shapes": [*[SOLID[0]] * 4, FLAT[0], *[SOLID[0]] * 7]}, r"row 4, body 6: 6-gon is a shape of the plane"),
        ({"shapes": [*[SOLID[0]] * 4, SHARP[0], *[SOLID[0]] * 7]}, r"row 4, body 6: cuboid is sharp"),
    ],
)
def test_a_bad_row_in_space(spoilt, words):
    scene = empty("space")
    with pytest.raises(SceneError, match=words):
        scene.add_many(**({"shapes": SOLID[0], "positions": given("space")[0]["position"]} | spoilt))
    assert len(scene) == 2


def test_only_big_bodies_have_several_pieces():
    scene, rim = empty("sharp"), floor_with_rim((2.0, 2.0), 1.0, 0.5)
    big = np.ones(COUNT, bool)
    big[7] = False
    with pytest.raises(SceneError, match=r"row 7, body 9: .* pieces, and only big bodies may"):
        scene.add_many(rim, given("sharp")[0]["position"], big=big)
    assert len(scene.add_many(rim, given("sharp")[0]["position"], big=True)) == COUNT


def test_in_an_empty_scene_rows_are_bodies():
    scene = clast.Scene3D(law=LAW)
    with pytest.raises(SceneError, match=r"^body 1: 5 is not a solid"):
        scene.add_many([SOLID[0], 5], np.zeros((2, 3)))


# --- large scenes ----------------------------------------------------------------------------------------------------


def hexagons(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and angles on a lattice wide enough for any angle."""
    k, side = np.arange(count), int(np.ceil(np.sqrt(count)))
    return np.stack([k % side, k // side], axis=1) * 1.05, np.random.default_rng(1).uniform(0.0, 6.0, count)


def test_many_bodies_take_little_time_and_memory():
    places, angles = hexagons(MANY)
    scene = clast.Scene(law=LAW)
    tracemalloc.start()
    began = time.perf_counter()
    scene.add_many(FLAT[0], places, angles=angles, tags=[clast.Force(y=-1.0)], name="grain")
    took = time.perf_counter() - began
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < 1.0  # 20 to 50 ms on one core; by `add` it is 3 s
    assert kept / MANY < 200 and most / MANY < 500  # bytes


def test_many_bodies_are_looked_at_without_walking():
    places, angles = hexagons(MANY)
    scene = clast.Scene(law=LAW)
    scene.add_many(FLAT, places, angles=angles, which=np.arange(MANY) % 3)
    began = time.perf_counter()
    assert len(scene.masses()[0]) == MANY and scene.materials() == ["grain"] and len(repr(scene)) < 300
    scene.tag(np.arange(MANY), clast.Force(y=-1.0))
    assert time.perf_counter() - began < 1.0
    assert crowded(scene) is None
    scene.bodies[MANY - 2].position = scene.bodies[MANY - 1].position
    crowd = crowded(scene)
    assert crowd is not None and (crowd.one, crowd.other) == (MANY - 2, MANY - 1)


def test_a_wall_of_many_glued_solids_is_one_imposed():
    scene = clast.Scene3D(law=LAW)
    k = np.arange(5000)
    scene.add_many(SOLID[1], np.stack([k % 70, k // 70, 0 * k], axis=1) * 0.7, tags=[clast.Fixed()])
    scene.add(SOLID[0], (5.0, 5.0, 2.0))
    scene.add_wall(plate([(-9, -9, -2), (60, -9, -2), (60, 60, -2), (-9, 60, -2)], 0.1))
    engine = clast.Engine(scene)
    assert engine.free == 1 and engine.moving == 1 and engine.free_ids.tolist() == [5000]
