"""A run to work in: step, look, change, go on."""
