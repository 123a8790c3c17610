"""Scores of all candidates against one call a triple."""

from itertools import product

import pytest
import torch
from torch_geometric.nn import GAE
from torch_geometric.nn.kge import ComplEx, DistMult, KGEModel, RotatE, TransE

from pyg_cagp import (
    GaussianComplEx,
    GaussianDistMult,
    GaussianTransE,
    LaplacePosterior,
    evaluate,
)
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.kge import KG2E, UKGE, BEUrRE, QueryKGEModel, SNGPModel
from pyg_cagp.nn.scoring import (
    adapters,
    as_scorer,
    rank_counts,
    softmax_terms,
    top_answers,
)
from pyg_cagp.uncertainty import ScoreUncertainty
from tests.conftest import random_edges
from tests.loops import for_each

N, R = 9, 2
MODELS = [DistMult, ComplEx, TransE, RotatE, GaussianComplEx, GaussianTransE]


class Doubled(DistMult):
    """A subclass whose scores are not those of its parent."""

    def forward(self, head_index, rel_type, tail_index):
        return 2 * super().forward(head_index, rel_type, tail_index) + 1


@for_each(
    ("cls", "side"),
    product(
        [*MODELS, KG2E, UKGE, BEUrRE, SNGPModel, Doubled], ["tail", "head"]
    ),
)
def test_scores_of_candidates_equal_forward(cls, side, monkeypatch):
    # Chunks so small that they cut a query in the middle.
    monkeypatch.setattr(adapters, "MAX_TRIPLES", 4)
    monkeypatch.setattr(QueryKGEModel, "max_numbers", 50)
    torch.manual_seed(0)
    model = cls(N, R, 4).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    given, rel = torch.tensor([3, 0, 8]), torch.tensor([1, 0, 1])
    with torch.no_grad():
        scorer = as_scorer(model)
        got = (
            scorer.score_tails(given, rel)
            if side == "tail"
            else scorer.score_heads(rel, given)
        )
        for row in range(3):
            for entity in range(N):
                ends = given[row : row + 1], torch.tensor([entity])
                head, tail = ends if side == "tail" else ends[::-1]
                want = model(head, rel[row : row + 1], tail)
                torch.testing.assert_close(got[row, entity], want[0])


def test_weights_that_are_not_finite_raise():
    model = ComplEx(N, R, 4)
    with torch.no_grad():
        model.node_emb_im.weight[0, 0] = torch.inf
    zero = torch.zeros(1, dtype=torch.long)
    with pytest.raises(DivergenceError, match="node_emb_im"):
        rank_counts(model, zero, zero, zero)


def test_scores_that_are_not_finite_raise():
    model = DistMult(N, R, 4)
    torch.nn.init.constant_(model.node_emb.weight, 1e30)
    torch.nn.init.constant_(model.rel_emb.weight, 1.0)
    zero = torch.zeros(1, dtype=torch.long)
    with pytest.raises(DivergenceError, match="not finite"):
        rank_counts(model, zero, zero, zero)


def test_ranking_is_in_evaluation_mode_and_restores_training():
    class Dropped(DistMult):
        def forward(self, head_index, rel_type, tail_index):
            score = super().forward(head_index, rel_type, tail_index)
            return torch.dropout(score, 0.5, self.training)

    model = Dropped(N, R, 4).train()
    edge_index, rel = random_edges(N, R, 30)
    got = [rank_counts(model, edge_index[0], rel, edge_index[1]) for _ in "ab"]
    assert torch.equal(got[0]["tail"].higher, got[1]["tail"].higher)
    assert model.training


def test_bad_ids_and_sides_raise():
    model = TransE(N, R, 4)
    zero = torch.zeros(1, dtype=torch.long)
    with pytest.raises(InvalidInputError, match="'side'"):
        top_answers(model, "tails", zero, zero)
    with pytest.raises(InvalidInputError, match="'rel_type'"):
        softmax_terms(model, zero, zero + R, zero)
    with pytest.raises(InvalidInputError, match="'head_index'"):
        rank_counts(model, zero + N, zero, zero)


def test_softmax_terms_of_any_precision():
    for dtype in (torch.double, torch.bfloat16):
        model = DistMult(N, R, 4).to(dtype)
        zero = torch.zeros(N, dtype=torch.long)
        got = softmax_terms(model, zero, zero, torch.arange(N))
        assert float(got.tail.log_prob().exp().sum()) == pytest.approx(1)


def test_a_side_that_was_not_requested_raises():
    zero = torch.zeros(1, dtype=torch.long)
    terms = softmax_terms(DistMult(N, R, 4), zero, zero, zero, sides=["head"])
    assert terms.head.score.shape == (1,)
    with pytest.raises(InvalidInputError, match="'tail'"):
        _ = terms.tail
    with pytest.raises(InvalidInputError, match="'sides'"):
        softmax_terms(DistMult(N, R, 4), zero, zero, zero, sides=["tails"])


def test_a_constant_scorer_ties_with_all_candidates():
    class Constant(KGEModel):
        def forward(self, head_index, rel_type, tail_index):
            return torch.zeros(head_index.numel())

    edge_index, rel = random_edges(N, R, 30)
    head, tail = edge_index
    known = AnswerIndex(head, rel, tail, N, R)
    got = rank_counts(Constant(N, R, 4), head, rel, tail, known=known)
    for part in got.values():
        assert bool((part.higher == 0).all())
        assert bool((part.equal == part.others).all())
        assert int(part.others.min()) < N - 1  # Some were filtered.


@torch.no_grad()
def test_top_answers_equal_a_sort():
    torch.manual_seed(1)
    model = GaussianComplEx(N, R, 4)
    torch.nn.init.normal_(model.node_emb.weight)
    edge_index, edge_type = random_edges(N, R, 30)
    known = AnswerIndex(edge_index[0], edge_type, edge_index[1], N, R)
    facts = set(
        zip(*edge_index.tolist(), edge_type.tolist(), strict=True)
    )  # Head, tail, relation.
    given, rel = torch.arange(N).repeat(R), torch.arange(R).repeat_interleave(N)
    for side in ("tail", "head"):
        got = top_answers(
            model, side, given, rel, known=known, k=3, max_scores=2 * N
        )
        for row, (g, r) in enumerate(
            zip(given.tolist(), rel.tolist(), strict=True)
        ):
            scores = (
                model.score_tails(given[row : row + 1], rel[row : row + 1])
                if side == "tail"
                else model.score_heads(rel[row : row + 1], given[row : row + 1])
            )[0]
            candidates = [
                c
                for c in range(N)
                if ((g, c, r) if side == "tail" else (c, g, r)) not in facts
            ]
            best = sorted(candidates, key=lambda c: -float(scores[c]))[:3]
            assert got.entity[row].tolist() == best
            norm = scores[candidates].double().logsumexp(0)
            want = scores[best].double() - norm
            torch.testing.assert_close(
                got.log_prob[row], want, rtol=1e-5, atol=1e-5
            )
            torch.testing.assert_close(got.score[row], scores[best])


def test_known_answers_are_left_out_of_top_answers():
    model = DistMult(3, 1, 4)
    edges = torch.tensor([[0, 0], [0, 1]])
    known = AnswerIndex(edges[0], torch.zeros(2).long(), edges[1], 3, 1)
    zero = torch.zeros(1, dtype=torch.long)
    got = top_answers(model, "tail", zero, zero, known=known, k=2)
    assert got.entity.tolist() == [[2, -1]]
    assert got.log_prob.tolist() == [[0.0, -float("inf")]]
    with pytest.raises(InvalidInputError, match="'k'"):
        top_answers(model, "tail", zero, zero, k=4)
    assert top_answers(model, "tail", zero[:0], zero[:0]).entity.shape == (0, 1)


def test_objects_with_score_methods_are_scorers():
    zero = torch.zeros(1, dtype=torch.long)

    class Table:
        """A scorer that is no module and scores no single triple."""

        num_nodes, num_relations = 3, 1

        def score_tails(self, head_index, rel_type):
            return torch.arange(3.0).expand(head_index.numel(), 3)

        def score_heads(self, rel_type, tail_index):
            return -self.score_tails(tail_index, rel_type)

    table = Table()
    assert as_scorer(table) is table
    model = GaussianComplEx(N, R, 4)
    assert as_scorer(model) is model
    got = rank_counts(table, zero, zero, zero)
    assert got["tail"].rank().tolist() == [3]
    assert got["head"].rank().tolist() == [1]
    assert ScoreUncertainty(table)(zero, zero, zero + 2).tolist() == [-2]
    for wrong in (object(), DistMult, None):
        with pytest.raises(InvalidInputError, match="score_tails"):
            as_scorer(wrong)


def test_a_function_of_triples_is_a_scorer_of_a_graph(toy):
    def score(head, rel, tail):
        return (head * 10 + rel - tail).float()

    scorer = as_scorer(score, toy)
    head, rel = torch.tensor([1, 4]), torch.tensor([0, 2])
    want = torch.stack([10 - torch.arange(5.0), 42 - torch.arange(5.0)])
    assert torch.equal(scorer.score_tails(head, rel), want)
    assert evaluate.ranking(score, toy)["mrr"] > 0
    with pytest.raises(InvalidInputError, match="'kg' is needed"):
        rank_counts(score, head, rel, head)
    with pytest.raises(InvalidInputError, match="another graph"):
        evaluate.ranking(DistMult(6, 3, 4), toy)


def test_a_pykeen_model_is_called_by_predict_t_and_predict_h():
    class Model(torch.nn.Module):
        """The interface of a model that was trained with inverses."""

        num_entities, num_real_relations, num_relations = N, R, 2 * R

        def predict_t(self, hr_batch):
            return hr_batch[:, :1] + hr_batch[:, 1:] * torch.arange(N)

        def predict_h(self, rt_batch):
            return rt_batch[:, 1:] - rt_batch[:, :1] * torch.arange(N)

    scorer = as_scorer(Model())
    assert (scorer.num_nodes, scorer.num_relations) == (N, R)
    head, rel = torch.tensor([3, 5]), torch.tensor([1, 0])
    every = torch.arange(N)
    assert torch.equal(
        scorer.score_tails(head, rel), torch.stack([3 + every, 0 * every + 5])
    )
    assert torch.equal(
        scorer.score_heads(rel, head), torch.stack([3 - every, 0 * every + 5])
    )


@torch.no_grad()
def test_an_encoder_is_called_once_and_has_a_posterior(toy):
    calls = []

    class Encoder(torch.nn.Module):
        def forward(self, x, edge_index, edge_type):
            calls.append((x, edge_index.tolist(), edge_type.tolist()))
            return nodes

    torch.manual_seed(0)
    nodes, rels = torch.randn(5, 4), torch.randn(3, 4)
    decoder = GaussianDistMult(5, 3, 4, variational=False)
    model = GAE(Encoder(), decoder)  # GAE resets the weights.
    decoder.rel_emb.weight.copy_(rels)
    scorer = as_scorer(model, toy)
    head, rel, tail = triples(toy, "train")
    assert calls == [(None, [head.tolist(), tail.tolist()], rel.tolist())]
    want = (nodes[head] * rels[rel]) @ nodes.t()
    torch.testing.assert_close(scorer.score_tails(head, rel), want)
    other = GaussianDistMult.from_embeddings(nodes, rels)
    assert torch.equal(
        other.score_heads(rel, tail), scorer.score_heads(rel, tail)
    )
    assert not any(p.requires_grad for p in other.parameters())
    # The posterior is that of a model that was trained to these embeddings.
    clone = GaussianDistMult(5, 3, 4, variational=False)
    clone.node_emb.weight.copy_(nodes)
    clone.rel_emb.weight.copy_(rels)
    got, want = (
        LaplacePosterior(prior=0.5).fit(model, head, rel, tail)
        for model in (scorer, clone)
    )
    every = torch.arange(5)
    assert torch.equal(got.mean_variance(every), want.mean_variance(every))
    assert got.mean_variance(every).argmax() == 4  # Unseen in train.
    with pytest.raises(InvalidInputError, match="'node_emb'"):
        decoder.with_entities(nodes[:2])
