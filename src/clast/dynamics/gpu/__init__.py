"""A GPU as one more way to run the passes of a step: which device, launches of a step, tables there and here."""
