r"""The CoDEx datasets."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import read_table
from pyg_cagp.data.columns import encode
from pyg_cagp.datasets.pins import SPLIT_FILES, pin_each
from pyg_cagp.datasets.remote import RemoteFile, RemoteTriples

#: The size of a graph.
Size: TypeAlias = Literal["S", "M", "L"]

_FILES = (*SPLIT_FILES, "valid_negatives.txt", "test_negatives.txt")
_SMALL = (
    "64f93b7f314f3936a6f65739721429db3f6a7c8f5a1e1104ec3bb544f7434f59",
    "3831c0e57daef03c3a18cdd1a72e370b496f696c5218883d35c7d2ab8a6a772c",
    "27127fcb34688c4778e88a39ef3c9b540807da846021e9d9685660ac1838aca1",
    "c1d84860d6ee786419f1f118d0e9479c6614283b3e267afc158734389036901f",
    "d3fb32c41f3be26d09484ace571965806f1ade0ca712551b0de684c283cdbb22",
)
_MEDIUM = (185_584, 10_310, 10_311, 10_310, 10_311)
# The authors publish no verified negatives for the largest graph.
_LARGE = (551_193, 30_622, 30_622)
_PINS = {
    "S": pin_each("sha256", _SMALL, _FILES),
    "M": pin_each("number of lines", _MEDIUM, _FILES),
    "L": pin_each("number of lines", _LARGE, _FILES),
}


class CoDEx(RemoteTriples):
    r"""The CoDEx datasets from the `"CoDEx: A Comprehensive Knowledge Graph
    Completion Benchmark" <https://arxiv.org/abs/2009.07810>`_ paper, extracted
    from Wikidata, with false triples that people have verified.

    The verified negatives of the validation and test splits are in
    :obj:`val_neg_edge_index`, :obj:`val_neg_edge_type`,
    :obj:`test_neg_edge_index` and :obj:`test_neg_edge_type`.

    .. note::

        The files of :obj:`"S"` are pinned by SHA-256, those of :obj:`"M"` and
        :obj:`"L"` by their number of lines only.

    Args:
        root (str): Root directory where the dataset should be saved.
        size (str, optional): :obj:`"S"` (2,034 entities, 42 relations, 36,543
            triples), :obj:`"M"` (17,050, 51, 206,205) or :obj:`"L"` (77,951,
            69, 612,437, no negatives). (default: :obj:`"S"`)
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)
        pre_transform (callable, optional): A transform before saving.
            (default: :obj:`None`)
        force_reload (bool, optional): Processes again. (default: :obj:`False`)
    """

    url = "https://raw.githubusercontent.com/tsafavi/codex/master/data/triples"

    def __init__(
        self,
        root: str | Path,
        *,
        size: Size = "S",
        transform: Callable | None = None,
        pre_transform: Callable | None = None,
        force_reload: bool = False,
    ) -> None:
        check_choice("size", size, Size)
        self.size = size
        super().__init__(
            root,
            transform=transform,
            pre_transform=pre_transform,
            force_reload=force_reload,
        )

    @property
    def sources(self) -> Mapping[str, RemoteFile]:  # type: ignore[override]
        r"""The URL and the pins of each raw file."""
        return self.sources_of(self.size)

    @classmethod
    def sources_of(cls, size: Size) -> Mapping[str, RemoteFile]:
        r"""Returns the URL and the pins of each raw file of a graph."""
        url = f"{cls.url}/codex-{size.lower()}"
        return {
            name: RemoteFile(f"{url}/{name}", pins)
            for name, pins in _PINS[size].items()
        }

    def add_more(
        self, data: Data, entities: dict[str, int], relations: dict[str, int]
    ) -> Data:
        r"""Adds the verified negatives."""
        for split, name in (("val", "valid"), ("test", "test")):
            path = Path(self.raw_dir) / f"{name}_negatives.txt"
            if path.name in self.sources:
                edges = encode(read_table(path), entities, relations)
                data[f"{split}_neg_edge_index"] = edges[0]
                data[f"{split}_neg_edge_type"] = edges[1]
        return data

    def __repr__(self) -> str:
        return f"CoDEx-{self.size}()"
