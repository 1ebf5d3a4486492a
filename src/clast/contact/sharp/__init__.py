"""Overlaps of sharp polyhedra."""
