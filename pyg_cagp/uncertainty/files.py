r"""Files of fitted estimators."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from pyg_cagp._utils.files import atomic_path
from pyg_cagp.exceptions import CheckpointError

if TYPE_CHECKING:
    from pyg_cagp.uncertainty.state import FittedModule

SCHEMA = 1


def save(estimator: "FittedModule", path: Path) -> None:
    r"""Writes the fitted state of an estimator, atomically."""
    fitted = estimator._fitted()
    tensors = {n: v for n, v in fitted.items() if isinstance(v, Tensor)}
    for name in estimator.trained:
        state = getattr(estimator, name).state_dict()
        tensors |= {f"{name}.{key}": value for key, value in state.items()}
    document = {
        **_identity(estimator),
        "fitted": {n: v for n, v in fitted.items() if n not in tensors},
    }
    stored = {n: v.detach().cpu().contiguous() for n, v in tensors.items()}
    with atomic_path(path) as temporary:
        save_file(stored, temporary, {"estimator": json.dumps(document)})


def load(estimator: "FittedModule", path: Path) -> None:
    r"""Gives an estimator the fitted state of a file.

    Args:
        estimator (FittedModule): The estimator, of the same class,
            options and sizes.
        path (pathlib.Path): The file.
    """
    try:
        with safe_open(path, framework="pt") as file:
            document = dict(json.loads(file.metadata()["estimator"]))
            tensors = {n: file.get_tensor(n) for n in list(file.keys())}
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"'{path}' is not the file of an estimator ({error!r})"
        ) from None
    for name, value in _identity(estimator).items():
        if document.get(name) != value:
            raise CheckpointError(
                f"'{path}' is of an estimator with another '{name}' (it has "
                f"{document.get(name)!r}, the requested one {value!r})"
            )
    for name in estimator.trained:
        prefix = f"{name}."
        state = {
            key.removeprefix(prefix): tensors.pop(key)
            for key in list(tensors)
            if key.startswith(prefix)
        }
        try:
            getattr(estimator, name).load_state_dict(state)
        except RuntimeError as error:
            raise CheckpointError(
                f"'{path}' does not fit the requested {name} ({error})"
            ) from None
    fitted = document.get("fitted")
    if not isinstance(fitted, dict):
        raise CheckpointError(f"'{path}' has no fitted values")
    for name in (*tensors, *fitted):
        is_fitted = name.endswith("_") and not name.startswith("_")
        if not is_fitted or hasattr(type(estimator), name):
            raise CheckpointError(
                f"'{path}' has a value '{name}', which is no fitted attribute "
                f"of {type(estimator).__name__}"
            )
    for name, value in tensors.items():
        setattr(estimator, name, value.to(estimator.device))
    estimator.set_extra_state(fitted)


def _identity(estimator: "FittedModule") -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "class": type(estimator).__name__,
        "options": json.loads(json.dumps(estimator._options())),
        "sizes": [estimator.num_nodes, estimator.num_relations],
        "parts": estimator._parts(),
    }
