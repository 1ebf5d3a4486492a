"""The bonds of a scene in the tables of a run: laid out, put in order again when rows change places, and how stiff they are.

They are a fixed list in the order of the scene, and each body adds up its own in that order: sums do not depend on rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics.arrays import Bonds, Model, Tags
from clast.dynamics.plane.bonds import (
    ACROSS,
    ALONG,
    ARM_IX,
    ARM_JX,
    BENDING,
    BROKEN,
    CONSTANT,
    CUT,
    FATE,
    FRAME,
    FRICTION,
    HOW,
    PER_FORCE,
    PER_MOMENT,
    REST,
    ROW,
    SHEAR,
    SHIFT_X,
    SLOW_ACROSS,
    SLOW_ALONG,
    SLOW_BENDING,
    TENSILE,
)
from clast.scene.bonds import BondTable


def lay_out_bonds(scene: Any, order: np.ndarray, model: Model, state: Any) -> tuple[Any, Any]:
    """The bonds of a scene for bodies that stand in this order, and a state that has room for what becomes of them; an empty
    tuple and the same state where there are none."""
    table: BondTable = scene.bonds
    if table.size == 0:
        return (), state
    link = np.argsort(order)[table.bodies]
    fate = np.zeros((table.size, FATE))
    fate[:, BROKEN] = -1.0
    first, of = incidence(link, order.size)
    constant = constants_of(table, link, model)
    return Bonds(link, constant, np.zeros((table.size, ROW)), first, of), state._replace(bond=fate)


def constants_of(table: BondTable, link: np.ndarray, model: Model) -> np.ndarray:
    """Rows of Bonds.constant."""
    c = np.zeros((table.size, CONSTANT))
    c[:, ARM_IX : ARM_IX + 2], c[:, ARM_JX : ARM_JX + 2] = table.arms[:, 0], table.arms[:, 1]
    c[:, FRAME], c[:, REST], c[:, SHIFT_X : SHIFT_X + 2] = table.frame, table.rest, table.shift
    c[:, ALONG : BENDING + 1] = table.stiffness
    with np.errstate(divide="ignore"):
        mass = 1.0 / model.contact_inverse_mass[link].sum(axis=1)
        inertia = 1.0 / model.contact_inverse_inertia[link].sum(axis=1)
    for slow, along, weight in ((SLOW_ALONG, ALONG, mass), (SLOW_ACROSS, ACROSS, mass), (SLOW_BENDING, BENDING, inertia)):
        c[:, slow] = 2.0 * table.damping * np.sqrt(c[:, along] * np.where(np.isfinite(weight), weight, 0.0))
    c[:, PER_FORCE], c[:, PER_MOMENT] = 1.0 / table.width, 6.0 * table.strength[:, 3] / table.width**2
    c[:, TENSILE], c[:, SHEAR], c[:, FRICTION] = table.strength[:, :3].T
    return c


def incidence(link: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """`first` and `of` of `Bonds`, for so many rows of bodies."""
    ends = link.reshape(-1)
    of = np.argsort(ends, kind="stable").astype(np.int64)
    return np.searchsorted(ends[of], np.arange(rows + 1)).astype(np.int64), of


def reordered(bonds: Any, new_row: np.ndarray) -> Any:
    """The same bonds where row k of the bodies has become new_row[k]."""
    if not bonds:
        return bonds
    link = new_row[bonds.link].astype(np.int64)
    first, of = incidence(link, new_row.size)
    return bonds._replace(link=link, first=first, of=of)


def take_over_fates(new: Any, old: Any, gone: np.ndarray) -> None:
    """Let the bonds of `new`, an engine, be as those of `old`, which are the first of them; one of which one body takes no part
    (`gone`, ids) is cut. Its energy goes to whoever took the body away."""
    if not new.bonds:
        return
    fate = new.state.bond
    if old.bonds:
        fate[: len(old.bonds.link)] = old._seen_state.bond
    out = np.isin(new.order[new.bonds.link], gone)
    cut = (out[:, 0] != out[:, 1]) & (fate[:, BROKEN] < 0.0)
    fate[cut, BROKEN], fate[cut, HOW] = float(old.step), CUT


def whole(bonds: Any, state: Any) -> np.ndarray:
    """Rows (k, 2) of the bodies of bonds that hold."""
    return bonds.link[state.bond[:, BROKEN] < 0.0] if bonds else np.zeros((0, 2), np.int64)


def squared_frequencies(model: Model, tags: Tags, moving: int, bonds: Any) -> tuple[float, float]:
    """Of the swings of bodies that bonds hold, ω²: one that no mode exceeds, and one that some mode reaches.

    U ≤ ½ k_t |δ|² + ½ k_b e², and δ and e of a bond are at most twice what either body alone makes of them: so ω² is at most
    2 Σ [k_t (1/m + l²/I) + k_b/I] over the bonds of a body; and at least ½ Σ (k_n + k_s)/m, the mean of moving it alone along
    two axes.
    """
    if not bonds:
        return 0.0, 0.0
    gives_way = np.zeros((len(model.inverse_mass), 2))
    gives_way[:moving] = 1.0
    axes = len(model.period)
    tagged = gives_way[moving - len(tags.imposed) : moving]
    tagged[:, 0] = tags.imposed[:, :axes].min(axis=1) == 0
    tagged[:, 1] = tags.imposed[:, axes:].min(axis=1) == 0
    shifts, turns = gives_way[:, 0] * model.inverse_mass, gives_way[:, 1] * model.inverse_inertia
    c, most, least = bonds.constant, np.zeros(len(shifts)), np.zeros(len(shifts))
    for side, arm in ((0, ARM_IX), (1, ARM_JX)):
        rows = bonds.link[:, side]
        across, square = np.maximum(c[:, ALONG], c[:, ACROSS]), (c[:, arm : arm + 2] ** 2).sum(axis=1)
        np.add.at(most, rows, 2.0 * (across * (shifts[rows] + square * turns[rows]) + c[:, BENDING] * turns[rows]))
        np.add.at(least, rows, 0.5 * (c[:, ALONG] + c[:, ACROSS]) * shifts[rows])
    free = gives_way[:, 0] > 0.0
    return float(most.max(initial=0.0)), float(least[free].max(initial=0.0))
