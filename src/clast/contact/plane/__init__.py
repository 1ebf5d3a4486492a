"""Features of spheropolygons that meet."""
