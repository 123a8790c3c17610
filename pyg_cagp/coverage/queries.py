r"""Queries of entity-relation pairs."""

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice, check_pairs, check_triples
from pyg_cagp.coverage.interop import weigh
from pyg_cagp.coverage.lookup import PresenceBitmap, find
from pyg_cagp.coverage.store import CompressedPairs
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import CoverageView, Role


class PairQueries(CompressedPairs):
    r"""Queries of compressed rows. A public method checks its ids, with one
    host synchronisation, and calls the private method of the same name.
    """

    def contains(
        self, entity: Tensor, relation: Tensor, role: Role = "any"
    ) -> Tensor:
        r"""Returns for each pair whether a training triple has it."""
        check_choice("role", role, Role)
        return self._contains(*self._check_pairs(entity, relation), role)

    def _contains(
        self, entity: Tensor, relation: Tensor, role: Role = "any"
    ) -> Tensor:
        if role != "any":
            return self._count(entity, relation, role) > 0
        bitmap = self._presence()
        if bitmap is not None:
            return bitmap.contains(entity, relation)
        return self._find(entity, relation) >= 0

    def count(
        self, entity: Tensor, relation: Tensor, role: Role = "any"
    ) -> Tensor:
        r"""Returns the number of training slots of each pair."""
        check_choice("role", role, Role)
        return self._count(*self._check_pairs(entity, relation), role)

    def _count(self, entity: Tensor, relation: Tensor, role: Role) -> Tensor:
        head, tail = self._counts(entity, relation)
        if role == "any":
            return head + tail
        return head if role == "head" else tail

    def _counts(
        self, entity: Tensor, relation: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the counts of each pair as a head and as a tail."""
        place = self._find(entity, relation)
        head = _gather(self.head_count, place).long()
        return head, _gather(self.tail_count, place).long()

    def weight(
        self,
        entity: Tensor,
        relation: Tensor,
        view: CoverageView = "binary",
        role: Role = "any",
    ) -> Tensor:
        r"""Returns a view of the evidence for each pair; see :meth:`values`."""
        pairs = self._check_pairs(entity, relation)
        return self._weight(*pairs, view, role)

    def _weight(
        self,
        entity: Tensor,
        relation: Tensor,
        view: CoverageView,
        role: Role = "any",
    ) -> Tensor:
        return _gather(self._values(view, role), self._find(entity, relation))

    def missing(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns how many of the two pairs of each triple are not covered:
        :math:`2 - c(h, r) - c(t, r)`.
        """
        sizes = self.num_nodes, self.num_relations
        ids = check_triples(head_index, rel_type, tail_index, *sizes)
        self._check_device("head_index", ids[0])
        return self._missing(*ids)

    def _missing(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        entity, bitmap = torch.stack([head, tail]), self._presence()
        if bitmap is not None:
            first, second = bitmap.missing(entity, rel)
        else:
            place = self._find(entity, rel.expand(2, *rel.shape))
            first, second = (place < 0).long()
        return first + second

    def values(
        self, view: CoverageView = "binary", role: Role = "any"
    ) -> Tensor:
        r"""Returns a view of the evidence for each pair, of shape
        :obj:`[nnz]`.
        """
        return self._values(view, role).clone()

    def _values(self, view: CoverageView, role: Role) -> Tensor:
        if (view, role) not in self._cache:
            self._cache[view, role] = weigh(self, view, role)
        return self._cache[view, role]

    def _check_pairs(
        self, entity: Tensor, relation: Tensor
    ) -> tuple[Tensor, Tensor]:
        sizes = self.num_nodes, self.num_relations
        entity, relation = check_pairs(entity, relation, *sizes)
        self._check_device("entity", entity)
        return entity, relation

    def _check_device(self, name: str, ids: Tensor) -> None:
        if ids.device != self.device:
            raise InvalidInputError(
                f"'{name}' must be on the device of the coverage (got "
                f"{ids.device} and {self.device}); move one by '.to()'"
            )

    def _find(self, entity: Tensor, relation: Tensor) -> Tensor:
        pairs = entity.reshape(-1), relation.reshape(-1)
        place = find(self.rowptr, self.col, *pairs, self.longest_row)
        return place.view(entity.shape)

    def _presence(self) -> PresenceBitmap | None:
        # A bitmap is used if it takes no more memory than the rows. The rows of
        # sparser graphs are searched.
        sizes = self.num_nodes, self.num_relations
        words = self.num_nodes * PresenceBitmap.words_per_row(sizes[1])
        if 8 * words > self.nbytes:
            return None
        if "bitmap" not in self._cache:
            bitmap = PresenceBitmap(self.row(), self.col, *sizes)
            self._cache["bitmap"] = bitmap
        return self._cache["bitmap"]


def _gather(values: Tensor, place: Tensor) -> Tensor:
    if values.numel() == 0:
        return values.new_zeros(place.shape)
    return values.take(place.clamp(min=0)) * (place >= 0)
