"""Answer sets against sets from loops over candidates."""

import math
from itertools import product

import pytest
import torch
from torch_geometric.nn.kge import DistMult

from pyg_cagp import evaluate
from pyg_cagp.data import triples
from pyg_cagp.datasets import SyntheticKG, load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import TemporalLike
from tests.loops import for_each


@pytest.fixture(scope="module")
def kg():
    return SyntheticKG(num_nodes=120, num_relations=12, num_triples=400)[0]


@pytest.fixture(scope="module")
def model(kg):
    torch.manual_seed(0)
    model = DistMult(kg.num_nodes, kg.num_relations, 4)
    for emb in (model.node_emb, model.rel_emb):
        torch.nn.init.normal_(emb.weight)
    return model


def nonconformities(model, kg, split, side, difficulty=None):
    """For each triple, the nonconformity of every unknown candidate."""
    before = kg.train_mask if split == "val" else kg.train_mask | kg.val_mask
    edges = kg.edge_index[:, before].tolist()
    facts = set(zip(*edges, kg.edge_type[before].tolist(), strict=True))
    head, rel, tail = triples(kg, split)
    for h, r, t in zip(head.tolist(), rel.tolist(), tail.tolist(), strict=True):
        ends = [
            (h, c) if side == "tail" else (c, t) for c in range(kg.num_nodes)
        ]
        ends = [e for e in ends if e == (h, t) or (*e, r) not in facts]
        a, b = torch.tensor(ends).t()
        score = model(a, torch.full_like(a, r), b).double()
        values = -score.log_softmax(0)
        if difficulty is not None:
            best = int(score.argmax())
            values = values / difficulty(*ends[best])
        yield r, values, float(values[ends.index((h, t))])


@torch.no_grad()
@for_each(("group", "weighted"), product([None, "relation"], [False, True]))
def test_answer_sets_equal_brute_force(model, kg, group, weighted):
    alpha = 0.3

    def difficulty(h, t):
        return 1 + (h + 2 * t) % 3

    got = evaluate.conformal(
        model,
        kg,
        alpha=alpha,
        group=group,
        difficulty=(lambda h, r, t: difficulty(h, t).double())
        if weighted
        else None,
        max_scores=200,
    )
    covered, sizes = [], []
    for side in ("tail", "head"):
        args = (side, difficulty if weighted else None)
        val = [
            (r, own) for r, _, own in nonconformities(model, kg, "val", *args)
        ]

        def threshold(rel, val=val):
            own = sorted(m for r, m in val if group is None or r == rel)
            place = math.ceil((len(own) + 1) * (1 - alpha) - 1e-9)
            return own[place - 1] if place <= len(own) else math.inf

        for place, (r, values, own) in enumerate(
            nonconformities(model, kg, "test", *args)
        ):
            level = threshold(r)
            covered.append(own <= level)
            sizes.append(int((values <= level).sum()))
            assert got.samples[f"{side}_covered"][place] == covered[-1]
            assert got.samples[f"{side}_size"][place] == sizes[-1]
    assert got["coverage"] == pytest.approx(sum(covered) / len(covered))
    assert got["mean_size"] == pytest.approx(sum(sizes) / len(sizes))
    assert got["num_queries"] == len(covered)


def test_coverage_is_reported_by_kind(model, kg):
    got = evaluate.conformal(model, kg)
    test = TemporalLike().label(kg, "test")
    total = 0.0
    for number, name in enumerate(test.kinds):
        chosen = test.kind == number
        if not bool(chosen.any()):
            assert name not in got["by_kind"]
            continue
        row = got["by_kind"][name]
        assert row["num_queries"] == 2 * int(chosen.sum())
        total += row["num_queries"] * row["coverage"]
    assert total / got["num_queries"] == pytest.approx(got["coverage"])


def test_coverage_is_as_requested_for_exchangeable_queries():
    # Validation and test are random halves of the same triples.
    kg = load("synthetic")
    torch.manual_seed(0)
    model = DistMult(kg.num_nodes, kg.num_relations, 4)
    held = (kg.val_mask | kg.test_mask).nonzero().view(-1)
    held = held[torch.randperm(held.numel())[:240]]
    kg.val_mask[:] = kg.test_mask[:] = False
    coverage = []
    for _ in range(20):
        held = held[torch.randperm(240)]
        mixed = kg.clone()
        mixed.val_mask = kg.val_mask.clone()
        mixed.test_mask = kg.test_mask.clone()
        mixed.val_mask[held[:120]] = True
        mixed.test_mask[held[120:]] = True
        coverage.append(evaluate.conformal(model, mixed, alpha=0.2)["coverage"])
    mean = sum(coverage) / 20
    assert 0.8 - 0.025 < mean < 0.8 + 1 / 121 + 0.025


def test_bad_input_raises(model, kg):
    with pytest.raises(InvalidInputError, match="'group'"):
        evaluate.conformal(model, kg, group="entity")
    with pytest.raises(InvalidInputError, match="difficulty"):
        evaluate.conformal(model, kg, difficulty=lambda h, r, t: h * 0.0)
    with pytest.raises(ValueError, match="'alpha'"):
        evaluate.conformal(model, kg, alpha=0)
    empty = kg.clone()
    empty.val_mask = torch.zeros_like(kg.val_mask)
    with pytest.raises(InvalidInputError, match="validation"):
        evaluate.conformal(model, empty)
