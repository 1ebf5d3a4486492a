"""Experiments at the papers' size, for tests of their bars."""

from pathlib import Path
from typing import Any

from clast.experiments import find
from clast.experiments.experiment import Quantity
from clast.experiments.shared.running import run_experiment


def measured(name: str, folder: Path, **given: Any) -> dict[str, Quantity]:
    """The quantities of a full run by name; they are printed too."""
    outcome = run_experiment(find(name), size="full", given=given, out=folder)
    for quantity in outcome.quantities:
        print(f"\n{name} {given}: {quantity.name} = {quantity.measured:.4g} ({quantity.note})", end="")
    return {quantity.name: quantity for quantity in outcome.quantities}
