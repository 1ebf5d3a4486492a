"""shear-energy and its cell, with a dozen grains; and its judgement on made-up tables."""

from types import SimpleNamespace

import numpy as np
import pytest
import shapely

from clast.dynamics.engine import Engine
from clast.element_tests.shear_cell import LAWS, disks, papers_cell, regular_grain, voronoi_grains
from clast.element_tests.teeth import toothed_face
from clast.errors import InputError, SceneError
from clast.experiments import find
from clast.experiments.experiment import Quantity
from clast.experiments.shared.following import LEAST, STEEP, follow, judged_if_sheared
from clast.experiments.shared.running import run_experiment
from clast.experiments.shear_energy import (
    BAR,
    CHANGES,
    NEITHER,
    NEITHER_NOR_ONSET,
    NO_DASHPOTS,
    NO_FRICTION,
    SMOOTH_PLATES,
    ShearEnergy,
    by_step,
    cell,
    changed,
    fitted_order,
    of_change,
    step_for,
    time_steps,
)
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.scene.tags import Velocity
from clast.shapes import disk, segment

TINY = {"shape": "pentagon", "grains": 12, "width": 3.4, "until": 3.0, "steps": 3, "coarsest": 1.0, "finest": 0.1, "seeds": 1}


@pytest.fixture(scope="module")
def sheared(tmp_path_factory):
    return run_experiment(find("shear-energy"), given=TINY, out=tmp_path_factory.mktemp("shear") / "run")


def test_energy_balances_better_with_smaller_steps(sheared):
    assert 0.0 < sheared.run.result["energy_error"] < BAR
    steps, errors = by_step(sheared.run, "energy_error")
    assert steps == pytest.approx([1e-4, 10**-3.5, 1e-3])
    assert errors[0] < 0.3 * errors[-1]
    heat = sheared.run.tables["accounts"]["heat_sliding"]
    assert heat[-1] > 30.0  # the plate pulls with some 100 dyn over 1 cm: friction is at work


def test_grains_follow_toothed_plates_and_not_smooth_ones(sheared):
    table = sheared.run.tables["switched off"]
    share, gradient = (
        {change: table[name][table["change"] == change][0] for change in (0, SMOOTH_PLATES)} for name in ("share", "gradient")
    )
    assert gradient[0] > 0.6 and gradient[SMOOTH_PLATES] < 0.4 * gradient[0]  # they rest, or go along and slide below
    ways = sheared.run.tables["cell: ways"]
    assert len(ways["way"]) == TINY["grains"] and ways["way"].mean() == pytest.approx(share[0])
    assert np.corrcoef(ways["height"], ways["way"])[0, 1] > 0.7
    found = {quantity.name: quantity for quantity in sheared.quantities}
    assert found["grains' way over the plate's"].measured == pytest.approx(share[0])


def test_quantities_are_those_of_the_tables(sheared):
    found = {quantity.name: quantity for quantity in sheared.quantities}
    account = sheared.run.tables["accounts"]
    names = [name for name in account if not name.startswith(("heat", "work", "time", "carried"))]
    energy = sum(account[name] for name in names)
    heat = sum(account[name] for name in account if name.startswith("heat"))
    residual = energy[-1] - energy[0] + heat[-1] - account["work_tags"][-1]
    assert found["|residual|/E"].measured == pytest.approx(abs(residual) / energy[-1], rel=1e-6)
    assert found["|residual|/E"].published == 0.002 and found["|residual|/E"].agrees
    assert found["|residual|/W"].published == 0.01
    rows = sheared.run.tables["error against dt"]
    slope = np.polyfit(np.log(rows["dt"]), np.log(rows["energy_error"]), 1)[0]
    assert found["order of the error in Δt"].measured == pytest.approx(slope)
    assert [name for name in found if name.startswith("where")] == [f"where it sits: {name}" for name in CHANGES]
    assert found["where it sits: as it is"].measured == pytest.approx(found["energy error"].measured)  # the same run again
    for path in sheared.figures:
        assert path.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in sheared.figures] == ["cell.png", "error.png", "ways.png", "energy.png"]


def test_what_is_switched_off_leaves_no_heat(sheared):
    table = sheared.run.tables["switched off"]
    assert table["change"].tolist() == [change for change in range(len(CHANGES)) for _ in range(2)]
    slid = [table["sliding"][table["change"] == change] for change in range(len(CHANGES))]
    assert slid[NO_FRICTION].max() == slid[NEITHER].max() == slid[NEITHER_NOR_ONSET].max() == 0.0
    assert of_change(sheared.run, NEITHER, "lost") == [0.0, 0.0]
    assert slid[NO_DASHPOTS].min() > 30.0


def test_what_is_drawn_is_the_cell_at_its_end(sheared):
    """The sample bears the upper plate, which rides up and down on it, and holds it back."""
    contacts, bodies = sheared.run.tables["cell: contacts"], sheared.run.tables["cell: bodies"]
    assert (bodies["time"] == TINY["until"]).all() and len(bodies["angles"]) == TINY["grains"] + 2
    probing, probed = (contacts[f"bodies_{axis}"] == len(bodies["angles"]) - 1 for axis in "xy")
    push, pull = (contacts[name][probing].sum() - contacts[name][probed].sum() for name in ("forces_y", "forces_x"))
    assert 0.3 < push / (3.4 * 100.0 + 140.0 * 0.3) < 3.0
    assert pull < 0.0


def test_what_is_switched_off():
    p = ShearEnergy(**TINY)
    law = changed(p, NO_FRICTION, 1).law_between("grain", "wall")
    assert (law.friction, law.normal_damping, law.tangential_damping) == (0.0, 16.0, 4.0)
    scene = changed(p, NO_DASHPOTS, 1)
    assert scene.default_law.friction == 0.4 and scene.default_law.normal_damping == 0.0 and scene.onset
    assert [len(changed(p, change, 1).bodies[-1].shape.vertices) > 2 for change in (0, SMOOTH_PLATES)] == [True, False]
    assert not changed(p, NEITHER_NOR_ONSET, 1).onset
    assert time_steps(ShearEnergy())[0] == pytest.approx(2e-3) and time_steps(ShearEnergy())[-1] == pytest.approx(1e-4)


def test_the_step_at_which_an_error_is_small():
    assert step_for(4e-4, 1e-4, 1e-3) == pytest.approx(5e-4)
    assert step_for(8e-4, 4e-4, 1e-3) == pytest.approx(1.25e-4)
    assert np.isnan(step_for(1e-4, 2e-4, 1e-3)) and np.isnan(step_for(0.0, 0.0, 1e-3))


def test_the_order_is_that_of_a_power_law():
    steps = np.array([1e-4, 1e-3, 2e-3])
    rows = {"dt": np.repeat(steps, 2), "energy_error": np.repeat(3.0 * steps**1.7, 2) * np.tile([0.5, 2.0], 3)}
    run = SimpleNamespace(tables={"error against dt": rows})
    assert fitted_order(*by_step(run, "energy_error")) == pytest.approx(1.7)
    assert np.isnan(fitted_order(steps, np.zeros(3)))


# --- the cell --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [3, 5, 7])
def test_regular_grains_have_the_area_of_the_disk(sides):
    assert regular_grain(sides, 0.76, 0.1).area == pytest.approx(np.pi * 0.38**2, rel=1e-12)
    assert regular_grain(sides, 0.76, 0.1).radius == 0.1


def test_grains_are_as_many_and_as_large_as_asked():
    cells = voronoi_grains(15, 0.76, 0.1, seed=3)
    assert len(cells) == 15 and {shape.radius for shape in cells} == {0.1}
    assert 0.9 < np.mean([shape.area for shape in voronoi_grains(120, 0.76, 0.1, seed=3)]) / (np.pi * 0.38**2) < 1.0  # rounded
    round_ones = np.array([shape.radius for shape in disks(50, 0.76, seed=3)])
    assert 0.9 * 0.38 <= round_ones.min() < round_ones.max() <= 1.1 * 0.38


@pytest.mark.parametrize("shape", ["pentagon", "voronoi", "disk"])
def test_the_settled_cell_carries_its_load_and_stays(shape):
    mine = cell(ShearEnergy(**{**TINY, "shape": shape}), 2)
    bed = mine.settled()
    engine = Engine(mine.sheared(bed, 0.0), dt=2e-4)
    engine.advance(2000)
    contacts, top = engine.snapshot().contacts, 13
    assert np.abs(engine.positions - bed.positions)[: top + 1].max() < 0.005  # of a grain's width of 0.8
    probed, probing = contacts.second == top, contacts.first == top  # teeth have corners, which meet edges of grains
    assert not (probed & probing).any() and probed.any()
    forces = contacts.elastic_forces[:, 1]
    assert forces[probing].sum() - forces[probed].sum() == pytest.approx(3.4 * 100.0 + 140.0 * 0.3, rel=0.01)
    again = mine.settled()
    assert np.array_equal(again.positions, bed.positions)  # kept


def test_cells_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="too narrow"):
        cell(ShearEnergy(**{**TINY, "width": 1.2}), 1).settled()
    with pytest.raises(InputError, match="take a smaller radius"):
        cell(ShearEnergy(**{**TINY, "radius": 0.4}), 1)
    with pytest.raises(SceneError, match="skeletons would meet"):
        cell(ShearEnergy(**{**TINY, "load": 2000.0}), 1).settled()
    with pytest.raises(InputError, match="--shape sheep"):
        find("shear-energy").choose("full", {"shape": "sheep"})


def test_the_cell_of_the_papers_is_the_default():
    pentagons = [regular_grain(5, 0.76, 0.1)] * 60
    for paper, (tangential, friction, density) in LAWS.items():
        theirs, ours = papers_cell(pentagons, 1, paper), cell(ShearEnergy(shape="pentagon", paper=paper), 1)
        for name in ("law", "plate_friction", "period", "density", "gravity", "pressure", "plate_mass", "plate_radius", "seed"):
            assert getattr(theirs, name) == getattr(ours, name), name
        assert (theirs.law.tangential_stiffness, theirs.law.friction, theirs.density) == (tangential * 1e4, friction, density)
        assert theirs.toothed and ours.toothed


@pytest.mark.parametrize("sides", [3, 5, 0])
def test_plates_carry_half_sunk_grains(sides):
    grains = [regular_grain(sides, 0.76, 0.1)] * 4 if sides else disks(4, 0.76, 1)
    for seed in range(5):
        face = toothed_face(grains, 7.6, 0.1, np.random.default_rng(seed))
        assert np.array_equal(face[-1], face[0] + (7.6, 0.0))
        assert face[0, 0] <= face[:, 0].min() and face[:, 0].max() <= face[-1, 0]  # exactly one period
        assert np.hypot(*np.diff(face, axis=0).T).min() > 0.004 and face[:, 1].min() >= 0.0
        area = float(np.trapezoid(face[:, 1], face[:, 0]))
        half = 0.5 * 10 * shapely.Polygon(grains[0].vertices).area if sides else 0.5 * 10 * np.pi * 0.28**2
        assert area == pytest.approx(half, rel=0.25)  # what sticks out; teeth may lean over each other
    assert np.array_equal(face, toothed_face(grains, 7.6, 0.1, np.random.default_rng(4)))


def test_teeth_are_not_sharper_than_the_plate():
    with pytest.raises(InputError, match="must not exceed"):
        toothed_face(disks(4, 0.2, 1), 7.6, 0.2, np.random.default_rng(1))


# --- who follows whom ------------------------------------------------------------------------------------------------


def test_the_way_of_grains_over_that_of_the_plate():
    scene = Scene(law=Linear(1e4))
    for y, speed in ((1.0, 0.1), (2.0, 0.5), (3.0, 0.9)):
        scene.add(disk(radius=0.1), (0.0, y), velocity=(speed, 0.0))
    scene.add_wall(segment((0.0, 4.0), (1.0, 4.0), radius=0.1), tags=[Velocity(x=1.0, y=0.0, spin=0.0)])
    found = follow(scene, 1e-3, 1000)
    assert found.heights == pytest.approx([0.25, 0.5, 0.75])
    assert found.ways == pytest.approx([0.1, 0.5, 0.9])
    assert found.share == pytest.approx(0.5) and found.gradient == pytest.approx(1.6)


def test_what_is_not_sheared_is_not_judged():
    quantity = Quantity("x", 1.0, "", 1.0, True)
    for share, gradient, agrees in ((LEAST, STEEP, True), (LEAST - 0.01, 1.0, None), (0.9, STEEP - 0.01, None)):
        first, second = judged_if_sheared([quantity], {"share": np.full(2, share), "gradient": np.full(2, gradient)})
        assert first.measured == pytest.approx(share) and second.agrees is agrees
        assert ("nothing is judged" in first.note) == (agrees is None)
