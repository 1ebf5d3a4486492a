"""The only room that imports numba: one source of physics, compiled for threads of the CPU and for GPUs."""
