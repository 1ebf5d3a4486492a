"""Nobody else decides what runs: kernels are kept, and read back, only where the user alone can write."""

import os
import pickle
import stat
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from numba.core import config

from clast.backend import bind, cache_folder, meaning
from clast.backend.cache_folder import CacheWarning, fault_of, remove_own
from clast.errors import InputError

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="ownership is not checked here")
TEMPLATE = """
from clast.backend.device import kernel
# --- bound ---
# --- end of bound ---


@kernel
def twice(x):
    return 2.0 * x
"""


def forget() -> None:
    """Be a fresh process, as far as these modules go."""
    for each in (bind.kernels, meaning.sources, meaning.read, cache_folder.warn_once, cache_folder.temporary_folder):
        each.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A cache folder, private, and a package of one template that compiles in no time."""
    package = tmp_path / "clast"
    package.mkdir()
    (package / "template.py").write_text(TEMPLATE)
    os.utime(package / "template.py", (0.0, 0.0))  # it was there before this process
    for module in (bind, meaning):
        monkeypatch.setattr(module, "PACKAGE", package)
    monkeypatch.setattr(bind, "TEMPLATE", "clast.template")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("CLAST_CACHE_DIR", str(folder))
    forget()
    yield folder
    forget()


def kernels():
    """The kernels of the template, as a fresh process finds them, run once."""
    forget()
    module = bind.kernels(bind.Binding("clast.dynamics.plane.passes", "clast.laws.linear", 1))
    assert module.twice(1.5) == 3.0
    return module


def read_back(module) -> bool:
    return bool(module.twice.stats.cache_hits)


class Bomb:
    """Whoever unpickles it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def plant(folder: Path, name: str, kind: str) -> Path:
    """Put something that leaves a mark when it is run in the place of a generated module, of its index or of its code."""
    mark = folder.parent / "planted code was run"
    (path,) = folder.rglob(f"{name}*.{kind}")
    path.unlink()
    path.write_bytes(f"open({str(mark)!r}, 'w')\n".encode() + TEMPLATE.encode() if kind == "py" else pickle.dumps(Bomb(mark)))
    path.chmod(0o600)
    return mark


def test_what_was_compiled_is_read_back(folder):
    assert not read_back(kernels())
    assert read_back(kernels())
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if path.is_file()} == {0o600}


def test_a_bomb_in_a_private_folder_goes_off(folder):
    """So that the tests below mean something: the user's own pickles are read."""
    mark = plant(folder, kernels().__name__, "nbi")
    kernels()
    assert mark.exists()


@pytest.mark.parametrize("kind", ["py", "nbi", "nbc"])
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777], ids=oct)
def test_nothing_runs_from_a_folder_that_others_can_write(folder, kind, mode):
    mark = plant(folder, kernels().__name__, kind)
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match=r"chmod go-w .*cache` or set CLAST_CACHE_DIR"):
        module = kernels()
        assert not mark.exists()
    assert folder not in Path(module.__file__).parents
    assert Path(module.twice.stats.cache_path) == Path(module.__file__).parent


@pytest.mark.parametrize("kind", ["py", "nbi", "nbc"])
@pytest.mark.parametrize("how", ["writable", "link", "foreign"])
def test_nothing_runs_that_was_planted_before_the_folder_was_closed(folder, kind, how):
    name = kernels().__name__
    mark = plant(folder, name, kind)
    (path,) = folder.rglob(f"{name}*.{kind}")
    if how == "writable":
        path.chmod(0o666)
    elif how == "link":
        path.symlink_to(path.rename(folder.parent / "elsewhere"))
    elif os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        pytest.skip("only root can give files away")
    kernels()
    assert not mark.exists()
    assert read_back(kernels())  # what was planted is replaced
    assert not mark.exists()


def test_numba_is_not_led_elsewhere(folder, monkeypatch):
    """NUMBA_CACHE_DIR may be a place that others can write."""
    elsewhere = folder.parent / "numba"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    monkeypatch.setattr(config, "CACHE_DIR", str(elsewhere))
    module = kernels()
    assert Path(module.twice.stats.cache_path) == folder
    assert [path for path in elsewhere.rglob("*") if path.is_file()] == []
    assert read_back(kernels())


def test_a_loose_mask_opens_nothing_and_spoils_nothing(folder, monkeypatch):
    deep = folder / "not" / "there" / "yet"
    monkeypatch.setenv("CLAST_CACHE_DIR", str(deep))
    before = os.umask(0)
    try:
        kernels()
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (deep, *deep.parents[:2])} == {0o700}
    assert read_back(kernels())


# --- the folder -------------------------------------------------------------------------------------------------------


def refused(folder: Path) -> str:
    """The one warning about a folder that is not used."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        used = [bind.cache_folder() for _ in range(3)]
    assert len(set(used)) == len(caught) == 1
    assert used[0].resolve() != folder.resolve()
    assert stat.S_IMODE(used[0].stat().st_mode) == 0o700
    assert caught[0].category is CacheWarning
    return str(caught[0].message)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777], ids=oct)
def test_a_folder_that_others_can_write_is_refused(folder, mode):
    folder.chmod(mode)
    said = refused(folder)
    assert f"not kept in {folder}, " in said
    assert f"others can write {folder}: run `chmod go-w {folder}` or set CLAST_CACHE_DIR" in said
    folder.chmod(mode & ~0o022)
    assert bind.cache_folder() == folder


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755], ids=oct)
def test_a_folder_that_others_can_only_read_is_used(folder, mode):
    folder.chmod(mode)
    assert bind.cache_folder() == folder


def test_a_link_is_refused(folder, monkeypatch):
    link = folder.parent / "link"
    link.symlink_to(folder)
    monkeypatch.setenv("CLAST_CACHE_DIR", str(link))
    assert "symbolic link" in refused(link)
    assert list(folder.iterdir()) == []


def test_a_link_above_leads_to_the_folder_that_was_checked(folder, monkeypatch):
    """Many a home is reached through a link; what is used is the path without it, which nobody can turn elsewhere."""
    link = folder.parent / "link"
    link.symlink_to(folder)
    monkeypatch.setenv("CLAST_CACHE_DIR", str(link / "deep"))
    assert bind.cache_folder() == folder / "deep"
    folder.chmod(0o777)
    assert f"chmod go-w {folder}`" in refused(folder / "deep")


def test_a_folder_of_another_user_is_refused(folder, monkeypatch):
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    assert "belongs to another user" in fault_of(folder)


def test_a_folder_that_others_can_exchange_is_refused(folder, monkeypatch):
    deep = folder / "deep"
    monkeypatch.setenv("CLAST_CACHE_DIR", str(deep))
    folder.chmod(0o777)
    assert f"others can write {folder}: run `chmod go-w {folder}`" in refused(deep)
    assert not deep.exists()
    folder.chmod(0o1777)  # as /tmp: others can add, but not rename what is ours
    assert bind.cache_folder() == deep


def test_no_name_is_known_beforehand_where_no_folder_can_be_made(folder, tmp_path, monkeypatch):
    (tmp_path / "clast-cache").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.delenv("CLAST_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert "cannot be written (Not a directory)" in refused(tmp_path / "clast-cache")
    used = {}
    for _ in range(2):
        forget()
        with pytest.warns(CacheWarning):
            used[bind.cache_folder()] = True
    assert len(used) == 2


def test_a_temporary_folder_goes_with_its_process(folder):
    folder.chmod(0o777)
    look = "from clast.backend.cache_folder import cache_folder; f = cache_folder(); print(f, f.is_dir())"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    name, there = done.stdout.split()
    assert there == "True"
    assert not Path(name).exists()
    assert done.stderr.count("chmod go-w") == 1


def test_a_copy_of_a_process_removes_nothing(folder):
    remove_own(folder, os.getpid() + 1)
    assert folder.exists()
    remove_own(folder, os.getpid())
    assert not folder.exists()


def test_without_a_safe_temporary_folder_nothing_is_compiled(folder):
    folder.chmod(0o777)
    folder.parent.chmod(0o777)
    try:
        with pytest.warns(CacheWarning), pytest.raises(InputError, match=r"no safe place .* set CLAST_CACHE_DIR"):
            bind.cache_folder()
    finally:
        folder.parent.chmod(0o700)
