"""A renamed function or class goes on working for one version."""

import pytest

from clast.experiments.shared import running
from clast.sweeps import plan


def test_conduct_is_run_experiment():
    with pytest.warns(DeprecationWarning, match="run_experiment"):
        assert running.conduct is running.run_experiment
    with pytest.raises(AttributeError, match="no attribute 'condukt'"):
        running.condukt  # noqa: B018


def test_plan_of_a_sweep_is_sweep_plan():
    with pytest.warns(FutureWarning, match="is now `SweepPlan`"):
        assert plan.Plan is plan.SweepPlan
    with pytest.raises(AttributeError, match="no attribute 'Plam'"):
        plan.Plam  # noqa: B018
