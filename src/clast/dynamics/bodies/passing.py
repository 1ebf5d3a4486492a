"""At which steps bodies may leave a run or come into it; those who leave do so first, and make room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clast.dynamics.bodies import removal
from clast.dynamics.bodies.flow import INTERVAL, next_of
from clast.dynamics.bodies.sinks import drain
from clast.dynamics.bodies.sources import let_come

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def look(engine: Engine) -> None:
    """Let leave and come whoever does so at this step; a second look at one step finds nobody."""
    if removal.is_due(engine):
        removal.remove_fallen(engine)
    if engine.flow.active and engine.step % INTERVAL == 0:
        drain(engine)
        let_come(engine)


def next_look(engine: Engine) -> int:
    """The next step to look at."""
    coming, scene = removal.next_look(engine), engine.scene
    following = (engine.step // INTERVAL + 1) * INTERVAL
    if scene.sinks:
        coming = min(coming, following)
    for source in scene.sources:
        due = next_of(source, engine.flow.come_of(source), following, engine.dt)
        coming = coming if due is None else min(coming, due)
    return coming
