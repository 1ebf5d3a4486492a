"""Vectors and rotations as records of numbers, for compiled code."""
