"""Every experiment of the papers, by name. One file is one experiment; a new file is found by itself."""

from importlib import import_module
from pathlib import Path

from clast.errors import InputError
from clast.experiments.experiment import Entry

NO_EXPERIMENTS = ("__init__", "experiment")


def names() -> list[str]:
    """Names of all experiments, without importing them."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in files if path.stem not in NO_EXPERIMENTS)


def find(name: str) -> Entry:
    """The experiment of that name; InputError lists what there is."""
    if name not in names():
        raise InputError(f"there is no experiment '{name}'; there are: {', '.join(names())}")
    experiment: Entry = import_module(f"clast.experiments.{name.replace('-', '_')}").EXPERIMENT
    return experiment
