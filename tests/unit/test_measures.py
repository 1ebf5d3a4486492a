"""Measures on made-up runs whose answers are known in closed form (model §8)."""

import copy

import matplotlib
import numpy as np
import pytest
from made_runs import RADIUS, WALLS, MadeRun, contact_table, disks_scene, hexagonal_cell, square_packing

from clast.errors import InputError
from clast.measures import (
    BandAngle,
    Coordination,
    Displacement,
    Fabric,
    ForceChains,
    ForceDistribution,
    QuasiStatic,
    Region,
    Strain,
    StrainField,
    Stress,
    VoidRatio,
    Walls,
)
from clast.measures.touching import contacts_at, pairs_of

matplotlib.use("agg")
SIDE = 2.0 * RADIUS


# --- region, stress, strain, void ratio ------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_region_lies_between_inner_faces(at):
    region = Region(at=at).compute(square_packing(4, 3))
    assert region.width == pytest.approx(4.0 * SIDE)
    assert region.height == pytest.approx(3.0 * SIDE)
    assert region.area == pytest.approx(12.0 * SIDE**2)
    assert len(region.time) == (2 if at == "samples" else 1)


def test_a_tilted_wall_has_its_face_where_it_stands():
    run = square_packing(4, 3)
    run.frames[0]["angles"][1] = np.pi / 2.0  # the right wall was put up from a level drawing
    run.scene["body_shape"][1] = 2
    assert Region().compute(run).width == pytest.approx(4.0 * SIDE)
    run.add_frame(run.frames[0]["positions"], angles=run.frames[0]["angles"] + 0.1)
    with pytest.raises(InputError, match=r"turns by 0\.1"):
        Region().compute(run)


def test_region_of_a_periodic_box_fixed_and_moving():
    run = hexagonal_cell(cells=3)
    assert Region().compute(run).width == pytest.approx(3.0 * SIDE)
    run.series |= {"time": np.array([0.0, 1.0]), "cell.x": np.array([3.0, 2.0]), "cell.y": np.array([5.0, 6.0])}
    region = Region().compute(run)
    assert region.width.tolist() == [3.0, 2.0]
    assert region.height.tolist() == [5.0, 6.0]
    run.add_frame(run.frames[0]["positions"], period=np.array([2.5, 5.5]))
    assert Region(at="frames").compute(run).width.tolist() == [3.0, 2.5]


@pytest.mark.parametrize(("source", "at"), [("walls", "samples"), ("contacts", "samples"), ("contacts", "frames")])
def test_stress_of_a_square_packing(source, at):
    stress = Stress(source, at=at).compute(square_packing(p_x=2.0, p_y=5.0))
    for values, expected in (
        (stress.xx, 2.0), (stress.yy, 5.0), (stress.xy, 0.0), (stress.yx, 0.0), (stress.p, 3.5), (stress.q, 1.5),
        (stress.sigma_1, 5.0), (stress.sigma_3, 2.0), (stress.difference, 3.0), (stress.sin_phi, 1.5 / 3.5),
        (stress.direction, np.pi / 2.0),
    ):  # fmt: skip
        assert values == pytest.approx(expected, abs=1e-12)


def test_stress_on_single_walls_and_its_shear():
    run = square_packing(4, 3, p_x=2.0, p_y=5.0)
    run.series["top.force_x"] += 1.2
    run.series["bottom.force_x"] -= 0.8
    stress = Stress("walls").compute(run)
    assert stress.on_wall["top"][0] == pytest.approx([5.0, 1.2 / 4.0])
    assert stress.on_wall["bottom"][0] == pytest.approx([5.0, -0.8 / 4.0])
    assert stress.on_wall["left"][0] == pytest.approx([2.0, 0.0])
    assert stress.xy == pytest.approx(1.0 / 4.0)


@pytest.mark.parametrize("turn", [0.4, 2.0])
def test_principal_stresses_of_a_turned_tensor(turn):
    run = square_packing()
    c, s = np.cos(turn), np.sin(turn)
    tensor = np.array([[c, -s], [s, c]]) @ np.diag([7.0, 3.0]) @ np.array([[c, s], [-s, c]])
    for a in range(2):
        for b in range(2):
            run.series[f"virial_{'xy'[a]}{'xy'[b]}"] = np.full(2, 12.0 * SIDE**2 * tensor[a, b])
    stress = Stress().compute(run)
    assert stress.sigma_1 == pytest.approx(7.0)
    assert stress.sigma_3 == pytest.approx(3.0)
    assert stress.direction == pytest.approx(turn)


def test_stress_of_a_hexagonal_cell_is_isotropic():
    stress = Stress(at="frames").compute(hexagonal_cell(force=3.0))
    assert stress.p == pytest.approx(np.sqrt(3.0) * 3.0 / SIDE)  # p = √3 f/d
    assert stress.q == pytest.approx(0.0, abs=1e-12)


def test_walls_on_two_sides_know_half_of_the_stress():
    run = square_packing(4, 3, p_y=5.0)
    run.scene["period"] = np.array([4.0 * SIDE, 0.0])
    stress = Stress("walls").compute(run)
    assert stress.yy == pytest.approx(5.0)
    with pytest.raises(InputError, match="half of the stress"):
        _ = stress.p
    assert len(stress.plot().axes[0].lines) == 2


def squeezed():
    """Walls that move at samples 0, 1, 2: height 3, 2.9, 2.7; width 4, 4.05, 4.3; the top goes 0, 0.1, 0.2 to the right."""
    run = square_packing(4, 3)
    for name, values in run.series.items():
        run.series[name] = np.full(3, values[0])
    run.series["time"] = np.array([0.0, 1.0, 2.0])
    run.series["top.y"] = run.series["top.y"] + np.array([0.0, -0.1, -0.3])
    run.series["top.x"] = run.series["top.x"] + np.array([0.0, 0.1, 0.2])
    run.series["right.x"] = run.series["right.x"] + np.array([0.0, 0.05, 0.3])
    return run


def test_strain_and_its_signs():
    strain = Strain().compute(squeezed())
    assert strain.axial == pytest.approx([0.0, 0.1 / 3.0, 0.1])
    assert strain.lateral == pytest.approx([0.0, -0.05 / 4.0, -0.3 / 4.0])
    assert strain.volumetric == pytest.approx([0.0, 2.9 * 4.05 / 12.0 - 1.0, 2.7 * 4.3 / 12.0 - 1.0])
    assert strain.deviatoric == pytest.approx([0.0, 0.1 / 3.0 + 0.05 / 4.0, 0.1 + 0.3 / 4.0])
    assert strain.shear == pytest.approx([0.0, 0.1 / 3.0, 0.2 / 3.0])
    assert strain.rate == pytest.approx([0.1 / 3.0, 0.05, 0.2 / 3.0])


def test_strain_along_the_other_axis_and_since_a_later_time():
    strain = Strain("x", since=1.0).compute(squeezed())
    assert strain.axial == pytest.approx([0.05 / 4.05, 0.0, -0.25 / 4.05])
    assert strain.volumetric[1] == 0.0
    with pytest.raises(InputError, match=r"since = 3\.0 is outside"):
        Strain(since=3.0).compute(squeezed())


@pytest.mark.parametrize("at", ["samples", "frames"])
def test_void_ratio_of_a_square_packing(at):
    void = VoidRatio(at=at).compute(square_packing())
    assert void.fraction == pytest.approx(np.pi / 4.0)
    assert void.void_ratio == pytest.approx(4.0 / np.pi - 1.0)


def test_void_ratio_of_a_hexagonal_cell():
    assert VoidRatio().compute(hexagonal_cell()).fraction == pytest.approx(np.pi / np.sqrt(12.0))


def test_inertial_number():
    run = squeezed()
    quasi = QuasiStatic(source="walls").compute(run)
    # forces on the walls stay, the faces change: p_x = 6/height, p_y = 20/width
    p = 0.5 * (6.0 / np.array([3.0, 2.9, 2.7]) + 20.0 / np.array([4.0, 4.05, 4.3]))
    assert quasi.inertial == pytest.approx(np.array([0.1 / 3.0, 0.05, 0.2 / 3.0]) * np.sqrt(2.0 / p))
    assert not quasi.slow
    assert QuasiStatic(rate=1e-5, source="walls").compute(run).slow
    assert QuasiStatic(rate=1e-5).compute(square_packing()).unbalanced.tolist() == [0.1, 1e-6]


# --- contacts --------------------------------------------------------------------------------------------------------


def test_coordination_of_lattices():
    square = Coordination().compute(square_packing(4, 3))
    assert square.mean == 4.0  # walls count
    assert square.neighbours[:4].tolist() == [0, 0, 0, 0]
    assert square.rattlers.size == 0
    hexagonal = Coordination().compute(hexagonal_cell(cells=2))  # both neighbours in a row are images of one disk
    assert hexagonal.mean == 6.0
    assert hexagonal.mean_contacts == 6.0
    assert len(pairs_of(contacts_at(hexagonal_cell(cells=2), 0)).bodies) == 3 * 8


def flat_on_flat(*contacts, walls=()):
    """Two squares side by side, a third apart; `contacts` as (first, second, height of the point, count, at a vertex)."""
    run = MadeRun(disks_scene(3, walls=walls), {"time": np.array([0.0])})
    run.scene["shape_first_edge"] = np.array([0, 4, 5, 6])  # shape 0 has edges now
    run.scene["shape_edges"] = np.zeros((6, 2), np.int64)
    centres = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    table = contact_table(
        [(i, j, (0.5 * (centres[i, 0] + centres[j, 0]), y), centres[i], centres[j], (-1.0, 0.0)) for i, j, y, _, _ in contacts]
    )
    table["counts"] = np.array([each[3] for each in contacts])
    table["features"] = np.array([each[4] for each in contacts])
    run.add_frame(centres, table=table)
    return run


def test_contacts_of_one_pair_are_one_neighbour():
    coordination = Coordination().compute(flat_on_flat((0, 1, 0.4, 1, 0), (0, 1, -0.4, 1, 0), (0, 1, 0.0, -1, 1)))
    assert coordination.neighbours.tolist() == [1, 1, 0]
    assert coordination.contacts.tolist() == [2, 2, 0]
    assert coordination.mean == pytest.approx(2.0 / 3.0)
    assert coordination.rattlers.tolist() == [0, 1, 2]
    assert coordination.mechanical == 0.0


def test_contacts_of_one_pair_through_an_image_add_up_whoever_probes():
    run = MadeRun(disks_scene(2, period=(4.0, 0.0)), {"time": np.array([0.0])})
    one, other, far = np.array([0.2, 0.0]), np.array([3.7, 0.0]), np.array([4.0, 0.0])
    push = np.array([2.0, 0.5])  # on the first disk, by the image of the second on its left
    table = contact_table(
        [(0, 1, (-0.05, 0.1), one, other - far, push), (1, 0, (3.95, -0.1), other, one + far, -push)], turned=(False, False)
    )
    run.add_frame(np.array([one, other]), table=table)
    pairs = pairs_of(contacts_at(run, 0))
    assert pairs.bodies.tolist() == [[0, 1]]
    assert pairs.forces[0] == pytest.approx(2.0 * push)
    assert pairs.branches[0] == pytest.approx(other - far - one)


def test_what_pulls_across_a_gap_is_stress_and_no_contact():
    run = square_packing(4, 3, p_x=2.0, p_y=5.0)
    table = run.contacts[0]
    table["depths"] = np.where(np.abs(table["normals"][:, 0]) > 0.5, -1e-3, 1e-3)  # all that act along x
    table["forces"][table["depths"] < 0.0] *= -1.0
    assert Coordination().compute(run).mean == 2.0
    assert Fabric().compute(run).tensor == pytest.approx(np.diag([0.0, 1.0]))
    assert Stress(at="frames").compute(run).xx == pytest.approx(-2.0)
    assert ForceChains().compute(run).stress[4:, 0, 0].max() < 0.0


def test_rattlers_are_found_one_behind_the_other():
    run = square_packing(2, 2)  # ids 4 … 7 carry
    run.scene = disks_scene(6, walls=WALLS)
    places = np.concatenate([run.frames[0]["positions"], [(0.5, 9.0), (0.5, 10.0)]])
    more = contact_table([(6, 8, (0.5, 5.0), places[6], places[8], (0, -1)), (8, 9, (0.5, 9.5), places[8], places[9], (0, -1))])
    table = {name: np.concatenate([array, more[name]]) for name, array in run.contacts[0].items()}
    run.frames.clear()
    run.contacts.clear()
    run.add_frame(places, table=table)
    coordination = Coordination().compute(run)
    assert coordination.neighbours[4:].tolist() == [4, 4, 5, 4, 2, 1]
    assert coordination.rattlers.tolist() == [8, 9]  # 9 hangs on 8, which then has one neighbour left
    assert coordination.mechanical == 4.0


def test_a_corner_on_a_corner_counts_once_in_the_share():
    run = flat_on_flat((0, 1, 0.0, 1, 1), (1, 0, 0.0, 1, 1), (1, 2, 0.3, 1, 0), (1, 2, -0.3, 1, 0), (0, 1, 0.0, -1, 1))
    assert Coordination().compute(run).vertex_vertex_share == pytest.approx(1.0 / 3.0)


def test_fabric_of_lattices():
    hexagonal = Fabric().compute(hexagonal_cell())
    assert hexagonal.tensor == pytest.approx(0.5 * np.eye(2))
    assert hexagonal.anisotropy == pytest.approx(0.0, abs=1e-12)
    # 4 × 3 disks: 9 contacts along x, 8 along y; weighted by force 9·2 against 8·5
    square = Fabric().compute(square_packing(4, 3, p_x=2.0, p_y=5.0))
    assert square.tensor == pytest.approx(np.diag([9.0, 8.0]) / 17.0)
    assert square.anisotropy == pytest.approx(2.0 / 17.0)
    assert square.direction % np.pi == pytest.approx(0.0, abs=1e-12)
    weighted = Fabric(weight="force").compute(square_packing(4, 3, p_x=2.0, p_y=5.0))
    assert weighted.tensor == pytest.approx(np.diag([18.0, 40.0]) / 58.0)
    assert weighted.direction == pytest.approx(np.pi / 2.0)


def test_fabric_finds_the_anisotropy_of_a_distribution():
    rng, a, theta = np.random.default_rng(2), 0.5, 0.7
    angles = rng.uniform(0.0, 2.0 * np.pi, 200_000)
    angles = angles[rng.random(len(angles)) * (1.0 + a) < 1.0 + a * np.cos(2.0 * (angles - theta))]
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    run = flat_on_flat((0, 1, 0.0, 1, 0))
    table = run.contacts[0]
    for name in list(table):
        table[name] = np.repeat(table[name], len(angles), axis=0)
    table["normals"] = normals
    fabric = Fabric().compute(run)
    assert fabric.anisotropy == pytest.approx(a, abs=0.01)
    assert fabric.direction == pytest.approx(theta, abs=0.01)


def test_force_distribution_and_mobilised_friction():
    run = square_packing(4, 3, p_x=2.0, p_y=5.0)
    table, mu = run.contacts[0], 0.5
    tangents = np.stack([-table["normals"][:, 1], table["normals"][:, 0]], axis=1)
    push = np.hypot(*table["forces"].T)
    shear = mu * push * np.where(np.arange(len(push)) % 2, 1.0, -0.25)  # every other contact slides
    table["forces"] = table["forces"] + shear[:, None] * tangents
    between = (table["bodies"] >= 4).all(axis=1)
    forces = ForceDistribution(friction=mu, bins=5).compute(run)
    assert forces.mean == pytest.approx((9 * 2.0 + 8 * 5.0) / 17.0)
    assert sorted(set(np.round(forces.mobilised, 9))) == [0.25, 1.0]
    assert forces.sliding == pytest.approx(np.mean((np.arange(len(push)) % 2)[between]))
    assert np.sum(forces.density * np.diff(forces.edges)) == pytest.approx(1.0)
    assert forces.normal.mean() == pytest.approx(1.0)


# --- chains ----------------------------------------------------------------------------------------------------------


def test_chains_of_a_square_packing_are_its_columns():
    # all grains are alike, and none is above the mean: press the two inner columns harder
    run = square_packing(4, 5, p_x=1.0, p_y=4.0)
    table = run.contacts[0]
    column = np.rint(run.frames[0]["positions"][:, 0] / SIDE - 0.5).astype(int)
    grain = np.where(table["bodies"][:, 0] >= 4, table["bodies"][:, 0], table["bodies"][:, 1])
    upright = np.abs(table["normals"][:, 1]) > 0.5
    table["forces"][upright & np.isin(column[grain], (1, 2))] *= 3.0
    chains = ForceChains().compute(run)
    assert [sorted(column[chain].tolist()) for chain in chains.chains] == [[1] * 5, [2] * 5]
    for chain in chains.chains:
        assert np.abs(np.diff(run.frames[0]["positions"][chain, 1])) == pytest.approx(SIDE)  # in order
    assert (chains.number, chains.mean_length, chains.share) == (2, 5.0, 0.5)
    assert chains.forces.max() == pytest.approx(12.0 * SIDE)


def test_neighbours_aside_of_the_major_direction_make_no_chain():
    run = square_packing(6, 1, p_x=1.0, p_y=4.0)
    table = run.contacts[0]
    upright = np.abs(table["normals"][:, 1]) > 0.5
    table["forces"][upright & np.isin(table["bodies"], (5, 6, 7)).any(axis=1)] *= 3.0  # side by side, pressed from above
    assert ForceChains().compute(run).chains == []


def test_a_chain_may_close_through_a_periodic_side():
    run = hexagonal_cell(cells=4)
    table, chosen = run.contacts[0], np.arange(4)  # the lowest row
    level = np.abs(table["normals"][:, 1]) < 0.1
    table["forces"][level & np.isin(table["bodies"], chosen).all(axis=1)] *= 10.0
    (chain,) = ForceChains().compute(run).chains
    assert sorted(chain.tolist()) == [0, 1, 2, 3]


def test_segments_lead_from_grain_to_grain_and_to_the_wall():
    chains = ForceChains().compute(square_packing(4, 3))
    lengths = np.hypot(*(chains.segments[:, 1] - chains.segments[:, 0]).T)
    at_wall = (chains.pairs < 4).any(axis=1)
    assert lengths[~at_wall] == pytest.approx(SIDE)
    assert lengths[at_wall] == pytest.approx(RADIUS)
    assert at_wall.sum() == 14
    ends = chains.segments.reshape(-1, 2)
    assert ends.min(axis=0) == pytest.approx(0.0)
    assert ends.max(axis=0) == pytest.approx([4.0 * SIDE, 3.0 * SIDE])


def test_stress_of_single_grains_adds_up_to_that_of_the_sample():
    run = square_packing(4, 3, p_x=2.0, p_y=5.0)
    chains = ForceChains().compute(run)
    total = (chains.stress[4:] * np.pi * RADIUS**2).sum(axis=0) / (12.0 * SIDE**2)
    assert total == pytest.approx(np.diag([2.0, 5.0]))


# --- strain field and band -------------------------------------------------------------------------------------------


def moved_run(points, later, period=(0.0, 0.0), walls=()):
    """Two frames of disks."""
    run = MadeRun(disks_scene(len(points), period=period, walls=walls), {"time": np.array([0.0, 0.5])})
    away = np.full((len(walls), 2), 1e6)
    for places in (points, later):
        run.add_frame(np.concatenate([away, places]))
    return run


def crowd(columns=12, rows=16, seed=0, jitter=0.3):
    """Places of grains: a square lattice, shaken."""
    rng = np.random.default_rng(seed)
    lattice = np.stack(np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5), axis=-1).reshape(-1, 2)
    return lattice + rng.uniform(-jitter, jitter, lattice.shape)


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_patch_test(far):
    gradient = np.array([[1.03, 0.11], [-0.04, 0.92]])
    points = crowd() + far
    later = points + (points - far) @ (gradient - np.eye(2)).T
    field = StrainField().compute(moved_run(points, later, walls=WALLS))
    stretches = np.linalg.svd(gradient, compute_uv=False)
    exact = 1e-12 if far == 0.0 else 1e-11  # places 1e3 from the origin have three digits less
    assert np.abs(field.gradient - gradient).max() < exact
    assert np.abs(field.volumetric - (np.linalg.det(gradient) - 1.0)).max() < exact
    assert np.abs(field.deviatoric - (stretches[0] - stretches[1])).max() < exact


@pytest.mark.parametrize("turn", [1e-3, 0.8, 3.0])
def test_rotation_is_no_strain(turn):
    points = crowd()
    c, s = np.cos(turn), np.sin(turn)
    field = StrainField().compute(moved_run(points, points @ np.array([[c, s], [-s, c]])))
    assert np.abs(field.volumetric).max() < 1e-12
    assert np.abs(field.deviatoric).max() < 1e-12
    assert field.rotation == pytest.approx(turn)


def test_triangles_cover_the_sample_and_slivers_are_left_out():
    points = crowd()
    points[:12, 1] = 1e-4 * np.sin(np.arange(12))  # a bottom row that is nearly straight
    field = StrainField().compute(moved_run(points, points + 0.1))
    corners = field.points[field.triangles]
    longest = np.hypot(*(np.roll(corners, -1, axis=1) - corners).reshape(-1, 2).T).max()
    assert longest < 4.0
    assert field.areas.sum() == pytest.approx(11.0 * 15.5, rel=0.05)


def test_grains_that_went_round_a_periodic_box_are_neighbours_still():
    period = np.array([12.0, 16.0])
    inside = crowd() % period
    rounds = np.random.default_rng(3).integers(-3, 4, inside.shape) * period
    shear = np.array([[1.0, 0.05], [0.0, 1.0]])
    run = moved_run(inside + rounds, inside @ shear.T + rounds, period=tuple(period))
    moved = Displacement().compute(run)
    assert moved.positions == pytest.approx(inside)
    assert moved.vectors == pytest.approx(inside @ (shear - np.eye(2)).T, abs=1e-9)
    assert np.abs(StrainField().compute(run).gradient - shear).max() < 1e-9
    # a cell that shrinks takes the images along
    factors = np.array([0.95, 1.05])
    run.frames.pop()
    run.add_frame((inside + rounds) * factors, period=period * factors)
    assert np.abs(StrainField().compute(run).gradient - np.diag(factors)).max() < 1e-9


def slip(points, degrees, rising, amount=2.0, width=4.0, off=(0.0, 0.0)):
    """Displacements of two blocks that slip past each other in a band."""
    along = np.array([np.cos(np.radians(degrees)), rising * np.sin(np.radians(degrees))])
    across = (points - points.mean(axis=0) - off) @ np.array([-along[1], along[0]])
    return 0.5 * amount * np.tanh(2.0 * across / width)[:, None] * along


@pytest.mark.parametrize("rising", [1, -1])
@pytest.mark.parametrize("degrees", [40.0, 52.0, 60.0, 68.0, 75.0])
def test_a_made_up_band_is_found(degrees, rising):
    points = crowd(24, 32, seed=int(degrees))
    noise = 0.03 * np.random.default_rng(1).normal(size=points.shape)
    later = points + slip(points, degrees, rising, off=(1.3, -0.7)) + noise
    band = BandAngle().compute(moved_run(points, later))
    assert band.found
    assert band.rising == rising
    assert band.degrees == pytest.approx(degrees, abs=1.0)
    assert band.angle == pytest.approx(np.radians(band.degrees))
    assert band.contrast > 4.0


@pytest.mark.parametrize("seed", range(3))
def test_no_band_where_there_is_none(seed):
    points, rng = crowd(24, 32, seed=seed), np.random.default_rng(seed)
    uniform = points * np.array([1.05, 0.9])
    rattlers = (rng.random(len(points)) < 0.05)[:, None] * rng.normal(size=points.shape)
    for later in (uniform, uniform + 0.1 * rng.normal(size=points.shape), uniform + rattlers):
        band = BandAngle().compute(moved_run(points, later))
        assert not band.found
        assert np.isnan(band.degrees)
        assert band.contrast < 1.5


def test_a_level_band_is_none_of_these():
    points = crowd(24, 32)
    assert not BandAngle().compute(moved_run(points, points + slip(points, 0.0, 1))).found


# --- what is refused, what is drawn ----------------------------------------------------------------------------------


def without(run, *names):
    """A copy of a run without some series or parts of the scene."""
    run = copy.deepcopy(run)
    for name in names:
        run.series.pop(name, None)
        run.scene.pop(name, None)
    return run


@pytest.mark.parametrize(
    ("measure", "run", "words"),
    [
        (Region(Walls(top="lid")), square_packing(), 'one wall named "lid" and has 0; its walls: bottom, left, right, top'),
        (Region(Walls(left="right", right="left")), square_packing(), "leave no room"),
        (Stress("walls"), hexagonal_cell(), "periodic on all sides"),
        (Stress("walls"), without(square_packing(), "left.force_x"), 'no series "left.force_x"'),
        (Stress(), without(square_packing(), "virial_yx"), 'no series "virial_yx"'),
        (Stress(), without(square_packing(), "body_name"), 'does not tell the "body_name"'),
        (VoidRatio(), without(square_packing(), "body_area"), 'does not tell the "body_area"'),
        (VoidRatio(), MadeRun(disks_scene(0, (1.0, 1.0)), {"time": np.zeros(1)}), "no grains"),
        (Coordination(3), square_packing(), "no frame 3: the run has 1"),
        (Coordination(), moved_run(crowd(2, 2), crowd(2, 2)), "no tables of contacts"),
        (Fabric(), flat_on_flat((0, 1, 0.0, -1, 0)), "no grain touches another in frame -1"),
        (ForceDistribution(), flat_on_flat((0, 1, 0.0, -1, 0)), "no grain presses on another"),
        (Displacement(0, -1), square_packing(), "are the same one"),
        (StrainField(), moved_run(np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), np.zeros((3, 2))), "make no triangles"),
        (StrainField(), moved_run(np.zeros((2, 2)), np.zeros((2, 2))), "make no triangles"),
    ],
)
def test_a_run_that_lacks_something_is_refused_in_one_sentence(measure, run, words):
    with pytest.raises(InputError) as refused:
        measure.compute(run)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Region(at="noon"), lambda: Stress("gauge"), lambda: Stress("walls", at="frames"), lambda: Strain("w"),
        lambda: Fabric(weight="mass"), lambda: ForceDistribution(friction=0.0), lambda: ForceDistribution(bins=0),
        lambda: BandAngle(width=0.0), lambda: BandAngle(least=-1.0),
    ],
)  # fmt: skip
def test_a_measure_refuses_what_it_cannot_do(make):
    with pytest.raises(InputError):
        make()


def test_a_frame_without_its_table_is_refused():
    run = square_packing()
    run.add_frame(run.frames[0]["positions"])
    run.add_frame(run.frames[0]["positions"], table=run.contacts[0])
    assert Coordination(2).compute(run).mean == 4.0
    for frame in (1, -2):
        with pytest.raises(InputError, match="no table of contacts at step 1"):
            Coordination(frame).compute(run)


def test_taken_out_grains_leave_no_void_ratio():
    run = square_packing()
    run.add_frame(run.frames[0]["positions"], present=np.array([1] * 15 + [0]))
    with pytest.raises(InputError, match="remove_below"):
        VoidRatio().compute(run)


def test_every_measure_has_a_labelled_picture():
    import matplotlib.pyplot as plt

    pressed, points = square_packing(), crowd(24, 32)
    band = moved_run(points, points + slip(points, 60.0, 1))
    measures = [Region(), Stress(), Stress("walls"), VoidRatio(), QuasiStatic(rate=1e-4), Coordination(), ForceDistribution()]
    made = [(measure.compute(pressed), 1) for measure in (*measures, ForceChains())]
    made += [(Strain().compute(squeezed()), 1), (Displacement().compute(band), 1), (StrainField().compute(band), 2)]
    for measure, count in [*made, (BandAngle().compute(band), 1)]:
        figure = measure.plot()
        assert len(figure.axes) == count
        assert figure.axes[0].get_xlabel()
        assert figure.axes[0].get_ylabel()
        _, axes = plt.subplots()
        assert measure.plot(axes) is axes.figure
        plt.close("all")
    assert "a = " in Fabric().compute(pressed).plot().axes[0].get_title()
    with pytest.raises(InputError, match="cannot be shown"):
        StrainField().compute(band).plot(what="speed")
    plt.close("all")
