"""Runs with bonds: stored, resumed, gone on from, changed by hand; what they leave, and what measures find in it."""

import numpy as np
import pytest
from bonded_scenes import cross, torn

import clast
from clast.cli import run_command
from clast.errors import InputError, SceneError
from clast.measures import Breakage, Fragments, Stress
from clast.output.figures.picture import Looks, picture
from clast.output.recording import Interrupted
from clast.packing import voronoi_packing
from clast.shapes import disk

WEAK = clast.Bond(young=1e4, shear=4e3, tensile_strength=60.0, shear_strength=40.0, friction=0.5, damping=0.05)
STIFF = clast.Bond(young=1e4, shear=4e3)
SETTINGS = {"dt": 4e-4, "until": 1.0, "samples": 50, "frames": 10, "progress": clast.quiet()}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return clast.run(torn(WEAK), out=tmp_path_factory.mktemp("torn") / "run", **SETTINGS)


def test_a_run_keeps_its_bonds_and_its_book_closes(run):
    scene, last = torn(WEAK), run.frames[-1]
    for name, array in scene.bonds._asdict().items():
        assert np.array_equal(run.scene[f"bond_{name}"], array)
    assert 3 < np.count_nonzero(last["bond_steps"] >= 0) < scene.bonds.size
    assert (last["bond_forces"][last["bond_steps"] >= 0] == 0.0).all() and np.abs(last["bond_forces"]).max() > 1.0
    assert run.series["heat_fracture"][-1] > 0.0 and run.series["bond_elastic"].max() > 0.0
    assert run.book.energy_error < 1e-3


def test_measures_of_breakage(run):
    found, fragments = Breakage().compute(run), Fragments().compute(run)
    assert found.broken == np.count_nonzero(run.frames[-1]["bond_steps"] >= 0) and found.bonds == len(run.scene["bond_bodies"])
    assert (np.diff(found.steps) >= 0).all() and set(found.how) <= {1, 2}
    assert Breakage(0).compute(run).broken == 0
    crack = found.first_crack(3.0)
    assert crack is not None and np.ptp(crack.points, axis=0).max() >= 3.0 and crack.step in found.steps
    assert found.first_crack(100.0) is None
    assert Fragments(0).compute(run).number == 1 and fragments.number > 1
    assert fragments.sizes.sum() == 24 and fragments.label[-1] == -1  # the floor
    left, right = fragments.label[0], fragments.label[5]
    assert left != right  # it was torn in two


def test_fragments_are_what_a_search_by_hand_finds(run):
    steps, bodies = run.frames[-1]["bond_steps"], run.scene["bond_bodies"]
    label = np.arange(24)
    for _ in range(24):
        for first, second in bodies[steps < 0]:
            label[[first, second]] = min(label[first], label[second])
    found = Fragments().compute(run).label[:24]
    assert len(np.unique(label)) == found.max() + 1
    assert all(len(np.unique(found[label == each])) == 1 for each in np.unique(label))


def test_a_picture_has_a_line_for_each_bond_and_black_ones_where_they_broke(run, tmp_path):
    figure = picture(run, [0, -1], Looks(bonds=True))
    broken = np.count_nonzero(run.frames[-1]["bond_steps"] >= 0)
    for axes, count in zip(figure.axes, (0, broken), strict=True):
        lines = [each for each in axes.collections if type(each).__name__ == "LineCollection"]
        assert [len(each.get_segments()) for each in lines] == [count, len(run.scene["bond_bodies"]) - count]
        lengths = [np.hypot(*(b - a)) for each in lines for a, b in each.get_segments()]
        assert sum(lengths) == pytest.approx(run.scene["bond_width"].sum(), rel=1e-6)
        assert lines[1].get_clim() == figure.axes[0].collections[-1].get_clim()
    assert run_command(["figure", str(run.folder), "--bonds", "--out", str(tmp_path / "torn.png")]) == 0
    assert (tmp_path / "torn.png").stat().st_size > 5000


def test_a_picture_of_bonds_where_there_are_none_is_refused(tmp_path):
    scene = clast.Scene(law=clast.Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    alone = clast.run(scene, out=tmp_path / "run", **{**SETTINGS, "until": 0.01})
    assert Fragments().compute(alone).sizes.tolist() == [1] and Breakage().compute(alone).bonds == 0
    with pytest.raises(InputError, match="there are no bonds in"):
        picture(alone, [-1], Looks(bonds=True))


def test_a_run_that_was_stopped_goes_on_with_the_same_bits(run, tmp_path):
    def halt(simulation):
        if simulation.steps == 1500:
            raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, Interrupted)):
        clast.run(torn(WEAK), out=tmp_path / "run", every=(500, halt), checkpoint_seconds=0.0, **SETTINGS)
    went_on = clast.run(torn(WEAK), out=tmp_path / "run", every=(500, lambda simulation: None), resume=True, **SETTINGS)
    for name in ("bond_steps", "bond_forces", "positions"):
        assert np.array_equal(went_on.frames[-1][name], run.frames[-1][name]), name
    for name in ("heat_fracture", "bond_elastic", "translational"):
        assert np.array_equal(went_on.series[name], run.series[name]), name


def test_a_scene_from_a_run_has_the_bonds_that_hold(run):
    scene, last = clast.Scene.from_run(run, law=torn(WEAK).law), run.frames[-1]
    assert scene.bonds.size == np.count_nonzero(last["bond_steps"] < 0)
    new = clast.Simulation(scene, dt=SETTINGS["dt"])
    assert np.abs(new.bonds.forces - last["bond_forces"][last["bond_steps"] < 0]).max() < 1e-4
    assert new.accounts["bond_elastic"] == pytest.approx(run.series["bond_elastic"][-1], rel=1e-9)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_body_that_is_taken_out_is_cut_loose_and_the_book_closes():
    sim = clast.Simulation(cross(STIFF), dt=4e-4)
    sim.step(1000)
    held = sim.bonds.energies[0]
    sim.remove(1)
    bonds = sim.bonds
    assert bonds.how.tolist().count(3) == 1 and not bonds.holding[bonds.bodies[:, 1] == 1].any() and held > 0.0
    sim.step(1000)
    assert sim.energy_error < 1e-4


def test_bonds_can_be_made_on_the_way():
    scene = clast.Scene(law=clast.Linear(1e4))
    for k in range(3):
        scene.add(disk(radius=0.5), (1.02 * k, 0.0), velocity=(0.0, 0.5 * k))
    sim = clast.Simulation(scene, dt=1e-4)
    sim.step(10)
    assert sim.bonds is None
    sim.scene.bond(STIFF, [0, 1], gap=0.1)
    sim.step(10)
    assert sim.bonds.bodies.tolist() == [[0, 1]]
    sim.scene.bond(STIFF, [1, 2], gap=0.1)
    sim.step(2000)
    assert sim.bonds.bodies.tolist() == [[0, 1], [1, 2]] and (sim.bonds.energies > 0.0).all()
    assert sim.energy_error < 1e-4


def test_bonds_cannot_be_made_in_a_stored_run(tmp_path):
    with pytest.raises(SceneError, match="bonds cannot be added to a run that is stored"):
        clast.run(cross(STIFF), out=tmp_path / "run", every=(100, lambda sim: sim.scene.bond(STIFF, [1, 2], gap=2.0)), **SETTINGS)


def test_a_fragment_leaves_as_a_whole():
    """Two bonded disks, of which one has fallen out of sight, stay until both have."""
    scene = clast.Scene(law=clast.Linear(1e4), gravity=(0.0, -10.0), remove_below=-2.0)
    scene.add(disk(radius=0.5), (0.0, -1.2))
    scene.add(disk(radius=0.5), (0.0, -0.19))
    scene.add(disk(radius=0.5), (5.0, 0.0), tags=[clast.Fixed()])
    scene.bond(STIFF, [0, 1], gap=0.1)
    sim = clast.Simulation(scene, dt=2e-4)
    seen = []
    sim.every(512, lambda simulation: seen.append((simulation.positions[:2, 1].copy(), simulation.present[:2].copy())))
    sim.step(6000)
    assert any(low < -2.0 < high and present.all() for (low, high), present in seen)
    fallen = 2.0 / sim.look().inverse_masses[0] * 10.0 * 2.0  # m g h
    assert not sim.present[:2].any() and abs(sim.residual) < 1e-4 * fallen


def falling_pair() -> clast.Scene:
    """Two bonded disks on top of each other that fall through the plane of a sink, and one beside them that comes later."""
    scene = clast.Scene(law=clast.Linear(1e4), gravity=(0.0, -10.0))
    for x, y in ((0.0, -1.2), (0.0, -0.19), (3.0, 1.0)):
        scene.add(disk(radius=0.5), (x, y))
    scene.sink(point=(0.0, -2.0), normal=(0.0, -1.0))
    scene.bond(STIFF, [0, 1], gap=0.1)
    return scene


def test_a_sink_takes_a_fragment_as_a_whole():
    sim = clast.Simulation(falling_pair(), dt=2e-4)
    seen = []
    sim.every(128, lambda simulation: seen.append((simulation.positions[:2, 1].copy(), simulation.present[:2].copy())))
    sim.step(6000)
    assert any(low < -2.0 < high and present.all() for (low, high), present in seen)
    assert all(present.all() or not present.any() for _, present in seen)
    assert not sim.present.any() and abs(sim.residual) < 1e-10
    first, second = sim.engine.flow.went[:2].tolist()
    assert {first[0], second[0]} == {0, 1} and first[1] == second[1], "both at one step"


def test_ctrl_c_while_a_sink_takes_leaves_bonds_with_their_bodies(monkeypatch):
    engine = clast.Engine(falling_pair(), dt=2e-4)
    rebuild = type(engine)._rebuild

    def interrupted(self):
        if self.gone:
            raise KeyboardInterrupt
        rebuild(self)

    monkeypatch.setattr(type(engine), "_rebuild", interrupted)
    before = engine.snapshot().bonds.bodies.tolist()
    with pytest.raises(KeyboardInterrupt):
        engine.advance(6000)
    now = engine.snapshot()
    assert engine.gone == 0 and now.bonds.bodies.tolist() == before == [[0, 1]]
    monkeypatch.undo()
    engine.advance(engine.step + 64)
    apart = np.diff(engine.positions[:2, 1])[0]
    assert apart == pytest.approx(1.01, rel=1e-6), "they still hold each other, and nobody else"


def test_grains_that_wait_have_no_bonds():
    scene = clast.Scene(law=clast.Linear(1e4))
    for k in range(2):
        scene.add(disk(radius=0.5), (1.02 * k, 0.0))
    waiting = scene.source(disk(radius=0.5), (5.0, 0.0), (5.0, 0.0), count=3)
    with pytest.raises(SceneError, match=f"body {waiting[0]} is a grain of a source"):
        scene.bond(STIFF, [1, int(waiting[0])], gap=0.1)
    assert len(scene.bond(STIFF, gap=0.1)) == 1 and scene.bonds.bodies.tolist() == [[0, 1]]


# --- joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("border", ["closed", "periodic", "periodic-x"])
def test_voronoi_grains_are_strained_evenly(border):
    """Sides of the cells and distances of the sites: under a uniform strain of the sites all forces balance to rounding."""
    packing = voronoi_packing(5, 4, 1.0, erosion=0.05, dilation=0.04, seed=2, border=border)
    joints = packing.joints()
    strain = np.array([[0.003, 0.001], [0.001, -0.002]])
    jump = (packing.sites[joints.pairs[:, 1]] + joints.shifts - packing.sites[joints.pairs[:, 0]]) @ strain
    forces = (joints.widths / joints.lengths)[:, None] * jump
    net = np.zeros((len(packing.sites), 2))
    np.add.at(net, joints.pairs[:, 0], forces)
    np.add.at(net, joints.pairs[:, 1], -forces)
    whole = {"closed": slice(0, 0), "periodic": slice(None), "periodic-x": slice(0, 0)}[border]
    inner = np.array([k for k, cell in enumerate(packing.cells) if (cell > 1e-9).all() and (cell < [5 - 1e-9, 4 - 1e-9]).all()])
    assert inner.size > 2
    assert np.abs(net[inner]).max() < 1e-12 and np.abs(net[whole]).max(initial=0.0) < 1e-12
    area = sum(0.5 * joints.widths * joints.lengths) if border == "periodic" else None
    assert area is None or area == pytest.approx(20.0, rel=1e-12)


def test_joints_among_some_grains_are_numbered_anew():
    joints = voronoi_packing(4, 4, 1.0, erosion=0.05, dilation=0.04, seed=2).joints()
    some = joints.among([5, 2, 6])
    assert {frozenset(np.array([5, 2, 6])[pair]) for pair in some.pairs} <= {frozenset(pair) for pair in joints.pairs.tolist()}
    assert 0 < len(some.pairs) < len(joints.pairs) and some.pairs.max() <= 2
    with pytest.raises(clast.errors.InputError, match="named twice"):
        joints.among([1, 1])


def test_faces_by_gap_reach_through_a_periodic_side():
    scene = clast.Scene(law=clast.Linear(1e4), box=clast.Box(3.03, 0.0))
    for k in range(3):
        scene.add(disk(radius=0.5), (1.01 * k, 0.0), name="ring")
    scene.bond(STIFF, "ring", gap=0.02)
    assert sorted(map(sorted, scene.bonds.bodies.tolist())) == [[0, 1], [0, 2], [1, 2]]
    sim = clast.Simulation(scene, dt=1e-4)
    sim.step(100)
    assert np.abs(sim.positions[:, 1]).max() == 0.0 and sim.accounts["bond_elastic"] < 1e-20
    with pytest.raises(SceneError, match="no two of these bodies are near enough"):
        scene.bond(STIFF, "ring", gap=0.001)


def test_stress_counts_bonds():
    """A pulled strip: force over width, at samples and at frames."""
    packing = voronoi_packing(6, 3, 1.0, erosion=0.05, dilation=0.04, seed=1)
    scene = clast.Scene(law=clast.Linear(1e4), drag=5.0)
    grains = scene.add_packing(packing)
    scene.bond(clast.Bond(young=1e4), grains, joints=packing.joints())
    x = packing.sites[:, 0]
    for k in np.flatnonzero((x < 1.0) | (x > 5.0)).tolist():
        scene.tag(k, clast.Velocity(x=1e-3 * (x[k] - 3.0)))
    sim = clast.Simulation(scene, dt=1e-3)
    sim.step(3000)
    seen, strained = sim.look(), 3e-3
    from clast.measures.snapshots.contacts import virial

    inner = packing.joints()
    expected = -1e4 * strained * float((inner.widths * inner.lengths * inner.normals[:, 0] ** 2).sum())
    assert virial(sim.engine, seen)[0, 0] == pytest.approx(expected, rel=0.02)


def test_stress_at_frames_is_that_at_samples(run):
    at_samples, at_frames = (Breakless(at).compute(run) for at in ("samples", "frames"))
    assert at_frames[-1] == pytest.approx(at_samples[-1], rel=1e-5)


class Breakless:
    """The virial of a run without walls around it, as `Stress` divides it by a size that this run does not have."""

    def __init__(self, at: str) -> None:
        self.measure = Stress(at=at)

    def compute(self, run) -> np.ndarray:
        measure = self.measure
        steps = run.frames.steps if measure.at == "frames" else run.series["step"]
        measure._letters, measure.time = "xy", steps
        measure.region = type("Whole", (), {"size": np.ones(len(steps))})
        return measure._from_contacts(run)[:, 0, 0]
