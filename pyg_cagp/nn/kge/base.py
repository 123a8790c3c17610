r"""Knowledge-graph embeddings whose entities are Gaussian distributions."""

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from torch.nn import Embedding

from pyg_cagp._utils.checks import check_choice, check_least
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.elbo import EvidenceBound
from pyg_cagp.nn.kge.objective import Objective, OneNegative
from pyg_cagp.nn.kge.options import Covariance, Noise, Reduction
from pyg_cagp.nn.kge.prior import GaussianPrior
from pyg_cagp.nn.kge.softmax import SampledSoftmax
from pyg_cagp.nn.posterior.posterior import Posterior
from pyg_cagp.nn.posterior.trained import TrainedPosterior
from pyg_cagp.typing import UncertainScore


class GaussianKGEModel(EvidenceBound, ABC):
    r"""A base class for knowledge-graph embedding models in which entities are
    distributions and relations are points.

    The posterior of an entity is a Gaussian with diagonal covariance, its
    prior a spherical one,

    .. math::
        q(\mathbf{e}_i) = \mathcal{N}(\boldsymbol{\mu}_i,
        \textrm{diag}(\exp \boldsymbol{\ell}_i)), \qquad
        p(\mathbf{e}_i) = \mathcal{N}(\mathbf{0}, \sigma_0^2 \mathbf{I}).

    Training minimises :meth:`loss`, the negative evidence lower bound of an
    :class:`~pyg_cagp.nn.kge.Objective`. Entities that never occur in training
    have the variance of the prior. :meth:`forward` scores posterior means, so
    that a Gaussian model works in code written for PyG's models.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        prior_variance (float, optional): The variance :math:`\sigma_0^2` of
            the prior. (default: :obj:`0.1`)
        learn_prior (bool, optional): If set to :obj:`True`, the variance of
            the prior is learned. (default: :obj:`False`)
        kl_weight (float, optional): The weight of the prior, less than 1 for a
            tempered evidence lower bound. (default: :obj:`1.0`)
        kl_reduction (str, optional): The :obj:`reduction` of
            :class:`~pyg_cagp.nn.kge.GaussianPrior`.
            (default: :obj:`"occurrence"`)
        n3 (float, optional): The weight of a penalty on the cubed moduli of
            the means of head, relation and tail of each triple, the nuclear
            3-norm of the `"Canonical Tensor Decomposition for Knowledge Base
            Completion" <https://arxiv.org/abs/1806.07297>`_ paper: a prior
            that is narrower for frequent entities. (default: :obj:`0.0`)
        covariance (str, optional): :obj:`"diagonal"` for a variance of each
            dimension or :obj:`"spherical"` for one variance of each entity.
            (default: :obj:`"diagonal"`)
        noise (str, optional): What training draws: each :obj:`"coordinate"`
            of each entity; the :obj:`"score"` of each candidate, given one draw
            of the query, which has the same distribution; or :obj:`"none"`,
            where the loss is the bound :math:`\log \sum_j \exp (m_j + v_j /
            2)` of a softmax, with the mean and the variance of each score at
            the mean of the query. The last two need a bilinear model.
            (default: :obj:`"coordinate"`)
        objective (Objective, optional): The likelihood of a triple; by
            default, :class:`~pyg_cagp.nn.kge.SampledSoftmax`.
            (default: :obj:`None`)
        variational (bool, optional): If set to :obj:`False`, trains means
            only, as points under the prior. (default: :obj:`True`)
        reciprocal (bool, optional): If set to :obj:`True`, predicts heads with
            inverse relations; see :class:`~pyg_cagp.nn.kge.QueryKGEModel`.
            (default: :obj:`False`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. the
            embedding matrices will be sparse. (default: :obj:`False`)

    .. note::
        For an example of a new model, see ``docs/howto/new_model.md``.
    """

    #: The variance at the start of training, as a share of the prior variance.
    init_share = 0.1

    #: Whether scores depend on variances. Such models have no Laplace
    #: posterior.
    scores_hold_variances: ClassVar[bool] = False

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
        n3: float = 0.0,
        covariance: Covariance = "diagonal",
        noise: Noise = "coordinate",
        objective: Objective | None = None,
        variational: bool = True,
        reciprocal: bool = False,
        sparse: bool = False,
    ) -> None:
        sizes = num_nodes, num_relations, hidden_channels
        super().__init__(*sizes, reciprocal=reciprocal, sparse=sparse)
        check_least("kl_weight", kl_weight, 0)
        check_least("n3", n3, 0)
        if learn_prior and not variational:
            raise InvalidInputError(
                "'learn_prior' needs variational=True: without variances, "
                "embeddings and prior would shrink to zero"
            )
        self.prior = GaussianPrior(
            prior_variance, learn=learn_prior, reduction=kl_reduction
        )
        self.kl_weight = kl_weight
        self.n3 = n3
        self.variational = variational
        self.objective = objective or SampledSoftmax()
        if reciprocal and isinstance(self.objective, OneNegative):
            raise InvalidInputError(
                "'reciprocal' needs an objective such as SampledSoftmax: "
                "OneNegative would leave inverse relations untrained"
            )
        check_choice("covariance", covariance, Covariance)
        check_choice("noise", noise, Noise)
        self.noise = noise
        if self.integrates:
            self.check_noise()
        width = 1 if covariance == "spherical" else self.node_emb.embedding_dim
        self.node_log_var = Embedding(num_nodes, width, sparse=sparse)
        self.node_log_var.weight.requires_grad_(variational)
        # The number of training slots of each entity; see `observe`.
        self.register_buffer("node_freq", torch.zeros(num_nodes).long())
        self._trained = (TrainedPosterior(self),)
        # Tuples, because neither may become a submodule.
        self._posterior: tuple[Posterior] = self._trained
        self.reset_parameters()

    @classmethod
    def from_embeddings(
        cls, node_emb: Tensor, rel_emb: Tensor, **options: Any
    ) -> Self:
        r"""Returns a frozen model of given embeddings.

        Args:
            node_emb (torch.Tensor): The embeddings of entities.
            rel_emb (torch.Tensor): The embeddings of relations.
            **options (optional): Additional arguments of the class.
        """
        num_relations = rel_emb.size(0) // (1 + options.get("reciprocal", 0))
        width = node_emb.size(1) // cls.node_width
        sizes = node_emb.size(0), num_relations, width
        model = cls(*sizes, variational=False, **options).to(node_emb.device)
        with torch.no_grad():
            model.rel_emb.weight.copy_(rel_emb)
        return model.with_entities(node_emb)

    def with_entities(self, node_emb: Tensor) -> Self:
        r"""Returns a frozen copy of the model with other embeddings of
        entities, without the posterior of the old ones.
        """
        model = super().with_entities(node_emb)
        model.set_posterior(None)
        return model

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        torch.nn.init.xavier_uniform_(self.node_emb.weight)
        torch.nn.init.xavier_uniform_(self.rel_emb.weight)
        self.prior.reset_parameters()
        share = self.init_share if self.variational else 1.0
        torch.nn.init.constant_(
            self.node_log_var.weight, math.log(share * self.prior.start)
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "posterior":  # A module would register it as a submodule.
            self.set_posterior(value)
        else:
            super().__setattr__(name, value)

    @property
    def posterior(self) -> Posterior:
        r"""The current posterior: that of :meth:`set_posterior`, by default
        :attr:`trained_posterior`.
        """
        return self._posterior[0]

    @property
    def trained_posterior(self) -> TrainedPosterior:
        r"""The posterior with the variances that training updates."""
        return self._trained[0]

    def set_posterior(self, posterior: Posterior | None) -> None:
        r"""Sets the current posterior. Scores do not change. The posterior
        moves with the model to other devices and is not part of the model's
        :meth:`state_dict`.

        Args:
            posterior (Posterior, optional): The posterior of a model with the
                same means. If set to :obj:`None`, :attr:`trained_posterior`.
        """
        if posterior is None:
            self._posterior = self._trained
            return
        if not isinstance(posterior, Posterior):
            raise InvalidInputError(
                f"'posterior' must be a Posterior, such as LaplacePosterior()."
                f"fit(model, h, r, t) (got {type(posterior).__name__})"
            )
        posterior.check_means(self.node_emb)
        self._posterior = (posterior.to(self.node_emb.weight.device),)

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        self.posterior._apply(fn, recurse)
        return self

    def variance(self, entity: Tensor) -> Tensor:
        r"""Returns the current posterior's variance of each dimension."""
        shape = (*entity.shape, self.node_emb.embedding_dim)
        return self.posterior.variance(entity).expand(shape)

    def mean_variance(self, entity: Tensor) -> Tensor:
        r"""Returns the mean of :meth:`variance` over dimensions."""
        return self.posterior.mean_variance(entity)

    def sample(self, entity: Tensor) -> Tensor:
        r"""Draws embeddings from the current posterior."""
        return self.posterior.rsample(entity, generator=self.generator)

    @abstractmethod
    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score under the posterior. Head and
        tail are independent unless they are the same entity.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """

    def score_distribution(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> UncertainScore:
        r"""Returns the score of each triple with its variance."""
        triples = head_index, rel_type, tail_index
        return UncertainScore(self(*triples), self.score_variance(*triples))
