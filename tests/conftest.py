"""Shared by all tests: nothing is downloaded, nothing is random between runs."""

import os

from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("same every time", derandomize=True)
settings.load_profile("same every time")
