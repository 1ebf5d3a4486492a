"""Spheropolygons: skeletons, mass, Minkowski operations, files, photographs, the library."""
