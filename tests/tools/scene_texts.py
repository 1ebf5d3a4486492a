"""Scene files for the tests: valid ones that between them use every key, and a writer of TOML."""

from __future__ import annotations

import datetime
import math
from typing import Any

ARROW = "radius = 0.05\nvertices = [[0, 0], [1, 0.5], [0, 1], [0.3, 0.5]]\n"

MINIMAL = """
[law]
kind = "linear"
normal_stiffness = 1e4

[[grains]]
shape = "disk"
position = [0.0, 0.0]
velocity = [1.0, 0.0]

[run]
until = 0.1
dt = 1e-3
"""

SHAPES = """
title = "every shape"
units = "m, kg, s"
gravity = [0.0, -10.0]
drag = { kind = "table", times = [0.0, 1.0, 2.0], values = [1.0, 0.5, 0.0], steps = true }
counting = "all-pairs"
onset = false
remove_below = -20.0

[law]
kind = "linear"
normal_stiffness = 1e5
tangential_stiffness = 5e4
friction = 0.5
normal_damping = 5.0
tangential_damping = 1.0
cap = "elastic"
rolling = { stiffness = 10.0, friction = 0.1 }

[shapes.ball]
kind = "disk"
radius = 0.4

[shapes.box]
kind = "polygon"
vertices = [[0, 0], [1, 0], [1, 1], [0, 1]]
radius = 0.1
operations = [{ kind = "erosion", by = 0.05, corner = 0.08, largest = true }, { kind = "dilation", by = 0.01 }]
area = 0.9

[shapes.bow]
kind = "polyline"
vertices = [[0, 0], [0.5, 0.3], [1, 0]]
radius = 0.1
scale = 1.5

[shapes.stick]
kind = "segment"
vertices = [[0, 0], [0.8, 0]]
radius = 0.1

[shapes.pair]
kind = "clump"
vertices = [[0, 0], [0.5, 0]]
radius = 0.3
mass = { area = 0.5, centroid = [0.25, 0.0], inertia = 0.06 }

[shapes.nut]
kind = "regular"
sides = 6
radius = 0.1
circumradius = 0.4

[shapes.tile]
kind = "regular"
sides = 4
radius = 0.1
side = 0.6

[shapes.stone]
kind = "rounded"
vertices = [[0, 0], [1, 0.1], [1.1, 0.7], [0.4, 1]]
erosion = 0.1
radius = 0.08
largest = false

[shapes.notch]
kind = "polygon"
vertices = [[0, 0], [2, 0], [2, 1], [1, 0.4], [0, 1]]
radius = 0.1
operations = [{ kind = "opening", by = 0.12, largest = false }, { kind = "closing", by = 0.05 }]

[shapes.rock]
kind = "library"
name = "pebble"
area = 0.5

[shapes.arrow]
kind = "file"
file = "arrow.toml"
scale = 0.8

[[grains]]
shape = "ball"
position = [0.0, 2.0]
angle_degrees = 30.0
velocity = [0.1, 0.0]
spin = 1.0
density = 2.0
material = "quartz"
name = "first"

[[grains]]
shape = "box"
position = [3.0, 2.0]
mass = 3.0

[[grains]]
shape = "bow"
position = [6.0, 2.0]

[[grains]]
shape = "stick"
position = [9.0, 2.0]

[[grains]]
shape = "pair"
position = [12.0, 2.0]

[[grains]]
shape = "nut"
position = [15.0, 2.0]

[[grains]]
shape = "tile"
position = [18.0, 2.0]

[[grains]]
shape = "stone"
position = [21.0, 2.0]

[[grains]]
shape = "notch"
position = [24.0, 2.0]

[[grains]]
shape = "rock"
position = [27.0, 2.0]

[[grains]]
shape = "arrow"
position = [30.0, 2.0]

[[walls]]
vertices = [[-2.0, 0.0], [32.0, 0.0]]
radius = 0.1

[[pair_law]]
between = ["quartz", "wall"]
law = { kind = "linear", normal_stiffness = 2e5, rolling = { stiffness = 1.0, friction = 0.2 } }

[run]
until = 0.05
dt = 1e-5
integrator = "gear4"
samples = 200
frames = 10
alpha = 0.2
threads = 1
"""

TAGS = """
gravity = [0.0, 0.0]
drag = { kind = "harmonic", amplitude = 0.5, period = 2.0, mean = 1.0, phase_degrees = 90.0 }

[box]
period_x = 8.0

[law]
kind = "hertz-mindlin"
young = 1e6
poisson = 0.3
friction = 0.4
restitution = 0.8

[shapes.rotor]
kind = "regular"
sides = 5
radius = 0.1
circumradius = 0.5

[[walls]]
name = "floor"
vertices = [[0.0, 0.0], [8.0, 0.0]]
radius = 0.1

[[walls]]
name = "lid"
vertices = [[0.0, 11.0], [8.0, 11.0]]
radius = 0.1
fixed = false
mass = 4.0
material = "steel"

[[walls]]
name = "rotor"
shape = "rotor"
position = [4.0, 7.0]
angle_degrees = 20.0
fixed = false

[[walls]]
name = "post"
vertices = [[1.0, 7.0]]
radius = 0.3

[[walls]]
name = "block"
vertices = [[6.0, 6.0], [7.0, 6.0], [6.5, 7.0]]
radius = 0.1
closed = true

[[fill]]
kind = "random"
count = 6
lower = [0.5, 0.5]
upper = [7.5, 5.0]
shapes = [{ shape = "peanut", share = 2.0 }, { shape = "disk", share = 1.0 }]
spread = 0.2
gap = 0.02
seed = 5
random_angles = true
speed = 0.3
density = 1.5
material = "grain"
name = "crowd"

[[fill]]
kind = "lattice"
count = 2
lower = [0.5, 8.0]
upper = [3.6, 10.0]
shapes = [{ shape = "rice" }]
random_angles = false
name = "two"

[[tags]]
on = "lid"
kind = "velocity"
x = { kind = "harmonic", amplitude = 0.1, period = 0.5 }
spin = 0.0

[[tags]]
on = ["lid"]
kind = "pressure"
value = { kind = "ramp", start = 0.0, end = 10.0, finish = 0.5, begin = 0.1, smooth = true }
direction = "-y"

[[tags]]
on = "lid"
kind = "dashpot"
coefficient = 3.0

[[tags]]
on = "rotor"
kind = "velocity"
x = 0.0
y = 0.0
spin = { kind = "table", times = [0.0, 1.0], values = [0.0, 2.0], steps = false }

[[tags]]
on = "crowd"
kind = "force"
x = 0.1
y = -0.1
torque = { kind = "ramp", start = 0.0, end = 0.1, finish = 1.0 }

[[tags]]
on = [11, "two"]
kind = "fixed"

[run]
until = 0.01
threads = "auto"
alpha = "auto"
"""

COHESION = """
[law]
kind = "hertz"
normal_stiffness = 1e6
tangential_stiffness = 1e5
friction = inf
normal_damping = 3.0
tangential_damping = 1.0
cohesion = { force = 2.0, range = 0.02 }

[box]
period_x = 20.0
period_y = 10.0

[[fill]]
kind = "lattice"
count = 9
lower = [0.0, 0.0]
upper = [9.0, 9.0]
shapes = [{ shape = "hexagon" }]

[[walls]]
name = "left"
vertices = [[12.0, 1.0], [12.0, 2.0]]
radius = 0.2

[[walls]]
name = "right"
vertices = [[16.0, 1.0], [16.0, 2.0]]
radius = 0.2

[[walls]]
name = "plate"
vertices = [[13.0, 5.0], [15.0, 5.0]]
radius = 0.2
fixed = false

[[tags]]
on = "plate"
kind = "velocity"
x = 0.0
spin = 0.0

[[tags]]
on = "plate"
kind = "pressure"
value = 5.0
direction = "-y"
between = ["left", "right"]

[run]
until = 0.1
"""

FLOW = """
gravity = [0.0, -10.0]

[law]
kind = "linear"
normal_stiffness = 1e5

[shapes.nut]
kind = "regular"
sides = 5
radius = 0.02
circumradius = 0.1

[[grains]]
shape = "nut"
position = [0.0, 0.0]

[[sources]]
shapes = [{ shape = "nut", share = 2.0 }, { shape = "rice" }]
lower = [0.0, 2.0]
upper = [1.0, 3.0]
count = 12
rate = 100.0
start = 0.01
until = 0.5
velocity = [0.0, -1.0]
angle_degrees = 30.0
density = 2.0
material = "quartz"
name = "feed"
seed = 4

[[sources]]
shapes = [{ shape = "nut" }]
lower = [-2.0, 2.0]
upper = [-2.0, 2.0]
rate = 10.0
until = 0.95

[[sinks]]
lower = [-9.0, -3.0]
upper = [9.0, -2.0]
name = "bin"

[[sinks]]
point = [5.0, 0.0]
normal = [2.0, 0.0]

[run]
until = 0.05
"""

VALID = {"minimal": MINIMAL, "shapes": SHAPES, "tags": TAGS, "cohesion": COHESION, "flow": FLOW}


def toml(tables: dict[str, Any]) -> str:
    """A TOML text, one line a key."""
    return "".join(f"{word(key)} = {value(each)}\n" for key, each in tables.items())


def word(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else f'"{key}"'


def value(given: Any) -> str:
    """A value in one line."""
    if isinstance(given, dict):
        return "{ " + ", ".join(f"{word(key)} = {value(each)}" for key, each in given.items()) + " }"
    if isinstance(given, list):
        return "[" + ", ".join(value(each) for each in given) + "]"
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, float) and not math.isfinite(given):
        return "nan" if math.isnan(given) else "inf" if given > 0 else "-inf"
    if isinstance(given, datetime.date):
        return given.isoformat()
    return f'"{given}"' if isinstance(given, str) else repr(given)
