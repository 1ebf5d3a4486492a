"""The picture of gravel that is shipped with clast, drawn by numbers; no camera was there.

python benchmarks/gravel_picture.py src/clast/shapes/plane/data/gravel.png

Grains are Fourier outlines about places that do not touch, some of them with notches, two cut by the border. Light comes from
the upper left and falls off towards the lower right, so that the ground there is darker than the grains are elsewhere: one
threshold for the whole picture fails. The grains are rough, lit from the side and have soft shadows; the sensor is noisy.
`outlines` gives the true outlines, which the tests compare with what is traced.
"""

import sys
from pathlib import Path

import numpy as np
import shapely
from PIL import Image
from scipy.ndimage import gaussian_filter

WIDTH, HEIGHT, GRAINS, SEED = 480, 360, 17, 5
FINE = 3  # the picture is drawn so many times larger and then made smaller, as a lens does
GROUND, LIGHT_LOSS = 0.86, 0.68  # brightness of the ground in full light; share of the light lost in the far corner
NOISE = 0.010  # of the sensor, in brightness
SHADOW = 4 * FINE  # to the right and below
STEP = 7  # of brightness in the file, of 255: so that it stays small


def outlines(seed=SEED):
    """True outlines, (k, 2) each in pixels, x to the right and y upwards from the lower left corner of the picture."""
    rng = np.random.default_rng(seed)
    found, places = [], []
    edge = [(0.30 * WIDTH, 3.0), (WIDTH - 2.0, 0.62 * HEIGHT)]  # two that the border cuts
    while len(found) < GRAINS:
        size = float(rng.uniform(24.0, 43.0))
        room = np.array([WIDTH, HEIGHT]) - 1.35 * size
        at = edge[len(found)] if len(found) < len(edge) else rng.uniform([1.35 * size] * 2, room)
        if any(np.hypot(*(at - other)) < 1.22 * (size + far) + 5.0 for other, far in places):
            continue
        angle = 2.0 * np.pi * np.arange(360) / 360
        radius = np.ones(360) + rng.uniform(0.08, 0.22) * np.cos(2.0 * (angle - rng.uniform(0.0, np.pi)))
        for m in range(3, 14):
            radius += rng.normal() * 0.16 / m**1.15 * np.cos(m * angle + rng.uniform(0.0, 2.0 * np.pi))
        if len(found) % 4 == 2:  # a notch
            off = (angle - rng.uniform(0.0, 2.0 * np.pi) + np.pi) % (2.0 * np.pi) - np.pi
            radius *= 1.0 - 0.6 * np.exp(-((off / 0.35) ** 2))
        ring = size * np.clip(radius, 0.3, 1.3)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        found.append(np.asarray(at) + ring)
        places.append((np.asarray(at), size))
    return found


def covered(ring):
    """Which pixels (h, w) of the fine picture an outline in pixels covers."""
    x = (np.arange(FINE * WIDTH) + 0.5) / FINE
    y = HEIGHT - (np.arange(FINE * HEIGHT) + 0.5) / FINE
    body = shapely.Polygon(ring)
    shapely.prepare(body)
    low, high = ring.min(axis=0), ring.max(axis=0)
    inside = np.zeros((len(y), len(x)), dtype=bool)
    rows, columns = np.flatnonzero((y >= low[1]) & (y <= high[1])), np.flatnonzero((x >= low[0]) & (x <= high[0]))
    block = shapely.contains_xy(body, *np.meshgrid(x[columns], y[rows]))
    inside[np.ix_(rows, columns)] = block
    return inside


def picture(seed=SEED):
    """The picture, (h, w) from 0 to 1."""
    rng = np.random.default_rng(seed + 1000)
    shape = (FINE * HEIGHT, FINE * WIDTH)

    def rough(scale):
        wave = gaussian_filter(rng.normal(size=shape), FINE * scale)
        return wave / wave.std()

    y, x = np.meshgrid(np.linspace(0.0, 1.0, shape[0]), np.linspace(0.0, 1.0, shape[1]), indexing="ij")
    light = 1.0 - LIGHT_LOSS * (0.5 * x + 0.3 * y + 0.2 * x * y) ** 1.3
    surface = GROUND * (1.0 + 0.02 * rough(1.5) + 0.012 * rough(20.0))
    shadow = np.zeros(shape)
    stones = []
    for ring in outlines(seed):
        inside = covered(ring)
        stones.append((inside, rng.uniform(0.22, 0.40)))
        shadow[SHADOW:, SHADOW:] = np.maximum(shadow[SHADOW:, SHADOW:], inside[:-SHADOW, :-SHADOW])
    surface *= 1.0 - 0.16 * gaussian_filter(shadow, 3.5 * FINE)
    for inside, tone in stones:
        height = gaussian_filter(inside.astype(float), 9.0 * FINE) * 30.0 + 1.2 * rough(5.0)
        slope = -(np.gradient(height, axis=1) + np.gradient(height, axis=0)) * FINE
        side = np.clip(-0.5 * slope, -0.5, 0.3)
        surface = np.where(inside, tone * (1.0 + side + 0.07 * rough(0.8)), surface)
    seen = gaussian_filter(surface * light, 0.6 * FINE)
    small = seen.reshape(HEIGHT, FINE, WIDTH, FINE).mean(axis=(1, 3)) + NOISE * rng.normal(size=(HEIGHT, WIDTH))
    return np.clip(small, 0.0, 1.0)


def main():
    grey = (np.round(picture() * 255.0 / STEP) * STEP).clip(0, 255).astype(np.uint8)
    path = Path(sys.argv[1])
    Image.fromarray(grey).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
