r"""Doubts read by PyTorch."""

import contextlib
from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_ids, check_same_shape
from pyg_cagp.exceptions import InvalidInputError


class PairTable(NamedTuple):
    r"""What each pair of an entity and a relation adds to a doubt.

    :obj:`pair` has :obj:`width` numbers for each entity. The one of a tail
    stands :obj:`tail_offset` behind that of a head. Of :obj:`entity`, if there
    is any, the larger number of both ends is added. :obj:`num_ids` counts
    relations, with inverse ones if there are any.
    """

    pair: Tensor
    entity: Tensor | None
    width: int
    tail_offset: int
    num_nodes: int
    num_ids: int

    def read(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the doubt about each triple, of ids that are known to be
        valid: others would read another cell.
        """
        if head_index.dim() != 1:
            flat = (
                part.reshape(-1) for part in (head_index, rel_type, tail_index)
            )
            return self.read(*flat).view(head_index.shape)
        # Pairs can be too many for shorter ints.
        head_index, tail_index = head_index.long(), tail_index.long()
        head = torch.add(rel_type, head_index, alpha=self.width)
        tail = torch.add(rel_type, tail_index, alpha=self.width)
        if self.tail_offset:
            tail = tail + self.tail_offset
        doubt = self.pair.index_select(0, head)
        # Not in place: under vmap, only one of both may have a batch.
        doubt = doubt + self.pair.index_select(0, tail)
        if self.entity is not None:
            doubt = doubt + torch.maximum(
                self.entity.index_select(0, head_index),
                self.entity.index_select(0, tail_index),
            )
        return doubt if doubt.is_floating_point() else doubt.float()

    def read_checked(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the doubt about each triple, after a check of its ids."""
        self.check(head_index, rel_type, tail_index)
        return self.read(head_index, rel_type, tail_index)

    def check(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> None:
        r"""Checks triples that the table is asked about. While a program is
        traced or transformed, ids have no values that could be checked.
        """
        given = {
            "head_index": (head_index, self.num_nodes, "num_nodes"),
            "rel_type": (rel_type, self.num_ids, "num_relations"),
            "tail_index": (tail_index, self.num_nodes, "num_nodes"),
        }
        for name, (ids, size, size_name) in given.items():
            if isinstance(ids, Tensor) and ids.device != self.pair.device:
                raise InvalidInputError(
                    f"'{name}' must be on {self.pair.device}, where the served "
                    f"model is (got {ids.device}); move one of them with "
                    f"'.to(...)'"
                )
            # A value that is not there to be seen is a RuntimeError.
            with contextlib.suppress(RuntimeError):
                if not torch.jit.is_tracing():
                    check_ids(name, ids, size, size_name)
        check_same_shape(**{name: ids for name, (ids, *_) in given.items()})
