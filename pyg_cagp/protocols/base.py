r"""The common part of all protocols."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, get_args

from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols.labelled import LabelledTriples, Split
from pyg_cagp.typing import ProtocolName

Triples = tuple[Tensor, Tensor, Tensor]

#: Triples, the kind of each, and the names of kinds.
Kinds = tuple[Triples, Tensor, tuple[str, ...]]


@dataclass(frozen=True)
class Protocol(ABC):
    r"""A base class of protocols, which are values: :meth:`label` labels the
    triples of a split of any graph.
    """

    #: The name, for files and the command line.
    name: ClassVar[ProtocolName]
    #: The OOD triples, for a heading.
    title: ClassVar[str]
    #: The attribute that a graph must have.
    needs: ClassVar[str | None] = None
    #: What to do about a graph without it.
    remedy: ClassVar[str] = ""

    @classmethod
    def applies_to(cls, kg: Data) -> bool:
        r"""Returns whether a graph has the attribute that is needed."""
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
