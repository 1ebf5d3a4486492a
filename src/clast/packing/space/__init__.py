"""Where solids lie: Voronoi packings, and insertion at random."""
