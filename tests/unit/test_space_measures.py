"""Measures of runs in space: made-up runs whose answers are closed forms, and small ones that were run (model §8)."""

import copy

import matplotlib
import numpy as np
import pytest
from made_runs import MadeInstant, MadeRun, square_packing
from space_runs import stored_space_run

import clast
from clast.errors import InputError
from clast.measures import (
    BandAngle,
    Coordination,
    Displacement,
    Fabric,
    ForceChains,
    ForceDistribution,
    Loops,
    QuasiStatic,
    Region,
    Strain,
    StrainField,
    Stress,
    VoidRatio,
    Walls,
)
from clast.measures.region import face
from clast.measures.tensors import major_axis, principal_values, turn_between
from clast.measures.touching import contacts_at, pairs_of
from clast.shapes import cuboid, hull, plate, sphere
from clast.shapes.space.quaternions import IDENTITY, about, matrix, product, random_turns

matplotlib.use("agg")
RADIUS, SIDE = 0.5, 1.0  # of the spheres; their diameter
THICK = 0.1  # sphero-radius of the walls
WALLS = ("left", "right", "front", "back", "bottom", "top")  # a pair for every axis
BALL, SOFT = sphere(RADIUS), clast.Linear(100.0)


def drawn_wall(axis, at, far=10.0, radius=THICK):
    """A plate across an axis at a coordinate."""
    corners = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    return plate(np.insert(corners, axis, at, axis=1), radius)


# --- made-up runs ----------------------------------------------------------------------------------------------------


def spheres_scene(count, period=(0.0, 0.0, 0.0), walls=()):
    """Scene arrays of `count` spheres of mass 2 after walls named so."""
    plates = [drawn_wall(axis, 0.0) for axis in range(3)]
    shapes = [BALL, *plates]
    big = len(walls)
    return {
        "shape_vertices": np.concatenate([each.vertices for each in shapes]),
        "shape_first_vertex": np.cumsum([0, *(len(each.vertices) for each in shapes)]),
        "shape_first_edge": np.cumsum([0, *(len(each.edges) for each in shapes)]),
        "shape_radius": np.array([each.radius for each in shapes]),
        "shape_orientation": np.array([each.orientation for each in shapes]),
        "body_shape": np.array([1 + WALLS.index(name) // 2 for name in walls] + [0] * count),
        "body_big": np.array([True] * big + [False] * count),
        "body_volume": np.array([1.0] * big + [BALL.volume] * count),
        "body_mass": np.full(big + count, 2.0),
        "body_name": [*walls, *[None] * count],
        "period": np.array(period),
    }


def add_frame(run, positions, orientations=None, table=None):
    """A frame at the next step, half a unit of time later, with its contacts if given; bodies stand as they were drawn."""
    step = len(run.frames)
    if orientations is None:
        orientations = run.scene["shape_orientation"][run.scene["body_shape"]]
    run.frames.append(MadeInstant(step, 0.5 * step, {"positions": positions, "orientations": orientations}))
    if table is not None:
        run.contacts.append(MadeInstant(step, 0.5 * step, table))


def contact_table(rows):
    """Arrays of a contact table from rows (i, j, point, centre of i, centre of j's image, normal, force on i)."""
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    i, j, points, first, second, normals, forces = columns
    return {
        "bodies": np.stack([i, j], axis=1), "points": points, "normals": normals, "forces": forces,
        "first_arms": points - first, "second_arms": points - second, "depths": np.full(len(i), 1e-3),
        "counts": np.ones(len(i), np.float32), "features": np.ones(len(i), np.uint8),
    }  # fmt: skip


def cubic_packing(numbers=(4, 2, 3), loads=(2.0, 3.0, 5.0)):
    """Touching spheres on a simple cubic lattice between walls that press with `loads` along x, y, z. Two samples, one frame."""
    lengths = np.array(numbers) * SIDE
    cells = np.array(list(np.ndindex(*numbers)))
    centres = (cells + 0.5) * SIDE
    walls = np.tile(0.5 * lengths, (6, 1))
    rows = []
    for axis in range(3):
        way, force = np.eye(3)[axis], loads[axis] * SIDE**2
        walls[2 * axis, axis], walls[2 * axis + 1, axis] = -THICK, lengths[axis] + THICK
        for k, (cell, here) in enumerate(zip(cells, centres, strict=True)):
            last = cell[axis] == numbers[axis] - 1
            other = 2 * axis + 1 if last else 6 + int(np.flatnonzero((cells == cell + way.astype(int)).all(axis=1))[0])
            there = walls[other] if last else here + SIDE * way
            rows.append((6 + k, other, here + RADIUS * way, here, there, way, -force * way))
            if cell[axis] == 0:  # the wall comes first
                rows.append((2 * axis, 6 + k, here - RADIUS * way, walls[2 * axis], here, way, -force * way))
    series = {"time": np.array([0.0, 0.5]), "unbalanced_force": np.array([0.1, 1e-6])}
    volume = lengths.prod()
    for k, name in enumerate(WALLS):
        axis, side = k // 2, 2 * (k % 2) - 1
        for b, letter in enumerate("xyz"):
            load = side * loads[axis] * volume / lengths[axis] if b == axis else 0.0
            series[f"{name}.{letter}"], series[f"{name}.force_{letter}"] = np.full(2, walls[k, b]), np.full(2, load)
    for a, first in enumerate("xyz"):
        for b, second in enumerate("xyz"):
            series[f"virial_{first}{second}"] = np.full(2, loads[a] * volume if a == b else 0.0)
    run = MadeRun(spheres_scene(len(centres), walls=WALLS), series)
    add_frame(run, np.concatenate([walls, centres]), table=contact_table(rows))
    return run


def normals_run(normals, forces):
    """Contacts of two spheres that look along `normals` (m, 3) and carry `forces` (m, 3)."""
    run = MadeRun(spheres_scene(2), {"time": np.array([0.0])})
    zero = np.zeros(3)
    add_frame(
        run, np.zeros((2, 3)), table=contact_table([(0, 1, zero, zero, zero, n, f) for n, f in zip(normals, forces, strict=True)])
    )
    return run


def moved_run(before, after, period=(0.0, 0.0, 0.0), turns=None):
    """Spheres that were moved and turned between two frames."""
    run = MadeRun(spheres_scene(len(before), period), {"time": np.array([0.0])})
    add_frame(run, before, None if turns is None else turns[0])
    add_frame(run, after, None if turns is None else turns[1])
    return run


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_region_lies_between_inner_faces(at):
    region = Region(at=at).compute(cubic_packing((4, 2, 3)))
    assert (region.width[0], region.depth[0], region.height[0]) == pytest.approx((4.0, 2.0, 3.0))
    assert region.volume == pytest.approx(24.0)
    assert [region.across(axis)[0] for axis in range(3)] == pytest.approx([6.0, 12.0, 8.0])
    with pytest.raises(InputError, match="has no area"):
        _ = region.area
    with pytest.raises(InputError, match="has no volume"):
        _ = Region().compute(square_packing()).volume
    with pytest.raises(InputError, match="has no depth"):
        _ = Region().compute(square_packing()).depth


def test_a_wall_has_its_face_where_it_stands():
    run = cubic_packing()
    run.scene["body_shape"][1] = 3  # the right wall was put up from a level drawing
    turn = about((0.0, 1.0, 0.0), np.pi / 2.0)
    run.frames[0]["orientations"][1] = product(turn, drawn_wall(2, 0.0).orientation)
    assert Region().compute(run).width == pytest.approx(4.0)
    later = run.frames[0]["orientations"].copy()
    later[1] = product(about((1.0, 2.0, 3.0), 0.1), later[1])
    add_frame(run, run.frames[0]["positions"], orientations=later)
    with pytest.raises(InputError, match=r'wall "right" turns by 0\.1'):
        Region().compute(run)


@pytest.mark.parametrize("frames", [0, 2])
def test_a_wall_stands_as_it_was_drawn(frames, tmp_path):
    """Its own frame is that of its principal axes, however it was drawn; without frames too."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * np.array([1.0, 2.0, 3.0])
    slanted = hull(corners @ matrix(about((1.0, -0.5, 2.0), 0.8)).T, 0.1)
    scene = clast.Scene3D(law=SOFT)
    scene.add_wall(slanted, name="rock")
    run = stored_space_run(tmp_path / "run", scene, [{}] * frames)
    for axis in range(3):
        drawn = slanted.drawn()[:, axis] - slanted.centre[axis]
        assert face(run, "rock", axis, 1) == pytest.approx(drawn.max() + 0.1)
        assert face(run, "rock", axis, -1) == pytest.approx(drawn.min() - 0.1)


@pytest.mark.parametrize(("source", "at"), [("walls", "samples"), ("contacts", "samples"), ("contacts", "frames")])
def test_stress_of_a_cubic_packing(source, at):
    stress = Stress(source, at=at).compute(cubic_packing(loads=(2.0, 3.0, 5.0)))
    for values, expected in (
        (stress.xx, 2.0), (stress.yy, 3.0), (stress.zz, 5.0), (stress.xy, 0.0), (stress.zx, 0.0), (stress.zy, 0.0),
        (stress.p, 10.0 / 3.0), (stress.q, 3.0), (stress.difference, 3.0), (stress.sigma_1, 5.0), (stress.sigma_2, 3.0),
        (stress.sigma_3, 2.0), (stress.sin_phi, 3.0 / 7.0), (stress.phi_degrees, np.degrees(np.arcsin(3.0 / 7.0))),
        (stress.direction, np.array([[0.0, 0.0, 1.0]] * len(stress.time))),
    ):  # fmt: skip
        assert values == pytest.approx(expected, abs=1e-12)


def test_stress_on_single_walls_and_its_shear():
    run = cubic_packing((4, 2, 3), loads=(2.0, 3.0, 5.0))
    run.series["top.force_x"] += 1.2
    run.series["bottom.force_x"] -= 0.8
    run.series["back.force_z"] += 2.4
    stress = Stress("walls").compute(run)
    assert stress.on_wall["top"][0] == pytest.approx([5.0, 1.2 / 8.0, 0.0])
    assert stress.on_wall["bottom"][0] == pytest.approx([5.0, -0.8 / 8.0, 0.0])
    assert stress.on_wall["back"][0] == pytest.approx([3.0, 0.0, 2.4 / 12.0])
    assert stress.on_wall["left"][0] == pytest.approx([2.0, 0.0, 0.0])
    assert stress.xz == pytest.approx(1.0 / 8.0)
    assert stress.zy == pytest.approx(1.2 / 12.0)
    assert stress.zx == pytest.approx(0.0)
    assert stress.yz == pytest.approx(0.0)


def test_principal_stresses_of_a_turned_tensor():
    run = cubic_packing()
    turn = matrix(about((1.0, -2.0, 0.5), 0.7))
    tensor = turn @ np.diag([7.0, 3.0, 4.0]) @ turn.T
    for a, first in enumerate("xyz"):
        for b, second in enumerate("xyz"):  # what is not symmetric does not count
            run.series[f"virial_{first}{second}"] = np.full(2, 24.0 * (tensor[a, b] + 0.3 * np.sign(b - a)))
    stress = Stress().compute(run)
    assert (stress.sigma_1[0], stress.sigma_2[0], stress.sigma_3[0]) == pytest.approx((7.0, 4.0, 3.0))
    assert stress.direction[0] == pytest.approx(turn[:, 0] * np.sign(turn[:, 0][np.abs(turn[:, 0]).argmax()]))
    assert (stress.yz - stress.zy) == pytest.approx(0.6)


def test_walls_on_some_sides_know_part_of_the_stress():
    run = cubic_packing((4, 2, 3), loads=(2.0, 3.0, 5.0))
    run.scene["period"] = np.array([4.0, 2.0, 0.0])
    stress = Stress("walls").compute(run)
    assert stress.zz == pytest.approx(5.0)
    with pytest.raises(InputError, match="some sides tell part of the stress"):
        _ = stress.p
    assert len(stress.plot().axes[0].lines) == 3
    run.scene["period"] = np.array([4.0, 2.0, 3.0])
    with pytest.raises(InputError, match="periodic on all sides"):
        Stress("walls").compute(run)


def squeezed():
    """Walls that move at samples 0, 1, 2: height 3, 2.9, 2.7; width 4, 4.05, 4.3; depth 2, 2, 2.1; the top goes along x and y."""
    run = cubic_packing((4, 2, 3))
    for name, values in run.series.items():
        run.series[name] = np.full(3, values[0])
    run.series["time"] = np.array([0.0, 1.0, 2.0])
    run.series["top.z"] += np.array([0.0, -0.1, -0.3])
    run.series["top.x"] += np.array([0.0, 0.1, 0.2])
    run.series["top.y"] += np.array([0.0, 0.0, -0.6])
    run.series["right.x"] += np.array([0.0, 0.05, 0.3])
    run.series["back.y"] += np.array([0.0, 0.0, 0.1])
    return run


def test_strain_and_its_signs():
    strain = Strain().compute(squeezed())
    x, y, z = np.array([0.0, -0.05 / 4.0, -0.3 / 4.0]), np.array([0.0, 0.0, -0.1 / 2.0]), np.array([0.0, 0.1 / 3.0, 0.1])
    assert strain.along == pytest.approx(np.stack([x, y, z], axis=1))
    assert strain.axial == pytest.approx(z)
    assert strain.lateral == pytest.approx(0.5 * (x + y))
    assert strain.deviatoric == pytest.approx(z - 0.5 * (x + y))
    assert strain.volumetric == pytest.approx((1.0 - x) * (1.0 - y) * (1.0 - z) - 1.0)
    assert strain.shear == pytest.approx(np.array([(0.0, 0.0), (0.1, 0.0), (0.2, -0.6)]) / 3.0)
    assert strain.rate == pytest.approx([0.1 / 3.0, 0.05, 0.2 / 3.0])
    assert Strain("z").compute(squeezed()).axial == pytest.approx(z)
    run = squeezed()
    later = run.frames[0]["positions"] + np.array(
        [(0.2, -0.6, -0.3) if name == "top" else (0.0,) * 3 for name in run.scene["body_name"]]
    )
    add_frame(run, later)
    framed = Strain(at="frames").compute(run)
    assert framed.axial[-1] == pytest.approx(0.1)
    assert framed.shear[-1] == pytest.approx([0.2 / 3.0, -0.2])
    other = Strain("y").compute(squeezed())
    assert other.axial == pytest.approx(y)
    assert other.lateral == pytest.approx(0.5 * (x + z))


def test_void_ratio_of_a_cubic_packing():
    void = VoidRatio().compute(cubic_packing())
    assert void.fraction == pytest.approx(np.pi / 6.0)
    assert void.void_ratio == pytest.approx(6.0 / np.pi - 1.0)
    assert void.grain_volume == pytest.approx(24 * np.pi / 6.0)
    with pytest.raises(InputError, match="read grain_volume"):
        _ = void.grain_area
    with pytest.raises(InputError, match="read grain_area"):
        _ = VoidRatio().compute(square_packing()).grain_volume


def test_inertial_number():
    run = squeezed()
    density, p = 2.0 / BALL.volume, 10.0 / 3.0
    quasi = QuasiStatic(rate=1e-3).compute(cubic_packing())
    assert quasi.inertial == pytest.approx(1e-3 * SIDE * np.sqrt(density / p))
    assert QuasiStatic(rate=1e-5).compute(run).slow
    own = QuasiStatic(axis="x").compute(run)
    stress, rate = Stress().compute(run), Strain("x").compute(run).rate
    assert own.inertial == pytest.approx(np.abs(rate) * SIDE * np.sqrt(density / stress.p))
    assert not own.slow


def test_loops_along_z():
    run, time = cubic_packing((1, 1, 1)), np.linspace(0.0, 2.0, 401)
    swing = 2.0 * np.pi * time
    for name, values in run.series.items():
        run.series[name] = np.full(len(time), values[0])
    run.series["time"] = time
    run.series["top.z"] -= 0.05 * (1.0 - np.cos(swing))
    for name, sign in (("top", 1.0), ("bottom", -1.0)):
        run.series[f"{name}.force_z"] = sign * (5.0 - np.cos(swing + 0.1))
    loops = Loops(1.0).compute(run)
    assert loops.area == pytest.approx(np.pi * 0.05 * np.sin(0.1), rel=1e-3)  # an ellipse: the force is ahead by 0.1
    assert loops.accumulated == pytest.approx(0.0, abs=1e-9)


# --- contacts --------------------------------------------------------------------------------------------------------


def test_coordination_of_a_cubic_packing():
    count = Coordination().compute(cubic_packing((4, 2, 3)))
    assert (count.mean, count.mean_contacts, count.mechanical) == (6.0, 6.0, 6.0)  # walls count
    assert count.neighbours[:6].tolist() == [0] * 6
    assert count.vertex_vertex_share == 1.0
    assert count.rattlers.size == 0


def test_places_and_contacts_of_one_pair():
    """Corner on corner makes three contacts in one point; a faded count is a contact, what a notch subtracts is none."""
    run = MadeRun(spheres_scene(3), {"time": np.array([0.0])})
    centres, up = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]), np.array([0.0, 0.0, 1.0])
    corner, side = np.array([0.2, 0.1, 0.5]), np.array([-0.3, 0.1, 0.5])
    table = contact_table(
        [
            (0, 1, corner, centres[0], centres[1], up, -up),
            (1, 0, corner + 1e-8, centres[1], centres[0], -up, up),
            (0, 1, corner - 1e-8, centres[0], centres[1], up, -up),
            (0, 1, side, centres[0], centres[1], up, -up),
            (1, 2, side + up, centres[1], centres[2], up, -up),
            (1, 2, corner + up, centres[1], centres[2], up, -up),
        ]
    )
    table["counts"] = np.array([1.0, 1.0, 2.0 / 3.0, 0.25, 1.0, -1.0], np.float32)
    table["features"] = np.array([1, 1, 1, 0, 0, 1])
    add_frame(run, centres, table=table)
    assert contacts_at(run, 0).counts == pytest.approx([1.0, 1.0, 2.0 / 3.0, 0.25, 1.0, -1.0])
    count = Coordination().compute(run)
    assert count.contacts.tolist() == [4, 5, 1]
    assert count.neighbours.tolist() == [1, 2, 1]
    assert count.vertex_vertex_share == pytest.approx(1.0 / 3.0)
    pairs = pairs_of(contacts_at(run, 0))
    assert pairs.forces.tolist() == [[0.0, 0.0, -4.0], [0.0, 0.0, -2.0]]
    assert pairs.branches == pytest.approx(np.array([up, up]))


def icosahedral():
    """The six axes of an icosahedron: ⟨n ⊗ n⟩ = δ/3 exactly."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    axes = [np.roll((0.0, 1.0, sign * golden), shift) for shift in range(3) for sign in (1.0, -1.0)]
    return np.array(axes) / np.hypot(1.0, golden)


def test_isotropic_normals():
    normals = icosahedral() @ matrix(about((1.0, 2.0, 3.0), 0.4)).T
    fabric = Fabric().compute(normals_run(normals, -normals))
    assert fabric.tensor == pytest.approx(np.eye(3) / 3.0)
    assert fabric.anisotropy == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(InputError, match="read normals"):
        _ = fabric.angles


@pytest.mark.parametrize("a", [0.3, 1.5])
def test_anisotropy_is_that_of_the_distribution(a):
    """E(n) = [1 + a P₂(n·e)]/4π by forces at the points of a quadrature that is exact for it."""
    cosines, weights = np.polynomial.legendre.leggauss(6)
    around = 2.0 * np.pi * np.arange(8) / 8
    c, phi = (each.ravel() for each in np.meshgrid(cosines, around, indexing="ij"))
    turn = matrix(about((3.0, -1.0, 0.5), 0.6))
    normals = np.stack([np.sqrt(1.0 - c**2) * np.cos(phi), np.sqrt(1.0 - c**2) * np.sin(phi), c], axis=1) @ turn.T
    size = np.repeat(weights, 8) * (1.0 + a * (1.5 * c**2 - 0.5))
    fabric = Fabric(weight="force").compute(normals_run(normals, -size[:, None] * normals))
    assert np.trace(fabric.tensor) == pytest.approx(1.0)
    assert fabric.anisotropy == pytest.approx(a)
    assert fabric.direction == pytest.approx(turn[:, 2])  # its largest component is positive here
    assert fabric.principal == pytest.approx([1.0 / 3.0 + 2.0 * a / 15.0, *[1.0 / 3.0 - a / 15.0] * 2])
    drawn = fabric.plot().axes[0]
    assert drawn.lines[0].get_ydata()[-1] == pytest.approx(1.0 + a)  # E over isotropic, at n = e
    assert sum(bar.get_height() * bar.get_width() for bar in drawn.patches) == pytest.approx(1.0)


def test_forces_across_the_normals():
    normals = np.array([(1.0, 0.0, 0.0), (0.0, 0.6, 0.8), (0.0, 0.0, 1.0)])
    across = np.array([(0.0, 0.3, 0.4), (0.0, 0.8, -0.6), (0.0, 0.0, 0.0)])
    forces = ForceDistribution(friction=0.5).compute(normals_run(normals, across - np.array([[1.0], [4.0], [1.0]]) * normals))
    assert forces.mean == pytest.approx(2.0)
    assert forces.ratio == pytest.approx([0.5, 0.25, 0.0])
    assert forces.mobilised == pytest.approx([1.0, 0.5, 0.0])
    assert forces.sliding == pytest.approx(1.0 / 3.0)


def test_chains_of_a_loaded_column():
    """Of 3 × 3 × 4 spheres one column carries ten times the load of the others: it is the chain."""
    run = cubic_packing((3, 3, 4), loads=(1.0, 1.0, 1.0))
    table, centres = run.contacts[0], run.frames[0]["positions"]
    middle = np.flatnonzero((np.abs(centres[:, :2] - 1.5) < 0.1).all(axis=1) & ~run.scene["body_big"])
    loaded = (np.abs(table["normals"][:, 2]) > 0.5) & np.isin(table["bodies"], middle).any(axis=1)
    table["forces"][loaded] *= 10.0
    chains = ForceChains().compute(run)
    assert chains.number == 1
    assert sorted(chains.chains[0].tolist()) == middle.tolist()
    assert chains.segments.shape == (len(table["bodies"]), 2, 3)
    assert chains.stress[middle, 2, 2] == pytest.approx(10.0 * SIDE**3 / BALL.volume)
    assert chains.forces.max() == pytest.approx(10.0)
    with pytest.raises(InputError, match="in space"):
        chains.plot()


def test_displacements_and_turns():
    rng, period = np.random.default_rng(2), np.array([4.0, 0.0, 5.0])
    inside = rng.uniform(0.0, 4.0, (20, 3))
    rounds = rng.integers(-3, 4, inside.shape) * period
    gradient = np.array([[1.0, 0.05, 0.0], [0.0, 0.97, 0.0], [0.02, 0.0, 1.01]])
    angles = np.linspace(0.0, 3.0, 20)
    axes = rng.normal(size=(20, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    begin = random_turns(rng, 20)
    end = np.array([product(about(axis, angle), turn) for axis, angle, turn in zip(axes, angles, begin, strict=True)])
    end *= rng.choice([1.0, -1.0], (20, 1))  # the same turn
    moved = Displacement().compute(moved_run(inside + rounds, inside @ gradient.T + rounds, tuple(period), (begin, end)))
    assert moved.positions == pytest.approx(inside)
    assert moved.vectors == pytest.approx(inside @ (gradient - np.eye(3)).T, abs=1e-9)
    assert moved.turns == pytest.approx(axes * angles[:, None], abs=1e-12)
    assert moved.spacing == pytest.approx(SIDE)
    assert moved.plot().axes[0].get_ylabel() == "z"
    drawn = moved.plot(view="yx").axes[0]
    assert drawn.get_ylabel() == "x"
    (arrows,) = drawn.collections
    assert np.array_equal(arrows.XY, moved.positions[:, [1, 0]])
    assert np.array_equal(arrows.V, moved.vectors[:, 0])
    for view in ("xw", "x", "xx"):
        with pytest.raises(InputError, match="two different ones of the axes x, y, z"):
            moved.plot(view=view)


def test_small_turns_keep_their_digits():
    tiny = 1e-12 * np.array([1.0, -2.0, 3.0])
    turned = product(about(tiny, np.linalg.norm(tiny)), about((1.0, 1.0, 0.0), 2.0))
    assert turn_between(about((1.0, 1.0, 0.0), 2.0), turned) == pytest.approx(tiny, abs=1e-15)
    assert turn_between(np.array(IDENTITY), np.array(IDENTITY)).tolist() == [0.0, 0.0, 0.0]


def test_principal_values_of_both_dimensions():
    flat = np.array([[2.0, 0.5], [0.5, 1.0]])
    filled = np.zeros((3, 3))
    filled[:2, :2] = flat
    assert principal_values(filled)[[0, 1]] == pytest.approx(principal_values(flat))
    assert major_axis(filled)[:2] == pytest.approx(major_axis(flat))


# --- what is refused, what is drawn ----------------------------------------------------------------------------------


def without(run, name):
    """A copy of a run without a series or a part of the scene."""
    run = copy.deepcopy(run)
    run.series.pop(name, None)
    run.scene.pop(name, None)
    return run


@pytest.mark.parametrize(
    ("measure", "run", "words"),
    [
        (StrainField(), cubic_packing(), "StrainField is for runs in the plane and this one is in space"),
        (BandAngle(), cubic_packing(), "BandAngle is for runs in the plane and this one is in space"),
        (Region(Walls(back="rear")), cubic_packing(), 'one wall named "rear" and has 0; its walls: back, bottom, front, left'),
        (Region(Walls(front="back", back="front")), cubic_packing(), 'along y: is "back" the one at the smaller y?'),
        (Stress(), without(cubic_packing(), "virial_zy"), 'no series "virial_zy"'),
        (VoidRatio(), without(cubic_packing(), "body_volume"), 'does not tell the "body_volume"'),
        (Strain("z"), square_packing(), 'Strain: axis = "z", but the run is in the plane'),
        (QuasiStatic(axis="z"), square_packing(), 'axis = "z", but the run is in the plane'),
        (Loops(1.0, axis="z"), square_packing(), 'Loops: axis = "z", but the run is in the plane'),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(measure, run, words):
    with pytest.raises(InputError) as refused:
        measure.compute(run)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("make", [lambda: Strain("w"), lambda: QuasiStatic(axis="up"), lambda: Loops(1.0, axis="xy")])
def test_an_axis_there_is_not(make):
    with pytest.raises(InputError, match='must be "x", "y", in space "z"'):
        make()


@pytest.mark.parametrize("name", ["zz", "xz", "yz", "zx", "zy", "sigma_2"])
def test_stress_in_the_plane_has_no_z(name):
    with pytest.raises(InputError, match="in the plane"):
        getattr(Stress().compute(square_packing()), name)


def test_a_measure_goes_from_space_to_the_plane():
    """Nothing of the run before stays."""
    for measure, name in ((Region(), "area"), (Stress(), "q"), (VoidRatio(), "grain_area"), (Fabric(), "direction")):
        again, fresh = measure.compute(cubic_packing()).compute(square_packing()), type(measure)().compute(square_packing())
        assert np.array_equal(getattr(again, name), getattr(fresh, name))


def test_every_measure_has_a_labelled_picture():
    import matplotlib.pyplot as plt

    pressed, places = cubic_packing(), np.random.default_rng(1).uniform(0.0, 3.0, (9, 3))
    measures = [Region(), Stress(), Stress("walls"), VoidRatio(), QuasiStatic(rate=1e-4), Coordination(), ForceDistribution()]
    made = [measure.compute(pressed) for measure in (*measures, Fabric(), Fabric(weight="force"))]
    for measure in (*made, Strain().compute(squeezed()), Displacement().compute(moved_run(places, 1.1 * places))):
        figure = measure.plot()
        assert figure.axes[0].get_xlabel()
        assert figure.axes[0].get_ylabel()
        _, axes = plt.subplots()
        assert measure.plot(axes) is axes.figure
        plt.close("all")
    assert "area" in made[1].plot().axes[0].get_ylabel()
    plt.close("all")


# --- runs that were run ----------------------------------------------------------------------------------------------


def closed_box(scene, sides, radius=THICK, tags=None):
    """Six plates whose inner faces bound 0 … side along every axis, named as `Walls` has them; fixed unless `tags` tell."""
    for axis in range(3):
        for name, at in zip(WALLS[2 * axis : 2 * axis + 2], (-radius, sides[axis] + radius), strict=True):
            scene.add_wall(
                drawn_wall(axis, at, 3.0 * max(sides), radius), name=name, tags=(tags or {}).get(name, (clast.Fixed(),))
            )


def short_run(scene, folder, until=0.02, **given):
    """A few steps of a scene."""
    return clast.run(
        scene, until=until, out=folder, **({"dt": 0.002, "samples": 10, "frames": 2} | given), progress=clast.quiet()
    )


def test_a_sphere_pressed_between_six_plates(tmp_path):
    depths = np.array([0.01, 0.02, 0.03])  # into each wall of an axis
    sides = 2.0 * (RADIUS - depths)
    scene = clast.Scene3D(law=SOFT)
    scene.add(BALL, 0.5 * sides)
    closed_box(scene, sides)
    run = short_run(scene, tmp_path / "run")
    push = 100.0 * depths
    walls, contacts, tables = Stress("walls").compute(run), Stress().compute(run), Stress(at="frames").compute(run)
    for k, name in enumerate(("xx", "yy", "zz")):
        assert getattr(walls, name) == pytest.approx(push[k] * sides[k] / sides.prod())
        expected = 2.0 * push[k] * (RADIUS - 0.5 * depths[k]) / sides.prod()  # contacts lie in the middle of the overlap
        assert getattr(contacts, name) == pytest.approx(expected)
        assert getattr(tables, name) == pytest.approx(expected, rel=1e-6)
    assert walls.direction[-1] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert walls.on_wall["back"][-1] == pytest.approx([push[1] / (sides[0] * sides[2]), 0.0, 0.0], abs=1e-9)
    count = Coordination().compute(run)
    assert count.neighbours.tolist() == [6, 0, 0, 0, 0, 0, 0]
    assert VoidRatio(at="frames").compute(run).fraction == pytest.approx(BALL.volume / sides.prod())


def test_a_cubic_lattice_of_spheres_in_a_periodic_box(tmp_path):
    apart, number = 0.98, 3
    scene = clast.Scene3D(law=SOFT, box=clast.Box3D(*[number * apart] * 3))
    rounds = np.random.default_rng(4).integers(-2, 3, (number**3, 3)) * number * apart
    for cell, gone in zip(np.ndindex(number, number, number), rounds, strict=True):
        scene.add(BALL, apart * np.array(cell) + gone)
    run = short_run(scene, tmp_path / "run")
    count, fabric = Coordination().compute(run), Fabric(weight="force").compute(run)
    assert (count.mean, count.mean_contacts, count.mechanical) == (6.0, 6.0, 6.0)
    assert fabric.tensor == pytest.approx(np.eye(3) / 3.0, abs=1e-6)
    for at in ("samples", "frames"):
        stress = Stress(at=at).compute(run)
        assert stress.tensor == pytest.approx(
            np.tile(100.0 * (1.0 - apart) / apart**2 * np.eye(3), (len(stress.time), 1, 1)), abs=1e-5
        )
    assert Region().compute(run).depth == pytest.approx(number * apart)
    assert ForceDistribution().compute(run).normal == pytest.approx(1.0, abs=1e-4)
    assert Displacement().compute(run).vectors == pytest.approx(0.0, abs=1e-9)


def test_a_stack_of_boxes_under_gravity(tmp_path):
    """The floor carries all, the lid nothing, and in the middle it is half of that: Love-Weber sums and walls agree."""
    block, number, gravity = cuboid((1.0, 0.8, 0.6), 0.1), 3, 10.0
    high = 0.8  # of a block with its sphero-radius
    weight = gravity * block.volume
    law = clast.Linear(1e5, 5e4, 0.5, normal_damping=400.0, tangential_damping=200.0)
    scene = clast.Scene3D(law=law, gravity=(0.0, 0.0, -gravity), box=clast.Box3D(3.0, 3.0, 0.0), drag=10.0)
    for name, at in (("bottom", -THICK), ("top", number * high + THICK)):
        scene.add_wall(drawn_wall(2, at, far=1.5), name=name)
    for k in range(number):
        scene.add_drawn(block, (0.1 * (k % 2), -0.1 * (k % 2), (k + 0.5) * high))
    run = short_run(scene, tmp_path / "run", until=0.6, dt=None, samples=20, frames=2)
    area = 3.0 * 3.0
    walls, contacts = Stress("walls").compute(run), Stress().compute(run)
    assert QuasiStatic(rate=0.0).compute(run).unbalanced[-1] < 1e-4
    assert walls.on_wall["bottom"][-1] == pytest.approx([number * weight / area, 0.0, 0.0], rel=1e-3, abs=1e-3)
    assert walls.on_wall["top"][-1] == pytest.approx(0.0)
    assert walls.zz[-1] == pytest.approx(0.5 * number * weight / area, rel=1e-3)
    assert contacts.zz[-1] == pytest.approx(0.5 * number * weight / area, rel=1e-3)
    assert Coordination().compute(run).neighbours.tolist() == [0, 0, 2, 2, 1]
    assert Fabric().compute(run).tensor == pytest.approx(np.diag([0.0, 0.0, 1.0]), abs=1e-3)
    assert run.book.energy_error < 1e-3


def test_walls_and_contacts_agree_in_a_box_of_cubes(tmp_path):
    """Cubes between six smooth walls that press differently along x, y and z, brought to rest."""
    loads = {"x": 100.0, "y": 150.0, "z": 300.0}
    rough = clast.Linear(1e5, 5e4, 0.3, normal_damping=300.0, tangential_damping=100.0)
    scene = clast.Scene3D(law=rough, drag=5.0)
    scene.set_law("grain", "wall", clast.Linear(1e5, 5e4, 0.0, normal_damping=300.0))
    cube, apart, rng = cuboid(0.16, 0.03), 0.34, np.random.default_rng(3)
    pairs = {"x": ("left", "right"), "y": ("front", "back"), "z": ("bottom", "top")}
    tags = {}
    for axis, names in pairs.items():
        across = tuple(pairs[other] for other in "xyz" if other != axis)
        held = {other: 0.0 for other in ("x", "y", "z", "spin", "spin_x", "spin_y") if other != axis}
        for name, way in zip(names, "+-", strict=True):
            press = clast.Pressure(clast.Ramp(0.0, loads[axis], finish=0.2, smooth=True), way + axis, between=across)
            tags[name] = (clast.Velocity(**held), press)
    for cell, turn in zip(np.ndindex(2, 2, 2), random_turns(rng, 8), strict=True):
        scene.add(cube, (np.array(cell) + 0.5) * apart, orientation=turn)
    closed_box(scene, [2.0 * apart] * 3, 0.03, tags)
    run = short_run(scene, tmp_path / "run", until=0.4, dt=None, samples=50, frames=5)
    walls, contacts, tables = Stress("walls").compute(run), Stress().compute(run), Stress(at="frames").compute(run)
    assert QuasiStatic().compute(run).unbalanced[-1] < 1e-6
    for found in (walls, contacts, tables):
        assert np.diagonal(found.tensor[-1]) == pytest.approx(list(loads.values()), rel=1e-3)
    assert contacts.tensor[-1] == pytest.approx(contacts.tensor[-1].T, abs=1e-3)  # moments of every grain balance
    last = contacts_at(run, -1)
    assert (last.counts > 0).sum() == run.series["contacts"][-1]
    assert ForceDistribution(friction=0.3).compute(run).mobilised.max() < 1.0 + 1e-5
    assert 2.0 < Coordination().compute(run).mean < Coordination().compute(run).mean_contacts
