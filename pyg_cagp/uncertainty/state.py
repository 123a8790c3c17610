r"""The fitted state of an estimator, in memory and in files."""

import json
from abc import ABC, abstractmethod
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import Module

from pyg_cagp._utils.files import atomic_path
from pyg_cagp.exceptions import (
    CheckpointError,
    NotFittedError,
    PosteriorChangedError,
)
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.posterior import Posterior

SCHEMA = 1


class FittedModule(Module, ABC):
    r"""A module with fitted attributes, whose names end in an underscore.
    Fitted tensors are buffers; other values are extra state. Access before
    :meth:`fit` raises :class:`~pyg_cagp.exceptions.NotFittedError`.

    Args:
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
    """

    #: The keyword-only options of the constructor that change the result.
    options: ClassVar[tuple[str, ...]] = ()

    #: The modules that :meth:`fit` trains and :meth:`save` writes.
    trained: ClassVar[tuple[str, ...]] = ()

    #: Whether :meth:`fit` must be called.
    needs_fit: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.options = tuple(
            name
            for name, option in signature(cls.__init__).parameters.items()
            if option.kind is Parameter.KEYWORD_ONLY and name != "progress"
        )

    def __init__(self, num_nodes: int, num_relations: int) -> None:
        super().__init__()
        self.num_nodes = num_nodes
        self.num_relations = num_relations
        #: The model and its posterior after a successful check. A tuple, since
        #: neither is a submodule.
        self._checked: tuple[GaussianKGEModel, Posterior] | None = None

    @property
    @abstractmethod
    def device(self) -> torch.device:
        r"""The device of the computation. Triples may be on another one."""

    def check_fitted(self) -> None:
        r"""Raises an error if :meth:`fit` was not called, or if the posterior
        of the model has changed since.
        """
        last = self._checked
        if not self.needs_fit or (last and last[0].posterior is last[1]):
            return
        if not self._fitted():
            raise self._not_fitted()
        model = self._posterior_model()
        if model is None:
            return
        if model.posterior.key != self.posterior_:
            raise PosteriorChangedError(
                f"{self.__class__.__name__} was fitted to another posterior "
                f"than its model has now; call 'fit' again, or "
                f"'model.set_posterior' with the earlier one"
            )
        self._checked = (model, model.posterior)

    def accept_posterior(self) -> Self:
        r"""Declares that the fitted state is valid for the current posterior,
        for example after :meth:`~pyg_cagp.nn.posterior.Posterior.update`.
        :meth:`fit` calls it.
        """
        model = self._posterior_model()
        if self.needs_fit and model is not None:
            self._checked = (model, model.posterior)
            self.posterior_ = model.posterior.key
        return self

    def _posterior_model(self) -> GaussianKGEModel | None:
        r"""Returns the model whose variances are read, if there is one."""
        return None

    def _not_fitted(self) -> NotFittedError:
        return NotFittedError(
            f"{self.__class__.__name__} is not fitted; call 'fit(kg)' first"
        )

    def _fitted(self) -> dict[str, Any]:
        state = vars(self)
        every = {**state, **state.get("_buffers", {})}
        return {name: v for name, v in every.items() if _is_fitted(name)}

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.options}

    def _parts(self) -> list[str]:
        r"""Returns further values that must agree when a file is loaded."""
        return []

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            is_property = isinstance(getattr(type(self), name, None), property)
            unset = self.needs_fit and not self._fitted()
            if unset and (_is_fitted(name) or is_property):
                raise self._not_fitted() from None
            raise

    def __setattr__(self, name: str, value: Any) -> None:
        is_fitted = name.endswith("_") and isinstance(value, Tensor)
        if is_fitted and name not in self._buffers:
            self.register_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def get_extra_state(self) -> dict[str, Any]:
        r"""Returns the fitted values that are not tensors."""
        fitted = self._fitted()
        return {k: v for k, v in fitted.items() if not isinstance(v, Tensor)}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        r"""Restores the fitted values that are not tensors."""
        self._checked = None
        for name, value in state.items():
            setattr(self, name, value)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        for key, value in state_dict.items():
            name = key.removeprefix(prefix)
            is_direct = key.startswith(prefix) and "." not in name
            if is_direct and name.endswith("_"):
                setattr(self, name, torch.empty_like(value).to(self.device))
        super()._load_from_state_dict(state_dict, prefix, *args)

    def save(self, path: str | Path) -> None:
        r"""Writes the fitted state to a safetensors file, atomically."""
        self.check_fitted()
        values = self.get_extra_state()
        tensors = {k: v for k, v in self._fitted().items() if k not in values}
        for name in self.trained:
            state = getattr(self, name).state_dict()
            tensors |= {f"{name}.{key}": value for key, value in state.items()}
        document = json.dumps({**self._identity(), "fitted": values})
        stored = {n: v.detach().cpu().contiguous() for n, v in tensors.items()}
        with atomic_path(Path(path)) as temporary:
            save_file(stored, temporary, {"estimator": document})

    @classmethod
    def load(cls, path: str | Path, *parts: Any, **options: Any) -> Self:
        r"""Returns an estimator with the fitted state of a file."""
        estimator = cls(*parts, **options)
        document, tensors = _read(Path(path))
        for name, value in estimator._identity().items():
            if document.get(name) != value:
                raise CheckpointError(
                    f"'{path}' is of an estimator with another '{name}' (it "
                    f"has {document.get(name)!r}, the requested one {value!r})"
                )
        for name in estimator.trained:
            keys = [key for key in tensors if key.startswith(f"{name}.")]
            state = {k.removeprefix(f"{name}."): tensors.pop(k) for k in keys}
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
            if not _is_fitted(name) or hasattr(cls, name):
                raise CheckpointError(
                    f"'{path}' has a value '{name}', which is not a "
                    f"fitted attribute of {cls.__name__}"
                )
        for name, value in tensors.items():
            setattr(estimator, name, value.to(estimator.device))
        estimator.set_extra_state(fitted)
        return estimator

    def _identity(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "class": type(self).__name__,
            "options": json.loads(json.dumps(self._options())),
            "sizes": [self.num_nodes, self.num_relations],
            "parts": self._parts(),
        }

    def __repr__(self) -> str:
        parts = [repr(part) for part in self._made_of()]
        parts += [f"{k}={v!r}" for k, v in self._options().items()]
        parts += [f"{k}={_show(v)}" for k, v in self._fitted().items()]
        return f"{self.__class__.__name__}({', '.join(parts)})"

    def _made_of(self) -> list[Any]:
        r"""Returns the model and the coverage, for the repr."""
        return []


def _is_fitted(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            document = json.loads(file.metadata()["estimator"])
            return document, {n: file.get_tensor(n) for n in list(file.keys())}
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"'{path}' is not the file of an estimator ({error!r})"
        ) from None


def _show(value: Any) -> str:
    if isinstance(value, Tensor):
        return str(list(value.shape)) if value.dim() else f"{value.item():.6g}"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
