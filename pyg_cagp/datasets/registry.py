r"""Datasets by name."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from torch_geometric.data import Data
from torch_geometric.datasets import FB15k_237, WordNet18RR

from pyg_cagp._utils.files import expand
from pyg_cagp._utils.names import dataset_key
from pyg_cagp.data import as_kg
from pyg_cagp.datasets.cache import data_root, dataset_root, locate, locked
from pyg_cagp.datasets.codex import CoDEx, Size
from pyg_cagp.datasets.fetch import fetch
from pyg_cagp.datasets.folder import KGFolder
from pyg_cagp.datasets.icews import ICEWS14
from pyg_cagp.datasets.pins import Pin, pin_each, verify
from pyg_cagp.datasets.synthetic import SyntheticKG
from pyg_cagp.datasets.uncertain import Name, UncertainKG
from pyg_cagp.datasets.yago import YAGO3_10
from pyg_cagp.exceptions import InvalidInputError

# The datasets of PyG check neither TLS certificates nor the content of files,
# so their raw files are downloaded here.
_PYG_PINS: dict[Any, dict[str, tuple[Pin, ...]]] = {
    FB15k_237: pin_each(
        "sha256",
        (
            "61099230e4439f90885ca9767739e31e8e32f54736fa1c35952b27997bc7c08a",
            "749cbe9d923bac7b9354da5614ecfed2e0220256d442c3e04a6b303db1f273d9",
            "e2e35e8e6113de220140b6f44dc71a5207b0fc6872d575e874aefe13259b655b",
        ),
    ),
    WordNet18RR: pin_each(
        "sha256",
        (
            "038612e783c215ee5f3ca9fbfca27b8d0739be1028fe4ee7c174aecf0b83d5df",
            "453ce7202afa58094a04d2b1560ee2b02660f1c260b32ce6651c8ccedd1028ab",
            "0383bceaaa1096cf3c03ec021ed0048068e2355dbfc0239b292cefdac821cec5",
        ),
    ),
}


@dataclass(frozen=True)
class Entry:
    r"""The properties of a dataset that are known before it is loaded."""

    folder: str  #: The folder in the data root.
    make: Callable[[Path], Any]  #: Opens the dataset in a folder.
    triples: tuple[int, int, int]  #: The sizes of the splits.
    entities: int
    relations: int
    note: str
    files: tuple[str, ...]  #: The raw files.
    #: The dates at which the future begins, of test and of validation.
    cutoffs: tuple[str, str] | None = None

    def missing(self, root: str | Path | None = None) -> list[str]:
        r"""Returns the raw files that have to be downloaded."""
        raws = [folder / "raw" for folder in locate(self.folder, root)]
        files = self.files
        return [f for f in files if not any((raw / f).exists() for raw in raws)]


def _open_pyg(dataset: Any, root: Path) -> Data:
    with locked(root):
        raw = root / "raw"
        raw.mkdir(exist_ok=True)
        for name, pins in _PYG_PINS[dataset].items():
            if not (raw / name).exists():
                fetch(f"{dataset.url}/{name}", raw / name, pins)
            verify(raw / name, pins)
        try:
            return as_kg(dataset(str(root)))
        except (EOFError, RuntimeError, pickle.UnpicklingError):
            # The cache of PyG may be damaged, as it is not written atomically.
            return as_kg(dataset(str(root), force_reload=True))


REGISTRY: dict[str, Entry] = {
    "fb15k-237": Entry(
        "FB15k-237",
        partial(_open_pyg, FB15k_237),
        (272_115, 17_535, 20_466),
        14_541,
        237,
        "Freebase; PyG's FB15k_237",
        tuple(_PYG_PINS[FB15k_237]),
    ),
    "wn18rr": Entry(
        "WN18RR",
        partial(_open_pyg, WordNet18RR),
        (86_835, 3_034, 3_134),
        40_943,
        11,
        "WordNet; PyG's WordNet18RR",
        tuple(_PYG_PINS[WordNet18RR]),
    ),
    "yago3-10": Entry(
        "YAGO3-10",
        YAGO3_10,
        (1_079_040, 5_000, 5_000),
        123_182,
        37,
        "YAGO3",
        tuple(YAGO3_10.sources),
    ),
    "icews14": Entry(
        "ICEWS14",
        ICEWS14,
        (72_826, 8_941, 8_963),
        7_128,
        230,
        "political events with dates",
        tuple(ICEWS14.sources),
        ("2014-10-01", "2014-09-01"),
    ),
}
_Facts = tuple[tuple[int, int, int], int, int, str]
_CODEX: dict[Size, _Facts] = {
    "S": ((32_888, 1_827, 1_828), 2_034, 42, "Wikidata, verified negatives"),
    "M": (
        (185_584, 10_310, 10_311),
        17_050,
        51,
        "Wikidata, verified negatives",
    ),
    "L": ((551_193, 30_622, 30_622), 77_951, 69, "Wikidata"),
}
_UNCERTAIN: dict[Name, _Facts] = {
    "NL27k": ((149_100, 12_278, 14_034), 27_221, 417, "NELL, confidences"),
    "CN15k": ((204_984, 16_881, 19_293), 15_000, 36, "ConceptNet, confidences"),
    "PPI5k": ((230_929, 19_017, 21_720), 4_999, 7, "proteins, confidences"),
}
for _size, _facts in _CODEX.items():
    REGISTRY[f"codex-{_size.lower()}"] = Entry(
        f"CoDEx-{_size}",
        partial(CoDEx, size=_size),
        *_facts,
        tuple(CoDEx.sources_of(_size)),
    )
for _name, _facts in _UNCERTAIN.items():
    REGISTRY[_name.lower()] = Entry(
        _name,
        partial(UncertainKG, name=_name),
        *_facts,
        tuple(UncertainKG.sources_of(_name)),
    )

#: The cut-offs of dated graphs without listed dates, as shares of edges.
CUTOFFS = (0.75, 0.65)


def cutoffs(name: str) -> tuple[str, str] | tuple[float, float]:
    r"""Returns the times at which the future begins, of test and of validation,
    for :class:`~pyg_cagp.transforms.TimestampOOD`.

    Example:
        >>> cutoffs("ICEWS14"), cutoffs("synthetic")
        (('2014-10-01', '2014-09-01'), (0.75, 0.65))
    """
    entry = REGISTRY.get(dataset_key(name))
    return (entry and entry.cutoffs) or CUTOFFS


def names() -> list[str]:
    r"""Returns the names of datasets that :func:`load` takes."""
    return [*REGISTRY, "synthetic"]


def load(
    name: str | Path, *, root: str | Path | None = None, seed: int = 0
) -> Data:
    r"""Returns a knowledge graph by its name, in the one graph form. Its
    attribute :obj:`name` is the name, by which
    :func:`~pyg_cagp.train.train_run` chooses a config.

    Raw files that are missing in :obj:`root/<folder>/raw` are downloaded. All
    are checked against pinned digests, or pinned numbers of lines for the
    larger graphs of a family. A read-only folder is not changed.

    Args:
        name (str): One of :func:`names`, or a folder or file of triples.
        root (str, optional): The folder that holds datasets, one folder each.
            :obj:`None` for the folder in the environment variable
            :obj:`PYG_CAGP_DATA`, or else a cache. (default: :obj:`None`)
        seed (int, optional): The seed of the synthetic graph, and of splits
            that a folder lacks. (default: :obj:`0`)

    Example:
        >>> load("synthetic").num_nodes
        2000
    """
    key = dataset_key(name)
    if key in names():
        if key == "synthetic":
            kg = SyntheticKG(seed=seed)[0]
        else:
            entry = REGISTRY[key]
            kg = as_kg(entry.make(dataset_root(entry.folder, root)))
        kg.name = key
        return kg
    for path in (expand(name), data_root(root) / name):
        if str(name) and path.exists():
            return KGFolder(path, seed=seed)[0]
    raise InvalidInputError(
        f"'name' must be one of {', '.join(names())}, or a folder or file of "
        f"triples (got {str(name)!r})"
    )
