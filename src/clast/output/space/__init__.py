"""Runs in space as pictures: surfaces of solids → crowds of triangles → camera and studio → figures and movies."""
