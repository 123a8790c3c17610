r"""Sorted compressed rows of entity-relation pairs."""

from typing import Any, Self

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from pyg_cagp._utils.checks import check_choice, check_same_shape, check_size
from pyg_cagp.coverage.pairs import (
    PairCounts,
    row_pointers,
    shrink,
    smallest_int,
)
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Role

#: The arrays of an index.
ARRAYS = ("rowptr", "col", "head_count", "tail_count")


class CompressedPairs:
    r"""Directed counts of entity-relation pairs in compressed rows."""

    def __init__(
        self,
        rowptr: Tensor,
        col: Tensor,
        head_count: Tensor,
        tail_count: Tensor,
        num_relations: int,
    ) -> None:
        num_relations = check_size("num_relations", num_relations)
        check_same_shape(col=col, head_count=head_count, tail_count=tail_count)
        for tensor in (rowptr, col, head_count, tail_count):
            if tensor.is_floating_point() or tensor.dtype == torch.bool:
                raise InvalidInputError(
                    f"an index must hold integers (got {tensor.dtype})"
                )
        if rowptr.dim() != 1 or rowptr.numel() == 0:
            shape = list(rowptr.shape)
            raise InvalidInputError(
                f"'rowptr' must have shape [num_nodes + 1] (got {shape})"
            )
        ends = [rowptr[0].long(), rowptr[-1].long()]
        size = rowptr[1:].long() - rowptr[:-1].long()
        if size.numel():
            ends += torch.aminmax(size)
        first, last, shortest, longest = [*torch.stack(ends).tolist(), 0, 0][:4]
        if last != col.numel():
            raise InvalidInputError(
                f"'rowptr' must end at the number of pairs, {col.numel()} "
                f"(got {last})"
            )
        if first != 0 or shortest < 0:
            raise InvalidInputError("'rowptr' must start at 0 and not decrease")
        self.rowptr, self.col = rowptr, col
        self.head_count, self.tail_count = head_count, tail_count
        self.num_nodes = rowptr.numel() - 1
        self.num_relations = num_relations
        self.longest_row = longest
        self._cache: dict[Any, Any] = {}

    def check(self) -> None:
        r"""Checks the relations and the counts of all pairs."""
        row, col = self.row(), self.col.long()
        same_row = row[1:] == row[:-1]
        outside = (col < 0) | (col >= self.num_relations)
        negative = (self.head_count < 0) | (self.tail_count < 0)
        for why, bad in (
            ("a relation is out of range", outside),
            ("relations must ascend in a row", same_row & (col.diff() <= 0)),
            ("a count is negative", negative),
            ("a pair has no count", self.counts() == 0),
        ):
            if bool(bad.any()):
                place = int(bad.nonzero()[0])
                raise InvalidInputError(f"{why} (at pair {place})")

    @classmethod
    def _from_pairs(
        cls, pairs: PairCounts, num_nodes: int, num_relations: int
    ) -> Self:
        row = torch.div(pairs.key, max(num_relations, 1), rounding_mode="floor")
        col = pairs.key - row * num_relations
        return cls(
            row_pointers(row, num_nodes),
            col.to(smallest_int(max(num_relations - 1, 0))),
            shrink(pairs.head),
            shrink(pairs.tail),
            num_relations,
        )

    def tensors(self) -> dict[str, Tensor]:
        r"""Returns the arrays of the index by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    @property
    def nnz(self) -> int:
        r"""The number of distinct pairs."""
        return self.col.numel()

    @property
    def nbytes(self) -> int:
        r"""The number of bytes that the index takes."""
        return sum(tensor.nbytes for tensor in self.tensors().values())

    @property
    def device(self) -> torch.device:
        r"""The device that the index is on."""
        return self.col.device

    def row(self) -> Tensor:
        r"""Returns the entity of each pair, of shape :obj:`[nnz]`."""
        size = self.rowptr[1:].long() - self.rowptr[:-1].long()
        entity = torch.arange(self.num_nodes, device=self.device)
        return torch.repeat_interleave(entity, size, output_size=self.nnz)

    def counts(self, role: Role = "any") -> Tensor:
        r"""Returns the count of each pair, of shape :obj:`[nnz]`."""
        check_choice("role", role, Role)
        if role == "any":
            return self.head_count.long() + self.tail_count.long()
        return (self.head_count if role == "head" else self.tail_count).long()

    def frequency(self, role: Role = "any") -> Tensor:
        r"""Returns the number of training slots of each entity, of shape
        :obj:`[num_nodes]`.
        """
        return self._frequency(role).clone()

    def _frequency(self, role: Role = "any") -> Tensor:
        key = "frequency", role
        if key not in self._cache:
            count, row = self.counts(role), self.row()
            self._cache[key] = scatter(count, row, dim_size=self.num_nodes)
        return self._cache[key]

    def entities_by_relation(self, role: Role = "any") -> tuple[Tensor, Tensor]:
        r"""Lists the entities of each relation.

        Returns:
            The start of the list of each relation, of shape
            :obj:`[num_relations + 1]`, and the concatenated lists.
        """
        mask = self.counts(role) > 0
        relation, order = torch.sort(self.col[mask].long(), stable=True)
        pointers = row_pointers(relation, self.num_relations)
        return pointers.long(), self.row()[mask][order]

    def _replace(self, other: "CompressedPairs") -> None:
        self.__dict__.update(other.__dict__)

    def to(self, device: torch.device | str | int) -> Self:
        r"""Moves the index to a device, in place."""
        moved = {key: t.to(device) for key, t in self.tensors().items()}
        self._replace(type(self)(**moved, num_relations=self.num_relations))
        return self

    def clone(self) -> Self:
        r"""Returns a copy that shares no memory with this one."""
        copies = {key: t.clone() for key, t in self.tensors().items()}
        return type(self)(**copies, num_relations=self.num_relations)

    def equal(self, other: "CompressedPairs") -> bool:
        r"""Returns whether two indices have the same values and types."""
        tensors = other.tensors()
        return self.num_relations == other.num_relations and all(
            tensor.dtype == tensors[key].dtype
            and torch.equal(tensor, tensors[key])
            for key, tensor in self.tensors().items()
        )

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__}({self.num_nodes}, "
            f"num_relations={self.num_relations}, nnz={self.nnz})"
        )
