"""False triples against lists by hand."""

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.data.datapipes import DatasetAdapter
from torch_geometric.datasets import FB15k_237, WordNet18RR

from pyg_cagp import Coverage
from pyg_cagp.data import TripleIndex, as_kg
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import CorruptTriples, candidates
from tests.conftest import split
from tests.data.test_as_kg import SPLITS, write
from tests.loops import for_each


@pytest.fixture(scope="module")
def data():
    return load("synthetic")


def triples(data):
    head, tail = data.corrupt_edge_index
    return head, data.corrupt_edge_type, tail


@for_each("place", ["tail", "head", "both", "relation"])
@for_each("kind", ["uniform", "typed"])
def test_one_part_is_replaced_and_known_triples_are_filtered(data, place, kind):
    got = CorruptTriples(corrupt=place, candidates=kind)(data)
    head, rel, tail = triples(got)
    source = got.corrupt_source
    assert not data.train_mask[source].any()
    changed = torch.stack(
        [
            head != data.edge_index[0, source],
            rel != data.edge_type[source],
            tail != data.edge_index[1, source],
        ]
    )
    assert (changed.sum(0) == 1).all()
    per_place = changed.float().mean(1).tolist()
    expected = {
        "tail": [0, 0, 1],
        "head": [1, 0, 0],
        "both": [0.5, 0, 0.5],
        "relation": [0, 1, 0],
    }[place]
    assert per_place == pytest.approx(expected, abs=0.03)
    assert not TripleIndex.from_data(data).contains(head, rel, tail).any()
    if kind == "typed":
        cov = Coverage.from_data(data)
        if place in ("tail", "relation"):
            assert cov.contains(tail, rel, "tail").all()
        if place in ("head", "relation"):
            assert cov.contains(head, rel, "head").all()


def test_draws_are_uniform():
    """A chi-square test over all valid tails of one query."""
    kg = as_kg(
        (
            split((0, 0, 1), (0, 0, 2), num_nodes=10),
            split((0, 0, 3), num_nodes=10),
            split((0, 0, 4), num_nodes=10),
        )
    )
    got = CorruptTriples(num_negatives=20_000)(kg)
    counts = got.corrupt_edge_index[1].bincount(minlength=10)
    # Tails 1 to 4 are true; 0 and 5 to 9 are equally likely.
    assert counts[1:5].sum() == 0
    rest = counts[[0, 5, 6, 7, 8, 9]].double()
    assert rest.sum() == 40_000
    expected = 40_000 / 6
    assert ((rest - expected) ** 2 / expected).sum() < 25  # 5 d.o.f.


def test_draws_from_listed_candidates_are_uniform(monkeypatch):
    monkeypatch.setattr(candidates, "_ROUNDS", 0)
    monkeypatch.setattr(candidates, "_LISTED", 64)  # Several batches.
    test_draws_are_uniform()


def test_triples_without_candidates_are_skipped():
    # Relation 0 holds between all pairs; relation 1 has one known tail.
    full = [(h, 0, t) for h in range(3) for t in range(3)]
    kg = as_kg(
        (
            split(*full[:-1], (0, 1, 1), num_nodes=3),
            split(full[-1], num_nodes=3),
            split((2, 1, 1), num_nodes=3),
        )
    )
    got = CorruptTriples()(kg)
    assert got.corrupt_source.tolist() == [10]  # The edge of relation 1.
    got = CorruptTriples(candidates="typed")(kg)
    assert got.corrupt_source.numel() == 0
    got = CorruptTriples(corrupt="both", filtered=False)(kg)
    assert got.corrupt_source.tolist() == [9, 10]


@for_each("seed", range(6))
def test_both_replaces_the_end_that_has_candidates(seed):
    # Every tail of (0, 0) is known; 1 and 2 are heads of no triple.
    kg = as_kg(
        (
            split((0, 0, 0), (0, 0, 1), num_nodes=3),
            split((0, 0, 2), num_nodes=3),
            split((0, 0, 1), num_nodes=3),
        )
    )
    got = CorruptTriples(corrupt="both", seed=seed)(kg)
    assert got.corrupt_source.tolist() == [2, 3]
    assert (got.corrupt_edge_index[0] > 0).all()
    assert got.corrupt_edge_index[1].tolist() == [2, 1]  # Left as they were.


def test_rare_candidates_are_drawn():
    # 199 of 200 tails are known.
    kg = as_kg(
        (
            split(*[(0, 0, t) for t in range(1, 199)], num_nodes=200),
            split((0, 0, 199), num_nodes=200),
            split((0, 0, 199), num_nodes=200),
        )
    )
    got = CorruptTriples(seed=5)(kg)
    assert got.corrupt_edge_index.tolist() == [[0, 0], [0, 0]]


def test_unfiltered_draws_contain_known_triples(data):
    got = CorruptTriples(filtered=False, num_negatives=20)(data)
    head, rel, tail = triples(got)
    assert TripleIndex.from_data(data).contains(head, rel, tail).any()
    assert got.corrupt_source.numel() == 20 * int((~data.train_mask).sum())


def test_draws_depend_on_the_seed_only(data):
    transform = CorruptTriples(corrupt="both", seed=3)
    one, two = transform(data), transform(data)
    assert torch.equal(one.corrupt_edge_index, two.corrupt_edge_index)
    other = CorruptTriples(corrupt="both", seed=4)(data)
    assert not torch.equal(one.corrupt_edge_index, other.corrupt_edge_index)
    piped = next(
        iter(DatasetAdapter([data]).kg_corrupt_triples(corrupt="both", seed=3))
    )
    assert torch.equal(piped.corrupt_edge_index, one.corrupt_edge_index)
    options = {
        "corrupt": "head",
        "candidates": "typed",
        "filtered": False,
        "num_negatives": 2,
        "seed": 2,
        "reference": data,
    }
    shown = {repr(CorruptTriples(**{k: v})) for k, v in options.items()}
    assert len(shown | {repr(CorruptTriples())}) == len(options) + 1


def test_a_single_split(splits, toy):
    test = splits[2]
    got = CorruptTriples(reference=splits)(test)
    assert got.corrupt_source.tolist() == [0, 1, 2, 3]
    head, rel, tail = triples(got)
    assert not TripleIndex.from_data(toy).contains(head, rel, tail).any()
    plain = CorruptTriples(filtered=False)(test)
    assert plain.corrupt_edge_index.shape == (2, 4)
    # The number of relations of the split is used.
    test.num_relations = 50
    test.edge_type = test.edge_type.int()
    drawn = CorruptTriples(
        corrupt="relation", filtered=False, num_negatives=30
    )(test)
    assert drawn.corrupt_edge_type.max() > 40
    del test["num_relations"]
    with pytest.raises(InvalidInputError, match="pass the whole graph"):
        CorruptTriples()(test)
    with pytest.raises(InvalidInputError, match="pass the whole graph"):
        CorruptTriples(candidates="typed", filtered=False)(test)


def test_bad_options_raise():
    with pytest.raises(InvalidInputError, match="'corrupt'"):
        CorruptTriples(corrupt="middle")
    with pytest.raises(InvalidInputError, match="'candidates'"):
        CorruptTriples(candidates="popular")
    with pytest.raises(InvalidInputError, match=r"integer \(got 0\)"):
        CorruptTriples(num_negatives=0)
    with pytest.raises(InvalidInputError, match=r"integer \(got 1.5\)"):
        CorruptTriples(num_negatives=1.5)


@for_each("kind", ["uniform", "typed"])
def test_a_reference_smaller_than_the_split(kind):
    reference = as_kg([split((0, 0, 1), (1, 0, 0), num_nodes=2)] * 3)
    reference.node_names = ["a", "b"]
    test = split((3, 1, 2), (3, 0, 2), num_nodes=4)
    got = CorruptTriples(candidates=kind, reference=reference)(test)
    expected = [0, 1] if kind == "uniform" else [1]  # Relation 1 is new.
    assert got.corrupt_source.tolist() == expected


def test_as_transform_of_pyg_datasets(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    dataset = FB15k_237(str(tmp_path))
    data = FB15k_237(
        str(tmp_path), split="test", transform=CorruptTriples(reference=dataset)
    )[0]
    known = TripleIndex.from_data(as_kg(dataset))
    assert data.corrupt_source.tolist() == [0, 1]
    assert not known.contains(*triples(data)).any()
    (tmp_path / "wn").mkdir()
    write(tmp_path / "wn" / "raw", **SPLITS)
    data = WordNet18RR(str(tmp_path / "wn"), transform=CorruptTriples())[0]
    assert data.corrupt_source.numel() == 3


@pytest.mark.data
@for_each(("name", "expected"), [("fb15k-237", 0.820), ("wn18rr", 0.659)])
def test_structural_uncertainty_on_random_tails(real, name, expected):
    """The audit's figure for U_str on random tail corruption."""
    from sklearn.metrics import roc_auc_score

    kg: Data = real(name)
    data = CorruptTriples()(kg)
    cov = Coverage.from_data(kg)
    head, tail = kg.edge_index[:, kg.test_mask]
    true = cov.missing(head, kg.edge_type[kg.test_mask], tail)
    of_test = kg.test_mask[data.corrupt_source]
    head, rel, tail = triples(data)
    false = cov.missing(head[of_test], rel[of_test], tail[of_test])
    label = torch.cat([torch.zeros_like(true), torch.ones_like(false)])
    auroc = roc_auc_score(label, torch.cat([true, false]))
    assert auroc == pytest.approx(expected, abs=0.01)
