r"""Looks at the validation triples during training."""

import torch
from torch_geometric.data import Data

from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.metrics import ranking_metrics
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring import rank_counts


class Validation:
    r"""Ranks validation triples, always the same ones, on both sides.

    Other answers known from train and validation are left out; those of test
    are not, for nothing of test may decide when training stops.

    Args:
        kg (Data): The graph.
        num_triples (int, optional): How many triples to rank; all if set to 0.
            (default: :obj:`0`)
        seed (int, optional): The seed that picks them. (default: :obj:`0`)
    """

    def __init__(
        self, kg: Data, *, num_triples: int = 0, seed: int = 0
    ) -> None:
        self.triples = torch.stack(triples(kg, "val"))
        size = self.triples.size(1)
        if 0 < num_triples < size:
            generator = torch.Generator().manual_seed(seed)
            pick = torch.randperm(size, generator=generator)[:num_triples]
            self.triples = self.triples[:, pick.to(self.triples.device)]
        self.known = AnswerIndex(
            *triples(kg, kg.train_mask | kg.val_mask),
            kg.num_nodes,
            kg.num_relations,
        )

    def __call__(self, model: GaussianKGEModel) -> dict[str, float]:
        r"""Returns the mean reciprocal rank and the hits, realistic in ties;
        nothing if there are no validation triples.

        Args:
            model (GaussianKGEModel): The model.
        """
        if self.triples.numel() == 0:
            return {}
        device = model.node_emb.weight.device
        head, rel, tail = self.triples.to(device)
        counts = rank_counts(
            model, head, rel, tail, known=self.known.to(device)
        )
        higher, equal, rivals = map(
            torch.cat, zip(*counts.values(), strict=True)
        )
        found = ranking_metrics(higher, equal, rivals + 1, ks=(10,))
        return {f"val/{name}": found[name] for name in ("mrr", "hits@10")}
