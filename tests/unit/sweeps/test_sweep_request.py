"""What a sweep is asked for: ranges, tables, rows checked before anything is written, plans that grow but do not change."""

import json
import math
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scene_texts import ARROW, MINIMAL, VALID

import clast
from clast.cli import run_command
from clast.errors import InputError, StoreError
from clast.output.store.lock import RunLock
from clast.sweeps.plan import read_plan
from clast.sweeps.ranges import read_numbers, read_table, read_values, read_vary
from clast.sweeps.scene_row import parse_row, read_row, toml_text
from clast.sweeps.sharing import understood
from clast.sweeps.sweep import Sweep
from clast.sweeps.task import DRAWN_FILE, ERROR_FILE, Task, keep_error, read_error, state_of
from clast.sweeps.worker import work


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1:4", [1, 2, 3, 4]),
        ("4:1:-2", [4, 2]),
        ("0:20:5,7", [0, 5, 10, 15, 20, 7]),
        ("10,30,100", [10, 30, 100]),
        ("0.1,1e3", [0.1, 1000.0]),
        ("0:1:lin5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("true,false", [True, False]),
        ("walls,periodic", ["walls", "periodic"]),
        ("1 # first", ["1 # first"]),
        ("2\nother = 3", ["2\nother = 3"]),
        ("[0, -10],[1, 2]", [[0, -10], [1, 2]]),
        ('"a,b",c', ["a,b", "c"]),
        ("inf", [math.inf]),
        ("2024-01-02", ["2024-01-02"]),
    ],
)
def test_values_are_read(text, values):
    found = read_values(text, "here")
    assert found == values and [type(each) for each in found] == [type(each) for each in values]


def test_a_logarithmic_range_has_one_ratio():
    values = read_values("10:1000:log5", "here")
    assert values[0] == 10.0 and values[-1] == 1000.0
    assert np.allclose(np.diff(np.log(values)), math.log(100.0) / 4)


@pytest.mark.parametrize(
    "text", ["", "1,,2", "1:4:0", "4:1", "0.1:0.5", "0:1:lin1", "-1:1:log3", "a:b:lin3", "0:1e9:lin99999999"]
)
def test_bad_values_are_refused_with_the_place(text):
    with pytest.raises(InputError, match="here"):
        read_values(text, "here")


def test_a_vary_needs_a_name():
    assert read_vary("seed=1:2") == ("seed", [1, 2])
    for text in ("seed", "=1", "1:8"):
        with pytest.raises(InputError, match="NAME=VALUES"):
            read_vary(text)


def test_tables_are_read_and_bad_ones_refused():
    Path("rows.csv").write_text("\ufeffseed, dt,what\n1,1e-5,walls\n\n2,,\n", encoding="utf-8")
    assert read_table(Path("rows.csv")) == [{"seed": 1, "dt": 1e-5, "what": "walls"}, {"seed": 2}]
    for text, said in (("seed\n", "no rows"), ("seed,\n1,2\n", "name every column"), ("a,a\n1,2\n", "another name"),
                       ("a,b\n1\n", "row 1 has 1 cells"), ("a;b\n1;2\n", "apart by semicolons: write it with commas"),
                       ("a\tb\n1\t2\n", "apart by tabs")):  # fmt: skip
        Path("bad.csv").write_text(text)
        with pytest.raises(InputError, match=said):
            read_table(Path("bad.csv"))
    with pytest.raises(InputError, match="there is no table"):
        read_table(Path("none.csv"))


def test_numbers_of_rows():
    assert read_numbers("7", 9) == [7] and read_numbers("3,5:7,3", 9) == [3, 5, 6, 7]
    for text in ("0", "10", "1.5", "all"):
        with pytest.raises(InputError, match="numbered from 1 to 9"):
            read_numbers(text, 9)


# --- rows ------------------------------------------------------------------------------------------------------------


def test_rows_are_all_combinations_and_take_the_parameters_own_types():
    sweep = Sweep("cow-gas", vary={"seed": range(1, 3), "speed": [1, "2.5"]}, given={"until": "0.5"})
    assert sweep.rows == [
        {"until": 0.5, "seed": 1, "speed": 1.0}, {"until": 0.5, "seed": 1, "speed": 2.5},
        {"until": 0.5, "seed": 2, "speed": 1.0}, {"until": 0.5, "seed": 2, "speed": 2.5},
    ]  # fmt: skip
    table = [{"seed": 3, "grains": np.int64(20)}, {"seed": 4}]
    both = Sweep("cow-gas", table=table, vary={"speed": np.array([1.0, 2.0])})
    assert [(row["seed"], row.get("grains"), row["speed"]) for row in both.rows] == [
        (3, 20, 1.0), (3, 20, 2.0), (4, None, 1.0), (4, None, 2.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"vary": {"seed": [1, -1]}}, r"row 2 \(seed=-1\): cow-gas: --seed -1"),
        ({"vary": {"sped": [1]}}, r"row 1 \(sped=1\): cow-gas has no parameter --sped"),
        ({"vary": {"seed": [1, 1.0]}}, "rows 1 and 2 are the same"),
        ({"vary": {"seed": []}}, "no value"),
        ({"vary": {"seed": [1]}, "given": {"seed": 2}}, "seed is given once for all and varied too"),
        ({"vary": {"seed": [1]}, "table": [{"seed": 2}]}, "stands in the table too"),
        ({"table": []}, "no rows"),
        ({"vary": {"seed": range(1000), "grains": range(2, 1000)}}, "rows are more than"),
        ({"vary": {"seed": [1]}, "size": "huge"}, "no size 'huge'"),
    ],
)
def test_bad_rows_are_refused_before_anything_is_written(asked, said):
    with pytest.raises(InputError, match=said):
        Sweep("cow-gas", **asked)
    assert list(Path().iterdir()) == []


def test_bad_requests_leave_one_sentence_and_no_folder(capsys):
    Path("scene.toml").write_text(MINIMAL)
    before = sorted(Path().rglob("*"))
    for words, said in (
        (["sweep", "cow-gas"], "what shall be varied"),
        (["sweep"], "what shall be swept"),
        (["sweep", "cow-gas", "--vary", "seed=1:2", "--vary", "seed=3"], "varied twice"),
        (["sweep", "cow-gas", "--vary", "seed=0.5", "--out", "s"], "row 1 (seed=0.5)"),
        (["sweep", "cow-gas", "--vary", "seed=1", "--speed"], "--speed needs a value"),
        (["sweep", "cow-gas", "--vary", "seed=1", "--jobs", "0"], "--jobs 0"),
        (["sweep", "cow-jump", "--vary", "seed=1"], "no experiment 'cow-jump'"),
        (["sweep", "scene.toml", "--vary", "law.frction=0.1"], "did you mean"),
        (["sweep", "scene.toml", "--vary", "law.friction=0.1"], "needs a tangential_stiffness"),
        (
            ["sweep", "scene.toml", "--vary", "law.normal_damping=1,-1"],
            "row 2 (law.normal_damping=-1): scene.toml: law.normal_damping: -1",
        ),
        (["sweep", "scene.toml", "--vary", "grains.1.spin=0.1"], "grains has 1 entry"),
        (["sweep", "scene.toml", "--vary", "grains.0.spin=1", "--law.friction"], "--law.friction needs a value"),
        (["sweep", "scene.toml", "--vary", "law.normal_damping=1", "--size", "full"], "a scene file has none"),
        (["run", "cow-gas", "--jobs", "2"], "one scene"),
        (["run", "cost-of-shape", "--jobs", "2"], "measures time"),
        (["run", "scene.toml", "--jobs", "2"], "--jobs is for studies"),
        (["run", "friction-loop", "--jobs", "0"], "--jobs 0"),
    ):
        assert run_command(words) == 2, words
        told = capsys.readouterr()
        assert said in told.err and told.err.count("\n") == 1 and told.out == "", told
        assert sorted(Path().rglob("*")) == before, words


# --- plans -----------------------------------------------------------------------------------------------------------


def test_a_plan_may_grow_but_not_change(capsys):
    assert run_command(["sweep", "cow-gas", "--vary", "seed=1:2", "--out", "s", "--plan"]) == 0
    said = capsys.readouterr().out
    assert "2 rows in s" in said and "with SLURM:  clast sweep s --script" in said
    old = json.loads(Path("s/sweep.json").read_text())
    assert (old["format"], old["format_version"]) == ("clast-sweep", 1)
    assert old["rows"][0] == {"name": "0001_seed=1", "what": "cow-gas", "size": "quick", "parameters": {"seed": 1}}
    grown = Sweep("cow-gas", vary={"seed": [3, 2, 1]}).plan("s")
    assert grown.names == ("0001_seed=1", "0002_seed=2", "0003_seed=3") and read_plan(Path("s")) == grown
    kept = Path("s/sweep.json").read_bytes()
    for sweep, said in (
        (Sweep("cow-gas", vary={"seed": [1, 2]}), r"row 3 \(seed=3\), which is not among those"),
        (Sweep("cow-gas", vary={"seed": [1, 2, 3]}, size="full"), "is of cow-gas, size quick, not of cow-gas, size full"),
        (Sweep("cow-gas", vary={"seed": [1, 2, 3]}, given={"speed": 2}), "not among those"),
        (Sweep("cow-bounce", vary={"seed": [1, 2, 3]}), "not of cow-bounce"),
    ):
        with pytest.raises(StoreError, match=said):
            sweep.plan("s")
    assert Path("s/sweep.json").read_bytes() == kept
    index = Path("s/index.csv").stat().st_mtime_ns
    assert run_command(["sweep", "s", "--list"]) == 0
    assert capsys.readouterr().out.count("missing") == 3
    assert run_command(["sweep", "s", "--list", "--only", "1", "--only", "3"]) == 0
    assert capsys.readouterr().out.count("missing") == 2, "--only may be said several times"
    assert Path("s/index.csv").stat().st_mtime_ns == index, "a list writes nothing: the sweep may be somebody else's"
    assert run_command(["sweep", "s", "--list", "--only", "2"]) == 0
    said = capsys.readouterr().out
    assert said.count("missing") == 1 and "seed" in said
    assert run_command(["sweep", "s", "--vary", "seed=4"]) == 2
    assert "to add rows, give its experiment" in capsys.readouterr().err
    for words in (["--size", "full"], ["--speed", "3"], ["--out", "t"], ["--only", "4"]):
        assert run_command(["sweep", "s", *words]) == 2


@pytest.mark.parametrize("name", ["../other", "/tmp/other", "..", "", "a/b"])
def test_a_plan_stays_in_its_folder(name):
    Sweep("cow-gas", vary={"seed": [1]}).plan("s")
    path = Path("s/sweep.json")
    path.write_text(path.read_text().replace('"0001"', json.dumps(name)))
    with pytest.raises(StoreError, match="is no name of a file"):
        read_plan(Path("s"))


def test_a_folder_with_other_things_is_no_place_for_a_sweep():
    Path("s").mkdir()
    Path("s/notes.txt").touch()
    with pytest.raises(StoreError, match="holds other files"):
        Sweep("cow-gas", vary={"seed": [1]}).plan("s")
    with pytest.raises(StoreError, match="is a file"):
        Sweep("cow-gas", vary={"seed": [1]}).plan("s/notes.txt")
    with pytest.raises(StoreError, match="there is no sweep in s"):
        clast.open_sweep("s")
    for text in ("{", "[]", '{"format": "other"}', '{"format": "clast-sweep", "format_version": 2}'):
        Path("s/sweep.json").write_text(text)
        with pytest.raises(StoreError, match=r"sweep\.json"):
            clast.open_sweep("s")


# --- scene files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", VALID.values(), ids=VALID.keys())
def test_a_scene_written_anew_says_the_same(text):
    assert tomllib.loads(toml_text(tomllib.loads(text))) == tomllib.loads(text)
    odd = {'a "b"\\': "line\nline\x7f é", "n": {"deep": [1, 2.5, True, {"x": -math.inf}]}}
    assert tomllib.loads(toml_text(odd)) == odd


def test_entries_are_replaced_by_dotted_keys():
    Path("tags.toml").write_text(VALID["tags"])
    given = {
        "law.friction": 0.7,
        "fill.0.seed": 9,
        "gravity.1": -3.0,
        "box.period_y": 30.0,
        "tags.1.value": 2.0,
        "run.until": 0.02,
    }
    keys = parse_row(Path("tags.toml"), given)[1]
    assert (keys.law.friction, keys.fill[0].seed, keys.gravity, keys.box.period_y) == (0.7, 9, [0.0, -3.0], 30.0)
    assert keys.tags[1].value == 2.0 and keys.run.until == 0.02 and keys.fill[1].count == 2
    with pytest.raises(InputError, match=r"law\.kind is a single value"):
        parse_row(Path("tags.toml"), {"law.kind.x": 1})


def test_a_sweep_of_a_scene_keeps_a_copy_of_all_its_files():
    Path("in").mkdir()
    Path("in/scene.toml").write_text(VALID["shapes"])
    Path("in/arrow.toml").write_text(ARROW)
    sweep = Sweep("in/scene.toml", vary={"law.friction": [0.2, math.inf]})
    plan = sweep.plan("s")
    Path("in/arrow.toml").unlink()
    Path("in/scene.toml").unlink()
    again = read_plan(Path("s"))
    assert again == plan and again.rows[1] == {"law.friction": math.inf}
    for task, friction in zip(again.tasks, (0.2, math.inf), strict=True):
        file = read_row(Path(task.what), task.parameters)
        assert file.keys.law.friction == friction and list(file.shape_texts.values()) == [ARROW]
    Path("in/scene.toml").write_text(VALID["shapes"] + "\n# another\n")
    Path("in/arrow.toml").write_text(ARROW)
    with pytest.raises(StoreError, match=r"planned with another scene\.toml"):
        Sweep("in/scene.toml", vary={"law.friction": [0.2, math.inf]}).plan("s")
    Path("in/scene.toml").write_text(VALID["shapes"])
    Path("in/arrow.toml").write_text(ARROW + "# another")
    with pytest.raises(StoreError, match=r"planned with another 0-arrow\.toml"):
        Sweep("in/scene.toml", vary={"law.friction": [0.2, math.inf]}).plan("s")


def test_an_entry_without_its_table_is_told_where_it_is():
    Path("gas.toml").write_text(MINIMAL, encoding="utf-8")
    with pytest.raises(InputError, match=r"no entry until; did you mean run\.until\?"):
        parse_row(Path("gas.toml"), {"until": 2.0})
    with pytest.raises(InputError, match=r"no entry sped; name it as law\.friction"):
        parse_row(Path("gas.toml"), {"sped": 2.0})


def test_a_look_at_a_new_sweep_writes_nothing(capsys):
    assert run_command(["sweep", "cow-gas", "--vary", "seed=7:8", "--list", "--out", "s"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[3:5]] == [["1", "7"], ["2", "8"]]
    assert not Path("s").exists() and not Path("runs").exists()


def test_names_in_a_scene_file_are_as_they_are(capsys):
    scene = MINIMAL.replace('shape = "disk"', 'shape = "big-rock"') + "\n[shapes.big-rock]\nkind = 'disk'\nradius = 0.1\n"
    assert scene.count("big-rock") == 2
    Path("Box.TOML").write_text(scene)
    words = [
        "sweep",
        "Box.TOML",
        "--vary",
        "law.normal_damping=1,2",
        "--shapes.big-rock.radius",
        "0.2",
        "--out",
        "a box",
        "--plan",
    ]
    assert run_command(words) == 0
    assert "clast sweep 'a box'\n" in capsys.readouterr().out, "ready to be typed"
    first, second = read_plan(Path("a box")).tasks
    assert first.parameters == {"shapes.big-rock.radius": 0.2, "law.normal_damping": 1} and first.is_scene
    assert Path(second.what) == Path("a box/scene/Box.TOML")


# --- one row ---------------------------------------------------------------------------------------------------------


def piece(task, folder="s"):
    plain = {"name": task.name, "what": task.what, "size": task.size, "parameters": dict(task.parameters), "alone": task.alone}
    return {"task": plain, "folder": folder, "threads": 1, "device": None, "checkpoint_seconds": 30.0}


@pytest.fixture(autouse=True)
def _own_command(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["test"])  # a worker sets it to the command of its task


def test_a_failure_is_kept_in_its_folder_and_forgotten_when_tried_again():
    task = Task("bad", "cow-bounce", None, {"dt": 1.0, "until": 5.0})
    for _ in range(2):
        answer = work(piece(task), lambda _: None)
        assert answer["state"] == "failed" and "unstable" in answer["message"]
        assert state_of(Path("s/bad")) == "failed" and read_error(Path("s/bad")) == answer["message"]
    stored = json.loads(Path("s/bad/failure.json").read_text())
    assert stored["format"] == "clast-failure" and stored["trace"] is None and stored["parameters"]["dt"] == 1.0
    unforeseen = Task("worse", "scene.toml")
    Path("scene.toml").mkdir()
    assert work(piece(unforeseen), lambda _: None)["state"] == "failed"


def test_an_error_nobody_foresaw_keeps_its_trace(monkeypatch):
    monkeypatch.setattr("clast.sweeps.worker.carry_out", lambda *_, **__: 1 / 0)
    answer = work(piece(Task("odd", "cow-gas")), lambda _: None)
    assert answer["message"] == "ZeroDivisionError: division by zero"
    assert sys.argv[:3] == ["clast", "run", "cow-gas"]
    trace = json.loads(Path("s/odd/failure.json").read_text())["trace"]
    assert "carry_out" in trace and str(Path(clast.__file__).parent) not in trace


def test_a_run_that_another_process_writes_is_left_alone():
    Path("s/held").mkdir(parents=True)
    lock = RunLock(Path("s/held"))
    task = Task("held", "cow-bounce", None, {"until": 0.01})
    keep_error(Path("s/held"), task, "before")
    assert work(piece(task), lambda _: None)["state"] == "elsewhere"
    assert read_error(Path("s/held")) == "before", "what lies there is the other's business"
    (Path("s/held") / ERROR_FILE).unlink()
    assert state_of(Path("s/held"), running=True) == "running" and state_of(Path("s/held")) == "missing"
    assert not (Path("s/held") / ERROR_FILE).exists()
    lock.release()
    assert state_of(Path("s/held"), running=True) == "missing"


def test_a_process_that_died_is_a_failure_of_its_own():
    task = Task("dead", "cow-bounce")
    ending = understood(task, Path("s"), {"end": True, "died": "its process was killed"})
    assert ending.state == "failed" and read_error(Path("s/dead")) == ending.message
    keep_error(Path("s/dead"), task, "again")
    assert read_error(Path("s/dead")) == "again"
    told = understood(
        Task("told", "cow-bounce"), Path("s"), {"end": True, "died": "its process was ended by SIGTERM", "signalled": True}
    )
    assert told.state == "failed" and state_of(Path("s/told")) == "missing", "one that was told to end is gone on with"


def test_a_run_that_another_process_has_finished_meanwhile_is_not_touched(monkeypatch):
    Path("s/done").mkdir(parents=True)
    for name in ("run.h5", "result.json", DRAWN_FILE):
        (Path("s/done") / name).touch()
    monkeypatch.setattr("clast.sweeps.worker.carry_out", lambda *_, **__: pytest.fail("it is finished"))
    assert work(piece(Task("done", "cow-gas")), lambda _: None)["state"] == "finished"
