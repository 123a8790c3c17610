r"""The entity x relation evidence index."""

from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_edges
from pyg_cagp.coverage import interop, storage
from pyg_cagp.coverage.pairs import (
    PairCounts,
    count_pairs,
    key_dtype,
    merge_pairs,
)
from pyg_cagp.coverage.queries import PairQueries
from pyg_cagp.data import as_kg, triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import CoverageView, Role


class Coverage(PairQueries):
    r"""Counts the training triples of each entity and relation, by role.

    The coverage structure of the `"Decomposing Uncertainty in Probabilistic
    Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper,

    .. math::
        c(e, r) = \begin{cases}
            1 & \text{if } \exists \, (h, r, t) \in
                \mathcal{T}_{\text{train}} : e = h \text{ or } e = t \\
            0 & \text{otherwise,}
        \end{cases}

    stored as directed counts :math:`n_{\text{head}}(e, r)` and
    :math:`n_{\text{tail}}(e, r)` in compressed rows, each array in the smallest
    integer type that fits. A triple whose head is also its tail counts once in
    each role and twice in :obj:`role="any"`.

    Build it with :meth:`from_edges` or :meth:`from_data`.

    Args:
        rowptr (torch.Tensor): The start of the row of each entity, of shape
            :obj:`[num_nodes + 1]`.
        col (torch.Tensor): The relations of each row, ascending.
        head_count (torch.Tensor): :math:`n_{\text{head}}` of each pair.
        tail_count (torch.Tensor): :math:`n_{\text{tail}}` of each pair.
        num_relations (int): The number of relations.

    Example:
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> edge_type = torch.tensor([0, 0, 1])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> cov.nnz
        5
        >>> cov.contains(torch.tensor([0, 0]), torch.tensor([0, 1]))
        tensor([ True, False])
        >>> cov.count(torch.tensor([0, 2]), torch.tensor([0, 0]), role="head")
        tensor([2, 0])
    """

    @classmethod
    def from_edges(
        cls,
        edge_index: Tensor,
        edge_type: Tensor,
        num_nodes: int,
        num_relations: int,
    ) -> Self:
        r"""Counts the pairs of a list of edges, on the device they are on.

        Args:
            edge_index (torch.Tensor): Heads and tails.
            edge_type (torch.Tensor): Relations.
            num_nodes (int): The number of entities.
            num_relations (int): The number of relations.
        """
        head, rel, tail = check_edges(
            edge_index, edge_type, num_nodes, num_relations
        )
        sizes = int(num_nodes), int(num_relations)
        return cls._from_pairs(count_pairs(head, rel, tail, *sizes), *sizes)

    @classmethod
    def from_data(cls, data: Data) -> Self:
        r"""Counts the pairs of the training edges of a graph, and no others.

        Args:
            data (torch_geometric.data.Data): The graph, or anything else that
                :func:`~pyg_cagp.data.as_kg` takes.
        """
        return cls._from_kg(as_kg(data))

    @classmethod
    def _from_kg(cls, kg: Data) -> Self:
        r"""Counts the pairs of a graph that was checked."""
        head, rel, tail = triples(kg, "train")
        return cls.from_edges(
            torch.stack([head, tail]), rel, kg.num_nodes, kg.num_relations
        )

    def update(
        self,
        edge_index: Tensor,
        edge_type: Tensor,
        num_nodes: int | None = None,
        num_relations: int | None = None,
    ) -> Self:
        r"""Adds the evidence of more edges, in place.

        The result is bit-equal to the coverage of all edges at once. An
        error changes nothing.

        Args:
            edge_index (torch.Tensor): Heads and tails.
            edge_type (torch.Tensor): Relations.
            num_nodes (int, optional): The new number of entities.
                (default: :obj:`None`)
            num_relations (int, optional): The new number of relations.
                (default: :obj:`None`)
        """
        num_nodes = self.num_nodes if num_nodes is None else num_nodes
        if num_relations is None:
            num_relations = self.num_relations
        sizes = num_nodes, num_relations
        head, rel, tail = check_edges(edge_index, edge_type, *sizes)
        if num_nodes < self.num_nodes or num_relations < self.num_relations:
            raise InvalidInputError(
                f"'num_nodes' and 'num_relations' must not decrease from "
                f"{self.num_nodes} and {self.num_relations} (got {num_nodes} "
                f"and {num_relations})"
            )
        if head.device != self.device:
            raise InvalidInputError(
                f"'edge_index' must be on the device of the coverage (got "
                f"{head.device} and {self.device})"
            )
        key = (self.row() * num_relations + self.col).to(key_dtype(*sizes))
        old = PairCounts(key, self.head_count, self.tail_count)
        merged = merge_pairs(old, count_pairs(head, rel, tail, *sizes))
        self._replace(self._from_pairs(merged, *sizes))
        return self

    def to_sparse_csr(
        self, *, view: CoverageView = "binary", role: Role = "any"
    ) -> Tensor:
        r"""Returns a view as a :obj:`torch.sparse_csr` tensor of floats.

        Args:
            view (str, optional): See :meth:`values`.
                (default: :obj:`"binary"`)
            role (str, optional): The role of the pairs that are listed.
                (default: :obj:`"any"`)
        """
        return interop.to_sparse_csr(self, view, role)

    def to_sparse_tensor(
        self, *, view: CoverageView | None = None, role: Role = "any"
    ) -> Any:
        r"""Returns a :class:`torch_sparse.SparseTensor`.

        Args:
            view (str, optional): See :meth:`values`. If set to :obj:`None`,
                each pair holds its two counts. (default: :obj:`None`)
            role (str, optional): Pairs never seen in this role are left out.
                (default: :obj:`"any"`)
        """
        return interop.to_sparse_tensor(self, view, role)

    def save(self, path: str | Path) -> None:
        r"""Writes the index to a safetensors file, atomically."""
        storage.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, mmap: bool = True) -> Self:
        r"""Reads an index that :meth:`save` has written.

        Args:
            path (str or pathlib.Path): The file.
            mmap (bool, optional): Maps the file instead of reading it into
                memory. (default: :obj:`True`)
        """
        return storage.load(cls, Path(path), mmap)
