"""`python -m clast.cli` is `clast`."""

from clast.cli.entry import main

main()
