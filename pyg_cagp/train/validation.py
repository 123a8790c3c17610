r"""Validation during training."""

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.metrics import ranking_metrics
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring import rank_counts
from pyg_cagp.typing import Side


class Validation:
    r"""Ranks a fixed set of validation triples on both sides. Known answers of
    train and validation are filtered. Those of test are not, because test
    triples must not influence when training stops.

    Args:
        kg (Data): The graph.
        num_triples (int, optional): The number of triples to rank; all if set
            to 0. (default: :obj:`0`)
        seed (int, optional): The seed that selects them. (default: :obj:`0`)
    """

    def __init__(
        self, kg: Data, *, num_triples: int = 0, seed: int = 0
    ) -> None:
        self.triples = torch.stack(triples(kg, "val"))
        size = self.triples.size(1)
        if 0 < num_triples < size:
            generator = torch.Generator().manual_seed(seed)
            chosen = torch.randperm(size, generator=generator)[:num_triples]
            self.triples = self.triples[:, chosen.to(self.triples.device)]
        known = triples(kg, kg.train_mask | kg.val_mask)
        self.known = AnswerIndex(*known, kg.num_nodes, kg.num_relations)

    def __call__(self, model: GaussianKGEModel) -> dict[str, float]:
        r"""Returns the mean reciprocal rank and the hits, with realistic ranks
        for ties, and the log loss: the mean of :math:`-\log \textrm{softmax}`
        of the right answers over all entities, without a filter. The result is
        empty without validation triples.
        """
        if self.triples.numel() == 0:
            return {}
        device = model.node_emb.weight.device
        known = self.known.to(device)
        batch = self.triples.to(device)
        scorer = _LogProbs(model, batch)
        counts = rank_counts(scorer, *batch, known=known)
        both = zip(*counts.values(), strict=True)
        higher, equal, others = map(torch.cat, both)
        values = ranking_metrics(higher, equal, others + 1, ks=(10,))
        log_probs = torch.cat([*scorer.log_probs.values()])
        return {
            "val/mrr": values["mrr"],
            "val/hits@10": values["hits@10"],
            "val/log_loss": -float(log_probs.mean(dtype=torch.double)),
        }


class _LogProbs(Module):
    r"""A model that notes the log-probability of each right answer while its
    scores are ranked, so that they are computed once.
    """

    def __init__(self, model: GaussianKGEModel, batch: Tensor) -> None:
        super().__init__()
        self.model = model
        self.num_nodes = model.num_nodes
        self.num_relations = model.num_relations
        head, rel, tail = batch
        self.answers = {"tail": tail, "head": head}
        self.queries = {
            side: (given * self.num_relations + rel).unique(return_inverse=True)
            for side, given in (("tail", head), ("head", tail))
        }
        self.log_probs = {
            side: torch.full(rel.shape, torch.nan, device=rel.device)
            for side in self.answers
        }

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails."""
        scores = self.model.score_tails(head_index, rel_type)
        return self._note("tail", head_index, rel_type, scores)

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads."""
        scores = self.model.score_heads(rel_type, tail_index)
        return self._note("head", tail_index, rel_type, scores)

    def _note(
        self, side: Side, given: Tensor, rel_type: Tensor, scores: Tensor
    ) -> Tensor:
        query, place = self.queries[side]
        key = given * self.num_relations + rel_type
        at = torch.searchsorted(query, key).clamp(max=query.numel() - 1)
        # A small batch is padded with queries that no triple may have.
        row_of = torch.full_like(query, -1)
        row = (query[at] == key).nonzero().view(-1)
        row_of[at[row]] = row
        rows = row_of[place]
        noted = rows >= 0
        rows, answer = rows[noted], self.answers[side][noted]
        total = scores.logsumexp(dim=1)[rows]
        self.log_probs[side][noted] = scores[rows, answer] - total
        return scores
