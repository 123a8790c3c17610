r"""The protocols, and their registry by name.

Each protocol labels validation and test triples by the same rule. Thresholds
and calibrators are fitted on validation triples. Labels of validation triples
do not depend on test triples.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols.base import (
    Kinds,
    Protocol,
    ProtocolName,
    Split,
    Triples,
)
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.transforms.candidates import Candidates, draw_valid
from pyg_cagp.typing import PartitionName

#: The offset of the seed by which validation triples are corrupted.
VAL_SEED = 1_000_003

Partition: TypeAlias = PartitionName | TemporalLikeOOD


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

    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds:
        rows, train = triples(kg, split), kg.edge_index[:, kg.train_mask]
        return rows, self.rule._kinds(coverage, train, *rows)[0], KINDS


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

    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds:
        true = triples(kg, split)
        false = corrupted(kg, split, self.seed)
        return *_stack([true, false]), ("id", "corrupted")


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

    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds:
        (head, rel, tail), kind, _ = super()._kinds(kg, split, coverage)
        chosen = [kind == number for number in range(len(KINDS))]
        groups = [(head[rows], rel[rows], tail[rows]) for rows in chosen]
        groups.append(corrupted(kg, split, self.seed))
        return *_stack(groups), (*KINDS, "corrupted")


@dataclass(frozen=True)
class Timestamp(Protocol):
    r"""Later triples are OOD, in a graph that
    :class:`~pyg_cagp.transforms.TimestampOOD` split before training.
    """

    name = "timestamp"
    title = "later triples"
    needs = "ood_label"
    remedy = (
        "apply TimestampOOD to it before the model is trained, so that the "
        "model is not trained on the future"
    )

    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds:
        kind = kg.ood_label[kg[f"{split}_mask"]]
        return triples(kg, split), kind, ("id", "future")

    def _subsets(self, kg: Data, split: Split) -> dict[str, Tensor]:
        return {"without repeats": ~kg.is_repeat[kg[f"{split}_mask"]]}


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

    def _kinds(self, kg: Data, split: Split, coverage: Coverage) -> Kinds:
        empty = kg.edge_index[:, :0]
        # Some graphs have verified negatives for test only.
        head, tail = kg.get(f"{split}_neg_edge_index", empty)
        false = head, kg.get(f"{split}_neg_edge_type", empty[0]), tail
        return *_stack([triples(kg, split), false]), ("id", "false")


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
    value: str | Protocol, *, preset: Partition = "stated", seed: int = 0
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
    options: set[str] = set()
    if not isinstance(value, Protocol):
        check_choice("protocol", value, tuple(PROTOCOLS))
        options = {option.name for option in fields(PROTOCOLS[value])}
    if preset != "stated" and "partition" not in options:
        name = value.name if isinstance(value, Protocol) else value
        raise InvalidInputError(
            f"'preset' must not be given with protocol '{name}' (got "
            f"{preset!r}); pass TemporalLike or Comprehensive with this "
            f"partition"
        )
    if isinstance(value, Protocol):
        return value
    values: dict[str, Any] = {"partition": preset, "seed": seed}
    return PROTOCOLS[value](**{name: values[name] for name in options})


def corrupted(kg: Data, split: Split, seed: int) -> Triples:
    r"""Returns the triples of a split with random tails."""
    # Draws for validation do not depend on test triples: only triples of train
    # and validation are excluded. Each split has a separate seed.
    head, rel, tail = triples(kg)
    if split == "val":
        mask = kg.train_mask | kg.val_mask
        head, rel, tail = head[mask], rel[mask], tail[mask]
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


def _stack(groups: list[Triples]) -> tuple[Triples, Tensor]:
    sizes = torch.tensor([group[1].numel() for group in groups])
    kind = torch.repeat_interleave(torch.arange(len(groups)), sizes)
    head, rel, tail = map(torch.cat, zip(*groups, strict=True))
    return (head, rel, tail), kind.to(rel.device)
