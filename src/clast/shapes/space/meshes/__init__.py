"""From the mesh of a file to a solid: read, mended, cut down, compared with what it was."""
