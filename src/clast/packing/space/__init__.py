"""Where solids lie: twins of the packings of the plane."""
