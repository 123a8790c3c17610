"""Evaluation of rankings against brute force and closed forms."""

import pytest
import torch
from torch_geometric.nn.kge import DistMult, KGEModel, TransE

from pyg_cagp import GaussianDistMult, evaluate
from pyg_cagp.data import AnswerIndex, as_kg, triples
from pyg_cagp.datasets import load
from pyg_cagp.evaluate import relation_categories
from pyg_cagp.evaluate.groups import equal_groups
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring import rank_counts
from tests.conftest import split
from tests.loops import for_each


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.fixture(scope="module")
def model(kg):
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    # Coarse weights, for ties.
    for emb in (model.node_emb, model.rel_emb):
        emb.weight.data = torch.randint(-1, 2, emb.weight.shape).float()
    return model


def brute_force(model, kg, filtered):
    """Ranks and candidates of the first triples, one candidate at a time."""
    head, rel, tail = triples(kg, "test")
    facts = set(
        zip(*kg.edge_index.tolist(), kg.edge_type.tolist(), strict=True)
    )
    rows = []
    for h, r, t in list(
        zip(head.tolist(), rel.tolist(), tail.tolist(), strict=True)
    )[:20]:
        for side in ("tail", "head"):
            ends = [
                (h, c) if side == "tail" else (c, t)
                for c in range(kg.num_nodes)
            ]
            ends = [
                (a, b)
                for a, b in ends
                if (a, b) == (h, t) or not filtered or (a, b, r) not in facts
            ]
            a, b = torch.tensor(ends).t()
            score = model(a, torch.full_like(a, r), b)
            true = score[ends.index((h, t))]
            higher = int((score > true).sum())
            equal = int((score == true).sum()) - 1
            places = torch.arange(higher + 1, higher + equal + 2).double()
            rows.append((side, places, len(ends)))
    return rows


@for_each("filtered", [True, False])
def test_figures_equal_brute_force(model, kg, filtered):
    small = kg.clone()
    some = kg.test_mask.nonzero().view(-1)[20:]
    small.test_mask = kg.test_mask.clone()
    small.test_mask[some] = False
    got = evaluate.ranking(model, small, filtered=filtered)
    rows = brute_force(model, small, filtered)
    assert sum(places.numel() > 1 for _, places, _ in rows) > 5
    for name, chosen in (
        ("both", rows),
        ("tail", [row for row in rows if row[0] == "tail"]),
        ("head", [row for row in rows if row[0] == "head"]),
    ):
        part = got if name == "both" else got["by_side"][name]
        places = [row[1] for row in chosen]
        num = torch.tensor([row[2] for row in chosen]).double()
        rank = torch.stack([p.mean() for p in places])
        mrr = torch.stack([p.reciprocal().mean() for p in places]).mean()
        assert part["mrr"] == pytest.approx(float(mrr))
        assert part["mean_rank"] == pytest.approx(float(rank.mean()))
        for k in (1, 3, 10):
            hit = torch.stack([(p <= k).double().mean() for p in places])
            assert part[f"hits@{k}"] == pytest.approx(float(hit.mean()))
        amri = 1 - (rank.mean() - 1) / ((num - 1) / 2).mean()
        assert part["amri"] == pytest.approx(float(amri))
    assert got["num_queries"] == 40


def test_figures_of_a_constant_scorer(kg):
    class Constant(KGEModel):
        def forward(self, head_index, rel_type, tail_index):
            return torch.ones(head_index.numel())

    model = Constant(kg.num_nodes, kg.num_relations, 2)
    got = evaluate.ranking(model, kg, filtered=False)
    n = kg.num_nodes
    assert got["mrr"] == pytest.approx(sum(1 / k for k in range(1, n + 1)) / n)
    assert got["hits@10"] == pytest.approx(10 / n)
    assert got["amr"] == pytest.approx(1)
    assert got["amri"] == pytest.approx(0, abs=1e-12)
    for ties, mrr in (("optimistic", 1), ("pessimistic", 1 / n)):
        result = evaluate.ranking(model, kg, filtered=False, ties=ties)
        assert result["mrr"] == pytest.approx(mrr)


def test_groups_add_up_to_all_queries(model, kg):
    got = evaluate.ranking(model, kg)
    names = kg.relation_names
    for rows in (
        got["by_side"].values(),
        got["by_category"].values(),
        got["by_relation"].values(),
        got["by_frequency"],
    ):
        num = sum(row["num"] for row in rows)
        assert num == got["num_queries"]
        mrr = sum(row["num"] * row["mrr"] for row in rows) / num
        assert mrr == pytest.approx(got["mrr"])
    assert set(got["by_relation"]) <= set(names)
    for row in got["by_category"].values():
        assert row["num"] == row["tail"]["num"] + row["head"]["num"]
    for side, expected in got["by_side"].items():
        rows = [row[side] for row in got["by_category"].values()]
        mrr = sum(row["num"] * row["mrr"] for row in rows) / expected["num"]
        assert mrr == pytest.approx(expected["mrr"])
    lowest = [row["lowest"] for row in got["by_frequency"]]
    highest = [row["highest"] for row in got["by_frequency"]]
    assert all(a < b for a, b in zip(highest, lowest[1:], strict=False))


def test_figures_by_relation_use_its_triples_only(model, kg):
    got = evaluate.ranking(model, kg)
    head, rel, tail = triples(kg, "test")
    chosen = rel == rel[0]
    counts = rank_counts(
        model,
        head[chosen],
        rel[chosen],
        tail[chosen],
        known=AnswerIndex.from_data(kg),
    )
    rank = torch.cat([part.rank() for part in counts.values()])
    row = got["by_relation"][kg.relation_names[int(rel[0])]]
    assert row["mean_rank"] == pytest.approx(float(rank.mean()))


def test_relation_categories_by_hand():
    kg = as_kg(
        (
            # 0: each head one tail; 1: a head with many; 2: a tail with many;
            # 3: many of both; 4 is not in train. Repeated triples count once.
            split(
                *[(0, 0, 1), (2, 0, 3), (2, 0, 3), (2, 0, 3)],
                *[(0, 1, 1), (0, 1, 2), (1, 1, 3)],
                *[(1, 2, 0), (2, 2, 0), (3, 2, 1)],
                *[(0, 3, 1), (0, 3, 2), (3, 3, 1), (3, 3, 2)],
            ),
            split((0, 0, 1)),
            split((0, 4, 1)),
        )
    )
    assert relation_categories(kg).tolist() == [0, 1, 2, 3, -1]
    got = evaluate.ranking(DistMult(5, 5, 2), kg)
    assert got["by_category"] == {}
    assert got["by_relation"]["4"]["num"] == 2


def test_equal_groups_do_not_split_ties():
    values = torch.tensor([3, 1, 1, 1, 1, 1, 1, 2, 9, 9])
    group = equal_groups(values, 5)
    assert group.tolist() == [1, 0, 0, 0, 0, 0, 0, 1, 2, 2]
    assert equal_groups(torch.arange(100), 10).bincount().tolist() == [10] * 10


def test_queries_of_unseen_entities_count(toy):
    # Entity 4 occurs in test only, and so does relation 2.
    got = evaluate.ranking(TransE(5, 3, 4), toy)
    assert got["num_queries"] == 8
    assert got.samples["head"].tolist() == [0, 1, 4, 1]


def test_chunk_size_does_not_change_the_figures(model, kg):
    small = evaluate.ranking(model, kg, max_scores=1)
    large = evaluate.ranking(model, kg)
    assert small.metrics == large.metrics


def test_bad_input_raises(model, kg, toy):
    with pytest.raises(InvalidInputError, match="another graph"):
        evaluate.ranking(model, toy)
    with pytest.raises(InvalidInputError, match="'ties'"):
        evaluate.ranking(model, kg, ties="random")
    toy.test_mask[:] = False
    with pytest.raises(InvalidInputError, match="no test triples"):
        evaluate.ranking(DistMult(5, 3, 2), toy)
