r"""The base class of protocols, and labelled triples."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias, get_args

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import HeldOut, ProtocolName

Split: TypeAlias = HeldOut
Triples = tuple[Tensor, Tensor, Tensor]

#: Triples, the kind of each, and the names of kinds.
Kinds = tuple[Triples, Tensor, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class LabelledTriples:
    r"""The triples of a split, with the label that a protocol gives to each.

    Args:
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.
        kind (torch.Tensor): 0 for ID, and one number for each kind of OOD.
        kinds (tuple): The names of these numbers, from 0 on.
        coverage (Coverage): The coverage of the training triples.
        protocol (Protocol): The protocol.
        split (str): :obj:`"val"` or :obj:`"test"`.
        subsets (dict, optional): Further masks to report on.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    kind: Tensor
    kinds: tuple[str, ...]
    coverage: Coverage
    protocol: "Protocol"
    split: Split
    subsets: dict[str, Tensor] = field(default_factory=dict)

    @property
    def triples(self) -> tuple[Tensor, Tensor, Tensor]:
        r"""Heads, relations and tails, in the order of model arguments."""
        return self.head, self.rel, self.tail

    @property
    def label(self) -> Tensor:
        r"""1 for OOD, 0 for ID."""
        return (self.kind > 0).long()

    def rows(self) -> dict[str, Tensor]:
        r"""Returns the masks to report on: all triples, then each kind of OOD
        against ID, then subsets.
        """
        masks = {"overall": torch.ones_like(self.kind, dtype=torch.bool)}
        if len(self.kinds) > 2:
            for number, name in enumerate(self.kinds[1:], start=1):
                masks[name] = (self.kind == 0) | (self.kind == number)
        return {**masks, **self.subsets}

    def counts(self) -> dict[str, int]:
        r"""Returns the number of triples of each kind."""
        sizes = torch.bincount(self.kind, minlength=len(self.kinds)).tolist()
        return dict(zip(self.kinds, sizes, strict=True))

    def __repr__(self) -> str:
        counts = ", ".join(f"{k}={n}" for k, n in self.counts().items())
        return (
            f"{self.__class__.__name__}({self.split!r}, {counts}, "
            f"protocol={self.protocol!r})"
        )


@dataclass(frozen=True)
class Protocol(ABC):
    r"""A base class of protocols. A protocol is a value; :meth:`label` labels
    the triples of a split of a graph.
    """

    #: The name, for files and the command line.
    name: ClassVar[ProtocolName]
    #: The OOD triples, for a heading.
    title: ClassVar[str]
    #: The attribute that a graph must have.
    needs: ClassVar[str | None] = None
    #: The remedy for a graph without it.
    remedy: ClassVar[str] = ""

    @classmethod
    def applies_to(cls, kg: Data) -> bool:
        r"""Returns whether a graph has the attribute of :obj:`needs`."""
        return cls.needs is None or cls.needs in kg

    def label(self, kg: Data, split: Split) -> LabelledTriples:
        r"""Returns the triples of a split with their labels.

        Args:
            kg (Data): The graph, or anything else that
                :func:`~pyg_cagp.data.as_kg` takes.
            split (str): :obj:`"val"` or :obj:`"test"`.
        """
        kg = as_kg(kg)
        return self._label(kg, split, Coverage._from_kg(kg))

    def _label(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        r"""Labels a graph that was checked, given its coverage."""
        check_choice("split", split, get_args(Split))
        if not self.applies_to(kg):
            raise InvalidInputError(
                f"'kg' has no '{self.needs}'; {self.remedy}"
            )
        rows, kind, kinds = self._kinds(kg, split, coverage)
        subsets = self._subsets(kg, split)
        return LabelledTriples(
            *rows, kind, kinds, coverage, self, split, subsets
        )

    @abstractmethod
    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds: ...

    def _subsets(self, kg: Data, split: Split) -> dict[str, Tensor]:
        return {}
