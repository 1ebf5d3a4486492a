"""Where grains lie in the plane: sites, Voronoi diagrams, erosion, lattices, insertion."""
