"""Rows of a sweep on the workers of a Dask cluster.

    home       hands rows to the scheduler, hears of them, and fetches what they leave: the executor
    clusters   the cluster: a scheduler that is there, jobs of SLURM or PBS, a client of the user's own
    row        what a worker does with a row: a process of its own for it
    files      the files of a row that travel, where workers do not see the sweep's folder

Dask shares out, balances, tries again and shows; state is in the folders of the rows, as anywhere else. Between home and workers
go numbers and texts, and bytes of files. `row` and `files` are imported by workers, `home` and `clusters` are not.
"""
