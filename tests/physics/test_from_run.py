"""A scene that begins where a stored run stands: what is kept, to the bit, and what is refused."""

import numpy as np
import pytest
from changed_scenes import GRAINS, LAW, plane, space

import clast
from clast.laws import HertzMindlin
from clast.shapes import disk, sphere

KINDS = {"plane": (clast.Scene, plane, 0.6), "space": (clast.Scene3D, space, 0.3)}
LEAVING = 5000  # step at which body 4 leaves the runs of `gone`


@pytest.fixture(scope="module", params=KINDS)
def stored(request, tmp_path_factory):
    """A scene, and its run to where grains touch."""
    kind, scene_of, until = KINDS[request.param]
    return kind, scene_of, clast.run(scene_of(), until=until, out=tmp_path_factory.mktemp("stored") / "run", frames=5)


def as_kept(kind, scene):
    names = ("position", "velocity", "spin", "mass", "inertia", "big", "angle" if kind is clast.Scene else "orientation")
    return {name: scene.bodies.column(name) for name in names} | {
        name: scene.bodies.objects(name) for name in ("material", "name")
    }


def test_the_last_frame_is_kept_to_the_bit(stored):
    kind, scene_of, run = stored
    scene, first, last = kind.from_run(run, law=LAW), scene_of(), run.frames[-1]
    kept, given = as_kept(kind, scene), as_kept(kind, first)
    for name in ("material", "name"):
        assert kept[name] == given[name]
    for name in ("mass", "big"):
        assert (kept[name] == given[name]).all(), name
    assert kept["inertia"] == pytest.approx(given["inertia"], rel=1e-14)
    for name in ("position", "velocity"):
        assert (kept[name] == last[f"{name}s" if name == "position" else "velocities"]).all()
    for mine, its in zip(scene.bodies.objects("shape"), first.bodies.objects("shape"), strict=True):
        fields = [name for name in mine.__dataclass_fields__ if name != "faces"]
        assert all(np.array_equal(getattr(mine, name), getattr(its, name)) for name in fields)
    assert scene.gravity == first.gravity and scene.box == first.box
    assert [body.tags for body in scene.bodies if body.big] == [[clast.Fixed()] for body in first.bodies if body.big]


def test_it_goes_on_as_the_run_would_have(stored):
    """Energies at the first instant are those of the run at that time, to the last digits; contacts remember."""
    kind, scene_of, run = stored
    whole, new = clast.Simulation(scene_of()), clast.Simulation(kind.from_run(run, law=LAW), dt=run.provenance["dt"])
    whole.run_until(run.frames[-1].time)
    one, other = whole.accounts, new.accounts
    assert one["tangential_elastic"] > 1e-5
    for name in ("normal_elastic", "tangential_elastic", "gravitational", "translational", "rotational"):
        assert other[name] == pytest.approx(one[name], rel=1e-8), name
    whole.step(300)
    new.step(300)
    assert np.abs(whole.positions - new.positions).max() < 1e-5 and new.energy_error < 1e-4


def test_springs_are_kept_where_they_mean_the_same(stored):
    kind, _, run = stored
    same = clast.Simulation(kind.from_run(run, law=LAW)).accounts["tangential_elastic"]
    # a spring is a displacement: half as stiff, half the energy
    half = clast.Linear(1e5, 2.5e4, friction=0.5, normal_damping=300.0)
    assert clast.Simulation(kind.from_run(run, law=half)).accounts["tangential_elastic"] == pytest.approx(0.5 * same, rel=0.05)
    other = kind.from_run(run, law=HertzMindlin(1e6, 0.3, friction=0.5))
    assert other.springs.law != other.law.module and clast.Simulation(other).accounts["tangential_elastic"] > 0.0
    assert clast.Simulation(kind.from_run(run, law=clast.Linear(1e5))).accounts["tangential_elastic"] == 0.0


def test_other_frames_have_no_springs(stored):
    kind, _, run = stored
    scene = kind.from_run(run, 3, law=LAW)
    assert scene.springs is None and (scene.bodies.column("position") == run.frames[3].positions).all()


def test_arguments_and_tags_are_those_that_are_given(stored):
    kind, _, run = stored
    g = np.zeros(2 if kind is clast.Scene else 3)
    scene = kind.from_run(run, law=LAW, gravity=g, drag=0.5, tags={"floor": [clast.Velocity(y=0.1)], 4: (clast.Force(x=1.0),)})
    assert scene.gravity == tuple(g) and scene.drag == 0.5 and scene.bodies[0].tags == [clast.Velocity(y=0.1)]
    assert scene.bodies[4].tags == [clast.Force(x=1.0)]


def test_what_cannot_be_is_refused(stored, tmp_path):
    kind, scene_of, run = stored
    other = clast.Scene3D if kind is clast.Scene else clast.Scene
    law = clast.Linear(1e5)
    for make, error, words in (
        (lambda: kind.from_run(run, 99, law=law), clast.errors.InputError, "there is no frame 99"),
        (lambda: kind.from_run("runs/a", law=law), clast.errors.InputError, r"clast\.open"),
        (lambda: other.from_run(run, law=law, gravity=(0.0,) * other.axes), clast.errors.SceneError, "dimensions"),
        (lambda: kind.from_run(run, law=law, tags={"lid": ()}), clast.errors.SceneError, "lid"),
        (lambda: kind.from_run(run, law=law, colour=3), TypeError, "colour"),
    ):
        with pytest.raises(error, match=words):
            make()
    bare = clast.run(scene_of(), until=0.001, out=tmp_path / "bare", frames=0)
    with pytest.raises(clast.errors.InputError, match="has none"):
        kind.from_run(bare, law=law)


def test_the_same_bodies_begin_as_in_a_run(stored):
    _, scene_of, run = stored
    scene = scene_of()
    scene.begin_as(run)
    assert (scene.bodies.column("position") == run.frames[-1].positions).all() and len(scene.springs.key) > 0
    more = scene_of()
    more.bodies[len(more) - 1].shape = more.bodies[1].shape
    with pytest.raises(clast.errors.SceneError, match="another shape"):
        more.begin_as(run)
    more = scene_of()
    del more.bodies[4]
    with pytest.raises(clast.errors.SceneError, match="a run of the same bodies"):
        more.begin_as(run)


def test_bodies_that_have_left_are_left_out(tmp_path):
    def leave(sim):
        if sim.steps == LEAVING:
            sim.remove(4)

    run = clast.run(plane(), until=0.6, out=tmp_path / "gone", every=(LEAVING, leave), frames=3)
    scene = clast.Scene.from_run(run, law=LAW)
    stayed = np.delete(np.arange(3 + GRAINS), 4)
    assert (scene.bodies.column("position") == run.frames[-1].positions[stayed]).all()
    energy = {name: run.series[name][-1] for name in ("normal_elastic", "tangential_elastic")}
    found = clast.Simulation(scene, dt=run.provenance["dt"]).accounts
    assert {name: found[name] for name in energy} == pytest.approx(energy, rel=1e-8)
    with pytest.raises(clast.errors.SceneError, match=r"Scene\.from_run"):
        plane().begin_as(run)


def test_a_cell_is_as_large_as_it_was(tmp_path):
    def cell(tags):
        scene = clast.Scene(law=LAW, box=clast.Box(2.0, 2.0, tags=tags))
        scene.add_many(disk(radius=0.32), [((k % 3 + 0.5) / 1.5, (k // 3 + 0.5) / 1.5) for k in range(9)], density=10.0)
        return scene

    run = clast.run(cell((clast.Velocity(x=-0.3, y=-0.3),)), until=0.3, out=tmp_path / "cell", frames=2)
    scene = clast.Scene.from_run(run, law=LAW)
    assert scene.box.periods == tuple(run.frames[-1].period) and scene.box.periods[0] == pytest.approx(1.91, rel=1e-4)
    found = clast.Simulation(scene).accounts["normal_elastic"]
    assert found == pytest.approx(run.series["normal_elastic"][-1], rel=1e-9) and found > 0.0
    with pytest.raises(clast.errors.SceneError, match="give the same"):
        cell(()).begin_as(run)


@pytest.mark.parametrize("space", [False, True])
def test_a_sheared_cell_leans_as_it_did(space, tmp_path):
    """Two bodies touch across the seam, whose images lie elsewhere in a cell that does not lean."""
    shear, soft = clast.Shear(rate=0.5), clast.Linear(1.0)
    if space:
        scene = clast.Scene3D(law=soft, box=clast.Box3D(4.0, 4.0, 4.0, tags=(shear,)))
        for x, y in ((1.0, 0.45), (2.0, 3.5)):
            scene.add(sphere(0.5), (x, y, 2.0))
    else:
        scene = clast.Scene(law=soft, box=clast.Box(4.0, 4.0, tags=(shear,)))
        for x, y in ((1.0, 0.45), (2.0, 3.5)):
            scene.add(disk(radius=0.5), (x, y))
    run = clast.run(scene, until=0.5, dt=1e-3, out=tmp_path / "sheared", frames=2)
    offset = run.frames[-1].offset
    assert offset == pytest.approx(1.0, rel=1e-9)
    begun = type(scene).from_run(run, law=soft)
    assert begun.box.offset == offset and begun.box.periods == scene.box.periods
    found = clast.Simulation(begun).accounts["normal_elastic"]
    assert found == pytest.approx(run.series["normal_elastic"][-1], rel=1e-6) and found > 0.0
    with pytest.raises(clast.errors.SceneError, match="offset"):
        scene.begin_as(run)
