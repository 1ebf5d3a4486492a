"""hopper, with a dozen grains; and its counting and judging on made-up series."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from clast.errors import InputError, PhysicsError, SceneError
from clast.experiments import find
from clast.experiments.hopper import (
    FILL_DAMPING,
    RADIUS,
    SHAKE,
    STILL,
    Hopper,
    build,
    flow_rate,
    grain_of,
    hopper,
    is_jammed,
    last_crossing,
    lattice,
    published,
    slope_height,
)
from clast.experiments.shared.arches import NO_ARCH, arch_between, shortest_chain
from clast.experiments.shared.running import run_experiment
from clast.laws import Linear
from clast.output.progress import quiet
from clast.protocols import fill as filling
from clast.scene.plane import Scene
from clast.shapes import cow, disk, segment

TINY = {"grains": 12, "width": 18.0, "aperture": 12.0, "until": 3.0}
REST = STILL * cow().area * 10.0


@pytest.fixture(scope="module")
def emptied(tmp_path_factory):
    return run_experiment(find("hopper"), given=TINY, out=tmp_path_factory.mktemp("hopper") / "run")


def bed_file(p: Hopper):
    """Where the bed of a hopper is kept."""
    return filling.bed_path(hopper(p, FILL_DAMPING, gate=True), p.dt, REST)


def refuse(*_):
    raise AssertionError("filled again")


def test_grains_come_out_one_after_the_other(emptied):
    through, out = emptied.run.series["through"], emptied.run.series["discharged"]
    assert through[0] == out[0] == 0
    assert (np.diff(through) >= 0).all() and (np.diff(out) >= 0).all()
    assert (out <= through).all()
    assert 3 <= out[-1] <= through[-1] <= 12
    # the counted grains are where they are said to be, in every frame
    sample = np.searchsorted(emptied.run.series["step"], emptied.run.frames.steps)
    heights = np.array([frame.positions[:12, 1] for frame in emptied.run.frames])
    assert np.array_equal(through[sample], (heights < 0.0).sum(axis=1))
    assert np.array_equal(out[sample], (heights < -5.0).sum(axis=1))


def test_the_energy_book_closes(emptied):
    assert emptied.run.result["energy_error"] < 1e-5
    # friction took a part of the energy, so that its account is not idle
    assert emptied.run.series["heat_sliding"][-1] > 1e-3 * emptied.run.book.scale


def test_result_and_figures_are_there(emptied):
    assert [path.name for path in emptied.figures] == ["hopper.png", "discharge.png"]
    for path in emptied.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000
    measured = {quantity.name: quantity for quantity in emptied.quantities}
    assert measured["discharged at the end"].measured == emptied.run.series["discharged"][-1]
    assert measured["jammed (1) or not (0)"].agrees is None  # not the paper's size


@pytest.mark.parametrize("shape", ["cow", "disk"])
def test_the_bed_lies_still_on_the_gate(shape):
    p = Hopper(**TINY, shape=shape)
    closed, opened = hopper(p, FILL_DAMPING, gate=True), build(p, quiet())
    assert [body.name for body in closed.bodies[12:]] == ["left wall", "right wall", "gate"]
    assert [body.name for body in opened.bodies[12:]] == ["left wall", "right wall"]
    bed = filling.fill(closed, dt=p.dt, rest=REST)
    assert 0.0 <= bed.energy < REST
    for number, body in enumerate(opened.bodies[:12]):
        assert body.position == tuple(bed.positions[number]) and body.velocity == (0.0, 0.0)
        assert body.position != closed.bodies[number].position  # it fell
        x, y = body.position
        assert y > 0.5 and (0.5 * p.aperture + y - abs(x)) / np.sqrt(2.0) > 0.5
    # the grains carry each other: left alone behind the gate they stay where they are. With REST one cow may still have what
    # twelve are allowed, 0.5 m/s
    closed = hopper(p, FILL_DAMPING, gate=True)
    bed = filling.fill(closed, dt=p.dt, rest=0.01 * REST)
    again = filling.Engine(filling.lay_in(closed, bed), dt=p.dt)
    again.advance(round(0.2 / p.dt))
    assert np.abs(again.positions[:12] - bed.positions[:12]).max() < 0.05


def test_a_stopped_run_goes_on_without_filling_again(emptied, tmp_path, monkeypatch):
    def stumbling(p):
        plan = find("hopper").plan(p)

        def stumble(engine, snapshot):
            if snapshot.time > 1.0:
                raise KeyboardInterrupt
            return plan.extra(engine, snapshot)

        return dataclasses.replace(plan, extra=stumble)

    monkeypatch.setattr(filling, "fall_to_rest", refuse)
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run_experiment(dataclasses.replace(find("hopper"), plan=stumbling), given=TINY, out=out, checkpoint_seconds=0.0)
    resumed = run_experiment(find("hopper"), out=out, resume=True).run
    assert resumed.result["steps"] == emptied.run.result["steps"]
    for name in ("through", "discharged", "arch", "translational", "heat_sliding"):
        assert np.array_equal(resumed.series[name], emptied.run.series[name]), name


def test_the_bed_is_named_by_all_it_depends_on(monkeypatch):
    plain = Hopper(**TINY)
    assert bed_file(plain) == bed_file(plain.model_copy(update={"zeta": 0.2}))  # opened later: the same bed
    changes = {"seed": 2, "shape": "disk", "aperture": 12.5, "grains": 13, "width": 18.5, "dt": 9e-6, "gravity": 9.0,
               "stiffness": 2e7, "friction": 0.4, "tangential": 0.2}  # fmt: skip
    others = {bed_file(plain.model_copy(update={name: value})) for name, value in changes.items()}
    assert len(others) == len(changes) and bed_file(plain) not in others
    scene, before = hopper(plain, FILL_DAMPING, gate=True), bed_file(plain)
    for change in ({"radius": 0.2}, {"vertices": cow().vertices + 0.01}, {"edges": cow().edges[:-1]}):  # mass as it was
        scene.bodies[3].shape = dataclasses.replace(cow(), **change)
        assert filling.bed_path(scene, plain.dt, REST) != before
    monkeypatch.setattr(filling.bind, "key", lambda *_: "another engine")
    assert bed_file(plain) != before


def test_a_damaged_bed_is_made_again(emptied, tmp_path):
    path = bed_file(Hopper(**TINY))
    whole = path.read_bytes()
    scene, other = (hopper(Hopper(**{**TINY, "grains": TINY["grains"] - less}), FILL_DAMPING, gate=True) for less in (0, 1))
    assert filling.read_bed(path, scene) is not None
    assert filling.read_bed(path, other) is None
    for text in (b"", b"no archive", whole[: len(whole) // 2], whole.replace(b"turns.npy", b"tunrs.npy")):
        (tmp_path / "bed.npz").write_bytes(text)
        assert filling.read_bed(tmp_path / "bed.npz", scene) is None
    assert filling.read_bed(tmp_path / "none.npz", scene) is None


def test_what_cannot_come_to_rest_is_told():
    scene = Scene(law=Linear(1e6), gravity=(0.0, -10.0))
    scene.add(disk(radius=0.5), (0.0, 1.0))
    with pytest.raises(PhysicsError, match="close the container"):
        filling.fill(scene, dt=1e-4, rest=1e-3)
    weightless = Scene(law=Linear(1e6))
    weightless.add(disk(radius=0.5), (0.0, 1.0))
    with pytest.raises(SceneError, match="has none"):
        filling.fill(weightless, dt=1e-4, rest=1e-3)


def test_grains_at_the_beginning_of_their_fall_do_not_rest():
    scene = Scene(law=Linear(1e5, normal_damping=100.0), gravity=(0.0, -10.0))
    scene.add(disk(radius=0.5), (0.0, 2.1))
    scene.add_wall(segment((-1.0, 0.0), (1.0, 0.0), radius=0.1))
    bed = filling.fill(scene, dt=1e-4, rest=1e-3)
    # on the floor, pressed in by its weight m g/k_n
    assert bed.positions[0, 1] == pytest.approx(0.6 - disk(radius=0.5).area * 10.0 / 1e5, abs=1e-3)


def test_damping_is_the_share_of_critical_it_is_said_to_be():
    p = Hopper(**TINY, zeta=0.2)
    for damping, gate in ((FILL_DAMPING, True), (p.zeta, False), (0.0, False)):
        scene = hopper(p, damping, gate=gate)
        for other, reduced in (("grain", 0.5 * cow().area), ("wall", cow().area)):
            between = scene.law_between("grain", other)
            critical = 2.0 * np.sqrt(between.normal_stiffness * reduced)
            assert between.normal_damping * reduced == pytest.approx(damping * critical)
            assert between.tangential_damping * reduced == pytest.approx(damping * critical * np.sqrt(p.tangential))


def test_seeds_differ_for_disks_too():
    places = [[body.position for body in hopper(Hopper(**TINY, shape="disk", seed=s), 0.0, gate=True).bodies] for s in (1, 1, 2)]
    assert places[0] == places[1] != places[2]


@pytest.mark.parametrize("shape", ["cow", "long-legged-cow"])
@pytest.mark.parametrize("aperture", [3.0, 12.0, 17.0, 18.5, 20.0, 40.0])
def test_the_lattice_touches_nothing(aperture, shape):
    p, grain = Hopper(aperture=aperture), grain_of(shape)
    places, reach = lattice(p, grain), grain.reach
    assert places.shape == (400, 2)
    x, y = np.abs(places[:, 0]), places[:, 1]
    assert (y >= RADIUS + reach + SHAKE).all() and (0.5 * p.width - x >= RADIUS + reach + SHAKE).all()
    assert ((0.5 * p.aperture + y - x) / np.sqrt(2.0) >= RADIUS + reach + SHAKE - 1e-9).all()
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert apart[~np.eye(400, dtype=bool)].min() >= 2.0 * (reach + SHAKE)
    assert y.max() < slope_height(p) + 120.0


def test_impossible_bins_are_refused_before_anything_falls():
    with pytest.raises(InputError, match="smaller than --width"):
        build(Hopper(aperture=80.0))
    with pytest.raises(InputError, match="no room for 400 grains"):
        build(Hopper(width=30.0))
    with pytest.raises(InputError, match="--shape sheep"):
        find("hopper").choose("full", {"shape": "sheep"})


# --- judging ---------------------------------------------------------------------------------------------------------

TIME = np.linspace(0.0, 8.0, 801)


def test_jammed_means_two_silent_seconds_while_grains_remain():
    flowing = np.floor(10.0 * TIME)
    assert is_jammed(TIME, flowing, 400) is False
    assert is_jammed(TIME, np.minimum(flowing, 50.0), 400) is True  # the last at 5 s
    assert is_jammed(TIME, np.minimum(flowing, 50.0), 50) is False  # nobody was left
    assert is_jammed(TIME, np.where(TIME < 6.5, 30.0, 31.0), 400) is False  # one more, 1.5 s before the end
    assert is_jammed(TIME, np.where(TIME < 5.9, 30.0, 31.0), 400) is True
    assert is_jammed(TIME, np.zeros(801), 400) is True  # it never began
    assert is_jammed(TIME[:150], np.zeros(150), 400) is None  # 1.49 s say nothing


def test_flow_rate_and_last_crossing():
    steady = np.floor(25.0 * TIME + 1e-9)
    assert flow_rate(TIME, steady, 400) == pytest.approx(25.0, rel=0.01)
    # what trickles after three quarters, and the silence after a jam, are not the flow of a full bin
    assert flow_rate(TIME, np.where(steady > 75.0, 75.0 + np.floor(TIME), steady), 100) == pytest.approx(25.0, rel=0.02)
    assert flow_rate(TIME, np.minimum(steady, 60.0), 400) == pytest.approx(25.0, rel=0.02)
    assert np.isnan(flow_rate(TIME, np.minimum(steady, 5.0), 400))
    assert last_crossing(TIME, np.minimum(steady, 50.0)) == pytest.approx(2.0)
    assert np.isnan(last_crossing(TIME, np.zeros(801)))


def test_the_arch_is_the_shortest_chain_across():
    chain = np.array([(5, 0), (0, 1), (2, 1), (2, 3), (3, 4), (4, 6)])  # walls 5 and 6, all five grains between
    step = np.array([0.5, 1.0, 1.0, 1.0, 1.0, 0.5])
    whole = shortest_chain(chain, step, 5, 6, 7)
    assert whole.grains.tolist() == [0, 1, 2, 3, 4] and whole.length == pytest.approx(5.0)
    more = np.concatenate([chain, [(1, 6), (0, 1)]])  # a pair may touch twice
    short = shortest_chain(more, np.append(step, [0.7, 0.9]), 5, 6, 7)
    assert short.grains.tolist() == [0, 1] and short.length == pytest.approx(0.5 + 0.9 + 0.7)
    assert shortest_chain(chain[:-1], step[:-1], 5, 6, 7) is NO_ARCH
    assert shortest_chain(np.zeros((0, 2), np.int64), np.zeros(0), 5, 6, 7) is NO_ARCH


def test_the_length_of_an_arch_of_three_disks():
    scene = Scene(law=Linear(1e6))
    scene.add_wall(segment((0.0, -5.0), (0.0, 5.0), radius=0.1), name="left")
    for x in (0.599, 1.598, 2.597):
        scene.add(disk(radius=0.5), (x, 0.0))
    scene.add_wall(segment((3.196, -5.0), (3.196, 5.0), radius=0.1), name="right")
    arch = arch_between(0, 4, filling.Engine(scene, dt=1e-4).snapshot().contacts, 5)
    assert arch.grains.tolist() == [1, 2, 3]
    assert arch.length == pytest.approx(3.0, abs=0.005)


def test_an_arch_begins_and_ends_at_the_contacts_with_the_walls():
    first, second = (np.array([(x, 0.0) for x in along]) for along in ((9.0, 1.5, 0.7), (-1.0, -0.5, -9.0)))
    bodies = np.array([(2, 0), (0, 1), (1, 3)])
    contacts = SimpleNamespace(bodies=bodies, counts=np.ones(3), first_arms=first, second_arms=second)
    assert arch_between(2, 3, contacts, 4).length == pytest.approx(1.0 + 2.0 + 0.7)
    contacts.counts[1] = -1.0  # a notch subtracts: no contact of its own
    assert arch_between(2, 3, contacts, 4) is NO_ARCH


def test_all_grains_have_the_area_of_the_cow():
    for shape in ("cow", "long-legged-cow", "disk", "pentagon"):
        assert grain_of(shape).area == pytest.approx(6.52, rel=1e-9)


def test_what_the_paper_says():
    assert published(Hopper(aperture=20.0)) is True and published(Hopper(aperture=29.9)) is True
    assert published(Hopper(aperture=30.0)) is False and published(Hopper(aperture=20.0, shape="disk")) is False
    for other in (
        {"grains": 120},
        {"aperture": 15.0},
        {"aperture": 45.0},
        {"until": 4.0},
        {"friction": 0.3},
        {"shape": "long-legged-cow"},
        {"shape": "pentagon"},
    ):
        assert published(Hopper(**other)) is None
