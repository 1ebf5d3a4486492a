"""Bonds between bodies as data: what a bond is made of (`Bond`), and which bodies of a scene are held by which (`BondTable`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

import numpy as np

from clast.errors import SceneError


class Joined(Protocol):
    """Places where grains meet, m of them: `packing.Joints`, or anything with these arrays."""

    @property
    def pairs(self) -> np.ndarray:
        """Numbers (m, 2) of both grains."""
        ...

    @property
    def points(self) -> np.ndarray:
        """Middles of the faces between them (m, 2), beside the first of the two."""
        ...

    @property
    def normals(self) -> np.ndarray:
        """Unit vectors (m, 2) across, from the first grain to the second."""
        ...

    @property
    def widths(self) -> np.ndarray:
        """Lengths (m,) of the faces."""
        ...

    @property
    def lengths(self) -> np.ndarray:
        """How long (m,) the material is that each stands for: the distance of the two centres."""
        ...

    @property
    def shifts(self) -> np.ndarray:
        """From the second grain (m, 2) to the image of it that is meant."""
        ...


@dataclass(frozen=True, kw_only=True)
class Bond:
    """What grains are glued with. A bond of width w and length l is a short beam of unit depth, k_n = E w/l, k_s = G w/l and
    k_b = E w³/12 l against bending.

    young              E, against pulling and bending [force/length]
    shear              G, against sliding [force/length]; E if not given
    tensile_strength   tension at the rim at which it breaks, k_n p/w + b 6 |k_b e|/w² [force/length]
    shear_strength     shear |k_s q|/w at which it breaks [force/length]
    friction           by how much pressure on the bond adds to the shear strength, per pressure
    bending_share      b, how much of the bending counts for breaking, 0 … 1
    damping            of the critical damping of the two bodies held by this bond alone

    Without strengths it never breaks. SceneError for numbers that cannot be.
    """

    young: float
    shear: float | None = None
    tensile_strength: float = math.inf
    shear_strength: float = math.inf
    friction: float = 0.0
    bending_share: float = 1.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None and each.name == "shear":
                continue
            least = "positive" if each.name in ("young", "tensile_strength", "shear_strength") else "not negative"
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and not math.isnan(value)
            unbroken = each.name.endswith("strength") and value == math.inf
            if not number or (math.isinf(value) and not unbroken) or value < 0.0 or (value == 0.0 and least == "positive"):
                raise SceneError(f"Bond: {each.name} = {value!r} must be a number that is {least}")
        if self.bending_share > 1.0:
            raise SceneError(f"Bond: bending_share = {self.bending_share} must lie in 0 … 1")


class Lying(NamedTuple):
    """Where bonds lie."""

    points: np.ndarray  # (m, 2), beside the first body
    normals: np.ndarray  # (m, 2) from the first body to the second
    first_arms: np.ndarray  # (m, 2) from the centres of both bodies
    second_arms: np.ndarray


class BondTable(NamedTuple):
    """Bonds of a scene, m of them, in the order in which they were made: their number is their id."""

    bodies: np.ndarray  # (m, 2) int64 ids
    arms: np.ndarray  # (m, 2, 2) from the centre of each body to the bond, seen in the frame of the bond when it was made
    frame: np.ndarray  # (m,) angle of the normal, less half the sum of both angles of the bodies then
    rest: np.ndarray  # (m,) angle of the second less that of the first then
    shift: np.ndarray  # (m, 2) from the second body to the image that is held
    width: np.ndarray  # (m,)
    stiffness: np.ndarray  # (m, 3) k_n, k_s, k_b
    strength: np.ndarray  # (m, 4) tensile strength, shear strength, friction, bending share
    damping: np.ndarray  # (m,)

    @classmethod
    def empty(cls) -> BondTable:
        """No bonds."""
        one, two = np.zeros(0), np.zeros((0, 2))
        return cls(np.zeros((0, 2), np.int64), np.zeros((0, 2, 2)), one, one, two, one, np.zeros((0, 3)), np.zeros((0, 4)), one)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.bodies)

    def some(self, which: np.ndarray) -> BondTable:
        """Some of them, by number or yes and no."""
        return BondTable(*(each[which] for each in self))

    def lie(self, positions: np.ndarray, angles: np.ndarray) -> Lying:
        """Where they lie between bodies at `positions` (n, 2) with `angles` (n,), by id."""
        return lie(self.arms, self.frame, self.rest, positions[self.bodies], angles[self.bodies])

    def and_more(self, more: BondTable) -> BondTable:
        """These bonds, and others behind them."""
        return BondTable(*(np.concatenate([mine, new]) for mine, new in zip(self, more, strict=True)))


def bonded_pairs(pairs: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Ids (m, 2) of the bodies of joints, whose pairs count through `ids` (n,); SceneError where there are none, or others."""
    numbers = np.array(pairs)
    if numbers.ndim != 2 or numbers.shape[1:] != (2,) or numbers.dtype.kind not in "iu":
        raise SceneError(f"bond: pairs of the joints must be whole numbers (m, 2), not {numbers.dtype} {numbers.shape}")
    if len(numbers) == 0:
        raise SceneError("bond: no two of these bodies are near enough to be bonded: give a larger gap, or other bodies")
    if numbers.min() < 0 or numbers.max() >= len(ids):
        raise SceneError(f"bond: joints name grain {numbers.max()}, and there are {len(ids)} bodies: give those of the packing")
    found = ids[numbers]
    if (same := np.flatnonzero(found[:, 0] == found[:, 1])).size:
        raise SceneError(f"bond: joint {same[0]} holds body {found[same[0], 0]} to itself")
    return found.astype(np.int64)


def made_of(bond: Bond, joined: Any, bodies: np.ndarray, positions: np.ndarray, angles: np.ndarray) -> BondTable:
    """Bonds at joints, of bodies (m, 2) that lie at `positions` (n, 2) with `angles` (n,)."""
    points, normals, widths, lengths, shifts = checked(joined, len(bodies))
    first, second = bodies.T
    beta = np.arctan2(normals[:, 1], normals[:, 0])
    turn = np.array([[np.cos(beta), np.sin(beta)], [-np.sin(beta), np.cos(beta)]]).transpose(2, 0, 1)
    ways = np.stack([points - positions[first], points - positions[second] - shifts], axis=1)
    shear = bond.young if bond.shear is None else bond.shear
    stiffness = np.stack([bond.young * widths, shear * widths, bond.young * widths**3 / 12.0], axis=1) / lengths[:, None]
    strength = (bond.tensile_strength, bond.shear_strength, bond.friction, bond.bending_share)
    return BondTable(
        bodies,
        np.einsum("mab,mkb->mka", turn, ways),
        beta - 0.5 * (angles[first] + angles[second]),
        angles[second] - angles[first],
        shifts,
        widths,
        stiffness,
        np.tile(np.array(strength, float), (len(bodies), 1)),
        np.full(len(bodies), float(bond.damping)),
    )


def checked(joined: Any, count: int) -> tuple[np.ndarray, ...]:
    """Points, normals, widths, lengths and shifts of joints; SceneError where one cannot be."""
    shapes = {"points": (count, 2), "normals": (count, 2), "widths": (count,), "lengths": (count,), "shifts": (count, 2)}
    found = []
    for name, shape in shapes.items():
        array = np.array(getattr(joined, name), float)
        if array.shape != shape or not np.isfinite(array).all():
            raise SceneError(f"bond: {name} of the joints must be numbers {shape}, one row for each pair")
        if name in ("widths", "lengths") and (array <= 0.0).any():
            raise SceneError(f"bond: {name} of joint {int(np.argmin(array))} is {array.min()}: it must be positive")
        found.append(array)
    return tuple(found)


def lie(arms: np.ndarray, frame: np.ndarray, rest: np.ndarray, places: np.ndarray, angles: np.ndarray) -> Lying:
    """Where bonds lie between bodies at `places` (m, 2, 2) with `angles` (m, 2); the rest as in `BondTable`."""
    beta, half = frame + 0.5 * angles.sum(axis=1), 0.5 * (angles[:, 1] - angles[:, 0] - rest)
    first, second = turned(arms[:, 0], beta - half), turned(arms[:, 1], beta + half)
    return Lying(places[:, 0] + first, np.stack([np.cos(beta), np.sin(beta)], axis=1), first, second)


def turned(vectors: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Vectors (m, 2), each turned by an angle (m,)."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)


def stored_bonds(bonds: BondTable) -> dict[str, np.ndarray]:
    """Bonds as arrays of a stored scene, `bond_bodies` and so on; nothing where there are none."""
    return {f"bond_{name}": array for name, array in bonds._asdict().items()} if bonds.size else {}


def bonds_in(stored: Any) -> BondTable:
    """The bonds of a stored scene."""
    if "bond_bodies" not in stored:
        return BondTable.empty()
    return BondTable(*(np.asarray(stored[f"bond_{name}"]) for name in BondTable._fields))
