"""A renamed function goes on working for one version."""

import pytest

from clast.experiments.shared import running


def test_conduct_is_run_experiment():
    with pytest.warns(DeprecationWarning, match="run_experiment"):
        assert running.conduct is running.run_experiment
    with pytest.raises(AttributeError, match="no attribute 'condukt'"):
        running.condukt  # noqa: B018
