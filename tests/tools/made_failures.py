"""Tables of biaxial tests that were never run: q rises to a peak and falls, the sample dilates as told."""

import numpy as np

from clast.element_tests.failure import Ending

STRAIN = np.linspace(0.0, 0.06, 601)


def made_up(pressure, ratio, *, at=0.02, overlap=0.1, dilatancy=0.5, ending=Ending.BEYOND, end=0.06, inertial=1e-4):
    """A test at `pressure` whose (σ₁ − σ₃)/2 peaks at `ratio` pressures at the strain `at`, and that ends at `end`."""
    if ending is Ending.NEVER:
        return {"ending": np.array([int(ending)])}
    axial = STRAIN[end + 1e-9 >= STRAIN]
    q = ratio * pressure * (axial / at * np.exp(1.0 - axial / at)) ** 2
    # ε_v = dilatancy × ε_d with (1 − ε_a)(1 − ε_l) = 1 + ε_v
    volumetric = dilatancy * (axial - 1.0 + 1.0 / (1.0 - axial)) / (1.0 - dilatancy / (1.0 - axial))
    return {
        "time": axial / 0.0025, "axial_strain": axial, "volumetric_strain": volumetric,
        "stress_xx": np.full(axial.size, pressure), "stress_yy": pressure + 2.0 * q,
        "inertial_number": np.full(axial.size, inertial), "overlap_share": np.full(axial.size, overlap),
        "energy_error": np.full(axial.size, 1e-5), "step": np.arange(axial.size), "ending": np.full(axial.size, int(ending)),
    }  # fmt: skip
