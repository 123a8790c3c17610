r"""Which triples are judged, and which of them are out of distribution.

Each protocol gives triples of a split with a label, by the same rule for
validation, where thresholds and calibrators are fitted, and for test. Nothing
of test decides what validation triples and their labels are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data.kg import MASKS
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms.corrupt import CorruptTriples
from pyg_cagp.transforms.temporal_like import TemporalLikeOOD

#: What is added to the seed where validation triples are corrupted.
VAL_SEED = 1_000_003


@dataclass(frozen=True)
class JudgedTriples:
    r"""Triples with what is to be found out about them.

    Args:
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.
        kind (torch.Tensor): 0 for ID, and one number for each kind of OOD.
        kinds (tuple): The names of these numbers, from 0 on.
        subsets (dict, optional): Further masks that are worth a row of their
            own.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    kind: Tensor
    kinds: tuple[str, ...]
    subsets: dict[str, Tensor] = field(default_factory=dict)

    @property
    def label(self) -> Tensor:
        r"""1 for OOD, 0 for ID."""
        return (self.kind > 0).long()

    def rows(self) -> dict[str, Tensor]:
        r"""Returns the masks of what is reported: all triples, then each kind
        of OOD against ID, then subsets.
        """
        masks = {"overall": torch.ones_like(self.kind, dtype=torch.bool)}
        if len(self.kinds) > 2:
            for number, name in enumerate(self.kinds[1:], start=1):
                masks[name] = (self.kind == 0) | (self.kind == number)
        return {**masks, **self.subsets}

    def counts(self) -> dict[str, int]:
        r"""Returns how many triples of each kind there are."""
        return {
            name: int((self.kind == number).sum())
            for number, name in enumerate(self.kinds)
        }


def temporal_like(
    kg: Data,
    split: str,
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""Emerging entities and novel contexts against the rest; see
    :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
    """
    if not isinstance(preset, TemporalLikeOOD):
        preset = TemporalLikeOOD.preset(preset)
    data = preset(kg)
    mask = data[f"{split}_mask"]
    head, tail = data.edge_index[:, mask]
    return JudgedTriples(
        head,
        data.edge_type[mask],
        tail,
        data.ood_type[mask],
        ("id", "emerging", "novel"),
    )


def standard(
    kg: Data,
    split: str,
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""Triples with a random tail against true ones; see
    :class:`~pyg_cagp.transforms.CorruptTriples`.
    """
    true, corrupted = _true_and_corrupted(kg, split, seed)
    return _stack([true, corrupted], ("id", "corrupted"))


def comprehensive(
    kg: Data,
    split: str,
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""Emerging entities, novel contexts and random tails, all at once, against
    the rest.
    """
    known = temporal_like(kg, split, preset)
    _, corrupted = _true_and_corrupted(kg, split, seed)
    groups = [
        (known.head[chosen], known.rel[chosen], known.tail[chosen])
        for chosen in (known.kind == number for number in range(3))
    ]
    return _stack([*groups, corrupted], (*known.kinds, "corrupted"))


def timestamp(
    kg: Data,
    split: str,
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""What happened later against what was held out of the past; see
    :class:`~pyg_cagp.transforms.TimestampOOD`, which has to have been applied
    before training.
    """
    if "ood_label" not in kg:
        raise InvalidInputError(
            "'kg' has no 'ood_label'; apply TimestampOOD to it before the "
            "model is trained, which must not have seen the future"
        )
    mask = kg[f"{split}_mask"]
    head, tail = kg.edge_index[:, mask]
    fresh = ~kg.is_repeat[mask]
    return JudgedTriples(
        head,
        kg.edge_type[mask],
        tail,
        kg.ood_label[mask],
        ("id", "future"),
        {"without repeats": fresh},
    )


def verified_negatives(
    kg: Data,
    split: str,
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""Triples that people have found to be false against true ones, as CoDEx
    has them.
    """
    if "test_neg_edge_index" not in kg:
        raise InvalidInputError(
            "'kg' has no 'test_neg_edge_index'; of the datasets here, "
            "'codex-s', 'codex-m' and 'synthetic' have verified negatives"
        )
    none = kg.edge_index[:, :0]
    # Where validation has none, nothing can be chosen on it.
    head, tail = kg.get(f"{split}_neg_edge_index", none)
    false = head, kg.get(f"{split}_neg_edge_type", none[0]), tail
    return _stack([_split(kg, split), false], ("id", "false"))


#: The protocols by their names.
PROTOCOLS: dict[str, Callable[..., JudgedTriples]] = {
    "temporal-like": temporal_like,
    "standard": standard,
    "comprehensive": comprehensive,
    "timestamp": timestamp,
    "verified-negatives": verified_negatives,
}


def judged_triples(
    kg: Data,
    protocol: str = "temporal-like",
    split: str = "test",
    preset: str | TemporalLikeOOD = "stated",
    seed: int = 0,
) -> JudgedTriples:
    r"""Returns the triples that a protocol judges, with their labels.

    Args:
        kg (Data): The graph, in the one graph form.
        protocol (str, optional): :obj:`"temporal-like"`, :obj:`"standard"`,
            :obj:`"comprehensive"`, :obj:`"timestamp"` or
            :obj:`"verified-negatives"`. (default: :obj:`"temporal-like"`)
        split (str, optional): :obj:`"val"` or :obj:`"test"`.
            (default: :obj:`"test"`)
        preset (str or TemporalLikeOOD, optional): The partition that tells
            emerging entities and novel contexts, or its name; see
            :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
            (default: :obj:`"stated"`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> judged_triples(load("synthetic"), "verified-negatives").kinds
        ('id', 'false')
    """
    check_choice("protocol", protocol, tuple(PROTOCOLS))
    check_choice("split", split, ("val", "test"))
    return PROTOCOLS[protocol](kg, split, preset=preset, seed=seed)


_Triples = tuple[Tensor, Tensor, Tensor]


def _split(kg: Data, split: str) -> _Triples:
    mask = kg[f"{split}_mask"]
    head, tail = kg.edge_index[:, mask]
    return head, kg.edge_type[mask], tail


def _true_and_corrupted(
    kg: Data, split: str, seed: int
) -> tuple[_Triples, _Triples]:
    # Test triples must not show in validation, not even by what is not drawn.
    # Each split has draws of its own.
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
    return _split(kg, split), (head, data.corrupt_edge_type, tail)


def _stack(groups: list[_Triples], kinds: tuple[str, ...]) -> JudgedTriples:
    sizes = torch.tensor([group[1].numel() for group in groups])
    kind = torch.repeat_interleave(torch.arange(len(groups)), sizes)
    head, rel, tail = map(torch.cat, zip(*groups, strict=True))
    return JudgedTriples(head, rel, tail, kind.to(rel.device), kinds)
