"""How deep bodies overlap, in words for messages."""

from typing import NamedTuple

DEEP = 0.1  # of the sum of sphero-radii: skeletons nearer than this end the run, the normal is about to lose meaning
STRIDE = 0.5  # of the sum of sphero-radii: a pair that closes by more in one step may pass unseen (`bodies.haste`)


class Depth(NamedTuple):
    """What a depth is held against, what is wrong where it is too large, and what helps."""

    held_against: str
    too_deep: str
    cure: str


ROUNDED = Depth(
    "the sum of their sphero-radii",
    "their skeletons nearly touch",
    "take a stiffer normal spring, a lower or slower load, a larger sphero-radius",
)
SHARP = Depth(
    "the length of the pair",
    "more than a quarter of the smaller volume",
    "take a larger Young modulus, a lower or slower load",
)
