"""What is read off a snapshot of an engine: accounts of the energy book, what contacts carry, loads of walls, slopes of heaps."""
