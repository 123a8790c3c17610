r"""What all estimators of doubt have in common."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_triples
from pyg_cagp._utils.files import atomic_path
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import (
    CheckpointError,
    InvalidInputError,
    NotFittedError,
)
from pyg_cagp.nn.scoring.scorer import scorer_device
from pyg_cagp.protocols import (
    LabelledTriples,
    Partition,
    Protocol,
    ProtocolName,
)
from pyg_cagp.protocols import protocol as protocol_of

SCHEMA = 1

#: Labels the validation triples when it is called, and not before.
Labelled = Callable[[], LabelledTriples]


def check_type(name: str, value: object, *types: type) -> None:
    r"""Checks that a part of an estimator is what it should be.

    Args:
        name (str): The name of the argument, for the message.
        value (object): The part.
        *types (type): What it may be.
    """
    if not isinstance(value, types):
        wanted = " or a ".join(t.__name__ for t in types)
        raise InvalidInputError(
            f"'{name}' must be a {wanted} (got {type(value).__name__})"
        )


def check_both_classes(label: Tensor, source: str) -> None:
    r"""Checks that there are ID and OOD triples to fit on.

    Args:
        label (torch.Tensor): The labels.
        source (str): The origin of the labels, for the message.
    """
    num_ood = int(label.sum())
    if not 0 < num_ood < label.numel():
        raise InvalidInputError(
            f"a fit needs ID and OOD validation triples ({source} gives "
            f"{num_ood} OOD of {label.numel()})"
        )


def _to_fit_on(val: LabelledTriples) -> LabelledTriples:
    check_both_classes(val.label, f"protocol '{val.protocol.name}'")
    return val


class UncertaintyEstimator(ABC):
    r"""A base class of estimators of doubt about triples.

    An estimator takes :obj:`(head_index, rel_type, tail_index)` and returns one
    number for each triple, higher for more doubt. What it returns for a triple
    depends on no other triple it is asked about at the same time.

    :meth:`fit` fits an estimator on train and validation only. Fitted
    attributes have names that end in an underscore. :meth:`save` writes these;
    :meth:`load` makes the same estimator again around the same model. A
    subclass overrides :meth:`_fit`.

    Args:
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
    """

    #: The constructor's options that decide what is returned.
    options: ClassVar[tuple[str, ...]] = ()

    #: The modules that :meth:`fit` trains, which are saved with the rest.
    trained: ClassVar[tuple[str, ...]] = ()

    #: Whether there is anything to fit.
    needs_fit: ClassVar[bool] = False

    def __init__(self, num_nodes: int, num_relations: int) -> None:
        self.num_nodes = num_nodes
        self.num_relations = num_relations

    @abstractmethod
    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the doubt about each triple; called by :meth:`__call__`,
        which has checked the ids.
        """

    @torch.no_grad()
    def __call__(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the doubt about each triple, higher for what is more likely
        out of distribution.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        self.check_fitted()
        triples = self.check_triples(head_index, rel_type, tail_index)
        asked_from = triples[0].device
        if triples[0].numel() == 0:
            return torch.empty(triples[0].shape, device=asked_from)
        here = (part.to(self.device) for part in triples)
        return self.uncertainty(*here).to(asked_from)

    @property
    @abstractmethod
    def device(self) -> torch.device:
        r"""Where triples are judged. They may be asked about from elsewhere."""

    def fit(
        self,
        data: LabelledTriples | Data,
        *,
        protocol: ProtocolName | Protocol = "temporal-like",
        preset: Partition = "stated",
        seed: int = 0,
    ) -> Self:
        r"""Fits the estimator, on train and validation only.

        Args:
            data (LabelledTriples or Data): Labelled validation triples, or the
                graph, as anything that :func:`~pyg_cagp.data.as_kg` takes.
                Estimators that train a model need the graph.
            protocol (str or Protocol, optional): The protocol that labels the
                validation triples of a graph, or its name; see
                :mod:`pyg_cagp.protocols`. (default: :obj:`"temporal-like"`)
            preset (str or TemporalLikeOOD, optional): The partition of a
                protocol given by name. (default: :obj:`"stated"`)
            seed (int, optional): The seed of a protocol given by name.
                (default: :obj:`0`)
        """
        rule = protocol_of(protocol, preset=preset, seed=seed)
        if not isinstance(data, LabelledTriples):
            kg = as_kg(data)
            if self.trained:
                self._train(kg)
            else:
                self._fit(lambda: _to_fit_on(rule.label(kg, "val")))
            return self
        if self.trained:
            raise InvalidInputError(
                f"'data' must be a graph, as {self.__class__.__name__} reads "
                f"its training triples (got LabelledTriples)"
            )
        if rule != protocol_of("temporal-like"):
            raise InvalidInputError(
                f"'protocol', 'preset' and 'seed' must not be given with "
                f"LabelledTriples, which have {data.protocol!r} (got {rule!r})"
            )
        if data.split != "val":
            raise InvalidInputError(
                f"'data' must be validation triples (got split "
                f"'{data.split}'); label them by protocol.label(kg, 'val')"
            )
        self._fit(lambda: _to_fit_on(data))
        return self

    # Neither is abstract, as many estimators have nothing to fit.
    def _fit(self, labelled: Labelled) -> None:  # noqa: B027
        r"""Fits the attributes that end in an underscore; none here.

        Args:
            labelled (callable): Returns the labelled validation triples.
        """

    def _train(self, kg: Data) -> None:  # noqa: B027
        r"""Trains the modules named in :obj:`trained`, if there are any.

        Args:
            kg (Data): The graph, which was checked.
        """

    def check_fitted(self) -> None:
        r"""Raises an error if :meth:`fit` has yet to be called."""
        if self.needs_fit and not self._fitted():
            raise NotFittedError(
                f"{self.__class__.__name__} is not fitted; call 'fit(kg)' first"
            )

    def check_triples(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Checks that all ids are known, and returns them as
        :obj:`torch.long`.
        """
        return check_triples(
            head_index,
            rel_type,
            tail_index,
            self.num_nodes,
            self.num_relations,
        )

    # Files ###################################################################

    def _fitted(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in vars(self).items()
            if name.endswith("_") and not name.startswith("_")
        }

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.options}

    def _made_of(self) -> list[str]:
        r"""What else must be the same for a file to fit."""
        return []

    def save(self, path: str | Path) -> None:
        r"""Writes what was fitted to a safetensors file, whole or not at all.

        Args:
            path (str or pathlib.Path): The file.
        """
        self.check_fitted()
        fitted = self._fitted()
        tensors = {
            name: value.detach().cpu().contiguous()
            for name, value in fitted.items()
            if isinstance(value, Tensor)
        }
        plain = {n: v for n, v in fitted.items() if n not in tensors}
        for name in self.trained:
            for key, value in getattr(self, name).state_dict().items():
                tensors[f"{name}.{key}"] = value.detach().cpu().contiguous()
        document = {
            "schema": SCHEMA,
            "class": self.__class__.__name__,
            "options": self._options(),
            "sizes": [self.num_nodes, self.num_relations],
            "parts": self._made_of(),
            "fitted": plain,
        }
        with atomic_path(Path(path)) as temporary:
            save_file(tensors, temporary, {"estimator": json.dumps(document)})

    @classmethod
    def load(cls, path: str | Path, *args: Any, **kwargs: Any) -> Self:
        r"""Returns an estimator with what another has fitted.

        Args:
            path (str or pathlib.Path): The file that :meth:`save` has written.
            *args (optional): The arguments of the class, such as the model.
            **kwargs (optional): The same, by name.
        """
        made = cls(*args, **kwargs)
        try:
            with safe_open(path, framework="pt") as file:
                document = json.loads(file.metadata()["estimator"])
                tensors = {n: file.get_tensor(n) for n in list(file.keys())}
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"'{path}' is not the file of an estimator ({error!r})"
            ) from None
        mine = {
            "schema": SCHEMA,
            "class": cls.__name__,
            "options": json.loads(json.dumps(made._options())),
            "sizes": [made.num_nodes, made.num_relations],
            "parts": made._made_of(),
        }
        for name, value in mine.items():
            if document.get(name) != value:
                raise CheckpointError(
                    f"'{path}' is of an estimator with another '{name}' (it "
                    f"has {document.get(name)!r}, and {value!r} was asked for)"
                )
        for name in cls.trained:
            prefix = f"{name}."
            state = {
                key.removeprefix(prefix): tensors.pop(key)
                for key in list(tensors)
                if key.startswith(prefix)
            }
            try:
                getattr(made, name).load_state_dict(state)
            except RuntimeError as error:
                raise CheckpointError(
                    f"'{path}' does not fit the {name} that was asked for "
                    f"({error})"
                ) from None
        for name, value in {**document["fitted"], **tensors}.items():
            setattr(made, name, value)
        return made

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self._options().items())
        return f"{self.__class__.__name__}({options})"


class ModelEstimator(UncertaintyEstimator):
    r"""A base class of estimators that are made of one model.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model.
        kind (type): What it has to be.
    """

    def __init__(self, model: Any, kind: type = object) -> None:
        check_type("model", model, kind)
        super().__init__(model.num_nodes, model.num_relations)
        self.model = model

    @property
    def device(self) -> torch.device:
        r"""The device of the model."""
        return scorer_device(self.model)


class CoverageEstimator(UncertaintyEstimator):
    r"""A base class of estimators that are made of a coverage.

    Args:
        coverage (Coverage): The coverage of the training triples.
    """

    def __init__(self, coverage: Coverage) -> None:
        check_type("coverage", coverage, Coverage)
        super().__init__(coverage.num_nodes, coverage.num_relations)
        self.coverage = coverage

    @property
    def device(self) -> torch.device:
        r"""The device of the coverage."""
        return self.coverage.device
