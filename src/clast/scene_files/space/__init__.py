"""Scene files with `dimension = 3`."""
