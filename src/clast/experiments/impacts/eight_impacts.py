"""The set-ups of the eight impacts of Chung & Ooi (2011, Granular Matter 13:643), and how each of them ends.

    1  two spheres, straight, elastic             5  sphere on a plane, one normal and several tangential velocities
    2  sphere on a rigid plane, straight          6  sphere on a plane, spinning
    3  the same, damped: restitution              7  two equal spheres with opposite spins
    4  sphere on a plane, one speed, all angles   8  small spinning sphere on a large heavy one

Law: `HertzMindlin`, or another for tests 4, 5, 6 and 8. The paper's restitution is the one that comes out, so the law gets
the parameter that gives it (`clast.experiments.impacts.thrown`). The plane is rigid: R* is the radius of the sphere, E* =
E/(1−ν²), G* = G/(2−ν).
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from clast.algebra.quaternions import IDENTITY, about
from clast.experiments.impacts.thrown import Ball, Ends, Plane, Start, hertz_mindlin, throw
from clast.laws.law import Law
from clast.laws.restitution import pulling_ratio, restitution_of

Columns = Mapping[str, np.ndarray]
LIMESTONE, MAGNESIUM = Ball(0.01, 2500.0, 20e9, 0.25), Ball(0.1, 1800.0, 40e9, 0.35)  # m, kg/m³, Pa
OXIDE, SMALL_ALLOY, STEEL = Ball(0.0025, 4000.0, 380e9, 0.23), Ball(0.0025, 2700.0, 70e9, 0.33), Ball(1e-5, 7850.0, 208e9, 0.30)
ALLOY, NYLON = Ball(0.1, 2700.0, 70e9, 0.33), Ball(0.1, 1000.0, 2.5e9, 0.40)
HEAVY, HEAVY_SOFT = Ball(0.5, 2.7e6, 70e12, 0.33), Ball(0.5, 2.7e6, 70e9, 0.33)  # cases A and B of test 8
ANY = 0.35  # friction of straight impacts, where it does nothing: so that all tests run the same compiled law
SPEEDS = {"1": 20.0, "2": 0.2, "3": 3.9}  # m/s, closing
SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)  # test 3: restitution; the paper has 0 too
OBLIQUE = (0.092, 0.98)  # test 4: friction and restitution
TANGENTIAL = (0.3, 1.0)  # test 5
SPINNING = (0.4, 0.5)  # tests 6 to 8
NORMAL = {"5": 5.0, "6": 0.2, "7": 0.2, "8": 0.2}  # m/s
DEGREES = np.arange(1.0, 86.0)
REFINED = (25, 50, 100, 200, 400)  # steps per contact whose answers are compared
TURN = about((1.0, 2.0, 3.0), 1.0)  # of a world that is not along the axes


def straight(test: str, steps: int) -> Columns:
    """The course of a straight elastic impact: tests 1, 2, and 3 without damping."""
    ball, partner = {"1": (LIMESTONE, LIMESTONE), "2": (MAGNESIUM, None), "3": (OXIDE, None)}[test]
    speed = SPEEDS[test]
    start = Start((0.0, 0.0, -0.5 * speed), partner_velocity=(0.0, 0.0, 0.5 * speed)) if partner else Start((0.0, 0.0, -speed))
    ends = throw(ball, [start], [hertz_mindlin(ball, partner, ANY, 1.0)], steps=steps, partner=partner, record=True)
    return {"time": ends.time, "depth": ends.depth, "force": ends.force, "closing": ends.closing}


def damped(steps: int) -> Columns:
    """Test 3: restitution that comes out, and with the damping ratio that would give it if dashpots could pull."""
    laws = [hertz_mindlin(OXIDE, None, ANY, e) for e in SHARES]
    plain = [hertz_mindlin(OXIDE, None, ANY, restitution_of(pulling_ratio(e))) for e in SHARES]
    starts = [Start((0.0, 0.0, -SPEEDS["3"]))] * len(SHARES)
    out, raw = (throw(OXIDE, starts, each, steps=steps).velocity[:, 2] / SPEEDS["3"] for each in (laws, plain))
    return {"wanted": np.array(SHARES), "restitution": out, "uncorrected": raw}


def oblique(
    steps: int,
    degrees: np.ndarray = DEGREES,
    *,
    ball: Ball = OXIDE,
    plane: Plane = "plate",
    turn: Sequence[float] = IDENTITY,
    law: Law | None = None,
) -> Columns:
    """Test 4: what the angle of incidence does at one speed."""
    speed, angle = SPEEDS["3"], np.radians(degrees)
    starts = [Start((speed * math.sin(each), 0.0, -speed * math.cos(each))) for each in angle]
    law = law or hertz_mindlin(ball, None, *OBLIQUE)
    ends = throw(ball, starts, [law], steps=steps, plane=plane, turn=turn)
    return {
        "x": degrees,
        "restitution": ends.velocity[:, 0] / (speed * np.sin(angle)),
        "spin": -ends.spin[:, 1],
        "angle": np.degrees(np.arctan(sliding(ends, ball) / ends.velocity[:, 2])),
    }


def sideways(steps: int, speeds: np.ndarray, *, law: Law | None = None) -> Columns:
    """Test 5: what the tangential velocity does at one normal velocity."""
    normal, mu = NORMAL["5"], TANGENTIAL[0]
    law = law or hertz_mindlin(STEEL, None, *TANGENTIAL)
    ends = throw(STEEL, [Start((speed, 0.0, -normal)) for speed in speeds], [law], steps=steps)
    slide = sliding(ends, STEEL) / (mu * ends.velocity[:, 2])
    return {"x": speeds, "slide": slide, "spin": -STEEL.radius * ends.spin[:, 1] / (mu * normal)}


def spinning(
    steps: int, degrees: np.ndarray = DEGREES, *, ball: Ball = ALLOY, partner: Ball | None = None, law: Law | None = None
) -> Columns:
    """Tests 6 (plane) and 8 (large heavy sphere): what the spin does at one normal velocity."""
    normal = NORMAL["6"]
    before = normal * np.tan(np.radians(degrees))  # of the surface
    starts = [Start((0.0, 0.0, -normal), (0.0, -speed / ball.radius, 0.0)) for speed in before]
    law = law or hertz_mindlin(ball, partner, *SPINNING)
    ends = throw(ball, starts, [law], steps=steps, partner=partner)
    after = sliding(ends, ball)
    return {"x": degrees, "slide": after / ends.velocity[:, 2], "beta": -after / before, "normal": ends.velocity[:, 2] / normal}


def opposite(steps: int) -> Columns:
    """Test 7: two equal spheres that turn like cog wheels, so that nothing slides."""
    normal = NORMAL["7"]
    spins = normal / ALLOY.radius * np.tan(np.radians(DEGREES))
    starts = [Start((0.0, 0.0, -normal), (0.0, w, 0.0), (0.0, 0.0, normal), (0.0, -w, 0.0)) for w in spins]
    ends = throw(ALLOY, starts, [hertz_mindlin(ALLOY, ALLOY, *SPINNING)], steps=steps, partner=ALLOY)
    return {"x": DEGREES, "before": spins, "spin": ends.spin[:, 1], "sideways": ends.velocity[:, 0] / normal}


def sliding(ends: Ends, ball: Ball) -> np.ndarray:
    """Velocity along x of the surface where it touched, after."""
    return np.asarray(ends.velocity[:, 0] - ball.radius * ends.spin[:, 1])


def planes(steps: int) -> Columns:
    """Tangential restitution of test 4 on a plate, on the top of a box, and with the whole world turned."""
    degrees = np.arange(5.0, 86.0, 5.0)
    ways: dict[str, tuple[Plane, Sequence[float]]] = {
        "plate": ("plate", IDENTITY), "box": ("box", IDENTITY), "turned": ("plate", tuple(TURN)),
    }  # fmt: skip
    return {"x": degrees} | {
        name: oblique(steps, degrees, plane=plane, turn=turn)["restitution"] for name, (plane, turn) in ways.items()
    }  # fmt: skip


def refined() -> Columns:
    """How far answers are off with fewer steps: elastic and damped from what they must be, oblique from 4 times as many."""
    start = [Start((0.0, 0.0, -SPEEDS["3"]))]
    laws = [[hertz_mindlin(OXIDE, None, ANY, e)] for e in (1.0, 0.6)]
    at, finest = np.array([20.0]), 4 * REFINED[-1]
    best = np.asarray(oblique(finest, at)["restitution"])[0]
    rows = []
    for steps in REFINED:
        lossless, lossy = (float(throw(OXIDE, start, law, steps=steps).velocity[0, 2]) / SPEEDS["3"] for law in laws)
        slanted = float(np.asarray(oblique(steps, at)["restitution"])[0])
        rows.append((steps, abs(lossless - 1.0), abs(lossy - 0.6), abs(slanted - best)))
    return dict(zip(("steps", "elastic", "damped", "oblique"), np.array(rows).T, strict=True))
