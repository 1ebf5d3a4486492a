"""A sweep for the viewer: its table, and the runs of its rows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from clast.errors import InputError
from clast.output.viewer.page import as_json
from clast.output.viewer.served import ServedRun
from clast.sweeps.table import open_sweep


class ServedSweep:
    """Answers for the folder of a sweep: `facts`, its table as it is now. `row` has the run of a row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[int, ServedRun] = {}
        open_sweep(folder)  # what cannot be read is refused before an address is shown

    def answer(self, name: str, query: dict[str, str]) -> tuple[str, bytes]:
        """The table; there is nothing else."""
        if name != "facts":
            raise InputError(f"there is no {name!r} of a sweep")
        table = open_sweep(self.folder)
        rows = [{key: plain(value) for key, value in row.items()} for row in table.rows]
        facts = {
            "title": self.folder.name, "columns": list(table.columns), "units": table.units, "parameters": table.parameters,
            "varied": table.varied, "results": table.results, "rows": rows,
            "shown": [row["row"] for row in table.rows if (self.folder / str(row["name"]) / "run.h5").exists()],
        }  # fmt: skip
        return "application/json", as_json({"sweep": facts}).encode()

    def row(self, number: int) -> ServedRun:
        """The run of a row; InputError if there is none."""
        if number not in self._rows:
            table = open_sweep(self.folder)
            table.run(number).close()
            name = next(str(row["name"]) for row in table.rows if row["row"] == number)
            self._rows[number] = ServedRun(self.folder / name)
        return self._rows[number]

    def keep(self) -> None:
        """Nothing is held: a sweep's runs are only looked at."""

    def wish(self, what: str) -> None:
        """Refused: there is no run here."""
        raise InputError("open a row to ask something of its run")


def plain(value: Any) -> Any:
    """A cell as JSON has it: no number is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
