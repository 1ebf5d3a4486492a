"""Sharp convex polyhedra by the volume of their overlap (CSM10): forces and lists; motion and tags are those of space."""
