"""Bodies in the tables of a run: where they stand, which arrive and leave, what acts on all of them."""
