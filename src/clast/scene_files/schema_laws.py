"""The keys of laws in a scene file, made from the laws themselves: all in `clast.laws` that have a `kind`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce
from inspect import get_annotations
from operator import or_
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from clast.keys import keys_of
from clast.laws import by_kind
from clast.laws.cohesion import Cohesion
from clast.laws.law import Law
from clast.laws.rolling import Rolling
from clast.laws.turning import Turning
from clast.scene_files.declared import MAKERS, first_sentence, new_table, table_of
from clast.scene_files.tables import Keys

LAWS = list(by_kind().values())


@cache
def table_of_law(law: type[Law]) -> type[Keys]:
    """The table of a law, or of what several have in common: its own keys on top of those of its parent."""
    parent = next(each for each in law.__mro__[1:] if is_shared(each))
    alone = law is Law or (parent is Law and law.needs_volume)  # sharp solids have neither rolling resistance nor cohesion
    if "from_keys" in vars(law) and law is not Law:
        keys = keys_of(law.from_keys)
    else:
        between = law.__mro__[: law.__mro__.index(parent)]
        keys = {name: each for name, each in keys_of(law).items() if any(name in get_annotations(kin) for kin in between)}
    words = f"{first_sentence(law)} (`{law.module}`)." if law.kind else f"{who_shares(law)} these as well."
    made = new_table(f"{law.__name__}Keys", Keys if alone else table_of_law(parent), words, keys, (law.kind, law.known_as))
    MAKERS[made] = law.from_keys
    return made


def is_shared(law: type) -> bool:
    """Whether all laws, or all of rounded or of sharp solids, have this parent: then what they share is a table of its own."""
    if not issubclass(law, Law):
        return True
    return all(issubclass(each, law) for each in LAWS if law is Law or each.needs_volume is law.needs_volume)


def who_shares(law: type[Law]) -> str:
    """Who has the keys of a parent of laws."""
    number = sum(issubclass(each, law) for each in LAWS)
    return "Every law takes" if law is Law else "Both take" if number == 2 else "All of them take"


def with_shared(laws: Iterable[type[Law]]) -> list[type[Keys]]:
    """The tables of laws, and after them those of what they have in common."""
    tables = [table_of_law(law) for law in laws]
    shared = [base for each in tables for base in each.__mro__[1:] if issubclass(base, Keys) and base is not Keys]
    return list(dict.fromkeys([*tables, *shared]))


ROUNDED, SHARP = ([law for law in LAWS if law.needs_volume is sharp] for sharp in (False, True))
ON_TOP = [table_of(Rolling), table_of(Cohesion)]
ON_SHARP = [table_of(Turning)]

if TYPE_CHECKING:
    LawKeys = Keys
    SpaceLawKeys = Keys
else:
    LawKeys = Annotated[reduce(or_, map(table_of_law, ROUNDED)), Field(discriminator="kind")]
    SpaceLawKeys = Annotated[reduce(or_, map(table_of_law, LAWS)), Field(discriminator="kind")]
