r"""Knowledge-graph embeddings whose entities are Gaussian distributions."""

import math
from abc import ABC, abstractmethod
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import Embedding

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.draw import DrawAndDiverge, Draws
from pyg_cagp.nn.kge.noise import NoiseTable
from pyg_cagp.nn.kge.objective import Objective, OneNegative
from pyg_cagp.nn.kge.prior import GaussianPrior, Reduction
from pyg_cagp.nn.kge.query import QueryKGEModel
from pyg_cagp.nn.kge.softmax import SampledSoftmax
from pyg_cagp.typing import UncertainScore

#: The form of the variances of an entity.
Covariance: TypeAlias = Literal["diagonal", "spherical"]


class GaussianKGEModel(QueryKGEModel, ABC):
    r"""A base class for knowledge-graph embedding models in which entities are
    distributions and relations are points.

    The posterior of an entity is a Gaussian with diagonal covariance, its
    prior a spherical one,

    .. math::
        q(\mathbf{e}_i) = \mathcal{N}(\boldsymbol{\mu}_i,
        \textrm{diag}(\exp \boldsymbol{\ell}_i)), \qquad
        p(\mathbf{e}_i) = \mathcal{N}(\mathbf{0}, \sigma_0^2 \mathbf{I}).

    Posteriors start at a small part of the prior variance and are trained by
    :meth:`loss`, the negative evidence lower bound of an
    :class:`~pyg_cagp.nn.kge.Objective`. Entities that never occur in training
    have the variance of the prior. :meth:`forward` scores posterior means, so
    that a Gaussian model drops into code written for PyG's models.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        prior_variance (float, optional): The variance :math:`\sigma_0^2` of
            the prior. (default: :obj:`0.1`)
        learn_prior (bool, optional): If set to :obj:`True`, the variance of
            the prior is learned. (default: :obj:`False`)
        kl_weight (float, optional): The weight of the prior, 1 for the true
            evidence lower bound, less for a tempered one.
            (default: :obj:`1.0`)
        kl_reduction (str, optional): How mini-batches pay for the prior; see
            :class:`~pyg_cagp.nn.kge.GaussianPrior`.
            (default: :obj:`"occurrence"`)
        covariance (str, optional): :obj:`"diagonal"` for a variance of each
            dimension or :obj:`"spherical"` for one an entity.
            (default: :obj:`"diagonal"`)
        objective (Objective, optional): The likelihood of a triple. If set to
            :obj:`None`, a softmax over shared negatives in both directions.
            (default: :obj:`None`)
        variational (bool, optional): If set to :obj:`False`, only means are
            trained, as points under the prior: the deterministic twin. A
            :class:`~pyg_cagp.nn.posterior.LaplacePosterior` can give them
            variances afterwards. (default: :obj:`True`)
        reciprocal (bool, optional): If set to :obj:`True`, heads are asked for
            by inverse relations; see :class:`~pyg_cagp.nn.kge.QueryKGEModel`.
            (default: :obj:`False`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. to the
            embedding matrices will be sparse. (default: :obj:`False`)
    """

    #: The variance at the start of training, as a part of the prior's.
    init_share = 0.1

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        prior_variance: float = 0.1,
        learn_prior: bool = False,
        kl_weight: float = 1.0,
        kl_reduction: Reduction = "occurrence",
        covariance: Covariance = "diagonal",
        objective: Objective | None = None,
        variational: bool = True,
        reciprocal: bool = False,
        sparse: bool = False,
    ) -> None:
        super().__init__(
            num_nodes,
            num_relations,
            hidden_channels,
            reciprocal=reciprocal,
            sparse=sparse,
        )
        if kl_weight < 0:
            raise InvalidInputError(
                f"'kl_weight' must not be negative (got {kl_weight})"
            )
        if learn_prior and not variational:
            raise InvalidInputError(
                "'learn_prior' needs variational=True: points would shrink "
                "with their prior until both are zero"
            )
        self.prior = GaussianPrior(
            prior_variance, learn=learn_prior, reduction=kl_reduction
        )
        self.kl_weight = kl_weight
        self.variational = variational
        self.objective = objective or SampledSoftmax()
        if reciprocal and isinstance(self.objective, OneNegative):
            raise InvalidInputError(
                "'reciprocal' needs an objective that asks for heads, such as "
                "SampledSoftmax: one negative would leave inverse relations "
                "untrained"
            )
        check_choice("covariance", covariance, Covariance)
        width = 1 if covariance == "spherical" else self.node_emb.embedding_dim
        self.node_log_var = Embedding(num_nodes, width, sparse=sparse)
        self.node_log_var.weight.requires_grad_(variational)
        #: The source of noise; PyTorch's own if set to None.
        self.generator: torch.Generator | None = None
        #: Normal numbers to draw with; made anew each time if set to None.
        self.noise_table: NoiseTable | None = None
        # In how many training slots each entity stands; see `observe`.
        self.register_buffer("node_freq", torch.zeros(num_nodes).long())
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        torch.nn.init.xavier_uniform_(self.node_emb.weight)
        torch.nn.init.xavier_uniform_(self.rel_emb.weight)
        self.prior.reset_parameters()
        share = self.init_share if self.variational else 1.0
        torch.nn.init.constant_(
            self.node_log_var.weight, math.log(share * self.prior.start)
        )

    def variance(self, entity: Tensor) -> Tensor:
        r"""Returns the posterior variance of each dimension.

        Args:
            entity (torch.Tensor): The entities, of any shape.
        """
        shape = (*entity.shape, self.node_emb.embedding_dim)
        variance = self.node_log_var(entity).exp().expand(shape)
        # What no triple speaks of, no triple has made any surer.
        unseen = (self.node_freq[entity] == 0) & self.node_freq.any()
        return torch.where(unseen[..., None], self.prior.variance, variance)

    def mean_variance(self, entity: Tensor) -> Tensor:
        r"""Returns the mean over dimensions of the posterior variance.

        Args:
            entity (torch.Tensor): The entities, of any shape.
        """
        return self.variance(entity).mean(dim=-1)

    @abstractmethod
    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score under the posterior. It depends
        on the relation.

        Head and tail are independent unless they are one entity; then they
        move together, which changes the variance.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """

    def score_distribution(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> UncertainScore:
        r"""Returns the score of each triple with its variance.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        return UncertainScore(
            self(head_index, rel_type, tail_index),
            self.score_variance(head_index, rel_type, tail_index),
        )

    @torch.no_grad()
    def random_sample(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Replaces the heads of one half of the triples and the tails of the
        other at random, as PyG does, drawing from the model's own generator.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        drawn = torch.randint(
            self.num_nodes,
            head_index.shape,
            generator=self.generator,
            device=head_index.device,
        )
        place = torch.arange(head_index.numel(), device=head_index.device)
        in_head = place.view_as(head_index) < head_index.numel() // 2
        return (
            torch.where(in_head, drawn, head_index),
            rel_type,
            torch.where(in_head, tail_index, drawn),
        )

    def observe(self, head_index: Tensor, tail_index: Tensor) -> None:
        r"""Tells the model which entities its training triples hold.

        The weight of an entity's prior in a mini-batch depends on how often the
        entity occurs in all of them. :meth:`loader` does this by itself.

        Args:
            head_index (torch.Tensor): The head indices of all triples.
            tail_index (torch.Tensor): The tail indices of all triples.
        """
        slots = torch.cat([head_index.view(-1), tail_index.view(-1)])
        freq = torch.bincount(slots, minlength=self.num_nodes)
        self.node_freq.copy_(freq)

    def loader(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        **kwargs: Any,
    ) -> Any:
        r"""Returns a mini-batch loader that samples a subset of triplets, and
        lets the model :meth:`observe` them.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
            **kwargs (optional): Additional arguments of
                :class:`torch.utils.data.DataLoader`, such as
                :obj:`batch_size`, :obj:`shuffle`, :obj:`drop_last`
                or :obj:`num_workers`.
        """
        self.observe(head_index, tail_index)
        return super().loader(head_index, rel_type, tail_index, **kwargs)

    def sample(self, entity: Tensor) -> Tensor:
        r"""Draws embeddings from the posterior, with gradients to its mean and
        variance (the reparameterisation trick).

        Args:
            entity (torch.Tensor): The entities, of shape :obj:`[n]`.
        """
        mean = self.node_emb(entity)
        if not self.variational:
            return mean
        noise = self._noise(mean.size(0))
        return mean + noise * (0.5 * self.node_log_var(entity)).exp()

    def kl_divergence(self, entity: Tensor) -> Tensor:
        r"""Returns the divergence of each posterior from the prior; see
        :meth:`~pyg_cagp.nn.kge.GaussianPrior.divergence`.

        Args:
            entity (torch.Tensor): The entities, of any shape.
        """
        log_var = self.node_log_var(entity) if self.variational else None
        return self.prior.divergence(self.node_emb(entity), log_var)

    def kl_term(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns a batch's share of the prior term, per triple; see
        :class:`~pyg_cagp.nn.kge.GaussianPrior`. Where entities pay by
        occurrence, its mean over an epoch is :math:`\sum_i \textrm{KL}_i` over
        the number of triples, without bias.

        Args:
            head_index (torch.Tensor): The head indices of the batch.
            tail_index (torch.Tensor): The tail indices of the batch.
        """
        if self.prior.reduction == "dense":
            every = torch.arange(self.num_nodes, device=head_index.device)
            return self.kl_divergence(every).mean()
        share = self._shares(head_index, tail_index)
        slots = torch.cat([head_index, tail_index])
        return (share * self.kl_divergence(slots)).sum()

    def constrain(self) -> None:
        r"""Brings parameters back to where they may be, after a step of an
        optimiser. Most models allow any.
        """

    def loss(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the negative evidence lower bound per triple.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        nll, kl = self.loss_terms(head_index, rel_type, tail_index)
        return nll + self.kl_weight * kl

    def loss_terms(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the two terms of :meth:`loss`: the negative log-likelihood
        of a batch and its share of the prior term, which is zero if it has no
        weight.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        batch = head_index, rel_type, tail_index
        other = self.objective.negatives(self, *batch)
        drawn, kl = self.draw(head_index, tail_index, other)
        return self.objective(self, *batch, other, drawn), kl

    def draw(
        self, head_index: Tensor, tail_index: Tensor, other: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Draws a batch's entities from the posterior, each slot anew, and
        returns what the batch pays for the prior; see :meth:`kl_term`.

        Args:
            head_index (torch.Tensor): The head indices of the batch.
            tail_index (torch.Tensor): The tail indices of the batch.
            other (torch.Tensor): Further entities, which pay nothing.
        """
        entity = torch.cat([head_index, tail_index, other])
        sizes = [head_index.numel(), tail_index.numel(), other.numel()]
        dense = self.prior.reduction == "dense"
        share = self.node_emb.weight.new_empty(0)
        if self.kl_weight > 0 and not dense:
            share = self._shares(head_index, tail_index)
        if not self.variational:
            drawn = self.node_emb(entity)
            energy = self.prior.divergence(drawn[: share.numel()], None)
            kl = (share * energy).sum()
        else:
            noise = self._noise(entity.numel())
            drawn, kl = DrawAndDiverge.apply(
                self.node_emb.weight,
                self.node_log_var.weight,
                self.prior.log_variance,
                entity,
                noise,
                share,
                self.node_emb.sparse,
            )
        if self.kl_weight > 0 and dense:
            kl = self.kl_term(head_index, tail_index)
        return Draws(*drawn.split(sizes)), kl

    def _noise(self, size: int) -> Tensor:
        weight = self.node_emb.weight
        shape = (size, weight.size(1))
        if self.noise_table is not None:
            return self.noise_table.read(shape, self.generator)
        return torch.randn(
            shape,
            generator=self.generator,
            device=weight.device,
            dtype=weight.dtype,
        )

    def _shares(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Which part of its divergence each slot of a batch pays."""
        slots = torch.cat([head_index, tail_index])
        freq = self.node_freq[slots]
        if bool((freq == 0).any()):
            raise InvalidInputError(
                f"entity {int(slots[freq == 0][0])} occurs in a batch but not "
                f"in what the model was told of; call 'observe' with all "
                f"training triples, or get batches from 'loader'"
            )
        return 1 / (freq * head_index.numel()).to(self.node_emb.weight.dtype)
