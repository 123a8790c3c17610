r"""The base class of posteriors over the embeddings of entities."""

import hashlib
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Embedding, Module

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.posterior.checks import check_posterior
from pyg_cagp.nn.posterior.curvature import ggn_diagonal

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class Posterior(Module):
    r"""A Gaussian over the embedding of each entity, with a diagonal covariance
    or one variance for all dimensions (isotropic).

    Its means are the embeddings of a model, shared and not copied. It is
    immutable: :meth:`update` returns a new posterior. Entities without training
    triples have the variance of the prior. The method
    :meth:`~pyg_cagp.nn.kge.GaussianKGEModel.set_posterior` gives it to a model.

    Args:
        node_emb (torch.nn.Embedding): The means, of shape
            :obj:`[num_nodes, channels]`.
        log_variance (torch.Tensor): The logarithms of the variances, of shape
            :obj:`[num_nodes, channels]`, or :obj:`[num_nodes, 1]` if isotropic.
        prior_variance (float): The variance of the prior.
        frequency (torch.Tensor): The number of training slots of each entity.
    """

    log_variance_: Tensor
    frequency_: Tensor
    table_: Tensor

    def __init__(
        self,
        node_emb: Embedding,
        log_variance: Tensor,
        prior_variance: float,
        frequency: Tensor,
    ) -> None:
        super().__init__()
        mean = node_emb.weight
        check_posterior(mean, log_variance, prior_variance, frequency)
        # A tuple, because the means belong to the state of the model.
        self._node_emb = (node_emb,)
        self._prior_variance = float(prior_variance)
        prior = log_variance.new_tensor(self._prior_variance).log()
        is_trained = (frequency > 0)[:, None]
        log_variance = torch.where(is_trained, log_variance.detach(), prior)
        self.register_buffer("log_variance_", log_variance)
        self.register_buffer("frequency_", frequency)
        self.register_buffer("table_", None, persistent=False)
        self._refresh()

    def _refresh(self) -> None:
        self._key: str | None = None
        parts = self.log_variance_.split(2**16)
        self.table_ = torch.cat([self._average(part.exp()) for part in parts])

    def _average(self, variance: Tensor) -> Tensor:
        # The mean of equal numbers may round. Isotropic variances are averaged
        # like diagonal ones, so that both forms give bit-equal results.
        width = self._node_emb[0].embedding_dim
        shape = (*variance.shape[:-1], width)
        return variance.expand(shape).contiguous().mean(dim=-1)

    def get_extra_state(self) -> Tensor:
        r"""Returns the variance of the prior, for :meth:`state_dict`."""
        return torch.tensor(self.prior_variance, dtype=torch.double)

    def set_extra_state(self, state: Any) -> None:
        r"""Restores the variance of the prior from a state."""
        self._prior_variance = float(state)
        self._refresh()

    @property
    def log_variance(self) -> Tensor:
        r"""The logarithms of all variances."""
        return self.log_variance_

    @property
    def frequency(self) -> Tensor:
        r"""The number of training slots of each entity."""
        return self.frequency_

    @property
    def prior_variance(self) -> float:
        r"""The variance of the prior."""
        return self._prior_variance

    @property
    def key(self) -> str:
        r"""A digest of variances and frequencies, computed once."""
        if self._key is None:
            self._key = self._digest()
        return self._key

    def _digest(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for tensor in (self.log_variance, self.frequency):
            digest.update(tensor.detach().cpu().contiguous().numpy().data)
        digest.update(self.prior_variance.hex().encode())
        return digest.hexdigest()

    def check_means(self, node_emb: Embedding) -> None:
        r"""Raises an error if a model has other means."""
        mean, other = self._node_emb[0].weight, node_emb.weight
        if mean.shape != other.shape:
            raise InvalidInputError(
                f"'posterior' must have means of shape {list(other.shape)}, as "
                f"the model (got {list(mean.shape)})"
            )
        if mean is not other and not torch.equal(mean.to(other), other):
            raise InvalidInputError(
                "'posterior' was fitted to a model with other embeddings; fit "
                "one to this model"
            )

    def mean(self, entity: Tensor) -> Tensor:
        r"""Returns the means of entities, of shape :obj:`[..., channels]`."""
        return self._node_emb[0](entity)

    def variance(self, entity: Tensor | None = None) -> Tensor:
        r"""Returns the variances of entities, of shape :obj:`[..., channels]`,
        or :obj:`[..., 1]` if isotropic.

        Args:
            entity (torch.Tensor, optional): The entities, of any shape; by
                default, all of them. (default: :obj:`None`)
        """
        if entity is None:
            return self.log_variance_.exp()
        return self.log_variance_[entity].exp()

    def mean_variance(self, entity: Tensor) -> Tensor:
        r"""Returns the mean over dimensions of the variance, from a table."""
        if entity.dim() == 1:  # Takes half the time of `take`.
            return self.table_.index_select(0, entity)
        return self.table_.take(entity)

    def rsample(
        self, entity: Tensor, *, generator: torch.Generator | None = None
    ) -> Tensor:
        r"""Draws embeddings, with gradients to means.

        Args:
            entity (torch.Tensor): The entities, of any shape.
            generator (torch.Generator, optional): The source of noise.
                (default: :obj:`None`)
        """
        mean = self.mean(entity)
        shape, device, dtype = mean.shape, mean.device, mean.dtype
        noise = torch.randn(
            shape, generator=generator, device=device, dtype=dtype
        )
        return mean + noise * self.variance(entity).sqrt()

    @torch.no_grad()
    def update(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        num_negatives: int | None = None,
        seed: int = 0,
    ) -> "Posterior":
        r"""Returns the posterior after new triples, without training.

        .. math::
            \frac{1}{s_{ij}} \leftarrow \frac{1}{s_{ij}} + G_{ij}

        It is the Laplace posterior of old and new triples at the same means. If
        the curvature of this posterior is a mean over draws, new triples have a
        smaller weight than training triples.

        Args:
            model (GaussianKGEModel): The model that it was fitted to.
            head_index (torch.Tensor): The head indices of the new triples.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
            num_negatives (int, optional): See
                :func:`~pyg_cagp.nn.posterior.ggn_diagonal`.
                (default: :obj:`None`)
            seed (int, optional): The seed of all draws. (default: :obj:`0`)
        """
        log_variance = self.log_variance
        isotropic = log_variance.size(1) == 1
        curvature = ggn_diagonal(
            model,
            head_index,
            rel_type,
            tail_index,
            num_negatives=num_negatives,
            generator=torch.Generator(rel_type.device).manual_seed(seed),
            structure="isotropic" if isotropic else "diagonal",
        )
        new = count_slots(head_index, tail_index, self.frequency.numel())
        log_variance = -(1 / log_variance.exp() + curvature).log()
        frequency = self.frequency + new
        prior = self.prior_variance
        return Posterior(self._node_emb[0], log_variance, prior, frequency)

    def extra_repr(self) -> str:
        r"""Describes the posterior in one line."""
        shape = list(self.log_variance.shape)
        return f"{shape}, prior_variance={self.prior_variance:.4g}"


def count_slots(
    head_index: Tensor, tail_index: Tensor, num_nodes: int
) -> Tensor:
    r"""Returns how often each entity occurs as a head or a tail."""
    slots = torch.cat([head_index.reshape(-1), tail_index.reshape(-1)])
    return torch.bincount(slots, minlength=num_nodes)
