r"""A graph of one's own as a dataset."""

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
    r"""A knowledge graph of one's own, read from a folder or a file.

    The folder holds :obj:`train`, :obj:`valid` and :obj:`test` as
    :obj:`.txt`, :obj:`.tsv` or :obj:`.csv` (gzipped or not) or
    :obj:`.parquet`, each with columns for head, relation and tail, and
    possibly a fourth for time or confidence. It is never written to: what is
    made from it goes to a cache, under a name that changes with the content
    of the files, so that an edited graph is never read stale.

    Args:
        path (str): The folder, or a single file to be split.
        root (str, optional): The folder for the processed file. If set to
            :obj:`None`, a folder in the cache. (default: :obj:`None`)
        extra (str, optional): What a fourth column holds: :obj:`"time"`,
            :obj:`"confidence"`, or :obj:`"auto"` to read it off the header or
            the values. (default: :obj:`"auto"`)
        split (str, optional): How one file without splits is split:
            :obj:`"random"` by :obj:`seed`, or :obj:`"time"`, the latest
            triples last. (default: :obj:`"random"`)
        ratios (sequence, optional): The shares of train, validation and test
            where they have to be made. (default: :obj:`(0.8, 0.1, 0.1)`)
        seed (int, optional): The seed of a random split. (default: :obj:`0`)
        transform (callable, optional): A transform of the data object, before
            every access. (default: :obj:`None`)
        pre_transform (callable, optional): A transform of the data object,
            before it is saved to disk. (default: :obj:`None`)
        force_reload (bool, optional): Whether to re-process the dataset.
            (default: :obj:`False`)
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
            place = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
            root = cache_dir() / "folders" / f"{self.path.name}-{place}"
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
            # Said once, when all is done, and also when it comes from cache.
            warnings.simplefilter("ignore", CAGPWarning)
            data = read_folder(self.path, **self.options)  # type: ignore[arg-type]
        if self.pre_transform is not None:
            data = self.pre_transform(data)
        self.save([data], self.processed_paths[0])

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}('{self.path}')"
