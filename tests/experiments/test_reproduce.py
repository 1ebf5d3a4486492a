"""`clast reproduce`: which runs, what is there already, what is refused; and that it goes on where it was."""

import dataclasses
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import clast.report.reproduce as reproduction
from clast.cli import run_command
from clast.errors import StoreError
from clast.experiments import find, names
from clast.experiments.shared.running import Outcome, run_experiment
from clast.report.gathering import gather
from clast.report.plan import SECONDS, PlannedRun, folder_name, plan_runs, progress_of, size_there
from clast.report.reproduce import reproduce, tasks_of, write_report
from clast.report.rows import rows_of
from clast.sweeps.index import locked
from clast.sweeps.sharing import TaskEnding
from clast.sweeps.task import Task, carry_out, keep_error


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.fixture
def undrawn(monkeypatch):
    """Runs without their figures, which take longer than the runs."""
    monkeypatch.setattr("clast.experiments.shared.running.draw", lambda _experiment, _parameters, run: Outcome(run, [], []))


def stored(folder):
    """The report of a folder as data: state of each run by name."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return {run["name"]: run["state"] for section in report["experiments"] for run in section["runs"]}


def refused(capsys, *words):
    """The one sentence a mistake gets; nothing is written."""
    before = sorted(Path().rglob("*"))
    assert run_command(["reproduce", *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("clast: ") and said.err.count("\n") == 1, said.err
    assert sorted(Path().rglob("*")) == before
    return said.err


@pytest.mark.parametrize("name", names())
def test_variants_of_an_experiment_are_good(name):
    entry = find(name)
    for size in entry.sizes:
        variants = entry.variants.get(size, ({},))
        assert variants or (name, size) == ("stones", "full")  # hours of a core: left out of a reproduction
        assert len({folder_name(name, given) for given in variants}) == len(variants)
        assert len({entry.choose(size, given).model_dump_json() for given in variants}) == len(variants)
    assert set(entry.variants) <= set(entry.sizes)


def test_expected_times_are_of_experiments():
    assert set(SECONDS) <= set(names())
    assert all(set(times) <= {"quick", "full"} for times in SECONDS.values())


def test_all_experiments_are_planned(tmp_path):
    plan = plan_runs([], "quick", tmp_path)
    assert {each.entry.name for each in plan} == set(names())
    assert {each.folder.name for each in plan if each.entry.name == "elastic-gas"} == {
        "elastic-gas-disk", "elastic-gas-rice", "elastic-gas-peanut", "elastic-gas-pebble",
    }  # fmt: skip
    tasks = tasks_of(plan)
    assert {task.what for task in tasks if task.alone} >= {"cost-of-shape", "cost-of-sides", "verlet-distance"}
    assert [each.folder.name for each in plan_runs(["hopper"], "full", tmp_path)][5:7] == ["hopper-cow-20", "hopper-cow-25"]


def test_longest_runs_come_first(tmp_path, monkeypatch):
    monkeypatch.setattr("clast.report.plan.SECONDS", {"gallery": {"quick": 2.0}, "cow-bounce": {"quick": 30.0}})
    plan = plan_runs(["gallery", "cow-bounce", "friction-loop"], "quick", tmp_path)
    assert [task.name for task in tasks_of(plan)] == ["friction-loop", "cow-bounce", "gallery"], "what nobody knows first"


def test_a_run_made_by_hand_is_found_by_what_it_is(undrawn, tmp_path):
    short = {"shape": "rice", "until": 2.0}
    run_experiment(find("elastic-gas"), out=tmp_path / "elastic-gas", given={"until": 2.0})
    run_experiment(find("elastic-gas"), out=tmp_path / "another", given=short)
    run_experiment(find("gallery"), out=tmp_path / "pictures")
    plan = {each.folder.name: each for each in plan_runs(["gallery", "elastic-gas"], "quick", tmp_path)}
    assert len(plan) == 7
    assert plan["pictures"].requested and progress_of(plan["pictures"]).state == "finished"
    assert not plan["another"].requested and plan["another"].given == short, "reported, but nobody asked for it"
    assert plan["another"].uncounted and not plan["pictures"].uncounted
    assert progress_of(plan["elastic-gas-rice"]).state == "missing"
    assert "gallery" not in plan
    others = plan_runs(["cow-bounce"], "quick", tmp_path)
    assert [each.folder.name for each in others if each.requested] == ["cow-bounce"]
    assert {each.folder.name for each in others if not each.requested} == {"elastic-gas", "another", "pictures"}
    assert {each.folder.name for each in others if each.uncounted} == {"elastic-gas", "another"}, (
        "not what the papers' figures need"
    )
    told = gather(others, "quick", tmp_path)
    gallery = next(section.runs[0] for section in told.sections if section.name == "gallery")
    assert told.count("finished") == 1
    assert {row.experiment for row in rows_of(told)} == {"gallery"} and len(rows_of(told)) == len(gallery.quantities)
    page = write_report(others, "quick", tmp_path)
    assert stored(tmp_path)["another"] == "finished"
    assert "clast run elastic-gas --size quick --shape rice --until 2" in page.read_text(encoding="utf-8")


def test_what_lies_in_the_way_is_refused(undrawn, tmp_path, capsys):
    run_experiment(find("gallery"), out=Path("R/gallery"), given={"seed": 5})
    assert "R/gallery holds a run of something else" in refused(capsys, "gallery", "--out", "R")
    assert "size quick: use --size quick" in refused(capsys, "gallery", "--out", "R", "--size", "full")
    run_experiment(find("gallery"), out=Path("R/other"), size="full")
    assert "several sizes (full, quick)" in refused(capsys, "gallery", "--out", "R")
    Path("S/cow-bounce").mkdir(parents=True)
    Path("S/cow-bounce/notes.txt").write_text("mine")
    assert "no run" in refused(capsys, "cow-bounce", "--out", "S")
    Path("S/gallery").write_text("a file")
    assert "is a file" in refused(capsys, "gallery", "--out", "S")
    assert "is a file" in refused(capsys, "gallery", "--out", "S/gallery")
    assert "no experiment 'galery'" in refused(capsys, "galery")
    assert "no size 'tiny'" in refused(capsys, "gallery", "--size", "tiny")
    assert "choose html or markdown" in refused(capsys, "gallery", "--format", "pdf")
    assert "--jobs 0" in refused(capsys, "gallery", "--jobs", "0")
    assert "choose one" in refused(capsys, "--list", "--report-only")
    assert "no folder" in refused(capsys, "gallery", "--report-only", "--out", "nowhere")


def test_what_a_kill_left_is_not_in_the_way(undrawn, tmp_path):
    Path("R/gallery/parts").mkdir(parents=True)
    Path("R/gallery/.lock").touch()
    assert [progress_of(each).state for each in plan_runs(["gallery"], "quick", Path("R"))] == ["missing"]
    run_experiment(find("gallery"), out=Path("R/gallery"))
    Path("R/gallery/run.h5").write_bytes(Path("R/gallery/run.h5").read_bytes()[:3000])
    assert [progress_of(each).state for each in plan_runs(["gallery"], "quick", Path("R"))] == ["failed"]


def test_a_report_that_cannot_be_written_does_not_end_the_runs(capsys, tmp_path):
    def full(*_):
        raise StoreError("no space left")

    shown = reproduction.Reporting(full, silent=False)
    shown.start(2, [])
    shown.ended("a", "finished", "", 1.0)
    assert capsys.readouterr().err.endswith("the report is not written yet: no space left\n")
    with ThreadPoolExecutor(1) as others, locked(tmp_path / reproduction.LOCK_FILE):
        waiting = others.submit(write_report, [], "quick", tmp_path)
        time.sleep(0.2)
        assert not waiting.done() and not (tmp_path / "report.html").exists(), "two at once would write into one file"
    assert waiting.result().exists()


def test_what_others_run_is_not_finished(monkeypatch, capsys):
    ending = TaskEnding(Task("gallery", "gallery"), "elsewhere")
    monkeypatch.setattr(reproduction, "run_tasks", lambda *_, **__: [ending])
    Path("R").mkdir()
    assert run_command(["reproduce", "gallery", "--out", "R"]) == 3
    assert "left to the processes that run them now: gallery" in capsys.readouterr().err


def test_runs_are_told_apart_by_what_varies(tmp_path):
    plan = plan_runs(["hopper", "gallery"], "full", tmp_path)
    entry = find("hopper")
    more = {"aperture": 20.0, "seed": 3}
    plan.append(PlannedRun(entry, "full", more, entry.choose("full", more), tmp_path / "more", requested=False))
    gallery, hoppers = gather(plan, "full", tmp_path).sections
    assert [run.label for run in gallery.runs] == [""]
    assert [run.label for run in hoppers.runs][-2:] == ["cow, 40 m, seed 1", "cow, 20 m, seed 3"]


def test_size_is_that_of_the_runs_there(undrawn, tmp_path):
    assert size_there(tmp_path) == "quick"
    run_experiment(find("gallery"), out=tmp_path / "gallery", size="full")
    assert size_there(tmp_path) == "full"


def test_report_is_written_whenever_a_run_has_ended(undrawn, tmp_path, monkeypatch):
    seen = []

    def one_after_the_other(tasks, folder, *, progress, **_):
        progress.start(len(tasks), [])
        for task in tasks:
            if task.what == "friction-loop":
                keep_error(folder / task.name, task, "it fell & broke")
                progress.ended(task.name, "failed", "it fell & broke", 1.0)
            else:
                carry_out(task, folder)
                progress.ended(task.name, "finished", "", 1.0)
            seen.append(stored(folder))
        return [TaskEnding(task, "finished") for task in tasks]

    monkeypatch.setattr(reproduction, "run_tasks", one_after_the_other)
    monkeypatch.setattr("clast.report.plan.SECONDS", {"gallery": {"quick": 2.0}, "friction-loop": {"quick": 1.0}})
    _, page = reproduce(["gallery", "friction-loop"], "quick", tmp_path, silent=True)
    assert seen == [{"friction-loop": "missing", "gallery": "finished"}, {"friction-loop": "failed", "gallery": "finished"}]
    assert "failed: it fell &amp; broke" in page.read_text(encoding="utf-8")


def test_a_run_that_was_begun_says_how_far_it_is(tmp_path):
    entry, given, folder = find("friction-loop"), {"steps": 100}, tmp_path / "friction-loop"

    def stop():
        raise RuntimeError("enough")

    def tables(p, threads):
        made = entry.tables(p, threads)
        return {name: make if number == 0 else stop for number, (name, make) in enumerate(made.items())}

    planned = PlannedRun(entry, "quick", given, entry.choose("quick", given), folder)
    assert progress_of(planned).state == "missing"
    with pytest.raises(RuntimeError, match="enough"):
        run_experiment(dataclasses.replace(entry, tables=tables), out=folder, given=given)
    assert (progress_of(planned).state, progress_of(planned).message) == ("begun", "1 table made so far")
    (folder / "run.h5").write_bytes(b"not HDF5")
    assert progress_of(planned).state == "failed" and progress_of(planned).message


def test_the_command_runs_goes_on_and_lists(capsys):
    keep_error(Path("R/friction-loop"), Task("friction-loop", "friction-loop", "quick"), "too deep")
    words = ["reproduce", "gallery", "friction-loop", "--out", "R", "--jobs", "1", "-q"]
    assert run_command(words) == 3, "what failed before is told again"
    said = capsys.readouterr()
    assert said.out == "R/report.html\n" and "1 of 2 runs failed (friction-loop)" in said.err
    assert stored(Path("R")) == {"friction-loop": "failed", "gallery": "finished"}
    kept = Path("R/gallery/run.h5").stat().st_mtime_ns
    assert run_command(words) == 3
    assert Path("R/gallery/run.h5").stat().st_mtime_ns == kept, "finished runs are not run again"
    capsys.readouterr()

    Path("R/report.html").unlink()
    Path("R/report").mkdir()
    Path("R/report/gone.webp").write_bytes(b"of a report before")
    assert run_command(["reproduce", "--report-only", "--out", "R", "--format", "markdown"]) == 0
    assert set(stored(Path("R"))) == {"gallery"}, "of what is there, and nothing else"
    assert capsys.readouterr().out == "R/report.md\n" and not Path("R/report.html").exists()
    page = Path("R/report.md").read_text(encoding="utf-8")
    assert "](report/gallery-cows.webp)" in page and Path("R/report/gallery-cows.webp").stat().st_size > 1000

    assert not Path("R/report/gone.webp").exists()

    before = sorted(Path().rglob("*"))
    assert run_command(["reproduce", "gallery", "friction-loop", "cow-bounce", "--list", "--out", "R"]) == 0
    listed = capsys.readouterr().out
    assert "finished" in listed and "too deep" in listed and "not run yet" in listed
    assert "2 of 3 runs are to be made" in listed
    assert sorted(Path().rglob("*")) == before
