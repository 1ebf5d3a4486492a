"""What is read off a run: `stress = Stress().compute(run)`, then `stress.p`, `stress.plot()`. One file is one measure."""

from clast.measures.band import BandAngle
from clast.measures.chains import ForceChains
from clast.measures.coordination import Coordination
from clast.measures.displacement import Displacement
from clast.measures.fabric import Fabric
from clast.measures.force_distribution import ForceDistribution
from clast.measures.loops import Loops
from clast.measures.quasi_static import QuasiStatic
from clast.measures.region import Region, Walls
from clast.measures.strain import Strain
from clast.measures.strain_field import StrainField
from clast.measures.stress import Stress
from clast.measures.void_ratio import VoidRatio

__all__ = [
    "BandAngle",
    "Coordination",
    "Displacement",
    "Fabric",
    "ForceChains",
    "ForceDistribution",
    "Loops",
    "QuasiStatic",
    "Region",
    "Strain",
    "StrainField",
    "Stress",
    "VoidRatio",
    "Walls",
]
