"""Ranks against a loop over candidates."""

from itertools import product

import pytest
import torch

from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import DivergenceError
from pyg_cagp.nn.kge import GaussianDistMult
from pyg_cagp.nn.scoring import rank_counts
from tests.conftest import random_edges
from tests.loops import for_each

N, R = 9, 2


@for_each(("filtered", "reciprocal"), product((True, False), repeat=2))
def test_ranks_equal_brute_force(filtered, reciprocal):
    torch.manual_seed(0)
    model = GaussianDistMult(N, R, 2, reciprocal=reciprocal)
    # Small whole numbers make ties.
    for emb in (model.node_emb, model.rel_emb):
        emb.weight.data = torch.randint(-2, 3, emb.weight.shape).float()
    edge_index, rel = random_edges(N, R, 40)
    head, tail = edge_index
    known = AnswerIndex(head, rel, tail, N, R)
    got = rank_counts(
        model,
        head,
        rel,
        tail,
        known=known if filtered else None,
        max_scores=3 * N,
    )
    facts = set(zip(head.tolist(), rel.tolist(), tail.tolist(), strict=True))
    ties = 0
    for i, (h, r, t) in enumerate(
        zip(head.tolist(), rel.tolist(), tail.tolist(), strict=True)
    ):
        for side, scores, answer in (
            ("tail", model.score_tails(head[i : i + 1], rel[i : i + 1]), t),
            ("head", model.score_heads(rel[i : i + 1], tail[i : i + 1]), h),
        ):
            others = [
                c
                for c in range(N)
                if c != answer
                and not (
                    filtered
                    and ((h, r, c) if side == "tail" else (c, r, t)) in facts
                )
            ]
            true = scores[0, answer]
            higher = sum(bool(scores[0, c] > true) for c in others)
            equal = sum(bool(scores[0, c] == true) for c in others)
            ties += equal
            assert got[side].higher[i] == higher
            assert got[side].equal[i] == equal
            assert got[side].others[i] == len(others)
            assert got[side].rank()[i] == 1 + higher + equal / 2
    assert ties > 50


@for_each("emb", ["node_emb", "rel_emb"])
def test_weights_that_are_not_finite_raise(emb):
    model = GaussianDistMult(N, R, 2)
    with torch.no_grad():
        getattr(model, emb).weight[0, 0] = torch.nan
    zero = torch.zeros(1, dtype=torch.long)
    with pytest.raises(DivergenceError, match="not finite"):
        rank_counts(model, zero, zero, zero)


def test_ranks_of_no_triples_are_empty():
    model = GaussianDistMult(N, R, 2)
    none = torch.empty(0, dtype=torch.long)
    got = rank_counts(model, none, none, none)
    assert got["tail"].rank().shape == (0,)
