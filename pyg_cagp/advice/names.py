r"""The names of entities and relations, and their numbers."""

import difflib
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from pyg_cagp._utils.names import plain_name


class Names:
    r"""The names of entities, or of relations, by number and back.

    A name is looked up as it is written. One that is not found is looked up
    once more without surrounding blanks and in composed Unicode form, since a
    file may spell an accent as a character of its own.

    Args:
        names (sequence): The names, in the order of their numbers.

    Example:
        >>> names = Names(["Zürich", "Bern"])
        >>> names.find(["Bern", " Bern", "Paris"])
        tensor([ 1,  1, -1])
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._number = {name: i for i, name in enumerate(self.names)}

    @classmethod
    def numbers(cls, size: int) -> "Names":
        r"""Returns the numbers themselves as names, for graphs without any.

        Args:
            size (int): How many there are.
        """
        return cls([str(number) for number in range(size)])

    @cached_property
    def _plain(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, name in enumerate(self.names):
            # Where two names look alike, neither is meant by a third.
            plain = plain_name(name)
            found[plain] = -1 if plain in found else number
        return found

    def find(self, names: Sequence[str]) -> Tensor:
        r"""Returns the numbers of names, -1 for those that are unknown.

        Args:
            names (sequence): The names.
        """
        known = self._number
        found = np.fromiter(
            (known.get(name, -1) for name in names), np.int64, len(names)
        )
        missed = np.flatnonzero(found < 0).tolist()
        for row in missed:
            found[row] = self._plain.get(plain_name(names[row]), -1)
        return torch.from_numpy(found)

    def closest(self, name: str, num: int = 3) -> list[str]:
        r"""Returns the known names that are most like an unknown one.

        Args:
            name (str): The unknown name.
            num (int, optional): How many to return at most.
                (default: :obj:`3`)
        """
        # Names of quite another length are not alike, and comparing a name
        # with millions takes long.
        slack = 3 + len(name) // 3
        folded: dict[str, str] = {}
        for known in self.names:
            if abs(len(known) - len(name)) <= slack:
                folded.setdefault(known.casefold(), known)
        close = difflib.get_close_matches(name.casefold(), folded, num)
        return [folded[match] for match in close]

    def __getitem__(self, number: int) -> str:
        return self.names[number]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self)})"
