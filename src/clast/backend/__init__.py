"""The only place that imports numba: one source of physics, compiled for CPU threads (and, later, for CUDA)."""
