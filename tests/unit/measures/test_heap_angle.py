"""The angle of repose, on made-up cones."""

import math

import numpy as np
import pytest

from clast.measures.snapshots.repose import SECTORS, base_radius, cone_angle, flank_of, repose, repose_projected

BIN = 0.013


def cone(angle: float, radius: float, count: int = 20_000) -> np.ndarray:
    """Places (count, 3) spread evenly in a cone about the z axis."""
    rng = np.random.default_rng(1)
    places = rng.uniform(-1.0, 1.0, (6 * count, 3)) * (radius, radius, radius)
    high = (radius - np.hypot(places[:, 0], places[:, 1])) * math.tan(math.radians(angle))
    return places[(places[:, 2] >= 0.0) & (places[:, 2] <= high)][:count]


@pytest.mark.parametrize("angle", [12.0, 30.0, 45.0])
def test_a_cone_has_its_angle_in_every_sector_and_projection(angle):
    places = cone(angle, 0.12)
    found, seen = repose(places, BIN), repose_projected(places, BIN)
    assert found.angles.size == SECTORS and seen.angles.size == 6
    assert found.mean == pytest.approx(angle, abs=1.5) and seen.mean == pytest.approx(angle, abs=1.5)
    assert np.abs(found.angles - angle).max() < 4.0 and 0.0 < found.error < 1.0
    assert found.base == pytest.approx(0.12, rel=0.02)
    assert cone_angle(places) == pytest.approx(angle, abs=0.5)


def test_grains_that_rolled_away_change_little():
    places = cone(30.0, 0.12, 2000)
    strays = np.random.default_rng(2).uniform(-1.0, 1.0, (60, 3)) * (1.0, 1.0, 0.0)
    with_strays = np.concatenate([places, strays])
    assert base_radius(with_strays) == pytest.approx(base_radius(places), rel=0.05)
    assert repose(with_strays, BIN).mean == pytest.approx(repose(places, BIN).mean, abs=1.0)


def test_sectors_are_told_apart():
    places = cone(30.0, 0.12)
    steep = places.copy()
    steep[(steep[:, 0] > 0.0) & (steep[:, 1] > 0.0), 2] *= 2.0  # two of the eight
    angles = repose(steep, BIN).angles
    assert (np.sort(angles)[:-2] < 35.0).all() and angles[0] > 45.0 and angles[1] > 45.0


def test_the_highest_grain_of_a_bin_counts_and_the_line_goes_through_them():
    distance = np.array([0.01, 0.011, 0.03, 0.035, 0.05, 0.07])
    height = np.array([0.05, 0.01, 0.04, 0.02, 0.03, 0.001])
    flank = flank_of("one", distance, height, 0.0625, 0.02)
    assert flank.distance.tolist() == [0.01, 0.03, 0.05, 0.07] and flank.height.tolist() == [0.05, 0.04, 0.03, 0.001]
    assert flank.slope == pytest.approx(0.5) and flank.top == pytest.approx(0.055)  # between 0.2 and 0.8 of the base: two points
    assert flank.angle == pytest.approx(math.degrees(math.atan(0.5)))


def test_a_few_grains_have_no_angle():
    few = repose(np.array([[0.0, 0.0, 0.01], [0.01, 0.0, 0.0]]), BIN)
    assert math.isnan(few.mean) and math.isnan(few.error)
    assert math.isnan(repose(np.zeros((0, 3)), BIN).mean) and math.isnan(cone_angle(np.zeros((0, 3))))
