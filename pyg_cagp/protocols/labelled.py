r"""Triples with labels, as every protocol returns them."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.typing import HeldOut

if TYPE_CHECKING:
    from pyg_cagp.protocols.base import Protocol


Split: TypeAlias = HeldOut


@dataclass(frozen=True, eq=False)
class LabelledTriples:
    r"""The triples of a split, with the label that a protocol gives to each.

    Args:
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.
        kind (torch.Tensor): 0 for ID, and one number for each kind of OOD.
        kinds (tuple): The names of these numbers, from 0 on.
        coverage (Coverage): The coverage of the training triples.
        protocol (Protocol): The protocol.
        split (str): :obj:`"val"` or :obj:`"test"`.
        subsets (dict, optional): Further masks to report on.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    kind: Tensor
    kinds: tuple[str, ...]
    coverage: Coverage
    protocol: "Protocol"
    split: Split
    subsets: dict[str, Tensor] = field(default_factory=dict)

    @property
    def triples(self) -> tuple[Tensor, Tensor, Tensor]:
        r"""Heads, relations and tails, as models and estimators take them."""
        return self.head, self.rel, self.tail

    @property
    def label(self) -> Tensor:
        r"""1 for OOD, 0 for ID."""
        return (self.kind > 0).long()

    def rows(self) -> dict[str, Tensor]:
        r"""Returns the masks to report on: all triples, then each kind of OOD
        against ID, then subsets.
        """
        masks = {"overall": torch.ones_like(self.kind, dtype=torch.bool)}
        if len(self.kinds) > 2:
            for number, name in enumerate(self.kinds[1:], start=1):
                masks[name] = (self.kind == 0) | (self.kind == number)
        return {**masks, **self.subsets}

    def counts(self) -> dict[str, int]:
        r"""Returns how many triples of each kind there are."""
        sizes = torch.bincount(self.kind, minlength=len(self.kinds)).tolist()
        return dict(zip(self.kinds, sizes, strict=True))

    def __repr__(self) -> str:
        counts = ", ".join(f"{k}={n}" for k, n in self.counts().items())
        return (
            f"{self.__class__.__name__}({self.split!r}, {counts}, "
            f"protocol={self.protocol!r})"
        )
