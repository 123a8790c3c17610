r"""A base class of published graphs that PyG lacks."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple, get_args

from torch_geometric.data import Data

from pyg_cagp.data import join_splits, read_table
from pyg_cagp.data.columns import (
    encode,
    number_names,
    parse_confidence,
    parse_time,
)
from pyg_cagp.data.table import TripleTable
from pyg_cagp.datasets.cache import CachedDataset
from pyg_cagp.datasets.fetch import fetch
from pyg_cagp.datasets.pins import SPLIT_FILES, Pin, verify
from pyg_cagp.typing import Split


class RemoteFile(NamedTuple):
    r"""The URL of a raw file and its pins."""

    url: str
    pins: Sequence[Pin]


class RemoteTriples(CachedDataset):
    r"""A published graph given as one file of triples for each split.

    Missing raw files are downloaded. All raw files are checked against their
    pins before they are read.
    """

    #: The URL and the pins of each raw file; set by subclasses.
    sources: ClassVar[Mapping[str, RemoteFile]]
    #: The raw files of train, validation and test.
    split_files: ClassVar[tuple[str, ...]] = SPLIT_FILES
    #: The content of a fourth column: :obj:`"time"` or :obj:`"confidence"`.
    extra: ClassVar[str | None] = None
    time_unit: str | None = None

    def __init__(
        self,
        root: str | Path,
        *,
        transform: Callable | None = None,
        pre_transform: Callable | None = None,
        force_reload: bool = False,
    ) -> None:
        super().__init__(
            str(root), transform, pre_transform, force_reload=force_reload
        )
        self.load_processed()

    @property
    def raw_file_names(self) -> list[str]:
        r"""The names of the raw files."""
        return list(self.sources)

    def download(self) -> None:
        r"""Downloads the missing raw files."""
        for name, source in self.sources.items():
            path = Path(self.raw_dir) / name
            if not path.exists():
                fetch(source.url, path, source.pins)

    def process(self) -> None:
        r"""Reads the raw files into one graph."""
        for name, source in self.sources.items():
            verify(Path(self.raw_dir) / name, source.pins)
        tables = [
            read_table(Path(self.raw_dir) / name) for name in self.split_files
        ]
        entities, relations = number_names(tables)
        parts = [self._encode(table, entities, relations) for table in tables]
        data = join_splits(
            dict(zip(get_args(Split), parts, strict=True)),
            num_nodes=len(entities),
            num_relations=len(relations),
            node_names=list(entities),
            relation_names=list(relations),
            time_unit=self.time_unit,
        )
        data = self.add_more(data, entities, relations)
        if self.pre_transform is not None:
            data = self.pre_transform(data)
        self.save([data], self.processed_paths[0])

    def _encode(
        self, table: TripleTable, entities: dict, relations: dict
    ) -> Data:
        edge_index, edge_type = encode(table, entities, relations)
        part = Data(edge_index=edge_index, edge_type=edge_type)
        if self.extra == "time":
            part.edge_time, self.time_unit = parse_time(table)
        elif self.extra == "confidence":
            part.edge_confidence = parse_confidence(table)
        return part

    def add_more(
        self, data: Data, entities: dict[str, int], relations: dict[str, int]
    ) -> Data:
        r"""Adds the content of further raw files; overridden by subclasses."""
        return data
