"""Answer sets against sets made one candidate at a time."""

import math

import pytest
import torch
from torch_geometric.nn.kge import DistMult

from pyg_cagp import evaluate
from pyg_cagp.data import triples
from pyg_cagp.datasets import SyntheticKG, load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import TemporalLike


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


def misfits(model, kg, split, side, difficulty=None):
    """For each triple, the nonconformity of every candidate that counts."""
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
        found = -score.log_softmax(0)
        if difficulty is not None:
            best = int(score.argmax())
            found = found / difficulty(*ends[best])
        yield r, found, float(found[ends.index((h, t))])


@torch.no_grad()
@pytest.mark.parametrize("group", [None, "relation"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sets_are_those_of_brute_force(model, kg, group, weighted):
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
    held, sizes = [], []
    for side in ("tail", "head"):
        args = (side, difficulty if weighted else None)
        val = [(r, own) for r, _, own in misfits(model, kg, "val", *args)]

        def threshold(rel, val=val):
            own = sorted(m for r, m in val if group is None or r == rel)
            place = math.ceil((len(own) + 1) * (1 - alpha) - 1e-9)
            return own[place - 1] if place <= len(own) else math.inf

        for place, (r, found, own) in enumerate(
            misfits(model, kg, "test", *args)
        ):
            level = threshold(r)
            held.append(own <= level)
            sizes.append(int((found <= level).sum()))
            assert got.samples[f"{side}_covered"][place] == held[-1]
            assert got.samples[f"{side}_size"][place] == sizes[-1]
    assert got["coverage"] == pytest.approx(sum(held) / len(held))
    assert got["mean_size"] == pytest.approx(sum(sizes) / len(sizes))
    assert got["num_queries"] == len(held)


def test_kinds_are_reported_apart(model, kg):
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


def test_the_promise_is_kept_where_queries_are_exchangeable():
    # Validation and test are drawn at random from the same triples, many times.
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


def test_bad_input(model, kg):
    with pytest.raises(InvalidInputError, match="'group' must be one of"):
        evaluate.conformal(model, kg, group="entity")
    with pytest.raises(InvalidInputError, match="must return positive numbers"):
        evaluate.conformal(model, kg, difficulty=lambda h, r, t: h * 0.0)
    with pytest.raises(ValueError, match=r"'alpha' must lie in \(0, 1\)"):
        evaluate.conformal(model, kg, alpha=0)
    empty = kg.clone()
    empty.val_mask = torch.zeros_like(kg.val_mask)
    with pytest.raises(InvalidInputError, match="must have validation"):
        evaluate.conformal(model, empty)
