r"""Bootstrap resamples as vectors of counts."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from pyg_cagp.metrics.inputs import as_groups, check_positive

#: The number of counts in a batch. The draws of a seed depend on it.
BATCH = 2**19


class Resampler:
    r"""Draws samples with replacement, and counts the draws of each.

    Args:
        num_samples (int): The number of samples.
        strata (torch.Tensor, optional): The stratum of each sample. The number
            of draws from a stratum is its size. (default: :obj:`None`)
        cluster (torch.Tensor, optional): The cluster of each sample. Whole
            clusters are drawn. With two rows, such as head and tail, both are
            drawn and a sample counts the product, as in the `"The Pigeonhole
            Bootstrap" <https://arxiv.org/abs/0712.1111>`_ paper. Not together
            with :obj:`strata`. (default: :obj:`None`)

    Example:
        >>> resampler = Resampler(4, strata=torch.tensor([0, 0, 1, 1]))
        >>> weight = next(iter(resampler.draw(3, seed=0)))
        >>> weight.view(3, 2, 2).sum(dim=2)
        tensor([[2., 2.],
                [2., 2.],
                [2., 2.]])
    """

    def __init__(
        self,
        num_samples: int,
        *,
        strata: Tensor | Sequence[int] | None = None,
        cluster: Tensor | Sequence[int] | None = None,
    ) -> None:
        check_positive("num_samples", num_samples)
        if strata is not None and cluster is not None:
            raise ValueError("give 'strata' or 'cluster', not both")
        self.num_samples = num_samples
        #: For each kind of cluster, the cluster of each sample.
        self.clusters = self._numbers("cluster", cluster)
        number = torch.zeros(num_samples, dtype=torch.long)
        if strata is not None:
            number = self._numbers("strata", strata)[0]
        #: Samples, stratum by stratum, and the size of each stratum.
        self.by_stratum = number.argsort(stable=True)
        self.sizes = number.bincount().tolist()

    def _numbers(self, name: str, values: Any) -> list[Tensor]:
        if values is None:
            return []
        groups = as_groups(name, values)
        if groups.size(-1) != self.num_samples:
            raise ValueError(
                f"'{name}' must have one entry for each of {self.num_samples} "
                f"samples (got shape {list(groups.shape)})"
            )
        rows = groups.view(-1, self.num_samples)
        return [row.unique(return_inverse=True)[1].cpu() for row in rows]

    def draw(
        self,
        num_resamples: int,
        seed: int,
        *,
        device: torch.device | str = "cpu",
    ) -> Iterator[Tensor]:
        r"""Draws resamples in batches.

        Args:
            num_resamples (int): The number of resamples.
            seed (int): The seed. Draws are made on the CPU.
            device (torch.device or str, optional): The device of the counts.
                (default: :obj:`"cpu"`)

        Returns:
            Batches of counts, of shape :obj:`[B, num_samples]`.
        """
        check_positive("num_resamples", num_resamples)
        generator = torch.Generator().manual_seed(seed)
        size = max(1, BATCH // self.num_samples)
        sizes = [
            min(size, num_resamples - start)
            for start in range(0, num_resamples, size)
        ]
        # Drawing takes as long as computing, so a batch is drawn while the
        # caller uses the last one. One worker preserves the order of draws.
        with ThreadPoolExecutor(max_workers=1) as worker:
            ahead = worker.submit(self._draw, sizes[0], generator)
            for num in [*sizes[1:], 0]:
                weight = ahead.result()
                if num:
                    ahead = worker.submit(self._draw, num, generator)
                yield weight.to(device)

    def _draw(self, num: int, generator: torch.Generator) -> Tensor:
        if self.clusters:
            weight = torch.ones(num, self.num_samples)
            for cluster in self.clusters:
                units = int(cluster.max()) + 1
                counts = _counts(num, [units], generator)
                weight *= counts.index_select(1, cluster)
            return weight
        counts = _counts(num, self.sizes, generator)
        if len(self.sizes) == 1:
            return counts
        return counts.index_select(1, self.by_stratum.argsort())

    def strata(self) -> list[Tensor]:
        r"""Returns the samples of each stratum."""
        return list(self.by_stratum.split(self.sizes))

    def leave_one_out(
        self, *, device: torch.device | str = "cpu"
    ) -> Iterator[tuple[int, Tensor]]:
        r"""Leaves out each unit in turn: a sample, or a whole cluster.

        Args:
            device (torch.device or str, optional): The device of the counts.
                (default: :obj:`"cpu"`)

        Returns:
            Pairs of a stratum's number and a batch of counts, of shape
            :obj:`[B, num_samples]`, each of which leaves out one of its units.
        """
        if len(self.clusters) > 1:
            raise ValueError(
                "a jackknife over two kinds of cluster at once is not defined; "
                "give 'cluster' one row"
            )
        size = max(1, BATCH // self.num_samples)
        if self.clusters:
            cluster = self.clusters[0]
            groups = [torch.arange(int(cluster.max()) + 1)]
        else:
            cluster = torch.arange(self.num_samples)
            groups = self.strata()
        for stratum, units in enumerate(groups):
            for part in units.split(size):
                weight = (cluster[None] != part[:, None]).float()
                yield stratum, weight.to(device)


def _counts(num: int, sizes: list[int], generator: torch.Generator) -> Tensor:
    # Draws as many units from each stratum as it has. A bootstrap spends most
    # of its time here, so integers are short and changed in place.
    total = sum(sizes)
    drawn = torch.empty((num, total), dtype=torch.int32)
    first = torch.arange(num, dtype=torch.int32)[:, None] * total
    for part, size in zip(drawn.split(sizes, dim=1), sizes, strict=True):
        part.random_(0, size, generator=generator)
        part += first
        first = first + size
    counts = torch.bincount(drawn.view(-1), minlength=num * total)
    return counts.view(num, total).float()
