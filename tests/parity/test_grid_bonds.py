"""Bonds on a grid are those of threads: in numba's simulator of a GPU, and, where there is one, on it."""

import grid_bonds
import pytest
from test_grid import in_simulator

from clast.backend.cuda import why_not


def test_simulated_grid_breaks_the_bonds_that_threads_break():
    found = in_simulator("grid_bonds.py", "60")
    assert 0 < found["broken"] < found["bonds"]
    assert max(found["apart"].values()) < 1e-13
    assert max(found["pieces"].values()) == 0.0


@pytest.mark.gpu
@pytest.mark.skipif(bool(why_not()), reason="there is no GPU")
def test_gpu_breaks_the_bonds_that_threads_break():
    found = grid_bonds.trial(600)
    assert 0 < found["broken"] < found["bonds"]
    assert found["apart"]["steps"] == 0.0
    assert max(found["apart"].values()) < 1e-9
    assert max(found["pieces"].values()) == 0.0
