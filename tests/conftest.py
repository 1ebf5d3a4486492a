"""Shared by all tests: nothing is downloaded, nothing is random between runs."""

import os

import pytest
from hypothesis import settings

from clast.backend.cuda import why_not

os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("same every time", derandomize=True)
settings.load_profile("same every time")


def pytest_configure(config: pytest.Config) -> None:
    """Who asks for the tests of a GPU alone is told where there is none: skipping them all would look like passing."""
    if config.option.markexpr == "gpu" and (reason := why_not()):
        raise pytest.UsageError(f"no test of a GPU was run: {reason}")


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request) -> str:
    """Where a run is done: a test that takes this is one for each device, that on a GPU for `make test-gpu`."""
    if request.param == "cuda" and (reason := why_not()):
        pytest.skip(reason)
    return request.param
