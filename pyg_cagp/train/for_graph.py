r"""The rules by which a config is chosen for a graph without a shipped one."""

import math
import os
from typing import Any, NamedTuple

import torch
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data import triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train.build import MODELS
from pyg_cagp.train.config import Config
from pyg_cagp.typing import ModelName

#: A table of values: each holds below its limit.
Steps = tuple[tuple[float, Any], ...]

#: The channels by number of entities. Complex channels are two numbers each,
#: so that both models have about the sizes of "You CAN Teach an Old Dog New
#: Tricks!". Wider models of large graphs take too long on a CPU.
CHANNELS: dict[str, Steps] = {
    "gaussian-distmult": ((20_001, 256), (math.inf, 128)),
    "gaussian-complex": ((math.inf, 200),),
}

#: The largest number of entities for a softmax over all of them. Larger graphs
#: take the sampled softmax of the config of YAGO3-10, with twice its negatives.
FULL_SOFTMAX = 50_000
SAMPLED = {"name": "sampled-softmax", "num_negatives": 2048}
SAMPLED_BATCH = 2048

#: The queries of a batch by number of entities, by validation MRR of training
#: runs. A larger batch of a large graph takes fewer passes over its entities.
BATCH: Steps = ((10_001, 256), (math.inf, 512))

#: The epochs by number of training triples: a limit, since training ends when
#: the validation MRR no longer rises.
EPOCHS: Steps = ((50_000, 100), (500_000, 50), (math.inf, 30))

#: The weight of the N3 penalty by training triples per entity: entities with
#: few triples overfit. WN18RR has 2, ICEWS14 6 without repeats, CoDEx-S 16 and
#: FB15k-237 19. The last value had the best validation MRR on CoDEx-S (among 0,
#: 0.003 and 0.01). The others are those of the paper that introduced N3, for
#: WN18RR and FB15k-237; they were not tuned here.
N3: Steps = ((8, 0.1), (15, 0.05), (math.inf, 0.003))

#: Chosen on CoDEx-S by validation MRR. Of the ways of training, the bound
#: without draws ranked best, and its validation log loss was lower than that of
#: points with N3.
MODEL = {
    "prior_variance": 0.1,
    "kl_weight": 0.1,
    "noise": "none",
    "reciprocal": True,
}

#: Adagrad takes smaller steps for frequent entities; 0.1 is the rate of
#: "Canonical Tensor Decomposition for Knowledge Base Completion".
TRAIN = {"optimizer": "adagrad", "lr": 0.1, "schedule": "constant"}

#: Validation passes in all epochs, and those without a better MRR at the end.
PASSES, PATIENCE = 10, 3

#: The candidates of the posterior's curvature with a sampled softmax, as in the
#: config of YAGO3-10.
POSTERIOR = {"num_negatives": 1024}

#: Tensors of the size of the entities' means: means, variances, their
#: gradients, sums of squares, best values, draws, noise and a posterior.
COPIES = 12

#: Channels are halved down to this number while memory or time is short.
LEAST_CHANNELS = 32

#: The most floating-point operations of training: about six hours at 50 billion
#: a second, the speed of two cores.
MAX_OPERATIONS = 1e15

#: The share of the memory that training may take, and the memory in bytes where
#: the system does not state it.
MEMORY_SHARE, UNKNOWN_MEMORY = 0.5, 2**32


class GraphSize(NamedTuple):
    r"""The numbers of entities, of distinct training triples and of distinct
    queries of both sides.
    """

    entities: int
    triples: int
    queries: int

    @property
    def density(self) -> float:
        r"""The number of triples per entity."""
        return self.triples / self.entities


def measure(kg: Data) -> GraphSize:
    r"""Returns the sizes of a graph that the rules read."""
    head, rel, tail = triples(kg, "train")
    if rel.numel() == 0:
        raise InvalidInputError("'kg' has no training triples")
    if kg.num_nodes < 2:
        raise InvalidInputError(
            f"'kg' must have at least 2 entities, so that an answer can be "
            f"ranked among others (got {kg.num_nodes})"
        )
    # A triple of a dated graph may be repeated; it is counted once.
    distinct = torch.stack([head, rel, tail]).unique(dim=1)
    queries = (distinct[[0, 1]], distinct[[2, 1]])
    count = sum(pairs.unique(dim=1).size(1) for pairs in queries)
    return GraphSize(kg.num_nodes, distinct.size(1), count)


def choose_sections(
    kg: Data, model: ModelName, memory: int | None
) -> tuple[dict[str, Any], str]:
    r"""Returns the sections of a config, and the reason for them."""
    if memory is None:
        memory = free_memory()
    check_least("memory", memory, 1)
    size = measure(kg)
    # Models without rules take their shipped config of FB15k-237.
    if model in CHANNELS:
        sections = _by_rules(size, model)
    else:
        sections = Config.find("fb15k-237", model).to_dict()
    first = sections["model"]["hidden_channels"]
    short = _shrink(sections, size, MEMORY_SHARE * memory)
    channels, train = sections["model"]["hidden_channels"], sections["train"]
    objective = sections["objective"]
    full = objective["name"] == "kvsall"
    loss = "full softmax" if full else objective["name"]
    if "num_negatives" in objective:
        loss += f" of {objective['num_negatives']:,} negatives"
    reason = (
        f"chosen by size ({size.entities:,} entities, {size.density:.1f} "
        f"training triples per entity): {model} with {channels} channels"
    )
    if channels < first:
        reason += f" (not {first}, for lack of {' and '.join(short)})"
    reason += f", {loss}, {train['epochs']} epochs, lr {train['lr']:g}"
    n3 = sections["model"].get("n3")
    return sections, reason if n3 is None else f"{reason}, n3 {n3:g}"


def free_memory() -> int:
    r"""Returns the memory that the machine has free, in bytes."""
    try:
        free, every, size = (
            os.sysconf(f"SC_{name}")
            for name in ("AVPHYS_PAGES", "PHYS_PAGES", "PAGE_SIZE")
        )
    except (AttributeError, OSError, ValueError):
        return UNKNOWN_MEMORY
    # Pages of cached files are not free, but the system gives them up.
    return max(free, every // 2) * size


def _by_rules(size: GraphSize, model: ModelName) -> dict[str, Any]:
    epochs = _value(EPOCHS, size.triples)
    full = size.entities <= FULL_SOFTMAX
    options = {
        "name": model,
        "hidden_channels": _value(CHANNELS[model], size.entities),
        **MODEL,
        "n3": _value(N3, size.density),
    }
    train = {
        "epochs": epochs,
        "batch_size": _value(BATCH, size.entities),
        **TRAIN,
        "eval_every": max(1, epochs // PASSES),
        "patience": PATIENCE,
    }
    sections = {
        "model": options,
        "objective": {"name": "kvsall"},
        "train": train,
        "posterior": {},
    }
    if not full:
        _sample(sections)
    return sections


def _value(steps: Steps, size: float) -> Any:
    return next(value for limit, value in steps if size < limit)


def _sample(sections: dict[str, Any]) -> None:
    r"""Replaces the full softmax by a sampled one."""
    sections["objective"] = dict(SAMPLED)
    sections["model"]["sparse"] = True
    sections["train"]["batch_size"] = SAMPLED_BATCH
    sections["posterior"] = dict(POSTERIOR)


def _shrink(
    sections: dict[str, Any], size: GraphSize, memory: float
) -> list[str]:
    r"""Reduces a config until memory and time suffice, and returns which of
    them reduced the channels.
    """
    model, short = sections["model"], []
    full = sections["objective"]["name"] == "kvsall"
    if full and _score_bytes(sections, size) > memory / 2:
        _sample(sections)
    for limit, cost, name in (
        (memory, _bytes, "memory"),
        (MAX_OPERATIONS, _operations, "time"),
    ):
        while cost(sections, size) > limit:
            if model["hidden_channels"] < 2 * LEAST_CHANNELS:
                break
            model["hidden_channels"] //= 2
            short.append(name)
    return list(dict.fromkeys(short))


def _numbers(sections: dict[str, Any]) -> int:
    r"""Returns the numbers of an entity's mean."""
    model = sections["model"]
    return MODELS[model["name"]].node_width * model["hidden_channels"]


def _candidates(sections: dict[str, Any], size: GraphSize) -> int:
    if sections["objective"]["name"] == "kvsall":
        return size.entities
    return sections["objective"].get("num_negatives", 1)


def _score_bytes(sections: dict[str, Any], size: GraphSize) -> float:
    r"""Returns the memory of the scores of a batch and of their gradient."""
    pairs = sections["train"]["batch_size"] * _candidates(sections, size)
    return 2 * 4.0 * pairs


def _bytes(sections: dict[str, Any], size: GraphSize) -> float:
    r"""Returns about the memory of training, in bytes."""
    weights = 4.0 * COPIES * size.entities * _numbers(sections)
    return weights + _score_bytes(sections, size)


def _operations(sections: dict[str, Any], size: GraphSize) -> float:
    r"""Returns about the floating-point operations of training: a product and
    a sum, forward once and backward twice.
    """
    full = sections["objective"]["name"] == "kvsall"
    queries = size.queries if full else 2 * size.triples
    pairs = queries * _candidates(sections, size)
    return 6.0 * sections["train"]["epochs"] * pairs * _numbers(sections)
