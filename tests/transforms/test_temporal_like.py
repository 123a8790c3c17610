"""The paper's partition, by hand and on its own data."""

import pytest
import torch
from torch_geometric.data.datapipes import DatasetAdapter
from torch_geometric.datasets import (
    FB15k_237,
    RelLinkPredDataset,
    WordNet18RR,
)
from torch_geometric.transforms import Compose

from pyg_cagp import Coverage
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import TemporalLikeOOD
from tests.conftest import split
from tests.data.test_as_kg import SPLITS, write
from tests.loops import for_each

# Frequencies in train: 3, 2, 4, 1, 0 (the self-loop of entity 2 counts twice).
# test: (0,0,1) covered; (1,1,3) uncovered; (4,0,1) has entity 4; (1,2,0) has
# relation 2, which train never had. val: (0,0,3).


@for_each(
    ("quantile", "inclusive", "tau", "expected"),
    [
        (0.01, False, 1.03, [1, 0, 1, 1, 2]),
        # The median of 1, 2, 3, 4 is 2.5.
        (0.5, False, 2.5, [1, 1, 1, 1, 1]),
        (1 / 3, False, 2.0, [1, 0, 1, 1, 2]),
        (1 / 3, True, 2.0, [1, 1, 1, 1, 1]),
    ],
)
def test_types_and_tau_by_hand(toy, quantile, inclusive, tau, expected):
    got = TemporalLikeOOD(quantile=quantile, inclusive=inclusive)(toy)
    assert got.ood_tau == pytest.approx(tau)
    assert got.ood_type.tolist() == [-1] * 5 + expected
    assert "ood_type" not in toy  # The input is not modified.


def test_population_and_self_loops(toy):
    # Over 0, 1, 2, 3, 4 the median is 2, not 2.5.
    assert TemporalLikeOOD(quantile=0.5, population="all")(toy).ood_tau == 2.0
    # Entity 2 fills four slots of three triples.
    once = TemporalLikeOOD(quantile=0.999, self_loops="once")(toy)
    assert once.ood_tau == pytest.approx(3.0, abs=0.01)


def test_edges_without_a_split_are_not_labelled(toy):
    toy.test_mask[-1] = False
    assert TemporalLikeOOD(quantile=0.01)(toy).ood_type[-1] == -1


@for_each("kind", ["data", "coverage", "kg", "splits"])
def test_a_single_split_with_a_reference(splits, toy, kind):
    reference = {
        "data": splits[0],
        "coverage": Coverage.from_data(splits),
        "kg": toy,
        "splits": splits,
    }[kind]
    transform = TemporalLikeOOD(quantile=1 / 3, reference=reference)
    for _ in range(2):
        assert transform(splits[2]).ood_type.tolist() == [0, 1, 1, 2]
        assert transform(splits[1]).ood_type.tolist() == [1]
    if kind == "data":
        assert transform(splits[0]).ood_type.tolist() == [-1] * 5


def test_relations_missing_from_the_reference(splits):
    train = splits[0]
    transform = TemporalLikeOOD(
        quantile=0.01,
        reference=Coverage.from_edges(train.edge_index, train.edge_type, 5, 2),
    )
    assert transform(splits[2]).ood_type.tolist() == [0, 1, 1, 2]


def test_as_transform_of_pyg_datasets(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    train = FB15k_237(str(tmp_path))
    transform = TemporalLikeOOD.preset("stated", reference=train)
    data = FB15k_237(str(tmp_path), split="test", transform=transform)[0]
    expected = TemporalLikeOOD()(as_kg(train))
    assert torch.equal(data.ood_type, expected.ood_type[expected.test_mask])
    with pytest.raises(InvalidInputError, match="pass the training split or"):
        FB15k_237(str(tmp_path), transform=TemporalLikeOOD())[0]

    raw = tmp_path / "FB15k-237" / "raw"
    write(raw, **SPLITS)
    relations = ["_hypernym", "_has_part", "_verb_group"]
    for name, names in (("entities", "abcde"), ("relations", relations)):
        lines = "".join(f"{i}\t{n}\n" for i, n in enumerate(names))
        (raw / f"{name}.dict").write_text(lines)
    for reference in (None, train):
        data = RelLinkPredDataset(
            str(tmp_path),
            "FB15k-237",
            transform=TemporalLikeOOD(reference=reference),
        )[0]
        assert torch.equal(data.ood_type, expected.ood_type)


def test_compose_and_functional_name(toy):
    data = Compose([TemporalLikeOOD(quantile=0.2)])(toy)
    piped = next(iter(DatasetAdapter([toy]).kg_temporal_like_ood(quantile=0.2)))
    assert torch.equal(piped.ood_type, data.ood_type)


def test_presets_and_repr():
    table2 = TemporalLikeOOD.preset("table2")
    assert (table2.quantile, table2.inclusive) == (0.25, True)
    assert repr(table2) == (
        "TemporalLikeOOD(quantile=0.25, inclusive=True, population='seen', "
        "self_loops='twice')"
    )


def test_integer_types_and_empty_splits(splits):
    for part in splits:
        part.edge_index = part.edge_index.to(torch.uint8)
        part.edge_type = part.edge_type.to(torch.int16)
    transform = TemporalLikeOOD(quantile=1 / 3, reference=splits[0])
    assert transform(splits[2]).ood_type.tolist() == [0, 1, 1, 2]
    empty = split(num_nodes=5)
    empty.edge_index = torch.empty(2, 0, dtype=torch.long)
    empty.edge_type = torch.empty(0, dtype=torch.long)
    assert transform(empty).ood_type.numel() == 0


def test_repr_shows_every_option(splits):
    """PyG compares pre_transforms by their repr."""
    options = {
        "quantile": 0.2,
        "inclusive": True,
        "population": "all",
        "self_loops": "once",
        "reference": splits[0],
    }
    shown = {repr(TemporalLikeOOD(**{k: v})) for k, v in options.items()}
    assert len(shown | {repr(TemporalLikeOOD())}) == len(options) + 1
    # References of one shape have different content.
    other = splits[0].clone()
    other.edge_type = 1 - other.edge_type
    references = [
        *(
            make(part)
            for make in (lambda x: x, list_of)
            for part in (splits[0], other)
        ),
        Coverage.from_edges(splits[0].edge_index, splits[0].edge_type, 5, 3),
        Coverage.from_edges(other.edge_index, other.edge_type, 5, 3),
        "a/folder",
    ]
    shown = {repr(TemporalLikeOOD(reference=r)) for r in references}
    assert len(shown) == len(references)


def list_of(part):
    return [part, part, part]


@for_each("as_coverage", [True, False])
def test_a_reference_with_fewer_entities_than_the_split(as_coverage):
    train = split((0, 0, 1), (1, 0, 2), num_nodes=3)
    reference = (
        Coverage.from_edges(train.edge_index, train.edge_type, 3, 1)
        if as_coverage
        else train
    )
    test = split((0, 0, 1), (0, 0, 4), num_nodes=5)
    got = TemporalLikeOOD(quantile=0.01, reference=reference)(test)
    assert got.ood_type.tolist() == [0, 1]


def test_relations_are_part_of_the_reference():
    train = split((0, 0, 1), num_nodes=2)
    test = split((0, 1, 1), num_nodes=2)
    transform = TemporalLikeOOD(quantile=0.5, reference=train)
    assert transform(test).ood_type.tolist() == [2]
    assert transform(train).ood_type.tolist() == [-1]


def test_wordnet18rr_as_dataset(tmp_path):
    write(tmp_path / "raw", **SPLITS)
    data = WordNet18RR(str(tmp_path), transform=TemporalLikeOOD(quantile=0.3))[
        0
    ]
    plain = as_kg(WordNet18RR(str(tmp_path)))
    assert torch.equal(
        data.ood_type, TemporalLikeOOD(quantile=0.3)(plain).ood_type
    )
    assert (data.ood_type[data.train_mask] == -1).all()


def test_bad_input_raises(splits, toy):
    lacking = splits[1].clone()
    del lacking["edge_type"]
    with pytest.raises(InvalidInputError, match="'data' has no 'edge_type'"):
        TemporalLikeOOD(reference=splits[0])(lacking)
    with pytest.raises(
        InvalidInputError, match=r"'quantile' must lie in \(0, 1\) \(got 1.5\)"
    ):
        TemporalLikeOOD(quantile=1.5)
    with pytest.raises(InvalidInputError, match="'population'"):
        TemporalLikeOOD(population="none")
    with pytest.raises(InvalidInputError, match="'name'"):
        TemporalLikeOOD.preset("table3")
    with pytest.raises(InvalidInputError, match="needs the training edges"):
        TemporalLikeOOD(self_loops="once", reference=Coverage.from_data(splits))
    toy.train_mask.fill_(False)
    with pytest.raises(InvalidInputError, match="no training edges"):
        TemporalLikeOOD()(toy)


COUNTS = [
    ("fb15k-237", "stated", 5, (448, 6_168, 13_850)),
    ("fb15k-237", "appendix", 9, (1_317, 5_678, 13_471)),
    ("fb15k-237", "table2", 11, (2_223, 5_193, 13_050)),
    ("wn18rr", "stated", 1, (210, 1_227, 1_697)),
    ("wn18rr", "inclusive", 1, (892, 663, 1_579)),
    ("icews14", "stated", 1, (146, 1_462, 7_355)),
]


def counts(data, transform):
    data = transform(data)
    ood = data.ood_type[data.test_mask]
    return tuple(int((ood == kind).sum()) for kind in (1, 2, 0))


@pytest.mark.data
@for_each(("name", "preset", "tau", "expected"), COUNTS)
def test_counts_of_the_paper(real, name, preset, tau, expected):
    transform = TemporalLikeOOD.preset(preset)
    assert counts(real(name), transform) == expected
    assert transform(real(name)).ood_tau == tau


@pytest.mark.data
@for_each(
    ("name", "options", "expected"),
    [
        ("fb15k-237", {"quantile": 0.30}, (2_223, 5_193, 13_050)),
        ("fb15k-237", {"self_loops": "once"}, (460, 6_157, 13_849)),
        ("wn18rr", {"inclusive": True}, (892, 663, 1_579)),
        ("icews14", {"inclusive": True}, (391, 1_302, 7_270)),
    ],
)
def test_counts_of_other_options(real, name, options, expected):
    assert counts(real(name), TemporalLikeOOD(**options)) == expected


@pytest.mark.data
def test_counts_with_a_reference_split(real):
    kg = real("fb15k-237")
    train, test = (
        split(
            *torch.stack([kg.edge_index[0], kg.edge_type, kg.edge_index[1]], 1)[
                mask
            ].tolist(),
            num_nodes=kg.num_nodes,
        )
        for mask in (kg.train_mask, kg.test_mask)
    )
    ood = TemporalLikeOOD.preset("table2", reference=train)(test).ood_type
    assert ood.bincount().tolist() == [13_050, 2_223, 5_193]
