"""Where the steps of a run are done: by threads of this machine or on a GPU, and why there."""

from __future__ import annotations

from clast.backend.cuda import check_grid, why_not
from clast.backend.threads import count_threads
from clast.errors import SceneError

CPU, GPU, AUTO = "cpu", "cuda", "auto"
DEVICES = (CPU, GPU, AUTO)
FEWEST = {2: 5_000, 3: 1_000}  # bodies that move, by dimension: from so many on "auto" takes a GPU for a run by one thread
PER_THREAD = 0.6  # of its pace that a thread adds: 16 cores are about ten times as fast as one


def check_device(device: str, name: str = "device = ", *, here: bool = True) -> None:
    """SceneError for an unknown device, InputError for "cuda" where no GPU can be used.

    name   how the user writes it, `device = ` or `--device `
    here   whether it is to be used on this machine
    """
    if device not in DEVICES:
        given = f'"{device}"' if name.endswith("= ") else device
        raise SceneError(f"{name}{given} must be one of {', '.join(DEVICES)}")
    if device == GPU and here:
        check_grid()


def choose_device(device: str, moving: int, dimension: int, threads: int | str) -> tuple[str, str]:
    """The device for a run, "cpu" or "cuda", and in one sentence why.

    device      as the user gives it; "auto" leaves the choice to the following rule
    moving      bodies that move
    dimension   2 in the plane, 3 in space
    threads     of the run, were it on the CPU; "auto" counts as all cores

    A step on a GPU takes 15 to 20 µs however few bodies there are (dense hexagons on an H200: 24 µs for 10 000, 91 for 100 000,
    697 for a million). One core takes per body and step 6 ns in a gas in the plane, 30 ns in a dense packing of
    hexagons, 200 ns for dense spheres, 1 to 2 µs for cubes, sharp or rounded. So with 5 000 bodies in the plane and 1 000 in
    space one core takes longer: 30 µs for a gas, 150 and more for all else. With n threads there must be 0.6 n times as many,
    as 16 cores are about ten times as quick as one. With fewer, the seconds that a GPU needs to start count for more.
    """
    check_device(device)
    if device != AUTO:
        return device, f"device = {device} was given"
    fewest = round(FEWEST[dimension] * max(1.0, PER_THREAD * count_threads(threads)))
    bodies = f"{moving} bod{'y moves' if moving == 1 else 'ies move'}"
    if moving < fewest:
        return CPU, f"{bodies}, and a GPU gains from {fewest} on"
    if reason := why_not():
        return CPU, reason
    return GPU, f"{bodies}, and a GPU gains from {fewest} on"
