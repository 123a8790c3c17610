"""Splits by time."""

import json
from datetime import date

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.data.datapipes import DatasetAdapter
from torch_geometric.transforms import Compose

from pyg_cagp import Coverage
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import (
    CorruptTriples,
    TemporalLikeOOD,
    TimestampOOD,
    week_length,
)


@pytest.fixture(scope="module")
def dated():
    return load("synthetic")


def check(data, cut):
    train, val, test = data.train_mask, data.val_mask, data.test_mask
    assert (train.int() + val.int() + test.int() == 1).all()
    assert (data.edge_time[train] < cut).all()
    assert (data.ood_label[train] == -1).all()
    held_out = data.ood_label == 0
    assert (data.edge_time[held_out] < cut).all()
    assert (data.edge_time[data.ood_label == 1] >= cut).all()


def test_cutoff_as_a_date(dated):
    data = TimestampOOD(cutoff="2021-01-01", held_out=0.2)(dated)
    check(data, 18_628)  # Days from 1970 to 2021: 51 years, 13 leap days.
    assert not data.val_mask.any()
    past = data.edge_time < 18_628
    share = (data.ood_label[past] == 0).float().mean()
    assert share == pytest.approx(0.2, abs=0.02)
    assert (dated.edge_index == data.edge_index).all()


def test_stored_cutoff_gives_the_same_split(dated):
    for cut in (date(2021, 6, 1), "2021-06-01", np.int64(18_779), 0.8):
        first = TimestampOOD(cutoff=cut, val_cutoff=0.3, held_out=0.2, seed=3)(
            dated
        )
        stored = json.loads(json.dumps(first.time_cut))
        again = TimestampOOD(**stored)(dated)
        for key in ("train_mask", "val_mask", "test_mask"):
            assert torch.equal(first[key], again[key])


def test_week_length_depends_on_the_unit():
    times = {"edge_time": torch.tensor([0, 604_800])}
    assert week_length(Data(time_unit="s", **times)) == 604_800
    assert week_length(Data(time_unit="D", **times)) == 7
    with pytest.raises(InvalidInputError, match="must have a 'time_unit'"):
        week_length(Data(**times))


def test_cutoff_as_a_number_or_a_share(dated):
    check(TimestampOOD(cutoff=18_628)(dated), 18_628)
    data = TimestampOOD(cutoff=0.7)(dated)
    future = (data.ood_label == 1).float().mean()
    assert future == pytest.approx(0.3, abs=0.01)


def test_validation_has_its_own_future(dated):
    data = TimestampOOD(cutoff="2021-06-01", val_cutoff="2021-01-01")(dated)
    val, test = data.val_mask, data.test_mask
    check(data, 18_628)
    start, end = 18_628, 18_779
    future = data.ood_label == 1
    assert (data.edge_time[val & future] >= start).all()
    assert (data.edge_time[val & future] < end).all()
    assert (data.edge_time[test & future] >= end).all()
    for mask in (val, test):  # Both classes in both splits.
        assert data.ood_label[mask].unique().tolist() == [0, 1]


def test_repeats_are_marked_or_dropped():
    data = load("synthetic")
    # The first edge happens repeated at the end of time.
    late = int(data.edge_time.argmax())
    data.edge_index[:, late] = data.edge_index[:, 0]
    data.edge_type[late] = data.edge_type[0]
    labelled = TimestampOOD(cutoff=0.9, held_out=0.01)(data)
    known = TripleIndex(
        *triples(labelled, "train"),
        labelled.num_nodes,
        labelled.num_relations,
    )
    head, tail = labelled.edge_index
    repeated = (
        known.contains(head, labelled.edge_type, tail) & ~labelled.train_mask
    )
    assert repeated[late]
    assert torch.equal(labelled.is_repeat, repeated)
    dropped = TimestampOOD(cutoff=0.9, held_out=0.01, repeats="drop")(data)
    assert dropped.num_edges == labelled.num_edges - int(repeated.sum())
    assert not dropped.is_repeat.any()
    assert dropped.edge_time.numel() == dropped.num_edges
    assert dropped.node_type.numel() == dropped.num_nodes
    check(dropped, int(labelled.edge_time[labelled.ood_label == 1].min()))


def test_seed_and_functional_name(dated):
    one, two = TimestampOOD(seed=1)(dated), TimestampOOD(seed=1)(dated)
    assert torch.equal(one.ood_label, two.ood_label)
    assert not torch.equal(one.ood_label, TimestampOOD(seed=2)(dated).ood_label)
    piped = next(iter(DatasetAdapter([dated]).kg_timestamp_ood(seed=1)))
    assert torch.equal(piped.ood_label, one.ood_label)
    options = {
        "cutoff": 0.5,
        "val_cutoff": 0.5,
        "held_out": 0.5,
        "repeats": "drop",
        "seed": 5,
    }
    shown = {repr(TimestampOOD(**{k: v})) for k, v in options.items()}
    assert len(shown | {repr(TimestampOOD())}) == len(options) + 1


def test_labels_of_an_earlier_split_are_removed(dated):
    data = TimestampOOD()(CorruptTriples()(TemporalLikeOOD()(dated)))
    for key in (
        "ood_type",
        "ood_tau",
        "truth",
        "test_neg_edge_index",
        "corrupt_edge_index",
        "corrupt_edge_type",
        "corrupt_source",
    ):
        assert key not in data
    assert "truth" in dated


def test_a_list_as_long_as_the_edges_is_unchanged(toy):
    toy.edge_time = torch.arange(10)
    toy.node_names = list("abcde")
    toy.notes = list("abcdefghij")  # As long as the list of edges.
    data = TimestampOOD(cutoff=np.int64(6), held_out=0.3, repeats="drop")(toy)
    assert data.notes == list("abcdefghij")
    assert data.edge_type.numel() < 10


def test_bad_input_raises(dated, toy):
    with pytest.raises(InvalidInputError, match="has no 'edge_time'"):
        TimestampOOD()(toy)
    toy.edge_time = torch.arange(10)
    empty = toy.clone()
    for key in (
        "edge_index",
        "edge_type",
        "edge_time",
        "train_mask",
        "val_mask",
        "test_mask",
    ):
        empty[key] = toy[key][..., :0]
    with pytest.raises(InvalidInputError, match="'data' has no edges"):
        TimestampOOD()(empty)
    with pytest.raises(InvalidInputError, match="plain numbers"):
        TimestampOOD(cutoff="2014-01-01")(toy)
    for word in ("January", "today", "NaT", "", None):
        with pytest.raises(InvalidInputError, match="must be an ISO date"):
            TimestampOOD(cutoff=word)(dated)
    with pytest.raises(InvalidInputError, match="if it is a share"):
        TimestampOOD(cutoff=1.5)
    with pytest.raises(InvalidInputError, match="'held_out' must lie"):
        TimestampOOD(held_out=0.0)
    with pytest.raises(InvalidInputError, match="'repeats'"):
        TimestampOOD(repeats="some")
    with pytest.raises(InvalidInputError, match="not be later than 'cutoff'"):
        TimestampOOD(cutoff=0.5, val_cutoff=0.6)(dated)
    with pytest.raises(InvalidInputError, match="must be a whole day"):
        TimestampOOD(cutoff="2021-06-01T12:00")(dated)
    with pytest.raises(InvalidInputError, match=r"no future edge .* the val"):
        TimestampOOD(cutoff="2021-06-01", val_cutoff="2021-06-01")(dated)
    # All edges are one triple, so every held-out edge is a repeat.
    toy.edge_index = toy.edge_index[:, :1].expand(2, 10)
    toy.edge_type = toy.edge_type[:1].expand(10)
    with pytest.raises(InvalidInputError, match="repeats='drop'"):
        TimestampOOD(cutoff=7, held_out=0.3, repeats="drop")(toy)
    with pytest.raises(InvalidInputError, match="no training edge is left"):
        TimestampOOD(cutoff=0)(dated)
    with pytest.raises(
        InvalidInputError, match="no future edge is left in the test"
    ):
        TimestampOOD(cutoff="2030-01-01")(dated)


@pytest.mark.data
def test_icews14_equals_the_audit(real):
    """Most triples of autumn 2014 repeat known pairs, as the audit reports."""
    from sklearn.metrics import roc_auc_score

    transform = Compose(
        [TimestampOOD(cutoff="2014-10-01"), TemporalLikeOOD.preset("stated")]
    )
    data = transform(real("icews14"))
    future = data.ood_label == 1
    share = data.ood_type[future].bincount() / future.sum()
    assert share.tolist() == pytest.approx([0.68, 0.07, 0.25], abs=0.01)
    assert data.is_repeat[future].float().mean() > 0.40
    head, tail = data.edge_index
    missing = Coverage.from_data(data).missing(head, data.edge_type, tail)
    test = data.test_mask
    auroc = roc_auc_score(data.ood_label[test], missing[test])
    assert auroc == pytest.approx(0.563, abs=0.01)
