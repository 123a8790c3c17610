r"""A table of precomputed noise."""

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError


class NoiseTable:
    r"""A table of standard normal numbers that draws read.

    Each draw reads a slice of the table from a random position, as in the
    `"Evolution Strategies as a Scalable Alternative to Reinforcement Learning"
    <https://arxiv.org/abs/1703.03864>`_ paper. Within a draw, all numbers are
    independent. Draws of different steps may share numbers.

    Args:
        size (int, optional): The number of values. (default: :obj:`4194304`)
        seed (int, optional): The seed of the table. (default: :obj:`0`)
        device (torch.device or str, optional): The device of the table.
            (default: :obj:`"cpu"`)
    """

    def __init__(
        self,
        *,
        size: int = 2**22,
        seed: int = 0,
        device: torch.device | str = "cpu",
    ) -> None:
        generator = torch.Generator(device).manual_seed(seed)
        self.values = torch.randn(size, generator=generator, device=device)

    def read(
        self, shape: tuple[int, int], generator: torch.Generator | None
    ) -> Tensor:
        r"""Returns a view of a random slice of the table. Do not write to it.

        Args:
            shape (tuple): The shape of the result.
            generator (torch.Generator, optional): The source of the position.
        """
        count = shape[0] * shape[1]
        last_start = self.values.numel() - count
        if last_start < 0:
            raise InvalidInputError(
                f"a table of {self.values.numel()} numbers is too small for a "
                f"draw of {count}; make it larger, or the batch smaller"
            )
        device = self.values.device
        start = int(
            torch.randint(
                last_start + 1, (), generator=generator, device=device
            )
        )
        return self.values[start : start + count].view(shape)
