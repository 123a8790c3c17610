r"""Modules with a coverage, and checks of the inputs of estimators."""

from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import Module

from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError


class CoverageModule(Module):
    r"""A module whose coverage moves with it to other devices. A coverage that
    modules share moves for all of them, as a shared submodule does.
    """

    coverage: Coverage

    def _apply(self, fn: Callable[[Tensor], Tensor], *args: Any) -> Self:
        super()._apply(fn, *args)
        before = self.coverage.device
        device = fn(torch.empty(0, dtype=torch.long, device=before)).device
        if device != before:
            self.coverage.to(device)
        return self


def check_type(name: str, value: object, *types: type) -> None:
    r"""Checks the class of an input of an estimator."""
    if not isinstance(value, types):
        names = " or a ".join(t.__name__ for t in types)
        raise InvalidInputError(
            f"'{name}' must be a {names} (got {type(value).__name__})"
        )


def check_one_graph(model: Any, coverage: Any) -> None:
    r"""Checks that a model and a coverage have the sizes of one graph."""
    sizes = [(x.num_nodes, x.num_relations) for x in (model, coverage)]
    if sizes[0] != sizes[1]:
        raise InvalidInputError(
            f"'model' and 'coverage' must be of one graph (got {sizes[0]} and "
            f"{sizes[1]} entities and relations)"
        )


def check_both_classes(label: Tensor, source: str) -> None:
    r"""Checks that there are ID and OOD triples to fit on."""
    num_ood = int(label.sum())
    if not 0 < num_ood < label.numel():
        raise InvalidInputError(
            f"a fit needs ID and OOD validation triples ({source} gives "
            f"{num_ood} OOD of {label.numel()})"
        )
