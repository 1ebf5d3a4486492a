"""Vectors and rotations as records of numbers, for compiled code, and the order of places along a curve."""
