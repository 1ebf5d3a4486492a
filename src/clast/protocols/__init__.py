"""Protocols that bring grains to a state: fill, press, settle, pour."""
