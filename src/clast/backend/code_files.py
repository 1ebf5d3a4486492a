"""Machine code on disk: in the checked folder and nowhere else, in files that were looked at before they are read.

Left to itself numba puts its files where NUMBA_CACHE_DIR points, lets the user's mask decide who can write them, and unpickles
whatever it finds. It also takes them for stale when the file of the kernel was written again. The name of a generated module
already contains all that its code depends on, so here the name is the stamp.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from numba.core.caching import IndexDataCacheFile, _CacheLocator

from clast.backend.cache_folder import is_private_file, make_folder, written_whole


class ModuleFolder(_CacheLocator):
    """Tells numba that the machine code of a generated module lies beside it."""

    def __init__(self, module: ModuleType, disambiguator: str) -> None:
        self._py_file = str(module.__file__)
        self._stamp = module.__name__
        self._disambiguator = disambiguator

    def ensure_cache_path(self) -> None:
        """It is made and checked before; but a user may empty the cache at any time."""
        make_folder(Path(self.get_cache_path()))

    def get_cache_path(self) -> str:
        """The folder of the module."""
        return str(Path(self._py_file).parent)

    def get_source_stamp(self) -> str:
        """What the code was made from."""
        return self._stamp

    def get_disambiguator(self) -> str:
        """Part of the file names: which of two functions of one name."""
        return self._disambiguator


class PrivateFiles(IndexDataCacheFile):
    """Numba's index and data, read only if nobody else can have written them."""

    def _load_index(self) -> Any:
        return super()._load_index() if is_private_file(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if not is_private_file(path):
            raise FileNotFoundError(path)  # which numba takes for one that was removed: it compiles and writes it anew
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        with written_whole(Path(filepath)) as file:
            yield file


def keep_machine_code(module: ModuleType) -> None:
    """Let the kernels of a generated module keep their machine code beside it. Before any of them is called."""
    for dispatcher in vars(module).values():
        cache: Any = getattr(dispatcher, "_cache", None)
        if not hasattr(cache, "_cache_file"):  # not a kernel
            continue
        place = ModuleFolder(module, cache._impl.locator.get_disambiguator())
        cache._impl._locator = place
        cache._cache_path = place.get_cache_path()
        cache._cache_file = PrivateFiles(
            cache_path=cache._cache_path, filename_base=cache._impl.filename_base, source_stamp=place.get_source_stamp()
        )
