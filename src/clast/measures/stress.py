"""Stress of a sample (model §8): from the forces on its walls, and from its contacts (Love-Weber).

    walls      σ_yy = ½ (F_y on top − F_y on bottom) / width          σ_xy = ½ (F_x on top − F_x on bottom) / width, …
    contacts   σ = (1/A) Σ f ⊗ l,   f the force on body j, l from the centre of i to that of j (at a wall: to the contact);
               bonds are among them

In space forces on walls are divided by the area of that side of the sample, contacts by its volume. Compression is positive;
stress is force per length in the plane, force per area in space. σ_ab is the force along a on a face normal to b. In a packing
at rest without gravity both have the same normal stresses; while it moves they differ by what accelerates the grains. Shear is
another matter: smooth walls that cannot turn carry none, yet press unevenly, and the moments of their pressures are part of the
mean stress inside. That part is the smaller the more grains there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.algebra.tensors import major_angle, major_axis, mean_value, mohr_radius, principal_values, symmetric
from clast.errors import InputError
from clast.measures.bonded import bonds_of, virial_of_bonds
from clast.measures.measure import Measure
from clast.measures.region import Region, Walls
from clast.measures.stored import Array, StoredRun, is_periodic, letters, samples, wall_samples
from clast.measures.strain import Strain
from clast.measures.touching import contacts_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Stress(Measure):
    """Stress tensor over time.

    source   "contacts" (Love-Weber, from the sums stored at samples or the tables stored at frames) or "walls"
    walls    names of the walls around the sample; along a periodic side none are needed
    at       "samples" or "frames"; forces on walls are kept at samples only
    kinetic  with what the motion of the grains against the flow carries, Σ m u ⊗ u; of a sheared cell, at samples

    After `compute(run)`: time (k,), tensor (k, d, d) [force/length, in space force/area], and all (k,):

    xx xy yx yy, in space xz yz zx zy zz too    the components
    sigma_1, sigma_3, in space sigma_2          principal stresses, σ₁ the largest
    p             their mean: (σ₁ + σ₃)/2, in space (σ₁ + σ₂ + σ₃)/3
    q             (σ₁ − σ₃)/2, the radius of Mohr's circle; in space σ₁ − σ₃, the deviator of a triaxial test
    difference    σ₁ − σ₃ in both
    sin_phi       (σ₁ − σ₃)/(σ₁ + σ₃) in both, the sine of the mobilised friction angle; phi_degrees, that angle
    direction     of σ₁: its angle from the x axis [radians, 0 … π]; in space a unit vector (k, 3)

    With source="walls" `on_wall[name]` (k, d): pressure on that wall, and shear along the other axes in their order (towards
    +x, or +y on a side wall, as the sample pushes it).
    """

    def __init__(
        self,
        source: str = "contacts",
        *,
        walls: Walls = Walls(),  # noqa: B008  (a tuple of texts)
        at: str = "samples",
        kinetic: bool = False,
    ) -> None:
        if source not in ("contacts", "walls"):
            raise InputError(f'Stress: source = "{source}" must be "contacts" or "walls"')
        if source == "walls" and at != "samples":
            raise InputError('Stress: forces on walls are stored at samples only; give at="samples" or source="contacts"')
        if kinetic and (source != "contacts" or at != "samples"):
            raise InputError('Stress: the kinetic part is kept at samples; leave source="contacts" and at="samples"')
        self.source, self.walls, self.at, self.kinetic = source, walls, at, kinetic

    def compute(self, run: StoredRun) -> Stress:
        """Compute from a run; returns itself. InputError names what the run lacks."""
        self.region = Region(self.walls, at=self.at).compute(run)
        self.time = self.region.time
        self.on_wall: dict[str, Array] = {}
        self._letters = letters(run)
        self.tensor = self._from_walls(run) if self.source == "walls" else self._from_contacts(run)
        return self

    def _from_walls(self, run: StoredRun) -> Array:
        """Means of opposite walls (k, d, d); NaN on faces that are periodic."""
        axes = len(self._letters)
        tensor = np.full((len(self.time), axes, axes), np.nan)
        periodic = is_periodic(run)
        if periodic.all():
            raise InputError('the sample is periodic on all sides and has no walls: use Stress(source="contacts")')
        for axis in np.flatnonzero(~periodic):
            size = self.region.across(int(axis))
            along = [axis, *(other for other in range(axes) if other != axis)]
            outwards = []
            for name, side in zip(self.walls.along(int(axis), axes), (-1.0, 1.0), strict=True):
                force = np.stack([wall_samples(run, name, f"force_{each}") for each in self._letters], axis=1) / size[:, None]
                self.on_wall[name] = force[:, along] * np.array([side, *[1.0] * (axes - 1)])
                outwards.append(side * force)
            tensor[:, :, axis] = 0.5 * (outwards[0] + outwards[1])
        return tensor

    def _from_contacts(self, run: StoredRun) -> Array:
        """Love-Weber (k, d, d)."""
        if self.at == "frames":
            virial = np.array([contacts_at(run, k, gaps=True).virial for k in range(len(self.time))])
            if bonds_of(run).size:
                virial += np.array([virial_of_bonds(run, k) for k in range(len(self.time))])
        else:
            rows = [[samples(run, f"virial_{a}{b}") for b in self._letters] for a in self._letters]
            virial = np.moveaxis(np.array(rows), -1, 0)
        if self.kinetic:
            if "kinetic_xx" not in run.series:
                raise InputError("Stress: kinetic = True needs a run in a sheared cell: others do not keep what motion carries")
            rows = [[samples(run, f"kinetic_{a}{b}") for b in self._letters] for a in self._letters]
            virial = virial + np.moveaxis(np.array(rows), -1, 0)
        return virial / self.region.size[:, None, None]

    @property
    def xx(self) -> Array:
        """Normal stress along x."""
        return self.tensor[:, 0, 0]

    @property
    def xy(self) -> Array:
        """Force along x on a face normal to y."""
        return self.tensor[:, 0, 1]

    @property
    def yx(self) -> Array:
        """Force along y on a face normal to x."""
        return self.tensor[:, 1, 0]

    @property
    def yy(self) -> Array:
        """Normal stress along y."""
        return self.tensor[:, 1, 1]

    @property
    def xz(self) -> Array:
        """Force along x on a face normal to z, in space."""
        return self._upwards()[:, 0, 2]

    @property
    def yz(self) -> Array:
        """Force along y on a face normal to z, in space."""
        return self._upwards()[:, 1, 2]

    @property
    def zx(self) -> Array:
        """Force along z on a face normal to x, in space."""
        return self._upwards()[:, 2, 0]

    @property
    def zy(self) -> Array:
        """Force along z on a face normal to y, in space."""
        return self._upwards()[:, 2, 1]

    @property
    def zz(self) -> Array:
        """Normal stress along z, in space."""
        return self._upwards()[:, 2, 2]

    def _upwards(self) -> Array:
        """The tensor, if it has components along z; InputError in the plane."""
        if self.tensor.shape[1] == 2:
            raise InputError("the run is in the plane: its stress has the components xx, xy, yx and yy only")
        return self.tensor

    @property
    def symmetric(self) -> Array:
        """Symmetric part of the tensor (k, d, d); InputError where a periodic side leaves part of it unknown."""
        if np.isnan(self.tensor).any():
            part = "two sides tell half" if self.tensor.shape[1] == 2 else "some sides tell part"
            raise InputError(f'walls on {part} of the stress only: use Stress(source="contacts") for p, q, σ₁, σ₃')
        return symmetric(self.tensor)

    @property
    def p(self) -> Array:
        """(σ₁ + σ₃)/2, in space (σ₁ + σ₂ + σ₃)/3."""
        return mean_value(self.symmetric)

    @property
    def q(self) -> Array:
        """(σ₁ − σ₃)/2, the radius of Mohr's circle; in space σ₁ − σ₃."""
        both = self.symmetric
        return mohr_radius(both) if both.shape[1] == 2 else 2.0 * mohr_radius(both)

    @property
    def sigma_1(self) -> Array:
        """Major principal stress."""
        return principal_values(self.symmetric)[:, 0]

    @property
    def sigma_2(self) -> Array:
        """Middle principal stress, in space."""
        self._upwards()
        return principal_values(self.symmetric)[:, 1]

    @property
    def sigma_3(self) -> Array:
        """Minor principal stress."""
        return principal_values(self.symmetric)[:, -1]

    @property
    def difference(self) -> Array:
        """σ₁ − σ₃."""
        return 2.0 * mohr_radius(self.symmetric)

    @property
    def direction(self) -> Array:
        """Angle of σ₁ from the x axis [radians], 0 … π: upright is π/2. In space a unit vector (k, 3), its largest component
        positive: upright is (0, 0, 1)."""
        both = self.symmetric
        return major_angle(both) % np.pi if both.shape[1] == 2 else major_axis(both)

    @property
    def sin_phi(self) -> Array:
        """(σ₁ − σ₃)/(σ₁ + σ₃), the sine of the mobilised friction angle (PRE10 eq 24); NaN where nothing presses."""
        both = self.symmetric
        middle = self.p if both.shape[1] == 2 else 0.5 * (self.sigma_1 + self.sigma_3)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(middle > 0.0, mohr_radius(both) / middle, np.nan)

    @property
    def phi_degrees(self) -> Array:
        """The mobilised friction angle φ in degrees."""
        return np.degrees(np.arcsin(np.clip(self.sin_phi, -1.0, 1.0)))

    def plot(self, axes: Axes | None = None, *, against: Strain | None = None) -> Figure | SubFigure:
        """p, q, or what walls on two sides know, over time, or against the axial strain; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        if np.isnan(self.tensor).any():
            curves = {
                rf"$\sigma_{{{a}{b}}}$": self.tensor[:, i, j]
                for j, b in enumerate(self._letters)
                for i, a in enumerate(self._letters)
                if not np.isnan(self.tensor[:, i, j]).any()
            }
        elif self._letters == "xy":
            curves = {r"$p=(\sigma_1+\sigma_3)/2$": self.p, r"$q=(\sigma_1-\sigma_3)/2$": self.q}
        else:
            curves = {r"$p=(\sigma_1+\sigma_2+\sigma_3)/3$": self.p, r"$q=\sigma_1-\sigma_3$": self.q}
        face = "length" if self._letters == "xy" else "area"
        for name, values in curves.items():
            axes.plot(self.time if against is None else against.axial, values, label=name)
        axes.set(xlabel="time" if against is None else r"axial strain $\varepsilon_a$", ylabel=f"stress (force/{face})")
        axes.legend()
        return axes.figure
