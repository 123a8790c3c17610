r"""Mini-batches of triples."""

from collections.abc import Iterator

import torch
from torch import Tensor


class TripleBatches:
    r"""Shuffled mini-batches of triples, permuted on the device of the triples.

    The state of the generator at the beginning of an epoch determines its
    order, so an interrupted epoch can be continued.

    Args:
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        batch_size (int): The number of triples in a batch.
        generator (torch.Generator): The generator, on the device of the
            triples.
    """

    def __init__(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        batch_size: int,
        generator: torch.Generator,
    ) -> None:
        self.triples = torch.stack([head_index, rel_type, tail_index])
        self.batch_size = batch_size
        self.generator = generator

    def __len__(self) -> int:
        return (self.triples.size(1) + self.batch_size - 1) // self.batch_size

    def epoch(
        self, *, first: int = 0
    ) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        r"""Yields the batches of one epoch.

        Args:
            first (int, optional): The first batch. (default: :obj:`0`)
        """
        order = torch.randperm(
            self.triples.size(1),
            generator=self.generator,
            device=self.triples.device,
        )
        shuffled = self.triples[:, order]
        for batch in range(first, len(self)):
            start = batch * self.batch_size
            head, rel, tail = shuffled[:, start : start + self.batch_size]
            yield head, rel, tail

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        return self.epoch()
