"""Strain fields and shear bands of made-up motions: patch test, rotations, images, and a band where there is one (model §8)."""

import numpy as np
import pytest
from made_runs import WALLS, crowd, moved_run, slip

from clast.measures import BandAngle, Displacement, StrainField


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_patch_test(far):
    gradient = np.array([[1.03, 0.11], [-0.04, 0.92]])
    points = crowd() + far
    later = points + (points - far) @ (gradient - np.eye(2)).T
    field = StrainField().compute(moved_run(points, later, walls=WALLS))
    stretches = np.linalg.svd(gradient, compute_uv=False)
    exact = 1e-12 if far == 0.0 else 1e-11  # places 1e3 from the origin have three digits less
    assert np.abs(field.gradient - gradient).max() < exact
    assert np.abs(field.volumetric - (np.linalg.det(gradient) - 1.0)).max() < exact
    assert np.abs(field.deviatoric - (stretches[0] - stretches[1])).max() < exact


@pytest.mark.parametrize("turn", [1e-3, 0.8, 3.0])
def test_rotation_is_no_strain(turn):
    points = crowd()
    c, s = np.cos(turn), np.sin(turn)
    field = StrainField().compute(moved_run(points, points @ np.array([[c, s], [-s, c]])))
    assert np.abs(field.volumetric).max() < 1e-12
    assert np.abs(field.deviatoric).max() < 1e-12
    assert field.rotation == pytest.approx(turn)


def test_triangles_cover_the_sample_and_slivers_are_left_out():
    points = crowd()
    points[:12, 1] = 1e-4 * np.sin(np.arange(12))  # a bottom row that is nearly straight
    field = StrainField().compute(moved_run(points, points + 0.1))
    corners = field.points[field.triangles]
    longest = np.hypot(*(np.roll(corners, -1, axis=1) - corners).reshape(-1, 2).T).max()
    assert longest < 4.0
    assert field.areas.sum() == pytest.approx(11.0 * 15.5, rel=0.05)


def test_grains_that_went_round_a_periodic_box_are_neighbours_still():
    period = np.array([12.0, 16.0])
    inside = crowd() % period
    rounds = np.random.default_rng(3).integers(-3, 4, inside.shape) * period
    shear = np.array([[1.0, 0.05], [0.0, 1.0]])
    run = moved_run(inside + rounds, inside @ shear.T + rounds, period=tuple(period))
    moved = Displacement().compute(run)
    assert moved.positions == pytest.approx(inside)
    assert moved.vectors == pytest.approx(inside @ (shear - np.eye(2)).T, abs=1e-9)
    assert np.abs(StrainField().compute(run).gradient - shear).max() < 1e-9
    # a cell that shrinks takes the images along
    factors = np.array([0.95, 1.05])
    run.frames.pop()
    run.add_frame((inside + rounds) * factors, period=period * factors)
    assert np.abs(StrainField().compute(run).gradient - np.diag(factors)).max() < 1e-9


@pytest.mark.parametrize("rising", [1, -1])
@pytest.mark.parametrize("degrees", [40.0, 52.0, 60.0, 68.0, 75.0])
def test_a_made_up_band_is_found(degrees, rising):
    points = crowd(24, 32, seed=int(degrees))
    noise = 0.03 * np.random.default_rng(1).normal(size=points.shape)
    later = points + slip(points, degrees, rising, off=(1.3, -0.7)) + noise
    band = BandAngle().compute(moved_run(points, later))
    assert band.found
    assert band.rising == rising
    assert band.degrees == pytest.approx(degrees, abs=1.0)
    assert band.angle == pytest.approx(np.radians(band.degrees))
    assert band.contrast > 4.0


@pytest.mark.parametrize("seed", range(3))
def test_no_band_where_there_is_none(seed):
    points, rng = crowd(24, 32, seed=seed), np.random.default_rng(seed)
    uniform = points * np.array([1.05, 0.9])
    rattlers = (rng.random(len(points)) < 0.05)[:, None] * rng.normal(size=points.shape)
    for later in (uniform, uniform + 0.1 * rng.normal(size=points.shape), uniform + rattlers):
        band = BandAngle().compute(moved_run(points, later))
        assert not band.found
        assert np.isnan(band.degrees)
        assert band.contrast < 1.5


def test_a_level_band_is_none_of_these():
    points = crowd(24, 32)
    assert not BandAngle().compute(moved_run(points, points + slip(points, 0.0, 1))).found
