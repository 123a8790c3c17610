"""The synthetic graph has the structure that it documents."""

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.data import TripleIndex
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.datasets.events import BLOCK, draw_events, hash_uniform
from pyg_cagp.datasets.held_out import CUT
from pyg_cagp.datasets.world import World
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import TemporalLikeOOD
from tests.loops import for_each

SIZES = {"num_nodes": 500, "num_relations": 12}


@pytest.fixture(scope="module")
def graph():
    return SyntheticKG()


@pytest.fixture(scope="module")
def data(graph):
    return graph[0]


def test_default_sizes_and_classes(data):
    assert (data.num_nodes, data.num_relations, data.num_edges) == (
        2_000,
        30,
        30_000,
    )
    assert len(TripleIndex.from_data(data)) == 30_000  # All distinct.
    for mask in (data.val_mask, data.test_mask):
        truth = data.truth[mask]
        assert all(int((truth == kind).sum()) > 200 for kind in range(3))
    assert (data.truth[data.train_mask] == -1).all()
    for preset in TemporalLikeOOD.presets:
        ood = TemporalLikeOOD.preset(preset)(data).ood_type[data.test_mask]
        assert all(int((ood == kind).sum()) > 200 for kind in range(3))


def test_truth_agrees_with_the_training_split(data):
    """Emerging entities are unseen, novel pairs uncovered; not vice versa."""
    cov = Coverage.from_data(data)
    frequency = cov.frequency()
    head, tail = data.edge_index
    least = torch.minimum(frequency[head], frequency[tail])
    missing = cov.missing(head, data.edge_type, tail)
    assert (least[data.truth == 1] == 0).all()
    assert (missing[data.truth == 2] > 0).all()
    ordinary = data.truth == 0
    assert (missing[ordinary] > 0).any()  # Coverage is not the truth.


def test_false_triples_are_false(graph, data):
    known = TripleIndex.from_data(data)
    for split in ("val", "test"):
        head, rel, tail, truth = SyntheticKG.labelled(data, split)
        false = truth == 3
        assert int(false.sum()) == int(data[f"{split}_mask"].sum())
        assert not known.contains(head[false], rel[false], tail[false]).any()
        assert known.contains(head[~false], rel[~false], tail[~false]).all()
        # At the default size there are five factors.
        world = graph.world
        inside = world.public_id.argsort()
        broken = world.broken(inside[head], rel, inside[tail])
        assert (broken[false] >= 3).all()
        assert (broken[~false] == 0).float().mean() > 0.7
        # The type is right, so that only the fact itself is wrong.
        kinds = {}
        for r, t in zip(
            data.edge_type.tolist(), data.edge_index[1].tolist(), strict=True
        ):
            kinds.setdefault(r, set()).add(int(data.node_type[t]))
        assert all(
            int(data.node_type[t]) in kinds[r]
            for r, t in zip(
                rel[false].tolist(), tail[false].tolist(), strict=True
            )
        )


def test_relations_have_one_type_at_each_end(data):
    for end in (0, 1):
        kind = data.node_type[data.edge_index[end]]
        pairs = torch.stack([data.edge_type, kind]).unique(dim=1)
        assert pairs[0].unique().numel() == pairs.size(1)


def test_names_contain_type_and_relation(data):
    assert len(set(data.node_names)) == data.num_nodes
    kinds = [name.split("_")[0] for name in data.node_names]
    pairs = set(zip(kinds, data.node_type.tolist(), strict=True))
    assert len(pairs) == 6  # One name a type.
    name_of = {number: kind for kind, number in pairs}
    head, tail = data.node_type[data.edge_index].tolist()
    for r, h, t in zip(data.edge_type.tolist(), head, tail, strict=True):
        expected = f"r{r}:{name_of[h]}->{name_of[t]}"
        assert data.relation_names[r] == expected


def test_popularity_is_heavy_tailed(data):
    frequency = Coverage.from_data(data).frequency().sort().values
    top = frequency[-200:].sum() / frequency.sum()
    assert top > 0.3  # A tenth of the entities fill a third of the slots.


def test_time_separates_train_from_the_future(data):
    cut = data.edge_time[data.train_mask].max()
    future = data.edge_time > cut
    assert future.any()
    assert not (future & data.train_mask).any()
    assert (data.truth[~future & ~data.train_mask] == 0).all()


def test_graph_depends_on_the_seed_only():
    a, b = (SyntheticKG(num_triples=2_000, **SIZES, seed=3)[0] for _ in "ab")
    for key, value in a.to_dict().items():
        same = (
            torch.equal(value, b[key])
            if torch.is_tensor(value)
            else (value == b[key])
        )
        assert same, key
    other = SyntheticKG(num_triples=2_000, **SIZES, seed=4)[0]
    assert not torch.equal(a.edge_index, other.edge_index)


def test_global_random_state_is_unchanged():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    SyntheticKG(num_triples=500, **SIZES)
    assert torch.equal(torch.rand(3), expected)


def test_a_stream_does_not_depend_on_its_chunks():
    total = BLOCK + 5_000
    one_chunk = list(
        SyntheticKG.stream(**SIZES, num_triples=total, chunk_size=total)
    )
    parts = list(
        SyntheticKG.stream(**SIZES, num_triples=total, chunk_size=40_001)
    )
    assert len(one_chunk) == 1
    assert len(parts) == 4
    for key in ("edge_index", "edge_type", "edge_time"):
        joined = torch.cat([part[key] for part in parts], dim=-1)
        assert torch.equal(joined, one_chunk[0][key])
    assert (one_chunk[0].edge_time.diff() >= 0).all()
    assert (one_chunk[0].num_nodes, one_chunk[0].num_relations) == (500, 12)


def test_events_follow_birth_and_uptake():
    world = World(300, 10, 6, 3, 0.6, 0.1, 0)
    events = draw_events(world, 0, 20_000, 20_000)
    for entity in (events.head, events.tail):
        assert (world.birth[entity] <= events.moment).all()
        uptake = world.uptake(entity, events.rel)
        assert (uptake <= events.moment).all()
        assert (uptake > CUT).any()
    assert (world.type_of[events.head] == world.head_type[events.rel]).all()
    assert (world.type_of[events.tail] == world.tail_type[events.rel]).all()


def test_hash_is_uniform_and_equals_splitmix64():
    keys = torch.arange(200_000)
    draw = hash_uniform(7, keys, keys % 5)
    counts = torch.histc(draw, bins=20, min=0, max=1)
    chi2 = ((counts - 10_000) ** 2 / 10_000).sum()
    assert chi2 < 50  # 19 degrees of freedom: about one in ten thousand.
    assert torch.equal(draw, hash_uniform(7, keys, keys % 5))
    assert not torch.equal(draw, hash_uniform(8, keys, keys % 5))
    # The reference output of SplitMix64 for seed 0: 0xE220A8397B1DCDAF.
    first = hash_uniform(0, torch.tensor([0]))
    assert first.item() == (0xE220A8397B1DCDAF >> 11) * 2.0**-53


@for_each(
    ("change", "message"),
    [
        ({"num_nodes": 10}, "at least four times 'num_types'"),
        ({"num_relations": 0}, "'num_relations' must be at least 1"),
        ({"num_factors": 0}, "'num_factors' must be at least 1"),
        ({"num_factors": 11}, "'num_factors' must be at most 10"),
        ({"noise": 0.0}, r"'noise' must lie in \(0, 0.5\] \(got 0.0\)"),
        ({"zipf": 1.0}, r"'zipf' must lie in \[0, 1\) \(got 1.0\)"),
        ({"num_triples": 5}, "'num_triples' must be at least 20"),
        ({"num_nodes": 24, "num_triples": 90_000}, "too large for the graph"),
    ],
)
def test_bad_sizes_raise(change, message):
    with pytest.raises(InvalidInputError, match=message):
        SyntheticKG(**change)
    if "num_triples" not in change:
        sizes = {**SIZES, "num_triples": 100, **change}
        with pytest.raises(InvalidInputError, match=message):
            next(SyntheticKG.stream(**sizes))
    with pytest.raises(InvalidInputError, match="'chunk_size'"):
        next(SyntheticKG.stream(**SIZES, num_triples=9, chunk_size=0))
