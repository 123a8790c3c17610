r"""The rungs of a search: larger and larger parts of a graph."""

import math
from typing import NamedTuple

from torch_geometric.data import Data

from pyg_cagp.train.kcore import find_k, k_core

#: The shares of training triples and of epochs in each rung.
RUNGS = ((1 / 16, 1 / 2), (1 / 4, 1 / 2), (1, 1))

#: The least sizes of a core: in a smaller one, ranks differ by chance.
LEAST = {"num_nodes": 200, "num_val": 50}


class Rung(NamedTuple):
    r"""A part of a graph, a share of the epochs, and the time in seconds at
    which it ends.
    """

    kg: Data
    k: int
    share: float
    end: float


def make_rungs(kg: Data, seconds: float) -> list[Rung]:
    r"""Returns the rungs of a search. The last one, with the whole graph, has
    half of the time; the others share the rest.
    """
    rungs: list[tuple[Data, int, float]] = []
    work = math.inf
    for part, epochs in reversed(RUNGS):
        k = 0 if part == 1 else find_k(kg, part, **LEAST)
        core = kg if k == 0 else k_core(kg, k)
        # Cores of small graphs are not much smaller than the next one.
        if epochs * int(core.train_mask.sum()) <= work / 2:
            work = epochs * int(core.train_mask.sum())
            rungs.insert(0, (core, k, epochs))
    early = len(rungs) - 1
    ends = [(row + 1) / early / 2 for row in range(early)]
    return [
        Rung(*rung, seconds * end)
        for rung, end in zip(rungs, [*ends, 1], strict=True)
    ]
