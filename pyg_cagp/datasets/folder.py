r"""A dataset from a folder or a file of triples."""

import hashlib
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from pyg_cagp._utils.files import expand
from pyg_cagp.data.folder import find_files, read_folder, warn_if_incomplete
from pyg_cagp.datasets.cache import SCHEMA, CachedDataset, cache_dir
from pyg_cagp.exceptions import CAGPWarning
from pyg_cagp.typing import Extra, SplitRule


class KGFolder(CachedDataset):
    r"""A knowledge graph from a folder or a file.

    The folder holds :obj:`train`, :obj:`valid` and :obj:`test` as
    :obj:`.txt`, :obj:`.tsv` or :obj:`.csv` (gzipped or not) or
    :obj:`.parquet`, with columns head, relation, tail and optionally time or
    confidence. The processed file lies in a cache, and its name depends on the
    content of the files.

    Args:
        path (str): The folder, or a single file to be split.
        root (str, optional): The folder for the processed file. If set to
            :obj:`None`, a folder in the cache. (default: :obj:`None`)
        extra (str, optional): See :func:`~pyg_cagp.data.read_folder`, also
            for the next three. (default: :obj:`"auto"`)
        split (str, optional): The split of one file.
            (default: :obj:`"random"`)
        ratios (sequence, optional): The shares of the splits.
            (default: :obj:`(0.8, 0.1, 0.1)`)
        seed (int, optional): The seed of a random split. (default: :obj:`0`)
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)
        pre_transform (callable, optional): A transform before saving.
            (default: :obj:`None`)
        force_reload (bool, optional): Processes again. (default: :obj:`False`)
    """

    def __init__(
        self,
        path: str | Path,
        *,
        root: str | Path | None = None,
        extra: Extra = "auto",
        split: SplitRule = "random",
        ratios: Sequence[float] = (0.8, 0.1, 0.1),
        seed: int = 0,
        transform: Callable | None = None,
        pre_transform: Callable | None = None,
        force_reload: bool = False,
    ) -> None:
        self.path = expand(path).absolute()
        self.files = find_files(self.path)
        self.options = {
            "extra": extra,
            "split": split,
            "ratios": tuple(ratios),
            "seed": seed,
        }
        if root is None:
            digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
            root = cache_dir() / "folders" / f"{self.path.name}-{digest}"
        super().__init__(
            str(root), transform, pre_transform, force_reload=force_reload
        )
        self.load_processed()
        warn_if_incomplete(self.files)

    @property
    def raw_dir(self) -> str:
        r"""The folder that holds the files of triples."""
        return str(next(iter(self.files.values())).parent)

    @property
    def raw_file_names(self) -> list[str]:
        r"""The names of the files of triples."""
        return [file.name for file in self.files.values()]

    @property
    def processed_file_names(self) -> str:
        r"""The name of the processed file, by content and options."""
        if not hasattr(self, "_digest"):
            digest = hashlib.sha256(repr(self.options).encode())
            for split, file in sorted(self.files.items()):
                digest.update(f"{split} {file.name}".encode())
                digest.update(file.read_bytes())
            for name in ("entities.dict", "relations.dict"):
                names = Path(self.raw_dir) / name
                digest.update(names.read_bytes() if names.exists() else b"")
            self._digest = digest.hexdigest()[:16]
        return f"data-v{SCHEMA}-{self._digest}.pt"

    def process(self) -> None:
        r"""Reads the files into one graph."""
        with warnings.catch_warnings():
            # The constructor warns, also if the graph comes from the cache.
            warnings.simplefilter("ignore", CAGPWarning)
            data = read_folder(self.path, **self.options)  # type: ignore[arg-type]
        if self.pre_transform is not None:
            data = self.pre_transform(data)
        self.save([data], self.processed_paths[0])

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}('{self.path}')"
