"""gallery: the skeletons are kept and the pictures drawn."""

import numpy as np

from clast.experiments import find
from clast.experiments.shared.running import run_experiment
from clast.shapes import cow, library_shapes


def test_skeletons_and_pictures(tmp_path):
    outcome = run_experiment(find("gallery"), out=tmp_path / "run")
    assert list(outcome.run.tables) == list(library_shapes())
    table = outcome.run.tables["cow"]
    assert np.array_equal(np.stack([table["x"], table["y"]], axis=1), cow().vertices)
    assert len(outcome.figures) >= 5
    for path in outcome.figures:
        assert path.parent == tmp_path / "run" and path.read_bytes().startswith(b"\x89PNG")
    agrees = {quantity.name: quantity.agrees for quantity in outcome.quantities}
    assert agrees == {
        "cow: vertices": True, "cow: area": True, "cow: length of the skeleton": False, "clumpy cow: disks": True,
        "clumpy cow: disks of its rim": True,
    }  # fmt: skip
