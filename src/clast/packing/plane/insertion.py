"""Random insertion: grains one by one, the largest first, where they touch nobody's bounding circle."""

import numpy as np

from clast.errors import InputError

TRIES = 2000


def insert_at_random(
    reach: np.ndarray, width: float, height: float, rng: np.random.Generator, *, periodic: bool = True
) -> np.ndarray:
    """Positions (n, 2) of circles of radii `reach` (n,) in a box, without overlap; InputError when there is no room.

    Periodic boxes use the nearest image; in a closed box circles stay inside.
    """
    reach = np.asarray(reach, float)
    if not (np.isfinite([width, height]).all() and min(width, height) > 2.0 * reach.max(initial=0.0)):
        raise InputError(
            f"a box of {width:.4g} × {height:.4g} has no room for a circle {2.0 * reach.max(initial=0.0):.4g} across; widen it"
        )
    places = np.zeros((reach.size, 2))
    box = np.array([width, height])
    order = np.argsort(-reach, kind="stable")
    for done, k in enumerate(order):
        margin = 0.0 if periodic else reach[k]
        for _ in range(TRIES):
            spot = rng.uniform(margin, box - margin)
            away = places[order[:done]] - spot
            if periodic:
                away -= box * np.round(away / box)
            if np.all(np.sum(away**2, axis=1) >= (reach[k] + reach[order[:done]]) ** 2):
                places[k] = spot
                break
        else:
            raise InputError(
                f"no room for circle {k} of radius {reach[k]:.4g} after {TRIES} tries ({done} are in); widen the box"
            )
    return places


def power_law(count: int, ratio: float, exponent: float, rng: np.random.Generator) -> np.ndarray:
    """Radii between 1 and `ratio` with density of numbers ∝ r^−exponent."""
    u = rng.uniform(0.0, 1.0, count)
    power = 1.0 - exponent
    return (1.0 + u * (ratio**power - 1.0)) ** (1.0 / power)
