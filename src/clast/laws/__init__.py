"""Contact record → force, history, energies. One file is one law."""

from clast.laws.linear import Linear

__all__ = ["Linear"]
