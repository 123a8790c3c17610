r"""The base classes of estimators of uncertainty."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice, check_triples
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring import SoftmaxTerms
from pyg_cagp.nn.scoring.scorer import scorer_device
from pyg_cagp.protocols import (
    LabelledTriples,
    Partition,
    Protocol,
    ProtocolName,
)
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.typing import Side
from pyg_cagp.uncertainty.parts import (
    CoverageModule,
    check_both_classes,
    check_type,
)
from pyg_cagp.uncertainty.state import FittedModule

Triples = tuple[Tensor, Tensor, Tensor]

#: A function that labels the validation triples. Some estimators never call it.
Labelled = Callable[[], LabelledTriples]


class UncertaintyEstimator(FittedModule):
    r"""A base class of estimators of the uncertainty of triples.

    An estimator takes :obj:`(head_index, rel_type, tail_index)` and returns one
    number for each triple, higher for less trustworthy ones. The number of a
    triple does not depend on the other triples of the batch. Ids are checked
    once, at the outermost call.

    :meth:`fit` reads train and validation only. Fitted attributes have names
    that end in an underscore; fitted tensors are buffers. :meth:`save` writes
    them; :meth:`load` reads them into an estimator of the same model. An
    estimator that was fitted to a posterior raises an error if its model has
    another one. A subclass implements :meth:`uncertainty` and, if it is fitted,
    :meth:`_fit`.

    Args:
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.

    .. note::
        For an example of a new estimator, see ``docs/howto/new_estimator.md``.
    """

    #: The sides of the softmax terms that the estimator reads. Options of an
    #: instance may change it.
    reads_scores: tuple[Side, ...] = ()

    @abstractmethod
    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the uncertainty of each triple, without checks. An estimator
        with :obj:`reads_scores` also takes :obj:`terms`.
        """

    @torch.no_grad()
    def forward(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the uncertainty of each triple, higher for triples that are
        more likely out of distribution.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
            terms (SoftmaxTerms, optional): The shared
                :func:`~pyg_cagp.nn.scoring.softmax_terms` of the triples. If
                set to :obj:`None`, an estimator computes those that it needs.
                (default: :obj:`None`)
        """
        triples = self._ready(head_index, rel_type, tail_index)
        if triples[0].numel() == 0:
            return torch.empty(head_index.shape, device=head_index.device)
        options: Any = {"terms": terms} if self.reads_scores else {}
        uncertainty = self.uncertainty(*triples, **options)
        return uncertainty.to(head_index.device)

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
                graph; see :func:`~pyg_cagp.data.as_kg`. Estimators that train a
                model need the graph.
            protocol (str or Protocol, optional): The protocol that labels the
                validation triples of a graph, or its name; see
                :mod:`pyg_cagp.protocols`. (default: :obj:`"temporal-like"`)
            preset (str or TemporalLikeOOD, optional): The partition of a
                protocol given by name. (default: :obj:`"stated"`)
            seed (int, optional): The seed of a protocol given by name.
                (default: :obj:`0`)
        """
        if not isinstance(protocol, Protocol):
            check_choice("protocol", protocol, ProtocolName)
        if self.trained and not isinstance(data, LabelledTriples):
            self._train(as_kg(data))
            return self.accept_posterior()
        rule = protocol_of(protocol, preset=preset, seed=seed)
        if isinstance(data, LabelledTriples):
            self._check_split(data, rule)
            self._fit(lambda: _with_both_classes(data))
        else:
            kg = as_kg(data)
            coverage = Coverage._from_kg
            self._fit(
                lambda: _with_both_classes(rule._label(kg, "val", coverage(kg)))
            )
        return self.accept_posterior()

    def _check_split(self, split: LabelledTriples, rule: Protocol) -> None:
        if self.trained:
            raise InvalidInputError(
                f"'data' must be a graph for {self.__class__.__name__}, which "
                f"reads its training triples (got LabelledTriples)"
            )
        if rule not in (protocol_of("temporal-like"), split.protocol):
            raise InvalidInputError(
                f"'protocol', 'preset' and 'seed' must not be given with "
                f"LabelledTriples, which have {split.protocol!r} (got {rule!r})"
            )
        if split.split != "val":
            raise InvalidInputError(
                f"'data' must be validation triples (got split "
                f"'{split.split}'); label them by protocol.label(kg, 'val')"
            )

    # The next two are not abstract, since many estimators have nothing to fit.
    def _fit(self, labelled: Labelled) -> None:
        r"""Sets the fitted attributes, by default none."""

    def _train(self, kg: Data) -> None:
        r"""Trains the modules in :obj:`trained`, by default none."""

    # Checks ##################################################################

    def _ready(self, head: Tensor, rel: Tensor, tail: Tensor) -> Triples:
        r"""Checks state and ids, and returns triples on the device."""
        self.check_fitted()
        triples = check_triples(
            head, rel, tail, self.num_nodes, self.num_relations
        )
        if triples[0].device != self.device:
            head, rel, tail = (part.to(self.device) for part in triples)
            return head, rel, tail
        return triples


class ModelEstimator(UncertaintyEstimator):
    r"""A base class of estimators that read a model."""

    def __init__(self, model: Any, kind: type = object) -> None:
        check_type("model", model, kind)
        super().__init__(model.num_nodes, model.num_relations)
        self.model = model

    @property
    def device(self) -> torch.device:
        r"""The device of the model."""
        return scorer_device(self.model)

    def _made_of(self) -> list[Any]:
        return [self.model]


class CoverageEstimator(CoverageModule, UncertaintyEstimator):
    r"""A base class of estimators that read a coverage."""

    def __init__(self, coverage: Coverage) -> None:
        check_type("coverage", coverage, Coverage)
        super().__init__(coverage.num_nodes, coverage.num_relations)
        self.coverage = coverage

    @property
    def device(self) -> torch.device:
        r"""The device of the coverage."""
        return self.coverage.device

    def _made_of(self) -> list[Any]:
        return [self.coverage]


def _with_both_classes(val: LabelledTriples) -> LabelledTriples:
    check_both_classes(val.label, f"protocol '{val.protocol.name}'")
    return val
