"""Measures of a sample on made-up runs, in closed form (model §8): region, stress, strain; what is refused, what is drawn."""

import copy

import matplotlib
import numpy as np
import pytest
from made_runs import SIDE, MadeRun, crowd, disks_scene, flat_on_flat, hexagonal_cell, moved_run, slip, square_packing

from clast.errors import InputError
from clast.measures import (
    BandAngle,
    Coordination,
    Displacement,
    Fabric,
    ForceChains,
    ForceDistribution,
    QuasiStatic,
    Region,
    Strain,
    StrainField,
    Stress,
    VoidRatio,
    Walls,
)

matplotlib.use("agg")


# --- region, stress, strain, void ratio ------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_region_lies_between_inner_faces(at):
    region = Region(at=at).compute(square_packing(4, 3))
    assert region.width == pytest.approx(4.0 * SIDE)
    assert region.height == pytest.approx(3.0 * SIDE)
    assert region.area == pytest.approx(12.0 * SIDE**2)
    assert len(region.time) == (2 if at == "samples" else 1)


def test_a_tilted_wall_has_its_face_where_it_stands():
    run = square_packing(4, 3)
    run.frames[0]["angles"][1] = np.pi / 2.0  # the right wall was put up from a level drawing
    run.scene["body_shape"][1] = 2
    assert Region().compute(run).width == pytest.approx(4.0 * SIDE)
    run.add_frame(run.frames[0]["positions"], angles=run.frames[0]["angles"] + 0.1)
    with pytest.raises(InputError, match=r"turns by 0\.1"):
        Region().compute(run)


def test_region_of_a_periodic_box_fixed_and_moving():
    run = hexagonal_cell(cells=3)
    assert Region().compute(run).width == pytest.approx(3.0 * SIDE)
    run.series |= {"time": np.array([0.0, 1.0]), "cell.x": np.array([3.0, 2.0]), "cell.y": np.array([5.0, 6.0])}
    region = Region().compute(run)
    assert region.width.tolist() == [3.0, 2.0]
    assert region.height.tolist() == [5.0, 6.0]
    run.add_frame(run.frames[0]["positions"], period=np.array([2.5, 5.5]))
    assert Region(at="frames").compute(run).width.tolist() == [3.0, 2.5]


@pytest.mark.parametrize(("source", "at"), [("walls", "samples"), ("contacts", "samples"), ("contacts", "frames")])
def test_stress_of_a_square_packing(source, at):
    stress = Stress(source, at=at).compute(square_packing(p_x=2.0, p_y=5.0))
    for values, expected in (
        (stress.xx, 2.0), (stress.yy, 5.0), (stress.xy, 0.0), (stress.yx, 0.0), (stress.p, 3.5), (stress.q, 1.5),
        (stress.sigma_1, 5.0), (stress.sigma_3, 2.0), (stress.difference, 3.0), (stress.sin_phi, 1.5 / 3.5),
        (stress.direction, np.pi / 2.0),
    ):  # fmt: skip
        assert values == pytest.approx(expected, abs=1e-12)


def test_stress_on_single_walls_and_its_shear():
    run = square_packing(4, 3, p_x=2.0, p_y=5.0)
    run.series["top.force_x"] += 1.2
    run.series["bottom.force_x"] -= 0.8
    stress = Stress("walls").compute(run)
    assert stress.on_wall["top"][0] == pytest.approx([5.0, 1.2 / 4.0])
    assert stress.on_wall["bottom"][0] == pytest.approx([5.0, -0.8 / 4.0])
    assert stress.on_wall["left"][0] == pytest.approx([2.0, 0.0])
    assert stress.xy == pytest.approx(1.0 / 4.0)


@pytest.mark.parametrize("turn", [0.4, 2.0])
def test_principal_stresses_of_a_turned_tensor(turn):
    run = square_packing()
    c, s = np.cos(turn), np.sin(turn)
    tensor = np.array([[c, -s], [s, c]]) @ np.diag([7.0, 3.0]) @ np.array([[c, s], [-s, c]])
    for a in range(2):
        for b in range(2):
            run.series[f"virial_{'xy'[a]}{'xy'[b]}"] = np.full(2, 12.0 * SIDE**2 * tensor[a, b])
    stress = Stress().compute(run)
    assert stress.sigma_1 == pytest.approx(7.0)
    assert stress.sigma_3 == pytest.approx(3.0)
    assert stress.direction == pytest.approx(turn)


def test_stress_of_a_hexagonal_cell_is_isotropic():
    stress = Stress(at="frames").compute(hexagonal_cell(force=3.0))
    assert stress.p == pytest.approx(np.sqrt(3.0) * 3.0 / SIDE)  # p = √3 f/d
    assert stress.q == pytest.approx(0.0, abs=1e-12)


def test_walls_on_two_sides_know_half_of_the_stress():
    run = square_packing(4, 3, p_y=5.0)
    run.scene["period"] = np.array([4.0 * SIDE, 0.0])
    stress = Stress("walls").compute(run)
    assert stress.yy == pytest.approx(5.0)
    with pytest.raises(InputError, match="half of the stress"):
        _ = stress.p
    assert len(stress.plot().axes[0].lines) == 2


def squeezed():
    """Walls that move at samples 0, 1, 2: height 3, 2.9, 2.7; width 4, 4.05, 4.3; the top goes 0, 0.1, 0.2 to the right."""
    run = square_packing(4, 3)
    for name, values in run.series.items():
        run.series[name] = np.full(3, values[0])
    run.series["time"] = np.array([0.0, 1.0, 2.0])
    run.series["top.y"] = run.series["top.y"] + np.array([0.0, -0.1, -0.3])
    run.series["top.x"] = run.series["top.x"] + np.array([0.0, 0.1, 0.2])
    run.series["right.x"] = run.series["right.x"] + np.array([0.0, 0.05, 0.3])
    return run


def test_strain_and_its_signs():
    strain = Strain().compute(squeezed())
    assert strain.axial == pytest.approx([0.0, 0.1 / 3.0, 0.1])
    assert strain.lateral == pytest.approx([0.0, -0.05 / 4.0, -0.3 / 4.0])
    assert strain.volumetric == pytest.approx([0.0, 2.9 * 4.05 / 12.0 - 1.0, 2.7 * 4.3 / 12.0 - 1.0])
    assert strain.deviatoric == pytest.approx([0.0, 0.1 / 3.0 + 0.05 / 4.0, 0.1 + 0.3 / 4.0])
    assert strain.shear == pytest.approx([0.0, 0.1 / 3.0, 0.2 / 3.0])
    assert strain.rate == pytest.approx([0.1 / 3.0, 0.05, 0.2 / 3.0])


def test_strain_along_the_other_axis_and_since_a_later_time():
    strain = Strain("x", since=1.0).compute(squeezed())
    assert strain.axial == pytest.approx([0.05 / 4.05, 0.0, -0.25 / 4.05])
    assert strain.volumetric[1] == 0.0
    with pytest.raises(InputError, match=r"since = 3\.0 is outside"):
        Strain(since=3.0).compute(squeezed())


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_void_ratio_of_a_square_packing(at):
    void = VoidRatio(at=at).compute(square_packing())
    assert void.fraction == pytest.approx(np.pi / 4.0)
    assert void.void_ratio == pytest.approx(4.0 / np.pi - 1.0)


def test_void_ratio_of_a_hexagonal_cell():
    assert VoidRatio().compute(hexagonal_cell()).fraction == pytest.approx(np.pi / np.sqrt(12.0))


def test_inertial_number():
    run = squeezed()
    quasi = QuasiStatic(source="walls").compute(run)
    # forces on the walls stay, the faces change: p_x = 6/height, p_y = 20/width
    p = 0.5 * (6.0 / np.array([3.0, 2.9, 2.7]) + 20.0 / np.array([4.0, 4.05, 4.3]))
    assert quasi.inertial == pytest.approx(np.array([0.1 / 3.0, 0.05, 0.2 / 3.0]) * np.sqrt(2.0 / p))
    assert not quasi.slow
    assert QuasiStatic(rate=1e-5, source="walls").compute(run).slow
    assert QuasiStatic(rate=1e-5).compute(square_packing()).unbalanced.tolist() == [0.1, 1e-6]


# --- what is refused, what is drawn ----------------------------------------------------------------------------------


def without(run, *names):
    """A copy of a run without some series or parts of the scene."""
    run = copy.deepcopy(run)
    for name in names:
        run.series.pop(name, None)
        run.scene.pop(name, None)
    return run


@pytest.mark.parametrize(
    ("measure", "run", "words"),
    [
        (Region(Walls(top="lid")), square_packing(), 'one wall named "lid" and has 0; its walls: bottom, left, right, top'),
        (Region(Walls(left="right", right="left")), square_packing(), "leave no room"),
        (Stress("walls"), hexagonal_cell(), "periodic on all sides"),
        (Stress("walls"), without(square_packing(), "left.force_x"), 'no series "left.force_x"'),
        (Stress(), without(square_packing(), "virial_yx"), 'no series "virial_yx"'),
        (Stress(), without(square_packing(), "body_name"), 'does not tell the "body_name"'),
        (VoidRatio(), without(square_packing(), "body_area"), 'does not tell the "body_area"'),
        (VoidRatio(), MadeRun(disks_scene(0, (1.0, 1.0)), {"time": np.zeros(1)}), "no grains"),
        (Coordination(3), square_packing(), "no frame 3: the run has 1"),
        (Coordination(), moved_run(crowd(2, 2), crowd(2, 2)), "no tables of contacts"),
        (Fabric(), flat_on_flat((0, 1, 0.0, -1, 0)), "no grain touches another in frame -1"),
        (ForceDistribution(), flat_on_flat((0, 1, 0.0, -1, 0)), "no grain presses on another"),
        (Displacement(0, -1), square_packing(), "are the same one"),
        (StrainField(), moved_run(np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), np.zeros((3, 2))), "make no triangles"),
        (StrainField(), moved_run(np.zeros((2, 2)), np.zeros((2, 2))), "make no triangles"),
    ],
)
def test_a_run_that_lacks_something_is_refused_in_one_sentence(measure, run, words):
    with pytest.raises(InputError) as refused:
        measure.compute(run)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Region(at="noon"), lambda: Stress("gauge"), lambda: Stress("walls", at="frames"), lambda: Strain("w"),
        lambda: Fabric(weight="mass"), lambda: ForceDistribution(friction=0.0), lambda: ForceDistribution(bins=0),
        lambda: BandAngle(width=0.0), lambda: BandAngle(least=-1.0),
    ],
)  # fmt: skip
def test_a_measure_refuses_what_it_cannot_do(make):
    with pytest.raises(InputError):
        make()


def test_a_frame_without_its_table_is_refused():
    run = square_packing()
    run.add_frame(run.frames[0]["positions"])
    run.add_frame(run.frames[0]["positions"], table=run.contacts[0])
    assert Coordination(2).compute(run).mean == 4.0
    for frame in (1, -2):
        with pytest.raises(InputError, match="no table of contacts at step 1"):
            Coordination(frame).compute(run)


def test_taken_out_grains_leave_no_void_ratio():
    run = square_packing()
    run.add_frame(run.frames[0]["positions"], present=np.array([1] * 15 + [0]))
    with pytest.raises(InputError, match="remove_below"):
        VoidRatio().compute(run)


def test_grains_that_came_in_leave_no_void_ratio():
    run = square_packing()
    whole = run.frames.pop()
    run.add_frame(whole["positions"], present=np.array([1] * 15 + [0]))
    run.add_frame(whole["positions"], present=np.ones(16))
    with pytest.raises(InputError, match="grains came in or were taken out"):
        VoidRatio().compute(run)


def test_every_measure_has_a_labelled_picture():
    import matplotlib.pyplot as plt

    pressed, points = square_packing(), crowd(24, 32)
    band = moved_run(points, points + slip(points, 60.0, 1))
    measures = [Region(), Stress(), Stress("walls"), VoidRatio(), QuasiStatic(rate=1e-4), Coordination(), ForceDistribution()]
    made = [(measure.compute(pressed), 1) for measure in (*measures, ForceChains())]
    made += [(Strain().compute(squeezed()), 1), (Displacement().compute(band), 1), (StrainField().compute(band), 2)]
    for measure, count in [*made, (BandAngle().compute(band), 1)]:
        figure = measure.plot()
        assert len(figure.axes) == count
        assert figure.axes[0].get_xlabel()
        assert figure.axes[0].get_ylabel()
        _, axes = plt.subplots()
        assert measure.plot(axes) is axes.figure
        plt.close("all")
    assert "a = " in Fabric().compute(pressed).plot().axes[0].get_title()
    with pytest.raises(InputError, match="cannot be shown"):
        StrainField().compute(band).plot(what="speed")
    plt.close("all")
