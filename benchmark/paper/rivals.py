r"""Estimators that take long to train or to ask, each made for real."""

import copy
from collections.abc import Callable
from typing import Any

from torch_geometric.data import Data

from benchmark.paper.workshop import Workshop
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import UKGE, BEUrRE, GaussianKGEModel, SNGPModel
from pyg_cagp.uncertainty import (
    SNGP,
    BEUrREUncertainty,
    DeepEnsemble,
    Energy,
    GraphPosteriorNetwork,
    MCDropout,
    RelationConditionedVariance,
    ScoreUncertainty,
    UKGEUncertainty,
    UncertaintyEstimator,
)
from pyg_cagp.uncertainty.features import Evidence

#: The model of ensembles and of dropout.
RIVAL = "gaussian-distmult"

#: Seeds of members are so far apart that no two ensembles share one.
STRIDE = 100


class Bench:
    r"""What a rival is made of.

    Args:
        workshop (Workshop): Where models come from.
        dataset (str): The graph.
        backbone (str): The model that is judged.
        seed (int): The seed.
        changes (dict): What is changed in its config.
        rival (dict): What is changed in the config of models that only a rival
            uses.
        triples (int): How many training triples a rival that trains itself
            sees, which decides the number of its epochs.
        members (int): The number of members of an ensemble.
    """

    def __init__(
        self,
        workshop: Workshop,
        dataset: str,
        backbone: str,
        seed: int,
        changes: dict[str, Any],
        rival: dict[str, Any],
        triples: int,
        members: int,
    ) -> None:
        self.workshop = workshop
        self.dataset = dataset
        self.backbone = backbone
        self.seed = seed
        self.changes = changes
        self.rival = rival
        self.triples = triples
        self.members = members

    @property
    def kg(self) -> Data:
        r"""The graph."""
        return self.workshop.kg(self.dataset)

    @property
    def model(self) -> GaussianKGEModel:
        r"""The model that is judged."""
        run = self.workshop.model(
            self.dataset, self.backbone, self.seed, self.changes
        )
        return run.model

    def rival_model(self, seed: int, **changes: Any) -> GaussianKGEModel:
        r"""Returns a model that only a rival uses."""
        all_changes = {**self.changes, **self.rival, **changes}
        run = self.workshop.model(self.dataset, RIVAL, seed, all_changes)
        return run.model

    @property
    def epochs(self) -> int:
        r"""The number of epochs of rivals that train themselves."""
        return max(1, round(self.triples / int(self.kg.train_mask.sum())))

    @property
    def sizes(self) -> tuple[int, int]:
        r"""The numbers of entities and relations."""
        return int(self.kg.num_nodes), int(self.kg.num_relations)


def _ensemble(bench: Bench) -> UncertaintyEstimator:
    first = STRIDE * (bench.seed + 1)
    seeds = range(first, first + bench.members)
    return DeepEnsemble([bench.rival_model(seed) for seed in seeds])


def _mc_dropout(bench: Bench) -> UncertaintyEstimator:
    model = bench.rival_model(bench.seed, **{"model.dropout": 0.2})
    return MCDropout(model, seed=bench.seed)


#: Each by the name it has in tables.
RIVALS: dict[str, Callable[[Bench], UncertaintyEstimator | Evidence]] = {
    "evidence": lambda b: Evidence(Coverage.from_data(b.kg), b.model),
    "probability": lambda b: ScoreUncertainty(b.model, "softmax"),
    "energy": lambda b: Energy(b.model),
    "relation variance": lambda b: RelationConditionedVariance(
        b.model, epochs=min(5, b.epochs), seed=b.seed
    ),
    "mc dropout": _mc_dropout,
    "ensemble": _ensemble,
    "ukge": lambda b: UKGEUncertainty(
        UKGE(*b.sizes, seed=b.seed), epochs=b.epochs, seed=b.seed
    ),
    "beurre": lambda b: BEUrREUncertainty(
        BEUrRE(*b.sizes, seed=b.seed), epochs=b.epochs, seed=b.seed
    ),
    "sngp": lambda b: SNGP(
        SNGPModel(*b.sizes, seed=b.seed), epochs=b.epochs, seed=b.seed
    ),
    "gpn": lambda b: GraphPosteriorNetwork(
        b.model, epochs=10 * b.epochs, seed=b.seed
    ),
}

#: Further measures of what was fitted for another: disagreement tells what
#: models do not know, and their mean what they do not believe.
MEASURES = {
    "mc dropout, mean": ("mc dropout", "mean"),
    "ensemble, mean": ("ensemble", "mean"),
    "sngp, mean": ("sngp", "probability"),
}

#: What is made of the judged model alone, though it takes a while.
OWN = ("evidence", "probability", "energy")

#: What was proposed by others.
OTHERS = (*(name for name in RIVALS if name not in OWN), *MEASURES)


def measures(
    method: str, estimator: UncertaintyEstimator | Evidence
) -> dict[str, Any]:
    r"""Returns all that a fitted estimator can be asked for, by name."""
    found: dict[str, Any] = {method: estimator}
    for name, (fitted, measure) in MEASURES.items():
        if fitted == method:
            found[name] = copy.copy(estimator)
            found[name].measure = measure
    return found
