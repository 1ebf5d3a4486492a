"""Faces of solids: which make a surface, what is inside of it, and how thin it is."""
