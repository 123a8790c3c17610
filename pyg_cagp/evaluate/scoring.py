r"""Checked calls of estimators, and identities of models and estimators."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.nn.kge import KGEModel

from pyg_cagp.exceptions import InvalidInputError

#: A callable that takes heads, relations and tails and returns one number for
#: each triple, higher for less trustworthy ones.
Estimator: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]


def named_estimators(
    estimators: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
    kg: Data,
) -> dict[str, Estimator]:
    r"""Returns estimators of a graph by their names."""
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
                    f"dictionary with a name for each"
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
        if isinstance(estimator, KGEModel):
            raise InvalidInputError(
                f"estimator '{name}' is a model, whose scores are high for "
                f"plausible triples; pass ScoreUncertainty(model)"
            )
        for size in ("num_nodes", "num_relations"):
            if getattr(estimator, size, kg[size]) != kg[size]:
                raise InvalidInputError(
                    f"estimator '{name}' was made for another graph ('{size}' "
                    f"is {getattr(estimator, size)}, not {kg[size]})"
                )
    return named


def identities(values: Mapping[str, object]) -> dict[str, str]:
    r"""Returns the identity of each model or estimator in a config: its repr
    and, for a module, the digest of its weights and buffers.

    Example:
        >>> identities({"model": torch.nn.Identity()})
        {'model': 'Identity() sha256:e3b0c44298fc1c14'}
    """
    # Estimators share the weights of their model, which are read once.
    digests: dict[tuple, str] = {}
    return {name: _identity(value, digests) for name, value in values.items()}


def _identity(value: object, digests: dict[tuple, str]) -> str:
    if not isinstance(value, Module):
        return repr(value)
    digest = hashlib.sha256()
    for name, part in value.state_dict().items():
        if not isinstance(part, Tensor):
            digest.update(f"{name} {part!r}".encode())
            continue
        key = part.dtype, part.shape, part.stride(), part.data_ptr()
        if key not in digests:
            flat = part.detach().cpu().reshape(-1).view(torch.uint8)
            digests[key] = hashlib.sha256(flat.numpy().data).hexdigest()
        text = f"{name} {part.dtype} {list(part.shape)} {digests[key]}"
        digest.update(text.encode())
    return f"{value!r} sha256:{digest.hexdigest()[:16]}"


@torch.no_grad()
def uncertainties(
    name: str, estimator: Estimator, triples: Any, batch_size: int = 2**16
) -> Tensor:
    r"""Returns an estimator's uncertainties as :obj:`torch.double`."""
    parts = []
    columns = [column.split(batch_size) for column in triples]
    for head, rel, tail in zip(*columns, strict=True):
        part = estimator(head, rel, tail)
        if not isinstance(part, Tensor) or part.shape != head.shape:
            got = getattr(part, "shape", type(part).__name__)
            raise InvalidInputError(
                f"estimator '{name}' must return one number for each of "
                f"{head.numel()} triples (got {got})"
            )
        parts.append(part.double().to(head.device))
    values = torch.cat(parts)
    if bool(values.isnan().any()):
        row = int(values.isnan().nonzero()[0])
        triple = tuple(int(column[row]) for column in triples)
        raise InvalidInputError(
            f"estimator '{name}' returned NaN for triple {triple} (row {row})"
        )
    return values
