r"""Confidences that people or machines gave to triples, predicted."""

from typing import Any

import torch
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression
from torch import Tensor

from benchmark.paper.workshop import Workshop
from pyg_cagp.data import split_edges
from pyg_cagp.nn.kge import UKGE, BEUrRE
from pyg_cagp.uncertainty import (
    BEUrREUncertainty,
    UKGEUncertainty,
)


def confidences(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    triples: int,
) -> dict[str, Any]:
    r"""UKGE and BEUrRE, trained on confidences, and a Gaussian model, trained
    on triples alone, whose scores are mapped to confidences by an isotonic
    regression on validation.
    """
    kg = workshop.kg(dataset)
    epochs = max(1, round(triples / int(kg.train_mask.sum())))
    sizes = int(kg.num_nodes), int(kg.num_relations)
    target = {
        split: kg.edge_confidence[kg[f"{split}_mask"]].double()
        for split in ("train", "val", "test")
    }
    asked = {}
    for split in ("val", "test"):
        (head, tail), rel = split_edges(kg, split)
        asked[split] = head, rel, tail
    mean = target["train"].mean().expand_as(target["test"])
    found = {"mean of train": _judge(mean, target["test"])}
    made = {
        "ukge, logistic": UKGEUncertainty(
            UKGE(*sizes, seed=seed), epochs=epochs, seed=seed
        ),
        "ukge, rectified": UKGEUncertainty(
            UKGE(*sizes, map="rectified", seed=seed), epochs=epochs, seed=seed
        ),
        "beurre": BEUrREUncertainty(
            BEUrRE(*sizes, seed=seed), epochs=epochs, seed=seed
        ),
    }
    for name, estimator in made.items():
        estimator.fit(kg)
        got = estimator.confidence(*asked["test"]).double()
        found[name] = _judge(got, target["test"])
    model = workshop.model(dataset, backbone, seed, changes).model
    with torch.no_grad():
        score = {split: model(*part).double() for split, part in asked.items()}
    regression = IsotonicRegression(out_of_bounds="clip")
    regression.fit(score["val"].numpy(), target["val"].numpy())
    got = torch.from_numpy(regression.predict(score["test"].numpy()))
    found["gaussian, isotonic"] = _judge(got, target["test"])
    return found


def _judge(got: Tensor, target: Tensor) -> dict[str, float | None]:
    error = got - target
    constant = bool((got == got[0]).all())
    return {
        "mse": float(error.square().mean()),
        "mae": float(error.abs().mean()),
        "spearman": None if constant else float(spearmanr(got, target)[0]),
    }
