r"""The protocols as values.

Each protocol labels validation and test triples by the same rule. Thresholds
and calibrators are fitted on validation triples, whose labels depend on no test
triple.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, TypeAlias, get_args

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.data import TripleIndex, as_kg, triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols.labelled import LabelledTriples
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.transforms.candidates import Candidates, draw_valid
from pyg_cagp.typing import HeldOut, PartitionName, ProtocolName

#: The offset of the seed by which validation triples are corrupted.
VAL_SEED = 1_000_003

Split: TypeAlias = HeldOut
Partition: TypeAlias = PartitionName | TemporalLikeOOD

_Triples = tuple[Tensor, Tensor, Tensor]


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
        return self._labelled(kg, split, coverage)

    @abstractmethod
    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples: ...

    def _stack(
        self,
        groups: list[_Triples],
        kinds: tuple[str, ...],
        coverage: Coverage,
        split: Split,
    ) -> LabelledTriples:
        sizes = torch.tensor([group[1].numel() for group in groups])
        kind = torch.repeat_interleave(torch.arange(len(groups)), sizes)
        head, rel, tail = map(torch.cat, zip(*groups, strict=True))
        kind = kind.to(rel.device)
        return LabelledTriples(
            head, rel, tail, kind, kinds, coverage, self, split
        )


@dataclass(frozen=True)
class TemporalLike(Protocol):
    r"""Emerging entities and novel contexts are OOD.

    Args:
        partition (str or TemporalLikeOOD, optional): The partition into ID
            triples, emerging entities and novel contexts, or its name; see
            :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
            (default: :obj:`"stated"`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> TemporalLike("table2").label(load("synthetic"), "val").kinds
        ('id', 'emerging', 'novel')
    """

    name: ClassVar[ProtocolName] = "temporal-like"
    title = "emerging entities and novel contexts"

    partition: Partition = "stated"

    def __post_init__(self) -> None:
        if self.rule.reference is not None:
            raise InvalidInputError(
                "'partition' must have no 'reference': its reference is the "
                "graph that is labelled"
            )

    @property
    def rule(self) -> TemporalLikeOOD:
        r"""The partition as a transform."""
        if isinstance(self.partition, TemporalLikeOOD):
            return self.partition
        return TemporalLikeOOD.preset(self.partition)

    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        head, rel, tail = triples(kg, split)
        edges = kg.edge_index[:, kg.train_mask]
        kind, _ = self.rule._kinds(coverage, edges, head, rel, tail)
        return LabelledTriples(
            head, rel, tail, kind, KINDS, coverage, self, split
        )


@dataclass(frozen=True)
class Standard(Protocol):
    r"""Triples with a random tail are OOD; see
    :class:`~pyg_cagp.transforms.CorruptTriples`.

    Args:
        seed (int, optional): The seed of corruption. (default: :obj:`0`)
    """

    name = "standard"
    title = "random tails"

    seed: int = 0

    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        groups = [triples(kg, split), corrupted(kg, split, self.seed)]
        return self._stack(groups, ("id", "corrupted"), coverage, split)


@dataclass(frozen=True)
class Comprehensive(TemporalLike):
    r"""Emerging entities, novel contexts and triples with a random tail are
    OOD.

    Args:
        partition (str or TemporalLikeOOD, optional): The partition; see
            :class:`TemporalLike`. (default: :obj:`"stated"`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)
    """

    name = "comprehensive"
    title = "all kinds at once"

    seed: int = 0

    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        true = super()._labelled(kg, split, coverage)
        groups = [
            (true.head[chosen], true.rel[chosen], true.tail[chosen])
            for chosen in (true.kind == number for number in range(3))
        ]
        groups.append(corrupted(kg, split, self.seed))
        return self._stack(groups, (*KINDS, "corrupted"), coverage, split)


@dataclass(frozen=True)
class Timestamp(Protocol):
    r"""Later triples are OOD, in a graph that
    :class:`~pyg_cagp.transforms.TimestampOOD` split before training.
    """

    name = "timestamp"
    title = "later triples"
    needs = "ood_label"
    remedy = (
        "apply TimestampOOD to it before the model is trained, which must not "
        "have seen the future"
    )

    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        mask = kg[f"{split}_mask"]
        return LabelledTriples(
            *triples(kg, split),
            kg.ood_label[mask],
            ("id", "future"),
            coverage,
            self,
            split,
            {"without repeats": ~kg.is_repeat[mask]},
        )


@dataclass(frozen=True)
class VerifiedNegatives(Protocol):
    r"""Triples that people verified to be false are OOD, as in CoDEx."""

    name = "verified-negatives"
    title = "triples verified to be false"
    needs = "test_neg_edge_index"
    remedy = (
        "of the datasets here, 'codex-s', 'codex-m' and 'synthetic' have "
        "verified negatives"
    )

    def _labelled(
        self, kg: Data, split: Split, coverage: Coverage
    ) -> LabelledTriples:
        none = kg.edge_index[:, :0]
        # Some graphs have verified negatives for test only.
        head, tail = kg.get(f"{split}_neg_edge_index", none)
        false = head, kg.get(f"{split}_neg_edge_type", none[0]), tail
        groups = [triples(kg, split), false]
        return self._stack(groups, ("id", "false"), coverage, split)


#: The protocols by name.
PROTOCOLS: dict[str, type[Protocol]] = {
    cls.name: cls
    for cls in (
        TemporalLike,
        Standard,
        Comprehensive,
        Timestamp,
        VerifiedNegatives,
    )
}


def protocol(
    value: str | Protocol,
    *,
    preset: Partition = "stated",
    seed: int = 0,
) -> Protocol:
    r"""Returns a protocol by its name; a protocol is returned as it is.

    Args:
        value (str or Protocol): The name, or the protocol.
        preset (str or TemporalLikeOOD, optional): The partition of a protocol
            that has one. (default: :obj:`"stated"`)
        seed (int, optional): The seed of a protocol that corrupts triples.
            (default: :obj:`0`)

    Example:
        >>> protocol("temporal-like", preset="table2")
        TemporalLike(partition='table2')
    """
    given = {"partition": preset, "seed": seed}
    if isinstance(value, Protocol):
        options = {}
    else:
        check_choice("protocol", value, tuple(PROTOCOLS))
        names = {field.name for field in fields(PROTOCOLS[value])}
        options = {k: v for k, v in given.items() if k in names}
    if preset != "stated" and "partition" not in options:
        name = value.name if isinstance(value, Protocol) else value
        raise InvalidInputError(
            f"'preset' must not be given with protocol '{name}' (got "
            f"{preset!r}); pass TemporalLike or Comprehensive with this "
            f"partition"
        )
    if isinstance(value, Protocol):
        return value
    return PROTOCOLS[value](**options)


def corrupted(kg: Data, split: Split, seed: int) -> _Triples:
    r"""Returns the triples of a split with random tails that make them false.

    Args:
        kg (Data): The graph, in the one graph form.
        split (str): :obj:`"val"` or :obj:`"test"`.
        seed (int): The seed.
    """
    # Test triples must not show in validation, not even by what is not drawn.
    # Each split has its own draws.
    head, rel, tail = triples(kg)
    if split == "val":
        seen = ~kg.test_mask
        head, rel, tail = head[seen], rel[seen], tail[seen]
    known = TripleIndex(head, rel, tail, kg.num_nodes, kg.num_relations)
    offset = VAL_SEED if split == "val" else 0
    generator = torch.Generator().manual_seed(seed + offset)
    head, rel, tail = triples(kg, split)
    if rel.numel() == 0:
        return head, rel, tail
    drawn, done = draw_valid(
        Candidates(2, kg), (head, rel, tail), known, generator
    )
    return head[done], rel[done], drawn[done]
