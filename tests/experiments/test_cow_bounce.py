"""cow-bounce, shortened to its first bounce."""

import pytest

from clast.experiments import find
from clast.experiments.shared.running import run_experiment

UNTIL = 2.2  # s: the first contact comes at 1.82 s


@pytest.fixture(scope="module")
def bounced(tmp_path_factory):
    return run_experiment(find("cow-bounce"), given={"until": UNTIL}, out=tmp_path_factory.mktemp("bounce") / "run")


def test_the_first_contact_comes_when_the_paper_says(bounced):
    first = bounced.quantities[0]
    assert first.name == "first contact"
    assert first.measured == pytest.approx(1.82, abs=2.0 * UNTIL / 2000)
    assert first.agrees is True


def test_the_cow_rotates_without_friction(bounced):
    time, rotational = bounced.run.series["time"], bounced.run.series["rotational"]
    assert abs(rotational[time < 1.81]).max() == 0.0
    assert rotational[-1] > 0.0


def test_energy_is_conserved_thanks_to_the_weighted_onset(bounced, tmp_path):
    assert bounced.run.result["energy_error"] < 1e-6
    plain = run_experiment(find("cow-bounce"), given={"until": UNTIL, "onset": False}, out=tmp_path / "run")
    assert plain.run.result["energy_error"] > 10.0 * bounced.run.result["energy_error"]


def test_figures_and_result_are_there(bounced):
    assert [path.name for path in bounced.figures] == ["cow-bounce.png", "energy.png"]
    for path in bounced.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000
    assert (bounced.run.folder / "result.json").exists()
    assert bounced.run.result["paper"] == "EPL08 fig 2-3"
