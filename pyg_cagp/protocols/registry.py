r"""The protocols by name.

Each protocol labels validation and test triples by the same rule. Thresholds
and calibrators are fitted on validation triples, whose labels depend on no test
triple.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.data.kg import MASKS
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols.labelled import LabelledTriples
from pyg_cagp.transforms import CorruptTriples, TemporalLikeOOD

#: The offset of the seed by which validation triples are corrupted.
VAL_SEED = 1_000_003

_Triples = tuple[Tensor, Tensor, Tensor]


def _temporal_like(
    kg: Data, split: str, partition: TemporalLikeOOD, seed: int
) -> LabelledTriples:
    data = partition(kg)
    kind = data.ood_type[data[f"{split}_mask"]]
    return LabelledTriples(*_split(data, split), kind, KINDS)


def _standard(
    kg: Data, split: str, partition: TemporalLikeOOD, seed: int
) -> LabelledTriples:
    groups = [_split(kg, split), _corrupted(kg, split, seed)]
    return _stack(groups, ("id", "corrupted"))


def _comprehensive(
    kg: Data, split: str, partition: TemporalLikeOOD, seed: int
) -> LabelledTriples:
    true = _temporal_like(kg, split, partition, seed)
    groups = [
        (true.head[chosen], true.rel[chosen], true.tail[chosen])
        for chosen in (true.kind == number for number in range(3))
    ]
    groups.append(_corrupted(kg, split, seed))
    return _stack(groups, (*KINDS, "corrupted"))


def _timestamp(
    kg: Data, split: str, partition: TemporalLikeOOD, seed: int
) -> LabelledTriples:
    mask = kg[f"{split}_mask"]
    return LabelledTriples(
        *_split(kg, split),
        kg.ood_label[mask],
        ("id", "future"),
        {"without repeats": ~kg.is_repeat[mask]},
    )


def _verified_negatives(
    kg: Data, split: str, partition: TemporalLikeOOD, seed: int
) -> LabelledTriples:
    none = kg.edge_index[:, :0]
    # Some graphs have verified negatives for test only.
    head, tail = kg.get(f"{split}_neg_edge_index", none)
    false = head, kg.get(f"{split}_neg_edge_type", none[0]), tail
    return _stack([_split(kg, split), false], ("id", "false"))


class Protocol(NamedTuple):
    r"""A protocol.

    Args:
        label (callable): Labels the triples of a split, given the graph, the
            name of the split, the partition and the seed.
        title (str): What is OOD, for a heading.
        needs (str, optional): The attribute that the graph must have.
            (default: :obj:`None`)
        remedy (str, optional): What to do about a graph without it.
            (default: :obj:`""`)
    """

    label: Callable[[Data, str, TemporalLikeOOD, int], LabelledTriples]
    title: str
    needs: str | None = None
    remedy: str = ""

    def applies_to(self, kg: Data) -> bool:
        r"""Returns whether a graph has the attribute that is needed."""
        return self.needs is None or self.needs in kg


#: The protocols by name.
PROTOCOLS: dict[str, Protocol] = {
    "temporal-like": Protocol(
        _temporal_like, "emerging entities and novel contexts"
    ),
    "standard": Protocol(_standard, "random tails"),
    "comprehensive": Protocol(_comprehensive, "all kinds at once"),
    "timestamp": Protocol(
        _timestamp,
        "what happened later",
        "ood_label",
        "apply TimestampOOD to it before the model is trained, which must not "
        "have seen the future",
    ),
    "verified-negatives": Protocol(
        _verified_negatives,
        "triples found to be false",
        "test_neg_edge_index",
        "of the datasets here, 'codex-s', 'codex-m' and 'synthetic' have "
        "verified negatives",
    ),
}


def labelled_triples(
    kg: Data,
    protocol: str = "temporal-like",
    split: str = "test",
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> LabelledTriples:
    r"""Returns the triples of a split, labelled by a protocol.

    Args:
        kg (Data): The graph, in the one graph form.
        protocol (str, optional): What is OOD:

            * :obj:`"temporal-like"`: emerging entities and novel contexts; see
              :class:`~pyg_cagp.transforms.TemporalLikeOOD`,
            * :obj:`"standard"`: triples with a random tail; see
              :class:`~pyg_cagp.transforms.CorruptTriples`,
            * :obj:`"comprehensive"`: both of these,
            * :obj:`"timestamp"`: later triples, of a graph that was split by
              :class:`~pyg_cagp.transforms.TimestampOOD` before training,
            * :obj:`"verified-negatives"`: triples that people found to be
              false, as in CoDEx.

            (default: :obj:`"temporal-like"`)
        split (str, optional): :obj:`"val"` or :obj:`"test"`.
            (default: :obj:`"test"`)
        preset (str or TemporalLikeOOD, optional): The partition into ID
            triples, emerging entities and novel contexts, or its name; see
            :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
            (default: :obj:`"stated"`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> labelled_triples(load("synthetic"), "verified-negatives").kinds
        ('id', 'false')
    """
    check_choice("protocol", protocol, tuple(PROTOCOLS))
    check_choice("split", split, ("val", "test"))
    chosen = PROTOCOLS[protocol]
    if not chosen.applies_to(kg):
        raise InvalidInputError(
            f"'kg' has no '{chosen.needs}'; {chosen.remedy}"
        )
    if not isinstance(preset, TemporalLikeOOD):
        preset = TemporalLikeOOD.preset(preset)  # type: ignore[arg-type]
    return chosen.label(kg, split, preset, seed)


def _split(kg: Data, split: str) -> _Triples:
    mask = kg[f"{split}_mask"]
    head, tail = kg.edge_index[:, mask]
    return head, kg.edge_type[mask], tail


def _corrupted(kg: Data, split: str, seed: int) -> _Triples:
    # Test triples must not show in validation, not even by what is not drawn.
    # Each split has its own draws.
    seen = ~kg.test_mask if split == "val" else torch.ones_like(kg.test_mask)
    masks = {name: torch.zeros_like(kg.test_mask)[seen] for name in MASKS}
    graph = Data(
        edge_index=kg.edge_index[:, seen],
        edge_type=kg.edge_type[seen],
        num_nodes=kg.num_nodes,
        num_relations=kg.num_relations,
        **{**masks, f"{split}_mask": kg[f"{split}_mask"][seen]},
    )
    offset = VAL_SEED if split == "val" else 0
    data = CorruptTriples("tail", seed=seed + offset)(graph)
    head, tail = data.corrupt_edge_index
    return head, data.corrupt_edge_type, tail


def _stack(groups: list[_Triples], kinds: tuple[str, ...]) -> LabelledTriples:
    sizes = torch.tensor([group[1].numel() for group in groups])
    kind = torch.repeat_interleave(torch.arange(len(groups)), sizes)
    head, rel, tail = map(torch.cat, zip(*groups, strict=True))
    return LabelledTriples(head, rel, tail, kind.to(rel.device), kinds)
