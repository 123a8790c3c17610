"""All forms of a knowledge graph are converted to one."""

import pytest
import torch
from torch_geometric.data import HeteroData
from torch_geometric.datasets import (
    FB15k_237,
    RelLinkPredDataset,
    WordNet18RR,
)
from torch_geometric.transforms import ToUndirected

from pyg_cagp.data import as_kg, check_kg, join_splits
from pyg_cagp.exceptions import InvalidInputError
from tests.conftest import split
from tests.loops import for_each

TRAIN = [
    ("a", "_hypernym", "b"),
    ("b", "_has_part", "c"),
    ("c", "_has_part", "c"),
]
VALID = [("a", "_hypernym", "d")]
TEST = [("e", "_verb_group", "a"), ("b", "_hypernym", "a")]
SPLITS = {"train": TRAIN, "valid": VALID, "test": TEST}


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, triples in files.items():
        text = "".join("\t".join(t) + "\n" for t in triples)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def named_triples(kg, mask):
    head, tail = kg.edge_index[:, mask]
    return sorted(
        (kg.node_names[h], kg.relation_names[r], kg.node_names[t])
        for h, r, t in zip(
            head.tolist(),
            kg.edge_type[mask].tolist(),
            tail.tolist(),
            strict=True,
        )
    )


def check(kg):
    assert named_triples(kg, kg.train_mask) == sorted(TRAIN)
    assert named_triples(kg, kg.val_mask) == sorted(VALID)
    assert named_triples(kg, kg.test_mask) == sorted(TEST)
    assert kg.num_nodes == 5


def test_fb15k_237_is_joined_from_any_split(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    for name in ("train", "val", "test"):
        kg = as_kg(FB15k_237(str(tmp_path), split=name))
        check(kg)
        assert kg.num_relations == 3
        assert kg.train_mask.tolist() == [True] * 3 + [False] * 3


def test_transform_of_fb15k_237_is_not_called(tmp_path):
    """A transform of one split does not apply to all three."""
    write(tmp_path / "raw", **SPLITS)

    def fail(_):
        raise AssertionError("not to be called")

    check(as_kg(FB15k_237(str(tmp_path), transform=fail)))


def test_wordnet18rr_has_masks_and_names(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    dataset = WordNet18RR(str(tmp_path))
    kg = as_kg(dataset)
    check(kg)
    # PyG numbers relations by a fixed table; 10 of them is the last one here.
    assert kg.num_relations == 11
    assert "num_relations" not in dataset[0]  # The dataset is not modified.


def test_names_of_changed_files_are_not_attached(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    dataset = FB15k_237(str(tmp_path))
    write(tmp_path / "raw", train=VALID)
    assert "node_names" not in as_kg(dataset)
    (tmp_path / "raw" / "train.txt").unlink()
    assert "node_names" not in as_kg(dataset)


def test_rel_link_pred_has_no_inverse_edges(tmp_path):
    raw = tmp_path / "FB15k-237" / "raw"
    write(raw, **SPLITS)
    # One relation more than any split uses.
    relations = ["_hypernym", "_has_part", "_verb_group", "_similar_to"]
    for name, names in (("entities", "abcde"), ("relations", relations)):
        lines = "".join(f"{i}\t{n}\n" for i, n in enumerate(names))
        (raw / f"{name}.dict").write_text(lines)
    kg = as_kg(RelLinkPredDataset(str(tmp_path), "FB15k-237"))
    assert kg.num_relations == 4
    assert kg.edge_type.tolist() == [0, 1, 1, 0, 2, 0]
    assert kg.edge_index.tolist() == [[0, 1, 2, 0, 4, 1], [1, 2, 2, 3, 0, 0]]
    assert kg.train_mask.sum() == 3


def test_folder(tmp_path):
    write(tmp_path, **SPLITS)
    check(as_kg(tmp_path))
    check(as_kg(str(tmp_path)))


def test_three_splits_have_the_largest_sizes(splits):
    kg = as_kg(splits)
    assert (kg.num_nodes, kg.num_relations) == (5, 3)
    assert kg.test_mask.sum() == 4
    splits[0].num_relations = 7
    assert as_kg(list(splits)).num_relations == 7


def test_times_of_splits_are_joined(splits):
    for number, part in enumerate(splits):
        part.edge_time = torch.full((part.num_edges,), number)
    splits[0].time_unit = "D"
    kg = as_kg(splits)
    assert kg.edge_time[kg.val_mask].tolist() == [1]
    assert kg.time_unit == "D"


def test_other_attributes_of_splits_are_joined(splits):
    for part in splits:
        part.edge_attr = torch.ones(part.num_edges, 2)
        part.edge_index = part.edge_index.to(torch.int16)
        part.edge_type = part.edge_type.to(torch.uint8)
    splits[0].edge_weight = torch.ones(5)  # Not in every split.
    kg = as_kg(splits)
    assert kg.edge_attr.shape == (10, 2)
    assert "edge_weight" not in kg
    assert kg.edge_index.dtype == kg.edge_type.dtype == torch.long


def test_missing_sizes_are_inferred(toy):
    del toy["num_nodes"], toy["num_relations"]
    kg = as_kg(toy)
    assert (kg.num_nodes, kg.num_relations) == (5, 3)


def test_a_converted_graph_is_unchanged(toy):
    again = as_kg(toy)
    assert again is not toy
    assert torch.equal(again.edge_index, toy.edge_index)


@for_each(
    ("change", "message"),
    [
        ({"train_mask": torch.ones(10)}, "must be a boolean mask"),
        (
            {"val_mask": torch.ones(10, dtype=torch.bool)},
            r"in one split only \(edge 0 is in two\)",
        ),
        ({"num_relations": 2}, r"'edge_type' must lie in \[0, 2\) \(got 2"),
        ({"node_names": ["a"]}, "'data.node_names' must have 5 entries"),
        ({"edge_type": torch.zeros(3).long()}, "list the same edges"),
    ],
)
def test_a_broken_graph_raises(toy, change, message):
    toy = toy.clone()
    for key, value in change.items():
        toy[key] = value
    with pytest.raises(InvalidInputError, match=message):
        as_kg(toy)


def test_other_objects_raise(splits):
    with pytest.raises(InvalidInputError, match="without train_mask"):
        as_kg(splits[0])
    with pytest.raises(InvalidInputError, match=r"\(got int\)"):
        as_kg(3)
    for key in ("edge_type", "edge_index"):
        lacking = splits[1].clone()
        del lacking[key]
        with pytest.raises(InvalidInputError, match=f"has no '{key}'"):
            as_kg((splits[0], lacking, splits[2]))
    with pytest.raises(InvalidInputError, match="got str as 'val'"):
        as_kg((splits[0], "x", splits[2]))
    with pytest.raises(InvalidInputError, match="'data' has no 'train_mask'"):
        check_kg(splits[0])
    with pytest.raises(InvalidInputError, match=r"\(got 9 at position"):
        join_splits(
            {"train": split((9, 0, 1)), "val": splits[1], "test": splits[2]},
            5,
            3,
        )


@pytest.fixture
def shop():
    """Two users, three items; the edges between items are for training."""
    data = HeteroData()
    data["user"].node_names = ["ann", "bob"]
    data["user"].num_nodes = 2
    data["item"].x = torch.zeros(3, 4)
    bought = data["user", "bought", "item"]
    bought.edge_index = torch.tensor([[0, 0, 1, 1], [0, 2, 1, 2]])
    bought.train_mask = torch.tensor([True, True, False, False])
    bought.val_mask = torch.tensor([False, False, True, False])
    bought.test_mask = torch.tensor([False, False, False, True])
    data["item", "like", "item"].edge_index = torch.tensor([[0], [1]])
    return data


def test_heterogeneous_graph(shop):
    kg = as_kg(shop)
    assert named_triples(kg, kg.train_mask) == [
        ("item/0", "item/like/item", "item/1"),
        ("user/ann", "user/bought/item", "item/0"),
        ("user/ann", "user/bought/item", "item/2"),
    ]
    assert named_triples(kg, kg.val_mask) == [
        ("user/bob", "user/bought/item", "item/1")
    ]
    assert named_triples(kg, kg.test_mask) == [
        ("user/bob", "user/bought/item", "item/2")
    ]
    assert (kg.num_nodes, kg.num_relations) == (5, 2)
    assert kg.node_type.tolist() == [0, 0, 1, 1, 1]
    assert "edge_time" not in kg


def test_reverse_edges_are_removed(shop):
    both = as_kg(ToUndirected()(shop))
    assert ("item", "rev_bought", "user") in ToUndirected()(shop).edge_types
    assert both.relation_names == ["user/bought/item", "item/like/item"]
    assert both.num_edges == 4 + 2  # Edges of items in both directions.


def test_times_of_a_heterogeneous_graph_need_all_edge_types(shop):
    shop["user", "bought", "item"].edge_time = torch.arange(4)
    assert "edge_time" not in as_kg(shop)
    shop["item", "like", "item"].edge_time = torch.tensor([9])
    kg = as_kg(shop)
    assert kg.edge_time[kg.train_mask].tolist() == [0, 1, 9]


def test_a_heterogeneous_graph_without_masks_raises(shop):
    del shop["user", "bought", "item"].val_mask
    with pytest.raises(InvalidInputError, match="has train_mask and test_mask"):
        as_kg(shop)
    for mask in ("train_mask", "test_mask"):
        del shop["user", "bought", "item"][mask]
    with pytest.raises(InvalidInputError, match="without a split"):
        as_kg(shop)


def test_num_edge_types_is_the_number_of_relations(splits, toy):
    splits[1].num_edge_types = 7
    assert as_kg(splits).num_relations == 7
    del toy["num_relations"]
    toy.num_edge_types = 9
    assert as_kg(toy).num_relations == 9
