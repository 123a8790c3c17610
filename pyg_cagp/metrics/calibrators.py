r"""Monotone maps from scores to probabilities.

They do not reverse the order of two samples, but may give both the same
probability.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from pyg_cagp.exceptions import NotFittedError
from pyg_cagp.metrics.inputs import (
    Values,
    as_probabilities,
    as_values,
    scores_and_labels,
)
from pyg_cagp.metrics.logistic import monotone_logistic


class Calibrator(ABC):
    r"""A base class of monotone maps from scores to probabilities.

    The fitted numbers are in :obj:`state_`, which can be stored as JSON.
    :meth:`from_state` restores the map.
    """

    state_: dict[str, Any]

    @abstractmethod
    def fit(self, score: Values, label: Values) -> Self:
        r"""Fits the map, on validation samples.

        Args:
            score (torch.Tensor): The scores.
            label (torch.Tensor): The labels, 1 for the class of high scores.
        """

    @abstractmethod
    def _map(self, score: Values, state: dict[str, Any]) -> Tensor: ...

    def __call__(self, score: Values) -> Tensor:
        r"""Returns the probability of label 1 for each score."""
        if not hasattr(self, "state_"):
            raise NotFittedError(
                f"{self.__class__.__name__} is not fitted; call 'fit' with "
                f"validation scores first"
            )
        return self._map(score, self.state_)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        r"""Returns a fitted map.

        Args:
            state (dict): The :attr:`state_` of a fitted map.
        """
        calibrator = cls()
        calibrator.state_ = dict(state)
        return calibrator

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}()"


class PlattCalibrator(Calibrator):
    r"""The logistic map :math:`\sigma(a s + b)` with :math:`a \geq 0`, of
    Platt, "Probabilistic Outputs for Support Vector Machines" (1999).

    Labels are smoothed as in :func:`monotone_logistic`.

    Example:
        >>> platt = PlattCalibrator().fit([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1])
        >>> platt([1.5])
        tensor([0.5000], dtype=torch.float64)
    """

    def fit(self, score: Values, label: Values) -> "PlattCalibrator":
        r"""Fits slope and intercept by maximum likelihood."""
        scores, labels = scores_and_labels(score, label)
        as_values("score", scores, finite=True)
        slopes, intercept = monotone_logistic(scores[:, None], labels)
        self.state_ = {"slope": float(slopes[0]), "intercept": intercept}
        return self

    def _map(self, score: Values, state: dict[str, Any]) -> Tensor:
        # A slope of zero times infinity would be NaN.
        scores = as_values("score", score).clamp(-1e300, 1e300)
        return torch.sigmoid(state["slope"] * scores + state["intercept"])


class BetaCalibrator(Calibrator):
    r"""The map :math:`\sigma(a \ln p - b \ln(1 - p) + c)` with
    :math:`a, b \geq 0`, of the `"Beta calibration"
    <https://proceedings.mlr.press/v54/kull17a.html>`_ paper, for scores that
    are probabilities. The identity is one of these maps.

    Example:
        >>> p, y = [0.1, 0.2, 0.8, 0.9], [0, 1, 0, 1]
        >>> bool((BetaCalibrator().fit(p, y)(p).diff() >= 0).all())
        True
    """

    def fit(self, score: Values, label: Values) -> "BetaCalibrator":
        r"""Fits the three numbers by maximum likelihood."""
        p, labels = scores_and_labels(as_probabilities("score", score), label)
        slopes, intercept = monotone_logistic(self._features(p), labels)
        self.state_ = {"slopes": slopes.tolist(), "intercept": intercept}
        return self

    def _map(self, score: Values, state: dict[str, Any]) -> Tensor:
        features = self._features(as_probabilities("score", score))
        slopes = features.new_tensor(state["slopes"])
        return torch.sigmoid(features @ slopes + state["intercept"])

    @staticmethod
    def _features(p: Tensor) -> Tensor:
        eps = torch.finfo(p.dtype).eps
        p = p.clamp(eps, 1 - eps)
        return torch.stack([p.log(), -torch.log1p(-p)], dim=1)


class IsotonicCalibrator(Calibrator):
    r"""The monotone map of least squared error, of Zadrozny and Elkan,
    "Transforming Classifier Scores into Accurate Multiclass Probability
    Estimates" (2002); linear between its steps and constant outside.

    Example:
        >>> isotonic = IsotonicCalibrator().fit([0, 1, 2, 3], [0, 1, 0, 1])
        >>> isotonic([-1, 1, 2, 9])
        tensor([0.0000, 0.5000, 0.5000, 1.0000], dtype=torch.float64)
    """

    def fit(self, score: Values, label: Values) -> "IsotonicCalibrator":
        r"""Fits the steps by pooling adjacent violators."""
        # Importing scikit-learn takes longer than importing all of pyg_cagp.
        from sklearn.isotonic import IsotonicRegression

        scores, labels = scores_and_labels(score, label)
        as_values("score", scores, finite=True)
        columns = (part.double().cpu().numpy() for part in (scores, labels))
        steps = IsotonicRegression().fit(*columns)
        x, y = steps.X_thresholds_.tolist(), steps.y_thresholds_.tolist()
        self.state_ = {"score": x, "probability": y}
        return self

    def _map(self, score: Values, state: dict[str, Any]) -> Tensor:
        scores = as_values("score", score)
        steps = state["score"], state["probability"]
        probabilities = np.interp(scores.cpu().numpy(), *steps)
        return torch.from_numpy(probabilities).to(scores.device)
