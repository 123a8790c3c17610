r"""The probability of an answer among all candidates."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.nn.kge import KGEModel

from pyg_cagp._utils.checks import check_ids, check_same_shape
from pyg_cagp.nn.scoring.candidates import candidate_scorer, evaluating


class SoftmaxTerms(NamedTuple):
    r"""The score of each answer, and the logarithm of the sum of exponentials
    of all candidates' scores, both as :obj:`torch.double`; their difference is
    the log-probability.
    """

    score: Tensor
    logsumexp: Tensor

    def log_prob(self) -> Tensor:
        r"""Returns the log-probability of each answer."""
        return self.score - self.logsumexp


@torch.no_grad()
def softmax_terms(
    model: KGEModel,
    side: str,
    given: Tensor,
    rel_type: Tensor,
    answer: Tensor,
    temperature: float = 1.0,
    max_scores: int = 2**21,
) -> SoftmaxTerms:
    r"""Returns the terms of a softmax over all entities as answers. Triples
    with the same query share its scores.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model.
        side (str): Which side is asked for, :obj:`"tail"` or :obj:`"head"`.
        given (torch.Tensor): The entities of the other side, of shape
            :obj:`[B]`.
        rel_type (torch.Tensor): The relation types, of shape :obj:`[B]`.
        answer (torch.Tensor): The answers, of shape :obj:`[B]`.
        temperature (float, optional): What scores are divided by.
            (default: :obj:`1.0`)
        max_scores (int, optional): How many scores to hold at a time.
            (default: :obj:`2097152`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> model = DistMult(5, 2, hidden_channels=4)
        >>> zero = torch.zeros(5, dtype=torch.long)
        >>> terms = softmax_terms(model, "tail", zero, zero, torch.arange(5))
        >>> round(float(terms.log_prob().exp().sum()), 4)
        1.0
    """
    given = check_ids("given", given, model.num_nodes, "num_nodes")
    answer = check_ids("answer", answer, model.num_nodes, "num_nodes")
    rel_type = check_ids(
        "rel_type", rel_type, model.num_relations, "num_relations"
    )
    check_same_shape(given=given, rel_type=rel_type, answer=answer)
    score = candidate_scorer(model)
    query, place = (given * model.num_relations + rel_type).unique(
        return_inverse=True
    )
    size = max(1, max_scores // model.num_nodes)
    order = place.argsort(stable=True)
    steps = torch.arange(0, query.numel() + size, size, device=place.device)
    ends = torch.searchsorted(place[order].contiguous(), steps).tolist()
    found = torch.empty(
        (2, given.numel()), dtype=torch.double, device=given.device
    )
    for number, start in enumerate(range(0, query.numel(), size)):
        part = query[start : start + size]
        with evaluating(model):
            scores = score(
                side, part // model.num_relations, part % model.num_relations
            )
        # In single precision, all that is nearly sure would be equally so.
        scores = scores.double() / temperature
        rows = order[ends[number] : ends[number + 1]]
        local = place[rows] - start
        found[0, rows] = scores[local, answer[rows]]
        found[1, rows] = scores.logsumexp(dim=1)[local]
    return SoftmaxTerms(found[0], found[1])
