"""Pictures of grains drawn for tests: at known places, of known shape, every pixel with its share of them."""

import math

import numpy as np
import shapely
from PIL import Image

WIDTH, HEIGHT, FINE = 200, 160, 8  # pixels, and how many parts of a pixel are looked at while drawing
TURN = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)


def ellipse(x, y, a, b, angle=0.0):
    ring = np.stack([a * np.cos(TURN), b * np.sin(TURN)], axis=1)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x, y]) + ring @ np.array([[c, s], [-s, c]])


def star(x, y, size, inner=0.5):
    angle = np.arange(10) * np.pi / 5 + 0.3
    return np.array([x, y]) + size * np.where(np.arange(10) % 2, inner, 1.0)[:, None] * np.stack(
        [np.cos(angle), np.sin(angle)], axis=1
    )


def angle_iron(x, y, size):
    return np.array([x, y]) + size * np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], dtype=float)


ONE = ellipse(48.0, 40.5, 26.0, 19.0, 0.7) + 2.5 * np.stack(
    [np.cos(2.0 * TURN), np.sin(3.0 * TURN)], axis=1
)  # no two sides alike
TWO = [ellipse(50.0, 80.0, 25.0, 25.0), ellipse(98.0, 80.0, 25.0, 25.0), ellipse(150.0, 40.0, 20.0, 20.0)]


def drawn(outlines, size=(WIDTH, HEIGHT), dark=0.2, bright=0.8):
    """Brightness (h, w) of a picture in which every pixel has its share of the grains."""
    width, height = size
    x = (np.arange(width * FINE) + 0.5) / FINE
    y = height - (np.arange(height * FINE) + 0.5) / FINE
    cover = np.zeros((height * FINE, width * FINE))
    for each in outlines:
        body = each if isinstance(each, shapely.Polygon) else shapely.Polygon(each)
        shapely.prepare(body)
        left, low, right, high = body.bounds
        block = np.ix_((y > low) & (y < high), (x > left) & (x < right))
        cover[block] = np.maximum(cover[block], shapely.contains_xy(body, *np.meshgrid(x[block[1][0]], y[block[0][:, 0]])))
    return bright + (dark - bright) * cover.reshape(height, FINE, width, FINE).mean(axis=(1, 3))


def saved(grey, path, **how):
    Image.fromarray(np.round(np.clip(grey, 0.0, 1.0) * 255.0).astype(np.uint8)).save(path, **how)
    return path


def nearest(outlines, grain):
    """The polygon whose centre is nearest to that of a grain."""
    return min(map(shapely.Polygon, outlines), key=lambda body: body.centroid.distance(shapely.Point(grain.centre)))
