"""Errors a user can meet: each message names what is wrong, where, and what to do.

`InputError` and its children are the user's mistakes (the command line exits with 2),
`PhysicsError` and its children are failures of a run (exit 3).
"""


class ClastError(Exception):
    """Root of every error clast raises on purpose."""


class InputError(ClastError):
    """Bad input: nothing has been computed or written."""


class ShapeError(InputError):
    """A grain shape that cannot be: the message names the vertex."""


class SceneError(InputError):
    """A scene that cannot be run."""


class StoreError(InputError):
    """A run folder that cannot be read, written or resumed."""


class PhysicsError(ClastError):
    """A run that left the model's limits of validity."""


class OverlapError(PhysicsError):
    """Two bodies overlap so deeply that the contact normal is about to lose its meaning."""


class SpeedError(PhysicsError):
    """A body moves so far in one step that it could pass through another unseen."""


class CellError(PhysicsError):
    """A periodic cell has become too small for a body in it."""


class StepError(PhysicsError):
    """A time step with which even a single contact is unstable."""


class NotFiniteError(PhysicsError):
    """A position or velocity became infinite or not a number."""
