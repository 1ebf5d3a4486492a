"""A simulation in the viewer: frames are taken while somebody looks and else not, change no bit, and are what the page reads."""

import gc
import json
import sys
import types
import urllib.error
import urllib.request

import numpy as np
import pytest

import clast
from clast.algebra.quaternions import matrix
from clast.errors import InputError, StoreError
from clast.output.viewer import stepped
from clast.output.viewer.packed import unpacked
from clast.shapes import cuboid, disk, open_box, segment


def simulation():
    scene = clast.Scene(law=clast.Linear(1e4, normal_damping=20.0), gravity=(0.0, -9.81))
    scene.add_wall(segment((-2.0, 0.0), (2.0, 0.0), radius=0.1), name="floor")
    for k in range(4):
        scene.add(disk(radius=0.2), (0.5 * k - 0.75, 0.299 + 0.1 * k), velocity=(0.1 * k, 0.0))
    return clast.Simulation(scene)


@pytest.fixture
def sim():
    made = simulation()
    yield made
    if made._shown is not None:
        made._shown.close()


def ask(view, name):
    """What the server hands out under a name."""
    with urllib.request.urlopen(view.address + name, timeout=10) as answer:
        return answer.read()


def facts(view):
    return json.loads(ask(view, "facts"))


def steps(view, monkeypatch, sim, count):
    """Step so that no frame comes too soon after the last one."""
    monkeypatch.setattr(stepped, "SHORTEST", 0.0)
    monkeypatch.setattr(stepped, "SHARE", 0.0)
    for _ in range(count):
        sim.step(20)


def test_nothing_is_taken_while_nobody_looks(sim, monkeypatch):
    sim.step(20)
    view = sim.view()
    looks = []
    monkeypatch.setattr(type(sim.engine), "snapshot", lambda engine: looks.append(engine.step))
    steps(view, monkeypatch, sim, 5)
    assert looks == []


def test_the_page_follows_each_step(sim, monkeypatch):
    view = sim.view(height=300)
    assert "height: 300px" in view._repr_html_() and view.address in view._repr_html_()
    steps(view, monkeypatch, sim, 6)
    found = facts(view)
    assert found["steps"] == [0, 20, 40, 60, 80, 100, 120] and found["live"] and found["stepped"] and not found["finished"]
    arrays = unpacked(ask(view, "block/0"))[1]
    assert np.abs(arrays["positions"][-1].T - sim.positions).max() < 1e-3
    assert np.abs(arrays["speed"][-1] - np.linalg.norm(sim.velocities, axis=1)).max() < 1e-3
    assert arrays["contact_count"][-1] == len(sim.contacts) and arrays["contact_count"][0] > 0
    series = unpacked(ask(view, "series"))[1]
    assert series["/gravitational"][-1] == pytest.approx(sim.accounts["gravitational"], rel=1e-5)
    assert unpacked(ask(view, "history/2"))[1]["time"].shape == (7,)
    assert sim.view() is view, "one server for a simulation"


def test_steps_too_quick_for_the_eye_are_left_out(sim):
    view = sim.view()
    facts(view)
    for _ in range(50):
        sim.step(1)
    assert len(facts(view)["times"]) < 10
    view.take()
    assert facts(view)["steps"][-1] == 50, "what is asked for is there"


def test_looking_changes_no_bit(monkeypatch):
    seen, unseen = simulation(), simulation()
    view = seen.view()
    facts(view)
    steps(view, monkeypatch, seen, 30)
    unseen.step(600)
    assert len(facts(view)["times"]) == 31
    view.close()
    assert (seen.positions == unseen.positions).all() and (seen.velocities == unseen.velocities).all()
    assert (seen.angles == unseen.angles).all() and seen.accounts == unseen.accounts


def test_bodies_that_come_are_not_there_before(sim, monkeypatch):
    view = sim.view()
    issue = facts(view)["issue"]
    steps(view, monkeypatch, sim, 2)
    new = sim.add(disk(radius=0.3), (0.0, 2.0), density=2.0)
    sim.remove(1)
    steps(view, monkeypatch, sim, 2)
    found = facts(view)
    assert found["bodies"] == 6 and found["issue"] != issue and len(found["times"]) == 5
    arrays = unpacked(ask(view, "block/0"))[1]
    assert arrays["present"][:, new].tolist() == [0, 0, 0, 1, 1] and arrays["present"][:, 1].tolist() == [1, 1, 1, 0, 0]
    assert arrays["speed"][2, new] == 0.0 < arrays["speed"][4, new]
    assert unpacked(ask(view, "bodies"))[1]["mass"][new] == pytest.approx(2.0 * np.pi * 0.09)


def test_a_change_without_a_step_is_seen(sim, monkeypatch):
    view = sim.view()
    facts(view)
    steps(view, monkeypatch, sim, 1)
    assert facts(view)["issue"] == 0
    sim.gravity = (0.0, 0.0)
    sim.place(2, [(0.1, 1.5)])
    sim.view()
    sim.place(2, [(0.1, 1.7)])  # which does no work
    sim.view()
    assert facts(view)["steps"] == [0, 20] and facts(view)["issue"] == 2
    assert np.allclose(unpacked(ask(view, "block/0"))[1]["positions"][-1, :, 2], (0.1, 1.7), atol=1e-3)


def test_a_long_one_is_thinned_out(sim, monkeypatch):
    from clast.output.viewer import film

    monkeypatch.setattr(film, "kept_frames", lambda _: 8)
    view = sim.view()
    facts(view)
    steps(view, monkeypatch, sim, 8)
    found = facts(view)
    assert found["steps"] == [0, 40, 80, 120, 160] and found["issue"] == 1


def test_a_function_called_in_a_stored_run_may_show_it(tmp_path):
    found = []

    def look(sim):
        found.append((isinstance(sim, clast.Simulation), facts(sim.view())["steps"]))

    scene = simulation().scene
    clast.run(scene, until=0.01, out=tmp_path / "run", frames=5, progress=clast.quiet(), every=(50, look))
    assert found[0] == (True, [50]) and found[1] == (True, [50, 100])


def test_space_is_seen_too(monkeypatch, tmp_path):
    scene = clast.Scene3D(law=clast.Linear(1e4, normal_damping=20.0), gravity=(0.0, 0.0, -9.81))
    scene.add_wall(open_box((4.0, 4.0, 2.0), radius=0.1))
    scene.add(cuboid((0.8, 0.8, 0.8), 0.1), (0.0, 0.0, 0.55), spin=(0.0, 0.0, 3.0))
    sim = clast.Simulation(scene)
    view = sim.view()
    facts(view)
    steps(view, monkeypatch, sim, 3)
    turns = unpacked(ask(view, "block/0"))[1]["orientations"][-1].T
    assert np.abs(matrix(turns / np.linalg.norm(turns, axis=1, keepdims=True)) - matrix(sim.orientations)).max() < 2e-3
    text = view.save(tmp_path / "now.html").read_text(encoding="utf-8")
    assert text.count('id="clast-block-') == 1 and "clast-facts" in text and view.address not in text
    view.close()


def test_the_cell_of_a_notebook_ends_with_what_it_left(sim, monkeypatch):
    """Steps too quick to be seen are caught up with when the cell has ended."""
    calls = []
    events = types.SimpleNamespace(
        register=lambda name, function: calls.append((name, function)), unregister=lambda *each: calls.remove(each)
    )
    shell = types.SimpleNamespace(events=events)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    view = sim.view()
    [(name, after)] = calls
    assert name == "post_run_cell"
    sim.step(1)
    after(None)
    assert facts(view)["steps"] == [0], "nobody had looked"
    after(None)
    assert facts(view)["steps"] == [0, 1]
    view.close()
    after(None)
    assert calls == []


def test_a_notebook_may_frame_it_and_nobody_may_wish(sim):
    view = sim.view()
    with urllib.request.urlopen(view.address, timeout=10) as answer:
        assert "frame-ancestors http://localhost:* " in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] is None
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(view.address + "wish", data=b"hold", timeout=10)
    assert refused.value.code == 404 and b"steps it" in refused.value.read()


def test_it_ends_with_the_simulation_or_by_close():
    sim = simulation()
    view = sim.view()
    view.close()
    with pytest.raises(urllib.error.URLError):
        facts(view)
    sim.step(5)
    again = sim.view()
    assert again is not view and facts(again)["steps"] == [5]
    del sim
    gc.collect()
    with pytest.raises(urllib.error.URLError):
        facts(again)
    again.wait()  # ends at once


def test_what_cannot_be_is_refused(sim):
    for wrong in ({"height": 3}, {"height": "big"}, {"port": -1}, {"port": 99999}, {"port": True}):
        with pytest.raises(InputError):
            sim.view(**wrong)
    taken = sim.view()
    other = simulation()
    with pytest.raises(StoreError, match="another"):
        other.view(port=int(taken.address.split(":")[2].split("/")[0]))
