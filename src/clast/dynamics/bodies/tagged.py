"""Bodies with tags (GM09 §2.5, model §6): prescribed velocities stay, prescribed forces act, and their work is booked.

A prescribed velocity needs whatever force brings the body from the old to the new velocity against contacts and gravity:
its work is what the agent does. A pressure is a force in proportion to the gap between two walls.

What is imposed on one component of a body (x, y, z; in the plane the spin as well) is the same in plane and space.
"""

from typing import Any, NamedTuple

from clast.backend.device import device
from clast.dynamics.bodies.gear import C0_VELOCITY, corrected, predicted


class Drive(NamedTuple):
    """What acts on one component of a tagged body."""

    imposed: bool  # its velocity is prescribed:
    aim: float  # at t_n + ½Δt (Verlet) or t_n + Δt (Gear)
    push: float  # prescribed force or torque, with pressures
    weight: float  # mass, or moment of inertia
    gravity: float  # force of it
    slow: float  # coefficient of the dashpot of a wall
    gamma: float  # rate of the drag of grains
    contact: float  # force of its contacts, times the parts of the kick that were wanted


class Moved(NamedTuple):
    """One component after the kick."""

    place: float
    velocity: float
    travel: float  # the way along which forces of contacts work
    work: float  # of the agent
    damped: float  # heat of the dashpot
    dragged: float  # heat of the drag


def push_on_of(components: int, load: int) -> Any:
    """`push_on(r, c, world)`: prescribed force or torque on component c of tagged row r, with the pressures that act on it.

    components   of a body; a row of the program has the prescribed velocities of all, then the forces
    load         numbers of a row of Tags.load
    """

    @device
    def push_on(r, c, world):
        tags = world.tags
        push = tags.program[world.clock.row, 2 * components * r + components + c]
        for k in range(tags.push.size):
            if tags.load[load * k] == r and tags.load[load * k + 1] == c:
                push += tags.push[k]
        return push

    return push_on


@device
def move_by_verlet(b, c, old, place, drive, world):
    """Kick and drift component c of body b by velocity Verlet."""
    clock, weight, dt, kick = world.clock, drive.weight, world.clock.dt, world.clock.kick
    if drive.imposed:
        new = old + kick / clock.whole * (drive.aim - old)
        mean = old + clock.share * (new - old)
        work = (weight * (new - old) - (drive.contact + kick * drive.gravity) * dt) * mean
        return Moved(place + drive.aim * clock.drift, new, dt * mean, work, 0.0, 0.0)
    push = kick * drive.push
    braking = 0.5 * kick * dt * (drive.slow / weight + drive.gamma)
    new = ((1.0 - braking) * old + (drive.contact + push + kick * drive.gravity) * (dt / weight)) / (1.0 + braking)
    mean = old + clock.share * (new - old)
    damped = 0.5 * kick * dt * drive.slow * (old + new) * mean
    dragged = 0.5 * kick * dt * drive.gamma * weight * (old + new) * mean
    return Moved(place + new * clock.drift, new, dt * mean, push * mean * dt, damped, dragged)


def move_by_gear(order: int) -> Any:
    """The same by Gear's method of this order."""
    at = C0_VELOCITY[order - 4]

    @device
    def lead(b, c, old, place, drive, world):
        """A prescribed velocity: `old` is that of t_n, the program gives that of t_n + Δt."""
        clock, gear, dt, kick, weight = world.clock, world.state.gear, world.clock.dt, world.clock.kick, drive.weight
        new = drive.aim if clock.drift > 0.0 else old
        work = 0.5 * weight * (new * new - old * old) - kick * (drive.contact + drive.gravity) * old * dt
        for k in range(1, order - 1):
            gear[b, c, k] = 0.0
        gear[b, c, 0] = 0.5 * (new - old) * dt  # by so much the velocity has grown in half a step
        return Moved(place + 0.5 * (old + new) * clock.drift, new, kick * old * dt, work, 0.0, 0.0)

    @device
    def move(b, c, old, place, drive, world):
        clock, gear, dt, kick, weight = world.clock, world.state.gear, world.clock.dt, world.clock.kick, drive.weight
        if drive.imposed:
            return lead(b, c, old, place, drive, world)
        force = drive.contact + drive.push + drive.gravity - (drive.slow + drive.gamma * weight) * old
        place, way = corrected(order, at, place, old * dt, gear, b, c, force * (0.5 * dt * dt / weight), clock.first)
        travel, work = kick * way, kick * drive.push * way
        damped, dragged = kick * drive.slow * way * way / dt, kick * drive.gamma * weight * way * way / dt
        if clock.drift > 0.0:
            place, way = predicted(order, place, way, gear, b, c)
        return Moved(place, way / dt, travel, work, damped, dragged)

    return move
