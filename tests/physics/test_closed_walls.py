"""Bodies inside a closed wall: a corner that comes near two of its edges at once is counted as it is outside."""

import numpy as np
import pytest
from books import booked

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import Shape, disk, regular


def in_a_drum(sides: int, shape: Shape) -> Scene:
    """Six bodies that fall in a drum, and meet its sides at slopes of every kind; smooth and elastic."""
    scene = Scene(law=Linear(1e5), gravity=(0.0, -10.0))
    scene.add_wall(regular(sides, 0.05, circumradius=2.0), name="drum")
    for k in range(6):
        scene.add(shape, (0.7 * (k % 4) - 1.05, 0.7 * (k // 4) - 0.7), angle=0.3 * k)
    return scene


@pytest.mark.parametrize("sides", [5, 12, 48])
@pytest.mark.parametrize("shape", [regular(4, 0.05, circumradius=0.3), disk(0.25)], ids=["squares", "disks"])
def test_energy_is_kept_inside(sides, shape):
    engine = Engine(in_a_drum(sides, shape))
    book = booked(engine, round(2.0 / engine.dt), 400)
    assert book.energy_error < 1e-4 and book["normal_elastic"].max() > 0.1


def largest_step(side: float, looks: int) -> float:
    """Of the energy of a triangle that is led round a wall of twelve sides at this distance from its middle, in so many looks."""
    scene = Scene(law=Linear(1.0))
    scene.add_wall(regular(12, 0.1, circumradius=2.0))
    scene.add(regular(3, 0.1, side=0.3), (0.0, 0.0))
    engine, energies = Engine(scene), []
    for turn in np.linspace(0.0, np.pi / 6.0, looks):
        place = [[side * np.cos(turn), side * np.sin(turn)]]
        engine.place(np.array([1]), np.array(place), np.array([turn if side < 2.0 else turn + np.pi]))
        contacts = engine.snapshot().contacts
        energies.append(0.5 * float((contacts.counts * contacts.depths**2).sum()))
    assert max(energies) > 1e-4
    return float(np.abs(np.diff(energies)).max())


@pytest.mark.parametrize("side", [1.65, 2.35], ids=["inside", "outside"])
def test_the_energy_of_a_body_led_past_corners_has_no_jumps(side):
    assert largest_step(side, 4001) < 0.3 * largest_step(side, 1001)
