"""Vectors of the plane as records of two numbers; a frame is (cos, sin) of its angle."""

from typing import NamedTuple

from clast.backend.device import device


class Vector(NamedTuple):
    """x and y."""

    x: float
    y: float


@device
def plus(a, b):
    """a + b."""
    return Vector(a.x + b.x, a.y + b.y)


@device
def minus(a, b):
    """a − b."""
    return Vector(a.x - b.x, a.y - b.y)


@device
def times(s, a):
    """s a."""
    return Vector(s * a.x, s * a.y)


@device
def opposite(a):
    """−a."""
    return Vector(-a.x, -a.y)


@device
def dot(a, b):
    """a · b."""
    return a.x * b.x + a.y * b.y


@device
def cross(a, b):
    """ẑ · (a × b)."""
    return a.x * b.y - a.y * b.x


@device
def turn(frame, a):
    """From the coordinates of a frame to those of the world."""
    return Vector(frame.x * a.x - frame.y * a.y, frame.y * a.x + frame.x * a.y)


@device
def turn_back(frame, a):
    """From the coordinates of the world to those of a frame."""
    return Vector(frame.x * a.x + frame.y * a.y, frame.x * a.y - frame.y * a.x)
