r"""Mini-batches of triples."""

from collections.abc import Iterator

import torch
from torch import Tensor

from pyg_cagp.nn.kge import QueryBatch
from pyg_cagp.nn.kge.query import SIDES


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


class QueryBatches:
    r"""Shuffled mini-batches of distinct queries with all their answers. A
    batch holds queries of one side.

    Args:
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        batch_size (int): The number of queries a batch.
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
        self.batch_size = batch_size
        self.generator = generator
        ends = (head_index, tail_index), (tail_index, head_index)
        self.queries = [
            QueryBatch.group(side, given, rel_type, answer)
            for side, (given, answer) in zip(SIDES, ends, strict=True)
        ]
        sizes = [len(queries.given) for queries in self.queries]
        self._ends = [
            (side, start, min(start + batch_size, size))
            for side, size in enumerate(sizes)
            for start in range(0, size, batch_size)
        ]

    def __len__(self) -> int:
        return len(self._ends)

    def epoch(self, *, first: int = 0) -> Iterator[QueryBatch]:
        r"""Yields the batches of one epoch.

        Args:
            first (int, optional): The first batch. (default: :obj:`0`)
        """
        shuffled = [self._shuffle(queries) for queries in self.queries]
        # Where the answers of each batch begin and end: one copy an epoch.
        bounds = [
            torch.searchsorted(
                queries.row,
                torch.arange(
                    0,
                    len(queries.given) + self.batch_size,
                    self.batch_size,
                    device=queries.row.device,
                ),
            ).tolist()
            for queries in shuffled
        ]
        order = torch.randperm(
            len(self), generator=self.generator, device=self.generator.device
        )
        for place in order.tolist()[first:]:
            side, start, end = self._ends[place]
            queries, number = shuffled[side], start // self.batch_size
            low, high = bounds[side][number : number + 2]
            yield QueryBatch(
                queries.side,
                queries.given[start:end],
                queries.rel_type[start:end],
                queries.row[low:high] - start,
                queries.answer[low:high],
            )

    def _shuffle(self, queries: QueryBatch) -> QueryBatch:
        r"""Returns the queries in random order, and their answers in theirs."""
        size, device = len(queries.given), queries.given.device
        order = torch.randperm(size, generator=self.generator, device=device)
        place = torch.empty_like(order)
        place[order] = torch.arange(size, device=device)
        row, by_row = place[queries.row].sort(stable=True)
        return QueryBatch(
            queries.side,
            queries.given[order],
            queries.rel_type[order],
            row,
            queries.answer[by_row],
        )
