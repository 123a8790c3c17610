r"""Triples with labels, as every protocol returns them."""

from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class LabelledTriples:
    r"""The triples of a split, with the label that a protocol gives to each.

    Args:
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.
        kind (torch.Tensor): 0 for ID, and one number for each kind of OOD.
        kinds (tuple): The names of these numbers, from 0 on.
        subsets (dict, optional): Further masks to report on.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    kind: Tensor
    kinds: tuple[str, ...]
    subsets: dict[str, Tensor] = field(default_factory=dict)

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
        return {
            name: int((self.kind == number).sum())
            for number, name in enumerate(self.kinds)
        }
