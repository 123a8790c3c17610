r"""Stored scores of triples.

A score does not depend on the other triples of its batch. It is therefore
computed once and used by every protocol that has the triple.
"""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn.kge import KGEModel

from pyg_cagp._utils.checks import check_ids
from pyg_cagp.evaluate import predictions
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring import SoftmaxTerms
from pyg_cagp.protocols import Split, Standard, VerifiedNegatives
from pyg_cagp.uncertainty.features import Evidence

Triples = tuple[Tensor, Tensor, Tensor]


def triple_keys(
    head: Tensor, rel: Tensor, tail: Tensor, num_nodes: int, num_relations: int
) -> Tensor:
    r"""Returns one number for each triple."""
    return (head * num_relations + rel) * num_nodes + tail


def all_triples(kg: Data, model: KGEModel, seed: int) -> Triples:
    r"""Returns the distinct triples of all protocols."""
    parts = []
    splits: tuple[Split, ...] = "val", "test"
    for split in splits:
        labelled = [Standard(seed).label(kg, split)]
        if VerifiedNegatives.applies_to(kg):
            labelled.append(VerifiedNegatives().label(kg, split))
        parts += [part.triples for part in labelled]
        parts.append(predictions(model, kg, split=split)[:3])
    head, rel, tail = map(torch.cat, zip(*parts, strict=True))
    sizes = int(kg.num_nodes), int(kg.num_relations)
    key = triple_keys(head, rel, tail, *sizes).unique()
    pair = key // sizes[0]
    return pair // sizes[1], pair % sizes[1], key % sizes[0]


class Lookup:
    r"""An estimator whose answers are already known.

    Args:
        triples (tuple): Heads, relations and tails, sorted by their keys, as
            :func:`all_triples` gives them.
        values (torch.Tensor): One value, or one row, for each.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
        title (str): What it stands for, for records.
    """

    def __init__(
        self,
        triples: Triples,
        values: Tensor,
        num_nodes: int,
        num_relations: int,
        title: str,
    ) -> None:
        self.sizes = num_nodes, num_relations
        self.keys = triple_keys(*triples, *self.sizes)
        self.values = values
        self.title = title

    def __call__(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the stored value of each triple."""
        nodes = self.sizes[0], "num_nodes"
        head = check_ids("head_index", head_index, *nodes)
        rel = check_ids("rel_type", rel_type, self.sizes[1], "num_relations")
        tail = check_ids("tail_index", tail_index, *nodes)
        key = triple_keys(head, rel, tail, *self.sizes)
        place = torch.searchsorted(self.keys, key)
        is_stored = self.keys[place.clamp(max=self.keys.numel() - 1)] == key
        if not bool(is_stored.all()):
            row = int((~is_stored).nonzero()[0])
            raise InvalidInputError(
                f"'{self.title}' was not computed for triple {row}, "
                f"({int(head_index[row])}, {int(rel_type[row])}, "
                f"{int(tail_index[row])})"
            )
        return self.values[place]

    def __repr__(self) -> str:
        return self.title


class KnownEvidence(Evidence):
    r"""Evidence with stored values."""

    def __init__(self, evidence: Evidence, known: Lookup) -> None:
        vars(self).update(vars(evidence))
        self.known = known

    def forward(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the evidence, of shape :obj:`[B, len(names)]`."""
        return self.known(head_index, rel_type, tail_index)
