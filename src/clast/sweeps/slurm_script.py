"""A script by which the rows of a sweep become a job array of SLURM, for sites without Dask."""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path

from clast.dynamics.gpu.devices import GPU
from clast.output.store.atomic import write_text
from clast.sweeps.plan import SweepPlan

SCRIPT_FILE = "slurm.sh"
LARGEST_ARRAY = 1000  # elements: one less than SLURM's MaxArraySize, where a site has not changed it
HEAD_START = 2  # minutes for the first element, which compiles for all
SAVING = 120  # seconds before the end of its time, for a job to save its rows


def write_script(plan: SweepPlan, threads: int | str, device: str | None) -> Path:
    """Put the script into the sweep's folder and return its path."""
    path = plan.folder / SCRIPT_FILE
    write_text(path, script_text(plan, threads, device))
    return path


def script_text(plan: SweepPlan, threads: int | str, device: str | None) -> str:
    """The script: run by hand it submits itself as an array, run by SLURM it carries out an element, a row or a few."""
    count, folder = len(plan.rows), plan.folder.resolve()
    each = math.ceil(count / LARGEST_ARRAY)
    elements = math.ceil(count / each)
    command = [sys.executable, "-P", "-m", "clast.cli", "sweep", str(folder)]
    options = ["--jobs", "1", "--threads", str(threads), *(["--device", device] if device is not None else [])]
    lines = [
        "#!/bin/bash",
        f"# {count} rows, {each} in a job. Submit them with: bash {SCRIPT_FILE} [options of sbatch, as --time=2:00:00]",
        "#SBATCH --job-name=clast-sweep",
        *([f"#SBATCH --cpus-per-task={threads}"] if isinstance(threads, int) else []),
        *(["#SBATCH --gres=gpu:1"] if device == GPU else []),
        f"#SBATCH --signal=B:TERM@{SAVING}",
        f"folder={shlex.quote(str(folder))}",
        'if [ -z "$SLURM_ARRAY_TASK_ID" ]; then',
        "    # the first compiles for all, so the others begin a little after it",
        '    submit() { sbatch --parsable --output="$folder/slurm-%a.out" "$@" "$folder/' + SCRIPT_FILE + '"; }',
        '    first=$(submit --array=1 "$@") || exit',
        '    echo "job ${first%%;*}"',
        *(
            [
                f'    rest=$(submit --array=2-{elements} --dependency="after:${{first%%;*}}+{HEAD_START}" "$@") || exit',
                '    echo "job ${rest%%;*}"',
            ]
            if elements > 1
            else []
        ),
        "    exit",
        "fi",
        f"last=$((SLURM_ARRAY_TASK_ID * {each}))",
        f"from=$((last - {each - 1}))",
        f"[ $last -gt {count} ] && last={count}",
        f"exec {shlex.join(command)} --only $from:$last {shlex.join(options)}",
    ]
    return "\n".join(lines) + "\n"
