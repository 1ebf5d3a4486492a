"""Parameters that laws share, and how all of them are checked: as their keys declare them."""

import math
import operator
from typing import Annotated, Any, Literal, get_args, get_origin

from clast.errors import SceneError
from clast.keys import Key, keys_of
from clast.laws.restitution import LEAST

NO_HOLD = "grains would pass through each other"
LIMITS = {
    "gt": (operator.gt, "above"),
    "ge": (operator.ge, "not below"),
    "lt": (operator.lt, "below"),
    "le": (operator.le, "not above"),
}

TangentialStiffness = Annotated[float, Key("k_t; needed where there is friction", "force/length", ge=0.0)]
Friction = Annotated[float, Key("μ; inf holds every contact by its spring", ge=0.0, infinite=True)]
NormalDamping = Annotated[float, Key("G_n, times the reduced mass of the contact", "1/time", ge=0.0)]
TangentialDamping = Annotated[float, Key("G_t, times the reduced mass of the contact", "1/time", ge=0.0)]
Restitution = Annotated[float, Key("restitution of a straight impact on one contact; 1 loses nothing", ge=LEAST, le=1.0)]


def require_declared(law: object) -> None:
    """SceneError unless each parameter of a law is what its key allows."""
    made: Any = type(law)
    for name, each in keys_of(made).items():
        value, types = getattr(law, name), get_args(each.form) or (each.form,)
        if get_origin(each.form) is Literal:
            if value not in types:
                choices = " or ".join(f'"{choice}"' for choice in types)
                raise SceneError(f'law parameter {name} = "{value}" must be {choices}')
        elif float in types and not (value is None and type(None) in types):
            require_number(name, value, each.key)


def require_number(name: str, value: Any, key: Key) -> None:
    """SceneError unless a parameter is a number within the limits of its key."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SceneError(f"law parameter {name} = {value!r} must be a number")
    lowest = next((limit for limit in (key.gt, key.ge) if limit is not None), -math.inf)
    if math.isnan(value) or (math.isinf(value) and not key.infinite) or value < 0.0 <= lowest:
        raise SceneError(f"law parameter {name} = {value} must be a finite number{' that is not negative' * (lowest >= 0.0)}")
    if value == 0.0 == key.gt and key.at_zero:
        raise SceneError(f"law parameter {name} = 0: {key.at_zero}; give a positive number")
    if not all(LIMITS[side][0](value, limit) for side, limit in key.limits.items()):
        wanted = " and ".join(f"{LIMITS[side][1]} {limit:g}" for side, limit in key.limits.items())
        raise SceneError(f"law parameter {name} = {value} must be {wanted}")


def require_spring_for_friction(friction: float, tangential_stiffness: float) -> None:
    """SceneError for friction without a spring to carry it."""
    if friction > 0.0 and tangential_stiffness == 0.0:
        raise SceneError(f"friction = {friction} needs a tangential_stiffness > 0 (a common choice is 0.1 … 1 times the normal)")


def require_one_dashpot(normal_damping: float, restitution: float) -> None:
    """SceneError where the normal dashpot is given twice."""
    if normal_damping > 0.0 and restitution < 1.0:
        raise SceneError(f"give restitution = {restitution} or normal_damping = {normal_damping}, not both")
