r"""Splits a dated graph into the past and the future."""

import contextlib
from datetime import date
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import TripleIndex, as_kg, triples
from pyg_cagp.data.kg import MASKS, SPLIT_BOUND
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms.reference import describe_options

#: The treatment of facts that also occur in train.
Repeats: TypeAlias = Literal["keep", "drop"]

#: The length of a week, by the unit of time.
WEEK = {"D": 7, "s": 7 * 24 * 3600}

_OPTIONS = ("cutoff", "val_cutoff", "held_out", "repeats", "seed")


@functional_transform("kg_timestamp_ood")
class TimestampOOD(BaseTransform):
    r"""Splits a dated graph anew into the past, a held-out part of the past,
    and the future (functional name: :obj:`kg_timestamp_ood`).

    Edges before the cut-off are past. A share of them, drawn by seed, is held
    out; the others become train. A detector separates the held-out past from
    the future, by labels that come from the calendar alone.

    Sets new :obj:`train_mask`, :obj:`val_mask` and :obj:`test_mask`;
    :obj:`ood_label`: -1 for train, 0 for the held-out past, 1 for the future;
    :obj:`is_repeat`: whether the triple also occurs in train; and
    :obj:`time_cut`: the arguments below, as plain values. Attributes of the
    old splits (:obj:`ood_type`, :obj:`truth`, negatives) are removed.

    Args:
        cutoff (str, int or float, optional): The start of the future: a date
            such as :obj:`"2014-10-01"`, a point in time in the unit of
            :obj:`edge_time`, or a float, the share of edges that are past.
            (default: :obj:`0.75`)
        val_cutoff (str, int or float, optional): The end of train and start of
            the future of validation, which ends at :obj:`cutoff`. Without it
            there is no validation split. (default: :obj:`None`)
        held_out (float, optional): The share of the past that is held out.
            (default: :obj:`0.1`)
        repeats (str, optional): :obj:`"drop"` leaves out held-out and future
            edges that occur in train. (default: :obj:`"keep"`)
        seed (int, optional): The seed. (default: :obj:`0`)

    Example:
        >>> from pyg_cagp.datasets import SyntheticKG
        >>> data = SyntheticKG(transform=TimestampOOD(cutoff="2022-01-01"))[0]
        >>> data.ood_label.unique().tolist()
        [-1, 0, 1]
    """

    def __init__(
        self,
        cutoff: str | int | float = 0.75,
        val_cutoff: str | int | float | None = None,
        *,
        held_out: float = 0.1,
        repeats: Repeats = "keep",
        seed: int = 0,
    ) -> None:
        if not 0 < held_out < 1:
            raise InvalidInputError(
                f"'held_out' must lie in (0, 1) (got {held_out})"
            )
        check_choice("repeats", repeats, Repeats)
        for name, value in (("cutoff", cutoff), ("val_cutoff", val_cutoff)):
            if isinstance(value, float) and not 0 < value < 1:
                raise InvalidInputError(
                    f"'{name}' must lie in (0, 1) if it is a share (got "
                    f"{value}); pass an int for a point in time"
                )
        self.cutoff, self.val_cutoff = cutoff, val_cutoff
        self.held_out, self.repeats, self.seed = held_out, repeats, seed

    def forward(self, data: Data) -> Data:
        r"""Splits a dated graph anew."""
        data = as_kg(data)
        if "edge_time" not in data:
            raise InvalidInputError(
                "'data' has no 'edge_time'; TimestampOOD needs a dated graph"
            )
        time = data.edge_time
        if time.numel() == 0:
            raise InvalidInputError("'data' has no edges")
        for key in SPLIT_BOUND:
            if key in data:
                del data[key]
        start = end = _moment("cutoff", self.cutoff, data)
        if self.val_cutoff is not None:
            start = _moment("val_cutoff", self.val_cutoff, data)
        if start > end:
            raise InvalidInputError(
                f"'val_cutoff' must not be later than 'cutoff' (got "
                f"{self.val_cutoff!r} and {self.cutoff!r})"
            )
        generator = torch.Generator().manual_seed(self.seed)
        draw = torch.rand((2, time.numel()), generator=generator)
        draw = draw.to(time.device)
        past = time < start
        chosen = past & (draw[0] < self.held_out)
        train = past & ~chosen
        test = chosen
        if self.val_cutoff is not None:
            test = chosen & (draw[1] < 0.5)
        test = test | (time >= end)
        val = ~train & ~test
        data.ood_label = torch.where(train, -1, (time >= start).long())
        data.is_repeat = _repeats(data, train)
        for name, mask in zip(MASKS, (train, val, test), strict=True):
            data[name] = mask
        options = {key: _plain(getattr(self, key)) for key in _OPTIONS}
        data.time_cut = options
        if self.repeats == "drop":
            data = _select_edges(data, ~data.is_repeat)
        span = f"from time {int(time.min())} to {int(time.max())}"
        self._check(data, f"the cut is at {end}, the edges run {span}")
        return data

    def _check(self, data: Data, why: str) -> None:
        if not bool(data.train_mask.any()):
            raise InvalidInputError(f"no training edge is left ({why})")
        for split in ["test"] if self.val_cutoff is None else ["val", "test"]:
            label = data.ood_label[data[f"{split}_mask"]]
            for value, period in ((0, "past"), (1, "future")):
                if not bool((label == value).any()):
                    raise InvalidInputError(
                        f"no {period} edge is left in the {split} split "
                        f"({why}, held_out={self.held_out}, "
                        f"repeats={self.repeats!r})"
                    )

    def __repr__(self) -> str:
        return describe_options(self, _OPTIONS)


def week_length(data: Data) -> int:
    r"""Returns the length of a week in the unit of a graph's
    :obj:`edge_time`, which its :obj:`time_unit` names.

    Args:
        data (Data): A dated graph.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> week_length(load("synthetic"))
        7
    """
    unit = data.get("time_unit")
    if unit not in WEEK:
        raise InvalidInputError(
            f"'data' must have a 'time_unit' of 'D' (days) or 's' (seconds) "
            f"(got {unit!r})"
        )
    return WEEK[unit]


def _plain(value: Any) -> Any:
    if isinstance(value, Integral):
        return int(value)
    return value.isoformat() if isinstance(value, date) else value


def _moment(name: str, value: Any, data: Data) -> int:
    if isinstance(value, float):
        ordered = data.edge_time.sort().values
        return int(ordered[int(value * ordered.numel())])
    if isinstance(value, Integral):
        return int(value)
    unit = data.get("time_unit")
    if unit not in WEEK:
        raise InvalidInputError(
            f"'{name}' is a date (got {value!r}) but the times of 'data' are "
            f"plain numbers; pass a number"
        )
    moment = np.datetime64("NaT")
    # A word such as "today" would give another cut-off every day.
    if isinstance(value, (str, date)) and not str(value).isalpha():
        with contextlib.suppress(ValueError):
            moment = np.datetime64(value)
    if np.isnat(moment):
        raise InvalidInputError(
            f"'{name}' must be an ISO date such as '2014-10-01' (got {value!r})"
        )
    cut = moment.astype(f"datetime64[{unit}]")
    if cut != moment:
        raise InvalidInputError(
            f"'{name}' must be a whole day, as the times of 'data' are (got "
            f"{value!r})"
        )
    return int(cut.astype(int))


def _repeats(data: Data, train: Tensor) -> Tensor:
    sizes = data.num_nodes, data.num_relations
    known = TripleIndex(*triples(data, train), *sizes)
    return known.contains(*triples(data)) & ~train


def _select_edges(data: Data, mask: Tensor) -> Data:
    split_keys = (*MASKS, "ood_label", "is_repeat")
    # `is_edge_attr` compares sizes, so all attributes are selected before any
    # of them changes.
    selected = {
        key: value[..., mask]
        for key, value in data.to_dict().items()
        if isinstance(value, Tensor)
        and (key in split_keys or data.is_edge_attr(key))
    }
    return data.update(selected)
