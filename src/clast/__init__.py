"""clast: granular dynamics with grains of any shape."""

__version__ = "0.1.0"
