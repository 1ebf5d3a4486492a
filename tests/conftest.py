"""Shared by all tests: nothing is downloaded, nothing is random between runs."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")
