"""What holds for every law in `clast.laws`: its energy, its cycles, its caps, its units, its keys. A new law is found by itself.

Numbers are chosen by the units that a law declares, in the same range of forces for all, with damping that matters and friction
that slides.
"""

import math
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from contact_path import path, slope
from scene_texts import toml

import clast
from clast.errors import InputError, SceneError
from clast.keys import keys_of
from clast.laws import Cohesion, Contact, Law, Memory, Overlap, Rolling, by_kind
from clast.scene_files.reading import parse, scene_of

LAWS = by_kind()
ROUNDED = [kind for kind, law in LAWS.items() if not law.needs_volume]
BY_UNIT = {"": 0.5, "1/time": 3.0, "length": 0.02, "force/length": 1e3, "force/length^{3/2}": 1e4, "force/length²": 1e4}
RADIUS, MASS = 0.3, 0.7
AREA, LENGTH, SIZE, SECTION = 0.05, 0.3, 0.35, 0.1  # of sharp bodies
every_law = pytest.mark.parametrize("kind", LAWS)


def numbers_of(law: type[Law]) -> dict[str, float]:
    """A value for every parameter that is a number; of two ways to give one dashpot, the first."""
    keys = keys_of(law)
    twice = {"restitution"} if "normal_damping" in keys else set()
    return {name: number_of(each.key.unit) for name, each in keys.items() if each.form is float and name not in twice}


def number_of(unit: str) -> float:
    """A value in this unit; where none is chosen, of forces of 20, overlaps of 0.02 and times of a third."""
    return BY_UNIT[unit] if unit in BY_UNIT else in_units(unit, length=0.02, force=20.0, time=1.0 / 3.0)


def variants(law: type[Law]) -> Iterator[Law]:
    """The law with each of its optional parameters given or left out, in all ways that can be."""
    choices = {}
    for name, each in keys_of(law).items():
        if get_origin(each.form) is Literal:
            choices[name] = get_args(each.form)
        elif each.form is float:
            choices[name] = (number_of(each.key.unit), *([] if each.default is ... else [each.default]))
    for chosen in product(*choices.values()):
        try:
            yield law(**dict(zip(choices, chosen, strict=True)))
        except SceneError:  # friction without a spring, one dashpot given in two ways
            continue


class Formulas:
    """The functions of a law, called by depth whatever it acts by: the volume of sharp bodies is AREA × depth."""

    def __init__(self, law: Law, length: float = 1.0, mass: float = 1.0):
        self.law, self.length, self.mass = law, length, mass
        self.module = import_module(law.module)
        assert law.bouncing or not law.bounces, f"{type(law).__name__} bounces: name the module of that force, bouncing"
        self.pushing = import_module(law.bouncing) if law.bounces else self.module  # what kernels call

    def record(self, depth, closing=0.0, sliding_u=0.0, sliding_w=0.0):
        moving, mass = (closing, sliding_u, sliding_w), MASS * self.mass
        if not self.law.needs_volume:
            return Contact(depth, *moving, mass, RADIUS * self.length, sliding_u, sliding_w)
        area, section = AREA * self.length**2, SECTION * self.length**2
        return Overlap(area * depth, area, LENGTH * self.length, SIZE * self.length, section, *moving, mass, sliding_u, sliding_w)

    def elastic(self, depth):
        given = [self.record(depth)] if self.law.needs_volume else [depth, RADIUS]
        return self.module.elastic(self.law.row, *given)

    def energy(self, depth):
        given = [self.record(depth)] if self.law.needs_volume else [depth, RADIUS]
        return self.module.normal_energy(self.law.row, *given)

    def force(self, moving, memory, dt):
        return self.pushing.force(self.law.row, self.record(*moving), memory, dt)

    def spring_energy(self, memory):
        u, w, extra = memory
        return self.module.spring_energy(self.law.row, *((SIZE, u, w) if self.law.needs_volume else (u, w, extra)))


def formulas(kind: str) -> Formulas:
    """Those of a law of this kind."""
    return Formulas(LAWS[kind](**numbers_of(LAWS[kind])))


# --- formulas --------------------------------------------------------------------------------------------------------


@every_law
def test_the_force_is_the_slope_of_the_energy(kind):
    law = formulas(kind)
    conserving = getattr(law.module, "CONSERVING", True)
    for depth in map(float, np.geomspace(1e-7, 0.2, 60)):
        push = law.elastic(depth)
        assert push > 0.0, f"elastic pulls at depth {depth:g}: {push:g}"
        if conserving:
            rise = slope(law.energy, depth)
            assert push == pytest.approx(rise, rel=1e-9), f"at depth {depth:g} normal_energy does not rise by elastic"
        else:
            assert law.energy(depth) == 0.0, "a law that is not CONSERVING has no normal_energy"
        pushed = law.force((depth, 0.1, 0.2, 0.1), Memory(0.001, 0.0, 0.0), 1e-3).elastic
        assert pushed == push, f"at depth {depth:g} force pushes otherwise than elastic"


@pytest.mark.parametrize("kind", ROUNDED)
def test_the_stiffness_for_the_time_step_is_no_less_than_the_slope_of_the_force(kind):
    """Without friction and its spring too, whose stiffness may be the larger one."""
    for law in map(Formulas, variants(LAWS[kind])):
        for depth in (1e-4, 0.01, 0.05):
            least = slope(law.elastic, depth) * (1 - 1e-9)
            assert law.law.stiffness(depth, RADIUS) >= least, f"stiffness at depth {depth:g} is too small: {law.law}"


BOUNCING = [kind for kind, law in LAWS.items() if "restitution" in keys_of(law)]


def rebound(law: Formulas, speed: float, steps: int = 400) -> float:
    """Restitution of a straight impact of the mass MASS, in about so many of Runge and Kutta's steps of fourth order."""

    def rate(state: np.ndarray) -> np.ndarray:
        answer = law.force((max(state[0], 0.0), state[1]), NEW, 1e-3)
        return np.array([state[1], -(answer.elastic + answer.viscous) / MASS])

    def until_apart(dt: float) -> tuple[int, float]:
        state = np.array([1e-12, speed])
        for n in range(100_000):
            if state[0] <= 0.0:
                return n, -state[1] / speed
            one = rate(state)
            two = rate(state + 0.5 * dt * one)
            three = rate(state + 0.5 * dt * two)
            state = state + dt / 6.0 * (one + 2.0 * two + 2.0 * three + rate(state + dt * three))
        raise AssertionError(f"the impact does not end: {law.law}")

    dt = 0.02 * math.sqrt(MASS / law.law.stiffness(0.01, RADIUS))
    return until_apart(dt * until_apart(dt)[0] / steps)[1]


@pytest.mark.parametrize("kind", BOUNCING)
def test_the_restitution_of_a_law_comes_out_of_an_impact(kind):
    """Of the functions that kernels call then (`bouncing`), which push as those without a dashpot by restitution do."""
    numbers = {name: value for name, value in numbers_of(LAWS[kind]).items() if "damping" not in name}
    for restitution in (0.2, 0.6, 0.95):
        law = Formulas(LAWS[kind](**{**numbers, "restitution": restitution}))
        for depth in (1e-4, 0.01):
            pushed = law.force((depth, 0.1, 0.2, 0.1), NEW, 1e-3).elastic
            assert pushed == law.elastic(depth), f"{law.pushing.__name__} pushes otherwise than {law.module.__name__}"
        for speed in (0.1, 1.0):
            assert rebound(law, speed) == pytest.approx(restitution, abs=2e-3), f"restitution = {restitution}, speed {speed}"


MOTIONS = np.random.default_rng(5).normal(0, 0.3, (20, 3)) * [0.0, 1.0, 1.0] + [0.2, 0.0, 0.0]  # closing and sliding speeds
NEW = Memory(0.0, 0.0, 0.0)
DEPTHS = np.random.default_rng(6).uniform(0.001, 0.02, 20)


def answers(law: Law, memory: Memory = NEW) -> np.ndarray:
    """What a law says to some contacts that move, one row each, in the order of `Response`."""
    given = Formulas(law)
    return np.array([given.force((depth, *moving), memory, 1e-3) for depth, moving in zip(DEPTHS, MOTIONS, strict=True)])


NORMAL, TANGENTIAL, VISCOUS, LOST = slice(0, 2), slice(2, 6), [1, 4, 5], [1, 2, 3, 4, 5, 9]


@every_law
def test_what_a_law_says_of_its_losses_is_true(kind):
    """Where it says that contacts neither remember nor lose anything, kernels call `elastic` alone."""
    for law in variants(LAWS[kind]):
        found = answers(law)
        found[np.abs(found) < 1e-12 * found[:, [0]]] = 0.0  # of what friction holds back, rounding is left
        assert law.damps_or_slides or not found[:, LOST].any(), f"{law} loses or holds, and damps_or_slides is False"
        damps = getattr(law, "damps", law.damps_or_slides)
        assert damps or not found[:, VISCOUS].any(), f"{law} has dashpots, and damps is False"


@every_law
def test_each_parameter_reaches_the_formula_it_is_meant_for(kind):
    """Half of it gives other answers; of what is called normal or tangential only such ones, however `row` is ordered."""
    law, numbers = LAWS[kind], numbers_of(LAWS[kind])
    for name in numbers:
        halved = {**numbers, name: 0.5 * numbers[name]}
        there, here = (answers(law(**each), Memory(0.01, 0.005, 0.0)) for each in (numbers, halved))
        assert not np.array_equal(there, here), f"{name} changes nothing"
        held = {each: math.inf for each in numbers if each == "friction"}  # a cap would carry one into the other
        one, other = (answers(law(**{**each, **held}), Memory(0.01, 0.005, 0.0)) for each in (numbers, halved))
        of_normal, of_tangential = (not np.array_equal(one[:, part], other[:, part]) for part in (NORMAL, TANGENTIAL))
        if name.startswith(("normal", "tangential")):
            wanted = "normal" if name.startswith("normal") else "tangential"
            changed = [which for which, of_it in (("normal", of_normal), ("tangential", of_tangential)) if of_it]
            assert changed == [wanted], f"{name} changes {changed} forces: is `row` in the order of the formulas?"


def travel(kind: str, steps: int, seed: int = 4) -> tuple[float, np.ndarray, np.ndarray]:
    """(what was put in − stored − heat)/put in along `path`, heat of each step, and the power of the dashpots."""
    law = formulas(kind)
    depth, slip, dt = path(steps, seed)
    memory, old = Memory(0.0, 0.0, 0.0), np.zeros(2)
    work, put_in = 0.0, 1e-300
    heats, viscous = np.zeros(steps), np.zeros(steps)
    for n in range(steps):
        closing, way = (depth[n + 1] - depth[n]) / dt, slip[n + 1] - slip[n]
        answer = law.force((depth[n + 1], closing, way[0] / dt, way[1] / dt), memory, dt)
        now = np.array([answer.shear_u, answer.shear_w])
        step_work = -0.5 * float((now + old) @ way)
        work, put_in, old = work + step_work, put_in + abs(step_work), now
        heats[n] = answer.heat
        viscous[n] = answer.viscous * closing - (answer.drag_u * way[0] + answer.drag_w * way[1]) / dt
        memory = Memory(answer.spring_u, answer.spring_w, answer.extra)
        normal, tangential = answer.elastic + answer.viscous, math.hypot(now[0] + answer.drag_u, now[1] + answer.drag_w)
        assert normal >= 0.0, "elastic + viscous pulls"
        cap = getattr(law.law, "friction", math.inf) * normal
        assert tangential <= cap * (1 + 1e-12) + 1e-15, "the tangential force is larger than friction × the normal one"
    return abs(work - law.spring_energy(memory) - heats.sum()) / put_in, heats, viscous


@every_law
@pytest.mark.parametrize("steps", [200, 5000])
def test_a_cycle_in_the_tangent_plane_closes(kind, steps):
    """Exactly, for any step; the assertions on the way are Coulomb's cap and that nothing pulls."""
    residual, heats, viscous = travel(kind, steps)
    assert residual < 1e-12, "work put in = spring_energy + heat does not hold along a closed way"
    assert viscous.min() >= -1e-14, "a dashpot gives energy"
    keys = set(keys_of(LAWS[kind]))
    assert heats.sum() > 0.0 or "friction" not in keys, "friction makes no heat"
    assert viscous.max() > 0.0 or not keys & {"damping", "normal_damping", "restitution"}, "dashpots take nothing"


@every_law
def test_heat_is_not_negative(kind):
    """Of a whole cycle never. In single steps a spring that passes through zero while its stiffness falls gives back
    ½(k − k')s·s', of third order: halving the step divides all that by eight, or there is none."""
    gained = []
    for steps in (2000, 4000, 8000):
        _, heats, _ = travel(kind, steps)
        gained.append(-heats[heats < 0.0].sum() / max(heats.sum(), 1e-300))
    assert gained[0] < 1e-6, f"sliding gives energy: share of its heat, with half and a quarter of the step: {gained}"
    assert gained[2] <= 0.3 * gained[0] + 1e-15, f"what sliding gives does not fall with the step: {gained}"


@every_law
def test_damping_never_pulls(kind):
    law = formulas(kind)
    for speed in (-1e3, -1.0, 1e3):
        answer = law.force((0.01, speed, 0.3, -0.2), Memory(1e-4, 0.0, 0.0), 1e-4)
        assert answer.elastic + answer.viscous >= 0.0, f"at closing speed {speed:g} the dashpot pulls more than elastic pushes"
        assert answer.viscous * speed >= 0.0, f"at closing speed {speed:g} the dashpot pushes the way it goes"
        if answer.elastic + answer.viscous == 0.0:  # nothing to hold on to
            tangential = answer.shear_u + answer.drag_u, answer.shear_w + answer.drag_w
            assert tangential == (0.0, 0.0), f"without a normal force the tangential one is {tangential}"


@every_law
def test_isotropy(kind):
    law = formulas(kind)
    rng = np.random.default_rng(2)
    slid = 0
    for _ in range(200):
        turn = rng.uniform(0, 2 * np.pi)
        c, s = math.cos(turn), math.sin(turn)
        depth, closing, sliding, spring = rng.uniform(0, 0.02), *rng.normal(0, 0.3, 2), rng.normal(0, 0.01)
        extra = rng.uniform(0.0, 3000.0) if law.law.needs_extra else 0.0
        flat = law.force((depth, closing, sliding, 0.0), Memory(spring, 0.0, extra), 1e-3)
        turned = law.force((depth, closing, sliding * c, sliding * s), Memory(spring * c, spring * s, extra), 1e-3)
        for u, w in (("shear_u", "shear_w"), ("drag_u", "drag_w"), ("spring_u", "spring_w")):
            along = getattr(flat, u)
            found, expected = (getattr(turned, u), getattr(turned, w)), (along * c, along * s)
            assert found == pytest.approx(expected, rel=1e-11, abs=1e-12), f"{u}, {w} do not turn with the tangents"
        assert (turned.elastic, turned.viscous, turned.extra) == (flat.elastic, flat.viscous, flat.extra), (
            f"what acts along the normal depends on how the tangents are turned: {turned}, {flat}"
        )
        assert turned.heat == pytest.approx(flat.heat, rel=1e-10, abs=1e-12), "heat depends on how the tangents are turned"
        slid += flat.heat > 0.0
    assert slid > 20 or "friction" not in keys_of(LAWS[kind]), f"only {slid} of 200 contacts slide, with friction"


POWERS = {"²": "^{2}", "³": "^{3}", "^2": "^{2}", "^3": "^{3}"}
WORD = re.compile(r"(1|length|force|time|mass)(?:\^\{(\d)(?:/(\d))?\})?")


def in_units(unit: str, length: float, force: float, time: float) -> float:
    """What a number of this unit is multiplied by where length, force and time are so many times smaller."""
    units = {"1": 1.0, "length": length, "force": force, "time": time, "mass": force * time**2 / length}
    written = unit.removesuffix(" per radian")
    for sign, power in POWERS.items():
        written = written.replace(sign, power)
    above, *below = re.split(r"/(?![^{]*\})", written)
    factor = 1.0
    for words, sign in [(above, 1), *((each, -1) for each in below)]:
        for word in words.split(" × ") if unit else ():
            found = WORD.fullmatch(word)
            assert found, (
                f'"{word}" in the unit "{unit}" of a key: write length, force, time or mass, as in "force/length^{{3/2}}"'
            )
            name, over, under = found.groups()
            factor *= units[name] ** (sign * float(over or 1) / float(under or 1))
    return factor


@every_law
def test_the_declared_units_are_those_of_the_formulas(kind):
    """In other units, powers of two apart, every answer is the same, in a second step with what it remembers too."""
    length, push, time = units = (2.0**-6, 2.0**9, 2.0**-3)
    numbers = numbers_of(LAWS[kind])
    one = Formulas(LAWS[kind](**numbers))
    keys = keys_of(LAWS[kind])
    scaled = {name: value * in_units(keys[name].key.unit, *units) for name, value in numbers.items()}
    other = Formulas(LAWS[kind](**scaled), length, push * time**2 / length)
    rng = np.random.default_rng(3)
    for _ in range(50):
        spring = rng.normal(0, 0.01, 2)
        memories = [Memory(*spring, 0.0), Memory(*(spring * length), 0.0)]
        for _ in range(2):
            depth, speeds = rng.uniform(0, 0.02), rng.normal(0, 0.3, 3)
            first = one.force((depth, *speeds), memories[0], 1e-3)
            second = other.force((depth * length, *(speeds * length / time)), memories[1], 1e-3 * time)
            factors = (*[push] * 6, length, length, None, push * length)
            for name, mine, his, factor in zip(first._fields, first, second, factors, strict=True):
                assert factor is None or his == mine * factor, (
                    f"in other units {name} is {his / (mine * factor or 1e-300):.6g} times what it should be: "
                    "look at the units of the keys, " + ", ".join(f"{each} [{keys[each].key.unit}]" for each in numbers)
                )
            memories = [Memory(each.spring_u, each.spring_w, each.extra) for each in (first, second)]


def test_units_are_read_as_they_are_written():
    for unit, factor in (
        ("", 1.0), ("force/length", 0.75), ("force/length^{3/2}", 0.375), ("force/length²", 3 / 16), ("1/time", 0.2),
        ("force × length per radian", 12.0), ("force × time/length", 3.75), ("mass/time", 3.75), ("force/length^{2}", 3 / 16),
        ("force/length^2", 3 / 16), ("length^{1/2}/time", 0.4), ("force/length/time", 0.15),
    ):  # fmt: skip
        assert in_units(unit, length=4.0, force=3.0, time=5.0) == pytest.approx(factor), unit
    for unit in ("newton", "force/metre", "length^{a}", "force*length", "force/", "length^{2", " "):
        with pytest.raises(AssertionError, match="of a key: write length, force"):
            in_units(unit, length=4.0, force=3.0, time=5.0)


# --- keys ------------------------------------------------------------------------------------------------------------


def law_in_file(kind: str, numbers: dict, dimension: int) -> Law:
    """The law of a scene file with these keys."""
    shape = "sharp-cube" if LAWS[kind].needs_volume else "disk" if dimension == 2 else "sphere"
    grain = {"shape": shape, "position": [0.0] * dimension}
    tables = {"dimension": dimension, "law": {"kind": kind, **numbers}, "grains": [grain], "run": {"until": 1.0}}
    return scene_of(parse(Path("scene.toml"), toml(tables), {}), Path(), [])[0].default_law


def dimensions(kind: str) -> list[int]:
    """Where a law is known."""
    return [3] if LAWS[kind].needs_volume else [2, 3]


@every_law
def test_a_file_gives_the_law_that_python_makes(kind):
    law, numbers = LAWS[kind], numbers_of(LAWS[kind])
    needed = {name: numbers[name] for name, each in keys_of(law).items() if each.default is ...}
    for dimension in dimensions(kind):
        for given in (numbers, needed):
            read, made = law_in_file(kind, given, dimension), law(**given)
            assert read == made, f"a file gives {read}, Python {made}"
        if not law.needs_volume:
            on_top = {"rolling": {"stiffness": 2.0, "friction": 0.25}, "cohesion": {"force": 3.0, "range": 0.125}}
            made = law_in_file(kind, {**numbers, **on_top}, dimension)
            assert made == law(**numbers, rolling=Rolling(2.0, 0.25), cohesion=Cohesion(3.0, 0.125))


@every_law
def test_a_file_refuses_what_python_refuses(kind):
    law, numbers = LAWS[kind], numbers_of(LAWS[kind])
    for name in numbers:
        key = keys_of(law)[name].key
        bad = [math.nan, -math.inf, "text", True, *([] if key.infinite else [math.inf])]
        bad += [limit - sign for sign, limit in ((1.0, key.ge), (-1.0, key.le)) if limit is not None]
        bad += [limit for limit in (key.gt, key.lt) if limit is not None]
        for value in bad:
            with pytest.raises(SceneError, match=f"{name} = "):
                law(**{**numbers, name: value})
            with pytest.raises(InputError, match=rf"^scene\.toml: law\.{name}: "):
                law_in_file(kind, {**numbers, name: value}, dimensions(kind)[0])


@every_law
def test_a_law_says_what_it_is(kind):
    law = LAWS[kind]
    assert getattr(clast, law.__name__) is law and law.__name__ in clast.__all__, f"clast has no {law.__name__}"
    assert law.known_as, "known_as is empty: say in a few words what the law is, for the reference of scene files"
    assert law.__doc__ and not law.__doc__.startswith(f"{law.__name__}("), f"{law.__name__} has no docstring"
    assert law.module == law.__module__, "module = __name__ is missing"
    for name, each in keys_of(law).items():
        assert each.key.meaning, f"the key of {name} has no meaning"
        named = any(name in (parent.__doc__ or "") for parent in law.__mro__)
        assert named, f"the docstring of {law.__name__} does not name {name}"
