"""A grid of threads on a GPU, as one more way to run passes: tables in its memory, and graphs of launches recorded once.

A graph is a list of launches that is run many times, captured once and begun by one call, because a launch from Python costs
more than most of what it starts. What changes from run to run stands in tables: a launch reads there how far it goes.

With `NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` the same runs in numba's simulator, thread after thread, for tests.
"""

import ctypes
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
from numba import typeof

from clast.backend.cache_folder import cache_folder, is_private_file, written_whole
from clast.backend.device import PLAIN
from clast.errors import InputError

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
BLOCK = 64  # threads of a block: registers are scarce, and 256 take half again as long; fewer registers spill
MOST_THREADS = 1 << 21  # of one launch; what goes further is taken in turns
cuda: Any = None  # the module of numba for GPUs, once `bring_cuda` has imported it
ROOMY_THREADS = 1 if SIMULATED else 1 << 15  # of a launch whose threads need room of their own in a table


def bring_cuda() -> Any:
    """The module of numba for GPUs, as `cuda` of this module: the simulator looks for that name. It takes a while to import."""
    global cuda
    from numba import cuda as module

    cuda = module
    return cuda


@cache
def why_not() -> str:
    """Why there is no GPU to be used here: a sentence, or "" where there is one."""
    if SIMULATED:
        return "" if PLAIN else "the simulator of CUDA runs with NUMBA_DISABLE_JIT=1 only"
    os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
    try:
        import numba_cuda  # noqa: F401  # numba's own target for GPUs is no longer kept up
    except ImportError:
        return "the package numba-cuda is missing: pip install 'clast[cuda]'"
    try:
        found = bring_cuda().is_available()
    except Exception as error:  # whatever a broken driver raises
        return f"CUDA does not start ({type(error).__name__}): is the driver installed?"
    return "" if found else "no NVIDIA GPU or no driver was found"


def check_grid() -> None:
    """InputError with the reason and the cure where no GPU can be used."""
    if reason := why_not():
        raise InputError(f'device = "cuda": {reason}; device = "cpu" runs everywhere')


class Kernel:
    """What every thread of a launch runs: `one_pass(q, thread, job)` for every q below the number that stands at counts[at]. One
    thread may take several q. Counts and job come as one argument: of an array by itself the simulator would make a copy.

    Machine code is made for the arguments of the first launch, or taken from disk: `made_of` stands for all that is compiled.
    """

    def __init__(self, one_pass: Callable[..., Any], name: str, made_of: str) -> None:
        bring_cuda()

        def launch(counts_and_job, at):
            counts, job = counts_and_job
            first, stride = cuda.grid(1), cuda.gridsize(1)
            for q in range(first, counts[at], stride):
                one_pass(q, first, job)

        self.name, self._made_of = name, made_of
        self._made: dict[Any, Any] = {}
        self.source = cuda.jit(launch)

    def made_for(self, arguments: tuple[Any, ...]) -> Any:
        """The machine code for arguments of these kinds."""
        kinds = tuple(typeof(each) for each in arguments)
        if kinds not in self._made:
            self._made[kinds] = self._from_disk(kinds)
        return self._made[kinds]

    def _from_disk(self, kinds: tuple[Any, ...]) -> Any:
        """The kernel of a file, which is made where there is none. The file is a line of JSON, then machine code."""
        from cuda.core import ObjectCode

        model = ".".join(str(each) for each in cuda.get_current_device().compute_capability)
        digest = hashlib.sha256(f"{self._made_of} {self.name} {kinds} {model} {version('numba-cuda')} {BLOCK}".encode())
        path = cache_folder() / f"clast_grid_{digest.hexdigest()[:24]}.cubin"
        if not is_private_file(path):
            library = self.source.compile(kinds)._codelibrary
            with written_whole(path) as file:
                file.write(json.dumps({"entry": library._entry_name, "launch": self.name}).encode() + b"\n")
                file.write(bytes(library.get_cubin().code))
        head, code = path.read_bytes().split(b"\n", 1)
        return ObjectCode.from_cubin(code).get_kernel(json.loads(head)["entry"])


def flattened(value: Any) -> list[Any]:
    """An argument as the numbers that machine code takes: of an array two owners (none), size, where it lies, shape, strides."""
    if isinstance(value, tuple):
        return [number for each in value for number in flattened(each)]
    if isinstance(value, bool | np.bool_):
        return [bool(value)]
    if isinstance(value, int | np.integer):
        return [ctypes.c_int64(int(value))]
    if isinstance(value, float):
        return [ctypes.c_double(value)]
    place = value.__cuda_array_interface__["data"][0] or 0
    return [0, 0, value.size, value.dtype.itemsize, place, *value.shape, *value.strides]


def put(record: Any) -> Any:
    """The same record in the memory of the GPU: arrays copied there, tuples of them likewise, numbers as they are."""
    if isinstance(record, np.ndarray):
        return record.copy() if SIMULATED else cuda.to_device(record)
    if isinstance(record, tuple):
        parts = [put(each) for each in record]
        return type(record)(*parts) if hasattr(record, "_fields") else tuple(parts)
    return record


def mirror(record: Any, before: Any, there: Any, copied: Sequence[str]) -> Any:
    """A record of arrays in the memory of the GPU, one for each array of `record` and as large.

    before, there   an earlier record and its mirror, or None: arrays that `record` still has are taken over from `there`
    copied          names of the arrays whose numbers are copied; the others are memory as it happens to be
    """
    made = []
    for name, array in record._asdict().items():
        if before is not None and getattr(before, name) is array:
            made.append(getattr(there, name))
        else:
            made.append(put(array) if name in copied else room_like(array))
    return type(record)(*made)


def room_like(array: np.ndarray) -> Any:
    """Memory of the GPU for as many numbers, as it happens to be."""
    return np.empty_like(array) if SIMULATED else cuda.device_array(array.shape, array.dtype)


def send(source: np.ndarray, target: Any) -> None:
    """Copy an array to where it has a place on the GPU."""
    if SIMULATED:
        target[...] = source
    else:
        target.copy_to_device(source)


def wait_for_copies() -> None:
    """What was sent is there: a copy from memory of the host may go on when the call has come back."""
    if not SIMULATED:
        cuda.synchronize()


def fetch(source: Any, target: np.ndarray) -> None:
    """Copy an array from the GPU to where it has a place."""
    if SIMULATED:
        target[...] = source
    else:
        source.copy_to_host(target)


def memory_in_use() -> int:
    """Bytes of the memory of the GPU that are taken, by whomever."""
    free, whole = (0, 0) if SIMULATED else cuda.current_context().get_memory_info()
    return int(whole - free)


class Launch:
    """A kernel with its arguments, for about so many items, by at most so many threads."""

    def __init__(self, kernel: Kernel, counts: Any, at: int, job: Any, items: int, most: int = MOST_THREADS) -> None:
        self.kernel, self.arguments = kernel, ((counts, job), at)
        self.name = kernel.name
        threads = min(max(items, 1), most)
        self.blocks = 1 if SIMULATED else -(-threads // BLOCK)
        self._ready: tuple[Any, ...] = ()

    def prepare(self) -> None:
        """Have the machine code at hand: nothing may be compiled while launches are recorded."""
        from cuda.core import LaunchConfig

        config = LaunchConfig(grid=self.blocks, block=BLOCK)
        self._ready = config, self.kernel.made_for(self.arguments), *flattened(self.arguments)

    def begin(self, stream: Any) -> None:
        """Have it done after all that was begun before."""
        if SIMULATED:
            self.kernel.source[1, 1](*self.arguments)
            return
        from cuda.core import launch

        launch(stream, *self._ready)


class LaunchGraph:
    """Launches one after the other, `times` times over, recorded once: a graph of CUDA, a list in the simulator."""

    def __init__(self, launches: Sequence[Launch], times: int) -> None:
        self.launches, self.times = list(launches), times
        self._graph: Any = None
        self._stream: Any = None
        if SIMULATED:
            return
        from cuda.core import Device

        device = Device()
        device.set_current()
        self._stream = device.create_stream()
        for launch in self.launches:
            launch.prepare()
        builder = self._stream.create_graph_builder()
        builder.begin_building()
        for _ in range(times):
            for launch in self.launches:
                launch.begin(builder)
        self._graph = builder.end_building().complete()

    def begin(self) -> None:
        """Have it run once, after all that was begun before."""
        if SIMULATED:
            for _ in range(self.times):
                for launch in self.launches:
                    launch.begin(None)
        else:
            self._graph.launch(self._stream)

    def finish(self) -> None:
        """Wait until all that was begun is done."""
        if not SIMULATED:
            self._stream.sync()


def times_in_turn(launches: Sequence[Launch], last: Launch | None, prepare: Callable[[], None], times: int) -> dict[str, float]:
    """Seconds that each launch takes, by its name: the time of the launches up to it and `last`, less that without it.

    last      goes behind the others each time: it lets the next round begin
    prepare   called before each measurement
    times     rounds of a measurement, of which the shortest of five counts
    """
    found: dict[str, float] = {}
    before = 0.0
    for count in range(len(launches) + 1):
        chosen = [*launches[:count], *([last] if last is not None else [])]
        if not chosen:
            continue
        graph, took = LaunchGraph(chosen, times), []
        for _ in range(5):
            prepare()
            began = time.perf_counter()
            graph.begin()
            graph.finish()
            took.append((time.perf_counter() - began) / times)
        name = launches[count - 1].name if count else chosen[-1].name
        found[name], before = found.get(name, 0.0) + min(took) - before, min(took)
    return found
