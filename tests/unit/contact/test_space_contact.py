"""Which features of two solids count, how often, and that forces and torques in space follow from one energy (model §3)."""

import itertools
import math

import numpy as np
import pytest

from clast.algebra.quaternions import about, matrix, product, random_turns
from clast.contact.space.spheropolyhedron import FADE
from clast.dynamics.engine import Engine
from clast.dynamics.space.columns import TURN
from clast.dynamics.space.table import COUNT, DEPTH, NORMAL_ENERGY
from clast.laws import Linear
from clast.scene.space import Scene3D
from clast.shapes.space.forms import cross, prism
from clast.shapes.space.make import capsule, cuboid, plate, shell, sphere, sphere_clump, tetrahedron
from clast.shapes.space.solid import Solid

K = 1000.0
R = 0.1
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
Turn = tuple[float, ...] | np.ndarray

CUBE = cuboid(2.0, R)
BRICK = cuboid((1.0, 0.7, 1.4), R)
TETRAHEDRON = tetrahedron(1.2, R)
BALL = sphere(0.15)
ROD = capsule(2.0, R)
TILE = plate([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], R)
TRIANGLE = plate([(0, 0, 0), (1.2, 0, 0), (0.5, 0.9, 0)], R)
TRIO = sphere_clump([(0, 0, 0), (0.15, 0.05, 0.1), (0.4, 0.3, 0)], R)
ELL = prism([(0, 0), (2, 0), (2, 0.7), (0.8, 0.7), (0.8, 2), (0, 2)], 0.8, R)  # a reflex edge, two faces that are not convex
STAR = cross(0.4, 0.5, R)  # 24 reflex edges, 8 corners where only such edges meet
TENT = shell([(-1, 0, -0.5), (0, 0, 0), (1, 0, -0.5), (-1, 1, -0.5), (0, 1, 0), (1, 1, -0.5)], [(0, 1, 4, 3), (1, 2, 5, 4)], R)


# --- the engine's answer --------------------------------------------------------------------------------------------


class Pair:
    """Two solids that can be put anywhere; the first lies at the origin unless it is moved."""

    def __init__(self, a: Solid, b: Solid) -> None:
        scene = Scene3D(law=Linear(K))
        scene.add(a, (0.0, 0.0, 0.0))
        scene.add(b, (0.5 * (a.reach + b.reach), 0.0, 0.0))
        self.a, self.b = a, b
        self.engine = Engine(scene, dt=1e-9, alpha=0.05)
        self.rows = np.argsort(self.engine.order)
        self.size = K * (a.radius + b.radius)  # of forces

    def put(self, place: np.ndarray, turn: Turn = UPRIGHT, place_a=(0.0, 0.0, 0.0), turn_a: Turn = UPRIGHT) -> "Pair":
        """Bodies where the user says, by the axes they were drawn along; lists are made anew."""
        body = self.engine.state.body
        for row, solid, at, way in ((self.rows[0], self.a, place_a, turn_a), (self.rows[1], self.b, place, turn)):
            body[row, :3], body[row, TURN : TURN + 4] = at, product(way, solid.orientation)
        self.engine._rebuild()
        return self

    def table(self) -> np.ndarray:
        return self.engine.contact_table(self.engine.state)[1]

    def counts(self) -> list[float]:
        return sorted(float(c) for c in self.table()[:, COUNT].round(12))

    def energy(self) -> float:
        return float(self.table()[:, NORMAL_ENERGY].sum())

    def depth(self) -> float:
        return float(self.table()[:, DEPTH].max(initial=-math.inf))

    def wrench(self) -> np.ndarray:
        """Force on b, torque on b and torque on a (9,), as a step would use them."""
        engine = self.engine
        if engine.pairs == 0:
            return np.zeros(9)
        engine._kick(*engine._copy(), 0.5, 0.5, 1.0, onset=0.0)
        found = engine._forces.pair[0]
        if self.rows[0] < self.rows[1]:
            return np.concatenate([-found[:3], found[6:9], found[3:6]])
        return np.concatenate([found[:3], found[3:6], found[6:9]])

    def gradient(self, h: float = 1e-8) -> np.ndarray:
        """The same from differences of the energy: b moved, b turned, a turned, about the axes of the world.

        A short step: where a feature hands over to the next the second derivative jumps, which costs h/δ.
        """
        body, kept = self.engine.state.body, self.engine.state.body.copy()
        found = []
        for row, kind, axis in [(1, 0, k) for k in range(3)] + [(1, 1, k) for k in range(3)] + [(0, 1, k) for k in range(3)]:
            values = []
            for step in (h, -h):
                here = body[self.rows[row]]
                if kind == 0:
                    here[axis] += step
                else:
                    here[TURN : TURN + 4] = product(about(np.eye(3)[axis], step), here[TURN : TURN + 4])
                values.append(self.energy())
                body[:] = kept
            found.append((values[1] - values[0]) / (2 * h))
        return np.array(found)

    def slope_error(self) -> float:
        """Largest difference of the two, over the force and what it does at a length of one."""
        force = self.wrench()
        return float(np.abs(force - self.gradient()).max() / np.linalg.norm(force[:3]))

    def approach(
        self, way: np.ndarray, turn: Turn, turn_a: Turn, depth: float, aside: np.ndarray | None = None
    ) -> np.ndarray | None:
        """Where b is when it comes along −`way` (beside the centre by `aside`) and overlaps a by `depth`; None if it passes."""
        step = 0.5 * (self.a.radius + self.b.radius)
        aside = np.zeros(3) if aside is None else aside
        far = self.a.reach + self.b.reach

        def overlap(distance: float) -> float:
            return self.put(distance * way + aside, turn, turn_a=turn_a).depth()

        while far > 0.0 and overlap(far) < depth:
            far -= step
        if far <= 0.0:
            return None
        near, far = far, far + step
        for _ in range(40):
            middle = 0.5 * (near + far)
            near, far = (near, middle) if overlap(middle) < depth else (middle, far)
        return near * way + aside


# --- the same in plain numpy: inclusion-exclusion over simplices, word for word ---------------------------------------


def placed(solid: Solid, place, turn: Turn) -> np.ndarray:
    return np.asarray(place) + solid.vertices @ matrix(product(turn, solid.orientation)).T


def to_segment(x: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    t = np.clip((x - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
    return float(np.linalg.norm(x - p - t * (q - p)))


def to_triangle(x: np.ndarray, corners: np.ndarray) -> float:
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    inside = all(np.cross(corners[(k + 1) % 3] - corners[k], x - corners[k]) @ normal > 0.0 for k in range(3))
    if inside:
        return float(abs((x - corners[0]) @ normal) / np.linalg.norm(normal))
    return min(to_segment(x, corners[k], corners[(k + 1) % 3]) for k in range(3))


def between_segments(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> float:
    """Of two segments that are not parallel."""
    u, v, w = q - p, s - r, r - p
    whole = (u @ u) * (v @ v) - (u @ v) ** 2
    one, other = ((v @ v) * (u @ w) - (u @ v) * (v @ w)) / whole, ((u @ v) * (u @ w) - (u @ u) * (v @ w)) / whole
    if 0.0 <= one <= 1.0 and 0.0 <= other <= 1.0:
        return float(np.linalg.norm(w + other * v - one * u))
    return min(to_segment(p, r, s), to_segment(q, r, s), to_segment(r, p, q), to_segment(s, p, q))


def squared(reach: float, distance: float) -> float:
    return max(reach - distance, 0.0) ** 2


def vertices_on_surface(at: np.ndarray, b: Solid, bt: np.ndarray, reach: float) -> float:
    """Σ over vertices V: Σ_triangles δ² + Σ_edges (1 − triangles at it) δ² + Σ_vertices (1 − triangles − Σ of those) δ².

    Faces are cut into triangles: the cuts are edges like others, and what they add cancels.
    """
    triangles = [tuple(sorted(map(int, loop))) for loop in b.triangles]
    edges = {tuple(map(int, pair)) for pair in b.edges}
    edges |= {pair for loop in triangles for pair in itertools.combinations(loop, 2)}
    weight = {edge: 1 - sum(set(edge) <= set(loop) for loop in triangles) for edge in edges}
    total = 0.0
    for x in at[np.linalg.norm(at - bt.mean(axis=0), axis=1) < np.linalg.norm(bt - bt.mean(axis=0), axis=1).max() + reach]:
        total += sum(squared(reach, to_triangle(x, bt[list(loop)])) for loop in triangles)
        total += sum(w * squared(reach, to_segment(x, bt[p], bt[q])) for (p, q), w in weight.items())
        for v in range(len(bt)):
            own = 1 - sum(v in loop for loop in triangles) - sum(w for edge, w in weight.items() if v in edge)
            total += own * squared(reach, float(np.linalg.norm(x - bt[v])))
    return total


def edges_on_edges(a: Solid, at: np.ndarray, b: Solid, bt: np.ndarray, reach: float) -> float:
    """Σ w δ² over edges and vertices of both, with the weights of inclusion and exclusion among edges that count g:

    edge on edge g_ef, vertex on edge G_vf − Σ_e g_ef, vertex on vertex Σ g_ef − Σ_f G_vf − Σ_e G_ew + H; G, H: any counts.
    """
    if not (len(a.edges) and len(b.edges)):
        return 0.0
    one, other = (points[solid.edges[:, 1]] - points[solid.edges[:, 0]] for solid, points in ((a, at), (b, bt)))
    sine = np.linalg.norm(np.cross(one[:, None], other), axis=2)
    x = np.minimum((sine / np.outer(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))) ** 2 / FADE, 1.0)
    g = x * (2.0 - x)
    total = 0.0
    for (i, e), (j, f) in itertools.product(enumerate(a.edges), enumerate(b.edges)):
        if g[i, j] > 1e-9:
            total += g[i, j] * squared(reach, between_segments(at[e[0]], at[e[1]], bt[f[0]], bt[f[1]]))
    for v in range(len(at)):
        mine = (a.edges == v).any(axis=1)
        for j, f in enumerate(b.edges):
            total += (1.0 - (1.0 - g[mine, j]).prod() - g[mine, j].sum()) * squared(reach, to_segment(at[v], bt[f[0]], bt[f[1]]))
    for w in range(len(bt)):
        theirs = (b.edges == w).any(axis=1)
        for i, e in enumerate(a.edges):
            total += (1.0 - (1.0 - g[i, theirs]).prod() - g[i, theirs].sum()) * squared(
                reach, to_segment(bt[w], at[e[0]], at[e[1]])
            )
        for v in range(len(at)):
            both = g[np.ix_((a.edges == v).any(axis=1), theirs)]
            any_of = [1.0 - (1.0 - both).prod(axis=axis) for axis in (0, 1)]
            weight = both.sum() - any_of[0].sum() - any_of[1].sum() + 1.0 - (1.0 - both).prod()
            total += weight * squared(reach, float(np.linalg.norm(at[v] - bt[w])))
    return total


def brute_energy(a: Solid, at: np.ndarray, b: Solid, bt: np.ndarray) -> float:
    """½ k of all sums; a body without edges probes and is not probed, so isolated points count once."""
    reach = a.radius + b.radius
    total = 0.0
    if len(b.edges) or not len(a.edges):
        total += vertices_on_surface(at, b, bt, reach)
    if len(a.edges):
        total += vertices_on_surface(bt, a, at, reach)
    return 0.5 * K * (total + edges_on_edges(a, at, b, bt, reach))


# --- the table of counts ---------------------------------------------------------------------------------------------

D = 1e-3  # overlap


def count(a: Solid, b: Solid, place, turn: Turn = UPRIGHT, turn_a: Turn = UPRIGHT) -> list[float]:
    return Pair(a, b).put(place, turn, turn_a=turn_a).counts()


def onto(way) -> np.ndarray:
    """The turn that takes the diagonal of a cube down on −z, so that it stands on its corner."""
    axis, goal = np.array([-1.0, -1.0, -1.0]) / math.sqrt(3.0), np.asarray(way, float)
    return about(np.cross(axis, goal), math.acos(axis @ goal))


TIPTOE = onto((0.0, 0.0, -1.0))
EDGE_DOWN = about((1.0, 0.0, 0.0), math.pi / 4)  # the edge along x lies lowest
ALONG_Y = product(about((0.0, 0.0, 1.0), math.pi / 2), EDGE_DOWN)
FLAT = 1.0 + 2 * R - D  # from the cube's centre to where the skeleton of another begins
TIP = math.sqrt(3.0)  # from its centre to a corner
RIM = math.sqrt(2.0)  # and to an edge


def test_a_ball_counts_once_on_anything():
    for way in ((1, 0, 0), (0.2, 0.3, 1), (1, 1, 0), (1, 1, 0.3), (1, 1, 1), (-1, 1, -1)):
        corner = np.clip(np.array(way, float) * 9, -1.0, 1.0) * (np.abs(way) == 1) + np.array(way) * (np.abs(way) != 1)
        out = corner * (np.abs(way) == 1)
        place = corner + out / np.linalg.norm(out) * (BALL.radius + R - D)
        assert count(CUBE, BALL, place) == [1.0]
    assert count(BALL, BALL, (0.3 - D, 0, 0)) == [1.0]
    assert count(ROD, BALL, (0.2, 0, 0.25 - D)) == [1.0]
    assert count(ROD, BALL, (1.25 - D, 0, 0)) == [1.0]
    for place in ((0.3, 0.2, 0.25 - D), (1.25 - D, 0.2, 0), (1 + (0.25 - D) / RIM, 1 + (0.25 - D) / RIM, 0)):
        assert count(TILE, BALL, place) == [1.0]
        assert count(TILE, BALL, (place[0], place[1], -place[2])) == [1.0]  # a plate has two sides


def test_corners_edges_and_faces_of_convex_bodies():
    assert count(CUBE, CUBE, (0.2, 0.3, FLAT + TIP), TIPTOE) == [1.0]  # corner on face
    assert count(CUBE, CUBE, (0.2, 0.1, 2 * (RIM + R) - D), ALONG_Y, EDGE_DOWN) == [1.0]  # crossing edges
    # corner on edge: once as a corner before the edge, once as an end of its own edges
    assert count(CUBE, CUBE, (0.2, 0, RIM + TIP + 2 * R - D), TIPTOE, EDGE_DOWN) == [1.0, 1.0]
    # corner on corner: each before the other, and once as ends of edges
    twisted, high = product(about((0, 0, 1), math.pi / 3), TIPTOE), (0, 0, 2 * (TIP + R) - D)
    assert count(CUBE, CUBE, high, twisted, onto((0.0, 0.0, 1.0))) == [1.0, 1.0, 1.0]
    assert count(CUBE, CUBE, high, TIPTOE, onto((0.0, 0.0, 1.0))) == [
        1.0,
        1.0,
        1.0,
    ]  # 3 of 9 edges parallel: as good as not there
    # face on face: as many as corners in the common face; an edge flat on a face: its two ends
    assert count(CUBE, cuboid(0.6, R), (0.2, 0.1, FLAT + 0.3)) == [1.0] * 4
    assert count(CUBE, CUBE, (0.7, 0.5, FLAT + 1.0)) == [1.0] * 4  # a corner of each, and two crossings of edges
    assert count(CUBE, cuboid((0.5, 1, 1), R), (0.2, 0.1, FLAT + 0.5 * RIM), EDGE_DOWN) == [1.0, 1.0]
    assert count(CUBE, CUBE, (3.0, 0, 0)) == []


def test_capsules_and_plates():
    upright, turned = about((0, 1, 0), math.pi / 2), about((0, 0, 1), 0.5)
    over = (0.5, 0, 2 * R - D)
    assert count(ROD, ROD, over, turned) == [1.0]  # crossing
    assert count(ROD, ROD, over) == [1.0, 1.0]  # side by side: an end of each
    assert count(ROD, ROD, (0.5, 0, 1 + 2 * R - D), upright) == [1.0, 1.0]  # end on side
    assert count(ROD, ROD, (1, 0, 1 + 2 * R - D), upright) == [1.0, 1.0, 1.0]  # end on end
    assert count(ROD, ROD, (2 + 2 * R - D, 0, 0)) == [1.0, 1.0]  # in line: parallel edges are none to each other
    assert count(CUBE, capsule(1.0, R), (0.1, 0, FLAT)) == [1.0, 1.0]
    assert count(CUBE, ROD, (0.1, 0, FLAT + 1), upright) == [1.0]
    on_edge = about((1, 0, 0), math.pi / 2)
    assert count(TILE, TILE, (0.5, 0.3, 2 * R - D)) == [1.0] * 4
    assert count(TILE, TILE, (0.5, 0.3, 1 + 2 * R - D), on_edge) == [1.0, 1.0]
    assert count(TILE, CUBE, (0.3, 0.2, TIP + 2 * R - D), TIPTOE) == [1.0]
    assert count(TILE, CUBE, (0.3, 0.2, -TIP - 2 * R + D), onto((0.0, 0.0, 1.0))) == [1.0]


def near(solid: Solid, corner, *away: float) -> list[float]:
    """Counts of a ball at a place beside a corner of a solid, in the coordinates it was drawn in, in sums of radii."""
    place = np.asarray(corner, float) + (R + BALL.radius) * np.array(away) - solid.centre
    return Pair(solid, BALL).put(place).counts()


def test_notches():
    along, top = (0.8, 0.7, 0.0), (0.8, 0.7, 0.4)  # middle and end of the reflex edge
    assert near(ELL, along, 0.6, 0.6, 0.0) == [-1.0, 1.0, 1.0]  # both faces, less their common edge
    assert near(ELL, along, 0.9, 0.9, 0.0) == [1.0, 1.0]  # the edge out of reach
    assert near(ELL, along, 0.6, 2.0, 0.0) == [1.0]
    # over the top, whose face is not convex: one wherever it is inside, and beside the notch its two sides less the corner
    for away in ((-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (-2.0, 0.01), (0.01, -2.0), (-2.0, 0.0), (0.0, -2.0), (-1.0, -1.0)):
        assert near(ELL, top, *away, 0.9) == [1.0]
    assert near(ELL, top, 0.1, 0.1, 0.9) == [-1.0, 1.0, 1.0]
    assert near(ELL, top, 0.4, 0.4, 0.9) == [1.0, 1.0]  # the corner out of reach
    # where three arms of a cross meet: three edges that stick out, and the corner between them twice too many
    assert near(STAR, (0.25, 0.25, 0.25), 0.3, 0.3, 0.3) == [-2.0, 1.0, 1.0, 1.0]
    assert near(STAR, (0.25, 0.25, 0.0), 0.6, 0.6, 0.0) == [-1.0, 1.0, 1.0]


def test_energy_in_a_notch():
    reach = R + BALL.radius
    pair = Pair(ELL, BALL).put(np.array([0.8 + 0.6 * reach, 0.7 + 0.6 * reach, 0.0]) - ELL.centre)
    expected = 0.5 * K * reach**2 * (2 * 0.4**2 - (1 - 0.6 * math.sqrt(2)) ** 2)
    assert pair.energy() == pytest.approx(expected, rel=1e-12)
    assert pair.slope_error() < 1e-7


# --- one energy ------------------------------------------------------------------------------------------------------

PAIRS = {
    "ball-ball": (BALL, BALL),
    "ball-cross": (BALL, STAR),
    "rod-rod": (ROD, ROD),
    "rod-plate": (ROD, TRIANGLE),
    "clump-ell": (TRIO, ELL),
    "brick-brick": (BRICK, BRICK),
    "brick-tetrahedron": (BRICK, TETRAHEDRON),
    "plate-plate": (TRIANGLE, TILE),
    "tent-brick": (TENT, BRICK),
    "ell-brick": (ELL, BRICK),
    "cross-brick": (STAR, BRICK),
    "ell-cross": (ELL, STAR),
}


def touching(pair: Pair, rng: np.random.Generator, deepest: float = 0.7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random turn of both, and a place of b where they overlap by a random part of the sum of radii."""
    while True:
        turn, turn_a = random_turns(rng, 2)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        aside = np.cross(way, rng.normal(size=3)) * 0.25 * pair.a.reach
        depth = deepest * rng.uniform(0.05, 1.0) * (pair.a.radius + pair.b.radius)
        place = pair.approach(way, turn, turn_a, depth, aside)
        if place is not None and pair.put(place, turn, turn_a=turn_a).depth() < 1.01 * depth:
            return place, turn, turn_a


@pytest.mark.parametrize("name", PAIRS)
def test_energy_is_inclusion_exclusion(name):
    pair, rng = Pair(*PAIRS[name]), np.random.default_rng(7)
    for _ in range(4):
        place, turn, turn_a = touching(pair, rng)
        expected = brute_energy(pair.a, placed(pair.a, (0, 0, 0), turn_a), pair.b, placed(pair.b, place, turn))
        assert expected > 0.0
        assert pair.energy() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_force_is_minus_the_gradient_and_action_is_reaction(name):
    pair, rng = Pair(*PAIRS[name]), np.random.default_rng(11)
    for _ in range(6):
        place, *_ = touching(pair, rng)
        found = pair.wrench()
        assert pair.slope_error() < 1e-6
        about_origin = np.cross(place, found[:3]) + found[3:6] + found[6:9]  # the force on a is the opposite by construction
        assert np.abs(about_origin).max() < 1e-12 * np.abs(found).max() * (pair.a.reach + pair.b.reach)


@pytest.mark.parametrize("name", [
    "ball-cross", "clump-ell", "cross-brick",
    "rod-rod", "brick-brick",
])  # fmt: skip
def test_short_lists_miss_nothing(name):
    """Lists that reach hardly further than contact hold every contact that longer ones do."""
    pair, rng = Pair(*PAIRS[name]), np.random.default_rng(17)
    for _ in range(60):
        place, turn, turn_a = touching(pair, rng, deepest=0.1)
        found = pair.table()
        pair.engine._chosen_alpha = 1e-9
        assert np.array_equal(pair.put(place, turn, turn_a=turn_a).table(), found)
        pair.engine._chosen_alpha = 0.05


# --- no jump along paths ---------------------------------------------------------------------------------------------

CONTINUOUS = 1e-6  # of K times the sum of radii: what is left of a change of force or torque in a step of 1e-9 of a path
POINTS = 32


class Path:
    """b slides from one place to another while it turns about an axis; halfway it stands as `turn` says, to the last bit."""

    def __init__(self, pair: Pair, places: np.ndarray, turn: np.ndarray, axis: np.ndarray, angle: float, turn_a: Turn) -> None:
        self.pair, self.places, self.turn, self.axis, self.angle, self.turn_a = pair, places, turn, axis, angle, turn_a

    def at(self, s: float) -> Pair:
        place = (1.0 - s) * self.places[0] + s * self.places[1]
        return self.pair.put(place, product(about(self.axis, (s - 0.5) * self.angle), self.turn), turn_a=self.turn_a)

    def wrench(self, s: float) -> np.ndarray:
        return self.at(s).wrench()

    def deepest(self) -> float:
        return max(self.at(s).depth() for s in np.linspace(0.0, 1.0, POINTS + 1))

    def largest_jump(self) -> float:
        """Zoom into the four places where force or torque change most: what is left of the change, over the size of forces."""
        s = np.linspace(0.0, 1.0, POINTS + 1)
        found = np.array([self.wrench(x) for x in s])
        changes = np.abs(np.diff(found, axis=0)).max(axis=1)
        left = []
        for k in np.argsort(changes)[-4:]:
            low, high, below, above = s[k], s[k + 1], found[k], found[k + 1]
            while high - low > 1e-9:
                middle = 0.5 * (low + high)
                here = self.wrench(middle)
                if np.abs(here - below).max() > np.abs(above - here).max():
                    high, above = middle, here
                else:
                    low, below = middle, here
            left.append(np.abs(above - below).max())
        return max(left) / self.pair.size

    def worst_slope(self, where: list[float]) -> float:
        """Largest error of force and torque against differences of the energy, where there is a contact worth the name."""
        errors = [0.0]
        for s in where:
            if self.at(s).depth() > 0.1 * (self.pair.a.radius + self.pair.b.radius):
                errors.append(self.pair.slope_error())
        return max(errors)


def random_path(pair: Pair, rng: np.random.Generator, parallel: bool) -> Path:
    """From touch to touch, with skeletons well apart all the way.

    With `parallel` both stand halfway as they were drawn, edges along edges and faces along faces, and meet there with a
    face, an edge or a corner of their boxes.
    """
    radii = pair.a.radius + pair.b.radius
    extent = np.ptp(placed(pair.a, (0, 0, 0), UPRIGHT), axis=0) + np.ptp(placed(pair.b, (0, 0, 0), UPRIGHT), axis=0)
    while True:
        turn, turn_a = (np.array(UPRIGHT), np.array(UPRIGHT)) if parallel else random_turns(rng, 2)
        axis, angle = rng.normal(size=3), rng.uniform(0.2, 0.8)
        way = rng.integers(-1, 2, 3) * extent + 0.1 * rng.normal(size=3) if parallel else rng.normal(size=3)
        aside = (0.03 if parallel else 0.15) * pair.a.reach * rng.normal(size=3)
        places = []
        for k in range(2):
            towards = way + 0.25 * k * rng.normal(size=3)
            depth = rng.uniform(0.1, 0.7) * radii
            half = product(about(axis, (k - 0.5) * angle), turn)
            places.append(pair.approach(towards / np.linalg.norm(towards), half, turn_a, depth, aside))
        if any(place is None for place in places):
            continue
        path = Path(pair, np.array(places), turn, axis, angle, turn_a)
        if path.deepest() < 0.85 * radii:
            return path


ROUTES = {
    "brick-brick": (BRICK, BRICK), "cube-tile": (CUBE, TILE), "tetrahedra": (TETRAHEDRON, TETRAHEDRON),
    "cross-brick": (STAR, BRICK), "ell-brick": (ELL, BRICK),
}  # fmt: skip


def follow(name: str, number: int, parallel: bool, seed: int) -> None:
    pair, rng = Pair(*ROUTES[name]), np.random.default_rng(seed)
    jumps, slopes = [], []
    for _ in range(number):
        path = random_path(pair, rng, parallel)
        jumps.append(path.largest_jump())
        slopes.append(path.worst_slope([0.5, 0.5 + 1e-7, 0.5 - 1e-4, *rng.uniform(0.0, 1.0, 3)]))
    print(
        f"\n{name:12s} {number} paths: largest jump {max(jumps):.1e} of K(r+r), force + grad U {max(slopes):.1e} of the force",
        end="",
    )
    assert max(jumps) < CONTINUOUS
    assert max(slopes) < 1e-6


@pytest.mark.parametrize("parallel", [False, True], ids=["anyhow", "through parallel"])
@pytest.mark.parametrize("name", ROUTES)
def test_force_and_torque_follow_from_one_energy_along_paths(name, parallel):
    follow(name, 6, parallel, seed=3)


@pytest.mark.validate
@pytest.mark.parametrize("name", ROUTES)
def test_a_thousand_paths(name):
    follow(name, 500, False, seed=4)
    follow(name, 500, True, seed=5)
