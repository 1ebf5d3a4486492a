"""Loose packings in space: overlaps with images, what sticks out, insertion, lattices, gradings, and what is refused."""

import itertools
import math
import time

import numpy as np
import pytest
from space_forms import CLOSED, PERIODIC, cross_faces

from clast.algebra.quaternions import IDENTITY, random_turns
from clast.errors import InputError
from clast.packing.grading import PowerLaw, SieveCurve
from clast.packing.plane.packing import OverlapWarning
from clast.packing.space.arrangement import graded_solids, lattice_packing3d, random_packing3d
from clast.packing.space.distance import distance, skeleton_of
from clast.packing.space.packing import Packing3D
from clast.shapes.space.make import capsule, cuboid, mesh, sphere, tetrahedron


def overlaps_plainly(packing):
    """Every pair with every image, the slow way."""
    images = [np.array(i) * packing.size for i in itertools.product(*((-1, 0, 1) if p else (0,) for p in packing.periodic))]
    world = [skeleton_of(s).placed(p, q) for s, p, q in zip(packing.shapes, packing.positions, packing.orientations, strict=True)]
    found = set()
    for (i, a), (j, b) in itertools.product(enumerate(world), enumerate(world)):
        for by in images:
            if i < j or (i == j and by.any()):
                r = packing.shapes[i].radius + packing.shapes[j].radius
                if distance(a, b.shifted(by)) < r - 1e-9:
                    found.add((i, j))
    return found


@pytest.mark.parametrize("periodic", [CLOSED, PERIODIC, (False, True, False)])
def test_overlaps_are_all_found(periodic):
    rng = np.random.default_rng(2)
    shapes = [cuboid(1.0, 0.1), capsule(1.5, 0.2), sphere(0.4), tetrahedron(1.0, 0.05)] * 2
    packing = Packing3D(shapes, rng.uniform(0.0, 2.6, (8, 3)), random_turns(rng, 8), (2.6, 2.6, 2.6), periodic)
    pairs, depths = packing.overlaps()
    assert {tuple(pair) for pair in pairs.tolist()} == overlaps_plainly(packing) and len(pairs) > 4 and depths.min() > 0.0
    # grains elsewhere by whole periods are the same packing
    far = packing.positions + np.where(periodic, rng.integers(-3, 4, (8, 3)) * 2.6, 0.0)
    moved = Packing3D(shapes, far, packing.orientations, packing.size, periodic).overlaps()
    assert {tuple(p) for p in moved[0].tolist()} == {tuple(p) for p in pairs.tolist()}
    assert moved[1] == pytest.approx(depths, abs=1e-9)


def test_a_grain_overlaps_its_own_image():
    rod = capsule(2.0, 0.2)
    packing = Packing3D([rod], [[0.5, 0.5, 0.5]], [IDENTITY], (2.1, 1.0, 1.0), PERIODIC)
    pairs, depths = packing.overlaps()
    assert pairs.tolist() == [[0, 0]] and depths[0] == pytest.approx(0.3)


def test_what_sticks_out():
    packing = Packing3D(
        [cuboid(1.0, 0.1)] * 2, [[0.6, 0.5, 1.0], [1.4, 1.0, 1.5]], [IDENTITY] * 2, (2.0, 2.0, 2.0), (False, False, True)
    )
    who, far = packing.outside()
    assert who.tolist() == [0] and far == pytest.approx([0.1])
    assert packing.shifted(5.0, 6.0, 7.0).outside()[1] == pytest.approx([0.1])
    assert packing.expanded(2.0).outside()[0].size == 0 and packing.expanded(2.0).size.tolist() == [4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("shape", "periodic"),
    [(cuboid(1.0, 0.1), True), (tetrahedron(1.0, 0.05), (True, True, False)), (capsule(1.0, 0.25), False)],
)
def test_inserted_grains_do_not_overlap(shape, periodic):
    packing = random_packing3d([shape] * 20, np.random.default_rng(1), fraction=0.15, periodic=periodic)
    assert packing.fraction == pytest.approx(0.15) and len(packing) == 20
    assert len(packing.overlaps()[0]) == 0 and packing.outside()[0].size == 0
    again = random_packing3d([shape] * 20, np.random.default_rng(1), fraction=0.15, periodic=periodic)
    assert again.positions.tobytes() == packing.positions.tobytes()
    assert again.orientations.tobytes() == packing.orientations.tobytes()


def test_insertion_goes_nearer_than_balls_round_the_grains():
    """Rods lie across each other; without a look at the skeletons a fifth of the box would be out of reach."""
    rod = capsule(3.0, 0.25)
    packing = random_packing3d([rod] * 30, np.random.default_rng(2), fraction=0.1)
    away = packing.positions[:, None] - packing.positions[None]
    away -= packing.size * np.round(away / packing.size)
    nearest = (np.sqrt((away**2).sum(axis=-1)) + np.diag(np.full(30, np.inf))).min()
    assert nearest < rod.reach < 2.0 * rod.reach
    assert len(packing.overlaps()[0]) == 0


def test_spheres_are_inserted_densely():
    packing = random_packing3d([sphere(0.5)] * 100, np.random.default_rng(3), fraction=0.33)
    assert len(packing.overlaps()[0]) == 0
    with pytest.raises(InputError, match=r"no room for grain \d+, 1 across, after 100000 tries \(\d+ of 12 are in\)"):
        random_packing3d([sphere(0.5)] * 12, np.random.default_rng(3), size=(2.0, 2.0, 2.0))


def test_the_largest_go_first():
    """A ball that fills the box goes in although it is the last of the list."""
    packing = random_packing3d([sphere(0.1)] * 5 + [sphere(0.99)], np.random.default_rng(1), size=(2.0, 2.0, 2.0), periodic=False)
    assert packing.overlaps()[0].size == 0 and np.abs(packing.positions[-1] - 1.0).max() < 0.011


def test_lattice():
    cubes = [cuboid(1.0, 0.1)] * 27
    packing = lattice_packing3d(cubes, np.random.default_rng(1), fraction=0.2)
    pitch = packing.size[0] / 3.0
    assert packing.fraction == pytest.approx(0.2) and packing.periodic == PERIODIC
    assert np.unique(np.round(packing.positions / pitch - 0.5, 9)).tolist() == [0.0, 1.0, 2.0]
    assert len({tuple(q) for q in packing.orientations}) == 27
    shaken = lattice_packing3d(cubes, np.random.default_rng(1), fraction=0.2, jitter=0.2)
    off = (shaken.positions - packing.positions) / pitch
    assert 0.08 < np.abs(off).max() <= 0.1 and len(shaken.overlaps()[0]) == 0
    wide = lattice_packing3d(cubes[:20], np.random.default_rng(1), periodic=False)
    assert wide.room() == pytest.approx(1.0) and wide.size == pytest.approx(np.full(3, 6.0 * cubes[0].reach))
    assert len(wide) == 20 and wide.outside()[0].size == 0


def test_a_dense_lattice_is_drawn_until_nothing_overlaps():
    packing = lattice_packing3d([tetrahedron(1.0, 0.1)] * 27, np.random.default_rng(1), fraction=0.2)
    assert packing.room() > 1.15 and len(packing.overlaps()[0]) == 0  # not any orientation would do
    with pytest.warns(OverlapWarning, match=r"pairs of grains overlap, the worst grains \[0, 0\] .* expand the packing \(by"):
        lattice_packing3d([sphere(1.0)], np.random.default_rng(1), fraction=0.7)


def test_room_is_enough_for_any_orientation():
    crowd = Packing3D([cuboid(1.0, 0.1)] * 2, [[1.0, 1.0, 1.0], [2.1, 1.0, 1.0]], [IDENTITY] * 2, (4.0, 4.0, 4.0))
    assert crowd.room() == pytest.approx(2.0 * crowd.shapes[0].reach / 1.1)
    free = crowd.expanded(crowd.room() * (1.0 + 1e-12)).turned(np.random.default_rng(1))
    assert free.room() == 1.0 and len(free.overlaps()[0]) == 0 and not np.array_equal(free.orientations, crowd.orientations)
    assert Packing3D([sphere(1.0)], [[2.0, 3.5, 2.0]], [IDENTITY], (4.0, 4.0, 4.0)).room() == pytest.approx(2.0)  # a closed side
    assert Packing3D([sphere(1.0)], [[0.0, 1.0, 1.0]], [IDENTITY], (4.0, 4.0, 4.0)).room() == math.inf


def test_gradings():
    rng = np.random.default_rng(1)
    kinds = [sphere(1.0), cuboid(1.0, 0.2)]
    sand = SieveCurve([0.2, 0.5, 1.0, 2.0], [0.0, 0.2, 0.7, 1.0], by="mass")
    grains = graded_solids(kinds, sand, rng, count=6000)
    volumes = np.array([grain.volume for grain in grains])
    sizes = (6.0 * volumes / np.pi) ** (1.0 / 3.0)
    assert sizes.min() >= 0.2 and sizes.max() <= 2.0
    for d, part in ((0.5, 0.2), (0.75, 0.45), (1.0, 0.7)):  # straight between the sieves, by mass
        assert volumes[sizes < d].sum() / volumes.sum() == pytest.approx(part, abs=0.06)
    by_number = graded_solids(kinds, PowerLaw(0.5, 2.0, 2.0), rng, count=2000)
    small = np.mean([(6.0 * g.volume / np.pi) ** (1.0 / 3.0) < 0.8 for g in by_number])
    assert small == pytest.approx((1 / 0.5 - 1 / 0.8) / (1 / 0.5 - 1 / 2.0), abs=0.03)
    for seed in range(6):
        heap = graded_solids(kinds, PowerLaw(0.9, 1.0, 2.0), np.random.default_rng(seed), volume=50.0)
        assert sum(g.volume for g in heap) == pytest.approx(50.0, abs=0.5 * np.pi / 6.0)  # half a grain
    packing = random_packing3d(heap[:30], rng, fraction=0.2)
    assert len(packing.overlaps()[0]) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda rng: lattice_packing3d([], rng), "one grain at least"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, fraction=1.2), r"fraction = 1\.2 must lie between 0 and 1"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, jitter=2.0), r"jitter = 2\.0 must be between 0 and 1"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, periodic=(True, False)), "must be True, False, or three"),
        (lambda rng: lattice_packing3d(["ball"], rng), "grain 0 of a packing in space is no solid"),
        (lambda rng: random_packing3d([sphere(1.0)], rng), "needs either size"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 3.0)), "three positive lengths"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 1.5, 3.0)), r"a period of 1\.5 along y has no room"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 1.5, 3.0), periodic=False), "no room for grain 0"),
        (lambda rng: graded_solids([sphere(1.0)], PowerLaw(1.0, 2.0, 1.0), rng), "needs? either count"),
        (lambda rng: graded_solids([sphere(1.0)], PowerLaw(1.0, 2.0, 1.0), rng, volume=-1.0), "total volume = -1.0"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [], (1, 1, 1)), "1 shapes, 1 positions and 0 orientations"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, np.nan]], [IDENTITY], (1, 1, 1)), "position that is not finite"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [[1, 1, 0, 0]], (1, 1, 1)), "not a quaternion"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [IDENTITY], (1, -1, 1)), "three positive lengths"),
        (lambda rng: Packing3D([sphere(1.0)], "here", [IDENTITY], (1, 1, 1)), "numbers all"),
        (lambda rng: Packing3D([], [], [], (1, 1, 1)).expanded(0.0), "positive factor"),
    ],
)  # fmt: skip
def test_refusals(make, said):
    with pytest.raises(InputError, match=said):
        make(np.random.default_rng(1))


@pytest.mark.validate
def test_gases_to_start_from():
    """512 grains at random orientations, in seconds: cubes, tetrahedra and crosses at 0.2, spheres at 0.35."""
    begin = time.process_time()
    for shape, fraction in ((cuboid(1.0, 0.1), 0.2), (tetrahedron(1.0, 0.1), 0.2), (sphere(0.5), 0.35)):
        packing = random_packing3d([shape] * 512, np.random.default_rng(1), fraction=fraction)
        assert len(packing.overlaps()[0]) == 0 and packing.fraction == pytest.approx(fraction)
    crosses = lattice_packing3d(
        [mesh(*cross_faces(), 0.2, name="cross")] * 512, np.random.default_rng(1), fraction=0.2, jitter=0.1
    )
    assert len(crosses.overlaps()[0]) == 0
    assert time.process_time() - begin < 60.0
