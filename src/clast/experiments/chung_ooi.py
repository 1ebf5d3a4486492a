"""The eight impacts of spheres by which programs are compared (Chung & Ooi 2011, Granular Matter 13:643).

    1  two spheres, straight, elastic             5  sphere on a plane, one normal and several tangential velocities
    2  sphere on a rigid plane, straight          6  sphere on a plane, spinning
    3  the same, damped: restitution              7  two equal spheres with opposite spins
    4  sphere on a plane, one speed, all angles   8  small spinning sphere on a large heavy one

Law: `HertzMindlin`. The paper's restitution is the one that comes out, so the law is asked for what gives it
(`clast.preparation.impacts`). The plane is rigid: R* is the radius of the sphere, E* = E/(1−ν²), G* = G/(2−ν).

How it is judged, fixed before the first run: a number lies within the bar of its test; a curve if Σ|ours − published| /
Σ|published| over its points is below the bar. A sketch of the law had shown beforehand that tests 5, 6 and 8 would not agree
where the contact sticks, so these are judged twice: over the points where even a rigid sphere slides to the end,
v_s > 3.5 μ(1+e) v_n, and over the whole curve. The other tangential springs were chosen from many because they come nearest, so
they are not judged.
"""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from clast.experiments.experiment import Columns, Merit, Parameters, Quantity, Study, parameter
from clast.laws import HertzMindlin, Law
from clast.output.figures import save_figure
from clast.output.reader import Run
from clast.preparation.impacts import Ball, Ends, Plane, Start, hertz, hertz_mindlin, other_law, throw
from clast.shapes.space.quaternions import IDENTITY, about

LIMESTONE, MAGNESIUM = Ball(0.01, 2500.0, 20e9, 0.25), Ball(0.1, 1800.0, 40e9, 0.35)  # m, kg/m³, Pa
OXIDE, STEEL = Ball(0.0025, 4000.0, 380e9, 0.23), Ball(1e-5, 7850.0, 208e9, 0.30)
ALLOY, HEAVY = Ball(0.1, 2700.0, 70e9, 0.33), Ball(0.5, 2.7e6, 70e12, 0.33)
ANY = 0.35  # friction of straight impacts, where it does nothing: so that all tests run the same compiled law
FORCES = {"1": 7108.0, "2": 7233.0}  # N, published
SPEEDS = {"1": 20.0, "2": 0.2, "3": 3.9}  # m/s, closing
SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)  # test 3: restitution; the paper has 0 too
OBLIQUE = (0.092, 0.98)  # test 4: friction and restitution
TANGENTIAL = (0.3, 1.0)  # test 5
SPINNING = (0.4, 0.5)  # tests 6 to 8
NORMAL = {"5": 5.0, "6": 0.2, "7": 0.2, "8": 0.2}  # m/s
DEGREES = np.arange(1.0, 86.0)
BARS = {"1": 0.01, "2": 0.01, "3": 0.01, "4": 0.02, "5": 0.03, "6": 0.03, "7": 0.01, "8": 0.03}
REASONS = {  # of disagreement, where a contact sticks
    "4": "likely our tangential spring, which never gives back more than it took: size full has one nearer to the paper's",
    "5": "likely half the tangential stiffness in the paper: test 4 is the same problem in other units and needs all of it",
    "6": "the reason is not known: of the springs and dashpots tried none came nearer to β than 14 %",
    "8": "the reason is not known: as for test 6",
}
SAME = 1e-9  # our bar: planes drawn in other ways, relative
REFINED = (25, 50, 100, 200, 400)  # steps per contact whose answers are compared
TURN = about((1.0, 2.0, 3.0), 1.0)  # of a world that is not along the axes


class ChungOoi(Parameters):
    """Everything else is the paper's."""

    steps: int = parameter(400, "time steps in Hertz's duration of an elastic impact", ge=25)
    others: bool = parameter(True, "run tests 4 and 5 also with the tangential springs of other programs")


@cache
def published() -> Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """(test, quantity) → what was varied and what the paper's figures show, from `data/chung-ooi.csv`."""
    lines = (Path(__file__).parent / "data" / "chung-ooi.csv").read_text(encoding="utf-8").splitlines()
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        points.setdefault((row["test"], row["quantity"]), []).append((float(row["x"]), float(row["value"])))
    return {key: (np.array(pairs)[:, 0], np.array(pairs)[:, 1]) for key, pairs in points.items()}


# --- the impacts -----------------------------------------------------------------------------------------------------


def straight(test: str, steps: int) -> Columns:
    """The course of a straight elastic impact: tests 1, 2, and 3 without damping."""
    ball, partner = {"1": (LIMESTONE, LIMESTONE), "2": (MAGNESIUM, None), "3": (OXIDE, None)}[test]
    speed = SPEEDS[test]
    start = Start((0.0, 0.0, -0.5 * speed), partner_velocity=(0.0, 0.0, 0.5 * speed)) if partner else Start((0.0, 0.0, -speed))
    ends = throw(ball, [start], [hertz_mindlin(ball, partner, ANY, 1.0)], steps=steps, partner=partner, record=True)
    return {"time": ends.time, "depth": ends.depth, "force": ends.force, "closing": ends.closing}


def damped(steps: int) -> Columns:
    """Test 3: restitution that comes out, with the law asked for what gives it, and asked for it straight away."""
    laws = [hertz_mindlin(OXIDE, None, ANY, e) for e in SHARES]
    plain = [HertzMindlin(law.young, law.shear, ANY, e) for law, e in zip(laws, SHARES, strict=True)]
    starts = [Start((0.0, 0.0, -SPEEDS["3"]))] * len(SHARES)
    out, raw = (throw(OXIDE, starts, each, steps=steps).velocity[:, 2] / SPEEDS["3"] for each in (laws, plain))
    return {"wanted": np.array(SHARES), "restitution": out, "uncorrected": raw}


def oblique(
    steps: int, degrees: np.ndarray = DEGREES, plane: Plane = "plate", turn: Sequence[float] = IDENTITY, law: Law | None = None
) -> Columns:
    """Test 4: what the angle of incidence does at one speed."""
    speed, angle = SPEEDS["3"], np.radians(degrees)
    starts = [Start((speed * math.sin(each), 0.0, -speed * math.cos(each))) for each in angle]
    law = law or hertz_mindlin(OXIDE, None, *OBLIQUE)
    ends = throw(OXIDE, starts, [law], steps=steps, plane=plane, turn=turn)
    return {
        "x": degrees,
        "restitution": ends.velocity[:, 0] / (speed * np.sin(angle)),
        "spin": -ends.spin[:, 1],
        "angle": np.degrees(np.arctan(sliding(ends, OXIDE) / ends.velocity[:, 2])),
    }


def sideways(steps: int, law: Law | None = None) -> Columns:
    """Test 5: what the tangential velocity does at one normal velocity."""
    normal, mu = NORMAL["5"], TANGENTIAL[0]
    seen = [x for (test, _), (x, _) in published().items() if test == "5"]
    speeds = np.unique(np.concatenate([*seen, np.arange(0.25, 21.0, 0.25)]))
    law = law or hertz_mindlin(STEEL, None, *TANGENTIAL)
    ends = throw(STEEL, [Start((speed, 0.0, -normal)) for speed in speeds], [law], steps=steps)
    slide = sliding(ends, STEEL) / (mu * ends.velocity[:, 2])
    return {"x": speeds, "slide": slide, "spin": -STEEL.radius * ends.spin[:, 1] / (mu * normal)}


def spinning(steps: int, partner: Ball | None) -> Columns:
    """Tests 6 (plane) and 8 (large heavy sphere): what the spin does at one normal velocity."""
    normal = NORMAL["6"]
    before = normal * np.tan(np.radians(DEGREES))  # of the surface
    starts = [Start((0.0, 0.0, -normal), (0.0, -speed / ALLOY.radius, 0.0)) for speed in before]
    ends = throw(ALLOY, starts, [hertz_mindlin(ALLOY, partner, *SPINNING)], steps=steps, partner=partner)
    after = sliding(ends, ALLOY)
    return {"x": DEGREES, "slide": after / ends.velocity[:, 2], "beta": -after / before, "normal": ends.velocity[:, 2] / normal}


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
        name: oblique(steps, degrees, plane, turn)["restitution"] for name, (plane, turn) in ways.items()
    }  # fmt: skip


def refined() -> Columns:
    """How far answers are off with fewer steps: elastic and damped from what they must be, oblique from 4 times as many."""
    start = [Start((0.0, 0.0, -SPEEDS["3"]))]
    laws = [[hertz_mindlin(OXIDE, None, ANY, e)] for e in (1.0, 0.6)]
    at, finest = np.array([20.0]), 4 * REFINED[-1]
    best = np.asarray(oblique(finest, at)["restitution"])[0]
    rows = []
    for steps in REFINED:
        kept, lossy = (float(throw(OXIDE, start, law, steps=steps).velocity[0, 2]) / SPEEDS["3"] for law in laws)
        slanted = float(np.asarray(oblique(steps, at)["restitution"])[0])
        rows.append((steps, abs(kept - 1.0), abs(lossy - 0.6), abs(slanted - best)))
    return dict(zip(("steps", "elastic", "damped", "oblique"), np.array(rows).T, strict=True))


def tables(p: ChungOoi, _threads: int | str) -> Mapping[str, Callable[[], Columns]]:
    """A table per test; then planes, steps and, if asked for, other programs' springs."""
    wanted: dict[str, Callable[[], Columns]] = {f"{test} course": partial(straight, test, p.steps) for test in SPEEDS}
    wanted |= {
        "3": partial(damped, p.steps), "4": partial(oblique, p.steps), "5": partial(sideways, p.steps),
        "6": partial(spinning, p.steps, None), "7": partial(opposite, p.steps), "8": partial(spinning, p.steps, HEAVY),
        "planes": partial(planes, p.steps), "steps": refined,
    }  # fmt: skip
    if p.others:
        wanted["4 other"] = partial(oblique, p.steps, law=other_law(OXIDE, *OBLIQUE, softer=1.0, hold=0.0))
        wanted["5 other"] = partial(sideways, p.steps, law=other_law(STEEL, *TANGENTIAL, softer=2.0, hold=1.0))
    return wanted


# --- judgement -------------------------------------------------------------------------------------------------------


def beside(table: Columns, test: str, quantity: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What was varied, ours and the published values at the points of a figure."""
    x, values = published()[test, quantity]
    return x, np.asarray(table[quantity])[np.searchsorted(np.asarray(table["x"]), x)], values


def slides(test: str, x: np.ndarray) -> np.ndarray:
    """Whether even a rigid sphere slides to the end."""
    mu, e = TANGENTIAL if test == "5" else SPINNING
    ratio = x / NORMAL["5"] if test == "5" else np.tan(np.radians(x))
    return np.asarray(ratio > 3.5 * mu * (1.0 + e))


def departure(ours: np.ndarray, values: np.ndarray) -> float:
    """Σ|ours − published| / Σ|published|."""
    return float(np.abs(ours - values).sum() / np.abs(values).sum())


def curve(run: Run, test: str, quantity: str, words: str) -> list[Quantity]:
    """A curve of a test beside the published one: where spheres slide, if that is apart, and as a whole."""
    x, ours, values = beside(run.tables[test], test, quantity)
    bar, found = BARS[test], []
    parts = {"": np.ones(x.size, bool)}
    if test != "4":
        parts = {", sliding": slides(test, x), ", whole curve": parts[""]}
    for part, chosen in parts.items():
        off = departure(ours[chosen], values[chosen])
        worst = int(np.argmax(np.where(chosen, np.abs(ours - values), -1.0)))
        unit = "m/s" if test == "5" else "°"
        furthest = f"furthest at {x[worst]:g} {unit}: {ours[worst]:.3f}, published {values[worst]:g}"
        note = f"{chosen.sum()} points, agrees below {bar:g}; {furthest}"
        if off >= bar and part != ", sliding":
            note += f"; {REASONS[test]}"
        found.append(Quantity(f"{test}: {words}{part}", off, "", 0.0, off < bar, note))
    return found


def number(test: str, words: str, unit: str, measured: float, expected: float, source: str) -> Quantity:
    """One number of a straight impact."""
    bar = BARS[test]
    agrees = bool(abs(measured / expected - 1.0) < bar)
    return Quantity(f"{test}: {words}", measured, unit, expected, agrees, f"{source}; agrees within {bar:.0%}")


def course_quantities(run: Run, test: str) -> list[Quantity]:
    """Largest force and overlap, and duration, of a straight elastic impact."""
    course = run.tables[f"{test} course"]
    ball, partner = (LIMESTONE, LIMESTONE) if test == "1" else ({"2": MAGNESIUM, "3": OXIDE}[test], None)
    form = hertz(ball, partner, SPEEDS[test])
    lasted = float(course["time"][-1] - course["depth"][-1] / course["closing"][-1])
    force, source = FORCES.get(test, form.force), "Chung & Ooi" if test in FORCES else "Hertz"
    return [
        number(test, "largest force", "N", float(course["force"].max()), force, f"{source}; Hertz {form.force:.2f}"),
        number(test, "largest overlap", "µm", 1e6 * float(course["depth"].max()), 1e6 * form.depth, "Hertz"),
        number(test, "duration", "µs", 1e6 * lasted, 1e6 * form.duration, "Hertz"),
    ]


def order_of(run: Run, name: str) -> float:
    """Slope of the error of an answer against Δt, from the steps tried."""
    table = run.tables["steps"]
    slope, _ = np.polyfit(np.log(table["steps"]), np.log(np.maximum(table[name], 1e-300)), 1)
    return -float(slope)


def evaluate(p: ChungOoi, run: Run) -> Sequence[Quantity]:
    """Every test beside the paper's figure, then what the answers depend on."""
    quantities = [each for test in SPEEDS for each in course_quantities(run, test)]
    damped_ones = run.tables["3"]
    worst = float(np.abs(damped_ones["restitution"] / damped_ones["wanted"] - 1.0).max())
    said = f"relative, worst of 0.2, 0.4 … 1; the paper's 0 needs a dashpot without end; agrees below {BARS['3']:g}"
    quantities.append(Quantity("3: restitution off", worst, "", 0.0, worst < BARS["3"], said))
    raw = float(damped_ones["uncorrected"][-1])
    quantities.append(
        Quantity("3: restitution where the law is asked for 0.2 itself", raw, note="its dashpot may not pull, so more comes back")
    )
    quantities += curve(run, "4", "restitution", "tangential restitution")
    quantities += curve(run, "4", "spin", "spin after") + curve(run, "4", "angle", "angle of rebound")
    quantities += curve(run, "5", "slide", "surface velocity") + curve(run, "5", "spin", "spin after")
    for test in ("6", "8"):
        quantities += curve(run, test, "slide", "surface velocity")
        quantities += curve(run, test, "beta", "surface restitution β")
    cogs = run.tables["7"]
    moved, turned = float(np.abs(cogs["sideways"]).max()), float(np.abs(cogs["spin"] / cogs["before"] - 1.0).max())
    quantities.append(Quantity("7: sideways velocity / v_n", moved, "", 0.0, moved < BARS["7"], "largest of all spins"))
    quantities.append(Quantity("7: change of spin", turned, "", 0.0, turned < BARS["7"], "relative, largest of all spins"))
    x, measured = published()["4 measured", "restitution"]
    x, measured = x[(x >= 5.0) & (x <= 85.0)], measured[(x >= 5.0) & (x <= 85.0)]  # where the paper computes
    theirs = dict(zip(("x", "restitution"), published()["4", "restitution"], strict=True))
    for who, table in (("ours", run.tables["4"]), ("the paper's", theirs)):
        off = departure(np.interp(x, table["x"], table["restitution"]), measured)
        words = f"4: tangential restitution against experiments, {who}"
        quantities.append(Quantity(words, off, note=f"{x.size} points, 5° to 85°, as shown by Chung & Ooi"))
    for test, quantity, words, tried in (
        ("4", "restitution", "k_t s, s kept", 60),
        ("5", "slide", "half the k_t, force kept", 35),
    ):
        if f"{test} other" in run.tables:
            _, ours, values = beside(run.tables[f"{test} other"], test, quantity)
            note = f"nearest to the paper of {tried} springs and dashpots tried; it can give back more than it took"
            quantities.append(Quantity(f"{test}: whole curve with {words}", departure(ours, values), note=note))
    ways = run.tables["planes"]
    apart = float(max(np.abs(ways[name] - ways["plate"]).max() for name in ("box", "turned")))
    quantities.append(
        Quantity("4: plate, box, turned world apart", apart, "", 0.0, apart < SAME, f"tangential restitution, our bar {SAME:g}")
    )
    for name, words in (("elastic", "elastic"), ("damped", "damped, e = 0.6"), ("oblique", "oblique, 20°")):
        last = float(run.tables["steps"][name][-1])
        note = f"of the restitution's error in Δt; {last:.1e} with {REFINED[-1]} steps per contact"
        quantities.append(Quantity(f"order, {words}", order_of(run, name), note=note))
    return quantities


def figures(p: ChungOoi, run: Run, folder: Path) -> Sequence[Path]:
    """Straight impacts (tests 1 to 3), oblique ones (4, 5) and spinning ones (6 to 8): lines ours, circles the paper's points."""
    import matplotlib.pyplot as plt

    paths = []
    figure, axes = plt.subplots(2, 3, figsize=(13, 7.4), layout="constrained")
    for (left, right), test in zip(axes.T[:2], ("1", "2"), strict=True):
        course, mark = run.tables[f"{test} course"], FORCES[test]
        for each, x, words in ((left, 1e6 * course["depth"], "overlap [µm]"), (right, 1e6 * course["time"], "time [µs]")):
            each.plot(x, course["force"], lw=1.4)
            each.axhline(mark, color="k", lw=0.8, ls="--", label=f"published {mark:g} N")
            each.set(xlabel=words, ylabel="normal force [N]", ylim=(0.0, 1.1 * mark))
        left.set_title(f"test {test}: {'two spheres' if test == '1' else 'sphere on a plane'}", fontsize=10)
        left.legend(loc="upper left", fontsize=8)
    shares, off = run.tables["3"], run.tables["steps"]
    axes[0, 2].plot((0, 1), (0, 1), color="0.7", lw=1)
    axes[0, 2].plot(shares["wanted"], shares["restitution"], "o", ms=5, label="law asked for what gives it")
    axes[0, 2].plot(shares["wanted"], shares["uncorrected"], "x", color="C3", label="law asked for it")
    axes[0, 2].set(xlabel="restitution wanted", ylabel="restitution", xlim=(0, 1.03), ylim=(0, 1.03), aspect="equal")
    axes[0, 2].set_title("test 3", fontsize=10)
    axes[0, 2].legend(loc="upper left", fontsize=8)
    for name, style in (("elastic", "o-"), ("damped", "s-"), ("oblique", "^-")):
        axes[1, 2].loglog(off["steps"], off[name], style, ms=4, lw=1, label=f"{name}, order {order_of(run, name):.1f}")
    axes[1, 2].set(xlabel="time steps in the duration of the contact", ylabel="error of the restitution")
    axes[1, 2].set_xticks(off["steps"], [f"{steps:g}" for steps in off["steps"]])
    axes[1, 2].minorticks_off()
    axes[1, 2].legend(fontsize=8)
    paths.append(save_figure(figure, folder / "straight.png"))

    figure, axes = plt.subplots(2, 3, figsize=(13, 7.4), layout="constrained")
    panels = (
        ("4", "restitution", "tangential restitution"), ("4", "spin", "spin after [rad/s]"),
        ("4", "angle", "angle of rebound [°]"), ("5", "slide", "$v_s'/\\mu v_n'$"), ("5", "spin", "$R\\omega'/\\mu v_n$"),
    )  # fmt: skip
    for each, (test, quantity, words) in zip(axes.flat, panels, strict=False):
        draw_curve(each, run, test, quantity, words)
    axes.flat[-1].set_axis_off()
    paths.append(save_figure(figure, folder / "oblique.png"))

    figure, axes = plt.subplots(2, 3, figsize=(13, 7.4), layout="constrained")
    for row, test in zip(axes, ("6", "8"), strict=True):
        draw_curve(row[0], run, test, "slide", "$v_s'/v_n'$")
        draw_curve(row[1], run, test, "beta", "$\\beta = -v_s'/v_s$")
    cogs = run.tables["7"]
    axes[0, 2].plot(cogs["before"], cogs["before"], color="0.7", lw=1, label="no change")
    axes[0, 2].plot(cogs["before"], cogs["spin"], ".", ms=4, label="ours")
    axes[0, 2].set(xlabel="spin before [rad/s]", ylabel="spin after [rad/s]", title="test 7: two equal spheres, opposite spins")
    axes[0, 2].legend(fontsize=8)
    axes[1, 2].plot(cogs["before"], cogs["sideways"], ".", ms=4)
    axes[1, 2].set(xlabel="spin before [rad/s]", ylabel="sideways velocity after / $v_n$", ylim=(-0.02, 0.02), title="test 7")
    paths.append(save_figure(figure, folder / "spinning.png"))
    return paths


def draw_curve(axes: Any, run: Run, test: str, quantity: str, words: str) -> None:
    """A curve of a test, the paper's points on it, and what else there is."""
    table, (x, values) = run.tables[test], published()[test, quantity]
    shown = np.asarray(table["x"]) <= 1.02 * x.max()
    axes.plot(table["x"][shown], table[quantity][shown], lw=1.4, label="ours")
    axes.plot(x, values, "o", mfc="none", color="k", ms=5, label="Chung & Ooi")
    if f"{test} other" in run.tables:
        other = run.tables[f"{test} other"]
        axes.plot(other["x"][shown], other[quantity][shown], color="C1", lw=1, ls="--", label="another tangential spring")
    if (f"{test} measured", quantity) in published():
        axes.plot(*published()[f"{test} measured", quantity], "x", color="C3", ms=5, label="experiments")
    what = {"4": "angle of incidence [°]", "5": "tangential velocity [m/s]"}.get(test, "atan $R\\omega/v_n$ [°]")
    axes.set(xlabel=what, ylabel=words, title=f"test {test}")
    axes.legend(fontsize=8)


def merit(p: ChungOoi, run: Run) -> Merit:
    """Single impacts: how fast they are says nothing."""
    return Merit(grains=1)


EXPERIMENT = Study(
    name="chung-ooi",
    paper="Chung & Ooi 2011",
    title="eight impacts of spheres on spheres and planes",
    parameters=ChungOoi,
    tables=tables,
    evaluate=evaluate,
    figures=figures,
    merit=merit,
    sizes={"quick": {"others": False}, "full": {"steps": 1600}},
    claim="single impacts of spheres whose forces, restitution, rebound and spin every program should give",
)
