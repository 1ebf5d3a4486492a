"""Measures of contacts and grains in space on made-up runs (model §8): coordination, fabric, forces, chains, displacements."""

import matplotlib
import numpy as np
import pytest
from made_runs import MadeRun
from made_space_runs import BALL, SIDE, add_frame, contact_table, cubic_packing, moved_run, spheres_scene

from clast.algebra.quaternions import IDENTITY, about, matrix, product, random_turns
from clast.algebra.tensors import turn_between
from clast.errors import InputError
from clast.measures import Coordination, Displacement, Fabric, ForceChains, ForceDistribution
from clast.measures.touching import contacts_at, pairs_of

matplotlib.use("agg")


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


def normals_run(normals, forces):
    """Contacts of two spheres that look along `normals` (m, 3) and carry `forces` (m, 3)."""
    run = MadeRun(spheres_scene(2), {"time": np.array([0.0])})
    zero = np.zeros(3)
    add_frame(
        run, np.zeros((2, 3)), table=contact_table([(0, 1, zero, zero, zero, n, f) for n, f in zip(normals, forces, strict=True)])
    )
    return run


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


# --- displacements and turns -----------------------------------------------------------------------------------------


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
