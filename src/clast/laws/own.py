"""A user's own law: plain Python functions and a tuple of parameters, compiled like the built-in ones.

The functions are those of `clast.laws.law`, written in plain Python on numbers: no arrays, no objects, no strings. They may
call each other, `math`, and what `clast.laws.friction` offers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clast.backend.bind import functions_of, register, with_compiled_helpers
from clast.backend.device import law_function, try_law_function
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.law import Contact, Law, Memory, Response
from clast.laws.parameters import NO_HOLD, require_number

CHECKED_AT = (1e-3, 1.0)  # depth and radius


def no_spring_energy(parameters: Any, spring_u: float, spring_w: float, extra: float) -> float:
    """Of a law without a tangential spring."""
    return 0.0


def elastic_alone(elastic: Callable[..., float]) -> Callable[..., Response]:
    """The `force` of a law that has only `elastic`."""
    compiled = law_function(with_compiled_helpers(elastic))

    def force(parameters, contact, memory, dt):
        push = compiled(parameters, contact.depth, contact.radius)
        return Response(push, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    return force


@dataclass(frozen=True)
class OwnLaw(Law):
    """A law made of the user's functions.

    parameters      name → number; the functions receive the numbers as a tuple in this order
    elastic         (parameters, depth, radius) → normal elastic force
    normal_energy   (parameters, depth, radius) → its energy
    stiffest        largest ∂F_n/∂δ that the run will see, or a function of (depth, radius): sets the safe time step
    force           (parameters, contact, memory, dt) → Response; None for a law that is elastic only
    spring_energy   (parameters, spring_u, spring_w, extra) → energy of the tangential spring
    needs_extra     whether contacts remember a second number
    begun           (part) → weight of the half of a kick for a step of which a contact lasts this part, for dashpots: 2 part
                    for those that act in full from the first touch (None); where they grow as time^n see `hertz_mindlin.begun`

    The energy is checked against the force when the law is made: elastic = d(normal_energy)/d(depth).
    SceneError names what is wrong with a number or a function, before anything is run.
    """

    parameters: Mapping[str, float]
    elastic: Callable[[Any, float, float], float]
    normal_energy: Callable[[Any, float, float], float]
    stiffest: float | Callable[[float, float], float]
    force: Callable[..., Any] | None = None
    spring_energy: Callable[..., float] = no_spring_energy
    needs_extra: bool = False
    begun: Callable[[float], float] | None = field(default=None, kw_only=True)
    check_at: tuple[float, float] | None = field(default=None, kw_only=True)  # (depth, radius) where the energy is checked

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in self.parameters.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise SceneError(f"law parameter {name} = {value!r} must be a finite number")
        if not self.parameters:
            raise SceneError("own law: give at least one parameter, such as {'stiffness': 1e6}")
        if not callable(self.stiffest):
            require_number("stiffest", self.stiffest, Key("", "force/length", gt=0.0, at_zero=NO_HOLD))
        for name in ("elastic", "normal_energy", "force", "spring_energy", "begun"):
            function = getattr(self, name)
            if function is None and name in ("force", "begun"):
                continue
            if not hasattr(getattr(function, "py_func", function), "__code__"):
                raise SceneError(f"own law: {name} = {function!r} is not a plain function (def or lambda)")
        functions = {
            "elastic": self.elastic, "normal_energy": self.normal_energy,
            "force": self.force or elastic_alone(self.elastic), "spring_energy": self.spring_energy,
        }  # fmt: skip
        if self.begun is not None:
            functions["begun"] = self.begun
        object.__setattr__(self, "module", register(functions))
        self._check_functions({name: getattr(functions_of(self.module), name) for name in functions})
        self._check_energy()

    def _check_functions(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Compile each function by calling it once, so that the user reads what is wrong with his file here and now."""
        depth, radius = self.check_at or CHECKED_AT
        contact = Contact(depth, 0.1, 0.1, 0.0, 1.0, radius, 0.1, 0.0)
        arguments: dict[str, tuple[Any, ...]] = {
            "elastic": (self.row, depth, radius), "normal_energy": (self.row, depth, radius),
            "force": (self.row, contact, Memory(0.0, 0.0, 0.0), 1e-6), "spring_energy": (self.row, 0.0, 0.0, 0.0),
            "begun": (0.5,),
        }  # fmt: skip
        for name, function in functions.items():
            result, wrong = try_law_function(function, *arguments[name])
            if wrong:
                raise SceneError(
                    f"own law: {name} cannot be compiled or run ({wrong}); use plain numbers, math and clast.laws.friction only"
                )
            numbers = result if name == "force" else (result,)
            fits = isinstance(result, Response) if name == "force" else isinstance(result, float | int)
            if not fits or not all(math.isfinite(number) for number in numbers):
                wanted = "a Response of finite numbers" if name == "force" else "a finite number"
                raise SceneError(f"own law: {name} gives {result!r} at depth {depth:g}; it must give {wanted}")

    def _check_energy(self) -> None:
        """The force must be the slope of the energy, or no book will ever close."""
        depth, radius = self.check_at or CHECKED_AT
        step = 1e-4 * depth
        slope = (self.normal_energy(self.row, depth + step, radius) - self.normal_energy(self.row, depth - step, radius)) / (
            2.0 * step
        )
        pushed = self.elastic(self.row, depth, radius)
        if not abs(slope - pushed) <= 1e-5 * max(abs(slope), abs(pushed)):
            raise SceneError(
                f"own law: at depth {depth:g} elastic gives {pushed:.6g} but normal_energy rises by {slope:.6g} per unit of "
                "depth; the force must be the slope of the energy (choose another depth to compare at with check_at)"
            )

    def __hash__(self) -> int:
        return hash((self.module, self.row))

    @property
    def damps_or_slides(self) -> bool:
        """A law with `force` remembers."""
        return self.force is not None

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return tuple(float(value) for value in self.parameters.values())

    def stiffness(self, depth: float, radius: float) -> float:
        """As given by `stiffest`."""
        return float(self.stiffest(depth, radius) if callable(self.stiffest) else self.stiffest)

    def with_parameters(self, **changes: float) -> OwnLaw:
        """The same functions with other numbers."""
        if unknown := [name for name in changes if name not in self.parameters]:
            raise SceneError(f"own law has no parameter {unknown[0]}; it has: {', '.join(self.parameters)}")
        return dataclasses.replace(self, parameters={**self.parameters, **changes})
