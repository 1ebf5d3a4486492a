"""Runs made up for tests of the viewer: grains go to the right and turn, two touch, and names try to be markup."""

import numpy as np
from stored_runs import stored_run

from clast.algebra.quaternions import about, product
from clast.laws import Linear
from clast.scene.plane import Box, Scene
from clast.scene.space import Scene3D
from clast.shapes import cuboid, disk, open_box, regular, segment

EVIL = "</script><script>window.broken = 1</script><img src=x onerror=window.broken=1>"
FORCE = 7.0


def contact(first, second, arms, size):
    """A table with one contact, along x: what stored runs hold of it."""
    axes = len(arms[0])
    along = np.eye(axes)[0]
    row = {
        "bodies": np.array([[first, second]], np.int32), "points": np.zeros((1, axes)), "normals": along[None],
        "forces": -size * along[None], "first_arms": np.array([arms[0]]), "second_arms": np.array([arms[1]]),
        "depths": np.array([0.01]), "counts": np.ones(1), "features": np.ones(1, np.uint8),
    }  # fmt: skip
    return {name: values if values.dtype.kind in "iu" else values.astype(np.float32) for name, values in row.items()}


def flat_run(folder, frames=30, period=0.0):
    """Ten grains above a floor, in the plane; the first two, of bodies 1 and 2, touch."""
    scene = Scene(law=Linear(1e4), gravity=(0.0, -10.0), box=Box(period, 0.0))
    scene.add_wall(segment((-1.0, 0.0), (11.0, 0.0), radius=0.2), name=EVIL)
    for k in range(10):
        scene.add(
            disk(radius=0.45) if k % 2 else regular(4, 0.1, circumradius=0.4),
            (1.0 * k + 0.5, 1.0 + 0.2 * k),
            name=EVIL if k else None,
        )
    start = np.array([body.position for body in scene.bodies])
    grain = np.arange(11) > 0
    steps = [
        {
            "positions": start + np.outer(grain, (0.2 * k, 0.0)), "angles": np.where(grain, 0.3 * k, 0.0),
            "velocities": np.outer(np.arange(11.0), (2.0, 0.0)), "spins": np.where(grain, 3.0, 0.0),
        }
        for k in range(frames)
    ]  # fmt: skip
    return stored_run(folder, scene, steps, contacts=lambda _: contact(1, 2, ((0.5, 0.0), (-0.5, 0.0)), FORCE))


def solid_run(folder, frames=30):
    """Eight cubes in an open box, in space; they turn about z and go along x."""
    scene = Scene3D(law=Linear(1e4), gravity=(0.0, 0.0, -10.0))
    scene.add_wall(open_box((8.0, 8.0, 4.0), radius=0.1))
    for k in range(8):
        scene.add(cuboid((0.8, 0.8, 0.8), 0.1), (1.4 * (k % 2) - 2.0, 1.4 * (k // 2 % 2) - 1.0, 1.0 + 1.4 * (k // 4)))
    start = np.array([body.position for body in scene.bodies])
    turns = np.array([body.orientation for body in scene.bodies])
    grain = np.arange(9) > 0
    steps = [
        {
            "positions": start + np.outer(grain, (0.05 * k, 0.0, 0.0)),
            "orientations": np.where(grain[:, None], product(about((0.0, 0.0, 1.0), 0.2 * k), turns), turns),
            "velocities": np.outer(np.arange(9.0), (0.5, 0.0, 0.0)),
        }
        for k in range(frames)
    ]  # fmt: skip
    return stored_run(folder, scene, steps, contacts=lambda _: contact(1, 2, ((0.7, 0.0, 0.0), (-0.7, 0.0, 0.0)), FORCE))
