"""A sweep for reading: parameters and results as columns, chosen rows, means over seeds, plots with error bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.errors import InputError
from clast.output.figures.plane import plain_figure
from clast.output.store.reader import NamedColumns, Run, open_run
from clast.sweeps.index import SweepColumns, collect, write_csv
from clast.sweeps.plan import read_plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

CLOSE = 1e-9  # relative: a value that was computed may be selected as it is written
FEW_GROUPS = 10  # colours of a plot
FRAMES = ("pandas", "polars")


class SweepTable(NamedColumns):
    """A sweep as it is on disk: `table["seed"]` is a column. Made by `open_sweep`.

    columns      all columns by name, as a data frame with `frame()`: row, name, state, message, parameters, results
    units        of those that have one
    parameters   names of the parameters, `varied` of those that differ from row to row, `results` of what was measured
    """

    def __init__(self, folder: Path, content: SweepColumns) -> None:
        super().__init__(f"the sweep {folder}", content.columns)
        self.folder, self._content = folder, content
        self.columns, self.units = content.columns, content.units
        self.parameters, self.varied, self.results = content.parameters, content.varied, content.results

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Row by row: values by the names of the columns."""
        cells = zip(*(values.tolist() for values in self.columns.values()), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in cells]

    def run(self, row: int) -> Run:
        """The run of a row, by its number from 1; StoreError if there is none yet."""
        for number, name in zip(self["row"], self["name"], strict=True):
            if number == row:
                return open_run(self.folder / str(name))
        raise InputError(f"there is no row {row} here; there are: {', '.join(map(str, self['row']))}")

    def select(self, **wanted: Any) -> SweepTable:
        """The rows where columns have these values, `select(pressure=30, state="finished")`; a list means any of them."""
        keep = np.ones(len(self["row"]), bool)
        for name, value in wanted.items():
            values = value if isinstance(value, list | tuple | range | np.ndarray) else [value]
            keep &= np.any([same(self[name], each) for each in values], axis=0)
        return self._of(keep)

    def _of(self, keep: np.ndarray) -> SweepTable:
        columns = {name: values[keep] for name, values in self.columns.items()}
        varied = [name for name in self.parameters if len(np.unique(columns[name])) > 1]
        return SweepTable(self.folder, replace(self._content, columns=columns, varied=varied))

    def measure(self, name: str, function: Callable[[Run], float], unit: str = "") -> SweepTable:
        """With one more column: a number made from the run of every finished row, NaN for the others."""
        if name in self.columns:
            raise InputError(f"there is a column {name!r} already: choose another name")
        values = []
        for row, state in zip(self["row"].tolist(), self["state"], strict=True):
            if state != "finished":
                values.append(math.nan)
                continue
            run = self.run(row)
            values.append(float(function(run)))
            run.close()
        content = replace(
            self._content, columns={**self.columns, name: np.array(values, float)},
            units={**self.units, **({name: unit} if unit else {})}, results=[*self.results, name],
        )  # fmt: skip
        return SweepTable(self.folder, content)

    def over(self, names: str | Sequence[str], quantity: str) -> dict[str, np.ndarray]:
        """Mean of a quantity over some parameters, usually "seed", for each combination of the others that vary.

        Columns: those parameters, "mean", "error" (standard error of the mean: standard deviation / √count, NaN for a single
        run) and "count", of the rows in which it was measured.
        """
        averaged = [names] if isinstance(names, str) else list(names)
        for name in averaged:
            if name not in self.parameters:
                raise InputError(f"{name!r} is not a parameter of this sweep; there are: {', '.join(self.parameters)}")
        grouped = [name for name in self.varied if name not in averaged]
        return self._means(grouped, quantity)

    def _means(self, grouped: Sequence[str], quantity: str) -> dict[str, np.ndarray]:
        if quantity not in self.columns or self[quantity].dtype.kind not in "biuf":
            numbers = [name for name, column in self.columns.items() if column.dtype.kind in "biuf"]
            raise InputError(f"{quantity!r} is no column of numbers of this sweep; there are: {', '.join(numbers)}")
        values = self[quantity].astype(float)
        # by the first row that is like it: NaN, a parameter that was not given, is like NaN
        codes = [np.unique(self[name], return_inverse=True)[1].tolist() for name in grouped]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, key in enumerate(zip(*codes, strict=True) if grouped else [()] * len(values)):
            groups.setdefault(key, []).append(row)
        found = {name: self[name][[rows[0] for rows in groups.values()]] for name in grouped}
        known = [values[rows][np.isfinite(values[rows])] for rows in groups.values()]
        count = np.array([len(group) for group in known])
        found["mean"] = np.array([group.mean() if len(group) else math.nan for group in known])
        found["error"] = np.array([group.std(ddof=1) / math.sqrt(len(group)) if len(group) > 1 else math.nan for group in known])
        return {**found, "count": count}

    def plot(self, x: str, y: str, by: str | None = None, axes: Axes | None = None) -> Figure | SubFigure:
        """A quantity against a parameter, a line for each value of `by`; returns the figure.

        Points are means over all else that varies, which the title names, with the standard error as their bar; a single run
        has none.
        """
        shown = [x, *([by] if by else [])]
        for name in shown:
            if name not in self.parameters:
                raise InputError(f"{name!r} is not a parameter of this sweep; there are: {', '.join(self.parameters)}")
        means = self._means(shown, y)
        if axes is None:
            figure = plain_figure()
            figure.set_size_inches(6.4, 4.4)
            axes = figure.add_subplot()
        values = means[by][np.sort(np.unique(means[by], return_index=True)[1])].tolist() if by else [None]
        for k, value in enumerate(values):
            mine = np.ones(len(means[x]), bool) if value is None else same(means[by or x], value)
            mine &= np.isfinite(means["mean"])
            order = np.argsort(means[x][mine], kind="stable")
            label = None if value is None else f"{by} = {value:g}" if isinstance(value, float) else f"{by} = {value}"
            axes.errorbar(
                means[x][mine][order], means["mean"][mine][order], means["error"][mine][order], fmt="o-",
                color=f"C{k % FEW_GROUPS}", ms=4, lw=1, capsize=3, label=label,
            )  # fmt: skip
        others = [name for name in self.varied if name not in shown]
        if others:
            axes.set_title(f"mean and standard error over {', '.join(others)}", fontsize=10)
        axes.set(xlabel=self._title(x), ylabel=self._title(y))
        if by:
            axes.legend(fontsize=8)
        return axes.figure

    def _title(self, name: str) -> str:
        return f"{name.replace('_', ' ')} [{self.units[name]}]" if name in self.units else name.replace("_", " ")

    def frame(self, kind: str | None = None) -> Any:
        """The table as a data frame: of "pandas" or "polars", by default of the one that is installed. InputError without."""
        if kind not in (None, *FRAMES):
            raise InputError(f"kind = {kind!r} is no data frame: choose {' or '.join(FRAMES)}")
        for name in FRAMES if kind is None else (kind,):
            with suppress(ImportError):
                return import_module(name).DataFrame({title: values.tolist() for title, values in self.columns.items()})
        raise InputError(f"a data frame needs {' or '.join(FRAMES) if kind is None else kind}, which is not installed")

    def to_csv(self, path: Path | str) -> Path:
        """Write the table as a CSV file."""
        write_csv(Path(path), self._content)
        return Path(path)

    def __repr__(self) -> str:
        states, counts = np.unique(self["state"], return_counts=True)
        counted = ", ".join(f"{count} {state}" for state, count in zip(states, counts, strict=True))
        lines = [f"sweep {self.folder}: {len(self['row'])} rows ({counted})"]
        lines.append(f"  varied    {', '.join(self.varied) or 'nothing'}")
        lines.append(f"  results   {', '.join(self.results) or 'none yet'}")
        return "\n".join(lines)


def same(column: np.ndarray, value: Any) -> np.ndarray:
    """Where a column has a value; numbers up to rounding, NaN where none was given."""
    if column.dtype.kind in "iuf" and isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return np.isclose(column, float(value), rtol=CLOSE, atol=0.0, equal_nan=True)
    return column == (value if isinstance(value, str | bool | np.generic) or column.dtype.kind == "O" else str(value))


def open_sweep(folder: Path | str) -> SweepTable:
    """Read the sweep in a folder as it is now; StoreError if there is none."""
    return SweepTable(Path(folder), collect(read_plan(Path(folder))))
