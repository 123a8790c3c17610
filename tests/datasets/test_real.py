"""Sizes and content of the published graphs."""

import pytest
import torch
from torch_geometric.datasets import FB15k_237, WordNet18RR

from pyg_cagp import Coverage
from pyg_cagp.data import TripleIndex, as_kg, read_table
from pyg_cagp.datasets.pins import verify
from pyg_cagp.datasets.registry import REGISTRY
from pyg_cagp.datasets.yago import YAGO3_10
from tests.conftest import DATA_ROOT
from tests.loops import for_each

pytestmark = pytest.mark.data

SIZES = {
    name: (*entry.triples, entry.entities, entry.relations)
    for name, entry in REGISTRY.items()
    if name in ("fb15k-237", "wn18rr", "icews14", "codex-s", "nl27k")
}


@for_each("name", SIZES)
def test_sizes_of_the_registry(real, name):
    kg = real(name)
    masks = (kg.train_mask, kg.val_mask, kg.test_mask)
    assert (
        *(int(mask.sum()) for mask in masks),
        kg.num_nodes,
        kg.num_relations,
    ) == SIZES[name]
    assert len(kg.node_names) == kg.num_nodes


@for_each(
    ("name", "nnz"),
    [("fb15k-237", 138_694), ("wn18rr", 74_587), ("icews14", 31_521)],
)
def test_coverage_non_zeros(real, name, nnz):
    assert Coverage.from_data(real(name)).nnz == nnz


@for_each("name", SIZES)
def test_names_reproduce_the_raw_lines(real, name):
    kg, entry = real(name), REGISTRY[name]
    table = read_table(DATA_ROOT / entry.folder / "raw" / entry.files[2])
    head, tail = kg.edge_index[:, kg.test_mask]
    rel = kg.edge_type[kg.test_mask]
    got = sorted(
        (kg.node_names[h], kg.relation_names[r], kg.node_names[t])
        for h, r, t in zip(
            head.tolist(), rel.tolist(), tail.tolist(), strict=True
        )
    )
    raw = zip(table.head, table.relation, table.tail, strict=True)
    assert got == sorted(raw)


def test_irregularities_of_the_data(real):
    kg = real("fb15k-237")
    head, tail = kg.edge_index[:, kg.train_mask]
    assert int((head == tail).sum()) == 1_625
    kg = real("icews14")
    assert len(TripleIndex.from_data(kg)) < kg.num_edges  # Events recur.
    in_train = torch.unique(kg.edge_index[:, kg.train_mask])
    assert kg.num_nodes - in_train.numel() == 259
    kg = real("nl27k")
    in_train = torch.unique(kg.edge_type[kg.train_mask])
    assert kg.num_relations - in_train.numel() == 12
    assert 0 < kg.edge_confidence.min() <= kg.edge_confidence.max() <= 1
    assert kg.psl_edge_type.numel() == 32_513


def test_dates_of_icews14(real):
    time = real("icews14").edge_time
    # All of 2014: days 16,071 to 16,435 since 1970.
    assert (int(time.min()), int(time.max())) == (16_071, 16_435)


def test_codex_negatives_are_no_known_triples(real):
    kg = real("codex-s")
    known = TripleIndex.from_data(kg)
    for split, size in (("val", 1_827), ("test", 1_828)):
        head, tail = kg[f"{split}_neg_edge_index"]
        rel = kg[f"{split}_neg_edge_type"]
        assert rel.numel() == size
        assert not known.contains(head, rel, tail).any()


@for_each("dataset", [FB15k_237, WordNet18RR])
def test_pyg_datasets_equal_load(real, dataset, tmp_path):
    name = "fb15k-237" if dataset is FB15k_237 else "wn18rr"
    root = tmp_path / name
    root.mkdir()
    (root / "raw").symlink_to(DATA_ROOT / REGISTRY[name].folder / "raw")
    kg = as_kg(dataset(str(root)))
    assert torch.equal(kg.edge_index, real(name).edge_index)
    assert torch.equal(kg.train_mask, real(name).train_mask)


def test_yago3_10_validation_and_test_files():
    raw = DATA_ROOT / "YAGO3-10" / "raw"
    for name in ("valid.txt", "test.txt"):
        verify(raw / name, YAGO3_10.sources[name].pins)
        assert len(read_table(raw / name)) == 5_000


def test_sizes_of_the_yago_sample(real):
    kg = real("YAGO-sample")
    assert (kg.num_nodes, kg.num_relations) == (66_439, 36)
    assert int(kg.train_mask.sum()) == 99_116
