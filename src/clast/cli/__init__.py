"""The command line: thin, every command hands over to the package.

    entry        from the words of a user to an exit status
    app          the command itself, and what its parts share
    running      `run`
    showing      `list`, `info`, `figure`, `movie`, `export`, `shape`
    viewing      `view`
    timing       `bench`
    sweeping     `sweep`
    reproducing  `reproduce`
    folders      where runs lie
    tables       how results are shown

Results go to stdout, everything else to stderr. Heavy modules (numba, h5py, matplotlib) are imported inside the commands,
so that help stays quick.
"""

from clast.cli.entry import main, run_command

__all__ = ["main", "run_command"]
