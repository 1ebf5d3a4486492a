"""Every experiment of the papers, by name. One file is one experiment; a new file is found by itself.

Those of other packages are found by entry points, and one in a file of its own by the path of that file.
"""

from importlib import import_module
from pathlib import Path

from clast.errors import InputError
from clast.experiments.experiment import Entry
from clast.experiments.shared.own_file import from_file, from_package, installed, is_own_file

NO_EXPERIMENTS = ("__init__", "experiment")


def names() -> list[str]:
    """Names of all experiments, without importing them."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in files if path.stem not in NO_EXPERIMENTS)


def find(name: str) -> Entry:
    """The experiment of that name, or in the file NAME.py; InputError lists what there is."""
    if is_own_file(name):
        return from_file(Path(name))
    if name not in names():
        others = installed()
        if name in others:
            return from_package(others[name])
        raise InputError(
            f"there is no experiment '{name}'; there are: {', '.join([*names(), *sorted(others)])}; or give the file of your "
            "own, FILE.py"
        )
    module = f"clast.experiments.{name.replace('-', '_')}"
    experiment: Entry | None = getattr(import_module(module), "EXPERIMENT", None)
    if experiment is None or experiment.name != name:
        found = "there is none" if experiment is None else f"its name is '{experiment.name}'"
        raise InputError(f"{module} must define EXPERIMENT with name='{name}', that of its file; {found}")
    return experiment
