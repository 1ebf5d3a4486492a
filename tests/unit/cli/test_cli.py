"""The command line: quick help, one sentence for a mistake, nothing left behind by a refused run."""

import json
import os
from pathlib import Path

import pytest
from scene_texts import MINIMAL

import clast
from clast.cli import run_command

SHORT = ["run", "cow-bounce", "--until", "0.05"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    """A run of 0.05 s, for looking at."""
    folder = tmp_path_factory.mktemp("cli") / "run"
    assert run_command([*SHORT, "--out", str(folder), "-q"]) == 0
    return folder


def refused(capsys, arguments, status=2):
    """The one line a mistake gets; the working folder must stay as it was."""
    before = sorted(Path().rglob("*"))
    assert run_command(arguments) == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("clast: ") and said.err.count("\n") == 1, said.err
    assert sorted(Path().rglob("*")) == before
    return said.err


def test_version_and_list(capsys):
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out == f"clast {clast.__version__}\n"
    assert run_command(["list"]) == 0
    said = capsys.readouterr().out
    for text in ("cow-bounce", "EPL08 fig 2-3", "a cow falls on a landscape", "cow-gas"):
        assert text in said


def test_headlines_in_the_list_are_the_experiments_own():
    import clast.experiments as experiments
    from clast.experiments.experiment import read_headline

    for name in experiments.names():
        experiment = experiments.find(name)
        path = Path(experiments.__file__).parent / f"{name.replace('-', '_')}.py"
        assert read_headline(path) == (experiment.paper, experiment.title)


def test_help_of_an_experiment_shows_its_parameters(capsys):
    assert run_command(["run", "cow-gas", "--help"]) == 0
    said = capsys.readouterr().out
    for text in ("EPL08 fig 4-5", "quick", "full", "limits"):
        assert text in said
    rows = [line.split() for line in said.splitlines()]
    assert ["--stiffness", "N/m", "1e+07", "1e+07", ">", "0", "normal", "stiffness", "k_n"] in rows
    assert ["--grains", "100", "400", "≥", "2", "number", "of", "cows"] in rows
    assert any(row[:5] == ["--onset", "true", "true", "true,", "false"] for row in rows)


def test_h_is_help(capsys):
    for words in ([], ["run"], ["run", "cow-gas"], ["movie"], ["shape"]):
        assert run_command([*words, "-h"]) == 0
        short = capsys.readouterr().out
        assert run_command([*words, "--help"]) == 0
        assert capsys.readouterr().out == short and "Usage: clast" in short


def test_limits_and_values_are_told_as_a_user_writes_them():
    from typing import Literal

    from clast.cli.tables import limits, plain_value
    from clast.experiments.experiment import Parameters, parameter

    class Some(Parameters):
        count: int = parameter(3, "", "", ge=2, le=9)
        share: float = parameter(0.5, "", "", gt=0, lt=1)
        kind: Literal["rice", "disk"] = parameter("rice", "")
        free: float = parameter(0.0, "")

    told = {name: limits(each) for name, each in Some.model_fields.items()}
    assert told == {"seed": "≥ 0", "count": "≥ 2, ≤ 9", "share": "> 0, < 1", "kind": "rice, disk", "free": ""}
    assert [plain_value(each) for each in (1e7, 0.123456789, 3, True, "rice")] == ["1e+07", "0.123456789", "3", "true", "rice"]


def test_run_makes_a_fresh_folder_each_time_and_reports(capsys):
    assert run_command([*SHORT, "--seed", "4", "--onset=false"]) == 0
    said = capsys.readouterr()
    for text in (
        "published",
        "measured",
        "agrees",
        "Cundall number",
        "rebuilds per 1000 steps",
        "energy error",
        "energy.png",
    ):
        assert text in said.out
    assert "1 grain, 5000 steps of Δt = 1e-05 (given; 0.69 × the safe step) to t = 0.05, about " in said.err
    assert run_command([*SHORT, "-q"]) == 0
    said = capsys.readouterr()
    folders = sorted(Path("runs").iterdir())
    assert said.out == f"{folders[1]}\n" and said.err == ""
    assert [folder.name[-2:] for folder in folders] == ["-1", "-2"]
    run = clast.open(folders[0])
    assert run.result == json.loads((folders[0] / "result.json").read_text())
    assert run.result["parameters"]["seed"] == 4 and run.result["parameters"]["onset"] is False
    expected = {
        "experiment",
        "paper",
        "size",
        "parameters",
        "grains",
        "steps",
        "wall_s",
        "cundall",
        "energy_error",
        "quantities",
    }
    assert expected <= set(run.result)
    names = {"name", "unit", "published", "published_error", "measured", "error", "agrees", "note"}
    assert all(set(each) == names for each in run.result["quantities"])
    assert run.result["quantities"][0]["measured"] is None  # no contact yet


def test_overwrite_replaces_and_an_existing_run_is_refused(capsys, short_run):
    before = {path: path.stat().st_mtime_ns for path in short_run.rglob("*")}
    assert "--overwrite" in refused(capsys, [*SHORT, "--out", str(short_run)])
    assert {path: path.stat().st_mtime_ns for path in short_run.rglob("*")} == before
    old = clast.open(short_run).run_id
    assert run_command([*SHORT, "--out", str(short_run), "--overwrite"]) == 0
    assert clast.open(short_run).run_id != old


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "which experiment"),
        (["run", "cow-bonce"], "cow-bounce, cow-gas"),
        (["run", "--until", "2", "cow-bounce"], "before its options"),
        (["run", "cow-bounce", "--untill", "2"], "--untill; it has: seed, dt, until"),
        (["run", "cow-bounce", "--until", "long"], "--until long"),
        (["run", "cow-bounce", "--until=-1"], "greater than 0"),
        (["run", "cow-bounce", "--until", "inf"], "finite"),
        (["run", "cow-bounce", "--until"], "needs a value"),
        (["run", "cow-bounce", "--until", "1e-6"], "shorter than one time step"),
        (["run", "cow-bounce", "2"], "'2'"),
        (["run", "cow-bounce", "--size", "huge"], "quick, full"),
        (["run", "cow-bounce", "--seed", "-1"], "--seed -1"),
        (["run", "cow-bounce", "--threads", "none"], "--threads none"),
        (["run", "cow-bounce", "--device", "gpu"], "--device gpu must be one of cpu, cuda, auto"),
        (["sweep", "cow-bounce", "--vary", "seed=1:2", "--device", "gpu"], "--device gpu must be one of"),
        (["bench", "--device", "gpu"], "--device gpu must be one of"),
        (["run", "cow-bounce", "--checkpoint", "nan"], "--checkpoint"),
        (["run", "cow-bounce", "--resume", "--overwrite"], "contradict"),
        (["run", "cow-bounce", "--resume"], "no run of cow-bounce"),
        (["run", "cow-bounce", "--resume", "--out", "nowhere"], "there is no run in nowhere"),
        (["run", "cow-gas", "--grains", "1"], "--grains 1"),
        (["info", "nowhere"], "there is no run in nowhere"),
        (["info", "."], "there is no run in ."),
        (["figure", "nowhere"], "there is no run in nowhere"),
        (["bench", "cow-gaz"], "there are: cow-gas"),
        (["bench", "--threads", "0"], "--threads 0"),
        (["shape"], "SHAPE"),
        (["shape", "hexagn"], "hexagon, heptagon"),
        (["shape", "nowhere.toml"], "no shape file nowhere.toml"),
        (["shape", "cow", "--out", "cow.bmp"], ".png, .pdf, .svg"),
        (["shape", "cow", "--out", "nowhere/cow.png"], "no folder nowhere"),
        (["movie", "nowhere"], "there is no run in nowhere"),
        (["export", "nowhere"], "there is no run in nowhere"),
        (["export", "nowhere", "--to", "xml"], "choose csv"),
        (["--verson"], "--verson"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence_and_leaves_nothing(capsys, arguments, words):
    assert words in refused(capsys, arguments)


@pytest.mark.parametrize(
    "arguments", [["run", "cow-bounce"], ["run", "scene.toml"], ["sweep", "cow-bounce", "--vary", "seed=1:2"], ["bench"]]
)
def test_cuda_without_a_gpu_is_refused_before_anything_is_built(capsys, monkeypatch, arguments):
    monkeypatch.setattr("clast.backend.cuda.why_not", lambda: "no NVIDIA GPU or no driver was found")
    said = refused(capsys, [*arguments, "--device", "cuda"])
    assert 'device = "cuda": no NVIDIA GPU or no driver was found; device = "cpu" runs everywhere' in said


def test_a_study_on_a_gpu_is_refused(capsys, monkeypatch):
    monkeypatch.setattr("clast.backend.cuda.why_not", lambda: "")
    for arguments in (["run", "friction-loop"], ["sweep", "friction-loop", "--vary", "seed=1:2", "--out", "s"]):
        assert "friction-loop is a study, whose tests run on the CPU" in refused(capsys, [*arguments, "--device", "cuda"])


def test_a_run_with_v_tells_its_device_and_why(capsys):
    assert run_command([*SHORT, "--device", "auto", "-v"]) == 0
    assert "device cpu: 1 body moves, and a GPU gains from 5000 on" in capsys.readouterr().err
    assert clast.open(next(Path("runs").iterdir())).result["device"] == "cpu"


def test_a_file_where_the_run_should_go_is_refused(capsys):
    Path("notes").write_text("mine")
    assert "notes is a file" in refused(capsys, [*SHORT, "--out", "notes"])


def test_a_damaged_run_is_told(capsys, short_run, tmp_path):
    import shutil

    for name, harm in (
        ("cut", lambda path: os.truncate(path, 3000)),
        ("other", lambda path: path.write_text("not HDF5")),
    ):
        folder = shutil.copytree(short_run, tmp_path / name)
        harm(folder / "run.h5")
        for arguments in (
            ["info", str(folder)],
            ["figure", str(folder)],
            ["run", "cow-bounce", "--resume", "--out", str(folder)],
        ):
            assert "cannot be read" in refused(capsys, arguments)


def test_a_physical_failure_exits_with_3_and_no_traceback(capsys):
    arguments = ["run", "cow-bounce", "--until", "3", "--stiffness", "10", "--dt", "1e-4", "-q", "--out", "soft"]
    assert run_command(arguments) == 3
    said = capsys.readouterr().err
    assert "overlap by" in said and said.count("\n") == 1
    assert not clast.open("soft").finished


def test_resume_keeps_the_parameters(capsys, short_run):
    assert "was started with --until 0.05" in refused(
        capsys, ["run", "cow-bounce", "--resume", "--until", "1", "--out", str(short_run)]
    )
    assert "holds cow-bounce, not cow-gas" in refused(capsys, ["run", "cow-gas", "--resume", "--out", str(short_run)])


def test_resume_of_a_finished_run_draws_again(capsys, short_run):
    (short_run / "energy.png").unlink()
    before = (short_run / "checkpoint.h5").stat().st_mtime_ns
    assert run_command(["run", "cow-bounce", "--resume", "--out", str(short_run)]) == 0
    said = capsys.readouterr()
    assert "is finished" in said.err and "Cundall number" in said.out
    assert (short_run / "energy.png").exists()
    assert (short_run / "checkpoint.h5").stat().st_mtime_ns == before


def test_info_and_figure(capsys, short_run):
    assert run_command(["info", str(short_run)]) == 0
    said = capsys.readouterr().out
    for text in (
        "finished",
        "cow-bounce, size quick",
        "until = 0.05",
        "gravitational",
        "energy error",
        "EPL08, GM09",
        "published",
    ):
        assert text in said
    (short_run / "cow-bounce.png").unlink()
    assert run_command(["figure", str(short_run)]) == 0
    assert (short_run / "cow-bounce.png").exists()
    assert str(short_run / "cow-bounce.png") in capsys.readouterr().out
    assert run_command(["info", "--pack", str(short_run)]) == 0
    assert not (short_run / "parts").exists()
    assert len(clast.open(short_run).frames) > 400


def test_bench_prints_a_table_or_json_alone(capsys, monkeypatch):
    from clast.bench import cases as bench

    def fake(cases, threads, device):
        print("chatter")
        return [
            {"case": case, "grains": 400, "steps": 10, "wall_s": 1.0, "cundall": 4.0e3, "threads": threads,
             "device": device, "contacts_per_grain": 0.25, "rebuilds": 7}
            for case in cases
        ]  # fmt: skip

    monkeypatch.setattr(bench, "run_cases", fake)
    assert run_command(["bench", "cow-gas", "disk-gas", "--threads", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["case"] for row in rows] == ["cow-gas", "disk-gas"]
    assert rows[0]["threads"] == 2 and rows[0]["device"] == "cpu"
    assert run_command(["bench", "cow-gas", "--device", "auto", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["device"] == "auto", "handed on"
    assert run_command(["bench", "--threads", "auto"]) == 0
    said = capsys.readouterr().out
    assert "4e+03" in said and "chatter" not in said
    assert all(case in said for case in bench.CASES)


def test_a_run_killed_before_its_first_checkpoint_starts_from_the_beginning(capsys, short_run):
    import numpy as np

    from clast.output.store.writer import RunWriter

    whole = clast.open(short_run)
    with RunWriter.create(Path("begun"), provenance=whole.provenance, scene=whole.scene):
        pass  # what a kill right after the start leaves
    assert run_command(["info", "begun"]) == 0
    assert run_command(["run", "cow-bounce", "--resume", "--out", "begun"]) == 0
    assert "starting from the beginning" in capsys.readouterr().err
    run = clast.open("begun")
    assert run.finished and np.array_equal(run.series["translational"], whole.series["translational"])


def test_a_scene_of_ones_own_has_figures_movie_and_export(capsys):
    from clast.shapes import disk

    scene = clast.Scene(law=clast.Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0), velocity=(1.0, 0.0))
    clast.run(scene, until=0.1, dt=1e-3, out="own", frames=4, samples=10)
    assert "energy error" in capsys.readouterr().err  # told at the end of every run
    for words, made in (
        (["figure"], "own/frames.png\nown/energy.png\n"),
        (["movie", "--width", "240", "--color", "spin", "-q"], "own/movie.gif\n"),
        (["movie", "--out", "own/slow.mp4", "--fps", "5", "--every", "2", "-q"], "own/slow.mp4\n"),
        (["export", "--to", "csv"], "own/csv\n"),
        (["export", "--out", "text"], "text\n"),
    ):
        assert run_command([words[0], "own", *words[1:]]) == 0
        assert capsys.readouterr() == (made, "")
        assert all(Path(line).exists() for line in made.splitlines())
    assert "--overwrite" in refused(capsys, ["export", "own"])
    assert run_command(["export", "own/run.h5", "--overwrite"]) == 0
    assert capsys.readouterr().out == "own/csv\n"


def test_a_shape_is_told_and_drawn(capsys):
    assert run_command(["shape", "hexagon"]) == 0
    said = capsys.readouterr().out
    assert "closed polygon, 6 vertices" in said and said.endswith("hexagon-shape.png\n")
    assert Path("hexagon-shape.png").stat().st_size > 5000
    Path("arrow.toml").write_text("radius = 0.1\nvertices = [[0, 0], [2, 1], [0, 2], [0.6, 1]]\n")
    assert run_command(["shape", "arrow.toml", "--out", "picture.svg"]) == 0
    assert "4 vertices" in capsys.readouterr().out and Path("picture.svg").exists()


def test_the_merit_of_a_study_leaves_out_what_it_has_not(capsys):
    from clast.cli.tables import show_merit

    show_merit({"grains": None, "steps": None, "cundall": None, "energy_error": None, "wall_s": 2.0})
    show_merit({"grains": 1, "steps": 100, "cundall": 1e6, "energy_error": 1e-7, "wall_s": 2.0, "rebuilds": 3})
    assert capsys.readouterr().out.splitlines() == [
        "(2 s)",
        "Cundall number 1e+06/s, 30 rebuilds per 1000 steps, energy error 1e-07 (1 grain, 100 steps, 2 s)",
    ]


def test_a_run_begins_where_another_ended(capsys, short_run, tmp_path):
    """Of an experiment and of a scene file; a resumed run keeps what it began with."""
    begin = ["--from", str(short_run)]
    assert run_command([*SHORT, *begin, "--out", "more", "-q"]) == 0
    ended, begun = clast.open(short_run), clast.open("more")
    assert begun.provenance["begin"] == str(short_run)
    for name in ("positions", "velocities", "angles", "spins"):
        assert (begun.frames[0][name] == ended.frames[-1][name]).all()
    assert run_command(["run", "cow-bounce", "--resume", "--out", "more", "-q"]) == 0
    Path("scene.toml").write_text(MINIMAL)
    assert run_command(["run", "scene.toml", "--out", "one", "-q"]) == 0
    assert run_command(["run", "scene.toml", "--from", "one", "--out", "two", "-q"]) == 0
    assert clast.open("two").frames[0].positions[0, 0] == pytest.approx(0.1)
    capsys.readouterr()
    assert "a resumed run keeps it" in refused(capsys, ["run", "cow-bounce", "--resume", "--from", "one", "--out", "more"])
    assert "a run of the same bodies" in refused(capsys, ["run", "scene.toml", *begin, "--out", "three"])
    assert "is a study" in refused(capsys, ["run", "bouncing-ball", *begin, "--out", "three"])
