"""Impacts of spheres, for the experiment of Chung & Ooi."""
