"""The folder of a run: written whole or not at all, read back, checkpointed."""
