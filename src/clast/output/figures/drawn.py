"""What figures are drawn on: matplotlib's types, for signatures. The library is loaded where something is drawn."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
else:
    Axes = Figure = SubFigure = Any

__all__ = ["Axes", "Figure", "SubFigure"]
