"""From the words of a user to an exit status; every expected failure becomes one message on stderr.

Exit status:

    0     done (whether a result agrees with the paper stands in the result)
    2     bad input or usage: one sentence on stderr, nothing computed or written
    3     the run left the model's limits of validity (overlap too deep, step too large); of many runs, some
          failed or are left to another process
    130   stopped by Ctrl-C, 143 by SIGTERM: what was computed is saved and can be resumed
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

import clast.cli.reproducing
import clast.cli.running
import clast.cli.showing
import clast.cli.sweeping
import clast.cli.timing
import clast.cli.viewing  # noqa: F401  (these add their commands to the app)
from clast.cli.app import app, fail
from clast.cli.running import Terminated
from clast.errors import ClastError, PhysicsError

BAD_INPUT, PHYSICS = 2, 3


def main() -> None:
    """The `clast` command."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: Sequence[str]) -> int:
    """Carry out a command line and return its exit status."""
    choose_backend()
    command = typer.main.get_command(app)
    try:
        with terminable():
            status = command.main(list(arguments) or ["--help"], prog_name="clast", standalone_mode=False)
            sys.stdout.flush()
            return int(status or 0)
    except PhysicsError as error:
        return fail(str(error), PHYSICS)
    except ClastError as error:
        return fail(str(error), BAD_INPUT)
    except BrokenPipeError:  # `clast list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return fail(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return fail("stopped", 128 + signal.SIGINT)
    except Terminated:
        return fail("stopped", 128 + signal.SIGTERM)
    except Exception as error:
        if hasattr(error, "format_message"):  # bad usage, reported by typer (whose exceptions have moved between versions)
            return fail(error.format_message(), BAD_INPUT)
        raise


def choose_backend() -> None:
    """Figures go to files: no window, no display needed."""
    os.environ["MPLBACKEND"] = "Agg"
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use("Agg")


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM unwind like Ctrl-C, so that an empty folder does not stay behind."""

    def leave(_: int, __: object) -> None:
        raise Terminated

    try:
        old = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)
