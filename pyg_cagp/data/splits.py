r"""Draws the splits that a graph lacks."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.exceptions import DatasetFormatError
from pyg_cagp.typing import SplitRule


def complete_splits(
    parts: dict[str, Data],
    split: SplitRule,
    ratios: Sequence[float],
    seed: int,
    folder: Path,
) -> dict[str, Data]:
    r"""Takes the missing splits out of the other triples."""
    missing = [name for name in ("val", "test") if name not in parts]
    if not missing:
        return parts
    source = parts.get("all", parts.get("train"))
    assert source is not None
    shares = zip(("val", "test"), ratios[1:], strict=True)
    cuts = {name: share for name, share in shares if name in missing}
    if split == "time":
        chosen = _cut_by_time(source, cuts)
    else:
        chosen = _cut_at_random(source, cuts, seed)
    if any(index.numel() == 0 for index in chosen.values()):
        raise DatasetFormatError(
            f"'{folder}' has too few triples ({source.edge_type.numel()}) to "
            f"be split by {tuple(ratios)}"
        )
    columns = source.to_dict().items()
    return parts | {
        name: Data(**{key: value[..., index] for key, value in columns})
        for name, index in chosen.items()
    }


def _cut_at_random(
    source: Data, cuts: dict[str, float], seed: int
) -> dict[str, Tensor]:
    num = source.edge_type.numel()
    generator = torch.Generator().manual_seed(seed)
    perm = torch.randperm(num, generator=generator)
    chosen, start = {}, 0
    for name, share in cuts.items():
        stop = start + round(num * share)
        chosen[name] = perm[start:stop].sort().values
        start = stop
    chosen["train"] = perm[start:].sort().values
    return chosen


def _cut_by_time(source: Data, cuts: dict[str, float]) -> dict[str, Tensor]:
    if "edge_time" not in source:
        raise DatasetFormatError("split='time' needs a fourth column of times")
    # Triples of equal time go to the same split.
    time = source.edge_time
    ordered = time.sort().values
    remaining = torch.ones_like(time, dtype=torch.bool)
    chosen, taken = {}, 0.0
    for name, share in reversed(cuts.items()):
        taken += share
        place = round(len(ordered) * (1 - taken))
        inside = remaining & (time >= ordered[min(place, len(ordered) - 1)])
        chosen[name] = inside.nonzero().view(-1)
        remaining &= ~inside
    chosen["train"] = remaining.nonzero().view(-1)
    return chosen
