"""Shared by all tests: nothing is downloaded, nothing is random between runs."""

import os

import pytest
from hypothesis import settings

from clast.backend.cuda import why_not

os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("same every time", derandomize=True)
settings.load_profile("same every time")


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request) -> str:
    """Where a run is done: a test that takes this is one for each device, that on a GPU for `make test-gpu`."""
    if request.param == "cuda" and (reason := why_not()):
        pytest.skip(reason)
    return request.param
