"""What a checkpoint goes with, as a hash: how a run starts, and everything that stays the same in it."""

import hashlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from clast.backend.meaning import describe_value


def identity_of(arrays: Iterable[np.ndarray], **settings: Any) -> str:
    """A hash of arrays and of settings by name, the same in every process; hexadecimal.

    Of a setting count numbers, texts, arrays, what a function does, and lists, dictionaries and dataclasses of these.
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    describe_value(plain(settings), digest, {})
    return digest.hexdigest()


def plain(value: Any) -> Any:
    """The same value for the hash: numbers of any type as float, lists as tuples, records with their names."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, tuple | list):
        return (type(value).__name__, *map(plain, value)) if hasattr(value, "_fields") else tuple(map(plain, value))
    if isinstance(value, dict):
        return tuple((plain(name), plain(value[name])) for name in sorted(value))
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value).__name__, *((each.name, plain(getattr(value, each.name))) for each in fields(value)))
    return value
