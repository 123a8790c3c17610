r"""Uncertainty as 1 minus a learned confidence."""

from typing import Any, ClassVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.nn.kge import ConfidenceKGEModel
from pyg_cagp.uncertainty.baselines.training import TrainedEstimator


class ConfidenceUncertainty(TrainedEstimator):
    r"""A base class of estimators that train a model of confidence
    :math:`f` and return :math:`1 - f(h, r, t)`. The targets of training are the
    confidences of the triples (:obj:`edge_confidence`), or 1 if the graph has
    none.

    Args:
        model (ConfidenceKGEModel): The model, which :meth:`fit` trains.
        epochs (int, optional): The number of epochs.
            (default: :obj:`30`)
        batch_size (int, optional): The number of triples in a step.
            (default: :obj:`1024`)
        lr (float, optional): The learning rate. If set to :obj:`None`,
            :obj:`default_lr`. (default: :obj:`None`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    .. note::
        For an example of using this estimator, see
        ``examples/confidences.py``.
    """

    trained: ClassVar[tuple[str, ...]] = ("model",)

    #: The learning rate where none is given.
    default_lr: ClassVar[float] = 0.01

    def __init__(
        self,
        model: ConfidenceKGEModel,
        *,
        epochs: int = 30,
        batch_size: int = 1024,
        lr: float | None = None,
        seed: int = 0,
        progress: bool = False,
    ) -> None:
        lr = self.default_lr if lr is None else lr
        kind = ConfidenceKGEModel
        super().__init__(model, kind, epochs, batch_size, lr, seed, progress)
        # Also for a model that is loaded and not trained here.
        self.model.eval()

    def _train(self, kg: Data) -> None:
        r"""Trains the model anew, on the training triples alone."""
        device = self.device
        head, rel, tail = (p.to(device) for p in triples(kg, "train"))
        sizes = int(kg.num_nodes), int(kg.num_relations)
        known = TripleIndex(head, rel, tail, *sizes)
        confidence = kg.get("edge_confidence")
        if confidence is not None:
            confidence = confidence[kg.train_mask].float().to(device)
        # Weights come from PyTorch's global generator, whose state is restored.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            self.model.reset_parameters()
        self.model.train()

        def loss(batch: Tensor) -> Tensor:
            inputs = self._more_inputs(kg, batch)
            if confidence is not None:
                inputs["confidence"] = confidence[batch]
            triples = head[batch], rel[batch], tail[batch]
            return self.model.loss(*triples, known=known, **inputs)

        parameters = self.model.parameters()
        self.losses_ = self._minimise(
            loss, parameters, rel.numel(), self.epochs
        )
        self.model.eval()

    def _more_inputs(self, kg: Data, batch: Tensor) -> dict[str, Any]:
        r"""Returns further arguments of the loss of a batch."""
        return {}

    def confidence(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the confidence of each triple, in :math:`[0, 1]`."""
        return 1 - self(head_index, rel_type, tail_index)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns 1 minus the confidence."""
        return 1 - self.model.confidence(head_index, rel_type, tail_index)


class UKGEUncertainty(ConfidenceUncertainty):
    r"""Uncertainty by :class:`~pyg_cagp.nn.kge.UKGE`, with the defaults of the
    `"Embedding Uncertain Knowledge Graphs" <https://arxiv.org/abs/1811.10667>`_
    paper. If the graph has triples that rules have inferred
    (:obj:`psl_edge_index`, :obj:`psl_edge_type`, :obj:`psl_confidence`, as
    in NL27k), each step uses as many of them as training triples.

    .. note::
        For an example of using this estimator, see
        ``examples/confidences.py``.
    """

    def _more_inputs(self, kg: Data, batch: Tensor) -> dict[str, Any]:
        if "psl_edge_index" not in kg or kg.psl_edge_type.numel() == 0:
            return {}
        chosen = batch.cpu() % kg.psl_edge_type.numel()
        head, tail = kg.psl_edge_index[:, chosen]
        least = kg.psl_confidence[chosen].float()
        parts = head, kg.psl_edge_type[chosen], tail, least
        return {"inferred": tuple(part.to(batch.device) for part in parts)}


class BEUrREUncertainty(ConfidenceUncertainty):
    r"""Uncertainty by :class:`~pyg_cagp.nn.kge.BEUrRE`, of the
    `"Probabilistic Box Embeddings for Uncertain Knowledge Graph Reasoning"
    <https://arxiv.org/abs/2104.04597>`_ paper. The learning rate of the paper,
    :math:`10^{-4}`, is for hundreds of epochs. The default here, 0.005, is for
    fewer epochs.

    .. note::
        For an example of using this estimator, see
        ``examples/confidences.py``.
    """

    default_lr = 0.005
