"""The nouns of a stretch of steps with sharp bodies: those of `clast.dynamics.space.arrays` but for what is listed here.

Contacts are those of space, one class for both: numba would take two of one name and the same kinds of arrays for the same when
it is called, and then look for the right code in every call. A row of `pair` is a piece of i and a piece of j; the sections of
its candidates are those of `clast.dynamics.sharp.listing`, and the last number is 1 where only i does not give way (is big or
fixed), 2 where only j does not. A spring belongs to the first candidate of its row, with WIDTH numbers; `weight` is 1 where there
was an overlap at the last step. `pair_constant`: image shift of j (3), reduced mass, row of Model.law, L and A₀ of the pair.

Model.inverse_radius is one over the radius of a ball of the body's volume, 0 for big bodies.
"""

CONSTANT = 7  # numbers of a row of Contacts.pair_constant
WIDTH = 9  # of Contacts.spring: tangential spring, centroid and normal of the last step; all in the world
