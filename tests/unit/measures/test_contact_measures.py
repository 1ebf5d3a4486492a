"""Measures of contacts on made-up runs, in closed form (model §8): coordination, fabric, forces and chains."""

import numpy as np
import pytest
from made_runs import RADIUS, SIDE, WALLS, MadeRun, contact_table, disks_scene, flat_on_flat, hexagonal_cell, square_packing

from clast.measures import Coordination, Fabric, ForceChains, ForceDistribution, Stress
from clast.measures.touching import contacts_at, pairs_of

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
