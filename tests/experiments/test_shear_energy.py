"""shear-energy and its cell, with a dozen grains; and its judgement on made-up tables."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.element_tests.shear_cell import disks, papers_cell, regular_grain, voronoi_grains
from clast.errors import InputError, SceneError
from clast.experiments import find
from clast.experiments.shared.running import run_experiment
from clast.experiments.shear_energy import (
    BAR,
    CHANGES,
    NEITHER,
    NEITHER_NOR_ONSET,
    NO_DASHPOTS,
    NO_FRICTION,
    ROUGH,
    ROUGH_PLATES,
    ShearEnergy,
    by_step,
    cell,
    changed,
    fitted_order,
    of_change,
    time_steps,
)

TINY = {"shape": "pentagon", "grains": 12, "width": 3.4, "until": 1.0, "steps": 3, "coarsest": 1.0, "finest": 0.1, "seeds": 1}


@pytest.fixture(scope="module")
def sheared(tmp_path_factory):
    return run_experiment(find("shear-energy"), given=TINY, out=tmp_path_factory.mktemp("shear") / "run")


def test_energy_balances_better_with_smaller_steps(sheared):
    assert 0.0 < sheared.run.result["energy_error"] < BAR
    steps, errors = by_step(sheared.run, "energy_error")
    assert steps == pytest.approx([1e-4, 10**-3.5, 1e-3])
    assert errors[0] < 0.3 * errors[-1]
    heat = sheared.run.tables["accounts"]["heat_sliding"]
    assert heat[-1] > 50.0  # the plate pulls with some 100 dyn over 1 cm: friction is at work


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
    assert [path.name for path in sheared.figures] == ["cell.png", "error.png", "energy.png"]


def test_what_is_switched_off_leaves_no_heat(sheared):
    table = sheared.run.tables["switched off"]
    assert table["change"].tolist() == [change for change in range(len(CHANGES)) for _ in range(2)]
    slid = [table["sliding"][table["change"] == change] for change in range(len(CHANGES))]
    assert slid[NO_FRICTION].max() < 0.1 * slid[0].min()  # springs of the settled cell are let go at the start
    assert slid[NEITHER].max() == slid[NEITHER_NOR_ONSET].max() == 0.0
    assert of_change(sheared.run, NEITHER, "lost") == [0.0, 0.0]
    assert slid[NO_DASHPOTS].min() > 50.0


def test_what_is_drawn_is_the_cell_at_its_end(sheared):
    """The upper plate bears its weight and load, and what slides along it drags it."""
    contacts, bodies = sheared.run.tables["cell: contacts"], sheared.run.tables["cell: bodies"]
    assert (bodies["time"] == TINY["until"]).all() and len(bodies["angles"]) == TINY["grains"] + 2
    plate = contacts["bodies_y"] == len(bodies["angles"]) - 1
    push = -contacts["forces_y"][plate].sum()  # on the plate
    assert push == pytest.approx(480.0, rel=0.3)


def test_what_is_switched_off():
    p = ShearEnergy(**TINY)
    law = changed(p, NO_FRICTION, 1).law_between("grain", "wall")
    assert (law.friction, law.normal_damping, law.tangential_damping) == (0.0, 16.0, 4.0)
    scene = changed(p, NO_DASHPOTS, 1)
    assert scene.default_law.friction == 0.4 and scene.default_law.normal_damping == 0.0 and scene.onset
    rough = changed(p, ROUGH_PLATES, 1)
    assert rough.law_between("grain", "wall").friction == ROUGH and rough.default_law.friction == 0.4
    assert not changed(p, NEITHER_NOR_ONSET, 1).onset
    assert time_steps(ShearEnergy())[0] == pytest.approx(2e-3) and time_steps(ShearEnergy())[-1] == pytest.approx(1e-4)


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
    mine = cell(ShearEnergy(**{**TINY, "shape": shape}), 1)
    bed = mine.settled()
    engine = Engine(mine.sheared(bed, 0.0), dt=2e-4)
    engine.advance(2000)
    contacts, top = engine.snapshot().contacts, 13
    assert abs(engine.positions[top, 1] - bed.positions[top, 1]) < 1e-3
    rows = contacts.second == top
    assert (contacts.first[rows] != top).all() and rows.any()
    assert -contacts.elastic_forces[rows, 1].sum() == pytest.approx(3.4 * 100.0 + 14.0 * 10.0, rel=0.01)
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
    theirs, ours = papers_cell(pentagons, 1), cell(ShearEnergy(shape="pentagon"), 1)
    for name in ("law", "plate_friction", "period", "density", "gravity", "pressure", "plate_mass", "plate_radius", "seed"):
        assert getattr(theirs, name) == getattr(ours, name), name
