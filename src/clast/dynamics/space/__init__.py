"""Spheropolyhedra: what a stretch of steps is made of when grains are solids."""
