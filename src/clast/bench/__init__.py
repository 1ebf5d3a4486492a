"""Benchmark states and their Cundall numbers."""
