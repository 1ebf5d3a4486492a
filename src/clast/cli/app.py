"""The command `clast`, to which the other modules add theirs, and what they share: a failure is printed as one line."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clast import __version__

# what `run` and `sweep` share, which take the parameters of an experiment as well
OPEN = {"allow_extra_args": True, "ignore_unknown_options": True}
Size = Annotated[str | None, typer.Option(help="quick or full; quick if not given.")]
Device = Annotated[
    str | None, typer.Option(help="cpu, cuda (an NVIDIA GPU) or auto, the GPU where it pays; cpu if not given.", metavar="DEVICE")
]
On = Annotated[
    str, typer.Option(help="Where: local, dask://HOST:PORT (a scheduler), slurm or pbs (jobs made by Dask).", metavar="PLACE")
]
Jobs = Annotated[int | None, typer.Option(help="Runs at the same time; if not given one per core, on a cluster all that fit.")]
Checkpoint = Annotated[float, typer.Option(help="Seconds between checkpoints.", metavar="SECONDS")]
Help = Annotated[bool, typer.Option("-h", "--help", help="Show this, and with NAME its parameters.")]

app = typer.Typer(
    name="clast",
    help="Granular dynamics with grains of any shape.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"clast {__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=show_version)] = False,
) -> None:
    """Granular dynamics with grains of any shape."""


def fail(message: str, status: int) -> int:
    """Say what is wrong in one line on stderr."""
    if message:
        print("clast:", " ".join(message.split()), file=sys.stderr, flush=True)
    return status
