r"""Validation during training."""

import torch
from torch_geometric.data import Data

from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.metrics import ranking_metrics
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring import rank_counts


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
        for ties. The result is empty without validation triples.
        """
        if self.triples.numel() == 0:
            return {}
        device = model.node_emb.weight.device
        known = self.known.to(device)
        counts = rank_counts(model, *self.triples.to(device), known=known)
        both = zip(*counts.values(), strict=True)
        higher, equal, others = map(torch.cat, both)
        values = ranking_metrics(higher, equal, others + 1, ks=(10,))
        return {f"val/{name}": values[name] for name in ("mrr", "hits@10")}
