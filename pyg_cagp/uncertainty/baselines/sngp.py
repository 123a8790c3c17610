r"""Uncertainty as the variance of a Gaussian process."""

import math
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.nn.kge import SNGPModel
from pyg_cagp.uncertainty.baselines.confidence import ConfidenceUncertainty

Measure: TypeAlias = Literal["variance", "probability"]


class SNGP(ConfidenceUncertainty):
    r"""Uncertainty by the spectral-normalised neural Gaussian process of the
    `"Simple and Principled Uncertainty Estimation with Deterministic Deep
    Learning via Distance Awareness" <https://arxiv.org/abs/2006.10108>`_
    paper.

    After training, a pass through the training triples and as many corrupted
    triples computes the precision of the output weights, by the Laplace
    approximation. It gives the variance of each score, and a probability that
    accounts for this variance:

    .. math::
        \Lambda = \lambda I + \sum_i p_i (1 - p_i) \phi_i \phi_i^\top, \quad
        v(x) = \phi(x)^\top \Lambda^{-1} \phi(x), \quad
        p(x) = \sigma \left( \frac{s(x)}{\sqrt{1 + \frac{\pi}{8} v(x)}} \right)

    Args:
        model (SNGPModel): The model, which :meth:`fit` trains.
        measure (str, optional): :obj:`"variance"` for :math:`v` or
            :obj:`"probability"` for :math:`1 - p`.
            (default: :obj:`"variance"`)
        epochs (int, optional): The number of epochs.
            (default: :obj:`20`)
        batch_size (int, optional): The number of triples in a step.
            (default: :obj:`1024`)
        lr (float, optional): The learning rate. (default: :obj:`0.005`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    .. note::
        For an example of using this estimator, see
        ``examples/distance_aware.py``.
    """

    covariance_: Tensor

    def __init__(
        self,
        model: SNGPModel,
        *,
        measure: Measure = "variance",
        epochs: int = 20,
        batch_size: int = 1024,
        lr: float = 0.005,
        seed: int = 0,
        progress: bool = False,
    ) -> None:
        check_choice("measure", measure, get_args(Measure))
        super().__init__(
            model,
            epochs=epochs,
            batch_size=batch_size,
            lr=lr,
            seed=seed,
            progress=progress,
        )
        self.measure = measure

    def _train(self, kg: Data) -> None:
        r"""Trains the model and computes the covariance of output weights."""
        self.model.num_triples = int(kg.train_mask.sum())
        super()._train(kg)
        self.covariance_ = self._covariance(kg)

    @torch.no_grad()
    def _covariance(self, kg: Data) -> Tensor:
        head, rel, tail = (p.to(self.device) for p in triples(kg, "train"))
        known = TripleIndex(head, rel, tail, kg.num_nodes, kg.num_relations)
        size = self.model.num_features
        precision = self.model.ridge * torch.eye(
            size, dtype=torch.double, device=self.device
        )
        order = torch.arange(rel.numel(), device=self.device)
        for batch in order.split(self.batch_size):
            right = head[batch], rel[batch], tail[batch]
            wrong = self.model.corrupt(*right, known=known)
            for part in (right, [column[:, 0] for column in wrong]):
                columns = [column.reshape(-1) for column in part]
                phi = self.model.features(*columns)
                p = torch.sigmoid(phi @ self.model.process.head)
                weighted = phi * (p * (1 - p))[:, None]
                precision += (weighted.t() @ phi).double()
        return torch.linalg.inv(precision).float()

    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score."""
        phi = self.model.features(head_index, rel_type, tail_index)
        return ((phi @ self.covariance_) * phi).sum(dim=-1).clamp(min=0)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance, or 1 minus the probability."""
        triples = head_index, rel_type, tail_index
        variance = self.score_variance(*triples)
        if self.measure == "variance":
            return variance
        score = self.model(*triples)
        return torch.sigmoid(-score / (1 + math.pi / 8 * variance).sqrt())
