"""Digests of the graphs that the readers return.

A digest covers names, numbering, edge order and splits; a second one covers
times, confidences and further triples. A value changes only when a reader
changes, and then all results on the graph must be computed again.
"""

import gzip
import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from pyg_cagp.data import kg_digest
from pyg_cagp.data.kg import MASKS
from pyg_cagp.datasets import load
from tests.conftest import REPO
from tests.loops import for_each

NOTHING = hashlib.sha256().hexdigest()[:16]
REAL = {
    "fb15k-237": ("599f7f4abfc6e2c1", NOTHING),
    "wn18rr": ("46871f217504c393", NOTHING),
    "icews14": ("409d3713ff8400f8", "8ce9e38ebf47a420"),
    "codex-s": ("a7ce0467191cbf33", "2075ccc75d544af9"),
    "nl27k": ("898c01d65913564e", "0e82c9f812db993f"),
    "YAGO-sample": ("55600b9bab2cdfd4", NOTHING),
}
COMMITTED = {
    "synthetic": ("70fd2b1a786f90e5", "7807d4f785f2a7ef"),
    "benchmark/paper/golden/dated": ("2aebc6f7d9c89269", "e0a3ff3bd38f3e25"),
    "benchmark/paper/golden/uncertain": (
        "3db2829e02574803",
        "e6e52788d9e05221",
    ),
}
TOY = ("ad3d9392c1d6808f", "e863c4e066eb3be2")


def digests(kg):
    """Returns the digest of a graph, and that of its further tensors."""
    further = hashlib.sha256()
    for key in sorted(set(kg.keys()) - {"edge_index", "edge_type", *MASKS}):
        if torch.is_tensor(kg[key]):
            further.update(f"{key} {kg[key].dtype}".encode())
            further.update(kg[key].contiguous().numpy().tobytes())
    return kg_digest(kg)[:16], further.hexdigest()[:16]


@pytest.mark.data
@for_each("name", REAL)
def test_digests_of_real_graphs(real, name):
    kg = real(name)
    assert len(kg.node_names) == kg.num_nodes
    assert len(kg.relation_names) == kg.num_relations
    assert digests(kg) == REAL[name]


@for_each("name", COMMITTED)
def test_digests_of_committed_graphs(name):
    known = name == "synthetic"
    assert digests(load(name if known else REPO / name)) == COMMITTED[name]


TRAIN = [("Zürich", "in", "a, b", "0.5"), ("a, b", "of", "Zürich", "0.25")]
VAL = [("Zürich", "of", "c", "1.0")]
TEST = [("c", "in", "Zürich", "0.75")]


def as_tsv(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def as_csv(rows):
    return "".join(",".join(f'"{x}"' for x in row) + "\n" for row in rows)


def write_toy(folder, suffix):
    folder.mkdir()
    for name, rows in (("train", TRAIN), ("valid", VAL), ("test", TEST)):
        path = folder / f"{name}{suffix}"
        if suffix == ".parquet":
            columns = list(zip(*rows, strict=True))
            names = ["head", "relation", "tail", "confidence"]
            pq.write_table(pa.table(columns, names), path)
        elif suffix == ".tsv":
            shuffled = [(t, c, h, r) for h, r, t, c in rows]
            header = [("tail", "confidence", "head", "relation")]
            path.write_text(as_tsv(header + shuffled), encoding="utf-8")
        elif suffix == ".csv":
            path.write_text(as_csv(rows), encoding="utf-8")
        else:
            path.write_bytes(gzip.compress(as_tsv(rows).encode()))
    return folder


@for_each("suffix", [".tsv", ".csv", ".parquet", ".txt.gz"])
def test_formats_give_the_same_graph(tmp_path, suffix):
    kg = load(write_toy(tmp_path / suffix[1:], suffix))
    assert kg.node_names == ["Zürich", "a, b", "c"]
    assert kg.relation_names == ["in", "of"]
    assert kg.edge_index.tolist() == [[0, 1, 0, 2], [1, 0, 2, 0]]
    assert kg.edge_confidence.tolist() == [0.5, 0.25, 1.0, 0.75]
    assert digests(kg) == TOY
