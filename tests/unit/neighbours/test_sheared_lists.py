"""Lists of a sheared cell against all pairs and images."""

import itertools

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Shear
from clast.shapes import disk, sphere


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ((3.2, 3.1), 16),
        ((9.0, 2.3), 40),
        ((14.0, 17.0), 300),
        ((3.1, 3.2, 3.0), 70),
        ((9.0, 7.0, 1.9), 200),
        ((6.0, 5.0, 5.5), 300),
    ],
)
def test_lists_hold_every_near_pair(size, count):
    """Against all pairs and images, in cells few and many, of two sizes of grains, wherever they are and however it leans."""
    rng, alpha, axes = np.random.default_rng(5), 0.05, len(size)
    shape, kind, box = (disk, Scene, Box) if axes == 2 else (sphere, Scene3D, Box3D)
    for offset in (0.0, 0.4 * size[0], -7.3 * size[0]):
        scene = kind(law=Linear(1.0), box=box(*size, offset=offset, tags=(Shear(rate=0.0),)))
        radii = np.where(rng.uniform(size=count) < 0.3, 0.4, 0.1)
        places = (rng.uniform(-3.0, 3.0, (count, axes)) * size).round(6)
        places[:3, 1] = np.array([-size[1], 0.0, 2.0 * size[1]])[: len(places[:3])]  # on the seams
        for place, radius in zip(places, radii, strict=True):
            scene.add(shape(radius=float(radius)), place)
        engine = Engine(scene, dt=1e-3, alpha=alpha)
        ids = engine.order[engine._lists.pair[: engine.pairs, :2].astype(int)]
        images = engine._lists.image[: engine.pairs] * np.where(ids[:, :1] < ids[:, 1:], 1, -1)
        listed = [(*pair, *image) for pair, image in zip(np.sort(ids, axis=1).tolist(), images.tolist(), strict=True)]
        assert len(set(listed)) == len(listed)
        expected = near_pairs(places, radii, size, offset, 2.0 * alpha)
        assert len(expected) > 0.3 * count and expected <= set(listed)


def near_pairs(places, radii, size, offset, gap):
    """All pairs (i, j, image of j) whose surfaces are nearer than `gap`."""
    found = set()
    for i, j in itertools.combinations(range(len(places)), 2):
        reach, way = radii[i] + radii[j] + gap, places[j] - places[i]
        for up in images_within(way[1], reach, size[1]):
            x, y = way[0] + up * offset, way[1] + up * size[1]
            for across in images_within(x, reach, size[0]):
                for out in images_within(way[2], reach, size[2]) if len(size) == 3 else [0]:
                    z = way[2] + out * size[2] if len(size) == 3 else 0.0
                    if np.linalg.norm([x + across * size[0], y, z]) < reach:
                        found.add((i, j, across, up, out)[: 2 + len(size)])
    return found


def images_within(way, reach, period):
    """Numbers of the images of which one coordinate is near enough."""
    return range(int(np.ceil((-reach - way) / period)), int(np.floor((reach - way) / period)) + 1)
