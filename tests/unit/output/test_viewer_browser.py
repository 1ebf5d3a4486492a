"""The viewer in a browser, where this machine has one: every control does what it is for, and the page complains of nothing."""

import json
import threading
import time

import numpy as np
import pytest
from browser import Browser, find_browser
from PIL import Image
from viewed_runs import EVIL, flat_run, solid_run

from clast.cli.sweep_view import ServedSweep
from clast.laws import Linear
from clast.output.store.lock import RunLock
from clast.output.viewer import stepped
from clast.output.viewer.page import save_page
from clast.output.viewer.served import ServedRun
from clast.output.viewer.server import ViewServer
from clast.output.viewer.stepped import Simulation
from clast.output.viewer.watched import wished
from clast.scene.plane import Scene
from clast.shapes import disk, segment
from clast.sweeps.sweep import Sweep

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium is installed here (apt-get install chromium)")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Saved pages of a run in the plane and of one in space, and their runs."""
    folder = tmp_path_factory.mktemp("pages")
    runs = {"flat": flat_run(folder / "flat"), "solid": solid_run(folder / "solid")}
    return {name: (save_page(run, folder / f"{name}.html").as_uri(), run) for name, run in runs.items()}


@pytest.fixture(scope="module")
def browser():
    with Browser(find_browser(), 760, 480) as found:
        yield found


@pytest.fixture
def page(browser):
    """The browser; a page that complained of anything fails the test."""
    browser.theme("dark")
    browser.resize(760, 480)
    yield browser
    assert browser.errors == []


def drawn(page, wait="true"):
    """Wait until the last change is on the screen."""
    page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")
    page.wait(wait)


def look(page):
    """Let the page look at once whether there is more, not only within a second."""
    page.run("void clast.lookAgain()")


def seen(page, path, still=False):
    """The picture that is drawn as numbers (height, width, 3), without what lies over it; `still` where edges are smoothed."""
    page.run("document.querySelectorAll('header, nav, #legend, #scale, #card').forEach(each => each.style.visibility = 'hidden')")
    drawn(page, "!clast.stage.software || clast.stage.ratio === 2" if still else "true")
    page.picture(path)
    return np.asarray(Image.open(path).convert("RGB")).astype(int)[:400, :500]


def test_one_file_opens_and_wants_nothing(page, pages, tmp_path):
    for name in ("flat", "solid"):
        page.open(pages[name][0] + "#t=1")
        drawn(page)
        wanted = [each for each in page.requests if not each.startswith(("file:", "data:", "blob:"))]
        assert wanted == [] and page.errors == []
        assert abs(page.run("clast.run.time(clast.at)") - 1.0) < 1e-6
        colours = len(np.unique(seen(page, tmp_path / "page.png", still=True).reshape(-1, 3), axis=0))
        assert colours > 20, "grains are drawn, not a blank page"


def test_grains_are_where_they_are(page, pages):
    address, run = pages["flat"]
    page.open(address + "#t=1")
    drawn(page)
    frame = run.frames[10]
    low, high = page.run("[clast.run.facts.view[0], clast.run.facts.view[1]]")
    state = np.array(page.run("Array.from(clast.stage.state.slice(0, 88))")).reshape(11, 8)
    middle = 0.5 * (np.array(low) + np.array(high))
    assert np.abs(state[:, :2] + middle - frame.positions).max() < 5e-3
    assert np.abs(2.0 * np.arctan2(state[:, 6], state[:, 7]) - frame.angles).max() < 5e-3


def test_a_click_shows_the_numbers_of_a_grain(page, pages):
    for name in ("flat", "solid"):
        address, run = pages[name]
        page.open(address + "#t=0.5&eye=" + ("" if name == "flat" else "0,-14,6,0,0,0"))
        drawn(page)
        # where a grain is on the page: the nearest one, so that nothing hides it
        place = page.run("""(() => {
            const s = clast.stage, box = s.renderer.domElement.getBoundingClientRect();
            let best = [Infinity];
            for (let k = 1; k < clast.run.facts.bodies; k++) {
              const p = s.camera.position.clone().fromArray(s.state, 8 * k);
              const away = p.distanceTo(s.camera.position);
              p.project(s.camera);
              if (away < best[0]) best = [away, k, box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
            }
            return best; })()""")
        _, grain, x, y = place
        page.click(x, y)
        drawn(page, "!document.getElementById('card').hidden")
        assert page.run("clast.stage.picked") == grain
        text = page.run("document.getElementById('card').innerText")
        speed = np.linalg.norm(run.frames[5].velocities[grain])
        assert f"grain {grain}" in text and f"{speed:.4g}"[:3] in text
        page.wait("clast.plots.chosen === 'grain: speed'")
        page.key("Escape")
        drawn(page, "document.getElementById('card').hidden")


def test_the_fastest_grain_is_found(page, pages):
    for name, fastest in (("flat", 10), ("solid", 8)):
        page.open(pages[name][0] + "#t=1&colour=speed")
        drawn(page)
        page.key("m")
        page.wait("!document.getElementById('card').hidden")
        assert page.run("clast.stage.picked") == fastest
    page.key("Escape")
    page.run("clast.colourBy('shape')")
    page.key("m")
    page.wait("document.querySelector('.note') !== null")
    assert page.run("clast.stage.picked") == -1


def test_texts_of_a_run_are_texts(page, pages):
    page.open(pages["flat"][0] + "#t=0&grain=2&colour=name")
    drawn(page)
    assert EVIL in page.run("document.getElementById('card').innerText.replace(/\\n/g, ' ')")
    assert EVIL in page.run("document.getElementById('legend').innerText")
    assert page.run("window.broken === undefined && document.images.length === 0")


def test_time_goes_on_and_by_steps(page, pages):
    page.open(pages["flat"][0])
    page.run("document.getElementById('play').click()")
    page.wait("clast.at > 0.5")
    page.key(" ")
    stood = page.run("[clast.playing, clast.at]")
    assert stood[0] is False
    page.key("Home")
    for key, place in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 29)):
        page.key(key)
        assert page.run("clast.at") == place, key
    page.run("""{ const s = document.querySelector('#timebar input'); s.value = 7.5; s.dispatchEvent(new Event('input')) }""")
    drawn(page)
    page.run("clast.speed = 0.1; clast.play(true); clast.pace = 1")
    page.wait("clast.stage.ratio === (clast.stage.software ? 0.7 : devicePixelRatio)")
    page.run("clast.play(false); clast.goTo(7.5)")
    drawn(page, "!clast.stage.hasty && clast.stage.ratio >= 1")
    assert page.run("clast.at") == 7.5 and "frame 8/30" in page.run("document.querySelector('#timebar output').textContent")


def test_every_colour_paints_and_has_a_legend(page, pages, tmp_path):
    for name in ("flat", "solid"):
        page.open(pages[name][0] + "#t=1&theme=dark")
        keys = page.run("Array.from(document.getElementById('colour').options, each => each.value)")
        assert {"speed", "spin", "pressure", "neighbours", "displacement", "orientation", "shape", "density"} <= set(keys)
        painted = {}
        for key in keys:
            page.run(f"""(() => {{ const s = document.getElementById('colour'); s.value = '{key}';
                s.dispatchEvent(new Event('change')); }})()""")
            drawn(page)
            texts = page.run("document.getElementById('legend').innerText")
            assert (key == "none") == (page.run("document.getElementById('legend').hidden")), key
            assert key == "none" or len(texts) > 4
            painted[key] = json.dumps(page.run("Array.from(clast.stage.tintBytes.slice(0, 40))"))
        assert len({painted[key] for key in ("speed", "displacement", "orientation", "pressure")}) == 4


def test_walls_grains_contacts_and_the_cut_change_the_picture(page, pages, tmp_path):
    for name in ("flat", "solid"):
        page.open(pages[name][0] + "#t=1&theme=dark")
        before = seen(page, tmp_path / "a.png", still=True)
        looks = [{"walls": "hidden"}, {"walls": "hollow"}, {"grains": "hidden"}, {"grains": "faint"}, {"points": True}]
        looks += [{"chains": True, "grains": "faint"}] + ([{"clip": "x", "clipAt": 0.5}] if name == "solid" else [])
        for look in looks:
            page.run(f"clast.changeLook({json.dumps(look)})")
            after = seen(page, tmp_path / "b.png")
            assert np.abs(after - before).sum() > 5000, (name, look)
            page.run("clast.changeLook({walls: clast.run.facts.space ? 'translucent' : 'solid', grains: 'solid', points: false,"
                     " chains: false, clip: 'none'})")  # fmt: skip
        assert np.abs(seen(page, tmp_path / "c.png", still=True) - before).sum() < 5000, "and all of it can be taken back"


def test_contacts_of_a_periodic_box_are_drawn_where_they_are(page, tmp_path):
    run = flat_run(tmp_path / "run", frames=2, period=10.0)
    page.open(save_page(run, tmp_path / "run.html").as_uri() + "#t=0&theme=dark")
    before = seen(page, tmp_path / "a.png", still=True)
    page.run("clast.changeLook({points: true})")
    changed = np.abs(seen(page, tmp_path / "b.png", still=True) - before).sum(axis=2) > 30
    rows, columns = np.nonzero(changed)
    assert 5 < len(rows) < 4000
    x, y = page.run("""(() => { const s = clast.stage, b = s.renderer.domElement.getBoundingClientRect();
        const p = s.camera.position.clone().fromArray(s.state, 8); p.x += 0.5; p.project(s.camera);
        return [b.left + (p.x + 1) / 2 * b.width, b.top + (1 - p.y) / 2 * b.height]; })()""")
    assert abs(columns.mean() - x) < 3.0 and abs(rows.mean() - y) < 3.0


def test_what_is_near_the_eye_is_cut_off(page, pages, tmp_path):
    page.open(pages["solid"][0] + "#t=0&clip=y,0.5&colour=none")
    drawn(page)
    plane, eye = page.run("[clast.stage.shared.clip.value.toArray(), clast.stage.camera.position.toArray()]")
    assert np.dot(plane[:3], eye) > plane[3], "the eye is on the side that is not drawn"
    assert page.run("document.getElementById('clip-at').hidden") is False


def test_keys_change_the_look(page, pages):
    page.open(pages["solid"][0])
    for key, what in (("f", "clast.look.chains"), ("p", "clast.look.points"), ("d", "!clast.look.dark"),
                      ("w", "clast.look.walls === 'hollow'"),
                      ("c", "document.querySelector('.with-plots') !== null")):  # fmt: skip
        page.key(key)
        page.wait(what)
    before = page.run("clast.stage.eye")
    page.key("3")
    assert page.run("clast.stage.eye") != before
    page.key("0")
    assert np.allclose(page.run("clast.stage.eye"), before)


def test_curves_have_the_book_and_lead_to_a_time(page, pages):
    page.open(pages["flat"][0])
    page.run("clast.togglePlots(true)")
    page.wait("document.querySelector('.u-over') !== null")
    names = page.run("Array.from(document.querySelectorAll('#plots option'), each => each.value)")
    assert "residual of the book" in names and names[0] == "energy book"
    x, y, wide = page.run(
        "(() => { const b = document.querySelector('.u-over').getBoundingClientRect(); return [b.left, b.top, b.width]; })()"
    )
    page.click(x + 0.5 * wide, y + 20)
    middle = 0.5 * 2.9
    assert abs(page.run("clast.run.time(clast.at)") - middle) < 0.05
    drawn(page)
    assert abs(page.run("document.querySelector('.time-line').getBoundingClientRect().left") - (x + 0.5 * wide)) < 4


def test_the_address_keeps_the_view(page, pages):
    page.open(pages["solid"][0])
    page.run("clast.colourBy('orientation'); clast.changeLook({walls: 'hidden', dark: false}); clast.see('top'); clast.goTo(12)")
    page.wait("location.hash.includes('orientation') && location.hash.includes('t=1.2')")
    eye, kept = page.run("[clast.stage.eye, location.href]")
    page.open(kept)
    assert page.run("[clast.tint.quantity.key, clast.look.walls, clast.look.dark]") == ["orientation", "hidden", False]
    assert abs(page.run("clast.at") - 12.0) < 1e-4
    assert np.allclose(page.run("clast.stage.eye"), eye, atol=1e-3)


def test_pictures_and_movies_are_files(page, pages):
    from pathlib import Path

    page.open(pages["flat"][0] + "#speed=1")
    page.run("clast.savePicture()")
    page.run("clast.record()")
    page.wait("clast.movie === null && !clast.playing")
    end = time.monotonic() + 10.0
    while len(found := [each for each in Path(page.folder).iterdir() if each.suffix in (".png", ".webm")]) < 2:
        assert time.monotonic() < end, found
        time.sleep(0.05)
    kinds = {each.suffix: each.read_bytes() for each in found}
    assert kinds[".png"][:4] == b"\x89PNG" and kinds[".webm"][:4] == b"\x1a\x45\xdf\xa3" and len(kinds[".webm"]) > 2000


def test_a_phone_has_room_for_it(page, pages, tmp_path):
    page.resize(390, 780, mobile=True)
    page.open(pages["solid"][0])
    drawn(page)
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.run("getComputedStyle(document.getElementById('panel')).display") == "none"
    page.run("document.querySelector('nav button:last-child').click()")
    assert page.run("getComputedStyle(document.getElementById('panel')).display") == "block"
    beyond = page.run("Array.from(document.querySelectorAll('button, select, input')).filter(each => each.offsetParent &&"
                      " (r => r.right > 391 || r.left < -1)(each.getBoundingClientRect())).length")  # fmt: skip
    assert beyond == 0


def test_a_run_that_goes_on_is_followed_and_held(page, tmp_path):
    """More frames come by a second run in the place of the first, as they would by a checkpoint."""
    run = flat_run(tmp_path / "run", frames=3)
    more = flat_run(tmp_path / "more", frames=9)
    served = ServedRun(run.folder)
    opened = served._now

    def unfinished():
        described = opened()
        described.run.finished = False
        return described

    served._now = unfinished
    locks = [RunLock(each.folder) for each in (run, more)]
    with ViewServer(served) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            page.open(server.address)
            look(page)
            page.wait("document.querySelector('.badge').textContent === 'live'")
            assert page.run("[clast.run.count, clast.at]") == [3, 2]
            served.folder = more.folder
            look(page)
            page.wait("clast.run.count === 9 && clast.at === 8")
            page.run("Array.from(document.querySelectorAll('#panel button')).find(each => each.textContent === 'Hold').click()")
            page.wait("document.querySelector('.badge').textContent === 'held'")
            assert wished(more.folder) == "hold"
            assert all(each.startswith((server.address, "data:", "about:")) for each in page.requests)
        finally:
            page._send("Page.navigate", url="about:blank")
            server.shutdown()
            thread.join()
            for each in locks:
                each.release()


def test_a_simulation_is_followed_and_bodies_come(page, monkeypatch):
    """The page opens itself anew where what it has read no longer holds, and goes on following."""
    monkeypatch.setattr(stepped, "SHORTEST", 0.0)
    monkeypatch.setattr(stepped, "SHARE", 0.0)
    scene = Scene(law=Linear(1e4, normal_damping=20.0), gravity=(0.0, -9.81))
    scene.add_wall(segment((-2.0, 0.0), (2.0, 0.0), radius=0.1))
    scene.add(disk(radius=0.2), (0.0, 1.0))
    sim = Simulation(scene)
    view = sim.view()
    try:
        page.open(view.address)
        look(page)
        page.wait("document.querySelector('.badge').textContent === 'live'")
        for _ in range(3):
            sim.step(50)
        look(page)
        page.wait("clast.run.count === 4 && clast.at === 3")
        assert page.run("document.getElementById('panel').innerText.includes('Hold')") is False
        sim.add(disk(radius=0.3), (0.5, 2.0))
        sim.step(50)
        look(page)
        page.wait("window.clast !== undefined && clast.run.facts.bodies === 3 && clast.run.count === 5 && clast.at === 4")
    finally:
        page._send("Page.navigate", url="about:blank")
        view.close()


def test_a_stopped_run_shows_how_it_goes_on(page, tmp_path, monkeypatch):
    run = flat_run(tmp_path / "run", frames=2)
    served, wishes = ServedRun(run.folder), []
    opened = served._now

    def stopped():
        described = opened()
        described.run.finished = False
        described.run.provenance["command"] = ["clast", "run", "cow-bounce"]
        return described

    monkeypatch.setattr(served, "_now", stopped)
    monkeypatch.setattr(served, "wish", wishes.append)
    with ViewServer(served) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            page.open(server.address)
            shown = f"clast run cow-bounce --resume --out {run.folder}"
            assert page.run("document.getElementById('go-on').innerText") == shown
            assert page.run("document.getElementById('panel').innerText.includes('Hold')") is False
            page.run(
                "Array.from(document.querySelectorAll('#panel button'))"
                ".find(each => each.textContent === 'Resume it here').click()"
            )
            end = time.monotonic() + 10.0
            while not wishes:
                assert time.monotonic() < end
                time.sleep(0.02)
            assert wishes == ["resume"]
            page.wait("document.querySelector('.badge').textContent === 'stopped'")
            page.picture(tmp_path / "stopped.png")
        finally:
            page._send("Page.navigate", url="about:blank")
            server.shutdown()
            thread.join()


def test_a_sweep_is_a_table_and_points_that_lead_to_runs(page, tmp_path):
    plan = Sweep("cow-gas", vary={"seed": (1, 2, 3)}, given={"grains": 20}).plan(tmp_path / "sweep")
    flat_run(plan.folder / plan.tasks[1].name, frames=2)
    sweep = ServedSweep(plan.folder)
    with ViewServer(sweep, sweep.row) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            page.open(server.address, "document.querySelectorAll('tbody tr').length === 3")
            page.run("for (const each of document.querySelectorAll('.axes select')) { each.value = 'seed';"
                     " each.dispatchEvent(new Event('change')); }")  # fmt: skip
            assert page.run("[document.querySelectorAll('circle').length, document.querySelectorAll('circle.open').length]") == [
                3,
                1,
            ]
            page.run("document.querySelector('circle.open').dispatchEvent(new MouseEvent('click'))")
            page.wait("window.clast !== undefined && window.clast.measured.frames > 0")
            assert page.run("location.pathname").endswith(f"/{server.token}/run/2/")
        finally:
            page._send("Page.navigate", url="about:blank")
            server.shutdown()
            thread.join()
