"""Features of solids that meet."""
