"""A run whose scene is changed while it goes on: what may change, and how the engine follows.

The scene is what a run goes by. Tags, laws, gravity, drag and materials may change, and bodies may come; where bodies are and
how they move is the run's own by then (`NamedEngine.place`, `set_velocities`). Numbers of the same law and gravity are written
into the tables of the run. For anything else the changed scene is laid out anew, and what moves and what contacts remember is
taken over (`clast.dynamics.bodies.succession`): nothing is lost, and where nothing has changed no bit does.

Nothing is booked here: `clast.laboratory` compares the energies before and after.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clast.dynamics.binding import kernels_of
from clast.dynamics.bodies.removal import absent
from clast.dynamics.bodies.rows import law_table, stiffness_of
from clast.dynamics.bodies.succession import take_over
from clast.dynamics.timestep import unstable_step
from clast.errors import SceneError, StepError
from clast.laws.law import Law
from clast.scene.tags import Fixed

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

NUMBERS = {"law", "default_law", "pair_laws", "gravity"}  # may be numbers in the tables of a run
WHOLE = {"drag", "remove_below", "bonds", "bodies.tags", "bodies.material", "bodies.name"}  # of these a layout is made
OF_MOTION = {"position", "angle", "orientation", "velocity", "spin"}


class Known(NamedTuple):
    """The scene as an engine knows it."""

    revision: tuple[int, int]
    changes: Counter[str]
    bodies: int
    law: Law
    times: int = 0  # how often the engine has followed a change

    @classmethod
    def of(cls, scene: Any, times: int = 0) -> Known:
        """What is known of a scene that has just been laid out."""
        return cls(scene.revision, scene.changes(), len(scene.bodies), scene.default_law, times)

    def changed(self, scene: Any) -> set[str]:
        """What is no longer as it was; "bodies" where there are more."""
        found = set(scene.changes() - self.changes)
        return found | {"bodies"} if len(scene.bodies) != self.bodies else found


def refuse_changed(engine: Engine) -> None:
    """SceneError if the scene of a run is no longer the one the engine goes by."""
    if engine.scene.revision != engine.known.revision:
        what = ", ".join(sorted(engine.known.changed(engine.scene)))
        raise SceneError(
            f"the scene was changed after the engine was made ({what}), and an engine alone does not follow: step it with "
            "clast.Simulation, or make another engine"
        )


def check_change(engine: Engine) -> None:
    """SceneError for a change that a run cannot follow."""
    for name in sorted(engine.known.changed(engine.scene) - NUMBERS - WHOLE - {"bodies"}):
        _, _, column = name.rpartition("bodies.")
        if name == "bodies.rows":
            cure = "bodies cannot be deleted, because ids would change: take them out with Simulation.remove(ids)"
        elif column in OF_MOTION:
            cure = "set it in the run, with Simulation.place or Simulation.set_velocities"
        else:
            cure = "make another scene, Scene.from_run(run) where a run ends"
        raise SceneError(f"{name} of the scene was changed while it is stepped, and that cannot take effect: {cure}")


def follow(engine: Engine) -> None:
    """Let an engine go by its scene as that is now; where something is wrong with it, the engine stays as it was."""
    scene, known = engine.scene, engine.known
    if scene.revision == known.revision:
        return
    check_change(engine)
    if not (known.changed(scene) <= NUMBERS and take_numbers(engine)):
        lay_out_anew(engine, np.zeros(0, np.int64))
    engine.known = Known.of(scene, known.times + 1)


def take_numbers(engine: Engine) -> bool:
    """Write laws and gravity into the tables of a run; False where that is not all there is to do."""
    scene = engine.scene
    damped_walls = (engine.tags.dashpot > 0.0).any()  # a wall's own dashpot goes by the stiffness of the law
    sharp, reaching = engine.family.MEMORY.overlaps, any(law.range > 0.0 for law in scene.laws())
    if kernels_of(scene, engine.integrator) is not engine.kernels or damped_walls or sharp or reaching:
        return False
    big, radii = scene.bodies.column("big"), scene.bodies.of_shapes(lambda shape: shape.radius)
    stiffness = stiffness_of(scene, radii if big.all() else radii[~big])
    model = engine.model._replace(law=law_table(scene), stiffness=stiffness, gravity=np.array(scene.gravity))
    refuse_unstable(engine, model)
    engine.model = model
    return True


def refuse_unstable(engine: Engine, model: Any) -> None:
    """StepError if the time step of a run does not go with another stiffness."""
    if engine.dt > (limit := unstable_step(model, engine.tags, engine.moving, engine.bonds, absent(engine))):
        raise StepError(
            f"with the changed law a single contact is unstable above a time step of {limit:.3g}, and the run has "
            f"{engine.dt:.3g}: give Simulation a smaller dt from the start"
        )


def leave(engine: Engine, ids: np.ndarray) -> None:
    """Take bodies out of a run at this instant, walls as well; they keep their ids and their last place."""
    if engine.kernels.CELL and (ids >= len(engine.scene.bodies)).any():
        raise SceneError("the periodic cell cannot be taken out of a run")
    lay_out_anew(engine, ids)
    engine.known = Known.of(engine.scene, engine.known.times + 1)


def lay_out_anew(engine: Engine, leaving: np.ndarray) -> None:
    """Make the engine that of its scene as it is now, where it stands; the bodies `leaving` (ids) take no part any more."""
    gone = np.concatenate([engine.order[engine.order.size - engine.gone :], leaving])
    scene = engine.scene
    scene.refuse_tagged(engine.flow.waiting(scene))
    alpha = "auto" if engine._search is not None else engine._chosen_alpha
    new = type(engine).without_lists(without(scene, gone), engine.dt, alpha, engine.threads, engine.integrator, engine.device)
    take_over(new, engine, gone)
    new.refuse_deep_overlap()
    new.scene, new.identity = scene, engine.identity
    engine.__dict__ = new.__dict__  # the same engine for all that have it; no interrupt can part this


def without(scene: Any, gone: np.ndarray) -> Any:
    """The scene in which the tags of bodies that take no part are those of a body at rest."""
    tagged = [number for number in gone.tolist() if scene.bodies[number].tags or scene.bodies[number].big]
    if not tagged:
        return scene
    found = copy(scene)
    found.__dict__["_changes"] = Counter()
    found.__dict__["bodies"] = scene.bodies.taken(np.arange(len(scene.bodies)))
    for number in tagged:
        found.bodies[number].tags = (Fixed(),)
    return found


def set_velocities_now(engine: Engine, ids: np.ndarray, velocities: np.ndarray, spins: np.ndarray) -> None:
    """Let bodies move at this instant with `velocities` (k, 2 or 3) and `spins` (k,) or (k, 3): not half a step ago."""
    engine.set_velocities(ids, velocities, spins)
    if engine.step > 0 and not engine.kernels.GEAR:  # between steps the state has velocities of half a step ago
        seen = engine.snapshot()
        engine.set_velocities(ids, 2.0 * velocities - seen.velocities[ids], 2.0 * spins - seen.spins[ids])
