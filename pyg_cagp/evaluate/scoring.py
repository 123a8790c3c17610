r"""Asks estimators for their doubt, with little memory and much suspicion."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError

#: Anything that takes heads, relations and tails and returns one number for
#: each, higher for what is more doubtful.
Estimator: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]


def named_estimators(
    estimators: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
) -> dict[str, Estimator]:
    r"""Returns estimators by their names, whichever way they were given.

    Args:
        estimators (callable, sequence or mapping): One, several, or several
            with names. Without, the name is that of the class or function.

    Example:
        >>> list(named_estimators({"mine": lambda h, r, t: h.float()}))
        ['mine']
    """
    if isinstance(estimators, Mapping):
        named = dict(estimators)
    else:
        listed = [estimators] if callable(estimators) else list(estimators)
        named = {}
        for estimator in listed:
            name = getattr(estimator, "__name__", type(estimator).__name__)
            if name in named:
                raise InvalidInputError(
                    f"'estimators' has two of the name '{name}'; pass a "
                    f"mapping with a name for each"
                )
            named[name] = estimator
    if not named:
        raise InvalidInputError("'estimators' is empty")
    for name, estimator in named.items():
        if not callable(estimator):
            raise InvalidInputError(
                f"estimator '{name}' must be callable (got "
                f"{type(estimator).__name__})"
            )
    return named


@torch.no_grad()
def doubts(
    name: str,
    estimator: Estimator,
    triples: Any,
    batch_size: int = 2**16,
) -> Tensor:
    r"""Returns an estimator's uncertainties as :obj:`torch.double`.

    Args:
        name (str): The name of the estimator, for messages.
        estimator (callable): The estimator.
        triples (tuple): Heads, relations and tails.
        batch_size (int, optional): How many triples to ask for at a time.
            (default: :obj:`65536`)
    """
    parts = []
    columns = [column.split(batch_size) for column in triples]
    for head, rel, tail in zip(*columns, strict=True):
        part = estimator(head, rel, tail)
        if not isinstance(part, Tensor) or part.shape != head.shape:
            got = (
                f"shape {list(part.shape)}"
                if isinstance(part, Tensor)
                else type(part).__name__
            )
            raise InvalidInputError(
                f"estimator '{name}' must return one number for each of "
                f"{head.numel()} triples (got {got})"
            )
        parts.append(part.double().to(head.device))
    found = torch.cat(parts)
    if bool(found.isnan().any()):
        row = int(found.isnan().nonzero()[0])
        triple = tuple(int(column[row]) for column in triples)
        raise InvalidInputError(
            f"estimator '{name}' returned NaN for triple {triple} (row {row})"
        )
    return found
