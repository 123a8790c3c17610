r"""A set of known triples with vectorised membership tests."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_size, check_triples
from pyg_cagp.data.kg import triples
from pyg_cagp.exceptions import InvalidInputError


class TripleIndex:
    r"""The set of known triples :math:`(h, r, t)` as two sorted key lists.

    A membership test takes two binary searches. The key of a triple combines
    the rank of its pair :math:`(h, r)` among the known pairs with its tail, so
    that it cannot overflow.

    Args:
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation types.
        tail_index (torch.Tensor): The tail indices.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.

    Example:
        >>> h, r, t = torch.tensor([[0, 0], [0, 0], [1, 2]])
        >>> known = TripleIndex(h, r, t, num_nodes=3, num_relations=1)
        >>> h, r, t = torch.tensor([[0, 2], [0, 0], [2, 0]])
        >>> known.contains(h, r, t)
        tensor([ True, False])
    """

    def __init__(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        num_nodes: int,
        num_relations: int,
    ) -> None:
        self.num_nodes = check_size("num_nodes", num_nodes)
        self.num_relations = check_size("num_relations", num_relations)
        head, rel, tail = check_triples(
            head_index, rel_type, tail_index, num_nodes, num_relations
        )
        pair = head * num_relations + rel
        self.pairs, rank = torch.unique(pair, return_inverse=True)
        self.keys = torch.unique(rank * num_nodes + tail)

    @classmethod
    def from_data(cls, data: Data) -> "TripleIndex":
        r"""Collects the triples of all splits of a graph."""
        return cls(*triples(data), data.num_nodes, data.num_relations)

    def contains(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns for each triple whether it is known.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        sizes = self.num_nodes, self.num_relations
        head, rel, tail = check_triples(
            head_index, rel_type, tail_index, *sizes
        )
        if head.device != self.keys.device:
            raise InvalidInputError(
                f"'head_index' must be on the device of the index (got "
                f"{head.device} and {self.keys.device})"
            )
        rank, pair_known = _find(self.pairs, head * self.num_relations + rel)
        _, key_known = _find(self.keys, rank * self.num_nodes + tail)
        return pair_known & key_known

    def __len__(self) -> int:
        return self.keys.numel()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self)} triples)"


def _find(keys: Tensor, query: Tensor) -> tuple[Tensor, Tensor]:
    if keys.numel() == 0:
        return torch.zeros_like(query), torch.zeros_like(query).bool()
    position = torch.searchsorted(keys, query).clamp_(max=keys.numel() - 1)
    return position, keys[position] == query
