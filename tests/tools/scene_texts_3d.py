"""Scene files in space for the tests: valid ones that between them use every key that the plane does not have."""

WEDGE = """{"format": "clast solid", "version": 1, "radius": 0.1, "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
"faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}
"""

MINIMAL_3D = """
dimension = 3

[law]
kind = "linear"
normal_stiffness = 1e4

[[grains]]
shape = "sphere"
position = [0.0, 0.0, 0.0]
velocity = [1.0, 0.0, 0.5]

[run]
until = 0.1
dt = 1e-3
"""

SOLIDS = """
title = "every solid"
dimension = 3
gravity = [0.0, 0.0, -10.0]
counting = "euler"
onset = false
remove_below = -20.0

[law]
kind = "linear"
normal_stiffness = 1e5
tangential_stiffness = 5e4
friction = 0.5
normal_damping = 5.0

[shapes]
ball = { kind = "sphere", radius = 0.4 }
pill = { kind = "capsule", length = 0.8, radius = 0.2, volume = 0.3 }
rod = { kind = "capsule", ends = [[0, 0, 0], [0, 0, 1]], radius = 0.2, scale = 0.5 }
tile = { kind = "plate", corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], radius = 0.1 }
pyramid = { kind = "tetrahedron", edge = 0.8, radius = 0.1 }
brick = { kind = "cuboid", sides = [1.0, 0.6, 0.4], radius = 0.1 }
stone = { kind = "hull", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.8, 0.7, 0.6]], radius = 0.1 }
pair = { kind = "clump", points = [[0, 0, 0], [0.5, 0, 0]], radius = 0.3 }
rock = { kind = "library", name = "cube", volume = 0.5 }
wedge = { kind = "file", file = "wedge.json", scale = 0.8 }
basin = { kind = "open-box", sides = [40.0, 4.0, 2.0], radius = 0.1 }
funnel = { kind = "hopper", opening = 1.0, top = 3.0, height = 2.0, radius = 0.1, sides = 4, bin_height = 1.0 }

[shapes.roof]
kind = "shell"
vertices = [[0, 0, 1], [4, 0, 1], [0, 2, 2], [4, 2, 2], [0, 4, 1], [4, 4, 1]]
faces = [[0, 1, 3, 2], [2, 3, 5, 4]]
radius = 0.1

[[grains]]
shape = "ball"
position = [-10.0, 0.0, 2.0]
orientation = [1.0, 2.0, 0.0, 0.0]
velocity = [0.1, 0.0, 0.2]
spin = [1.0, 2.0, 3.0]
density = 2.0
material = "quartz"
name = "first"

[[grains]]
shape = "brick"
position = [-8.0, 0.0, 2.0]
axis = [0.0, 0.0, 2.0]
angle_degrees = 30.0
mass = 3.0

[[grains]]
shape = "wedge"
position = [-6.0, 0.0, 2.0]
axis = [1.0, 1.0, 0.0]
angle_degrees = -70.0

[[grains]]
shape = "pill"
position = [-4.0, 0.0, 2.0]

[[grains]]
shape = "rod"
position = [-2.0, 0.0, 2.0]

[[grains]]
shape = "tile"
position = [0.0, 0.0, 2.0]

[[grains]]
shape = "pyramid"
position = [2.0, 0.0, 2.0]

[[grains]]
shape = "stone"
position = [4.0, 0.0, 2.0]

[[grains]]
shape = "pair"
position = [6.0, 0.0, 2.0]

[[grains]]
shape = "rock"
position = [8.0, 0.0, 2.0]

[[walls]]
shape = "basin"

[[walls]]
shape = "funnel"
position = [0.0, 0.0, 5.0]
axis = [0.0, 0.0, 1.0]
angle_degrees = 45.0

[[walls]]
shape = "roof"
position = [-2.0, -2.0, 10.0]
orientation = [1.0, 0.0, 0.0, 0.1]

[[pair_law]]
between = ["quartz", "wall"]
law = { kind = "linear", normal_stiffness = 2e5 }

[run]
until = 0.05
dt = 1e-5
"""

FORMS = """
dimension = 3

[law]
kind = "linear"
normal_stiffness = 1e5

[shapes.ell]
kind = "prism"
outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.5, 0.5], [0.5, 1.0], [0.0, 1.0]]
height = 0.5
radius = 0.1

[shapes.jack]
kind = "cross"
arms = [0.4, 0.4, 0.2]
width = 0.4
radius = 0.1

[shapes.cup]
kind = "mug"
height = 1.0
diameter = 0.9
wall = 0.12
radius = 0.03
sides = 8
bends = 3

[shapes.box]
kind = "mesh"
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
radius = 0.1
mend = false

[shapes.scan]
kind = "mesh-file"
file = "scan.stl"
scale = 0.01
radius = 0.05
vertices = 12
mend = false
skeleton = false

[shapes.pipe]
kind = "drum"
inner_radius = 0.8
length = 1.0
radius = 0.05
sides = 8
ends = false

[[grains]]
shape = "scan"
position = [0.0, 0.0, 0.0]

[[grains]]
shape = "jack"
position = [3.0, 0.0, 0.0]

[run]
until = 0.05
"""

TAGS_3D = """
dimension = 3
drag = 0.1

[box]
period_y = 4.0

[law]
kind = "linear"
normal_stiffness = 1e4

[shapes.roller]
kind = "cuboid"
sides = [1.0, 1.0, 1.0]
radius = 0.05

[[walls]]
name = "left"
corners = [[-5.0, 0.0, 0.0], [-5.0, 4.0, 0.0], [-5.0, 4.0, 9.0], [-5.0, 0.0, 9.0]]
radius = 0.1

[[walls]]
name = "right"
corners = [[5.0, 0.0, 0.0], [5.0, 4.0, 0.0], [5.0, 4.0, 9.0], [5.0, 0.0, 9.0]]
radius = 0.1
material = "steel"

[[walls]]
name = "lid"
corners = [[-4.0, 0.0, 9.5], [4.0, 0.0, 9.5], [4.0, 4.0, 9.5], [-4.0, 4.0, 9.5]]
radius = 0.1
fixed = false
mass = 4.0

[[walls]]
name = "roller"
shape = "roller"
position = [0.0, 2.0, 7.0]
fixed = false

[[fill]]
kind = "lattice"
count = 3
lower = [-4.0, 0.0, 0.0]
upper = [4.0, 4.0, 3.0]
shapes = [{ shape = "cube", share = 2.0 }, { shape = "sphere" }]
spread = 0.1
gap = 0.05
seed = 3
speed = 0.5
density = 1.5
material = "grain"
name = "crowd"
random_turns = false

[[fill]]
kind = "random"
count = 4
lower = [-4.0, 0.0, 3.0]
upper = [4.0, 4.0, 5.8]
shapes = [{ shape = "sphere" }]
gap = 0.1
name = "few"

[[tags]]
on = "lid"
kind = "velocity"
x = 0.0
y = 0.0
spin_x = 0.0
spin_y = 0.0
spin = 0.0

[[tags]]
on = "lid"
kind = "pressure"
value = { kind = "ramp", start = 0.0, end = 10.0, finish = 0.5 }
direction = "-z"
between = [["left", "right"], []]

[[tags]]
on = "lid"
kind = "dashpot"
coefficient = 3.0

[[tags]]
on = "roller"
kind = "velocity"
x = 0.0
y = 0.0
z = { kind = "harmonic", amplitude = 0.1, period = 0.5 }
spin_x = 0.0
spin_y = { kind = "table", times = [0.0, 1.0], values = [0.0, 2.0] }
spin = 0.0

[[tags]]
on = "crowd"
kind = "force"
x = 0.1
y = 0.2
z = -0.1
torque_x = 0.3
torque_y = { kind = "ramp", start = 0.0, end = 0.1, finish = 1.0 }
torque = 0.4

[[tags]]
on = [7, "few"]
kind = "fixed"

[run]
until = 0.01
"""

SOIL = """
dimension = 3

[box]
period_x = 3.0
period_y = 3.0
period_z = 3.0

[law]
kind = "linear"
normal_stiffness = 1e5

[[fill]]
kind = "voronoi"
columns = 2
rows = 2
layers = 2
cube = 1.0
lower = [0.5, 0.0, 0.0]
erosion = 0.12
dilation = 0.1
sites = "grid"
merge = 0.02
expand = 1.5
random_turns = true
seed = 3
density = 2.0
material = "clay"
name = "soil"

[run]
until = 0.05
"""

SHARP = """
dimension = 3
gravity = [0.0, 0.0, -10.0]

[law]
kind = "overlap-volume"
young = 1e6
friction = 0.5
tangential = 0.3
damping = 0.2
tangential_damping = 0.1

[shapes.stone]
kind = "ellipsoid-grain"
half_axes = [0.4, 0.35, 0.3]
corners = 14
seed = 3

[shapes.bank]
kind = "pieces"
of = [
    { shape = "plank", position = [0.0, 0.0, -0.25] },
    { shape = "plank", position = [2.25, 0.0, 1.0], axis = [0.0, 1.0, 0.0], angle_degrees = 90.0 },
    { shape = "wedge", orientation = [2.0, 0.0, 0.0, 0.0] },
]
scale = 2.0

[shapes.plank]
kind = "cuboid"
sides = [4.0, 4.0, 0.5]
radius = 0.0

[shapes.wedge]
kind = "hull"
points = [
    [-2.0, -2.0, 0.0], [-2.0, 2.0, 0.0], [-1.0, -2.0, 0.0], [-1.0, 2.0, 0.0], [-2.0, -2.0, 1.0], [-2.0, 2.0, 1.0],
]
radius = 0.0

[shapes.die]
kind = "library"
name = "sharp-cube"
volume = 0.05

[shapes.kite]
kind = "tetrahedron"
edge = 0.5
radius = 0.0

[shapes.tile]
kind = "prism"
outline = [[0.0, 0.0], [0.4, 0.0], [0.2, 0.3]]
height = 0.2
radius = 0.0

[shapes.brick]
kind = "mesh"
vertices = [
    [0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.4, 0.0], [0.0, 0.4, 0.5],
    [0.3, 0.0, 0.0], [0.3, 0.0, 0.5], [0.3, 0.4, 0.0], [0.3, 0.4, 0.5],
]
faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
radius = 0.0

[shapes.tray]
kind = "floor-with-rim"
sides = [12.0, 12.0]
height = 1.0
wall = 0.5

[shapes.barrel]
kind = "sharp-drum"
inner_radius = 2.0
length = 2.0
sides = 12
wall = 0.3
ends = false

[shapes.funnel]
kind = "sharp-hopper"
opening = 1.0
top = 3.0
height = 2.0
wall = 0.2
sides = 6
bin_height = 0.5

[[grains]]
shape = "stone"
position = [0.0, 0.0, 1.0]

[[grains]]
shape = "die"
position = [-1.5, 0.0, 2.5]
material = "bone"

[[grains]]
shape = "kite"
position = [0.0, 1.5, 2.0]

[[grains]]
shape = "tile"
position = [0.0, -1.5, 2.0]

[[grains]]
shape = "brick"
position = [1.0, 1.5, 2.0]

[[walls]]
shape = "bank"

[[walls]]
shape = "tray"
position = [0.0, 0.0, -5.0]

[[walls]]
shape = "barrel"
position = [20.0, 0.0, 0.0]

[[walls]]
shape = "funnel"
position = [0.0, 20.0, 0.0]

[[fill]]
kind = "random"
count = 5
lower = [-2.0, -2.0, 4.0]
upper = [2.0, 2.0, 7.0]
shapes = [{ shape = "stone", share = 1.0 }, { shape = "sharp-octahedron", share = 0.25 }]
gap = 0.05

[[pair_law]]
between = ["bone", "wall"]
[pair_law.law]
kind = "overlap-volume"
young = 2e6

[run]
until = 0.01
"""

FLOW_3D = """
dimension = 3

[law]
kind = "linear"
normal_stiffness = 1e5

[shapes.die]
kind = "cuboid"
sides = [0.1, 0.2, 0.3]
radius = 0.02

[[sources]]
shapes = [{ shape = "die", share = 1.0 }, { shape = "mug", share = 3.0 }]
lower = [0.0, 0.0, 5.0]
upper = [3.0, 3.0, 9.0]
count = 8
velocity = [0.0, 0.0, -1.0]
axis = [0.0, 0.0, 1.0]
angle_degrees = 90.0
density = 2.0

[[sources]]
shapes = [{ shape = "die" }]
lower = [9.0, 0.0, 0.0]
upper = [9.0, 0.0, 0.0]
rate = 50.0
until = 0.1
start = 0.02
orientation = [1.0, 1.0, 0.0, 0.0]
name = "jet"

[[sources]]
shapes = [{ shape = "die" }]
lower = [-9.0, 0.0, 0.0]
upper = [-9.0, 0.0, 0.0]
count = 1

[[sinks]]
lower = [-9.0, -9.0, -3.0]
upper = [9.0, 9.0, -2.0]
name = "bin"

[[sinks]]
point = [5.0, 0.0, 0.0]
normal = [0.0, 0.0, -3.0]

[run]
until = 0.01
"""

VALID_3D = {
    "minimal": MINIMAL_3D,
    "solids": SOLIDS,
    "forms": FORMS,
    "tags": TAGS_3D,
    "soil": SOIL,
    "sharp": SHARP,
    "flow": FLOW_3D,
}
