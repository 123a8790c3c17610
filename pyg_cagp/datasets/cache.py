r"""Folders of data, and datasets with a processed file."""

import functools
import hashlib
import os
import pickle
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from torch_geometric import get_home_dir
from torch_geometric.data import InMemoryDataset
from torch_geometric.data.data import BaseData

from pyg_cagp._utils.files import atomic_path, expand
from pyg_cagp.exceptions import CacheError

#: The environment variable of the folder that holds all datasets.
DATA_VARIABLE = "PYG_CAGP_DATA"

#: The environment variable of the cache, which otherwise lies in PyG's home.
CACHE_VARIABLE = "PYG_CAGP_CACHE"

#: The version of processed files. It is raised when their content changes.
SCHEMA = 1


def cache_dir() -> Path:
    r"""Returns the folder of downloads and processed files."""
    folder = os.environ.get(CACHE_VARIABLE)
    return expand(folder or Path(get_home_dir()) / "pyg_cagp")


def data_root(root: str | Path | None = None) -> Path:
    r"""Returns the folder that holds all datasets."""
    return expand(root or os.environ.get(DATA_VARIABLE) or cache_dir())


def is_writable(path: Path) -> bool:
    r"""Returns whether a folder, or its nearest existing parent, is writable.
    Without write permission bits it is read-only even for a superuser.
    """
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def locate(name: str, root: str | Path | None = None) -> tuple[Path, Path]:
    r"""Returns the folder of a named dataset and its working folder, which lies
    in the cache if the former is read-only.
    """
    folder = data_root(root) / name
    if is_writable(folder):
        return folder, folder
    digest = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:12]
    return folder, cache_dir() / "mirror" / f"{name}-{digest}"


def dataset_root(name: str, root: str | Path | None = None) -> Path:
    r"""Returns the root of a named dataset. Raw files in a read-only folder are
    linked into the cache.
    """
    folder, work = locate(name, root)
    if work != folder:
        with locked(work):
            (work / "raw").mkdir(exist_ok=True)
            for file in folder.glob("raw/*"):
                link = work / "raw" / file.name
                if not link.exists():
                    _link(file.resolve(), link)
    return work


def _link(file: Path, link: Path) -> None:
    link.unlink(missing_ok=True)  # The link may be broken.
    try:
        os.symlink(file, link)
    except OSError:
        with atomic_path(link) as temporary:
            shutil.copyfile(file, temporary)


@contextmanager
def locked(root: Path) -> Iterator[None]:
    r"""Lets one process at a time prepare the datasets under a folder."""
    if not is_writable(root):
        raise CacheError(
            f"'{root}' cannot be written to; pass another 'root', or set "
            f"the environment variable {CACHE_VARIABLE} to a writable folder "
            f"and use pyg_cagp.datasets.load"
        )
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".pyg_cagp.lock"):
        # No other process writes now, so these files are of killed processes.
        for folder in ("raw", "processed"):
            for stale in (root / folder).rglob(".*.part"):
                stale.unlink(missing_ok=True)
        yield


class CachedDataset(InMemoryDataset):
    r"""A base class of datasets that write their processed file atomically.

    One process at a time prepares a dataset. A prepared root may be read-only.
    Each :obj:`pre_transform` has a separate processed file.
    """

    @property
    def processed_dir(self) -> str:
        r"""The folder of the processed file."""
        folder = Path(self.root) / "processed"
        if self.pre_transform is not None:
            text = describe(self.pre_transform).encode()
            folder /= hashlib.sha256(text).hexdigest()[:16]
        return str(folder)

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
        if self.force_reload or not self._is_processed():
            with locked(Path(self.root)):
                # Another process may have processed it in the meantime.
                if self.force_reload or not self._is_processed():
                    os.makedirs(self.processed_dir, exist_ok=True)
                    self.process()

    def _is_processed(self) -> bool:
        return all(os.path.exists(path) for path in self.processed_paths)

    def load_processed(self) -> None:
        r"""Loads the processed file; a damaged one is made again."""
        try:
            self.load(self.processed_paths[0])
        except (EOFError, RuntimeError, pickle.UnpicklingError):
            self.force_reload = True
            self._process()
            self.load(self.processed_paths[0])

    @classmethod
    def save(cls, data_list: Sequence[BaseData], path: str) -> None:
        r"""Saves a list of data objects to a file, atomically."""
        with atomic_path(Path(path)) as temporary:
            super().save(data_list, str(temporary))


def describe(transform: Any) -> str:
    r"""Returns a text that changes when a transform does: the :obj:`repr` of an
    object, or the code, the defaults and the closure of a function.
    """
    if isinstance(transform, functools.partial):
        parts = (transform.func, *transform.args, *transform.keywords.items())
        return f"partial({', '.join(map(describe, parts))})"
    code = getattr(transform, "__code__", None)
    if code is None:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(transform))
    closure = [item.cell_contents for item in transform.__closure__ or ()]
    values = (*code.co_consts, *closure, *(transform.__defaults__ or ()))
    body = (code.co_code.hex(), code.co_names, [describe(v) for v in values])
    return f"{transform.__module__}.{transform.__qualname__} {body}"
