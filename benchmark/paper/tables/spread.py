r"""A figure over seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scipy.stats import t

#: The level of confidence of intervals.
LEVEL = 0.95


@dataclass(frozen=True)
class Spread:
    r"""A figure over seeds: its mean, and half the width of its interval.

    Args:
        mean (float): The mean.
        half (float, optional): Half the width, if there are several seeds.
        digits (int, optional): The number of digits shown.
            (default: :obj:`4`)
        seeds (int, optional): The number of seeds, if fewer than of other
            figures. (default: :obj:`None`)
    """

    mean: float
    half: float | None = None
    digits: int = 4
    seeds: int | None = None

    def __str__(self) -> str:
        text = f"{self.mean:.{self.digits}f}"
        # Where seeds make no difference, the interval has no width.
        if self.half:
            text += f" ± {self.half:.{self.digits}f}"
        if self.seeds is not None:
            text += f" (of {self.seeds})"
        return text

    def __format__(self, spec: str) -> str:
        return format(self.mean, spec) if spec else str(self)

    def __mul__(self, factor: float) -> Spread:
        half = None if self.half is None else self.half * factor
        return replace(self, mean=self.mean * factor, half=half)

    def __float__(self) -> float:
        return self.mean


def spread(numbers: list[float], digits: int = 4) -> Spread | None:
    r"""Returns the mean of some numbers with the interval of Student's t.

    Example:
        >>> print(spread([0.1, 0.2, 0.3], 2))
        0.20 ± 0.25
    """
    if not numbers:
        return None
    count = len(numbers)
    mean = sum(numbers) / count
    if count == 1:
        return Spread(mean, None, digits)
    if len(set(numbers)) == 1:  # The mean would differ by rounding.
        return Spread(numbers[0], 0.0, digits)
    variance = sum((x - mean) ** 2 for x in numbers) / (count - 1)
    factor = float(t.ppf((1 + LEVEL) / 2, count - 1))
    return Spread(mean, factor * (variance / count) ** 0.5, digits)
