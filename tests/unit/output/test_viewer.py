"""The viewer without a browser: its blocks hold the run, its page wants nothing, its server lets nobody else in."""

import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import threading
import time

import numpy as np
import pytest
from PIL import Image
from stored_runs import stored_run
from viewed_runs import EVIL, FORCE, flat_run, solid_run
from viewer_sources import SOURCES, sources_hash

from clast.algebra.quaternions import matrix
from clast.cli.entry import run_command
from clast.errors import InputError
from clast.laws import Linear
from clast.output.store.lock import RunLock
from clast.output.viewer.described import Described
from clast.output.viewer.packed import Block, unpacked
from clast.output.viewer.page import BUNDLE, as_json, bundle, saved_page
from clast.output.viewer.served import ServedRun
from clast.output.viewer.server import ViewServer
from clast.output.viewer.watched import WATCH_FILE, Watch, touch, wished
from clast.scene.plane import Scene
from clast.shapes import disk, polygon


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    return flat_run(tmp_path_factory.mktemp("flat") / "run")


@pytest.fixture(scope="module")
def solid(tmp_path_factory):
    return solid_run(tmp_path_factory.mktemp("solid") / "run")


def test_blocks_give_back_what_was_put_in():
    rng = np.random.default_rng(0)
    smooth = np.cumsum(np.cumsum(rng.normal(size=(9, 2, 40)), axis=0), axis=0)
    block = Block(first=3)
    block.steps("smooth", smooth, 1e-3)
    block.steps("jumps", 1e6 * rng.normal(size=(5, 7)), 0.5)
    block.steps("none", np.zeros((0, 3)), 1.0)
    sizes = np.array([0.0, 1e-6, 3.0, -500.0, 1000.0])
    block.halves("sizes", sizes)
    block.raw("as-it-is", np.arange(6).reshape(2, 3), "uint32")
    head, arrays = unpacked(block.packed())
    assert head["first"] == 3 and arrays["none"].shape == (0, 3)
    assert np.abs(arrays["smooth"] - smooth).max() <= 0.5001e-3
    assert head["arrays"]["smooth"]["order"] == 2 and head["arrays"]["jumps"]["order"] == 1
    assert np.abs(arrays["sizes"] / np.where(sizes == 0.0, 1.0, sizes) - (sizes != 0.0)).max() < 1e-3
    assert (arrays["as-it-is"] == [[0, 1, 2], [3, 4, 5]]).all()


def test_a_value_that_is_no_number_spoils_no_other():
    block = Block()
    block.halves("sizes", np.array([1.0, np.nan, np.inf]))
    block.steps("places", np.array([[1.0, np.nan]]), 0.5)
    arrays = unpacked(block.packed())[1]
    assert arrays["sizes"].tolist() == [1.0, 0.0, 0.0] and arrays["places"].tolist() == [[1.0, 0.0]]


def frames_of(described):
    """Arrays of all blocks, one after the other."""
    blocks = [unpacked(described.framed.block(k)) for k in range(described.framed.blocks)]
    assert [head["first"] for head, _ in blocks] == [k * described.framed.per_block for k in range(len(blocks))]
    names = [name for name in blocks[0][1] if not name.startswith("contact_")]
    return {name: np.concatenate([arrays[name] for _, arrays in blocks]) for name in names}, blocks


def test_the_plane_arrives(flat):
    described = Described(flat)
    arrays, blocks = frames_of(described)
    assert len(blocks) == 2 and described.framed.per_block == 25  # 30 frames
    fine = described.framed.small / 400.0
    for k, frame in enumerate(flat.frames):
        assert np.abs(arrays["positions"][k].T - frame.positions).max() <= 0.51 * fine
        assert np.abs(arrays["angles"][k] - frame.angles).max() <= 0.51 / 512.0
        assert np.abs(arrays["speed"][k] - 2.0 * np.arange(11)).max() <= 1e-2
    # one grain pushes the other along x with arms of 0.5: p = F a / (2 A), in either the same way
    areas = flat.scene["body_area"]
    assert np.allclose(arrays["pressure"][4][1:3], FORCE * 0.5 / (2.0 * areas[1:3]), rtol=1e-3)
    assert (arrays["pressure"][:, 3:] == 0.0).all()
    touch_of = blocks[0][1]
    assert touch_of["contact_count"].tolist() == [1] * 25
    assert (touch_of["contact_first"] == 1).all() and (touch_of["contact_second"] == 1).all()
    assert np.allclose(touch_of["contact_force"], FORCE, rtol=1e-3)


def test_space_arrives(solid):
    arrays, _ = frames_of(Described(solid))
    for k, frame in enumerate(solid.frames):
        turned = arrays["orientations"][k].T
        size = np.linalg.norm(turned, axis=1, keepdims=True)
        assert np.abs(matrix(turned / size) - matrix(frame.orientations)).max() < 2e-3
        assert np.abs(arrays["positions"][k].T - frame.positions).max() < 2e-3
    facts, (head, bodies) = Described(solid).facts, unpacked(Described(solid).bodies())
    assert facts["space"] and facts["shapes"] == solid.scene["shape_name"] and "ring" not in bodies
    assert len(bodies["point"]) == bodies["point_first"][-1] and head["arrays"]["point"]["kind"] == "float32"
    assert bodies["triangle"].max() < np.diff(bodies["point_first"]).max()


def test_series_hold_the_book(flat):
    _, arrays = unpacked(Described(flat).series())
    assert np.allclose(arrays["time"], flat.series["time"]) and "/normal_elastic" not in arrays  # it never changes
    assert np.allclose(arrays["/residual"], flat.book.residual, atol=1e-6) and np.ptp(arrays["/residual"]) > 1.0


def test_a_drum_is_a_rim_and_a_wedge_is_full(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add_wall(polygon([(-5, -5), (5, -5), (5, 5), (-5, 5)], radius=0.1))
    scene.add_wall(polygon([(10, 0), (14, 0), (12, 3)], radius=0.1))
    scene.add(disk(radius=0.5), (1.0, 2.0))
    run = stored_run(tmp_path / "run", scene, [{"angles": np.array([0.5, 0.0, 0.0])}])
    bodies = unpacked(Described(run).bodies())[1]
    holes = [int(bodies["ring_hole"][bodies["ring_shape"] == k].sum()) for k in run.scene["body_shape"][:2]]
    assert holes == [1, 0]


def test_fewer_frames_are_evenly_chosen(flat):
    described = Described(flat, 4)
    assert described.chosen == [0, 10, 19, 29]
    assert described.facts["times"] == flat.frames.times[[0, 10, 19, 29]].tolist()


def test_the_saved_page_wants_nothing_and_holds_no_markup_of_the_run(flat, tmp_path):
    page = saved_page(flat)
    assert EVIL not in page and "window.broken" in page  # as text
    script = bundle()[0]
    around = page.replace(script, "").replace(bundle()[1], "")
    assert not re.search(r"https?:|src=|@import|url\(", around.replace(as_json(EVIL)[1:-1], ""))
    assert not re.search(r"@import|url\((?!data:)", bundle()[1])
    assert "default-src 'none'" in page and "connect-src 'none'" in page and "'unsafe-eval'" not in page
    assert page.count("<script") == page.count("</script>") == 3 + 2 + 1  # facts, bodies, series; blocks; the script
    facts = json.loads(re.search(r'id="clast-facts">(.*?)</script>', page).group(1))
    assert facts["names"] == ["", EVIL] and len(facts["times"]) == 30
    block = base64.b64decode(re.search(r'id="clast-block-1">(.*?)</script>', page).group(1))
    assert unpacked(block)[0]["count"] == 5


def test_the_policy_lets_the_own_script_run_and_no_other(flat):
    page = saved_page(flat)
    text = re.search(r"<script>(.*)</script>", page, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert re.search(r"script-src ([^;]*)", page).group(1) == f"'sha256-{digest}'"


def test_the_bundle_is_that_of_the_sources():
    stamp = re.match(r"/\* sources (\w{64}) \*/", bundle()[0])
    assert stamp and stamp[1] == sources_hash(), "viewer/ has changed since the page was built: run `make viewer`"
    assert sum(path.stat().st_size for path in BUNDLE.iterdir()) < 1.5e6
    assert "three" in (BUNDLE / "LICENSES.txt").read_text(encoding="utf-8")


def test_the_saved_view_of_the_docs_is_of_this_bundle():
    path = SOURCES.parent / "docs" / "viewer-example.html"
    text = path.read_text(encoding="utf-8")
    assert bundle()[0] in text and bundle()[1] in text, "docs/viewer-example.html has another page: run `make viewer-example`"
    facts = json.loads(re.search(r'id="clast-facts">(.*?)</script>', text).group(1))
    assert facts["title"] == "hopper" and len(facts["times"]) == 80 and path.stat().st_size < 1e6


def test_the_animated_pictures_are_small():
    pictures = sorted((SOURCES.parent / "docs" / "images").glob("movie-*.gif"))
    assert [each.stem for each in pictures] == ["movie-plane", "movie-sharp", "movie-space"]
    for each in pictures:
        with Image.open(each) as picture:
            assert picture.n_frames >= 30 and each.stat().st_size < 400_000, each


def test_a_changed_source_changes_the_hash(tmp_path):
    shutil.copytree(SOURCES, tmp_path / "viewer", ignore=shutil.ignore_patterns("node_modules"))
    assert sources_hash(tmp_path / "viewer") == sources_hash()
    (tmp_path / "viewer/src/main.ts").open("a").write("\n")
    assert sources_hash(tmp_path / "viewer") != sources_hash()


@pytest.fixture
def served(flat):
    with ViewServer(ServedRun(flat.folder)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def get(server, path, method="GET", body=None, **headers):
    """Status, headers and content of an answer, as a program that sends just that would get it."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    line.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        line.putheader(name, value)
    if body is not None:
        line.putheader("Content-Length", str(len(body)))
    line.endheaders(body)
    answer = line.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    line.close()
    return found


def test_the_server_hands_out_the_run(served, flat):
    root = f"/{served.token}/"
    assert served.address == f"http://127.0.0.1:{served.server_port}{root}"
    status, headers, page = get(served, root)
    assert status == 200 and b"clast-facts" not in page.split(b"<script>")[0] and headers["Cache-Control"] == "no-store"
    assert "connect-src 'self'" in headers["Content-Security-Policy"] and headers["X-Content-Type-Options"] == "nosniff"
    facts = json.loads(get(served, root + "facts")[2])
    assert len(facts["times"]) == 30 and facts["blocks"] == 2 and facts["live"] is False
    head, arrays = unpacked(get(served, root + "block/1?frames=5")[2])
    assert head["first"] == 25 and arrays["positions"].shape == (5, 2, 11)
    history = unpacked(get(served, root + "history/3")[2])[1]
    assert np.allclose(history["displacement"], 0.2 * np.arange(30), atol=1e-5) and np.allclose(history["speed"], 6.0)
    assert unpacked(get(served, root + "bodies")[2])[1]["shape"].shape == (11,)
    assert "/kinetic" in unpacked(get(served, root + "series")[2])[1]


def test_only_the_token_opens(served):
    for path in ("/", "/facts", "/wrong/facts", f"/{served.token[:-1]}/facts", f"/{served.token}"):
        status, _, content = get(served, path)
        assert status == 403 and content == b"not allowed", path
    assert len(served.token) >= 32
    with ViewServer(served.what) as other:
        assert other.token != served.token


def test_other_hosts_and_pages_are_refused(served):
    path, port = f"/{served.token}/facts", served.server_port
    assert get(served, path, Host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}"):
        assert get(served, path, Host=host)[0] == 403, host
    assert get(served, path, Origin=f"http://127.0.0.1:{port}")[0] == 200
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}"):
        assert get(served, path, Origin=origin)[0] == 403, origin
        assert get(served, f"/{served.token}/wish", "POST", b"save", Origin=origin)[0] == 403, origin


def test_nothing_but_names_is_read(served, flat):
    (flat.folder.parent / "secret.txt").write_text("secret")
    for name in (
        "run.h5", "../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "block/../../secret.txt", "parts/0000.h5",
        "/etc/passwd", "block/2", "block/-1", "block/1e1", "block/99999999999999999999", "history/11", "history/", "facts/1/2",
        "run/1/facts", "_now",
        "block/%D9%A1", "wish", "keep",
    ):  # fmt: skip
        status, _, content = get(served, f"/{served.token}/{name}")
        assert status == 404 and b"secret" not in content.replace(b"secret.txt", b""), name
    assert get(served, f"/{served.token}/wish", "POST", b"x" * 100)[0] == 404
    assert get(served, f"/{served.token}/facts", "PUT")[0] == 501


def test_only_this_machine_is_listened_to(served):
    assert served.server_address[0] == "127.0.0.1"
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in (each for each in others if not each.startswith("127.")):
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((address, served.server_port), timeout=0.5)


def test_wishes_reach_a_run_that_is_being_written_and_no_other(served, flat, monkeypatch):
    root = f"/{served.token}/"
    status, _, content = get(served, root + "wish", "POST", b"hold")
    assert status == 404 and b"no process" in content and not (flat.folder / WATCH_FILE).exists()
    lock = RunLock(flat.folder)
    monkeypatch.setattr(served.what._now().run, "finished", False)
    try:
        assert get(served, root + "wish", "POST", b"delete")[0] == 404
        assert get(served, root + "wish", "POST", b"hold")[0] == 200 and wished(flat.folder) == "hold"
        facts = json.loads(get(served, root + "facts")[2])
        assert facts["live"] is True and facts["held"] is True
        assert get(served, root + "wish", "POST", b"go")[0] == 200 and wished(flat.folder) == "go"
    finally:
        lock.release()
        (flat.folder / WATCH_FILE).unlink()


def test_a_watched_run_saves_its_frames_and_waits(tmp_path):
    watch = Watch(tmp_path)
    watch.saved(10, 0.0)
    watch._saved -= 5.0  # seconds ago
    assert not watch.wants(20), "nobody looks"
    touch(tmp_path)
    assert watch.wants(20) and not watch.wants(10), "a new frame is saved, an old one is not saved again"
    watch.saved(10, 10.0)
    watch._saved -= 5.0
    assert not watch.wants(20), "checkpoints that take long are seldom"
    touch(tmp_path, "hold")
    began = time.monotonic()
    threading.Timer(0.3, lambda: touch(tmp_path, "go")).start()
    watch.wait(lambda: False)
    assert 0.2 < time.monotonic() - began < 5.0
    touch(tmp_path, "hold")
    watch.wait(lambda: True)  # a signal goes before
    touch(tmp_path, "save")
    assert watch.wants(10)
    watch.wait(lambda: False)
    assert wished(tmp_path) == "go", "once is enough"


def test_a_hold_that_nobody_keeps_ends(tmp_path):
    touch(tmp_path, "hold")
    old = time.time() - 60.0
    os.utime(tmp_path / WATCH_FILE, (old, old))
    assert wished(tmp_path) == ""
    Watch(tmp_path).wait(lambda: False)


def test_the_command_saves_one_file(flat, tmp_path, capsys):
    path = tmp_path / "run.html"
    assert run_command(["view", str(flat.folder), "--save", str(path)]) == 0
    assert str(path) in capsys.readouterr().out and path.read_text(encoding="utf-8").startswith("<!doctype html>")
    for words, sentence in (
        (["--save", str(tmp_path / "run.txt")], ".html"), (["--save", str(tmp_path / "no" / "run.html")], "no folder"),
        (["--port", "99999"], "--port"), (["--frames", "0"], "--frames"),
    ):  # fmt: skip
        assert run_command(["view", str(flat.folder), *words]) == 2 and sentence in capsys.readouterr().err
    assert run_command(["view", str(tmp_path), "--no-browser"]) == 2 and "no run" in capsys.readouterr().err


def test_a_run_shows_itself_in_a_notebook(flat, tmp_path):
    shown = flat.view(height=300, frames=5)
    text = shown._repr_html_()
    assert (
        text.startswith("<iframe srcdoc=")
        and "height: 300px" in text
        and "<script" not in text
        and "allow-same-origin" not in text
    )
    assert shown.save(tmp_path / "five.html").stat().st_size > 100_000
    for wrong in ({"height": 3}, {"height": "big"}, {"frames": 0}, {"frames": True}):
        with pytest.raises(InputError):
            flat.view(**wrong)


def test_a_run_without_frames_is_refused(tmp_path):
    run = flat_run(tmp_path / "run", frames=0)
    with pytest.raises(InputError, match="no frames"):
        saved_page(run)
