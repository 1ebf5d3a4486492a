"""`clast bench`: how fast this machine is."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from clast.cli.app import Device, app
from clast.cli.running import read_device, read_threads
from clast.cli.tables import plain_table, show
from clast.errors import InputError


@app.command()
def bench(
    cases: Annotated[list[str] | None, typer.Argument(help="Cases to time; all if none.", metavar="[CASE]…")] = None,
    threads: Annotated[str, typer.Option(help="Number of threads, or auto.")] = "1",
    device: Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list and nothing else.")] = False,
) -> None:
    """Cundall numbers on this machine: grains × steps / seconds."""
    workers, place = read_threads(threads), read_device(device) or "cpu"
    from clast.bench.cases import CASES, run_cases

    chosen = list(cases or CASES)
    if unknown := [case for case in chosen if case not in CASES]:
        raise InputError(f"there is no benchmark '{unknown[0]}'; there are: {', '.join(CASES)}")
    results: list[dict[str, Any]] = []
    with redirect_stdout(sys.stderr):  # whatever a case may say
        for case in chosen:
            print(f"{case} …", file=sys.stderr, flush=True)
            results += run_cases([case], workers, place)
    if as_json:
        print(json.dumps(results, indent=2))
        return
    table = plain_table("case", "grains", "c [1/s]", "threads", "device", "contacts per grain", "rebuilds per 1000 steps")
    for row in results:
        rate = row.get("rebuilds_per_1000_steps")
        table.add_row(
            row["case"], str(row["grains"]), f"{row['cundall']:.3g}", str(row["threads"]), row["device"],
            f"{row['contacts_per_grain']:.2f}", f"{rate:.3g}" if rate is not None else f"{row['rebuilds']} in all",
        )  # fmt: skip
    show(table)
