"""Bodies in the tables of a run: where they stand, who comes and goes, what acts on all of them."""
