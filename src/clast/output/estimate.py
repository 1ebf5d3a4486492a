"""What a run will cost, printed before it begins: steps, time step and its rule, space on disk; and durations in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clast.dynamics.timestep import FRACTION

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

FRAME_NUMBERS = {2: 6, 3: 13}  # of a body in a frame, in the plane and in space: position, angle or quaternion, velocity, spin
SAMPLE_NUMBERS = 20  # of a row of the series that do not stay zero: most of the book, forces, a wall or two
STATE_NUMBERS = {2: 16, 3: 36}  # of a body in scene and checkpoint together, springs included
CONTACT_BYTES = {2: 62, 3: 89}  # of a row of a contact table
PACKED = 0.75  # of the size is left by compression: 0.55 in a gas, 0.87 in a dense flow
FILES = 125_000  # bytes that the scene, the checkpoint and two parts take however small the run; each further part takes 45_000


def announcement(engine: Engine, end: int, samples: int, frames: int) -> str:
    """What is about to be computed, in one line: grains, steps, Δt and its rule, space on disk."""
    grains = f"{engine.grains} grain{'s' if engine.grains != 1 else ''}"
    touching = len(engine.contacts())  # the best guess of how many contacts a frame will have
    room = disk_bytes(len(engine.scene.bodies), touching, end, samples, frames, engine.dimension)
    return (
        f"{grains}, {end - engine.step} steps of Δt = {engine.dt:.6g} ({step_rule(engine)}) to t = {end * engine.dt:.6g}, "
        f"about {size(room)} on disk"
    )


def step_rule(engine: Engine) -> str:
    """Where the time step comes from."""
    safe = engine.safe_step
    return f"safe step, {FRACTION:g}/ω" if engine.dt == safe else f"given; {engine.dt / safe:.2g} × the safe step"


def disk_bytes(bodies: int, contacts: int, end: int, samples: int, frames: int, dimension: int = 2) -> float:
    """Bytes that a run of `end` steps leaves on disk, about: frames with their contacts, series, scene and checkpoint."""
    rows = stored_rows(end, samples)
    pictures = stored_rows(end, frames) if frames > 0 else 0
    moving = PACKED * (FRAME_NUMBERS[dimension] * bodies * pictures + SAMPLE_NUMBERS * rows)
    numbers = moving + STATE_NUMBERS[dimension] * bodies
    return FILES + 8.0 * numbers + PACKED * CONTACT_BYTES[dimension] * contacts * pictures


def stored_rows(end: int, wanted: int) -> int:
    """How many rows come of `wanted` in `end` steps: a whole number of steps apart, first and last step included."""
    interval = max(1, end // max(wanted, 1))
    return 1 + -(-end // interval)


def size(count: float) -> str:
    """Bytes in words: 640 kB, 12 MB, 3.1 GB."""
    for unit in ("kB", "MB"):
        count /= 1000.0
        if count < 999.5:
            return f"{count:.2g} {unit}" if count < 9.95 else f"{count:.0f} {unit}"
    count /= 1000.0
    return f"{count:.2g} GB" if count < 9.95 else f"{count:.0f} GB"


def duration(seconds: float) -> str:
    """Seconds in words: 40 s, 5 min, 3.2 h, 4 days."""
    for limit, unit, name in ((99.5, 1.0, "s"), (99.5 * 60.0, 60.0, "min"), (48.0 * 3600.0, 3600.0, "h")):
        if seconds < limit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds / 86400.0:.2g} days"
