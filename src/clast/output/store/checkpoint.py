"""The state a run continues from. Replacing this file is what commits a checkpoint."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clast.errors import StoreError
from clast.output.store.atomic import write_whole
from clast.output.store.files import CHECKPOINT_FILE, new_file, open_file
from clast.output.store.values import Array, check_name, checked_array, to_json

IN_FILES = {"mid_step": "late"}  # names of arrays in files, where a run has other names for them
IN_A_RUN = {written: name for name, written in IN_FILES.items()}


@dataclass(frozen=True)
class Checkpoint:
    """Everything the engine handed over at `step` and `time`, bit for bit, and the number of parts saved by then."""

    step: int
    time: float
    arrays: dict[str, Array]
    scalars: dict[str, Any]
    parts: int


@dataclass(frozen=True)
class Mark:
    """What a checkpoint commits, without its arrays: cheap to read."""

    step: int
    time: float
    parts: int


def prepare_checkpoint(step: int, time: float, arrays: Mapping[str, Any], scalars: Mapping[str, Any], parts: int) -> Checkpoint:
    """Check and copy what goes into a checkpoint, before anything touches the disk.

    Arrays: bool, integer, float, any shape. Scalars: numbers (integers of any size, as random generators have them)
    and text. StoreError naming the entry that is not finite or of another type.
    """
    where = f"checkpoint at step {step}"
    for name in (*arrays, *scalars):
        check_name(name, where)
    copies = {name: checked_array(name, value, where) for name, value in arrays.items()}
    moment = float(checked_array("time", float(time), where))
    plain_scalars = json.loads(to_json(scalars, where))
    return Checkpoint(operator.index(step), moment, copies, plain_scalars, parts)


def write_checkpoint(folder: Path, checkpoint: Checkpoint, run_id: str) -> None:
    """Replace the checkpoint of the run in `folder` atomically."""
    checkpoint = _named(checkpoint, IN_FILES)

    def fill(path: Path) -> None:
        scalars = to_json(checkpoint.scalars, "checkpoint")
        with new_file(path, "checkpoint", run_id) as file:
            file.attrs["step"] = checkpoint.step
            file.attrs["time"] = checkpoint.time
            file.attrs["parts"] = checkpoint.parts
            file.attrs["checksum"] = _checksum(checkpoint)
            file["scalars"] = scalars
            group = file.create_group("arrays")
            for name, array in checkpoint.arrays.items():
                group.create_dataset(name, data=array)  # not compressed: written often, read once

    write_whole(folder / CHECKPOINT_FILE, fill)


def read_mark(folder: Path, run_id: str) -> Mark | None:
    """What the checkpoint in `folder` commits; None if there is none yet. StoreError if it is of another run."""
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return None
    with open_file(path, "checkpoint", run_id) as file:
        return Mark(int(file.attrs["step"]), float(file.attrs["time"]), int(file.attrs["parts"]))


def read_checkpoint(folder: Path, run_id: str) -> Checkpoint | None:
    """The checkpoint in `folder`; None if there is none yet.

    StoreError if the content does not match its checksum (a failing disk; a kill cannot do that).
    """
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return None
    with open_file(path, "checkpoint", run_id) as file:
        try:
            checkpoint = Checkpoint(
                step=int(file.attrs["step"]),
                time=float(file.attrs["time"]),
                arrays={name: file["arrays"][name][...] for name in file["arrays"]},
                scalars=json.loads(file["scalars"].asstr()[()]),
                parts=int(file.attrs["parts"]),
            )
            intact = file.attrs["checksum"] == _checksum(checkpoint)
        except (OSError, KeyError, RuntimeError, ValueError):
            intact = False
    if not intact:
        raise StoreError(f"{path} is damaged (checksum does not match): restore it, or start again with --overwrite")
    return _named(checkpoint, IN_A_RUN)


def _named(checkpoint: Checkpoint, names: Mapping[str, str]) -> Checkpoint:
    """The same with other names of arrays."""
    return replace(checkpoint, arrays={names.get(name, name): array for name, array in checkpoint.arrays.items()})


def _checksum(checkpoint: Checkpoint) -> str:
    digest = hashlib.blake2b(digest_size=16)
    head = [checkpoint.step, checkpoint.time, checkpoint.parts, checkpoint.scalars]
    digest.update(json.dumps(head, sort_keys=True).encode())
    for name, array in sorted(checkpoint.arrays.items()):
        digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
