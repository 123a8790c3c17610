r"""The answers of a model to the queries of a split."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.data import AnswerIndex, TripleIndex, triples
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring import Scorer, top_answers
from pyg_cagp.nn.scoring.scorer import scorer_device
from pyg_cagp.protocols import Split


class Predictions(NamedTuple):
    r"""The answers of a model, as triples, and which of them are wrong.

    :obj:`uncertainty` is 1 minus the probability of the answer under the
    softmax over all candidates that were not left out.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    side: Tensor
    error: Tensor
    uncertainty: Tensor


def predicted(model: Scorer, kg: Data, split: Split) -> Predictions:
    r"""Answers each distinct query of a split of a checked graph; see
    :func:`~pyg_cagp.evaluate.predictions`.
    """
    sizes = kg.num_nodes, kg.num_relations
    device = scorer_device(model)
    head, rel, tail = triples(kg, split)
    truth = TripleIndex(head, rel, tail, *sizes)
    before = kg.train_mask | (kg.val_mask if split == "test" else False)
    # In a dated graph, an earlier triple can occur again in this split.
    before = before & ~truth.contains(*triples(kg))
    known = AnswerIndex(*triples(kg, before), *sizes).to(device)
    parts = []
    for number, side in enumerate(SIDES):
        given = head if side == "tail" else tail
        query = (given * kg.num_relations + rel).unique()
        given, query_rel = query // kg.num_relations, query % kg.num_relations
        query = given.to(device), query_rel.to(device)
        answer = top_answers(model, side, *query, known=known)
        best = answer.entity[:, 0].to(given.device)
        ends = (given, best) if side == "tail" else (best, given)
        parts.append(
            Predictions(
                ends[0],
                query_rel,
                ends[1],
                torch.full_like(query_rel, number),
                ~truth.contains(ends[0], query_rel, ends[1]),
                # 1 - p, exact for p close to 1.
                -torch.expm1(answer.log_prob[:, 0]).to(given.device),
            )
        )
    return Predictions(*map(torch.cat, zip(*parts, strict=True)))
