r"""Where data lies, and datasets that are cached safely."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from torch_geometric import get_home_dir
from torch_geometric.data import InMemoryDataset
from torch_geometric.data.data import BaseData

from pyg_cagp.data.files import atomic_path
from pyg_cagp.exceptions import CacheError

#: Names the folder that holds datasets, one folder each.
DATA_VARIABLE = "PYG_CAGP_DATA"

#: Names the folder for what is made from them, if not PyG's home.
CACHE_VARIABLE = "PYG_CAGP_CACHE"

#: Raised whenever the processed form changes, so that old files are not read.
SCHEMA = 1


def cache_dir() -> Path:
    r"""Returns the folder in which downloads and processed files are kept."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given or Path(get_home_dir()) / "pyg_cagp").expanduser()


def data_root(root: str | Path | None = None) -> Path:
    r"""Returns the folder in which datasets are looked for.

    Args:
        root (str or pathlib.Path, optional): If given, that folder; otherwise
            the one named by :obj:`PYG_CAGP_DATA`, or the cache.
            (default: :obj:`None`)
    """
    given = root or os.environ.get(DATA_VARIABLE) or cache_dir()
    return Path(given).expanduser()


def is_writable(path: Path) -> bool:
    r"""Tells whether a folder is meant to be written to.

    Permission bits count even for a superuser, who could ignore them: whoever
    took them away wants the folder left as it is. A folder that does not exist
    is as writable as the one it would be made in.
    """
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def dataset_root(name: str, root: str | Path | None = None) -> Path:
    r"""Returns the folder to be used as the root of a named dataset.

    Where the data root cannot be written to, its raw files are linked into the
    cache, and that is returned.

    Args:
        name (str): The name of the dataset's folder.
        root (str or pathlib.Path, optional): See :func:`data_root`.
            (default: :obj:`None`)
    """
    folder = data_root(root) / name
    if is_writable(folder):
        return folder
    digest = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:12]
    mirror = cache_dir() / "mirror" / f"{name}-{digest}"
    raw = mirror / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("raw/*"):
        link = raw / file.name
        if not link.exists():
            _link(file.resolve(), link)
    return mirror


def _link(file: Path, link: Path) -> None:
    # Written beside and moved, so that a second process sees all or nothing.
    try:
        with atomic_name(link) as temporary:
            os.symlink(file, temporary)
    except (OSError, NotImplementedError):
        with atomic_path(link) as temporary:
            shutil.copyfile(file, temporary)


@contextmanager
def atomic_name(path: Path) -> Iterator[Path]:
    r"""Lends a free name beside :obj:`path` and moves what is made there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def locked(root: Path) -> Iterator[None]:
    r"""Lets one process at a time prepare the datasets under a folder."""
    if not is_writable(root):
        raise CacheError(
            f"'{root}' cannot be written to; pass another 'root', or load the "
            f"dataset by pyg_cagp.datasets.load, which uses a cache then"
        )
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".pyg_cagp.lock"):
        yield


class CachedDataset(InMemoryDataset):
    r"""A dataset whose processed file is whole, or not there.

    Preparing is done by one process at a time, while others wait; a root that
    is fully prepared may be read-only.
    """

    @property
    def processed_file_names(self) -> str:
        r"""The name of the processed file."""
        return f"data-v{SCHEMA}.pt"

    def _download(self) -> None:
        if all(os.path.exists(path) for path in self.raw_paths):
            return
        with locked(Path(self.root)):
            super()._download()

    def _process(self) -> None:
        done = all(os.path.exists(path) for path in self.processed_paths)
        if done and not self.force_reload and not is_writable(Path(self.root)):
            super()._process()
            return
        with locked(Path(self.root)):
            super()._process()

    @classmethod
    def save(cls, data_list: Sequence[BaseData], path: str) -> None:
        r"""Saves a list of data objects to a file, whole or not at all."""
        with atomic_path(Path(path)) as temporary:
            super().save(data_list, str(temporary))
