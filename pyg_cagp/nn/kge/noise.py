r"""The noise of draws."""

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError


class NoiseTable:
    r"""Standard normal numbers, made once and read many times.

    Each draw reads a stretch of the table from a random place, as in the
    `"Evolution Strategies as a Scalable Alternative to Reinforcement Learning"
    <https://arxiv.org/abs/1703.03864>`_ paper. Within a draw, all numbers are
    independent; draws of different steps may share some.

    Args:
        size (int, optional): The number of values. (default: :obj:`4194304`)
        seed (int, optional): The seed of the table. (default: :obj:`0`)
        device (torch.device or str, optional): Where the table is.
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
        r"""Returns a stretch of the table, which must not be written to.

        Args:
            shape (tuple): The shape of the result.
            generator (torch.Generator, optional): The source of its place.
        """
        count = shape[0] * shape[1]
        room = self.values.numel() - count
        if room < 0:
            raise InvalidInputError(
                f"a table of {self.values.numel()} numbers is too small for a "
                f"draw of {count}; make it larger, or the batch smaller"
            )
        device = self.values.device
        place = torch.randint(room + 1, (), generator=generator, device=device)
        start = int(place)
        return self.values[start : start + count].view(shape)
