r"""What there is to say about triples, column by column."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from pyg_cagp.advice.kinds import KINDS


@dataclass(frozen=True, eq=False)
class ScoreTable:
    r"""What a run says about triples, one row each.

    Numbers are :obj:`torch.double`, and NaN where there is none: for triples
    with an unknown name, and in :obj:`doubt` where it could not be fitted.

    Args:
        h (sequence): The names of heads, as they were given.
        r (sequence): The names of relations.
        t (sequence): The names of tails.
        score (torch.Tensor): The model's score.
        probability (torch.Tensor): The probability of the tail among all
            tails, by a softmax of their scores.
        semantic (torch.Tensor): How poorly both ends were learned, on
            :math:`[0, 2]` for what was there when the run was trained.
        structural (torch.Tensor): How many of the two entity-relation pairs
            were never seen.
        total (torch.Tensor): The two, weighed by
            :class:`~pyg_cagp.uncertainty.CAGP`.
        doubt (torch.Tensor): The probability of being out of distribution, by
            :class:`~pyg_cagp.uncertainty.EvidenceUncertainty`.
        kind (torch.Tensor): The kind of each triple, as its number in
            ``pyg_cagp.advice.KINDS``.
        abstain (torch.Tensor): Whether to leave the triple undecided.
    """

    h: Sequence[str]
    r: Sequence[str]
    t: Sequence[str]
    score: Tensor
    probability: Tensor
    semantic: Tensor
    structural: Tensor
    total: Tensor
    doubt: Tensor
    kind: Tensor
    abstain: Tensor

    @classmethod
    def names(cls) -> list[str]:
        r"""Returns the names of the columns."""
        return [column.name for column in fields(cls)]

    def columns(self) -> dict[str, list[Any]]:
        r"""Returns all columns as lists: numbers that are missing as
        :obj:`None`, kinds by their names.
        """
        found: dict[str, list[Any]] = {}
        for name in self.names():
            column = getattr(self, name)
            if name == "kind":
                found[name] = [KINDS[kind] for kind in column.tolist()]
            elif isinstance(column, Tensor) and column.is_floating_point():
                found[name] = [
                    None if math.isnan(value) else value
                    for value in column.tolist()
                ]
            else:
                found[name] = (
                    column.tolist()
                    if isinstance(column, Tensor)
                    else list(column)
                )
        return found

    def counts(self) -> dict[str, int]:
        r"""Returns how many triples of each kind there are."""
        number = torch.bincount(self.kind, minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, number, strict=True))

    def __len__(self) -> int:
        return len(self.h)
