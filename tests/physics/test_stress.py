"""Stress of packings at rest: walls, Love-Weber sums and contact tables agree, and are what the loads say (model §8)."""

import numpy as np
import pytest

import clast
from clast.measures import Coordination, Fabric, ForceChains, ForceDistribution, QuasiStatic, Region, Stress, VoidRatio, Walls
from clast.measures.touching import contacts_at
from clast.output.figures.chains import chains_figure
from clast.shapes import pebble, regular, segment

P_X, P_Y, MU = 100.0, 200.0, 0.5
THICK = 0.03
LAW = clast.Linear(1e5, 5e4, friction=MU, normal_damping=300.0)
GRAINS = (regular(5, THICK, circumradius=0.09), regular(3, THICK, circumradius=0.1), pebble(0.06))


def add_grains(scene, columns, rows, spacing=0.3):
    """Pentagons, triangles and pebbles on a lattice at random angles."""
    rng = np.random.default_rng(3)
    for row in range(rows):
        for column in range(columns):
            place = ((column + 0.5) * spacing, (row + 0.5) * spacing)
            scene.add(GRAINS[(row + column) % 3], place, angle=rng.uniform(0.0, 2.0 * np.pi))


@pytest.fixture(scope="module")
def pressed(tmp_path_factory):
    """Grains between four smooth walls, the sides under P_X, the top under P_Y, brought to rest."""
    side, far = 6 * 0.3, 3.0
    scene = clast.Scene(law=LAW, drag=3.0)
    scene.set_law("grain", "wall", clast.Linear(1e5, 5e4, friction=0.0, normal_damping=300.0))
    ramp = [clast.Ramp(0.0, p, finish=0.8, smooth=True) for p in (P_X, P_Y)]
    upright, level = clast.Velocity(y=0.0, spin=0.0), clast.Velocity(x=0.0, spin=0.0)
    for name, a, b, tags in (
        ("left", (-THICK, -far), (-THICK, far), [upright, clast.Pressure(ramp[0], "+x", between=("bottom", "top"))]),
        ("right", (side + THICK, -far), (side + THICK, far), [upright, clast.Pressure(ramp[0], "-x", between=("bottom", "top"))]),
        ("bottom", (-far, -THICK), (far, -THICK), [clast.Fixed()]),
        ("top", (-far, side + THICK), (far, side + THICK), [level, clast.Pressure(ramp[1], "-y", between=("left", "right"))]),
    ):
        scene.add_wall(segment(a, b, radius=THICK), name=name, tags=tags)
    add_grains(scene, 6, 6)
    return clast.run(
        scene, until=2.0, out=tmp_path_factory.mktemp("pressed") / "run", samples=50, frames=10, progress=clast.quiet()
    )


def test_walls_and_contacts_agree_at_rest(pressed):
    walls, contacts = (Stress(source).compute(pressed) for source in ("walls", "contacts"))
    tables = Stress(at="frames").compute(pressed)
    assert QuasiStatic().compute(pressed).unbalanced[-1] < 1e-4
    for found in (walls, contacts, tables):
        assert found.xx[-1] == pytest.approx(P_X, rel=0.01)
        assert found.yy[-1] == pytest.approx(P_Y, rel=0.01)
    for name in ("left", "right", "bottom", "top"):
        assert walls.on_wall[name][-1] == pytest.approx([P_X if name in ("left", "right") else P_Y, 0.0], rel=1e-3, abs=1e-6)
    assert contacts.p[-1] == pytest.approx(walls.p[-1], rel=0.01)
    # moment balance of every grain makes the tensor symmetric
    assert contacts.xy[-1] == pytest.approx(contacts.yx[-1], abs=1e-5 * P_X)


def test_stored_sums_and_tables_are_the_same_at_every_frame(pressed):
    samples, frames = Stress().compute(pressed), Stress(at="frames").compute(pressed)
    rows = np.searchsorted(pressed.series["step"], pressed.frames.steps)
    assert pressed.series["step"][rows].tolist() == pressed.frames.steps.tolist()
    for name in ("xx", "xy", "yx", "yy"):  # tables are kept in single precision
        assert getattr(frames, name) == pytest.approx(getattr(samples, name)[rows], rel=1e-5, abs=1e-4 * P_X)


def test_tables_say_what_the_series_say(pressed):
    contacts = contacts_at(pressed, -1)
    assert (contacts.counts > 0).sum() == pressed.series["contacts"][-1]
    for name, number in (("left", 0), ("top", 3)):
        on_second = -contacts.forces[contacts.bodies[:, 1] == number].sum(axis=0)
        force = on_second + contacts.forces[contacts.bodies[:, 0] == number].sum(axis=0)
        assert force == pytest.approx([pressed.series[f"{name}.force_{axis}"][-1] for axis in "xy"], rel=1e-5, abs=1e-3)
    coordination = Coordination().compute(pressed)
    with_walls = contacts.big.any(axis=1)[contacts.counts > 0].sum()
    assert coordination.contacts.sum() == 2 * pressed.series["contacts"][-1] - with_walls
    assert 2.0 < coordination.mean < coordination.mean_contacts
    assert 0.0 < coordination.vertex_vertex_share < 0.5


def test_a_packing_pressed_harder_from_above_looks_up(pressed):
    fabric = Fabric(weight="force").compute(pressed)
    assert np.degrees(fabric.direction) == pytest.approx(90.0, abs=20.0)
    assert fabric.anisotropy > 0.1
    forces = ForceDistribution(friction=MU).compute(pressed)
    assert forces.mobilised.max() < 1.0 + 1e-5
    region, void = Region().compute(pressed), VoidRatio().compute(pressed)
    area = sum(shape.area for shape in (GRAINS[(row + column) % 3] for row in range(6) for column in range(6)))
    assert void.void_ratio[-1] == pytest.approx(region.area[-1] / area - 1.0)
    assert 0.7 < void.fraction[-1] < 0.9


def test_chains_carry_the_load(pressed):
    chains = ForceChains().compute(pressed)
    assert chains.number >= 1
    inside = np.concatenate(chains.chains)
    assert len(inside) == len(set(inside.tolist()))
    p = 0.5 * np.trace(chains.stress, axis1=1, axis2=2)
    grains = np.arange(4, 40)
    assert p[inside].mean() > 1.3 * p[grains].mean()
    figure = chains_figure(pressed)
    (axes,) = figure.axes
    (lines,) = [each for each in axes.collections if type(each).__name__ == "LineCollection"]
    assert len(lines.get_segments()) == len(chains.forces)
    assert axes.get_xlim()[1] - axes.get_xlim()[0] < 1.2 * Region().compute(pressed).width[-1], (
        "walls reach far out of the picture"
    )


def test_plates_of_a_periodic_cell(tmp_path):
    """Under a plate without gravity the stress σ_yy is the pressure; a plate held back carries σ_xy."""
    width = 6 * 0.3
    scene = clast.Scene(law=LAW, drag=3.0, box=clast.Box(period_x=width))
    scene.add_wall(segment((0.0, -THICK), (0.9 * width, -THICK), radius=THICK), name="floor")
    load = clast.Pressure(clast.Ramp(0.0, P_Y, finish=0.8, smooth=True), "-y")
    plate = segment((0.0, 1.8 + THICK), (0.9 * width, 1.8 + THICK), radius=THICK)
    scene.add_wall(plate, name="plate", tags=[clast.Velocity(spin=0.0), load, clast.Force(x=clast.Ramp(0.0, 20.0, finish=0.8))])
    add_grains(scene, 6, 6)
    run = clast.run(scene, until=2.5, out=tmp_path / "run", samples=50, frames=5, progress=clast.quiet())
    names = Walls(bottom="floor", top="plate")
    walls, contacts = (Stress(source, walls=names).compute(run) for source in ("walls", "contacts"))
    assert run.series["unbalanced_force"][-1] < 1e-3
    assert walls.yy[-1] == pytest.approx(P_Y, rel=0.01)
    assert contacts.yy[-1] == pytest.approx(P_Y, rel=0.01)
    assert walls.xy[-1] == pytest.approx(-20.0 / width, rel=0.02), "the sample pushes the plate back"
    assert contacts.xy[-1] == pytest.approx(walls.xy[-1], rel=0.02)
    assert len(chains_figure(run).axes) == 1


def test_a_cell_that_moves_has_the_stress_that_pushes_it(tmp_path):
    """All sides periodic, P_X across one and P_Y across the other: the mean stress inside is what the cell is pushed with."""
    ramp = [clast.Ramp(0.0, p, finish=0.8, smooth=True) for p in (P_X, P_Y)]
    box = clast.Box(period_x=1.8, period_y=1.8, tags=(clast.Pressure(ramp[0], "-x"), clast.Pressure(ramp[1], "-y")))
    scene = clast.Scene(law=LAW, drag=3.0, box=box)
    add_grains(scene, 6, 6)
    run = clast.run(scene, until=2.5, out=tmp_path / "run", samples=50, frames=5, progress=clast.quiet())
    assert run.series["unbalanced_force"][-1] < 1e-3
    for stress in (Stress().compute(run), Stress(at="frames").compute(run)):
        assert stress.xx[-1] == pytest.approx(P_X, rel=0.01)
        assert stress.yy[-1] == pytest.approx(P_Y, rel=0.01)
    region = Region(at="frames").compute(run)
    assert region.width[-1] == pytest.approx(Region().compute(run).width[-1])
    assert region.width[-1] < 1.7, "the cell has closed"
    coordination = Coordination().compute(run)
    assert coordination.contacts.sum() == 2 * run.series["contacts"][-1]
    figure = chains_figure(run)
    assert figure.axes[0].get_xlim() == pytest.approx((0.0, region.width[-1]))
