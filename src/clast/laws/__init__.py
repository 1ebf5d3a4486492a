"""Contact record → force, history, energies. One file is one law."""

from clast.laws.cohesion import Cohesion
from clast.laws.hertz import Hertz
from clast.laws.hertz_mindlin import HertzMindlin
from clast.laws.law import Contact, Law, Memory, Response
from clast.laws.linear import Linear
from clast.laws.overlap import Overlap
from clast.laws.overlap_energy import OverlapEnergy
from clast.laws.overlap_volume import OverlapVolume
from clast.laws.own import OwnLaw
from clast.laws.rolling import Rolling

__all__ = [
    "Cohesion",
    "Contact",
    "Hertz",
    "HertzMindlin",
    "Law",
    "Linear",
    "Memory",
    "Overlap",
    "OverlapEnergy",
    "OverlapVolume",
    "OwnLaw",
    "Response",
    "Rolling",
]
