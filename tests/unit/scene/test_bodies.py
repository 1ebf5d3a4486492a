"""The table of bodies: a body is a view of its row, and columns are what all bodies have."""

import copy
import math

import numpy as np
import pytest

import clast
from clast.errors import SceneError
from clast.scene.bodies import firsts
from clast.shapes import cuboid, disk, regular, segment, sphere

LAW = clast.Linear(1e5)
BALL, HEXAGON, ROD = disk(radius=0.3), regular(6, radius=0.1, circumradius=0.4), segment((0, 0), (1, 0), radius=0.1)


def three() -> clast.Scene:
    """Three bodies, two of one shape."""
    scene = clast.Scene(law=LAW)
    scene.add(BALL, (1, 2), angle=0.5, velocity=(3, 4), spin=5, mass=2.0, name="a", tags=[clast.Force(x=1.0)])
    scene.add(HEXAGON, (3, 4), material="quartz")
    scene.add(BALL, (5, 6), density=2.0, name="a")
    return scene


def test_a_body_shows_what_was_given():
    body = three().bodies[0]
    assert (body.shape, body.position, body.angle, body.velocity, body.spin) == (BALL, (1.0, 2.0), 0.5, (3.0, 4.0), 5.0)
    assert (body.mass, body.material, body.big, body.name, body.weighed) == (2.0, "grain", False, "a", True)
    assert body.inertia == pytest.approx(0.5 * 2.0 * 0.3**2) and body.tags == [clast.Force(x=1.0)]
    assert {type(each) for each in (*body.position, body.angle, *body.velocity, body.spin, body.mass, body.inertia)} == {float}
    assert type(body.big) is type(body.weighed) is bool
    assert repr(body).startswith("Body(shape=<disk: ") and "position=(1.0, 2.0), angle=0.5," in repr(body)


def test_what_is_set_on_a_body_is_set_in_the_scene():
    scene = three()
    body, again = scene.bodies[1], scene.bodies[1]
    body.position, body.angle, body.mass, body.big, body.name, body.shape = (7, 8), 1, 9, True, "b", ROD
    assert (again.position, again.angle, again.mass, again.big, again.name) == ((7.0, 8.0), 1.0, 9.0, True, "b")
    assert again.shape is ROD and scene.bodies.column("position").tolist() == [[1, 2], [7, 8], [5, 6]]
    assert scene.ids("b") == [1] and scene.bodies[0].name == "a"
    with pytest.raises(AttributeError):
        body.velocty = (0.0, 0.0)


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("position", (1.0, math.nan), "body 2: position is nan: give a finite number"),
        ("position", 3.0, "body 2: position = 3.0 must be 2 numbers"),
        ("mass", "much", "body 2: mass = 'much' must be a number"),
        ("name", 7, "body 2: name = 7 must be a text"),
    ],
)
def test_what_a_body_cannot_have_is_refused(name, value, words):
    scene = three()
    with pytest.raises(SceneError, match=words):
        setattr(scene.bodies[2], name, value)
    assert [*scene.bodies] == [*scene.bodies[:]] and scene.bodies[2].position == (5.0, 6.0)


def test_tags_of_a_body_are_a_list_of_its_own():
    scene = three()
    tags, push = scene.bodies[2].tags, clast.Force(y=1.0)
    assert tags == [] and len(tags) == 0 and not tags
    tags.append(push)
    tags.insert(0, clast.Dashpot(1.0))
    assert scene.bodies[2].tags == [clast.Dashpot(1.0), push] != scene.bodies[1].tags
    assert repr(tags) == repr([clast.Dashpot(1.0), push]) and tags[-1] is push and tags[:1] == [clast.Dashpot(1.0)]
    scene.bodies[1].tags = tags
    del tags[0]
    tags[0] = clast.Fixed()
    assert scene.bodies[2].tags == [clast.Fixed()] and len(scene.bodies[1].tags) == 2 and len(scene.bodies[0].tags) == 1


def test_bodies_are_reached_as_in_a_list():
    scene = three()
    bodies = scene.bodies
    assert len(bodies) == 3 and bodies and not clast.Scene(law=LAW).bodies
    assert [body.position[0] for body in bodies] == [1, 3, 5] == [bodies[k].position[0] for k in (-3, np.int64(1), -1)]
    assert [body.position[0] for body in bodies[1:]] == [3, 5] and bodies[::-1][0] == bodies[2]
    assert bodies[0] != bodies[2] and bodies[0] in bodies
    for index in (3, -4):
        with pytest.raises(IndexError):
            bodies[index]
    del bodies[0]
    assert len(scene) == 2 and [body.position[0] for body in bodies] == [3, 5] and scene.ids("a") == [1]
    scene.add(ROD, (0, 0))
    scene.add_many(HEXAGON, np.zeros((9, 2)))
    scene.add(ROD, (7, 7))  # now there is room for more than there are
    assert bodies[2].shape is ROD is bodies[-1].shape and bodies[-1].position == (7.0, 7.0)


def test_a_copy_of_a_scene_is_another_scene():
    scene = three()
    other = copy.deepcopy(scene)
    shape = other.bodies[0].shape
    assert shape is not BALL and other.bodies[2].shape is shape
    other.add(shape, (9, 9), name="a")
    other.add(BALL, (8, 8))
    other.bodies[0].position = (0, 0)
    assert [other.bodies[k].shape is shape for k in range(5)] == [True, False, True, True, False]
    assert scene.bodies[0].position == (1.0, 2.0) and len(scene) == 3 and other.ids("a") == [0, 2, 3]


def test_columns_are_copies_and_can_be_put():
    scene = clast.Scene3D(law=LAW)
    scene.add_many([sphere(0.3), cuboid(1.0, 0.1)], np.arange(12.0).reshape(4, 3), which=np.array([1, 0, 0, 1]))
    column = scene.bodies.column("position")
    column[:] = 0.0
    assert scene.bodies[1].position == (3.0, 4.0, 5.0) and column.flags["C_CONTIGUOUS"]
    scene.bodies.put("velocity", np.ones((2, 3)), slice(2))
    scene.bodies.put("mass", 7.0, np.array([3]))
    assert [body.velocity[0] for body in scene.bodies] == [1, 1, 0, 0] and scene.bodies[3].mass == 7.0
    shapes, which = scene.bodies.distinct("shape")
    assert [shape.name for shape in shapes] == ["cuboid", "sphere"] and which.tolist() == [0, 1, 1, 0]
    assert scene.bodies.of_shapes(lambda shape: shape.radius).tolist() == [0.1, 0.3, 0.3, 0.1]
    assert scene.bodies.objects("shape", [1, 0]) == shapes[::-1] and scene.bodies.with_object("shape", shapes[1]).tolist() == [
        1,
        2,
    ]


def test_what_nobody_has_any_more_is_not_counted():
    scene = three()
    scene.bodies[1].shape, scene.bodies[1].material, scene.bodies[1].name = BALL, "grain", "a"
    assert scene.bodies.distinct("shape")[0] == [BALL] and scene.materials() == ["grain"]
    with pytest.raises(SceneError, match=r'no body named "quartz"; there are: a$'):
        scene.ids("quartz")


def test_first_rows_of_numbers():
    for seed in range(20):
        numbers = np.random.default_rng(seed).integers(0, 6, 9) + 1
        first, which = firsts(numbers, 8)
        wanted = list(dict.fromkeys(numbers.tolist()))
        assert numbers[first].tolist() == wanted and first.tolist() == [numbers.tolist().index(each) for each in wanted]
        assert [wanted[k] for k in which] == numbers.tolist()
    assert [each.size for each in firsts(np.zeros(0, int), 3)] == [0, 0]
