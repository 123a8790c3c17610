r"""Methods that take long to train or to evaluate, each made for real."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmark.paper.artifacts import paper_config
from benchmark.paper.lookup import Lookup, Triples, all_triples
from benchmark.paper.setting import Setting
from pyg_cagp.evaluate.scoring import uncertainties
from pyg_cagp.nn.kge import UKGE, BEUrRE, GaussianKGEModel, SNGPModel
from pyg_cagp.uncertainty import Energy, ScoreUncertainty, UncertaintyEstimator
from pyg_cagp.uncertainty.baselines import (
    SNGP,
    BEUrREUncertainty,
    DeepEnsemble,
    GraphPosteriorNetwork,
    MCDropout,
    RelationConditionedVariance,
    UKGEUncertainty,
)
from pyg_cagp.uncertainty.features import Evidence

#: The model of ensembles and of dropout.
BASELINE = "gaussian-distmult"

#: The distance of ensembles' seeds, so that no two share a member.
STRIDE = 100


@dataclass(frozen=True)
class Budget:
    r"""The amount of training of a baseline.

    Args:
        changes (dict): Options that differ for models that only baselines use.
        triples (int): How many training triples a baseline that trains itself
            sees, repeats counted.
        members (int): The number of members of an ensemble.
    """

    changes: dict[str, Any]
    triples: int
    members: int

    def epochs(self, setting: Setting) -> int:
        r"""Returns the number of epochs on a graph."""
        return max(1, round(self.triples / int(setting.kg.train_mask.sum())))

    def model(
        self, setting: Setting, seed: int, **changes: Any
    ) -> GaussianKGEModel:
        r"""Returns a trained model that only a baseline uses."""
        changes = {**setting.changes, **self.changes, **changes}
        config = paper_config(setting.dataset, BASELINE, changes)
        train = setting.artifacts.model
        return train(setting.kg, config, seed, setting.dataset).model


def _ensemble(s: Setting, b: Budget) -> UncertaintyEstimator:
    first = STRIDE * (s.seed + 1)
    seeds = range(first, first + b.members)
    return DeepEnsemble([b.model(s, seed) for seed in seeds])


Maker = Callable[[Setting, Budget], UncertaintyEstimator | Evidence]

#: Baselines by their names in tables.
BASELINES: dict[str, Maker] = {
    "evidence": lambda s, b: Evidence(s.coverage, s.model),
    "probability": lambda s, b: ScoreUncertainty(s.model, kind="softmax"),
    "energy": lambda s, b: Energy(s.model),
    "relation variance": lambda s, b: RelationConditionedVariance(
        s.model, epochs=min(5, b.epochs(s)), seed=s.seed
    ),
    "mc dropout": lambda s, b: MCDropout(
        b.model(s, s.seed, **{"model.dropout": 0.2}), seed=s.seed
    ),
    "ensemble": _ensemble,
    "ukge": lambda s, b: UKGEUncertainty(
        UKGE(*s.sizes, seed=s.seed), epochs=b.epochs(s), seed=s.seed
    ),
    "beurre": lambda s, b: BEUrREUncertainty(
        BEUrRE(*s.sizes, seed=s.seed), epochs=b.epochs(s), seed=s.seed
    ),
    "sngp": lambda s, b: SNGP(
        SNGPModel(*s.sizes, seed=s.seed), epochs=b.epochs(s), seed=s.seed
    ),
    "gpn": lambda s, b: GraphPosteriorNetwork(
        s.model, epochs=10 * b.epochs(s), seed=s.seed
    ),
}

#: Further measures of a fitted baseline: the mean probability of its models, in
#: place of their disagreement.
MEASURES = {
    "mc dropout, mean": ("mc dropout", "mean"),
    "ensemble, mean": ("ensemble", "mean"),
    "sngp, mean": ("sngp", "probability"),
}

#: Slow methods that use the evaluated model alone.
OWN = ("evidence", "probability", "energy")

#: Methods that others proposed.
OTHERS = (*(name for name in BASELINES if name not in OWN), *MEASURES)


def fitted(setting: Setting, method: str, budget: Budget) -> Any:
    r"""Returns a baseline that is fitted to the graph."""
    estimator = BASELINES[method](setting, budget)
    if isinstance(estimator, UncertaintyEstimator):
        estimator.fit(setting.kg)
    return estimator


def all_scores(
    setting: Setting, method: str, estimator: Any
) -> Iterator[tuple[str, Tensor]]:
    r"""Yields the triples of all protocols, and their values by every measure
    of a fitted baseline.
    """
    triples = all_triples(setting.kg, setting.model, setting.seed)
    yield from zip(("head", "rel", "tail"), triples, strict=True)
    yield method, _values(method, estimator, triples)
    for name, (of, measure) in MEASURES.items():
        if of == method:
            other = copy.copy(estimator)
            other.measure = measure
            yield name, _values(name, other, triples)


def _values(
    name: str, estimator: Any, triples: Triples, batch_size: int = 2**15
) -> Tensor:
    if not isinstance(estimator, Evidence):
        return uncertainties(name, estimator, triples)
    parts = zip(*(part.split(batch_size) for part in triples), strict=True)
    return torch.cat([estimator(*part) for part in parts])


def lookup(setting: Setting, method: str, scores: dict[str, str]) -> Lookup:
    r"""Returns the stored scores of a baseline, by triple."""
    of, _ = MEASURES.get(method, (method, ""))
    key = [scores[of], setting.seed]
    tensors = setting.artifacts.tensors(setting.dataset, key)
    triples = tensors["head"], tensors["rel"], tensors["tail"]
    return Lookup(triples, tensors[method], *setting.sizes, method)
