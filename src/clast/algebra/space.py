"""Vectors as triples of scalars and rotations as nine, row by row: small functions that vanish in what they are inlined into."""

from clast.backend.device import device


@device
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@device
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@device
def plus(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@device
def minus(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@device
def times(factor, a):
    """factor · a."""
    return factor * a[0], factor * a[1], factor * a[2]


@device
def along(a, factor, b):
    """a + factor · b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@device
def is_some(a):
    """Whether a is another vector than 0."""
    return a[0] != 0.0 or a[1] != 0.0 or a[2] != 0.0


@device
def triple(table, at):
    """Three numbers of a flat table, from `at` on."""
    return table[at], table[at + 1], table[at + 2]


@device
def turn(rotation, v):
    """rotation · v: from the body frame into the world."""
    return (
        rotation[0] * v[0] + rotation[1] * v[1] + rotation[2] * v[2],
        rotation[3] * v[0] + rotation[4] * v[1] + rotation[5] * v[2],
        rotation[6] * v[0] + rotation[7] * v[1] + rotation[8] * v[2],
    )


@device
def turn_back(rotation, v):
    """rotationᵀ · v: from the world into the body frame."""
    return (
        rotation[0] * v[0] + rotation[3] * v[1] + rotation[6] * v[2],
        rotation[1] * v[0] + rotation[4] * v[1] + rotation[7] * v[2],
        rotation[2] * v[0] + rotation[5] * v[1] + rotation[8] * v[2],
    )


@device
def rotation_of(w, x, y, z):
    """Rotation of a unit quaternion: body frame → world."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@device
def between(first, second):
    """firstᵀ · second: from the second body's frame into the first's."""
    return (
        first[0] * second[0] + first[3] * second[3] + first[6] * second[6],
        first[0] * second[1] + first[3] * second[4] + first[6] * second[7],
        first[0] * second[2] + first[3] * second[5] + first[6] * second[8],
        first[1] * second[0] + first[4] * second[3] + first[7] * second[6],
        first[1] * second[1] + first[4] * second[4] + first[7] * second[7],
        first[1] * second[2] + first[4] * second[5] + first[7] * second[8],
        first[2] * second[0] + first[5] * second[3] + first[8] * second[6],
        first[2] * second[1] + first[5] * second[4] + first[8] * second[7],
        first[2] * second[2] + first[5] * second[5] + first[8] * second[8],
    )


@device
def transposed(r):
    """The turn back."""
    return r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]
