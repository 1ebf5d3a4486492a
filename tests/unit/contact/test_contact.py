"""Which features count, how often, and that forces follow from one energy (model §3)."""

import math

import numpy as np
import pytest
import shapely

from clast.dynamics.engine import Engine, Snapshot
from clast.laws import Linear
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.shapes import Shape, clump, cow, disk, polygon, polyline, regular, segment

K = 1000.0
R = 0.1
DT = 1e-9
Pose = tuple[float, float, float]  # x, y, angle

SQUARE = polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)], R)
HEXAGON = regular(6, R, side=0.7)
ELL = polygon([(0, 0), (2, 0), (2, 0.7), (0.8, 0.7), (0.8, 2), (0, 2)], R)  # one notch, right angles
CHEVRON = polyline([(-1.0, 0.3), (0.0, 0.0), (1.0, 0.4)], R)
ZIGZAG = polyline([(0, 0), (1, 0.4), (1.6, -0.3), (2.4, 0.2)], R)
TRIO = clump([(0, 0), (0.15, 0.05), (0.4, 0.3)], R)
BALL = disk(radius=0.15)
NEEDLE = polygon([(0, 0), (2, -0.25), (2, 0.25)], R)  # a tip of 14°


# --- the engine's answer --------------------------------------------------------------------------------------------


def engine_of(bodies: list[tuple[Shape, Pose]], counting: str = "euler") -> Engine:
    scene = Scene(law=Linear(K), counting=counting)
    for shape, (x, y, angle) in bodies:
        scene.add(shape, (x, y), angle=angle)
    return Engine(scene, dt=DT, alpha=0.05)


def look(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose, counting: str = "euler") -> tuple[Engine, Snapshot]:
    engine = engine_of([(a, pose_a), (b, pose_b)], counting)
    return engine, engine.snapshot()


def count(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose, counting: str = "euler") -> list[int]:
    """Counts of the touching contacts, sorted."""
    _, snap = look(a, pose_a, b, pose_b, counting)
    return sorted(int(c) for c in snap.contacts.counts)


def wrenches(engine: Engine) -> np.ndarray:
    """Force and torque on each body (n, 3) as the step uses them: the first kick, half a step from rest, undone."""
    engine.advance(1)
    inverse = np.stack([engine.inverse_masses, engine.inverse_masses, engine.inverse_inertias], axis=1)
    return (np.column_stack([engine.velocities, engine.spins]) * (2.0 / engine.dt) / inverse)[engine.free_ids]


# --- the same in plain numpy: inclusion-exclusion, word for word ----------------------------------------------------


def placed(shape: Shape, pose: Pose) -> np.ndarray:
    x, y, angle = pose
    c, s = math.cos(angle), math.sin(angle)
    return shape.vertices @ np.array([[c, s], [-s, c]]) + (x, y)


def one_way(a: Shape, at: np.ndarray, b: Shape, bt: np.ndarray) -> float:
    """Σ over vertices V of a: Σ_E δ(V,E)² + Σ_v (1 − deg v) δ(V,v)² over edges and vertices of b."""
    reach = a.radius + b.radius
    total = 0.0
    if len(b.edges):
        p, q = bt[b.edges[:, 0]], bt[b.edges[:, 1]]
        along = q - p
        t = np.einsum("vek,ek->ve", at[:, None] - p[None], along) / np.einsum("ek,ek->e", along, along)
        foot = p + np.clip(t, 0.0, 1.0)[..., None] * along
        depth = np.maximum(reach - np.linalg.norm(at[:, None] - foot, axis=2), 0.0)
        total += float((depth**2).sum())
    degree = np.bincount(b.edges.ravel(), minlength=len(bt))
    depth = np.maximum(reach - np.linalg.norm(at[:, None] - bt[None], axis=2), 0.0)
    return total + float(((1 - degree) * depth**2).sum())


def brute_energy(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose) -> float:
    """½ k of both sums; a body without edges probes and is not probed, so isolated points count once."""
    at, bt = placed(a, pose_a), placed(b, pose_b)
    total = 0.0
    if len(b.edges) or not len(a.edges):
        total += one_way(a, at, b, bt)
    if len(a.edges):
        total += one_way(b, bt, a, at)
    return 0.5 * K * total


def skeleton(shape: Shape, pose: Pose) -> shapely.Geometry:
    points = placed(shape, pose)
    if shape.is_closed:
        return shapely.Polygon(points)
    return shapely.LineString(points) if len(shape.edges) else shapely.MultiPoint(points)


def touching_pose(a: Shape, b: Shape, rng: np.random.Generator, deepest: float) -> tuple[Pose, Pose]:
    """A random pose of a, and one of b moved up to it until they overlap by a random part of the sum of radii."""
    reach = a.radius + b.radius
    while True:
        pose_a = (*rng.uniform(-0.3, 0.3, 2), rng.uniform(0, 2 * math.pi))
        still = skeleton(a, pose_a)
        turn, way = rng.uniform(0, 2 * math.pi, 2)
        target = reach * (1.0 - deepest * rng.uniform(0.05, 1.0))
        far = a.reach + b.reach + 1.0
        off = rng.uniform(-0.7, 0.7) * a.reach
        cx, cy = pose_a[0] - off * math.sin(way), pose_a[1] + off * math.cos(way)
        while far > -a.reach:
            pose_b = (cx + far * math.cos(way), cy + far * math.sin(way), turn)
            gap = shapely.distance(still, skeleton(b, pose_b)) - target
            if abs(gap) < 1e-9 * reach:
                return pose_a, pose_b
            far -= gap  # it can't overshoot: nothing is nearer than the gap


# --- the table of counts ---------------------------------------------------------------------------------------------


def test_table_of_counts():
    d = 1e-3  # overlap
    flat = 1.0 + 2 * R  # from the square's centre to where another surface begins, sphero-radius of the other included
    corner = math.pi / 4
    assert count(BALL, (0, 0, 0), BALL, (0.3 - d, 0, 0)) == [1]
    assert count(BALL, (1.0 + 0.25 - d, 0.3, 0), SQUARE, (0, 0, 0)) == [1]
    out = (0.25 - d) / math.sqrt(2)
    assert count(SQUARE, (0, 0, 0), BALL, (1 + out, 1 + out, 0)) == [1]
    # a square on its corner, on a face: one corner on one edge
    assert count(SQUARE, (0, 0, 0), SQUARE, (0.2, flat + math.sqrt(2) - d, corner)) == [1]
    # corner on corner: each lies in the other's cap
    assert count(SQUARE, (0, 0, 0), SQUARE, (2 + (2 * R - d) / math.sqrt(2), 2 + (2 * R - d) / math.sqrt(2), 0)) == [
        1,
        1,
    ]
    assert count(SQUARE, (0, 0, corner), SQUARE, (2 * math.sqrt(2) + 2 * R - d, 0, corner)) == [1, 1]
    # flats: one corner of each in the common interval; both corners of a small one on a large one; all four when equal
    assert count(SQUARE, (0, 0, 0), SQUARE, (0.7, 1 + flat - d, 0)) == [1, 1]
    small = polygon([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)], R)
    assert count(SQUARE, (0, 0, 0), small, (0.2, 0.3 + flat - d, 0)) == [1, 1]
    # open end on a flat, on a disk, on another end
    rod = segment((-1, 0), (1, 0), R)
    assert count(rod, (0, 1 + flat - d, math.pi / 2), SQUARE, (0, 0, 0)) == [1]
    assert count(rod, (0, 0, 0), BALL, (1 + R + 0.15 - d, 0, 0)) == [1]
    assert count(rod, (0, 0, 0), rod, (2 + 2 * R - d, 0, 0)) == [1, 1]
    assert count(rod, (0, 0, 0), rod, (1.1, 2 * R - d, 0)) == [1, 1]
    # crossing rods, end over the middle
    assert count(rod, (0, 0, 0), rod, (0.2, 1 + 2 * R - d, math.pi / 2)) == [1]
    # one point of a clump on a face and on a corner
    pair = clump([(0, 0), (0, 0.5)], R)
    low = placed(pair, (0, 0, 0))[:, 1].min()
    assert count(pair, (0.3, flat - low - d, 0), SQUARE, (0, 0, 0)) == [1]
    assert count(pair, (0, 0, 0), pair, (2 * R - d, 0.5, 0)) == [1]
    # a bend of an open polyline, from its outer side, is a corner; from inside it is a notch
    bend = placed(CHEVRON, (0, 0, 0))[1]
    assert count(BALL, (bend[0], bend[1] - 0.25 + d, 0), CHEVRON, (0, 0, 0)) == [1]
    assert count(BALL, (bend[0] - 0.01, bend[1] + 0.25 - 0.05, 0), CHEVRON, (0, 0, 0)) == [-1, 1, 1]
    # nothing near
    assert count(SQUARE, (0, 0, 0), SQUARE, (3, 0, 0)) == []


def test_disk_in_a_notch_counts_edge_plus_edge_minus_vertex():
    inner = placed(ELL, (0, 0, 0))[3]
    reach = BALL.radius + R
    # both edges near, their common vertex near too
    assert count(BALL, (inner[0] + 0.6 * reach, inner[1] + 0.6 * reach, 0), ELL, (0, 0, 0)) == [-1, 1, 1]
    # both edges, the vertex out of reach
    assert count(BALL, (inner[0] + 0.9 * reach, inner[1] + 0.9 * reach, 0), ELL, (0, 0, 0)) == [1, 1]
    engine, snap = look(BALL, (inner[0] + 0.6 * reach, inner[1] + 0.6 * reach, 0), ELL, (0, 0, 0))
    expected = 0.5 * K * reach**2 * (2 * 0.4**2 - (1 - 0.6 * math.sqrt(2)) ** 2)
    assert accounts(engine, snap)["normal_elastic"] == pytest.approx(expected, rel=1e-12)


def test_all_pairs_counts_a_corner_on_a_corner_four_times():
    at = 2 + (2 * R - 1e-3) / math.sqrt(2)
    assert len(count(SQUARE, (0, 0, 0), SQUARE, (at, at, 0), "all-pairs")) == 4
    euler = wrenches(look(SQUARE, (0, 0, 0), SQUARE, (at, at, 0))[0])
    literal = wrenches(look(SQUARE, (0, 0, 0), SQUARE, (at, at, 0), "all-pairs")[0])
    assert literal[0] == pytest.approx(2 * euler[0], rel=1e-6)
    # a disk is an edge of length zero: probed as well as probing
    assert len(count(BALL, (0, 0, 0), BALL, (0.299, 0, 0), "all-pairs")) == 2


def test_all_pairs_makes_an_edge_stiffer_where_it_hardly_bends():
    straight, bent = polyline([(-1, 0), (1, 0)], R), polyline([(-1, 0), (0, 1e-5), (1, 0)], R)

    def push(shape: Shape, x: float, y: float, counting: str) -> float:
        """On a ball above a point of the skeleton."""
        above = (x, y + BALL.radius + R - 1e-3, 0.0)
        return abs(wrenches(look(BALL, above, shape, (0, 0, 0), counting)[0])[0, 1])

    one = push(straight, 0.0, 0.0, "euler")
    assert one == pytest.approx(K * 1e-3, rel=1e-6)
    assert push(straight, 0.0, 0.0, "all-pairs") == pytest.approx(one, rel=1e-6)
    assert push(bent, *bent.vertices[1], "euler") == pytest.approx(one, rel=1e-6)
    assert push(bent, *bent.vertices[1], "all-pairs") == pytest.approx(3.0 * one, rel=1e-6)  # both edges, and the vertex


# --- one energy ------------------------------------------------------------------------------------------------------

PAIRS = {
    "disk-disk": (BALL, BALL, 0.4),
    "hexagon-hexagon": (HEXAGON, HEXAGON, 0.4),
    "square-hexagon": (SQUARE, HEXAGON, 0.4),
    "disk-ell": (BALL, ELL, 0.4),
    "ell-ell": (ELL, ELL, 0.4),
    "disk-polyline": (BALL, ZIGZAG, 0.4),
    "polyline-polygon": (ZIGZAG, ELL, 0.4),
    "polyline-polyline": (CHEVRON, ZIGZAG, 0.4),
    "clump-polygon": (TRIO, ELL, 0.4),
    "clump-clump": (TRIO, TRIO, 0.4),
    "clump-polyline": (TRIO, CHEVRON, 0.4),
    "disk-cow": (BALL, cow(), 0.1),
    "cow-cow": (cow(), cow(), 0.1),
    "cow-hexagon": (cow(), HEXAGON, 0.1),
}


@pytest.mark.parametrize("name", PAIRS)
def test_energy_is_inclusion_exclusion(name):
    a, b, deepest = PAIRS[name]
    rng = np.random.default_rng(7)
    met = set()
    for _ in range(40):
        pose_a, pose_b = touching_pose(a, b, rng, deepest)
        engine, snap = look(a, pose_a, b, pose_b)
        expected = brute_energy(a, pose_a, b, pose_b)
        assert expected > 0.0
        assert accounts(engine, snap)["normal_elastic"] == pytest.approx(expected, rel=1e-9)
        met |= {int(c) for c in snap.contacts.counts}
    assert 1 in met


@pytest.mark.parametrize("name", PAIRS)
def test_force_is_minus_the_gradient(name):
    a, b, deepest = PAIRS[name]
    rng = np.random.default_rng(11)
    h = 1e-6 * R
    for _ in range(8):
        poses = list(touching_pose(a, b, rng, deepest))
        found = wrenches(look(a, poses[0], b, poses[1])[0])
        for body in range(2):
            for component in range(3):
                values = []
                for sign in (1, -1):
                    moved = [list(pose) for pose in poses]
                    moved[body][component] += sign * h
                    values.append(brute_energy(a, tuple(moved[0]), b, tuple(moved[1])))
                gradient = (values[0] - values[1]) / (2 * h)
                size = K * (a.radius + b.radius) * (1.0 if component < 2 else max(a.reach, b.reach))
                assert found[body, component] == pytest.approx(-gradient, abs=1e-6 * size)


@pytest.mark.parametrize("name", PAIRS)
def test_action_is_reaction(name):
    a, b, deepest = PAIRS[name]
    rng = np.random.default_rng(13)
    for _ in range(10):
        pose_a, pose_b = touching_pose(a, b, rng, deepest)
        found = wrenches(look(a, pose_a, b, pose_b)[0])
        size = np.abs(found).max()
        assert np.abs(found[0, :2] + found[1, :2]).max() < 1e-13 * size
        about_origin = sum(p[0] * w[1] - p[1] * w[0] + w[2] for p, w in zip((pose_a, pose_b), found, strict=True))
        assert abs(about_origin) < 1e-12 * size * (a.reach + b.reach)


# --- no jump along paths ---------------------------------------------------------------------------------------------


def largest_jump(a: Shape, b: Shape, path: np.ndarray) -> float:
    found = np.array([wrenches(look(a, (0.0, 0.0, 0.0), b, tuple(p))[0])[:, :2] for p in path])
    assert np.abs(found).max() > 0.0
    return float(np.linalg.norm(np.diff(found[:, 1], axis=0), axis=1).max())


def interpolated(corners: list[Pose], n: int) -> np.ndarray:
    marks = np.linspace(0.0, 1.0, len(corners))
    return np.stack([np.interp(np.linspace(0.0, 1.0, n), marks, np.array(corners)[:, k]) for k in range(3)], axis=1)


def circle(centre: np.ndarray, radius: float, start: float, stop: float, n: int) -> np.ndarray:
    t = np.linspace(start, stop, n)
    return np.stack([centre[0] + radius * np.cos(t), centre[1] + radius * np.sin(t), 0.3 + 0.1 * t], axis=1)


def by(corner: np.ndarray, *ways: tuple[float, float]) -> list[Pose]:
    return [(corner[0] + x, corner[1] + y, 0.0) for x, y in ways]


def paths(n: int) -> dict[str, tuple[Shape, Shape, np.ndarray]]:
    ell = placed(ELL, (0, 0, 0))
    square, bend = placed(SQUARE, (0, 0, 0)), placed(CHEVRON, (0, 0, 0))[1]
    reach = R + BALL.radius
    chin = cow().vertices
    needle = placed(NEEDLE, (0, 0, 0))[0]
    return {
        "disk round a corner": (SQUARE, BALL, circle(square[2], 0.8 * reach, -1.0, 2.6, n)),
        "disk into a notch": (
            ELL,
            BALL,
            interpolated(by(ell[3], (0.3, 0.3), (0.05, 0.17), (0.3, 0.1)), n),
        ),
        "disk round an open bend": (CHEVRON, BALL, circle(bend, 0.7 * reach, 3.8, 5.8, n)),
        "disk into an open bend": (
            CHEVRON,
            BALL,
            interpolated(by(bend, (-0.3, 0.4), (0, 0.15), (0.2, 0.35)), n),
        ),
        "disk round an open end": (CHEVRON, BALL, circle(placed(CHEVRON, (0, 0, 0))[2], 0.7 * reach, -2.0, 2.0, n)),
        "hexagon past a corner": (
            SQUARE,
            HEXAGON,
            interpolated([(1.0, 1.8, 0.1), (1.6, 1.55, 0.3), (1.85, 0.9, 0.5)], n),
        ),
        "ell over ell": (ELL, ELL, interpolated([(0.95, 1.05, 0.0), (1.0, 1.1, 0.05), (1.02, 1.0, -0.05)], n)),
        "clump over a corner": (SQUARE, TRIO, interpolated([(0.5, 1.35, 0.0), (1.25, 1.2, 0.3), (1.35, 0.4, 0.6)], n)),
        "disk round a sharp tip": (NEEDLE, disk(radius=R), circle(needle, 0.9 * 2 * R, 1.2, 5.0, n)),
        "disk along a cow's throat": (
            cow(),
            BALL,
            interpolated(by(chin[4], (0.02, -0.22)) + by(chin[6], (-0.2, -0.02)), n),
        ),
    }


@pytest.mark.parametrize("name", paths(3))
def test_force_does_not_jump(name):
    """Twice as fine a path halves the largest change of force between neighbours; a jump would stay."""
    jumps = [largest_jump(*paths(n)[name]) for n in (151, 301, 601)]
    assert jumps[1] < 0.6 * jumps[0]
    assert jumps[2] < 0.6 * jumps[1]


# --- endless landscapes ----------------------------------------------------------------------------------------------

LENGTH = 3.0
FLAT_SEAM = [(0, 0), (1, 0), (1.5, 0.4), (2, 0), (3, 0)]
SLOPED_SEAM = [(0, 0), (0.75, 0.3), (1.5, 0), (2.25, -0.3), (3, 0)]  # straight through the seam
ROUGH_SEAM = [(0, 0), (0.9, 0.5), (2, -0.2), (3, 0)]


def landscape(points, copies: int = 1, flip: bool = False, upright: bool = False) -> Shape:
    chain = [(x + n * LENGTH, y) for n in range(copies) for x, y in points[(n > 0) :]]
    chain = [(x - LENGTH * (copies // 2), y) for x, y in chain]
    if upright:
        chain = [(-y, x) for x, y in chain]
    return polyline(chain[::-1] if flip else chain, R)


def push(wall: Shape, grain: Shape, pose: Pose, box: Box) -> np.ndarray:
    scene = Scene(law=Linear(K), box=box)
    scene.add(grain, pose[:2], angle=pose[2])
    scene.add_wall(wall)
    return wrenches(Engine(scene, dt=DT, alpha=0.01))[0]


def test_a_straight_seam_is_not_felt():
    box = Box(period_x=LENGTH)
    wall = landscape(FLAT_SEAM)
    depth = 0.05
    for x in [
        *np.linspace(-0.3, 0.3, 41),
        *(LENGTH + np.linspace(-0.2, 0.2, 11)),
        -7 * LENGTH,
        0.0,
        LENGTH,
        1e-12,
        -1e-12,
    ]:
        assert push(wall, BALL, (x, R + BALL.radius - depth, 0), box) == pytest.approx([0, K * depth, 0], abs=1e-9 * K)


GRAINS = {"disk": BALL, "hexagon": HEXAGON, "polyline": CHEVRON, "clump": TRIO}
SEAMS = {"flat": FLAT_SEAM, "sloped": SLOPED_SEAM, "rough": ROUGH_SEAM}


@pytest.mark.parametrize(
    "grain, points",
    [pytest.param(grain, points, id=f"{name}-{seam}") for name, grain in GRAINS.items() for seam, points in SEAMS.items()],
)
@pytest.mark.parametrize("flip", [False, True], ids=["ltr", "rtl"])
def test_a_landscape_over_one_period_pushes_like_a_long_one(points, grain, flip):
    rng = np.random.default_rng(3)
    once, often = landscape(points, flip=flip), landscape(points, 5, flip=flip)
    touched = 0
    ground = skeleton(often, (*-often.origin, 0.0))
    for x in rng.uniform(-0.6, 0.6, 30):
        height, turn, target = 3.0, rng.uniform(0, 7), rng.uniform(0.5, 1.05) * (grain.radius + R)
        while (gap := shapely.distance(ground, skeleton(grain, (x, height, turn))) - target) > 1e-6:
            height -= gap
        pose = (x, height, turn)
        explicit = push(often, grain, pose, Box())
        touched += np.abs(explicit).max() > 0.0
        assert push(once, grain, pose, Box(period_x=LENGTH)) == pytest.approx(explicit, abs=1e-10 * K)
    assert touched > 5


def test_a_landscape_over_one_period_may_stand_upright():
    once, often = landscape(ROUGH_SEAM, upright=True), landscape(ROUGH_SEAM, 5, upright=True)
    for y in np.linspace(-0.5, 0.5, 21):
        pose = (-0.18 - 0.5 * abs(y), y, 0.0)
        explicit = push(often, BALL, pose, Box())
        assert push(once, BALL, pose, Box(period_y=LENGTH)) == pytest.approx(explicit, abs=1e-10 * K)
