"""The baseline of counts, against a count of one triple at a time."""

from collections import Counter

import pytest
import torch
from torch_geometric.data import Data

from pyg_cagp import evaluate
from pyg_cagp.data import triples
from pyg_cagp.datasets import SyntheticKG

N, R = 9, 3


@pytest.fixture
def kg():
    """Few entities, so that triples repeat and share their pairs."""
    generator = torch.Generator().manual_seed(0)
    h, t = torch.randint(N, (2, 90), generator=generator)
    r = torch.randint(R, (90,), generator=generator)
    place = torch.arange(90)
    return Data(
        edge_index=torch.stack([h, t]),
        edge_type=r,
        train_mask=place < 60,
        val_mask=(place >= 60) & (place < 70),
        test_mask=place >= 70,
        num_nodes=N,
        num_relations=R,
    )


def rows(kg, split):
    return list(zip(*(x.tolist() for x in triples(kg, split)), strict=True))


def test_answers_are_ranked_by_three_counts_in_turn(kg):
    train = rows(kg, "train")
    same = Counter(train)
    pairs = Counter()
    for h, _, t in train:
        pairs[h, t] += 1
        pairs[t, h] += 1
    heads = Counter((h, r) for h, r, _ in train)
    tails = Counter((r, t) for _, r, t in train)
    baseline = evaluate.CountBaseline(kg)
    for e in range(N):
        for r in range(R):
            scores = baseline.score_tails(torch.tensor([e]), torch.tensor([r]))
            expected = [
                (same[e, r, t], pairs[e, t], tails[r, t]) for t in range(N)
            ]
            check_order(scores[0].tolist(), expected)
            scores = baseline.score_heads(torch.tensor([r]), torch.tensor([e]))
            expected = [
                (same[h, r, e], pairs[h, e], heads[h, r]) for h in range(N)
            ]
            check_order(scores[0].tolist(), expected)


def check_order(scores, expected):
    for i in range(N):
        for j in range(N):
            assert (scores[i] > scores[j]) == (expected[i] > expected[j])


def test_links_of_test_triples(kg):
    train = set(rows(kg, "train"))
    pairs = {frozenset((h, t)) for h, _, t in train}
    counts = Counter()
    for h, r, t in rows(kg, "test"):
        linked = "linked" if frozenset((h, t)) in pairs else "new"
        counts["repeated" if (h, r, t) in train else linked] += 2
    result = evaluate.ranking(evaluate.CountBaseline(kg), kg)
    by_link = result["by_link"]
    assert {name: row["num"] for name, row in by_link.items()} == counts
    total = sum(row["mrr"] * row["num"] for row in by_link.values())
    assert total / 40 == pytest.approx(result["mrr"])


def test_dated_graphs_show_the_baseline():
    dated = SyntheticKG(num_nodes=200, num_triples=2000)[0]
    scorer = evaluate.CountBaseline(dated)
    expected = evaluate.ranking(scorer, dated)
    assert "count_baseline" not in expected.metrics
    result = evaluate.ranking(lambda h, r, t: h.float() + t, dated)
    assert result["count_baseline"]["mrr"] == expected["mrr"]
    groups = [row["group"] for row in result.table()]
    assert "all, counts" in groups
