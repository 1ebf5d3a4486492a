"""Whatever an experiment judges in these tests must be a claim of the five papers, or marked as something else."""

import pytest

from clast.experiments import names
from clast.output.store.writer import RunWriter
from clast.report.claims.reading import unaccounted


@pytest.fixture(autouse=True, scope="session")
def _judged_rows_are_accounted_for():
    finish = RunWriter.finish

    def checked(writer, result):
        if result.get("experiment") in names():
            judged = [each["name"] for each in result["quantities"] if each["agrees"] is not None]
            stray = unaccounted(result["experiment"], judged)
            assert not stray, (
                f"{result['experiment']} judges {stray}: add these rows to a claim, or to others.toml, in src/clast/report/claims"
            )
        finish(writer, result)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunWriter, "finish", checked)
        yield
