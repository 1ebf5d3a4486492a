"""Overlap of two convex polyhedra against other ways to find it, in degenerate positions above all (model §4)."""

import numpy as np
import pytest
from overlap_reference import Found, Pair, exact, miss, overlap_of, reference, rounding, tables_of
from sharp_pairs import box, forms, kept_degenerate, octahedron, random_pairs

from clast.algebra.quaternions import about, matrix
from clast.contact.sharp.polyhedra import polyhedra
from clast.errors import ShapeError
from clast.shapes.space.make import cuboid, hull

BAR = 1e-9  # of the smaller body
HERE = np.eye(3)


def searched(seed: int, count: int) -> tuple[float, int, int, int]:
    """The largest miss of random pairs, how many overlap, needed the exact reference, or are too thin for the bar.

    A sliver may be so thin that the tolerance shows: then the bar is what that makes of its volume.
    """
    worst, overlapping, hard, thin = 0.0, 0, 0, 0
    for pair in random_pairs(np.random.default_rng(seed), count):
        found = overlap_of(pair)
        assert all(np.isfinite(part).all() for part in found), pair
        volume, centroid, was_hard = reference(pair, found)
        off, allowed = miss(found, volume, centroid, pair), rounding(pair)
        assert off < max(BAR, allowed), (pair.kind, off, allowed, volume, found)
        overlapping, hard, thin = overlapping + (found.volume > 0.0), hard + was_hard, thin + (allowed > BAR)
        worst = max(worst, off if allowed <= BAR else 0.0)
    return worst, overlapping, hard, thin


def test_random_pairs():
    worst, overlapping, hard, thin = searched(1, 2000)
    assert worst < BAR
    assert 1000 < overlapping < 1900
    assert hard > 10 and thin < 400


@pytest.mark.validate
@pytest.mark.parametrize("seed", range(10))
def test_many_random_pairs(seed):
    worst, overlapping, hard, thin = searched(100 + seed, 10_000)
    print(
        f"\n10000 pairs, {overlapping} overlap: off by {worst:.1e} of the smaller body; {hard} too hard for Qhull, "
        f"{thin} slivers",
        end="",
    )


@pytest.mark.parametrize("kind", ["touching", "crossed", "flush", "whole", "same", "scattered"])
def test_degenerate_pairs_that_were_kept(kind):
    rows = [row for row in kept_degenerate() if row[0].kind == kind]
    assert len(rows) > 1
    for pair, volume, centroid in rows:
        found = overlap_of(pair)
        assert all(np.isfinite(part).all() for part in found)
        assert miss(found, volume, centroid, pair) < max(BAR, rounding(pair))


def test_the_exact_reference_itself():
    """On numbers that can be told: a cube in a corner of another, an octahedron in a cube, faces that only touch."""
    tables = tables_of([box((-2, -2, -2), (2, 2, 2)), box((-1, -1, -1), (1, 1, 1)), octahedron(3.0)])

    def of(one, other, shift):
        return exact(Pair(tables, one, other, HERE, np.array(shift, float)))

    assert of(0, 1, (2, 2, 2))[0] == 1.0
    assert of(0, 1, (2, 2, 2))[1].tolist() == [1.5, 1.5, 1.5]
    assert of(0, 1, (3, 0, 0))[0] == of(0, 1, (9, 0, 0))[0] == 0.0
    assert of(0, 0, (0, 0, 0))[0] == 64.0
    corner = 4.0 / 3.0 * 27.0 - 6 * 2.0 / 3.0  # an octahedron of r = 3 without the six tips that stand out by 1
    assert of(0, 2, (0, 0, 0))[0] == pytest.approx(corner, rel=1e-15)


UNIT = tables_of([box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))])


@pytest.mark.parametrize("shift, volume, centroid, area", [
    ((0.5, 0.0, 0.0), 0.5, (0.25, 0.0, 0.0), (-1.0, 0.0, 0.0)),  # four side faces flush, as in a chain of blocks
    ((0.5, 0.25, 0.0), 0.375, (0.25, 0.125, 0.0), (-0.75, -0.5, 0.0)),
    ((0.5, 0.25, -0.125), 0.328125, (0.25, 0.125, -0.0625), (-0.65625, -0.4375, 0.375)),
])  # fmt: skip
def test_flush_unit_cubes(shift, volume, centroid, area):
    found = overlap_of(Pair(UNIT, 0, 0, HERE, np.array(shift)))
    assert found.volume == pytest.approx(volume, rel=1e-15)
    assert found.centroid == pytest.approx(centroid, abs=1e-15)
    assert found.area == pytest.approx(area, abs=1e-15)


@pytest.mark.parametrize("shift", [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0.5, 0), (1, 0.5, 0.25), (2, 0, 0)])
def test_no_volume_is_no_overlap(shift):
    """A face, an edge or a corner in common, whole or in part."""
    found = overlap_of(Pair(UNIT, 0, 0, HERE, np.array(shift, float)))
    assert found.volume == 0.0 and not any(part.any() for part in found[1:])


def test_one_inside_the_other():
    """All of it counts, and there is no loop: the vector area is zero, one way round and the other."""
    tables = tables_of([box((-2, -2, -2), (2, 2, 2)), octahedron(1.0)])
    inside = Pair(tables, 0, 1, matrix(about((1, 2, 3), 0.7)), np.array([0.3, -0.2, 0.1]))
    for pair in (inside, inside.exchanged):
        found = overlap_of(pair)
        assert found.volume == pytest.approx(4.0 / 3.0, rel=1e-14)
        assert np.abs(found.area).max() < 1e-14 and np.abs(found.turning).max() < 1e-14
    assert overlap_of(inside).centroid == pytest.approx(inside.shift, abs=1e-15)


def test_exchanging_the_bodies():
    """The same volume, centroid and loop, the vector area turned about."""
    compared = 0
    for pair in random_pairs(np.random.default_rng(5), 600, ["scattered", "whole"]):
        one, other = overlap_of(pair), overlap_of(pair.exchanged)
        few = max(1e-14, rounding(pair))
        whole, size = pair.smaller
        assert abs(one.volume - other.volume) < few * whole
        if one.volume > 1e-6 * whole and pair.kind == "scattered":
            compared += 1
            centroid = pair.turn @ other.centroid + pair.shift
            turning = pair.turn @ other.turning + np.cross(pair.shift, pair.turn @ other.area)
            surface = 4.0 * min(pair.tables.section[pair.one], pair.tables.section[pair.other])
            far = pair.tables.piece_size[[pair.one, pair.other]].max()
            assert np.linalg.norm(one.centroid - centroid) * one.volume < few * whole * size
            assert np.linalg.norm(one.area + pair.turn @ other.area) < 1e-12 * surface
            assert np.linalg.norm(one.turning + turning) < 1e-12 * surface * far
    assert compared > 100


def test_the_vector_area_is_the_slope_of_the_volume():
    """A = dV/dx and ∫ x × dA = dV/dφ, by differences over shifts and turns of the second body."""
    compared, step = 0, 2e-5
    for pair in random_pairs(np.random.default_rng(6), 300, ["scattered"]):
        found, (whole, size) = overlap_of(pair), pair.smaller
        if found.volume < 1e-3 * whole or rounding(pair) > 5e-11:  # slivers would need another step
            continue
        compared += 1
        surface = 4.0 * min(pair.tables.section[pair.one], pair.tables.section[pair.other])
        for axis, way in enumerate(np.eye(3)):
            h = step * size
            near, far = (overlap_of(pair._replace(shift=pair.shift + sign * h * way)).volume for sign in (-1.0, 1.0))
            assert (far - near) / (2.0 * h) == pytest.approx(found.area[axis], abs=1e-7 * surface)
            arm = float(pair.tables.piece_size[[pair.one, pair.other]].max())
            turns = [matrix(about(way, sign * h / arm)) for sign in (-1.0, 1.0)]
            near, far = (overlap_of(pair._replace(turn=r @ pair.turn, shift=r @ pair.shift)).volume for r in turns)
            assert (far - near) / (2.0 * h / arm) == pytest.approx(found.turning[axis], abs=1e-7 * surface * arm)
    assert compared > 60


@pytest.mark.parametrize("power", [-10, -20])
def test_units_of_length(power):
    """Lengths times a power of two: the same bits."""
    scale = 2.0**power
    made = forms(np.random.default_rng(7))
    small = tables_of([form.scaled(scale) for form in made])
    for pair in random_pairs(np.random.default_rng(7), 500, ["scattered", "touching", "flush"]):
        if max(pair.one, pair.other) >= len(made):
            continue
        one = overlap_of(pair)
        other = overlap_of(pair._replace(tables=small, shift=scale * pair.shift))
        powers = Found(scale**3, scale, scale**2, scale**3)  # type: ignore[arg-type]
        for part, same, unit in zip(one, other, powers, strict=True):
            assert np.array_equal(unit * part, same), pair.kind


def test_a_piece_that_is_not_convex_is_refused():
    solid = cuboid(1.0, 0.0)
    dented = solid.vertices.copy()
    dented[np.argmax(dented.sum(axis=1))] *= 0.5
    with pytest.raises(ShapeError, match="out of a face of its own"):
        polyhedra([solid.__class__(**{**vars(solid), "vertices": dented})])


def test_tables_of_a_cube():
    """Six planes, twelve edges with a face on either side, a shadow of a quarter of the surface."""
    tables = polyhedra([cuboid(2.0, 0.0), hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])])
    assert np.diff(tables.piece_plane).tolist() == [6, 4]
    assert np.diff(tables.piece_edge).tolist() == [12, 6]
    assert tables.piece_volume == pytest.approx([8.0, 1.0 / 6.0], rel=1e-15)
    assert tables.section == pytest.approx([6.0, 0.25 * (1.5 + np.sqrt(0.75))], rel=1e-15)
    for piece in range(2):
        edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].astype(int)
        planes = tables.plane[tables.piece_plane[piece] : tables.piece_plane[piece + 1]]
        corners = tables.vertex[tables.piece_vertex[piece] : tables.piece_vertex[piece + 1]]
        for a, b, left, right in edges:
            for end in (a, b):
                assert planes[[left, right], :3] @ corners[end] == pytest.approx(planes[[left, right], 3], abs=1e-15)
            along = corners[b] - corners[a]  # seen from outside the face on the left lies to the left
            inwards = np.cross(planes[left, :3], along)
            assert inwards @ (corners.mean(axis=0) - corners[a]) > 0.0
