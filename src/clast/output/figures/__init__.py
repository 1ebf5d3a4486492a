"""Pictures and movies of runs in the plane, of shapes and of grains in photographs."""

from clast.output.figures.plane import save_figure

__all__ = ["save_figure"]
