r"""Prediction of the confidences of triples."""

from typing import Any

import torch
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression
from torch import Tensor

from benchmark.paper.setting import Setting
from pyg_cagp.data import triples as triples_of
from pyg_cagp.nn.kge import UKGE, BEUrRE
from pyg_cagp.uncertainty.baselines import BEUrREUncertainty, UKGEUncertainty


def confidences(setting: Setting, triples: int) -> dict[str, Any]:
    r"""UKGE and BEUrRE, trained on confidences, and a Gaussian model, trained
    on triples alone, whose scores are mapped to confidences by an isotonic
    regression on validation.
    """
    kg, model = setting.kg, setting.model
    target = {
        split: kg.edge_confidence[kg[f"{split}_mask"]].double()
        for split in ("train", "val", "test")
    }
    test, val = triples_of(kg, "test"), triples_of(kg, "val")
    mean = target["train"].mean().expand_as(target["test"])
    predicted = {"mean of train": mean}
    # They are stored, so that another metric trains nothing.
    of = ["confidences", triples, setting.seed]
    predicted |= setting.artifacts.tensors(
        setting.dataset, of, lambda: _trained(setting, triples, test)
    )
    with torch.no_grad():
        score = {
            split: model(*part).double()
            for split, part in (("val", val), ("test", test))
        }
    regression = IsotonicRegression(out_of_bounds="clip")
    regression.fit(score["val"].numpy(), target["val"].numpy())
    predicted["gaussian, isotonic"] = torch.from_numpy(
        regression.predict(score["test"].numpy())
    )
    return {
        name: _errors(values, target["test"])
        for name, values in predicted.items()
    }


def _trained(
    setting: Setting, triples: int, test: tuple[Tensor, Tensor, Tensor]
) -> dict[str, Tensor]:
    kg, sizes, seed = setting.kg, setting.sizes, setting.seed
    epochs = max(1, round(triples / int(kg.train_mask.sum())))
    estimators = {
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
    return {
        name: estimator.fit(kg).confidence(*test).detach().double()
        for name, estimator in estimators.items()
    }


def _errors(predicted: Tensor, target: Tensor) -> dict[str, float | None]:
    error = predicted - target
    constant = bool((predicted == predicted[0]).all())
    return {
        "mse": float(error.square().mean()),
        "mae": float(error.abs().mean()),
        "spearman": None
        if constant
        else float(spearmanr(predicted, target)[0]),
    }
