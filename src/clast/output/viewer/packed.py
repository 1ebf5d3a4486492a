"""Arrays as compact binary for the page: rounded to what the eye can see, differences in time, bytes by significance, deflated.

A block is deflated (zlib) and holds the length of its head (uint32, little-endian), the head (JSON) and the bytes of its arrays:

    steps    (f, …) rounded to multiples of `unit`; what is kept are differences from frame to frame (of second order where
             those are smaller), as unsigned integers whose low bit is the sign, the lowest bytes of all first
    halves   numbers of half precision times `unit`: three digits over nine powers of ten
    raw      as they are: float32, uint32, int8, uint8

`viewer/src/blocks.ts` reads them.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
RAW = {"float32": "<f4", "uint32": "<u4", "int8": "i1", "uint8": "u1"}
LEVEL = 6  # of deflating
LARGEST_HALF = 2.0**15
MOST_STEPS = 2**29  # beyond which differences would leave 32 bits


class Block:
    """A block while it is filled."""

    def __init__(self, **facts: Any) -> None:
        self._head: dict[str, Any] = {**facts, "arrays": {}}
        self._bytes: list[bytes] = []

    def _put(self, name: str, content: bytes, **facts: Any) -> None:
        self._head["arrays"][name] = {**facts, "bytes": len(content)}
        self._bytes.append(content)

    def steps(self, name: str, values: Array, unit: float) -> None:
        """Values (f, …) to the nearest multiple of `unit`, close to each other in successive rows."""
        whole = np.rint(np.asarray(values, np.float64) / unit)
        whole = np.clip(np.nan_to_num(whole), -MOST_STEPS, MOST_STEPS).astype(np.int64)
        rows = whole.reshape(len(whole), math.prod(whole.shape[1:]))
        first = np.diff(rows, axis=0, prepend=0)
        second = np.diff(first, axis=0, prepend=0)
        order = 2 if len(rows) > 2 and np.abs(second[2:]).sum() < np.abs(first[2:]).sum() else 1
        chosen = (second if order == 2 else first).ravel()
        unsigned = np.where(chosen < 0, -2 * chosen - 1, 2 * chosen).astype("<u4")
        planes = planes_of(unsigned)
        self._put(name, planes.tobytes(), kind="steps", shape=list(whole.shape), unit=unit, order=order, planes=len(planes))

    def halves(self, name: str, values: Array) -> None:
        """Values of any size to three digits; what is smaller than 1e-9 of the largest is lost."""
        finite = np.nan_to_num(np.asarray(values, np.float64), posinf=0.0, neginf=0.0)
        unit = float(np.abs(finite).max(initial=0.0)) / LARGEST_HALF or 1.0
        bits = (finite / unit).astype("<f2").view("<u2")
        content = planes_of(bits.ravel().astype("<u4"), 2).tobytes()
        self._put(name, content, kind="halves", shape=list(finite.shape), unit=unit)

    def raw(self, name: str, values: Array, kind: str) -> None:
        """Values as they are, `kind` one of `RAW`."""
        content = np.ascontiguousarray(values, dtype=RAW[kind])
        self._put(name, content.tobytes(), kind=kind, shape=list(content.shape))

    def packed(self, level: int = LEVEL) -> bytes:
        """The block as bytes."""
        head = json.dumps(self._head, separators=(",", ":"), allow_nan=False).encode()
        return zlib.compress(b"".join([len(head).to_bytes(4, "little"), head, *self._bytes]), level)


def planes_of(values: Array, least: int = 1) -> Array:
    """Bytes (p, m) of unsigned integers (m,), the lowest first; as many as the largest needs."""
    largest = int(values.max(initial=0))
    count = max(least, (largest.bit_length() + 7) // 8)
    return np.ascontiguousarray(values.view(np.uint8).reshape(-1, 4)[:, :count].T)


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Head and arrays of a block: what the page makes of it."""
    whole = zlib.decompress(content)
    length = int.from_bytes(whole[:4], "little")
    head = json.loads(whole[4 : 4 + length])
    at, arrays = 4 + length, {}
    for name, facts in head["arrays"].items():
        arrays[name] = array_of(facts, whole[at : at + facts["bytes"]])
        at += facts["bytes"]
    return head, arrays


def array_of(facts: Mapping[str, Any], content: bytes) -> Array:
    """One array of a block."""
    shape = facts["shape"]
    if facts["kind"] in RAW:
        return np.frombuffer(content, RAW[facts["kind"]]).reshape(shape)
    count = int(np.prod(shape))
    planes = facts.get("planes", 2)
    whole = np.zeros((count, 4), np.uint8)
    whole[:, :planes] = np.frombuffer(content, np.uint8).reshape(planes, count).T
    values = whole.view("<u4").ravel()
    if facts["kind"] == "halves":
        return (values.astype("<u2").view("<f2").astype(np.float64) * facts["unit"]).reshape(shape)
    signed = np.where(values & 1, -(values >> 1).astype(np.int64) - 1, (values >> 1).astype(np.int64))
    rows = signed.reshape(shape[0], math.prod(shape[1:]))
    for _ in range(facts["order"]):
        rows = np.cumsum(rows, axis=0)
    return (rows * facts["unit"]).reshape(shape)
