"""brazilian, with a small disc; the closed form; a crack by hand."""

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.errors import InputError
from clast.experiments.brazilian import Brazilian, closed_form, disc, plate_over, strip
from clast.measures.breakage import crack_among

SMALL = {"diameter": 12.0, "samples": 2, "speed": 5e-4}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return conduct_without_pictures("brazilian", SMALL, tmp_path_factory.mktemp("brazilian") / "run").run


def test_a_strip_is_as_strong_as_its_glue_and_a_disc_cracks_along_its_loaded_diameter(run):
    found = {each["name"]: each for each in run.result["quantities"]}
    assert found["crack from the loaded diameter / D"]["measured"] < 0.1
    assert 0.7 < found["strength of the disc, 2P/πD / that of the strip"]["measured"] < 1.4  # twelve grains across
    assert found["σ across in the middle / closed form"]["measured"] == pytest.approx(1.0, abs=0.1)
    assert found["energy error"]["agrees"]
    for seed in (1, 2):
        pulled = run.tables[f"strip, seed {seed}"]
        assert pulled["load"].max() / 6.0 == pytest.approx(10.0, rel=0.1)
        assert pulled["broken"][-1] > 0 and run.tables[f"disc, seed {seed}"]["broken"][-1] > 5


def test_a_strip_is_strained_as_an_even_sheet(run):
    """Stress over strain is the stiffness of the glue: before anything breaks, over the whole strip."""
    pulled = run.tables["strip, seed 1"]
    early = (pulled["broken"] == 0) & (pulled["load"] > 0.6 * pulled["load"].max())
    strain = 2.0 * SMALL["speed"] * 100.0 * pulled["time"][early] / 12.0
    assert pulled["load"][early] / 6.0 / strain == pytest.approx(1e4, rel=0.03)
    assert pulled["stress_xx"][early] / strain == pytest.approx(1e4, rel=0.03)


def test_the_closed_form_in_the_middle_and_its_equilibrium():
    assert closed_form(np.zeros((1, 2)), 7.0) == pytest.approx((1.0, -3.0))
    y = np.linspace(-0.499, 0.499, 5)
    for height in y:  # what crosses the upright diameter is all pulled alike; what crosses a level line carries the load
        assert closed_form(np.array([(0.0, height)]), 1.0)[0] == pytest.approx(1.0)
        x = np.linspace(-1.0, 1.0, 20001)[1:-1] * np.sqrt(0.25 - height**2)
        carried = (
            np.mean([closed_form(np.array([(each, height)]), 1.0)[1] for each in x[::200]]) * 2.0 * np.sqrt(0.25 - height**2)
        )
        if abs(height) < 0.3:
            assert carried * 2.0 / np.pi == pytest.approx(-1.0, rel=0.02)


def test_curved_plates_touch_and_do_not_overlap():
    p = Brazilian(**SMALL, jaws=1.5)
    scene = disc(p, 1)
    grains = [body for body in scene.bodies if not body.big]
    outline = np.concatenate([body.turned_vertices() + np.array(body.position) for body in grains])
    corners = plate_over(p, outline, grains[0].shape.radius)
    centre = corners.mean(axis=0)[1] - corners[:, 1].mean() + corners[len(corners) // 2, 1] - 1.5 * 6.0 - 0.5
    near = np.abs(outline[:, 0]) < 3.0
    distance = np.hypot(outline[near & (outline[:, 1] > 0.0), 0], outline[near & (outline[:, 1] > 0.0), 1] - centre)
    assert distance.max() + grains[0].shape.radius == pytest.approx(9.0, abs=1e-6)
    with pytest.raises(InputError, match=r"jaws 0\.5: curved"):
        disc(Brazilian(**SMALL, jaws=0.5), 1)


def test_samples_are_whole_and_of_the_right_size():
    p = Brazilian(**SMALL)
    for scene, area in ((disc(p, 3), np.pi * 36.0), (strip(p, 3), 72.0)):
        grains = [body for body in scene.bodies if not body.big]
        assert len(grains) == round(area)
        assert sum(body.shape.area for body in grains) == pytest.approx(area, rel=0.02)
        assert scene.bonds.size > 2.0 * len(grains)


def test_a_crack_is_of_bonds_that_have_grains_in_common():
    bodies = np.array([(0, 1), (8, 9), (1, 2), (2, 3), (9, 10)])
    points = np.array([(0.0, 0.0), (5.0, 5.0), (0.0, 1.0), (0.2, 2.0), (5.0, 4.0)])
    found = crack_among(np.arange(5) + 10, np.array([3, 4, 4, 6, 9]), bodies, points, 1.5)
    assert found.step == 6 and found.bonds.tolist() == [10, 12, 13]
    assert found.middle == pytest.approx((0.2 / 3.0, 1.0))
    assert crack_among(np.arange(5), np.arange(5), bodies, points, 3.0) is None
