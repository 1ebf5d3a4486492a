"""Stress of a sample (model §8): from the forces on its walls, and from its contacts (Love-Weber).

    walls      σ_yy = ½ (F_y on top − F_y on bottom) / width          σ_xy = ½ (F_x on top − F_x on bottom) / width, …
    contacts   σ = (1/A) Σ f ⊗ l,   f the force on body j, l from the centre of i to that of j (at a wall: to the contact)

Compression is positive; stress is force per length in two dimensions. σ_ab is the force along a on a face normal to b. In a
packing at rest without gravity both have the same normal stresses; while it moves they differ by what accelerates the grains.
Shear is another matter: smooth walls that cannot turn carry none, yet press unevenly, and the moments of their pressures are
part of the mean stress inside. That part is the smaller the more grains there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Region, Walls
from clast.measures.stored import Array, StoredRun, is_periodic, samples, wall_samples
from clast.measures.strain import Strain
from clast.measures.touching import contacts_at


class Stress(Measure):
    """Stress tensor over time.

    source   "contacts" (Love-Weber, from the sums stored at samples or the tables stored at frames) or "walls"
    walls    names of the walls around the sample; along a periodic side none are needed
    at       "samples" or "frames"; forces on walls are kept at samples only

    After `compute(run)`: time (k,) and, all (k,) [force/length], xx, xy, yx, yy, sigma_1, sigma_3, p = (σ₁ + σ₃)/2,
    q = (σ₁ − σ₃)/2, difference = σ₁ − σ₃; direction of σ₁ from the x axis [radians, 0 … π], sin_phi = q/p; and with
    source="walls" `on_wall[name]` (k, 2): pressure on that wall, and shear along it (towards +x, or +y on a side wall, as
    the sample pushes it).
    """

    def __init__(self, source: str = "contacts", *, walls: Walls = Walls(), at: str = "samples") -> None:  # noqa: B008
        if source not in ("contacts", "walls"):
            raise InputError(f'Stress: source = "{source}" must be "contacts" or "walls"')
        if source == "walls" and at != "samples":
            raise InputError('Stress: forces on walls are stored at samples only; give at="samples" or source="contacts"')
        self.source, self.walls, self.at = source, walls, at

    def compute(self, run: StoredRun) -> Stress:
        """Read a run; InputError says what it lacks."""
        self.region = Region(self.walls, at=self.at).compute(run)
        self.time = self.region.time
        self.on_wall: dict[str, Array] = {}
        self._tensor = self._from_walls(run) if self.source == "walls" else self._from_contacts(run)
        return self

    def _from_walls(self, run: StoredRun) -> Array:
        """Means of opposite walls (k, 2, 2); NaN on faces that are periodic."""
        tensor = np.full((len(self.time), 2, 2), np.nan)
        periodic = is_periodic(run)
        if periodic.all():
            raise InputError('the sample is periodic on all sides and has no walls: use Stress(source="contacts")')
        for axis in np.flatnonzero(~periodic):
            length = self.region.height if axis == 0 else self.region.width
            outwards = []
            for name, side in zip(self.walls.along(int(axis)), (-1.0, 1.0), strict=True):
                force = np.stack([wall_samples(run, name, f"force_{each}") for each in "xy"], axis=1) / length[:, None]
                self.on_wall[name] = np.stack([side * force[:, axis], force[:, 1 - axis]], axis=1)
                outwards.append(side * force)
            tensor[:, :, axis] = 0.5 * (outwards[0] + outwards[1])
        return tensor

    def _from_contacts(self, run: StoredRun) -> Array:
        """Love-Weber (k, 2, 2)."""
        if self.at == "frames":
            virial = np.array([contacts_at(run, k, gaps=True).virial for k in range(len(self.time))])
        else:
            rows = [[samples(run, f"virial_{a}{b}") for b in "xy"] for a in "xy"]
            virial = np.moveaxis(np.array(rows), -1, 0)
        return virial / self.region.area[:, None, None]

    @property
    def xx(self) -> Array:
        """Normal stress along x."""
        return self._tensor[:, 0, 0]

    @property
    def xy(self) -> Array:
        """Force along x on a face normal to y."""
        return self._tensor[:, 0, 1]

    @property
    def yx(self) -> Array:
        """Force along y on a face normal to x."""
        return self._tensor[:, 1, 0]

    @property
    def yy(self) -> Array:
        """Normal stress along y."""
        return self._tensor[:, 1, 1]

    @property
    def symmetric(self) -> Array:
        """Symmetric part of the tensor (k, 2, 2); InputError where a periodic side leaves part of it unknown."""
        if np.isnan(self._tensor).any():
            raise InputError('walls on two sides tell half of the stress only: use Stress(source="contacts") for p, q, σ₁, σ₃')
        return 0.5 * (self._tensor + np.swapaxes(self._tensor, 1, 2))

    @property
    def p(self) -> Array:
        """(σ₁ + σ₃)/2."""
        return 0.5 * np.trace(self.symmetric, axis1=1, axis2=2)

    @property
    def q(self) -> Array:
        """(σ₁ − σ₃)/2, the radius of Mohr's circle."""
        both = self.symmetric
        return np.hypot(0.5 * (both[:, 0, 0] - both[:, 1, 1]), both[:, 0, 1])

    @property
    def sigma_1(self) -> Array:
        """Major principal stress."""
        return self.p + self.q

    @property
    def sigma_3(self) -> Array:
        """Minor principal stress."""
        return self.p - self.q

    @property
    def difference(self) -> Array:
        """σ₁ − σ₃."""
        return 2.0 * self.q

    @property
    def direction(self) -> Array:
        """Angle of σ₁ from the x axis [radians], 0 … π: upright is π/2."""
        both = self.symmetric
        return 0.5 * np.arctan2(2.0 * both[:, 0, 1], both[:, 0, 0] - both[:, 1, 1]) % np.pi

    @property
    def sin_phi(self) -> Array:
        """q/p, the sine of the mobilised friction angle (PRE10 eq 24); NaN where nothing presses."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.p > 0.0, self.q / self.p, np.nan)

    @property
    def phi_degrees(self) -> Array:
        """The mobilised friction angle φ in degrees."""
        return np.degrees(np.arcsin(np.clip(self.sin_phi, -1.0, 1.0)))

    def plot(self, axes: Any = None, *, against: Strain | None = None) -> Any:
        """p, q, or what walls on two sides know, over time, or against the axial strain; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        if np.isnan(self._tensor).any():
            known = {r"$\sigma_{xx}$": self.xx, r"$\sigma_{yx}$": self.yx, r"$\sigma_{xy}$": self.xy, r"$\sigma_{yy}$": self.yy}
            curves = {name: values for name, values in known.items() if not np.isnan(values).any()}
        else:
            curves = {r"$p=(\sigma_1+\sigma_3)/2$": self.p, r"$q=(\sigma_1-\sigma_3)/2$": self.q}
        for name, values in curves.items():
            axes.plot(self.time if against is None else against.axial, values, label=name)
        axes.set(xlabel="time" if against is None else r"axial strain $\varepsilon_a$", ylabel="stress (force/length)")
        axes.legend()
        return axes.figure
