"""Where things stand in the flat tables of sharp bodies: as in `clast.dynamics.space.columns` but for what is listed here.

A row of Lists.pair is a piece of i and a piece of j; the sections of its candidates are those of
`clast.dynamics.sharp.listing`, and the last number is 1 where only i does not give way (is big or fixed), 2 where only j does
not. A spring belongs to the first candidate of its row; `weight` is 1 where there was an overlap at the last step.

Model.inverse_radius is one over the radius of a ball of the body's volume, 0 for big bodies.
"""

CONSTANT, LENGTH, AREA = 7, 5, 6  # Lists.pair_constant: begins as in space; L and A₀ of the pair
WIDTH, CENTROID, NORMAL = 9, 3, 6  # Lists.spring: tangential spring, centroid and normal of the last step; all in the world
TURNED, ROOT = 9, 12  # with springs against turning q follows, and the root of their stiffness: xx, yy, zz, yz, zx, xy
TURNING = 9  # numbers of these two


def width_of(turning: int) -> int:
    """Numbers in a row of Lists.spring."""
    return WIDTH + TURNING * turning
