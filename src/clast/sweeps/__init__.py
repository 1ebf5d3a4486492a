"""Many runs: what to run, apart from where.

    ranges      the values of a parameter, from a user's words
    sweep       what to run: the product of lists, rows of a table; each row checked before anything is written
    plan        the rows in a file, sweep.json, which may grow but not change
    scene_row   a scene file with some of its entries replaced
    task        one run: its folder, its state, and how it is carried out
    sharing     tasks carried out wherever that is: what is left alone, what failed and why
    places      where: the words for it
    local       processes of this machine; `dask` the workers of a cluster, which start such processes too
    worker      what such a process does
    display     how many are finished, and how long it will take
    index       parameters and results of all rows, index.csv
    table       the same for reading: columns, means over seeds, plots
    slurm_script   the rows as a job array, for sites without Dask

The plan of a sweep stands in its folder, so that any process on any machine that sees the folder can run a row of it.
"""
