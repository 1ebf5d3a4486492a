"""Experiments in space whose pictures are not wanted, as where pyvista is not installed."""

from pathlib import Path
from typing import Any

import pytest

from clast.experiments import find
from clast.experiments.shared.running import Outcome, run_experiment


def conduct_without_pictures(name: str, given: dict[str, Any], out: Path) -> Outcome:
    """An experiment in space run without drawing anything in three dimensions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clast.experiments.shared.space.find_spec", lambda name: None)
        return run_experiment(find(name), given=given, out=out)
