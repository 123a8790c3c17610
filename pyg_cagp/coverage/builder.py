r"""Builds coverage from a stream of edges that need not fit in memory."""

from collections.abc import Iterable

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_edges, check_size
from pyg_cagp.coverage.coverage import Coverage
from pyg_cagp.coverage.pairs import PairCounts, count_pairs, merge_pairs


class CoverageBuilder:
    r"""Builds coverage from chunks of edges.

    The memory is a small multiple of that of the distinct pairs and one chunk.

    Args:
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.

    Example:
        >>> builder = CoverageBuilder(num_nodes=3, num_relations=1)
        >>> for head, tail in [(0, 1), (0, 2)]:
        ...     edge_index = torch.tensor([[head], [tail]])
        ...     builder.add(edge_index, torch.tensor([0]))
        >>> builder.build()
        Coverage(3, num_relations=1, nnz=3)
    """

    def __init__(self, num_nodes: int, num_relations: int) -> None:
        self.num_nodes = check_size("num_nodes", num_nodes)
        self.num_relations = check_size("num_relations", num_relations)
        self.num_edges = 0
        self._runs: list[PairCounts] = []

    def add(self, edge_index: Tensor, edge_type: Tensor) -> None:
        r"""Adds the evidence of one chunk of edges.

        Args:
            edge_index (torch.Tensor): Heads and tails.
            edge_type (torch.Tensor): Relations.
        """
        sizes = self.num_nodes, self.num_relations
        head, rel, tail = check_edges(edge_index, edge_type, *sizes)
        run = count_pairs(head, rel, tail, *sizes)
        # Runs of similar size are merged, so that the number of times a pair is
        # copied is logarithmic in the number of chunks.
        while self._runs and self._runs[-1].key.numel() < 2 * run.key.numel():
            run = merge_pairs(self._runs.pop(), run)
        self._runs.append(run)
        self.num_edges += rel.numel()

    def extend(self, chunks: Iterable[tuple[Tensor, Tensor]]) -> None:
        r"""Adds chunks of :obj:`(edge_index, edge_type)` one by one."""
        for edge_index, edge_type in chunks:
            self.add(edge_index, edge_type)

    def build(self) -> Coverage:
        r"""Returns the coverage of all edges added so far."""
        if not self._runs:
            empty = torch.empty(0, dtype=torch.long)
            self.add(empty.view(1, 0).expand(2, 0), empty)
        while len(self._runs) > 1:
            last = self._runs.pop()
            self._runs[-1] = merge_pairs(self._runs[-1], last)
        cov = Coverage._from_pairs(
            self._runs[0], self.num_nodes, self.num_relations
        )
        return cov.clone()  # Both the builder and the result can be extended.
