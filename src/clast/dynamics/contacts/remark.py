"""A remark about a compiled law: whether its contacts are computed side by side."""

from types import ModuleType

from clast.backend.instructions import instructions_of
from clast.dynamics.contacts.blocks import flush_of
from clast.laws.law import Law

SLOWER = "it works, but more slowly; see docs/your-own-law.md."


def remark_on(law: Law, kernels: ModuleType) -> str:
    """One sentence if the block of contacts of these kernels, or a part of it, goes one contact after the other; else "".

    Kernels without blocks (Gear's method, sharp bodies) have no routine to look at, and nothing to remark.
    """
    name, found = type(law).__name__, instructions_of(kernels.advance, flush_of)
    calls = " and ".join(sorted({call for each in found for call in each.calls}))
    if any(each.single > each.packed for each in found):
        why = "its compiled block has no packed roots or products" + (f", and calls {calls}" if calls else "")
        return f"The law {name} is computed for one contact after the other ({why}): {SLOWER}"
    if calls:
        return f"The law {name} calls {calls} for one contact after the other, not for several at once: {SLOWER}"
    return ""
