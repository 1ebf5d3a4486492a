"""Measures of a sample in space on made-up runs (model §8): region, stress, strain and voids; what is refused, what is drawn."""

import copy

import matplotlib
import numpy as np
import pytest
from made_runs import square_packing
from made_space_runs import BALL, SIDE, SOFT, add_frame, cubic_packing, drawn_wall, moved_run
from stored_runs import stored_run

import clast
from clast.algebra.quaternions import about, matrix, product
from clast.algebra.tensors import major_axis, principal_values
from clast.errors import InputError
from clast.measures import (
    BandAngle,
    Coordination,
    Displacement,
    Fabric,
    ForceDistribution,
    Loops,
    QuasiStatic,
    Region,
    Strain,
    StrainField,
    Stress,
    VoidRatio,
    Walls,
)
from clast.measures.region import face
from clast.shapes import hull

matplotlib.use("agg")


# --- region, stress, strain, void ratio ------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_region_lies_between_inner_faces(at):
    region = Region(at=at).compute(cubic_packing((4, 2, 3)))
    assert (region.width[0], region.depth[0], region.height[0]) == pytest.approx((4.0, 2.0, 3.0))
    assert region.volume == pytest.approx(24.0)
    assert [region.across(axis)[0] for axis in range(3)] == pytest.approx([6.0, 12.0, 8.0])
    with pytest.raises(InputError, match="has no area"):
        _ = region.area
    with pytest.raises(InputError, match="has no volume"):
        _ = Region().compute(square_packing()).volume
    with pytest.raises(InputError, match="has no depth"):
        _ = Region().compute(square_packing()).depth


def test_a_wall_has_its_face_where_it_stands():
    run = cubic_packing()
    run.scene["body_shape"][1] = 3  # the right wall was put up from a level drawing
    turn = about((0.0, 1.0, 0.0), np.pi / 2.0)
    run.frames[0]["orientations"][1] = product(turn, drawn_wall(2, 0.0).orientation)
    assert Region().compute(run).width == pytest.approx(4.0)
    later = run.frames[0]["orientations"].copy()
    later[1] = product(about((1.0, 2.0, 3.0), 0.1), later[1])
    add_frame(run, run.frames[0]["positions"], orientations=later)
    with pytest.raises(InputError, match=r'wall "right" turns by 0\.1'):
        Region().compute(run)


@pytest.mark.parametrize("frames", [0, 2])
def test_a_wall_stands_as_it_was_drawn(frames, tmp_path):
    """Its own frame is that of its principal axes, however it was drawn; without frames too."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * np.array([1.0, 2.0, 3.0])
    slanted = hull(corners @ matrix(about((1.0, -0.5, 2.0), 0.8)).T, 0.1)
    scene = clast.Scene3D(law=SOFT)
    scene.add_wall(slanted, name="rock")
    run = stored_run(tmp_path / "run", scene, [{}] * frames)
    for axis in range(3):
        drawn = slanted.drawn()[:, axis] - slanted.centre[axis]
        assert face(run, "rock", axis, 1) == pytest.approx(drawn.max() + 0.1)
        assert face(run, "rock", axis, -1) == pytest.approx(drawn.min() - 0.1)


@pytest.mark.parametrize(("source", "at"), [("walls", "samples"), ("contacts", "samples"), ("contacts", "frames")])
def test_stress_of_a_cubic_packing(source, at):
    stress = Stress(source, at=at).compute(cubic_packing(loads=(2.0, 3.0, 5.0)))
    for values, expected in (
        (stress.xx, 2.0), (stress.yy, 3.0), (stress.zz, 5.0), (stress.xy, 0.0), (stress.zx, 0.0), (stress.zy, 0.0),
        (stress.p, 10.0 / 3.0), (stress.q, 3.0), (stress.difference, 3.0), (stress.sigma_1, 5.0), (stress.sigma_2, 3.0),
        (stress.sigma_3, 2.0), (stress.sin_phi, 3.0 / 7.0), (stress.phi_degrees, np.degrees(np.arcsin(3.0 / 7.0))),
        (stress.direction, np.array([[0.0, 0.0, 1.0]] * len(stress.time))),
    ):  # fmt: skip
        assert values == pytest.approx(expected, abs=1e-12)


def test_stress_on_single_walls_and_its_shear():
    run = cubic_packing((4, 2, 3), loads=(2.0, 3.0, 5.0))
    run.series["top.force_x"] += 1.2
    run.series["bottom.force_x"] -= 0.8
    run.series["back.force_z"] += 2.4
    stress = Stress("walls").compute(run)
    assert stress.on_wall["top"][0] == pytest.approx([5.0, 1.2 / 8.0, 0.0])
    assert stress.on_wall["bottom"][0] == pytest.approx([5.0, -0.8 / 8.0, 0.0])
    assert stress.on_wall["back"][0] == pytest.approx([3.0, 0.0, 2.4 / 12.0])
    assert stress.on_wall["left"][0] == pytest.approx([2.0, 0.0, 0.0])
    assert stress.xz == pytest.approx(1.0 / 8.0)
    assert stress.zy == pytest.approx(1.2 / 12.0)
    assert stress.zx == pytest.approx(0.0)
    assert stress.yz == pytest.approx(0.0)


def test_principal_stresses_of_a_turned_tensor():
    run = cubic_packing()
    turn = matrix(about((1.0, -2.0, 0.5), 0.7))
    tensor = turn @ np.diag([7.0, 3.0, 4.0]) @ turn.T
    for a, first in enumerate("xyz"):
        for b, second in enumerate("xyz"):  # what is not symmetric does not count
            run.series[f"virial_{first}{second}"] = np.full(2, 24.0 * (tensor[a, b] + 0.3 * np.sign(b - a)))
    stress = Stress().compute(run)
    assert (stress.sigma_1[0], stress.sigma_2[0], stress.sigma_3[0]) == pytest.approx((7.0, 4.0, 3.0))
    assert stress.direction[0] == pytest.approx(turn[:, 0] * np.sign(turn[:, 0][np.abs(turn[:, 0]).argmax()]))
    assert (stress.yz - stress.zy) == pytest.approx(0.6)


def test_principal_values_of_both_dimensions():
    flat = np.array([[2.0, 0.5], [0.5, 1.0]])
    filled = np.zeros((3, 3))
    filled[:2, :2] = flat
    assert principal_values(filled)[[0, 1]] == pytest.approx(principal_values(flat))
    assert major_axis(filled)[:2] == pytest.approx(major_axis(flat))


def test_walls_on_some_sides_know_part_of_the_stress():
    run = cubic_packing((4, 2, 3), loads=(2.0, 3.0, 5.0))
    run.scene["period"] = np.array([4.0, 2.0, 0.0])
    stress = Stress("walls").compute(run)
    assert stress.zz == pytest.approx(5.0)
    with pytest.raises(InputError, match="some sides tell part of the stress"):
        _ = stress.p
    assert len(stress.plot().axes[0].lines) == 3
    run.scene["period"] = np.array([4.0, 2.0, 3.0])
    with pytest.raises(InputError, match="periodic on all sides"):
        Stress("walls").compute(run)


def squeezed():
    """Walls that move at samples 0, 1, 2: height 3, 2.9, 2.7; width 4, 4.05, 4.3; depth 2, 2, 2.1; the top goes along x and y."""
    run = cubic_packing((4, 2, 3))
    for name, values in run.series.items():
        run.series[name] = np.full(3, values[0])
    run.series["time"] = np.array([0.0, 1.0, 2.0])
    run.series["top.z"] += np.array([0.0, -0.1, -0.3])
    run.series["top.x"] += np.array([0.0, 0.1, 0.2])
    run.series["top.y"] += np.array([0.0, 0.0, -0.6])
    run.series["right.x"] += np.array([0.0, 0.05, 0.3])
    run.series["back.y"] += np.array([0.0, 0.0, 0.1])
    return run


def test_strain_and_its_signs():
    strain = Strain().compute(squeezed())
    x, y, z = np.array([0.0, -0.05 / 4.0, -0.3 / 4.0]), np.array([0.0, 0.0, -0.1 / 2.0]), np.array([0.0, 0.1 / 3.0, 0.1])
    assert strain.along == pytest.approx(np.stack([x, y, z], axis=1))
    assert strain.axial == pytest.approx(z)
    assert strain.lateral == pytest.approx(0.5 * (x + y))
    assert strain.deviatoric == pytest.approx(z - 0.5 * (x + y))
    assert strain.volumetric == pytest.approx((1.0 - x) * (1.0 - y) * (1.0 - z) - 1.0)
    assert strain.shear == pytest.approx(np.array([(0.0, 0.0), (0.1, 0.0), (0.2, -0.6)]) / 3.0)
    assert strain.rate == pytest.approx([0.1 / 3.0, 0.05, 0.2 / 3.0])
    assert Strain("z").compute(squeezed()).axial == pytest.approx(z)
    run = squeezed()
    later = run.frames[0]["positions"] + np.array(
        [(0.2, -0.6, -0.3) if name == "top" else (0.0,) * 3 for name in run.scene["body_name"]]
    )
    add_frame(run, later)
    framed = Strain(at="frames").compute(run)
    assert framed.axial[-1] == pytest.approx(0.1)
    assert framed.shear[-1] == pytest.approx([0.2 / 3.0, -0.2])
    other = Strain("y").compute(squeezed())
    assert other.axial == pytest.approx(y)
    assert other.lateral == pytest.approx(0.5 * (x + z))


def test_void_ratio_of_a_cubic_packing():
    void = VoidRatio().compute(cubic_packing())
    assert void.fraction == pytest.approx(np.pi / 6.0)
    assert void.void_ratio == pytest.approx(6.0 / np.pi - 1.0)
    assert void.grain_volume == pytest.approx(24 * np.pi / 6.0)
    with pytest.raises(InputError, match="read grain_volume"):
        _ = void.grain_area
    with pytest.raises(InputError, match="read grain_area"):
        _ = VoidRatio().compute(square_packing()).grain_volume


def test_inertial_number():
    run = squeezed()
    density, p = 2.0 / BALL.volume, 10.0 / 3.0
    quasi = QuasiStatic(rate=1e-3).compute(cubic_packing())
    assert quasi.inertial == pytest.approx(1e-3 * SIDE * np.sqrt(density / p))
    assert QuasiStatic(rate=1e-5).compute(run).slow
    own = QuasiStatic(axis="x").compute(run)
    stress, rate = Stress().compute(run), Strain("x").compute(run).rate
    assert own.inertial == pytest.approx(np.abs(rate) * SIDE * np.sqrt(density / stress.p))
    assert not own.slow


def test_loops_along_z():
    run, time = cubic_packing((1, 1, 1)), np.linspace(0.0, 2.0, 401)
    swing = 2.0 * np.pi * time
    for name, values in run.series.items():
        run.series[name] = np.full(len(time), values[0])
    run.series["time"] = time
    run.series["top.z"] -= 0.05 * (1.0 - np.cos(swing))
    for name, sign in (("top", 1.0), ("bottom", -1.0)):
        run.series[f"{name}.force_z"] = sign * (5.0 - np.cos(swing + 0.1))
    loops = Loops(1.0).compute(run)
    assert loops.area == pytest.approx(np.pi * 0.05 * np.sin(0.1), rel=1e-3)  # an ellipse: the force is ahead by 0.1
    assert loops.accumulated == pytest.approx(0.0, abs=1e-9)


# --- what is refused, what is drawn ----------------------------------------------------------------------------------


def without(run, name):
    """A copy of a run without a series or a part of the scene."""
    run = copy.deepcopy(run)
    run.series.pop(name, None)
    run.scene.pop(name, None)
    return run


@pytest.mark.parametrize(
    ("measure", "run", "words"),
    [
        (StrainField(), cubic_packing(), "StrainField is for runs in the plane and this one is in space"),
        (BandAngle(), cubic_packing(), "BandAngle is for runs in the plane and this one is in space"),
        (Region(Walls(back="rear")), cubic_packing(), 'one wall named "rear" and has 0; its walls: back, bottom, front, left'),
        (Region(Walls(front="back", back="front")), cubic_packing(), 'along y: is "back" the one at the smaller y?'),
        (Stress(), without(cubic_packing(), "virial_zy"), 'no series "virial_zy"'),
        (VoidRatio(), without(cubic_packing(), "body_volume"), 'does not tell the "body_volume"'),
        (Strain("z"), square_packing(), 'Strain: axis = "z", but the run is in the plane'),
        (QuasiStatic(axis="z"), square_packing(), 'axis = "z", but the run is in the plane'),
        (Loops(1.0, axis="z"), square_packing(), 'Loops: axis = "z", but the run is in the plane'),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(measure, run, words):
    with pytest.raises(InputError) as refused:
        measure.compute(run)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("make", [lambda: Strain("w"), lambda: QuasiStatic(axis="up"), lambda: Loops(1.0, axis="xy")])
def test_an_axis_there_is_not(make):
    with pytest.raises(InputError, match='must be "x", "y", in space "z"'):
        make()


@pytest.mark.parametrize("name", ["zz", "xz", "yz", "zx", "zy", "sigma_2"])
def test_stress_in_the_plane_has_no_z(name):
    with pytest.raises(InputError, match="in the plane"):
        getattr(Stress().compute(square_packing()), name)


def test_a_measure_goes_from_space_to_the_plane():
    """Nothing of the run before stays."""
    for measure, name in ((Region(), "area"), (Stress(), "q"), (VoidRatio(), "grain_area"), (Fabric(), "direction")):
        again, fresh = measure.compute(cubic_packing()).compute(square_packing()), type(measure)().compute(square_packing())
        assert np.array_equal(getattr(again, name), getattr(fresh, name))


def test_every_measure_has_a_labelled_picture():
    import matplotlib.pyplot as plt

    pressed, places = cubic_packing(), np.random.default_rng(1).uniform(0.0, 3.0, (9, 3))
    measures = [Region(), Stress(), Stress("walls"), VoidRatio(), QuasiStatic(rate=1e-4), Coordination(), ForceDistribution()]
    made = [measure.compute(pressed) for measure in (*measures, Fabric(), Fabric(weight="force"))]
    for measure in (*made, Strain().compute(squeezed()), Displacement().compute(moved_run(places, 1.1 * places))):
        figure = measure.plot()
        assert figure.axes[0].get_xlabel()
        assert figure.axes[0].get_ylabel()
        _, axes = plt.subplots()
        assert measure.plot(axes) is axes.figure
        plt.close("all")
    assert "area" in made[1].plot().axes[0].get_ylabel()
    plt.close("all")
