"""What every measure says about itself: the call that made it, and that it was not computed yet."""

import pytest

import clast.measures
from clast.errors import InputError
from clast.measures import Loops, Stress, VoidRatio, Walls
from clast.measures.measure import Measure

MEASURES = list(clast.measures.by_name().values())


@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.__name__)
def test_a_measure_says_that_it_was_not_computed(kind: type) -> None:
    asked = {"period": 10.0} if kind is Loops else {}
    measure = kind(**asked)
    assert isinstance(measure, Measure)
    assert repr(measure) == f"{kind.__name__}({'period=10.0' if asked else ''}), not computed yet"
    with pytest.raises(InputError, match=rf"{kind.__name__} has nothing to show yet: call compute\(run\) first"):
        _ = measure.found
    assert not hasattr(measure, "found")


def test_measures_are_found_and_nothing_else() -> None:
    assert len(MEASURES) >= 13 and all(kind.__name__ in clast.measures.__all__ for kind in MEASURES)
    assert all(callable(getattr(kind, "compute", None)) and kind.__doc__ for kind in MEASURES)
    with pytest.raises(AttributeError, match="has no attribute 'Flank'"):  # a class of a module there, and no measure
        _ = clast.measures.Flank


def test_settings_other_than_the_defaults_are_shown() -> None:
    assert repr(Stress(at="frames")) == "Stress(at='frames'), not computed yet"
    assert "floor" in repr(VoidRatio(Walls(bottom="floor")))


def test_a_misspelt_result_names_what_there_is() -> None:
    measure = VoidRatio()
    measure.time, measure.void_ratio = [0.0], [0.2]
    assert repr(measure) == "VoidRatio(): time, void_ratio"
    with pytest.raises(AttributeError, match=r"VoidRatio has no viod_ratio; it has at, time, void_ratio, walls"):
        _ = measure.viod_ratio


def test_a_property_of_results_asks_for_compute_too() -> None:
    with pytest.raises(InputError, match=r"call compute\(run\) first, then read sin_phi"):
        _ = Stress().sin_phi
