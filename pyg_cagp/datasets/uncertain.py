r"""The uncertain knowledge graphs, whose triples have confidences."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import read_table
from pyg_cagp.data.columns import encode, parse_confidence
from pyg_cagp.datasets.pins import pin_each
from pyg_cagp.datasets.remote import RemoteFile, RemoteTriples

#: The name of a graph.
Name: TypeAlias = Literal["NL27k", "CN15k", "PPI5k"]

_REMOTE = {
    "train.txt": "train.tsv",
    "valid.txt": "val.tsv",
    "test.txt": "test.tsv",
    "softlogic.txt": "softlogic.tsv",
}
_NL27K = (
    "9d272dd09f2cbb5bd4246b8ad8cce46e904fee8719ebbac9e2c8cba662a10772",
    "82524b5c7eb8db5eebb8320e9d5888bccdd9b3057459a2c731be00837bd0b401",
    "7758db4df5df9e474cc4856a5e29333cfa9a3612cc75faf4993c1bfd3a53a330",
    "6c82113f75fcdda52a2431a8e0bfbabb9e9e966b66c8c5c36fb5f398033e9136",
)
_PINS = {
    "NL27k": pin_each("sha256", _NL27K, tuple(_REMOTE)),
    "CN15k": pin_each("number of lines", (204_984, 16_881, 19_293)),
    "PPI5k": pin_each("number of lines", (230_929, 19_017, 21_720)),
}


class UncertainKG(RemoteTriples):
    r"""The uncertain knowledge graphs from the `"Embedding Uncertain Knowledge
    Graphs" <https://arxiv.org/abs/1811.10667>`_ paper, each triple with a
    confidence in :math:`[0, 1]` in :obj:`edge_confidence`.

    NL27k also has triples that the authors inferred by rules, with
    confidences from the rules: :obj:`psl_edge_index`,
    :obj:`psl_edge_type` and :obj:`psl_confidence`.

    .. note::

        The files of NL27k are pinned by SHA-256, those of CN15k and PPI5k by
        their number of lines only. In CN15k and PPI5k, names are numbers.

    Args:
        root (str): Root directory where the dataset should be saved.
        name (str, optional): :obj:`"NL27k"` (27,221 entities, 417 relations,
            175,412 triples), :obj:`"CN15k"` (15,000, 36, 241,158) or
            :obj:`"PPI5k"` (4,999, 7, 271,666). (default: :obj:`"NL27k"`)
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)
        pre_transform (callable, optional): A transform before saving.
            (default: :obj:`None`)
        force_reload (bool, optional): Processes again. (default: :obj:`False`)
    """

    url = "https://raw.githubusercontent.com/stasl0217/UKGE/master/data"
    extra = "confidence"

    def __init__(
        self,
        root: str | Path,
        *,
        name: Name = "NL27k",
        transform: Callable | None = None,
        pre_transform: Callable | None = None,
        force_reload: bool = False,
    ) -> None:
        check_choice("name", name, Name)
        self.name = name
        super().__init__(
            root,
            transform=transform,
            pre_transform=pre_transform,
            force_reload=force_reload,
        )

    @property
    def sources(self) -> Mapping[str, RemoteFile]:  # type: ignore[override]
        r"""The URL and the pins of each raw file."""
        return self.sources_of(self.name)

    @classmethod
    def sources_of(cls, name: Name) -> Mapping[str, RemoteFile]:
        r"""Returns the URL and the pins of each raw file of a graph."""
        url = f"{cls.url}/{name.lower()}"
        return {
            file: RemoteFile(f"{url}/{_REMOTE[file]}", pins)
            for file, pins in _PINS[name].items()
        }

    def add_more(
        self, data: Data, entities: dict[str, int], relations: dict[str, int]
    ) -> Data:
        r"""Adds the triples inferred by rules."""
        path = Path(self.raw_dir) / "softlogic.txt"
        if path.name in self.sources:
            table = read_table(path)
            edges = encode(table, entities, relations)
            data.psl_edge_index, data.psl_edge_type = edges
            data.psl_confidence = parse_confidence(table)
        return data

    def __repr__(self) -> str:
        return f"{self.name}()"
