"""What every measure says about itself, the call that made it and that it was not computed yet; and what it finds in a run."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import clast
from clast.errors import InputError
from clast.measures import Stress, VoidRatio, Walls
from clast.measures.measure import Measure
from clast.output.store.reader import Run
from clast.shapes import disk, plate, segment, sphere

MEASURES = list(clast.measures.by_name().values())


@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.__name__)
def test_a_measure_says_that_it_was_not_computed(kind: type) -> None:
    assert kind.__doc__, f"{kind.__name__} has no docstring: results after compute(run), their shapes and units"
    measure = kind(**kind.example)
    assert isinstance(measure, Measure), f"{kind.__name__} does not subclass Measure"
    given = ", ".join(f"{name}={value!r}" for name, value in kind.example.items())
    assert repr(measure) == f"{kind.__name__}({given}), not computed yet", "settings have defaults, or stand in `example`"
    with pytest.raises(InputError, match=rf"{kind.__name__} has nothing to show yet: call compute\(run\) first"):
        _ = measure.found
    assert not hasattr(measure, "found"), f"{kind.__name__} has a result before compute(run)"


# --- computed --------------------------------------------------------------------------------------------------------

APART, HIGH = 0.98, 8  # between grains of diameter 1; rows of them
PRESSED = clast.Velocity(y=clast.Harmonic(-0.05, period=1.0, phase=-0.5 * np.pi))  # down, then up again
PRESSED_3D = clast.Velocity(z=clast.Harmonic(-0.05, period=1.0, phase=-0.5 * np.pi))
LAW = clast.Linear(1000.0, 500.0, 0.3, normal_damping=10.0, tangential_damping=5.0)


def sheared(height: np.ndarray | float) -> np.ndarray | float:
    """Speed along x: the upper half slides over the lower."""
    return 0.2 * np.tanh(height - 0.5 * (HIGH - 1) * APART)


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A lattice of disks between two plates in one cycle of load, from t = 0 to 1."""
    scene = clast.Scene(law=LAW, box=clast.Box(period_x=6 * APART))
    places = np.array([(c, r) for r in range(HIGH) for c in range(6)]) * APART
    scene.add_many(disk(radius=0.5), places, velocities=np.stack([sheared(places[:, 1]), 0.0 * places[:, 1]], axis=1))
    for name, y, tag in (("bottom", -0.59, clast.Fixed()), ("top", (HIGH - 1) * APART + 0.59, PRESSED)):
        scene.add_wall(segment((0.0, y), (6 * APART, y), radius=0.1), name=name, tags=(tag, clast.Velocity(x=0.0, spin=0.0)))
    return stored(scene, tmp_path_factory.mktemp("flat"))


@pytest.fixture(scope="module")
def solid(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same of spheres, two rows deep."""
    scene = clast.Scene3D(law=LAW, box=clast.Box3D(period_x=4 * APART, period_y=3 * APART))
    places = np.array([(c, d, r) for r in range(HIGH) for d in range(3) for c in range(4)]) * APART
    scene.add_many(sphere(0.5), places, velocities=np.stack([sheared(places[:, 2]), *2 * [0.0 * places[:, 2]]], axis=1))
    for name, z, tag in (("bottom", -0.59, clast.Fixed()), ("top", (HIGH - 1) * APART + 0.59, PRESSED_3D)):
        corners = [(4 * APART * x, 3 * APART * y, z) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        held = clast.Velocity(x=0.0, y=0.0, spin=0.0, spin_x=0.0, spin_y=0.0)
        scene.add_wall(plate(corners, radius=0.1), name=name, tags=(tag, held))
    return stored(scene, tmp_path_factory.mktemp("solid"))


def stored(scene: clast.Scene | clast.Scene3D, folder: Path) -> Run:
    """The run of a scene from t = 0 to 1."""
    return clast.run(scene, until=1.0, dt=2e-3, out=folder / "run", samples=50, frames=4, progress=clast.quiet())


@pytest.mark.parametrize("where", ["flat", "solid"])
@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.__name__)
def test_a_measure_is_computed_of_a_stored_run(kind: type, where: str, request: pytest.FixtureRequest) -> None:
    """Every result that it has then is there, and at least one is a number; of the plane alone, it says so."""
    measure, run = kind(**kind.example), request.getfixturevalue(where)
    if where == "solid" and not kind.reads_space:
        with pytest.raises(InputError, match=f"{kind.__name__} is for runs in the plane and this one is in space"):
            measure.compute(run)
        return
    computed = measure.compute(run)
    assert computed is measure, f"compute(run) of {kind.__name__} does not end with: return self"
    shown = repr(measure)
    assert shown.startswith(f"{kind.__name__}(") and not shown.endswith("not computed yet"), f"no result is shown: {shown}"
    results = {name: value for name, value in vars(measure).items() if name not in kind.example}
    numbers = [value for value in results.values() if isinstance(value, float | int | np.ndarray)]
    assert any(np.isfinite(value).all() for value in numbers), f"no result of {kind.__name__} is a finite number: {results}"
    for name in [name for name in dir(kind) if isinstance(getattr(kind, name), property)]:
        with suppress(InputError):  # a result that such a run does not have
            getattr(measure, name)


def test_measures_are_found_and_nothing_else() -> None:
    assert len(MEASURES) >= 13, f"only {len(MEASURES)} measures are found"
    for kind in MEASURES:
        assert kind.__name__ in clast.measures.__all__, f"clast.measures does not export {kind.__name__}"
        assert callable(getattr(kind, "compute", None)), f"{kind.__name__} has no compute(run)"
        assert kind.__doc__, f"{kind.__name__} has no docstring"
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
