"""Sweeps by SLURM without Dask: the script is run by bash, with a stand-in for sbatch that runs the elements of an array."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import clast
from clast.cli import run_command
from clast.sweeps.slurm_script import LARGEST_ARRAY, script_text

SBATCH = """#!{python}
# what SLURM does with an array, at once and one after the other: (arguments, #SBATCH lines) are noted in a file
import json, os, re, subprocess, sys
*options, script = sys.argv[1:]
given = dict(each.lstrip("-").split("=", 1) for each in options if "=" in each)
lines = [line.split()[1] for line in open(script) if line.startswith("#SBATCH")]
with open("{log}", "a") as log:
    log.write(json.dumps([options, lines, os.path.basename(script)]) + "\\n")
first, _, last = given["array"].partition("-")
for element in range(int(first), int(last or first) + 1):
    os.environ["SLURM_ARRAY_TASK_ID"] = str(element)
    with open(given["output"].replace("%a", str(element)), "wb") as out:
        subprocess.run(["{shell}", script], stdout=out, stderr=out, check=True)
print("4711;cluster")
"""


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    """Puts the stand-in where the shell finds it; its calls come back by calling what this returns."""

    def install(shell="/bin/bash"):
        folder = tmp_path / "bin"
        folder.mkdir()
        log = tmp_path / "calls"
        path = folder / "sbatch"
        path.write_text(SBATCH.format(python=sys.executable, log=log, shell=shell))
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        source = str(Path(clast.__file__).parent.parent)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
        return lambda: [json.loads(line) for line in log.read_text().splitlines()]

    monkeypatch.chdir(tmp_path)
    return install


def test_rows_are_run_by_the_script(sbatch, capsys):
    calls = sbatch()
    words = ["sweep", "cow-bounce", "--vary", "seed=1:3", "--until", "0.02", "--out", "a sweep", "--script"]
    assert run_command(words) == 0
    assert "bash 'a sweep/slurm.sh'" in capsys.readouterr().out
    done = subprocess.run(["bash", "a sweep/slurm.sh", "--time=10"], capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "job 4711\njob 4711\n")
    table = clast.open_sweep("a sweep")
    assert (table["state"] == "finished").all() and len(table["row"]) == 3
    (first, lines, name), (rest, _, _) = calls()
    assert name == "slurm.sh" and "--array=1" in first and "--time=10" in first and "--parsable" in first
    assert "--array=2-3" in rest and "--dependency=after:4711+2" in rest and "--time=10" in rest
    assert lines == ["--job-name=clast-sweep", "--cpus-per-task=1", "--signal=B:TERM@120"]
    assert Path("a sweep/slurm-3.out").exists()


def test_more_rows_than_an_array_has_elements_share_jobs(sbatch, tmp_path):
    """Rows by number, each once; the stand-in's shell prints the last line of the script instead of running it."""
    printing = tmp_path / "printing"
    printing.write_text('#!/bin/bash\nexec bash <(sed "s/^exec /echo /" "$1")\n')
    printing.chmod(0o755)
    sbatch(shell=str(printing))
    plan = clast.Sweep("cow-bounce", vary={"seed": range(2 * LARGEST_ARRAY + 5)}).plan("s")
    text = script_text(plan, 4, "cuda")
    assert "#SBATCH --cpus-per-task=4" in text and "#SBATCH --gres=gpu:1" in text
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0
    Path("s/slurm.sh").write_text(text.replace(f"2-{LARGEST_ARRAY - 331}", "668-669"))  # the last two are enough
    assert subprocess.run(["bash", "s/slurm.sh"], capture_output=True).returncode == 0
    shown = [Path(f"s/slurm-{element}.out").read_text() for element in (1, 668, 669)]
    assert ["--only 1:3 " in shown[0], "--only 2002:2004 " in shown[1], "--only 2005:2005 " in shown[2]] == [True] * 3
    assert all("--threads 4 --device cuda" in each for each in shown)
