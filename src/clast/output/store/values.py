"""What may enter a file: arrays and plain values, checked, with the name in every complaint."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clast.errors import StoreError

if TYPE_CHECKING:
    import h5py

Array = NDArray[Any]

_CHUNK_BYTES = 1 << 16
_ITEM_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8)}


def check_name(name: str, where: str, reserved: tuple[str, ...] = (), attribute: bool = False) -> None:
    """Refuse (StoreError) a name that HDF5 would read as a path, or that is taken.

    `attribute`: the name will be read back as an attribute (`frame.positions`), so it must be a Python identifier
    without a leading underscore.
    """
    if not isinstance(name, str) or not name or "/" in name or name == "." or "\0" in name:
        raise StoreError(f"{where}: {name!r} cannot name stored data (it must be text without '/')")
    if name in reserved:
        raise StoreError(f"{where}: the name {name!r} is taken by the store itself")
    if attribute and (not name.isidentifier() or name.startswith("_")):
        raise StoreError(f"{where}: {name!r} is no Python identifier, so it could not be read back as an attribute")


def checked_array(name: str, value: Any, where: str, *, infinite: bool = False) -> Array:
    """A private C-ordered copy of `value` (bool, integer or float of 32 or 64 bits; any shape).

    StoreError naming the array if it is of another type, or holds NaN, or an infinity unless `infinite`. A copy,
    because the engine goes on working in its own arrays.
    """
    array: Array = np.array(value, order="C")
    if array.dtype.itemsize not in _ITEM_SIZES.get(array.dtype.kind, ()):
        raise StoreError(f"{where}: {name!r} has type {array.dtype}, which the store does not keep")
    if array.dtype.kind == "f":
        bad = np.isnan(array) if infinite else ~np.isfinite(array)
        if bad.any():
            first = tuple(int(k) for k in np.argwhere(bad)[0])
            raise StoreError(
                f"{where}: {name!r} is not finite ({int(bad.sum())} of {array.size} values, the first at index {first})"
                if array.ndim
                else f"{where}: {name!r} is not finite ({array})"
            )
    return array


def plain(value: Any, where: str) -> Any:
    """`value` as JSON knows it: numpy scalars and arrays become numbers and lists, tuples lists, all the way down.

    Floats keep their bits through JSON (Python writes the shortest text that reads back the same). StoreError naming
    the entry if it is NaN, infinite, keyed by something else than text, or of a type JSON has no word for.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise StoreError(f"{where} is not finite ({value})")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise StoreError(f"{where}: the key {key!r} is not text")
        return {key: plain(each, f"{where}.{key}") for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, f"{where}[{k}]") for k, each in enumerate(value)]
    raise StoreError(f"{where} is a {type(value).__name__}, which cannot be written as JSON")


def to_json(value: Any, where: str, indent: int | None = None) -> str:
    """JSON text of `value`; see `plain` for what is refused."""
    return json.dumps(plain(value, where), ensure_ascii=False, allow_nan=False, indent=indent)


def put_array(group: h5py.Group, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], growing: bool = False) -> Any:
    """A compressed dataset in an HDF5 `group`, to be filled by the caller; the first axis counts frames or rows.

    `growing`: the first axis may be extended later.

    Measured on moving grains (40 frames of 2000): gzip 1 + shuffle writes 69 MB/s and keeps 0.87 of the size, lzf +
    shuffle 90 MB/s and 0.90, uncompressed 400 MB/s. gzip, because every HDF5 reader (ParaView, MATLAB, h5dump) knows
    it and lzf lives in h5py alone; a frame of 2000 grains costs about 2 ms either way.
    Chunks are whole frames, as frames are read one at a time, but not below 64 KiB: a run of three grains would
    otherwise store more chunk index than data.
    """
    if 0 in shape and not growing:  # HDF5 has no chunks of size zero
        return group.create_dataset(name, shape=shape, dtype=dtype)
    inner = tuple(max(1, size) for size in shape[1:])
    rows = max(1, _CHUNK_BYTES // (math.prod(inner) * dtype.itemsize))
    return group.create_dataset(
        name,
        shape=shape,
        maxshape=(None, *(size or None for size in shape[1:])) if growing else None,
        dtype=dtype,
        chunks=(rows if growing else min(rows, shape[0]), *inner),
        compression="gzip",
        compression_opts=1,
        shuffle=True,
    )
