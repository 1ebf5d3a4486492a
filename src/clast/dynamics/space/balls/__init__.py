"""Pairs with a round body in space: two spheres, and a sphere on a solid, one contact each."""
