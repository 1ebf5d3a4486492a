"""Which kernels a scene needs: its law, its way of counting, its kinds of pairs, an integrator."""

from types import ModuleType

from clast.backend import bind
from clast.dynamics.arrays import MOVES, SHEARED, STAYS
from clast.dynamics.contacts import kinds
from clast.dynamics.family import family_of
from clast.errors import SceneError
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

INTEGRATORS = {"verlet": 0, "gear4": 4, "gear5": 5}


def kernels_of(scene: Scene | Scene3D, integrator: str = "verlet") -> ModuleType:
    """The compiled loops for the laws of a scene, its way of counting and an integrator."""
    if integrator not in INTEGRATORS:
        raise SceneError(f'integrator = "{integrator}" must be one of {", ".join(INTEGRATORS)}')
    laws = scene.laws()
    kind = laws[0]
    moves = cell_of(scene) != STAYS
    family = family_of(scene)
    if moves and INTEGRATORS[integrator]:
        raise SceneError(f'a periodic cell that moves needs integrator="verlet", not "{integrator}"')
    bonded = scene.bonds.size > 0
    if bonded and INTEGRATORS[integrator]:
        raise SceneError(f'bonds need integrator="verlet", not "{integrator}"')
    if bonded and moves:
        raise SceneError("bonds hold images at fixed distances, and tags move the periodic cell: leave one of them out")
    return bind.kernels(
        bind.Binding(
            law=next((law.bouncing for law in laws if law.bounces), kind.module),
            law_width=len(kind.row),
            meet="meet" if counting_of(scene) == "euler" else "meet_any",
            kinds=kinds_to_compile(scene),
            history=moves or any(law.history for law in laws),  # a moving cell without losses is too rare to compile
            extra=kind.needs_extra,
            rolling=bool(kind.turning_row),
            cohesive=kind.cohesion is not None,
            damped=any(law.damps for law in laws),
            angle=any(law.history for law in laws) and kind.sliding_by == "angle",
            seams=any(law.history for law in laws) and may_have_seams(scene),
            cell=cell_of(scene),
            gear=INTEGRATORS[integrator],
            bonds=bonded,
            family=family.PASSES,
        )
    )


def cell_of(scene: Scene | Scene3D) -> int:
    """What of the periodic cell moves."""
    if not scene.box.moves:
        return STAYS
    return SHEARED if scene.box.sheared else MOVES


def counting_of(scene: Scene | Scene3D) -> str:
    """How feature pairs are counted: in space there is one way."""
    return scene.counting if isinstance(scene, Scene) else "euler"


def may_have_seams(scene: Scene | Scene3D) -> bool:
    """Whether a wall of the plane may go on in its periodic image: one whose skeleton is an open chain."""
    if not isinstance(scene, Scene) or counting_of(scene) != "euler" or not any(scene.box.periods):
        return False
    is_open = scene.bodies.of_shapes(lambda shape: 0 < len(shape.edges) == len(shape.vertices) - 1)
    return bool((is_open & scene.bodies.column("big")).any())


def kinds_to_compile(scene: Scene | Scene3D) -> int:
    """The set of kinds of pairs, as bits, that kernels of a scene are compiled for; the papers' literal count has but one."""
    if counting_of(scene) != "euler":
        return kinds.ONLY_OTHERS
    return kinds.compiled_set(kinds_in(scene), family_of(scene).KINDS)


def kinds_in(scene: Scene | Scene3D) -> int:
    """Which kinds of pairs a scene may have, as bits; big bodies do not meet each other."""
    is_round, big = scene.bodies.of_shapes(lambda shape: shape.is_round), scene.bodies.column("big")
    grains, walls = is_round[~big], is_round[big]
    two, one = is_round.sum() >= 2, (grains.any() and not is_round.all()) or (walls.any() and not grains.all())
    return (int(two) << kinds.TWO_ROUND) | (int(one) << kinds.ONE_ROUND) | (int(not grains.all()) << kinds.OTHERS)
